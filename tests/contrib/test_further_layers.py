"""Layers, summaries and helpers of `tf.contrib.layers` that generators and detectors of 2017 and 2018 use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.tf1 import tensorflow_stand_in

TF: Any = tf
LAYERS: Any = tf.contrib.layers
SLIM: Any = tf.contrib.slim
X = np.random.RandomState(3).randn(4, 5, 6, 3).astype(np.float32)


def test_instance_norm_is_of_each_channel_of_each_example() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = LAYERS.instance_norm(X, epsilon=1e-05, center=True, scale=True, scope="norm")
        turned = X.transpose(0, 3, 1, 2)
        first = LAYERS.instance_norm(turned, epsilon=1e-05, data_format="NCHW", activation_fn=tf.nn.relu)
        plain = LAYERS.instance_norm(X, center=False, scale=False)
        session.run(tf.global_variables_initializer())
        got, other, bare = session.run([y, first, plain])
        names = [v.op.name for v in tf.trainable_variables()]
        assert names == ["norm/beta", "norm/gamma", "InstanceNorm/beta", "InstanceNorm/gamma"]
    wanted = (X - X.mean((1, 2), keepdims=True)) / np.sqrt(X.var((1, 2), keepdims=True) + 1e-5)
    assert np.allclose(got, wanted, atol=1e-4) and np.allclose(bare, wanted, atol=1e-4)
    assert np.allclose(other.transpose(0, 2, 3, 1), np.maximum(wanted, 0), atol=1e-4)


def test_small_ones() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        biased = LAYERS.bias_add(X, tf.nn.relu, tf.constant_initializer(0.5), scope="bias")
        groups = LAYERS.maxout(tf.placeholder_with_default(X.reshape(20, 18), [None, 18]), 6)
        unit, soft = LAYERS.unit_norm(X, 3), LAYERS.softmax(X)
        dense = [LAYERS.linear(X[0, 0], 4, scope="a"), LAYERS.relu(X[0, 0], 4, scope="a", reuse=True)]
        assert groups.shape.as_list() == [None, 6]
        session.run(tf.global_variables_initializer())
        got = session.run([biased, groups, unit, soft, *dense])
        assert tf.trainable_variables()[0].op.name == "bias/biases"
    assert np.allclose(got[0], np.maximum(X + 0.5, 0)) and np.allclose(got[1], X.reshape(20, 6, 3).max(2))
    assert np.allclose((got[2] ** 2).sum(3), 1, atol=1e-3) and np.allclose(got[3].sum(3), 1, atol=1e-5)
    assert np.allclose(np.maximum(got[4], 0), got[5])


def test_losses_of_weights_join_the_collection() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        weights = [tf.constant([1.0, -2.0]), tf.constant([3.0])]
        both = LAYERS.sum_regularizer([LAYERS.l1_regularizer(1.0), LAYERS.l2_regularizer(1.0)])
        total = LAYERS.apply_regularization(both, weights)
        assert graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == [total]
        assert session.run(total) == 6 + 7 and LAYERS.sum_regularizer([None]) is None
        assert session.run(LAYERS.apply_regularization(LAYERS.l1_regularizer(0.0), weights)) == 0
        with pytest.raises(ValueError, match="No weights to regularize"):
            LAYERS.apply_regularization(both)
        with pytest.raises(ValueError, match="scalar Tensor instead of a Tensor with rank 1"):
            LAYERS.apply_regularization(lambda each: each, weights)


def test_summaries_have_the_names_of_what_they_show() -> None:
    with tf.Graph().as_default() as graph:
        tf.add_to_collection("activations", tf.nn.relu6(tf.constant([1.0, 7.0], name="x"), name="r"))
        LAYERS.summarize_activations()
        LAYERS.summarize_tensors([tf.constant(1.0, name="one"), tf.get_variable("w", [2])])
        LAYERS.summarize_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "w")
        kinds = [(each.op.type, each.op.name) for each in graph.get_collection(tf.GraphKeys.SUMMARIES)]
    assert kinds[:4] == [
        ("ScalarSummary", "r/zeros"), ("ScalarSummary", "r/sixes"), ("HistogramSummary", "r/activation"),
        ("ScalarSummary", "one_1"),
    ]  # fmt: skip
    assert [kind for kind, _ in kinds[4:]] == ["HistogramSummary"] * 2


def test_results_are_found_by_the_scope_of_their_layer() -> None:
    with tf.Graph().as_default(), tf.variable_scope("net"):
        with SLIM.arg_scope([SLIM.conv2d, SLIM.max_pool2d, SLIM.batch_norm], outputs_collections="ends"):
            x = SLIM.conv2d(X, 4, [3, 3], scope="conv1")
            x = SLIM.batch_norm(x, scope="norm1")
            x = SLIM.max_pool2d(x, [2, 2], scope="pool1")
        ends = LAYERS.utils.convert_collection_to_dict("ends", clear_collection=True)
        assert list(ends) == ["net/conv1", "net/norm1", "net/pool1"] and ends["net/pool1"] is x
        assert tf.get_collection("ends") == []
        tf.add_to_collection("plain", tf.constant(1, name="one"))
        assert list(LAYERS.utils.convert_collection_to_dict("plain")) == ["net/one"]


def test_helpers_of_layers() -> None:
    utils = LAYERS.utils
    with tf.Graph().as_default():
        assert utils.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
        assert utils.smart_cond(True, lambda: 1, dict) == 1
        one, two = tf.constant(1), tf.constant(2)
        assert isinstance(utils.smart_cond(tf.placeholder(tf.bool, []), lambda: one, lambda: two), tf.Tensor)
        assert utils.constant_value(tf.placeholder(tf.bool, [])) is None and utils.constant_value(3) == 3
        assert utils.get_variable_collections({"w": ["a"]}, "w") == ["a"]
        assert utils.get_variable_collections("b", "w") == "b"
        assert utils.two_element_tuple(3) == (3, 3) and utils.n_positive_integers(3, [1, 2, 3]) == (1, 2, 3)
        with pytest.raises(ValueError, match="must be a positive int, or 2 of them"):
            utils.two_element_tuple([1, 2, 3])
        with pytest.raises(ValueError, match=r"number of features\(18\) is not a multiple"):
            LAYERS.maxout(X.reshape(20, 18), 5)


def test_programs_import_them_from_the_files_where_they_stood() -> None:
    with tensorflow_stand_in():
        from tensorflow.contrib.layers.python.layers import (  # type: ignore[import-untyped]
            initializers,
            optimizers,
            utils,
        )
        from tensorflow.contrib.layers.python.layers.utils import smart_cond  # type: ignore[import-untyped]

        assert utils.smart_cond is smart_cond and optimizers.OPTIMIZER_SUMMARIES
        assert initializers.xavier_initializer is LAYERS.xavier_initializer


def test_a_moving_mean_without_its_start() -> None:
    rows = [np.full([4, 2], value, np.float32) for value in (3.0, 5.0, 11.0)]
    with tf.Graph().as_default(), tf.Session() as session:
        x, training = tf.placeholder(tf.float32, [4, 2]), tf.placeholder(tf.bool, [])
        options = {"zero_debias_moving_mean": True, "updates_collections": None, "is_training": training}
        y = LAYERS.batch_norm(x, decay=0.9, **options)
        mean = next(v for v in tf.global_variables() if v.op.name == "BatchNorm/moving_mean")
        session.run(tf.global_variables_initializer())
        biased = 0.0
        for step, row in enumerate(rows):
            session.run(y, {x: row, training: True})
            session.run(y, {x: row, training: False})
            biased = 0.9 * biased + 0.1 * row[0, 0]
            assert np.allclose(session.run(mean), biased / (1 - 0.9 ** (step + 1)), rtol=1e-5)
