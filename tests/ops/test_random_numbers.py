"""Random numbers: the numbers of TensorFlow for the same seeds, and what the seeds decide."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1
from penstock.errors import InvalidArgumentError
from penstock.extend import subgraph
from penstock.graph.dtypes import as_dtype

from ..golden_extra.random_calls import LONG, RandomCall, calls

GOLDEN = np.load(Path(__file__).parents[1] / "golden_extra" / "random.npz")
CALLS = list(calls())


def three_runs(call: RandomCall) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        if call.graph_seed is not None:
            tf.set_random_seed(call.graph_seed)
        function: Any = v1
        for part in call.function.split("."):
            function = getattr(function, part)
        result = function(**call.arguments)
        return [session.run(result) for _ in range(3)]


def assert_recorded(call: RandomCall, number: int, value: Any) -> None:
    want = GOLDEN[f"{call.name}/run {number}"]
    exact = "normal" not in call.function
    if value.size > LONG and exact:
        assert hashlib.sha256(value.tobytes()).digest() == want.tobytes()
        return
    if value.size > LONG:
        value = value.reshape(-1)[::97]
    assert value.shape == want.shape
    if exact or value.dtype.itemsize == 2:
        np.testing.assert_array_equal(value.astype(want.dtype), want)
        return
    center = abs(call.arguments.get("mean", 0.0))
    unit = np.spacing(np.maximum(np.abs(want), center).astype(value.dtype))
    assert np.all(np.abs(value - want) <= 4 * unit)


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_three_runs_give_the_numbers_of_tensorflow(call: RandomCall) -> None:
    for number, value in enumerate(three_runs(call)):
        assert_recorded(call, number, value)


def test_every_record_is_compared() -> None:
    assert set(GOLDEN.files) == {f"{call.name}/run {number}" for call in CALLS for number in range(3)}


# ---- seeds --------------------------------------------------------------------------------------

DRAWS: dict[str, Callable[..., Any]] = {
    "uniform": lambda **seed: tf.random_uniform([5], **seed),
    "ints": lambda **seed: tf.random_uniform([5], 0, 1 << 30, "int64", **seed),
    "normal": lambda **seed: tf.random_normal([5], **seed),
    "truncated": lambda **seed: tf.truncated_normal([5], **seed),
}
draws = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def first_run(graph: tf.Graph, fetch: Any) -> Any:
    return tf.Session(graph=graph).run(fetch)


@draws
def test_without_a_seed_each_session_draws_other_numbers(draw: Callable[..., Any]) -> None:
    with tf.Graph().as_default() as graph:
        x = draw()
    assert not np.array_equal(first_run(graph, x), first_run(graph, x))


@draws
def test_with_a_graph_seed_each_session_draws_the_same_numbers_and_each_op_others(draw: Callable[..., Any]) -> None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5)
        x, y = draw(), draw()
    a, b = first_run(graph, [x, y])
    np.testing.assert_array_equal(first_run(graph, [x, y]), [a, b])
    assert not np.array_equal(a, b)


@draws
def test_runs_of_a_session_draw_other_numbers_and_two_fetches_see_the_same(draw: Callable[..., Any]) -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = draw(seed=1)
        a, b = session.run([x, x])
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, session.run(x))


def test_two_ops_with_equal_seeds_draw_equal_numbers_and_stay_two() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, y = tf.random_uniform([5], seed=1), tf.random_uniform([5], seed=1)
        session.run(x)
        first, second = session.run([x, y])
        assert not np.array_equal(first, second)  # y is one run behind
        np.testing.assert_array_equal(first, session.run(y))


def test_the_seed_of_a_graph_can_be_read_and_removed() -> None:
    graph = tf.Graph()
    assert graph.seed is None
    graph.seed = 7
    assert graph.seed == 7 and graph.seeds_of_op(None) == (7, 0)
    with graph.as_default():
        tf.set_random_seed(None)
        assert tf.get_seed(None) == (None, None) and tf.get_seed(3) == (87654321, 3)


def test_a_body_takes_the_seed_of_the_graph_around_it() -> None:
    graph = tf.Graph()
    graph.seed = 7
    with graph.as_default():
        body = subgraph(lambda x: x + tf.random_uniform([]) + tf.random_uniform([]), [1.0])
        drawn = [op for op in body.operations if op.type == "RandomUniform"]
        assert [(op.get_attr("seed"), op.get_attr("seed2")) for op in drawn] == [(7, 0), (7, 1)]
        assert graph.seeds_of_op(None) == (7, 2)


def test_a_call_that_fails_takes_no_op_seed() -> None:
    graph = tf.Graph()
    graph.seed = 7
    with graph.as_default():
        with pytest.raises(TypeError):
            tf.random_normal([2], mean="a")
        with pytest.raises(ValueError):
            tf.random_uniform([2], maxval=[1.0, 2.0, 3.0])
        assert tf.random_normal([2]).graph.seeds_of_op(None) == (7, 1)


@pytest.mark.parametrize("seed", [1.5, "1", True, [1]])
def test_a_seed_is_an_int(seed: Any) -> None:
    with tf.Graph().as_default() as graph:
        for call in (lambda: tf.set_random_seed(seed), lambda: tf.random_uniform([2], seed=seed)):
            with pytest.raises(TypeError, match="a seed is a Python int or None, not"):
                call()
        assert graph.seed is None and not graph.get_operations()


# ---- calls --------------------------------------------------------------------------------------


def test_the_nodes_have_the_names_of_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        tf.random_uniform([2])
        tf.random_uniform([2], -1.0, 1.0)
        tf.random_uniform([2], maxval=3, dtype=tf.int32)
        tf.random_normal([2], name="noise")
    assert [op.name for op in graph.get_operations()] == [
        "random_uniform/shape", "random_uniform/RandomUniform",
        "random_uniform_1/shape", "random_uniform_1/min", "random_uniform_1/max", "random_uniform_1/RandomUniform",
        "random_uniform_1/sub", "random_uniform_1/mul", "random_uniform_1",
        "random_uniform_2/shape", "random_uniform_2/min", "random_uniform_2/max", "random_uniform_2",
        "noise/shape", "noise/mean", "noise/stddev", "noise/RandomStandardNormal", "noise/mul", "noise",
    ]  # fmt: skip


def test_the_static_shape_follows_from_the_sizes() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        vector = tf.placeholder(tf.int32, [2])
        assert str(tf.random_normal(tf.shape(x)).shape) == "(n, 3)"
        assert str(tf.random_uniform([tf.shape(x)[0], 5]).shape) == "(n, 5)"
        assert str(tf.truncated_normal(vector).shape) == "(?, ?)"
        assert tf.random_uniform(tf.placeholder(tf.int32, [None])).shape.ndims is None


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tf.random_uniform([2], dtype=tf.int32), ValueError, "Must specify maxval for integer dtype int32"),
        (lambda: tf.random_uniform([2], 0, 5, tf.uint8), TypeError, "got invalid value uint8. Accepted dtypes are"),
        (lambda: tf.random_normal([2], dtype=tf.int32), TypeError, "must be one of float16, bfloat16, float32"),
        (lambda: tf.random_uniform([-1]), ValueError, r"sizes must be >= 0, but shape\[0\] is -1"),
        (lambda: tf.random_uniform(3), ValueError, "Shape must be rank 1 but is rank 0"),
        (lambda: tf.random_uniform([2], [0, 1], 5, tf.int32), ValueError, "Shape must be rank 0 but is rank 1"),
    ],
)
def test_a_wrong_call_fails_and_adds_nothing(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(error, match=words):
            call()
        assert not graph.get_operations()


def test_wrong_values_fail_in_the_run_and_take_no_numbers() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sizes = tf.placeholder(tf.int32, [1])
        end = tf.placeholder(tf.int32, [])
        x = tf.random_uniform(sizes, 0, end, tf.int32, seed=1)
        with pytest.raises(InvalidArgumentError, match="Need minval < maxval, got 0 >= 0"):
            session.run(x, {sizes: [3], end: 0})
        with pytest.raises(InvalidArgumentError, match="Dimension -2 must be >= 0"):
            session.run(x, {sizes: [-2], end: 1})
        assert session.run(x, {sizes: [0], end: 0}).shape == (0,)
        assert [each.drawn for each in session.random_state().values()] == [0]


def test_numbers_are_in_range_and_have_the_right_moments() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for dtype in (tf.float32, tf.float64):
            u, n, t = session.run([
                tf.random_uniform([100_000], -2, 3, dtype, seed=1),
                tf.random_normal([100_000], 1.0, 2.0, dtype, seed=2),
                tf.truncated_normal([100_000], 0.0, 1.0, dtype, seed=3),
            ])  # fmt: skip
            assert u.dtype == n.dtype == t.dtype == as_dtype(dtype).np
            assert u.min() >= -2 and u.max() < 3 and abs(u.mean() - 0.5) < 0.02
            assert abs(n.mean() - 1) < 0.03 and abs(n.std() - 2) < 0.03
            assert abs(t).max() < 2 and abs(t.std() - 0.8796) < 0.01


def test_a_gradient_goes_to_mean_and_deviation() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        mean, width = tf.constant(1.0), tf.constant([2.0, 3.0])
        x = tf.random_normal([2], mean, width, seed=1)
        along_mean, along_width = tf.gradients(x, [mean, width])
        drawn, a, b = session.run([x, along_mean, along_width])
        assert a == 2.0
        np.testing.assert_allclose(b, (drawn - 1.0) / [2.0, 3.0], rtol=1e-5)
