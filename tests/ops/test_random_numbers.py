"""Random numbers: the numbers of TensorFlow for the same seeds, and what the seeds decide."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1
from penstock.config import jit
from penstock.errors import InvalidArgumentError
from penstock.extend import Position, random_words, subgraph
from penstock.graph.declare.effects import DRAWING
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import as_dtype

from ..golden_extra.random_calls import LONG, RandomCall, calls
from ..helpers import every_case, of_new_kinds

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
    if value.dtype == np.float64 and "gamma" in call.name:
        np.testing.assert_allclose(value, want, rtol=1e-14)  # 1 + c * x loses digits
        return
    if exact or value.dtype.itemsize == 2:
        np.testing.assert_array_equal(value.astype(want.dtype), want)
        return
    center = abs(call.arguments.get("mean", 0.0))
    unit = np.spacing(np.maximum(np.abs(want), center).astype(value.dtype))
    assert np.all(np.abs(value - want) <= 4 * unit)


def kinds(call: RandomCall) -> Iterator[tuple[str, str]]:
    """What a function is called with: "random_uniform/float16/3x5"."""
    function, *particulars = call.name.split("/")
    yield from [(function, each) for each in particulars]


BY_DAY, AT_NIGHT = of_new_kinds(CALLS, kinds)


@every_case("call", BY_DAY, parts=2)
def test_three_runs_give_the_numbers_of_tensorflow(call: RandomCall) -> None:
    for number, value in enumerate(three_runs(call)):
        assert_recorded(call, number, value)


@pytest.mark.nightly
@every_case("call", AT_NIGHT, parts=2)
def test_three_runs_of_the_other_calls_give_the_numbers_of_tensorflow(call: RandomCall) -> None:
    for number, value in enumerate(three_runs(call)):
        assert_recorded(call, number, value)


def test_every_record_is_compared() -> None:
    assert set(GOLDEN.files) == {f"{call.name}/run {number}" for call in CALLS for number in range(3)}


# ---- seeds --------------------------------------------------------------------------------------

DRAWS: dict[str, Callable[..., Any]] = {
    "shuffle": lambda **seed: tf.random_shuffle(tf.range(30), **seed),
    "crop": lambda **seed: tf.random_crop(tf.range(1 << 20), [2], **seed),
    "multinomial": lambda **seed: tf.multinomial([[0.0] * 9], 30, **seed),
    "gamma": lambda **seed: tf.random_gamma([5], [0.5, 2.0], **seed),
    "dropout": lambda **seed: v1.nn.dropout(tf.ones([100]), 0.5, **seed),
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


def test_a_shuffle_of_rows_keeps_every_row() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant([[i, 10 * i] for i in range(50)])
        a, b = session.run([tf.random_shuffle(rows), tf.random_shuffle(["a", "b", "c"], seed=1)])
    np.testing.assert_array_equal(sorted(a.tolist()), [[i, 10 * i] for i in range(50)])
    assert sorted(b) == [b"a", b"b", b"c"]


def test_a_crop_that_is_too_large_is_an_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match=r"Need value.shape >= size, but size\[1\] is 4 and value has shape"):
            tf.random_crop(tf.zeros([2, 3]), [1, 4])
        x = tf.placeholder(tf.float32, [None])
        crop = tf.random_crop(x, [3])
        assert str(crop.shape) == "(3,)" and session.run(crop, {x: [1, 2, 3]}).tolist() == [1, 2, 3]
        for count in (0, 1, 2):
            with pytest.raises(InvalidArgumentError, match=r"Need value\.shape >= size, got "):
                session.run(crop, {x: [1.0] * count})


def test_wrong_arguments_of_multinomial_are_errors_while_building_or_in_the_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for given, number in (([1.0], 2), ([[1.0]], -1)):
            with pytest.raises(ValueError):
                tf.multinomial(given, number)
        with pytest.raises(TypeError, match="must be int32 or int64, not float32"):
            tf.multinomial([[1.0]], 1, output_dtype=tf.float32)
        logits, count = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        drawn = tf.multinomial(logits, count, output_dtype=tf.int32)
        wrong: tuple[tuple[Any, int, str], ...] = (
            ([1.0], 2, "should be a matrix"), ([[1.0]], -1, "nonnegative"), ([[]], 1, "positive"),
        )
        for value, number, words in wrong:
            with pytest.raises(InvalidArgumentError, match=words):
                session.run(drawn, {logits: value, count: number})
        assert session.run(drawn, {logits: [[0.0]] * 3, count: 2}).shape == (3, 2)


def test_random_gamma_has_a_gradient_for_its_rate_and_says_that_it_has_none_for_its_shape() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        alpha, beta = tf.constant(2.0), tf.constant(4.0)
        x = tf.random_gamma([3], alpha, beta, seed=1)
        drawn, found = session.run([x, tf.gradients(x, beta)[0]])
        np.testing.assert_allclose(found, (-drawn / 4.0).sum(), rtol=1e-5)
        assert tf.gradients(x, alpha) == [None]
        assert "implicit reparameterization" in str(tf.explain_gradient(x, alpha))


# ---- dropout ------------------------------------------------------------------------------------


def test_dropout_passes_gradients_where_elements_stay() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.arange(1.0, 41.0, dtype=np.float32))
        y = v1.nn.dropout(x, rate=0.5, seed=1)
        value, slope = session.run([y, tf.gradients(y, x)[0]])
        np.testing.assert_array_equal(slope, np.where(value == 0, 0, 2))
        assert 0 < np.count_nonzero(value) < 40


def test_dropout_takes_a_probability_that_is_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        keep = tf.placeholder(tf.float32, [])
        x = tf.ones([1000], tf.float64)
        y = v1.nn.dropout(x, keep, seed=1)
        assert y.dtype == tf.float64 and str(y.shape) == "(1000,)"
        assert (session.run(y, {keep: 1.0}) == 1).all()
        assert 150 < np.count_nonzero(session.run(y, {keep: 0.2})) < 250


def test_dropout_that_drops_nothing_is_its_argument_and_counts_as_an_op() -> None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        x = tf.ones([3])
        assert v1.nn.dropout(x, rate=0) is x and v1.nn.dropout(x, 1.0) is x
        assert graph.seeds_of_op(None) == (1, 2)


def test_dropout_decides_along_sizes_of_one_together() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, ["n", 5])
        y = session.run(v1.nn.dropout(x, rate=0.5, noise_shape=[None, 1], seed=1), {x: np.ones((20, 5))})
        assert set(map(tuple, y.tolist())) == {(0.0,) * 5, (2.0,) * 5}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ValueError, "give either keep_prob or rate; neither is given"),
        ({"keep_prob": 0.5, "rate": 0.5}, ValueError, "both are given"),
        ({"keep_prob": 0.0}, ValueError, r"keep_prob is 0.0; it must be in \(0, 1\]"),
        ({"rate": 1}, ValueError, r"rate is 1; it must be in \[0, 1\)"),
        ({"rate": "a"}, TypeError, "rate is 'a'; it must be a number"),
        ({"x": [1], "rate": 0.5}, TypeError, "x is int32; it must be float"),
        ({"rate": 0.5, "noise_shape": [None, 1, 2]}, ValueError, "noise_shape has 3 sizes and x has rank 1"),
    ],
)
def test_wrong_arguments_of_dropout_are_errors(arguments: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(error, match=words):
            v1.nn.dropout(**{"x": [1.0, 2.0], **arguments})
        assert not graph.get_operations()


def test_an_op_that_draws_has_the_effect_of_drawing_and_two_seeds() -> None:
    assert all(op.facts.effects == DRAWING and not op.is_pure for op in OPS.values() if op.draws_rule is not None)
    add = OPS["Add"]
    with pytest.raises(TypeError, match="an op that draws has attributes seed and seed2; this one lacks seed, seed2"):
        add.draws(lambda x, y: 1)
    assert add.is_pure and add.draws_rule is None


def test_a_gamma_distribution_of_no_shape_gives_nan_and_ends() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.random_gamma([3], [float("nan"), -2.0, 4.0], seed=1))
    assert np.isnan(found[:, :2]).all()
    assert (found[:, 2] > 0).all()


@pytest.mark.parametrize("start", [(1 << 64) - 1, (1 << 64) - 3, (1 << 128) - 2, (7 << 64) - 2])
def test_the_carry_of_the_counter_reaches_its_upper_half(start: int) -> None:
    at = Position(key=0x123456789ABCDEF0, counter=start)
    together = random_words(at, 24)
    one_by_one = np.concatenate([random_words(at.skip(i), 4) for i in range(6)])
    np.testing.assert_array_equal(together, one_by_one)
    assert at.skip(6).counter == (start + 6) % (1 << 128)


@pytest.mark.parametrize("mode", ["now", "off"])
def test_numbers_of_a_run_that_crosses_the_carry_are_those_of_runs_before_and_after(
    mode: Literal["now", "off"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "mode", mode)
    blocks, drawn = 20_000, (1 << 64) - 10_001
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [1])
        x = tf.random_uniform(n, 0, 1 << 30, tf.int32, seed=5)
    found = []
    for sizes in ([blocks], [10_000, 1, 3, 9_996]):
        with tf.Session(graph=graph) as session:
            session.run(x, {n: [4]})
            (stream,) = session.random_counters.known(list(session.random_counters.state()))
            stream.drawn = drawn
            parts = []
            for size in sizes:
                parts.append(session.run(x, {n: [4 * size]}))
                drawn_now, stream.drawn = stream.drawn, drawn + sum(map(len, parts)) // 4
                assert drawn_now >= stream.drawn, "a run reserves what it draws"
            found.append(np.concatenate(parts))
    np.testing.assert_array_equal(found[0], found[1])


def test_a_poisson_rate_above_all_numbers_of_a_dtype_ends() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = session.run(tf.random_poisson([1e6, 2.0], [3], "float16", seed=1))
    assert np.isinf(drawn[:, 0]).all() and np.isfinite(drawn[:, 1]).all()
