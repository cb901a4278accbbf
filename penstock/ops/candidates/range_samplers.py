"""The distributions of candidate samplers over the classes 0 ... n - 1: how classes are drawn, and how likely each is.

A `RangeSampler` draws from a `WordStream`. `sample_batch` draws a batch, with or without repetition, and computes how
often each class is expected in it. The numbers, and the order in which words are used, are TensorFlow's.
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

import numpy as np

from ...errors import InvalidArgumentError
from .word_stream import WordStream

_LEAST_BATCH: Final = 16
"""Draws more than classes that are made at once where classes must differ."""
_FEW: Final = 1024
"""The most draws that a dictionary tells apart faster than a sort does: of 56, 5 us and 20."""


class RangeSampler(Protocol):
    """A distribution over the classes 0 ... n - 1."""

    def draw(self, stream: WordStream, count: int) -> Any:
        """`count` classes, a vector of int64."""

    def probability(self, classes: Any) -> Any:
        """How likely each class is, float32."""


class UniformSampler:
    """All classes are equally likely."""

    def __init__(self, count: int) -> None:
        self._count = count

    def draw(self, stream: WordStream, count: int) -> Any:
        """Classes of 64-bit draws."""
        return stream.below(self._count, count, 64)

    def probability(self, classes: Any) -> Any:
        """1 / n."""
        return np.full(classes.shape, 1.0 / self._count, np.float32)


class LogUniformSampler:
    """Zipf's distribution: class c has the probability log((c + 2) / (c + 1)) / log(n + 1)."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._log_count = math.log1p(count)

    def draw(self, stream: WordStream, count: int) -> Any:
        """Classes of float64 draws, by the inverse of the distribution function."""
        exponents = stream.doubles(count) * self._log_count
        powers = np.exp(exponents)
        # NumPy's exp may differ from the C library's in the last bit: near a whole number that is another class.
        for place in np.flatnonzero(np.abs(powers - np.rint(powers)) < 1e-12 * powers):
            powers[place] = math.exp(exponents[place])
        return (powers.astype(np.int64) - 1) % self._count

    def probability(self, classes: Any) -> Any:
        """See the class."""
        return (np.log((classes + 2.0) / (classes + 1.0)) / self._log_count).astype(np.float32)


class UnigramSampler:
    """Class c has the probability weights[c] / sum(weights), with weights that are ints.

    Args:
        weights: a vector of int64.
    """

    def __init__(self, weights: Any) -> None:
        self._weights = weights
        self._ends = np.cumsum(weights)

    def draw(self, stream: WordStream, count: int) -> Any:
        """Classes of 32-bit draws below the sum of the weights."""
        return np.searchsorted(self._ends, stream.below(int(self._ends[-1]), count, 32), side="right")

    def probability(self, classes: Any) -> Any:
        """See the class."""
        return self._weights[classes].astype(np.float32) / np.float32(self._ends[-1])


class FixedUnigramSampler:
    """Class c has the probability weights[c] / sum(weights): Walker's alias method.

    Each class has a bucket, in which it has a share, and another class, the alias, the rest. A draw takes a bucket,
    then one of the two.

    Args:
        weights: a vector of float32.

    Attributes:
        count: how many classes there are.
        positive_count: how many of them can be drawn.
    """

    def __init__(self, weights: Any) -> None:
        self._weights = weights
        total = np.float32(0)
        for weight in weights:  # TensorFlow adds them up one by one
            total += weight
        self._total = total
        self._shares, self._aliases = _alias_table(weights)
        self.count = len(weights)
        self.positive_count = int(np.count_nonzero(weights))

    def draw(self, stream: WordStream, count: int) -> Any:
        """Classes of a float32 and a 32-bit draw each."""
        shares, buckets = stream.share_and_place(len(self._weights), count)
        return np.where(shares < self._shares[buckets], buckets, self._aliases[buckets])

    def probability(self, classes: Any) -> Any:
        """See the class."""
        return self._weights[classes] / self._total


