"""`interleave` with several datasets read at the same time: each has a thread of its own, once elements are slow.

The order is that of one thread. `sloppy` gives what lies ready first: the order is then another one in each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from .mapping import Interleave, InterleavedStream
from .prefetching import HAND_OVER, SLOW, PrefetchedStream
from .streams import DatasetStream, Element, Function, Source, StreamRun


class ParallelInterleave(Interleave):
    """`interleave` with `num_parallel_calls`, or `parallel_interleave`."""

    works_ahead = True

    def __init__(
        self, inner: Source, captures: Sequence[Any], function: Function, cycle: int, block: int, calls: int,
        sloppy: bool,
    ) -> None:  # fmt: skip
        """calls: how many datasets have threads; -1 for all that take turns."""
        super().__init__(inner, captures, function, cycle, block)
        self.calls, self.sloppy = cycle if calls < 0 else min(calls, cycle), sloppy

    def setting(self) -> str:
        """See `Source`."""
        order = ", sloppy" if self.sloppy else ""
        return f"{super().setting()}, num_parallel_calls={self.calls}{order}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return ParallelInterleavedStream(self.inner.stream(run), self, run)


class ParallelInterleavedStream(InterleavedStream):
    """Elements of several datasets in turn; after some slow ones, threads of these datasets make the next."""

    def __init__(self, inner: DatasetStream, source: ParallelInterleave, run: StreamRun) -> None:
        super().__init__(inner, source, run)
        self._calls, self._sloppy = source.calls, source.sloppy
        self._slow = 0

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._slow >= SLOW:
            if self._sloppy:
                self._place = self._ready()
            return super().next()
        start = perf_counter()
        element = super().next()
        self._slow = self._slow + 1 if perf_counter() - start >= HAND_OVER else 0
        if self._slow >= SLOW:
            for place in range(len(self._open)):
                if self._open[place] is None and self._has_more:
                    self._fill(place)
            for each in self._open:
                if isinstance(each, PrefetchedStream):
                    each.begin()
        return element

    def _opened(self, place: int, stream: DatasetStream) -> DatasetStream:
        if place >= self._calls:
            return stream
        made = PrefetchedStream(stream, max(2, self._source.block), self._run)
        if self._slow >= SLOW:
            made.begin()
        return made

    def _ready(self) -> int:
        """The place of the first dataset, from the one whose turn it is, that has an element ready."""
        count = len(self._open)
        for step in range(count):
            each = self._open[(self._place + step) % count]
            if isinstance(each, PrefetchedStream) and (each.level() or (0, 0))[0]:
                if step:
                    self._taken = 0
                return (self._place + step) % count
        return self._place
