"""Parts of calls of a group's code that write into parts of larger arrays, such as the columns of a join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ..ir.strides import coalesced
from ..kernels.loops.woven_rows import COPY, MOST, RowOperand, RowPart
from ..kernels.shared_copies import PER_BYTE
from .compiled_code import CompiledCode
from .flat_layout import FlatLayout


@dataclass(frozen=True, slots=True)
class RowRange:
    """How a group's code computes rows: see `kernels.loops.woven_rows`.

    Attributes:
        part: the call for one row.
        rows: how many there are.
        seconds: the predicted time of all.
        kept: what the call refers to by address.
    """

    part: RowPart
    rows: int
    seconds: float
    kept: Any


def row_range(launch: FlatLayout, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]) -> RowRange | None:
    """The code row by row, with results in `places`; None if the arrays are not rows with gaps between them.

    places: arrays of the shape of the results, in the order of `GroupParts.made`.
    """
    path = launch.path_to(inputs, places)
    arrays = *inputs, *places
    if path is None or path.walk is not None or len(path.shape) != 2 or len(arrays) > MOST:
        return None
    operands = [RowOperand(x.ctypes.data, *own) for x, own in zip(arrays, path.strides, strict=True)]
    rows, width = path.shape
    return RowRange(RowPart(code.loop_address, width, operands), rows, launch.seconds, arrays)


def copy_range(place: Any, source: Any) -> RowRange | None:
    """The copy of an array to a place of its shape, row by row; None if the rows of one have gaps in them."""
    shape, (a, b) = coalesced(place.shape, [list(source.strides), list(place.strides)])
    if len(shape) != 2 or a[1] != source.itemsize or b[1] != place.itemsize:
        return None
    operands = RowOperand(source.ctypes.data, a[0], a[1]), RowOperand(place.ctypes.data, b[0], b[1])
    part = RowPart(COPY, shape[1] * place.itemsize, operands)
    return RowRange(part, shape[0], 2 * place.nbytes * PER_BYTE, (source, place))
