"""Cross entropies: the eras' argument orders, names of nodes, errors, and gradients where shapes are not known."""

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.errors import InvalidArgumentError

LOGITS = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0]], np.float32)
LABELS = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], np.float32)
CLASSES = np.array([2, 1], np.int32)
EXPECTED = np.log(np.exp(LOGITS).sum(1)) - (LOGITS * LABELS).sum(1)


@pytest.mark.parametrize("module", [tf.nn, v1.nn], ids=lambda each: each.__name__)
def test_calls_that_name_labels_and_logits_are_the_same_in_both_namespaces(module: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        losses = [
            module.softmax_cross_entropy_with_logits(labels=LABELS, logits=LOGITS),
            module.softmax_cross_entropy_with_logits_v2(labels=LABELS, logits=LOGITS),
            module.sparse_softmax_cross_entropy_with_logits(labels=CLASSES, logits=LOGITS),
        ]
        sigmoid = module.sigmoid_cross_entropy_with_logits(labels=LABELS, logits=LOGITS)
        weighted = module.weighted_cross_entropy_with_logits(labels=LABELS, logits=LOGITS, pos_weight=1.0)
        for found in session.run(losses):
            assert np.allclose(found, EXPECTED, atol=1e-6)
        one, other = session.run([sigmoid, weighted])
        assert np.allclose(one, other, atol=1e-6)


def test_without_names_the_first_namespace_takes_logits_first() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert np.allclose(session.run(tf.nn.softmax_cross_entropy_with_logits(LOGITS, LABELS)), EXPECTED)
        assert np.allclose(session.run(tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, CLASSES)), EXPECTED)


@pytest.mark.parametrize("name", ["softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits",
                                  "sigmoid_cross_entropy_with_logits"])  # fmt: skip
def test_without_names_tensorflow_1_refuses_the_call_and_nothing_is_added(name: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=rf"Only call `{name}` with named arguments"):
            getattr(v1.nn, name)(LABELS, LOGITS)
        assert graph.get_operations() == []


def test_the_node_has_the_name_of_the_call() -> None:
    with tf.Graph().as_default() as graph:
        logits = tf.placeholder(tf.float32, [None, 3], name="logits")
        for function in (tf.nn.softmax_cross_entropy_with_logits, tf.nn.sigmoid_cross_entropy_with_logits):
            loss = function(labels=tf.ones_like(logits), logits=logits, name="xent")
            assert loss.op.name.startswith("xent") and "/" not in loss.op.name
        assert graph.get_operation_by_name("xent").type == "SoftmaxCrossEntropyWithLogits"


def test_a_training_graph_of_unknown_batch_does_not_ask_which_axes_were_repeated() -> None:
    with tf.Graph().as_default() as graph:
        logits = tf.placeholder(tf.float32, [None, 3])
        loss = tf.nn.softmax_cross_entropy_with_logits(logits, tf.placeholder(tf.float32, [None, 3]))
        tf.gradients(loss, logits)
        assert not [op for op in graph.get_operations() if op.type in ("BroadcastGradientArgs", "Sum")]


def test_gradients_flow_into_the_labels_of_v2_only() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels, logits = tf.constant(LABELS), tf.constant(LOGITS)
        assert tf.gradients(tf.nn.softmax_cross_entropy_with_logits(logits, labels), labels) == [None]
        (slope,) = tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits), labels)
        assert np.allclose(session.run(slope), -session.run(tf.log_softmax(LOGITS)))


def test_labels_that_are_repeated_get_the_sum_of_their_gradients() -> None:
    row = np.array([[0.25, 0.25, 0.5]], np.float32)
    for shape in ([1, 3], None):
        with tf.Graph().as_default(), tf.Session() as session:
            labels = tf.placeholder(tf.float32, shape)
            loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels, tf.constant(LOGITS))
            (slope,) = tf.gradients(loss, labels)
            want = -session.run(tf.log_softmax(LOGITS)).sum(0, keepdims=True)
            assert np.allclose(session.run(slope, {labels: row}), want)


def test_a_label_that_is_no_class_is_named_by_the_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        classes = tf.placeholder(tf.int32, [None])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, classes)
        for wrong in (3, -1):
            with pytest.raises(InvalidArgumentError, match=rf"label value of {wrong} which is outside the valid range"):
                session.run(loss, {classes: [0, wrong]})


def test_a_constant_label_that_is_no_class_is_told_while_building() -> None:
    with tf.Graph().as_default(), pytest.warns(tf.MistakeWarning, match="label value of 7"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, [0, 7])


def test_the_error_of_another_rank_says_which_function_takes_such_labels() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"are those of\s+softmax_cross_entropy_with_logits"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, [[0, 1, 2], [0, 1, 2]])
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"tf\.squeeze\(labels, \[-1\]\)"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, [[0], [1]])


def test_named_sizes_stay_known() -> None:
    with tf.Graph().as_default():
        logits = tf.placeholder(tf.float32, ["batch", "step", 5])
        classes = tf.placeholder(tf.int32, ["batch", "step"])
        assert str(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, classes).shape) == "(batch, step)"
        assert str(tf.nn.softmax_cross_entropy_with_logits(logits, tf.one_hot(classes, 5)).shape) == "(batch, step)"
        assert str(tf.nn.softmax_cross_entropy_with_logits(logits, logits, dim=1).shape) == "(batch, 5)"


def test_equal_logits_of_any_size_have_the_logarithm_of_the_number_of_classes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for size in (0.0, 1e4, -1e4, 1e30):
            logits = np.full((2, 8), size, np.float32)
            loss = session.run(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, [0, 7]))
            assert np.allclose(loss, np.log(8.0))
