"""What TensorFlow gives for ordered programs: run by its own interpreter, from the root of the repository.

    python -m tests.variables.tensorflow_side FIRST COUNT OUT.npz

The arrays are called "seed/round/run/fetch 0" and "seed/round/values/variable 0". Variables are by reference for even
seeds. What is read of these is copied (times 1), as TensorFlow's Identity shares memory with the variable.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from .ordered_programs import OrderedProgram
from .sequential_programs import LABELS, MOMENTUM, RATE, ROWS, SHAPE, Node

ROUNDS, NODES, RUNS = 3, 6, 3


class Side:
    """A program in TensorFlow."""

    def __init__(self, tf: Any, ordered: OrderedProgram, by_reference: bool) -> None:
        self.tf = tf
        self.v1 = tf.compat.v1
        self.program = ordered.program
        self.by_reference = by_reference
        self.graph = tf.Graph()
        self.elements: list[Any] = []
        self.fresh: list[Any] = []
        with self.graph.as_default():
            self.variables = [
                self.v1.Variable(value, name=f"v{i}", use_resource=not by_reference)
                for i, value in enumerate(self.program.values)
            ]
            self.fresh += self.variables
            self.optimizer = self.v1.train.MomentumOptimizer(RATE, MOMENTUM)

    def add(self) -> None:
        """Make the nodes that are not in the graph yet."""
        with self.graph.as_default():
            for node in self.program.nodes[len(self.elements) :]:
                controls = [self.elements[c] for c in node.controls]
                with self.graph.control_dependencies(controls):
                    self.elements.append(self._made(node))

    def _value(self, variable: Any) -> Any:
        return variable * self.tf.ones([], variable.dtype.base_dtype) if self.by_reference else variable.read_value()

    def _made(self, node: Node) -> Any:
        tf, v1 = self.tf, self.v1
        inputs = [self.elements[i] for i in node.inputs]
        if node.kind == "const":
            return tf.constant(node.value)
        if node.kind == "group":
            return tf.no_op()
        if node.kind == "draw":
            return v1.random_uniform(SHAPE, -3, 4, self.program.dtype, seed=node.slot)
        if node.kind == "pure":
            return self._pure(node.what, *inputs)
        variable = self.variables[node.variable]
        if node.kind in ("start", "read"):
            return self._value(variable)
        if node.kind == "update":
            gradient = inputs[0]
            if node.what == "sparse":
                gradient = tf.IndexedSlices(gradient, tf.constant(ROWS), tf.constant(SHAPE))
            made = self.optimizer.apply_gradients([(gradient, variable)])
            if len(self.variables) == node.slot:
                self.variables.append(self.optimizer.get_slot(variable, "momentum"))
                self.fresh.append(self.variables[-1])
            return made
        written = self._written(node.what, variable, inputs[0])
        with self.graph.control_dependencies([written]):
            return self._value(variable)

    def _written(self, what: str, variable: Any, value: Any) -> Any:
        if what == "slice":
            return variable[1:].assign(value[1:])
        if what.startswith("assign"):
            return getattr(variable, what)(value)
        rows = np.array(ROWS)[:, None] if "_nd_" in what else np.array(ROWS)
        return getattr(self.v1, what)(variable, rows, value)

    def _pure(self, what: str, a: Any, b: Any) -> Any:
        tf = self.tf
        if what == "rows":
            return tf.gather(a + b, list(ROWS))
        if what not in ("stitched", "mixed"):
            return getattr(tf, what)(a, b)
        places = tf.dynamic_partition(tf.range(3), list(LABELS), 2)
        (low, high), (_, other) = [tf.dynamic_partition(each, list(LABELS), 2) for each in (a, b)]
        parts = [low + low, high - other] if what == "stitched" else [low, other]
        return tf.dynamic_stitch(places, parts)


def results(tf: Any, seed: int) -> dict[str, Any]:
    """What the runs of the program of a seed give."""
    ordered = OrderedProgram(seed)
    side = Side(tf, ordered, by_reference=seed % 2 == 0)
    config = tf.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    found: dict[str, Any] = {}
    with tf.compat.v1.Session(graph=side.graph, config=config) as session:
        for number in range(ROUNDS):
            ordered.grow(NODES)
            side.add()
            session.run([each.initializer for each in side.fresh])
            side.fresh = []
            for k in range(RUNS):
                run = ordered.run()
                operations = [getattr(side.elements[p], "op", side.elements[p]) for p in run.targets]
                feeds = {side.elements[p]: value for p, value in run.feeds.items()}
                got = session.run([*[side.elements[p] for p in run.fetches], *operations], feeds)
                found |= {f"{seed}/{number}/{k}/fetch {i}": got[i] for i in range(len(run.fetches))}
            values = session.run(list(side.variables))
            found |= {f"{seed}/{number}/values/variable {i}": value for i, value in enumerate(values)}
    return found


def main(first: int, count: int, out: str) -> None:
    """Run the programs of some seeds."""
    tf = importlib.import_module("tensorflow")
    tf.compat.v1.disable_eager_execution()
    arrays: dict[str, Any] = {}
    for seed in range(first, first + count):
        arrays |= results(tf, seed)
    np.savez(out, **arrays)
    print(tf.__version__)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
