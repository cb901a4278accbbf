"""Gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.model.nodes import Tensor
from ...ops.state import update_formulas
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class MomentumOptimizer(FormulaOptimizer):
    """Steps along a decaying sum of gradients: `a = momentum * a + g`, then `w - learning_rate * a`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        momentum: the part of the sum that is kept in a step; a number, tensor or function too.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.
        use_nesterov: True steps by `learning_rate * (g + momentum * a)`, the gradient one step ahead (Sutskever et al.
            2013).

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.MomentumOptimizer(0.25, momentum=0.5).minimize(2.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     for _ in range(3):
    ...         session.run(step)
    ...         print(session.run(w))
    0.5
    -0.25
    -1.125

    Source: TensorFlow 1.x, `tf.train.MomentumOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        momentum: Number,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__({"learning_rate": learning_rate, "momentum": momentum}, use_locking, name)
        self._use_nesterov = use_nesterov

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("momentum", 0, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.momentum(ops, g, w, *slots, *self._numbers(g), nesterov=self._use_nesterov)
