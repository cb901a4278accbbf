"""Counts, precision and recall at given thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.elementwise.arithmetic import add, divide
from .confusion import EPSILON, counts_at
from .streaming import MetricPair, metric


@metric("true_positives")
def true_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions above a threshold were right.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_positives_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [2. 1.]

    Source: TensorFlow 1.x, `tf.metrics.true_positives_at_thresholds`.
    """
    value, update = counts_at(labels, predictions, thresholds, weights, ["true_positives"])
    return value.true_positives, update.true_positives


@metric("false_positives")
def false_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions above a threshold were wrong.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_positives_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1. 0.]

    Source: TensorFlow 1.x, `tf.metrics.false_positives_at_thresholds`.
    """
    value, update = counts_at(labels, predictions, thresholds, weights, ["false_positives"])
    return value.false_positives, update.false_positives


@metric("true_negatives")
def true_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions up to a threshold were right.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_negatives_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [0. 1.]

    Source: TensorFlow 1.x, `tf.metrics.true_negatives_at_thresholds`.
    """
    value, update = counts_at(labels, predictions, thresholds, weights, ["true_negatives"])
    return value.true_negatives, update.true_negatives


@metric("false_negatives")
def false_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions up to a threshold were wrong.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_negatives_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [0. 1.]

    Source: TensorFlow 1.x, `tf.metrics.false_negatives_at_thresholds`.
    """
    value, update = counts_at(labels, predictions, thresholds, weights, ["false_negatives"])
    return value.false_negatives, update.false_negatives


@metric("precision_at_thresholds")
def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the predictions above a threshold that were right.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [0.6667 1.    ]

    Source: TensorFlow 1.x, `tf.metrics.precision_at_thresholds`.
    """
    counts = counts_at(labels, predictions, thresholds, weights, ["true_positives", "false_positives"])
    return _shares("precision", [(each.true_positives, each.false_positives) for each in counts])


@metric("recall_at_thresholds")
def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the labels True whose prediction is above a threshold.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        thresholds: a list of thresholds.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall_at_thresholds([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1.  0.5]

    Source: TensorFlow 1.x, `tf.metrics.recall_at_thresholds`.
    """
    counts = counts_at(labels, predictions, thresholds, weights, ["true_positives", "false_negatives"])
    return _shares("recall", [(each.true_positives, each.false_negatives) for each in counts])


def _shares(label: str, pairs: Sequence[tuple[Tensor, Tensor]]) -> MetricPair:
    """Of the rights and the others the share of the rights, until now and with this batch."""
    value, update = (
        divide(right, add(EPSILON, add(right, other)), f"{label}_{which}")
        for which, (right, other) in zip(("value", "update_op"), pairs, strict=True)
    )
    return value, update
