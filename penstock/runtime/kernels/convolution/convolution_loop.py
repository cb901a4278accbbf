"""The loop of 2-D convolutions: a matrix product whose rows begin at every pixel of the image.

    y[n, r, c, o] = sum over i, j, k of x[n, r * sh + i * dh - top, c * sw + j * dw - left, k] * w[i, j, k, o]

x is NHWC and w is HWIO, as they are: the taps of one row of the window, (j, k), are one run of numbers in both. A tile
of the result, a few pixels times a few vectors of channels, stays in registers until all taps are added, one after the
other, each with one rounding (fma). Nothing is copied, unless more than a few pixels are missing left or right: then a
band of rows is copied into a buffer with zeros around it. Rows of taps above and below the image are left out.

All sizes are arguments, so one compiled loop serves all images, windows, strides and dilations. A tile has code once:
its first and last pixels ask for each number whether it lies inside of the image, and whether they are wanted at all,
which costs nothing beside the products, where several copies of this code took most of the time of a first run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from ....graph.common.quick_dataclass import dataclass
from ..loops.loop_template import template
from .vector_code import Int, Machine, Values, VectorCode

SIZES: Final = (
    "image_rows", "x_image", "x_row", "height", "row_step", "pixel_step", "tap_rows", "tap_row", "taps", "tap_step",
    "run", "top", "rows", "rows_at_once", "packed", "pitch", "lead", "skipped", "taken", "trail", "w_row", "w_tap",
    "w_run", "w_block", "blocks", "last", "y_image", "y_row", "y_pixel", "tile", "tiles", "larger", "before", "end",
)  # fmt: skip
"""What the table of sizes holds; offsets are in elements.

