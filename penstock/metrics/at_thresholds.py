"""Counts, precision and recall at given thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph.declare.shared_docs import named
from ..graph.declare.signature import TensorLike
from ..ops.elementwise.arithmetic import add, divide
from .confusion import EPSILON, Counts, counts_at
from .streaming import MetricPair, metric


def _at_thresholds(
    scope: str, kinds: Sequence[str], compute: Callable[[Counts, str], Any], law: str, printed: str
) -> Callable[..., MetricPair]:
    """The metric that `compute` makes of counts of some kinds; it also gets "value" or "update_op", for names.

    scope: the name of its scope. law, printed: what it is, and what its example prints.
    """

    @metric(scope)
    @named(f"{scope.removesuffix('_at_thresholds')}_at_thresholds", law=law, printed=printed)
    def function(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Sequence[float],
        weights: TensorLike | None = None,
    ) -> MetricPair:
        """{law}

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
        ...     value, update = tf.metrics.{name}([0, 1, 1], [0.2, 0.4, 0.8], [0.1, 0.5])
        ...     session.run(tf.local_variables_initializer())
        ...     print(session.run(update).round(4))
        {printed}

        Source: TensorFlow 1.x, `tf.metrics.{name}`.
        """
        value, update = counts_at(labels, predictions, thresholds, weights, kinds)
        return compute(value, "value"), compute(update, "update_op")

    return function


def _count(kind: str, law: str, printed: str) -> Callable[..., MetricPair]:
    return _at_thresholds(kind, [kind], lambda counts, which: getattr(counts, kind), law, printed)


true_positives_at_thresholds = _count(
    "true_positives", "How many predictions above a threshold were right.", "[2. 1.]")  # fmt: skip
false_positives_at_thresholds = _count(
    "false_positives", "How many predictions above a threshold were wrong.", "[1. 0.]")  # fmt: skip
true_negatives_at_thresholds = _count(
    "true_negatives", "How many predictions up to a threshold were right.", "[0. 1.]")  # fmt: skip
false_negatives_at_thresholds = _count(
    "false_negatives", "How many predictions up to a threshold were wrong.", "[0. 1.]")  # fmt: skip


def _share(part: Any, rest: Any, name: str) -> Any:
    return divide(part, add(EPSILON, add(part, rest)), name)


precision_at_thresholds = _at_thresholds(
    "precision_at_thresholds", ["true_positives", "false_positives"],
    lambda counts, which: _share(counts.true_positives, counts.false_positives, f"precision_{which}"),
    "The share of the predictions above a threshold that were right.", "[0.6667 1.    ]",
)  # fmt: skip
recall_at_thresholds = _at_thresholds(
    "recall_at_thresholds", ["true_positives", "false_negatives"],
    lambda counts, which: _share(counts.true_positives, counts.false_negatives, f"recall_{which}"),
    "The share of the labels True whose prediction is above a threshold.", "[1.  0.5]",
)  # fmt: skip
