"""What may be fed: conversion with NumPy, static shapes, and one size for each named dimension of a run."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.shapes.dtypes import ALL

F32 = np.float32
NUMERIC = [d for d in ALL if not d.is_string]


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def fed(tensor: tf.Tensor, value: Any) -> Any:
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tf.identity(tensor), {tensor: value})


# ---- conversion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "value", "result"),
    [
        (tf.float32, [1, 2], [1.0, 2.0]),
        (tf.int32, [1.0, -2.0], [1, -2]),
        (tf.int32, np.array([3, -7], "i8"), [3, -7]),
        (tf.int64, np.array([1, 2], "i1"), [1, 2]),
        (tf.uint8, np.array([1, 255], "u8"), [1, 255]),
        (tf.bool, [0, 1], [False, True]),
        (tf.float64, (1, 2), [1.0, 2.0]),
        (tf.complex64, [1, 2j], [1, 2j]),
        (tf.float32, range(2), [0.0, 1.0]),
        (tf.bfloat16, [1.5, 2.5], [1.5, 2.5]),
    ],
)
def test_what_is_fed_is_converted_with_numpy(dtype: tf.DType, value: Any, result: list[Any]) -> None:
    found = fed(tf.placeholder(dtype, [2]), value)
    assert found.dtype == dtype.np
    assert found.tolist() == result


# NumPy's words for what cannot be done differ from release to release; these are what was fed and what it becomes.
LOSSY = [
    (tf.int32, 1.5, "the value is 1.5 and becomes 1"),
    (tf.int32, np.float32(-2.5), "the value is -2.5 and becomes -2"),
    (tf.int32, [0.0, 1.9], "element [1] is 1.9 and becomes 1"),
    (tf.int32, [2, 1.9], "element [1] is 1.9 and becomes 1"),
    (tf.int32, np.array([[1, 2], [3, 2**40]]), "element [1, 1] is 1099511627776 and becomes 0"),
    (tf.int32, np.array([[1.0, 2.0], [3.0, 4.5]], "f4").T, "element [1, 1] is 4.5 and becomes 4"),
    (tf.uint8, np.array([-1]), "element [0] is -1 and becomes 255"),
    (tf.uint64, np.array([-1]), "element [0] is -1 and becomes 18446744073709551615"),
    (tf.int64, np.array([2**63], "u8"), "element [0] is 9223372036854775808 and becomes -9223372036854775808"),
    (tf.int32, np.zeros(40_000) + (np.arange(40_000) == 39_999) / 2, "element [39999] is 0.5 and becomes 0"),
    (tf.int32, np.array([1 + 2j]), "element [0] is (1+2j) and becomes 1"),
    (tf.float32, np.array([1j]), "element [0] is 1j and becomes 0.0"),
    (tf.float32, 1e300, "the value is 1e+300 and becomes inf"),
    (tf.float32, [float("inf"), 1e300], "element [1] is 1e+300 and becomes inf"),
    (tf.float16, np.array([1.0, 7e4]), "element [1] is 70000.0 and becomes inf"),
    (tf.complex64, 1e300, "the value is 1e+300 and becomes (inf+0j)"),
]


@pytest.mark.parametrize(("dtype", "value", "words"), LOSSY)
def test_a_number_that_changes_on_its_way_in_is_converted_as_numpy_does_and_told(
    dtype: tf.DType, value: Any, words: str
) -> None:
    x = tf.placeholder(dtype, name="x")
    with pytest.warns(tf.LossyFeedWarning) as caught:
        found = fed(x, value)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (found == np.asarray(value, dtype.np)).all()
    text = str(caught[0].message)
    assert text.startswith(f"Feeding Tensor x:0, which has dtype {dtype.name}: {words}. ")
    assert x.op.origin.place in text
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (tf.int32, [1.0, 2.0]),
        (tf.int32, np.array([2.0**31 - 1])),
        (tf.int8, np.array([127, -128])),
        (tf.int64, [2**53 + 1, 1.0]),
        (tf.int32, [True, 2]),
        (tf.int32, []),
        (tf.int32, ["3"]),
        (tf.uint64, [2**64 - 1]),
        (tf.float32, [0.1, 1e-300, float("inf"), float("nan"), -0.0]),
        (tf.float32, 2**24 + 1),
        (tf.float32, np.array([1 + 0j])),
        (tf.float16, 1e-300),
        (tf.bool, [0.5, 2]),
        (tf.bool, np.array([1j])),
    ],
)
def test_rounding_to_a_float_and_truth_are_no_loss(dtype: tf.DType, value: Any) -> None:
    with np.errstate(all="raise"):
        fed(tf.placeholder(dtype), value)  # a warning would be an error here


def test_a_lossy_feed_in_a_loop_is_told_once_and_can_be_made_an_error() -> None:
    x = tf.placeholder(tf.int32, name="x")
    y = tf.identity(x)
    with tf.Session() as session, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for i in range(5):
            session.run(y, {x: i + 0.5})
    assert len(caught) == 1
    with warnings.catch_warnings(), pytest.raises(tf.LossyFeedWarning, match=r"the value is 0\.5 and becomes 0"):
        warnings.simplefilter("error", tf.LossyFeedWarning)
        fed(x, 0.5)


@pytest.mark.parametrize(
    ("dtype", "value"), [(tf.int32, 1 << 40), (tf.uint8, 300), (tf.uint8, -1), (tf.bool, 2), (tf.bool, -1)]
)
def test_an_int_that_does_not_fit_is_refused_in_tensorflows_words(dtype: tf.DType, value: int) -> None:
    x = tf.placeholder(dtype, name="x")
    words = rf"Type of feed value {value} with type <class 'int'> is not compatible with Tensor type {dtype.name}"
    with pytest.raises(TypeError, match=words) as e:
        fed(x, value)
    assert isinstance(e.value, tf.errors.FeedTypeError)
    assert isinstance(e.value, ValueError)


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_any_layout_and_byte_order_may_be_fed(dtype: tf.DType) -> None:
    x = tf.placeholder(dtype, [3, 2])
    plain = np.arange(6).reshape(3, 2).astype(dtype.np)
    wide = np.zeros((6, 4), dtype.np)
    wide[::2, 1::2] = plain
    layouts = {
        "columns first": np.asfortranarray(plain),
        "every second": wide[::2, 1::2],
        "backwards": np.ascontiguousarray(plain[::-1, ::-1])[::-1, ::-1],
        "turned": np.ascontiguousarray(plain.T).T,
        "as lists": plain.tolist(),
    }
    if dtype is not tf.bfloat16:
        layouts["big-endian"] = plain.astype(dtype.np.newbyteorder(">"))
        layouts["not aligned"] = np.frombuffer(b"\0" + plain.tobytes(), np.uint8)[1:].view(dtype.np).reshape(3, 2)
    for name, array in layouts.items():
        found = fed(x, array)
        assert found.dtype == dtype.np, name
        assert found.flags.c_contiguous, name
        assert (found == plain).all(), name


@pytest.mark.parametrize("how", ["S", "U", "object of str", "object of bytes", "list", "bytearray"])
def test_strings_are_fed_from_every_kind_of_array(how: str) -> None:
    texts = ["a", "é b", ""]
    encoded = [t.encode() for t in texts]
    value: Any = {
        "S": np.array(encoded),
        "U": np.array(texts),
        "object of str": np.array(texts, object),
        "object of bytes": np.array(encoded, object),
        "list": texts,
        "bytearray": [bytearray(t) for t in encoded],
    }[how]
    found = fed(tf.placeholder(tf.string, [3]), value)
    assert found.dtype == object
    assert found.tolist() == encoded


def test_one_string_is_a_scalar() -> None:
    assert fed(tf.placeholder(tf.string, []), "text") == b"text"
    assert fed(tf.placeholder(tf.string, []), np.str_("text")) == b"text"
    assert fed(tf.placeholder(tf.string, []), np.array(b"text")) == b"text"


def test_an_array_of_strings_that_is_fed_is_not_written() -> None:
    value = np.array(["a", "b"], object)
    fed(tf.placeholder(tf.string, [2]), value)
    assert value.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (tf.float32, "text"),
        (tf.float32, [["a"]]),
        (tf.float32, None),
        (tf.int32, None),
        (tf.float32, object()),
        (tf.float32, [[1, 2], [3]]),
        (tf.int32, 1 << 40),
        (tf.uint8, [300]),
        (tf.string, 3),
        (tf.string, [1.5]),
        (tf.string, np.zeros(2)),
        (tf.string, [None]),
        (tf.int32, float("nan")),
    ],
)
def test_what_cannot_be_converted_is_a_value_error_with_tensor_dtype_and_value(dtype: tf.DType, value: Any) -> None:
    x = tf.placeholder(dtype, name="x")
    words = rf"Cannot feed .* for Tensor x:0, which has dtype {dtype.name}"
    with pytest.raises(ValueError, match=words):
        fed(x, value)


def test_array_likes_and_subclasses_are_taken_as_arrays() -> None:
    class Boxed:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([1, 2], dtype)

    x = tf.placeholder(tf.float32, [2])
    assert fed(x, Boxed()).tolist() == [1, 2]
    assert type(fed(x, np.ma.masked_array([1.0, 2.0], dtype=F32))) is np.ndarray


# ---- static shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "fits", "differs"),
    [
        ([2, 3], [(2, 3)], [(3, 2), (6,), (2, 3, 1), ()]),
        ([2, None], [(2, 0), (2, 9)], [(3, 3), (2,)]),
        (["n", 3], [(0, 3), (5, 3)], [(3, 5)]),
        ([], [()], [(1,)]),
        (None, [(), (1,), (2, 0, 3)], []),
    ],
)
def test_a_fed_shape_must_fit_the_static_shape(shape: Any, fits: list[Any], differs: list[Any]) -> None:
    x = tf.placeholder(tf.float32, shape, name="x")
    for good in fits:
        assert np.shape(fed(x, np.zeros(good))) == good
    for bad in differs:
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            fed(x, np.zeros(bad))


def test_a_shape_that_does_not_fit_is_told_in_tensorflows_words_and_with_the_line() -> None:
    x = tf.placeholder(tf.float32, [2, None], name="x")  # the placeholder
    with pytest.raises(ValueError) as e:
        fed(x, np.zeros((3, 3)))
    first, second, third = str(e.value).splitlines()
    assert first == "Cannot feed value of shape (3, 3) for Tensor x:0, which has shape (2, ?)"
    assert second.split()[:2] == ["x:0", x.op.origin.place]
    assert second.endswith("# the placeholder")
    assert third == "  Dimension 0 must be 2, not 3."


def test_a_rank_that_does_not_fit_is_told_with_the_rank_to_feed() -> None:
    x = tf.placeholder(tf.float32, ["batch", 3], name="x")
    with pytest.raises(ValueError, match=r"\n  Feed an array of 2 dimensions; this has 1 dimension\.$"):
        fed(x, np.zeros(3))


def test_lists_of_different_lengths_are_told_in_words_of_our_own() -> None:
    x = tf.placeholder(tf.float32, [None, None], name="x")
    with pytest.raises(ValueError, match=r"the inner lists have different lengths, .*\n  x:0  test_feeds"):
        fed(x, [[1, 2, 3], [1, 2]])


def test_an_intermediate_tensor_is_held_to_its_static_shape_too() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.add(x, 1.0, name="y")
    with pytest.raises(ValueError, match=r"shape \(2, 4\) for Tensor y:0, which has shape \(\?, 3\)"):
        fed(y, np.zeros((2, 4)))


# ---- named dimensions -------------------------------------------------------------------------------


def run(fetch: Any, feeds: dict[tf.Tensor, Any]) -> Any:
    with tf.Session(graph=tf.get_default_graph()) as session:
        return session.run(fetch, feeds)


def test_one_name_has_one_size_in_a_run_and_any_size_in_the_next(graph: tf.Graph) -> None:
    x, y = (tf.placeholder(tf.float32, ["batch", 2], name=n) for n in "xy")
    with tf.Session(graph=graph) as session:
        for size in (3, 0, 5):
            assert session.run(x + y, {x: np.ones((size, 2)), y: np.ones((size, 2))}).shape == (size, 2)


def test_two_sizes_for_one_name_are_refused_naming_both_feeds_and_their_lines() -> None:
    x = tf.placeholder(tf.float32, ["batch", 2], name="x")  # the first
    y = tf.placeholder(tf.float32, ["batch"], name="y")  # the second
    with pytest.raises(ValueError, match="Dimension batch cannot have two sizes in one run") as e:
        run([x, y], {x: np.ones((3, 2)), y: np.ones(4)})
    text = str(e.value)
    assert "Tensor y:0 is fed 4, but batch is 3" in text
    here = inspect.getsourcelines(test_two_sizes_for_one_name_are_refused_naming_both_feeds_and_their_lines)[1]
    for name, shape, line in (("x:0", "(batch, 2)", here + 1), ("y:0", "(batch,)", here + 2)):
        assert f"{name}  {shape}  test_feeds.py:{line}" in text
    assert "# the first" in text
    assert "# the second" in text
    assert "bound batch to 3" in text


def test_one_tensor_may_not_give_a_name_two_sizes_either() -> None:
    x = tf.placeholder(tf.float32, ["n", "n"], name="x")
    assert run(x, {x: np.ones((2, 2))}).shape == (2, 2)
    with pytest.raises(ValueError, match="Dimension n cannot have two sizes"):
        run(x, {x: np.ones((2, 3))})


def test_different_names_may_have_different_sizes_or_the_same() -> None:
    x, y = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.float32, ["m"])
    both = tf.concat(0, [x, y])
    assert str(both.shape) == "(m+n,)"
    assert run(both, {x: [1], y: [2, 3]}).tolist() == [1, 2, 3]
    assert run(both, {x: [1], y: [2]}).tolist() == [1, 2]


@given(st.integers(0, 5), st.integers(0, 5), st.permutations([0, 1, 2]))
def test_linear_dimensions_are_solved_whatever_the_order_of_the_feeds(n: int, m: int, order: list[int]) -> None:
    with tf.Graph().as_default():
        size_n, size_m = tf.Dimension("n"), tf.Dimension("m")
        shapes = [[size_n + size_m], [2 * size_n + 1], [size_m + 3]]
        sizes = [n + m, 2 * n + 1, m + 3]
        tensors = [tf.placeholder(tf.float32, s) for s in shapes]
        feeds = {tensors[i]: np.zeros(sizes[i]) for i in order}
        assert [len(r) for r in run(tensors, feeds)] == sizes
        wrong = {t: np.zeros(len(v) + (t is tensors[0])) for t, v in feeds.items()}
        with pytest.raises(ValueError, match=r"Dimension .* cannot have two sizes|no size of"):
            run(tensors, wrong)


@pytest.mark.parametrize(
    ("written", "size", "words"),
    [("2*n", 3, "no size of n gives 3"), ("n+3", 2, "no size of n gives 2"), ("2*n+1", 4, "no size of n gives 4")],
)
def test_a_size_that_no_name_can_give_is_refused(written: str, size: int, words: str) -> None:
    dim = eval(written, {"n": tf.Dimension("n")})
    x = tf.placeholder(tf.float32, [dim], name="x")
    with pytest.raises(ValueError, match=words):
        run(x, {x: np.zeros(size)})


def test_a_sum_of_two_names_alone_may_be_any_size() -> None:
    x = tf.placeholder(tf.float32, [tf.Dimension("n") + tf.Dimension("m")])
    assert len(run(x, {x: np.zeros(7)})) == 7


def test_a_fed_intermediate_binds_names_as_well() -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.placeholder(tf.float32, ["n"], name="y")
    twice = tf.concat(0, [x, x], name="twice")
    assert str(twice.shape) == "(2*n,)"
    assert len(run(twice, {twice: np.zeros(4)})) == 4
    with pytest.raises(ValueError, match="no size of n gives 3"):
        run(twice, {twice: np.zeros(3)})
    with pytest.raises(ValueError, match="cannot have two sizes"):
        run([twice, y], {twice: np.zeros(4), y: np.zeros(3)})


# ---- equations: a name that met a number ------------------------------------------------------------


def test_a_name_merged_with_a_number_must_be_that_number_when_fed() -> None:
    x = tf.placeholder(tf.float32, ["n", 2], name="x")
    packed = tf.pack([x, np.zeros((3, 2), F32)], name="both")
    assert str(packed.shape) == "(2, 3, 2)"
    assert run(packed, {x: np.zeros((3, 2))}).shape == (2, 3, 2)
    with pytest.raises(ValueError, match=r"n is 4 .* because of the feed of x:0.*'both' fit only if it is 3") as e:
        run(packed, {x: np.zeros((4, 2))})
    assert "feed that size" in str(e.value)


def test_an_equation_binds_only_runs_that_use_its_node() -> None:
    x = tf.placeholder(tf.float32, ["n", 2], name="x")
    tf.pack([x, np.zeros((3, 2), F32)])
    assert run(x + 1.0, {x: np.zeros((5, 2))}).shape == (5, 2)


def test_an_equation_is_dropped_with_the_call_that_failed() -> None:
    x = tf.placeholder(tf.float32, ["n", 2], name="x")
    with pytest.raises(ValueError):
        tf.pack([x, np.zeros((3, 2), F32), np.zeros((4, 2), F32)])
    y = x + 1.0
    assert run(y, {x: np.zeros((5, 2))}).shape == (5, 2)


def test_a_broadcast_is_no_equation_because_one_row_may_stretch() -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = x + np.zeros(3, F32)
    assert str(y.shape) == "(3,)"
    assert run(y, {x: [1]}).tolist() == [1, 1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
        run(y, {x: [1, 2]})


# ---- claims: what set_shape says of a name -----------------------------------------------------------


def test_a_size_that_set_shape_gives_to_a_name_holds_for_every_feed_of_that_name() -> None:
    x = tf.placeholder(tf.float32, ["batch"], name="x")
    y = tf.placeholder(tf.float32, ["batch"], name="y")
    x.set_shape([3])
    total, other = tf.reduce_sum(x), tf.reduce_sum(y)
    assert run([total, other], {x: np.ones(3), y: np.ones(3)}) == [3, 3]
    with pytest.raises(tf.errors.FeedError, match=r"batch is 5 .* because of the feed of y:0.*'x' fit only if it is 3"):
        run([total, other], {x: np.ones(3), y: np.ones(5)})
    with pytest.raises(tf.errors.FeedError, match="'x' fit only if it is 3"):
        run(other, {y: np.ones(5)})


def test_a_claim_about_a_computed_tensor_binds_runs_that_compute_it() -> None:
    x = tf.placeholder(tf.float32, ["batch"], name="x")
    twice = tf.concat(0, [x, x], name="twice")
    once = tf.identity(x)
    twice.set_shape([6])
    assert run(once, {x: np.ones(5)}).shape == (5,)
    assert run(twice, {x: np.ones(3)}).shape == (6,)
    with pytest.raises(ValueError, match=r"2\*batch is 10 in this run because.*'twice' fit only if it is 6"):
        run(twice, {x: np.ones(5)})
    assert run(twice + 1.0, {twice: np.ones(6)}).shape == (6,)
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        run(twice + 1.0, {twice: np.ones(5)})


def test_two_names_that_set_shape_calls_equal_are_compared() -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.placeholder(tf.float32, ["m"], name="y")
    x.set_shape(["m"])
    assert str(x.shape) == "(n,)"
    assert run([x, y], {x: np.ones(3), y: np.ones(3)})[0].shape == (3,)
    with pytest.raises(ValueError, match=r"n is 3 .* the feed of x:0.*'x' fit only if it equals m, which is 4"):
        run([x, y], {x: np.ones(3), y: np.ones(4)})


def test_a_claim_that_adds_nothing_to_the_shape_is_kept_too() -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.placeholder(tf.float32, ["m"], name="y")
    before = x.shape
    x.set_shape(["m"])
    assert x.shape == before and x in x.graph.pinned
    with pytest.raises(ValueError, match="fit only if it equals m"):
        run([x, y], {x: np.ones(3), y: np.ones(4)})


def test_claims_of_set_shape_come_back_from_a_file(tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["batch"], name="x")
    tf.placeholder(tf.float32, ["batch"], name="y")
    x.set_shape([3])
    loaded = tf.load_graph(tf.save_graph(x.graph, tmp_path / "graph.json"))
    with tf.Session(graph=loaded) as session, pytest.raises(ValueError, match="'x' fit only if it is 3"):
        session.run("y:0", {"y:0": np.ones(5)})


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool", "string"])
def test_a_masked_array_in_which_something_is_masked_is_refused_with_the_cure(dtype: str) -> None:
    x = tf.placeholder(dtype, [2], name="x")
    values = np.array([b"a", b"b"], object) if dtype == "string" else np.array([1, 2], x.dtype.np)
    with pytest.raises(tf.errors.FeedError, match=r"1 of 2 entries of a masked array .*\.filled\(value\)"):
        fed(x, np.ma.masked_array(values, [False, True]))
    assert fed(x, np.ma.masked_array(values, [False, False])).tolist() == values.tolist()
    assert fed(x, np.ma.masked_array(values)).tolist() == values.tolist()


def test_masked_arrays_in_a_list_and_the_masked_number_are_refused() -> None:
    x, y = tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.float32, [])
    with pytest.raises(tf.errors.FeedError, match="masked"):
        fed(x, [np.ones(2), np.ma.masked_array([1.0, 2.0], [False, True])])
    with pytest.raises(tf.errors.FeedError, match="masked"):
        fed(y, np.ma.masked)
