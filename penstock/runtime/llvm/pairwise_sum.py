"""Pairwise summation of a contiguous row of floats in NumPy's order, with vector instructions.

Up to 7 numbers are added one after the other, up to 128 in eight running totals, more in two halves, the first a
multiple of 8:

    sum(a, n) = sum(a, m) + sum(a + m, n - m)      m = n / 2 rounded down to a multiple of 8

NumPy's loop adds number by number, 0.16 ns each. Here the eight totals are one vector, and blocks of 128 numbers do not
wait for each other: 0.03 ns. The sums agree only while NumPy keeps this order, so `is_known` tests it before any code
is made. If the order differs, NumPy's loop is called.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

LEAF: Final = 128
LANES: Final = 8
AS_WRITTEN: Final = "!llvm.loop !4"
"""The mark of loops that LLVM is to leave as they are; `METADATA` defines it. Unrolling these takes it 15 ms."""
METADATA: Final = """
!4 = distinct !{!4, !5, !6}
!5 = !{!"llvm.loop.vectorize.enable", i1 false}
!6 = !{!"llvm.loop.unroll.disable"}
"""


@cache
def is_known() -> bool:
    """True if NumPy adds in this order."""
    cases = [(np.float32, count) for count in (5, 77, 101, 125, 127, 405)] + [(np.float64, 77), (np.float64, 131)]
    for dtype, count in cases:
        numbers = np.exp(np.arange(count) * 3.7 % 9).astype(dtype)  # every order rounds differently
        if np.add.reduce(numbers) != _sum(numbers):
            return False
    return True


def _sum(a: Any) -> Any:
    count = len(a)
    if count > LEAF:
        half = count // 2 // LANES * LANES
        return _sum(a[:half]) + _sum(a[half:])
    total, start = a.dtype.type(0), 0
    if count >= LANES:
        start = count // LANES * LANES
        r = a[:LANES].copy()
        for k in range(LANES, start, LANES):
            r += a[k : k + LANES]
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for x in a[start:]:
        total = total + x
    return total


def rule(kind: str) -> str:
    """The text of `@sum_float(ptr, i64) -> float`, or of `@sum_double`."""
    vector = f"<{LANES} x {kind}>"
    return f"""define internal {kind} @sum_{kind}(ptr %a, i64 %n) #0 {{
entry:
  %small = icmp sle i64 %n, {LEAF}
  br i1 %small, label %leaf, label %large
leaf:
  %end = and i64 %n, -{LANES}
  %short = icmp eq i64 %end, 0
  br i1 %short, label %few, label %lanes
few:
  %sum_few = call {kind} @tail_{kind}({kind} 0.0, ptr %a, i64 0, i64 %n)
  ret {kind} %sum_few
lanes:
  %v = load {vector}, ptr %a, align 1
  %sum_leaf = call {kind} @finish_{kind}({vector} %v, ptr %a, i64 {LANES}, i64 %n)
  ret {kind} %sum_leaf
large:
  %half = lshr i64 %n, 1
  %low = and i64 %half, -{LANES}
  %high = sub i64 %n, %low
  %b = getelementptr {kind}, ptr %a, i64 %low
  %high_half = lshr i64 %high, 1
  %high_low = and i64 %high_half, -{LANES}
  %longest = sub i64 %high, %high_low
  %is_four = icmp sle i64 %longest, {LEAF}
  %is_more = icmp sgt i64 %low, {LEAF}
  %four = and i1 %is_four, %is_more
  br i1 %four, label %leaves, label %halves
leaves:
  %sum_four = call {kind} @leaves_{kind}(ptr %a, i64 %low, ptr %b, i64 %high)
  ret {kind} %sum_four
