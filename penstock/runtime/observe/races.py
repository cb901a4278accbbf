"""Races: uses and writes of one variable, in one run, that no path orders.

A run always treats such a pair in the same way: a use sees the value at the start of the run, writes follow each other
in the order in which they were made. But the program does not say so, and its author may have meant another order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ...graph.inspect.text_table import folded
from ...graph.nodes import Graph, Operation, Tensor
from ..arguments.fetches import Fetches
from ..passes.pipeline import prune
from ..passes.versions import resource_of
from .cost_sizes import results_of


@dataclass(frozen=True, slots=True)
class Race:
    """Two operations on one variable that no path orders.

    Args:
        variable: the variable.
        kind: "read" if the first one reads; "write" if both write; "late" if the first one comes after the write and
            still uses the value at the start, because it was built outside of the control dependencies.
        first: the name of the first operation.
        first_line: the line that made it.
        write: the name of the operation that writes.
        write_line: the line that made it.
    """

    variable: str
    kind: Literal["read", "write", "late"]
    first: str
    first_line: str
    write: str
    write_line: str

    @property
    def outcome(self) -> str:
        """What every run does."""
        if self.kind == "write":
            return f"{self.first} is written first, {self.write} after it, as they were made"
        return f"{self.first} does not see what {self.write} writes"

    @property
    def cure(self) -> str:
        """What to write for each order."""
        if self.kind == "write":
            return f"build {self.write} inside tf.control_dependencies([{self.first}])"
        after = f"inside tf.control_dependencies([{self.write}]), where {self.variable} is its new value"
        if self.kind == "late":
            return f"to use the new value, build {self.first} {after}; or use the output of the write"
        return (
            f"to use the new value, build {self.first} {after}; to say that the old one is meant, build {self.write} "
            f"inside tf.control_dependencies([{self.first}])"
        )

    def __str__(self) -> str:
        return (
            f"{self.variable}: {self.first} ({self.first_line}) and {self.write} ({self.write_line}): {self.outcome}; "
            f"{self.cure}"
        )


@dataclass(frozen=True, slots=True)
class Races(Sequence[Race]):
    """The races among some operations: a sequence that prints as text."""

    found: tuple[Race, ...]

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, at: Any) -> Any:
        return self.found[at]

    def __str__(self) -> str:
        if not self.found:
            return "no races: paths order all uses and writes of variables"
        lines = []
        for race in self.found:
            lines += [
                f"{race.variable}: {race.first} runs after {race.write}, and uses the value of before"
                if race.kind == "late"
                else f"{race.variable}: no path orders {race.first} and {race.write}",
                f"  {race.first}  {race.first_line}",
                f"  {race.write}  {race.write_line}",
                f"  every run: {race.outcome}",
                f"  {race.cure}",
            ]
        return "\n".join(folded(lines))

    __repr__ = __str__


NO_RACES: Final = Races(())


def races_of(graph: Graph, fetches: Any = None) -> Races:
    """See `Graph.races`."""
    if fetches is None:
        initial = {getattr(v, "initializer", None) for v in graph.get_collection("variables")}
        writes = [op for op in graph.get_operations() if op.opdef.facts.state == "writes"]
        wanted = [op for op in (*[t.op for t in results_of(graph)], *writes) if op not in initial]
        return Races(tuple(races_among(prune((), wanted, ()))))
    found = Fetches(graph, fetches, "Graph.races")
    return Races(tuple(races_among(prune(found.tensors, found.operations, ()))))


def races_among(operations: Sequence[Operation], fed: Collection[Tensor] = ()) -> Iterator[Race]:
    """The races among operations that one run needs, in the order of their creation."""
    writes = [op for op in operations if op.opdef.facts.state == "writes"]
    if not writes:
        return
    number = {op: i for i, op in enumerate(writes)}
    by_variable: dict[str, list[Operation]] = {}
    for op in writes:
        by_variable.setdefault(resource_of(op), []).append(op)
    behind = _reached(operations, number, fed)
    ahead = _reached_backwards(operations, number, fed)
    for op in operations:
        for resource, kind in _touched(op, fed):
            for write in by_variable.get(resource, ()):
                if write is op:
                    continue
                comes_after = bool(behind.get(op, 0) >> number[write] & 1)
                comes_before = bool(ahead.get(op, 0) >> number[write] & 1)
                if kind == "start" and comes_after:
                    yield _race(resource, "late", op, write)
                elif kind == "write" and not (comes_after or comes_before) and write.index > op.index:
                    yield _race(resource, "write", op, write)
                elif kind != "write" and not (comes_after or comes_before):
                    yield _race(resource, "read", op, write)


def _touched(op: Operation, fed: Collection[Tensor]) -> Iterator[tuple[str, Literal["start", "read", "write"]]]:
    """The variables that an operation uses, each once, and how: by the tensor of the start, by a read, by a write."""
    state = op.opdef.facts.state
    if state == "writes":
        yield resource_of(op), "write"
    elif state in ("reads", "asks"):
        yield resource_of(op), "read"
    for tensor in dict.fromkeys(op.inputs):
        if op.opdef.facts.reads_shape_only and tensor.shape.is_fully_defined():
            continue  # all its values have this shape
        if tensor.op.opdef.facts.state == "holds" and tensor not in fed:
            name: str = tensor.op.args[0]
            if state != "writes" or resource_of(op) != name:  # v.assign(v * 2) is about one variable
                yield name, "start"


def _reached(operations: Iterable[Operation], number: dict[Operation, int], fed: Collection[Tensor]) -> dict[Any, int]:
    """For each operation the writes with a path to it, as bits."""
    found: dict[Operation, int] = {}
    for op in operations:
        bits = 1 << number[op] if op in number else 0
        for tensor in op.inputs:
            if tensor not in fed:
                bits |= found.get(tensor.op, 0)
        for control in op.control_inputs:
            bits |= found.get(control, 0)
        if bits:
            found[op] = bits
    return found


def _reached_backwards(
    operations: Sequence[Operation], number: dict[Operation, int], fed: Collection[Tensor]
) -> dict[Any, int]:
    """For each operation the writes that it has a path to, as bits."""
    found: dict[Operation, int] = {}
    for op in reversed(operations):
        bits = found.get(op, 0) | (1 << number[op] if op in number else 0)
        if not bits:
            continue
        found[op] = bits
        for tensor in op.inputs:
            if tensor not in fed:
                found[tensor.op] = found.get(tensor.op, 0) | bits
        for control in op.control_inputs:
            found[control] = found.get(control, 0) | bits
    return found


def _race(variable: str, kind: Literal["read", "write", "late"], first: Operation, write: Operation) -> Race:
    lines = [f"{op.origin.place}  {op.origin.code}".rstrip() for op in (first, write)]
    return Race(variable, kind, first.name, lines[0], write.name, lines[1])
