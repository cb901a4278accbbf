"""Groups under construction, which the passes of fusion share, and what decides where an operation may be."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import OpError
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ...ops.declare.reduction_order import is_trailing
from ..ir.fused_ir import LARGEST
from ..ir.row_bodies import can_join

TINY = 64
"""The most elements of a tiny value. Groups of tiny values have no size limit: see `runtime.compiled.tiny_groups`."""


class FusionGroup:
    """A group under construction.

    Attributes:
        number: a group depends only on groups with smaller numbers.
        members: its elementwise operations.
        reductions: reductions of members.
        readers: numbers of the groups that read a member, -1 for a node in no group.
        tiny: whether all members are tiny; None until it is computed for a full group.
        tiny_shape: the shape of a member that joined the full group, to skip the test for the next one.
    """

    __slots__ = ("members", "number", "readers", "reductions", "tiny", "tiny_shape")

    def __init__(self, number: int) -> None:  # many groups are made and soon merged: a dataclass takes twice as long
        self.number = number
        self.members: list[Operation] = []
        self.reductions: list[Operation] = []
        self.readers: set[int] = set()
        self.tiny: bool | None = None
        self.tiny_shape: TensorShape | None = None

    def has_room(self, op: Operation) -> bool:
        """True if the size limit allows `op` to join."""
        if len(self.members) < LARGEST:
            return True
        shape = op.outputs[0].shape
        if shape is self.tiny_shape:
            return True
        found = self.is_tiny() and is_tiny(op)
        if found:
            self.tiny_shape = shape
        return found

    def is_tiny(self) -> bool:
        """True if all members are tiny; only tiny ones join a full group."""
        if self.tiny is not None:
            return self.tiny
        found = all(map(is_tiny, self.members))
        if len(self.members) >= LARGEST:
            self.tiny = found
        return found


def is_tiny(op: Operation) -> bool:
    """True if the result is known to have few elements."""
    count = op.outputs[-1].shape.num_elements()
    return count is not None and count <= TINY


def axes_operands(op: Operation) -> tuple[Tensor, ...]:
    """The operands of a reduction that say which axes it reduces."""
    return op.inputs[1:] if op.opdef.reduction is not None else ()


def last_axes(op: Operation) -> Sequence[int] | None:
    """The axes of a reduction that can end a group: constants, and the last ones of a known rank. None for others."""
    rule, rank = op.opdef.reduction, op.inputs[0].shape.ndims
    if op.opdef.row_rule is not None:
        return (rank - 1,) if rank is not None and can_join(op) and not is_tiny(op) else None
    if rule is None or rank is None or not all(is_free(t.op) for t in op.inputs[1:]):
        return None
    try:
        axes = rule.axes(rank, *[a.op.args[0] if isinstance(a, Tensor) else a for a in op.args[1:]])
    except OpError:  # the run will refuse it
        return None
    return axes if is_trailing(axes, rank) else None


def is_free(op: Operation) -> bool:
    """True for a constant that waits for nothing: one that waits for a member of the group could not come before it."""
    return op.opdef.facts.is_constant and not op.control_inputs
