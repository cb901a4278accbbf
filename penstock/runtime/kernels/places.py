"""Which loops read or write rows at the places that index vectors name?

    take    out[i] = rows[place i]
    put     out[place i] = rows[i], in order, so that the last of equal places stays
    add     out[place i] += rows[i], in order

Every index is checked before it is used; a loop stops at the first vector that points outside, and returns how many
vectors it has done: `count` if all of them are good.
"""

from __future__ import annotations

from typing import Final

from .table import template
from .text import MEMCPY, copy_row, find_place, load_index, load_sizes, row_at

AHEAD: Final = 16
"""Rows that are asked for before their turn: 1e6 random rows of 64 bytes out of 1e6 take 16 ms instead of 21. Single
elements gain nothing by it, nor does writing."""


@template("take", "ppppii")
def take(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    move = (
        f"{row_at('%from', '%rows', '%place', row_bytes)}\n  {row_at('%to', '%out', '%i', row_bytes)}\n  "
        f"{copy_row('%to', '%from', row_bytes)}"
    )
    if depth == 1 and row_bytes >= 32:
        move = f"{_ask_ahead(row_bytes, kind)}\n  {move}"
    return _walk("take", kind, depth, move), "take"


@template("put", "ppppii")
def put(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    move = (
        f"{row_at('%from', '%rows', '%i', row_bytes)}\n  {row_at('%to', '%out', '%place', row_bytes)}\n  "
        f"{copy_row('%to', '%from', row_bytes)}"
    )
    return _walk("put", kind, depth, move), "put"


def _ask_ahead(row_bytes: int, kind: str) -> str:
    """Ask for a later row. Its index is not checked yet, which does no harm: asking for any address is allowed."""
    return f"""%ahead.next = add nuw nsw i64 %i, {AHEAD}
  %ahead = call i64 @llvm.smin.i64(i64 %ahead.next, i64 %last)
  {load_index("%later", "%index", "%ahead", kind)}
  %later.offset = mul i64 %later, {row_bytes}
  %later.row = getelementptr i8, ptr %rows, i64 %later.offset
  call void @llvm.prefetch.p0(ptr %later.row, i32 0, i32 3, i32 1)"""


def _walk(name: str, kind: str, depth: int, move: str) -> str:
    return f"""{MEMCPY}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
define i64 @{name}(ptr noalias %out, ptr noalias %rows, ptr noalias %index, ptr %sizes, i64 %count, i64 %row) {{
entry:
  {load_sizes(depth)}
  %last = sub i64 %count, 1
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %move]
  {find_place("%index", "%i", kind, depth)}
  br i1 %inside, label %move, label %outside
move:
  {move}
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
outside:
  ret i64 %i
done:
  ret i64 %count
}}
"""
