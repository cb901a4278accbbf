"""Queues that order their elements otherwise, or pad them: those in random order, with padding, by priority."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from ...graph.declare.object_place import ObjectTable
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..datasets.batching import padded_rows
from ..datasets.random_order import Words
from .queue_objects import Entry, QueueObject


class RandomQueueObject(QueueObject):
    """Elements in random order; it keeps some, until it is closed."""

    kind = "RandomShuffleQueue"

    def __init__(
        self, objects: ObjectTable, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int,
        kept: int, seeds: tuple[int, int],
    ) -> None:  # fmt: skip
        super().__init__(objects, name, dtypes, shapes, capacity)
        self._kept = kept
        self._words = Words(*seeds)

    def _empty(self) -> Any:
        return []

    def _take(self) -> Entry:
        held = self._held
        place = self._words.next() % len(held)
        entry: Entry = held[place]
        held[place] = held[-1]
        held.pop()
        return entry

    def _put_back(self, entries: Sequence[Entry]) -> None:
        self._held.extend(entries)

    def _free(self) -> int:
        return len(self._held) - (0 if self._is_closed else self._kept)


class PaddingQueueObject(QueueObject):
    """Elements in the order in which they came; several of different shapes are padded with zeros."""

    kind = "PaddingFIFOQueue"

    def _require_shapes(self, what: str) -> None:
        return

    def _joined(self, parts: Sequence[Any]) -> Any:
        rows = [part[row, ...] for part in parts for row in range(len(part))]
        first = rows[0]
        sizes = [max(row.shape[axis] for row in rows) for axis in range(first.ndim)]
        return padded_rows(rows, sizes, b"" if first.dtype.kind == "O" else 0)


class PriorityQueueObject(QueueObject):
    """Elements by their first component, an int64 scalar, the smallest first."""

    kind = "PriorityQueue"

    def __init__(
        self, objects: ObjectTable, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int
    ) -> None:
        super().__init__(objects, name, dtypes, shapes, capacity)
        self._number: Callable[[], int] = count().__next__

    def _empty(self) -> Any:
        return []

    def _put(self, entry: Entry) -> None:
        columns, row = entry
        heapq.heappush(self._held, (int(columns[0][row]), self._number(), entry))

    def _take(self) -> Entry:
        entry: Entry = heapq.heappop(self._held)[2]
        return entry

    def _put_back(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._put(entry)
