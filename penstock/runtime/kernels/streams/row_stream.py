"""`RowStream`: one use of an op, in pieces of rows.

A stream function, of the table below, is called like a kernel; the operand that the op reads in rows
(`OpFacts.reads_rows`) is a stand-in that has only shape and dtype. It checks everything that a kernel checks first, and
gives the stream, or None where there is no code or it would save nothing. Then the op's kernel does the whole work. If
it raises, or if a piece fails, the kernel runs too, and words the error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from ....graph.common.lazy_import import load


class RowStream(Protocol):
    """A use of an op in pieces.

    Attributes:
        is_parallel: whether pieces may be made in any order, and by several threads.
        is_backwards: whether the last piece comes first.
        rows: the size of the first dimension.
        seconds: the predicted time of all.
    """

    is_parallel: ClassVar[bool]
    is_backwards: bool
    rows: int
    seconds: float

    def stop(self, first: int, most: int) -> int:
        """Where a piece ends that begins at row `first` and has at most so many rows; `first` if it cannot end."""

    def advance(self, first: int, last: int, rows: Any, place: Any) -> bool:
        """Do a piece; False if the op fails there.

        Args:
            first: the first row.
            last: the row behind the piece.
            rows: these rows of the operand, contiguous; None if the op does not read rows.
            place: contiguous memory for these rows of the result; None if the op does not give rows.
        """

    def result(self) -> Any:
        """What the op gives, if that is not rows."""


StreamRule: TypeAlias = Callable[..., RowStream | None]

STREAMS: Final = {
    "Cumprod": "scan_streams:cumprod",
    "Cumsum": "scan_streams:cumsum",
    "Gather": "index_streams:gather",
    "GatherNd": "index_streams:gather_nd",
    "ScatterNd": "index_streams:scatter_nd",
    "SegmentMean": "segment_streams:segment_mean",
    "SegmentSum": "segment_streams:segment_sum",
    "UnsortedSegmentSum": "segment_streams:unsorted_segment_sum",
}
"""Op -> module here and function."""


@cache
def stream_rule(op: str) -> StreamRule | None:
    """The stream function of an op; None if it has none."""
    place = STREAMS.get(op)
    if place is None:
        return None
    name, _, function = place.partition(":")
    module = f"{__package__}.{name}"
    load(module)
    rule: StreamRule = getattr(sys.modules[module], function)
    return rule
