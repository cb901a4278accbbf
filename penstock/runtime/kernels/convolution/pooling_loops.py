"""The loops of pooling: the largest number of a window, the mean of its numbers, and the gradients of both.

Vectors over channels, as for depthwise convolutions. The largest number is TensorFlow's: a number that is not larger
than the one so far, or than the smallest finite number, is passed over, so NaN and -inf never win. The gradient of a
maximum goes to its first place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..loop_template import template
from .depthwise_loops import SIZES, Channels, Sizes, rows_of_windows, taps_inside
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


@template("pool", "aaaii", saves=1e-9)
def pool_loop(kind: str, how: str, taps: int, step: int, has_tail: bool) -> tuple[str, str]:
    """loop(y, x, sizes, start, stop) -> 0 for rows `start` to `stop` of all images.

    kind: "f4" or "f8". how: "max" or "mean". taps, step, has_tail: see `depthwise_loop`.
    """
    e = VectorCode(kind)
    s = {name: e.size_of("%sizes", i) for i, name in enumerate(SIZES)}
    rows_of_windows(e, s, (taps, step, 1), has_tail, Largest(e, kind) if how == "max" else Mean(e))
    return e.module("pool", ("%y", "%x", "%sizes"), ("%start", "%stop")), "pool"
