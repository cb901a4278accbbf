"""Random programs with variables in branches and loops, and what they mean by the rules of docs/state.md.

A program is a list of nodes; a branch or a loop is a node with lists of its own. The model computes them one after the
other. It knows nothing of the engine.

- A write changes what the last write before it has left. A branch or loop that writes a variable somewhere counts as a
  write of it, whatever it does in a run.
- A read sees the last write in its own list with a path to it. Without one it sees what the variable was when the list
  began: where the branch or loop writes the variable, the value at the start of the branch or of this iteration, else
  what a read at the place of the branch or loop sees.
- A plain use stands for the same moment, but of paths it knows only those through control inputs of branches and loops.
- In a body runs what its result needs, writes too; outside, what is fetched. What a node of a body waits for outside
  of it, the branch or loop waits for, whether the node runs or not.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

import penstock as tf
from penstock.graph.model.identity_comparison import MistakeWarning

Array = np.ndarray[Any, Any]
Kind = Literal["const", "start", "read", "pure", "write", "cond", "while"]

NOTHING = np.zeros(0)
"""In the place of an argument that no branch uses."""

PURE: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "maximum": np.maximum,
}
WRITES: dict[str, Callable[[Array, Array], Array]] = {
    "assign": lambda before, value: value.copy(),
    "assign_add": lambda before, value: before + value,
    "assign_sub": lambda before, value: before - value,
    "scatter_update": lambda before, value: np.array([before[0], value[1]]),
}


@dataclass(eq=False)
class Node:
    """One node; `bodies` are lists of nodes with a result each."""

    kind: Kind
    what: str = ""
    variable: int = -1
    inputs: list[Node] = field(default_factory=list)
    controls: list[Node] = field(default_factory=list)
    value: Any = None
    times: int = 0
    until: int = -1
    bodies: list[Body] = field(default_factory=list)

    def writes(self) -> set[int]:
        """The variables that it may write."""
        inside = set().union(*[n.writes() for body in self.bodies for n in body.kept()])
        return inside | ({self.variable} if self.kind == "write" else set())

    def waits(self) -> list[Node]:
        """Its control inputs, and those of its bodies, which may stand outside of the list it is in."""
        inside = [(c, body) for body in self.bodies for n in body.nodes for c in n.waits()]
        return [*self.controls, *[c for c, body in inside if c not in body.nodes]]


@dataclass(eq=False)
class Body:
    """The nodes of a branch or a loop: its argument, which a loop changes, and the result."""

    nodes: list[Node]
    argument: Node
    result: Node

    def kept(self) -> list[Node]:
        """The nodes that run: what the result needs."""
        return needed([self.result], self.nodes)


def needed(wanted: list[Node], nodes: list[Node]) -> list[Node]:
    """Those of the nodes that some of them need, in order."""
    found: set[Node] = set()
    waiting = list(wanted)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [*all_inputs(node), *node.waits()]
    return [node for node in nodes if node in found]


# ---- what it means ------------------------------------------------------------------------------


@dataclass
class Level:
    """The run of one list: what each variable was at its start, for reads and for plain uses, and what came after."""

    begin: Callable[[int], Array]
    plain: Callable[[int], Array]
    history: dict[int, list[Array]] = field(default_factory=dict)
    above: dict[Node, dict[int, int]] = field(default_factory=dict)

    def seen(self, edges: list[Node]) -> dict[int, int]:
        """For each variable the number of the last write with a path through one of these nodes."""
        found: dict[int, int] = {}
        for edge in edges:
            for variable, number in self.above.get(edge, {}).items():
                found[variable] = max(number, found.get(variable, 0))
        return found

    def at(self, variable: int, number: int) -> Array:
        """The value after so many writes."""
        return self.history[variable][number - 1] if number else self.begin(variable)

    def last(self, variable: int) -> Array:
        """The value after all writes so far."""
        return self.at(variable, len(self.history.get(variable, ())))


class Model:
    """The run of a program."""

    def __init__(self, values: list[Array]) -> None:
        self.values = values

    def run(self, nodes: list[Node], fetches: list[Node]) -> list[Array]:
        """The values of fetched nodes; the variables change."""
        start = list(self.values)
        level = Level(lambda v: start[v], lambda v: start[v])
        made: dict[Node, Array] = {}
        self._level(level, needed(fetches, nodes), made)
        for variable, history in level.history.items():
            self.values[variable] = history[-1]
        return [made[node] for node in fetches]

    def _level(self, level: Level, nodes: list[Node], made: dict[Node, Array]) -> None:
        for node in nodes:
            seen = level.seen([*all_inputs(node), *node.waits()])
            given = [self._operand(level, n, made) for n in node.inputs]
            if node.kind == "const":
                made[node] = node.value
            elif node.kind == "read":
                made[node] = level.at(node.variable, seen.get(node.variable, 0))
            elif node.kind == "pure":
                made[node] = PURE[node.what](given[0], given[1])
            elif node.kind == "write":
                made[node] = WRITES[node.what](level.last(node.variable), given[0])
                level.history.setdefault(node.variable, []).append(made[node])
            elif node.bodies:
                made[node] = self._holder(level, node, seen, given, made)
            level.above[node] = seen | {v: len(level.history[v]) for v in node.writes()}

    def _operand(self, level: Level, node: Node, made: dict[Node, Array]) -> Array:
        return level.plain(node.variable) if node.kind == "start" else made.get(node, NOTHING)

    def _holder(self, level: Level, node: Node, seen: dict[int, int], given: list[Array], made: Any) -> Array:
        current = {v: level.last(v) for v in node.writes()}
        after = level.seen(node.waits())

        def begin(v: int) -> Array:
            return current[v] if v in current else level.at(v, seen.get(v, 0))

        def plain(v: int) -> Array:
            if v in current:
                return current[v]
            return level.at(v, after[v]) if after.get(v) else level.plain(v)

        x = given[-1]
        done = 0
        while True:
            if node.kind == "cond":
                body = node.bodies[0 if given[0][0] > 0 else 1]
            else:
                body = node.bodies[0]
                if done == node.times or (node.until >= 0 and not plain(node.until)[0] < 3):
                    break
            inner = Level(dict_of(begin), dict_of(plain))
            here = made | {body.argument: x}
            self._level(inner, body.kept(), here)
            x = self._operand(inner, body.result, here)
            current |= {v: history[-1] for v, history in inner.history.items()}
            done += 1
            if node.kind == "cond":
                break
        for v, value in current.items():
            level.history.setdefault(v, []).append(value)
        return x


def dict_of(function: Callable[[int], Array]) -> Callable[[int], Array]:
    """The function as it is now, for the variables that there are."""
    kept = {v: function(v) for v in range(VARIABLES)}
    return kept.__getitem__


def all_inputs(node: Node) -> list[Node]:
    """Its inputs, and what its bodies use of outside."""
    found: list[Node] = []
    takes_argument = False
    for body in node.bodies:
        used = [body.result, *[n for inner in body.kept() for n in all_inputs(inner)]]
        found += [n for n in used if n not in body.nodes and n is not body.argument and n.kind != "start"]
        takes_argument = takes_argument or body.argument in used
    if node.kind == "cond" and not takes_argument:
        return [node.inputs[0], *found]  # a branch takes from outside what it uses
    return [*node.inputs, *found]


# ---- random ones --------------------------------------------------------------------------------

VARIABLES = 3


class Maker:
    """Makes random programs."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.starts = [Node("start", variable=v) for v in range(VARIABLES)]

    def array(self) -> Array:
        return np.array([self.rng.randint(-3, 3) for _ in range(2)])

    def nodes(self, around: list[Node], size: int, depth: int) -> list[Node]:
        """Nodes of one list, which may use those of the lists around it."""
        made: list[Node] = []
        for _ in range(size):
            made.append(self.node([*around, *made], made, around, depth))
        return made

    def node(self, tensors: list[Node], own: list[Node], around: list[Node], depth: int) -> Node:
        rng = self.rng
        pool = [*self.starts, *tensors[-6:], *tensors]
        variable = rng.randrange(VARIABLES)
        inputs = [rng.choice(pool) for _ in range(2)]
        controls = [rng.choice(own) for _ in range(rng.randrange(3)) if own]
        if around and rng.random() < 0.15:
            controls.append(rng.choice([n for n in around if n.kind != "const"] or around))
        controls = [c for c in dict.fromkeys(controls) if c.kind not in ("start", "const")]
        kind = rng.randrange(10)
        if kind == 0:
            return Node("const", value=self.array())
        if kind < 3:
            return Node("read", variable=variable, controls=controls)
        if kind < 5:
            return Node("pure", rng.choice(list(PURE)), inputs=inputs, controls=controls)
        if kind < 8 or not depth:
            return Node("write", rng.choice(list(WRITES)), variable, inputs[:1], controls)
        if kind == 8:
            bodies = [self.body(tensors, depth) for _ in range(2)]
            return Node("cond", inputs=inputs, controls=controls, bodies=bodies)
        times = rng.randrange(4)
        until = variable if rng.random() < 0.4 else -1
        return Node("while", inputs=inputs[:1], controls=controls, times=times, until=until,
                    bodies=[self.body(tensors, depth)])  # fmt: skip

    def body(self, around: list[Node], depth: int) -> Body:
        argument = Node("const")
        nodes = self.nodes([*around, argument], self.rng.randrange(1, 6), depth - 1)
        return Body(nodes, argument, self.rng.choice([*nodes[-3:], *self.starts, argument]))


