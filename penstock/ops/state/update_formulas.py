"""How a gradient changes a variable and its slots: the formula of each optimizer, written once.

    momentum    a = a * momentum + g;  w = w - a * rate

`penstock.train` builds them for the user's variables, and `penstock.interchange` for the nodes with which TensorFlow
does the same (`ApplyMomentum`). Operations and their order are those of TensorFlow's kernels
(core/kernels/training_ops.cc). All are elementwise, so that a run updates a variable and its slots in one pass over
memory. `g` and the numbers are tensors of one dtype, or what behaves so; `ops` has the functions for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Value = Any
"""A tensor, or what computes like one."""


class Updated(Protocol):
    """A variable, or the rows of it that have a gradient."""

    @property
    def value(self) -> Value:
        """What the update starts from."""

    def set(self, value: Value, after: Sequence[Value] = ()) -> Value:
        """Write new values, and give them; `after`: what is computed from the old ones first."""

    def subtract(self, delta: Value) -> None:
        """Subtract from the values; two such updates of one run both count."""


def descent(ops: Any, g: Value, w: Updated, rate: Value) -> None:
    """Plain gradient descent."""
    w.subtract(g * rate)


def momentum(ops: Any, g: Value, w: Updated, velocity: Updated, rate: Value, momentum: Value, *,
             nesterov: bool) -> None:  # fmt: skip
    """Steps along a decaying sum of gradients."""
    total = velocity.set(velocity.value * momentum + g)
    w.subtract(g * rate + total * momentum * rate if nesterov else total * rate)


def keras_momentum(ops: Any, g: Value, w: Updated, velocity: Updated, rate: Value, momentum: Value, *,
             nesterov: bool) -> None:  # fmt: skip
    """The same with the rate inside the sum, as Keras has it."""
    step = g * rate
    total = velocity.set(velocity.value * momentum - step)
    w.subtract(-(total * momentum - step if nesterov else total))


def adagrad(ops: Any, g: Value, w: Updated, squares: Updated, rate: Value, *, keeps: bool = True) -> None:
    """Steps divided by the root of the sum of all squared gradients; `keeps`: this one counts too."""
    w.subtract(g * rate * ops.rsqrt(_sum_of_squares(ops, g, squares, keeps)))


def adagrad_v2(
    ops: Any,
    g: Value,
    w: Updated,
    squares: Updated,
    rate: Value,
    epsilon: Value,
    *,
    keeps: bool = True,
) -> None:
    """The same with a number added to the root."""
    w.subtract(g * rate / (ops.sqrt(_sum_of_squares(ops, g, squares, keeps)) + epsilon))


def _sum_of_squares(ops: Any, g: Value, squares: Updated, keeps: bool) -> Value:
    return squares.set(squares.value + ops.square(g)) if keeps else squares.value


def dual_averaging(ops: Any, g: Value, w: Updated, sums: Updated, squares: Updated, rate: Value, l1: Value, l2: Value,
                   step: Value) -> None:  # fmt: skip
    """Adagrad whose penalties count from the first step on."""
    total = sums.set(sums.value + g)
    root = ops.sqrt(squares.set(squares.value + ops.square(g)))
    w.set(-rate * soft_threshold(ops, total, l1 * step) / (l2 * step * rate + root))


def adadelta(ops: Any, g: Value, w: Updated, squares: Updated, updates: Updated, rate: Value, rho: Value,
             epsilon: Value) -> None:  # fmt: skip
    """Steps scaled by decaying means of the squares of earlier steps and of gradients."""
    total = squares.set(squares.value * rho + ops.square(g) * (1 - rho))
    update = ops.sqrt(updates.value + epsilon) * ops.rsqrt(total + epsilon) * g
    updates.set(updates.value * rho + ops.square(update) * (1 - rho))
    w.subtract(update * rate)


def corrected_rate(ops: Any, rate: Value, beta1_power: Value, beta2_power: Value) -> Value:
    """The learning rate of Adam, corrected for means that began at zero."""
    return rate * ops.sqrt(1 - beta2_power) / (1 - beta1_power)


def adam(ops: Any, g: Value, w: Updated, mean: Updated, squares: Updated, rate: Callable[[], Value], beta1: Value,
         beta2: Value, epsilon: Value, *, nesterov: bool = False) -> None:  # fmt: skip
    """Steps along the mean of gradients, divided by the root of the mean of their squares; `rate()` is corrected."""
    m = mean.set(mean.value + (g - mean.value) * (1 - beta1))
    v = squares.set(squares.value + (ops.square(g) - squares.value) * (1 - beta2))
    along = g * (1 - beta1) + beta1 * m if nesterov else m
    w.subtract(along * rate() / (ops.sqrt(v) + epsilon))


def rms_prop(ops: Any, g: Value, w: Updated, squares: Updated, means: Sequence[Updated], velocity: Updated, rate: Value,
             decay: Value, momentum: Value, epsilon: Value) -> None:  # fmt: skip
    """Steps divided by the root of a decaying mean of squared gradients; `means`: the mean to subtract, if centered."""
    spread = squares.set(squares.value + (ops.square(g) - squares.value) * (1 - decay))
    for mean in means:
        spread = spread - ops.square(mean.set(mean.value + (g - mean.value) * (1 - decay)))
    w.subtract(velocity.set(velocity.value * momentum + g * rate * ops.rsqrt(spread + epsilon)))


def ftrl(ops: Any, g: Value, w: Updated, squares: Updated, linear: Updated, rate: Value, l1: Value, l2: Value,
         *, root: Callable[[Value], Value], shrinkage: Value | None = None) -> None:  # fmt: skip
    """Follow the regularised leader; `root` is the power of the learning rate, usually the square root."""
    total = squares.value + ops.square(g)
    root_of_total, root_before = root(total), root(squares.value)
    shrunk_g = g if shrinkage is None else g + 2 * shrinkage * w.value
    z = linear.set(linear.value + (shrunk_g - (root_of_total - root_before) / rate * w.value))
    moved = (ops.sign(z) * l1 - z) / (root_of_total / rate + 2 * l2)
    w.set(ops.where(ops.abs(z) > l1, moved, ops.zeros_like(z)))
    squares.set(total, after=[root_before])


def proximal_descent(ops: Any, g: Value, w: Updated, rate: Value, l1: Value, l2: Value) -> None:
    """Gradient descent with penalties that shrink the variable."""
    w.set(shrunk(ops, w.value - g * rate, rate, l1, l2))


def proximal_adagrad(
    ops: Any,
    g: Value,
    w: Updated,
    squares: Updated,
    rate: Value,
    l1: Value,
    l2: Value,
) -> None:
    """Adagrad with penalties that shrink the variable."""
    own = rate * ops.rsqrt(squares.set(squares.value + ops.square(g)))
    w.set(shrunk(ops, w.value - g * own, own, l1, l2))


def shrunk(ops: Any, w: Value, rate: Value, l1: Value, l2: Value) -> Value:
    """The value nearest to w under the penalties `rate * l1` and `rate * l2`."""
    return soft_threshold(ops, w, rate * l1) / (1 + l2 * rate)


def soft_threshold(ops: Any, x: Value, threshold: Value) -> Value:
    """x, nearer to zero by a threshold, and zero within it. A negative threshold counts as 0, as in TensorFlow."""
    limit = ops.maximum(threshold, ops.zeros_like(threshold))
    return ops.sign(x) * ops.maximum(ops.abs(x) - limit, ops.zeros_like(x))
