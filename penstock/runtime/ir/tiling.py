"""Tiling: the division of a fused group's iteration space into pieces that fit in the cache.

The iteration space is the broadcast shape of all values in the group. If all values that are not single numbers lie in
memory in the same order, the space is one long row and a tile is a range of it. Otherwise a tile is a box: whole inner
dimensions, a range of one dimension, single outer indices. A group that ends in a reduction is divided where the
reduction's blocks end (see ops.reduction_order), and a tile may consist of several boxes:

    flat          |--tile--|--tile--|-|          boxes of rows      |------tile------|   (a range of whole rows)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from ...graph.common.quick_dataclass import dataclass
from ...ops.declare.reduction_order import BLOCK
from ..base.thread_pool import SHARES, allowed_threads

Shape = tuple[int, ...]
Cut = tuple[slice, ...]

CACHE = 1 << 22
"""The most bytes of the last cache for one value of a tile, over all threads: three or four values fit 16 MiB."""
LEAST = 1 << 18
"""The fewest bytes of a tile: below, the calls cost more than a smaller cache saves."""


def tile_size(elements: int, itemsize: int, largest: int) -> int:
    """The elements of a tile, for a space of `elements` elements and tiles of at most `largest` bytes.

    1e7 elements, one thread, a third cache of 32 MiB, in ms for tiles of 128, 256, 512 and 1024 KiB: ten operations on
    float32 16.1 15.1 14.3 13.0, on float64 36.4 36.5 31.6 27.7, the dynamic_stitch page's program 8.6 7.4 6.6 6.1.
    """
    threads = allowed_threads()
    size = min(largest, CACHE // threads)
    if threads > 1:
        size = min(size, elements * itemsize // (SHARES * threads))
    return max(size, min(largest, LEAST)) // itemsize


@dataclass(frozen=True, slots=True)
class TileBox:
    """A part of the iteration space: its slices, its shape, and its offset in the tile in elements."""

    cut: Cut
    shape: Shape
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Tile:
    """A piece that is computed at once: elements `start` to `stop` in row-major order, as one or more boxes."""

    start: int
    stop: int
    boxes: tuple[TileBox, ...]


def boxes(whole: Shape, largest: int) -> list[Tile]:
    """Tiles of one box each, of at most `largest` elements, that cover `whole`."""
    inner, axis = 1, len(whole)
    while axis > 0 and inner * whole[axis - 1] <= largest:
        axis -= 1
        inner *= whole[axis]
    if axis == 0:
        return [Tile(0, inner, (TileBox(tuple([slice(0, d) for d in whole]), whole),))]
    axis -= 1  # the dimension that is divided into ranges
    rows = prod(whole[:axis])
    run = max(1, largest // inner)
    starts = range(0, whole[axis], run)
    spans = [(row * whole[axis] + s) * inner for row in range(rows) for s in starts]
    return _tiles(whole, zip(spans, [*spans[1:], prod(whole)], strict=True))


def runs(whole: Shape, count: int) -> list[Tile]:
    """Tiles that hold whole rows of `count` elements (the last dimensions), or blocks of one row."""
    total = prod(whole)
    if count <= BLOCK:
        step = BLOCK // count * count
        return _tiles(whole, [(s, min(s + step, total)) for s in range(0, total, step)])
    spans = []
    for row in range(0, total, count):
        spans += [(s, min(s + BLOCK, row + count)) for s in range(row, row + count, BLOCK)]
    return _tiles(whole, spans)


def _tiles(whole: Shape, spans: Sequence[tuple[int, int]] | Iterator[tuple[int, int]]) -> list[Tile]:
    return [Tile(start, stop, tuple(_placed(whole, start, stop))) for start, stop in spans]


def _placed(whole: Shape, start: int, stop: int) -> Iterator[TileBox]:
    offset = 0
    for cut in _span(whole, start, stop):
        shape = tuple([c.stop - c.start for c in cut])
        yield TileBox(cut, shape, offset)
        offset += prod(shape)


def _span(shape: Shape, start: int, stop: int) -> Iterator[Cut]:
    """Boxes, in row-major order, that make up the elements `start` to `stop` of `shape`."""
    if len(shape) <= 1:
        yield tuple([slice(start, stop) for _ in shape])
        return
    rest = shape[1:]
    inner = prod(rest)
    (first, head), (last, tail) = divmod(start, inner), divmod(stop, inner)
    if first == last:
        yield from _within(first, rest, head, tail)
        return
    if head:
        yield from _within(first, rest, head, inner)
        first += 1
    if first < last:
        yield (slice(first, last), *[slice(0, d) for d in rest])
    if tail:
        yield from _within(last, rest, 0, tail)


def _within(index: int, rest: Shape, start: int, stop: int) -> Iterator[Cut]:
    for cut in _span(rest, start, stop):
        yield (slice(index, index + 1), *cut)
