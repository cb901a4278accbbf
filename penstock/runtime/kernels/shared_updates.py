"""Updates of rows at the places that indices name, which threads divide by the places that are written.

The order of equal places is part of the result: the last row stays, and sums are rounded one after the other. So every
thread reads all indices, in order, and leaves out the places of others:

    thread 0   places 0 ... 499999         thread 1   places 500000 ... 999999

A place that is left out costs 1 ns, and 4 where the processor cannot guess whether it is. Rows that fill a line of the
cache are worth that if their places rise or no cache holds them. Others are not: what one thread does for all and for
one half of the places, in ms, is for 1e6 float32 into 1e6 at random 1.6 and 4.1, into 1e7 6.1 and 4.2, sums 8.6 and
6.7; for 625,000 rows of 16 float32 into as many 9.1 and 4.8, sums 12.7 and 8.4; in order 2.9 and 1.6.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from .native_loops import Loop, find, in_shares, pays, shares
from .shared_copies import LINE, PER_BYTE

_WIDE: Final = 64
"""Bytes of a row that fills a line of the cache."""
_FAR: Final = 1 << 25
"""Bytes of an array that no cache holds."""
_SAMPLES: Final = 64


def updated(loop: Loop, key: tuple[Any, ...], out: Any, rows: Any, index: Any, sizes: Any, width: int) -> bool:
    """Run the loop "put" or "add" with this key, which begins with its name; False if an index is out of range."""
    count, is_far = len(index), out.nbytes > _FAR
    seconds = count * (8e-9 if is_far else 0) + 3 * rows.nbytes * PER_BYTE
    if pays(seconds) and rows.nbytes >= _WIDE * count and (is_far or _rises(index)):
        name, *rest = key
        in_range = find(f"{name}_range", *rest, work=count * min(width, 4))
        if in_range is not None:

            def update(_: int, low: int, high: int) -> int:
                return in_range(out, rows, index, sizes, count, width, low, high)

            return min(in_shares(shares(prod(sizes.tolist()), seconds, LINE), update)) == count
    return loop(out, rows, index, sizes, count, width) == count


def _rises(index: Any) -> bool:
    """True if the index vectors rise, as far as a few of them tell."""
    first = index.reshape((len(index), -1))[:: max(1, len(index) // _SAMPLES), 0]
    return bool((first[1:] >= first[:-1]).all())
