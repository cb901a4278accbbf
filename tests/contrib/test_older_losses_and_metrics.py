"""`tf.contrib.losses` and `tf.contrib.metrics` beside `tf.losses` and `tf.metrics`; losses of embeddings."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import penstock as tf

LOSSES: Any = tf.contrib.losses
METRICS: Any = tf.contrib.metrics
RNG = np.random.RandomState(3)
SCORES, LABELS = RNG.rand(5, 4).astype(np.float32), (RNG.rand(5, 4) > 0.5).astype(np.float32)
WEIGHTS = np.array([1.0, 0.0, 2.0, 0.5, 1.0], np.float32)


def run(call: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        made = call()
        session.run(tf.local_variables_initializer())
        return session.run(made)


@pytest.mark.parametrize("name", ["absolute_difference", "mean_squared_error", "log_loss", "sigmoid_cross_entropy"])
def test_a_loss_is_that_of_tf_losses_and_takes_a_weight_for_each_row(name: str) -> None:
    own, other = getattr(LOSSES, name), getattr(tf.losses, name)
    assert run(lambda: own(SCORES, LABELS)) == run(lambda: other(LABELS, SCORES))
    assert run(lambda: own(SCORES, LABELS, WEIGHTS)) == run(lambda: other(LABELS, SCORES, WEIGHTS[:, None]))
    with tf.Graph().as_default():
        made = own(SCORES, LABELS, scope="mine")
        assert tf.losses.get_losses() == [made] and made.name.startswith("mine/")


def test_losses_of_classes_and_directions_take_predictions_first() -> None:
    classes = np.array([0, 3, 1, 2, 2])
    onehot = np.eye(4, dtype=np.float32)[classes]
    want = run(lambda: tf.losses.softmax_cross_entropy(onehot, SCORES, WEIGHTS))
    assert run(lambda: LOSSES.softmax_cross_entropy(SCORES, onehot, WEIGHTS)) == want
    assert run(lambda: LOSSES.sparse_softmax_cross_entropy(SCORES, classes, WEIGHTS)) == pytest.approx(want, rel=1e-6)
    unit = SCORES / np.linalg.norm(SCORES, axis=1, keepdims=True)
    assert run(lambda: LOSSES.cosine_distance(unit, unit, 1)) == pytest.approx(0, abs=1e-6)
    assert np.allclose(run(lambda: LOSSES.hinge_loss(SCORES, LABELS)), np.maximum(1 - (2 * LABELS - 1) * SCORES, 0))
    weighted = run(lambda: LOSSES.compute_weighted_loss(SCORES, WEIGHTS))
    assert weighted == pytest.approx((SCORES * WEIGHTS[:, None]).sum() / 16)
    pairwise = run(lambda: LOSSES.mean_pairwise_squared_error(SCORES, LABELS))
    assert pairwise == run(lambda: tf.losses.mean_pairwise_squared_error(LABELS, SCORES))


def _semihard(labels: Any, points: Any, margin: float) -> float:
    distances = ((points[:, None] - points[None]) ** 2).sum(-1)
    losses = []
    for a in range(len(points)):
        others = distances[a][labels != labels[a]]
        for p in range(len(points)):
            if p == a or labels[p] != labels[a]:
                continue
            farther = others[others > distances[a, p]]
            n = farther.min() if farther.size else others.max()
            losses.append(max(0.0, margin + distances[a, p] - n))
    return float(np.mean(losses))


def test_losses_of_embeddings_are_those_of_their_formulas() -> None:
    labels = np.array([0, 0, 1, 1, 2, 0, 2, 1])
    points = RNG.randn(8, 3).astype(np.float32)
    learning = LOSSES.metric_learning
    for margin in (0.2, 1.0, 3.0):
        want = _semihard(labels, points, margin)
        assert run(lambda m=margin: learning.triplet_semihard_loss(labels, points, m)) == pytest.approx(want, rel=1e-4)
    others = RNG.randn(8, 3).astype(np.float32)
    same = (labels == 0).astype(np.int32)
    d = np.linalg.norm(points - others, axis=1)
    want = np.mean(same * d**2 + (1 - same) * np.maximum(1 - d, 0) ** 2)
    assert run(lambda: learning.contrastive_loss(same, points, others)) == pytest.approx(want, rel=1e-5)
    logits = points @ others.T
    targets = (labels[:, None] == labels[None]).astype(float)
    targets /= targets.sum(1, keepdims=True)
    entropy = (np.log(np.exp(logits).sum(1)) - (targets * logits).sum(1)).mean()
    norms = (points**2).sum(1).mean() + (others**2).sum(1).mean()
    found = run(lambda: learning.npairs_loss(labels, points, others))
    assert found == pytest.approx(entropy + 0.25 * 0.002 * norms, rel=1e-5)


def test_gradients_of_semihard_triplets_are_finite_where_embeddings_are_equal() -> None:
    def call() -> Any:
        points = tf.constant(np.ones((4, 2), np.float32))
        return tf.gradients(LOSSES.metric_learning.triplet_semihard_loss([0, 0, 1, 1], points), points)

    assert np.isfinite(run(call)[0]).all()


def test_a_metric_is_that_of_tf_metrics_with_predictions_first() -> None:
    predictions, labels = np.array([1, 2, 2, 0]), np.array([1, 2, 1, 0])
    for name, more in (("accuracy", ()), ("mean_squared_error", ()), ("mean_iou", (3,))):
        own, other = getattr(METRICS, f"streaming_{name}"), getattr(tf.metrics, name)
        found = run(lambda own=own, more=more: own(predictions, labels, *more)[1])
        assert np.array_equal(found, run(lambda other=other, more=more: other(labels, predictions, *more)[1]))
    assert run(lambda: METRICS.streaming_recall([1, 0, 1, 1], [1, 1, 0, 0])[1]) == pytest.approx(0.5)
    assert run(lambda: METRICS.streaming_mean([1.0, 3.0])[1]) == 2.0
    signature = inspect.signature(METRICS.streaming_auc)
    assert list(signature.parameters)[:4] == ["predictions", "labels", "weights", "num_thresholds"]
    with tf.Graph().as_default():
        METRICS.streaming_accuracy(predictions, labels)
        assert [each.name for each in tf.local_variables()] == ["accuracy/total:0", "accuracy/count:0"]


def test_metrics_of_one_batch_and_their_collections() -> None:
    assert run(lambda: METRICS.accuracy([1, 2, 3], [1, 0, 3], [1.0, 1.0, 0.0])) == 0.5
    with tf.Graph().as_default():
        values, updates = METRICS.aggregate_metric_map({"a": METRICS.streaming_mean([1.0])})
        assert list(values) == list(updates) == ["a"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: METRICS.accuracy([0.5], [0.5]), ValueError, "bool, string, or integer dtype"),
        (lambda: METRICS.accuracy([1], tf.constant([1], tf.int64)), ValueError, "Dtypes of predictions and labels"),
        (lambda: METRICS.accuracy([1], [1, 2]), ValueError, "should match"),
        (lambda: METRICS.aggregate_metrics(), ValueError, "at least one"),
        (lambda: METRICS.aggregate_metric_map([]), TypeError, "give a dict"),
        (lambda: LOSSES.mean_squared_error([1.0], None), ValueError, "`labels` must not be None"),
        (lambda: LOSSES.mean_squared_error([1.0], [1.0, 2.0]), ValueError, "Shapes"),
        (lambda: METRICS.streaming_accuracy([1], [1, 2, 3]), ValueError, "streaming_accuracy|labels"),
    ],
)
def test_mistakes_are_told(call: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call()
