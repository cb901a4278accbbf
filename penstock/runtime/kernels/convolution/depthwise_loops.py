"""The loops of depthwise convolutions and of their filter gradients: vectors over channels, each of which is alone.

    y[n, r, c, k] = sum over i, j of x[n, r * sh + i * dh - top, c * sw + j * dw - left, k] * w[i, j, k]

Taps are added one after the other, each with one rounding; taps outside of the image are left out. Nothing is copied:
pixels for which all taps lie inside are computed several at a time, those at the edges one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from ..loops.loop_template import template
from .tiles_and_taps import taps_inside
from .vector_code import Int, Machine, Values, VectorCode

SIZES: Final = (
    "image_rows", "x_image", "x_row", "height", "width", "channels", "row_step", "tap_rows", "tap_row", "top", "left",
    "w_row", "y_image", "y_row", "y_pixel", "pixels", "inner", "outer", "rows", "parts",
)  # fmt: skip
"""What the table of sizes holds; see `convolution_loop.SIZES`, with these besides:

pixels: of a row of the result; of these `inner` to `outer` have all taps inside of the image. channels: of an image.
rows, parts: rows of the result in one part of a filter gradient, and parts of an image.
"""
Sizes: TypeAlias = dict[str, str]


def pixels_at_once(taps: int, step: int, pixels: int, host: Machine) -> int:
    """How many of so many pixels are computed together: several where they share numbers; few are computed again."""
    if step >= taps:
        return 1
    choices = [n for n in ((8, 6, 5, 4) if host.registers == 32 else (4, 3, 2)) if n <= pixels]
    return min(choices, key=lambda n: (-(-pixels // n) * n, -n), default=1)


class WindowRule(Protocol):
    """What a window computes of its numbers: vectors over channels, one tap after the other."""

    first: str

    def factors(self, i: Int, k: Int, mask: str | None, js: Sequence[Int]) -> Values:
        """What taps (i, j) have besides numbers of x, for channels k."""

    def after(self, total: str, number: str, factor: str) -> str:
        """The value after one more tap."""

    def last(self, total: str, taps: Int) -> str:
        """The result of so many taps that lie inside of the image."""


class SumOfProducts:
    """The sum of numbers times weights."""

    first = "zeroinitializer"

    def __init__(self, e: VectorCode, s: Sizes) -> None:
        self._e, self._s = e, s

    def factors(self, i: Int, k: Int, mask: str | None, js: Sequence[Int]) -> Values:
        """The weights."""
        e, s = self._e, self._s
        row = e.at("%w", e.add(k, e.mul(i, s["w_row"])))
        return [e.load(e.at(row, e.mul(s["channels"], j)), mask) for j in js]

    def after(self, total: str, number: str, factor: str) -> str:
        """The sum with one more product."""
        return self._e.plus_product(number, factor, total)

    def last(self, total: str, taps: Int) -> str:
        """The sum."""
        return total


@template("depthwise", "aaaaii", saves=1e-9)
def depthwise_loop(
    kind: str, taps: int, step: int, spacing: int, has_tail: bool, together: int
) -> tuple[str, str]:
    """loop(y, x, w, sizes, start, stop) -> 0 for rows `start` to `stop` of all images.

    kind: "f4" or "f8". taps, step, spacing: of a row of the window. has_tail: whether the channels end in a part of a
    vector. together: pixels of a tile.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    rows_of_windows(e, s, (taps, step, spacing), has_tail, SumOfProducts(e, s), together)
    return e.module("depthwise", ("%y", "%x", "%w", "%sizes"), ("%start", "%stop")), "depthwise"


