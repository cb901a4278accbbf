"""Text for a terminal: control characters are shown as escapes, so that a name from a file cannot move the cursor.

What prints a name that may come from a file gets it through here: errors and warnings, the tables and reports of
`graph.inspect`, and all that the command line writes.
"""

from __future__ import annotations

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


def print_safely(text: object = "", file: Any = None) -> None:
    """Print text with control characters as escapes.

    Args:
        text: what to print.
        file: where to; None for the standard output.
    """
    print(printable_lines(str(text)), file=file)
