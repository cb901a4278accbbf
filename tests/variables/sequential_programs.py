"""Random programs of reads, writes, control edges and feeds, and what they mean by the rules of docs/state.md.

The model knows nothing of the engine. A program is a list of nodes in the order in which they are made. A run is
computed node by node in that order, from the nodes that its fetches need:

- the writes of a variable happen in that order;
- a read sees the last write of its variable that has a path to it, through inputs or control edges, else the start;
- a write changes what the write before it left, and its output is the value it wrote;
- a fed tensor has the value of the feed for all that read it; what makes it runs only if a control edge asks for it;
- a fed variable has that value for the run, which must not write it;
- the update of an optimizer writes a slot and its variable, and starts from what the writes made before have left;
- a random op gives its next numbers in each run that needs it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, Any]
Kind = Literal["const", "start", "read", "pure", "write", "group", "draw", "update"]
SHAPE = (3, 2)
ROWS = (2, 0, 2)
"""The rows that scatters write: one of them twice, and one not at all."""
LABELS = (1, 0, 1)
"""Into which part a row goes."""
RATE, MOMENTUM = 0.25, 0.5

PURE: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "maximum": np.maximum,
    "multiply": lambda a, b: a * b,
}
PARTS: dict[str, Callable[[Array, Array], Array]] = {
    "stitched": lambda a, b: np.where(np.array(LABELS)[:, None] == 0, a + a, a - b),
    "mixed": lambda a, b: np.where(np.array(LABELS)[:, None] == 0, a, b),
    "rows": lambda a, b: (a + b)[list(ROWS)],
}
"""Functions with partitions, stitches and gathers; each takes two operands."""


def _scattered(before: Array, value: Array, combine: Callable[[Any, Any], Any]) -> Array:
    after = before.copy()
    for place, row in enumerate(ROWS):
        after[row] = combine(after[row], value[place])
    return after


WRITES: dict[str, Callable[[Array, Array], Array]] = {
    "assign": lambda before, value: value.copy(),
    "assign_add": lambda before, value: before + value,
    "assign_sub": lambda before, value: before - value,
    "scatter_update": lambda before, value: _scattered(before, value, lambda old, new: new),
    "scatter_add": lambda before, value: _scattered(before, value, lambda old, new: old + new),
    "scatter_max": lambda before, value: _scattered(before, value, np.maximum),
}
MORE_WRITES: dict[str, Callable[[Array, Array], Array]] = {
    "scatter_sub": lambda before, value: _scattered(before, value, lambda old, new: old - new),
    "scatter_mul": lambda before, value: _scattered(before, value, lambda old, new: old * new),
    "scatter_min": lambda before, value: _scattered(before, value, np.minimum),
    "scatter_nd_update": WRITES["scatter_update"],
    "scatter_nd_add": WRITES["scatter_add"],
    "scatter_nd_sub": lambda before, value: _scattered(before, value, lambda old, new: old - new),
    "slice": lambda before, value: np.concatenate([before[:1], value[1:]]),
}


def momentum(slot: Array, variable: Array, gradient: Array, rows: Sequence[int]) -> tuple[Array, Array]:
    """A slot and its variable after one update of some rows."""
    slot, variable = slot.copy(), variable.copy()
    rate, kept = slot.dtype.type(RATE), slot.dtype.type(MOMENTUM)
    for row in rows:
        slot[row] = slot[row] * kept + gradient[row]
        variable[row] = variable[row] - slot[row] * rate
    return slot, variable


def summed(gradient: Array) -> Array:
    """The gradient whose row i of ROWS is row i of a given one, repeated rows added."""
    found = np.zeros_like(gradient)
    for place, row in enumerate(ROWS):
        found[row] = found[row] + gradient[place]
    return found


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its kind, the function or variable it is about, and its edges as places in the list of nodes."""

    kind: Kind
    what: str = ""
    variable: int = -1
    inputs: tuple[int, ...] = ()
    controls: tuple[int, ...] = ()
    value: Array | None = None
    slot: int = -1
    """Of an update, the place of the slot among the variables; of a draw, its seed."""

    def __str__(self) -> str:
        about = [self.what or self.kind, *([f"v{self.variable}"] if self.variable >= 0 else [])]
        after = f" after {list(self.controls)}" if self.controls else ""
        return f"{' '.join(about)}{list(self.inputs) or ''}{after}"


