"""Groups that end in a reduction over the first axes: sum(x * x, 0) in one pass over x.

The elements of such a reduction come from all rows, so that nothing of its group can be read elsewhere before the end.
Elementwise operations that only the reduction needs leave their group, and make a group with it. Where a group of rows
computes or reads what is reduced, the reduction joins that group: each row is added to the totals while it is in the
cache, as the gradients of the gain and of the offset of a layer normalisation are.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ...errors import OpError
from ...graph.declare.effects import effect_order
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ...ops.declare.reduction_order import BLOCK
from ..ir.fused_ir import LARGEST
from ..ir.stage import Stage
from .fusion_borders import readers_and_results, with_what_only_it_needs
from .fusion_groups import FusionGroup, is_free, is_tiny, last_axes
from .row_groups import agree


def join_columns(
    stage: Stage, groups: dict[Operation, FusionGroup], reductions: Collection[Operation]
) -> dict[Operation, FusionGroup]:
    """`groups`, with new ones that end in reductions over the first axes; `reductions` are those that may move."""
    served = [op for op in reductions if _is_served(op)]
    if served:
        groups = _with_columns_of_rows(stage, groups, served)
    chosen = [op for op in served if op not in groups and op.inputs[0].op in groups]
    if not chosen:
        return groups
    readers, kept = readers_and_results(stage, groups)
    new_groups = dict(groups)
    for op in chosen:
        producer = op.inputs[0].op
        home = new_groups[producer]
        if producer in kept or readers[producer] != [op] or home.number < 0 or producer.device != op.device:
            continue
        moving = with_what_only_it_needs(producer, new_groups, readers, kept)
        shape = producer.outputs[0].shape.raw
        if moving is None or len(moving) >= LARGEST or any(_differs(each, shape) for each in moving):
            continue
        group = FusionGroup(home.number)
        group.members, group.reductions = moving, [op]
        for each in moving:
            home.members.remove(each)
        new_groups.update(dict.fromkeys([*moving, op], group))
    return new_groups


def _differs(op: Operation, shape: object) -> bool:
    """True if an operation is about other elements, or may fail for some."""
    if combines_rows(op.opdef) or op.opdef.facts.can_fail & op.inputs[0].dtype.bit:
        return True
    return op.outputs[0].shape.raw != shape


def _is_served(op: Operation) -> bool:
    """True for a reduction over the first axes, which are constants, of a known rank, that leaves several columns."""
    rule, dims = op.opdef.reduction, op.inputs[0].shape.raw
    if rule is None or dims is None or not all(is_free(t.op) for t in op.inputs[1:]) or is_tiny(op.inputs[0].op):
        return False
    try:
        axes = rule.axes(len(dims), *[a.op.args[0] if isinstance(a, Tensor) else a for a in op.args[1:]])
    except OpError:  # the run will refuse it
        return False
    left = dims[len(axes) :]
    if not axes or axes != tuple(range(len(axes))) or not left:
        return False
    known = [size for size in left if isinstance(size, int)]
    return len(known) < len(left) or 1 < prod(known) <= BLOCK


def _with_columns_of_rows(
    stage: Stage, groups: dict[Operation, FusionGroup], reductions: Collection[Operation]
) -> dict[Operation, FusionGroup]:
    """`groups`, with reductions over the first axes in the groups of rows that compute or read what is reduced."""
    of_rows = {t: group for op, group in groups.items() if group.number < 0 for t in (*op.inputs, *op.outputs)}
    joined = dict(groups)
    following: dict[Operation, list[Operation]] = {}
    for op in reductions:
        operand = op.inputs[0]
        home = groups.get(operand.op)
        home = of_rows.get(operand) if home is None or home.number >= 0 else home
        if home is None or op.device != operand.op.device or not _has_these_rows(home, op):
            continue
        if len(home.members) + len(home.reductions) >= LARGEST:
            continue
        if groups.get(operand.op) is not home:  # made elsewhere: what reads the sum may be needed by the group
            following = following or _following(stage)
            if home in _groups_behind(op, following, joined):
                continue
        home.reductions.append(op)
        joined[op] = home
    return joined


def _has_these_rows(home: FusionGroup, op: Operation) -> bool:
    """True if the axes that a reduction leaves are those of a row of the group, and its operand has these rows."""
    shape = op.inputs[0].shape.raw
    for each in home.reductions:
        axes, dims = last_axes(each), each.inputs[0].shape.raw
        if axes is None or dims is None or shape is None or len(dims) != len(shape):
            continue
        if agree(dims, shape):
            return _left(op) == len(axes)
    return False


def _left(op: Operation) -> int:
    """The number of axes that a reduction over the first ones leaves."""
    rule, rank = op.opdef.reduction, op.inputs[0].shape.ndims
    assert rule is not None  # it is served
    assert rank is not None
    return rank - len(rule.axes(rank, *[a.op.args[0] if isinstance(a, Tensor) else a for a in op.args[1:]]))


def _following(stage: Stage) -> dict[Operation, list[Operation]]:
    """What comes directly after each operation: its readers, and what waits for it."""
    following: dict[Operation, list[Operation]] = {}
    before = effect_order(stage.operations, set(stage.targets))
    for op in stage.operations:
        for each in (*[t.op for t in op.inputs], *op.control_inputs, *before.get(op, ())):
            following.setdefault(each, []).append(op)
    return following


def _groups_behind(
    op: Operation, following: dict[Operation, list[Operation]], groups: dict[Operation, FusionGroup]
) -> set[FusionGroup]:
    """The groups that depend on an operation, each of which runs as a whole."""
    behind: set[FusionGroup] = set()
    seen: set[Operation] = set()
    waiting = list(following.get(op, ()))
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        waiting += following.get(each, ())
        group = groups.get(each)
        if group is not None and group not in behind:
            behind.add(group)
            waiting += [*group.members, *group.reductions]
    return behind
