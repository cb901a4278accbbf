"""The loop that calls the code of several groups in turns, for one row of each: a join in the order of memory.

    concat(1, [f(x), g(y)])      row 0 of f, row 0 of g, row 1 of f, row 1 of g ...

A part of a join written by itself has a gap behind each row, at which the processor stops fetching ahead: 3,162 rows of
two times 1,581 float32 take 4.6 ms part by part and 3.1 row by row. Groups are called by their address, so one loop
serves all. An operand may also take its rows by index, as gather does; a part may be a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .loop_ir import AS_WRITTEN
from .loop_template import template

MOST: Final = 64
"""The most operands of a part, results included."""
AHEAD: Final = 12
LINES: Final = 4
"""Of a row that is read by its number, so many lines of the cache are fetched so many rows before."""
COPY: Final = 0
"""In place of the address of a group's code: the second operand becomes a copy of the first."""


@dataclass(frozen=True, slots=True)
class RowOperand:
    """An operand of a part.

    Attributes:
        address: where its first row begins.
        by_row: the bytes from row to row.
        step: the bytes from element to element.
        index: the address of int64 numbers of its rows; 0 if it is read in order.
    """

    address: int
    by_row: int
    step: int
    index: int = 0


@dataclass(frozen=True, slots=True)
class RowPart:
    """A part of each row.

    Attributes:
        code: the address of the group's code, a loop with NumPy's signature, or `COPY`.
        length: the elements of a row; for a copy its bytes.
        operands: operands and results.
    """

    code: int
    length: int
    operands: Sequence[RowOperand]


def table_of(parts: Sequence[RowPart]) -> Any:
    """The table that the loop reads."""
    numbers = [len(parts)]
    for part in parts:
        numbers += [part.code, part.length, len(part.operands)]
        for each in part.operands:
            numbers += [each.address, each.by_row, each.step, each.index]
    return np.array(numbers, np.int64)


@template("woven_rows", "pii", saves=0.1e-9)
def woven_rows_loop() -> tuple[str, str]:
    """loop(table, first, last) -> 0: the rows `first` to `last` of all parts."""
    prefetches = "\n".join([line for k in range(LINES) for line in (
        f"  %k.line{k} = getelementptr i8, ptr %k.near, i64 {64 * k}",
        f"  call void @llvm.prefetch.p0(ptr %k.line{k}, i32 0, i32 3, i32 1)",
    )])  # fmt: skip
    ir = f"""define i64 @woven_rows(ptr %table, i64 %first, i64 %last) #0 {{
entry:
  %args = alloca [{MOST} x ptr]
  %steps = alloca [{MOST} x i64]
  %dims = alloca i64
  %parts = load i64, ptr %table, align 8
  %begin = getelementptr i64, ptr %table, i64 1
  %end = sub i64 %last, 1
  %some = icmp slt i64 %first, %last
  br i1 %some, label %row, label %done
row:
  %i = phi i64 [%first, %entry], [%i1, %row_end]
  br label %part
part:
  %p = phi i64 [0, %row], [%p1, %part_end]
  %head = phi ptr [%begin, %row], [%next, %part_end]
  %code = load i64, ptr %head, align 8
  %length.at = getelementptr i64, ptr %head, i64 1
  %length = load i64, ptr %length.at, align 8
  %count.at = getelementptr i64, ptr %head, i64 2
  %count = load i64, ptr %count.at, align 8
  store i64 %length, ptr %dims, align 8
  br label %operand
operand:
  %k = phi i64 [0, %part], [%k1, %placed]
  %k.places = mul i64 %k, 4
  %k.skip = add i64 %k.places, 3
  %k.entry = getelementptr i64, ptr %head, i64 %k.skip
  %k.address = load i64, ptr %k.entry, align 8
  %k.row.at = getelementptr i64, ptr %k.entry, i64 1
  %k.by_row = load i64, ptr %k.row.at, align 8
  %k.step.at = getelementptr i64, ptr %k.entry, i64 2
  %k.step = load i64, ptr %k.step.at, align 8
  %k.index.at = getelementptr i64, ptr %k.entry, i64 3
  %k.index = load i64, ptr %k.index.at, align 8
  %k.in_order = icmp eq i64 %k.index, 0
  br i1 %k.in_order, label %placed, label %indexed
indexed:
  %k.numbers = inttoptr i64 %k.index to ptr
  %k.number.at = getelementptr i64, ptr %k.numbers, i64 %i
  %k.number = load i64, ptr %k.number.at, align 8
  %k.ahead0 = add i64 %i, {AHEAD}
  %k.ahead = call i64 @llvm.smin.i64(i64 %k.ahead0, i64 %end)
  %k.soon.at = getelementptr i64, ptr %k.numbers, i64 %k.ahead
  %k.soon = load i64, ptr %k.soon.at, align 8
  %k.soon.row = mul i64 %k.soon, %k.by_row
  %k.first = inttoptr i64 %k.address to ptr
  %k.near = getelementptr i8, ptr %k.first, i64 %k.soon.row
{prefetches}
  br label %placed
placed:
  %k.row = phi i64 [%i, %operand], [%k.number, %indexed]
  %k.base = inttoptr i64 %k.address to ptr
  %k.offset = mul i64 %k.row, %k.by_row
  %k.from = getelementptr i8, ptr %k.base, i64 %k.offset
  %k.arg = getelementptr ptr, ptr %args, i64 %k
  store ptr %k.from, ptr %k.arg, align 8
  %k.to = getelementptr i64, ptr %steps, i64 %k
  store i64 %k.step, ptr %k.to, align 8
  %k1 = add i64 %k, 1
  %k.more = icmp slt i64 %k1, %count
  br i1 %k.more, label %operand, label %call, !llvm.loop !0
call:
  %is_copy = icmp eq i64 %code, {COPY}
  br i1 %is_copy, label %copy, label %compute
copy:
  %source = load ptr, ptr %args, align 8
  %second = getelementptr ptr, ptr %args, i64 1
  %target = load ptr, ptr %second, align 8
  call void @llvm.memmove.p0.p0.i64(ptr %target, ptr %source, i64 %length, i1 false)
  br label %part_end
compute:
  %loop = inttoptr i64 %code to ptr
  call void %loop(ptr %args, ptr %dims, ptr %steps, ptr null)
  br label %part_end
part_end:
  %all = mul i64 %count, 4
  %entries = add i64 %all, 3
  %next = getelementptr i64, ptr %head, i64 %entries
  %p1 = add i64 %p, 1
  %p.more = icmp slt i64 %p1, %parts
  br i1 %p.more, label %part, label %row_end, !llvm.loop !0
row_end:
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %last
  br i1 %more, label %row, label %done, !llvm.loop !0
done:
  ret i64 0
}}
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
{AS_WRITTEN}"""
    return ir, "woven_rows"
