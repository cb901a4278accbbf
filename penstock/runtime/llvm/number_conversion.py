"""Which rules turn one number into another kind of number, bit for bit as NumPy and ml_dtypes do?

Each function here gives the text of small LLVM functions, internal and always inlined, that scalar code and index
kernels share. A 16-bit float travels as its bits, an i16:

    @bf16_widen(i16) -> float     @bf16_narrow(float) -> i16       nearest, ties to even; NaN -> sign | 0x7fc0
    @f16_widen(i16) -> float      @f16_narrow(float) -> i16        the same rounding; NaN stays some NaN
    @f32_to_i8(float) -> i8 ...   @f64_to_u64(double) -> i64       toward zero; NaN 0, out of range the nearest end

bfloat16 is rounded with integers: `fptrunc` to bfloat is one instruction on some processors, and that one flushes
subnormal numbers. binary16 uses the processor's conversion where it has one; elsewhere LLVM would call a function of
the C runtime, which a linked object does not find, so integers do it there too. `fptosi` of what does not fit is
undefined, and `llvm.fptosi.sat` is ten times slower than comparing first.
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

_F16_BY_HARDWARE: Final = """
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

# Widening: the exponent moves over by a multiplication with 2**112, which also makes subnormal halves normal floats.
# Narrowing: below 2**-14 the float unit rounds, by adding 0.5 whose last bit has the value of a subnormal half's last
# bit; above, integers round as for bfloat16; from 2**16 on there is only infinity.
_F16_BY_INTEGERS: Final = """
define internal float @f16_widen(i16 %x) alwaysinline {
  %wide = zext i16 %x to i32
  %size = and i32 %wide, 32767
  %moved = shl i32 %size, 13
  %small = bitcast i32 %moved to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %endless = or i32 %moved, 2139095040
  %large = icmp uge i32 %size, 31744
  %chosen = select i1 %large, i32 %endless, i32 %finite
  %sign0 = and i32 %wide, 32768
  %sign = shl i32 %sign0, 16
  %bits = or i32 %chosen, %sign
  %value = bitcast i32 %bits to float
  ret float %value
}
define internal i16 @f16_narrow(float %x) alwaysinline {
  %all = bitcast float %x to i32
  %size = and i32 %all, 2147483647
  %sign0 = lshr i32 %all, 16
  %sign = and i32 %sign0, 32768
  %positive = bitcast i32 %size to float
  %added = fadd float %positive, 0.5
  %added_bits = bitcast float %added to i32
  %subnormal = sub i32 %added_bits, 1056964608
  %last = lshr i32 %size, 13
  %odd = and i32 %last, 1
  %biased = add i32 %size, 3355447295
  %sum = add i32 %biased, %odd
  %normal = lshr i32 %sum, 13
  %is_small = icmp ult i32 %size, 947912704
  %finite = select i1 %is_small, i32 %subnormal, i32 %normal
  %is_nan = icmp ugt i32 %size, 2139095040
  %endless = select i1 %is_nan, i32 32256, i32 31744
  %is_large = icmp uge i32 %size, 1199570944
  %chosen = select i1 %is_large, i32 %endless, i32 %finite
  %signed = or i32 %chosen, %sign
  %result = trunc i32 %signed to i16
  ret i16 %result
}
"""


def half_rules(hardware: bool | None = None) -> str:
    """@f16_widen and @f16_narrow. hardware: whether the processor converts; None asks it."""
    if hardware is None:
        # On aarch64 every processor converts; it is known there by its float unit.
        hardware = bool({"f16c", "fp-armv8"} & features())
    return _F16_BY_HARDWARE if hardware else _F16_BY_INTEGERS


def to_int_name(source: str, target: str) -> str:
    """The name of the function that `to_int_rule` defines, for NumPy's names such as "f4" and "u1"."""
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
