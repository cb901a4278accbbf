"""`tf.sparse_placeholder` with a shape that is a constant, as programs of graph networks have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

TF: Any = tf


def test_a_constant_is_a_shape() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = TF.sparse_placeholder(tf.float32, shape=tf.constant([2, 3], dtype=tf.int64))
        assert sparse.shape.as_list() == [2, 3]
        product = tf.sparse_tensor_dense_matmul(sparse, tf.ones([3, 2]))
        fed = (np.array([[0, 1], [1, 2]]), np.array([5.0, 6.0], np.float32), (2, 3))
        assert session.run(product, {sparse: fed}).tolist() == [[5.0, 5.0], [6.0, 6.0]]


def test_a_shape_that_only_a_run_knows_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="not a tensor that only a run knows"):
        TF.sparse_placeholder(tf.float32, tf.placeholder(tf.int64, [2]))
