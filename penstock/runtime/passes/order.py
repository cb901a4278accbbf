"""Scheduling for memory: of the valid topological orders, one with a low peak of live bytes.

Creation order often computes many parts first and joins them last. A depth-first walk from the results computes a part
when it is needed, and inputs that leave more memory behind first (Sethi and Ullman's rule for registers). The new order
is taken only if its predicted peak is lower. Of two nodes whose effects meet, the first stays first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...graph.declare.effects import effect_order
from ...graph.model.nodes import Operation, Tensor
from ..ir.stage import Notes, Stage

_ASSUMED = 64
"""The size assumed for an unknown dimension."""


class Order:
    """Choose a topological order with a low memory peak."""

    name = "order"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage in a new order, or unchanged if no lower peak was found."""
        if len(stage.operations) < 3 or not _has_choice(stage.operations):
            return stage
        sizes = _sizes(stage.operations)
        found = depth_first(stage, sizes)
        before, after = peak(stage.operations, stage, sizes), peak(found, stage, sizes)
        if after >= before:
            return stage
        notes.applied(self.name, f"peak {before} -> {after} bytes (unknown sizes counted as {_ASSUMED})")
        return replace(stage, operations=tuple(found))


def _has_choice(operations: Sequence[Operation]) -> bool:
    """False for a chain, in which each node reads the one before it: it has one order only."""
    before = operations[0]
    for op in operations[1:]:
        if all(t.op is not before for t in op.inputs):
            return True
        before = op
    return False


def depth_first(stage: Stage, sizes: Mapping[Tensor, int]) -> list[Operation]:
    """The operations in the order of a depth-first walk from the fetches, larger results first."""
    position = {op: i for i, op in enumerate(stage.operations)}
    waits: dict[Operation, list[Operation]] = {}
    before = effect_order(stage.operations, set(stage.targets))
    for op in stage.operations:
        first = [p for p in dict.fromkeys([t.op for t in op.inputs]) if p in position]
        if len(first) > 1:
            first.sort(key=lambda p: (-sum([sizes[t] for t in p.outputs]), position[p]))
        if op.control_inputs:
            first += [c for c in op.control_inputs if c in position]
        if op in before:
            first += before[op]
        waits[op] = first
    done: dict[Operation, None] = {}
    for root in (*_roots(stage, position), *stage.operations):  # an op that only writes produces no fetch
        if root in done:
            continue
        stack = [(root, iter(waits[root]))]
        while stack:
            op, rest = stack[-1]
            for following in rest:
                if following not in done:
                    stack.append((following, iter(waits[following])))
                    break
            else:
                done[op] = None
                stack.pop()
    return list(done)


def _roots(stage: Stage, position: dict[Operation, int]) -> list[Operation]:
    ends = [t.op for t in (*stage.fetches, *stage.pinned) if t.op in position]
    return sorted(dict.fromkeys([*ends, *stage.targets]), key=position.__getitem__)


def peak(operations: Sequence[Operation], stage: Stage, sizes: Mapping[Tensor, int] | None = None) -> int:
    """The peak of live bytes over the steps; `sizes`: the bytes of each tensor, computed if not given."""
    sizes = sizes or _sizes(operations)
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
            size = sizes[tensor]
            if size:  # constants and views have none
                alive += size
                end = max(last.get(tensor, i), i)
                ends[end] = ends.get(end, 0) + size
        if alive > highest:
            highest = alive
        alive -= ends.pop(i, 0)
    return highest


def _sizes(operations: Sequence[Operation]) -> dict[Tensor, int]:
    return {t: _bytes(t) for op in operations for t in op.outputs}


def _bytes(tensor: Tensor) -> int:
    opdef = tensor.op.opdef
    if opdef.facts.sharing.is_view or opdef.facts.is_constant:
        return 0
    count = tensor.dtype.size
    for dim in tensor.shape.raw or ():
        count *= dim if isinstance(dim, int) else _ASSUMED
    return count
