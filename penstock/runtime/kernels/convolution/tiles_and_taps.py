"""Which places a tile of a loop has, and which taps of a window lie inside of an image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from .vector_code import Int, VectorCode


def masks_of(e: VectorCode, wide: int, last: Int | None) -> list[str | None]:
    """None for each of `wide` vectors; for the last one, if it is not whole, the mask of its first `last` lanes."""
    return [*[None] * (wide - 1), None if last is None else e.mask(last)]


def tile_of(e: VectorCode, s: Mapping[str, str], t: Int, most: int, optional: int) -> tuple[Int, dict[int, str]]:
    """Where tile t of a row begins, of which the first `larger` ones have `tile` places and the others one less; and of
    its `most` places the last `optional` ones, with whether they are there.
    """
    first = e.add(e.mul(t, e.sub(s["tile"], 1)), e.min(t, s["larger"]))
    count = e.one_of(e.is_less(t, s["larger"]), s["tile"], e.sub(s["tile"], 1))
    return first, {p: e.is_less(p, count) for p in range(max(most - optional, 1), most)}


def for_each_place(e: VectorCode, count: int, are_there: Mapping[int, str], body: Callable[[int], None]) -> None:
    """body(p) for each place of a tile that is there."""
    for p in range(count):
        if p in are_there:
            e.when(are_there[p], partial(body, p))
        else:
            body(p)


def taps_inside(e: VectorCode, taps: Int, spacing: Int, first: Int, size: str) -> tuple[str, str]:
    """The first tap that lies inside of an axis, and the first one behind, if tap 0 lies at `first`."""
    low = e.ceil_div(e.sub(0, first), spacing)
    return low, e.min(taps, e.ceil_div(e.sub(size, first), spacing))
