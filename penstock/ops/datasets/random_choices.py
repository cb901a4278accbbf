"""Random numbers of datasets: `RandomDataset`, and the choices of `sample_from_datasets`.

TensorFlow draws each choice with a stateless op, whose two seeds are the next numbers of a random dataset: the seeds
are scrambled to a key and a counter, and one double of that stream is compared with the cumulated weights.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.signature import FLOATS, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ..random.philox import Position, random_words
from ..random.random_kernels import doubles
from .dataset_decl import Count, dataset_op
from .random_order import Words
from .streams import DatasetStream, Element, Source, StreamRun

_SCRAMBLER = 0x02461E29_3EC8F720
_Weights = Annotated[TensorLike, Operand("T", FLOATS)]


def scrambled(seed0: int, seed1: int) -> Position:
    """The place in the stream of a stateless random op with these seeds."""
    mix = [int(word) for word in random_words(Position(_SCRAMBLER, seed0 | seed1 << 64), 4)]
    return Position(mix[0] | mix[1] << 32, (mix[2] | mix[3] << 32) << 64)


class RandomNumbers(Source):
    """Random 32-bit words as int64, without end."""

    label = "random numbers"

    def __init__(self, seed: int, seed2: int) -> None:
        self._seeds = seed, seed2

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return RandomWordStream(Words(*(self._seeds if any(self._seeds) else run.drawn_seeds())))


class RandomWordStream(DatasetStream):
    """Random words."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        return (np.array(self._words.next(), np.int64),)


class RandomChoices(Source):
    """Numbers from 0 on, drawn by weights."""

    label = "random choices"

    def __init__(self, seed: int, seed2: int, logits: Any) -> None:
        if logits.ndim != 1 or not len(logits):
            raise InvalidArgumentError(message=f"weights must be a vector, not of shape {list(logits.shape)}")
        self._seeds = seed, seed2
        wide = logits.astype(np.float64)
        finite = np.isfinite(wide)
        powers = np.exp(wide - wide[finite].max()) if finite.any() else wide
        self.totals = np.cumsum(np.where(finite, powers, 0.0))

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return ChoiceStream(Words(*(self._seeds if any(self._seeds) else run.drawn_seeds())), self.totals)


class ChoiceStream(DatasetStream):
    """Random choices."""

    def __init__(self, words: Words, totals: Any) -> None:
        self._words, self._totals = words, totals

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        share = doubles(scrambled(self._words.next(), self._words.next()), 1)[0]
        totals = self._totals
        return (np.array(np.searchsorted(totals, share * totals[-1], side="right"), np.int64),)


@dataset_op("RandomDataset", RandomNumbers)
def random_dataset(seed: Count, seed2: Count, name: str | None = None) -> Tensor:
    """Random numbers."""


@dataset_op("RandomChoiceDataset", RandomChoices)
def random_choice_dataset(seed: Count, seed2: Count, logits: _Weights, name: str | None = None) -> Tensor:
    """Random choices by log-weights."""
