"""Loop nests of a group over whole arrays, in place of NumPy's iterator.

NumPy copies broadcast operands of a ufunc in pieces of some thousand elements, and has no notion of blocks that are
summed. So two functions surround the `@loop` of `compiled.emit_llvm`. They take NumPy's arrays and read the address of
the data from the object's head. Everything else is in `spec`, a row of i64 that is computed once per combination of
shapes:

    @rows(spec, first, last, arrays ...)     spec: rank, shape ..., then for each axis the stride of every operand
        the loop over the last axis, for each place on the others; `first` to `last` of the first axis

    @reduce(spec, first, last, arrays ...)   spec: elements of a row, blocks of a row, then of every operand the
        stride from row to row, the stride between places in a row, and the stride of the inner loop
        the blocks `first` to `last`, each reduced into one element of the arrays of partial results

Sums of floats follow NumPy's pairwise order. NumPy halves a row (at multiples of 8) down to 128 elements. Here the
upper halvings are done before the elements exist, and some thousand elements are computed at a time, so that they stay
in the first cache. Ints use the same order. Other reductions (products and extremes of floats, complex numbers) are one
call of NumPy's loop on a whole block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType
from ...ops.declare.reduction_order import BLOCK
from ..ir.scalar_ir import CannotLower
from ..llvm import pairwise_sum
from ..llvm.array_head import DATA
from ..llvm.ufunc_loops import numpy_loop
from . import int_reduction
from .llvm_primitives import kind_of, memory_kind, symbol

LEAF: Final = 2048
"""Elements that are computed and summed at a time: 8 or 16 KiB."""
MOST_AXES: Final = 32


@dataclass(frozen=True, slots=True)
class Column:
    """A reduction in compiled code: the position of its operand, the name of NumPy's function, the dtype."""

    operand: int
    ufunc: str
    dtype: DType

    @property
    def is_sum(self) -> bool:
        """True if it is a pairwise sum."""
        return self.ufunc == "add" and self.dtype.is_floating

    @property
    def is_exact(self) -> bool:
        """True if the result does not depend on the order of the elements."""
        return int_reduction.is_order_free(self.ufunc, self.dtype)


def column(operand: int, rule: ReductionRule, dtype: DType) -> Column:
    """The column of a reduction whose operand has been widened to `dtype`."""
    return Column(operand, rule.ufunc.__name__, dtype)


def in_leaves(columns: Sequence[Column]) -> bool:
    """True if blocks are computed leaf by leaf, False if each is computed at once."""
    return all(c.is_sum or c.is_exact for c in columns)


