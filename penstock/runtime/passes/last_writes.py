"""Which variables an operation touches, and which write of one has a path to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...graph.model.nodes import Operation, Tensor
from ...ops.state.variable_ops import touched_by

Writes = Mapping[str, Sequence[Operation]]
"""The writes of each variable, in the order in which they were made."""
LastWrites = dict[Operation, dict[str, int]]
"""For each operation the last write of each variable with a path to it, counted from 1 in the order of writes."""

NONE: dict[str, int] = {}


def resource_of(op: Operation) -> str:
    """The variable that an operation reads or writes; not of one that holds graphs."""
    name: str = op.args[op.opdef.parameters.index("resource")]
    return name


def holds_state(op: Operation) -> bool:
    """Whether an operation holds graphs in which variables are read or written."""
    return bool(op.opdef.bodies) and op.opdef.lower_rule is None and any(touched_by(op))


def written_by(op: Operation) -> Sequence[str]:
    """The variables that an operation writes, itself or in the graphs that it holds."""
    if op.opdef.facts.state == "writes":
        return (resource_of(op),)
    return touched_by(op)[1] if op.opdef.bodies and op.opdef.lower_rule is None else ()


def writes_among(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """The writes of each variable, in the order of the operations."""
    found: dict[str, list[Operation]] = {}
    for op in operations:
        for resource in written_by(op):
            found.setdefault(resource, []).append(op)
    return found


def last_writes(operations: Iterable[Operation], fed: set[Tensor], writes: Writes) -> LastWrites:
    """The last writes with a path to each operation; a path does not lead through a fed tensor."""
    number: dict[Operation, dict[str, int]] = {}
    for resource, each in writes.items():
        for i, op in enumerate(each, 1):
            number.setdefault(op, {})[resource] = i
    tables: LastWrites = {}
    for op in operations:
        sources: dict[int, dict[str, int]] = {}
        for tensor in op.inputs:
            if tensor not in fed:
                above = tables.get(tensor.op, NONE)
                if above:
                    sources[id(above)] = above
        for control in op.control_inputs:
            above = tables.get(control, NONE)
            if above:
                sources[id(above)] = above
        if not sources and op not in number:
            continue
        if len(sources) == 1 and op not in number:  # the usual case shares the table
            (tables[op],) = sources.values()
            continue
        merged: dict[str, int] = {}
        for above in sources.values():
            for resource, last in above.items():
                merged[resource] = max(last, merged.get(resource, 0))
        merged.update(number.get(op, NONE))
        tables[op] = merged
    return tables
