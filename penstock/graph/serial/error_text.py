"""Texts of errors about files, which may hold names of any length and any character."""

from __future__ import annotations

from typing import Any


def brief(error: Exception) -> str:
    """The text of an error, at most 400 characters of it: messages hold names, and a file can have very long ones.

    Of several lines those stay that fit as a whole, the first one always.
    """
    text = str(error)
    if len(text) <= 400:
        return text
    end = text.rfind("\n", 0, 401)
    return text[:end].rstrip(" ^\n") if end > 0 else text[:397] + "..."  # without a mark below a line


def short(value: Any) -> str:
    """A value for the text of an error: one line of ASCII, at most 80 characters."""
    text = ascii(value) if not isinstance(value, (dict, list)) else f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."
