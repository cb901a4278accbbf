"""Pieces of LLVM IR that the loops share.

A row is the unit that one index moves: an element, or everything behind the indexed dimensions. A small number of bytes
is part of the key, so that the row moves through registers; longer rows are copied by `memcpy`, with key 0.

All memory is accessed with `align 1`, because fed arrays may be unaligned.
"""

from __future__ import annotations

from typing import Final

MEMCPY: Final = """
declare void @llvm.memcpy.inline.p0.p0.i64(ptr noalias, ptr noalias, i64 immarg, i1 immarg)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1 immarg)
"""

AS_WRITTEN: Final = """attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
"""
"""The end of a module whose functions (#0) are vectors already: its loops (!0) are neither vectorised nor unrolled."""

_IN_ONE: Final = {1: "i8", 2: "i16", 4: "i32", 8: "i64", 16: "<2 x i64>"}


def type_in_register(row_bytes: int) -> str:
    """The type in which a row of so many bytes, one of `loop_keys.IN_REGISTER`, moves."""
    return _IN_ONE[row_bytes]


def size_of_row(row_bytes: int) -> str:
    """The operand that holds the bytes of a row: a constant, or the loop's parameter `%row`."""
    return str(row_bytes) if row_bytes else "%row"


def copy_row(to: str, source: str, row_bytes: int) -> str:
    """Copy one row; the two do not overlap."""
    one = _IN_ONE.get(row_bytes)
    if one is not None:
        return f"{to}.row = load {one}, ptr {source}, align 1\n  store {one} {to}.row, ptr {to}, align 1"
    if row_bytes:
        return f"call void @llvm.memcpy.inline.p0.p0.i64(ptr {to}, ptr {source}, i64 {row_bytes}, i1 false)"
    return f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 %row, i1 false)"


def row_at(name: str, base: str, number: str, row_bytes: int) -> str:
    """The address of row `number` of the array at `base`."""
    return (
        f"{name}.offset = mul nuw nsw i64 {number}, {size_of_row(row_bytes)}\n"
        f"  {name} = getelementptr inbounds i8, ptr {base}, i64 {name}.offset"
    )


def load_index(name: str, base: str, number: str, kind: str) -> str:
    """Entry `number` of an array of integers ("i2", "u1", "u2", "u4", "i4", "i8") as an i64."""
    bits = 8 * int(kind[1])
    at = f"{name}.at = getelementptr inbounds i{bits}, ptr {base}, i64 {number}\n  "
    if bits == 64:
        return f"{at}{name} = load i64, ptr {name}.at, align 1"
    widen = "sext" if kind[0] == "i" else "zext"
    return (
        f"{at}{name}.raw = load i{bits}, ptr {name}.at, align 1\n  "
        f"{name} = {widen} i{bits} {name}.raw to i64"
    )  # fmt: skip


def find_place(index: str, number: str, kind: str, depth: int) -> str:
    """%place, the row that index vector `number` points at, and %inside, whether all its entries are in range.

    `index` holds vectors of `depth` entries; %size.0, %size.1 ... are the sizes they point into (`load_sizes`).
    """
    lines = [f"%first = mul nuw nsw i64 {number}, {depth}"]
    place, inside = "", ""
    for d in range(depth):
        lines.append(f"%entry.{d}.number = add nuw nsw i64 %first, {d}")
        lines.append(load_index(f"%entry.{d}", index, f"%entry.{d}.number", kind))
        lines.append(f"%within.{d} = icmp ult i64 %entry.{d}, %size.{d}")  # unsigned: a negative one is too large
        if d == 0:
            place, inside = "%entry.0", "%within.0"
            continue
        lines.append(f"%outer.{d} = mul i64 {place}, %size.{d}")
        lines.append(f"%place.{d} = add i64 %outer.{d}, %entry.{d}")
        lines.append(f"%inside.{d} = and i1 {inside}, %within.{d}")
        place, inside = f"%place.{d}", f"%inside.{d}"
    lines.append(f"%place = add i64 {place}, 0")
    lines.append(f"%inside = or i1 {inside}, false")
    return "\n  ".join(lines)


def load_sizes(depth: int) -> str:
    """%size.0, %size.1 ... from the i64s at %sizes."""
    return "\n  ".join(
        f"%size.{d}.at = getelementptr inbounds i64, ptr %sizes, i64 {d}\n  "
        f"%size.{d} = load i64, ptr %size.{d}.at, align 8"
        for d in range(depth)
    )


INDEXED: Final = (
    "ptr noalias %out, ptr noalias %rows, ptr noalias %index, ptr %sizes, i64 %count, i64 %row"
)
"""The parameters of a loop over index vectors; `find_place` reads %index, `load_sizes` reads %sizes."""


def for_each_row(name: str, parameters: str, moves: list[str], before: str = "", inside: str = "") -> str:
    """A module with the function `name`: the lines `before`, then `moves` for each row %i below %count; it gives 0.

    inside: lines that make the bool %inside; the function then gives the first %i for which that is false, or %count.
    """
    move, end, stop = "\n  ".join(moves), "0", ""
    if inside:
        move = f"{inside}\n  br i1 %inside, label %move, label %outside\nmove:\n  {move}"
        end, stop = "%count", "outside:\n  ret i64 %i\n"
    return f"""{MEMCPY}
define i64 @{name}({parameters}) {{
entry:
  {before}
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %{"move" if inside else "loop"}]
  {move}
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
{stop}done:
  ret i64 {end}
}}
"""


def load_part(p: int) -> list[str]:
    """%part{p}, the address that stands at place p of the i64s at %addresses."""
    return [
        f"%address{p}_at = getelementptr i64, ptr %addresses, i64 {p}",
        f"%address{p} = load i64, ptr %address{p}_at, align 8",
        f"%part{p} = inttoptr i64 %address{p} to ptr",
    ]
