"""How the debugger's text looks: letters in colour where there is a terminal for them, lines of its width."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from ...graph.inspect.text_table import folded, usual_width
from ...lessons.terminal_form import has_colours
from ...printable_text import printable

_BAD = re.compile(r"(?<![\w/])([+-]?(?:nan|inf|NaN|Inf))(?![\w/:])")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """Colours and width."""

    colours: bool
    width: int

    def bold(self, text: str) -> str:
        """Names of nodes, and headings."""
        return self._in("1", text)

    def red(self, text: str) -> str:
        """Errors and bad numbers."""
        return self._in("31", text)

    def yellow(self, text: str) -> str:
        """What differs because a value was set."""
        return self._in("33", text)

    def lines(self, text: str) -> str:
        """A text in lines that fit; control characters are shown as escapes, bad numbers in red."""
        shown = "\n".join(folded([printable(line) for line in text.split("\n")], self.width))
        return _BAD.sub(lambda found: self.red(found[0]), shown) if self.colours else shown

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.colours and text else text


def style_of_output() -> TextStyle:
    """The style for what is printed now."""
    return TextStyle(has_colours(), max(usual_width(), 40) if sys.stdout.isatty() else usual_width())
