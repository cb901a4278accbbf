"""`group_by_window`: elements by key, and a dataset of each group that is full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from .batching import windowed
from .streams import DatasetStream, Element, Function, Source, StreamRun, source_of


class GroupByWindow(Source):
    """`group_by_window`: elements by key; a function makes a dataset of each group that is full."""

    label = "group_by_window"

    def __init__(
        self, inner: Source, captures: Sequence[Any], counts: tuple[int, int], key: Function, reduce: Function,
        size: Function,
    ) -> None:  # fmt: skip
        self.inner, self.key, self.reduce, self.size = inner, key, reduce, size
        first, second = counts
        self.for_key = tuple(captures[:first])
        self.for_reduce = tuple(captures[first : first + second])
        self.for_size = tuple(captures[first + second :])

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return GroupedStream(self.inner.stream(run), self, run)


class GroupedStream(DatasetStream):
    """The elements of the datasets that groups give."""

    def __init__(self, inner: DatasetStream, source: GroupByWindow, run: StreamRun) -> None:
        self._inner, self._source, self._run = inner, source, run
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._now: DatasetStream | None = None
        self._has_more = True

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while True:
            if self._now is not None:
                found = self._now.next()
                if found is not None:
                    return found
                self._now.close()
                self._now = None
            if self._has_more:
                self._read_one()
            elif self._groups:
                self._begin(min(self._groups))
            else:
                return None

    def _read_one(self) -> None:
        source = self._source
        element = self._inner.next()
        if element is None:
            self._has_more = False
            return
        key = int(source.key(*element, *source.for_key)[0])
        if key not in self._groups:
            self._groups[key] = []
            size = int(source.size(np.array(key, np.int64), *source.for_size)[0])
            if size <= 0:
                raise InvalidArgumentError(message=f"Window size must be greater than zero, but got {size}.")
            self._sizes[key] = size
        group = self._groups[key]
        group.append(element)
        if len(group) == self._sizes[key]:
            self._begin(key)

    def _begin(self, key: int) -> None:
        source = self._source
        group = self._groups.pop(key)
        parts = [windowed([element[i] for element in group]) for i in range(len(group[0]))]
        given = source.reduce(np.array(key, np.int64), *parts, *source.for_reduce)[0]
        self._now = source_of(given).stream(self._run)
