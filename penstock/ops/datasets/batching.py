"""Batches: several elements as one, with and without padding; and elements of batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import CancelledError, DataLossError, DeadlineExceededError, InvalidArgumentError, OpError
from ...graph.common.hooks import hooks
from .row_streams import Rows, RowStream, SliceStream, count_of, cut, joined
from .streams import DatasetStream, Element, Source, StreamRun, boxed_source

_NUMBERS = 4096
"""The rows whose numbers are asked for at once, or those of one batch."""


def stacked(rows: Sequence[Any], place: int) -> Any:
    """Arrays of one shape as one array.

    Raises:
        InvalidArgumentError: they have different shapes.
    """
    first = rows[0]
    _require_equal(rows, place)
    if not first.ndim:
        return np.array([row[()] for row in rows], first.dtype)
    if first.dtype.kind in "OV":
        out = np.empty((len(rows), *first.shape), first.dtype)
        for i, row in enumerate(rows):
            out[i] = row
        return out
    out = hooks.empty((len(rows), *first.shape), first.dtype)
    np.stack(rows, out=out)
    return out


def _require_equal(rows: Sequence[Any], place: int) -> None:
    shape = rows[0].shape
    for i, row in enumerate(rows):
        if row.shape != shape:
            raise InvalidArgumentError(
                message="Cannot batch tensors with different shapes in component "
                f"{place}. First element had shape {list(shape)} and element {i} had shape {list(row.shape)}. Use "
                "padded_batch, or give them one shape in map"
            )


class BatchedRows(DatasetStream):
    """Rows of arrays in memory, some at a time. The numbers of several batches are asked for at once."""

    def __init__(self, inner: RowStream, size: int, drop_remainder: bool) -> None:
        self.inner, self._size, self._drops = inner, size, drop_remainder
        self._rows: Rows = slice(0, 0)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        size = self._size
        rows, count = self._rows, count_of(self._rows)
        if not count:
            rows = self.inner.some(max(size, _NUMBERS // size * size))
            count = count_of(rows)
        if count > size:
            rows, self._rows = cut(rows, size)
        else:
            self._rows = slice(0, 0)
            if count < size:  # its rows are of several passes, or the last ones
                rows = joined([rows, self.inner.take(size - count)])
                count = count_of(rows)
                if not count or (self._drops and count < size):
                    return None
        return self.inner.gathered(rows)

    def at_hand(self) -> list[Element]:
        """See `DatasetStream`: views of rows that follow each other."""
        rows, size = self._rows, self._size
        if not isinstance(rows, slice) or "next" in vars(self):  # a watch counts what `next` gives
            return []
        starts = range(rows.start, rows.stop - size + 1, size)
        self._rows = slice(rows.start + size * len(starts), rows.stop)
        return [self.inner.gathered(slice(start, start + size)) for start in starts]

    def skip(self, count: int) -> int:
        """See `DatasetStream`."""
        held = min(count_of(self._rows), count * self._size)
        self._rows = cut(self._rows, held)[1]
        passed = held + self.inner.skip(count * self._size - held)
        return passed // self._size if self._drops else -(-passed // self._size)


class BatchedStream(DatasetStream):
    """Elements, some at a time, stacked."""

    def __init__(self, inner: DatasetStream, size: int, drop_remainder: bool) -> None:
        self._inner, self._size, self._drops = inner, size, drop_remainder
        self._is_mapped = inner.is_mapped
        self._has_ended = False

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        elements: list[Element] = []
        while len(elements) < self._size and not self._has_ended:
            try:
                element = self._inner.next()
            except (CancelledError, DeadlineExceededError):
                raise
            except OpError:
                if self._is_mapped:
                    self._drop(self._size - len(elements) - 1)
                raise
            if element is None:
                self._has_ended = True
            else:
                elements.append(element)
        if not elements or (self._drops and len(elements) < self._size):
            if self._is_mapped:  # `map` before `batch` fills a batch before it knows that too few come
                for i, column in enumerate(zip(*elements, strict=True)):
                    _require_equal(column, i)
            return None
        return stacked_elements(elements)

    def _drop(self, count: int) -> None:
        """Take the rest of a batch in which an element failed: `map` before `batch` works on whole batches."""
        for _ in range(count):
            try:
                self._has_ended = self._inner.next() is None
            except (CancelledError, DeadlineExceededError):
                raise
            except OpError:  # the first one is told
                continue
            if self._has_ended:
                return


def stacked_elements(elements: Sequence[Element]) -> Element:
    """Elements as one.

    Raises:
        InvalidArgumentError: they have different shapes.
    """
    return tuple([stacked(column, i) for i, column in enumerate(zip(*elements, strict=True))])


class Batch(Source):
    """`batch`: elements of equal shapes, `size` at a time."""

    label = "batch"

    def __init__(self, inner: Source, size: int, drop_remainder: bool) -> None:
        self.inner, self.size, self.drop_remainder = inner, size, drop_remainder

    def setting(self) -> str:
        """See `Source`."""
        return f"{self.size:,}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return batched_stream(self.inner.stream(run), self.size, self.drop_remainder)


def batched_stream(inner: DatasetStream, size: int, drop_remainder: bool) -> DatasetStream:
    """The elements of a stream, `size` at a time."""
    if isinstance(inner, RowStream):
        return BatchedRows(inner, size, drop_remainder)
    return BatchedStream(inner, size, drop_remainder)


class PaddedStream(DatasetStream):
    """Elements, some at a time, padded to one shape."""

    def __init__(self, inner: DatasetStream, source: PaddedBatch) -> None:
        self._inner, self._source = inner, source

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        source = self._source
        elements: list[Element] = []
        while len(elements) < source.size and (element := self._inner.next()) is not None:
            elements.append(element)
        if not elements or (source.drop_remainder and len(elements) < source.size):
            return None
        return tuple([
            _padded(column, source.shapes[i], source.values[i], i)
            for i, column in enumerate(zip(*elements, strict=True))
        ])  # fmt: skip


def _padded(rows: Sequence[Any], shape: Sequence[int], value: Any, place: int) -> Any:
    """Arrays as one, each padded with `value` to `shape`; -1 is the largest size of the batch."""
    sizes = []
    for axis, size in enumerate(shape):
        largest = 0
        for row in rows:
            if row.ndim != len(shape):
                raise InvalidArgumentError(
                    message=f"All elements in a batch must have the same rank as the padded shape for component {place}"
                    f": expected rank {len(shape)} but got element with rank {row.ndim}"
                )
            largest = max(largest, row.shape[axis])
        if 0 <= size < largest:
            raise DataLossError(
                message="Attempted to pad to a smaller size than the input element: component "
                f"{place} has {largest} entries along dimension {axis}, padded_shapes says {size}. Give a "
                "larger size, None for that of the longest element, or cut the elements in map"
            )
        sizes.append(largest if size < 0 else size)
    return padded_rows(rows, sizes, value)


def padded_rows(rows: Sequence[Any], sizes: Sequence[int], value: Any) -> Any:
    """Arrays as one, each in the corner of an array of these sizes that is full of `value` otherwise."""
    out: Any = np.empty((len(rows), *sizes), rows[0].dtype)
    out[...] = value
    for i, row in enumerate(rows):
        out[(i, *map(slice, row.shape))] = row if row.ndim else row[()]
    return out


class PaddedBatch(Source):
    """`padded_batch`: elements of different shapes, `size` at a time."""

    label = "padded_batch"

    def __init__(
        self, inner: Source, size: int, shapes: tuple[tuple[int, ...], ...], values: tuple[Any, ...],
        drop_remainder: bool,
    ) -> None:  # fmt: skip
        self._inner, self.size, self.shapes, self.values = inner, size, shapes, values
        self.drop_remainder = drop_remainder

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return PaddedStream(self._inner.stream(run), self)


class UnbatchedStream(DatasetStream):
    """The rows of elements."""

    def __init__(self, inner: DatasetStream) -> None:
        self._inner = inner
        self._rows: SliceStream | None = None

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        while True:
            if self._rows is not None and (row := self._rows.next()) is not None:
                return row
            element = self._inner.next()
            if element is None:
                return None
            counts = [each.shape[0] if each.ndim else None for each in element]
            if None in counts or len(set(counts)) > 1:
                shapes = ", ".join(str(list(each.shape)) for each in element)
                raise InvalidArgumentError(
                    message=f"unbatch: the components of an element have shapes {shapes}; each needs a first "
                    "dimension, of one size in all of them"
                )
            self._rows = SliceStream(element, counts[0] or 0)


class Unbatch(Source):
    """`unbatch`: the rows of elements, one by one."""

    label = "unbatch"

    def __init__(self, inner: Source) -> None:
        self._inner = inner

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return UnbatchedStream(self._inner.stream(run))


class WindowSource(Source):
    """`window`: datasets of `size` elements, one component each, that begin `shift` elements after each other."""

    label = "window"

    def __init__(self, inner: Source, size: int, shift: int, stride: int, drop_remainder: bool) -> None:
        self._inner, self.size, self.shift, self.stride = inner, size, shift, stride
        self.drop_remainder = drop_remainder

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return WindowStream(self._inner.stream(run), self)


class WindowStream(DatasetStream):
    """Datasets of a few elements. One with an element that fails is an error, and the next one follows it."""

    def __init__(self, inner: DatasetStream, source: WindowSource) -> None:
        self._inner, self._source = inner, source
        self._held: list[Element | OpError] = []
        self._has_ended = False

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        source = self._source
        span = (source.size - 1) * source.stride + 1
        while not self._has_ended and len(self._held) < span:
            self._hold_next()
        if not self._held or (source.drop_remainder and len(self._held) < span):
            return None
        window = self._held[: span : source.stride]
        between = source.shift - len(self._held)
        del self._held[: source.shift]
        if isinstance(self._inner, RowStream) and between > 0:
            between -= self._inner.skip(between)
        while not self._has_ended and between > 0:  # what fails between windows is in none
            self._hold_next()
            self._held.clear()
            between -= 1
        elements: list[Element] = []
        for each in window:
            if isinstance(each, OpError):
                raise each
            elements.append(each)
        return tuple([windowed([element[i] for element in elements]) for i in range(len(elements[0]))])

    def _hold_next(self) -> None:
        """Take an element, or the error that it is."""
        element: Element | OpError | None
        try:
            element = self._inner.next()
        except (CancelledError, DeadlineExceededError):
            raise
        except OpError as error:
            element = error
        if element is None:
            self._has_ended = True
        else:
            self._held.append(element)


def windowed(values: Sequence[Any]) -> Any:
    """A dataset of one component with these elements, boxed."""
    return boxed_source(ListedElements([(value,) for value in values]))


class ListedElements(Source):
    """A dataset of elements in memory."""

    label = "elements of a window"

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = elements

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return ListStream(self.elements)


class ListStream(DatasetStream):
    """Elements of a list."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = iter(elements)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        return next(self._elements, None)