@dataclass(slots=True)
class Run:
    """One run: places of nodes to fetch, of those to run as operations, and fed values by place."""

    fetches: list[int]
    targets: list[int]
    feeds: dict[int, Array]


@dataclass(slots=True)
class Program:
    """Nodes and the variables' values, which `run` changes as the rules say."""

    dtype: np.dtype[Any]
    values: list[Array]
    nodes: list[Node] = field(default_factory=list)
    slots: dict[int, int] = field(default_factory=dict)
    """The slot of each variable that an optimizer updates, as places in `values`."""
    numbers: Callable[[np.dtype[Any], int, int], Array] | None = None
    """(dtype, seed, how many times before) -> what a random op gives."""
    drawn: dict[int, int] = field(default_factory=dict)
    """How many times each random op has run, by its place."""

    def needed(self, run: Run) -> list[int]:
        """The places of the nodes that a run needs, in order."""
        found: set[int] = set()
        waiting = [*run.targets, *(p for p in run.fetches if p not in run.feeds)]
        while waiting:
            place = waiting.pop()
            if place not in found:
                found.add(place)
                node = self.nodes[place]
                waiting += [*node.controls, *(p for p in node.inputs if p not in run.feeds)]
        return sorted(found)

    def writes_what_is_fed(self, run: Run) -> bool:
        """Whether a run feeds a variable that it writes, which is refused."""
        fed = {self.nodes[place].variable for place in run.feeds if self.nodes[place].kind == "start"}
        nodes = [self.nodes[place] for place in self.needed(run)]
        return any(not fed.isdisjoint(written(node)) for node in nodes)

    def run(self, run: Run) -> tuple[list[Array], list[list[Array]]]:
        """The fetched values, and all values that each variable goes through; the last one is kept."""
        starts = list(self.values)
        for place, fed in run.feeds.items():
            if self.nodes[place].kind == "start":
                starts[self.nodes[place].variable] = fed
        history = [[start] for start in starts]
        above: dict[int, dict[int, int]] = {}  # place -> variable -> number of the last write with a path to it
        made: dict[int, Array] = dict(run.feeds)
        for place in self.needed(run):
            node = self.nodes[place]
            seen: dict[int, int] = {}
            for edge in (*(i for i in node.inputs if i not in run.feeds), *node.controls):
                for variable, number in above.get(edge, {}).items():
                    seen[variable] = max(number, seen.get(variable, 0))
            operands = [made[i] for i in node.inputs]
            value: Array | None = node.value
            if node.kind == "start":
                value = starts[node.variable]
            elif node.kind == "read":
                value = history[node.variable][seen.get(node.variable, 0)]
            elif node.kind == "pure":
                value = (PURE.get(node.what) or PARTS[node.what])(operands[0], operands[1])
            elif node.kind == "write":
                value = (WRITES.get(node.what) or MORE_WRITES[node.what])(history[node.variable][-1], operands[0])
                history[node.variable].append(value)
            elif node.kind == "update":
                is_sparse = node.what == "sparse"
                gradient, rows = (summed(operands[0]), sorted(set(ROWS))) if is_sparse else (operands[0], range(3))
                both = momentum(history[node.slot][-1], history[node.variable][-1], gradient, rows)
                for variable, new in zip((node.slot, node.variable), both, strict=True):
                    history[variable].append(new)
            elif node.kind == "draw":
                assert self.numbers is not None
                value = self.numbers(self.dtype, node.slot, self.drawn.get(place, 0))
                self.drawn[place] = self.drawn.get(place, 0) + 1
            for variable in written(node):
                seen[variable] = len(history[variable]) - 1
            above[place] = seen
            if value is not None:
                made.setdefault(place, value)
        for variable, values in enumerate(history):
            if len(values) > 1:
                self.values[variable] = values[-1]
        return [made[place] for place in run.fetches], history


