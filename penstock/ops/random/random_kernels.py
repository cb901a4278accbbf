"""Random numbers from a place in a stream, in NumPy: uniform, normal and truncated normal floats, uniform ints.

Each function gives the first `count` numbers of a distribution from a `Position`. Which words make which number is
TensorFlow's rule for its kernels on a CPU: a *group* of outputs takes one block of four words, in order. A float64 or
int64 takes two words. Groups of truncated normal numbers take as many blocks as it needs until enough candidates are
small; so that they do not depend on each other, the first block of a group is a fixed number of blocks after that of
the group before.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.shapes.dtypes import DType, bfloat16, float16, float64
from .normal_formulas import NUMPY, normal_pair32, normal_pair64, uniform32, uniform64
from .philox import Position, blocks, chunks, random_words

WORD_FLOPS: Final = 20
"""Operations of a random word, a quarter of a block: ten rounds of two products, four XORs and two sums."""
UNIFORM_FLOPS: Final = WORD_FLOPS + 1
NORMAL_FLOPS: Final = UNIFORM_FLOPS + (3 * TRANSCENDENTAL + 4) // 2
"""Of a pair of normal numbers: a log, a sine, a cosine, a root, three products."""
TRUNCATED_FLOPS: Final = NORMAL_FLOPS + 3
"""One in 22 is drawn again."""
RESERVED: Final = 256
"""Blocks that TensorFlow sets aside for each number of any distribution."""
TRUNCATED_AT: Final = 2.0


def uniform(at: Position, count: int, dtype: DType) -> Any:
    """Floats in [0, 1)."""
    if dtype is float64:
        return doubles(at, count)
    found = random_words(at, count)
    if dtype is float16:
        return ((found & 0x3FF).astype(np.float32) * np.float32(2.0**-10)).astype(dtype.np)
    if dtype is bfloat16:
        return ((found & 0x7F).astype(np.float32) * np.float32(2.0**-7)).astype(dtype.np)
    return uniform32(NUMPY, found)


def doubles(at: Position, count: int) -> Any:
    """Float64 in [0, 1), two of each block."""
    found = np.empty((-(-count // 2), 2))
    for first, numbers in chunks(len(found)):
        found[first : first + len(numbers)] = pairs_of_doubles(at, numbers)
    return found.reshape(-1)[:count]


def pairs_of_doubles(at: Position, numbers: Any) -> Any:
    """The two float64 in [0, 1) of each of these blocks."""
    w0, w1, w2, w3 = blocks(at, numbers)
    return np.stack([uniform64(NUMPY, w0, w1), uniform64(NUMPY, w2, w3)], axis=1)


def uniform_int(at: Position, count: int, low: int, high: int, dtype: Any) -> Any:
    """Ints in [low, high): the remainder of a word, or of two, divided by the number of values."""
    if dtype.itemsize == 4:
        draws = random_words(at, count)
    else:
        found = random_words(at, 2 * count).astype(np.uint64)
        draws = found[0::2] | (found[1::2] << np.uint64(32))
    unsigned = draws.dtype.type
    wrapped: Any = np.array(low, dtype).view(unsigned)[()]
    return (draws % unsigned(high - low) + wrapped).view(dtype)


def normal(at: Position, count: int, dtype: DType) -> Any:
    """Normal floats of mean 0 and deviation 1."""
    per_block = 2 if dtype is float64 else 4
    found = np.empty(-(-count // per_block) * per_block, np.float64 if dtype is float64 else np.float32)
    for first, numbers in chunks(len(found) // per_block):
        found[per_block * first : per_block * (first + len(numbers))] = normal_block(at, numbers, dtype).reshape(-1)
    return found[:count].astype(dtype.np, copy=False)


def normal_block(at: Position, numbers: Any, dtype: DType) -> Any:
    """The normal numbers of each of these blocks: rows of two float64, or of four float32 for other dtypes."""
    w0, w1, w2, w3 = blocks(at, numbers)
    if dtype is float64:
        return np.stack(normal_pair64(NUMPY, w0, w1, w2, w3), axis=1)
    return np.stack([*normal_pair32(NUMPY, w0, w1), *normal_pair32(NUMPY, w2, w3)], axis=1)


def truncated_normal(at: Position, count: int, dtype: DType) -> Any:
    """Normal floats of mean 0 and deviation 1, without those whose magnitude is 2 or more."""
    size = 2 if dtype is float64 else 4
    groups = -(-count // size)
    found = np.empty((groups, size), np.float64 if dtype is float64 else np.float32)
    for first, numbers in chunks(groups):
        found[first : first + len(numbers)] = _truncated_groups(at, numbers, size, dtype)
    return found.reshape(-1)[:count].astype(dtype.np, copy=False)


def _truncated_groups(at: Position, numbers: Any, size: int, dtype: DType) -> Any:
    groups = np.empty((len(numbers), size), np.float64 if dtype is float64 else np.float32)
    have = np.zeros(len(numbers), np.int64)
    open_ = np.arange(len(numbers))
    at_block = numbers * np.uint64(blocks_of_group(size))
    while len(open_):
        candidates = normal_block(at, at_block[open_], dtype)
        taken = np.abs(candidates) < TRUNCATED_AT
        place = have[open_, None] + np.cumsum(taken, axis=1) - 1
        taken &= place < size
        row, column = np.nonzero(taken)
        groups[open_[row], place[row, column]] = candidates[row, column]
        have[open_] += taken.sum(axis=1)
        at_block[open_] += np.uint64(1)
        open_ = open_[have[open_] < size]
    return groups


def blocks_of_group(size: int) -> int:
    """How many blocks lie between the first blocks of two groups of truncated normal numbers."""
    return size * RESERVED // 4
