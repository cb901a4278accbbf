"""Metrics of the k most likely classes of each row: precision, recall, average precision.

Labels are sets of classes: one that is named twice counts once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.shared_docs import documented_like, named
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dtypes import float64, int64
from ..ops.declare.composite import name_of_scope
from ..ops.sparse.sparse_to_dense_op import sparse_tensor_to_dense
from ..variables.assigning import assign_add
from .averages import mean
from .streaming import MetricPair, at_k, metric, metric_variable, weighted

Share: TypeAlias = Callable[..., MetricPair]
"""(labels, the best classes, k, class_id, weights) -> a share and its update."""


def _at_k(name: str, scope: str, share: Share, law: str, printed: str) -> Share:
    """The share for numbers of which the k largest count. law, printed: what it is, and what its example prints."""

    @documented_like(mean)
    @metric(scope, of_best=True)
    @named(name, law=law, printed=printed)
    def function(
        labels: Any, predictions: TensorLike, k: int, class_id: int | None = None, weights: TensorLike | None = None
    ) -> MetricPair:
        """{law}

        Args:
            labels: classes, int64 (..., n): n true classes for each row, or (...,) for one; a SparseTensor too.
            predictions: numbers (..., classes): how likely each class is.
            k: how many of the largest predictions count.
            class_id: the only class that counts; None means all of them.

        Returns:
            Two float64 scalars: the value of all that was counted so far, and the one after this batch, whose run
            counts it.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     value, update = tf.metrics.{name}([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.2]], 2)
        ...     session.run(tf.local_variables_initializer())
        ...     print(session.run(update).round(4))
        {printed}
        """
        return share(labels, _best(predictions, k), k, class_id, weights)

    return function


def _at_top_k(name: str, scope: str, share: Share, law: str, printed: str) -> Share:
    """The share for the k best classes themselves."""

    @documented_like(recall_at_k)
    @metric(scope, of_best=True)
    @named(name, law=law, printed=printed)
    def function(
        labels: Any, predictions_idx: TensorLike, k: int | None = None, class_id: int | None = None,
        weights: TensorLike | None = None,
    ) -> MetricPair:  # fmt: skip
        """{law}

        Args:
            predictions_idx: classes, int64 (..., k): the k best of each row.
            k: as many as there are columns; taken for programs that give it.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     value, update = tf.metrics.{name}([[1], [2]], [[1, 2], [0, 1]])
        ...     session.run(tf.local_variables_initializer())
        ...     print(session.run(update).round(4))
        {printed}
        """
        return share(labels, predictions_idx, k, class_id, weights)

    return function


def _average_at_k(name: str, law: str) -> Share:
    @documented_like(recall_at_k)
    @metric("average_precision", of_best=True)
    @named(name, law=law)
    def function(labels: Any, predictions: TensorLike, k: int, weights: TensorLike | None = None) -> MetricPair:
        """{law}

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     value, update = tf.metrics.{name}([[1], [2]], [[0.1, 0.8, 0.3], [0.9, 0.5, 0.7]], 2)
        ...     session.run(tf.local_variables_initializer())
        ...     print(session.run(update).round(4))
        0.75
        """
        return _average_precision(labels, predictions, k, weights)

    return function


def _recall(labels: Any, best: TensorLike, k: int | None, class_id: int | None, weights: Any) -> MetricPair:
    hits = _Hits(labels, best, class_id, weights)
    right = _pair(hits.found, at_k("true_positive", k, class_id))
    missed = _pair(hits.missed, at_k("false_negative", k, class_id))
    return _shares(right, missed)


def _precision(labels: Any, best: TensorLike, k: int | None, class_id: int | None, weights: Any) -> MetricPair:
    hits = _Hits(labels, best, class_id, weights)
    right = _pair(hits.found, at_k("true_positive", k, class_id))
    wrong = _pair(hits.wrong, at_k("false_positive", k, class_id))
    return _shares(right, wrong)


def _shares(right: MetricPair, others: MetricPair) -> MetricPair:
    """Of the rights and the others the share of the rights, until now and with this batch."""
    value, update = (ops.add(one, other) for one, other in zip(right, others, strict=True))
    return ops.divide(right[0], value, name_of_scope()), ops.divide(right[1], update, "update")


def _average_precision(labels: Any, predictions: TensorLike, k: int, weights: Any) -> MetricPair:
    truth, best = _classes(labels, _best(predictions, k))
    is_hit = ops.cast(ops.reduce_any(ops.equal(ops.expand_dims(best, -1), ops.expand_dims(truth, -2)), -1), float64)
    ranks = ops.cast(ops.cumsum(ops.cast(ops.ones_like(best), int64), axis=-1), float64)
    precisions = ops.multiply(ops.divide(ops.cumsum(is_hit, axis=-1), ranks), is_hit)
    # TensorFlow counts a class that dense labels name twice as two here.
    is_label = _is_first(truth) if isinstance(labels, SparseTensor) else ops.ones_like(truth)
    most = ops.minimum(ops.reduce_sum(ops.cast(is_label, float64), -1), float(k))
    averages = ops.div_no_nan(ops.reduce_sum(precisions, -1), most)
    scale = ops.ones_like(averages) if weights is None else weighted(weights, averages)
    largest, total = _pair(scale, "max"), _pair(ops.multiply(averages, scale), "total")
    return ops.div_no_nan(total[0], largest[0], name="mean"), ops.div_no_nan(total[1], largest[1], name_of_scope())


class _Hits:
    """For each row how many classes are found, wrong and missed, with its weight."""

    def __init__(self, labels: Any, predictions_idx: TensorLike, class_id: int | None, weights: Any) -> None:
        truth, best = _classes(labels, predictions_idx)
        is_same = ops.equal(ops.expand_dims(best, -1), ops.expand_dims(truth, -2))
        counted_best, counted_truth = _is_first(best), _is_first(truth)
        if class_id is not None:
            counted_best = ops.logical_and(counted_best, ops.equal(best, class_id))
            counted_truth = ops.logical_and(counted_truth, ops.equal(truth, class_id))
        in_truth, in_best = ops.reduce_any(is_same, -1), ops.reduce_any(is_same, -2)
        self._weights = weights
        self.found = self._number(ops.logical_and(counted_best, in_truth))
        self.wrong = self._number(ops.logical_and(counted_best, ops.logical_not(in_truth)))
        self.missed = self._number(ops.logical_and(counted_truth, ops.logical_not(in_best)))

    def _number(self, holds: Tensor) -> Tensor:
        count = ops.reduce_sum(ops.cast(holds, float64), -1)
        return count if self._weights is None else ops.multiply(count, weighted(self._weights, count))


def _best(predictions: TensorLike, k: int) -> Tensor:
    if not isinstance(k, int) or k < 1:
        raise ValueRuleError(f"k={k!r}: it is an int, and 1 or more")
    return ops.cast(ops.top_k(predictions, k)[1], int64)


def _classes(labels: Any, best: TensorLike) -> tuple[Tensor, Tensor]:
    """Both as int64, the labels with a dimension for the classes of a row; -1 fills the rows of sparse labels up."""
    predicted = ops.cast(best, int64)
    if isinstance(labels, SparseTensor):
        return ops.cast(sparse_tensor_to_dense(labels, default_value=-1, validate_indices=False), int64), predicted
    truth = ops.cast(labels, int64)
    first, second = truth.shape.ndims, predicted.shape.ndims
    if first is not None and second is not None and first == second - 1:
        truth = ops.expand_dims(truth, -1)
    elif first is not None and second is not None and first != second:
        raise ValueRuleError(f"labels have shape {truth.shape} and predictions {predicted.shape}: labels have the "
                             "rank of predictions, or one less")  # fmt: skip
    return truth, predicted


def _is_first(classes: Tensor) -> Tensor:
    """Where a class of a row stands for the first time, and is one: -1 is none."""
    same = ops.cast(ops.equal(ops.expand_dims(classes, -1), ops.expand_dims(classes, -2)), int64)
    earlier = ops.reduce_sum(ops.multiply(same, ops.cast(_before(classes), int64)), -1)
    return ops.logical_and(ops.equal(earlier, 0), ops.greater_equal(classes, 0))


def _before(classes: Tensor) -> Tensor:
    """For two places in a row whether the second comes before the first."""
    places = ops.cumsum(ops.cast(ops.ones_like(classes), int64), axis=-1)
    return ops.greater(ops.expand_dims(places, -1), ops.expand_dims(places, -2))


def _pair(numbers: Tensor, name: str) -> tuple[Any, Any]:
    """A sum over all batches, and its update."""
    variable = metric_variable([], float64, name)
    return ops.identity(variable), assign_add(variable, ops.reduce_sum(numbers))


recall_at_k = _at_k("recall_at_k", "recall", _recall, "The share of the true classes that are among the k best.", "0.5")
precision_at_k = _at_k(
    "precision_at_k", "precision", _precision, "The share of the k best classes that are true.", "0.25"
)
sparse_precision_at_k = _at_k(
    "sparse_precision_at_k", "precision", _precision, "The older name of `precision_at_k`.", "0.25"
)
recall_at_top_k = _at_top_k(
    "recall_at_top_k", "recall", _recall, "The share of the true classes that are among the given best ones.", "0.5"
)
precision_at_top_k = _at_top_k(
    "precision_at_top_k", "precision", _precision, "The share of the given best classes that are true.", "0.25"
)
average_precision_at_k = _average_at_k(
    "average_precision_at_k", "The mean of the precisions at each of the k best classes that is true."
)
sparse_average_precision_at_k = _average_at_k(
    "sparse_average_precision_at_k", "The older name of `average_precision_at_k`."
)
