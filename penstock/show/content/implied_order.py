"""Control edges that other lines of a picture say already: what waits for an operation through something that it reads.

A training step that waits for the updates of batch normalization waits for them with each of its operations. Of these
edges only the first ones say something; the others would be a dashed line from every layer to every box.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

Edge = tuple[str, str]
"""(the operation that is waited for, the one that waits)."""


def implied_order(operations: Sequence[Any], quiet: Collection[str]) -> frozenset[Edge]:
    """The control edges between these operations that need no line.

    Args:
        operations: those that are drawn, in an order in which inputs come first.
        quiet: constants and reads of slots. Their edges need no line where all that read them wait for the same.
    """
    waiting = [op for op in operations if op.control_inputs]
    if not waiting:
        return frozenset()
    names = {op.name for op in operations}
    waited_for = dict.fromkeys(each.name for op in waiting for each in op.control_inputs)
    bit = {name: 1 << i for i, name in enumerate(waited_for)}
    unsaid = set(_unsaid(operations, quiet))
    edges: set[Edge] = set()
    before: dict[str, int] = {}  # of each operation which of those that are waited for come before it
    for op in operations:
        inputs = {tensor.op.name for tensor in op.inputs} & names
        controls = [each.name for each in op.control_inputs
                    if each.name in names and (each.name, op.name) not in unsaid]  # fmt: skip
        implied = 0
        for name in (*inputs, *controls):
            implied |= before.get(name, 0)
        edges.update([(name, op.name) for name in controls if implied & bit[name]])
        for name in (*inputs, *controls):
            implied |= bit.get(name, 0)
        if implied:
            before[op.name] = implied
    return frozenset(edges | unsaid)


def _unsaid(operations: Sequence[Any], quiet: Collection[str]) -> Iterator[Edge]:
    """The edges of quiet operations for which all that read these wait too."""
    by_name = {op.name: op for op in operations}
    waits = {op.name: {each.name for each in op.control_inputs} for op in operations}
    readers: dict[str, list[str]] = {}
    for op in operations:
        for tensor in op.inputs:
            readers.setdefault(tensor.op.name, []).append(op.name)
    for name in quiet:
        after = readers.get(name)
        if name in by_name and after:
            yield from [(each, name) for each in waits[name] if all(each in waits[reader] for reader in after)]
