"""`tf.metrics`: what a model is worth, counted over batches in local variables."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

from .streaming import MetricPair
from collections.abc import Sequence
from typing import Any
from ..graph.declare.signature import TensorLike

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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
        Two float32 vectors with a number for each threshold: the value so far, and the one after this batch, whose
        run counts it.

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

def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How often predictions are the labels.

    Args:
        labels: the true classes, or values of any dtype.
        predictions: the predicted classes, or values of any dtype.
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
    ...     value, update = tf.metrics.accuracy([1, 0, 1, 1], [1, 1, 1, 1])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75

    Source: TensorFlow 1.x, `tf.metrics.accuracy`.
    """

def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
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

def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of |predictions - labels|.

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.
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
    ...     value, update = tf.metrics.mean_absolute_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    3.0

    Source: TensorFlow 1.x, `tf.metrics.mean_absolute_error`.
    """

def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of 1 - the sum of predictions · labels along a dimension, which has rows of length 1.

    Args:
        labels: the true vectors of length 1.
        predictions: the predicted vectors of length 1.
        dim: the dimension of the vectors.
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
    ...     value, update = tf.metrics.mean_cosine_distance([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], dim=1)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5

    Source: TensorFlow 1.x, `tf.metrics.mean_cosine_distance`.
    """

def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean over classes of: elements of the class in both, divided by elements of it in either.

    Args:
        labels: the true classes, ints in [0, num_classes).
        predictions: the predicted classes, ints in [0, num_classes).
        num_classes: how many classes there are.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        The value so far, a float32 scalar, and the matrix of counts after this batch, float64 [num_classes,
        num_classes], whose run counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_iou([0, 1, 1, 2], [0, 1, 2, 2], 3)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [[1. 0. 0.]
     [0. 1. 1.]
     [0. 0. 1.]]

    Source: TensorFlow 1.x, `tf.metrics.mean_iou`.
    """

def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean over classes of the accuracy within the class.

    Args:
        labels: the true classes, ints in [0, num_classes).
        predictions: the predicted classes, ints in [0, num_classes).
        num_classes: how many classes there are.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        The value so far, a float32 scalar, and the accuracy of each class after this batch, whose run counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_per_class_accuracy([0, 1, 1, 2], [0, 1, 2, 2], 3)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1.  0.5 1. ]

    Source: TensorFlow 1.x, `tf.metrics.mean_per_class_accuracy`.
    """