def written(node: Node) -> tuple[int, ...]:
    """The variables that a node writes."""
    return (node.variable,) if node.kind == "write" else (node.slot, node.variable) if node.kind == "update" else ()


# ---- random ones --------------------------------------------------------------------------------

Choose = Callable[[int], int]
"""A number below another one, by chance or by hypothesis."""


def chooser(seed: int) -> Choose:
    """Choices of a seed."""
    return random.Random(seed).randrange


def array(choose: Choose, dtype: np.dtype[Any]) -> Array:
    """A small array of whole numbers."""
    return np.array([choose(7) - 3 for _ in range(6)], dtype).reshape(SHAPE)


def some(choose: Choose, places: Sequence[int], most: int) -> tuple[int, ...]:
    """A few of some places, each once, in order."""
    if not places:
        return ()
    return tuple(sorted({places[choose(len(places))] for _ in range(choose(most + 1))}))


def new_program(choose: Choose) -> Program:
    """A program with one to three variables: their values at the start of a run, and two constants."""
    dtype = np.dtype(("i4", "i8", "f4", "f8")[choose(4)])
    program = Program(dtype, [array(choose, dtype) for _ in range(1 + choose(3))])
    program.nodes += [Node("start", variable=i) for i in range(len(program.values))]
    program.nodes += [Node("const", value=array(choose, dtype)) for _ in range(2)]
    return program


def new_node(choose: Choose, program: Program) -> Node:
    """A node that could come next."""
    places = list(range(len(program.nodes)))
    tensors = [p for p in places if program.nodes[p].kind not in ("group", "update")]
    operand = tensors[choose(len(tensors))]
    controls = tuple(
        p for p in some(choose, places, 2) if p != operand
    )  # else the graph drops the edge
    variable = choose(len(program.values))
    kind = choose(10)
    if kind == 0:
        return Node("const", value=array(choose, program.dtype))
    if kind < 4:
        return Node("read", variable=variable, controls=controls)
    if kind < 6:
        what = tuple(PURE)[choose(len(PURE))]
        other = tensors[choose(len(tensors))]
        return Node("pure", what, inputs=(operand, other), controls=tuple(p for p in controls if p != other))
    if kind == 6:
        return Node("group", controls=controls)
    return Node("write", tuple(WRITES)[choose(len(WRITES))], variable, (operand,), controls)


def new_run(choose: Choose, program: Program) -> Run:
    """Fetches, operations to run, and now and then feeds."""
    places = range(len(program.nodes))
    tensors = [p for p in places if program.nodes[p].kind not in ("group", "update")]
    feeds = {p: array(choose, program.dtype) for p in some(choose, tensors, 2)} if choose(3) == 0 else {}
    return Run(list(some(choose, tensors, 4)), list(some(choose, places, 3)), feeds)


def new_node_of_any_kind(choose: Choose, program: Program) -> Node:
    """A node that could come next: those of `new_node`, other writes, partitions, random numbers, updates."""
    kind = choose(10)
    if kind < 4:
        return new_node(choose, program)
    places = list(range(len(program.nodes)))
    tensors = [p for p in places if program.nodes[p].kind not in ("group", "update")]
    operand, other = tensors[choose(len(tensors))], tensors[choose(len(tensors))]
    controls = tuple(p for p in some(choose, places, 2) if p not in (operand, other))
    variable = choose(len(program.values))
    if kind < 6:
        return Node("write", tuple(MORE_WRITES)[choose(len(MORE_WRITES))], variable, (operand,), controls)
    if kind == 6:
        return Node("pure", tuple(PARTS)[choose(len(PARTS))], inputs=(operand, other), controls=controls)
    if kind == 7:
        return Node("draw", controls=controls, slot=1 + choose(5))
    if program.dtype.kind != "f":
        return Node("read", variable=variable, controls=controls)
    if variable not in program.slots:
        program.slots[variable] = len(program.values)
        program.values.append(np.zeros(SHAPE, program.dtype))
    what = ("dense", "sparse")[choose(2)]
    return Node("update", what, variable, (operand,), controls, slot=program.slots[variable])
