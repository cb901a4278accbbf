"""The loop of 2-D convolutions: a matrix product whose rows begin at every pixel of the image.

    y[n, r, c, o] = sum over i, j, k of x[n, r * sh + i * dh - top, c * sw + j * dw - left, k] * w[i, j, k, o]

x is NHWC and w is HWIO, as they are: the taps of one row of the window, (j, k), are one run of numbers in both. A tile
of the result, a few pixels times a few vectors of channels, stays in registers until all taps are added, one after the
other, each with one rounding (fma). Nothing is copied, unless pixels are missing left or right: then a band of rows is
copied into a buffer with zeros around it. Rows of taps above and below the image are left out.

All sizes are arguments, so one compiled loop serves all images, windows, strides and dilations.
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
    "w_run", "w_block", "blocks", "last", "y_image", "y_row", "y_pixel", "tiles", "larger",
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
y_image, y_row, y_pixel: steps of the result. tiles, larger: tiles of a row, and how many have one pixel more.
"""


Sizes: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class TiledRow:
    """Where a row of tiles reads and writes: the first tap of its first pixel, its weights, its result, the rows of
    taps that lie inside of the image, the vectors of a pixel, and the mask of the last one; what is added at the end.
    """

    start: str
    w: str
    out: str
    inside: tuple[str, str]
    wide: int
    mask: str | None
    bias: Values
    ending: str


SumsOfTile: TypeAlias = Callable[[TiledRow, int, Int, tuple[int, int]], None]
Edges: TypeAlias = tuple[int, int, int]
NO_EDGES: Final = (0, 0, 0)


def most_pixels(vectors: int, host: Machine) -> int:
    """The pixels of the largest tile of so many vectors: sums, weights and one number of x fill the registers."""
    return min((host.registers - vectors - 1) // max(vectors, 1), 14)


@template("convolution", "aaaaaaii")
def convolution_loop(
    kind: str, pixels: int, vectors: int, rest: int, ending: str = "", edges: Edges = NO_EDGES
) -> tuple[str, str]:
    """loop(y, x, w, bias, buffer, sizes, start, stop) -> 0 for rows `start` to `stop` of all images.

    kind: "f4" or "f8". pixels: of a tile; some have one less. vectors: in a block of channels. rest: vectors of the
    channels beyond whole blocks, of which the last one may be a part. ending: what is done with a sum before it is
    written: "" nothing, so that `bias` is not read; "bias" a number for each channel is added; "bias, relu" and what
    is not larger than 0 becomes 0. edges: pixels that are missing left and right, for which nothing is copied, and the
    pixels of the last tile; there are two tiles or more then, no rest beside whole blocks, and stride and dilation
    are 1.
    """
    e = VectorCode(kind)
    s = {name: e.size_of("%sizes", i) for i, name in enumerate(SIZES)}
    last_mask = e.mask(s["last"]) if rest else None

    def band(row: str, image: str, first: str, count: str) -> None:
        base, top_row = packed_band(e, s, image, first, count)
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(first, s["y_row"])))

        def part(begin: Int, _: Values) -> None:
            end = e.min(e.add(begin, s["rows_at_once"]), count)

            def block(b: Int, wide: int, mask: str | None) -> None:
                first = e.mul(b, vectors * e.lanes)
                w, out = e.at("%w", e.mul(b, s["w_block"])), e.at(y, first)
                bias = _bias(e, ending, first, wide, mask)

                def one(r: Int, _: Values) -> None:
                    start = e.at(base, e.mul(e.mul(r, s["row_step"]), s["pitch"]))
                    inside = taps_inside(e, s, e.add(top_row, e.mul(r, s["row_step"])))
                    tile = TiledRow(start, w, e.at(out, e.mul(r, s["y_row"])), inside, wide, mask, bias, ending)
                    row_of_tiles(e, s, pixels, tile, partial(_sums_of_tile, e, s), edges)

                e.loop(begin, end, one)

            if vectors:
                e.loop(0, s["blocks"], lambda b, _: block(b, vectors, None))
            if rest:
                block(s["blocks"], rest, last_mask)

        e.loop(0, count, part, step=s["rows_at_once"])

    for_each_band(e, s, band)
    arrays = ("%y", "%x", "%w", "%bias", "%buffer", "%sizes")
    return e.module("convolution", arrays, ("%start", "%stop")), "convolution"


