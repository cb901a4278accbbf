"""Counts of right and wrong answers at many thresholds at once: what curves are made of.

A prediction counts as True if it is greater than the threshold. Each count is a local variable with one number
for each threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.shapes.dtypes import bool_ as boolean
from ..graph.shapes.dtypes import float32
from ..variables.assigning import assign_add
from .streaming import fitted, metric_variable, weighted

EPSILON = 1e-7
"""How far the outermost thresholds lie outside [0, 1]; what TensorFlow adds to divisors."""
_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts for each threshold: what the variables hold, or what they hold after an update."""

    true_positives: Any = None
    false_negatives: Any = None
    true_negatives: Any = None
    false_positives: Any = None


def spread(num_thresholds: int) -> list[float]:
    """Thresholds at equal distances from 0 to 1; the first is just below and the last just above."""
    if num_thresholds < 2:
        raise ValueRuleError(f"num_thresholds={num_thresholds}: a curve has 2 thresholds or more")
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - EPSILON, *inner, 1.0 + EPSILON]


def counts_at(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: Any,
    kinds: Sequence[str] = _KINDS,
) -> tuple[Counts, Counts]:
    """The counts of some kinds so far, and those after this batch."""
    predicted, wanted, weight = fitted(ops.cast(predictions, float32), ops.cast(labels, boolean), weights)
    row = ops.reshape(predicted, [1, -1])
    is_positive = ops.greater(row, ops.reshape(ops.convert_to_tensor(list(thresholds), float32), [-1, 1]))
    truth = ops.reshape(wanted, [1, -1])
    scale = None if weight is None else ops.reshape(weighted(weight, predicted), [1, -1])
    values: dict[str, Any] = {}
    updates: dict[str, Any] = {}
    for kind in kinds:
        is_right_label = truth if kind in ("true_positives", "false_negatives") else ops.logical_not(truth)
        is_answer = is_positive if kind.endswith("positives") else ops.logical_not(is_positive)
        found = ops.cast(ops.logical_and(is_right_label, is_answer), float32)
        if scale is not None:
            found = ops.multiply(found, scale)
        count = metric_variable([len(thresholds)], float32, kind)
        values[kind] = ops.identity(count)
        updates[kind] = assign_add(count, ops.reduce_sum(found, 1))
    return Counts(**values), Counts(**updates)
