"""Argmax and argmin: the index of an extreme along one axis."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.axis_labels import Axes, all_but, labelled
from ...graph.declare.op_declaration import Samples, register, sample
from ...graph.declare.op_facts import RowRule
from ...graph.declare.signature import (
    BOOL,
    REALS,
    Attr,
    DTypeLike,
    Operand,
    TensorLike,
)
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bits_of,
    bool_,
    float32,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims, unknown_rank
from ..create.constant_and_placeholder import constant
from ..create.creation import zeros_like
from ..declare.reduction_decl import RenamedOp, either, is_short, renamed
from ..declare.shape_checks import one_axis
from ..elementwise.arithmetic import add, multiply, subtract
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..elementwise.round_and_classify import is_nan
from ..elementwise.select_where import select
from .reductions import reduce_max, reduce_min

PUBLIC_NAMES = {"tf": "arg_max=argmax arg_min=argmin", "start math": "argmax argmin"}

_Axis = Annotated[TensorLike, Operand("Tidx", bits_of(int8, int16, int32, int64), host=True)]


class ArgOp(RenamedOp):
    """An op that finds the place of an extreme along one axis."""

    if TYPE_CHECKING:

        def __call__(
            self,
            input: TensorLike,
            axis: TensorLike | None = None,
            name: str | None = None,
            dimension: TensorLike | None = None,
            output_type: DTypeLike = int64,
        ) -> Tensor: ...


def _arg_arguments(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = int64,
) -> tuple[Any, ...]:
    axis = either("axis", axis, "dimension", dimension)
    return input, 0 if axis is None else axis, output_type, name


def _arg_extreme(name: str, type: str, which: str, output_types: tuple[DType, ...], doc: str) -> ArgOp:
    def function(
        input: TensorLike, axis: TensorLike = 0, output_type: DTypeLike = int64, name: str | None = None
    ) -> Tensor: ...

    def check(value: Any) -> DType:
        dtype = as_dtype(value)
        if dtype not in output_types:
            raise DTypeError(f"is {dtype.name}, not in list of allowed values: "
                             + ", ".join(d.name for d in output_types))  # fmt: skip
        return dtype

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    operand = Annotated[TensorLike, Operand("T", REALS | BOOL)]
    function.__annotations__ = {
        "input": operand, "axis": _Axis, "output_type": Annotated[Any, Attr(check)], "return": Tensor,
    }  # fmt: skip
    opdef = ArgOp(type, function, "output_type", {"graphdef": "T=input Tidx=axis output_type"})
    renamed(opdef, _arg_arguments)
    opdef.prepare(_check_axis)
    opdef.shape(_without_axis)

    def kernel(xp: Any, x: Any, axis: Any, output_type: DType) -> Any:
        place = one_axis(axis, x.ndim, "Expected dimension", "axis")
        if x.shape[place] == 0:
            shape = str(list(x.shape)).replace(" ", "")
            raise InvalidArgumentError(message=f"Reduction axis {place} is empty in shape {shape}")
        return getattr(_comparable(xp, x, which), which)(axis=place).astype(output_type.np)

    opdef.kernel(kernel)
    opdef.row_rule = RowRule(partial(_of_row, which), _is_short_row, takes_places=True)
    opdef.distributes(labelled(_axes))
    opdef.flops(lambda input, axis, output_type: prod(input))
    opdef.samples(_arg_samples)
    return register(opdef)


def _check_axis(input: Any, axis: Any, output_type: Any, name: str | None) -> tuple[Any, ...]:
    if isinstance(axis, (list, tuple, float, str, bytes, bool)):
        raise DTypeError(f"axis must be int or Tensor with integer datatype, not {axis!r}; it names one axis")
    return input, axis, output_type


def _comparable(xp: Any, x: Any, which: str) -> Any:
    """`x` with each NaN replaced by a value that is never the extreme: in array modules NaN is."""
    if is_short(x.dtype):
        x = x.astype(np.float32)
    if x.dtype.kind != "f":
        return x
    bad = xp.isnan(x)
    return xp.where(bad, x.dtype.type("-inf" if which == "argmax" else "inf"), x) if bad.any() else x


SHORT: Final = 64
"""The widest rows for which compiled code is faster: 10,000 rows of 10 float32 take 59 us instead of 209."""
_BEYOND: Final = 1 << 15
"""More than any place in a row."""


def _is_short_row(input: Sequence[Any], axis: int, output_type: DType) -> bool:
    return axis in (-1, len(input) - 1) and isinstance(input[-1], int) and 1 < input[-1] <= SHORT


def _of_row(which: str, input: Tensor, axis: int, output_type: DType, places: Tensor) -> Tensor:
    """The first of the places at which the extreme is."""
    x = cast(input, float32) if input.dtype.size == 2 and input.dtype.is_floating else input
    x = cast(x, uint8) if x.dtype is bool_ else x
    if x.dtype.is_floating:
        never = add(zeros_like(x), constant(-np.inf if which == "argmax" else np.inf, x.dtype))
        x = select(is_nan(x), never, x)
    extreme = (reduce_max if which == "argmax" else reduce_min)(x, -1, True)
    before = multiply(cast(equal(x, extreme), int32), constant(_BEYOND, int32))
    first = add(reduce_min(subtract(places, before), -1), constant(_BEYOND, int32))
    return cast(first, output_type)


def _without_axis(x: Tensor, axis: Tensor, output_type: DType) -> TensorShape:
    if axis.shape.ndims not in (None, 0):
        raise ValueRuleError(
            f"Shape must be rank 0 but is rank {axis.shape.ndims}: axis names one axis", operand=1
        )
    dims = x.shape.raw
    if dims is None:
        return unknown_rank("the rank of the operand is not known", x)
    rank = len(dims)
    if rank == 0:
        return x.shape  # the run refuses it
    place = known_int(axis)
    if place is None:
        return unknown_dims(rank - 1, "which axis is reduced is not known", axis)
    if not -rank <= place < rank:
        raise ValueRuleError(
            f"Dimension ({place}) must be in the range [{-rank}, {rank}), where {rank} is the number of "
            "dimensions in the input",
            operand=1,
        )
    place %= rank
    return shape_of(dims[:place] + dims[place + 1 :])


def _axes(x: Tensor, axis: Tensor, output_type: DType) -> Axes | None:
    axes = all_but(x, known_int(axis))
    return None if axes is None else (axes[0], [[label for label in axes[0][0] or () if label is not None]])


def _arg_samples(rng: np.random.Generator) -> Samples:
    x = rng.integers(-3, 4, (3, 2, 4))
    yield sample(x.astype("f4"), np.array(1, np.int32))
    yield sample(x.astype("i4"), np.array(-1, np.int64), output_type="int32")
    yield sample(x.astype(bool), np.array(0, np.int32))
    yield sample(x.astype(bfloat16.np), np.array(2, np.int32), fixed=("axis",))
    yield sample(np.array([[np.nan, 1.0, np.nan, 3.0]], "f8"), np.array(1, np.int32))
    yield sample(np.zeros((0, 3), "f4"), np.array(1, np.int32))


_ARG_DOC = """The index of the {extreme} element along `axis`, the first where several are equal. NaNs never win.

    Args:
        input: bool, ints or floats, of rank 1 or higher.
        axis: an int or a scalar int tensor; a negative one counts from the end. The default is 0.
        dimension: older name of `axis`.
        output_type: dtype of the result: {output_types}.

    Returns:
        A tensor with the shape of `input` without `axis` and dtype `output_type`.

    Raises:
        TypeError: `input` has another dtype, `axis` is not an int, or `output_type` is not one of those above.
        ValueError: `axis` is out of range, or both its names are given.
        InvalidArgumentError (when run): `axis` is out of range, or has size 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.{name}([[1, 9, 9], [4, 2, 1]], axis=1)))
    {result}

    Source: TensorFlow 1.x, `tf.{name}`.
    """

argmax = _arg_extreme("argmax", "ArgMax", "argmax", (int64, int32, int16, uint16), _ARG_DOC.format(
    name="argmax", extreme="largest", output_types="int64, int32, int16 or uint16", result="[1 0]"))  # fmt: skip
argmin = _arg_extreme("argmin", "ArgMin", "argmin", (int64, int32), _ARG_DOC.format(
    name="argmin", extreme="smallest", output_types="int64 or int32", result="[0 2]"))  # fmt: skip


argmax.no_gradient("it gives ints")
argmin.no_gradient("it gives ints")
