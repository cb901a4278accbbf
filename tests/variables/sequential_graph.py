"""A program of `sequential_programs` as a graph, and its runs in a session."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import penstock as tf

from ..fuzz.ways import Call
from .sequential_programs import LABELS, MOMENTUM, RATE, ROWS, SHAPE, Array, Node, Program, Run


class Trapped(Exception):
    """What the operand of a write fails with."""


@cache
def numbers(dtype: np.dtype[Any], seed: int, before: int) -> Array:
    """What a random op with a seed gives in a run, after so many runs: in a graph and a session of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = random_op(dtype, seed, "drawn")
        for _ in range(before):
            session.run(drawn)
        made: Array = session.run(drawn)
        return made


def random_op(dtype: np.dtype[Any], seed: int, name: str) -> tf.Tensor:
    """Whole numbers, or floats."""
    made: tf.Tensor = tf.random_uniform(SHAPE, -3, 4, dtype, seed=seed, name=name)
    return made


class Built:
    """The nodes of a program in a graph; `add` adds those that the program has got since.

    With traps, the operand of each write goes through a function, which raises `Trapped` in the node `armed`.
    """

    def __init__(self, program: Program, traps: bool = False) -> None:
        self.program = program
        self.armed = -1
        self._traps = traps
        self.graph = tf.Graph()
        self.elements: list[Any] = []
        self.fresh: list[tf.Variable] = []
        """Slots that have no value yet."""
        program.numbers = numbers
        with self.graph.as_default():
            self.variables = [tf.Variable(value, name=f"v{i}") for i, value in enumerate(program.values)]
            self.initializer = tf.global_variables_initializer()
            self._optimizer = tf.train.MomentumOptimizer(RATE, MOMENTUM)
        self.add()

    def add(self) -> None:
        """Make the nodes that are not in the graph yet."""
        with self.graph.as_default():
            for place in range(len(self.elements), len(self.program.nodes)):
                node = self.program.nodes[place]
                with tf.control_dependencies([self.operation(c) for c in node.controls]):
                    self.elements.append(self._made(node, f"n{place}"))

    def operation(self, place: int) -> tf.Operation:
        """The operation of a node."""
        element = self.elements[place]
        return element if isinstance(element, tf.Operation) else element.op

    def run(self, session: tf.Session, run: Run, call: Call = "run") -> list[Any]:
        """The fetched values."""
        fetches = [*[self.elements[p] for p in run.fetches], *[self.operation(p) for p in run.targets]]
        feeds = {self.elements[place]: value for place, value in run.feeds.items()}
        if call == "callable":
            given = session.make_callable(fetches, list(feeds))(*feeds.values())
        else:
            given = session.run(fetches, feeds, run_metadata=tf.RunMetadata() if call == "recorded" else None)
        return list(given[: len(run.fetches)])

    def initialize(self, session: tf.Session) -> None:
        """Give the slots their values that nodes have got since."""
        session.run([slot.initializer for slot in self.fresh])
        self.fresh = []

    def values(self, session: tf.Session) -> list[Array]:
        """The values of the variables."""
        return list(session.run([v.value() for v in self.variables]))

    def _trapped(self, operand: tf.Tensor, place: int) -> tf.Tensor:
        def through(array: Array) -> Array:
            if self.armed == place:
                raise Trapped
            return array

        made: tf.Tensor = tf.py_func(through, [operand], operand.dtype, name=f"trap{place}")
        made.set_shape(operand.shape)
        return made

    def _made(self, node: Node, name: str) -> Any:
        inputs = [self.elements[i] for i in node.inputs]
        if node.kind == "const":
            return tf.constant(node.value, name=name)
        if node.kind == "group":
            return tf.no_op(name=name)
        if node.kind == "pure":
            return (FUNCTIONS.get(node.what) or getattr(tf, node.what))(*inputs, name=name)
        if node.kind == "draw":
            return random_op(self.program.dtype, node.slot, name)
        variable = self.variables[node.variable]
        if node.kind == "start":
            return variable.value()
        if node.kind == "read":
            return variable.read_value()
        if self._traps:
            inputs = [self._trapped(inputs[0], len(self.elements))]
        if node.kind == "update":
            return self._updated(variable, node, inputs[0], name)
        if node.what == "slice":
            return variable[1:].assign(inputs[0][1:], name=name)
        if node.what.startswith("scatter"):
            rows = np.array(ROWS)[:, None] if "_nd_" in node.what else np.array(ROWS)
            return getattr(tf, node.what)(variable, rows, inputs[0], name=name)
        return getattr(variable, node.what)(inputs[0], name=name)

    def _updated(self, variable: tf.Variable, node: Node, gradient: tf.Tensor, name: str) -> tf.Operation:
        given = tf.IndexedSlices(gradient, tf.constant(ROWS), tf.constant(SHAPE)) if node.what == "sparse" else gradient
        made = self._optimizer.apply_gradients([(given, variable)], name=name)
        if len(self.variables) == node.slot:
            slot = self._optimizer.get_slot(variable, "momentum")
            assert slot is not None
            self.variables.append(slot)
            self.fresh.append(slot)
        return made


def _stitched(a: tf.Tensor, b: tf.Tensor, name: str) -> tf.Tensor:
    """The rows of one part twice as large, those of the other less b."""
    low, high = tf.dynamic_partition(a, list(LABELS), 2)
    return _joined(low + low, high - tf.dynamic_partition(b, list(LABELS), 2)[1], name)


def _mixed(a: tf.Tensor, b: tf.Tensor, name: str) -> tf.Tensor:
    """The rows of one part from the one, those of the other from the other."""
    return _joined(tf.dynamic_partition(a, list(LABELS), 2)[0], tf.dynamic_partition(b, list(LABELS), 2)[1], name)


def _joined(low: tf.Tensor, high: tf.Tensor, name: str) -> tf.Tensor:
    made: tf.Tensor = tf.dynamic_stitch(tf.dynamic_partition(tf.range(3), list(LABELS), 2), [low, high], name=name)
    return made


def _rows(a: tf.Tensor, b: tf.Tensor, name: str) -> tf.Tensor:
    made: tf.Tensor = tf.gather(a + b, list(ROWS), name=name)
    return made


FUNCTIONS: dict[str, Any] = {"stitched": _stitched, "mixed": _mixed, "rows": _rows}
"""The functions of PARTS."""
