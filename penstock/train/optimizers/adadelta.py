"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.model.nodes import Tensor
from ...ops.state import update_formulas
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class AdadeltaOptimizer(FormulaOptimizer):
    """Adadelta: steps scaled by decaying means of the squares of earlier steps and of gradients (Zeiler 2012).

    `a = rho * a + (1 - rho) * g**2`, `u = sqrt(d + epsilon) / sqrt(a + epsilon) * g`, then `w - learning_rate * u` and
    `d = rho * d + (1 - rho) * u**2`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them. The paper has 1.
        rho: the part of the means that is kept in a step.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.AdadeltaOptimizer(1.0, rho=0.75, epsilon=1.0).minimize(2.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(round(float(session.run(w)), 4))
    -0.4142

    Source: TensorFlow 1.x, `tf.train.AdadeltaOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        rho: Number = 0.95,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__({"lr": learning_rate, "rho": rho, "epsilon": epsilon}, use_locking, name)

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("accum", 0, None), ("accum_update", 0, None)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.adadelta(ops, g, w, *slots, *self._numbers(g))
