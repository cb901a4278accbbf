"""The incomplete gamma and beta functions on float64 arrays: power series and continued fractions.

Elements that have converged are left out of the further rounds. Where x is small against a, the series of the lower
gamma function converges; elsewhere the continued fraction of the upper one does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .gamma_kernels import digamma, lgamma, stirling_tail

_EPSILON = 2.0**-53
_MOST_ROUNDS = 20_000
_TINY = 1e-300


def igamma(xp: Any, a: Any, x: Any) -> Any:
    """The lower incomplete gamma function over gamma(a)."""
    return _parted(xp, a, x, lambda f: f.value, lambda f: 1 - f.value, (0.0, 1.0))


def igammac(xp: Any, a: Any, x: Any) -> Any:
    """The upper incomplete gamma function over gamma(a): 1 - igamma(a, x)."""
    return _parted(xp, a, x, lambda f: 1 - f.value, lambda f: f.value, (1.0, 0.0))


def igamma_grad_a(xp: Any, a: Any, x: Any) -> Any:
    """The derivative of igamma by a."""
    return _parted(xp, a, x, lambda f: f.slope, lambda f: -f.slope, (0.0, 0.0))


class _Factors:
    """A value and its derivative by a."""

    def __init__(self, value: Any, slope: Any) -> None:
        self.value = value
        self.slope = slope


def _parted(
    xp: Any, a: Any, x: Any, of_lower: Callable[[_Factors], Any], of_upper: Callable[[_Factors], Any], ends: Any
) -> Any:
    """Each element by the way that converges there. ends: the results for x = 0 and for infinite x."""
    a, x = xp.broadcast_arrays(a, x)
    shape = x.shape
    a, x = a.reshape(-1), x.reshape(-1)
    found = xp.full(x.shape, np.nan)
    legal = (a > 0) & (x >= 0) & (a < np.inf)
    found[legal & (x == 0)] = ends[0]
    found[legal & (x == np.inf)] = ends[1]
    inside = legal & (x > 0) & (x < np.inf)
    low = inside & ((x <= 1) | (x <= a))
    high = inside & ~low
    found[low] = of_lower(_series(xp, a[low], x[low]))
    found[high] = of_upper(_fraction(xp, a[high], x[high]))
    return found.reshape(shape)


def _front(xp: Any, a: Any, x: Any) -> tuple[Any, Any]:
    """x**a exp(-x) / gamma(a), and the derivative of its logarithm by a.

    For large a the powers cancel: a log(x / a) - (x - a) is small where x is near a.
    """
    large = a >= 10
    safe = xp.where(large, a, 10.0)
    gap = xp.where(large, x - safe, 0.0)
    of_large = xp.exp(safe * xp.log1p(gap / safe) - gap - stirling_tail(xp, safe)) * xp.sqrt(safe / (2 * np.pi))
    of_small = xp.exp(a * xp.log(x) - x - lgamma(xp, a))
    return xp.where(large, of_large, of_small), xp.log(x) - digamma(xp, a)


def _series(xp: Any, a: Any, x: Any) -> _Factors:
    """x**a exp(-x) / gamma(a) times the sum of x**n / (a (a + 1) ... (a + n))."""
    term = 1 / a
    slope = -term / a
    total, total_slope = term.copy(), slope.copy()
    place = a.copy()
    active = xp.ones(a.shape, bool)
    for _ in range(_MOST_ROUNDS):
        if not active.any():
            break
        place = place + 1
        ratio = x / place
        slope = slope * ratio - term * ratio / place
        term = term * ratio
        total, total_slope = total + term, total_slope + slope
        active = (term > total * _EPSILON) | (xp.absolute(slope) > xp.absolute(total_slope) * _EPSILON)
    front, log_slope = _front(xp, a, x)
    return _Factors(front * total, front * (total_slope + total * log_slope))


def _fraction(xp: Any, a: Any, x: Any) -> _Factors:
    """x**a exp(-x) / gamma(a) times a continued fraction, by Lentz's method with derivatives."""
    b = x + 1 - a
    c, dc = xp.full(a.shape, 1 / _TINY), xp.zeros(a.shape)
    d, dd = 1 / b, 1 / (b * b)
    h, dh = d.copy(), dd.copy()
    active = xp.ones(a.shape, bool)
    for i in range(1, _MOST_ROUNDS):
        if not active.any():
            break
        factor, b = -i * (i - a), b + 2
        # d = 1 / (factor d + b), c = b + factor / c; the derivative of factor by a is i, that of b is -1.
        below = factor * d + b
        below = xp.where(xp.absolute(below) < _TINY, _TINY, below)
        dbelow = i * d + factor * dd - 1
        c_before, dc_before = c, dc
        c = b + factor / c_before
        c = xp.where(xp.absolute(c) < _TINY, _TINY, c)
        dc = -1 + i / c_before - factor * dc_before / c_before / c_before
        d = 1 / below
        dd = -dbelow * d * d
        step, dstep = d * c, dd * c + d * dc
        h, dh = xp.where(active, h * step, h), xp.where(active, dh * step + h * dstep, dh)
        active &= (xp.absolute(step - 1) > 2 * _EPSILON) | (xp.absolute(dstep) > _EPSILON)
    front, log_slope = _front(xp, a, x)
    return _Factors(front * h, front * (dh + h * log_slope))


def betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """The incomplete beta function over beta(a, b)."""
    a, b, x = xp.broadcast_arrays(a, b, x)
    shape = x.shape
    a, b, x = a.reshape(-1), b.reshape(-1), x.reshape(-1)
    found = xp.full(x.shape, np.nan)
    legal = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & (a < np.inf) & (b < np.inf)
    found[legal & (x == 0)] = 0.0
    found[legal & (x == 1)] = 1.0
    inside = legal & (x > 0) & (x < 1)
    turned = inside & (x > (a + 1) / (a + b + 2))
    plain = inside & ~turned
    found[plain] = _beta_fraction(xp, a[plain], b[plain], x[plain], 1 - x[plain])
    found[turned] = 1 - _beta_fraction(xp, b[turned], a[turned], 1 - x[turned], x[turned])
    return found.reshape(shape)


def log_beta(xp: Any, a: Any, b: Any) -> Any:
    """lgamma(a) + lgamma(b) - lgamma(a + b), without cancellation where both are large."""
    large = (a >= 8) & (b >= 8)
    p, q = xp.where(large, a, 8.0), xp.where(large, b, 8.0)
    tails = stirling_tail(xp, p) + stirling_tail(xp, q) - stirling_tail(xp, p + q)
    powers = (p - 0.5) * xp.log(p / (p + q)) + q * xp.log(q / (p + q)) - 0.5 * xp.log(q)
    of_large = powers + tails + 0.9189385332046727
    return xp.where(large, of_large, lgamma(xp, a) + lgamma(xp, b) - lgamma(xp, a + b))


def _beta_fraction(xp: Any, a: Any, b: Any, x: Any, rest: Any) -> Any:
    """The continued fraction of the incomplete beta function by Lentz's method; rest: 1 - x."""
    c = xp.ones(a.shape)
    d = 1 / _kept_off_zero(xp, 1 - (a + b) * x / (a + 1))
    h = d.copy()
    active = xp.ones(a.shape, bool)
    for m in range(1, _MOST_ROUNDS):
        if not active.any():
            break
        before = h
        for factor in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                       -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            d = 1 / _kept_off_zero(xp, 1 + factor * d)
            c = _kept_off_zero(xp, 1 + factor / c)
            h = h * d * c
        h = xp.where(active, h, before)
        active &= xp.absolute(d * c - 1) > 2 * _EPSILON
    return xp.exp(a * xp.log(x) + b * xp.log1p(-x) - log_beta(xp, a, b)) * h / a


def _kept_off_zero(xp: Any, value: Any) -> Any:
    return xp.where(xp.absolute(value) < _TINY, _TINY, value)
