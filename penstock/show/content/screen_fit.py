"""Closing scopes until a still picture fits a screen at a size at which it can be read.

Fewer and fewer boxes are allowed (`open_at_first`) until the picture is at most as large as a screen. A picture of
which nothing more can be closed stays as large as it is.
"""

from __future__ import annotations

from ..layout.picture_layout import lay_out
from .closed_scopes import closed_to, fit
from .open_at_first import VISIBLE_LIMIT
from .picture import Picture

SCREEN = (1340.0, 880.0)
"""The room for boxes and lines in a picture of 1400 x 1000 with a title and a legend."""
_MOST = 80  # more boxes than that do not fit
_FEWER = 0.88


def fit_screen(picture: Picture) -> Picture:
    """The picture with scopes closed, the inner ones first, until it fits a screen.

    >>> from penstock.show.content.picture import Box
    >>> boxes = tuple(Box(f"{scope}/{i}", str(i), group=(scope,)) for scope in "abc" for i in range(60))
    >>> [box.id for box in fit_screen(Picture("", boxes)).boxes]
    ['a/', 'b/', 'c/']
    """
    shown, limit = closed_to(picture, VISIBLE_LIMIT), VISIBLE_LIMIT
    best = shown
    if len(shown.boxes) > _MOST:
        limit = _MOST
        shown = closed_to(picture, limit)
    smallest = float("inf")
    while len(shown.boxes) <= VISIBLE_LIMIT:
        layout = lay_out(shown)
        used = max(layout.width / SCREEN[0], layout.height / SCREEN[1])
        if used < smallest:
            smallest, best = used, shown
        if used <= 1:
            break
        before = len(shown.boxes)
        limit = min(before - 1, int(before * _FEWER))
        shown = closed_to(picture, limit)
        if len(shown.boxes) >= before or limit < 1:
            break
    return fit(best)
