"""Order: among the valid orders, one that needs little memory at a time.

Creation order computes many parts first and joins them last; walking depth first from the results computes a part when
it is needed. Inputs that leave more memory behind are computed first (Sethi and Ullman's rule for registers). The new
order is taken only if its predicted peak is lower; nodes with effects keep their order among themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...graph.operation import Operation, Tensor
from ..stage import Notes, Stage

_ASSUMED = 64
"""Elements a dimension of unknown size is counted with."""


class Order:
    """Low peak memory among valid topological orders."""

    name = "order"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage in its new order, or itself if that is no better."""
        if len(stage.operations) < 3 or not _has_choice(stage.operations):
            return stage
        found = depth_first(stage)
        before, after = peak(stage.operations, stage), peak(found, stage)
        if after >= before:
            return stage
        notes.applied(self.name, f"peak {before} -> {after} bytes (unknown sizes counted as {_ASSUMED})")
        return replace(stage, operations=tuple(found))


def _has_choice(operations: Sequence[Operation]) -> bool:
    """False for a chain: each node reads the one before it, so there is one order only."""
    before = operations[0]
    for op in operations[1:]:
        if all(t.op is not before for t in op.inputs):
            return True
        before = op
    return False


def depth_first(stage: Stage) -> list[Operation]:
    """Operations in the order of a depth-first walk from the fetches, larger results first."""
    inside = set(stage.operations)
    position = {op: i for i, op in enumerate(stage.operations)}
    waits: dict[Operation, list[Operation]] = {}
    before: Operation | None = None
    for op in stage.operations:
        producers = dict.fromkeys(t.op for t in op.inputs if t.op in inside)
        first = sorted(producers, key=lambda p: (-_bytes(p.outputs), position[p]))
        waits[op] = [*first, *(c for c in op.control_inputs if c in inside)]
        if op.opdef.stateful:
            if before is not None:
                waits[op].append(before)
            before = op
    done: dict[Operation, None] = {}
    for root in _roots(stage, position):
        stack = [(root, iter(waits[root]))]
        while stack:
            op, rest = stack[-1]
            following = next((p for p in rest if p not in done), None)
            if following is not None:
                stack.append((following, iter(waits[following])))
            else:
                done[op] = None
                stack.pop()
    return list(done)


def _roots(stage: Stage, position: dict[Operation, int]) -> list[Operation]:
    ends = [t.op for t in (*stage.fetches, *stage.pinned) if t.op in position]
    return sorted(dict.fromkeys([*ends, *stage.targets]), key=position.__getitem__)


def peak(operations: Sequence[Operation], stage: Stage) -> int:
    """The largest sum of bytes that are alive at any step."""
    last: dict[Tensor, int] = {}
    for i, op in enumerate(operations):
        for tensor in op.inputs:
            last[tensor] = i
    for tensor in stage.fetches:
        last[tensor] = len(operations)
    ends: dict[int, int] = {}
    alive = highest = 0
    for i, op in enumerate(operations):
        for tensor in op.outputs:
            size = _bytes((tensor,))
            alive += size
            end = max(last.get(tensor, i), i)
            ends[end] = ends.get(end, 0) + size
        highest = max(highest, alive)
        alive -= ends.pop(i, 0)
    return highest


def _bytes(tensors: Sequence[Tensor]) -> int:
    total = 0
    for tensor in tensors:
        if tensor.op.opdef.view or tensor.op.type == "Const":
            continue
        count = tensor.dtype.size
        for dim in tensor.shape.raw or ():
            count *= dim if isinstance(dim, int) else _ASSUMED
        total += count
    return total
