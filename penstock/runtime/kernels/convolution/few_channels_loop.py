"""The loop of convolutions with one to four channels of results: vectors along the taps, not along the channels.

A sum over many taps and channels of the input is made in the lanes of a vector, which are added at the end. With three
channels of results, vectors of sixteen channels would be empty but for three lanes.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ..loops.loop_template import template
from .convolution_loop import SIZES, Sizes, TiledRow, for_each_band, packed_band, rows_of_taps_inside
from .vector_code import Int, Values, VectorCode

MOST_CHANNELS: Final = 4
PIXELS: Final = {1: 8, 2: 6, 3: 6, 4: 5}
"""Pixels of the largest tile, by channels; on processors with 16 registers half as many."""


@template("few_channels", "aaaaaii")
def few_channels_loop(kind: str, pixels: int, channels: int) -> tuple[str, str]:
    """loop(y, x, w, buffer, sizes, start, stop) -> 0 for rows `start` to `stop` of all images.

    w is OHWI. In the sizes `w_block` is the step from one channel of the result to the next in w; `blocks` and `last`
    are not read, and a row gets all its channels at once. pixels: of a tile; some have one less.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    whole = e.mul(e.div(s["run"], e.lanes), e.lanes)
    rest = e.mask(e.sub(s["run"], whole))

    def band(row: str, image: str, first: str, count: str) -> None:
        base, top_row = packed_band(e, s, image, first, count)
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(first, s["y_row"])))

        def one(r: Int, _: Values) -> None:
            start = e.at(base, e.mul(e.mul(r, s["row_step"]), s["pitch"]))
            inside = rows_of_taps_inside(e, s, e.add(top_row, e.mul(r, s["row_step"])))
            tile = TiledRow(start, "%w", e.at(y, e.mul(r, s["y_row"])), inside, channels, rest)

            def some(count: int, shift: Int, t: Int, _: Values) -> None:
                _sums(e, s, tile, whole, count, e.add(e.mul(t, count), shift))

            e.loop(0, s["larger"], partial(some, pixels, 0))
            if pixels > 1:
                e.loop(s["larger"], s["tiles"], partial(some, pixels - 1, s["larger"]))

        e.loop(0, count, one)

    for_each_band(e, s, band)
    arrays = ("%y", "%x", "%w", "%buffer", "%sizes")
    return e.module("few_channels", arrays, ("%start", "%stop")), "few_channels"


def _sums(e: VectorCode, s: Sizes, tile: TiledRow, whole: Int, count: int, pixel: Int) -> None:
    """The sums of `count` pixels from `pixel` on; `whole` elements of a run fill vectors."""
    start = e.at(tile.start, e.mul(pixel, s["pixel_step"]))
    down = e.mul(s["tap_row"], s["pitch"])
    channels = range(tile.wide)

    def row_of_taps(i: Int, sums: Values) -> Values:
        here, weights = e.at(start, e.mul(i, down)), e.at(tile.w, e.mul(i, s["w_row"]))

        def tap(j: Int, sums: Values) -> Values:
            x, w = e.at(here, e.mul(j, s["tap_step"])), e.at(weights, e.mul(j, s["w_tap"]))
            pixels = [e.at(x, e.mul(s["pixel_step"], p)) for p in range(count)]
            filters = [e.at(w, e.mul(s["w_block"], o)) for o in channels]

            def elements(mask: str | None, k: Int, sums: Values) -> Values:
                factors = [e.load(e.at(f, k), mask) for f in filters]
                after = []
                for p, place in enumerate(pixels):
                    number = e.load(e.at(place, k), mask)
                    after += [e.plus_product(number, f, sums[p * tile.wide + o]) for o, f in enumerate(factors)]
                return after

            sums = e.loop(0, whole, partial(elements, None), sums, step=e.lanes)
            return e.loop(whole, s["run"], partial(elements, tile.mask), sums, step=e.lanes)

        return e.loop(0, s["taps"], tap, sums)

    sums = e.loop(*tile.inside, row_of_taps, ["zeroinitializer"] * (count * tile.wide))
    for p in range(count):
        out = e.at(tile.out, e.mul(e.add(pixel, p), s["y_pixel"]))
        for o in channels:
            e.store_sum(sums[p * tile.wide + o], e.at(out, o))
