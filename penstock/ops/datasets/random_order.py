"""Shuffling: elements in random order, with the numbers that TensorFlow has for the same seeds.

A buffer holds the next elements of the input. Each step takes one of them, at the place of the next random number
modulo their count, and moves the first one there. The numbers of a pass come from a Philox stream; each pass has a pair
of seeds of its own, drawn from the stream of the dataset's seeds, if it is to be shuffled anew each time.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ...graph.common.hooks import hooks
from ..random.philox import MASK64, Position, random_words, stream_start
from .row_streams import Rows, RowStream, numbers_of
from .streams import DatasetStream, Element, Source, StreamRun

_WORDS = 1 << 12
"""Random words that are computed at once, after a first few."""
_STRIP = 64
"""Words that a compiled loop makes at least."""
_CALL = 1 << 14
"""The words in whose time NumPy makes a few: 0.1 ms."""


class Words:
    """The 32-bit words of a Philox stream, one after the other."""

    __slots__ = ("_at", "_block", "_place", "_size")

    def __init__(self, seed: int, seed2: int) -> None:
        self._at = stream_start(seed, seed2)
        self._size = _STRIP
        self._block, self._place = np.empty(0, np.uint32), 0

    def next(self) -> int:
        """The next word."""
        return int(self.array(1)[0])

    def array(self, count: int) -> Any:
        """The next words, as a vector of uint32."""
        missing = self._place + count - len(self._block)
        if missing > 0:
            size = max(self._size, -(-missing // _STRIP) * _STRIP)
            self._block = np.concatenate([self._block[self._place :], _words(self._at, size)])
            self._at, self._place = self._at.skip(size // 4), 0
            self._size = min(4 * self._size, _WORDS)
        self._place += count
        return self._block[self._place - count : self._place]


def _words(at: Position, count: int) -> Any:
    loop = hooks.compiled_loop("random_uniform", "u4", work=count + _CALL)
    if loop is None:
        return random_words(at, count)
    out = np.empty(count, np.uint32)
    loop(out, at.key, at.counter & MASK64, at.counter >> 64, 0, count // _STRIP)
    return out


class PassSeeds:
    """The seeds of the passes over one shuffled dataset."""

    def __init__(self, seed: int, seed2: int, each_time: bool) -> None:
        self._first = seed, seed2
        self._words = Words(seed, seed2) if each_time else None

    def next(self) -> tuple[int, int]:
        """The seeds of the next pass."""
        return self._first if self._words is None else (self._words.next(), self._words.next())


class ShuffleBuffer:
    """Elements of any kind, from which one is taken at random at a time."""

    __slots__ = ("_end", "_items", "_start", "_words", "size")

    def __init__(self, size: int, words: Words) -> None:
        self.size = size
        self._items: list[Any] = []
        self._start = self._end = 0
        self._words = words

    @property
    def room(self) -> int:
        """How many elements may be put in."""
        return self.size - (self._end - self._start)

    def put(self, items: list[Any]) -> None:
        """Put elements in; there is room for them."""
        held, size = self._items, self.size
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
        items, size, start, end = self._items, self.size, self._start, self._end
        found = []
        for word in self._words.array(count).tolist():
            first = start % size
            place = (start + word % (end - start)) % size
            found.append(items[place])
            items[place] = items[first]
            items[first] = None
            start += 1
        self._start = start
        return found

    @property
    def held(self) -> int:
        """How many elements are in it."""
        return self._end - self._start


class ShuffledStream(DatasetStream):
    """Elements in random order."""

    def __init__(self, inner: DatasetStream, size: int, words: Words) -> None:
        self._inner = inner
        self._buffer = ShuffleBuffer(size, words)
        self._has_more = True

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        buffer = self._buffer
        if self._has_more and (room := buffer.room):
            fresh: list[Any] = []
            try:
                fresh.extend(islice(self._inner, room))
                self._has_more = len(fresh) == room
            finally:  # an element that fails takes none of those before it away
                buffer.put(fresh)
        return buffer.drawn(1)[0] if buffer.held else None

    def level(self) -> tuple[int, int] | None:
        """See `DatasetStream`."""
        return self._buffer.held, self._buffer.size


class RowBuffer(ShuffleBuffer):
    """Numbers of rows, from which some are taken at random at a time."""

    __slots__ = ("_numbers",)

    def __init__(self, size: int, words: Words) -> None:
        super().__init__(size, words)
        self._numbers = np.empty(0, np.int64)

    def put_rows(self, rows: Any) -> None:
        """`put` of a vector."""
        first = self._room_for(len(rows))
        head = min(len(rows), self.size - first)
        self._numbers[first : first + head] = rows[:head]
        self._numbers[: len(rows) - head] = rows[head:]
        self._end += len(rows)

    def _room_for(self, count: int) -> int:
        """Where the next row goes; the memory grows until it holds `size` rows."""
        before, end, size = self._numbers, self._end, self.size
        if end + count > len(before) and len(before) < size:
            self._numbers = np.empty(min(size, max(2 * len(before), end + count)), np.int64)
            self._numbers[: len(before)] = before
        return end % size

    def drawn_rows(self, count: int, fresh: Any = None) -> Any:
        """Take rows out; before each, one of as many fresh rows comes in."""
        out = np.empty(count, np.int64)
        if fresh is not None:
            self._room_for(1)
        loop = hooks.compiled_loop("shuffle_buffer", work=count)
        if loop is None:
            self._draw_in_python(out, fresh)
        else:
            comes = 0 if fresh is None else 1 << 62
            items = out if fresh is None else np.ascontiguousarray(fresh)
            loop(out, self._numbers, self._words.array(count), items, count, self._start % self.size,
                 self._end - self._start, self.size | comes)  # fmt: skip
        self._start += count
        self._end += 0 if fresh is None else count
        return out

    def _draw_in_python(self, out: Any, fresh: Any) -> None:
        held, size = self._numbers, self.size
        start, end = self._start, self._end
        items = None if fresh is None else fresh.tolist()
        for i, word in enumerate(self._words.array(len(out)).tolist()):
            if items is not None:
                held[end % size] = items[i]
                end += 1
            first = start % size
            place = (start + word % (end - start)) % size
            out[i] = held[place]
            held[place] = held[first]
            start += 1


class ShuffledRows(RowStream):
    """Rows in random order."""

    def __init__(self, inner: RowStream, size: int, words: Words) -> None:
        super().__init__(inner.components)
        self._inner = inner
        self._buffer = RowBuffer(size, words)
        self._has_more = True

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        buffer = self._buffer
        if self._has_more:
            while (room := buffer.room - 1) and self._has_more:  # the last place is that of one that comes as one goes
                fresh = numbers_of(self._inner.some(room))
                self._has_more = len(fresh) > 0
                buffer.put_rows(fresh)
            fresh = numbers_of(self._inner.some(count)) if self._has_more else ()
            if len(fresh):
                return buffer.drawn_rows(len(fresh), fresh)
            self._has_more = False
        return buffer.drawn_rows(min(count, buffer.held))

    def level(self) -> tuple[int, int] | None:
        """See `DatasetStream`."""
        return self._buffer.held, self._buffer.size


class Shuffle(Source):
    """`shuffle`: elements in random order, from a buffer of `size`."""

    label = "shuffle"
    is_repeated_as_one = True

    def __init__(self, inner: Source, size: int, seed: int, seed2: int, each_time: bool) -> None:
        self._inner, self._size = inner, size
        self._given = seed, seed2
        self._each_time = each_time

    def setting(self) -> str:
        """See `Source`."""
        return f"{self._size:,}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        seeds = run.kept.get(self)
        if seeds is None:
            seeds = PassSeeds(*(self._given if any(self._given) else run.drawn_seeds()), self._each_time)
            run.kept[self] = seeds
        words = Words(*seeds.next())
        inner = self._inner.stream(run)
        kind = ShuffledRows if isinstance(inner, RowStream) else ShuffledStream
        return kind(inner, self._size, words)  # type: ignore[arg-type]  # the kind fits the stream