halves:
  %x = call {kind} @sum_{kind}(ptr %a, i64 %low)
  %y = call {kind} @sum_{kind}(ptr %b, i64 %high)
  %z = fadd {kind} %x, %y
  ret {kind} %z
}}
{_leaves(kind, vector)}
{_finish(kind, vector)}"""


def _leaves(kind: str, vector: str) -> str:
    """`@leaves(a, low, b, high)`: the sum of two rows of two leaves each, more than 128 numbers, of which no leaf waits
    for another: the sums of squares of 1,000 rows of 1,000 float32 take 108 us instead of 132."""
    parts = range(4)
    lines = [f"define internal {kind} @leaves_{kind}(ptr %a, i64 %low, ptr %b, i64 %high) #0 {{", "entry:"]
    for row, count in (("a", "low"), ("b", "high")):
        lines += [f"  %{row}.half = lshr i64 %{count}, 1", f"  %{row}.low = and i64 %{row}.half, -{LANES}",
                  f"  %{row}.high = sub i64 %{count}, %{row}.low",
                  f"  %{row}.second = getelementptr {kind}, ptr %{row}, i64 %{row}.low"]  # fmt: skip
    starts = ["%a", "%a.second", "%b", "%b.second"]
    counts = ["%a.low", "%a.high", "%b.low", "%b.high"]
    lines += [f"  %v{k} = load {vector}, ptr {starts[k]}, align 1" for k in parts]
    lines += ["  br label %loop", "loop:", f"  %i = phi i64 [{LANES}, %entry], [%i1, %loop]"]  # a.low is the least
    lines += [f"  %t{k} = phi {vector} [%v{k}, %entry], [%s{k}, %loop]" for k in parts]
    for k in parts:
        lines += [f"  %p{k} = getelementptr {kind}, ptr {starts[k]}, i64 %i",
                  f"  %w{k} = load {vector}, ptr %p{k}, align 1", f"  %s{k} = fadd {vector} %t{k}, %w{k}"]  # fmt: skip
    lines += [f"  %i1 = add i64 %i, {LANES}", "  %again = icmp slt i64 %i1, %a.low",
              f"  br i1 %again, label %loop, label %done, {AS_WRITTEN}", "done:"]  # fmt: skip
    lines += [f"  %f{k} = call {kind} @finish_{kind}({vector} %s{k}, ptr {starts[k]}, i64 %a.low, i64 {counts[k]})"
              for k in parts]  # fmt: skip
    lines += [f"  %x = fadd {kind} %f0, %f1", f"  %y = fadd {kind} %f2, %f3", f"  %z = fadd {kind} %x, %y",
              f"  ret {kind} %z", "}"]  # fmt: skip
    return "\n".join(lines)


def _finish(kind: str, vector: str) -> str:
    """`@finish(v, a, from, n)`: the sum of n numbers at `a`, of which those before `from` are in the totals v."""
    return f"""define internal {kind} @finish_{kind}({vector} %v0, ptr %a, i64 %from, i64 %n) #0 {{
entry:
  %end = and i64 %n, -{LANES}
  %all = icmp sge i64 %from, %end
  br i1 %all, label %across, label %lanes
lanes:
  %i = phi i64 [%from, %entry], [%i1, %lanes]
  %v = phi {vector} [%v0, %entry], [%v1, %lanes]
  %p = getelementptr {kind}, ptr %a, i64 %i
  %w = load {vector}, ptr %p, align 1
  %v1 = fadd {vector} %v, %w
  %i1 = add i64 %i, {LANES}
  %again = icmp slt i64 %i1, %end
  br i1 %again, label %lanes, label %across, {AS_WRITTEN}
across:
  %r = phi {vector} [%v0, %entry], [%v1, %lanes]
  %even = shufflevector {vector} %r, {vector} poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %odd = shufflevector {vector} %r, {vector} poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %r4 = fadd <4 x {kind}> %even, %odd
  %even4 = shufflevector <4 x {kind}> %r4, <4 x {kind}> poison, <2 x i32> <i32 0, i32 2>
  %odd4 = shufflevector <4 x {kind}> %r4, <4 x {kind}> poison, <2 x i32> <i32 1, i32 3>
  %r2 = fadd <2 x {kind}> %even4, %odd4
  %e0 = extractelement <2 x {kind}> %r2, i64 0
  %e1 = extractelement <2 x {kind}> %r2, i64 1
  %lane_sum = fadd {kind} %e0, %e1
  %sum = call {kind} @tail_{kind}({kind} %lane_sum, ptr %a, i64 %end, i64 %n)
  ret {kind} %sum
}}
define internal {kind} @tail_{kind}({kind} %t0, ptr %a, i64 %end, i64 %n) #0 {{
entry:
  %left = icmp slt i64 %end, %n
  br i1 %left, label %tail, label %done
tail:
  %k = phi i64 [%end, %entry], [%k1, %tail]
  %t = phi {kind} [%t0, %entry], [%t1, %tail]
  %q = getelementptr {kind}, ptr %a, i64 %k
  %x = load {kind}, ptr %q, align 1
  %t1 = fadd {kind} %t, %x
  %k1 = add i64 %k, 1
  %on = icmp slt i64 %k1, %n
  br i1 %on, label %tail, label %done, {AS_WRITTEN}
done:
  %total = phi {kind} [%t0, %entry], [%t1, %tail]
  ret {kind} %total
}}"""
