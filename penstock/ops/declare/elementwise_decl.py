"""Declarations of elementwise ops, one statement each: `exp = unary("exp", "Exp", ...)`.

For ops that differ only by a function of NumPy, shape rule, kernel, docstring and samples follow from that statement.
The signature is `(x, name=None)` or `(x, y, name=None)`. A kernel of its own replaces the NumPy function where the two
differ.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from ...errors import ShapeError
from ...graph.building.constant_evaluation import LONGEST_VECTOR, Entries, Entry, known_entries
from ...graph.common.float_errors import unwarned
from ...graph.common.hooks import hooks
from ...graph.declare.op_declaration import OpDef, Samples, register, sample
from ...graph.declare.signature import ANY, COMPLEX, FLOATS, INTEGERS, SIGNED_INTEGERS, Operand, TensorLike
from ...graph.diagnostics.broadcast_trap import is_trap
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import (
    DType,
    bfloat16,
    bool_,
    complex64,
    dtypes_in,
    float16,
    float32,
    float64,
    int32,
    of_numpy,
    string,
    uint8,
)
from ...graph.shapes.shape import TensorShape, broadcast
from .elementwise_gradient import attach_formulas

Kernel: TypeAlias = Callable[..., Any]
Out: TypeAlias = str | DType | Callable[..., Any]

_HALVES = (float16.np, bfloat16.np)
"""Elements that a law of several steps computes at a time."""


def same_shape(x: Tensor, *rest: Any) -> TensorShape:
    """The shape rule of an op that keeps its operand's shape."""
    return x.shape


def broadcast_shape(x: Tensor, y: Tensor, *rest: Any) -> TensorShape:
    """The shape rule of an op that broadcasts its two operands."""
    try:
        return broadcast(x.shape, y.shape, y)
    except ShapeError as error:
        error.operand = 1
        raise


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
    example: tuple[str, str],
    ufunc: str | None = None,
    kernel: Kernel | None = None,
    out: Out = "T",
    at: tuple[float, ...] = (0.5, -1.5, 2.0, 0.0),
    node: str | None = None,
    operand: str = "x",
    takes: int = 0,
    numpy: Any = (),
    gradient: str = "",
    no_gradient: str = "",
    within: str = "",
    **facts: Any,
) -> UnaryOp:
    """Declare an elementwise op of one operand.

    Args:
        name: the function's name. type: the node's. allowed: dtypes of `x`. doc: the docstring's law.
        example: an expression of `tf` and what running it prints: the docstring's doctest.
        ufunc: the function of an array module that computes it; or `kernel`: (xp, x) -> array.
        out: dtype of the result ("T": that of x). at: values for the samples. node: default name of nodes, if it is not
            their type. operand: what the signature calls x. numpy, facts: as in `graph.declare.op_declaration.op`.
        gradient: its formula, see `ops.declare.elementwise_gradient`; or `no_gradient`: why there is none.
        within: the module of TensorFlow that has the function, with a dot behind it; "" for the top one.
    """

    def function(x: TensorLike, name: str | None = node) -> Tensor: ...

    text = _doc(name, doc, example, (operand,), allowed | takes, out, within=within)
    function = _signed(function, name, text, (operand,), Operand("T", allowed))
    opdef = UnaryOp(type, function, out, {"elementwise": True, "ufunc": ufunc, "graphdef": f"T={operand} ->y", **facts})
    opdef.shape(same_shape)
    _attach(opdef, ufunc, kernel)
    _differentiate(opdef, gradient, no_gradient, (operand,))

    @opdef.samples
    def samples(rng: np.random.Generator) -> Samples:
        for i, dtype in enumerate(_few(allowed)):
            x = _array(at, dtype)
            yield sample(x)
            if i == 0:
                yield sample(x[:1].reshape(()))
                yield sample(x[:0].reshape(0, 2))

    return register(opdef, numpy=numpy)


