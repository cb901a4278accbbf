"""SparseTensor: three tensors that fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


def test_the_three_parts_become_tensors_of_one_graph() -> None:
    with tf.Graph().as_default() as graph:
        sparse = tf.SparseTensor(indices=[[0, 1], [1, 2]], values=["a", "b"], dense_shape=[2, 3])
    assert [(t.dtype.name, str(t.shape)) for t in (sparse.indices, sparse.values, sparse.dense_shape)] == [
        ("int64", "(2, 2)"), ("string", "(2,)"), ("int64", "(2,)")]  # fmt: skip
    assert (sparse.graph, sparse.dtype, sparse.op) == (graph, tf.string, sparse.values.op)
    assert repr(sparse) == "<SparseTensor 'SparseTensor/values:0' string (2, 3)>"


def test_the_shape_is_what_dense_shape_is_known_to_say() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 3])
        named = tf.SparseTensor(tf.placeholder(tf.int64, [None, 2]), [1.0], tf.to_int64(tf.shape(x)))
        assert str(named.shape) == "(batch, 3)"
        ranked = tf.SparseTensor(tf.placeholder(tf.int64), [1.0], tf.placeholder(tf.int64, [2]))
        assert ranked.get_shape().ndims == 2
        assert tf.SparseTensor(tf.placeholder(tf.int64), [1.0], tf.placeholder(tf.int64)).shape.ndims is None


def test_parts_go_to_the_graph_of_a_part_that_is_a_tensor() -> None:
    with tf.Graph().as_default() as inner:
        values = tf.placeholder(tf.float32, [1])
    with tf.Graph().as_default() as other, inner.as_default():
        assert tf.SparseTensor([[0]], values, [4]).indices.graph is inner
        assert len(other) == 0


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (([0, 1], [1.0], [2]), r"indices .* Shape must be rank 2 but is rank 1"),
        (([[0]], [[1.0]], [2]), r"values .* Shape must be rank 1 but is rank 2"),
        (([[0]], [1.0], [[2]]), r"dense_shape .* Shape must be rank 1 but is rank 2"),
        (([[0], [1]], [1.0], [2]), "indices has 2 rows but values has 1 entries"),
        (([[0, 0]], [1.0], [2]), "indices has 2 columns but dense_shape has 1 entries"),
        (([[0]], [None], [2]), "None values not supported"),
    ],
)
def test_parts_that_do_not_fit_are_refused_and_leave_nothing(parts: tuple[Any, ...], words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(ValueError, match=words):
        tf.SparseTensor(*parts)
    assert len(graph) == 0


def test_indices_are_int64() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="requested dtype int64 for Tensor with dtype int32"):
            tf.SparseTensor(tf.placeholder(tf.int32, [1, 1]), [1.0], [2])
        with pytest.raises(TypeError, match="Expected int64"):
            tf.SparseTensor([[0.5]], [1.0], [2])


def test_parts_of_two_graphs_are_refused() -> None:
    with tf.Graph().as_default():
        values = tf.placeholder(tf.float32, [1])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="all parts must be from the same graph"):
        tf.SparseTensor(tf.placeholder(tf.int64, [1, 1]), values, [2])


def test_a_sparse_tensor_is_fed_and_fetched_as_a_triple_of_arrays() -> None:
    with tf.Graph().as_default() as graph:
        sparse = tf.SparseTensor(tf.placeholder(tf.int64), tf.placeholder(tf.float32), tf.placeholder(tf.int64))
        doubled: Any = tf.cast(sparse, tf.float64)
    value = tf.SparseTensorValue(np.array([[0, 1]]), np.array([2.5], np.float32), np.array([2, 3]))
    with tf.Session(graph=graph):
        got = doubled.eval({sparse: value})
    assert isinstance(got, tf.SparseTensorValue)
    assert [part.tolist() for part in got] == [[[0, 1]], [2.5], [2, 3]]
    assert [part.dtype.name for part in got] == ["int64", "float64", "int64"]


def test_from_value_takes_a_value_or_a_sparse_tensor_and_refuses_others() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor.from_value(tf.SparseTensorValue([[0, 1]], [2.5], [2, 3]))
        assert tf.SparseTensor.from_value(sparse) is sparse
        assert session.run(sparse).values.tolist() == [2.5]
        with pytest.raises(TypeError, match=r"neither a SparseTensor nor a SparseTensorValue but tuple"):
            tf.SparseTensor.from_value(([[0, 1]], [2.5], [2, 3]))  # type: ignore[arg-type]
