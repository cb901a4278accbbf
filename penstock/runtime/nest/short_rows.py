"""Functions for blocks of short rows: values of rows repeated for their elements, and reductions of many rows at once.

Both are made for one width. A vector of rows is taken apart and put together by shuffles of whole blocks:

    repeat 3    r0 r1 r2 r3 ...     -->  r0 r0 r0 r1 r1 r1 ...
    fold 3      a0 a1 a2 b0 b1 ...  -->  a0 b0 c0 ...,  a1 b1 c1 ...,  a2 b2 c2 ...   then added lane by lane
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..compiled.llvm_primitives import memory_kind
from ..ir.nest_ir import RowReduction
from ..llvm import pairwise_sum
from ..llvm.pairwise_sum import AS_WRITTEN

NARROW: Final = 16
"""The widest rows whose elements are shuffled into lanes: that takes a shuffle for each element of each lane."""
PAIRWISE: Final = 8
"""NumPy adds rows from this width on in as many lanes, and shorter ones from the left."""


def rows_at_once(size: int) -> int:
    """The rows of a vector of 64 bytes whose elements have `size` bytes, at most 16."""
    return min(16, 64 // size)


def repeat(size: int, width: int) -> str:
    """The text of `@repeat{size}(to, from, rows)`: each of `rows` numbers of `size` bytes `width` times."""
    kind, at_once = f"i{8 * size}", rows_at_once(size)
    vector = f"<{at_once} x {kind}>"
    lines = [f"define internal void @repeat{size}(ptr %to, ptr %from, i64 %rows) #1 {{", "entry:",
             f"  %whole = and i64 %rows, -{at_once}", "  %some = icmp sgt i64 %whole, 0",
             "  br i1 %some, label %group, label %rest", "group:", "  %g = phi i64 [0, %entry], [%g1, %group]",
             f"  %source = getelementptr {kind}, ptr %from, i64 %g",
             f"  %x = load {vector}, ptr %source, align 1", f"  %first = mul i64 %g, {width}",
             f"  %target = getelementptr {kind}, ptr %to, i64 %first"]  # fmt: skip
    for k in range(width):
        lanes = _mask([(k * at_once + lane) // width for lane in range(at_once)])
        lines += [f"  %y{k} = shufflevector {vector} %x, {vector} poison, {lanes}",
                  f"  %t{k} = getelementptr {kind}, ptr %target, i64 {k * at_once}",
                  f"  store {vector} %y{k}, ptr %t{k}, align 1"]  # fmt: skip
    return "\n".join([*lines, f"  %g1 = add i64 %g, {at_once}", "  %again = icmp slt i64 %g1, %whole",
                      f"  br i1 %again, label %group, label %rest, {AS_WRITTEN}", "rest:",
                      "  %left = icmp slt i64 %whole, %rows",
                      "  br i1 %left, label %row, label %done", "row:", "  %r = phi i64 [%whole, %rest], [%r1, %next]",
                      f"  %at = getelementptr {kind}, ptr %from, i64 %r", f"  %one = load {kind}, ptr %at, align 1",
                      f"  %begin = mul i64 %r, {width}", "  br label %element", "element:",
                      "  %j = phi i64 [0, %row], [%j1, %element]", "  %place = add i64 %begin, %j",
                      f"  %p = getelementptr {kind}, ptr %to, i64 %place", f"  store {kind} %one, ptr %p, align 1",
                      "  %j1 = add i64 %j, 1", f"  %more = icmp slt i64 %j1, {width}",
                      f"  br i1 %more, label %element, label %next, {AS_WRITTEN}", "next:", "  %r1 = add i64 %r, 1",
                      "  %on = icmp slt i64 %r1, %rows", f"  br i1 %on, label %row, label %done, {AS_WRITTEN}", "done:",
                      "  ret void", "}"])  # fmt: skip


def copy_down(size: int, width: int) -> str:
    """The text of `@down{size}(to, from, rows)`: a row of `width` elements of `size` bytes `rows` times."""
    return f"""declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @down{size}(ptr %to, ptr %from, i64 %rows) #1 {{
entry:
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %row, label %done
row:
  %r = phi i64 [0, %entry], [%r1, %row]
  %at = mul i64 %r, {size * width}
  %p = getelementptr i8, ptr %to, i64 %at
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %from, i64 {size * width}, i1 false)
  %r1 = add i64 %r, 1
  %more = icmp slt i64 %r1, %rows
  br i1 %more, label %row, label %done, {AS_WRITTEN}
