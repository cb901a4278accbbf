"""Shuffling: elements in random order, with the numbers that TensorFlow has for the same seeds.

A buffer holds the next elements of the input. Each step takes one of them, at the place of the next random number
modulo their count, and moves the first one there. The numbers of a pass come from a Philox stream; each pass has a pair
of seeds of its own, drawn from the stream of the dataset's seeds, if it is to be shuffled anew each time.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ..random.philox import random_words, stream_start
from .row_streams import Rows, RowStream, count_of, numbers_of
from .streams import Element, Source, Stream, StreamRun

_WORDS = 1 << 12
"""Random words that are computed at once, after a first few."""


class Words:
    """The 32-bit words of a Philox stream, one after the other."""

    __slots__ = ("_at", "_next_block", "_size", "_words")

    def __init__(self, seed: int, seed2: int) -> None:
        self._at = stream_start(seed, seed2)
        self._words: list[int] = []  # the next one last
        self._size = 64

    def next(self) -> int:
        """The next word."""
        if not self._words:
            self._fill()
        return self._words.pop()

    def several(self, count: int) -> list[int]:
        """The next words."""
        while len(self._words) < count:
            self._fill()
        found = self._words[: -count - 1 : -1]
        del self._words[len(self._words) - count :]
        return found

    def _fill(self) -> None:
        fresh = random_words(self._at, self._size)
        self._at = self._at.skip(self._size // 4)
        self._words = fresh[::-1].tolist() + self._words
        self._size = min(4 * self._size, _WORDS)


class PassSeeds:
    """The seeds of the passes over one shuffled dataset."""

    def __init__(self, seed: int, seed2: int, each_time: bool) -> None:
        self._first = seed, seed2
        self._words = Words(seed, seed2) if each_time else None

    def next(self) -> tuple[int, int]:
        """The seeds of the next pass."""
        return self._first if self._words is None else (self._words.next(), self._words.next())


class Buffer:
    """Elements of any kind, from which one is taken at random at a time."""

    __slots__ = ("_end", "_items", "_size", "_start", "_words")

    def __init__(self, size: int, words: Words) -> None:
        self._size = size
        self._items: list[Any] = []
        self._start = self._end = 0
        self._words = words

    @property
    def room(self) -> int:
        """How many elements may be put in."""
        return self._size - (self._end - self._start)

    def put(self, items: list[Any]) -> None:
        """Put elements in; there is room for them."""
        held, size = self._items, self._size
        if self._end + len(items) <= size:
            held.extend(items)
            self._end += len(items)
            return
        for item in items:
            place = self._end % size
            if place == len(held):
                held.append(item)
            else:
                held[place] = item
            self._end += 1

    def drawn(self, count: int) -> list[Any]:
        """Take elements out; there are as many."""
        items, size, start, end = self._items, self._size, self._start, self._end
        found = []
        for word in self._words.several(count):
            first = start % size
            place = (start + word % (end - start)) % size
            found.append(items[place])
            items[place] = items[first]
            items[first] = None
            start += 1
        self._start = start
        return found

    def exchanged(self, items: list[Any]) -> list[Any]:
        """Put elements into the full buffer, each after one was taken out; what was taken."""
        held, size, start = self._items, self._size, self._start
        found = []
        for word, item in zip(self._words.several(len(items)), items, strict=True):
            first = start % size
            place = (start + word % size) % size
            found.append(held[place])
            held[place] = held[first]
            held[first] = item
            start += 1
        self._start = start
        self._end += len(items)
        return found

    @property
    def held(self) -> int:
        """How many elements are in it."""
        return self._end - self._start


class ShuffledStream(Stream):
    """Elements in random order."""

    def __init__(self, inner: Stream, size: int, words: Words) -> None:
        self._inner = inner
        self._buffer = Buffer(size, words)
        self._has_more = True

    def next(self) -> Element | None:
        """See `Stream`."""
        buffer = self._buffer
        if self._has_more and buffer.room:
            fresh = list(islice(self._inner, buffer.room))
            self._has_more = not buffer.room - len(fresh)
            buffer.put(fresh)
        return buffer.drawn(1)[0] if buffer.held else None

    def close(self) -> None:
        """See `Stream`."""
        self._inner.close()


class ShuffledRows(RowStream):
    """Rows in random order."""

    def __init__(self, inner: RowStream, size: int, words: Words) -> None:
        super().__init__(inner.components)
        self._inner = inner
        self._buffer = Buffer(size, words)
        self._has_more = True

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        buffer = self._buffer
        found: list[Any] = []
        while len(found) < count:
            if self._has_more and (buffer.room > 1 or not buffer.held):
                wanted = buffer.room
                fresh = self._inner.take(wanted)
                self._has_more = count_of(fresh) == wanted
                buffer.put(numbers_of(fresh).tolist())
            if not buffer.held:
                break
            if not self._has_more:
                found += buffer.drawn(min(count - len(found), buffer.held))
                continue
            # The buffer is full, or was when the last element left: each further one is taken before one comes in.
            if buffer.room:
                fresh = self._inner.take(1)
                self._has_more = count_of(fresh) == 1
                buffer.put(numbers_of(fresh).tolist())
                if not self._has_more:
                    continue
            wanted = count - len(found) - 1
            fresh = self._inner.take(wanted) if wanted else slice(0, 0)
            found += buffer.exchanged(numbers_of(fresh).tolist())
            self._has_more = count_of(fresh) == wanted
            if self._has_more:
                found += buffer.drawn(1)
        return np.array(found, np.int64)

    def close(self) -> None:
        """See `Stream`."""
        self._inner.close()


class Shuffle(Source):
    """`shuffle`: elements in random order, from a buffer of `size`."""

    def __init__(self, inner: Source, size: int, seed: int, seed2: int, each_time: bool) -> None:
        self._inner, self._size = inner, size
        self._given = seed, seed2
        self._each_time = each_time

    def stream(self, run: StreamRun) -> Stream:
        """See `Source`."""
        seeds = run.kept.get(self)
        if seeds is None:
            seeds = PassSeeds(*(self._given if any(self._given) else run.drawn_seeds()), self._each_time)
            run.kept[self] = seeds
        words = Words(*seeds.next())
        inner = self._inner.stream(run)
        kind = ShuffledRows if isinstance(inner, RowStream) else ShuffledStream
        return kind(inner, self._size, words)  # type: ignore[arg-type]  # the kind fits the stream
