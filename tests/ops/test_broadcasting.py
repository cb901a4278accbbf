"""broadcast_to and meshgrid: results and errors that TensorFlow 2.21 was recorded giving, names of sizes, memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, DType


def run(tensor: Any) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(tensor)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        ([2, 3], [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]),
        ([3], [0.0, 1.0, 2.0]),
        ([1, 1, 3], [[[0.0, 1.0, 2.0]]]),
        ([0, 3], np.zeros((0, 3)).tolist()),
        (np.array([2, 3], "i8"), [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]),
    ],
)
def test_a_vector_is_repeated_along_new_dimensions(shape: Any, want: Any) -> None:
    tensor = tf.broadcast_to(np.arange(3, dtype="f4"), shape)
    found = run(tensor)
    assert found.tolist() == want and found.dtype == np.float32
    assert tensor.shape.as_list() == list(np.shape(found)) == list(shape)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype_is_broadcast(dtype: DType) -> None:
    value = np.array([[b"a"], [b""]], object) if dtype.is_string else np.array([[1], [0]]).astype(dtype.np)
    found = run(tf.broadcast_to(value, [2, 2]))
    assert found.dtype == dtype.np and found.tolist() == np.repeat(value, 2, 1).tolist()


def test_zeros_keep_their_sign_and_no_number_changes() -> None:
    found = run(tf.broadcast_to([-0.0, float("nan"), float("inf")], [2, 3]))
    assert np.signbit(found[:, 0]).all() and np.isnan(found[:, 1]).all() and np.isinf(found[:, 2]).all()


def test_a_size_of_1_becomes_0_and_a_0_stays() -> None:
    assert run(tf.broadcast_to([[1.0], [2.0]], [2, 0])).shape == (2, 0)
    assert run(tf.broadcast_to(np.zeros((0, 1)), [2, 0, 3])).shape == (2, 0, 3)


def test_names_of_sizes_stay() -> None:
    x = tf.placeholder(tf.float32, ["n", 1])
    assert str(tf.broadcast_to(x, tf.pack([tf.shape(x)[0], 4])).shape) == "(n, 4)"
    assert str(tf.broadcast_to(tf.placeholder(tf.float32, [5, 1]), tf.placeholder(tf.int32, [2])).shape) == "(5, ?)"
    assert tf.broadcast_to(x, tf.placeholder(tf.int32, [None])).shape.ndims is None
    assert str(tf.broadcast_to(tf.placeholder(tf.float32), [2, 3]).shape) == "(2, 3)"


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([3, 2], "Dimensions must be equal, but are 3 and 2"),
        ([2, 0], "Dimensions must be equal, but are 3 and 0"),
        (3, "Shape must be rank 1 but is rank 0"),
        ([[2, 3]], "Shape must be rank 1 but is rank 2"),
        ([-2, 3], "Invalid value in tensor used for shape: -2"),
        (np.zeros(0, "i4"), "Shape must be at most rank 0 but is rank 1"),
    ],
)
def test_what_cannot_fit_is_refused_while_building(shape: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.broadcast_to(np.zeros(3, "f4"), shape)


def test_sizes_are_ints() -> None:
    with pytest.raises(TypeError, match="int32, int64"):
        tf.broadcast_to([1.0], [2.0])


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([3, 2], r"Incompatible shapes: \[3\] vs. \[3,2\]"),
        ([-1, 3], "Dimension -1 must be >= 0"),
        ([], r"Rank of input \(1\) must be no greater than rank of output shape \(0\)"),
        ([[2, 3]], r"shape must be a vector of {int32,int64}, got shape \[1,2\]"),
        ([1 << 40, 1 << 40, 3], "no array is so large"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_run(shape: Any, message: str) -> None:
    x, given = tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.Session(graph=tf.get_default_graph()).run(tf.broadcast_to(x, given), {x: np.zeros(3), given: shape})


def test_a_constant_minus_1_is_told_while_building() -> None:
    with pytest.warns(tf.MistakeWarning, match="Dimension -1 must be >= 0"):
        tf.broadcast_to([1.0, 2.0], [-1, 2])


def test_an_update_in_place_of_a_broadcast_result_changes_one_row() -> None:
    x = tf.placeholder(tf.float32, [3])
    rows = tf.broadcast_to(x + 1.0, [2, 3])
    updated = tf.tensor_scatter_nd_update(rows, [[0]], [[7.0, 8.0, 9.0]])
    found = tf.Session(graph=tf.get_default_graph()).run(updated, {x: [0.0, 1.0, 2.0]})
    assert found.tolist() == [[7.0, 8.0, 9.0], [1.0, 2.0, 3.0]]


def test_a_result_owns_its_memory() -> None:
    x = tf.placeholder(tf.float32, [3])
    given = np.arange(3, dtype="f4")
    found = tf.Session(graph=tf.get_default_graph()).run(tf.broadcast_to(x, [2, 3]), {x: given})
    found[0] = 9.0
    assert given.tolist() == [0.0, 1.0, 2.0] and found[1].tolist() == [0.0, 1.0, 2.0]


# ---- meshgrid -----------------------------------------------------------------------------------


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(3,), (3, 2), (3, 2, 4), (2, 0, 3), (1, 2, 3, 4)])
def test_grids_are_those_of_numpy(indexing: Any, lengths: tuple[int, ...]) -> None:
    vectors = [np.arange(n, dtype="f4") + 10 * i for i, n in enumerate(lengths)]
    found, want = run(tf.meshgrid(*vectors, indexing=indexing)), np.meshgrid(*vectors, indexing=indexing)
    assert len(found) == len(want)
    for ours, theirs in zip(found, want, strict=True):
        assert ours.shape == theirs.shape and ours.tolist() == theirs.tolist()


def test_tensors_of_other_ranks_count_as_vectors() -> None:
    found = run(tf.meshgrid([[1, 2], [3, 4]], [5, 6]))
    assert [grid.tolist() for grid in found] == [[[1, 2, 3, 4]] * 2, [[5] * 4, [6] * 4]]
    assert [grid.tolist() for grid in run(tf.meshgrid(1, [5, 6]))] == [[[1], [1]], [[5], [6]]]


def test_vectors_may_differ_in_dtype() -> None:
    first, second = run(tf.meshgrid([True], ["b", "c"]))
    assert first.tolist() == [[True], [True]] and second.tolist() == [[b"b"], [b"c"]]


def test_no_vectors_make_no_grids() -> None:
    assert tf.meshgrid() == []


def test_grids_keep_the_names_of_sizes() -> None:
    x, y = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.float32, ["m"])
    assert [str(grid.shape) for grid in tf.meshgrid(x, y)] == ["(m, n)"] * 2
    assert [str(grid.shape) for grid in tf.meshgrid(x, y, indexing="ij")] == ["(n, m)"] * 2


def test_another_indexing_is_refused() -> None:
    with pytest.raises(ValueError, match="`indexing` parameter must be either 'xy' or 'ij', got 'zz'"):
        tf.meshgrid([1], indexing="zz")
