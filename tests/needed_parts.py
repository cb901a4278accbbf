"""What of a graph a run does, for the reference: "A body does what its needed results need" of docs/design.md.

An operation runs if a needed result needs it, or if something that runs waits for it; a branch or a loop is one node
with several results, and gives those that are needed. A graph inside is looked at once for each set of results that is
asked of it, which is slow and simple; passes (`runtime/passes/needed_results.py`) go from tensor to tensor instead, and
nothing of them is used here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from penstock.graph.model.nodes import Operation, Tensor
from penstock.graph.model.subgraph import SubGraph

HOLDERS = ("If", "While")
"""Ops whose results can be needed one by one."""


@dataclass(frozen=True, slots=True)
class Part:
    """What runs of a graph.

    Attributes:
        operations: these operations.
        places: the needed results of each branch and loop among them.
        insides: what these do for that.
        inputs: the tensors given from outside that something reads.
        extended: the branches and loops in whose place an extended copy of them runs, by the copy.
    """

    operations: frozenset[Operation]
    places: dict[Operation, frozenset[int]]
    insides: dict[Operation, Inside]
    inputs: frozenset[Tensor]
    extended: dict[Operation, list[Operation]]

    def in_order_of(self, operations: Iterable[Operation]) -> list[Operation]:
        """The operations in the order of a graph; a copy runs where the first that it extends would."""
        copies = {op: copy for copy, found in self.extended.items() for op in found}
        found = dict.fromkeys([copies.get(op, op) for op in operations])
        return [op for op in found if op in self.operations]


@dataclass(frozen=True, slots=True)
class Inside:
    """What a branch or loop does for some of its results.

    Attributes:
        parts: what runs of each of its graphs.
        operands: the places of the operands that are needed.
    """

    parts: tuple[Part, ...]
    operands: frozenset[int]


def part_of(wanted: Iterable[Tensor], targets: Iterable[Operation], given: Collection[Tensor]) -> Part:
    """What runs for some tensors and operations, where the values of `given` are there already."""
    wanted, targets = list(wanted), list(targets)
    copies = _last_copies(wanted, targets, given)
    operations: set[Operation] = set()
    places: dict[Operation, set[int]] = {}
    seen: set[Tensor] = set()
    waiting, whole = list(wanted), list(targets)
    while waiting or whole:
        if whole:
            op = whole.pop()
            found = list(range(len(op.outputs)))
        else:
            tensor = waiting.pop()
            if tensor in seen:
                continue
            seen.add(tensor)
            if tensor in given:
                continue
            op, found = tensor.op, [tensor.value_index]
        if op in copies:
            found = [place_in_copy(op, place, copies[op]) for place in found]
            op = copies[op]
        is_new = op not in operations
        if is_new:
            operations.add(op)
            whole += op.control_inputs
        if op.type not in HOLDERS:
            waiting += op.inputs if is_new else ()
        elif is_new or not places[op].issuperset(found):
            places.setdefault(op, set()).update(found)
            waiting += [op.args[1][i] for i in inside_of(op, places[op]).operands]
            waiting += [op.args[0]] if isinstance(op.args[0], Tensor) else []
    extended: dict[Operation, list[Operation]] = {}
    for op, copy in copies.items():
        extended.setdefault(copy, []).append(op)
    return Part(frozenset(operations), {op: frozenset(found) for op, found in places.items()},
                {op: inside_of(op, found) for op, found in places.items()}, frozenset(seen & set(given)),
                extended)  # fmt: skip


def _last_copies(
    wanted: Iterable[Tensor], targets: Iterable[Operation], given: Collection[Tensor]
) -> dict[Operation, Operation]:
    """The last extended copy of each branch and loop behind some tensors and operations, if there is one."""
    behind: set[Operation] = set()
    waiting = [*targets, *[t.op for t in wanted if t not in given]]
    while waiting:
        op = waiting.pop()
        if op not in behind:
            behind.add(op)
            waiting += [*op.control_inputs, *[t.op for t in op.inputs if t not in given]]
    holders = {op.name: op for op in sorted(behind, key=lambda op: op.index) if op.type in HOLDERS}
    return {holders[name]: op for op in holders.values() for name in op.get_attr("extends") if name in holders}


def place_in_copy(op: Operation, place: int, copy: Operation) -> int:
    """The place of a result in an extended copy: more are in between, but a loop ends with its number of iterations."""
    return len(copy.outputs) - 1 if op.type == "While" and place == len(op.outputs) - 1 else place


def inside_of(op: Operation, places: Collection[int]) -> Inside:
    """What a branch or loop does for the results at `places`."""
    return _in_branches(op, places) if op.type == "If" else _in_loop(op, places)


def _in_branches(op: Operation, places: Collection[int]) -> Inside:
    bodies = op.args[2:4]
    parts = tuple([_of_body(body, places) for body in bodies])
    return Inside(parts, frozenset(i for body, part in zip(bodies, parts, strict=True) for i in _used(body, part)))


def _in_loop(op: Operation, places: Collection[int]) -> Inside:
    """A needed loop variable needs its next value, and so the loop variables that this one reads."""
    cond, body, count, rows = op.args[2:6]
    test = _of_body(cond, [0])
    stacks = {place for place in places if count <= place < len(op.outputs) - 1}  # the last counts the iterations
    variables = {place for place in places if place < count}
    while True:
        part = _of_body(body, variables | stacks)
        used = variables.union(_used(cond, test), _used(body, part))
        if variables == {i for i in used if i < count}:
            break
        variables = {i for i in used if i < count}
    if rows and not _says_count(op, used):
        used.add(count)
    return Inside((test, part), frozenset(used))


def _says_count(op: Operation, used: Collection[int]) -> bool:
    """Whether the number of iterations is known without the first operand that is given by rows."""
    limit, operands, _, _, count, rows = op.args[:6]
    if count in used:
        return True
    shapes = [t.shape.raw for t in operands[count : count + rows]]
    sizes = [shape[0] for shape in shapes if shape]
    if limit is None and len(sizes) == rows and isinstance(sizes[0], int) and sizes.count(sizes[0]) == rows:
        return True
    others = [shapes[i - count] for i in used if count < i < count + rows]
    return any(shapes[0] and shape and shape[0] == shapes[0][0] for shape in others)


def _of_body(body: SubGraph, places: Iterable[int]) -> Part:
    return part_of([body.outputs[place] for place in places], body.targets, body.inputs)


def _used(body: SubGraph, part: Part) -> list[int]:
    return [i for i, tensor in enumerate(body.inputs) if tensor in part.inputs]

