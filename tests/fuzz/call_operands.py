"""Operands of random calls: every dtype, unusual numbers, sizes of zero, and every way in which an array comes in.

An operand is a constant, an array or list that the call converts itself, or a placeholder whose shape is known,
known in part or not known, fed with an array that may be strided, reversed, transposed or of the other byte order, or
a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Rng = np.random.RandomState

FLOATS = ("float16", "float32", "float64")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16")
COMPLEX = ("complex64", "complex128")
UNUSUAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 1e-30, -1e30)


class Operands:
    """Draws operands for one call of `tf` and keeps what to feed."""

    def __init__(self, tf: Any, rng: Rng) -> None:
        self.tf = tf
        self.rng = rng
        self.feeds: dict[Any, Any] = {}
        self.direct = True
        """Whether some operands are arrays that the call converts itself."""
        self.before: list[Any] = []
        """What runs before, one after another."""

    def pick(self, *choices: Any) -> Any:
        """One of `choices`."""
        return choices[self.rng.randint(len(choices))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return bool(self.rng.rand() < probability)

    def sizes(self, lowest: int = 0, highest: int = 3, zero: float = 0.1) -> list[int]:
        """Sizes of an array with `lowest` to `highest` dimensions, each zero with the probability `zero`."""
        rank = self.rng.randint(lowest, highest + 1)
        return [0 if self.chance(zero) else int(self.rng.randint(1, 5)) for _ in range(rank)]

    def array(
        self, sizes: Sequence[int], dtype: str, low: float = -3.0, high: float = 3.0, unusual: float = 0.0
    ) -> Any:
        """Numbers from `low` to `high`; with the probability `unusual` some are NaN, infinite, zeros of both signs."""
        rng = self.rng
        if dtype == "bool":
            return rng.rand(*sizes) < 0.5 if sizes else np.bool_(rng.rand() < 0.5)
        if dtype in INTS or dtype.startswith(("int", "uint")):
            ends = np.iinfo(dtype)
            numbers = np.asarray(rng.randint(max(int(low), ends.min), min(int(high), ends.max) + 1, sizes))
            numbers = numbers.astype(dtype)
            if self.chance(unusual) and numbers.size:
                numbers.flat[rng.randint(numbers.size)] = self.pick(ends.min, ends.max)
            return numbers
        numbers = np.asarray(rng.uniform(low, high, sizes))
        if self.chance(0.3):
            numbers = np.round(numbers)
        if dtype in COMPLEX:
            return (numbers + 1j * rng.uniform(low, high, sizes)).astype(dtype)
        if self.chance(unusual) and numbers.size:
            for _ in range(rng.randint(1, 4)):
                numbers.flat[rng.randint(numbers.size)] = self.pick(*UNUSUAL)
        with np.errstate(over="ignore"):
            return numbers.astype(dtype)

    def operand(self, array: Any, direct: bool = True, known: bool = False) -> Any:
        """`array` in one of the ways of this module: maybe itself if `direct`, of known shape if `known`."""
        array = np.asarray(array)
        way = self.rng.randint(6 if direct and self.direct else 5)
        if way < 2:
            return self.tf.constant(array)
        if way < 5:
            shapes = (
                None,
                array.shape,
                [None] * array.ndim,
                [size if self.chance(0.5) else None for size in array.shape],
            )
            place = self.tf.placeholder(self.tf.as_dtype(array.dtype), shapes[1 if known else self.rng.randint(4)])
            self.feeds[place] = self._layout(array)
            return place
        return array

    def draw(
        self,
        sizes: Sequence[int],
        dtype: str,
        low: float = -3.0,
        high: float = 3.0,
        unusual: float = 0.0,
        known: bool = False,
    ) -> Any:
        """An operand of these sizes."""
        return self.operand(self.array(sizes, dtype, low, high, unusual), known=known)

    def axis(self, rank: int) -> int:
        """A dimension, counted from either end, now and then one that is not there."""
        if self.chance(0.02):
            return int(self.pick(rank, -rank - 1))
        return int(self.rng.randint(-rank, rank)) if rank else 0

    def _layout(self, array: Any) -> Any:
        way = self.rng.randint(7)
        if way == 0 and array.dtype.kind in "ifc" and array.dtype.isnative:
            return array.astype(array.dtype.newbyteorder())
        if way == 1 and array.ndim:
            wide = np.repeat(array, 2, -1)
            return wide[..., ::2]
        if way == 2 and array.ndim:
            return array[::-1].copy()[::-1]
        if way == 3 and array.ndim:
            return np.asfortranarray(array)
        if way == 4 and array.size and array.dtype.kind not in "OSV":
            return array.tolist()
        if way == 5:
            array = array.copy()
            array.setflags(write=False)
        return array
