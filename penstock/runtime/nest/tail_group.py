"""`TailGroup`: a fused group that ends in reductions; short rows are computed in blocks of rows, long ones flat.

The flat schedule (`compiled.emit_llvm`) calls its functions once a row, and the interpreter calls NumPy's once a row:
the block schedule of `nest.block_writer` goes over many rows in each pass. CPU time of the flat schedule, or of the
interpreter where that is faster (*), and in rows, in us, for float32:

                  20,000 x 10  10,000 x 32  6,000 x 64  4,000 x 100  2,000 x 300
    sum(x * x)        193, 49      111, 44      79, 47       92, 57       80, 99
    sum(exp(x))     591*, 159    475*, 185    282, 203     280, 260     347, 343
    y, max(y)         515, 66      492, 60     343, 65     215, 191     181, 158
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ..compiled.emit_llvm import is_direct
from ..compiled.promoted_group import PromotedGroup
from ..compiled.shaped_group import ShapedEntry
from ..ir.fused_ir import Body
from ..ir.nest_ir import Nest
from ..ir.nest_of_body import nest_of
from ..ir.scalar_ir import CannotLower, ScalarStep
from ..ir.shaped_rows import ShapedRows, shaped_rows
from ..ir.tiling import Shape
from ..llvm.promotion import Promotion
from .block_writer import WIDEST
from .row_group import promotion_of_rows

FEWEST_ROWS: Final = 16
"""The fewest rows that make a block."""
LEAST: Final = 8192
"""Elements below which groups without functions such as exp run flat: a call takes 0.7 us less, 3.2 instead of 3.9 for
16 x 5, 4.0 instead of 4.3 for 64 x 64."""


def short_rows(body: Body, shapes: Sequence[Shape]) -> tuple[ShapedRows, Nest] | None:
    """The rows and the nest of a body that runs in blocks of rows on inputs of these shapes; None if it runs flat."""
    form = shaped_rows(body, shapes)
    if not isinstance(form, ShapedRows) or form.count > WIDEST or form.rows < FEWEST_ROWS:
        return None
    try:
        nest = nest_of(body, form)
    except CannotLower:
        return None
    return (form, nest) if prod(form.whole) >= LEAST or _calls_numpy(nest) else None


def _calls_numpy(nest: Nest) -> bool:
    """True if a step is no plain instruction but a function of NumPy's."""
    return any(isinstance(node, ScalarStep) and not is_direct(node, tuple(map(nest.dtype_of, node.args)))
               for node in nest.nodes)  # fmt: skip


class TailGroup(PromotedGroup):
    """Runs one body. Thread-safe."""

    def _lowered(self, entry: ShapedEntry, shapes: tuple[Shape, ...]) -> Promotion[Any] | None:
        rows = short_rows(self.body, shapes)
        if rows is None:
            return super()._lowered(entry, shapes)
        entry.launch, found = promotion_of_rows(self, *rows)
        entry.promotion = found  # last: other threads look at it first
        return found
