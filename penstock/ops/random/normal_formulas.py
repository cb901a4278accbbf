"""Formulas from random words to uniform and normal numbers, for NumPy and for machine code.

The functions use `+ - * /`, `& | ^ << >>` and a `Vocabulary`. Words are uint64 below 2**32. Called with
`NumpyVocabulary` they compute arrays; called with values of LLVM IR (`runtime.kernels.loops.random_loops`) they write
instructions. Each operation is rounded by itself in both, so both give the same bits.

Normal numbers are made by the Box-Muller transform: sin(2 pi v) * sqrt(-2 log u) and the same with cos. Logarithm, sine
and cosine are computed in float64, by series. For float32 results these are short: their error of 3e-9 is 0.05 units in
the last place.
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

import numpy as np

_ONE: Final = 0x3FF0000000000000
"""The bits of the float64 1.0."""
SMALLEST: Final = 1.0e-7
"""The smallest argument of the logarithm: TensorFlow raises smaller ones to it."""


class Vocabulary(Protocol):
    """What the formulas need besides operators."""

    def as_float32(self, bits: Any) -> Any:
        """The float32 with the bits of a uint32."""

    def as_float64(self, bits: Any) -> Any:
        """The float64 with the bits of a uint64."""

    def as_bits(self, x: Any) -> Any:
        """The bits of a float64."""

    def float64(self, x: Any) -> Any:
        """A float32 as float64."""

    def float32(self, x: Any) -> Any:
        """A float64 rounded to float32."""

    def at_least(self, x: Any, low: float) -> Any:
        """max(x, low)."""

    def sqrt(self, x: Any) -> Any:
        """The square root in the dtype of `x`."""

    def choose(self, bit: Any, x: Any, y: Any) -> Any:
        """`x` where a uint64 is not 0, else `y`."""


class NumpyVocabulary:
    """The vocabulary of arrays."""

    def as_float32(self, bits: Any) -> Any:
        return bits.view(np.float32)

    def as_float64(self, bits: Any) -> Any:
        return bits.view(np.float64)

    def as_bits(self, x: Any) -> Any:
        return x.view(np.uint64)

    def float64(self, x: Any) -> Any:
        return x.astype(np.float64)

    def float32(self, x: Any) -> Any:
        return x.astype(np.float32)

    def at_least(self, x: Any, low: float) -> Any:
        return np.maximum(x, x.dtype.type(low))

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x)

    def choose(self, bit: Any, x: Any, y: Any) -> Any:
        return np.where(bit != 0, x, y)


NUMPY: Final = NumpyVocabulary()


def uniform32(v: Vocabulary, word: Any) -> Any:
    """A float32 in [0, 1) of the low 23 bits of a uint32."""
    return v.as_float32((word & 0x7FFFFF) | 0x3F800000) - 1.0


def uniform64(v: Vocabulary, first: Any, second: Any) -> Any:
    """A float64 in [0, 1) of the low 20 bits of one word and all of another."""
    return v.as_float64(((first & 0xFFFFF) << 32) | second | _ONE) - 1.0


def normal_pair32(v: Vocabulary, first: Any, second: Any) -> tuple[Any, Any]:
    """Two normal float32 of two words."""
    u = v.at_least(_uniform32_wide(v, first), float(np.float32(SMALLEST)))
    angle = v.float64(v.float32(_uniform32_wide(v, second) * (2.0 * math.pi)))
    radius = v.sqrt(v.float32(_log_short(v, u)) * -2.0)
    sine, cosine = _sin_cos(v, angle, _TERMS_FOR_32)
    return v.float32(sine) * radius, v.float32(cosine) * radius


def normal_pair64(v: Vocabulary, w0: Any, w1: Any, w2: Any, w3: Any) -> tuple[Any, Any]:
    """Two normal float64 of four words."""
    u = v.at_least(uniform64(v, w0, w1), SMALLEST)
    angle = uniform64(v, w2, w3) * (2.0 * math.pi)
    radius = v.sqrt(_log_long(v, u) * -2.0)
    sine, cosine = _sin_cos(v, angle, _TERMS_FOR_64)
    return sine * radius, cosine * radius


def _uniform32_wide(v: Vocabulary, word: Any) -> Any:
    """`uniform32` as a float64, which is the same number."""
    return v.as_float64(((word & 0x7FFFFF) << 29) | _ONE) - 1.0


# ---- logarithm ----------------------------------------------------------------------------------

_HALF_ROOT: Final = 0x3FE6A09E00000000
"""The bits of about sqrt(1/2), the smallest mantissa."""
_TWO_52: Final = float(1 << 52)
_LN2_HIGH: Final = 6.93147180369123816490e-01  # its last 21 bits are 0, so that a product with an exponent is exact
_LN2_LOW: Final = 1.90821492927058770002e-10


def _split(v: Vocabulary, x: Any) -> tuple[Any, Any]:
    """k and f with x = 2**k * (1 + f) and sqrt(1/2) <= 1 + f < sqrt(2)."""
    shifted = v.as_bits(x) + (0x3FF0000000000000 - _HALF_ROOT)
    exponent = v.as_float64((shifted >> 52) | 0x4330000000000000) - (_TWO_52 + 1023.0)
    return exponent, v.as_float64((shifted & 0xFFFFFFFFFFFFF) + _HALF_ROOT) - 1.0


def _log_short(v: Vocabulary, x: Any) -> Any:
    """log(x), with a relative error of 1e-11: log(1 + f) = 2 atanh(s) with s = f / (2 + f)."""
    exponent, f = _split(v, x)
    s = f / (f + 2.0)
    z = s * s
    return exponent * math.log(2.0) + s * (_polynomial(z, [2.0 / (2 * i + 3) for i in range(6)]) * z + 2.0)


def _log_long(v: Vocabulary, x: Any) -> Any:
    """log(x) to a unit in the last place: log(1 + f) = f - (f*f/2 - s * (f*f/2 + 2/3 s**2 + 2/5 s**4 ...))."""
    exponent, f = _split(v, x)
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    series = _polynomial(z, [2.0 / (2 * i + 3) for i in range(11)]) * z
    return exponent * _LN2_HIGH - ((half - (s * (half + series) + exponent * _LN2_LOW)) - f)


# ---- sine and cosine ----------------------------------------------------------------------------

_HALF_PI: Final = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""pi/2 in three parts. The first two have 33 bits, so that products with small ints are exact."""
_TERMS_FOR_32: Final = 5
_TERMS_FOR_64: Final = 8


