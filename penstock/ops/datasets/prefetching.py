"""Prefetching and caching: elements that are made before they are asked for, or kept for the next pass."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...errors import AlreadyExistsError, CancelledError, DataLossError, DeadlineExceededError, InvalidArgumentError
from ...graph.common.when_freed import WhenFreed
from .batching import ListStream
from .row_streams import Rows, RowStream, count_of, joined, numbers_of
from .streams import DatasetStream, Element, Source, StreamRun, read_only

HAND_OVER: Final = 60e-6
"""Seconds that it takes a thread to hand an element over, to one that computes meanwhile: both take turns in Python."""
SLOW: Final = 3
"""After how many elements in a row that took longer than that a thread makes them."""
FAST: Final = 16
"""After how many in a row that took it less the thread ends: a busy machine had made them slow."""


class Prefetch(Source):
    """`prefetch`: a thread makes up to `size` elements ahead, once they take longer than handing them over."""

    label = "prefetch"
    works_ahead = only_waits = True

    def __init__(self, inner: Source, size: int) -> None:
        self._inner, self.size = inner, size

    def setting(self) -> str:
        """See `Source`."""
        return f"{self.size:,}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        inner = self._inner.stream(run)
        if self.size == 0 or isinstance(inner, RowStream):  # numbers of rows take no time
            return inner
        return PrefetchedStream(inner, 2 if self.size < 0 else self.size, run)


class ReadAhead:
    """Elements that a thread has made, and what has become of the stream behind them.

    The thread holds this and not the stream that is asked, so that one that is not asked any more can end it.
    """

    __slots__ = ("elements", "error", "fast", "has_ended", "is_closed", "process", "size")

    def __init__(self, size: int) -> None:
        self.elements: deque[Element] = deque()
        self.size = size
        self.error: BaseException | None = None
        self.has_ended = self.is_closed = False
        self.process = self.fast = 0

    def first(self) -> tuple[Element | None] | None:
        """The next element, in a tuple; the lock is held."""
        if self.elements:
            return (self.elements.popleft(),)
        return (None,) if self.has_ended else None

    def room(self) -> bool | None:
        """Whether to make another element; None for not now; the lock is held."""
        if self.is_closed or self.has_ended:
            return False
        return True if len(self.elements) < self.size else None

    def keep(self, element: Element | None, error: BaseException | None, seconds: float = HAND_OVER) -> bool:
        """Add what the stream behind gave in some seconds; whether the thread ends; the lock is held."""
        if element is None:
            self.has_ended, self.error = True, error
            return False
        self.elements.append(element)  # first: who sees that the thread has ended must see its last element
        self.fast = self.fast + 1 if seconds < HAND_OVER else 0
        return self.fast >= FAST


class PrefetchedStream(DatasetStream):
    """Elements that a thread makes ahead, from when some in a row were slow until many were not; else who asks does."""

    def __init__(self, inner: DatasetStream, size: int, run: StreamRun) -> None:
        self._inner, self._run = inner, run
        self._monitor = run.objects.monitor()
        self._buffer = ReadAhead(size)
        self._end = WhenFreed(partial(setattr, self._buffer, "is_closed", True))
        self._slow = 0

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        buffer = self._buffer
        if self._slow >= SLOW and buffer.fast >= FAST and not buffer.elements and not buffer.has_ended:
            self._slow = buffer.process = buffer.fast = 0
        if self._slow >= SLOW:
            self.begin()
        elif not buffer.elements and not buffer.has_ended:  # `ahead` has made none
            return self._made()
        (element,) = self._monitor.until(buffer.first, "waited for an element of prefetch")
        if element is None and buffer.error is not None:
            error, buffer.error = buffer.error, None
            buffer.has_ended = False
            buffer.process = 0  # a stream may go on after an error
            raise error
        return element

    def at_hand(self) -> Sequence[Element]:
        """See `DatasetStream`."""
        return () if self._buffer.process or self._buffer.elements else self._inner.at_hand()

    def begin(self) -> None:
        """Let a thread make elements from now on, if none does: in a forked child none does."""
        self._slow = SLOW
        if self._buffer.process != os.getpid():
            self._buffer.process, self._buffer.fast = os.getpid(), 0
            self._run.objects.start(partial(_fill, self._inner, self._monitor, self._buffer), "prefetch")

    def _made(self) -> Element | None:
        start = perf_counter()
        element = self._inner.next()
        self._slow = self._slow + 1 if perf_counter() - start >= HAND_OVER else 0
        return element

    def ahead(self) -> Element | None:
        """See `DatasetStream`."""
        buffer = self._buffer
        if self._slow < SLOW and not buffer.elements and not buffer.has_ended:
            element: Element | None = None
            error: BaseException | None = None
            try:
                element = self._made()
            except (CancelledError, DeadlineExceededError):
                raise
            except Exception as raised:  # told to the run that asks for the element
                error = raised
            self._monitor.change(partial(buffer.keep, element, error))
        return self._monitor.change(lambda: buffer.elements[0] if buffer.elements else None)

    def level(self) -> tuple[int, int] | None:
        """See `DatasetStream`."""
        return None if self._slow < SLOW else (len(self._buffer.elements), self._buffer.size)

    def close(self) -> None:
        """See `DatasetStream`."""
        self._buffer.is_closed = True
        self._monitor.change(_nothing)
        self._inner.close()


def _nothing() -> None:
    pass


def _fill(inner: DatasetStream, monitor: Any, buffer: ReadAhead) -> None:
    """What the thread does."""
    while monitor.until(buffer.room, "waited for room in prefetch"):
        element: Element | None = None
        error: BaseException | None = None
        start = perf_counter()
        try:
            element = inner.next()
        except BaseException as raised:
            error = raised
        if monitor.change(partial(buffer.keep, element, error, perf_counter() - start)):
            return


class Cache(Source):
    """`cache` in memory: the elements of the first whole pass, for all later ones of the iterator."""

    label = "cache"

    def __init__(self, inner: Source) -> None:
        self._inner = inner

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        kept = run.kept.get(self)
        if kept is not None:
            return ListStream(kept) if isinstance(kept, list) else ListedRows(*kept)
        keep = partial(run.kept.__setitem__, self)
        inner = self._inner.stream(run)
        return CachingRows(inner, keep) if isinstance(inner, RowStream) else CachingStream(inner, keep)


class CachingRows(RowStream):
    """Rows whose numbers are kept."""

    def __init__(self, inner: RowStream, keep: Any) -> None:
        super().__init__(inner.components)
        self._inner, self._keep = inner, keep
        self._parts: list[Rows] = []

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        rows = self._inner.take(count)
        self._parts.append(rows)
        if count_of(rows) < count:
            self._keep((self.components, numbers_of(joined(self._parts))))
        return rows


class ListedRows(RowStream):
    """Rows by their numbers."""

    def __init__(self, components: tuple[Any, ...], listed: Any) -> None:
        super().__init__(components)
        self._listed, self._at = listed, 0

    def numbers(self, count: int) -> Rows:
        """See `RowStream`."""
        first = self._at
        self._at = min(first + count, len(self._listed))
        return self._listed[first : self._at]


class CachingStream(DatasetStream):
    """Elements that are kept; `keep` gets all of them after the last one."""

    def __init__(self, inner: DatasetStream, keep: Any) -> None:
        self._inner, self._keep = inner, keep
        self._elements: list[Element] = []

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element = self._inner.next()
        if element is None:
            self._keep(self._elements)
            return None
        element = tuple([read_only(each) if each.base is None else each.copy() for each in element])
        self._elements.append(element)
        return element


class FileCache(Source):
    """`cache(filename)`: the elements of the first whole pass, in a file for later passes and processes."""

    label = "cache in a file"

    def __init__(self, inner: Source, path: str, dtypes: tuple[Any, ...]) -> None:
        self._inner, self._path, self._dtypes = inner, path, dtypes

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        file = Path(self._path + ".npz")
        if file.exists():
            return ListStream(self._read(file))
        lock = Path(self._path + ".lockfile")
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            raise AlreadyExistsError(
                message=f"There appears to be a concurrent caching iterator running - cache lockfile already exists "
                f"('{lock}'). If you are sure no other running TF computations are using this cache prefix, delete the "
                "lockfile and re-initialize the iterator"
            ) from None
        except OSError as error:
            raise InvalidArgumentError(message=f"cache cannot write {str(lock)!r}: {error.strerror}") from error
        return FileCachingStream(CachingStream(self._inner.stream(run), partial(self._write, file)), lock)

    def _write(self, file: Path, elements: list[Element]) -> None:
        arrays = {f"{i}_{j}": _plain(part) for i, each in enumerate(elements) for j, part in enumerate(each)}
        partial_file = file.with_name(file.name + ".partial")
        try:
            with partial_file.open("wb") as stream:
                np.savez(stream, count=np.array([len(elements), len(self._dtypes)]), **arrays)
            partial_file.replace(file)
        except OSError as error:
            partial_file.unlink(missing_ok=True)
            raise InvalidArgumentError(message=f"cache cannot write {str(file)!r}: {error.strerror}") from error

    def _read(self, file: Path) -> list[Element]:
        try:
            with np.load(file, allow_pickle=False) as data:
                count, parts = data["count"].tolist()
                return [
                    tuple([_as_kept(data[f"{i}_{j}"], self._dtypes[j]) for j in range(parts)]) for i in range(count)
                ]
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise DataLossError(message=f"cache cannot read {str(file)!r}: {error}; delete it to fill it again"
                                ) from error  # fmt: skip


def _plain(part: Any) -> Any:
    """An array without Python objects: strings are numbers of their bytes, lengths before."""
    if part.dtype.kind != "O":
        return part.view(np.uint8) if part.dtype.kind == "V" else part
    texts = [bytes(each) for each in part.reshape(-1)]
    head = [part.ndim, *part.shape, *map(len, texts)]
    return np.concatenate([np.array(head, "<i8").view(np.uint8), np.frombuffer(b"".join(texts), np.uint8)])


def _as_kept(array: Any, dtype: Any) -> Any:
    if dtype.kind != "O":
        return array.view(dtype) if array.dtype != dtype else array
    rank = int(array[:8].view("<i8")[0])
    shape = tuple(array[8 : 8 * (1 + rank)].view("<i8").tolist())
    count = int(np.prod(shape))
    lengths = array[8 * (1 + rank) : 8 * (1 + rank + count)].view("<i8").tolist()
    rest = array[8 * (1 + rank + count) :].tobytes()
    out = np.empty(count, object)
    at = 0
    for i, length in enumerate(lengths):
        out[i] = rest[at : at + length]
        at += length
    return out.reshape(shape)


class FileCachingStream(DatasetStream):
    """Elements that are written to a file after the last one."""

    def __init__(self, inner: DatasetStream, lock: Path) -> None:
        self._inner, self._lock = inner, lock

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        element = self._inner.next()
        if element is None:
            self._lock.unlink(missing_ok=True)
        return element

    def close(self) -> None:
        """See `DatasetStream`."""
        self._lock.unlink(missing_ok=True)
        self._inner.close()
