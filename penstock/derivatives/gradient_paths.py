"""The operations through which some tensors depend on others: what a backward graph is built for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..graph.common.quick_dataclass import dataclass
from ..graph.declare.gradient_registry import REGISTERED, RegisteredGradient
from ..graph.declare.op_declaration import OpDef
from ..graph.declare.signature import COMPLEX, FLOATS, VARIANT
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dtypes import DType
from ..ops.declare.elementwise_decl import dtype_words


def is_differentiable(dtype: DType) -> bool:
    """Whether tensors of this dtype can have a gradient: floats, complex numbers, and variants, which may hold them."""
    return dtype.is_floating or dtype.is_complex or dtype.is_variant


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between ys and xs.

    Args:
        operations: in order of creation, which is a topological order.
        reached: the tensors with a gradient that depends on xs, and those of xs that can have one.
    """

    operations: Sequence[Operation]
    reached: Collection[Tensor]


def own_gradient(op: Operation) -> RegisteredGradient | str | None:
    """The gradient that this one operation has, or the name of it."""
    return op.graph.own_gradients.get(op)


def has_rule(op: Operation) -> bool:
    """Whether a gradient passes through an operation; one without any statement counts, and is an error later."""
    if own_gradient(op) is not None or op.opdef.gradient_rule is not None:
        return True
    if op.type in REGISTERED:
        return REGISTERED[op.type] is not None
    return why_no_gradient(op.opdef) is None


def why_no_gradient(opdef: OpDef[Any, Any]) -> str | None:
    """Why no use of an op has a derivative, in words; None if it has a rule, or says nothing."""
    if opdef.gradient_rule is not None:
        return None
    if opdef.gradient_words:
        return opdef.gradient_words
    if not opdef.operands:
        return "it has no operands"
    if not any(operand.allowed & (FLOATS | COMPLEX | VARIANT) for _, _, operand in opdef.operands):
        return f"its operands are {dtype_words(_together(opdef))}"
    results = opdef.out if isinstance(opdef.out, tuple) else (opdef.out,)
    plain = [each for each in results if isinstance(each, DType)]
    if len(plain) == len(results) and not any(is_differentiable(each) for each in plain):
        return f"it gives {' and '.join(dict.fromkeys(f'{each}s' if each.is_bool else each.name for each in plain))}"
    return None


def _together(opdef: OpDef[Any, Any]) -> int:
    allowed = 0
    for _, _, operand in opdef.operands:
        allowed |= operand.allowed
    return allowed


def between(ys: Sequence[Tensor], xs: Sequence[Tensor], stops: Collection[Tensor]) -> Between:
    """The operations on a path from xs to ys on which all tensors have gradients.

    Args:
        ys, xs: tensors of one graph.
        stops: tensors that count as constants.
    """
    lowest = min((x.op.index for x in xs), default=0)
    stopped = {t.op for t in stops}
    ancestors = _ancestors([y.op for y in ys], lambda op: op.index >= lowest and op not in stopped)
    reached = {x for x in xs if is_differentiable(x.dtype)}
    found: list[Operation] = []
    for op in ancestors:
        if not has_rule(op) or not any(t in reached for t in op.inputs):
            continue
        outputs = [t for t in op.outputs if is_differentiable(t.dtype)]
        if outputs:
            found.append(op)
            reached.update(outputs)
    return Between(found, reached)


def _ancestors(ends: Sequence[Operation], admits: Callable[[Operation], bool]) -> list[Operation]:
    """`ends` and what they are computed from, as far as `admits` says, in order of creation."""
    seen: set[Operation] = set()
    waiting = [op for op in ends if admits(op)]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        waiting += [t.op for t in op.inputs if t.op not in seen and admits(t.op)]
    return sorted(seen, key=lambda op: op.index)
