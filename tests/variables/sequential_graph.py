"""A program of `sequential_programs` as a graph, and its runs in a session."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf

from .sequential_programs import ROWS, Array, Node, Program, Run


class Trapped(Exception):
    """What the operand of a write fails with."""


SCATTERS = ("scatter_update", "scatter_add", "scatter_max")


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
        with self.graph.as_default():
            self.variables = [tf.Variable(value, name=f"v{i}") for i, value in enumerate(program.values)]
            self.initializer = tf.global_variables_initializer()
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

    def run(self, session: tf.Session, run: Run, recorded: bool = False) -> list[Any]:
        """The fetched values."""
        fetches = [*[self.elements[p] for p in run.fetches], *[self.operation(p) for p in run.targets]]
        feeds = {self.elements[place]: value for place, value in run.feeds.items()}
        metadata = tf.RunMetadata() if recorded else None
        return list(session.run(fetches, feeds, run_metadata=metadata)[: len(run.fetches)])

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
            return getattr(tf, node.what)(*inputs, name=name)
        variable = self.variables[node.variable]
        if node.kind == "start":
            return variable.value()
        if node.kind == "read":
            return variable.read_value()
        if self._traps:
            inputs = [self._trapped(inputs[0], len(self.elements))]
        if node.what in SCATTERS:
            return getattr(tf, node.what)(variable, np.array(ROWS), inputs[0], name=name)
        return getattr(variable, node.what)(inputs[0], name=name)
