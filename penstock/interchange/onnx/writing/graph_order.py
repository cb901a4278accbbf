"""Which operations are written: those that the results need."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter

from ....graph.model.nodes import Operation, Tensor

_LEFT_OUT = frozenset({"Assert", "NoOp", "Print", "PrintV2", "CheckNumerics", "AssertElements"})
"""Operations that need not be written where they are only waited for: checks and messages."""


def needed_operations(
    tensors: Sequence[Tensor], fed: Collection[Tensor], within: Sequence[Operation] | None = None
) -> list[Operation]:
    """The operations that tensors need, each after what it needs; `within`: those of a body."""
    inside = None if within is None else set(within)
    needed: set[Operation] = set()
    waiting = [tensor.op for tensor in tensors if tensor not in fed]
    while waiting:
        op = waiting.pop()
        if op in needed or (inside is not None and op not in inside):
            continue
        needed.add(op)
        waiting += [tensor.op for tensor in op.inputs if tensor not in fed]
        waiting += [each for each in op.control_inputs if each.type not in _LEFT_OUT]
    if within is not None:
        return [op for op in within if op in needed]
    return sorted(needed, key=attrgetter("index"))
