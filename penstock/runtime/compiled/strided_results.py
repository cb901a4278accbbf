"""Runs of a group's code that write into parts of larger arrays, such as the columns of a join.

`@rows` takes the strides of the results as it takes those of the operands, so no other code is needed. Operands that
are transposed or reversed along the rows are made rows of, as in `compiled.strided_run`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.thread_pool import threads_for
from ..ir.strides import broadcast_strides, coalesced, is_plain
from ..kernels.loops.woven_rows_loop import COPY, MOST, RowOperand, RowPart
from ..kernels.shared_copies import PER_BYTE
from .compiled_code import CompiledCode
from .compiled_run import LONG, LaunchPlan, call_rows
from .loop_spec import LoopSpec
from .strided_run import StridedWalk, strided_walk


@dataclass(frozen=True, slots=True)
class RowRange:
    """How a group's code computes rows: see `kernels.woven_rows_loop`.

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


def write_strided(launch: LaunchPlan, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]) -> bool:
    """Write the results of the body to `places`; False if the code does not serve these arrays.

    places: arrays of the shape of the results, in the order of `launch.made`; their last axes may have gaps between
        their rows.
    """
    arrays = [*inputs, *places]
    found = _walks_of(launch, inputs, places)
    if found is None:
        return False
    walk, rows = found
    helpers = threads_for(launch.seconds)
    loop = None if walk is None else walk.loop()
    if walk is not None and loop is not None:
        walk.run(loop, code.loop_address, arrays, helpers)
    else:
        call_rows(code, rows, arrays, helpers)
    return True


def row_range(
    launch: LaunchPlan, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]
) -> RowRange | None:
    """The same row by row; None if the arrays are not rows with gaps between them."""
    found = _walks_of(launch, inputs, places)
    if found is None or found[0] is not None:
        return None
    numbers = found[1][0].numbers
    count = len(inputs) + len(places)
    if numbers[0] != 2 or count > MOST:
        return None
    arrays = *inputs, *places
    by_row, steps = numbers[3 : 3 + count], numbers[3 + count :]
    operands = [RowOperand(x.ctypes.data, row, step) for x, row, step in zip(arrays, by_row, steps, strict=True)]
    return RowRange(RowPart(code.loop_address, numbers[2], operands), numbers[1], launch.seconds, arrays)


_Walks = tuple[StridedWalk | None, tuple[LoopSpec, int]]


def _walks_of(launch: LaunchPlan, inputs: Sequence[Any], places: Sequence[Any]) -> _Walks | None:
    """How to go over the arrays: along strided operands, and by rows. None if the code does not serve them."""
    if launch.ends.tails or not is_plain(inputs) or any(x.shape != launch.whole for x in places):
        return None
    arrays = [*inputs, *places]
    key = "places", *[x.strides for x in arrays]
    entry: tuple[_Walks, int] | None = launch.kept(key)
    if entry is None:
        whole = launch.whole
        shape, strides = coalesced(whole, [broadcast_strides(x.shape, x.strides, whole) for x in arrays])
        spec = LoopSpec([len(shape), *shape, *[s[axis] for axis in range(len(shape)) for s in strides]])
        sizes = [d.size for d in (*launch.scalar.inputs, *launch.outputs)]
        walk = None
        if all(own[-1] == size for own, size in zip(strides[len(inputs) :], sizes[len(inputs) :], strict=True)):
            walk = strided_walk(whole, [x.shape for x in arrays], [x.strides for x in arrays], sizes)
        entry = launch.keep(key, ((walk, (spec, shape[0])), shape[-1]))
    walks, row = entry
    # NumPy's functions would be called for each row.
    return None if row < LONG and launch.shape_class.calls else walks


def copy_range(place: Any, source: Any) -> RowRange | None:
    """The copy of an array to a place of its shape, row by row; None if the rows of one have gaps in them."""
    shape, (a, b) = coalesced(place.shape, [list(source.strides), list(place.strides)])
    if len(shape) != 2 or a[1] != source.itemsize or b[1] != place.itemsize:
        return None
    operands = RowOperand(source.ctypes.data, a[0], a[1]), RowOperand(place.ctypes.data, b[0], b[1])
    part = RowPart(COPY, shape[1] * place.itemsize, operands)
    return RowRange(part, shape[0], 2 * place.nbytes * PER_BYTE, (source, place))
