"""The loops of pooling: the largest number of a window, the mean of its numbers, and the gradients of both.

Vectors over channels, as for depthwise convolutions. The largest number is TensorFlow's: a number that is not larger
than the one so far, or than the smallest finite number, is passed over, so NaN and -inf never win. The gradient of a
maximum goes to its first place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..loops.loop_template import template
from .depthwise_loops import SIZES, Channels, rows_of_windows
from .tiles_and_taps import taps_inside
from .vector_code import Int, Values, VectorCode

_LOWEST: Final = {"f4": "0xC7EFFFFFE0000000", "f8": "0xFFEFFFFFFFFFFFFF"}
"""The smallest finite number, as LLVM writes it."""


class Largest:
    """The largest number."""

    def __init__(self, e: VectorCode, kind: str) -> None:
        self._e = e
        self.first = e.spread_value(_LOWEST[kind])

    def factors(self, i: Int, k: Int, mask: str | None, js: Sequence[Int]) -> Values:
        """None."""
        return [""] * len(js)

    def after(self, total: str, number: str, factor: str) -> str:
        """The larger one; the number so far if they are equal or one is NaN."""
        return self._e.choose(self._e.compare("ogt", number, total), number, total)

    def last(self, total: str, taps: Int) -> str:
        """The largest one."""
        return total


class Mean:
    """The mean of the numbers inside of the image."""

    first = "zeroinitializer"

    def __init__(self, e: VectorCode) -> None:
        self._e = e

    def factors(self, i: Int, k: Int, mask: str | None, js: Sequence[Int]) -> Values:
        """None."""
        return [""] * len(js)

    def after(self, total: str, number: str, factor: str) -> str:
        """The sum with one more number."""
        return self._e.plus(total, number)

    def last(self, total: str, taps: Int) -> str:
        """The sum divided by the number of taps."""
        return self._e.divided(total, taps)


@template("pool", "aaaii", saves=2e-9)
def pool_loop(
    kind: str, how: str, window: tuple[int, int], step: int, has_tail: bool, together: int
) -> tuple[str, str]:
    """loop(y, x, sizes, start, stop) -> 0 for rows `start` to `stop` of all images.

    kind: "f4" or "f8". how: "max" or "mean". window: rows and columns of taps, (0, columns) where they are many. step,
    has_tail, together: see `depthwise_loop`.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    rule = Largest(e, kind) if how == "max" else Mean(e)
    rows_of_windows(e, s, (window[1], step, 1), has_tail, rule, together, window[0] if together == 1 else 0)
    return e.module("pool", ("%y", "%x", "%sizes"), ("%start", "%stop")), "pool"


MOST_TAPS: Final = 16
"""Taps of a window whose numbers are held in registers by the gradient of a maximum."""


