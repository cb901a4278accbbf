"""Estimated width of text, without a font.

Widths are those of the common Latin sans-serif faces, as fractions of the font size, rounded up by class of letter.
They leave some reserve because viewers pick different faces. Long texts are shortened in the middle, because names
differ at their ends.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ..content.invisible_characters import visible
from ..content.picture import Box

LABEL_SIZE = 13.0
DETAIL_SIZE = 11.0
ARROW_SIZE = 10.5
LINE_HEIGHT = 15.0
BOX_PADDING = 12.0
BOX_MIN_WIDTH = 84.0
_LONGEST = 44
_MOST_CONSTANTS = 4

_NARROW = frozenset("ijl.,:;'|!I")
_SLIM = frozenset('frt()[]{}/\\ -"*`')
_WIDE = frozenset("mwMW@%")


def text_width(text: str, size: float) -> float:
    """The width of `text` at font size `size`, on the generous side."""
    return sum(_letter_width(letter) for letter in text) * size


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.33
    if letter in _SLIM:
        return 0.43
    if letter in _WIDE:
        return 0.98
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.08
    if letter.isupper():
        return 0.74
    return 0.63 if letter.isascii() else 0.8


def shorten(text: str, longest: int = _LONGEST) -> str:
    """`text` on one line, with an ellipsis in its middle where it is longer than `longest` letters.

    >>> shorten("a_rather_long_name", 9)
    'a_ra…name'
    """
    line = visible(" ".join(text.split()))
    if len(line) <= longest:
        return line
    tail = (longest - 1) // 2
    return f"{line[: longest - 1 - tail]}…{line[len(line) - tail :]}"


@dataclass(frozen=True, slots=True)
class BoxText:
    """The lines of a box as drawn, and the size that they need."""

    lines: tuple[str, ...]
    width: float
    height: float


def constant_lines(box: Box) -> tuple[str, ...]:
    """The constants written in a box, one a line; of many the first three."""
    lines = tuple([each.line for each in box.constants])
    if len(lines) <= _MOST_CONSTANTS:
        return lines
    return (*lines[: _MOST_CONSTANTS - 1], f"and {len(lines) - _MOST_CONSTANTS + 1} more constants")


def box_text(box: Box) -> BoxText:
    """The lines drawn in `box`: its label, its op type where that says more, its constants, and its detail."""
    says_more = box.type and box.type.lower() != box.label.lower()
    written = (box.label, *((box.type,) if says_more else ()), *constant_lines(box), *box.detail)
    lines = tuple([shorten(line) for line in written])
    widths = [text_width(line, DETAIL_SIZE if row else LABEL_SIZE) for row, line in enumerate(lines)]
    width = max(BOX_MIN_WIDTH, max(widths) + 2 * BOX_PADDING)
    return BoxText(lines, width, LINE_HEIGHT * len(lines) + BOX_PADDING + 2)