def rows_of_windows(
    e: VectorCode,
    s: Sizes,
    across: tuple[int, int, int],
    has_tail: bool,
    rule: WindowRule,
    together: int,
    tap_rows: int = 0,
) -> None:
    """The loop over rows %start to %stop of all images, whose pixels are what the rule makes of their windows.

    together: pixels of a tile. tap_rows: rows of taps, if there is to be code for each; else 0.
    """
    taps, step, spacing = across
    channels = Channels(e, s, has_tail)
    down = e.mul(s["tap_row"], s["x_row"])

    def row(number: Int, _: Values) -> None:
        image, r = e.div(number, s["image_rows"]), e.rem(number, s["image_rows"])
        top_row = e.sub(e.mul(r, s["row_step"]), s["top"])
        rows = taps_inside(e, s["tap_rows"], s["tap_row"], top_row, s["height"])
        height = e.max(0, e.sub(rows[1], rows[0]))
        x = e.at("%x", e.add(e.mul(image, s["x_image"]), e.mul(top_row, s["x_row"])))
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(r, s["y_row"])))

        def inside(c: Int, count: int, inner_rows: tuple[Int, Int] = rows) -> None:
            """`count` pixels whose taps all lie inside of a row, from the first row of taps to the last."""
            first = e.at(x, e.mul(e.sub(e.mul(c, step), s["left"]), s["channels"]))
            out = e.at(y, e.mul(c, s["y_pixel"]))

            def vector(k: Int, mask: str | None) -> None:
                place, to = e.at(first, k), e.at(out, k)

                def tap_row(i: Int, totals: Values) -> Values:
                    here = e.at(place, e.mul(i, down))
                    factors = rule.factors(i, k, mask, range(taps))
                    numbers: dict[int, str] = {}
                    after = list(totals)
                    for p in range(count):
                        for j in range(taps):
                            at = p * step + j * spacing
                            if at not in numbers:
                                numbers[at] = e.load(e.at(here, e.mul(s["channels"], at)), mask)
                            after[p] = rule.after(after[p], numbers[at], factors[j])
                    return after

                totals = [rule.first] * count
                if inner_rows is rows:
                    totals = e.loop(*rows, tap_row, totals)
                else:
                    for i in range(tap_rows):
                        totals = tap_row(i, totals)
                for p, total in enumerate(totals):
                    e.store(rule.last(total, e.mul(height, taps)), e.at(to, e.mul(s["y_pixel"], p)), mask)

            channels.each(vector)

        def at_edge(c: Int, _: Values) -> None:
            left = e.sub(e.mul(c, step), s["left"])
            begin, end = taps_inside(e, taps, spacing, left, s["width"])
            width = e.max(0, e.sub(end, begin))
            first, out = e.at(x, e.mul(left, s["channels"])), e.at(y, e.mul(c, s["y_pixel"]))

            def vectors(k: Int, mask: str | None, count: int) -> None:
                def tap_row(i: Int, totals: Values) -> Values:
                    here = e.at(first, e.add(k, e.mul(i, down)))

                    def tap(j: Int, totals: Values) -> Values:
                        place = e.at(here, e.mul(e.mul(j, spacing), s["channels"]))
                        after = []
                        for v, total in enumerate(totals):
                            number = e.load(e.at(place, v * e.lanes), mask)
                            (factor,) = rule.factors(i, e.add(k, v * e.lanes), mask, [j])
                            after.append(rule.after(total, number, factor))
                        return after

                    return e.loop(begin, end, tap, totals)

                for v, total in enumerate(e.loop(*rows, tap_row, [rule.first] * count)):
                    e.store(rule.last(total, e.mul(height, width)), e.at(out, e.add(k, v * e.lanes)), mask)

            channels.by_groups(vectors, 4)

        def tiles() -> None:
            # The last tile may compute pixels again.
            last = e.sub(s["outer"], together)
            count = e.ceil_div(e.sub(s["outer"], s["inner"]), together)

            def tile(t: Int, _: Values) -> None:
                inside(e.min(e.add(s["inner"], e.mul(t, together)), last), together)

            e.loop(0, count, tile)

        def single() -> None:
            e.loop(s["inner"], s["outer"], lambda c, _: inside(c, 1))

        def inner() -> None:
            e.when(e.is_less(e.sub(s["outer"], s["inner"]), together), single, tiles)

        def of_known_rows() -> None:
            e.loop(s["inner"], s["outer"], lambda c, _: inside(c, 1, (0, tap_rows)))

        e.loop(0, s["inner"], at_edge)
        if tap_rows:
            e.when(e.value(f"icmp eq i64 {height}, {tap_rows}"), of_known_rows, inner)
        else:
            inner()
        e.loop(s["outer"], s["pixels"], at_edge)

    e.loop("%start", "%stop", row)


