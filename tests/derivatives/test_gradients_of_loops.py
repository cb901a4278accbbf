"""Gradients of branches and loops, first and second, beside differences of the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf

Build = Callable[..., Any]


def repeated(x: Any, w: Any, n: Any = 4) -> Any:
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(y) * w + x), [0, x])[1]


def nested(x: Any, w: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        _, z = tf.while_loop(lambda j, z: j < 3, lambda j, z: (j + 1, tf.sin(z) * w + y), [0, y])
        return i + 1, z * x

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]


def branch_in_loop(x: Any, w: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(y) * w, lambda: y * y + x)

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1]


def gathered(x: Any, w: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.gather(x, i) + w[0]), [0, w[1]])[1]


PROGRAMS: dict[str, tuple[Build, list[tuple[int, ...]]]] = {
    "the branch that is taken": (
        lambda x, w: tf.cond(tf.reduce_sum(x) > -99.0, lambda: tf.tanh(x * w) * x, lambda: w * 3.0), [(3,), (3,)]),
    "the other branch": (
        lambda x, w: tf.cond(tf.reduce_sum(x) > 99.0, lambda: tf.tanh(x * w), lambda: tf.exp(w) * w), [(3,), (3,)]),
    "a loop": (repeated, [(3,), (3,)]),
    "a loop without iterations": (lambda x, w: repeated(x, w, 0), [(3,), (3,)]),
    "map_fn": (lambda x, w: tf.map_fn(lambda r: tf.sin(r * w) * r, x), [(4, 3), (3,)]),
    "scan": (lambda x, w: tf.scan(lambda a, r: tf.tanh(a * w + r), x, initializer=w), [(4, 3), (3,)]),
    "scan backwards": (lambda x, w: tf.scan(lambda a, r: tf.tanh(a * w + r), x, reverse=True), [(4, 3), (3,)]),
    "foldr": (lambda x, w: tf.foldr(lambda a, r: tf.tanh(a * w + r), x, initializer=w), [(4, 3), (3,)]),
    "a loop in a loop": (nested, [(3,), (3,)]),
    "a branch in a loop": (branch_in_loop, [(3,), (3,)]),
    "a loop in a branch": (
        lambda x, w: tf.cond(tf.reduce_sum(x) > -99.0, lambda: repeated(x, w), lambda: x * w), [(3,), (3,)]),
    "a number of iterations that the values decide": (
        lambda x, w: tf.while_loop(lambda y: tf.reduce_sum(tf.abs(y)) < 50.0, lambda y: y * 1.5 + w * w + 0.1, [x]),
        [(3,), (3,)]),
    "maximum_iterations": (
        lambda x, w: tf.while_loop(lambda y: True, lambda y: y * w, [x], maximum_iterations=5), [(3,), (3,)]),
    "loop variables that feed each other": (
        lambda x, w: tf.add_n(tf.while_loop(lambda i, a, b: i < 4, lambda i, a, b: (i + 1, b * w, a + x),
                                            [0, x, w])[1:]), [(3,), (3,)]),
    "rows of a capture": (gathered, [(5,), (3,)]),
    "a loop variable that grows": (
        lambda x, w: tf.while_loop(lambda a: tf.size(a) < 10, lambda a: tf.concat(0, [a * w[0], tf.sin(a)]), [x],
                                   shape_invariants=[tf.TensorShape([None])]), [(3,), (3,)]),
    "scan in map_fn": (
        lambda x, w: tf.map_fn(lambda r: tf.scan(lambda a, q: a * tf.sin(q) + w[0], r, initializer=w[1]), x),
        [(3, 2), (3,)]),
}  # fmt: skip


def differences(session: Any, fetch: Any, feeds: dict[Any, Any], x: Any) -> Any:
    found, fed = np.zeros_like(feeds[x]), list(feeds)
    run = session.make_callable(fetch, fed)
    for at in np.ndindex(*found.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = feeds[x].copy()
            moved[at] += step
            ends.append(run(*[moved if each is x else feeds[each] for each in fed]))
        found[at] = (ends[0] - ends[1]) / 2e-6
    return found


@pytest.mark.share(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives_are_those_of_the_values(name: str) -> None:
    build, shapes = PROGRAMS[name]
    rng = np.random.default_rng(7)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        xs = [tf.placeholder(tf.float64, shape) for shape in shapes]
        feeds = {x: rng.normal(size=shape) * 0.7 for x, shape in zip(xs, shapes, strict=True)}
        value = build(*xs)
        y = tf.reduce_sum(value * value)
        first = [tf.convert_to_tensor(g) for g in tf.gradients(y, xs, unconnected_gradients="zero")]
        z = tf.add_n([tf.reduce_sum(tf.sin(g)) for g in first])
        second = [tf.convert_to_tensor(g) for g in tf.gradients(z, xs, unconnected_gradients="zero")]
        for x, g, h in zip(xs, first, second, strict=True):
            np.testing.assert_allclose(session.run(g, feeds), differences(session, y, feeds, x), rtol=2e-5, atol=1e-6)
            np.testing.assert_allclose(session.run(h, feeds), differences(session, z, feeds, x), rtol=2e-4, atol=1e-5)


def test_values_and_gradients_together_run_each_iteration_once() -> None:
    ran: list[int] = []
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant(2.0)

        def body(i: Any, y: Any) -> Any:
            noted = tf.py_func(lambda k: ran.append(int(k)) or k, [i], tf.int32)  # type: ignore[func-returns-value]
            noted.set_shape([])
            return noted + 1, y * y * x

        y = tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]
        (g,) = tf.gradients(y, x)
        (h,) = tf.gradients(g, x)
        assert session.run([y, g, h]) == [2.0**15, 15 * 2.0**14, 15 * 14 * 2.0**13]
    assert ran == [0, 1, 2]


def test_random_numbers_of_the_forward_pass_are_those_of_the_gradient() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant(3.0)
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.random_uniform([], seed=5)), [0, x])[1]
        (g,) = tf.gradients(y, x)
        for _ in range(3):
            value, slope = session.run([y, g])
            assert value == pytest.approx(3.0 * slope)


def test_back_prop_false_stops_the_gradient() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        y = tf.while_loop(lambda y: y < 9.0, lambda y: y * x, [x], back_prop=False)
        assert tf.gradients(y, x) == [None]
        rows = tf.constant([1.0, 2.0])
        assert tf.gradients(tf.map_fn(lambda row: row * x, rows, back_prop=False), [x, rows]) == [None, None]
        for call in (tf.scan, tf.foldl, tf.foldr):
            assert tf.gradients(call(lambda a, row: a * row * x, rows, back_prop=False), x) == [None], call


def test_a_recomputed_body_has_the_same_gradients() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, w = tf.constant([0.1, 0.2]), tf.constant([0.5, 0.7])
        slopes = []
        for wrap in (lambda f: f, tf.recompute_grad):
            step = wrap(lambda y: tf.tanh(tf.sin(y) * w))
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y, step=step: (i + 1, step(y)), [0, x])[1]
            slopes.append(session.run(tf.gradients(y, [x, w])))
        for a, b in zip(*slopes, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_gradient_of_its_own_is_taken_in_every_iteration() -> None:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.identity(x), lambda g: tf.clip_by_value(g, -0.1, 0.1) * x

    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant([3.0, -2.0])
        y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, clipped(y) * 2.0), [0, x])[1]
        np.testing.assert_allclose(session.run(tf.gradients(y, x)[0]), [0.3, 0.2], rtol=1e-6)


def test_a_result_of_known_sizes_that_is_fed_leaves_the_other_shapes_known() -> None:
    with tf.Graph().as_default():
        x = tf.constant(np.zeros((0, 4)))
        rows = tf.map_fn(tf.identity, x)

        def loop() -> tf.Tensor:
            y = tf.while_loop(lambda i, _: i < 0, lambda i, v: (i + 1, v * 0.5 + rows), [0, (rows - rows) / 2.0])[1]
            return tf.reshape(tf.reshape(y, [-1]), tf.shape(y))

        y = tf.identity(tf.cond(tf.constant(True), loop, lambda: tf.identity(rows)))
        (slope,) = tf.gradients(y, x)
        with tf.Session(config=tf.SessionConfig(verify=True)) as session:
            # A stack without rows has the static rank of one.
            assert session.run(slope, {y: np.zeros((0, 4))}).shape == (0, 4)


FED: dict[str, Callable[[Any], Any]] = {
    "map_fn": lambda x: tf.map_fn(tf.tanh, x),
    "map_fn of two results": lambda x: tf.map_fn(lambda e: (tf.exp(e), tf.tanh(e)), x, dtype=(tf.float64,) * 2)[1],
    "scan": lambda x: tf.scan(lambda a, e: tf.tanh(a * e), x),
    "scan of sums": lambda x: tf.scan(lambda a, e: tf.exp(a + e * 0.1), x),
    "while_loop": lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a)), [0, x])[1],
    "a loop in a map_fn": lambda x: tf.map_fn(
        lambda e: tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tf.sigmoid(a)), [0, e])[1], x),
}  # fmt: skip


@pytest.mark.parametrize("name", FED)
def test_the_gradient_reads_what_a_loop_computed_though_its_result_is_fed(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [3], name="x")
        y = FED[name](x)
        (slope,) = tf.gradients(y, [x])
        (second,) = tf.gradients(slope, [x])
        feeds = {x: np.array([0.1, 0.5, 2.0])}
        wanted = session.run([slope, second], feeds)
        fed = session.run([slope, second, y * 1.0], {**feeds, y: [5.0, 6.0, 7.0]})
        np.testing.assert_array_equal(fed, [*wanted, [5.0, 6.0, 7.0]])


def test_the_gradient_of_a_loop_that_ran_no_iteration_needs_no_shape_of_its_rows() -> None:
    """The feed hides the rank of `t`, which the loops were built with."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None])
        z = tf.mod(x, x)
        t = tf.while_loop(lambda i, v: i < 1, lambda i, v: (i + 1, v - z), [0, x])[1]

        def outer(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            inner = tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, tf.where(u > t, u * 2.0, t)), [0, t])
            return i + 1, inner[1]

        y = tf.while_loop(lambda i, v: i < 1, outer, [0, z])[1]
        slopes = tf.gradients(y, [t, x])
        assert [s.tolist() for s in session.run(slopes, {x: [[-2.0]], z: [[-1.0]]})] == [[[1.0]], [[1.0]]]


