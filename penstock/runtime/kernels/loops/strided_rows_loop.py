"""What the loop calls that runs a group's code over transposed, reversed and strided operands; it is a nest.

A group's code takes rows whose elements lie together. Here such rows are made of the operands, some hundred elements at
a time, in memory that stays in the first cache, and the code runs on them: the operands are read once, and nothing is
copied in between. The rest of a row comes when all rows are so far, so that the lines and pages which the next block
of 16 rows reads are still near. For each block:

    transposed     a block of 16 rows is exchanged in registers, as in `transpose_loop`: whole lines are read
    other strides  a row is gathered: backwards and every second element by vectors, others one by one
    in order       the row is read where it lies

The code is called by its address, so one such loop serves all groups.
"""

from __future__ import annotations

from typing import Final

ROWS: Final = 16
"""Rows of a block: as many 4-byte elements as a line of the cache holds."""
AHEAD: Final = 192
"""Bytes between what is exchanged of a row and what is fetched of it, for the block of rows after the next two: 3,162 x
3,162 float32 take 7.6 ms, without that 10.7, one block ahead 10.4."""
MOST: Final = 64
"""The most operands."""
HEAD: Final = 5
"""Numbers at the beginning of the table: rows, columns, operands, blocks of an image, elements of a piece of a row. A
row of scratch memory has room for `ROWS` more elements, so that the last piece takes a short rest with it."""
FIELDS: Final = 8
"""Numbers of each operand in the table: address, strides from image to image, row to row, element to element, bytes of
an element, kind, place in the scratch memory, stride that the code gets."""
IN_ORDER, GATHERED, TRANSPOSED = 0, 1, 2
