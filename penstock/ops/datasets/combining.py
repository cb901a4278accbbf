"""Datasets made of others: zip, concatenate, repeat, take, skip, shard, enumerate, choices among several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...errors import CancelledError, DeadlineExceededError, InvalidArgumentError, OpError
from .row_streams import RepeatedRows, RowStream, SliceStream, SteppedRows, TakenRows
from .streams import DatasetStream, Element, Source, StreamRun


class Tensors(Source):
    """`from_tensors`: one element."""

    label = "from_tensors"

    def __init__(self, element: Element) -> None:
        self._element = element

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return Once(self._element)


class Once(DatasetStream):
    """One element."""

    def __init__(self, element: Element) -> None:
        self._element: Element | None = element

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element, self._element = self._element, None
        return element


class Range(Source):
    """`range`: numbers from `start`, `step` apart, below `stop`."""

    label = "range"

    def __init__(self, start: int, stop: int, step: int, dtype: Any) -> None:
        self._start, self._step, self._dtype = start, step, dtype
        self._count = len(range(start, stop, step))

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        if self._count <= _LISTED:
            last = self._start + self._step * self._count
            return SliceStream((np.arange(self._start, last, self._step).astype(self._dtype),), self._count)
        return Counting(self._start, self._step, self._count, self._dtype)


_LISTED = 1 << 20
"""A range of at most so many numbers is an array."""


class Counting(DatasetStream):
    """Numbers, one after the other."""

    def __init__(self, start: int, step: int, count: int, dtype: Any) -> None:
        self._numbers = range(start, start + step * count, step)
        self._at, self._dtype = 0, dtype

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._at == len(self._numbers):
            return None
        self._at += 1
        return (np.array(self._numbers[self._at - 1], self._dtype),)

    def skip(self, count: int) -> int:
        """See `DatasetStream`."""
        before = self._at
        self._at = min(before + count, len(self._numbers))
        return self._at - before


class Zip(Source):
    """`zip`: an element of each dataset, until one ends."""

    label = "zip"

    def __init__(self, inner: Sequence[Source]) -> None:
        self._inner = inner

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        runs = run.for_inputs(self, len(self._inner))
        streams = [each.stream(own) for each, own in zip(self._inner, runs, strict=True)]
        slices = [each for each in streams if isinstance(each, SliceStream)]
        if len(slices) == len(streams):
            components = tuple([part for each in slices for part in each.rest()])
            return SliceStream(components, min(len(part) for part in components))
        return ZippedStream(streams)


class ZippedStream(DatasetStream):
    """An element of each stream."""

    def __init__(self, streams: Sequence[DatasetStream]) -> None:
        self._streams = streams
        self._has_ended = False

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._has_ended:
            return None
        parts: list[Any] = []
        failure: OpError | None = None
        for each in self._streams:  # each is asked, also behind one that has ended or failed, so that they stay in step
            try:
                element = each.next()
            except (CancelledError, DeadlineExceededError):
                raise
            except OpError as error:
                failure = failure if self._has_ended or failure is not None else error
                continue
            self._has_ended |= element is None
            parts += element or ()
        if failure is None:
            return None if self._has_ended else tuple(parts)
        try:
            raise failure
        finally:
            failure = None  # its traceback holds this frame

    def close(self) -> None:
        """See `DatasetStream`."""
        for each in self._streams:
            each.close()


class Concatenate(Source):
    """`concatenate`: one dataset after the other."""

    label = "concatenate"

    def __init__(self, inner: Sequence[Source]) -> None:
        self._inner = inner

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        runs = run.for_inputs(self, len(self._inner))
        return ChainedStream([partial(each.stream, own) for each, own in zip(self._inner, runs, strict=True)])


class ChainedStream(DatasetStream):
    """One stream after the other; each begins when the one before has ended."""

    def __init__(self, fresh: Sequence[Callable[[], DatasetStream]]) -> None:
        self._fresh = list(fresh)[::-1]
        self._now: DatasetStream | None = None

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while True:
            if self._now is not None:
                element = self._now.next()
                if element is not None:
                    return element
                self.close()
            if not self._fresh:
                return None
            self._now = self._fresh.pop()()

    def close(self) -> None:
        """See `DatasetStream`."""
        if self._now is not None:
            self._now.close()
            self._now = None


class Repeat(Source):
    """`repeat`: several passes; endless if `count` is negative."""

    label = "repeat"

    def __init__(self, inner: Source, count: int) -> None:
        self._inner, self._count = inner, count

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        if self._count == 0:
            return Nothing()
        first = self._inner.stream(run)
        begun = [first]

        def fresh() -> Any:
            return begun.pop() if begun else self._inner.stream(run)

        # TensorFlow begins a pass behind the last one and finds then that it is not needed: shuffles go on as if it had
        # been. Not so for `repeat(1)`, which it leaves out, and for a shuffle, with which it is one dataset.
        begins_another = self._count != 1 and not self._inner.is_repeated_as_one
        if isinstance(first, RowStream):
            return RepeatedRows(fresh, self._count, begins_another)
        return RepeatedStream(fresh, self._count, begins_another)


class RepeatedStream(DatasetStream):
    """The elements of several passes."""

    def __init__(self, fresh: Callable[[], DatasetStream], count: int, begins_another: bool) -> None:
        """Several passes.

        Args:
            fresh: begins a pass.
            count: how many; endless if it is negative.
            begins_another: whether one more is begun behind the last.
        """
        self._fresh, self._left, self._begins_another = fresh, count, begins_another
        self._now = fresh()
        self._is_new = True

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while self._left != 0:
            element = self._now.next()
            if element is not None:
                self._is_new = False
                return element
            self._now.close()
            if self._is_new and self._left < 0:  # an empty dataset, repeated for ever, is empty
                self._left = 0
                break
            self._left -= self._left > 0
            if self._left != 0 or self._begins_another:
                self._now = self._fresh()
                self._is_new = True
        return None


class Nothing(DatasetStream):
    """No element."""

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        return None


class Take(Source):
    """`take`: at most `count` elements; all if it is negative."""

    label = "take"

    def __init__(self, inner: Source, count: int) -> None:
        self._inner, self._count = inner, count

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        inner = self._inner.stream(run)
        return (TakenRows if isinstance(inner, RowStream) else TakenStream)(inner, self._count)  # type: ignore[arg-type]


class TakenStream(DatasetStream):
    """The first elements."""

    def __init__(self, inner: DatasetStream, count: int) -> None:
        self._inner, self._left = inner, count

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._left == 0:
            return None
        element = self._inner.next()  # one that ends in an error does not count
        self._left -= self._left > 0
        return element


class Skip(Source):
    """`skip`: without the first `count` elements; nothing if it is negative."""

    label = "skip"

    def __init__(self, inner: Source, count: int) -> None:
        self._inner, self._count = inner, count

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        if self._count < 0:
            return Nothing()
        inner = self._inner.stream(run)
        if not isinstance(inner, RowStream):
            return SkippingStream(inner, self._count)
        inner.skip(self._count)
        return inner


class SkippingStream(DatasetStream):
    """Elements behind the first ones. Where one of these fails, all are skipped anew behind it, as in TensorFlow."""

    def __init__(self, inner: DatasetStream, count: int) -> None:
        self._inner, self._count = inner, count

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._count:
            self._inner.skip(self._count)
            self._count = 0
        return self._inner.next()


class Shard(Source):
    """`shard`: one of every `shards` elements."""

    label = "shard"

    def __init__(self, inner: Source, shards: int, index: int) -> None:
        if shards <= 0:
            raise InvalidArgumentError(message=f"Number of shards must be greater than zero (currently num_shards = "
                                               f"{shards})")  # fmt: skip
        if not 0 <= index < shards:
            raise InvalidArgumentError(message=f"Index must be between 0 and {shards - 1} (currently index = {index})")
        self._inner, self._shards, self._index = inner, shards, index

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        inner = self._inner.stream(run)
        kind = SteppedRows if isinstance(inner, RowStream) else SteppedStream
        return kind(inner, self._index, self._shards)  # type: ignore[arg-type]  # the kind fits the stream


class SteppedStream(DatasetStream):
    """One of every few elements."""

    def __init__(self, inner: DatasetStream, first: int, step: int) -> None:
        self._inner, self._until, self._step = inner, first, step

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        self._inner.skip(self._until)
        self._until = 0  # for one that fails comes the next
        element = self._inner.next()
        self._until = self._step - 1
        return element


class Choose(Source):
    """`choose_from_datasets`: the next element of the dataset whose number `selector` gives."""

    label = "choose_from_datasets"

    def __init__(self, selector: Source, inner: Sequence[Source], stops_at_empty: bool) -> None:
        self._selector, self._inner, self.stops_at_empty = selector, inner, stops_at_empty

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        first, *runs = run.for_inputs(self, 1 + len(self._inner))
        streams = [each.stream(own) for each, own in zip(self._inner, runs, strict=True)]
        return ChosenStream(self._selector.stream(first), streams, self.stops_at_empty)


class ChosenStream(DatasetStream):
    """Elements of several streams, in a given order."""

    def __init__(self, selector: DatasetStream, streams: Sequence[DatasetStream], stops_at_empty: bool) -> None:
        self._selector, self._stops = selector, stops_at_empty
        self._streams: list[DatasetStream | None] = list(streams)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while any(each is not None for each in self._streams):
            choice = self._selector.next()
            if choice is None:
                return None
            number = int(choice[0])
            if not 0 <= number < len(self._streams):
                raise InvalidArgumentError(message=f"Selector index out of range: {number} >= {len(self._streams)}")
            chosen = self._streams[number]
            if chosen is None:
                continue
            element = chosen.next()
            if element is not None:
                return element
            if self._stops:
                return None
            chosen.close()
            self._streams[number] = None
        return None

    def close(self) -> None:
        """See `DatasetStream`."""
        for each in (self._selector, *self._streams):
            if each is not None:
                each.close()
