"""ONNX's element types: those that are dtypes here, and narrow ones, whose values are held as their codes.

A tensor of a narrow type (float8, float4, 4-bit and 2-bit ints) is a uint8 tensor of codes, one a byte, and the type
beside it. Every value of such a type is a float32, so a table of at most 256 entries says what the codes mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ....graph.model.nodes import Tensor
from ....graph.shapes import dtypes
from ....graph.shapes.dtypes import DType
from ....graph.shapes.literal import Array
from ....graph.shapes.shape import TensorShape
from ..onnx_errors import UnsupportedOnnx

NUMBERS: dict[int, DType] = {
    1: dtypes.float32, 2: dtypes.uint8, 3: dtypes.int8, 4: dtypes.uint16, 5: dtypes.int16, 6: dtypes.int32,
    7: dtypes.int64, 8: dtypes.string, 9: dtypes.bool_, 10: dtypes.float16, 11: dtypes.float64, 12: dtypes.uint32,
    13: dtypes.uint64, 14: dtypes.complex64, 15: dtypes.complex128, 16: dtypes.bfloat16,
}  # fmt: skip
NUMBER_OF = {dtype: number for number, dtype in NUMBERS.items()}


@dataclass(frozen=True, slots=True)
class NarrowType:
    """An element type of at most eight bits.

    Attributes:
        number: ONNX's number.
        name: ONNX's name, in lower case: that of ml_dtypes too.
        bits: of one element.
        exponent: how many of them are the exponent; 0 for ints.
        bias: of the exponent.
        signed: whether there is a sign.
        nans: the codes that are no number.
        infinite: whether the largest exponent holds infinities (float8e5m2).
    """

    number: int
    name: str
    bits: int
    exponent: int = 0
    bias: int = 0
    signed: bool = True
    nans: tuple[int, ...] = ()
    infinite: bool = False

    @property
    def is_int(self) -> bool:
        """Whether it is an int."""
        return not self.exponent

    @property
    def per_byte(self) -> int:
        """How many elements a byte of a file holds."""
        return 8 // self.bits if self.bits in (2, 4) else 1


NARROW: dict[int, NarrowType] = {
    each.number: each
    for each in (
        NarrowType(17, "float8_e4m3fn", 8, 4, 7, nans=(0x7F, 0xFF)),
        NarrowType(18, "float8_e4m3fnuz", 8, 4, 8, nans=(0x80,)),
        NarrowType(19, "float8_e5m2", 8, 5, 15, nans=(0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF), infinite=True),
        NarrowType(20, "float8_e5m2fnuz", 8, 5, 16, nans=(0x80,)),
        NarrowType(21, "uint4", 4, signed=False),
        NarrowType(22, "int4", 4),
        NarrowType(23, "float4_e2m1fn", 4, 2, 1),
        NarrowType(24, "float8_e8m0fnu", 8, 8, 127, signed=False, nans=(0xFF,)),
        NarrowType(25, "uint2", 2, signed=False),
        NarrowType(26, "int2", 2),
    )
}
NARROW_NAMED = {each.name: each for each in NARROW.values()}


@dataclass(frozen=True, slots=True)
class NarrowTensor:
    """A tensor of a narrow type: its codes (uint8) and what they mean."""

    codes: Tensor
    type: NarrowType

    @property
    def shape(self) -> TensorShape:
        """Its shape: that of the codes."""
        return self.codes.shape


@cache
def table(type: NarrowType) -> Array:
    """What each code means, as float32; nan for codes that are no number."""
    if type.is_int:
        numbers = np.arange(1 << type.bits)
        half = 1 << type.bits - 1
        return (np.where(numbers >= half, numbers - 2 * half, numbers) if type.signed else numbers).astype(np.float32)
    values = np.array([_meaning(type, code) for code in range(1 << type.bits)], np.float64).astype(np.float32)
    values.flags.writeable = False
    return values


def _meaning(type: NarrowType, code: int) -> float:
    if code in type.nans:
        return float("nan")
    fraction_bits = type.bits - type.exponent - type.signed
    sign = -1.0 if type.signed and code >> type.bits - 1 else 1.0
    exponent = code >> fraction_bits & (1 << type.exponent) - 1
    fraction = code & (1 << fraction_bits) - 1
    if type.infinite and exponent == (1 << type.exponent) - 1:
        return sign * float("inf")
    if not fraction_bits:
        return float(2.0 ** (exponent - type.bias))
    if not exponent:
        return sign * float(fraction) * 2.0 ** (1 - type.bias - fraction_bits)
    return sign * float((1 << fraction_bits) + fraction) * 2.0 ** (exponent - type.bias - fraction_bits)


def element_type(number: int) -> DType | NarrowType:
    """The element type with that number.

    Raises:
        UnsupportedOnnx: there is none here.
    """
    found: Any = NUMBERS.get(number) or NARROW.get(number)
    if found is None:
        raise UnsupportedOnnx(f"the element type {number} of ONNX does not exist here")
    return found  # type: ignore[no-any-return]  # one of the two


def dtype_of(number: int) -> DType:
    """The dtype with that number.

    Raises:
        UnsupportedOnnx: it is a narrow type, or none.
    """
    found = element_type(number)
    if isinstance(found, NarrowType):
        raise UnsupportedOnnx(f"the narrow type {found.name} is not a dtype here; this op takes dtypes only")
    return found