def binary(
    name: str,
    type: str,
    allowed: int,
    doc: str,
    *,
    example: tuple[str, str],
    ufunc: str | None = None,
    kernel: Kernel | None = None,
    out: Out = "T",
    left: tuple[float, ...] = (0.5, -1.5, 2.0, 3.0),
    right: tuple[float, ...] = (2.0, 1.0, -2.0, 3.0),
    node: str | None = None,
    operator: str | None = None,
    takes: int = 0,
    fails: str = "",
    numpy: Any = (),
    gradient: tuple[str, str] | str = "",
    no_gradient: str = "",
    operands: tuple[str, str] = ("x", "y"),
    within: str = "",
    **facts: Any,
) -> BinaryOp:
    """Declare an elementwise op of two operands that share a dtype and broadcast; arguments as of `unary`.

    `left`, `right`: values for the samples. `operator`: the Python operator it serves, which names the nodes it makes.
    `fails`: which values are an error of the run, for the docstring. `gradient`: a formula for each operand.
    `operands`: what the signature calls them.
    """

    def function(x: TensorLike, y: TensorLike, name: str | None = node) -> Tensor: ...

    text = _doc(name, doc, example, operands, allowed | takes, out, fails, within)
    function = _signed(function, name, text, operands, Operand("T", allowed))
    facts = {"elementwise": True, "ufunc": ufunc, "graphdef": f"T={operands[0]} ->z", **facts}
    opdef = BinaryOp(type, function, out, facts)
    opdef.shape(broadcast_shape)
    opdef.suspicion_rule = is_trap
    _attach(opdef, ufunc, kernel)
    _differentiate(opdef, gradient, no_gradient, operands)

    @opdef.samples
    def samples(rng: np.random.Generator) -> Samples:
        for i, dtype in enumerate(_few(allowed)):
            x, y = _array(left, dtype), _array(right, dtype)
            yield sample(x, y)
            yield sample(x.reshape(-1, 1), y)
            if i == 0:
                yield sample(x[:1].reshape(()), y)
                yield sample(x[:1].reshape(()), y[:1].reshape(()))
                yield sample(x[:0].reshape(0, 1), y)

    if operator is not None:
        hooks.operators[operator] = operator_of(opdef, operator)
    return register(opdef, numpy=numpy)


def operator_of(op: BinaryOp, name: str) -> Callable[[TensorLike, TensorLike], Tensor]:
    """`op` as Python's operator: its nodes are called `add` where those of the function are called `Add`."""

    def build(x: TensorLike, y: TensorLike) -> Tensor:
        return op(x, y, name)

    return build


# ---- laws ---------------------------------------------------------------------------------------


def rounded_once(law: Kernel) -> Kernel:
    """`law` for 16-bit floats too: computed in float32 and rounded once at the end.

    Arguments that are not arrays are passed on.
    """

    def kernel(xp: Any, *args: Any) -> Any:
        dtype = args[0].dtype
        if dtype not in _HALVES:
            return law(xp, *args)
        return law(xp, *[a.astype(np.float32) if hasattr(a, "astype") else a for a in args]).astype(dtype)

    return kernel


def in_order(law: Kernel, staged: int) -> Kernel:
    """`law` on row-major operands of the dtypes `staged`: the last bits of array modules' functions depend on the
    strides."""

    def kernel(xp: Any, *arrays: Any) -> Any:
        return law(xp, *[one_piece(a) if of_numpy(a.dtype).bit & staged else a for a in arrays])

    return kernel


def one_piece(array: Any) -> Any:
    """`array`, or a copy of it, in row-major order and with the strides of that order.

    An array of one element counts as contiguous whatever its stride says; NumPy's loops look at the stride.
    """
    if not array.flags.c_contiguous or (array.ndim and array.size == 1 and array.strides[-1] != array.itemsize):
        return array.copy()
    return array


def entrywise(law: Callable[[Any, Any], Any]) -> Callable[[Tensor, Tensor], Entries | None]:
    """The partial rule of a binary op on ints, from the law on two entries, each an int or a Dimension.

    An entry is given only where it is certain: an int that the dtype holds, or an expression that is a size (not below
    zero) whatever its symbols are. So n * 2 and n + 3 - 1 are known, n - 1 is not, since n may be 0.
    """

    def rule(x: Tensor, y: Tensor) -> Entries | None:
        if not x.dtype.is_integer:
            return None
        a, b = known_entries(x), known_entries(y)
        if a is None or b is None:
            return None
        if not isinstance(a, tuple) and not isinstance(b, tuple):
            return _certain(law, a, b, x.dtype)
        left, right = (e if isinstance(e, tuple) else (e,) for e in (a, b))
        if len(left) != len(right):
            left, right = (left * len(right), right) if len(left) == 1 else (left, right * len(left))
        if len(left) != len(right) or len(left) > LONGEST_VECTOR:
            return None
        return tuple(_certain(law, p, q, x.dtype) for p, q in zip(left, right, strict=True))

    return rule


