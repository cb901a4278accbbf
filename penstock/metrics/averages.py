"""Averages over batches: values, accuracy, errors, and those of several classes."""

from __future__ import annotations

from ..derivatives import rule_namespace as ops
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float32, float64, int64
from ..ops.reduce.counting import confusion_matrix
from ..variables.assigning import assign_add
from ..variables.scattering import scatter_add
from .streaming import MetricPair, fitted, label_metric, matched, metric, metric_variable, streamed_mean, weighted


@metric("mean")
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The weighted mean of numbers.

    Args:
        values: numbers of any shape.
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
    ...     value, update = tf.metrics.mean([1.0, 2.0, 6.0], weights=[1.0, 1.0, 0.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.5

    Source: TensorFlow 1.x, `tf.metrics.mean`.
    """
    return streamed_mean(ops.convert_to_tensor(values), weights)


@documented_like(mean)
@label_metric("accuracy")
def accuracy(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """How often predictions are the labels.

    Args:
        labels: the true classes, or values of any dtype.
        predictions: the predicted classes, or values of any dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.accuracy([1, 0, 1, 1], [1, 1, 1, 1])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75
    """
    return streamed_mean(matched(predictions, labels), weights)


@documented_like(mean)
@label_metric("mean_absolute_error")
def mean_absolute_error(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """The mean of |predictions - labels|.

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_absolute_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    3.0
    """
    return streamed_mean(ops.abs(ops.subtract(predictions, labels)), weights)


@documented_like(mean)
@label_metric("mean_squared_error")
def mean_squared_error(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """The mean of (predictions - labels)².

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_squared_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    10.0
    """
    return streamed_mean(ops.square(ops.subtract(predictions, labels)), weights)


@documented_like(mean)
@label_metric("root_mean_squared_error")
def root_mean_squared_error(labels: Tensor, predictions: Tensor, weights: Tensor | None) -> MetricPair:
    """The root of the mean of (predictions - labels)².

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.root_mean_squared_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    3.1623
    """
    value, update = streamed_mean(ops.square(ops.subtract(predictions, labels)), weights)
    return ops.sqrt(value), ops.sqrt(update)


@documented_like(mean)
@metric("mean_relative_error")
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The mean of |predictions - labels| / normalizer; 0 where the normalizer is 0.

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.
        normalizer: what the errors are divided by.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_relative_error([1.0, 2.0], [3.0, 6.0], [1.0, 2.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    2.0
    """
    predicted, wanted, weight = fitted(predictions, labels, weights)
    divisor = ops.convert_to_tensor(normalizer, predicted.dtype)
    errors = ops.divide(ops.abs(ops.subtract(wanted, predicted)), divisor)
    return streamed_mean(ops.where(ops.equal(divisor, ops.zeros_like(divisor)), ops.zeros_like(errors), errors), weight)


@documented_like(mean)
@metric("mean_cosine_distance")
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The mean of 1 - the sum of predictions · labels along a dimension, which has rows of length 1.

    Args:
        labels: the true vectors of length 1.
        predictions: the predicted vectors of length 1.
        dim: the dimension of the vectors.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_cosine_distance([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], dim=1)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5
    """
    predicted, wanted, weight = fitted(predictions, labels, weights)
    products = ops.reduce_sum(ops.multiply(predicted, wanted), [dim], keepdims=True)
    value, update = streamed_mean(products, weight)
    return ops.subtract(1.0, value), ops.subtract(1.0, update)


@documented_like(mean)
@metric("percentage_below_threshold")
def percentage_below(
    values: TensorLike,
    threshold: float,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The share of values that are below a threshold.

    Args:
        threshold: the threshold.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.percentage_below([1.0, 2.0, 6.0, 8.0], 5.0)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5
    """
    numbers = ops.convert_to_tensor(values)
    return streamed_mean(ops.cast(ops.less(numbers, threshold), float32), weights)


@documented_like(mean)
@metric("mean")
def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
) -> MetricPair:
    """The mean of each element over the batches.

    Returns:
        Two float32 tensors of the shape of `values`: the value of all that was counted so far, and the one after this
        batch, whose run counts it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_tensor([1.0, 2.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1. 2.]
    """
    numbers = ops.cast(ops.convert_to_tensor(values), float32)
    shape = numbers.shape.as_list()
    total, count = metric_variable(shape, float32, "total_tensor"), metric_variable(shape, float32, "count_tensor")
    number = ops.ones_like(numbers)
    if weights is not None:
        weight = weighted(weights, numbers)
        numbers, number = ops.multiply(numbers, weight), ops.multiply(number, weight)
    with control_dependencies([numbers]):
        sums = assign_add(total, numbers), assign_add(count, number)
    return ops.div_no_nan(total, count, name="value"), ops.div_no_nan(*sums, name="update_op")


# ---- metrics of several classes: intersection over union, accuracy for each class ---------------


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
