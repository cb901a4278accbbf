"""Metrics of a curve over many thresholds: the area under it, sensitivity and specificity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int64
from .averages import mean
from .confusion import EPSILON, Counts, counts_at, spread
from .streaming import MetricPair, metric

_METHODS = ("trapezoidal", "minoring", "majoring", "careful_interpolation")
_SMALL = 1e-6
_NAMES = ("value", "update_op")


@documented_like(mean)
@metric("auc")
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> MetricPair:
    """The area under the curve of right answers over wrong ones (ROC), or of precision over recall (PR).

    Args:
        labels: the true answers: bools.
        predictions: numbers in [0, 1].
        num_thresholds: how many thresholds the curve has.
        curve: "ROC" or "PR".
        summation_method: "trapezoidal", "minoring", "majoring", or for PR "careful_interpolation".
        thresholds: thresholds in [0, 1] instead of some at equal distances.

    Raises:
        ValueError: the shapes do not fit, or an option is another word.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.auc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8])
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    0.75
    """
    if curve not in ("ROC", "PR"):
        raise ValueRuleError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in _METHODS:
        raise ValueRuleError(f"Invalid summation_method: {summation_method}; write one of {', '.join(_METHODS)}")
    if summation_method == "careful_interpolation" and curve != "PR":
        raise ValueRuleError("careful_interpolation is a way to sum the curve PR; write curve=\"PR\"")
    steps = spread(num_thresholds) if thresholds is None else [0.0 - EPSILON, *sorted(thresholds), 1.0 + EPSILON]
    counts = counts_at(labels, predictions, steps, weights)
    value, update = (_area(each, curve, summation_method, name) for each, name in zip(counts, _NAMES, strict=True))
    return value, update


def _area(counts: Counts, curve: str, method: str, name: str) -> Tensor:
    if method == "careful_interpolation":
        return _interpolated(counts, name)
    true_positives, false_positives = counts.true_positives, counts.false_positives
    positives = ops.add(ops.add(true_positives, counts.false_negatives), _SMALL)
    recall = ops.divide(ops.add(true_positives, _SMALL), positives)
    if curve == "ROC":
        x: Any = ops.divide(false_positives, ops.add(ops.add(false_positives, counts.true_negatives), _SMALL))
        y: Any = recall
    else:
        x = recall
        y = ops.divide(ops.add(true_positives, _SMALL), ops.add(ops.add(true_positives, false_positives), _SMALL))
    widths = ops.subtract(x[:-1], x[1:])
    if method == "trapezoidal":
        heights = ops.divide(ops.add(y[:-1], y[1:]), 2.0)
    else:
        heights = ops.minimum(y[:-1], y[1:]) if method == "minoring" else ops.maximum(y[:-1], y[1:])
    return ops.reduce_sum(ops.multiply(widths, heights), name=name)


def _interpolated(counts: Counts, name: str) -> Tensor:
    """The area under precision over recall, with false positives that grow linearly between two thresholds.

    Source: Davis and Goadrich, "The Relationship Between Precision-Recall and ROC Curves", 2006.
    """
    right, missed = counts.true_positives, counts.false_negatives
    taken = ops.add(right, counts.false_positives)
    gained = ops.subtract(right[:-1], right[1:])
    slope = ops.div_no_nan(gained, ops.maximum(ops.subtract(taken[:-1], taken[1:]), 0.0))
    offset = ops.subtract(right[1:], ops.multiply(slope, taken[1:]))
    ratio = ops.where(
        ops.logical_and(ops.greater(taken[:-1], 0.0), ops.greater(taken[1:], 0.0)),
        ops.div_no_nan(taken[:-1], ops.maximum(taken[1:], 0.0)), ops.ones_like(taken[1:]),
    )  # fmt: skip
    areas = ops.multiply(slope, ops.add(gained, ops.multiply(offset, ops.log(ratio))))
    return ops.reduce_sum(ops.div_no_nan(areas, ops.maximum(ops.add(right[1:], missed[1:]), 0.0)), name=name)


@documented_like(auc)
@metric("sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
) -> MetricPair:
    """The share of labels True that are found, at the threshold whose specificity is nearest to the given one.

    Args:
        specificity: the share of labels False that are found, in [0, 1].

    Raises:
        ValueError: the shapes do not fit, or a share is outside [0, 1].

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.sensitivity_at_specificity([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0
    """
    _in_unit("specificity", specificity)

    def compute(counts: Counts, name: str) -> Tensor:
        negatives = ops.add(ops.add(counts.true_negatives, counts.false_positives), EPSILON)
        found = ops.divide(counts.true_negatives, negatives)
        best = ops.argmin(ops.abs(ops.subtract(found, specificity)), 0)
        right, missed = ops.gather(counts.true_positives, best), ops.gather(counts.false_negatives, best)
        return ops.divide(right, ops.add(ops.add(right, missed), EPSILON), name)

    counts = counts_at(labels, predictions, spread(num_thresholds), weights)
    value, update = (compute(each, name) for each, name in zip(counts, _NAMES, strict=True))
    return value, update


@documented_like(auc)
@metric("specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
) -> MetricPair:
    """The share of labels False that are found, at the threshold whose sensitivity is nearest to the given one.

    Args:
        sensitivity: the share of labels True that are found, in [0, 1].

    Raises:
        ValueError: the shapes do not fit, or a share is outside [0, 1].

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.specificity_at_sensitivity([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(update).round(4))
    1.0
    """
    _in_unit("sensitivity", sensitivity)

    def compute(counts: Counts, name: str) -> Tensor:
        positives = ops.add(ops.add(counts.true_positives, counts.false_negatives), EPSILON)
        distance = ops.abs(ops.subtract(ops.divide(counts.true_positives, positives), sensitivity))
        is_best = ops.cast(ops.equal(distance, ops.reduce_min(distance)), int64)
        best = ops.argmax(ops.cumsum(is_best), 0)  # the last of those that are nearest
        right, wrong = ops.gather(counts.true_negatives, best), ops.gather(counts.false_positives, best)
        return ops.divide(right, ops.add(ops.add(right, wrong), EPSILON), name)

    counts = counts_at(labels, predictions, spread(num_thresholds), weights)
    value, update = (compute(each, name) for each, name in zip(counts, _NAMES, strict=True))
    return value, update


def _in_unit(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueRuleError(f"`{name}` must be in the range [0, 1], not {value!r}")