def _certain(law: Callable[[Any, Any], Any], a: Entry, b: Entry, dtype: DType) -> Entry:
    if a is None or b is None:
        return None
    try:
        entry = law(a, b)
    except ArithmeticError:
        return None
    if isinstance(entry, Dimension):
        if entry.terms:
            return entry if entry.const >= 0 and all(count >= 0 for _, count in entry.terms) else None
        entry = entry.const
    return entry if isinstance(entry, int) and dtype.min <= entry <= dtype.max else None


# ---- the parts of a declaration -----------------------------------------------------------------

_GROUPS = ((INTEGERS, "ints"), (SIGNED_INTEGERS, "signed ints"), (FLOATS, "floats"), (COMPLEX, "complex numbers"))


def dtype_words(allowed: int) -> str:
    """A set of dtypes in words: "ints and floats"."""
    if allowed == ANY:
        return "any dtype"
    words = []
    for bits, word in _GROUPS:
        if allowed & bits == bits:
            words.append(word)
            allowed &= ~bits
    words += [dtype.name for dtype in dtypes_in(allowed)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _doc(
    name: str,
    law: str,
    example: tuple[str, str],
    names: tuple[str, ...],
    allowed: int,
    out: Out,
    fails: str = "",
    within: str = "",
) -> str:
    """The docstring of an elementwise op: its law, and the parts that follow from the declaration."""
    both = " and ".join(f"`{each}`" for each in names)
    its, rule, shape, raises = "its", "any shape", "shape", [f"TypeError: {both} has another dtype."]
    if len(names) > 1:
        its, rule, shape = "their", "both of one dtype, shapes that broadcast", "broadcast shape"
        other = "" if allowed == ANY else ", or have another one"
        raises = [f"TypeError: {both} differ in dtype{other}.", "ValueError: their shapes do not broadcast.",
                  f"InvalidArgumentError (when run): the same{fails and ', or '}{fails}."]  # fmt: skip
    dtype = f"dtype {out.name}" if isinstance(out, DType) else f"{its} dtype" if out == "T" else "the dtype named above"
    parts = {"Args": [f"{', '.join(names)}: {dtype_words(allowed)}; {rule}."],
             "Returns": [f"A tensor with the {shape} of {both} and {dtype}."], "Raises": raises}  # fmt: skip
    lines = [line for part, entries in parts.items() for line in ("", f"{part}:", *(f"    {e}" for e in entries))]
    shown = [">>> import penstock as tf",
             ">>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():",
             f"...     print(session.run({example[0]}))", example[1]]  # fmt: skip
    return "\n".join([law, *lines, "", *shown, "", f"Source: TensorFlow, `tf.{within}{name}`."]) + "\n"


def _signed(function: Any, name: str, doc: str, operands: tuple[str, ...], operand: Operand) -> Any:
    """`function` with the names, annotations and docstring that it would have if it were written out."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = sys._getframe(2).f_globals["__name__"]
    function.__annotations__ = dict.fromkeys(operands, Annotated[TensorLike, operand]) | {"return": Tensor}
    *values, last = inspect.signature(function).parameters.values()
    renamed = [p.replace(name=n, annotation="TensorLike") for p, n in zip(values, operands, strict=True)]
    last = last.replace(annotation="str | None")
    function.__signature__ = inspect.Signature([*renamed, last], return_annotation="Tensor")
    return function


def _attach(made: OpDef[Any, Any], ufunc: str | None, kernel: Kernel | None) -> None:
    if kernel is None:
        if ufunc is None:
            raise TypeError(f"the op {made.type!r} needs a ufunc or a kernel")
        kernel = _calling(ufunc)
    if made.facts.staged:
        kernel = in_order(kernel, made.facts.staged)
    made.kernel(kernel)


def _differentiate(made: OpDef[Any, Any], gradient: str | tuple[str, ...], reason: str, names: Sequence[str]) -> None:
    if gradient:
        attach_formulas(made, gradient, names)
    elif reason:
        made.no_gradient(reason)


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
    return unwarned(np.array(values).astype, dtype.np)
