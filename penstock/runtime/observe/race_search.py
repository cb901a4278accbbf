"""The search for races: which reads and writes of one variable no path orders, and which of them matter.

    matters         another order would give other values, and the program does not say which it means
    is clear        the forward pass or the gradients of a training step, which read what the step then writes;
                    a read that leads to a write of the same variable, of which a pair tells already

Sets of writes are ints, one bit for each write.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from ...graph.common.source_location import GradientOrigin
from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import bodies_of
from ...ops.state.variable_ops import touched_by
from ..arguments.fetches import Fetches
from ..passes.last_writes import resource_of, written_by
from ..passes.pipeline import prune
from .cost_sizes import results_of
from .races import NO_RACES, LeftOut, Race, Races

NO_STANDS: Final[Mapping[Tensor, str]] = MappingProxyType({})
Use = Literal["start", "read", "asks", "write"]


def races_of(graph: Graph, fetches: Any = None) -> Races:
    """See `Graph.races`."""
    if fetches is None:
        operations = graph.get_operations()
        apart = _apart(operations)
        writes = [op for op in operations if written_by(op)]
        wanted = [op for op in (*[t.op for t in results_of(graph)], *writes) if op not in apart]
        races = races_among([op for op in prune((), wanted, ()) if op not in apart])
        return replace(races, found=tuple([replace(race, in_one_run=False) for race in races.found]))
    found = Fetches(graph, fetches, "Graph.races")
    needed = prune(found.tensors, found.operations, ())
    return replace(races_among(needed), left_out=tuple(_left_out(graph, needed)))


def _left_out(graph: Graph, needed: Sequence[Operation]) -> Iterator[LeftOut]:
    """The writes outside of a run that no path orders with a write in it.

    A write that another one leads to, or that only a step of training or a checkpoint would make, has runs of its own.
    """
    operations, here = graph.get_operations(), set(needed)
    writing: dict[str, Operation] = {}
    for op in needed:
        for resource in written_by(op):
            writing.setdefault(resource, op)
    if not writing:
        return
    apart = _apart(operations)
    writes = [op for op in operations if written_by(op)]
    number = {op: i for i, op in enumerate(writes)}
    behind = _reached(operations, number, ())
    runs = sum(1 << number[op] for op in writes if op in here)
    steps = sum(step.writes for step in _training_steps(operations, writes))
    for op in writes:
        if op in here or op in apart or steps >> number[op] & 1 or behind[op] & runs:
            continue
        for resource in written_by(op):
            if resource in writing:
                other = writing[resource]
                yield LeftOut(resource, op.name, _line(op, resource), other.name, _line(other, resource))


def usual_fetches(graph: Graph) -> list[Tensor]:
    """What a run of the whole graph fetches: results that nothing reads, not those of initializers and checkpoints."""
    apart = _apart(graph.get_operations())
    return [t for t in results_of(graph) if t.op not in apart]


def _apart(operations: Sequence[Operation]) -> set[Operation]:
    """Initializers, and what saves and restores: they have runs of their own."""
    return {*(op for op, _ in initializers(operations)), *_of_checkpoints(operations)}


def races_among(
    operations: Sequence[Operation],
    fed: Collection[Tensor] = (),
    stands: Mapping[Tensor, str] = NO_STANDS,
    most: int | None = None,
) -> Races:
    """The races among operations that one run needs, in the order of their creation, and in the bodies that they hold.

    stands: inputs of a body that stand for variables.
    most: how many pairs to look for among the operations, and in each body; None for all.
    """
    writes = [op for op in operations if written_by(op)]
    if not writes:
        return NO_RACES
    found = [_Search(operations, writes, fed, stands).run(most)]
    for op in operations:
        for (_, place), body in zip(op.opdef.body_operands, bodies_of(op), strict=True):
            given = {
                inner: name for inner, outer in zip(body.inputs, op.args[place], strict=False)
                if (name := _variable_of(outer, stands)) and outer not in fed
            }  # fmt: skip
            found.append(races_among(body.operations, (), given, most))
    return Races(tuple([r for each in found for r in each.found]), tuple([r for each in found for r in each.rest]),
                 any(each.is_cut for each in found))  # fmt: skip


def _variable_of(tensor: Tensor, stands: Mapping[Tensor, str]) -> str | None:
    """The variable whose tensor this is, or that it stands for in a body."""
    if tensor.op.opdef.facts.state == "holds":
        name: str = tensor.op.args[0]
        return name
    return stands.get(tensor)


def initializers(operations: Sequence[Operation]) -> Iterator[tuple[Operation, str]]:
    """The first write of each variable, if it stands beside it as `tf.Variable` makes it; and the variable."""
    seen: set[str] = set()
    for op in operations:
        if op.opdef.facts.state == "writes" and (resource := resource_of(op)) not in seen:
            seen.add(resource)
            if op.name == f"{resource}/Assign":
                yield op, resource


def _of_checkpoints(operations: Sequence[Operation]) -> Iterator[Operation]:
    """What saves and restores, in runs of its own."""
    restored: set[Operation] = set()
    for op in operations:
        if effects_of(op).is_of_checkpoints or any(tensor.op in restored for tensor in op.inputs):
            restored.add(op)
            yield op


@dataclass(frozen=True, slots=True)
class _Step:
    """A training step: its name, and its own writes."""

    name: str
    writes: int


class _Search:
    """The search among the operations of one run."""

    def __init__(
        self,
        operations: Sequence[Operation],
        writes: Sequence[Operation],
        fed: Collection[Tensor],
        stands: Mapping[Tensor, str],
    ) -> None:
        self._operations = operations
        self._fed = fed
        self._stands = stands
        self._number = {op: i for i, op in enumerate(writes)}
        self._by_variable: dict[str, list[Operation]] = {}
        for op in writes:
            for resource in written_by(op):
                self._by_variable.setdefault(resource, []).append(op)
        self._behind = _reached(operations, self._number, fed)
        self._ahead = _reached_backwards(operations, self._number, fed)
        self._steps = list(_training_steps(operations, writes))
        self._gradients: dict[str, int] = {}
        if self._steps:
            for op, bits in self._ahead.items():
                if op.origins and isinstance(op.origin, GradientOrigin):
                    self._gradients[op.origin.of] = self._gradients.get(op.origin.of, 0) | bits

    def run(self, most: int | None) -> Races:
        races: list[Race] = []
        rest: list[Race] = []
        for op in self._operations:
            for resource, use in _touched(op, self._fed, self._stands):
                for write in self._by_variable.get(resource, ()):
                    if write is not op:
                        for race in self._pair(resource, use, op, write):
                            (rest if race.reason else races).append(race)
                if most is not None and len(races) + len(rest) >= most:
                    return Races(tuple(races), tuple(rest), True)
        return Races(tuple(races), tuple(rest))

    def _pair(self, resource: str, use: Use, op: Operation, write: Operation) -> Iterator[Race]:
        comes_after = self._is_in(write, self._behind.get(op, 0))
        comes_before = self._is_in(write, self._ahead.get(op, 0))
        if use == "start" and comes_after:
            yield _race(resource, "late", op, write)
        elif comes_after or comes_before:
            return
        elif use == "write":
            if write.index > op.index:
                yield _race(resource, "write", op, write)
        elif use != "asks" or not self._needs_a_value(resource, write):
            yield _race(resource, "read", op, write, self._reason(resource, op, write))

    def _reason(self, resource: str, op: Operation, write: Operation) -> str:
        """Why it is clear that a read comes before a write; "" if it is not."""
        leads_to = self._ahead.get(op, 0)
        of_a_step = leads_to | self._gradients.get(op.name, 0)
        for step in self._steps:
            if of_a_step & step.writes:
                if self._is_in(write, step.writes):
                    return f"{op.name} is a part of the step {step.name}, which starts from the old value"
                leads_to |= step.writes
        for other in self._by_variable[resource]:
            if other is not op and self._is_in(other, leads_to) and self._are_apart(other, write):
                return f"{op.name} comes before {other.name}, and no path orders that and {write.name}"
        return ""

    def _are_apart(self, one: Operation, other: Operation) -> bool:
        return not (self._is_in(one, self._behind.get(other, 0)) or self._is_in(other, self._behind.get(one, 0)))

    def _needs_a_value(self, resource: str, write: Operation) -> bool:
        """Whether a write fails if the variable has no value: then it does not change whether there is one."""
        if write.opdef.write_reads or write.opdef.bodies:
            return True
        return any(
            self._is_in(write, self._ahead.get(op, 0))
            for op in self._operations
            if op.opdef.facts.state in ("holds", "follows") and not op.inputs and resource_of(op) == resource
        )

    def _is_in(self, write: Operation, bits: int) -> bool:
        return bool(bits >> self._number[write] & 1)


def _training_steps(operations: Sequence[Operation], writes: Sequence[Operation]) -> Iterator[_Step]:
    """The steps that optimizers have made, whose writes stand in the scope of their name."""
    steps = {op.name: op for op in operations[0].graph.get_collection("train_op") if isinstance(op, Operation)}
    if not steps:
        return
    bits = dict.fromkeys(steps, 0)
    for i, write in enumerate(writes):
        name = write.name
        while name:
            if name in bits:
                bits[name] |= 1 << i
            name = name.rpartition("/")[0]
    for name, own in bits.items():
        yield _Step(name, own)


def _touched(
    op: Operation, fed: Collection[Tensor], stands: Mapping[Tensor, str]
) -> Iterator[tuple[str, Use]]:
    """The variables that an operation uses, each once, and how: by the tensor of the start, by a read, by a write.

    A read of what an update starts from is a part of the write that follows.
    """
    state = op.opdef.facts.state
    written = written_by(op)
    for resource in written:
        yield resource, "write"
    if state == "reads" or (state == "follows" and op.inputs):  # InitializedValue starts no update
        yield resource_of(op), "read"
    elif state == "asks":
        yield resource_of(op), "asks"
    elif op.opdef.bodies:
        for resource in touched_by(op)[0]:
            if resource not in written:
                yield resource, "read"
    for tensor in dict.fromkeys(op.inputs):
        if op.opdef.facts.reads_shape_only and tensor.shape.is_fully_defined():
            continue  # all its values have this shape
        name = _variable_of(tensor, stands)
        if name is not None and tensor not in fed and name not in written:  # v.assign(v * 2) is about one variable
            yield name, "read" if op.opdef.bodies and op.control_inputs else "start"


def _reached(operations: Iterable[Operation], number: dict[Operation, int], fed: Collection[Tensor]) -> dict[Any, int]:
    """For each operation the writes with a path to it, as bits."""
    writes: dict[Operation, int] = {}
    for op in operations:
        bits = 1 << number[op] if op in number else 0
        for tensor in op.inputs:
            if tensor not in fed:
                bits |= writes.get(tensor.op, 0)
        for control in op.control_inputs:
            bits |= writes.get(control, 0)
        if bits:
            writes[op] = bits
    return writes


def _reached_backwards(
    operations: Sequence[Operation], number: dict[Operation, int], fed: Collection[Tensor]
) -> dict[Any, int]:
    """For each operation the writes that it has a path to, as bits."""
    writes: dict[Operation, int] = {}
    for op in reversed(operations):
        bits = writes.get(op, 0) | (1 << number[op] if op in number else 0)
        if not bits:
            continue
        writes[op] = bits
        for tensor in op.inputs:
            if tensor not in fed:
                writes[tensor.op] = writes.get(tensor.op, 0) | bits
        for control in op.control_inputs:
            writes[control] = writes.get(control, 0) | bits
    return writes


def _race(
    variable: str, kind: Literal["read", "write", "late"], first: Operation, write: Operation, reason: str = ""
) -> Race:
    return Race(variable, kind, first.name, _line(first, variable), write.name, _line(write, variable), reason)


def _line(op: Operation, variable: str) -> str:
    """The line that made what touches a variable."""
    origin = _inside(op, variable).origin
    return f"{origin.place}  {origin.code}".rstrip()


def _inside(op: Operation, variable: str) -> Operation:
    """The operation that touches a variable, where `op` holds it; else `op`."""
    for body in bodies_of(op):
        for inner in body.operations:
            if not inner.opdef.is_pure and any(variable in each for each in touched_by(inner)):
                return _inside(inner, variable)
    return op
