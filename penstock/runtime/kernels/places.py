"""Which loops read or write rows at the places that index vectors name?

    take    out[i] = rows[place i]
    put     out[place i] = rows[i], in order, so that the last of equal places stays
    add     out[place i] += rows[i], in order

Every index is checked before it is used; a loop stops at the first vector that points outside, and returns how many
vectors it has done: `count` if all of them are good.
"""

from __future__ import annotations

from .table import template
from .text import MEMCPY, copy_row, find_place, load_sizes, row_at


@template("take", "ppppii")
def take(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    move = (
        f"{row_at('%from', '%rows', '%place', row_bytes)}\n  {row_at('%to', '%out', '%i', row_bytes)}\n  "
        f"{copy_row('%to', '%from', row_bytes)}"
    )
    return _walk("take", kind, depth, move), "take"


@template("put", "ppppii")
def put(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    move = (
        f"{row_at('%from', '%rows', '%i', row_bytes)}\n  {row_at('%to', '%out', '%place', row_bytes)}\n  "
        f"{copy_row('%to', '%from', row_bytes)}"
    )
    return _walk("put", kind, depth, move), "put"


def _walk(name: str, kind: str, depth: int, move: str) -> str:
    return f"""{MEMCPY}
define i64 @{name}(ptr noalias %out, ptr noalias %rows, ptr noalias %index, ptr %sizes, i64 %count, i64 %row) {{
entry:
  {load_sizes(depth)}
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
