"""Text for a terminal: control characters are shown as escapes, so that a name from a file cannot move the cursor."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""`text` on one line, with control characters as escapes.

    >>> print(printable("a\nb"))
    a\nb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)
