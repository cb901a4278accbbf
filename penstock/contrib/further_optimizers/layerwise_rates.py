"""LARS: a rate for each variable, by the norms of its values and of its gradient (You, Gitman and Ginsburg, 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.model.nodes import Operation, Tensor
from ...ops.state import update_formulas
from ...train.optimizers.formula_optimizer import FormulaOptimizer
from ...train.optimizers.optimizer import Number
from ...train.optimizers.update_target import UpdatedRows
from ...variables.variable import Variable


class LARSOptimizer(FormulaOptimizer):
    """Momentum with the rate `learning_rate * eeta * |w| / (|g| + weight_decay * |w| + epsilon)` for each variable.

    The gradient has `weight_decay * w` added. A variable of zeros and a gradient of zeros have the plain rate; so have
    rows of a sparse gradient, which do not decay.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        momentum: the part of the sum of steps that is kept, a Python number.
        weight_decay: the part of a variable that its gradient has added, a Python number.
        eeta: the factor of the rate.
        epsilon: what is added to the norm that divides.
        name: the name of the operation and of the slot.
        skip_list: parts of names; variables whose name has one of them have the plain rate and do not decay.
        use_nesterov: True steps by the sum of the step after this one.

    Raises:
        ValueError: `name` is empty, or `momentum` or `weight_decay` is below 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([3.0, 4.0])
    ...     step = tf.contrib.opt.LARSOptimizer(1.0, weight_decay=0.0, eeta=0.5).minimize(2.0 * w[0])
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    [0.5 4. ]

    Source: TensorFlow 1.15, `tf.contrib.opt.LARSOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        for label, value in (("momentum", momentum), ("weight_decay", weight_decay)):
            if value < 0.0:
                raise ValueError(f"LARSOptimizer: {label} should be positive: {value}; 0 leaves it out")
        arguments = {"learning_rate": learning_rate, "momentum": momentum, "weight_decay": weight_decay, "eeta": eeta,
                     "epsilon": epsilon}  # fmt: skip
        super().__init__(arguments, False, name)
        self._skip_list = tuple(skip_list or ())
        self._use_nesterov = use_nesterov
        self._has_own_rate = False

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("momentum", 0, None),)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Operation:
        self._has_own_rate = not any(part in var.name for part in self._skip_list)
        try:
            return super()._apply_dense(grad, var)
        finally:
            self._has_own_rate = False

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        rate, momentum, decay, eeta, epsilon = self._numbers(g)
        if self._has_own_rate:
            size, slope = ops.norm(w.value), ops.norm(g)
            trust = eeta * size / (slope + decay * size + epsilon)
            is_plain = ops.logical_or(ops.less_equal(size, 0.0), ops.less_equal(slope, 0.0))
            g = (g + decay * w.value) * (rate * ops.where(is_plain, ops.ones_like(trust), trust))
        else:
            g = g * rate
        (total,) = slots
        update_formulas.momentum(ops, g, w, total, ops.ones_like(rate), momentum, nesterov=self._use_nesterov)
