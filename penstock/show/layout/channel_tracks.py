"""Tracks: the order of horizontal lines in a channel between columns, so that few lines cross.

A line in a channel runs along its track and leaves it upwards and downwards at given places:

        |                up:    x of the pieces that leave upwards
    +---+-----+
    |         |          down:  x of the pieces that leave downwards
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_AIR = 8.0


@dataclass(frozen=True, slots=True)
class Track:
    """One line in a channel: the x at which it leaves upwards and downwards."""

    ups: tuple[float, ...]
    downs: tuple[float, ...]

    @property
    def left(self) -> float:
        """Where the horizontal piece begins."""
        return min(self.ups + self.downs)

    @property
    def right(self) -> float:
        """Where the horizontal piece ends."""
        return max(self.ups + self.downs)


def levels_of_tracks(tracks: Sequence[Track]) -> tuple[list[int], int]:
    """The level of each track, 0 being the upmost, and how often the lines cross.

    >>> levels_of_tracks([Track((0.0,), (40.0,)), Track((20.0,), (60.0,))])
    ([1, 0], 0)
    """
    order = sorted(range(len(tracks)), key=lambda number: (tracks[number].left, number))
    for _ in order:
        swapped = False
        for at in range(len(order) - 1):
            a, b = tracks[order[at]], tracks[order[at + 1]]
            if crossings_of(b, a) < crossings_of(a, b):
                order[at], order[at + 1] = order[at + 1], order[at]
                swapped = True
        if not swapped:
            break
    levels = [0] * len(tracks)
    for at, number in enumerate(order):
        own = tracks[number]
        for earlier in order[:at]:
            other = tracks[earlier]
            if other.left - _AIR < own.right and own.left < other.right + _AIR:
                levels[number] = max(levels[number], levels[earlier] + 1)
    crossings = sum(
        crossings_of(tracks[order[i]], tracks[order[j]]) for i in range(len(order)) for j in range(i + 1, len(order))
    )
    return levels, crossings


def least_crossings(a: Track, b: Track) -> int:
    """How often two lines cross if the better one of them runs above the other."""
    return min(crossings_of(a, b), crossings_of(b, a))


def crossings_of(upper: Track, lower: Track) -> int:
    """How often two lines cross if the first runs above the second."""
    through_lower = sum(lower.left < x < lower.right for x in upper.downs)
    return through_lower + sum(upper.left < x < upper.right for x in lower.ups)
