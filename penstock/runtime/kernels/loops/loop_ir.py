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


def copy_row(to: str, source: str, row_bytes: int, name: str) -> str:
    """Copy one row; the two do not overlap. name: of what is loaded."""
    one = _IN_ONE.get(row_bytes)
    if one is not None:
        return f"%{name} = load {one}, ptr {source}, align 1\n  store {one} %{name}, ptr {to}, align 1"
    return f"call void @llvm.memcpy.inline.p0.p0.i64(ptr {to}, ptr {source}, i64 {row_bytes}, i1 false)"
