"""Launches of nests: how operands lie; tiles of turned operands, lanes for rows or blocks for pieces of rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import complex128, of_numpy
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, Store
from .cuda_source import Shape, i64, launch, sized
from .dry_run import note_nest
from .nest_facts import has_one_level, may_fail, reductions_of, used_loads
from .nest_layout import NestLayout, layout_of
from .nest_source import elements_text, rows_text
from .tile_source import TileWalk, tiles_of, tiles_text

SPAN: Final = 8192
"""Fewest elements of a row that one block combines."""
PIECES: Final = 2112
"""Pieces of all rows together, about 16 blocks for each multiprocessor of a large card. A constant, so that every card
combines in the same order."""
SHORT: Final = 4096
"""Elements of the longest rows that get no block of their own, if there are many rows."""


def pieces_of(rows: int, count: int) -> int:
    """The number of pieces of a row of `count` elements."""
    return min(-(-count // SPAN), max(1, PIECES // max(1, rows)))


def lanes_of(rows: int, count: int, width: int) -> int:
    """Lanes for each row, a power of two up to 32; 256, a block, if rows get blocks of their own."""
    if count > SHORT or (count > 4 * 32 * width and rows < PIECES):
        return 256
    return min(32, 1 << (-(-count // width) - 1).bit_length())


def serves(nest: Nest, rows: int, count: int) -> bool:
    """Whether one launch computes a nest with reductions well: several blocks share long rows of one level only."""
    return pieces_of(rows, count) == 1 or has_one_level(nest)


def run_nest(
    xp: Any,
    nest: Nest,
    arrays: Sequence[Any],
    outs: Sequence[Any],
    whole: Shape,
    axes: int,
    safe: frozenset[int] = frozenset(),
    failed: list[Any] | None = None,
    places: int | None = None,
) -> None:
    """Compute a nest on the device, in one launch.

    Args:
        xp: the array module.
        nest: the nest.
        arrays: an array for each load, which broadcasts to `whole`.
        outs: contiguous memory for each result.
        whole: the shape of its elements, of which there are some.
        axes: how many of the last axes make a row.
        safe: operands without a zero.
        failed: the flag of the run, in a list that is empty until a kernel may fail; it becomes 1 where an int was
            divided by zero.
        places: the number of the operand that holds 0, 1, 2 ..., whose array is not read.

    Raises:
        CannotLower: a step has no expression in CUDA C.
    """
    loads = used_loads(nest, places)
    reduces = bool(reductions_of(nest))
    layout = _layout(nest, loads, arrays, outs, whole, len(whole) - axes if reduces else None)
    walk = None if reduces or layout.elements.is_flat or not layout.is_paired else _tiles(loads, arrays, whole)
    fails, sizes = may_fail(nest, safe), layout.sizes(loads)
    mark: list[Any] = []
    if fails and failed is not None:
        if not failed:
            failed.append(xp.zeros((1,), np.int32))
        mark = failed
    arguments = (*outs, *[arrays[k] for k in loads], *mark)
    if walk is not None:
        high, wide = walk.tile(nest)
        text = tiles_text(nest, layout, walk, safe)
        source, more = sized(walk.defines(nest, high, wide), walk.named_sizes(loads), text, "turned")
        launch(xp, source, "turned", 0, *arguments, *more, blocks=walk.blocks(high, wide))
        return
    if not reduces:
        text, elements = elements_text(nest, layout, safe), prod(whole)
        source, more = sized({"N": layout.number}, sizes, text, "fused")
        launch(xp, source, "fused", -(-elements // layout.width), *arguments, i64(elements), *more)
        return
    rows, count = prod(whole[: len(whole) - axes]), prod(whole[len(whole) - axes :])
    pieces = pieces_of(rows, count)
    if pieces == 1 or not has_one_level(nest):
        lanes = lanes_of(rows, count, layout.width)
        source, more = sized({"N": layout.number}, sizes, rows_text(nest, layout, lanes, safe, places), "fused")
        launch(xp, source, "fused", rows * lanes, *arguments, i64(rows), i64(count), *more)
        return
    source, more = sized({"N": layout.number}, sizes, rows_text(nest, layout, 0, safe, places), "fused")
    parts = [xp.empty((rows * pieces,), nest.dtype_of_number(r).np) for r in reductions_of(nest)]
    done = xp.zeros((rows,), np.int32)
    launch(xp, source, "fused", 0, *arguments, *parts, done, i64(count), i64(pieces), *more, blocks=rows * pieces)


def copy(xp: Any, out: Any, view: Any, whole: Shape) -> None:
    """Fill `out`, contiguous memory of the shape `whole`, with what `view` is when it is broadcast to that shape."""
    nest = _copying(out.dtype.itemsize)
    note_nest(nest)
    run_nest(xp, nest, [view], [out], whole, 0)


@cache
def _copying(size: int) -> Nest:
    """The nest that copies elements of so many bytes, whatever they are."""
    dtype = complex128 if size == 16 else of_numpy(np.dtype(f"u{size}"))
    return Nest((Load(0, ROW + ELEMENT, dtype),), (Store(0, ROW + ELEMENT, Value(0)),))


def _tiles(loads: Sequence[int], arrays: Sequence[Any], whole: Shape) -> TileWalk | None:
    return tiles_of(whole, tuple([(k, arrays[k].shape, _steps_of(arrays[k])) for k in loads]))


def _steps_of(array: Any) -> Shape:
    """The strides, in elements."""
    return tuple([s // array.dtype.itemsize for s in array.strides])


def _layout(
    nest: Nest, loads: Sequence[int], arrays: Sequence[Any], outs: Sequence[Any], whole: Shape, outer: int | None
) -> NestLayout:
    """The layout of the operands; one that is not read counts as a single number."""
    operands: list[tuple[Shape, Shape]] = [((), ())] * len(arrays)
    for k in loads:
        operands[k] = arrays[k].shape, _steps_of(arrays[k])
    used = [*[arrays[k] for k in loads], *outs]
    values = nest.axes()
    sizes = [nest.dtype_of_number(k).size for k in loads if ELEMENT in values[k]]
    sizes += [nest.dtype_of(store.value).size for store in nest.stores if ELEMENT in store.axes]
    aligned = all(x.data.ptr % 16 == 0 for x in used)
    is_paired = all(x.data.ptr % x.dtype.itemsize == 0 for x in used)
    return layout_of(whole, outer, tuple(operands), max(sizes, default=16), aligned, is_paired)
