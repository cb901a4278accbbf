"""Algebraic identities: ops that return an operand unchanged, double casts, constant conditions and known numbers.

Sums of few tensors as additions, which join groups.

Reductions over no axes or axes of size 1, such as gradients of broadcast operands have where nothing was broadcast.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, Final

import numpy as np

from ....graph.building.constant_evaluation import entries_rule, known_value
from ....graph.building.may_fail import why_it_may_fail
from ....graph.declare.op_declaration import OpDef
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType, bfloat16, float16, float32, float64
from ....ops.control.control import identity, stop_gradient
from ....ops.control.identity_ops import identity_n
from ....ops.declare.reduction_decl import ReductionOp
from ....ops.declare.reduction_order import is_trailing
from ....ops.elementwise.arithmetic import add, add_n, floordiv, multiply, negative, subtract, truediv
from ....ops.elementwise.casting import cast
from ....ops.elementwise.complex_parts import conj
from ....ops.elementwise.logical import invert, logical_not
from ....ops.elementwise.no_nan import div_no_nan
from ....ops.elementwise.select_where import select
from ....ops.reduce.reductions import reduce_sum
from .proofs import broadcasts_into, is_minus_zero, is_zero, known_axes, same_shape
from .rule import Emitter, Readers, Rule, is_one_of, node

# ---- casts --------------------------------------------------------------------------------------

_PRECISION = {float16: 11, bfloat16: 8, float32: 24, float64: 53}


def represents_all(wide: DType, narrow: DType) -> bool:
    """True if `wide` represents every value of `narrow` exactly."""
    if wide is narrow or (narrow.is_bool and wide.is_numeric):
        return True
    if wide.is_complex:
        return represents_all(wide.real_dtype, narrow.real_dtype) if narrow.is_numeric else False
    if narrow.is_complex or wide.is_bool or not narrow.is_numeric or not wide.is_numeric:
        return False
    if narrow.is_integer:
        if wide.is_integer:
            return bool(wide.min <= narrow.min and narrow.max <= wide.max)
        return int(narrow.max).bit_length() <= _PRECISION[wide]
    return wide.is_floating and wide.size > narrow.size


class CastCast(Rule):
    """cast(cast(x, b), c) -> cast(x, c), and x if c is its dtype: where the cast to b loses nothing.

    Exact. Either b represents every value of x, or all three are ints and c is no wider than b. From int over float to
    int no value may be out of range of c, because ints wrap and floats saturate. It ends because each use removes one
    cast."""

    pattern = node(cast, node(cast, "x", "b"), "c")

    def check(self, x: Tensor, b: DType, c: DType) -> str | None:
        a = x.dtype
        if a.is_integer and b.is_integer and c.is_integer and c.size <= b.size:
            return None
        if not represents_all(b, a):
            return f"{b.name} does not represent every {a.name}"
        if a.is_integer and c.is_integer and not b.is_integer and not represents_all(c, a):
            return f"{a.name} wraps into {c.name}, but {b.name} saturates"
        return None

    def rewrite(self, make: Emitter, x: Tensor, b: DType, c: DType) -> Tensor:
        return x if x.dtype is c else make.result(cast, x, c)


class CastToSame(Rule):
    """cast(x, dtype of x) -> x. Exact. It ends because each use removes one node."""

    pattern = node(cast, "x", "dtype")

    def check(self, x: Tensor, dtype: DType) -> str | None:
        return None if x.dtype is dtype else ""


# ---- identities and neutral elements ------------------------------------------------------------


class Identity(Rule):
    """identity(x) -> x, stop_gradient(x) -> x. Exact. It ends because each use removes one node."""

    pattern = node((identity, stop_gradient), "x")


class IdentityOfMany(Rule):
    """identity_n([x, y, ...]) -> x, y, ... Exact. It ends because each use removes one node."""

    pattern = node(identity_n, bind="op")

    def rewrite(self, make: Emitter, op: Operation) -> Sequence[Tensor]:
        return op.inputs


class Involution(Rule):
    """f(f(x)) -> x for negative, conj, logical_not and invert. Exact: the least int and a sign of zero are kept.

    It ends because each use removes two nodes."""

    _OPS = (negative, conj, logical_not, invert)
    pattern = node(_OPS, node(_OPS, "x", bind="inner"), bind="op",
                   prefilter=lambda op: op.inputs[0].op.opdef is op.opdef)  # fmt: skip


class NeutralElement(Rule):
    """x * 1 -> x, x / 1 -> x, x - 0 -> x, x + (-0.0) -> x; of ints also x + 0 and x // 1.

    Exact: -0.0 * 1 and -0.0 - 0.0 are -0.0, but -0.0 + 0.0 is 0.0. It ends because each use removes one node."""

    pattern = node((multiply, truediv, subtract, add, floordiv), "x", "y", bind="op",
                   prefilter=lambda op: any(t.op.opdef.facts.is_constant for t in op.inputs))  # fmt: skip

    def check(self, op: Operation, x: Tensor, y: Tensor) -> str | None:
        kept, number = _operands(op)
        if number is None:
            return ""
        value = number.op.args[0]
        refused = _not_neutral(op.opdef, value, op.outputs[0].dtype)
        if refused is not None:
            return refused
        return None if broadcasts_into(number, kept) else "the constant may give the result another shape"

    def rewrite(self, make: Emitter, op: Operation, x: Tensor, y: Tensor) -> Tensor:
        return _operands(op)[0]


class NonzeroDivisor(Rule):
    """div_no_nan(x, y) -> x / y for a constant y without zeros, such as the number of losses. Exact.

    It ends because each use removes a div_no_nan."""

    pattern = node(div_no_nan, "x", "y", prefilter=lambda op: op.inputs[1].op.opdef.facts.is_constant)

    def check(self, x: Tensor, y: Tensor) -> str | None:
        return None if y.op.args[0].all() else "the constant has a zero"

    def rewrite(self, make: Emitter, x: Tensor, y: Tensor) -> Tensor:
        return make.result(truediv, x, y)


def _operands(op: Operation) -> tuple[Tensor, Tensor | None]:
    """The other operand and the constant one; None if there is no constant where it could be neutral."""
    x, y = op.inputs
    if y.op.opdef.facts.is_constant:
        return x, y
    return (y, x) if x.op.opdef.facts.is_constant and op.opdef.facts.commutative else (x, None)


def _not_neutral(opdef: OpDef[Any, Any], value: Any, dtype: DType) -> str | None:
    """None if `value` is a neutral element of the op, else the reason; "" if it is plainly not one."""
    if value.dtype == object:
        return ""
    if opdef in (multiply, truediv, floordiv):
        if value.item() != 1 if not value.ndim else not (value == 1).all():  # item() of one number: 0.2 us, not 2
            return ""
        if dtype.is_complex:
            return "(a+bi) * (1+0i) is not a+bi where a or b is infinite"
        return "the floor of a float is another float" if opdef is floordiv and dtype.is_floating else None
    if value.any():
        return ""
    if opdef is subtract or dtype.is_integer:
        return None if is_zero(value) else "x - (-0.0) is x + 0.0, and -0.0 + 0.0 is 0.0"
    return None if is_minus_zero(value) else "-0.0 + 0.0 is 0.0"


class SelectKnown(Rule):
    """select(True, t, e) -> t, select(False, t, e) -> e, for a constant condition. Exact.

    What computes the dropped side then runs only for others, or where it may fail. It ends because each use removes one
    node."""

    pattern = node(select, "condition", "t", "e")

    def check(self, condition: Tensor, t: Tensor, e: Tensor) -> str | None:
        if not condition.op.opdef.facts.is_constant:
            return ""
        value = condition.op.args[0]
        if not (value.all() or not value.any()) or not value.size:
            return ""
        if not same_shape(t, e):
            return "whether both sides have one shape is not known before the run"
        if value.shape not in ((), t.shape.raw, (t.shape.raw or ())[:1]):
            return "whether the condition fits is not known before the run"
        return None

    def rewrite(self, make: Emitter, condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
        return t if condition.op.args[0].all() else e


class KnownNumber(Rule):
    """A number that follows from static shapes, such as shape(x)[1] of x (batch, 3), -> a constant. Exact.

    It ends because constants do not match."""

    pattern = node(lambda opdef: entries_rule(opdef) is not None, bind="op",
                   prefilter=lambda op: len(op.outputs) == 1 and op.outputs[0].dtype.is_integer)  # fmt: skip

    def check(self, op: Operation) -> str | None:
        rank = op.outputs[0].shape.ndims
        if rank is None or rank > 1:
            return ""
        return "" if known_value(op.outputs[0]) is None else why_it_may_fail(op)

    def rewrite(self, make: Emitter, op: Operation) -> Tensor:
        value = known_value(op.outputs[0])
        assert value is not None
        return make.known(np.array(value, op.outputs[0].dtype.np))


MOST_SUMMANDS: Final = 4
"""The most summands that are added one by one, those of sums among them included."""


class SumOfFew(Rule):
    """add_n(x, y, ...) -> x + y + ..., for up to four summands of one shape.

    Exact: the kernel adds them in that order. It is the gradient of what is read several times, where the graph did not
    know the shapes: an addition joins groups. More of them stay, because all summands would wait for each other in one
    group. It ends because each use removes an `add_n`."""

    pattern = node(add_n, "inputs")
    counts_readers = True

    def check(self, inputs: tuple[Tensor, ...], readers: Readers) -> str | None:
        if len(inputs) > MOST_SUMMANDS:
            return ""
        if not same_shape(*inputs) and any(t is not inputs[0] for t in inputs):
            return "whether the summands have one shape is not known before the run"
        count = sum([_summands(tensor, readers) for tensor in inputs])
        return None if count <= MOST_SUMMANDS else "there are many summands"

    def rewrite(self, make: Emitter, inputs: tuple[Tensor, ...], readers: Readers) -> Tensor:
        if len(inputs) == 1:
            return inputs[0]
        *first, last = inputs
        return make.result(add, reduce(partial(make.make, add), first), last)


def _summands(tensor: Tensor, readers: Readers) -> int:
    """The number of summands in a sum that nothing else reads, as far as it matters; 1 for any other tensor."""
    count, waiting = 0, [tensor]
    while waiting and count + len(waiting) <= MOST_SUMMANDS:
        each = waiting.pop()
        if each.op.opdef.facts.additive == "sum" and readers(each) <= 1 and same_shape(each, *each.op.inputs):
            waiting += each.op.inputs
        else:
            count += 1
    return count + len(waiting)


class ReduceNothing(Rule):
    """f(x, []) -> x, where f is a reduction; also f(x) for x of rank 0.

    Exact: a reduction over no axes returns the bits of its operand. It ends because each use removes one node."""

    pattern = node(is_one_of(ReductionOp), "x", bind="op")

    def check(self, op: Operation, x: Tensor) -> str | None:
        axis = op.args[1]
        if axis is None:
            return None if x.shape.raw == () else ""
        if axis.shape.raw == (0,):
            return None
        return "" if axis.shape.is_known else "how many axes are reduced is not known before the run"


class SumOfOne(Rule):
    """reduce_sum(x, axes, keepdims=True) -> x + 0 for axes of size 1; x for ints.

    Exact: NumPy adds to 0, so -0.0 becomes 0.0. The gradients of a broadcast that the run finds have such sums for
    operands that both have size 1, as a batch of one example has. It ends because each use removes a sum."""

    pattern = node(reduce_sum, "x", "axis", "keepdims")

    def check(self, x: Tensor, axis: Tensor | None, keepdims: bool) -> str | None:
        dims, axes = x.shape.raw, known_axes(x, axis)
        return None if keepdims and dims and axes and all(dims[each] == 1 for each in axes) else ""

    def rewrite(self, make: Emitter, x: Tensor, axis: Tensor | None, keepdims: bool) -> Tensor:
        return x if x.dtype.is_integer else make.result(add, x, make.constant(np.zeros((), x.dtype.np)))


class ReduceFewerAxes(Rule):
    """f(x, axes, keepdims=True) -> f(x, those that have not size 1, keepdims=True), where f is a reduction along the
    last axes.

    Exact: a row has the same elements in the same order. It ends because each use leaves out an axis."""

    pattern = node(is_one_of(ReductionOp), "x", "axis", "keepdims", bind="op")

    def check(self, op: Operation, x: Tensor, axis: Tensor | None, keepdims: bool) -> str | None:
        return None if keepdims and _longer_axes(x, axis) else ""

    def rewrite(self, make: Emitter, op: Operation, x: Tensor, axis: Tensor | None, keepdims: bool) -> Tensor:
        return make.result(op.opdef, x, make.constant(np.array(_longer_axes(x, axis), np.int32)), True)


def _longer_axes(x: Tensor, axis: Tensor | None) -> tuple[int, ...] | None:
    """Those of the last axes that have not size 1, if they are the last axes too, and fewer."""
    dims, axes = x.shape.raw, known_axes(x, axis)
    if not dims or not axes or not is_trailing(axes, len(dims)):
        return None
    longer = tuple([each for each in axes if dims[each] != 1])
    return longer if longer != axes and is_trailing(longer, len(dims)) else None
