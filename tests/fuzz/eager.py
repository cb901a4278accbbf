"""A writer of random programs that runs each line as it is written: it knows the shape and values of everything.

A line that cannot be built, or whose nodes fail in the reference, takes its step with it, unless the program is one
that may fail; then the line stays, and nothing uses what it makes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import penstock as tf
from penstock.config import jit
from penstock.graph.model.nodes import Operation, Tensor

from ..random_graphs import ROWS, Shape, Value, Writer
from ..reference import FailedInside, run_operation
from .extension import Extension


class GiveUp(Exception):
    """The step cannot go on: what it has written is taken back."""


class Failed(Exception):
    """The last line fails in a run, as it may: the step ends there."""


class EagerWriter(Writer):
    """See the module."""

    def __init__(self, seed: int, dtypes: Any, shapes: Any, extension: Extension) -> None:
        super().__init__(seed, dtypes, shapes)
        self.graph = tf.Graph()
        self.known: dict[Tensor, Any] = {}
        self.namespace: dict[str, Any] = {"tf": tf, "np": np, "ops": extension, "arrays": self.program.arrays}
        self.may_fail = False
        self.extended = False
        self.dead: list[str] = []
        self.targets: list[str] = []
        self.after: list[str] = []
        self.features: Counter[str] = Counter()
        self._executed = 0
        self._nodes = 0
        self._tags = 0

    # ---- what steps ask for ---------------------------------------------------------------------

    def tag(self) -> int:
        """A number that no other line has."""
        self._tags += 1
        return self._tags

    def value(self, name: str) -> Any:
        """What a variable holds in the run."""
        return self.known[self.namespace[name]]

    def line(self, text: str) -> None:
        """A line that defines no value of its own."""
        self.program.lines.append(text)
        self._catch_up()

    def fed(self, array: Any) -> str:
        """The name of a placeholder that is fed `array`; steps pick it like any value."""
        name = f"x{self.name()[1:]}"
        dtype = tf.as_dtype(array.dtype).name if array.dtype != object else "string"
        known = [None if self.resizable and d == ROWS else self.one_of([d, None]) for d in array.shape]
        self.program.arrays[name] = array
        self.add(f"{name} = tf.placeholder({dtype!r}, {known})", Value(name, dtype, array.shape))
        return name

    def let(self, expression: str, dtype: str = "", shape: Shape = ()) -> Value:
        """A variable for an expression; its dtype and shape are those of the run."""
        name = self.name()
        line = f"{name} = {expression}"
        if self.after:
            line = f"with tf.control_dependencies([{', '.join(self.after)}]): {line}"
            self.after = []
            self.features["control edges"] += 1
        return self.add(line, Value(name, dtype, shape))

    def add(self, line: str, *values: Value) -> Value:
        self.program.lines.append(line)
        self._catch_up()
        made = [self._as_run(value) for value in values]
        self.program.values += made
        return made[0]

    # ---- one step -------------------------------------------------------------------------------

    def take(self, step: FuzzStep) -> None:
        """Write a step, all of it or nothing."""
        program = self.program
        marks = len(program.lines), len(program.values), set(program.arrays)
        try:
            step(self)
        except Failed:
            self.features["failing lines"] += 1
        except GiveUp:
            del program.lines[marks[0] :], program.values[marks[1] :]
            for name in set(program.arrays) - marks[2]:
                del program.arrays[name]
            self._executed = len(program.lines)
        else:
            self.features[_name_of(step)] += 1
        self.after = []

    def _as_run(self, value: Value) -> Value:
        tensor = self.namespace[value.name]
        return Value(value.name, tensor.dtype.name, self.known[tensor].shape)

    def _catch_up(self) -> None:
        """Run the lines that are new, and the nodes they make."""
        lines = self.program.lines
        text = "\n".join(lines[self._executed :])
        self._executed = len(lines)
        try:
            with self.graph.as_default():
                exec(text, self.namespace)
        except (ValueError, TypeError, NotImplementedError, tf.errors.OpError) as error:
            raise GiveUp from error
        for name, array in self.program.arrays.items():
            if name[0] == "x" and name in self.namespace:
                self.known.setdefault(self.namespace[name], array)
        self._run_new_nodes()

    def _run_new_nodes(self) -> None:
        operations = self.graph.get_operations()
        new, self._nodes = operations[self._nodes :], len(operations)
        failed = False
        mode, jit.mode = jit.mode, "off"
        try:
            with np.errstate(all="ignore"):
                for op in new:
                    ready = all(t in self.known for t in op.inputs)
                    failed |= not ready or self._fails(op)
        finally:
            jit.mode = mode
        if failed and not self.may_fail:
            raise GiveUp
        if failed:
            self.dead.append(self.program.lines[-1].partition(" = ")[0].split(": ")[-1])
            raise Failed

    def _fails(self, op: Operation) -> bool:
        """Whether a new operation fails, or one inside of it; else its results are known from now on."""
        try:
            return run_operation(op, self.known) is not None
        except FailedInside:
            return True


FuzzStep = Callable[[EagerWriter], object]


def _name_of(step: object) -> str:
    return str(getattr(step, "__name__", step)).strip("_")
