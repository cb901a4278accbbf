"""The loop of a convolution's filter gradient: sums over pixels stay in registers.

    dw[i, j, k, o] = sum over n, r, c of x[n, r * sh + i * dh - top, c * sw + j * dw - left, k] * dy[n, r, c, o]

A tile is a few numbers of a run of taps (j, k) times a few vectors of channels. Its sum over a band of rows, pixel by
pixel, begins at 0 and is added to dw. Bands depend on sizes only, and each element of dw is summed by one thread, so
bits do not depend on the number of threads.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ..loops.loop_template import template
from .convolution_loop import OPTIONAL, packed_band
from .tiles_and_taps import for_each_place, masks_of, taps_inside, tile_of
from .vector_code import Int, Values, VectorCode

SIZES: Final = (
    "images", "image_rows", "x_image", "x_row", "height", "row_step", "pixel_step", "tap_rows", "tap_row", "taps",
    "tap_step", "run", "top", "rows", "packed", "pitch", "lead", "skipped", "taken", "trail", "w_row", "w_tap", "w_run",
    "blocks", "last", "y_image", "y_row", "y_pixel", "pixels", "tile", "tiles", "larger",
    "step", "spacing", "left", "width",
)  # fmt: skip
"""What the table of sizes holds: see `convolution_loop`.

images: of x. pixels: of a row of the result. tile, tiles, larger: of a run of taps. The strides w_ are those of dw, y_
of dy. step, spacing, left, width: where pixels that lie left or right of the image are left out, pixels of x from one
pixel of dy, and from one run of taps, to the next; pixels missing at the left; pixels of x. Where bands are copied with
zeros around them, or no pixel is missing, spacing and left are 0.
"""


@template("filter_gradient", "aaaaaii")
def filter_gradient_loop(kind: str, height: int, vectors: int, rest: int) -> tuple[str, str]:
    """loop(dw, x, dy, buffer, sizes, start, stop) -> 0 for the tiles `start` to `stop`, those of the first block first.

    kind: "f4" or "f8". height: numbers of a run in the largest tile; others have up to `OPTIONAL` less.
    vectors, rest: see `convolution_loop`.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    if vectors:
        e.part("tile_of_block", TILE, lambda: _tile(e, height, vectors, None))
    if rest:
        e.part("tile_of_rest", TILE, lambda: _tile(e, height, rest, "last"))
    of_row = e.mul(s["taps"], s["tiles"])
    of_block = e.mul(s["tap_rows"], of_row)

    def band(image: str, first: str) -> Int:
        count = e.min(s["rows"], e.sub(s["image_rows"], first))
        base, top_row = packed_band(e, s, image, first, count)
        dy = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(first, s["y_row"])))
        begun = e.add(image, first)

        def tile(number: Int, b: Int, name: str) -> None:
            i, rest_of = e.div(number, of_row), e.rem(number, of_row)
            j, t = e.div(rest_of, s["tiles"]), e.rem(rest_of, s["tiles"])
            tap = e.mul(i, s["tap_row"])
            # Rows of the band for which row i of the taps lies inside of the image.
            low, high = taps_inside(e, count, s["row_step"], e.add(top_row, tap), s["height"])
            x = e.at(base, e.add(e.mul(tap, s["pitch"]), e.mul(j, s["tap_step"])))
            before = e.sub(e.mul(j, s["spacing"]), s["left"])
            left, right = taps_inside(e, s["pixels"], s["step"], before, s["width"])
            first = e.mul(b, vectors * e.lanes)
            out = e.at("%w", e.add(e.add(e.mul(i, s["w_row"]), e.mul(j, s["w_tap"])), first))
            numbers = [f"i64 {number}" for number in (t, low, high, left, right, begun)]
            e.call(name, ["ptr %sizes", f"ptr {x}", f"ptr {e.at(dy, first)}", f"ptr {out}", *numbers])

        def block(b: Int, name: str) -> None:
            begin = e.max(0, e.sub("%start", e.mul(b, of_block)))
            end = e.min(of_block, e.sub("%stop", e.mul(b, of_block)))
            e.loop(begin, end, lambda number, _: tile(number, b, name))

        if vectors:
            e.loop(0, s["blocks"], lambda b, _: block(b, "tile_of_block"))
        if rest:
            block(s["blocks"], "tile_of_rest")
        return e.add(first, count)

    e.loop(0, s["images"], lambda image, _: e.walk(0, s["image_rows"], lambda first: band(str(image), first)))
    return e.module("filter_gradient", ("%w", "%x", "%y", "%buffer", "%sizes"), ("%start", "%stop")), "filter_gradient"


TILE: Final = (
    "ptr noalias %sizes", "ptr %x", "ptr %y", "ptr %w", "i64 %t", "i64 %low", "i64 %high", "i64 %left", "i64 %right",
    "i64 %begun",
)  # fmt: skip
"""What a tile is called with: the first numbers of its run of taps, of dy and of dw, its place in the run, the rows and
the pixels for which the run lies inside of the image, and whether an earlier band has written to dw."""


def _tile(e: VectorCode, height: int, wide: int, last: str | None) -> None:
    """A tile's sums over a band are added to dw. Its last vector may have the name of its size."""
    s = e.sizes("%sizes", SIZES)
    masks = masks_of(e, wide, s[last] if last else None)
    first, are_there = tile_of(e, s, "%t", height, OPTIONAL)
    x, to = e.at("%x", first), e.at("%w", e.mul(first, s["w_run"]))

    def row(r: Int, sums: Values) -> Values:
        xr = e.at(x, e.mul(e.mul(r, s["row_step"]), s["pitch"]))
        yr = e.at("%y", e.mul(r, s["y_row"]))

        def pixel(c: Int, sums: Values) -> Values:
            place, numbers = e.at(yr, e.mul(c, s["y_pixel"])), e.at(xr, e.mul(c, s["pixel_step"]))
            gradients = [e.load(e.at(place, q * e.lanes), m) for q, m in enumerate(masks)]

            def of_number(p: int) -> Values:
                number = e.spread(e.at(numbers, p))
                return [e.plus_product(number, g, sums[p * wide + q]) for q, g in enumerate(gradients)]

            after = []
            for p in range(height):
                if p in are_there:
                    after += e.values_if(are_there[p], partial(of_number, p), sums[p * wide : (p + 1) * wide])
                else:
                    after += of_number(p)
            return after

        return e.loop("%left", "%right", pixel, sums)

    sums = e.loop("%low", "%high", row, ["zeroinitializer"] * (height * wide))
    is_first = e.value("icmp eq i64 %begun, 0")

    def store(p: int) -> None:
        place = e.at(to, e.mul(s["w_run"], p))
        for q, m in enumerate(masks):
            at, total = e.at(place, q * e.lanes), sums[p * wide + q]
            before = e.value(f"select i1 {is_first}, {e.vector} zeroinitializer, {e.vector} {e.load(at, m)}")
            e.store(e.plus(before, total), at, m)

    for_each_place(e, height, are_there, store)
