"""Functions of elements: map, filter, flat_map, interleave, scan.

A function is a graph of the dataset's node. It was planned with the plan of the run that made the iterator; each
element is one run of it, on the thread that asks for the element or on one of the stream's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import CancelledError, DeadlineExceededError, InvalidArgumentError, OpError
from .batching import batched_stream, stacked_elements
from .streams import ALL_ROWS, DatasetStream, Element, Function, Source, StreamRun, source_of


class Map(Source):
    """`map`: what a function gives for each element."""

    label = "map"

    def __init__(self, inner: Source, captures: Sequence[Any], function: Function, all_rows: bool = False) -> None:
        self.inner, self.captures, self.function, self.all_rows = inner, tuple(captures), function, all_rows

    def setting(self) -> str:
        """See `Source`."""
        return ALL_ROWS if self.all_rows else ""

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return MappedStream(self.inner.stream(run), self)


class MappedStream(DatasetStream):
    """The results of a function."""

    is_mapped = True

    def __init__(self, inner: DatasetStream, source: Map) -> None:
        self._inner, self._function, self._captures = inner, source.function, source.captures

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element = self._inner.next()
        return None if element is None else tuple(self._function(*element, *self._captures))


class MapBatches(Source):
    """`map` before `batch` as one call of a function of all rows; where that fails, one for each element."""

    label = "map and batch"

    def __init__(self, batches: Map, elements: Map, size: int, drop_remainder: bool) -> None:
        """The batches of a dataset.

        Args:
            batches: gives whole batches, by a function of all their rows.
            elements: gives the elements one by one, of the same dataset.
            size: the size of a batch.
            drop_remainder: whether a last, smaller batch is left out.
        """
        self.inner = elements.inner
        self.batches, self.elements = _Applied(batches), _Applied(elements)
        self.size, self.drop_remainder = size, drop_remainder

    def setting(self) -> str:
        """See `Source`."""
        return f"{self.size:,}, {ALL_ROWS}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return MappedBatches(self.inner.stream(run), self)

    def results(self, batch: Element) -> Element | None:
        """The results for the rows of a batch; None for a smaller one that is left out.

        Raises:
            OpError: what the function of elements raises for the first row for which it fails.
        """
        results = self._results(batch)  # of a batch that is left out too: it may hold an error
        return None if self.drop_remainder and len(batch[0]) < self.size else results

    def _results(self, batch: Element) -> Element:
        try:
            return self.batches(batch)
        except (CancelledError, DeadlineExceededError):
            raise
        except OpError:
            rows = [tuple([part[i] if part.ndim > 1 else np.asarray(part[i], part.dtype) for part in batch])
                    for i in range(len(batch[0]))]  # fmt: skip
            return stacked_elements([self.elements(row) for row in rows])


class _Applied:
    """The function of a `map` with what it captures."""

    __slots__ = ("source",)

    def __init__(self, source: Map) -> None:
        self.source = source

    def __call__(self, element: Element) -> Element:
        return tuple(self.source.function(*element, *self.source.captures))


class MappedBatches(DatasetStream):
    """The results of a function of batches. Where it fails, the function of elements tells of the first that does."""

    def __init__(self, inner: DatasetStream, source: MapBatches) -> None:
        self._inner, self._results = inner, source.results
        self._batches = batched_stream(inner, source.size, False)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        batch = self._batches.next()
        return None if batch is None else self._results(batch)


class Filter(Source):
    """`filter`: the elements for which a function gives true."""

    label = "filter"

    def __init__(self, inner: Source, captures: Sequence[Any], predicate: Function) -> None:
        self.inner, self.captures, self.predicate = inner, tuple(captures), predicate

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return FilteredStream(self.inner.stream(run), self)


class FilteredStream(DatasetStream):
    """Some of the elements."""

    def __init__(self, inner: DatasetStream, source: Filter) -> None:
        self._inner, self._predicate, self._captures = inner, source.predicate, source.captures

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while (element := self._inner.next()) is not None:
            if bool(self._predicate(*element, *self._captures)[0]):
                return element
        return None


class TakeWhile(Filter):
    """`take_while`: the elements before the first for which a function gives false."""

    label = "take_while"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return StreamWhile(self.inner.stream(run), self)


class StreamWhile(FilteredStream):
    """The first elements."""

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element = self._inner.next()
        return element if element is not None and bool(self._predicate(*element, *self._captures)[0]) else None


class FlatMap(Source):
    """`flat_map`: the elements of the datasets that a function gives, one after the other."""

    label = "flat_map"

    def __init__(self, inner: Source, captures: Sequence[Any], function: Function) -> None:
        self.inner, self.captures, self.function = inner, tuple(captures), function

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return FlatStream(self.inner.stream(run), self, run)


class FlatStream(DatasetStream):
    """The elements of datasets that come one after the other."""

    def __init__(self, inner: DatasetStream, source: FlatMap, run: StreamRun) -> None:
        self._inner, self._source, self._run = inner, source, run
        self._now: DatasetStream | None = None

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while True:
            if self._now is not None:
                found = self._now.next()
                if found is not None:
                    return found
                self._now.close()
                self._now = None
            element = self._inner.next()
            if element is None:
                return None
            source = source_of(self._source.function(*element, *self._source.captures)[0])
            self._now = source.stream(self._run)


class Interleave(FlatMap):
    """`interleave`: elements of `cycle` datasets that a function gives, `block` of each in turn."""

    label = "interleave"

    def __init__(
        self, inner: Source, captures: Sequence[Any], function: Function, cycle: int, block: int
    ) -> None:
        super().__init__(inner, captures, function)
        if cycle <= 0 or block <= 0:
            raise InvalidArgumentError(message="`cycle_length` and `block_length` must be > 0: they are "
                                               f"{cycle} and {block}")  # fmt: skip
        self.cycle, self.block = cycle, block

    def setting(self) -> str:
        """See `Source`."""
        return f"cycle_length={self.cycle}, block_length={self.block}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return InterleavedStream(self.inner.stream(run), self, run)


class InterleavedStream(DatasetStream):
    """Elements of several datasets in turn."""

    def __init__(self, inner: DatasetStream, source: Interleave, run: StreamRun) -> None:
        self._inner, self._source, self._run = inner, source, run
        self._open: list[DatasetStream | None] = [None] * source.cycle
        self._place = self._taken = 0
        self._has_more = True

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        source = self._source
        while self._has_more or any(each is not None for each in self._open):
            now = self._open[self._place]
            if now is not None:
                element = now.next()
                if element is not None:
                    self._taken += 1
                    if self._taken == source.block:
                        self._advance()
                    return element
                now.close()
                self._open[self._place] = None
                self._advance()
            elif self._has_more:
                self._fill(self._place)
            else:
                self._advance()
        return None

    def _fill(self, place: int) -> None:
        """Open the next dataset at a place where none is."""
        fresh = self._inner.next()
        if fresh is None:
            self._has_more = False
            return
        given = source_of(self._source.function(*fresh, *self._source.captures)[0])
        self._open[place] = self._opened(place, given.stream(self._run))

    def _opened(self, place: int, stream: DatasetStream) -> DatasetStream:
        return stream

    def _advance(self) -> None:
        self._place = (self._place + 1) % self._source.cycle
        self._taken = 0

    def close(self) -> None:
        """See `DatasetStream`."""
        for each in (*self._open, self._inner):
            if each is not None:
                each.close()


class Scan(Source):
    """`scan`: a state, and results, of a function of the state and an element."""

    label = "scan"

    def __init__(
        self, inner: Source, initial: Sequence[Any], captures: Sequence[Any], function: Function
    ) -> None:
        self.inner, self.initial = inner, tuple(initial)
        self.captures, self.function = tuple(captures), function

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return ScannedStream(self.inner.stream(run), self)


class ScannedStream(DatasetStream):
    """The results of a function that also gives the next state."""

    def __init__(self, inner: DatasetStream, source: Scan) -> None:
        self._inner, self._source = inner, source
        self.state: Sequence[Any] = source.initial

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element = self._inner.next()
        if element is None:
            return None
        results = self._source.function(*self.state, *element, *self._source.captures)
        count = len(self._source.initial)
        self.state = [np.array(each) for each in results[:count]]  # a next run may overwrite what a body gave
        return tuple(results[count:])


class IgnoreErrors(Source):
    """`ignore_errors`: without the elements that end in an error."""

    label = "ignore_errors"

    def __init__(self, inner: Source) -> None:
        self._inner = inner

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return FaultlessStream(self._inner.stream(run))


class FaultlessStream(DatasetStream):
    """The elements that can be had."""

    def __init__(self, inner: DatasetStream) -> None:
        self._inner = inner

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while True:
            try:
                return self._inner.next()
            except OpError as error:
                if isinstance(error, (CancelledError, DeadlineExceededError)):
                    raise
