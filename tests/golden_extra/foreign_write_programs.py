"""Programs whose branches, loops and functions write variables, and TensorArrays by handle, written by TensorFlow.

Each takes `tf`, TensorFlow's compat.v1, and gives tensors; `record_foreign_writes` writes their graphs. Loops that
write have `parallel_iterations=1`, so that TensorFlow's results do not depend on who comes first.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

Fetches = list[Any]


def _variable(tf: Any, shape: list[int], value: float, name: str = "v") -> Any:
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(value))


def _n(tf: Any) -> Any:
    return tf.placeholder(tf.int32, [], name="n")


def _loop(tf: Any, count: Any, body: Callable[[Any], Any]) -> Any:
    """body(i) gives an operation or a tensor, which each iteration waits for."""

    def step(i: Any) -> Any:
        with tf.control_dependencies([body(i)]):
            return i + 1

    return tf.while_loop(lambda i: i < count, step, [0], parallel_iterations=1)


def _after(tf: Any, before: Any, v: Any) -> Fetches:
    with tf.control_dependencies([before]):
        return [tf.identity(v.read_value(), name="after")]


def branches(tf: Any) -> Fetches:
    n, v = _n(tf), _variable(tf, [], 1.0)

    def inner() -> Any:
        return tf.cond(n > 2, lambda: tf.assign_add(v, 5.0) + 0.0, lambda: v * 3.0)

    return [tf.cond(n > 1, inner, lambda: tf.assign(v, 0.5) + 0.0)]


def rows_in_branches(tf: Any) -> Fetches:
    n, v = _n(tf), _variable(tf, [4, 2], 1.0)
    rows = [[5.0, 5.0], [6.0, 6.0]]
    update, subtract = (lambda f=f, places=places: f(v, places, rows[: len(places)]) + 0.0
                        for f, places in ((tf.scatter_update, [1, 3]), (tf.scatter_sub, [0])))  # fmt: skip
    return [tf.cond(n > 1, update, subtract)]


def plain_reads_in_a_loop(tf: Any) -> Fetches:
    """In the first era the loop lets the value of `v` in, and the variable itself only for the writes."""
    n, v = _n(tf), _variable(tf, [], 1.0)

    def body(i: Any) -> Any:
        return tf.cond(i % 2 > 0, lambda: tf.assign_add(v, 1.0) + 0.0, lambda: tf.assign(v, v * 2.0) + 0.0)

    return _after(tf, _loop(tf, n, body), v)


def loops_inside(tf: Any) -> Fetches:
    n, v = _n(tf), _variable(tf, [], 1.0)
    return _after(tf, _loop(tf, n, lambda i: _loop(tf, i, lambda j: tf.assign(v, v * 0.5 + 1.0))), v)


def training_in_a_loop(tf: Any) -> Fetches:
    n, v = _n(tf), _variable(tf, [3], 2.0)

    def body(i: Any) -> Any:
        return tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v * v), var_list=[v])

    return _after(tf, _loop(tf, n, body), v)


def condition_that_reads(tf: Any) -> Fetches:
    n, v = _n(tf), _variable(tf, [], 0.0)

    def step(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1

    count = tf.while_loop(lambda i: v.read_value() < tf.cast(n, tf.float32), step, [0], parallel_iterations=1)
    return [tf.identity(count, name="count")]


def array_in_a_branch(tf: Any) -> Fetches:
    n, array = _n(tf), tf.TensorArray(tf.float32, size=2, element_shape=[])
    array = array.write(0, 1.0)
    flow = tf.cond(n > 1, lambda: array.write(1, 5.0).flow, lambda: array.write(1, 7.0).flow)
    return [tf.identity(tf.TensorArray(tf.float32, handle=array.handle, flow=flow).stack(), name="rows")]


def array_of_loops_inside(tf: Any) -> Fetches:
    n = _n(tf)

    def outer(i: Any, array: Any) -> Any:
        def inner(j: Any, array: Any) -> Any:
            return j + 1, array.write(i * n + j, tf.cast(i - j, tf.float32))

        return i + 1, tf.while_loop(lambda j, _: j < n, inner, [0, array])[1]

    array = tf.TensorArray(tf.float32, size=n * n, element_shape=[])
    _, array = tf.while_loop(lambda i, _: i < n, outer, [0, array])
    return [tf.identity(array.stack(), name="rows")]


def array_gradients(tf: Any) -> Fetches:
    v = _variable(tf, [2], 3.0)
    n = _n(tf)

    def rows() -> Any:
        array = tf.TensorArray(tf.float32, size=2, element_shape=[], clear_after_read=False).scatter([1, 0], v * v)
        return array.read(0) + 2.0 * array.read(1) + tf.reduce_sum(array.gather([1, 0]))

    y = tf.cond(n > 1, rows, lambda: tf.reduce_sum(v))
    return [tf.identity(y, name="y"), tf.identity(tf.gradients(y, v)[0], name="g")]


def functions_that_write(tf: Any) -> Fetches:
    function = import_module("tensorflow").function
    n, v = _n(tf), _variable(tf, [], 1.0)

    def add(a: Any) -> Any:
        v.assign_add(a)
        return v.read_value() * 2.0

    added = function(add)

    def repeat(a: Any) -> Any:
        for _ in range(3):
            v.assign_add(added(a) * 0.1)
        if a > 1.5:
            v.assign(v * 0.5)
        return v.read_value()

    x = tf.cast(n, tf.float32)
    first = added(x)
    with tf.control_dependencies([first]):
        return [tf.identity(first, name="first"), tf.identity(function(repeat)(x), name="second")]


SECOND_ERA = ("functions_that_write",)
FIRST_ERA = ("array_in_a_branch",)
PROGRAMS: dict[str, Callable[[Any], Fetches]] = {
    f.__name__: f
    for f in (branches, rows_in_branches, plain_reads_in_a_loop, loops_inside, training_in_a_loop, condition_that_reads,
              array_in_a_branch, array_of_loops_inside, array_gradients, functions_that_write)
}  # fmt: skip


class _Random:
    """A program of random statements, one after the other, on two variables and a TensorArray."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.rng = tf, random.Random(seed)
        self.n = _n(tf)
        self.v, self.w = _variable(tf, [3], 1.0), _variable(tf, [], 0.5, "w")

    def result(self) -> Fetches:
        tf = self.tf
        last = self.statements(3, tf.constant(1.0))
        with tf.control_dependencies([last]):
            return [tf.identity(last, "last"), tf.identity(self.v.read_value(), "of_v"),
                    tf.identity(self.w.read_value(), "of_w")]  # fmt: skip

    def statements(self, depth: int, before: Any) -> Any:
        """Some statements, each after the one before; gives a scalar of the last."""
        for _ in range(self.rng.randint(1, 3)):
            with self.tf.control_dependencies([before]):
                before = self.statement(depth, before)
        return before

    def statement(self, depth: int, before: Any) -> Any:
        kinds = [self.write, self.write, self.row]
        return self.rng.choice(kinds + [self.branch, self.loop, self.array] * (depth > 0))(depth, before)

    def number(self, before: Any) -> Any:
        total = self.tf.reduce_sum(self.rng.choice([self.v, self.w]).read_value())
        return self.tf.sin(total * self.rng.choice([0.5, 0.75]) + before * 0.25)

    def write(self, depth: int, before: Any) -> Any:
        tf, variable = self.tf, self.rng.choice([self.v, self.w])
        how = self.rng.choice([tf.assign, tf.assign_add, tf.assign_sub])
        value = self.number(before)
        done = how(variable, tf.fill([3], value) if variable is self.v else value)
        with tf.control_dependencies([done]):
            return tf.reduce_sum(variable.read_value())

    def row(self, depth: int, before: Any) -> Any:
        tf, place = self.tf, self.rng.randint(0, 2)
        done = self.rng.choice([tf.scatter_add, tf.scatter_update])(self.v, [place], [self.number(before)])
        with tf.control_dependencies([done]):
            return self.v.read_value()[place]

    def branch(self, depth: int, before: Any) -> Any:
        predicate = self.rng.choice([self.n > 1, self.number(before) > 0.0])
        one, other = self.rng.randint(0, 1 << 30), self.rng.randint(0, 1 << 30)
        return self.tf.cond(
            predicate, lambda: self.inside(one, depth, before), lambda: self.inside(other, depth, before)
        )

    def inside(self, seed: int, depth: int, before: Any) -> Any:
        """Statements of a body: TensorFlow may call the function twice, and gets the same ones."""
        outer, self.rng = self.rng, random.Random(seed)
        try:
            return self.statements(depth - 1, self.tf.identity(before))
        finally:
            self.rng = outer

    def loop(self, depth: int, before: Any) -> Any:
        seed, count = self.rng.randint(0, 1 << 30), self.rng.choice([2, self.n])

        def body(i: Any, x: Any) -> Any:
            x = self.inside(seed, depth, x)
            with self.tf.control_dependencies([x]):
                return i + 1, x

        return self.tf.while_loop(lambda i, _: i < count, body, [0, before], parallel_iterations=1)[1]

    def array(self, depth: int, before: Any) -> Any:
        tf, number = self.tf, self.number(before)

        def body(i: Any, array: Any) -> Any:
            return i + 1, array.write(i, number + tf.cast(i, tf.float32) * self.w.read_value())

        array = tf.TensorArray(tf.float32, size=3, element_shape=[])
        _, array = tf.while_loop(lambda i, _: i < 3, body, [0, array], parallel_iterations=1)
        return tf.reduce_sum(array.stack() * [0.5, 0.25, 0.125])


def random_program(seed: int) -> Callable[[Any], Fetches]:
    """The program of a seed."""
    return lambda tf: _Random(tf, seed).result()