@pytest.mark.parametrize("kind", ["a branch", "a loop"])
def test_a_gradient_waits_for_what_its_branch_or_loop_waits_for(kind: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, v, zero = tf.placeholder(tf.float32, []), tf.Variable(1.0), tf.constant(0)
        session.run(v.initializer)
        is_above = x > 0.0
        with tf.control_dependencies([v.assign(5.0)]):
            if kind == "a branch":
                y = tf.cond(is_above, lambda: tf.sin(x * v.read_value()), lambda: x)
            else:
                y = tf.while_loop(lambda i, a: i < 1, lambda i, a: (i + 1, tf.sin(a * v.read_value())), [zero, x])[1]
        assert session.run(tf.gradients(y, x), {x: 0.3}) == [pytest.approx(5.0 * np.cos(1.5), rel=1e-5)]
        assert session.run(v) == 5.0


def test_a_loop_variable_of_which_only_the_start_counts_has_a_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        _, _, total = tf.while_loop(
            lambda i, a, b: i < 3, lambda i, a, b: (i + 1, tf.constant(2.0), b + 7.0 * a), [0, x, 1.0]
        )
        assert session.run([total, *tf.gradients(total, x)], {x: 4.0}) == [1.0 + 7.0 * (4.0 + 2.0 + 2.0), 7.0]


def test_a_loop_runs_once_for_its_value_and_all_its_derivatives() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = (tf.placeholder(tf.float32, []) for _ in range(2))
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) * w + x), [0, tf.exp(x)])[1]
        fetches = [y, *tf.gradients(y, x), *tf.gradients(y, w)]  # one saves the cosines and the other one the sines
        steps = [step.op for step in session.plan(fetches, [x, w]).steps]
    assert steps.count("While") == 3