def _sin_cos(v: Vocabulary, angle: Any, terms: int) -> tuple[Any, Any]:
    """Sine and cosine of an angle in [0, 2 pi], each by `terms` terms of its series after the first."""
    shifted = angle * (2.0 / math.pi) + _TWO_52  # rounds to an int, which is in the last bits
    quadrant = v.as_bits(shifted)
    turns = shifted - _TWO_52
    rest = ((angle - turns * _HALF_PI[0]) - turns * _HALF_PI[1]) - turns * _HALF_PI[2]
    z = rest * rest
    sine = rest + rest * z * _polynomial(z, [(-1.0) ** i / math.factorial(2 * i + 1) for i in range(1, terms + 1)])
    cosine = z * _polynomial(z, [(-1.0) ** i / math.factorial(2 * i) for i in range(1, terms + 1)]) + 1.0
    is_odd = quadrant & 1
    return (
        _with_sign(v, v.choose(is_odd, cosine, sine), quadrant),
        _with_sign(v, v.choose(is_odd, sine, cosine), quadrant + 1),
    )


def _with_sign(v: Vocabulary, x: Any, quadrant: Any) -> Any:
    """-x in the quadrants 2 and 3."""
    return v.as_float64(v.as_bits(x) ^ ((quadrant & 2) << 62))


def _polynomial(z: Any, coefficients: list[float]) -> Any:
    """c[0] + c[1] z + c[2] z**2 ..."""
    total = z * coefficients[-1] + coefficients[-2]
    for each in reversed(coefficients[:-2]):
        total = total * z + each
    return total
