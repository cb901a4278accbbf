"""Which operations does a run need?

Mark backwards from the fetches, stop at what is fed, and keep the order of creation, which is a topological order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..graph.operation import Operation, Tensor


def prune(tensors: Iterable[Tensor], operations: Iterable[Operation], fed: Collection[Tensor]) -> list[Operation]:
    """The operations needed for `tensors` and `operations` if `fed` tensors have values, in order of creation."""
    needed: set[Operation] = set(operations)
    waiting = list(needed)
    for tensor in tensors:
        if tensor not in fed and tensor.op not in needed:
            needed.add(tensor.op)
            waiting.append(tensor.op)
    while waiting:
        op = waiting.pop()
        for tensor in op.inputs:
            producer = tensor.op
            if producer not in needed and tensor not in fed:
                needed.add(producer)
                waiting.append(producer)
        for control in op.control_inputs:
            if control not in needed:
                needed.add(control)
                waiting.append(control)
    return sorted(needed, key=_index)


def _index(op: Operation) -> int:
    return op.index
