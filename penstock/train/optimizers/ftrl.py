"""Ftrl: follow the regularised leader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.model.nodes import Tensor
from ...ops.state import update_formulas
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class FtrlOptimizer(FormulaOptimizer):
    """FTRL-Proximal: finds `w` anew in each step, under an L1 and an L2 penalty (McMahan et al. 2013).

    With `p = -learning_rate_power` and `a2 = a + g**2`: `z = z + g - (a2**p - a**p) / learning_rate * w`. The new value
    is 0 where `|z| <= l1`, else `(sign(z) * l1 - z) / (a2**p / learning_rate + 2 * l2)`. Then `a = a2`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        learning_rate_power: how fast the learning rate falls, at most 0; 0 means not at all.
        initial_accumulator_value: what a begins with, at least 0.
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.
        accum_name: the name of the slot a; None means `name`.
        linear_name: the name of the slot z; None means `name`.
        l2_shrinkage_regularization_strength: `2 * it * w` is added to the gradient in the formula of z.
        beta: `beta / (2 * learning_rate)` is added to l2; None means 0.

    Raises:
        ValueError: a number is not in its range, or `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([0.0, 0.0])
    ...     descent = tf.train.FtrlOptimizer(1.0, l1_regularization_strength=1.0, initial_accumulator_value=0.0)
    ...     step = descent.minimize(tf.reduce_sum(w * [2.0, 0.5]))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    [-0.5  0. ]

    Source: TensorFlow 1.x, `tf.train.FtrlOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: Number = 0.0,
        beta: Number | None = None,
    ) -> None:
        least = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for label, value in least.items():
            if isinstance(value, (int, float, np.number)) and value < 0.0:
                raise ValueRuleError(f"FtrlOptimizer: {label} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueRuleError(
                f"FtrlOptimizer: learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        arguments = {
            "learning_rate": learning_rate,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
            "beta": 0.0 if beta is None else beta,
        }
        super().__init__(arguments, use_locking, name)
        self._start = initial_accumulator_value
        self._power = learning_rate_power
        shrinkage = l2_shrinkage_regularization_strength
        self._shrinks = not isinstance(shrinkage, (int, float, np.number)) or shrinkage > 0.0
        self._has_beta = beta is not None
        self._names = accum_name, linear_name

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("accum", self._start, self._names[0]), ("linear", 0, self._names[1])

    def _prepare(self) -> None:
        super()._prepare()
        if self._has_beta:
            rate = ops.maximum(self._tensors["learning_rate"], 1e-36)
            penalty = self._tensors["l2_regularization_strength"] + self._tensors["beta"] / (2.0 * rate)
            self._tensors["l2_regularization_strength"] = penalty
        self._tensors["power"] = ops.convert_to_tensor(-float(self._power), name="power")

    def _root(self, x: Tensor) -> Tensor:
        """`x ** -learning_rate_power`."""
        return ops.sqrt(x) if self._power == -0.5 else ops.pow(x, self._scalar("power", x))

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        squares, linear = slots
        rate, l1, l2, shrinkage, _ = self._numbers(g)
        update_formulas.ftrl(ops, g, w, squares, linear, rate, l1, l2, root=self._root,
                             shrinkage=shrinkage if self._shrinks else None)  # fmt: skip
