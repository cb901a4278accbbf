"""Random programs of variables that are read and written among elementwise operations, so that both are in one group.

A program is a list of nodes, each about a variable or about the nodes before it:

    read     value() of a variable at the start of the run, or read_value() after what it waits for
    op       any elementwise op, or a cast there and back
    write    assign, assign_add, assign_sub, scatters, a slice
    update   a step of any optimizer, with unusual numbers too

Every node that makes a value has the dtype and the shape of the program. `built` makes a graph of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

import penstock as tf
from penstock.extend import find_op
from penstock.graph.declare.op_declaration import OPS
from penstock.ops.elementwise.casting import cast

Kind = Literal["const", "start", "read", "op", "write", "update"]
DTYPES = (*["float32"] * 5, *["float64"] * 3, "float16", "bfloat16", "int32", "uint8", "complex64", "complex64")
SHAPES: tuple[tuple[int, ...], ...] = (
    (2,), (7,), (3, 5), (511,), (512,), (513,), (2, 512), (1025,), (9, 171), (1, 600), (600, 1), (4100,), (3, 1, 700),
)  # fmt: skip
"""Sizes around 512 elements, the tile of compiled groups that call NumPy's functions."""
WRITES = (
    "assign", "assign_add", "assign_sub", "scatter_update", "scatter_add", "scatter_sub", "scatter_nd_update", "slice",
)  # fmt: skip
OPTIMIZERS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "GradientDescent": lambda pick: tf.train.GradientDescentOptimizer(pick(0.0, 0.5, -1.0)),
    "Momentum": lambda pick: tf.train.MomentumOptimizer(pick(0.1, 2.0), pick(0.0, 0.9), use_nesterov=pick(True, False)),
    "Adam": lambda pick: tf.train.AdamOptimizer(pick(0.1, 3.0), pick(0.0, 0.9), pick(0.5, 0.999), pick(1e-8, 0.0)),
    "Adagrad": lambda pick: tf.train.AdagradOptimizer(pick(0.1, 3.0), pick(0.1, 5.0)),
    "AdagradDA": lambda pick: tf.train.AdagradDAOptimizer(
        0.1, tf.constant(3, tf.int64), l1_regularization_strength=pick(0.0, 0.3), l2_regularization_strength=0.1
    ),
    "Adadelta": lambda pick: tf.train.AdadeltaOptimizer(pick(1.0, 0.001), pick(0.0, 0.95), pick(1e-8, 0.0)),
    "ProximalGradientDescent": lambda pick: tf.train.ProximalGradientDescentOptimizer(0.1, pick(0.0, 0.2), 0.3),
    "ProximalAdagrad": lambda pick: tf.train.ProximalAdagradOptimizer(
        0.1, l1_regularization_strength=pick(0.0, 0.2), l2_regularization_strength=pick(0.0, 0.3)
    ),
    "RMSProp": lambda pick: tf.train.RMSPropOptimizer(
        0.1, pick(0.0, 0.9), pick(0.0, 0.5), pick(1e-10, 0.1), centered=pick(True, False)
    ),
    "Ftrl": lambda pick: tf.train.FtrlOptimizer(
        0.1, pick(-0.5, -0.6, -0.25, 0.0), pick(0.1, 2.0), pick(0.0, 0.2), pick(0.0, 0.3),
        l2_shrinkage_regularization_strength=pick(0.0, 0.1),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """One node.

    Attributes:
        kind: what it does.
        what: the op, the kind of write, or the optimizer.
        variable: the variable that it reads or writes.
        inputs: the places of its operands.
        controls: the places of the nodes that it waits for.
        seed: what else it chooses.
    """

    kind: Kind
    what: str = ""
    variable: int = -1
    inputs: tuple[int, ...] = ()
    controls: tuple[int, ...] = ()
    seed: int = 0

    def __str__(self) -> str:
        about = [self.what or self.kind, *([f"v{self.variable}"] if self.variable >= 0 else [])]
        after = f" after {list(self.controls)}" if self.controls else ""
        return f"{' '.join(about)}{list(self.inputs) or ''}{after}"


@dataclass(frozen=True, slots=True)
class GroupProgram:
    """A program and its runs, each a list of the places that it fetches."""

    seed: int
    dtype: str
    shape: tuple[int, ...]
    variables: int
    nodes: tuple[Node, ...]
    runs: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        nodes = "\n".join(f"  {place}: {node}" for place, node in enumerate(self.nodes))
        runs = "\n".join(f"  fetch {list(run)}" for run in self.runs)
        return f"seed {self.seed}: {self.dtype} {self.shape}, {self.variables} variables\n{nodes}\n{runs}"


@cache
def ops_of(dtype: str) -> tuple[tuple[str, int], ...]:
    """The elementwise ops that take operands of a dtype, with their number."""
    found = []
    with tf.Graph().as_default():
        one = tf.constant(np.ones(2), dtype)
        for name, opdef in OPS.items():
            if name not in _OWN or name in ("Cast", "Select"):
                continue
            count = len(opdef.operands)
            try:
                find_op(name)(*[one] * count)
            except (TypeError, ValueError):
                continue
            found.append((name, count))
    return (*found, ("Select", 3), ("Cast", 1))


_OWN = frozenset(name for name, opdef in OPS.items() if opdef.facts.elementwise)
"""Those of the package: tests declare others."""


def random_program(seed: int) -> GroupProgram:
    """The program of a seed."""
    chance = random.Random(seed)
    dtype = chance.choice(DTYPES)
    count = chance.randint(1, 3)
    nodes: list[Node] = [Node("start", variable=i) for i in range(count)]
    nodes += [Node("const", seed=chance.randrange(1000)) for _ in range(2)]
    for _ in range(chance.randint(2, 8)):
        nodes.append(_random_node(chance, dtype, count, nodes))
        if nodes[-1].kind == "write" and chance.random() < 0.6:
            nodes += _of_before(chance, dtype, nodes)
    writes = [p for p, node in enumerate(nodes) if node.kind in ("write", "update")]
    made = [p for p, node in enumerate(nodes) if node.kind == "op"]
    runs = []
    for _ in range(chance.randint(1, 3)):
        some = [*_some(chance, writes, 3), *_some(chance, made[-3:], 3), *_some(chance, made, 4)]
        if chance.random() < 0.15 or not some:  # an old value that is fetched is not overwritten
            some += _some(chance, range(len(nodes)), 2)
        runs.append(tuple(dict.fromkeys(some)))
    return GroupProgram(seed, dtype, chance.choice(SHAPES), count, tuple(nodes), tuple(runs))


def _of_before(chance: random.Random, dtype: str, nodes: Sequence[Node]) -> list[Node]:
    """Something of the value before the last node, a write, and something of both, so that all are in one group."""
    name, operands = chance.choice(ops_of(dtype))
    both, _ = chance.choice([each for each in ops_of(dtype) if each[1] == 2])
    before = Node("op", name, inputs=(nodes[-1].variable,) * operands, seed=1)
    last = (len(nodes) - 1, len(nodes))
    return [before, Node("op", both, inputs=last if chance.random() < 0.5 else last[::-1], seed=1)]


def _some(chance: random.Random, places: Sequence[int], most: int) -> list[int]:
    return chance.sample(places, min(len(places), chance.randint(1, most)))


def _random_node(chance: random.Random, dtype: str, variables: int, nodes: Sequence[Node]) -> Node:
    values = [p for p, node in enumerate(nodes) if node.kind != "update"]
    controls = tuple(chance.sample(range(len(nodes)), 1)) if chance.random() < 0.06 else ()
    variable = chance.randrange(variables)
    kind, seed = chance.random(), chance.randrange(1000)

    def operand() -> int:
        """Now and then the start of a variable, which a write may overwrite."""
        way = chance.random()
        return chance.randrange(variables) if way < 0.35 else chance.choice(values[-4:] if way < 0.8 else values)

    if kind < 0.08:
        return Node("read", variable=variable, controls=controls)
    if kind < 0.60:
        name, count = chance.choice(ops_of(dtype))
        return Node("op", name, inputs=tuple([operand() for _ in range(count)]), controls=controls, seed=seed)
    if kind < 0.68 and dtype in ("float32", "float64"):
        return Node("update", chance.choice(tuple(OPTIMIZERS)), variable, (operand(),), controls, seed)
    what = chance.choice(WRITES[:3] if chance.random() < 0.92 else WRITES)
    return Node("write", what, variable, (operand(),), controls, seed)


class Built:
    """A program as a graph: `elements` are its nodes, `variables` all variables, slots of optimizers too."""

    def __init__(self, program: GroupProgram) -> None:
        self.program = program
        self.graph = tf.Graph()
        self.elements: list[Any] = []
        with self.graph.as_default():
            start = [numbers(program, 2000 + i) for i in range(program.variables)]
            self._own = [tf.Variable(value, name=f"v{i}", dtype=program.dtype) for i, value in enumerate(start)]
            for place, node in enumerate(program.nodes):
                waits = [self.operation(c) for c in node.controls if c not in node.inputs]
                with tf.control_dependencies(waits):
                    self.elements.append(self._made(node, f"n{place}"))
            self.variables = tf.global_variables()
            self.initializer = tf.global_variables_initializer()

    def operation(self, place: int) -> tf.Operation:
        """The operation of a node."""
        element = self.elements[place]
        return element if isinstance(element, tf.Operation) else element.op

    def _made(self, node: Node, name: str) -> Any:
        inputs = [self.elements[i] for i in node.inputs]
        if node.kind == "const":
            return tf.constant(numbers(self.program, node.seed), name=name)
        if node.kind == "op":
            return self._computed(node, inputs, name)
        variable = self._own[node.variable]
        if node.kind == "start":
            return variable.value()
        if node.kind == "read":
            return variable.read_value()
        chance = random.Random(node.seed)
        if node.kind == "update":
            optimizer = OPTIMIZERS[node.what](lambda *choices: chance.choice(choices))
            return optimizer.apply_gradients([(inputs[0], variable)], name=name)
        if node.what == "slice":
            return variable[1:].assign(inputs[0][1:], name=name)
        if node.what.startswith("scatter"):
            rows = np.array([chance.randrange(self.program.shape[0]) for _ in range(chance.randint(1, 3))])
            index = rows[:, None] if "_nd_" in node.what else rows
            return getattr(tf, node.what)(variable, index, tf.gather(inputs[0], rows), name=name)
        return getattr(variable, node.what)(inputs[0], name=name)

    def _computed(self, node: Node, inputs: list[Any], name: str) -> Any:
        if node.what == "Cast":  # to the same dtype, which changes nothing
            return cast(inputs[0], self.program.dtype, name=name)
        if node.what == "Select":
            inputs[0] = tf.not_equal(inputs[0], inputs[1])
        if node.seed % 10 == 0 and len(inputs) == 2:  # one number for all
            first = [0] * len(self.program.shape)
            inputs[1] = tf.reshape(tf.slice(inputs[1], first, [1] * len(first)), [])
        made = find_op(node.what)(*inputs)
        return cast(made, self.program.dtype, name=name)


def numbers(program: GroupProgram, seed: int) -> Any:
    """An array of a program's dtype and shape, with zeros of both signs, NaN and infinity now and then."""
    made = np.random.default_rng(seed)
    dtype = tf.as_dtype(program.dtype).as_numpy_dtype
    if program.dtype in ("int32", "uint8"):
        return made.integers(1, 9, program.shape).astype(dtype)
    values = made.normal(size=program.shape)
    if "complex" in program.dtype:
        values = values + 1j * made.normal(size=program.shape)
    values = np.where(made.random(program.shape) < 0.05, -0.0, values)
    if seed % 4 == 0:
        values = np.where(made.random(program.shape) < 0.05, made.choice([np.nan, np.inf, -np.inf]), values)
    return (values * 2).astype(dtype)
