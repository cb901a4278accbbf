"""Learning rates that change: formulas of the global step.

Each function returns a scalar tensor, which a run computes anew. They are computed in the dtype of the starting rate,
with the operations of TensorFlow 1.x.
"""

from __future__ import annotations

import math
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import DTypeError, ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...ops.declare.composite import composite, name_of_scope
from ...ops.random.random_api import random_normal


@composite("ExponentialDecay")
def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
        learning_rate: the rate at step 0, a float.
        global_step: the number of steps that were made.
        decay_steps: after so many steps the rate has been multiplied by `decay_rate`.
        decay_rate: the factor.
        staircase: True rounds the exponent down, so that the rate changes once in `decay_steps` steps.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `learning_rate`.

    Raises:
        ValueError: `global_step` is None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.exponential_decay(0.5, 20, decay_steps=10, decay_rate=0.5)))
    0.125

    Source: TensorFlow 1.x, `tf.train.exponential_decay`.
    """
    rate = _rate("exponential_decay", learning_rate, global_step)
    exponent = _portion(rate, global_step, decay_steps, staircase)
    return ops.multiply(rate, ops.pow(_like(rate, decay_rate), exponent), name=name_of_scope())


@composite("ExponentialDecay")
@documented_like(exponential_decay)
def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
        decay_steps: after so many steps the rate has been multiplied by `exp(-decay_rate)`.
        decay_rate: how fast it decays.
        staircase: True rounds `global_step / decay_steps` down.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(round(float(session.run(tf.train.natural_exp_decay(1.0, 10, decay_steps=10, decay_rate=1.0))), 4))
    0.3679
    """
    rate = _rate("natural_exp_decay", learning_rate, global_step)
    factor = ops.exp(ops.negative(_float(decay_rate)))
    return ops.multiply(rate, ops.pow(_like(rate, factor), _portion(rate, global_step, decay_steps, staircase)),
                        name=name_of_scope())