def rows(count: int) -> str:
    """The text of `@rows` for `count` operands."""
    each = range(count)
    lines = [f"define void @rows(ptr %spec, i64 %first, i64 %last, {', '.join(f'ptr %x{k}' for k in each)}) #0 {{",
             "entry:", f"  %args = alloca [{count} x ptr]", f"  %index = alloca [{MOST_AXES} x i64]",
             "  %rank = load i64, ptr %spec", "  %inner = sub i64 %rank, 1",
             "  %shape = getelementptr i64, ptr %spec, i64 1",
             "  %strides = getelementptr i64, ptr %shape, i64 %rank",
             "  %alone = icmp eq i64 %inner, 0",
             "  %row = getelementptr i64, ptr %shape, i64 %inner",
             f"  %at = mul i64 %inner, {count}", "  %steps = getelementptr i64, ptr %strides, i64 %at",
             "  %span = alloca i64", "  %length = load i64, ptr %row", "  %some = sub i64 %last, %first",
             "  %run = select i1 %alone, i64 %some, i64 %length", "  store i64 %run, ptr %span"]  # fmt: skip
    for k in each:
        lines += [*_data(k), f"  %s{k} = getelementptr i64, ptr %strides, i64 {k}", f"  %d{k} = load i64, ptr %s{k}",
                  f"  %o{k} = mul i64 %d{k}, %first", f"  %b{k} = getelementptr i8, ptr %p{k}, i64 %o{k}",
                  f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}", f"  store ptr %b{k}, ptr %a{k}"]  # fmt: skip
    lines += [f"  call void @llvm.memset.p0.i64(ptr %index, i8 0, i64 {8 * MOST_AXES}, i1 false)",
              "  br label %run_row", "run_row:",
              "  call void @loop(ptr %args, ptr %span, ptr %steps, ptr null)", "  %outer = sub i64 %inner, 1",
              "  br label %advance", "advance:",
              "  %axis = phi i64 [%outer, %run_row], [%further, %wrap]", "  %over = icmp slt i64 %axis, 0",
              "  br i1 %over, label %done, label %bump", "bump:",
              "  %place = getelementptr i64, ptr %index, i64 %axis", "  %i = load i64, ptr %place",
              "  %j = add i64 %i, 1", "  %size_at = getelementptr i64, ptr %shape, i64 %axis",
              "  %size = load i64, ptr %size_at", "  %is_first = icmp eq i64 %axis, 0",
              "  %limit = select i1 %is_first, i64 %some, i64 %size",
              f"  %base = mul i64 %axis, {count}", "  %own = getelementptr i64, ptr %strides, i64 %base",
              "  %more = icmp slt i64 %j, %limit", "  br i1 %more, label %step, label %wrap", "step:",
              "  store i64 %j, ptr %place"]  # fmt: skip
    for k in each:
        lines += [*_stride("u", k), f"  %uc{k} = load ptr, ptr %a{k}",
                  f"  %un{k} = getelementptr i8, ptr %uc{k}, i64 %ud{k}", f"  store ptr %un{k}, ptr %a{k}"]  # fmt: skip
    lines += ["  br label %run_row", "wrap:", "  store i64 0, ptr %place"]
    for k in each:
        lines += [*_stride("w", k), f"  %wb{k} = mul i64 %wd{k}, %i", f"  %wo{k} = sub i64 0, %wb{k}",
                  f"  %wc{k} = load ptr, ptr %a{k}", f"  %wn{k} = getelementptr i8, ptr %wc{k}, i64 %wo{k}",
                  f"  store ptr %wn{k}, ptr %a{k}"]  # fmt: skip
    lines += ["  %further = sub i64 %axis, 1", "  br label %advance", "done:", "  ret void", "}",
              "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]  # fmt: skip
    return "\n".join(lines)


def _data(k: int) -> list[str]:
    return [f"  %h{k} = getelementptr i8, ptr %x{k}, i64 {DATA}", f"  %p{k} = load ptr, ptr %h{k}"]


def _stride(name: str, k: int) -> list[str]:
    return [f"  %{name}s{k} = getelementptr i64, ptr %own, i64 {k}", f"  %{name}d{k} = load i64, ptr %{name}s{k}"]


def reduce(count: int, columns: Sequence[Column], imports: dict[str, int]) -> str:
    """The text of `@reduce` for `count` operands and these columns; adds the functions it calls to `imports`.

    Raises:
        CannotLower: NumPy has no such loop.
    """
    parts: list[str] = []
    calls = [("", "") if c.is_exact else _numpy(c, imports, parts) for c in columns]
    parts += [int_reduction.rule(c.ufunc, c.dtype) for c in columns if c.is_exact]
    if pairwise_sum.is_known():
        parts += [pairwise_sum.rule(kind_of(c.dtype)) for c in columns if c.is_sum]
    parts.append(_leaves(count, columns, calls) if in_leaves(columns) else _whole(count, columns, calls))
    each, ends = range(count), range(len(columns))
    arrays = ", ".join([f"ptr %x{k}" for k in range(count + len(columns))])
    lines = [f"define void @reduce(ptr %spec, i64 %first, i64 %last, {arrays}) #0 {{", "entry:",
             f"  %args = alloca [{count} x ptr]", "  %count = load i64, ptr %spec",
             "  %blocks_at = getelementptr i64, ptr %spec, i64 1", "  %blocks = load i64, ptr %blocks_at",
             f"  %moves = getelementptr i64, ptr %spec, i64 {2 + count}",
             f"  %steps = getelementptr i64, ptr %spec, i64 {2 + 2 * count}"]  # fmt: skip
    lines += [f"  %total{t} = alloca [16 x i8], align 16" for t in ends]
    for k in range(count + len(columns)):
        lines += _data(k)
    for k in each:
        lines += [f"  %rs{k} = getelementptr i64, ptr %spec, i64 {2 + k}", f"  %rd{k} = load i64, ptr %rs{k}",
                  f"  %ms{k} = getelementptr i64, ptr %moves, i64 {k}", f"  %md{k} = load i64, ptr %ms{k}",
                  f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}"]  # fmt: skip
    lines += ["  %some = icmp slt i64 %first, %last", "  br i1 %some, label %block, label %done", "block:",
              "  %b = phi i64 [%first, %entry], [%next, %block]", "  %row = udiv i64 %b, %blocks",
              "  %done_rows = mul i64 %row, %blocks", "  %part = sub i64 %b, %done_rows",
              f"  %start = mul i64 %part, {BLOCK}", "  %rest = sub i64 %count, %start",
              f"  %fits = icmp slt i64 %rest, {BLOCK}", f"  %n = select i1 %fits, i64 %rest, i64 {BLOCK}"]  # fmt: skip
    for k in each:
        lines += [f"  %ro{k} = mul i64 %rd{k}, %row", f"  %mo{k} = mul i64 %md{k}, %start",
                  f"  %o{k} = add i64 %ro{k}, %mo{k}", f"  %q{k} = getelementptr i8, ptr %p{k}, i64 %o{k}",
                  f"  store ptr %q{k}, ptr %a{k}"]  # fmt: skip
    totals = ", ".join(f"ptr %total{t}" for t in ends)
    lines.append(f"  call void @block(ptr %args, i64 %n, ptr %moves, ptr %steps, {totals})")
    for t, c in enumerate(columns):
        bits = f"i{8 * c.dtype.size}"
        lines += [f"  %v{t} = load {bits}, ptr %total{t}, align 1",
                  f"  %y{t} = getelementptr {bits}, ptr %p{count + t}, i64 %b",
                  f"  store {bits} %v{t}, ptr %y{t}, align 1"]  # fmt: skip
    lines += ["  %next = add i64 %b, 1", "  %more = icmp slt i64 %next, %last",
              "  br i1 %more, label %block, label %done", "done:", "  ret void", "}"]  # fmt: skip
    return "\n".join([*dict.fromkeys(parts), *lines])


def _numpy(c: Column, imports: dict[str, int], parts: list[str]) -> tuple[str, str]:
    letter = c.dtype.np.char
    loop = numpy_loop(c.ufunc, f"{letter}{letter}->{letter}")
    if loop is None:
        raise CannotLower(f"NumPy has no {c.ufunc} of {c.dtype.name}")
    name = symbol(c.ufunc, f"{letter}{letter}->{letter}")
    imports[name] = loop.address
    parts.append(f"declare void @{name}(ptr, ptr, ptr, ptr)")
    if not loop.data:
        return f"@{name}", "null"
    imports[f"{name}_data"] = loop.data
    parts.append(f"declare void @{name}_data()")
    return f"@{name}", f"@{name}_data"


def _call(t: int, c: Column, call: tuple[str, str], count: str) -> list[str]:
    """One reduction of %piece{t} into %total{t}: a binary loop whose result is its first operand, without strides."""
    return [f"  store ptr %total{t}, ptr %call.args", f"  store ptr %piece{t}, ptr %call.a1",
            f"  store ptr %total{t}, ptr %call.a2", "  store i64 0, ptr %call.steps",
            f"  store i64 {c.dtype.size}, ptr %call.s1", "  store i64 0, ptr %call.s2",
            f"  store i64 {count}, ptr %call.dims",
            f"  call void {call[0]}(ptr %call.args, ptr %call.dims, ptr %call.steps, ptr {call[1]})"]  # fmt: skip


_CALL = ["  %call.args = alloca [3 x ptr]", "  %call.steps = alloca [3 x i64]", "  %call.dims = alloca [3 x i64]",
         "  %call.a1 = getelementptr ptr, ptr %call.args, i64 1",
         "  %call.a2 = getelementptr ptr, ptr %call.args, i64 2",
         "  %call.s1 = getelementptr i64, ptr %call.steps, i64 1",
         "  %call.s2 = getelementptr i64, ptr %call.steps, i64 2"]  # fmt: skip


def _head(name: str, columns: Sequence[Column]) -> str:
    totals = ", ".join(f"ptr %total{t}" for t in range(len(columns)))
    return f"define internal void @{name}(ptr %args, i64 %n, ptr %moves, ptr %steps, {totals}) #1 {{"


def _pieces(columns: Sequence[Column]) -> list[str]:
    lines = []
    for t, c in enumerate(columns):
        lines += [f"  %at{t} = getelementptr ptr, ptr %args, i64 {c.operand}", f"  %piece{t} = load ptr, ptr %at{t}"]
    return lines


def _leaves(count: int, columns: Sequence[Column], calls: Sequence[tuple[str, str]]) -> str:
    """`@block` for sums: halves a block down to leaves."""
    lines = [_head("block", columns), "entry:", *_CALL, f"  %later = alloca [{count} x ptr]"]
    lines += [f"  %other{t} = alloca [16 x i8], align 16" for t in range(len(columns))]
    lines += [f"  %small = icmp sle i64 %n, {LEAF}", "  br i1 %small, label %leaf, label %halves", "leaf:",
              "  store i64 %n, ptr %call.dims",
              "  call void @loop(ptr %args, ptr %call.dims, ptr %steps, ptr null)", *_pieces(columns)]  # fmt: skip
    for t, (c, call) in enumerate(zip(columns, calls, strict=True)):
        kind = memory_kind(c.dtype)
        if c.is_exact:
            lines += [f"  %fold{t} = call {kind} @{int_reduction.name(c.ufunc, c.dtype)}(ptr %piece{t}, i64 %n)",
                      f"  store {kind} %fold{t}, ptr %total{t}"]  # fmt: skip
        elif pairwise_sum.is_known():  # a sum begins with 0.0, which makes 0.0 of -0.0
            lines += [f"  %sum{t} = call {kind} @sum_{kind}(ptr %piece{t}, i64 %n)",
                      f"  %made{t} = fadd {kind} %sum{t}, 0.0", f"  store {kind} %made{t}, ptr %total{t}"]  # fmt: skip
        else:
            lines += [f"  store {kind} 0.0, ptr %total{t}", *_call(t, c, call, "%n")]
    lines += ["  ret void", "halves:", "  %half = lshr i64 %n, 1", "  %low = and i64 %half, -8",
              "  %high = sub i64 %n, %low"]  # fmt: skip
    totals, others = (", ".join(f"ptr %{name}{t}" for t in range(len(columns))) for name in ("total", "other"))
    lines.append(f"  call void @block(ptr %args, i64 %low, ptr %moves, ptr %steps, {totals})")
    for k in range(count):
        lines += [f"  %ma{k} = getelementptr i64, ptr %moves, i64 {k}", f"  %md{k} = load i64, ptr %ma{k}",
                  f"  %mo{k} = mul i64 %md{k}, %low", f"  %pa{k} = getelementptr ptr, ptr %args, i64 {k}",
                  f"  %p{k} = load ptr, ptr %pa{k}", f"  %q{k} = getelementptr i8, ptr %p{k}, i64 %mo{k}",
                  f"  %qa{k} = getelementptr ptr, ptr %later, i64 {k}", f"  store ptr %q{k}, ptr %qa{k}"]  # fmt: skip
    lines.append(f"  call void @block(ptr %later, i64 %high, ptr %moves, ptr %steps, {others})")
    for t, c in enumerate(columns):
        kind = memory_kind(c.dtype)
        total = f"fadd {kind} %u{t}, %w{t}"
        if c.is_exact:
            total = int_reduction.combined(c.ufunc, c.dtype, f"%u{t}", f"%w{t}")
        lines += [f"  %u{t} = load {kind}, ptr %total{t}", f"  %w{t} = load {kind}, ptr %other{t}",
                  f"  %z{t} = {total}", f"  store {kind} %z{t}, ptr %total{t}"]  # fmt: skip
    return "\n".join([*lines, "  ret void", "}"])


def _whole(count: int, columns: Sequence[Column], calls: Sequence[tuple[str, str]]) -> str:
    """`@block` for other reductions: all elements, then one call of NumPy's loop, which begins as `ufunc.reduce` does.
    """
    lines = [_head("block", columns), "entry:", *_CALL, "  store i64 %n, ptr %call.dims",
             "  call void @loop(ptr %args, ptr %call.dims, ptr %steps, ptr null)",
             "  %rest = sub i64 %n, 1"]  # fmt: skip
    lines += _pieces(columns)
    for t, (c, call) in enumerate(zip(columns, calls, strict=True)):
        if c.is_exact:
            kind = memory_kind(c.dtype)
            lines += [f"  %fold{t} = call {kind} @{int_reduction.name(c.ufunc, c.dtype)}(ptr %piece{t}, i64 %n)",
                      f"  store {kind} %fold{t}, ptr %total{t}"]  # fmt: skip
            continue
        start = _identity(c)
        if start is None:  # begin with the first element
            bits = f"i{8 * c.dtype.size}"
            lines += [f"  %first{t} = load {bits}, ptr %piece{t}, align 1", f"  store {bits} %first{t}, ptr %total{t}"]
            skipped = [f"  %skipped{t} = getelementptr {bits}, ptr %piece{t}, i64 1"]
            used = [line.replace(f"ptr %piece{t},", f"ptr %skipped{t},") for line in _call(t, c, call, "%rest")]
            lines += [*skipped, *used]
        else:
            lines += [f"  store i{8 * c.dtype.size} {start}, ptr %total{t}", *_call(t, c, call, "%n")]
    return "\n".join([*lines, "  ret void", "}"])


def _identity(c: Column) -> int | None:
    """The bits of the initial value of a reduction, None if it begins with the first element."""
    match c.ufunc:
        case "add":
            return 0
        case "multiply":
            one: Any = c.dtype.np.type(1).tobytes()
            return int.from_bytes(one, "little")
    return None