done:
  ret void
}}"""


def folds_in_lanes(node: RowReduction, width: int) -> bool:
    """True if a reduction of short rows takes a vector of rows at once: sums and extremes of floats."""
    if width > NARROW or not node.dtype.is_floating or node.dtype.size < 4:
        return False
    return node.ufunc in ("maximum", "minimum") or (node.ufunc == "add" and pairwise_sum.is_known())


def fold(name: str, node: RowReduction, width: int, one: str) -> str:
    """The text of `@{name}(from, to, rows)`: the reduction of each of `rows` rows of `width` elements.

    Args:
        name: its name.
        node: the reduction.
        width: the elements of a row.
        one: the line that reduces the row at %row to %total.
    """
    kind, size = memory_kind(node.dtype), node.dtype.size
    lanes, each = folds_in_lanes(node, width), [one]
    at_once = rows_at_once(size) if lanes else 1
    if not lanes and node.ufunc in ("maximum", "minimum") and node.dtype.is_floating and size >= 4:
        each = _extreme_of_row(node, width, one)
    lines = [f"define internal void @{name}(ptr %from, ptr %to, i64 %rows) #1 {{", "entry:"]
    if lanes:
        lines += [f"  %whole = and i64 %rows, -{at_once}", "  %some = icmp sgt i64 %whole, 0",
                  "  br i1 %some, label %group, label %rest", "group:", "  %g = phi i64 [0, %entry], [%g1, %grouped]",
                  f"  %first = mul i64 %g, {width}", f"  %source = getelementptr {kind}, ptr %from, i64 %first",
                  f"  %target = getelementptr {kind}, ptr %to, i64 %g",
                  f"  %g1 = add i64 %g, {at_once}"]  # fmt: skip
        lines += _lanes(node, width, at_once)
        lines += ["grouped:", "  %again = icmp slt i64 %g1, %whole",
                  f"  br i1 %again, label %group, label %rest, {AS_WRITTEN}", "rest:", "  br label %each"]  # fmt: skip
    else:
        lines += ["  br label %each"]
    start, from_ = ("%whole", "%rest") if lanes else ("0", "%entry")
    lines += ["each:", f"  %start = phi i64 [{start}, {from_}]{', [%g, %unsure]' if lanes else ''}",
              f"  %stop = phi i64 [%rows, {from_}]{', [%g1, %unsure]' if lanes else ''}",
              "  %left = icmp slt i64 %start, %stop", "  br i1 %left, label %one, label %over", "one:",
              "  %r = phi i64 [%start, %each], [%r1, %following]", f"  %at = mul i64 %r, {width}",
              f"  %row = getelementptr i{8 * size}, ptr %from, i64 %at",
              f"  %total = getelementptr i{8 * size}, ptr %to, i64 %r",
              *each, "  br label %following", "following:", "  %r1 = add i64 %r, 1",
              "  %more = icmp slt i64 %r1, %stop", f"  br i1 %more, label %one, label %over, {AS_WRITTEN}",
              "over:"]  # fmt: skip
    if lanes:  # after the rows of an unsure group come the next groups, or the rest
        lines += ["  %ended = icmp sge i64 %stop, %rows",
                  "  br i1 %ended, label %done, label %onward", "onward:",
                  "  %groups = icmp slt i64 %stop, %whole", "  br i1 %groups, label %group.again, label %rest",
                  "group.again:", "  br label %group", "done:", "  ret void", "}"]  # fmt: skip
        text = "\n".join(lines)
        return text.replace("[%g1, %grouped]", "[%g1, %grouped], [%stop, %group.again]")
    return "\n".join([*lines, "  ret void", "}"])


def _extreme_of_row(node: RowReduction, width: int, one: str) -> list[str]:
    """Lines for the extreme of the row at %row in registers; `one` where it is 0 or NaN, of which NumPy chooses one."""
    kind = memory_kind(node.dtype)
    vector, suffix = f"<{width} x {kind}>", f"v{width}f{8 * node.dtype.size}"
    word = "fmax" if node.ufunc == "maximum" else "fmin"
    return [f"  %vector = load {vector}, ptr %row, align 1", f"  %nans = fcmp uno {vector} %vector, zeroinitializer",
            f"  %nan = call i1 @llvm.vector.reduce.or.v{width}i1(<{width} x i1> %nans)",
            f"  %most = call nnan {kind} @llvm.vector.reduce.{word}.{suffix}({vector} %vector)",
            f"  %extreme = freeze {kind} %most", f"  %zero = fcmp oeq {kind} %extreme, 0.0",
            "  %unsure = or i1 %nan, %zero", "  br i1 %unsure, label %exact, label %sure", "sure:",
            f"  store {kind} %extreme, ptr %total, align 1", "  br label %following", "exact:", one]  # fmt: skip


def declarations(node: RowReduction, width: int) -> list[str]:
    """The intrinsics that `fold` may call."""
    kind = memory_kind(node.dtype)
    vector, suffix = f"<{width} x {kind}>", f"v{width}f{8 * node.dtype.size}"
    if not node.dtype.is_floating:
        return []
    return [f"declare i1 @llvm.vector.reduce.or.v{width}i1(<{width} x i1>)",
            *[f"declare {kind} @llvm.vector.reduce.{word}.{suffix}({vector})" for word in ("fmax", "fmin")]]


def _lanes(node: RowReduction, width: int, at_once: int) -> list[str]:
    """Lines that reduce `at_once` rows at %source to %target; they go on at `grouped`, or at `unsure`."""
    kind = memory_kind(node.dtype)
    block, vector = f"<{at_once * width} x {kind}>", f"<{at_once} x {kind}>"
    lines = [f"  %block = load {block}, ptr %source, align 1"]
    for j in range(width):
        lanes = _mask([lane * width + j for lane in range(at_once)])
        lines.append(f"  %c{j} = shufflevector {block} %block, {block} poison, {lanes}")
    if node.ufunc == "add":
        return [*lines, *_sum(width, vector), f"  store {vector} %sum, ptr %target, align 1", "  br label %grouped",
                "unsure:", "  br label %each"]  # fmt: skip
    bits = f"<{at_once} x i1>"
    order = "ogt" if node.ufunc == "maximum" else "olt"
    best, nan = "%c0", "%u0"
    lines.append(f"  %u0 = fcmp uno {vector} %c0, %c0")
    for j in range(1, width):
        lines += [f"  %b{j} = fcmp {order} {vector} %c{j}, {best}",
                  f"  %m{j} = select {bits} %b{j}, {vector} %c{j}, {vector} {best}",
                  f"  %v{j} = fcmp uno {vector} %c{j}, %c{j}", f"  %u{j} = or {bits} {nan}, %v{j}"]  # fmt: skip
        best, nan = f"%m{j}", f"%u{j}"
    # NumPy decides which of 0 and -0 it is, and which NaN: where the extreme is 0 or NaN its own loop runs.
    return [*lines, f"  %zero = fcmp oeq {vector} {best}, zeroinitializer", f"  %flags = or {bits} %zero, {nan}",
            f"  %word = bitcast {bits} %flags to i{at_once}", f"  %any = icmp ne i{at_once} %word, 0",
            f"  store {vector} {best}, ptr %target, align 1", "  br i1 %any, label %unsure, label %grouped",
            "unsure:", "  br label %each"]  # fmt: skip


def _sum(width: int, vector: str) -> list[str]:
    """Lines for the sum of %c0 ... in NumPy's order, as %sum."""
    lines: list[str] = []

    def added(name: str, a: str, b: str) -> str:
        lines.append(f"  %{name} = fadd {vector} {a}, {b}")
        return f"%{name}"

    total, done = "zeroinitializer", 0
    if width >= PAIRWISE:
        lanes = [f"%c{k}" for k in range(PAIRWISE)]
        done = width // PAIRWISE * PAIRWISE
        for j in range(PAIRWISE, done):
            lanes[j % PAIRWISE] = added(f"l{j}", lanes[j % PAIRWISE], f"%c{j}")
        for step in (4, 2, 1):
            lanes = [added(f"t{step}.{k}", lanes[2 * k], lanes[2 * k + 1]) for k in range(step)]
        total = lanes[0]
    for j in range(done, width):
        total = added(f"e{j}", total, f"%c{j}")
    added("sum", total, "zeroinitializer")
    return lines


def _mask(lanes: Sequence[int]) -> str:
    return f"<{len(lanes)} x i32> <{', '.join([f'i32 {lane}' for lane in lanes])}>"
