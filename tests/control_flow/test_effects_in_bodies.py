"""Effects in branches and loops happen in the order of the body's graph, each iteration after the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def run(fetch: Any, threads: int = 1) -> Any:
    with tf.Session(config=tf.SessionConfig(threads=threads)) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch)


def noting() -> tuple[list[Any], Callable[..., Any]]:
    """A list, and a function that builds a node which adds a value to it."""
    seen: list[Any] = []

    def note(value: Any, word: str) -> Any:
        def add(array: Any) -> Any:
            seen.append((word, int(array)))
            return array

        made = tf.py_func(add, [value], value.dtype, stateful=True)
        made.set_shape([])
        return made

    return seen, note


@pytest.mark.parametrize("threads", [1, 4])
def test_functions_run_in_the_order_of_the_body_and_of_the_iterations(threads: int) -> None:
    seen, note = noting()

    def body(i: Any) -> Any:
        a, b = note(i, "a"), note(i, "b")
        inner = tf.cond(tf.equal(i % 2, 0), lambda: note(i, "even"), lambda: note(i, "odd"))
        c = note(i, "c")
        return i + 1 + 0 * (c + b + a + inner)

    before = note(tf.constant(9), "before")
    loop = tf.while_loop(lambda i: i < 3, body, [0])
    after = note(tf.constant(9), "after")
    run([after, loop, before], threads)
    wanted = [("before", 9)]
    for i in range(3):
        wanted += [("a", i), ("b", i), ("odd" if i % 2 else "even", i), ("c", i)]
    assert seen == [*wanted, ("after", 9)]


def test_prints_of_a_loop_come_in_the_order_of_its_iterations(capfd: pytest.CaptureFixture[str]) -> None:
    def body(i: Any) -> Any:
        return tf.Print(i, [i], "one ") + tf.Print(1, [i * 10], "two ")

    assert run(tf.while_loop(lambda i: i < 3, body, [0])) == 3
    lines = [line for line in capfd.readouterr().err.splitlines() if line]
    assert lines == ["one [0]", "two [0]", "one [1]", "two [10]", "one [2]", "two [20]"]


def test_an_assertion_stops_a_loop_before_the_writes_that_follow_it() -> None:
    w = tf.Variable(0.0, name="w")

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.Assert(i < 2, ["too far", i])]), tf.control_dependencies([w.assign_add(1.0)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 5, body, [0])
    with tf.Session() as session:
        session.run(w.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="too far") as caught:
            session.run(loop)
        assert "i  int32 [] = 2" in str(caught.value)  # the iteration
        assert session.run(w) == 0.0  # a run that fails leaves the old value


def test_random_ops_draw_anew_in_each_iteration_and_as_one_after_the_other() -> None:
    def body(i: Any, drawn: Any) -> Any:
        return i + 1, drawn + tf.one_hot([i], 4, dtype=tf.float32)[0] * tf.random_uniform([], seed=3)

    _, together = tf.while_loop(lambda i, d: i < 4, body, [0, tf.zeros([4])])
    alone = tf.random_uniform([], seed=3)
    with tf.Session() as session:
        first, second = session.run(together), session.run(together)
        wanted = [session.run(alone) for _ in range(8)]
    assert np.array_equal([*first, *second], wanted)


def halved(v: tf.Variable, h: tf.Tensor) -> tf.Tensor:
    """Half of h, by a constant that waits for a write of v."""
    with tf.control_dependencies([v.assign_add(1.0)]):
        return h * 0.5


@pytest.mark.parametrize("with_result", [False, True])
@pytest.mark.parametrize("kind", ["a branch", "a loop", "rows", "a branch in a loop"])
def test_what_a_constant_waits_for_happens_once_where_a_derivative_reads_the_constant(
    kind: str, with_result: bool
) -> None:
    """As in TensorFlow with Switch and Merge; with If, what a derivative alone reads is in the branch that derives."""
    x, v = tf.placeholder(tf.float32, [], name="x"), tf.Variable(0.5, name="v")

    def branch(h: tf.Tensor) -> tf.Tensor:
        result: tf.Tensor = tf.cond(h > 0.0, lambda: halved(v, h), lambda: h)
        return result

    def loop(body: Callable[[tf.Tensor], tf.Tensor]) -> tf.Tensor:
        result: tf.Tensor = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, body(h)), [0, x])[1]
        return result

    made: dict[str, tuple[Callable[[], tf.Tensor], float, int]] = {
        "a branch": (lambda: branch(x), 0.5, 1),
        "a loop": (lambda: loop(lambda h: halved(v, h)), 0.125, 3),
        "rows": (lambda: tf.reduce_sum(tf.map_fn(lambda e: halved(v, e * x), tf.ones([3]))), 1.5, 3),
        "a branch in a loop": (lambda: loop(branch), 0.125, 3),
    }
    build, slope, count = made[kind]
    y = build()
    (g,) = tf.gradients(y, [x])
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run([g, y] if with_result else [g], {x: 2.0})
        assert found[0] == slope and session.run(v) == 0.5 + count
