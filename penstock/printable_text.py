"""Text for a terminal: control characters are shown as escapes, so that a name from a file cannot move the cursor.

What prints a name that may come from a file gets it through here: errors and warnings, the tables and reports of
`graph.inspect`, and all that the command line writes.
"""

from __future__ import annotations

import re
from typing import Any


def printable(text: str) -> str:
    r"""`text` on one line, with control characters as escapes, and with what no encoding has.

    >>> print(printable("a\nb"))
    a\nb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    r"""`text` with its lines and tabs, and other control characters as escapes.

    >>> print(printable_lines("a\n\x1b[2Jb"))
    a
    \x1b[2Jb
    """
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


_LONG_WORD = re.compile(r"\S{1001,}")
"""No path of a usual program is so long, but what a file or a feed holds may be."""


def printable_message(text: str) -> str:
    r"""`printable_lines` with the middle of endless words left out: what data holds may have a million characters.

    >>> print(printable_message("no number: " + "7" * 5000 + ".")[-80:])
    7777777777777777777777777777777 ... (5001 characters) ... 777777777777777777777.
    """
    if len(text) > 1000:
        text = _LONG_WORD.sub(lambda m: f"{m[0][:700]} ... ({len(m[0])} characters) ... {m[0][-22:]}", text)
    return printable_lines(text)


def print_safely(text: object = "", file: Any = None) -> None:
    """Print text with control characters as escapes.

    Args:
        text: what to print.
        file: where to; None for the standard output.
    """
    print(printable_lines(str(text)), file=file)
