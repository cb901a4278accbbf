"""The memory layout of Python's bytes objects, as loops read it."""

from __future__ import annotations

import ctypes
from functools import cache


@cache
def layout_of_bytes() -> tuple[int, int, int] | None:
    """The offsets of type, length and first character in a bytes object; None if the layout is not as expected."""
    size_at = object.__basicsize__
    layout = size_at - ctypes.sizeof(ctypes.c_void_p), size_at, bytes.__basicsize__ - 1
    for text in (b"", b"7", b"-12.50", bytes(range(256)) * 20):
        found = (
            ctypes.c_void_p.from_address(id(text) + layout[0]).value,
            ctypes.c_ssize_t.from_address(id(text) + layout[1]).value,
            ctypes.string_at(id(text) + layout[2], len(text) + 1),
        )
        if found != (id(bytes), len(text), text + b"\0"):
            return None
    return layout
