"""The Adagrad family: steps divided by the root of the sum of all squared gradients (Duchi et al. 2011)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.model.nodes import Tensor
from ...ops.state import update_formulas
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class AdagradOptimizer(FormulaOptimizer):
    """Adagrad: `a = a + g**2`, then `w - learning_rate * g / sqrt(a)`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        initial_accumulator_value: what a begins with, above 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.

    Raises:
        ValueError: `initial_accumulator_value` is not positive, or `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, 1.0])
    ...     descent = tf.train.AdagradOptimizer(0.5, initial_accumulator_value=1e-6)
    ...     step = descent.minimize(tf.reduce_sum(w * [1.0, 100.0]))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w).round(3))
    [0.5 0.5]

    Source: TensorFlow 1.x, `tf.train.AdagradOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive("AdagradOptimizer", "initial_accumulator_value", initial_accumulator_value)
        super().__init__({"learning_rate": learning_rate}, use_locking, name)
        self._start = initial_accumulator_value

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("accumulator", self._start, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.adagrad(ops, g, w, *slots, *self._numbers(g))


@documented_like(AdagradOptimizer)
class ProximalAdagradOptimizer(FormulaOptimizer):
    """Adagrad, then shrinking towards zero by an L1 and an L2 penalty.

    With `a = a + g**2`, `r = learning_rate / sqrt(a)` and `p = w - r * g` the new value is
    `sign(p) * max(|p| - r * l1, 0) / (1 + r * l2)`.

    Args:
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, -0.25])
    ...     descent = tf.train.ProximalAdagradOptimizer(0.5, 3.0, l1_regularization_strength=1.0)
    ...     step = descent.minimize(tf.reduce_sum(w))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    [ 0.5  -0.25]
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive("ProximalAdagradOptimizer", "initial_accumulator_value", initial_accumulator_value)
        arguments = {"learning_rate": learning_rate, "l1_regularization_strength": l1_regularization_strength,
                     "l2_regularization_strength": l2_regularization_strength}  # fmt: skip
        super().__init__(arguments, use_locking, name)
        self._start = initial_accumulator_value

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("accumulator", self._start, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.proximal_adagrad(ops, g, w, *slots, *self._numbers(g))


class AdagradDAOptimizer(FormulaOptimizer):
    """Adagrad by dual averaging: each step finds `w` anew from the sums of all gradients and of their squares.

    With `s = s + g`, `a = a + g**2` and t steps, this one included, the new value is
    `-sign(s) * learning_rate * max(|s| - l1 * t, 0) / (l2 * t * learning_rate + sqrt(a))`.

    Args:
        learning_rate: a number or a tensor that each run computes.
        global_step: the variable that counts the steps; `minimize` should get it too.
        initial_gradient_squared_accumulator_value: what a begins with, above 0.
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `initial_gradient_squared_accumulator_value` is not positive, or `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([5.0, 5.0])
    ...     steps = tf.train.get_or_create_global_step()
    ...     descent = tf.train.AdagradDAOptimizer(0.5, steps, 3.0, l1_regularization_strength=0.5)
    ...     step = descent.minimize(tf.reduce_sum(w * [1.0, 0.25]), global_step=steps)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w) + 0.0)
    [-0.125  0.   ]

    Source: TensorFlow 1.x, `tf.train.AdagradDAOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        start = initial_gradient_squared_accumulator_value
        _check_positive("AdagradDAOptimizer", "initial_gradient_squared_accumulator_value", start)
        arguments = {"learning_rate": learning_rate, "l1_regularization_strength": l1_regularization_strength,
                     "l2_regularization_strength": l2_regularization_strength}  # fmt: skip
        super().__init__(arguments, use_locking, name)
        self._start = start
        self._global_step = global_step

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("gradient_accumulator", 0, None), ("gradient_squared_accumulator", self._start, None)

    def _prepare(self) -> None:
        super()._prepare()
        self._tensors["step"] = ops.add(self._global_step, 1, name="step")

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        sums, squares = slots
        rate, l1, l2 = self._numbers(g)
        update_formulas.dual_averaging(ops, g, w, sums, squares, rate, l1, l2, self._scalar("step", g))


def _check_positive(optimizer: str, label: str, value: float) -> None:
    if value <= 0.0:
        raise ValueRuleError(f"{optimizer}: {label} must be positive: {value}")
