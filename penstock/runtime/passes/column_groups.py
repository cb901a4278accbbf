"""Groups that end in a reduction over the first axes: sum(x * x, 0) in one pass over x.

The elements of such a reduction come from all rows, so that nothing of its group can be read elsewhere before the end.
Elementwise operations that only the reduction needs leave their group, and make a group with it.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ...errors import OpError
from ...graph.declare.op_facts import combines_rows
from ...graph.model.nodes import Operation, Tensor
from ...ops.declare.reduction_order import BLOCK
from ..ir.fused_ir import LARGEST
from ..ir.stage import Stage
from .fusion_borders import readers_and_results, with_what_only_it_needs
from .fusion_groups import FusionGroup, is_free, is_tiny


def join_columns(
    stage: Stage, groups: dict[Operation, FusionGroup], reductions: Collection[Operation]
) -> dict[Operation, FusionGroup]:
    """`groups`, with new ones that end in reductions over the first axes; `reductions` are those that may move."""
    chosen = [op for op in reductions if op.inputs[0].op in groups and _is_served(op)]
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