def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of |predictions - labels| / normalizer; 0 where the normalizer is 0.

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.
        normalizer: what the errors are divided by.
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
    ...     value, update = tf.metrics.mean_relative_error([1.0, 2.0], [3.0, 6.0], [1.0, 2.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    2.0

    Source: TensorFlow 1.x, `tf.metrics.mean_relative_error`.
    """

def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of (predictions - labels)².

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.
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
    ...     value, update = tf.metrics.mean_squared_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    10.0

    Source: TensorFlow 1.x, `tf.metrics.mean_squared_error`.
    """

def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of each element over the batches.

    Args:
        values: numbers of any shape.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 tensors of the shape of `values`: the value of all that was counted so far, and the one after this
        batch, whose run counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_tensor([1.0, 2.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.metrics.mean_tensor`.
    """

def percentage_below(
    values: TensorLike,
    threshold: float,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of values that are below a threshold.

    Args:
        values: numbers of any shape.
        threshold: the threshold.
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
    ...     value, update = tf.metrics.percentage_below([1.0, 2.0, 6.0, 8.0], 5.0)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5

    Source: TensorFlow 1.x, `tf.metrics.percentage_below`.
    """

def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The root of the mean of (predictions - labels)².

    Args:
        labels: the true numbers.
        predictions: the predicted numbers.
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
    ...     value, update = tf.metrics.root_mean_squared_error([1.0, 2.0], [3.0, 6.0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    3.1623

    Source: TensorFlow 1.x, `tf.metrics.root_mean_squared_error`.
    """

def average_precision_at_k(
    labels: Any,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The mean of the precisions at each of the k best classes that is true.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions: numbers (..., classes): how likely each class is.
        k: how many of the largest predictions count.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.average_precision_at_k([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.7]], 2)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75

    Source: TensorFlow 1.x, `tf.metrics.average_precision_at_k`.
    """

def precision_at_k(
    labels: Any,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the k best classes that are true.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions: numbers (..., classes): how likely each class is.
        k: how many of the largest predictions count.
        class_id: the only class that counts; None means all of them.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision_at_k([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.2]], 2)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.25

    Source: TensorFlow 1.x, `tf.metrics.precision_at_k`.
    """

def precision_at_top_k(
    labels: Any,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the given best classes that are true.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions_idx: classes, int64 (..., k): the k best of each row.
        k: as many as there are columns; taken for programs that give it.
        class_id: the only class that counts; None means all of them.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision_at_top_k([[1], [2]], [[1, 2], [0, 1]])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.25

    Source: TensorFlow 1.x, `tf.metrics.precision_at_top_k`.
    """

def recall_at_k(
    labels: Any,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the true classes that are among the k best.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions: numbers (..., classes): how likely each class is.
        k: how many of the largest predictions count.
        class_id: the only class that counts; None means all of them.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall_at_k([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.2]], 2)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5

    Source: TensorFlow 1.x, `tf.metrics.recall_at_k`.
    """

def recall_at_top_k(
    labels: Any,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the true classes that are among the given best ones.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions_idx: classes, int64 (..., k): the k best of each row.
        k: as many as there are columns; taken for programs that give it.
        class_id: the only class that counts; None means all of them.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall_at_top_k([[1], [2]], [[1, 2], [0, 1]])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5

    Source: TensorFlow 1.x, `tf.metrics.recall_at_top_k`.
    """

def sparse_average_precision_at_k(
    labels: Any,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The older name of `average_precision_at_k`.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions: numbers (..., classes): how likely each class is.
        k: how many of the largest predictions count.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.sparse_average_precision_at_k([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.7]], 2)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75

    Source: TensorFlow 1.x, `tf.metrics.sparse_average_precision_at_k`.
    """

def sparse_precision_at_k(
    labels: Any,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The older name of `precision_at_k`.

    Args:
        labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
        predictions: numbers (..., classes): how likely each class is.
        k: how many of the largest predictions count.
        class_id: the only class that counts; None means all of them.
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
        counts it.

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.sparse_precision_at_k([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.2]], 2)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.25

    Source: TensorFlow 1.x, `tf.metrics.sparse_precision_at_k`.
    """

def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions of False were wrong.

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
    ...     value, update = tf.metrics.false_negatives([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.false_negatives`.
    """

def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions of True were wrong.

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
    ...     value, update = tf.metrics.false_positives([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.false_positives`.
    """

def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the predictions of True that were right; 0 if there were none.

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
    ...     value, update = tf.metrics.precision([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.5

    Source: TensorFlow 1.x, `tf.metrics.precision`.
    """

def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of the labels True that were predicted; 0 if there were none.

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
    ...     value, update = tf.metrics.recall([1, 0, 1, 1], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.3333

    Source: TensorFlow 1.x, `tf.metrics.recall`.
    """

def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """How many predictions of False were right.

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
    ...     value, update = tf.metrics.true_negatives([1, 0, 1, 0], [1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.true_negatives`.
    """

def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
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

def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = 'ROC',
    name: str | None = None,
    summation_method: str = 'trapezoidal',
    thresholds: Sequence[float] | None = None,
) -> MetricPair:
    """The area under the curve of right answers over wrong ones (ROC), or of precision over recall (PR).

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        num_thresholds: how many thresholds the curve has.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        curve: "ROC" or "PR".
        name: the scope of the nodes and variables.
        summation_method: "trapezoidal", "minoring", "majoring", or for PR "careful_interpolation".
        thresholds: thresholds in [0, 1] instead of some at equal distances.

    Returns:
        Two float32 scalars: the value of all that was counted so far, and the one after this batch, whose run counts
        it.

    Raises:
        ValueError: the shapes do not fit, or an option is another word.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.auc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75

    Source: TensorFlow 1.x, `tf.metrics.auc`.
    """

def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of labels True that are found, at the threshold whose specificity is nearest to the given one.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        specificity: the share of labels False that are found, in [0, 1].
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        num_thresholds: how many thresholds the curve has.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 scalars: the value of all that was counted so far, and the one after this batch, whose run counts
        it.

    Raises:
        ValueError: the shapes do not fit, or a share is outside [0, 1].

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.sensitivity_at_specificity([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.sensitivity_at_specificity`.
    """

def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> MetricPair:
    """The share of labels False that are found, at the threshold whose sensitivity is nearest to the given one.

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        sensitivity: the share of labels True that are found, in [0, 1].
        weights: how much each value counts, of the rank of the values, or a scalar; 0 leaves one out.
        num_thresholds: how many thresholds the curve has.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        Two float32 scalars: the value of all that was counted so far, and the one after this batch, whose run counts
        it.

    Raises:
        ValueError: the shapes do not fit, or a share is outside [0, 1].

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.specificity_at_sensitivity([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0

    Source: TensorFlow 1.x, `tf.metrics.specificity_at_sensitivity`.
    """
