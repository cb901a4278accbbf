"""Checkpoints that say which one they are; processes that only write them need not import what tests need."""

from __future__ import annotations

import numpy as np

from penstock.interchange.checkpoints.bundle_writer import NamedArray


def arrays(number: int, size: int = 40) -> list[NamedArray]:
    """A checkpoint of which every element says which one it is."""
    strings = np.empty(3, object)
    strings[:] = str(number).encode()
    return [NamedArray("a", np.full(size, number, "i8")), NamedArray("b/c", np.full((3, 5), number, "f4")),
            NamedArray("s", strings)]  # fmt: skip