def _alias_table(weights: Any) -> tuple[Any, Any]:
    """The share that each class has in its bucket, and the other class in it."""
    count = len(weights)
    parts: list[float] = ((weights * np.float32(count)).astype(np.float64) / _running_sum(weights)).tolist()
    aliases = list(range(count))
    low = [i for i in range(count) if parts[i] < 1.0]
    high = [i for i in range(count) if not parts[i] < 1.0]
    while high and low:
        smaller, larger = low.pop(), high.pop()
        aliases[smaller] = larger
        parts[larger] -= 1.0 - parts[smaller]
        (low if parts[larger] < 1.0 else high).append(larger)
    for i in (*high, *low):  # rounding has left them: they are as good as 1
        parts[i], aliases[i] = 1.0, i
    return np.array(parts, np.float32), np.array(aliases, np.int64)


def _running_sum(weights: Any) -> float:
    total = 0.0
    for weight in weights.tolist():
        total += weight
    return total


_MOST_KEPT: Final = 16
_kept: dict[tuple[Any, ...], tuple[tuple[float, ...], FixedUnigramSampler]] = {}
"""Samplers by the identity of their list: to hash 100,000 weights takes 1 ms. The list is kept, so that no other one
gets its identity."""


def fixed_unigram_sampler(
    weights: tuple[float, ...], distortion: float, reserved: int, shards: int, shard: int
) -> FixedUnigramSampler:
    """The sampler of the unigrams of one shard, made once.

    Args:
        weights: the unigrams of all shards.
        distortion: the exponent of each.
        reserved: how many classes before them have the weight 0.
        shards: how many shards there are; class c belongs to shard c % shards.
        shard: which of them.
    """
    key = id(weights), distortion, reserved, shards, shard
    kept = _kept.get(key)
    if kept is None:
        while len(_kept) >= _MOST_KEPT:
            _kept.pop(next(iter(_kept)), None)
        kept = _kept[key] = weights, _sampler_of(weights, distortion, reserved, shards, shard)
    return kept[1]


def _sampler_of(
    weights: tuple[float, ...], distortion: float, reserved: int, shards: int, shard: int
) -> FixedUnigramSampler:
    own = [0.0 for i in range(reserved) if i % shards == shard]
    first = len(own)  # as TensorFlow counts them: from the reserved classes of this shard
    chosen = [weight for i, weight in enumerate(weights, first) if i % shards == shard]
    powers = np.power(np.array(chosen, np.float32), np.float32(distortion), dtype=np.float32)
    return FixedUnigramSampler(np.concatenate([np.array(own, np.float32), powers]))


def sample_batch(sampler: RangeSampler, stream: WordStream, count: int, unique: bool) -> tuple[Any, int]:
    """A batch of classes.

    Args:
        sampler: their distribution.
        stream: where its words come from.
        count: how many; if `unique`, not more than have a probability above 0.
        unique: whether they all differ: a class that was drawn before is drawn again.

    Returns:
        A vector of int64, and how many draws were made.
    """
    if not unique:
        return sampler.draw(stream, count), count
    draws = sampler.draw(stream, count + count // 4 + _LEAST_BATCH)  # some are drawn again
    if len(draws) <= _FEW:
        values = draws.tolist()
        different = list(dict.fromkeys(values))[:count]
        if len(different) == count:
            return np.array(different, np.int64), values.index(different[-1]) + 1
    while True:
        firsts = np.sort(np.unique(draws, return_index=True)[1])
        if len(firsts) >= count:
            return draws[firsts[:count]], int(firsts[count - 1]) + 1
        if len(draws) > (1 << 31) - 1:
            raise InvalidArgumentError(message=f"{count} different classes were not found in {len(draws)} draws")
        draws = np.concatenate([draws, sampler.draw(stream, len(draws))])


def expected_counts(probabilities: Any, count: int, draws: int) -> Any:
    """How often classes are expected in a batch of `count` classes that took so many `draws`, float32.

    Each draw counts as independent of the others: 1 - (1 - p) ** draws, where classes were drawn again.
    """
    if draws == count:
        return probabilities * np.float32(count)
    return -np.expm1(np.float32(draws) * np.log1p(-probabilities))
