"""Conversions to and from the narrow types: between numbers and their codes.

Decoding looks the code up in the type's table. Encoding finds the place of a number among the sorted values of the
type: of the two neighbours the nearer one, of two equally near ones that with the even code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import DType, bool_, float32, float64, int64, uint8
from ..wire.onnx_types import NarrowTensor, NarrowType, table
from .values import as_dtype, constant, scalar, where


def decoded(x: NarrowTensor, dtype: DType) -> Tensor:
    """The numbers that codes mean."""
    meant = ops.gather(ops.constant(table(x.type), name="table"), ops.cast(x.codes, int64))
    return as_dtype(meant, dtype)


def encoded(x: Tensor, type: NarrowType, saturate: bool = True, round_mode: str = "up") -> NarrowTensor:
    """The codes of numbers in a narrow type.

    Args:
        x: numbers or bools.
        type: the type.
        saturate: whether numbers that are too large become the largest one; else nan, or infinity where there is one.
        round_mode: of float8e8m0, whose values are powers of two: up, down or nearest.
    """
    x = ops.cast(x, float32) if x.dtype is bool_ else x
    if type.is_int:
        return NarrowTensor(_int_codes(x, type), type)
    wide = as_dtype(x, float64)
    if type.exponent == 8:
        return NarrowTensor(_power_codes(wide, type, round_mode, saturate), type)
    values = table(type).astype(np.float64)
    finite = np.isfinite(values)
    codes = np.arange(len(values))[finite]
    order = np.lexsort((codes, values[finite]))
    ranked, codes = values[finite][order], codes[order]
    half = 1 << type.bits - 1
    keep = codes != half  # the negative zero, which has the rank of zero: it is put in at the end
    ranked, codes = ranked[keep], codes[keep]
    middles = (ranked[1:] + ranked[:-1]) / 2
    low = ops.searchsorted(ops.constant(middles), ops.reshape(wide, [-1]), "left", int64)
    high = ops.searchsorted(ops.constant(middles), ops.reshape(wide, [-1]), "right", int64)
    table_of_codes = ops.constant(codes.astype(np.int64))
    first, second = ops.gather(table_of_codes, low), ops.gather(table_of_codes, high)
    even = ops.equal(ops.floormod(first, constant(2)), constant(0))
    found = ops.reshape(ops.select(even, first, second), ops.shape(wide))
    return NarrowTensor(ops.cast(_special_codes(wide, found, type, saturate, ranked), uint8), type)


def _special_codes(wide: Tensor, codes: Tensor, type: NarrowType, saturate: bool, ranked: Any) -> Tensor:
    """nan, infinities, what is too large, and the negative zero."""
    half = 1 << type.bits - 1
    largest = ranked[-1]
    step = largest - ranked[-2]
    negative = ops.logical_or(wide < scalar(wide, 0), ops.reciprocal(wide) < scalar(wide, 0))  # -0.0 too
    if not type.name.endswith("uz"):  # these have one zero only
        is_zero = ops.equal(codes, constant(0))
        codes = where(ops.logical_and(is_zero, negative), constant(half), codes)
    if not type.nans:
        return where(ops.is_nan(wide), constant(half), codes)  # float4 has no nan: it becomes -0, as in ml_dtypes
    nan = constant(type.nans[0] if type.name.endswith("uz") else 0x7F if not type.infinite else 0x7E)
    nan = where(negative, nan + constant(0 if type.name.endswith("uz") else half), nan)
    size = ops.abs(wide)
    if not saturate:
        over = size >= scalar(size, largest + step / 2) if type.infinite or type.name.endswith("uz") else size > scalar(
            size, largest + step / 2)  # fmt: skip
        beyond = where(negative, constant(0xFC), constant(0x7C)) if type.infinite else nan
        codes = where(over, beyond, codes)
        codes = where(ops.is_inf(wide), beyond, codes)
    return where(ops.is_nan(wide), nan, codes)


def _int_codes(x: Tensor, type: NarrowType) -> Tensor:
    """Numbers cut to the lowest bits, as a cast between ints does; floats lose their fraction first."""
    whole = ops.cast(x, int64)
    return ops.cast(ops.bitwise_and(whole, constant((1 << type.bits) - 1)), uint8)


def _power_codes(wide: Tensor, type: NarrowType, mode: str, saturate: bool) -> Tensor:
    """Powers of two: the exponent, rounded."""
    powers = 2.0 ** np.arange(-127.0, 128.0)
    size = ops.reshape(wide, [-1])
    if mode == "up":
        place = ops.searchsorted(ops.constant(powers), size, "left", int64)
    elif mode == "down":
        place = ops.searchsorted(ops.constant(powers), size, "right", int64) - constant(1)
    else:
        place = ops.searchsorted(ops.constant(powers[:-1] * 1.5), size, "right", int64)
    top = constant(254 if saturate else 255)
    place = ops.minimum(ops.maximum(place, constant(0)), top)
    place = ops.reshape(place, ops.shape(wide))
    bad = ops.logical_or(ops.is_nan(wide), wide < scalar(wide, 0))
    if not saturate:
        bad = ops.logical_or(bad, ops.is_inf(wide))
    return ops.cast(where(bad, constant(255), place), uint8)


def numbers_of(x: Tensor | NarrowTensor, dtype: DType) -> Tensor:
    """A tensor of a dtype from one of any type."""
    return decoded(x, dtype) if isinstance(x, NarrowTensor) else as_dtype(x, dtype)


