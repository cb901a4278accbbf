"""How many answers were right and wrong, of two classes; precision and recall."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import bool_ as boolean
from ..graph.shapes.dtypes import float32
from ..variables.assigning import assign_add
from .streaming import MetricPair, label_metric, metric_variable, weighted


@label_metric("true_positives", boolean)
def true_positives(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """How many predictions of True were right.

    Args:
        labels: the true answers: bools, or numbers where 0 is False.
        predictions: the predicted answers: bools, or numbers where 0 is False.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 scalars: the value of all that was counted so far, and the one after this batch, whose run counts
        it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_positives([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.true_positives`.
    """
    return _counted(ops.logical_and(labels, predictions), weights)


@documented_like(true_positives)
@label_metric("false_positives", boolean)
def false_positives(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """How many predictions of True were wrong."""
    return _counted(ops.logical_and(ops.logical_not(labels), predictions), weights)


@documented_like(true_positives)
@label_metric("true_negatives", boolean)
def true_negatives(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """How many predictions of False were right."""
    return _counted(ops.logical_and(ops.logical_not(labels), ops.logical_not(predictions)), weights)


@documented_like(true_positives)
@label_metric("false_negatives", boolean)
def false_negatives(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """How many predictions of False were wrong."""
    return _counted(ops.logical_and(labels, ops.logical_not(predictions)), weights)


@documented_like(true_positives)
@label_metric("precision", boolean)
def precision(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """The share of the predictions of True that were right; 0 if there were none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5
    """
    right, right_update = true_positives(labels, predictions, weights)
    wrong, wrong_update = false_positives(labels, predictions, weights)
    return _share(right, wrong, "value"), _share(right_update, wrong_update, "update_op")


@documented_like(true_positives)
@label_metric("recall", boolean)
def recall(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """The share of the labels True that were predicted; 0 if there were none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall([1, 0, 1, 1], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.3333
    """
    right, right_update = true_positives(labels, predictions, weights)
    missed, missed_update = false_negatives(labels, predictions, weights)
    return _share(right, missed, "value"), _share(right_update, missed_update, "update_op")


def _counted(holds: Tensor, weights: Any) -> MetricPair:
    """How often a condition held, each time with its weight."""
    count = metric_variable([], float32, "count")
    values = ops.cast(holds, float32)
    if weights is not None:
        values = ops.multiply(values, weighted(weights, values))
    return ops.identity(count), assign_add(count, ops.reduce_sum(values))


def _share(part: Tensor, rest: Any, name: str) -> Tensor:
    return ops.div_no_nan(part, ops.add(part, rest), name=name)
