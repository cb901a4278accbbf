"""The metrics of `tf.contrib.metrics`: those of `tf.metrics` with the predictions before the labels.

They are one table. Names of scopes and variables are those of `tf.metrics`, as in TensorFlow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .. import cast, equal, float32, metrics, multiply, reduce_mean, reduce_sum
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.declare.shared_docs import documented_like, named, with_signature
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..metrics.streaming import MetricPair
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import composite, reported_as_call


def _streaming(metric: Callable[..., MetricPair]) -> Callable[..., MetricPair]:
    """A metric of `tf.metrics` whose first two parameters change places."""
    own = metric.__name__
    parameters = list(inspect.signature(metric).parameters.values())
    turned = [parameters[1], parameters[0], *parameters[2:]]

    @named(f"streaming_{own}", own=own)
    def function(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> MetricPair:
        """`tf.metrics.{own}` with the predictions before the labels.

        Args:
            predictions: the answers of the model.
            labels: the true answers.
            args: further arguments as of `tf.metrics.{own}`.
            kwargs: the same by name.

        Returns:
            (the value so far, the update: the value after this batch, whose run counts it).

        Raises:
            TypeError: an argument has another type.
            ValueError: the shapes do not fit.

        >>> import inspect
        >>> import penstock as tf
        >>> list(inspect.signature(tf.contrib.metrics.{name}).parameters)[:2] == ["{first}", "labels"]
        True

        Source: TensorFlow 1.15, `tf.contrib.metrics.{name}`.
        """
        return metric(labels, predictions, *args, **kwargs)

    function.__doc__ = (function.__doc__ or "").replace("{first}", turned[0].name)
    return reported_as_call()(with_signature(inspect.Signature(turned))(function))


def _renamed(metric: Callable[..., MetricPair], name: str) -> Callable[..., MetricPair]:
    """A metric of `tf.metrics` under another name."""

    @named(name, own=metric.__name__)
    def function(values: TensorLike, *args: Any, **kwargs: Any) -> MetricPair:
        """`tf.metrics.{own}` under its older name.

        Args:
            values: numbers.
            args: further arguments as of `tf.metrics.{own}`.
            kwargs: the same by name.

        Returns:
            (the value so far, the update: the value after this batch, whose run counts it).

        Raises:
            TypeError: an argument has another type.
            ValueError: the shapes do not fit.

        >>> import penstock as tf
        >>> tf.contrib.metrics.{name}.__name__
        '{name}'

        Source: TensorFlow 1.15, `tf.contrib.metrics.{name}`.
        """
        return metric(values, *args, **kwargs)

    return reported_as_call()(with_signature(inspect.signature(metric))(function))


streaming_accuracy = _streaming(metrics.accuracy)
streaming_auc = _streaming(metrics.auc)
streaming_false_negatives = _streaming(metrics.false_negatives)
streaming_false_negatives_at_thresholds = _streaming(metrics.false_negatives_at_thresholds)
streaming_false_positives = _streaming(metrics.false_positives)
streaming_false_positives_at_thresholds = _streaming(metrics.false_positives_at_thresholds)
streaming_mean_absolute_error = _streaming(metrics.mean_absolute_error)
streaming_mean_cosine_distance = _streaming(metrics.mean_cosine_distance)
streaming_mean_iou = _streaming(metrics.mean_iou)
streaming_mean_relative_error = _streaming(metrics.mean_relative_error)
streaming_mean_squared_error = _streaming(metrics.mean_squared_error)
streaming_precision = _streaming(metrics.precision)
streaming_precision_at_thresholds = _streaming(metrics.precision_at_thresholds)
streaming_recall = _streaming(metrics.recall)
streaming_recall_at_thresholds = _streaming(metrics.recall_at_thresholds)
streaming_root_mean_squared_error = _streaming(metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _streaming(metrics.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _streaming(metrics.specificity_at_sensitivity)
streaming_true_negatives = _streaming(metrics.true_negatives)
streaming_true_negatives_at_thresholds = _streaming(metrics.true_negatives_at_thresholds)
streaming_true_positives = _streaming(metrics.true_positives)
streaming_true_positives_at_thresholds = _streaming(metrics.true_positives_at_thresholds)
streaming_mean = _renamed(metrics.mean, "streaming_mean")
streaming_mean_tensor = _renamed(metrics.mean_tensor, "streaming_mean_tensor")
streaming_percentage_less = _renamed(metrics.percentage_below, "streaming_percentage_less")


@reported_as_call()
def streaming_sparse_precision_at_k(
    predictions: TensorLike, labels: Any, k: int, class_id: int | None = None, weights: TensorLike | None = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None
) -> MetricPair:  # fmt: skip
    """`tf.metrics.precision_at_k` with the predictions before the labels.

    Args:
        predictions: scores of classes along the last dimension.
        labels: the true classes, int64.
        k: how many of the best classes count.
        class_id: the class that counts; None means all.
        weights: how much each row counts.
        metrics_collections: the name of a collection, or a list of them, that the value is added to.
        updates_collections: the same for the update.
        name: the scope of the nodes and variables.

    Returns:
        (the value so far, the update).

    Raises:
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     scores, labels = tf.constant([[0.1, 0.9], [0.8, 0.2]]), tf.constant([[1], [1]], tf.int64)
    ...     value, update = tf.contrib.metrics.streaming_sparse_precision_at_k(scores, labels, 1)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update))
    0.5

    Source: TensorFlow 1.15, `tf.contrib.metrics.streaming_sparse_precision_at_k`.
    """
    return metrics.precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections,
                                  name)  # fmt: skip


@reported_as_call()
@documented_like(streaming_sparse_precision_at_k)
def streaming_sparse_recall_at_k(
    predictions: TensorLike, labels: Any, k: int, class_id: int | None = None, weights: TensorLike | None = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None
) -> MetricPair:  # fmt: skip
    """`tf.metrics.recall_at_k` with the predictions before the labels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     scores, labels = tf.constant([[0.1, 0.9], [0.8, 0.2]]), tf.constant([[1], [1]], tf.int64)
    ...     value, update = tf.contrib.metrics.streaming_sparse_recall_at_k(scores, labels, 1)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update))
    0.5

    Source: TensorFlow 1.15, `tf.contrib.metrics.streaming_sparse_recall_at_k`.
    """
    return metrics.recall_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections,
                               name)  # fmt: skip


@composite("accuracy")
def accuracy(
    predictions: TensorLike, labels: TensorLike, weights: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The share of the predictions that are equal to the labels, in this batch alone.

    Args:
        predictions: ints, bools or texts.
        labels: the true answers, of the same shape and dtype.
        weights: how much each counts; None means 1.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: shapes or dtypes differ, or a dtype is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 5])))
    0.75

    Source: TensorFlow 1.15, `tf.contrib.metrics.accuracy`.
    """
    found, wanted = convert_to_tensor(predictions), convert_to_tensor(labels)
    if not (found.dtype.is_integer or found.dtype.name in ("bool", "string")):
        raise ValueRuleError(f"Labels should have bool, string, or integer dtype, not {found.dtype}",
                             cure="tf.argmax makes classes of scores, tf.round of probabilities.")  # fmt: skip
    if found.dtype is not wanted.dtype:
        raise ValueRuleError(f"Dtypes of predictions and labels should match. Given: predictions ({found.dtype}) and "
                             f"labels ({wanted.dtype})")  # fmt: skip
    if not found.shape.is_compatible_with(wanted.shape):
        raise ShapeError(f"the shapes of predictions and labels should match, but are {found.shape} and {wanted.shape}")
    right = cast(equal(found, wanted), float32)
    if weights is None:
        return reduce_mean(right)
    factors = cast(weights, float32)
    total = reduce_sum(multiply(right * 0.0 + 1.0, factors))
    return reduce_sum(multiply(right, factors)) / total


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """The values and the updates of several metrics as two lists.

    Args:
        value_update_tuples: pairs (value, update), as metrics give them.

    Returns:
        (the values, the updates).

    Raises:
        ValueError: there are no pairs.

    >>> import penstock as tf
    >>> tf.contrib.metrics.aggregate_metrics(("a", "b"), ("c", "d"))
    (['a', 'c'], ['b', 'd'])

    Source: TensorFlow 1.15, `tf.contrib.metrics.aggregate_metrics`.
    """
    if not value_update_tuples:
        raise ValueRuleError("aggregate_metrics: Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values and the updates of several metrics as two dicts.

    Args:
        names_to_tuples: a name -> a pair (value, update), as metrics give them.

    Returns:
        (name -> value, name -> update).

    Raises:
        TypeError: it is no dict.

    >>> import penstock as tf
    >>> tf.contrib.metrics.aggregate_metric_map({"loss": ("a", "b")})
    ({'loss': 'a'}, {'loss': 'b'})

    Source: TensorFlow 1.15, `tf.contrib.metrics.aggregate_metric_map`.
    """
    if not isinstance(names_to_tuples, Mapping):
        raise DTypeError(f"aggregate_metric_map: give a dict of names to pairs, not {names_to_tuples!r:.80}")
    return {name: pair[0] for name, pair in names_to_tuples.items()}, {
        name: pair[1] for name, pair in names_to_tuples.items()
    }
