"""`ShapeCache`: what was worked out for the shapes, or the strides, of operands."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, TypeVar

T = TypeVar("T")
KEPT_SHAPES: Final = 64
"""The most combinations that are kept."""


class ShapeCache(dict[Any, T]):
    """The entries of the latest combinations. Several threads may use it."""

    __slots__ = ("_most",)

    def __init__(self, most: int = KEPT_SHAPES) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: Any, entry: T) -> T:
        """Enter one; the oldest one goes when there are too many."""
        self[key] = entry
        with suppress(RuntimeError):  # another thread has just done it
            while len(self) > self._most:
                self.pop(next(iter(self)), None)
        return entry
