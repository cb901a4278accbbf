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
from .tiles_and_taps import for_each_place, masks_of, taps_inside, tile_of
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
    s = e.sizes("%sizes", SIZES)
    if vectors:
        e.part("row_of_block", ROW, lambda: _row_of_tiles(e, pixels, vectors, None))
    if rest:
        e.part("row_of_rest", ROW, lambda: _row_of_tiles(e, pixels, rest, "last"))

    def band(row: str, image: str, first: str, count: str) -> None:
        base, top_row = packed_band(e, s, image, first, count)
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(first, s["y_row"])))

        def part(begin: Int, _: Values) -> None:
            end = e.min(e.add(begin, s["rows_at_once"]), count)

            def block(b: Int, name: str) -> None:
                first = e.mul(b, vectors * e.lanes)
                w, out, bias = e.at("%w", e.mul(b, s["w_block"])), e.at(y, first), e.at("%bias", first)

                def one(r: Int, _: Values) -> None:
                    start = e.at(base, e.mul(e.mul(r, s["row_step"]), s["pitch"]))
                    low, high = rows_of_taps_inside(e, s, e.add(top_row, e.mul(r, s["row_step"])))
                    row = e.at(out, e.mul(r, s["y_row"]))
                    pointers = ["%sizes", start, w, row, bias]
                    e.call(name, [*[f"ptr {p}" for p in pointers], *[f"i64 {i}" for i in (low, high, "%ending")]])

                e.loop(begin, end, one)

            if vectors:
                e.loop(0, s["blocks"], lambda b, _: block(b, "row_of_block"))
            if rest:
                block(s["blocks"], "row_of_rest")

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


def rows_of_taps_inside(e: VectorCode, s: Sizes, row: Int) -> tuple[str, str]:
    """The first row of taps that lies inside of the image, and the first one behind, if tap 0 reads this row of x."""
    return taps_inside(e, s["tap_rows"], s["tap_row"], row, s["height"])


ROW: Final = (
    "ptr noalias %sizes", "ptr %start", "ptr %w", "ptr %out", "ptr %bias", "i64 %low", "i64 %high", "i64 %ending",
)  # fmt: skip
"""What a row of tiles is called with: the first tap of its first pixel, its weights, its result, the numbers that are
added, the rows of taps that lie inside of the image, and what is done with a sum."""


def _row_of_tiles(e: VectorCode, pixels: int, wide: int, last: str | None) -> None:
    """One row of the result, for one block of channels, whose last vector may have the name of its size."""
    s = e.sizes("%sizes", SIZES)
    masks = masks_of(e, wide, s[last] if last else None)

    def tile(t: Int, _: Values) -> None:
        pixel, are_there = tile_of(e, s, t, pixels, OPTIONAL)
        sums = _sums_of_tile(e, s, pixels, masks, pixel, are_there)
        _store(e, s, masks, pixel, are_there, _ended(e, masks, sums))

    e.loop(0, s["tiles"], tile)


def _sums_of_tile(
    e: VectorCode, s: Sizes, pixels: int, masks: list[str | None], pixel: Int, are_there: dict[int, str]
) -> Values:
    """The sums of the pixels from `pixel` on.

    A pixel has the elements of a run that lie inside of the image, and none if it is not there.
    """
    start, wide = e.at("%start", e.mul(pixel, s["pixel_step"])), len(masks)
    down = e.mul(s["tap_row"], s["pitch"])
    steps = [e.mul(s["pixel_step"], j) for j in range(pixels)]
    to_first, to_end = e.sub(s["before"], e.mul(pixel, s["pixel_step"])), e.sub(s["end"], e.mul(pixel, s["pixel_step"]))
    lows = {p: e.sub(to_first, steps[p]) for p in range(min(MOST_MISSING, pixels))}
    last_ones = range(max(pixels - OPTIONAL - MOST_MISSING, 0), pixels)
    highs: dict[int, Int] = {p: e.sub(to_end, steps[p]) for p in last_ones}
    highs |= {p: e.one_of(is_there, highs[p], 0) for p, is_there in are_there.items()}

    def row_of_taps(i: Int, sums: Values) -> Values:
        here, weights = e.at(start, e.mul(i, down)), e.at("%w", e.mul(i, s["w_row"]))

        def tap(j: Int, sums: Values) -> Values:
            x, w = e.at(here, e.mul(j, s["tap_step"])), e.at(weights, e.mul(j, s["w_tap"]))
            places = [e.at(x, step) for step in steps]

            def element(k: Int, sums: Values) -> Values:
                row = e.at(w, e.mul(k, s["w_run"]))
                vectors = [e.load(e.at(row, q * e.lanes), mask) for q, mask in enumerate(masks)]

                def of_pixel(p: int) -> Values:
                    number = e.spread(e.at(places[p], k))
                    return [e.plus_product(number, v, sums[p * wide + q]) for q, v in enumerate(vectors)]

                after = []
                for p in range(pixels):
                    conditions = [e.value(f"icmp sge i64 {k}, {lows[p]}")] if p in lows else []
                    conditions += [e.is_less(k, highs[p])] if p in highs else []
                    if not conditions:
                        after += of_pixel(p)
                        continue
                    is_inside = conditions[0] if len(conditions) == 1 else e.value(f"and i1 {', '.join(conditions)}")
                    after += e.values_if(is_inside, partial(of_pixel, p), sums[p * wide : (p + 1) * wide])
                return after

            return e.loop(0, s["run"], element, sums)

        return e.loop(0, s["taps"], tap, sums)

    return e.loop("%low", "%high", row_of_taps, ["zeroinitializer"] * (pixels * wide))


def _ended(e: VectorCode, masks: list[str | None], sums: Values) -> Values:
    """What is written: the sums as they are, or with the bias, and then their relu, or the larger of that and -inf."""

    def biased() -> Values:
        is_relu = e.value("icmp eq i64 %ending, 2")
        floor = e.spread_value(e.value(f"select i1 {is_relu}, {e.type} 0.0, {e.type} 0xFFF0000000000000"))
        biases = [e.load(e.at("%bias", q * e.lanes), mask) for q, mask in enumerate(masks)]
        totals = [e.plus(total, biases[n % len(masks)]) for n, total in enumerate(sums)]
        return [e.choose(e.compare("ugt", total, floor), total, floor) for total in totals]  # as NumPy: NaN stays

    return e.values_if(e.value("icmp ne i64 %ending, 0"), biased, sums)


def _store(
    e: VectorCode, s: Sizes, masks: list[str | None], pixel: Int, are_there: dict[int, str], sums: Values
) -> None:
    """Write the sums of a tile."""

    def store(p: int) -> None:
        out = e.at("%out", e.mul(e.add(pixel, p), s["y_pixel"]))
        for q, mask in enumerate(masks):
            e.store(sums[p * len(masks) + q], e.at(out, q * e.lanes), mask)

    for_each_place(e, len(sums) // len(masks), are_there, store)
