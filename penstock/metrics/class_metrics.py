"""Metrics of several classes: intersection over union, accuracy for each class."""

from __future__ import annotations

from ..derivatives import rule_namespace as ops
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.shapes.dtypes import float32, float64, int64
from ..ops.reduce.counting import confusion_matrix
from ..variables.assigning import assign_add
from ..variables.scattering import scatter_add
from .averages import mean
from .streaming import MetricPair, fitted, matched, metric, metric_variable, weighted


@documented_like(mean)
@metric("mean_iou")
def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The mean over classes of: elements of the class in both, divided by elements of it in either.

    Args:
        labels: the true classes, ints in [0, num_classes).
        predictions: the predicted classes, ints in [0, num_classes).
        num_classes: how many classes there are.

    Returns:
        The value so far, a float32 scalar, and the matrix of counts after this batch, float64 [num_classes,
        num_classes], whose run counts it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_iou([0, 1, 1, 2], [0, 1, 2, 2], 3)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [[1. 0. 0.]
     [0. 1. 1.]
     [0. 0. 1.]]
    """
    predicted, wanted, weight = fitted(predictions, labels, weights)
    total = metric_variable([num_classes, num_classes], float64, "total_confusion_matrix")
    flat = None if weight is None else ops.reshape(weighted(weight, ops.cast(predicted, float64)), [-1])
    rows, columns = (ops.reshape(ops.cast(each, int64), [-1]) for each in (wanted, predicted))
    current = confusion_matrix(rows, columns, num_classes, dtype=float64, weights=flat)
    update = assign_add(total, current)
    row, column = ops.cast(ops.reduce_sum(total, 0), float32), ops.cast(ops.reduce_sum(total, 1), float32)
    both = ops.cast(ops.diag_part(total), float32)
    either = ops.subtract(ops.add(row, column), both)
    number = ops.reduce_sum(ops.cast(ops.not_equal(either, 0.0), float32))
    return ops.div_no_nan(ops.reduce_sum(ops.div_no_nan(both, either)), number, name="mean_iou"), update


@documented_like(mean_iou)
@metric("mean_accuracy")
def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The mean over classes of the accuracy within the class.

    Returns:
        The value so far, a float32 scalar, and the accuracy of each class after this batch, whose run counts it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_per_class_accuracy([0, 1, 1, 2], [0, 1, 2, 2], 3)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1.  0.5 1. ]
    """
    predicted, wanted, weight = fitted(predictions, labels, weights)
    total, count = metric_variable([num_classes], float32, "total"), metric_variable([num_classes], float32, "count")
    classes = ops.reshape(ops.cast(wanted, int64), [-1])
    right = ops.reshape(matched(predicted, wanted), [-1])
    ones = ops.ones_like(right)
    if weight is not None:
        flat = ops.reshape(weighted(weight, ops.cast(predicted, float32)), [-1])
        right, ones = ops.multiply(right, flat), ops.multiply(ones, flat)
    totals, counts = scatter_add(total, classes, ones), scatter_add(count, classes, right)
    value = ops.reduce_mean(ops.div_no_nan(count, total), name="mean_accuracy")
    return value, ops.div_no_nan(counts, totals, name="update_op")
