"""Reductions combine the right elements along the given axes, whenever the axes become known."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import InvalidArgumentError, ShapeError, ValueRuleError

Array = np.ndarray[Any, np.dtype[Any]]

ORACLES: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "sum": (tf.reduce_sum, np.sum, "i8"),
    "prod": (tf.reduce_prod, np.prod, "i8"),
    "max": (tf.reduce_max, np.max, "f8"),
    "min": (tf.reduce_min, np.min, "f4"),
    "any": (tf.reduce_any, np.any, "?"),
    "all": (tf.reduce_all, np.all, "?"),
    "mean": (tf.reduce_mean, np.mean, "f8"),
}
REDUCTIONS = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod]


def run(fetch: Any, feeds: dict[Any, Any] | None = None) -> Any:
    with tf.Session(graph=fetch.graph) as session:
        return session.run(fetch, feeds)


@st.composite
def shape_and_axes(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int]]:
    """A shape of up to four small sizes, zeros among them, and some of its axes, counted from either end."""
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    rank = len(shape)
    chosen = draw(st.lists(st.integers(0, rank - 1), unique=True)) if rank else []
    return shape, [axis - rank if draw(st.booleans()) else axis for axis in chosen]


@pytest.mark.parametrize("name", ORACLES)
@given(drawn=shape_and_axes(), keepdims=st.booleans(), fed=st.booleans())
def test_a_reduction_agrees_with_numpy_whether_its_axes_are_fed_or_not(
    name: str, drawn: tuple[tuple[int, ...], list[int]], keepdims: bool, fed: bool
) -> None:
    shape, axes = drawn
    build, oracle, dtype = ORACLES[name]
    x = np.random.default_rng(len(axes)).integers(-3, 4, shape).astype(dtype)
    axis = tuple(axes)
    if name in ("max", "min"):
        want = oracle(x, axis=axis, keepdims=keepdims, initial=-np.inf if name == "max" else np.inf) if axes else x
    else:
        with np.errstate(all="ignore"):
            want = total_over_count(x, axis, keepdims) if name == "mean" else oracle(x, axis=axis, keepdims=keepdims)
    with tf.Graph().as_default():
        given_axes = tf.placeholder(tf.int32, [None]) if fed else axes
        out = build(x, given_axes, keepdims)
    got = run(out, {given_axes: axes} if fed else None)
    np.testing.assert_array_equal(got, want)
    assert out.shape.is_compatible_with(np.shape(want))


def total_over_count(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The mean, without NumPy's warning about the mean of nothing."""
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return np.asarray(total) / np.prod([x.shape[a] for a in axis])


@pytest.mark.parametrize("reduce", REDUCTIONS, ids=lambda op: op.__name__)
def test_the_older_names_of_the_arguments_mean_the_same(reduce: Any) -> None:
    x = np.arange(6, dtype="f4").reshape(2, 3)
    with tf.Graph().as_default():
        new = reduce(x, axis=1, keepdims=True)
        old = reduce(x, reduction_indices=[1], keep_dims=True)
        by_place = reduce(x, 1, True, "by_place")
    assert by_place.op.name == "by_place"
    with tf.Session(graph=new.graph) as session:
        values = session.run([new, old, by_place])
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


def test_giving_both_names_is_an_error_that_adds_no_node() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueRuleError, match=r"^reduce_sum: Cannot specify both 'reduction_indices' and 'axis'"):
            tf.reduce_sum([1.0], 0, reduction_indices=0)
        with pytest.raises(ValueRuleError, match=r"^reduce_max: Cannot specify both 'keep_dims' and 'keepdims'"):
            tf.reduce_max([1.0], keepdims=False, keep_dims=False)
        assert len(graph) == 0


def test_an_unknown_argument_is_named_with_the_signature() -> None:
    with pytest.raises(TypeError, match=r"reduce_sum\(input_tensor, .*unexpected keyword argument 'axes'"):
        tf.reduce_sum([1.0], axes=0)  # type: ignore[call-arg]  # the error under test


def test_names_of_dimensions_are_kept() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 3, "time"])
        shapes = [tf.reduce_sum(x, 1).shape, tf.reduce_mean(x, [0], keepdims=True).shape, tf.reduce_max(x, -1).shape]
    assert [str(shape) for shape in shapes] == ["(batch, time)", "(1, 3, time)", "(batch, 3)"]


def test_the_rank_of_the_result_is_known_if_the_number_of_fed_axes_is() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 1, "n"])
        one, two = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [2])
        assert str(tf.reduce_sum(x, one).shape) == "(?, ?)"
        assert str(tf.reduce_sum(x, two).shape) == "(?,)"
        assert str(tf.reduce_sum(x, two, keepdims=True).shape) == "(?, 1, ?)"
        assert str(tf.reduce_sum(x, tf.placeholder(tf.int32, [None])).shape) == "<unknown>"


