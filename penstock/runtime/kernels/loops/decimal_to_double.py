"""The nearest double of a decimal with up to 19 digits, without arithmetic on long numbers: what `numbers` calls.

w * 10**q is w * 5**q * 2**q, and a table holds the first 128 bits of 5**q. One product of 64 by 64 bits gives more bits
of the result than a double has. If the extra bits do not decide the rounding, a second product does. Undecided cases
(no such number is known), subnormal results and overflows are reported as unknown. (Algorithm: D. Lemire, "Number
Parsing at a Gigabyte per Second", 2021.)
"""

from __future__ import annotations

from typing import Final

from ...llvm.number_conversion import literal

LEAST: Final = -342
MOST: Final = 308
"""Exponents of the table: beyond them everything is 0 or infinite."""


LONGEST_POWER: Final = 4
"""Digits of an exponent."""


def functions_of_numbers(source: str, layout: tuple[int, int, int], target: str) -> str:
    """@exact and @nearest (ptr to, i64 w, i64 q): the double nearest to w * 10**q goes to `to`.

    @exact serves where w and 10**|q| are doubles. @nearest, for other w that are not 0, also puts behind the number
    whether it is known.
    """
    if target[0] == "i":
        return ""
    values = ", ".join(f"double {literal(10.0**n)}" for n in range(23))
    powers = f"@powers = private unnamed_addr constant [23 x double] [{values}]\n"
    return powers + _EXACT + _nearest_rule()


def _nearest_rule() -> str:
    words = ", ".join(f"i64 {word}" for q in range(LEAST, MOST + 1) for word in divmod(_power_of_five(q), 1 << 64))
    table = f"@fives = private unnamed_addr constant [{2 * (MOST - LEAST + 1)} x i64] [{words}]\n"
    return table + _NEAREST.replace("MINUS_LEAST", str(-LEAST))


def _power_of_five(q: int) -> int:
    """The first 128 bits of 5**q, truncated; reciprocals that can occur in an exact halfway case are rounded up."""
    power: int = 5 ** abs(q)
    if q < 0:
        return (1 << (power.bit_length() + 127)) // power + (q >= -27)
    excess = power.bit_length() - 128
    return power >> excess if excess > 0 else power << -excess


_EXACT: Final = """
define internal void @exact(ptr %to, i64 %m, i64 %e) alwaysinline {
  %float = uitofp i64 %m to double
  %divides = icmp slt i64 %e, 0
  %e_minus = sub i64 0, %e
  %e_size = select i1 %divides, i64 %e_minus, i64 %e
  %power_place = getelementptr double, ptr @powers, i64 %e_size
  %power10 = load double, ptr %power_place, align 8
  %quotient = fdiv double %float, %power10
  %product = fmul double %float, %power10
  %computed = select i1 %divides, double %quotient, double %product
  store double %computed, ptr %to, align 8
  ret void
}
"""
_NEAREST: Final = """
declare i64 @llvm.ctlz.i64(i64, i1)
define internal void @nearest(ptr %to, i64 %w, i64 %q) alwaysinline {
  %zeros = call i64 @llvm.ctlz.i64(i64 %w, i1 true)
  %full = shl i64 %w, %zeros
  %row = add i64 %q, MINUS_LEAST
  %high_at = getelementptr [2 x i64], ptr @fives, i64 %row, i64 0
  %low_at = getelementptr [2 x i64], ptr @fives, i64 %row, i64 1
  %high5 = load i64, ptr %high_at, align 8
  %low5 = load i64, ptr %low_at, align 8
  %full_wide = zext i64 %full to i128
  %high5_wide = zext i64 %high5 to i128
  %low5_wide = zext i64 %low5 to i128
  %product = mul i128 %full_wide, %high5_wide
  %product_high = lshr i128 %product, 64
  %high1 = trunc i128 %product_high to i64
  %low1 = trunc i128 %product to i64
  %beyond = and i64 %high1, 511
  %unsure = icmp eq i64 %beyond, 511
  %second = mul i128 %full_wide, %low5_wide
  %second_high = lshr i128 %second, 64
  %added = trunc i128 %second_high to i64
  %low2 = add i64 %low1, %added
  %carried = icmp ult i64 %low2, %added
  %carry = zext i1 %carried to i64
  %high2 = add i64 %high1, %carry
  %high = select i1 %unsure, i64 %high2, i64 %high1
  %low = select i1 %unsure, i64 %low2, i64 %low1
  %all_ones = icmp eq i64 %low, -1
  %q_moved = add i64 %q, 27
  %q_unsafe = icmp ugt i64 %q_moved, 82
  %undecided = and i1 %all_ones, %q_unsafe
  %top = lshr i64 %high, 63
  %shift = add i64 %top, 9
  %m0 = lshr i64 %high, %shift
  %q_bits = mul i64 %q, 217706
  %q_power = ashr i64 %q_bits, 16
  %p0 = add i64 %q_power, %top
  %p1 = sub i64 %p0, %zeros
  %p2 = add i64 %p1, 1086
  %few_low = icmp ule i64 %low, 1
  %q_small0 = add i64 %q, 4
  %q_small = icmp ule i64 %q_small0, 27
  %m_end = and i64 %m0, 3
  %m_odd_half = icmp eq i64 %m_end, 1
  %m_back = shl i64 %m0, %shift
  %nothing_lost = icmp eq i64 %m_back, %high
  %half0 = and i1 %few_low, %q_small
  %half1 = and i1 %half0, %m_odd_half
  %halfway = and i1 %half1, %nothing_lost
  %m_even = and i64 %m0, -2
  %m1 = select i1 %halfway, i64 %m_even, i64 %m0
  %m_last = and i64 %m1, 1
  %m2 = add i64 %m1, %m_last
  %m3 = lshr i64 %m2, 1
  %grown = icmp uge i64 %m3, 9007199254740992
  %m4 = select i1 %grown, i64 4503599627370496, i64 %m3
  %grown_one = zext i1 %grown to i64
  %p3 = add i64 %p2, %grown_one
  %fraction = and i64 %m4, 4503599627370495
  %exponent = shl i64 %p3, 52
  %bits = or i64 %fraction, %exponent
  %p_moved = sub i64 %p2, 1
  %normal2 = icmp ult i64 %p_moved, 2046
  %p_moved3 = sub i64 %p3, 1
  %normal3 = icmp ult i64 %p_moved3, 2046
  %normal = and i1 %normal2, %normal3
  %decided = xor i1 %undecided, true
  %known = and i1 %normal, %decided
  %is_known = zext i1 %known to i64
  store i64 %bits, ptr %to, align 8
  %behind = getelementptr i64, ptr %to, i64 1
  store i64 %is_known, ptr %behind, align 8
  ret void
}
"""
