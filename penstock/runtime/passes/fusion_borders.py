"""Borders between groups: an operation moves from the group of its operands to that of its readers, where that saves a
result.

A backward pass often reads what is cheap to compute from a value that is kept anyway, such as the mask of a relu:

    group 1: y = relu(x); m = cast(y > 0)     results y and m        group 1: y = relu(x)              result y
    group 2: g * m                            reads m         ->     group 2: g * cast(y > 0)          reads y

Law: operations move with those that only they read, as far as tensors that are results of the group anyway. So the
first group has fewer results, and the second no more operands of its size: what is broadcast there costs little. No
cycle closes: the second group depends on the first one, and on everything that the first one depends on, before and
after.

Which targets of a run stay apart is said here, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...graph.declare.effects import effect_order
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ..ir.fused_ir import LARGEST
from ..ir.stage import Stage, held_operations
from .fusion_groups import FusionGroup


def readers_and_results(
    stage: Stage, some: Collection[Operation]
) -> tuple[dict[Operation, list[Operation]], set[Operation]]:
    """The readers of each of `some` operations, and those of all that something else than an operand needs."""
    readers: dict[Operation, list[Operation]] = {op: [] for op in some}
    for op in stage.operations:
        for tensor in op.inputs:
            if tensor.op in readers:
                readers[tensor.op].append(op)
    return readers, held_operations(stage).union([tensor.op for tensor in (*stage.fetches, *stage.pinned)])


def move_to_readers(stage: Stage, groups: dict[Operation, FusionGroup]) -> None:
    """Move operations to the groups of their readers, in `groups` and in its groups."""
    readers, kept = readers_and_results(stage, groups)
    for op in reversed(stage.operations):
        home = groups.get(op)
        if home is None or op in kept or combines_rows(op.opdef) or len(home.members) > LARGEST:
            continue
        there = groups.get(readers[op][0]) if readers[op] else None
        if there is None or there is home or any(groups.get(reader) is not there for reader in readers[op]):
            continue
        moving = with_what_only_it_needs(op, groups, readers, kept)
        if moving is None or not _is_worth_it(op, moving, there, readers[op]):
            continue
        for each in moving:
            groups[each] = there
            home.members.remove(each)
        there.members += moving


def with_what_only_it_needs(
    op: Operation,
    groups: Mapping[Operation, FusionGroup],
    readers: Mapping[Operation, list[Operation]],
    kept: Collection[Operation],
) -> list[Operation] | None:
    """`op` and the members of its group that only it needs; None if it needs another one that is no result."""
    home = groups[op]
    moving = [op]
    for each in moving:
        for tensor in each.inputs:
            source = tensor.op
            if groups.get(source) is not home or source in moving:
                continue
            outside = source in kept or any(groups.get(r) is not home for r in readers[source])
            if outside:
                continue
            if any(reader not in moving for reader in readers[source]):
                return None
            moving.append(source)
    return moving


def _is_worth_it(op: Operation, moving: list[Operation], there: FusionGroup, readers: list[Operation]) -> bool:
    """Whether the other group has room and reads no more than before. What is broadcast there costs little to read."""
    if len(there.members) + len(there.reductions) + len(moving) > LARGEST:
        return False
    shape, device = readers[0].outputs[0].shape, readers[0].device
    if any(each.device != device or each.outputs[0].shape.raw != shape.raw for each in moving) or shape.raw is None:
        return False
    inside = {*there.members, *there.reductions, *moving}
    had: set[Tensor] = {t for member in there.members for t in member.inputs if t.op not in inside or t.op is op}
    new = {t for each in moving for t in each.inputs if t.op not in inside and not t.op.opdef.facts.is_constant}
    return sum(t.shape.raw is None or t.shape.raw == shape.raw for t in new - had) <= 1


def fixed_targets(stage: Stage) -> set[Operation]:
    """The targets that stay nodes of their own: where something is written, a target that fails must come before."""
    targets = set(stage.targets)
    return targets if targets and effect_order(stage.operations, targets) else set()
