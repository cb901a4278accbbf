"""Random words are the same ones however many are drawn at a time."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.ops.candidates.word_stream import AHEAD, WordStream
from penstock.ops.random.philox import Position, random_words

AT = Position(87654321, 5)


@pytest.mark.parametrize(
    "counts",
    [[1] * (3 * AHEAD), [3] * AHEAD, [5, AHEAD - 1, 2, AHEAD, 1, 4 * AHEAD, 1, 1], [AHEAD + 1, 1, 0, 7], [0]],
    ids=["one by one", "by threes", "few and many", "many first", "none"],
)
def test_words_in_pieces_are_those_at_once(counts: list[int]) -> None:
    stream = WordStream(AT)
    pieces = [stream.words(count) for count in counts]
    assert [len(piece) for piece in pieces] == counts
    np.testing.assert_array_equal(np.concatenate(pieces), random_words(AT, sum(counts)))


@pytest.mark.parametrize("back", [1, 9, AHEAD + 3])
def test_words_that_are_given_back_come_again(back: int) -> None:
    stream = WordStream(AT)
    for count in [1] * (AHEAD + 11):
        stream.words(count)
    stream._go_back(back)
    want = random_words(AT, AHEAD + 61)[AHEAD + 11 - back :]
    np.testing.assert_array_equal(np.concatenate([stream.words(50), stream.words(back)]), want)
