"""diag, diag_part and eye: results and errors that TensorFlow 2.21 was recorded giving, and names of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, DType

TAKEN = [tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.complex64, tf.complex128]


def run(tensor: Any, feeds: Any = None) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(tensor, feeds)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_a_matrix_becomes_a_tensor_of_rank_4() -> None:
    want = [[[[1, 0], [0, 0]], [[0, 2], [0, 0]]], [[[0, 0], [3, 0]], [[0, 0], [0, 4]]]]
    assert run(tf.diag([[1, 2], [3, 4]])).tolist() == want


@pytest.mark.parametrize("shape", [(1,), (0,), (0, 2), (2, 3), (1, 2, 1), (2, 1, 3, 2)])
def test_diag_part_takes_out_what_diag_put_in(shape: tuple[int, ...]) -> None:
    value = np.arange(1, 1 + np.prod(shape), dtype="f4").reshape(shape)
    whole = tf.diag(value)
    assert whole.shape.as_list() == [*shape, *shape]
    part, full = run([tf.diag_part(whole), whole])
    assert part.shape == shape and part.tolist() == value.tolist() and full.sum() == value.sum()


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_diagonals_have_the_dtypes_of_tensorflow(dtype: DType) -> None:
    value = tf.zeros([2, 2], dtype)
    if dtype in TAKEN:
        found = run([tf.diag(value), tf.diag_part(value)])
        assert [each.dtype for each in found] == [dtype.np] * 2 and [each.shape for each in found] == [(2,) * 4, (2,)]
        return
    for call in (tf.diag, tf.diag_part):
        with pytest.raises(TypeError, match="not in list of allowed values"):
            call(value)


def test_zeros_keep_their_sign() -> None:
    part = run(tf.diag_part([[-0.0, float("nan")], [1.0, float("inf")]]))
    assert np.signbit(part[0]) and part[1] == np.inf
    whole = run(tf.diag([-0.0, float("nan")]))
    assert np.signbit(whole[0, 0]) and not np.signbit(whole[0, 1]) and np.isnan(whole[1, 1])


def test_a_diagonal_owns_its_memory() -> None:
    x, given = tf.placeholder(tf.float32, [2, 2]), np.ones((2, 2), "f4")
    run(tf.diag_part(x), {x: given})[:] = 5.0
    assert (given == 1.0).all()


def test_diagonals_keep_the_names_of_sizes() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    assert str(tf.diag(x).shape) == "(n, n)"
    assert str(tf.diag_part(tf.diag(x)).shape) == "(n,)"
    assert str(tf.diag_part(tf.placeholder(tf.float32, [None, 3])).shape) == "(3,)"
    assert tf.diag(tf.placeholder(tf.float32)).shape.ndims is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(4), "Input must have even and non-zero rank, input rank is 1"),
        (np.float64(4), "Input must have even and non-zero rank, input rank is 0"),
        (np.zeros((2, 3)), "Dimensions must be equal, but are 2 and 3"),
    ],
)
def test_what_has_no_diagonal_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.diag_part(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(4), r"The rank of the tensor should be even and positive, got shape \[4\]"),
        (np.zeros((2, 3)), r"Invalid shape \[2,3\]: dimensions 0 and 1 do not match"),
    ],
)
def test_the_run_refuses_what_has_no_diagonal(value: Any, message: str) -> None:
    x = tf.placeholder(tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(tf.diag_part(x), {x: value})


def test_a_scalar_is_put_on_no_diagonal() -> None:
    with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
        tf.diag(5)
    x = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input must be at least rank 1, got 0"):
        run(tf.diag(x), {x: 5.0})


# ---- eye ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [d for d in ALL if not d.is_string], ids=str)
@pytest.mark.parametrize(("rows", "columns"), [(2, None), (2, 3), (3, 2), (0, None), (0, 2), (1, 1)])
def test_the_identity_is_that_of_numpy(dtype: DType, rows: int, columns: int | None) -> None:
    tensor = tf.eye(rows, columns, dtype=dtype)
    found = run(tensor)
    assert found.dtype == dtype.np and found.tolist() == np.eye(rows, columns).astype(dtype.np).tolist()
    assert tensor.shape.as_list() == list(found.shape)


def test_a_batch_holds_an_identity_at_each_place() -> None:
    found = run(tf.eye(2, 3, batch_shape=[2, 1]))
    assert found.tolist() == [[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]] * 2
    assert run(tf.eye(2, batch_shape=[])).shape == (2, 2)


def test_sizes_may_be_tensors_and_keep_their_names() -> None:
    x = tf.placeholder(tf.float32, ["n", "m"])
    assert str(tf.eye(tf.shape(x)[0], tf.shape(x)[1]).shape) == "(n, m)"
    assert str(tf.eye(tf.shape(x)[0], 3, batch_shape=tf.shape(x)).shape) == "(n, m, n, 3)"
    count = tf.placeholder(tf.int64, [])
    assert run(tf.eye(count), {count: 2}).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("rows", [2.0, [2], None])
def test_a_number_of_rows_is_an_int(rows: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.eye(rows)


def test_negative_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="Fill dimensions must be >= 0, but num_rows is -1"):
        tf.eye(-1)
    count = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.eye(count), {count: -1})


def test_no_string_is_one() -> None:
    with pytest.raises(TypeError, match="Expected string, but got 1"):
        tf.eye(2, dtype=tf.string)