def _bias(e: VectorCode, ending: str, first: Int, wide: int, mask: str | None) -> Values:
    """The vectors of the bias for some channels; none if nothing is added."""
    masks = [*[None] * (wide - 1), mask]
    place = e.at("%bias", first)
    return [e.load(e.at(place, q * e.lanes), m) for q, m in enumerate(masks)] if ending else []


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


def row_of_tiles(
    e: VectorCode, s: Sizes, pixels: int, tile: TiledRow, sums: SumsOfTile, edges: Edges = NO_EDGES
) -> None:
    """One row of the result, for one block of channels.

    sums(tile, number of pixels, first one, pixels missing left and right) writes a tile.
    """
    left, right, last = edges
    has_edges = left + right > 0

    def some(count: int, low: Int, high: Int, shift: Int) -> None:
        def one(t: Int, _: Values) -> None:
            sums(tile, count, e.add(e.mul(t, count), shift), (0, 0))

        e.loop(low, high, one)

    def before_the_last(count: int, end: str) -> Int:
        return e.sub(end, 1) if has_edges and last == count else end

    if has_edges:
        sums(tile, pixels, 0, (left, 0))
    some(pixels, int(has_edges), before_the_last(pixels, s["larger"]), 0)
    if pixels > 1:
        some(pixels - 1, s["larger"], before_the_last(pixels - 1, s["tiles"]), s["larger"])
    if has_edges:
        all_pixels = e.add(e.mul(s["tiles"], pixels - 1), s["larger"])
        sums(tile, last, e.sub(all_pixels, last), (0, right))


def _sums_of_tile(e: VectorCode, s: Sizes, tile: TiledRow, count: int, pixel: Int, missing: tuple[int, int]) -> None:
    """The sums of `count` pixels from `pixel` on, of which some read pixels that are missing left or right."""
    start = e.at(tile.start, e.mul(pixel, s["pixel_step"]))
    masks = [*[None] * (tile.wide - 1), tile.mask]
    down = e.mul(s["tap_row"], s["pitch"])
    steps = [e.mul(s["pixel_step"], j) for j in range(count)]
    left, right = missing
    depth = s["tap_step"]  # of one tap, where pixels are missing

    def elements(x: str, w: str, low: Int, high: Int, first: int, stop: int, sums: Values) -> Values:
        """The sums with numbers `low` to `high` of a run, for pixels `first` to `stop`."""
        pixels = [e.at(x, step) for step in steps[first:stop]]

        def element(k: Int, sums: Values) -> Values:
            row = e.at(w, e.mul(k, s["w_run"]))
            vectors = [e.load(e.at(row, q * e.lanes), mask) for q, mask in enumerate(masks)]
            after = []
            for p, place in enumerate(pixels):
                number = e.spread(e.at(place, k))
                after += [e.plus_product(number, v, sums[p * tile.wide + q]) for q, v in enumerate(vectors)]
            return after

        begin, end = first * tile.wide, stop * tile.wide
        return [*sums[:begin], *e.loop(low, high, element, sums[begin:end]), *sums[end:]]

    def row_of_taps(i: Int, sums: Values) -> Values:
        here, weights = e.at(start, e.mul(i, down)), e.at(tile.w, e.mul(i, s["w_row"]))

        def tap(j: Int, sums: Values) -> Values:
            x, w = e.at(here, e.mul(j, s["tap_step"])), e.at(weights, e.mul(j, s["w_tap"]))
            for k in range(left):
                sums = elements(x, w, e.mul(depth, k), e.mul(depth, k + 1), left - k, count, sums)
            end = e.sub(s["run"], e.mul(depth, right))
            sums = elements(x, w, e.mul(depth, left), end, 0, count, sums)
            for k in range(right):
                low = e.add(end, e.mul(depth, k))
                sums = elements(x, w, low, e.add(low, depth), 0, count - k - 1, sums)
            return sums

        return e.loop(0, s["taps"], tap, sums)

    sums = e.loop(*tile.inside, row_of_taps, ["zeroinitializer"] * (count * tile.wide))
    for p in range(count):
        out = e.at(tile.out, e.mul(e.add(pixel, p), s["y_pixel"]))
        for q, mask in enumerate(masks):
            total = sums[p * tile.wide + q]
            if tile.ending:
                total = e.plus(total, tile.bias[q])
            if tile.ending == "bias, relu":  # as NumPy's maximum: NaN stays
                total = e.choose(e.compare("ugt", total, "zeroinitializer"), total, "zeroinitializer")
            e.store(total, e.at(out, q * e.lanes), mask)
