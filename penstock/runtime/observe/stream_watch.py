"""`StreamWatch`: counts the elements of a session's pipelines, stage by stage, and the time that they take.

    from_tensor_slices -> shuffle -> map -> batch         each stage asks the one before for elements

A watched stream has a `next` of its own, which counts and measures the call; a stream of rows has such a `numbers`. The
time of a stage includes that of the stages before it, where the same thread asks them. A stream that is not watched
costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any
from weakref import ref

from ...ops.datasets.iterator_objects import IteratorObject
from ...ops.datasets.row_streams import Rows, RowStream, count_of
from ...ops.datasets.streams import DatasetStream, Element, Source


class StageCounts:
    """What one stage gave while it was watched.

    Attributes:
        elements: how many elements, over all passes.
        seconds: how long those who asked for them had to wait.
    """

    __slots__ = ("elements", "seconds")

    def __init__(self) -> None:
        self.elements = 0
        self.seconds = 0.0

    def add(self, elements: int, start: float) -> None:
        """Count elements that were asked for at `start`."""
        self.seconds += perf_counter() - start
        self.elements += elements


class StreamWatch:
    """Counts of the stages of some iterators, from when they are begun to be watched."""

    def __init__(self) -> None:
        self.stages: dict[Source, StageCounts] = {}
        self.given: dict[IteratorObject, int] = {}
        """How many elements an iterator had given before."""
        self.start = perf_counter()
        self._watched: list[ref[DatasetStream]] = []

    def begin(self, iterator: IteratorObject) -> None:
        """Watch the pass that an iterator is in, and later ones."""
        if iterator in self.given:
            return
        self.given[iterator] = iterator.given
        iterator.watch(self.attach)
        if iterator.stream is not None:
            for stream in streams_within(iterator.stream):
                self.attach(stream)

    def end(self) -> None:
        """Watch no more."""
        for iterator in self.given:
            iterator.watch(None)
        for each in self._watched:
            stream = each()
            if stream is not None:
                for name in ("next", "numbers"):
                    vars(stream).pop(name, None)
        self._watched.clear()

    def attach(self, stream: DatasetStream) -> None:
        """Count what a stream gives from now on."""
        own = vars(stream)
        if stream.source is None or "next" in own or "numbers" in own:
            return
        counts = self.stages.setdefault(stream.source, StageCounts())
        self._watched.append(ref(stream))
        if isinstance(stream, RowStream):
            own["numbers"] = _counted_rows(stream, counts)
        else:
            own["next"] = _counted(stream, counts)


def _counted(stream: DatasetStream, counts: StageCounts) -> Any:
    given, asked = type(stream).next, ref(stream)  # no cycle: a stream ends when nothing asks it any more

    def next() -> Element | None:
        start = perf_counter()
        own = asked()
        assert own is not None  # it is being called
        element = given(own)
        counts.add(element is not None, start)
        return element

    return next


def _counted_rows(stream: RowStream, counts: StageCounts) -> Any:
    given, asked = type(stream).numbers, ref(stream)

    def numbers(count: int) -> Rows:
        start = perf_counter()
        own = asked()
        assert own is not None  # it is being called
        rows = given(own, count)
        counts.add(count_of(rows), start)
        return rows

    return numbers


def streams_within(stream: DatasetStream) -> Iterator[DatasetStream]:
    """A stream and those that it asks."""
    yield stream
    for value in list(vars(stream).values()):
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, DatasetStream):
                yield from streams_within(each)