@composite("InverseTimeDecay")
@documented_like(exponential_decay)
def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
        decay_steps: after so many steps the divisor has grown by `decay_rate`.
        decay_rate: how fast it decays.
        staircase: True rounds `global_step / decay_steps` down.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.inverse_time_decay(1.0, 30, decay_steps=10, decay_rate=1.0)))
    0.25
    """
    rate = _rate("inverse_time_decay", learning_rate, global_step)
    portion = _portion(rate, global_step, decay_steps, staircase)
    return ops.divide(rate, 1 + _like(rate, decay_rate) * portion, name=name_of_scope())


@composite("PolynomialDecay")
@documented_like(exponential_decay)
def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """`(learning_rate - end_learning_rate) * (1 - global_step / decay_steps) ** power + end_learning_rate`.

    Args:
        decay_steps: after so many steps the rate is `end_learning_rate`.
        end_learning_rate: the rate at the end.
        power: the exponent; 1 is a straight line.
        cycle: True doubles `decay_steps` each time that it is reached, and begins again from there; False stays at the
            end.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.polynomial_decay(1.0, 5, decay_steps=10, end_learning_rate=0.5)))
    0.75
    """
    rate = _rate("polynomial_decay", learning_rate, global_step)
    end, step, steps = _like(rate, end_learning_rate), _like(rate, global_step), _like(rate, decay_steps)
    if cycle:
        rounds = ops.ceil(ops.truediv(step, steps))
        steps = steps * ops.where(ops.equal(step, ops.zeros_like(step)), ops.ones_like(step), rounds)
    else:
        step = ops.minimum(step, steps)
    return ops.add((rate - end) * ops.pow(1 - ops.truediv(step, steps), _like(rate, power)), end,
                   name=name_of_scope())  # fmt: skip


@composite("PiecewiseConstant")
def piecewise_constant(x: TensorLike, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """The value of the interval that `x` lies in: `values[0]` up to `boundaries[0]`, inclusive, and so on.

    Args:
        x: a number, such as the global step.
        boundaries: a list of increasing numbers of the dtype of `x`; ints go with every int dtype.
        values: a list of numbers of one dtype, one more than `boundaries`.
        name: the name of the scope of the new nodes.

    Returns:
        A scalar of the dtype of `values`.

    Raises:
        TypeError: `boundaries` or `values` is no list.
        ValueError: their lengths or dtypes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     for step in (100, 101, 201):
    ...         print(session.run(tf.train.piecewise_constant(step, [100, 200], [0.1, 0.05, 0.01])))
    0.1
    0.05
    0.01

    Source: TensorFlow 1.x, `tf.train.piecewise_constant`.
    """
    for label, argument in (("boundaries", boundaries), ("values", values)):
        if not isinstance(argument, (list, tuple)):
            raise DTypeError(f"piecewise_constant: {label} is {argument!r}; give a list of numbers")
    if len(boundaries) != len(values) - 1:
        raise ValueRuleError(
            f"piecewise_constant: The length of boundaries should be 1 less than the length of values: there are "
            f"{len(boundaries)} boundaries and {len(values)} values"
        )
    place = ops.convert_to_tensor(x)
    limits = [_boundary(number, argument, place) for number, argument in enumerate(boundaries)]
    first = ops.convert_to_tensor(values[0])
    result = first
    for number, (limit, argument) in enumerate(zip(limits, values[1:], strict=True), start=1):
        value = ops.convert_to_tensor(argument)
        if value.dtype is not first.dtype:
            raise ValueRuleError(f"piecewise_constant: Values must have elements all with the same dtype: values[0] is "
                                 f"{first.dtype}, values[{number}] {value.dtype}")  # fmt: skip
        result = ops.where(ops.greater(place, limit), value, result)
    return result if limits else ops.identity(result)


piecewise_constant_decay = piecewise_constant


def _boundary(number: int, given: Any, x: Tensor) -> Tensor:
    """A boundary as a tensor of the dtype of x; ints of Python take the dtype of an int x."""
    limit = ops.convert_to_tensor(given)
    if limit.dtype is x.dtype:
        return limit
    if limit.dtype.is_integer and x.dtype.is_integer:
        return ops.cast(limit, x.dtype)
    raise ValueRuleError(f"piecewise_constant: Boundaries must have the same dtype as x: boundaries[{number}] is "
                         f"{limit.dtype}, x {x.dtype}. Write tf.cast(x, tf.{limit.dtype})")  # fmt: skip


@composite("CosineDecay")
@documented_like(exponential_decay)
def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """`learning_rate` times half a cosine that falls from 1 to `alpha`.

    Args:
        decay_steps: after so many steps the rate is `alpha * learning_rate`.
        alpha: the portion of the rate that is left at the end.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.cosine_decay(1.0, 10, decay_steps=10, alpha=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.cosine_decay` (Loshchilov and Hutter 2016).
    """
    rate = _rate("cosine_decay", learning_rate, global_step)
    steps, least = _like(rate, decay_steps), _like(rate, alpha)
    portion = ops.truediv(ops.minimum(_like(rate, global_step), steps), steps)
    return ops.multiply(rate, (1 - least) * _half_cosine(portion) + least)


@composite("SGDRDecay")
@documented_like(exponential_decay)
def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """`cosine_decay` that begins again each time that it has reached its end.

    Args:
        first_decay_steps: the length of the first period.
        t_mul: each period is so many times as long as the one before.
        m_mul: each period begins with so many times the rate of the one before.
        alpha: the portion of `learning_rate` that is left at the end of a period.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.cosine_decay_restarts(1.0, 10, first_decay_steps=10, m_mul=0.5)))
    0.5

    Source: TensorFlow 1.x, `tf.train.cosine_decay_restarts` (Loshchilov and Hutter 2016).
    """
    rate = _rate("cosine_decay_restarts", learning_rate, global_step)
    growth, fall, least = _like(rate, t_mul), _like(rate, m_mul), _like(rate, alpha)
    periods = ops.truediv(_like(rate, global_step), _like(rate, first_decay_steps))
    # With periods of one length the geometric series is 0 / 0, and `where` takes the other value.
    number = ops.floor(periods)
    grown = ops.floor(ops.log(1.0 - periods * (1.0 - growth)) / ops.log(growth))
    power = ops.pow(growth, grown)
    portion = (periods - (1.0 - power) / (1.0 - growth)) / power
    is_even = ops.equal(growth, ops.ones_like(growth))
    restarts = ops.where(is_even, number, grown)
    height = ops.pow(fall, restarts) * _half_cosine(ops.where(is_even, periods - number, portion))
    return ops.multiply(rate, (1 - least) * height + least, name=name_of_scope())


@composite("LinearCosineDecay")
@documented_like(exponential_decay)
def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * ((alpha + 1 - t) * (1 + cos(2 * pi * num_periods * t)) / 2 + beta)`, `t` from 0 to 1.

    Args:
        decay_steps: after so many steps t is 1.
        num_periods: the periods of the cosine.
        alpha: see the formula.
        beta: the same.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.linear_cosine_decay(1.0, 10, decay_steps=10, beta=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.linear_cosine_decay` (Bello et al. 2017).
    """
    rate = _rate("linear_cosine_decay", learning_rate, global_step)
    steps = _like(rate, decay_steps)
    step = ops.minimum(_like(rate, global_step), steps)
    line = ops.truediv(steps - step, steps)
    wave = _half_cosine(2.0 * _like(rate, num_periods) * ops.truediv(step, steps))
    return ops.multiply(rate, (_like(rate, alpha) + line) * wave + _like(rate, beta), name=name_of_scope())


@composite("NoisyLinearCosineDecay")
@documented_like(exponential_decay)
def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise: a normal number is added to its line.

    Args:
        decay_steps: after so many steps t is 1.
        initial_variance: the variance of the noise at step 0.
        variance_decay: the variance is `initial_variance / (1 + global_step) ** variance_decay`.
        num_periods: the periods of the cosine.
        alpha: as of `linear_cosine_decay`.
        beta: the same.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.train.noisy_linear_cosine_decay(1.0, 10, decay_steps=10, beta=0.25)))
    0.25

    Source: TensorFlow 1.x, `tf.train.noisy_linear_cosine_decay` (Bello et al. 2017).
    """
    rate = _rate("noisy_linear_cosine_decay", learning_rate, global_step)
    steps = _like(rate, decay_steps)
    step = ops.minimum(_like(rate, global_step), steps)
    variance = _like(rate, initial_variance) / ops.pow(1.0 + step, _like(rate, variance_decay))
    noise = ops.sqrt(variance) * random_normal(ops.shape(rate), dtype=rate.dtype)
    line = ops.truediv(steps - step, steps) + noise
    wave = _half_cosine(2.0 * _like(rate, num_periods) * ops.truediv(step, steps))
    return ops.multiply(rate, (_like(rate, alpha) + line) * wave + _like(rate, beta), name=name_of_scope())


def _half_cosine(portion: Tensor) -> Tensor:
    """From 1 to 0 as `portion` goes from 0 to 1."""
    return 0.5 * (1.0 + ops.cos(_like(portion, math.pi) * portion))


def _rate(call: str, learning_rate: TensorLike, global_step: TensorLike | None) -> Tensor:
    if global_step is None:
        raise ValueRuleError(f"{call}: global_step is required for {call}. Write tf.train.get_or_create_global_step()")
    return _float(learning_rate)


def _float(number: TensorLike) -> Tensor:
    """A number as a tensor; a Python int is a float32."""
    return ops.convert_to_tensor(float(number) if isinstance(number, int) else number)


def _like(rate: Tensor, number: TensorLike) -> Tensor:
    """A number as a tensor of the dtype of the rate. A Python float is rounded to float32 first, as TensorFlow does."""
    return ops.cast(number, rate.dtype)


def _portion(rate: Tensor, global_step: TensorLike, decay_steps: TensorLike, staircase: bool) -> Tensor:
    """How many times `decay_steps` have passed."""
    portion = ops.truediv(_like(rate, global_step), _like(rate, decay_steps))
    return ops.floor(portion) if staircase else portion
