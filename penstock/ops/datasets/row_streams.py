"""Streams of rows: elements that are rows of arrays in memory, known by their numbers.

    from_tensor_slices((x, y)).shuffle(1000).repeat().batch(32)

`shuffle`, `repeat`, `take`, `skip` and `shard` work on numbers of rows; `batch` gathers the rows of 32 numbers from x
and y. Numbers are a `slice` where they follow each other, else a vector of int64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...graph.common.hooks import hooks
from .streams import DatasetStream, Element, Source, StreamRun, read_only

Rows: TypeAlias = "slice | np.ndarray[Any, np.dtype[np.int64]]"
_GATHERED = (1 << 8, 1 << 14)
"""Bytes of rows that a compiled loop gathers; the processor itself fetches longer ones ahead."""
_BLOCK = 256
"""Rows whose numbers a stream asks for at once where its elements are taken one by one."""


def count_of(rows: Rows) -> int:
    """How many rows."""
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def numbers_of(rows: Rows) -> Any:
    """The numbers as a vector."""
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def joined(parts: list[Rows]) -> Rows:
    """Several lists of numbers as one."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([numbers_of(part) for part in parts]) if parts else slice(0, 0)


def cut(rows: Rows, count: int) -> tuple[Rows, Rows]:
    """The first numbers, and the others."""
    if isinstance(rows, slice):
        between = rows.start + count
        return slice(rows.start, between), slice(between, rows.stop)
    return rows[:count], rows[count:]


def _gathered(array: Any, numbers: Any) -> Any:
    """The rows with these numbers."""
    count, size = len(numbers), array.nbytes // (len(array) or 1)
    if not _GATHERED[0] <= size <= _GATHERED[1] or array.dtype.kind == "O" or not array.flags.c_contiguous:
        return array.take(numbers, axis=0)
    loop = hooks.compiled_loop("gathered_rows", work=count * size >> 6)
    if loop is None:
        return array.take(numbers, axis=0)
    out = hooks.empty((count, *array.shape[1:]), array.dtype)
    loop(out, array, np.ascontiguousarray(numbers), count, size)
    return out


class RowStream(DatasetStream):
    """A stream whose elements are rows of `components`."""

    def __init__(self, components: tuple[Any, ...]) -> None:
        self.components = components
        self._ahead: list[int] = []  # of `next`, the first number last

    def numbers(self, count: int) -> Rows:
        """The numbers of the next rows: at most `count` and at least one, but none at the end.

        They are of one pass over the dataset, so a stream that asks for more rows than it needs has begun no pass too
        many: the seeds of later passes depend on how many there were.
        """
        raise NotImplementedError

    def some(self, count: int) -> Rows:
        """The same, whether some rows have been asked for by `next` or not."""
        if not self._ahead:
            return self.numbers(count)
        first = self._ahead[: -count - 1 : -1]
        del self._ahead[len(self._ahead) - len(first) :]
        return np.array(first, np.int64)

    def take(self, count: int) -> Rows:
        """The numbers of the next rows: fewer than `count` at the end only, then none."""
        rows = self.some(count)
        missing = count - count_of(rows)
        if not missing or missing == count:
            return rows
        parts = [rows]
        while missing and (got := count_of(rows := self.some(missing))):
            parts.append(rows)
            missing -= got
        return joined(parts)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if not self._ahead:
            self._ahead = numbers_of(self.numbers(_BLOCK)).tolist()[::-1]
            if not self._ahead:
                return None
        number = self._ahead.pop()
        return tuple([each[number] if each.ndim > 1 else np.asarray(each[number], each.dtype)
                      for each in self.components])  # fmt: skip

    def skip(self, count: int) -> int:
        """See `DatasetStream`."""
        passed = 0
        while passed < count:
            found = count_of(self.some(min(count - passed, 1 << 16)))
            if not found:
                break
            passed += found
        return passed

    def gathered(self, rows: Rows) -> Element:
        """The rows with these numbers, stacked: views where they follow each other."""
        if isinstance(rows, slice):
            return tuple([each[rows] for each in self.components])
        return tuple([_gathered(each, rows) for each in self.components])


class SliceStream(RowStream):
    """The rows of arrays, in order."""

    def __init__(self, components: tuple[Any, ...], count: int) -> None:
        super().__init__(components)
        self._at, self._count = 0, count

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        first = self._at
        self._at = min(first + count, self._count)
        return slice(first, self._at)

    def rest(self) -> tuple[Any, ...]:
        """The components without the rows that were given."""
        return tuple([each[self._at : self._count] for each in self.components])


class TakenRows(RowStream):
    """Of rows: at most `count` (any number if it is negative), after the first `skipped`."""

    def __init__(self, inner: RowStream, count: int) -> None:
        super().__init__(inner.components)
        self._inner, self._left = inner, count

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        wanted = count if self._left < 0 else min(count, self._left)
        if not wanted:
            return slice(0, 0)
        rows = self._inner.some(wanted)
        if self._left >= 0:
            self._left -= count_of(rows)
        return rows


class SteppedRows(RowStream):
    """Of rows: one of every `step`, from `first` on."""

    def __init__(self, inner: RowStream, first: int, step: int) -> None:
        super().__init__(inner.components)
        self._inner, self._until, self._step = inner, first, step

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        while len(rows := numbers_of(self._inner.some(self._until + (count - 1) * self._step + 1))):
            found = rows[self._until :: self._step]
            self._until = (self._until - len(rows)) % self._step if len(found) else self._until - len(rows)
            if len(found):
                return found
        return slice(0, 0)


class RepeatedRows(RowStream):
    """The rows of several passes, one after the other; endless if `count` is negative."""

    def __init__(self, fresh: Callable[[], RowStream], count: int, begins_another: bool) -> None:
        """As of `combining.RepeatedStream`."""
        self._fresh, self._begins_another = fresh, begins_another
        self._inner = fresh()
        super().__init__(self._inner.components)
        self._left = count
        self._is_new = True

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        while self._left != 0:
            rows = self._inner.some(count)
            if count_of(rows):
                self._is_new = False
                return rows
            if self._is_new and self._left < 0:  # an empty dataset, repeated for ever, is empty
                self._left = 0
                break
            self._left -= self._left > 0
            if self._left != 0 or self._begins_another:
                self._inner = self._fresh()
                self._is_new = True
        return slice(0, 0)


class TensorSlices(Source):
    """`from_tensor_slices`: the rows of arrays with equally many."""

    label = "from_tensor_slices"

    def __init__(self, components: tuple[Any, ...]) -> None:
        self.components = tuple([read_only(each) for each in components])

    def setting(self) -> str:
        """See `Source`."""
        return f"{len(self.components[0]):,} rows"

    def open(self, run: StreamRun) -> RowStream:
        """See `Source`."""
        return SliceStream(self.components, len(self.components[0]))