def test_sizes_are_multiplied_and_added_before_the_run() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3, 4])
        flat = tf.reshape(x, [tf.reduce_prod(tf.shape(x))])
        total = tf.fill([tf.reduce_sum(tf.shape(x))], 0)
        unknown = tf.fill([tf.reduce_prod([tf.shape(x)[0], tf.placeholder(tf.int32, [])])], 0)
    assert (str(flat.shape), str(total.shape), str(unknown.shape)) == ("(12*n,)", "(n+7,)", "(?,)")


@pytest.mark.parametrize("dtype", ["f2", ml_dtypes.bfloat16], ids=["float16", "bfloat16"])
def test_short_floats_are_summed_in_float32(dtype: Any) -> None:
    ones = np.ones(5000, dtype)
    with tf.Graph().as_default() as graph:
        fetches = [tf.reduce_sum(ones), tf.reduce_mean(ones), tf.reduce_prod(ones)]
    with tf.Session(graph=graph) as session:
        total, mean, product = session.run(fetches)
    # Summed in the dtype itself, 5000 ones stop growing at 2048 or 256.
    assert total == ones.dtype.type(5000)
    assert (mean, product) == (1, 1)
    assert total.dtype == ones.dtype


@pytest.mark.parametrize(
    ("values", "dtype", "want"),
    [([-7, 0], "i4", -3), ([100, 100, 100], "i1", 100), ([2**63 - 1, 1], "i8", -(2**62)), ([200, 101], "u1", 150),
     ([2**64 - 1, 2**64 - 1], "u8", 2**63 - 1), ([-(2**63)], "i8", -(2**63))],
)  # fmt: skip
def test_the_mean_of_ints_is_the_quotient_of_a_wide_sum_towards_zero(values: list[int], dtype: str, want: int) -> None:
    with tf.Graph().as_default():
        mean = tf.reduce_mean(np.array(values, dtype))
    assert run(mean) == want


@pytest.mark.parametrize("reduce", REDUCTIONS, ids=lambda op: op.__name__)
def test_nan_propagates_wherever_it_stands(reduce: Any) -> None:
    for length in (1, 2, 17, 100):
        for place in {0, length // 2, length - 1}:
            values = np.linspace(1, 2, length).astype("f4")
            values[place] = np.nan
            with tf.Graph().as_default():
                out = reduce(values)
            assert np.isnan(run(out))


@pytest.mark.parametrize(
    ("axis", "words"),
    [([0, 0], "Axes contains duplicate dimension: 0"), ([0, -2], "Axes contains duplicate dimension: 0"),
     ([2], r"Invalid reduction dimension \(2 for input with 2 dimension"),
     ([[0]], "axis must be a scalar or a vector")],
)  # fmt: skip
def test_axes_that_are_fed_are_checked_by_the_run(axis: list[Any], words: str) -> None:
    with tf.Graph().as_default():
        axes = tf.placeholder(tf.int64)
        out = tf.reduce_any(tf.placeholder_with_default([[True, False]], None), axes)
    with pytest.raises(InvalidArgumentError, match=words):
        run(out, {axes: axis})


def test_a_constant_axis_is_checked_at_build_with_a_caret_under_it() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3])
        with pytest.raises(ValueRuleError, match="Invalid reduction dimension -3 for input with 2 dimensions"):
            tf.reduce_sum(x, -3)
        with pytest.raises((ShapeError, ValueRuleError), match="Shape must be at most rank 1 but is rank 2"):
            tf.reduce_sum(x, [[0]])
        assert len(graph) == 1


def test_logsumexp_neither_overflows_nor_makes_nan_of_infinities() -> None:
    rows = np.array([[1000, 1000], [-1000, -1000], [-np.inf, -np.inf], [np.inf, 0], [np.nan, 0]], "f8")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, ["n", None])
        out = tf.reduce_logsumexp(x, 1)
        kept = tf.reduce_logsumexp(x, keep_dims=True)
    assert (str(out.shape), str(kept.shape)) == ("(n,)", "(1, 1)")
    log2 = np.log(2)
    np.testing.assert_array_equal(run(out, {x: rows}), [1000 + log2, -1000 + log2, -np.inf, np.inf, np.nan])
    assert run(out, {x: np.zeros((2, 0))}).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("reduce", REDUCTIONS, ids=lambda reduce: reduce.type)
def test_what_is_known_in_part_is_reduced_without_error(reduce: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        sizes = reduce(tf.shape(x))
        filled = tf.fill([sizes, 2], 1.0)
        assert filled.shape[1] == 2
        with tf.Session(graph=graph) as session:
            assert session.run([sizes, tf.shape(filled)], {x: np.zeros((3, 3))})[1].tolist() == [
                session.run(reduce(tf.constant([3, 3]))), 2
            ]  # fmt: skip