@template("pool_gradient", "aaaaii", saves=2e-9)
def pool_gradient_loop(
    kind: str, how: str, window: tuple[int, int], step: int, has_tail: bool, overlaps: bool, relu: bool = False,
    is_streamed: bool = False,
) -> tuple[str, str]:  # fmt: skip
    """loop(dx, x, dy, sizes, start, stop) -> 0 for rows `start` to `stop` of dy. `mean` reads nothing of x.

    window: rows and columns of taps, whose product is at most `MOST_TAPS`; (0, columns) for more. step: from one window
    of a row to the next. overlaps: whether a number may lie in several windows. Then gradients are added to dx, row by
    row; otherwise they are written, and numbers in no window are left alone. relu: whether the gradient of x = relu(z)
    by z is written, for maxima of windows that do not overlap: that of x times 0 where x is not positive. is_streamed:
    whether windows do not overlap, there is no tail, and %w, which begins at a multiple of a vector's size, is written
    past the caches.
    """
    e = VectorCode(kind)
    s = e.sizes("%sizes", SIZES)
    channels = Channels(e, s, has_tail)
    height, columns = window
    lowest = e.spread_value(_LOWEST[kind])

    def row(number: Int, _: Values) -> None:
        image, r = e.div(number, s["image_rows"]), e.rem(number, s["image_rows"])
        top_row = e.sub(e.mul(r, s["row_step"]), s["top"])
        rows = taps_inside(e, s["tap_rows"], 1, top_row, s["height"])
        base = e.add(e.mul(image, s["x_image"]), e.mul(top_row, s["x_row"]))
        y = e.at("%y", e.add(e.mul(image, s["y_image"]), e.mul(r, s["y_row"])))

        def give(place: str, gradient: str, mask: str | None) -> None:
            e.store(e.plus(e.load(place, mask), gradient) if overlaps else gradient, place, mask, is_streamed)

        def inside(c: Int, _: Values) -> None:
            """A pixel whose taps all lie inside."""
            first = e.add(base, e.mul(e.sub(e.mul(c, step), s["left"]), s["channels"]))

            def vector(k: Int, mask: str | None) -> None:
                gradient = e.load(e.at(y, e.add(k, e.mul(c, s["y_pixel"]))), mask)
                places = [
                    e.add(e.add(first, k), e.add(e.mul(s["x_row"], i), e.mul(s["channels"], j)))
                    for i in range(height)
                    for j in range(columns)
                ]
                if how == "mean":
                    part = e.divided(gradient, height * columns)
                    for place in places:
                        give(e.at("%w", place), part, mask)
                    return
                numbers = [e.load(e.at("%x", place), mask) for place in places]
                largest, is_new = lowest, []
                for number in numbers:
                    is_new.append(e.compare("ogt", number, largest))
                    largest = e.choose(is_new[-1], number, largest)
                if relu:
                    gradient = e.where_positive(largest, gradient)
                # The first place of the maximum is the last one at which a number was larger than all before.
                later, is_first = "", list[str]()
                for bit in reversed(is_new):
                    is_first.append(e.value(f"and {e.bits} {bit}, {e.inverse(later)}") if later else bit)
                    later = e.value(f"or {e.bits} {bit}, {later}") if later else bit
                is_first.reverse()
                # Where no number is larger than the smallest one, it is the first tap.
                is_first[0] = e.value(f"or {e.bits} {is_first[0]}, {e.inverse(later)}")
                for place, bit in zip(places, is_first, strict=True):
                    give(e.at("%w", place), e.choose(bit, gradient, "zeroinitializer"), mask)

            channels.each(vector)

        def at_edge(c: Int, _: Values) -> None:
            left = e.sub(e.mul(c, step), s["left"])
            begin, end = taps_inside(e, columns, 1, left, s["width"])
            first = e.add(base, e.mul(left, s["channels"]))
            count = e.mul(e.max(0, e.sub(rows[1], rows[0])), e.max(0, e.sub(end, begin)))

            def vector(k: Int, mask: str | None) -> None:
                gradient = e.load(e.at(y, e.add(k, e.mul(c, s["y_pixel"]))), mask)

                def each_tap(body: Callable[[Int, str, Values], Values | None], values: Values) -> Values:
                    def tap_row(i: Int, values: Values) -> Values:
                        here = e.add(e.add(first, k), e.mul(i, s["x_row"]))
                        before = e.mul(e.sub(i, rows[0]), e.sub(end, begin))

                        def tap(j: Int, values: Values) -> Values:
                            place = str(e.add(here, e.mul(j, s["channels"])))
                            return body(e.add(before, e.sub(j, begin)), place, values) or []

                        return e.loop(begin, end, tap, values)

                    return e.loop(*rows, tap_row, values)

                if how == "mean":
                    part = e.divided(gradient, e.max(1, count))
                    each_tap(lambda _, place, values: give(e.at("%w", place), part, mask), [])
                    return

                def look(number_of: Int, place: str, values: Values) -> Values:
                    number = e.load(e.at("%x", place), mask)
                    is_larger = e.compare("ogt", number, values[0])
                    winner = e.spread_value(e.value(f"sitofp i64 {number_of} to {e.type}"))
                    return [e.choose(is_larger, number, values[0]), e.choose(is_larger, winner, values[1])]

                largest, winner = each_tap(look, [lowest, "zeroinitializer"])
                masked = e.where_positive(largest, gradient) if relu else gradient

                def write(number_of: Int, place: str, values: Values) -> None:
                    own = e.spread_value(e.value(f"sitofp i64 {number_of} to {e.type}"))
                    is_winner = e.compare("oeq", own, winner)
                    give(e.at("%w", place), e.choose(is_winner, masked, "zeroinitializer"), mask)

                each_tap(write, [])

            channels.each(vector)

        def whole() -> None:
            e.loop(0, s["inner"], at_edge)
            e.loop(s["inner"], s["outer"], inside)
            e.loop(s["outer"], s["pixels"], at_edge)

        def cut() -> None:
            e.loop(0, s["pixels"], at_edge)

        if height:
            is_whole = e.value(f"icmp eq i64 {e.sub(rows[1], rows[0])}, {height}")
            e.when(is_whole, whole, cut)
        else:
            cut()

    e.loop("%start", "%stop", row)
    return e.module("pool_gradient", ("%w", "%x", "%y", "%sizes"), ("%start", "%stop")), "pool_gradient"
