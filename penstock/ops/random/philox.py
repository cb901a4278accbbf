"""Philox 4x32-10: random words as a pure function of a key and a counter (Salmon et al., SC 2011).

A *block* is four 32-bit words, made of a 64-bit key and a 128-bit counter in ten rounds. The counters of consecutive
blocks are consecutive. A random op of a session has a stream: its key is the graph's part of its seeds, and its counter
begins at the op's part times 2**64. A `Position` is a place in a stream.

The kernels of `ops.random.random_nodes` call these functions; compiled loops (`runtime.kernels.loops.random_loops`)
compute the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass

MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS: Final = (0x9E3779B9, 0xBB67AE85)
ROUNDS: Final = 10
MASK32: Final = (1 << 32) - 1
MASK64: Final = (1 << 64) - 1
MASK128: Final = (1 << 128) - 1

_CHUNK: Final = 1 << 13
"""Blocks that are computed at once: their eight arrays of 64 KiB stay in the second cache."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a stream of random blocks.

    Attributes:
        key: 64 bits.
        counter: 128 bits, the number of the block.
        memory: what the op has kept of its earlier calls in the session, if its declaration has a `remembers_rule`: an
            array that is never changed in place. None before the first call, and for other ops.
    """

    key: int
    counter: int
    memory: Any = field(default=None, repr=False, compare=False)

    def skip(self, blocks: int) -> Position:
        """The place that many blocks later.

        Args:
            blocks: how many blocks.

        Returns:
            A `Position`.

        >>> from penstock.extend import Position
        >>> Position(key=7, counter=5).skip(3)
        Position(key=7, counter=8)
        """
        return Position(self.key, (self.counter + blocks) & MASK128)


def stream_start(seed: int, seed2: int) -> Position:
    """Where the stream of a pair of seeds begins."""
    return Position(seed & MASK64, (seed2 & MASK64) << 64)


def blocks(at: Position, numbers: Any) -> tuple[Any, Any, Any, Any]:
    """The four words of each of the blocks that many places after `at`, as vectors of uint64.

    Args:
        at: a place in the stream.
        numbers: a vector of uint64.
    """
    low = numbers + np.uint64(at.counter & MASK64)  # wraps
    high = np.uint64(at.counter >> 64) + (low < numbers)  # the carry
    mask, shift = np.uint64(MASK32), np.uint64(32)
    x0, x1, x2, x3 = low & mask, low >> shift, high & mask, high >> shift
    a, b = map(np.uint64, MULTIPLIERS)
    key0, key1 = at.key & MASK32, at.key >> 32
    for _ in range(ROUNDS):
        p0, p1 = x0 * a, x2 * b
        x0, x1 = (p1 >> shift) ^ x1 ^ np.uint64(key0), p1 & mask
        x2, x3 = (p0 >> shift) ^ x3 ^ np.uint64(key1), p0 & mask
        key0, key1 = (key0 + KEY_STEPS[0]) & MASK32, (key1 + KEY_STEPS[1]) & MASK32
    return x0, x1, x2, x3


def chunks(count: int) -> Iterator[tuple[int, Any]]:
    """(first, numbers first, first + 1 ... as uint64) for parts of range(count) that stay in the cache."""
    for first in range(0, count, _CHUNK):
        yield first, np.arange(first, min(first + _CHUNK, count), dtype=np.uint64)


def random_words(at: Position, count: int) -> Any:
    """The first 32-bit words from a place in a stream of random blocks.

    Args:
        at: what the kernel of an op with a `draws` rule receives.
        count: how many.

    Returns:
        A vector of uint32.

    >>> from penstock.extend import Position, random_words
    >>> random_words(Position(key=87654321, counter=0), 3)
    array([ 361556241, 1459367533, 3832325198], dtype=uint32)
    """
    found = np.empty((-(-count // 4), 4), np.uint32)
    for first, numbers in chunks(len(found)):
        for i, each in enumerate(blocks(at, numbers)):
            found[first : first + len(numbers), i] = each
    return found.reshape(-1)[:count]