# ---- as a graph ---------------------------------------------------------------------------------


class Built:
    """A program as a graph."""

    def __init__(self, nodes: list[Node], values: list[Array]) -> None:
        self.graph = tf.Graph()
        self.elements: dict[Node, Any] = {}
        with warnings.catch_warnings(), self.graph.as_default():
            warnings.simplefilter("ignore", MistakeWarning)  # of writes that a branch takes from outside
            self.variables = [tf.Variable(value, name=f"v{i}") for i, value in enumerate(values)]
            for node in nodes:
                self._add(node)

    def _add(self, node: Node) -> None:
        with tf.control_dependencies([self.elements[c] for c in node.controls]):
            self.elements[node] = self._made(node)

    def _operand(self, node: Node) -> Any:
        if node.kind == "start":
            return self.variables[node.variable].element
        return self.elements[node]

    def _made(self, node: Node) -> Any:
        inputs = [self._operand(n) for n in node.inputs]
        if node.kind == "const":
            return tf.constant(node.value)
        if node.kind == "pure":
            return getattr(tf, node.what)(*inputs)
        if node.kind == "cond":
            yes, no = [self._function(body) for body in node.bodies]
            given = tf.identity(inputs[-1])  # a variable itself would be a plain use in the branches
            return tf.cond(inputs[0][0] > 0, lambda: yes(given), lambda: no(given))
        if node.kind == "while":
            body = self._function(node.bodies[0])

            def goes_on(i: Any, x: Any) -> Any:
                more = i < node.times
                return more if node.until < 0 else tf.logical_and(more, self.variables[node.until][0] < 3)

            return tf.while_loop(goes_on, lambda i, x: (i + 1, body(x)), [0, inputs[0]])[1]
        variable = self.variables[node.variable]
        if node.kind == "read":
            return variable.read_value()
        if node.what == "scatter_update":
            return tf.scatter_update(variable, [1], inputs[0][1:])
        return getattr(variable, node.what)(inputs[0])

    def _function(self, body: Body) -> Callable[[Any], Any]:
        def function(x: Any) -> Any:
            self.elements[body.argument] = x
            for node in body.nodes:
                self._add(node)
            return tf.identity(self._operand(body.result))

        return function


def text_of(nodes: list[Node]) -> str:
    """A program in words, for a failure."""
    names: dict[Node, str] = {}
    lines: list[str] = []

    def say(each: list[Node], lead: str) -> None:
        for node in each:
            names[node] = f"n{len(names)}"
            used = [f"v{n.variable}" if n.kind == "start" else names[n] for n in node.inputs]
            after = f" after {[names[c] for c in node.controls]}" if node.controls else ""
            about = f"{node.kind} {node.what}" + (f" v{node.variable}" if node.variable >= 0 else "")
            more = f" times {node.times} until {node.until}" if node.kind == "while" else f" {node.value}"
            lines.append(f"{lead}{names[node]} = {about}{used}{after}{more}")
            for body in node.bodies:
                names[body.argument] = f"x{len(names)}"
                lines.append(f"{lead}  body of {names[body.argument]}:")
                say(body.nodes, lead + "    ")
                result = body.result
                lines.append(f"{lead}    gives {f'v{result.variable}' if result.kind == 'start' else names[result]}")

    say(nodes, "")
    return "\n".join(lines)
