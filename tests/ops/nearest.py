"""Exact rounding with fractions: the oracle for casts and for parsing."""

from fractions import Fraction
from math import inf

import penstock as tf
from penstock.graph.shapes.dtypes import DType

# Of each float dtype: the bits of its significand, the exponents of its smallest number and of the first too large.
_FORMATS = {tf.float16: (11, -24, 16), tf.bfloat16: (8, -133, 128), tf.float32: (24, -149, 128),
            tf.float64: (53, -1074, 1024)}  # fmt: skip


def nearest(exact: Fraction, dtype: DType) -> float:
    """The number of `dtype` nearest to `exact`, of two equally near ones the even one; inf beyond the largest."""
    bits, smallest, too_large = _FORMATS[dtype]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, smallest)
    result = round(size / unit) * unit  # Python rounds halves to even
    number = inf if result >= Fraction(2) ** too_large else float(result)
    return -number if exact < 0 else number
