"""`map` with several elements at the same time: threads of the stream work ahead, and the results come in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .batching import batched_stream
from .mapping import Map, MapBatches
from .streams import DatasetStream, Element, Function, Source, StreamRun


class ParallelMap(Map):
    """`map` with `num_parallel_calls`: some elements are worked on at the same time, and come in order."""

    works_ahead = True

    def __init__(
        self, inner: Source, captures: Sequence[Any], function: Function, calls: int, all_rows: bool = False
    ) -> None:
        super().__init__(inner, captures, function, all_rows)
        self.calls = calls

    def setting(self) -> str:
        """See `Source`."""
        return ", ".join(filter(None, (super().setting(), f"num_parallel_calls={self.calls}")))

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return ParallelStream(self.inner.stream(run), partial(_applied, self), self.calls, run)


class ParallelMapBatches(MapBatches):
    """`map` with `num_parallel_calls` before `batch`: some batches are made at the same time, and come in order."""

    works_ahead = True

    def __init__(self, batches: ParallelMap, elements: Map, size: int, drop_remainder: bool) -> None:
        super().__init__(batches, elements, size, drop_remainder)
        self.calls = batches.calls

    def setting(self) -> str:
        """See `Source`."""
        return f"{super().setting()}, num_parallel_calls={self.calls}"

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        batches = batched_stream(self.inner.stream(run), self.size, False)
        return ParallelStream(batches, self.results, self.calls, run)


class _Task:
    """One element that is worked on; without an element one that is being read."""

    __slots__ = ("element", "error", "is_done", "result")

    def __init__(self) -> None:
        self.element: Element | None = None
        self.is_done = False
        self.result: Element | None = None
        self.error: BaseException | None = None


class ParallelStream(DatasetStream):
    """The results of a function, which threads of the stream compute ahead."""

    is_mapped = True

    def __init__(
        self, inner: DatasetStream, function: Callable[[Element], Element | None], calls: int, run: StreamRun
    ) -> None:
        """The results of a function; None ends them.

        calls: how many elements are worked on at the same time.
        """
        self._inner, self._function, self._calls, self._run = inner, function, calls, run
        self._monitor = run.objects.monitor()
        self._tasks: deque[_Task] = deque()
        self._is_reading = self._has_ended = self._is_closed = False
        self._threads = 0
        self._process = os.getpid()

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        if self._process != os.getpid():
            self._go_on_in_child()
        while self._threads < self._calls and not self._has_ended:
            self._threads += 1
            self._run.objects.start(self._work, "map")
        task = self._monitor.until(self._first, "waited for an element of map")
        if task.error is not None:
            raise task.error
        return task.result

    def _go_on_in_child(self) -> None:
        """Do in a forked child what threads were about to do, which are in the parent."""
        self._process, self._threads, self._is_reading = os.getpid(), 0, False
        self._tasks = deque([task for task in self._tasks if task.is_done or task.element is not None])
        for task in self._tasks:
            if not task.is_done and task.element is not None:
                self._compute(task, task.element)

    def _first(self) -> _Task | None:
        """The first task if it is done; the lock is held."""
        if self._tasks and self._tasks[0].is_done:
            return self._tasks.popleft()
        return _END if self._has_ended and not self._tasks else None

    def _begun(self) -> _Task | bool | None:
        """A new task whose element this thread may read; False if there is nothing more to do; the lock is held."""
        if self._is_closed or self._has_ended:
            return False
        if self._is_reading or len(self._tasks) >= self._calls:
            return None
        self._is_reading = True
        task = _Task()
        self._tasks.append(task)
        return task

    def _work(self) -> None:
        monitor = self._monitor
        while isinstance(task := monitor.until(self._begun, "waited for room in map"), _Task):
            element, error = _result_of(self._inner.next)
            monitor.change(partial(self._end_reading, task, element, error))
            if element is not None:
                self._compute(task, element)

    def _compute(self, task: _Task, element: Element) -> None:
        task.result, task.error = _result_of(partial(self._function, element))
        self._monitor.change(partial(setattr, task, "is_done", True))

    def _end_reading(self, task: _Task, element: Element | None, error: BaseException | None) -> None:
        """Let another thread read; the lock is held."""
        self._is_reading = False
        task.element = element
        if element is None:
            task.error, task.is_done = error, True
            if error is None:
                self._has_ended = True
                self._tasks.remove(task)

    def level(self) -> tuple[int, int] | None:
        """See `DatasetStream`."""
        return sum(task.is_done for task in list(self._tasks)), self._calls

    def close(self) -> None:
        """See `DatasetStream`."""
        self._is_closed = True
        self._monitor.change(lambda: None)
        self._inner.close()


def _result_of(call: Callable[[], Element | None]) -> tuple[Element | None, BaseException | None]:
    """What a call returns, and what it raises."""
    try:
        return call(), None
    except BaseException as error:
        return None, error


def _applied(source: Map, element: Element) -> Element:
    return tuple(source.function(*element, *source.captures))


_END = _Task()
_END.is_done = True
