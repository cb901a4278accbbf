"""`GroupElements`: what a group computes for each element of an array that is not made; the table of fused kernels.

A fused kernel is called as `kernel(xp, before, after, *arguments)`, with the arguments of the op's kernel. `before`
computes the operand that the op reads in rows (`OpFacts.reads_rows`), which is a stand-in of the right shape and dtype
among the arguments; None if that is an array. `after` computes the result of the whole from what the op gives; None if
that is the result. The kernel gives the result, or None where there is no code. Then the steps run one by one, which
also words every error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from ....graph.common.lazy_import import load
from ....graph.common.quick_dataclass import dataclass
from ...ir.element_program import ElementProgram
from ...ir.strides import coalesced

FusedKernel: TypeAlias = Callable[..., Any]

FUSED: Final = {
    "Cumprod": "fused_scans:cumprod",
    "Cumsum": "fused_scans:cumsum",
    "Gather": "fused_reads:gather",
    "GatherNd": "fused_reads:gather_nd",
    "ScatterNd": "fused_sums:scatter_nd",
    "SegmentMean": "fused_sums:segment_mean",
    "SegmentSum": "fused_sums:segment_sum",
    "UnsortedSegmentSum": "fused_sums:unsorted_segment_sum",
}
"""Op -> module here and function."""


@cache
def fused_kernel(op: str) -> FusedKernel | None:
    """The fused kernel of an op; None if it has none."""
    place = FUSED.get(op)
    if place is None:
        return None
    name, _, function = place.partition(":")
    module = f"{__package__}.{name}"
    load(module)
    kernel: FusedKernel = getattr(sys.modules[module], function)
    return kernel


@dataclass(frozen=True, slots=True)
class GroupElements:
    """A group for an array of some shape.

    Attributes:
        program: the group.
        arrays: its operands, but for the op's own value, of shapes that broadcast to `shape`.
        shape: the shape of what it computes.
    """

    program: ElementProgram
    arrays: tuple[Any, ...]
    shape: tuple[int, ...]

    def stand_in(self) -> Any:
        """An array of the shape and dtype of the result, which takes no memory."""
        return np.broadcast_to(np.zeros((), self.program.dtype.np), self.shape)

    def placed(self, cuts: Sequence[int], turned: int | None = None) -> tuple[ElementProgram, list[list[int]]] | None:
        """The program for these arrays, and for each operand its address and the strides of the outer axes.

        None if an operand does not have one stride for each axis, or has gaps along a row.

        Args:
            cuts: where the axes of the shape are cut into outer axes and the row behind them.
            turned: the axis that is gone over backwards.
        """
        along, table = [], []
        own = self.program.own
        for p, dtype in enumerate(self.program.inputs):
            if p == own:
                along.append(True)
                continue
            array = self.arrays[p - (0 <= own < p)]
            if not array.dtype.isnative:
                return None
            words = place_of(np.broadcast_to(array, self.shape), cuts, turned)
            if words is None or words[-1] not in (0, dtype.size):
                return None
            along.append(words[-1] != 0)
            table.append(words[:-1])
        return self.program.for_rows(tuple(along)), table


def place_of(view: Any, cuts: Sequence[int], turned: int | None = None) -> list[int] | None:
    """The address of an array, and its stride along each of the axes into which its own are cut; None if one of them
    has none."""
    if turned is not None:
        view = view[(*[slice(None)] * turned, slice(None, None, -1))]
    words = [int(view.ctypes.data)]
    for first, last in zip((0, *cuts), (*cuts, view.ndim), strict=True):
        lengths, (strides,) = coalesced(view.shape[first:last], [list(view.strides[first:last])])
        if len(lengths) > 1:
            return None
        words.append(strides[0] if strides else 0)
    return words
