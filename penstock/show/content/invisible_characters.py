r"""Escapes for invisible characters: controls, direction marks and others without width.

A name from a file can hold any character. In a picture, a raw direction mark (U+202E and its kind) makes other text run
backwards, and a control moves the cursor of a terminal that prints the file. Every form of picture writes them as
escapes, `\u202e`.
"""

from __future__ import annotations

import re

# Line ends and tabs are not among them: each form of picture treats lines in its own way. Joiners (U+200C, U+200D) are
# letters of several scripts.
_UNSEEN = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0001\U000e0020-\U000e007f]"
)


def visible(text: str) -> str:
    r"""`text` with an escape in place of each invisible character.

    >>> print(visible("a\u202eb\x1b"))
    a\u202eb\x1b
    """
    # Most texts are plain ASCII; the pattern is compiled only when one is not (5 ms).
    return text if text.isascii() and text.isprintable() else re.sub(_UNSEEN, _escape, text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")
