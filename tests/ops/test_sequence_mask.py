"""sequence_mask: results and errors that TensorFlow 2.21 was recorded giving, and names of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


def run(tensor: Any, feeds: Any = None) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(tensor, feeds)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("lengths", "maxlen", "want"),
    [
        ([1, 3, 2], 5, [[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]),
        ([1, 3, 2], None, [[1, 0, 0], [1, 1, 1], [1, 1, 0]]),
        ([[1, 3], [2, 0]], None, [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]),
        (3, 5, [1, 1, 1, 0, 0]),
        (3, None, [1, 1, 1]),
        ([-1, 2], None, [[0, 0], [1, 1]]),
        (np.array([1, 200], "u1"), 4, [[1, 0, 0, 0], [1, 1, 1, 1]]),
        (np.array([1, 2], "i8"), np.int64(4), [[1, 0, 0, 0], [1, 1, 0, 0]]),
        ([2], 0, [[]]),
    ],
)
def test_the_first_places_of_each_row_are_true(lengths: Any, maxlen: Any, want: Any) -> None:
    found = run(tf.sequence_mask(lengths, maxlen))
    assert found.dtype == np.bool_ and found.tolist() == np.array(want, bool).tolist()


def test_no_rows_make_no_mask() -> None:
    assert run(tf.sequence_mask(np.zeros(0, "i4"))).shape == (0, 0)
    assert run(tf.sequence_mask(np.zeros(0, "i4"), 3)).shape == (0, 3)


def test_a_long_length_is_not_cut_to_the_dtype_of_maxlen() -> None:
    assert run(tf.sequence_mask(np.array([1, 2**33], "i8"), 2)).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.int8, tf.uint8, tf.int64])
def test_the_mask_is_cast(dtype: Any) -> None:
    found = run(tf.sequence_mask([1, 3], 4, dtype))
    assert found.dtype == dtype.np and found.astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 1, 0]]


def test_maxlen_may_be_a_tensor() -> None:
    most = tf.placeholder(tf.int32, [])
    mask = tf.sequence_mask([1, 3], most)
    assert str(mask.shape) == "(2, ?)"
    assert run(mask, {most: 2}).tolist() == [[True, False], [True, True]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(mask, {most: -1})


def test_a_mask_keeps_the_names_of_sizes() -> None:
    lengths = tf.placeholder(tf.int32, ["batch"])
    x = tf.placeholder(tf.float32, ["batch", "time"])
    assert str(tf.sequence_mask(lengths, tf.shape(x)[1]).shape) == "(batch, time)"
    assert tf.sequence_mask(tf.placeholder(tf.int32)).shape.ndims is None


def test_maxlen_is_a_scalar_that_is_not_negative() -> None:
    with pytest.raises(ValueError, match="Argument `maxlen` must be scalar for sequence_mask"):
        tf.sequence_mask([1], [4])
    with pytest.raises(ValueError, match="Requires start <= limit when delta > 0: 0/-1"):
        tf.sequence_mask([1], -1)


@pytest.mark.parametrize("lengths", [["a"], [True], np.array([1], "u8")])
def test_lengths_are_ints(lengths: Any) -> None:
    with pytest.raises(TypeError, match="lengths has DataType"):
        tf.sequence_mask(lengths, 3)


def test_a_mask_is_no_string() -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.sequence_mask([1], 3, tf.string)


def test_floats_count_as_tensorflow_casts_and_compares_them() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cut = session.run(tf.sequence_mask([1.0, 3.5], 4))  # TensorFlow casts them to the dtype of maxlen
        assert cut.tolist() == [[True, False, False, False], [True, True, True, False]]
        assert session.run(tf.sequence_mask([1.0, 2.5])).tolist() == [[True, False, False], [True, True, True]]
