"""Reductions over all rows: each row is combined with the total of those before it, as NumPy does it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..compiled.llvm_primitives import memory_kind
from ..ir.nest_ir import RowReduction

NARROW: Final = 64
"""The widest rows that are added in registers."""


def added(name: str, node: RowReduction, one: str, width: int) -> str:
    """The text of `@{name}(total, rows, number, width, first)`: `number` rows are combined with the total.

    Args:
        name: its name.
        node: the reduction.
        one: the function (total, row, total, width) that combines one row.
        width: the elements of a row if they are known, else 0.
    """
    kind, size = memory_kind(node.dtype), node.dtype.size
    if 0 < width <= NARROW and node.ufunc == "add" and node.dtype.is_floating:
        return _in_registers(name, f"<{width} x {kind}>", size * width)
    identity = getattr(np, node.ufunc).identity
    bits = f"i{8 * size}"
    begin: list[str]
    if identity is None:  # the first row is the total
        begin = ["  call void @llvm.memcpy.p0.p0.i64(ptr %total, ptr %rows, i64 %bytes, i1 false)", "  br label %each"]
        start = "1"
    else:
        number: Any = node.dtype.np.type(identity).tobytes()
        begin = ["  br label %fill", "fill:", "  %k = phi i64 [0, %begin], [%k1, %fill]",
                 f"  %p = getelementptr {bits}, ptr %total, i64 %k",
                 f"  store {bits} {int.from_bytes(number, 'little')}, ptr %p, align 1", "  %k1 = add i64 %k, 1",
                 "  %filled = icmp slt i64 %k1, %width", "  br i1 %filled, label %fill, label %each"]  # fmt: skip
        start = "0"
    came = "%begin" if identity is None else "%fill"
    return "\n".join([
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"define internal void @{name}(ptr %total, ptr %rows, i64 %number, i64 %width, i1 %first) #1 {{", "entry:",
        f"  %bytes = mul i64 %width, {size}", "  br i1 %first, label %begin, label %each", "begin:", *begin, "each:",
        f"  %from = phi i64 [0, %entry], [{start}, {came}]", "  %some = icmp slt i64 %from, %number",
        "  br i1 %some, label %row, label %done", "row:", "  %r = phi i64 [%from, %each], [%r1, %row]",
        "  %at = mul i64 %r, %bytes", "  %x = getelementptr i8, ptr %rows, i64 %at",
        f"  call void @{one}(ptr %total, ptr %x, ptr %total, i64 %width)", "  %r1 = add i64 %r, 1",
        "  %more = icmp slt i64 %r1, %number", "  br i1 %more, label %row, label %done", "done:", "  ret void", "}",
    ])  # fmt: skip


def _in_registers(name: str, vector: str, size: int) -> str:
    return f"""define internal void @{name}(ptr %total, ptr %rows, i64 %number, i64 %width, i1 %first) #1 {{
entry:
  %before = load {vector}, ptr %total, align 1
  %start = select i1 %first, {vector} zeroinitializer, {vector} %before
  br label %row
row:
  %r = phi i64 [0, %entry], [%r1, %row]
  %sum = phi {vector} [%start, %entry], [%next, %row]
  %at = mul i64 %r, {size}
  %x = getelementptr i8, ptr %rows, i64 %at
  %y = load {vector}, ptr %x, align 1
  %next = fadd {vector} %sum, %y
  %r1 = add i64 %r, 1
  %more = icmp slt i64 %r1, %number
  br i1 %more, label %row, label %done
done:
  store {vector} %next, ptr %total, align 1
  ret void
}}"""
