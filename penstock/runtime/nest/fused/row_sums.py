"""`RowSums`: the sum of what an op gives over the axes between the first one and those of a row."""

from __future__ import annotations

from ....graph.common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RowSums:
    """A sum that starts with 0 and adds one row after the other.

    Attributes:
        axes: the axes that are summed over: 1, 2, ...
        shape: the shape of the result.
    """

    axes: tuple[int, ...]
    shape: tuple[int, ...]
