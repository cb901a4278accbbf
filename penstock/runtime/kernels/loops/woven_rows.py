"""The table of the loop that calls the code of several groups in turns: a join in the order of memory.

    concat(1, [f(x), g(y)])      row 0 of f, row 0 of g, row 1 of f, row 1 of g ...

A part of a join written by itself has a gap behind each row, at which the processor stops fetching ahead: 3,162 rows of
two times 1,581 float32 take 4.6 ms part by part and 3.1 row by row. Groups are called by their address, so one loop
serves all. An operand may also take its rows by index, as gather does; a part may be a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ....graph.common.quick_dataclass import dataclass

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