image_rows: rows of the result in an image. x_image, x_row: from one image, one row of x to the next; height: rows of x.
row_step, pixel_step: from the first tap of a pixel to that of the next row, in rows of x, or pixel, in elements.
tap_rows, tap_row: rows of taps, rows of x between them. taps, tap_step, run: runs of a row of taps, elements between
their beginnings, elements of a run. top: rows that are missing above.
rows: of the result in a band; rows_at_once: of these that get all channels before the next ones.
packed, pitch, lead, skipped, taken, trail: whether bands are copied; elements of a copied row, of which `lead` are
zeros, `taken` come from the row of x, from element `skipped` on, and `trail` are zeros.
w_row, w_tap, w_run, w_block: steps in w of a row of taps, a run, an element of a run, a block of channels.
blocks, last: whole blocks of channels; channels of the last vector of what is left.
y_image, y_row, y_pixel: steps of the result. tile, tiles, larger: pixels of the larger tiles of a row, which come
first, all tiles, and how many are larger; the others have one pixel less.
before, end: where pixels that lie left or right of the image are left out, the element of the first pixel's run at
which the image begins, and the one behind its end; otherwise 0, and more than any run has.
"""


Sizes: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class TiledRow:
    """Where a row of tiles reads and writes: the first tap of its first pixel, its weights, its result, the rows of
    taps that lie inside of the image, the vectors of a pixel, and the mask of the last one.
    """

    start: str
    w: str
    out: str
    inside: tuple[str, str]
    wide: int
    mask: str | None


OPTIONAL: Final = 3
"""The last pixels of a tile, or numbers of a filter gradient's, that a smaller tile does without: so many sizes have
the code of one."""
MOST_MISSING: Final = 2
"""Pixels that may be missing left or right without a copy."""


def most_pixels(vectors: int, host: Machine) -> int:
    """The pixels of the largest tile of so many vectors: sums, weights and one number of x fill the registers."""
    return min((host.registers - vectors - 1) // max(vectors, 1), 14)


def size_of_code(size: int, most: int) -> int:
    """The size of the tile whose code serves one of `size`, and one that is smaller by one."""
    return size + (most - size) % OPTIONAL


@template("convolution", "aaaaaaiii")
def convolution_loop(kind: str, pixels: int, vectors: int, rest: int) -> tuple[str, str]:
    """loop(y, x, w, bias, buffer, sizes, ending, start, stop) -> 0 for rows `start` to `stop` of all images.

    kind: "f4" or "f8". pixels: of the largest tile; others have up to `OPTIONAL` less. vectors: in a block of channels.
    rest: vectors of the channels beyond whole blocks, of which the last one may be a part. ending: what is done with
    a sum before it is written: 0 nothing, so that `bias` only needs to be as long; 1 a number for each channel is
    added; 2 and what is not larger than 0 becomes 0.
    """
    e = VectorCode(kind)
    s = {name: e.size_of("%sizes", i) for i, name in enumerate(SIZES)}
    last_mask = e.mask(s["last"]) if rest else None
    # Without a bias -0.0 is added, and the larger of that and -inf taken, which change nothing.
    is_biased = e.value("icmp ne i64 %ending, 0")
    nothing = e.value(f"alloca [{max(vectors, rest)} x {e.vector}], align {e.machine.vector_bytes}")
    negative_zero = e.spread_value("-0.0")
    for q in range(max(vectors, rest)):
        e.store(negative_zero, e.at(nothing, q * e.lanes))
    floor = e.value(f"select i1 {e.value('icmp eq i64 %ending, 2')}, {e.type} 0.0, {e.type} 0xFFF0000000000000")

    def band(row: str, image: str, first: str, count: str) -> None:
        base, top_row = packed_band(e, s, image, first, count)
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(first, s["y_row"])))

        def part(begin: Int, _: Values) -> None:
            end = e.min(e.add(begin, s["rows_at_once"]), count)

            def block(b: Int, wide: int, mask: str | None) -> None:
                first = e.mul(b, vectors * e.lanes)
                w, out = e.at("%w", e.mul(b, s["w_block"])), e.at(y, first)
                bias = e.value(f"select i1 {is_biased}, ptr {e.at('%bias', first)}, ptr {nothing}")

                def one(r: Int, _: Values) -> None:
                    start = e.at(base, e.mul(e.mul(r, s["row_step"]), s["pitch"]))
                    inside = taps_inside(e, s, e.add(top_row, e.mul(r, s["row_step"])))
                    tile = TiledRow(start, w, e.at(out, e.mul(r, s["y_row"])), inside, wide, mask)

                    def sums(t: Int, _: Values) -> None:
                        pixel = e.add(e.mul(t, e.sub(s["tile"], 1)), e.min(t, s["larger"]))
                        count = e.one_of(e.is_less(t, s["larger"]), s["tile"], e.sub(s["tile"], 1))
                        _sums_of_tile(e, s, tile, pixels, count, pixel, bias, floor)

                    e.loop(0, s["tiles"], sums)

                e.loop(begin, end, one)

            if vectors:
                e.loop(0, s["blocks"], lambda b, _: block(b, vectors, None))
            if rest:
                block(s["blocks"], rest, last_mask)

        e.loop(0, count, part, step=s["rows_at_once"])

    for_each_band(e, s, band)
    arrays = ("%y", "%x", "%w", "%bias", "%buffer", "%sizes")
    return e.module("convolution", arrays, ("%ending", "%start", "%stop")), "convolution"


def for_each_band(e: VectorCode, s: Sizes, band: Callable[[str, str, str, str], None]) -> None:
    """band(row, image, row in the image, number of rows) for the bands of rows %start to %stop."""

    def one(row: str) -> Int:
        image, first = e.div(row, s["image_rows"]), e.rem(row, s["image_rows"])
        count = e.min(e.min(s["rows"], e.sub(s["image_rows"], first)), e.sub("%stop", row))
        band(row, image, first, count)
        return e.add(row, count)

    e.walk("%start", "%stop", one)


def packed_band(e: VectorCode, s: Sizes, image: str, first: str, count: str) -> tuple[str, Int]:
    """The address from which the taps of `count` rows are read, and the row of x that lies there.

    The rows are copied into %buffer first, if pixels are missing left or right.
    """
    x = e.at("%x", e.mul(image, s["x_image"]))
    top_row = e.sub(e.mul(first, s["row_step"]), s["top"])
    is_packed = e.value(f"icmp ne i64 {s['packed']}, 0")

    def pack() -> None:
        taps = e.mul(e.sub(s["tap_rows"], 1), s["tap_row"])
        needed = e.add(e.add(e.mul(e.sub(count, 1), s["row_step"]), taps), 1)

        def one(q: Int, _: Values) -> None:
            to = e.at("%buffer", e.mul(q, s["pitch"]))
            e.clear(to, s["lead"])
            to = e.at(to, s["lead"])
            e.copy(to, e.at(x, e.add(e.mul(e.add(top_row, q), s["x_row"]), s["skipped"])), s["taken"])
            e.clear(e.at(to, s["taken"]), s["trail"])

        e.loop(e.max(e.sub(0, top_row), 0), e.min(needed, e.sub(s["height"], top_row)), one)

    e.when(is_packed, pack)
    # Taps above the image are left out, so the address of a band that is not copied may lie before x.
    here = e.at(x, e.add(e.mul(top_row, s["x_row"]), s["skipped"]))
    return e.value(f"select i1 {is_packed}, ptr %buffer, ptr {here}"), top_row


def taps_inside(e: VectorCode, s: Sizes, row: Int) -> tuple[str, str]:
    """The first row of taps that lies inside of the image, and the first one behind, if tap 0 reads this row of x."""
    low = e.ceil_div(e.sub(0, row), s["tap_row"])
    return low, e.min(s["tap_rows"], e.ceil_div(e.sub(s["height"], row), s["tap_row"]))


def _sums_of_tile(
    e: VectorCode, s: Sizes, tile: TiledRow, pixels: int, count: Int, pixel: Int, bias: str, floor: str
) -> None:
    """The sums of `count` pixels from `pixel` on, `pixels` or up to `OPTIONAL` less.

    A pixel has the elements of a run that lie inside of the image, and none if there are fewer pixels.
    """
    start = e.at(tile.start, e.mul(pixel, s["pixel_step"]))
    masks = [*[None] * (tile.wide - 1), tile.mask]
    down = e.mul(s["tap_row"], s["pitch"])
    steps = [e.mul(s["pixel_step"], j) for j in range(pixels)]
    to_first, to_end = e.sub(s["before"], e.mul(pixel, s["pixel_step"])), e.sub(s["end"], e.mul(pixel, s["pixel_step"]))
    are_there = {p: e.is_less(p, count) for p in range(max(pixels - OPTIONAL, 1), pixels)}
    lows = {p: e.sub(to_first, steps[p]) for p in range(min(MOST_MISSING, pixels))}
    last_ones = range(max(pixels - OPTIONAL - MOST_MISSING, 0), pixels)
    highs: dict[int, Int] = {p: e.sub(to_end, steps[p]) for p in last_ones}
    highs |= {p: e.one_of(is_there, highs[p], 0) for p, is_there in are_there.items()}

    def row_of_taps(i: Int, sums: Values) -> Values:
        here, weights = e.at(start, e.mul(i, down)), e.at(tile.w, e.mul(i, s["w_row"]))

        def tap(j: Int, sums: Values) -> Values:
            x, w = e.at(here, e.mul(j, s["tap_step"])), e.at(weights, e.mul(j, s["w_tap"]))
            places = [e.at(x, step) for step in steps]

            def element(k: Int, sums: Values) -> Values:
                row = e.at(w, e.mul(k, s["w_run"]))
                vectors = [e.load(e.at(row, q * e.lanes), mask) for q, mask in enumerate(masks)]

                def of_pixel(p: int) -> Values:
                    number = e.spread(e.at(places[p], k))
                    return [e.plus_product(number, v, sums[p * tile.wide + q]) for q, v in enumerate(vectors)]

                after = []
                for p in range(pixels):
                    conditions = [e.value(f"icmp sge i64 {k}, {lows[p]}")] if p in lows else []
                    conditions += [e.is_less(k, highs[p])] if p in highs else []
                    if not conditions:
                        after += of_pixel(p)
                        continue
                    is_inside = conditions[0] if len(conditions) == 1 else e.value(f"and i1 {', '.join(conditions)}")
                    after += e.values_if(is_inside, partial(of_pixel, p), sums[p * tile.wide : (p + 1) * tile.wide])
                return after

            return e.loop(0, s["run"], element, sums)

        return e.loop(0, s["taps"], tap, sums)

    sums = e.loop(*tile.inside, row_of_taps, ["zeroinitializer"] * (pixels * tile.wide))
    biases = [e.load(e.at(bias, q * e.lanes), mask) for q, mask in enumerate(masks)]
    least = e.spread_value(floor)

    def store(p: int) -> None:
        out = e.at(tile.out, e.mul(e.add(pixel, p), s["y_pixel"]))
        for q, mask in enumerate(masks):
            total = e.plus(sums[p * tile.wide + q], biases[q])  # then as NumPy's maximum: NaN stays
            e.store(e.choose(e.compare("ugt", total, least), total, least), e.at(out, q * e.lanes), mask)

    for p in range(pixels):
        if p in are_there:
            e.when(are_there[p], partial(store, p))
        else:
            store(p)
