"""Queues of a session: elements that runs put in and take out, and who waits for whom.

An element is a row of arrays that were put in together: a batch that was put in at once is copied once, and one that is
taken out as it was put in is not copied again. Runs that cannot go on wait in two lines, one before the queue and one
behind it: only the first of a line is served, so those who came first go first. A run that asks for several elements
takes them one by one as they come; if it ends before it has all, it puts them back.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from ...errors import CancelledError, InvalidArgumentError, OutOfRangeError
from ...graph.declare.object_place import ObjectTable
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..datasets.streams import read_only

Columns: TypeAlias = tuple[Any, ...]
"""The components of elements, stacked."""
Entry: TypeAlias = tuple[Columns, int]
"""An element: the columns, and its row in them."""

_FOR_ROOM: Final = "waited for room in"


class _Ticket:
    """The place of a run in a line.

    Attributes:
        taken: the elements that it has taken.
        is_cancelled: whether `close(cancel_pending_enqueues=True)` has ended its waiting.
        is_next: whether it has become the first of its line and has not looked since.
    """

    __slots__ = ("done", "is_cancelled", "is_next", "taken")

    def __init__(self) -> None:
        self.taken: list[Entry] = []
        self.done = 0
        self.is_cancelled = self.is_next = False


class QueueObject:
    """Elements in the order in which they came.

    Attributes:
        kind: the name of its class, for errors.
        name: its name in the session.
        dtypes: the dtypes of an element.
        shapes: its shapes; unknown ones where the queue was made without.
    """

    kind: str = "FIFOQueue"
    _kept = 0
    """How many elements stay in it until it is closed."""

    def __init__(
        self, objects: ObjectTable, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int
    ) -> None:
        self.name = name
        self.dtypes, self.shapes = tuple(dtypes), tuple(shapes)
        self._capacity = capacity
        self._monitor = objects.monitor()
        self._before: deque[_Ticket] = deque()
        self._behind: deque[_Ticket] = deque()
        self._is_closed = False
        self._held: Any = self._empty()
        self._fitting: list[tuple[Any, Any]] = []  # the dtypes and shapes of the last elements that were checked
        self.put_in = self.taken_out = 0
        """How many elements have gone in and out, including those that were put back."""

    # ---- what kinds of queues do differently --------------------------------------------------

    def _empty(self) -> Any:
        return deque()

    def _put(self, entry: Entry) -> None:
        self._held.append(entry)

    def _take(self) -> Entry:
        entry: Entry = self._held.popleft()
        return entry

    def _put_back(self, entries: Sequence[Entry]) -> None:
        self._held.extendleft(reversed(entries))

    def _free(self) -> int:
        """How many elements may be taken now; the lock is held."""
        return len(self._held)

    # ---- putting in -------------------------------------------------------------------------

    def enqueue(self, columns: Columns) -> None:
        """Put the rows of arrays in, one by one as there is room.

        Raises:
            InvalidArgumentError: they do not fit.
            CancelledError: the queue is closed.
        """
        self._check(columns)
        number = len(columns[0])
        if not number or (number == 1 and self._monitor.now(self._put_at_once, columns)):
            return
        ticket = _Ticket()

        def attempt() -> bool | None:
            if ticket.is_cancelled:
                raise CancelledError(message=f"Enqueue operation was cancelled: {self.kind} {self.name!r} was closed")
            if not ticket.done and ticket not in self._before:
                if self._is_closed:
                    raise CancelledError(message=f"{self.kind} '{self.name}' is closed.")
                self._before.append(ticket)
            if self._before[0] is not ticket:
                return None
            ticket.is_next = False
            held, before = self._held, ticket.done
            while ticket.done < number and (self._capacity < 0 or len(held) < self._capacity):
                self._put((columns, ticket.done))
                ticket.done += 1
                self.put_in += 1
            if ticket.done == number:
                return True
            if ticket.done > before:
                self._monitor.change(_nothing)  # others may go on, though this run waits
            return None

        def pays() -> bool:
            room = self._capacity - len(self._held)  # several at once: each change of threads takes longer than a run
            some = 1 + (self._capacity - self._kept) // 4
            return ticket.is_next or ticket.is_cancelled or self._is_closed or room >= min(number - ticket.done, some)

        try:
            self._monitor.until(attempt, f"{_FOR_ROOM} queue {self.name!r}", self._why_full, pays)
        finally:
            self._leave(self._before, ticket)

    def _put_at_once(self, columns: Columns) -> bool | None:
        """Put an element in where that needs no waiting; the lock is held."""
        if self._before or self._is_closed or 0 <= self._capacity <= len(self._held):
            return None
        self._put((columns, 0))
        self.put_in += 1
        return True

    def _check(self, columns: Columns) -> None:
        kinds = [(column.dtype, column.shape[1:]) for column in columns]
        if kinds == self._fitting:
            return
        for i, (column, dtype, shape) in enumerate(zip(columns, self.dtypes, self.shapes, strict=True)):
            if column.dtype != dtype.np:
                raise InvalidArgumentError(
                    message=f"Type mismatch in tuple component {i}. Expected {dtype.name}, got {column.dtype}"
                )
            if not shape.is_compatible_with(column.shape[1:]):
                raise InvalidArgumentError(
                    message=f"Shape mismatch in tuple component {i}. Expected {shape}, got {list(column.shape[1:])}"
                )
        self._fitting = kinds

    def close(self, cancel_pending_enqueues: bool = True) -> None:
        """Let nothing more be put in. Runs that wait to put something in still may, unless that is cancelled.

        Raises:
            CancelledError: it is closed already.
        """
        ticket = _Ticket()

        def attempt() -> bool | None:
            if self._is_closed:
                raise CancelledError(message=f"{self.kind} '{self.name}' is already closed.")
            if cancel_pending_enqueues:
                for each in self._before:
                    each.is_cancelled = True
            elif self._before and ticket not in self._before:
                self._before.append(ticket)
            if self._before and not cancel_pending_enqueues and self._before[0] is not ticket:
                return None
            self._is_closed = True
            return True

        try:
            self._monitor.until(attempt, f"waited to close queue {self.name!r}")
        finally:
            self._leave(self._before, ticket)

    # ---- taking out -------------------------------------------------------------------------

    def dequeue(self) -> Sequence[Any]:
        """The next element.

        Raises:
            OutOfRangeError: the queue is closed and empty.
        """
        ((columns, row),) = self._taken(1, False)
        return [column[row, ...] for column in columns]

    def dequeue_many(self, number: int, up_to: bool) -> Sequence[Any]:
        """The next elements, stacked; fewer if the queue ends before and `up_to` allows it.

        Raises:
            InvalidArgumentError: `number` is negative, or the queue was made without shapes.
            OutOfRangeError: the queue is closed and has too few.
        """
        if number < 0:
            raise InvalidArgumentError(message=f"DequeueManyOp requested {number} < 0 elements")
        self._require_shapes("DequeueUpTo" if up_to else "DequeueMany")
        if not number:
            return [np.empty((0, *(size or 0 for size in shape.as_list())), dtype.np)
                    for dtype, shape in zip(self.dtypes, self.shapes, strict=True)]  # fmt: skip
        parts = _parts_of(self._taken(number, up_to))
        columns, rows = parts[0]
        if len(parts) > 1:
            return [self._joined([part[i][rows] for part, rows in parts]) for i in range(len(columns))]
        if rows.stop - rows.start == len(columns[0]):  # nothing else has them
            return columns
        return [read_only(column[rows]) for column in columns]

    def _require_shapes(self, what: str) -> None:
        if not all(shape.is_known for shape in self.shapes):
            raise InvalidArgumentError(
                message=f"{self.kind}'s {what} requires the components to have specified shapes. Give shapes= where "
                f"the queue {self.name!r} is made"
            )

    def _joined(self, parts: Sequence[Any]) -> Any:
        """Rows of a component, some at a time, as one array."""
        return np.concatenate(parts)

    def _take_at_once(self, taken: list[Entry], number: int) -> bool | None:
        """Take elements out where that needs no waiting; the lock is held."""
        if self._behind or self._free() < number:
            return None
        for _ in range(number):
            taken.append(self._take())
            self.taken_out += 1
        return True

    def _taken(self, number: int, up_to: bool) -> list[Entry]:
        ticket = _Ticket()

        def pays() -> bool:
            is_full = 0 <= self._capacity <= len(self._held)
            return ticket.is_next or is_full or self._is_closed or self._free() >= number - len(ticket.taken)

        def attempt() -> list[Entry] | None:
            if ticket not in self._behind:
                self._behind.append(ticket)
            if self._behind[0] is not ticket:
                return None
            ticket.is_next = False
            before = len(ticket.taken)
            while len(ticket.taken) < number and self._free() > 0:
                ticket.taken.append(self._take())
                self.taken_out += 1
            if len(ticket.taken) == number:
                return ticket.taken
            if len(ticket.taken) > before:
                self._monitor.change(_nothing)
            if self._is_closed and not self._before and self._free() <= 0:
                if up_to and ticket.taken:
                    return ticket.taken
                size = len(ticket.taken)
                raise OutOfRangeError(message=f"{self.kind} '{self.name}' is closed and has insufficient elements "
                                              f"(requested {number}, current size {size})")  # fmt: skip
            return None

        is_done = False
        try:
            if self._monitor.now(self._take_at_once, ticket.taken, number):
                is_done = True
                return ticket.taken
            found = self._monitor.until(
                attempt, f"waited for {_some(number)} of queue {self.name!r}", self._why_empty, pays
            )
            is_done = True
            return found
        finally:
            self._leave(self._behind, ticket, () if is_done else ticket.taken)

    def _why_empty(self) -> str:
        """What a program has probably forgotten that waits for an element; "" if elements have come already."""
        if self.put_in:
            return ""
        return (
            "Nothing has been put into the queue so far. If a queue runner fills it, as those of tf.train.batch and "
            "string_input_producer do, start the runners before the run: tf.train.start_queue_runners(session)"
        )

    def _why_full(self) -> str:
        """The same of a program that waits for room."""
        if self.taken_out:
            return ""
        return (
            f"The queue holds at most {self._capacity}, and nothing has been taken out so far. Take elements out in "
            "another thread, or give the queue a larger capacity"
        )

    def _leave(self, line: deque[_Ticket], ticket: _Ticket, taken: Sequence[Entry] = ()) -> None:
        """Leave a line, and put back what was taken in vain."""

        def change() -> None:
            if ticket in line:
                line.remove(ticket)
                if line:
                    line[0].is_next = True
            if taken:
                self._put_back(taken)
                self.taken_out -= len(taken)

        if ticket in line or taken:
            self._monitor.change(change)

    # ---- several at a time, without waiting ----------------------------------------------------

    def ready(self, most: int) -> list[Entry]:
        """Up to `most` elements, taken as by `dequeue`; none where another run waits for them."""
        taken: list[Entry] = []

        def take() -> bool | None:
            number = 0 if self._behind else min(most, self._free())
            return self._take_at_once(taken, number) if number > 0 else None

        self._monitor.now(take)
        return taken

    def put_back(self, entries: Sequence[Entry]) -> None:
        """Undo `ready` for the last elements that it gave."""
        self._leave(self._behind, _Ticket(), entries)

    def room(self) -> int:
        """For how many elements there is room now; 0 where another run waits for it."""
        if self._before or self._is_closed:
            return 0
        return sys.maxsize if self._capacity < 0 else self._capacity - len(self._held)

    def put_ready(self, elements: Sequence[Columns]) -> int:
        """Put elements of one row each in as far as there is room; how many.

        Raises:
            InvalidArgumentError: one does not fit; those before it are not put in either.
        """
        for each in elements:
            self._check(each)

        def put() -> int | None:
            number = min(len(elements), self.room())
            for each in elements[:number]:
                self._put((each, 0))
            self.put_in += number
            return number or None

        return self._monitor.now(put) or 0

    # ---- looking ----------------------------------------------------------------------------

    def size(self) -> int:
        """How many elements are in it."""
        return self._monitor.change(lambda: len(self._held))

    def is_closed(self) -> bool:
        """Whether it is closed."""
        return self._is_closed

    @property
    def capacity(self) -> int:
        """How many elements it holds at most; negative without a limit."""
        return self._capacity

    def lines(self) -> tuple[int, int]:
        """How many runs wait to put something in, and how many to take something out."""
        return len(self._before), len(self._behind)

    def waited(self) -> tuple[float, float]:
        """For how many seconds runs have waited to put something in, and to take something out."""
        waits = self._monitor.waits.copy()
        for_room = sum([seconds for doing, seconds in waits.items() if doing.startswith(_FOR_ROOM)])
        return for_room, sum(waits.values()) - for_room


def _nothing() -> None:
    pass


def _parts_of(entries: Sequence[Entry]) -> list[tuple[Columns, slice]]:
    """Elements as parts of columns: rows that follow each other are one part."""
    parts: list[tuple[Columns, slice]] = []
    before, first, stop = entries[0][0], entries[0][1], entries[0][1]
    for columns, row in entries:
        if columns is not before or row != stop:
            parts.append((before, slice(first, stop)))
            before, first = columns, row
        stop = row + 1
    parts.append((before, slice(first, stop)))
    return parts


def _some(number: int) -> str:
    return "an element" if number == 1 else f"{number} elements"
