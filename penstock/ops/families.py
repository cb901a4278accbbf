"""How are elementwise ops declared by the line?

Ops that differ only by a function of NumPy are one visible line each, `exp = unary("Exp", "exp", ...)`: the line is the
whole declaration. Shape rule, value rule, kernel and samples follow from it; the signature is `(x, name=None)` or
`(x, y, name=None)`. A kernel of its own replaces the NumPy function where the two differ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ..graph.dtypes import DType, bfloat16, bool_, complex64, float32, float64, int32, string, uint8
from ..graph.opdef import OpDef, Sample, register, sample
from ..graph.operation import Tensor
from ..graph.shape import TensorShape, broadcast
from ..graph.signature import Operand, TensorLike

Kernel = Callable[..., Any]


def same_shape(x: Tensor, *rest: Any) -> TensorShape:
    """The shape rule of an op that keeps its operand's shape."""
    return x.shape


def broadcast_shape(x: Tensor, y: Tensor, *rest: Any) -> TensorShape:
    """The shape rule of an op that broadcasts its two operands."""
    return broadcast(x.shape, y.shape, y)


class UnaryOp(OpDef[..., Tensor]):
    """An op of one operand."""

    if TYPE_CHECKING:

        def __call__(self, x: TensorLike, name: str | None = None) -> Tensor: ...


class BinaryOp(OpDef[..., Tensor]):
    """An op of two operands that broadcast."""

    if TYPE_CHECKING:

        def __call__(self, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...


def unary(
    name: str,
    type: str,
    allowed: int,
    doc: str,
    *,
    ufunc: str | None = None,
    kernel: Kernel | None = None,
    out: str | DType = "T",
    at: tuple[float, ...] = (0.5, -1.5, 2.0, 0.0),
    numpy: Any = (),
    **facts: Any,
) -> UnaryOp:
    """Declare an elementwise op of one operand.

    Args:
        name: the function's name. type: the node's. allowed: dtypes of `x`. doc: the docstring.
        ufunc: the function of an array module that computes it; or `kernel`: (xp, x) -> array.
        out: dtype of the result ("T": that of x). at: values for the samples. numpy, facts: as in `graph.opdef.op`.
    """

    def function(x: TensorLike, name: str | None = None) -> Tensor: ...

    function.__annotations__ = {"x": Annotated[TensorLike, Operand("T", allowed)], "return": Tensor}
    made = UnaryOp(type, _named(function, name, doc), out, {"elementwise": True, "ufunc": ufunc, **facts})
    made.shape(same_shape)
    _attach(made, ufunc, kernel)
    made.samples(lambda rng: (sample(_array(at, d)) for d in _few(allowed)))
    return register(made, numpy=numpy)


def binary(
    name: str,
    type: str,
    allowed: int,
    doc: str,
    *,
    ufunc: str | None = None,
    kernel: Kernel | None = None,
    out: str | DType = "T",
    left: tuple[float, ...] = (0.5, -1.5, 2.0, 3.0),
    right: tuple[float, ...] = (2.0, 1.0, -2.0, 3.0),
    operator: str | None = None,
    numpy: Any = (),
    **facts: Any,
) -> BinaryOp:
    """Declare an elementwise op of two operands that share a dtype and broadcast; the arguments are those of `unary`."""

    def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...

    operand = Annotated[TensorLike, Operand("T", allowed)]
    function.__annotations__ = {"x": operand, "y": operand, "return": Tensor}
    made = BinaryOp(type, _named(function, name, doc), out, {"elementwise": True, "ufunc": ufunc, **facts})
    made.shape(broadcast_shape)
    _attach(made, ufunc, kernel)

    @made.samples
    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for dtype in _few(allowed):
            x, y = _array(left, dtype), _array(right, dtype)
            yield sample(x, y)
            yield sample(x.reshape(-1, 1), y)

    return register(made, operator=operator, numpy=numpy)


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = sys._getframe(2).f_globals["__name__"]
    return function


def _attach(made: OpDef[Any, Any], ufunc: str | None, kernel: Kernel | None) -> None:
    if kernel is None:
        if ufunc is None:
            raise TypeError(f"the op {made.type!r} needs a ufunc or a kernel")
        kernel = _calling(ufunc)
    made.kernel(kernel)
    made.value(partial(kernel, np))


def _calling(ufunc: str) -> Kernel:
    def kernel(xp: Any, *arrays: Any) -> Any:
        return getattr(xp, ufunc)(*arrays)

    return kernel


def _few(allowed: int) -> Iterator[DType]:
    """One dtype of each kind that is allowed: samples are for the generic tests, not for every combination."""
    for candidates in ((float32, float64), (int32, uint8), (bool_,), (complex64,), (string,), (bfloat16,)):
        for dtype in candidates:
            if dtype.bit & allowed:
                yield dtype
                break


def _array(values: tuple[float, ...], dtype: DType) -> Any:
    if dtype is string:
        return np.array([f"s{v:g}".encode() for v in values], object)
    with np.errstate(all="ignore"):
        return np.array(values).astype(dtype.np)
