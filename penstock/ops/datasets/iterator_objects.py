"""Iterators of a session: a stream of a dataset, and who may ask it now."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import FailedPreconditionError, InvalidArgumentError, OpError
from ...graph.declare.object_place import ObjectTable
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from .failed_stage import tell_stage
from .file_sources import end_of_sequence
from .streams import DatasetStream, Element, Source, StreamRun


class IteratorObject:
    """An iterator: it gives one element at a time, to whichever run asks first."""

    def __init__(self, objects: ObjectTable, name: str) -> None:
        self._objects, self._name = objects, name
        self._monitor = objects.monitor()
        self._stream: DatasetStream | None = None
        self._source: Source | None = None
        self._run = StreamRun(objects)
        self._idle: deque[None] = deque([None])  # empty while a run uses it: taking the entry is one atomic operation
        self._doing = f"waited for iterator {name!r}, which another run uses"
        self.checked: tuple[Any, list[Any]] = None, []
        """The shapes that were promised of the last element that was checked, and the dtype and shape of each array."""
        self._taken = 0
        self.at_hand: deque[Element] = deque()
        """Elements that were taken from the stream and not given yet; to take one is one atomic operation."""

    def begin(self, source: Source) -> None:
        """Begin a new pass over a dataset."""
        self._start(source, StreamRun(self._objects, watch=self._run.watch))

    def _start(self, source: Source, run: StreamRun) -> None:
        self._take()
        try:
            before, self._stream = self._stream, None
            if before is not None:
                before.close()
            self._source, self._run, self._taken = source, run, 0
            self.at_hand.clear()
            self._stream = source.stream(run)
        except OpError as error:
            tell_stage(error)
            raise
        finally:
            self._release()

    def next(self) -> Element:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
            FailedPreconditionError: it is not initialised.
        """
        at_hand = self.at_hand
        self._take()
        try:
            if at_hand:
                return at_hand.popleft()
            if self._stream is None:
                raise FailedPreconditionError(
                    message=f"GetNext() failed because the iterator {self._name!r} has not been initialized. Ensure "
                    "that you have run the initializer operation for this iterator before getting the next element: "
                    "session.run(iterator.initializer), with feeds for the placeholders of its dataset"
                )
            element = self._stream.next()
            if element is None:
                raise end_of_sequence()
            more = self._stream.at_hand()
            self._taken += 1 + len(more)
            at_hand.extend(more)
            return element
        except OpError as error:
            tell_stage(error)
            raise
        finally:
            self._release()

    def ahead(self) -> Element | None:
        """The next element, which stays the next; None if it is not known, or another run asks now."""
        if not self._try():
            return None
        try:
            if self.at_hand or self._stream is None:
                return self.at_hand[0] if self.at_hand else None
            return self._stream.ahead()
        finally:
            self._release()

    def hand(self, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> Callable[[], Element | None]:
        """Takes an element that lies at hand, for runs whose graph was promised these dtypes and shapes.

        Returns:
            A function; it gives None where there is none, or where none was checked for such a promise.
        """
        kinds, dims = [dtype.np for dtype in dtypes], [shape.raw for shape in shapes]
        known: Any = None
        fits = False

        def take() -> Element | None:
            nonlocal known, fits
            if self.checked is not known:
                known = promised, usual = self.checked
                fits = promised is not None and [shape.raw for shape in promised] == dims
                fits = fits and [dtype for dtype, _ in usual] == kinds
            try:
                return self.at_hand.popleft() if fits and self.at_hand else None
            except IndexError:  # another run was faster
                return None

        return take

    @property
    def given(self) -> int:
        """How many elements it has given since it was initialised."""
        return self._taken - len(self.at_hand)

    @property
    def name(self) -> str:
        """Its name in the session."""
        return self._name

    @property
    def source(self) -> Source | None:
        """The dataset whose elements it gives; None before it is initialised."""
        return self._source

    @property
    def stream(self) -> DatasetStream | None:
        """The pass that it is in; None before it is initialised."""
        return self._stream

    def watch(self, heard: Callable[[DatasetStream], None] | None) -> None:
        """Let `heard` be called with every stream that begins from now on; None ends that."""
        for run in self._run.and_those_within():
            run.watch = heard

    def position(self) -> dict[str, Any]:
        """Where it is: what `restore` takes."""
        return {"given": self.given, "seeds": [list(pair) for pair in self._run.seeds]}

    def restore(self, position: dict[str, Any]) -> None:
        """Go to a position of a pass over the same dataset.

        Raises:
            FailedPreconditionError: it is not initialised.
            InvalidArgumentError: the dataset ends before.
        """
        source = self._source
        if source is None:
            raise FailedPreconditionError(message=f"the iterator {self._name!r} is not initialised, so its position "
                                                  "cannot be restored. Run its initializer before")  # fmt: skip
        seeds = [(int(a), int(b)) for a, b in position["seeds"]]
        self._start(source, StreamRun(self._objects, replayed=seeds, watch=self._run.watch))
        wanted = int(position["given"])
        self._take()
        try:
            assert self._stream is not None
            self._taken = self._stream.skip(wanted)
        except OpError as error:
            tell_stage(error)
            raise
        finally:
            self._release()
        if self.given < wanted:
            raise InvalidArgumentError(message=f"the iterator {self._name!r} was at element {wanted}, and the dataset "
                                               f"has {self.given}: it is another one")  # fmt: skip

    def _take(self) -> None:
        try:
            self._idle.pop()
        except IndexError:
            self._monitor.until(self._try, self._doing)

    def _try(self) -> bool | None:
        try:
            self._idle.pop()
        except IndexError:
            return None
        return True

    def _release(self) -> None:
        self._idle.append(None)
        self._monitor.wake()

    def end(self) -> None:
        """End what works for it: the session ends."""
        stream, self._stream = self._stream, None
        self.at_hand.clear()
        if stream is not None:
            stream.close()
