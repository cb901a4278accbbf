"""Closing scopes until a still picture fits a screen at a size at which it can be read.

Fewer and fewer boxes are allowed (`open_at_first`) until the picture is at most as large as a screen, and no line
climbs from column to column. If that cannot be reached, the picture is taken that comes nearest.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ..layout.picture_layout import Layout, lay_out
from .closed_scopes import closed_to, fit
from .kept_values import derivative_scopes, without_kept_values
from .open_at_first import VISIBLE_LIMIT
from .picture import Picture

SCREEN = (1340.0, 850.0)
"""The room for boxes and lines in a picture of 1400 x 1000 with a title and a legend."""
_MOST = 80  # more boxes than that do not fit
_FEWER = 0.9
_FEWEST, _NEARLY = 8, 1.1  # so few boxes say less than a picture that is a little too large
_CLIMB = 0.04  # each line that climbs is as bad as a picture that much too large


def fit_screen(picture: Picture) -> Picture:
    """The picture with scopes closed, the inner ones first, until it fits a screen.

    >>> from penstock.show.content.picture import Box
    >>> boxes = tuple(Box(f"{scope}/{i}", str(i), group=(scope,)) for scope in "abc" for i in range(60))
    >>> [box.id for box in fit_screen(Picture("", boxes)).boxes]
    ['a/', 'b/', 'c/']
    """
    scopes = derivative_scopes(picture)

    def closed(limit: int) -> Picture:  # of the picture as it is by then
        return without_kept_values(closed_to(picture, limit), scopes, picture)

    if any(group.opens_for_room for group in picture.groups):
        folded, picture = picture, _with_room(picture)
        if _excess(lay_out(closed(VISIBLE_LIMIT))) > 0:
            picture = folded
    shown, limit = closed(VISIBLE_LIMIT), VISIBLE_LIMIT
    best = shown
    if len(shown.boxes) > _MOST:
        limit = _MOST
        shown = closed(limit)
    least = size = float("inf")
    while len(shown.boxes) <= VISIBLE_LIMIT:
        layout = lay_out(shown)
        excess = _excess(layout)
        if excess < least:
            least, best, size = excess, shown, _used(layout)
        if excess <= 0:
            break
        before = len(shown.boxes)
        limit = min(before - 1, int(before * _FEWER))
        shown = closed(limit)
        if len(shown.boxes) >= before or limit < 1 or (len(shown.boxes) < _FEWEST and size < _NEARLY):
            break
    return fit(best)


def _with_room(picture: Picture) -> Picture:
    groups = [replace(each, collapsed=False, folded=False) if each.opens_for_room else each for each in picture.groups]
    return replace(picture, groups=tuple(groups))


def _excess(layout: Layout) -> float:
    """By how much a drawing is too large for the screen, or too tangled; 0 if it is neither."""
    return max(_used(layout) - 1, 0.0) + _CLIMB * climbs(layout)


def _used(layout: Layout) -> float:
    """The factor by which a drawing is larger than the screen; at most 1 if it fits."""
    return max(layout.width / SCREEN[0], layout.height / SCREEN[1])


def climbs(layout: Layout) -> int:
    """How many different lines run against the direction of the arrows for a piece."""
    climbing = set()
    for placed in layout.arrows:
        along = 0 if placed.across else 1
        if placed.points[-1][along] >= placed.points[0][along] or placed.arrow.source == placed.arrow.target:
            for start, end in pairwise(placed.points):
                if end[along] < start[along]:
                    climbing.add((start, end))
        else:
            climbing.add((placed.points[0], placed.points[-1]))
    return len(climbing)
