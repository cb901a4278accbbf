"""The formulas of the optimizers: from old values and a gradient to new values, elementwise.

Each function takes the variable `w`, its slots, the gradient `g`, and scalars of the same dtype. It returns the new `w`
and the new slots. The operations and their order are those of TensorFlow's kernels. A sparse update applies the same
formula to the rows that have a gradient; Adam has one of its own.
"""

from __future__ import annotations

from ..derivatives import vocabulary as ops
from ..graph.nodes import Tensor

Two = tuple[Tensor, Tensor]
Three = tuple[Tensor, Tensor, Tensor]
Four = tuple[Tensor, Tensor, Tensor, Tensor]


def gradient_descent(w: Tensor, g: Tensor, rate: Tensor) -> Tensor:
    """A step against the gradient."""
    return w - g * rate


def momentum(w: Tensor, sum_: Tensor, g: Tensor, rate: Tensor, momentum: Tensor) -> Two:
    """A step along a decaying sum of gradients."""
    sum_ = sum_ * momentum + g
    return w - sum_ * rate, sum_


def nesterov_momentum(w: Tensor, sum_: Tensor, g: Tensor, rate: Tensor, momentum: Tensor) -> Two:
    """The step of `momentum` that is one update ahead (Sutskever et al. 2013)."""
    sum_ = sum_ * momentum + g
    return w - (g * rate + sum_ * momentum * rate), sum_


def adagrad(w: Tensor, squares: Tensor, g: Tensor, rate: Tensor) -> Two:
    """A step divided by the root of the sum of all squared gradients (Duchi et al. 2011)."""
    squares = squares + ops.square(g)
    return w - g * rate * ops.rsqrt(squares), squares


def adadelta(
    w: Tensor, squares: Tensor, updates: Tensor, g: Tensor, rate: Tensor, rho: Tensor, epsilon: Tensor
) -> Three:
    """A step scaled by root mean squares of earlier updates and of gradients (Zeiler 2012)."""
    squares = squares * rho + ops.square(g) * (1 - rho)
    update = ops.sqrt(updates + epsilon) * ops.rsqrt(squares + epsilon) * g
    return w - update * rate, squares, updates * rho + ops.square(update) * (1 - rho)


def adam_rate(rate: Tensor, beta1_power: Tensor, beta2_power: Tensor) -> Tensor:
    """Adam's learning rate, corrected for moments that began at zero."""
    return rate * ops.sqrt(1 - beta2_power) / (1 - beta1_power)


def adam(
    w: Tensor, m: Tensor, v: Tensor, g: Tensor, rate: Tensor, beta1: Tensor, beta2: Tensor, epsilon: Tensor
) -> Three:
    """A step along the mean of gradients, divided by the root of the mean of their squares (Kingma and Ba 2014).

    `rate` is that of `adam_rate`.
    """
    m = m + (g - m) * (1 - beta1)
    v = v + (ops.square(g) - v) * (1 - beta2)
    return w - m * rate / (ops.sqrt(v) + epsilon), m, v


def rms_prop(
    w: Tensor, squares: Tensor, sum_: Tensor, g: Tensor, rate: Tensor, decay: Tensor, momentum: Tensor, epsilon: Tensor
) -> Three:
    """A step divided by the root of a decaying mean of squared gradients, with momentum (Tieleman and Hinton 2012)."""
    squares = squares + (ops.square(g) - squares) * (1 - decay)
    sum_ = sum_ * momentum + g * rate * ops.rsqrt(squares + epsilon)
    return w - sum_, squares, sum_


def centered_rms_prop(
    w: Tensor, squares: Tensor, mean: Tensor, sum_: Tensor, g: Tensor, rate: Tensor, decay: Tensor, momentum: Tensor,
    epsilon: Tensor,
) -> Four:  # fmt: skip
    """`rms_prop` with the variance of the gradients in place of the mean of their squares (Graves 2013)."""
    squares = squares + (ops.square(g) - squares) * (1 - decay)
    mean = mean + (g - mean) * (1 - decay)
    sum_ = sum_ * momentum + g * rate * ops.rsqrt(squares - ops.square(mean) + epsilon)
    return w - sum_, squares, mean, sum_


def proximal(w: Tensor, rate: Tensor, shrink: Tensor, l1: Tensor, l2: Tensor) -> Tensor:
    """The nearest point to `w` under an L1 penalty `shrink * l1` and an L2 penalty `rate * l2` (Duchi and Singer 2009).

    If `l1` is not positive, the L1 part leaves `w` as it is.
    """
    shrunk = ops.sign(w) * ops.maximum(ops.abs(w) - shrink * ops.maximum(l1, ops.zeros_like(l1)), ops.zeros_like(w))
    return shrunk / (1 + l2 * rate)


def proximal_gradient_descent(w: Tensor, g: Tensor, rate: Tensor, l1: Tensor, l2: Tensor) -> Tensor:
    """`gradient_descent`, then `proximal`."""
    return proximal(w - g * rate, rate, rate, l1, l2)


def proximal_adagrad(w: Tensor, squares: Tensor, g: Tensor, rate: Tensor, l1: Tensor, l2: Tensor) -> Two:
    """`adagrad`, then `proximal` with the learning rate of each element."""
    squares = squares + ops.square(g)
    own = rate * ops.rsqrt(squares)
    return proximal(w - g * own, own, own, l1, l2), squares


def adagrad_da(
    w: Tensor, sum_: Tensor, squares: Tensor, g: Tensor, rate: Tensor, l1: Tensor, l2: Tensor, step: Tensor
) -> Three:
    """Dual averaging: the minimum of the sum of all gradients and both penalties (Duchi et al. 2011).

    `step` is the number of this step, from 1, in the dtype of `w`.
    """
    sum_ = sum_ + g
    squares = squares + ops.square(g)
    shrunk = ops.sign(sum_) * ops.maximum(ops.abs(sum_) - ops.maximum(l1, ops.zeros_like(l1)) * step, ops.zeros_like(w))
    return -rate * shrunk / (l2 * step * rate + ops.sqrt(squares)), sum_, squares


def ftrl(
    w: Tensor, squares: Tensor, linear: Tensor, g: Tensor, rate: Tensor, l1: Tensor, l2: Tensor,
    shrinkage: Tensor | None, power: Tensor | None,
) -> Three:  # fmt: skip
    """Follow the regularised leader (McMahan et al. 2013).

    `shrinkage` is the L2 penalty that only gradients see. `power` is the negated power of the learning rate's decay;
    None means 1/2.
    """

    def root(x: Tensor) -> Tensor:
        return ops.sqrt(x) if power is None else ops.pow(x, power)

    total = squares + ops.square(g)
    shrunk = g if shrinkage is None else g + 2 * shrinkage * w
    linear = linear + (shrunk - (root(total) - root(squares)) / rate * w)
    quadratic = root(total) / rate + 2 * l2
    outside = ops.abs(linear) > l1
    w = ops.where(outside, (ops.sign(linear) * l1 - linear) / quadratic, ops.zeros_like(w))
    return w, total, linear
