"""Conversions between kinds of numbers in LLVM IR, bit for bit as NumPy and ml_dtypes convert.

Each function here gives the text of small LLVM functions, internal and always inlined, that scalar code and index
kernels share. A 16-bit float travels as its bits, an i16:

    @bf16_widen(i16) -> float     @bf16_narrow(float) -> i16       nearest, ties to even; NaN -> sign | 0x7fc0
    @f16_widen(i16) -> float      @f16_narrow(float) -> i16        the same rounding; NaN stays some NaN
    @f32_to_i8(float) -> i8 ...   @f64_to_u64(double) -> i64       toward zero; NaN 0, out of range the nearest end

bfloat16 is rounded with integers: `fptrunc` to bfloat is one instruction on some processors, and that one flushes
subnormal numbers. binary16 takes the processor's conversion; where there is none (x86-64 before 2012), LLVM would call
a function of the C runtime, which a linked object does not find, so such work stays interpreted. `fptosi` of what does
not fit is undefined, and `llvm.fptosi.sat` is ten times slower than comparing first.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .toolchain import features

FLOATS: Final = {"f4": "float", "f8": "double"}
"""LLVM's names of float types, by NumPy's."""

BF16: Final = """
define internal float @bf16_widen(i16 %x) alwaysinline {
  %wide = zext i16 %x to i32
  %bits = shl i32 %wide, 16
  %value = bitcast i32 %bits to float
  ret float %value
}
define internal i16 @bf16_narrow(float %x) alwaysinline {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %nan = fcmp uno float %x, 0.0
  %sign = and i32 %high, 32768
  %quiet = or i32 %sign, 32704
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %result = trunc i32 %chosen to i16
  ret i16 %result
}
"""

_F16: Final = """
define internal float @f16_widen(i16 %x) alwaysinline {
  %half = bitcast i16 %x to half
  %value = fpext half %half to float
  ret float %value
}
define internal i16 @f16_narrow(float %x) alwaysinline {
  %half = fptrunc float %x to half
  %bits = bitcast half %half to i16
  ret i16 %bits
}
"""

def converts_float16() -> bool:
    """Whether the processor converts float16."""
    # On aarch64 every processor does; it is known there by its float unit.
    return bool({"f16c", "fp-armv8"} & features())


def half_rules() -> str:
    """@f16_widen and @f16_narrow.

    Raises:
        RuntimeError: the processor does not convert float16.
    """
    if not converts_float16():
        raise RuntimeError("this processor has no instructions that convert float16")
    return _F16


def to_int_name(source: str, target: str) -> str:
    """The name of the function that `to_int_rule` defines, for NumPy dtypes such as "f4" and "u1"."""
    return f"@{source[0]}{8 * int(source[1])}_to_{target[0]}{8 * int(target[1])}"


def to_int_rule(source: str, target: str) -> str:
    """The function from "f4" or "f8" to "i1" ... "u8".

    Inside the largest float that fits, compare, make safe, convert; above it (the largest int may lie between two
    floats) choose the largest int.
    """
    kind, ends = FLOATS[source], np.iinfo(target)
    low, high = float(ends.min), _largest_float(source, int(ends.max))
    bits, through = ends.bits, max(32, ends.bits)
    convert = "fptoui" if target in ("u4", "u8") else "fptosi"
    lines = [
        f"define internal i{bits} {to_int_name(source, target)}({kind} %x) alwaysinline {{",
        f"  %is_low = fcmp olt {kind} %x, {literal(low)}",
        f"  %is_high = fcmp ogt {kind} %x, {literal(high)}",
        f"  %is_nan = fcmp uno {kind} %x, 0.0",
        f"  %raised = select i1 %is_low, {kind} {literal(low)}, {kind} %x",
        f"  %lowered = select i1 %is_high, {kind} {literal(high)}, {kind} %raised",
        f"  %safe = select i1 %is_nan, {kind} 0.0, {kind} %lowered",
        f"  %wide = {convert} {kind} %safe to i{through}",
        f"  %inside = trunc i{through} %wide to i{bits}" if through > bits else f"  %inside = add i{bits} %wide, 0",
        f"  %result = select i1 %is_high, i{bits} {int(ends.max)}, i{bits} %inside",
        f"  ret i{bits} %result",
        "}",
    ]
    return "\n".join(lines) + "\n"


def literal(value: float) -> str:
    """A float constant of LLVM IR: the bits of the double, which float constants are written with too."""
    return f"0x{int(np.float64(value).view(np.uint64)):016X}"


def _largest_float(source: str, most: int) -> float:
    value = np.dtype(source).type(most)
    if int(value) > most:
        value = np.nextafter(value, value.dtype.type(0))
    return float(value)
