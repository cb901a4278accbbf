"""Loops that read or write rows at the positions of index vectors.

    take    out[i] = rows[place i]
    put     out[place i] = rows[i], in order, so that the last of equal places stays
    add     out[place i] += rows[i], in order

Every index is checked before it is used. A loop stops at the first vector that is out of range, and returns the number
of vectors before it: `count` if all are in range.
"""

from __future__ import annotations

from .loop_ir import INDEXED, copy_row, find_place, for_each_row, load_sizes, row_at
from .loop_template import template


@template("take", "ppppii")
def take(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    return _moved("take", row_bytes, kind, depth, "%place", "%i"), "take"


@template("put", "ppppii")
def put(row_bytes: int, kind: str, depth: int) -> tuple[str, str]:
    """loop(out, rows, index, sizes, count, bytes of a row)."""
    return _moved("put", row_bytes, kind, depth, "%i", "%place"), "put"


def _moved(name: str, row_bytes: int, kind: str, depth: int, source: str, target: str) -> str:
    """Row `source` of %rows becomes row `target` of %out."""
    moves = [
        row_at("%from", "%rows", source, row_bytes),
        row_at("%to", "%out", target, row_bytes),
        copy_row("%to", "%from", row_bytes),
    ]
    return for_each_row(name, INDEXED, moves, load_sizes(depth), find_place("%index", "%i", kind, depth))
