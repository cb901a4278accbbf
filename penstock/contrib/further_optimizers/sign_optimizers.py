"""PowerSign and AddSign: longer steps where a gradient agrees with those before (Bello et al., 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.shared_docs import documented_like
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...train.optimizers.formula_optimizer import FormulaOptimizer
from ...train.optimizers.optimizer import Number, Pairs
from ...train.optimizers.update_target import UpdatedRows
from ...variables.variable import Variable

_Decay = Callable[[Any], Tensor]


class _SignOptimizer(FormulaOptimizer):
    """What both have: a mean of gradients, and a factor of the agreement that falls with the steps."""

    def __init__(self, arguments: dict[str, Any], sign_decay_fn: _Decay | None, use_locking: bool, name: str) -> None:
        super().__init__(arguments, use_locking, name)
        self._sign_decay_fn = sign_decay_fn
        self._sign_decay: Any = 1.0

    @hides_frames
    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Variable | Tensor | None = None, name: str | None = None
    ) -> Operation:
        """As `tf.train.Optimizer.apply_gradients`; `sign_decay_fn` gets the global step."""
        self._sign_decay = 1.0 if self._sign_decay_fn is None else self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("m", 0, None),)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        # The mean decays in every row; where the gradient is 0 the step is 0 too.
        rows = ops.shape(var.as_operand())[0]
        return self._apply_dense(ops.unsorted_segment_sum(grad.values, grad.indices, rows), var)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        (mean,) = slots
        beta = self._scalar("beta", g)
        m = mean.set(beta * mean.value + (1 - beta) * g)
        agreement = ops.cast(self._sign_decay, g.dtype) * ops.sign(g) * ops.sign(m)
        w.subtract(self._scalar("learning_rate", g) * self._factor(agreement, g) * g)

    def _factor(self, agreement: Tensor, g: Tensor) -> Tensor:
        """By how much a step is longer."""
        raise NotImplementedError


class AddSignOptimizer(_SignOptimizer):
    """Steps along `(alpha + sign_decay * sign(g) * sign(m)) * g`, where m is the mean of gradients.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        alpha: the factor where gradient and mean have nothing in common.
        beta: the part of m that is kept in a step.
        sign_decay_fn: a function of the global step that gives a scalar tensor; None means 1.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.contrib.opt.AddSignOptimizer(0.125).minimize(w * 2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    0.5

    Source: TensorFlow 1.15, `tf.contrib.opt.AddSignOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.1,
        alpha: Number = 1.0,
        beta: Number = 0.9,
        sign_decay_fn: _Decay | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "alpha": alpha, "beta": beta}
        super().__init__(arguments, sign_decay_fn, use_locking, name)

    def _factor(self, agreement: Tensor, g: Tensor) -> Tensor:
        return self._scalar("alpha", g) + agreement


class PowerSignOptimizer(_SignOptimizer):
    """Steps along `base ** (sign_decay * sign(g) * sign(m)) * g`, where m is the mean of gradients.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        base: a Python number above 0.
        beta: the part of m that is kept in a step.
        sign_decay_fn: a function of the global step that gives a scalar tensor; None means 1.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.

    Raises:
        ValueError: `name` is empty, or `base` is not above 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.contrib.opt.PowerSignOptimizer(0.125, base=2.0).minimize(w * 2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    0.5

    Source: TensorFlow 1.15, `tf.contrib.opt.PowerSignOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.1,
        base: float = math.e,
        beta: Number = 0.9,
        sign_decay_fn: _Decay | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        if not base > 0:
            raise ValueError(f"PowerSignOptimizer(base={base!r}): base must be above 0, as a power of it scales steps")
        super().__init__({"learning_rate": learning_rate, "beta": beta}, sign_decay_fn, use_locking, name)
        self._log_base = math.log(base)

    def _factor(self, agreement: Tensor, g: Tensor) -> Tensor:
        return ops.exp(self._log_base * agreement)


def get_linear_decay_fn(decay_steps: Any) -> _Decay:
    """A function that falls from 1 to 0 in a straight line: a `sign_decay_fn` of both optimizers.

    Args:
        decay_steps: after how many steps it is 0.

    Returns:
        A function of the global step, an int tensor or variable, that gives a float32 scalar.

    Raises:
        ValueError (of the function): there is no global step.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.opt.get_linear_decay_fn(10)(tf.constant(4))))
    0.6

    Source: TensorFlow 1.15, `tf.contrib.opt.get_linear_decay_fn`.
    """

    def linear_decay_fn(global_step: Any) -> Tensor:
        step, most = _steps("linear", global_step, decay_steps)
        return ops.maximum(0.0, (most - step) / most)

    return linear_decay_fn


@documented_like(get_linear_decay_fn)
def get_cosine_decay_fn(decay_steps: Any, num_periods: float = 0.5, zero_after: float | None = None) -> _Decay:
    """A function that falls from 1 as half a cosine does.

    Args:
        num_periods: how many periods of the cosine there are; one half ends at 0.
        zero_after: the number of periods after which it is 0; None means never.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.opt.get_cosine_decay_fn(10)(tf.constant(5))).round(3))
    0.5
    """

    def cosine_decay_fn(global_step: Any) -> Tensor:
        step, most = _steps("cosine", global_step, decay_steps)
        fraction = 2.0 * num_periods * (step / most)
        decayed = 0.5 * (1.0 + ops.cos(math.pi * fraction))
        return decayed if zero_after is None else ops.where(fraction >= 2.0 * zero_after, 0.0, decayed)

    return cosine_decay_fn


@documented_like(get_linear_decay_fn)
def get_restart_decay_fn(decay_steps: Any, num_periods: float = 1, zero_after: float | None = None) -> _Decay:
    """A function that falls from 1 as half a cosine does, several times (Loshchilov and Hutter, 2017).

    Args:
        num_periods: how many times it falls.
        zero_after: the number of times after which it is 0; None means never.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.opt.get_restart_decay_fn(10, 2)(tf.constant(5))))
    1.0
    """

    def restart_decay_fn(global_step: Any) -> Tensor:
        step, most = _steps("restart", global_step, decay_steps)
        done = float(num_periods) * step
        decayed = 0.5 * (1.0 + ops.cos(math.pi * (ops.floormod(done, most) / most)))
        return decayed if zero_after is None else ops.where(done / most >= float(zero_after), 0.0, decayed)

    return restart_decay_fn


def _steps(kind: str, global_step: Any, decay_steps: Any) -> tuple[Tensor, Tensor]:
    """(the step, at most the last one; the last one) as floats."""
    if global_step is None:
        raise ValueError(f"global_step is required for {kind}_decay: give it to minimize or apply_gradients, such as "
                         "global_step=tf.train.get_or_create_global_step()")  # fmt: skip
    step = global_step.as_operand() if isinstance(global_step, Variable) else global_step
    most = ops.cast(decay_steps, "float32")
    return ops.minimum(ops.cast(step, "float32"), most), most
