"""Sums over shards that wait: what adds them up works on the parts, and the shards are combined once at the end.

The gradient of a weight that is used many times is a sum of many sums over rows. A loop over the shards on one machine
adds them up in each shard and then adds the shards; so do the copies. What is whole, such as the gradient of a penalty
on the weight, is added once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.declare.distribution import WHOLE, Refused, State
from ...graph.model.nodes import Operation, Tensor
from ...ops.elementwise.arithmetic import add
from .combined_parts import PartialResult
from .cut_values import CutValues
from .shard_copies import ShardCopies


def add_in_shards(
    op: Operation, states: Sequence[State], is_part: Sequence[bool], values: CutValues, copies: ShardCopies
) -> bool:
    """Copy an operation on the parts of sums, if its results are sums over shards too; False if they are not.

    Args:
        op: the operation.
        states: the states of its inputs.
        is_part: for each input whether the shards have parts of it whose sum it is.
        values: what stands for tensors.
        copies: makes copies.
    """
    if not all(state is WHOLE for state in states) or copies.is_placed(op):
        return False
    sums = [values.sum_of(t) if part else None for t, part in zip(op.inputs, is_part, strict=True)]
    has_plus = any(each is not None and each.plus is not None for each in sums)
    if (has_plus or not all(is_part)) and _is_plain_sum(op) and not copies.is_awaited(op):
        _add_terms(op, sums, values)
        return True
    if has_plus or not _is_sum_of_results(op, is_part):
        return False
    inputs = [
        [values.whole(t, "") if each is None else each.parts[i] for t, each in zip(op.inputs, sums, strict=True)]
        for i in range(len(values.devices))
    ]  # fmt: skip
    outputs = copies.inferred(op, inputs[0])
    if isinstance(outputs, Refused):
        return False
    made = copies.make(op, inputs, outputs)
    copies.settle_waits(op, made)
    for place, tensor in enumerate(op.outputs):
        values.combine(tensor, PartialResult("sum", tuple([results[place] for results in made])))
    return True


def _is_sum_of_results(op: Operation, is_part: Sequence[bool]) -> bool:
    """Whether what `op` makes of sums is the sum of what it makes of their parts."""
    facts = op.opdef.facts
    if not op.opdef.is_pure or op.opdef.bodies:
        return False
    if facts.additive:
        return all(is_part)
    moved = {t.dtype for t in op.outputs}
    fits = [part == (tensor.dtype in moved) for part, tensor in zip(is_part, op.inputs, strict=True)]
    return facts.moves and all(fits)


def _is_plain_sum(op: Operation) -> bool:
    """Whether an operation adds tensors of one shape."""
    shapes = [t.shape.raw for t in (*op.inputs, *op.outputs)]
    return op.opdef.facts.additive == "sum" and shapes[0] is not None and len({*shapes}) == 1


def _add_terms(op: Operation, sums: Sequence[PartialResult | None], values: CutValues) -> None:
    """Add up the parts in each shard, and what is whole beside them."""
    whole = [
        values.whole(t, f"{op.name} reads it") if each is None else each.plus
        for t, each in zip(op.inputs, sums, strict=True)
    ]  # fmt: skip
    parts = []
    for i, device in enumerate(values.devices):
        part = _added([None if each is None else each.parts[i] for each in sums], op, values, f"shard_{i}", device)
        assert part is not None  # there is at least one sum
        parts.append(part)
    plus = _added(whole, op, values, "whole", op.device)
    values.combine(op.outputs[0], PartialResult("sum", tuple(parts), plus=plus))


def _added(
    terms: Sequence[Tensor | None], op: Operation, values: CutValues, suffix: str, device: str
) -> Tensor | None:
    """The sum of the terms that are there, in their order."""
    found: Tensor | None = None
    like = [(op.outputs[0].dtype, op.outputs[0].shape)]
    for term in [each for each in terms if each is not None]:
        found = term if found is None else values.emit(add, (found, term), op, suffix, device, outputs=like)
    return found
