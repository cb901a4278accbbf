"""`LoopSpec`: the row of numbers that tells compiled loop nests how to walk their operands."""

from __future__ import annotations

from array import array
from collections.abc import Sequence


class LoopSpec:
    """A row of i64 that the code reads, and its address, which takes a microsecond to look up."""

    __slots__ = ("address", "numbers")

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = array("q", numbers)
        self.address = self.numbers.buffer_info()[0]