@template("depthwise_filter", "aaaaii", saves=1e-9)
def depthwise_filter_loop(
    kind: str, taps: int, step: int, spacing: int, has_tail: bool, vectors: int
) -> tuple[str, str]:
    """loop(dw, x, dy, sizes, start, stop) -> 0 for parts `start` to `stop`: dw has one filter gradient for each part.

    vectors: of a pixel that are summed together, of which there is a whole number. The rest of the key is as for
    `depthwise_loop`.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    channels = Channels(e, s, has_tail, vectors)
    together = 4
    chains = 1 if vectors > 1 else 2  # sums of even and of odd pixels, so that one addition need not wait for the last
    places = [v * e.lanes for v in range(vectors)]

    def part(number: Int, _: Values) -> None:
        image, first = e.div(number, s["parts"]), e.mul(e.rem(number, s["parts"]), s["rows"])
        size = e.mul(s["tap_rows"], s["w_row"])
        out = e.at("%w", e.mul(number, size))
        e.clear(out, size)
        image_x, image_y = e.at("%x", e.mul(image, s["x_image"])), e.at("%y", e.mul(image, s["y_image"]))

        def row(r: Int, _: Values) -> None:
            top_row = e.sub(e.mul(r, s["row_step"]), s["top"])
            low, high = taps_inside(e, s["tap_rows"], s["tap_row"], top_row, s["height"])
            x = e.at(image_x, e.mul(e.sub(0, s["left"]), s["channels"]))
            y = e.at(image_y, e.mul(r, s["y_row"]))

            def vector(k: Int, mask: str | None) -> None:
                def tap_row(i: Int, _: Values) -> None:
                    source = e.at(x, e.add(k, e.mul(e.add(top_row, e.mul(i, s["tap_row"])), s["x_row"])))
                    gradient = e.at(y, k)

                    def inside(count: int, first_pixel: Int, sums: Values) -> Values:
                        here = e.at(source, e.mul(e.mul(first_pixel, step), s["channels"]))
                        there = e.at(gradient, e.mul(first_pixel, s["y_pixel"]))
                        numbers: dict[tuple[int, int], str] = {}
                        after = list(sums)
                        for p in range(count):
                            place = e.at(there, e.mul(s["y_pixel"], p))
                            gradients = [e.load(e.at(place, v), mask) for v in places]
                            for j in range(taps):
                                at = p * step + j * spacing
                                for v, g in enumerate(gradients):
                                    if (at, v) not in numbers:
                                        pixel = e.at(here, e.mul(s["channels"], at))
                                        numbers[at, v] = e.load(e.at(pixel, places[v]), mask)
                                    n = (j + taps * (p % chains)) * vectors + v
                                    after[n] = e.plus_product(numbers[at, v], g, after[n])
                        return after

                    def at_edge(c: Int, sums: Values) -> Values:
                        left = e.mul(c, step)
                        after = list(sums)
                        for j in range(taps):
                            pixel = e.add(left, j * spacing)
                            bit = e.value(f"icmp ult i64 {e.sub(pixel, s['left'])}, {s['width']}")
                            lanes = e.splat_bit(bit)
                            if mask is not None:
                                lanes = e.value(f"and {e.bits} {lanes}, {mask}")
                            for v, place in enumerate(places):
                                g = e.load(e.at(gradient, e.add(e.mul(c, s["y_pixel"]), place)), mask)
                                at = e.at(source, e.add(e.mul(pixel, s["channels"]), place))
                                n = j * vectors + v
                                after[n] = e.choose(lanes, e.plus_product(e.load(at, lanes), g, after[n]), after[n])
                        return after

                    sums = ["zeroinitializer"] * (chains * taps * vectors)
                    sums = e.loop(0, s["inner"], at_edge, sums)
                    tiles = e.div(e.sub(s["outer"], s["inner"]), together)
                    end = e.add(s["inner"], e.mul(tiles, together))
                    sums = e.loop(s["inner"], end, lambda c, v: inside(together, c, v), sums, step=together)
                    sums = e.loop(end, s["outer"], lambda c, v: inside(1, c, v), sums)
                    sums = e.loop(s["outer"], s["pixels"], at_edge, sums)
                    to = e.at(out, e.add(k, e.mul(i, s["w_row"])))
                    for j in range(taps):
                        for v, place in enumerate(places):
                            at = e.at(to, e.add(e.mul(s["channels"], j), place))
                            total = sums[j * vectors + v]
                            if chains == 2:
                                total = e.plus(total, sums[(taps + j) * vectors + v])
                            e.store(e.plus(e.load(at, mask), total), at, mask)

                e.loop(low, high, tap_row)

            channels.each(vector)

        e.loop(first, e.min(e.add(first, s["rows"]), s["image_rows"]), row)

    e.loop("%start", "%stop", part)
    return e.module("depthwise_filter", ("%w", "%x", "%y", "%sizes"), ("%start", "%stop")), "depthwise_filter"


class Channels:
    """The loop over the vectors of a pixel, `vectors` at a time."""

    def __init__(self, e: VectorCode, s: Sizes, has_tail: bool, vectors: int = 1) -> None:
        self._e = e
        self._step = vectors * e.lanes
        self._whole: Int = s["channels"]
        self._tail: tuple[Int, str] | None = None
        if has_tail:
            self._whole = e.mul(e.div(s["channels"], e.lanes), e.lanes)
            self._tail = self._whole, e.mask(e.sub(s["channels"], self._whole))

    def each(self, body: Callable[[Int, str | None], None]) -> None:
        """body(first channel, mask) for each group of vectors."""
        self._e.loop(0, self._whole, lambda k, _: body(k, None), step=self._step)
        if self._tail is not None:
            body(*self._tail)

    def by_groups(self, body: Callable[[Int, str | None, int], None], most: int) -> None:
        """body(first channel, mask, vectors) for groups of `most` vectors and for single ones that are left."""
        e = self._e
        end = e.mul(e.div(self._whole, most * e.lanes), most * e.lanes)
        e.loop(0, end, lambda k, _: body(k, None, most), step=most * e.lanes)
        e.loop(end, self._whole, lambda k, _: body(k, None, 1), step=e.lanes)
        if self._tail is not None:
            body(*self._tail, 1)
