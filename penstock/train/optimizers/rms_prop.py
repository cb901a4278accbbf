"""RMSProp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.model.nodes import Tensor
from ...ops.state import update_formulas
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class RMSPropOptimizer(FormulaOptimizer):
    """RMSProp: steps divided by the root of a decaying mean of squared gradients, with momentum (Hinton 2012).

    `a = decay * a + (1 - decay) * g**2`, `b = momentum * b + learning_rate * g / sqrt(a + epsilon)`, then `w - b`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        decay: the part of a that is kept in a step; a number, tensor or function too.
        momentum: the part of b that is kept.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        centered: True divides by the root of the variance of gradients, `a - mean**2 + epsilon` (Graves 2013).
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.RMSPropOptimizer(0.5, decay=0.0, epsilon=0.0).minimize(3.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    0.5

    Source: TensorFlow 1.x, `tf.train.RMSPropOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        decay: Number = 0.9,
        momentum: Number = 0.0,
        epsilon: Number = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum, "epsilon": epsilon}
        super().__init__(arguments, use_locking, name)
        self._centered = centered

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        mean: list[tuple[str, Any, str | None]] = [("mg", 0, None)] if self._centered else []
        return ("rms", 1, None), *mean, ("momentum", 0, None)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        squares, *means, velocity = slots
        update_formulas.rms_prop(ops, g, w, squares, means, velocity, *self._numbers(g))
