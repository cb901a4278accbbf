"""The memory that values keep alive, each piece of it counted once.

A view counts as the whole array that it is a part of, a string as its text, a TensorArray as its elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from sys import getsizeof
from typing import Any

import numpy as np

from ...ops.tensor_array.array_elements import Elements

OBJECT = 112
"""The bytes of an array object without its data."""


class HeldMemory:
    """The pieces of memory that were counted."""

    def __init__(self, other: HeldMemory | None = None) -> None:
        """Nothing, or what another one has counted."""
        self._seen: set[int] = set() if other is None else set(other._seen)

    def is_new(self, piece: object) -> bool:
        """Whether an object was not counted; it counts from now on."""
        if id(piece) in self._seen:
            return False
        self._seen.add(id(piece))
        return True

    def add(self, values: Iterable[Any]) -> int:
        """The bytes of values that were not counted; they are from now on."""
        return sum([self._added(value) for value in values])

    def _added(self, value: Any) -> int:
        if not self.is_new(value):
            return 0
        total, owner = OBJECT, value
        while hasattr(base := getattr(owner, "base", None), "nbytes"):
            owner = base
        if owner is not value and not self.is_new(owner):
            return total
        total += int(owner.nbytes)
        if isinstance(owner, np.ndarray) and owner.dtype.hasobject:
            total += self._inside(owner)
        return total

    def _inside(self, array: Any) -> int:
        """The bytes of the strings or variants in an array."""
        if array.dtype.kind == "O":
            return sum(map(getsizeof, array.flat))
        total = 0
        for (content,) in array.reshape(-1).tolist():
            if isinstance(content, Elements):
                for each in content.history():
                    if id(each) in self._seen:  # and so is what was written before
                        break
                    total += self._added(each)
            elif content is not None:
                total += self._added(content)
        return total
