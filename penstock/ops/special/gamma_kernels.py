"""The gamma function's logarithm, its derivatives and the Hurwitz zeta function, on float64 arrays.

The logarithm is a series in x - 1 or x - 2 near those zeros, Stirling's series from 8 on, a product between, and
reflected below 1/2. The zeta function is the Euler-Maclaurin sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Kernel = Callable[..., Any]

# B(2k) / (2k (2k - 1)) for k = 1, 2 ...: Stirling's series of the logarithm in 1 / x**2.
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188,
)  # fmt: skip
# B(2k): the Bernoulli numbers.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
              854513 / 138, -236364091 / 2730)  # fmt: skip
_EULER = 0.5772156649015329
_HALF_LOG_TWO_PI = 0.9189385332046727
_FEW_TERMS = 10
"""Terms of the zeta function that are summed one by one."""


def in_float64(law: Kernel) -> Kernel:
    """`law`, which takes arrays of float64, for all floats: computed in float64 and rounded once."""

    def kernel(xp: Any, *arrays: Any) -> Any:
        dtype = arrays[0].dtype
        found = law(xp, *[xp.asarray(a, np.float64) for a in arrays])
        return xp.asarray(found).astype(dtype)

    return kernel


def _polynomial(coefficients: Any, x: Any) -> Any:
    total = x * 0.0 + coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _zetas_less_one(count: int) -> list[float]:
    """zeta(k) - 1 for k = 2, 3 ...: the sum of 1 / n**k from n = 2 on."""
    orders = np.arange(2.0, count + 2)
    return zeta(np, orders, np.full(count, 2.0)).tolist()


def zeta(xp: Any, x: Any, q: Any) -> Any:
    """The sum of (q + n)**-x for n = 0, 1, 2 ..."""
    x, q = xp.broadcast_arrays(x, q)
    shape = x.shape
    x, q = x.reshape(-1), q.reshape(-1)
    found = xp.full(x.shape, np.nan)
    pole = (q <= 0) & (q == xp.floor(q))
    found[x == 1] = np.inf
    usual = (x > 1) & ((q > 0) | (x == xp.floor(x))) & ~pole
    found[(x > 1) & pole] = np.inf
    found[(x == np.inf) & (q > 1)] = 0.0
    usual &= xp.isfinite(x) & (q < np.inf)
    found[(x > 1) & (q == np.inf)] = 0.0
    found[usual] = _euler_maclaurin(xp, x[usual], q[usual])
    return found.reshape(shape)


def _euler_maclaurin(xp: Any, x: Any, q: Any) -> Any:
    total = xp.zeros(x.shape)
    place = q.copy()
    active = xp.ones(x.shape, bool)
    terms = 0
    while active.any():
        total[active] += place[active] ** -x[active]
        place[active] += 1
        terms += 1
        active &= (place < _FEW_TERMS) | (terms < _FEW_TERMS)
    power = place**-x
    total += place * power / (x - 1) + 0.5 * power
    factor, scale = x, place
    weight = 1.0
    for k, number in enumerate(_BERNOULLI, 1):
        weight *= (2 * k - 1) * 2 * k
        total += number / weight * factor * power / scale
        factor = factor * (x + 2 * k - 1) * (x + 2 * k)
        scale = scale * place * place
    return total


_ZETAS = _zetas_less_one(34)
_NEAR_TWO = (0.0, 1 - _EULER, *[(-1) ** k * each / k for k, each in enumerate(_ZETAS, 2)])


def stirling_tail(xp: Any, x: Any) -> Any:
    """What lgamma(x) is above (x - 1/2) log(x) - x + log(2 pi) / 2, for x of 8 and more."""
    inverse = 1 / x
    return inverse * _polynomial(_STIRLING, inverse * inverse)


def lgamma(xp: Any, x: Any) -> Any:
    """log(|gamma(x)|)."""
    reflected = x < 0.5
    size = xp.where(reflected, 1 - x, x)
    found = _lgamma_of_positive(xp, size)
    if reflected.any():
        sine = xp.absolute(xp.sin(np.pi * (x - xp.rint(x))))
        found = xp.where(reflected, xp.log(np.pi / sine) - found, found)
    found = xp.where((x <= 0) & (x == xp.floor(x)), np.inf, found)
    return xp.where(xp.isinf(x), np.inf, found)


def _lgamma_of_positive(xp: Any, x: Any) -> Any:
    """Of x from 1/2 on; NaN stays."""
    large = xp.maximum(x, 8.0)
    of_large = (large - 0.5) * xp.log(large) - large + _HALF_LOG_TWO_PI + stirling_tail(xp, large)
    rest = xp.minimum(x, 8.0)
    product = xp.ones(x.shape)
    for _ in range(6):
        above = rest >= 2.5
        rest = xp.where(above, rest - 1, rest)
        product = xp.where(above, product * rest, product)
    near_one = rest < 1.5
    z = xp.where(near_one, rest - 1, rest - 2)
    of_small = _polynomial(_NEAR_TWO, z) + xp.log(product)
    of_small = xp.where(near_one, of_small - xp.log1p(z), of_small)
    return xp.where(x < 8, of_small, of_large)


def digamma(xp: Any, x: Any) -> Any:
    """The derivative of log(gamma(x))."""
    reflected = x <= 0
    size = xp.where(reflected, 1 - x, x)
    total = xp.zeros(x.shape)
    for _ in range(10):
        small = size < 10
        total = xp.where(small, total - 1 / size, total)
        size = xp.where(small, size + 1, size)
    square = 1 / (size * size)
    series = square * _polynomial([b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)], square)
    found = total + xp.log(size) - 0.5 / size - series
    found = xp.where(x == np.inf, np.inf, found)
    if reflected.any():
        angle = np.pi * (x - xp.rint(x))
        found = xp.where(reflected, found - np.pi / xp.tan(angle), found)
    return xp.where(reflected & (x == xp.floor(x)), np.nan, found)


def polygamma(xp: Any, a: Any, x: Any) -> Any:
    """The derivative of order `a` of digamma; NaN unless `a` is a whole number from 0 on."""
    whole = (a >= 0) & (a == xp.floor(a))
    order = xp.where(whole, a, 1.0)
    sign = xp.where(order % 2 == 1, 1.0, -1.0)
    higher = sign * xp.exp(lgamma(xp, order + 1)) * zeta(xp, order + 1, x)
    found = xp.where(order == 0, digamma(xp, x + order * 0), higher)
    return xp.where(whole, found, np.nan)
