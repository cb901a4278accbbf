"""The loop that adds rows at the positions of index vectors.

In the order of the vectors, one addition after the other, each rounded to the dtype: what NumPy's `add.at` gives.
"""

from __future__ import annotations

from typing import Final

from ...llvm.number_conversion import BF16, half_rules
from .loop_ir import INDEXED, find_place, for_each_row, load_sizes
from .loop_template import template

_TYPES: Final = {"b1": "i8", "f4": "float", "f8": "double", "f2": "i16", "bf": "i16", "c8": "float", "c16": "double"}
_HALVES: Final = {"f2": "f16", "bf": "bf16"}


@template("add", "ppppii")
def add(dtype: str, width: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, elements of a row) -> how many vectors were in range before one that is not.

    dtype: NumPy's short name, bfloat16 "bf". width: elements of a row, where they are few; 0 leaves them to the call.
    """
    rules = BF16 if dtype == "bf" else half_rules() if dtype == "f2" else ""
    one = element_type(dtype)
    parts = 2 if dtype[0] == "c" else 1  # of a complex number
    length = str(width * parts) if width else "%length"
    moves = [
        f"%to.first = mul nuw nsw i64 %place, {length}",
        f"%to = getelementptr inbounds {one}, ptr %out, i64 %to.first",
        f"%from.first = mul nuw nsw i64 %i, {length}",
        f"%from = getelementptr inbounds {one}, ptr %rows, i64 %from.first",
        f"call void @add_row(ptr %to, ptr %from, i64 {length})",
    ]
    sizes = f"{load_sizes(depth)}\n  %length = mul i64 %row, {parts}"
    loop = for_each_row("add", INDEXED, moves, sizes, find_place("%index", "%i", kind, depth))
    return f"""{rules}
{add_row(dtype, in_place=True)}{loop}""", "add"


def add_row(dtype: str, in_place: bool) -> str:
    """The function @add_row(out, before, row, length): out = before + row, each sum rounded to the dtype.

    in_place: @add_row(out, row, length) instead, out = out + row. length: elements, or parts of complex numbers.
    """
    one = element_type(dtype)
    before, parameter = ("%out", "") if in_place else ("%before", "ptr noalias %before, ")
    return f"""
define internal void @add_row(ptr noalias %out, {parameter}ptr noalias %row, i64 %length) alwaysinline {{
entry:
  br label %element
element:
  %c = phi i64 [0, %entry], [%c.next, %element]
  %to = getelementptr inbounds {one}, ptr %out, i64 %c
  %sum.at = getelementptr inbounds {one}, ptr {before}, i64 %c
  %from = getelementptr inbounds {one}, ptr %row, i64 %c
  %old = load {one}, ptr %sum.at, align 1
  %new = load {one}, ptr %from, align 1
  {element_sum(dtype, one)}
  store {one} %sum, ptr %to, align 1
  %c.next = add nuw nsw i64 %c, 1
  %c.more = icmp slt i64 %c.next, %length
  br i1 %c.more, label %element, label %done
done:
  ret void
}}"""


def element_type(dtype: str) -> str:
    """The type of an element, or of one part of a complex number."""
    return _TYPES.get(dtype) or f"i{8 * int(dtype[1:])}"


def element_sum(dtype: str, one: str) -> str:
    """%sum of %old and %new."""
    if dtype in _HALVES:
        half = _HALVES[dtype]
        return (
            f"%old.wide = call float @{half}_widen(i16 %old)\n  %new.wide = call float @{half}_widen(i16 %new)\n  "
            f"%sum.wide = fadd float %old.wide, %new.wide\n  %sum = call i16 @{half}_narrow(float %sum.wide)"
        )
    if dtype == "b1":
        return "%either = or i8 %old, %new\n  %is.true = icmp ne i8 %either, 0\n  %sum = zext i1 %is.true to i8"
    return f"%sum = {'fadd' if one in ('float', 'double') else 'add'} {one} %old, %new"
