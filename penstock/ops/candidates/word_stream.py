"""Random words one after the other, with the distributions of TensorFlow's `SimplePhilox`.

The words are those of consecutive Philox blocks. A draw below a bound rejects the first `2**bits % bound` values, so
that all results are equally likely; how many words it takes depends on them. So draws are made in batches, as if each
word were drawn when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..random.normal_formulas import NUMPY, uniform32, uniform64
from ..random.philox import Position, random_words

AHEAD = 256
"""Words that are made together where fewer are asked for: NumPy takes no longer for them than for one."""

WordSource: TypeAlias = Callable[[Position, int], Any]
"""(place, count) -> a vector of uint32."""


class WordStream:
    """The random words from a place in a stream of blocks.

    Args:
        at: where the words begin.
        source: gives the first words from a place; compiled loops are another one than NumPy.
    """

    __slots__ = ("_ahead", "_at", "_first", "_source", "_used")

    def __init__(self, at: Position, source: WordSource = random_words) -> None:
        self._at = at
        self._source = source
        self._used = 0
        self._ahead: Any = ()
        self._first = 0

    def words(self, count: int) -> Any:
        """The next words, a vector of uint32, which the caller does not change."""
        begin, end = self._used, self._used + count
        self._used = end
        if not self._first <= begin <= end <= self._first + len(self._ahead):
            words = self._source(self._at.skip(begin // 4), max(end - begin // 4 * 4, AHEAD))
            if count >= AHEAD:
                return words[begin % 4 :]
            self._ahead, self._first = words, begin // 4 * 4
        return self._ahead[begin - self._first : end - self._first]

    def _go_back(self, count: int) -> None:
        self._used -= count

    def floats(self, count: int) -> Any:
        """Float32 in [0, 1), one word each."""
        return uniform32(NUMPY, self.words(count))

    def doubles(self, count: int) -> Any:
        """Float64 in [0, 1), two words each."""
        words = self.words(2 * count).astype(np.uint64)
        return uniform64(NUMPY, words[0::2], words[1::2])

    def below(self, bound: int, count: int, bits: int) -> Any:
        """Ints in [0, `bound`), of words of 32 or 64 `bits`; a vector of int64."""
        if not bound & (bound - 1):
            return (self._integers(count, bits) & np.uint64(bound - 1)).astype(np.int64)
        rejected = np.uint64(((1 << bits) - 1) % bound + 1)
        results = np.empty(0, np.uint64)
        while len(results) < count:
            draws = self._integers(count - len(results), bits)  # no more than needed, so that no word is lost
            results = np.concatenate([results, draws[draws >= rejected]])
        return (results % np.uint64(bound)).astype(np.int64)

    def _integers(self, count: int, bits: int) -> Any:
        if bits == 32:
            return self.words(count).astype(np.uint64)
        words = self.words(2 * count).astype(np.uint64)
        return words[0::2] | (words[1::2] << np.uint64(32))

    def share_and_place(self, bound: int, count: int) -> tuple[Any, Any]:
        """Pairs of a float32 in [0, 1), of one word, and an int in [0, `bound`), of the next word that is not rejected.

        Returns:
            Two vectors.
        """
        rejected = 0 if not bound & (bound - 1) else ((1 << 32) - 1) % bound + 1
        shares, places = np.empty(0, np.uint32), np.empty(0, np.uint32)
        while len(shares) < count:
            pairs = self.words(2 * (count - len(shares))).reshape(-1, 2)
            wrong = np.flatnonzero(pairs[:, 1] < rejected)
            good = len(pairs) if not len(wrong) else int(wrong[0])
            shares = np.concatenate([shares, pairs[:good, 0]])
            places = np.concatenate([places, pairs[:good, 1]])
            if good < len(pairs):  # this share keeps its word, and takes the next word that is not rejected
                self._go_back(2 * (len(pairs) - good - 1))
                word = self.words(1)
                while word[0] < rejected:
                    word = self.words(1)
                shares, places = np.append(shares, pairs[good, 0]), np.append(places, word)
        return uniform32(NUMPY, shares), (places % np.uint32(bound)).astype(np.int64)
