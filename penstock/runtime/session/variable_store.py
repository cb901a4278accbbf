"""The values of a session's variables, and which runs may use them at the same time.

A run takes a *lease* of the variables that it reads and writes, all at once, before its first step, and gives it back
after its last:

    a run that writes v     waits until no other run writes v
    a run that reads v      waits only while another run may overwrite the memory of v; it then keeps the value that v
                            had at its start, whatever is written meanwhile

Runs that have to wait go in the order in which they came. A run that takes all at once and holds nothing while it waits
cannot be part of a deadlock. Where a variable would be overwritten in place while another run reads it, the writer gets
a copy.

The arrays are the session's: callers get copies, and what they give is copied.

A fork waits, for a while, until the runs of other threads that write have ended, so that the child finds each variable
whole, and all of a run or nothing. What such a run was overwriting when the time was up has no value in the child.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import itemgetter
from queue import Empty, SimpleQueue
from threading import get_ident
from time import monotonic, sleep
from typing import Any, Final

import numpy as np

from ...errors import FailedPreconditionError, SessionClosedError, UseError
from ...graph.common.locks import LockKind, around_fork, in_child, new_lock
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.weak_table import WeakTable
from ...graph.shapes.literal import Array
from ..base.fp_context import in_quiet_context
from ..base.pending_writes import PendingWrites
from ..base.stop_signal import current_signal

_AGAIN = 0.05
"""Seconds after which a waiting run looks again, in case a run was interrupted before it could wake others."""

_SOON = 0.0005
"""Seconds after which a fork looks again whether runs have ended."""



_TRUE: Final = np.array(True)
_FALSE: Final = np.array(False)


@dataclass(frozen=True, slots=True)
class StateUse:
    """What the runs of one plan do with variables.

    Attributes:
        reads: the variables whose value at the start the run needs, in the order of the plan.
        order: for each state feed its variable and kind: see `ir.stage.StateFeed`.
        stand_ins: for each state feed the array that stands for a value that is missing, or None.
        writes: the variables that it writes, in the order of the plan.
        over: those whose memory it may overwrite.
        at_once: gives the arrays of all state feeds that a store has; None if not all feeds are values.
    """

    reads: frozenset[str]
    order: tuple[tuple[str, str], ...]
    stand_ins: tuple[Array | None, ...]
    writes: tuple[str, ...]
    written: frozenset[str]
    over: frozenset[str]
    at_once: Callable[[Mapping[str, Array]], tuple[Array, ...]] | None = None


class Lease:
    """The right of one run to use variables. `is_open` is all that ends it, one assignment that nothing divides."""

    __slots__ = ("is_open", "thread", "use", "woken")

    def __init__(self, use: StateUse) -> None:
        self.use = use
        self.thread = get_ident()
        self.is_open = True
        self.woken: SimpleQueue[None] | None = None  # of a run that waits: an entry when it may be its turn


class VariableStore:
    """The values of the variables of one session, by resource. Thread-safe."""

    __slots__ = (
        "__weakref__", "_forks", "_is_closed", "_leases", "_lock", "_lost", "_queue", "_values", "held",
        "last_checkpoint",
    )  # fmt: skip

    def __init__(self) -> None:
        self.last_checkpoint = ""  # what a Saver wrote or read last, for errors about values that are lost
        self._values: dict[str, Array] = {}
        self.held: Callable[[str], Any] = self._values.get
        """What the store has as the value of a variable: an array, or what stands for one that lies elsewhere."""
        self._lock = new_lock(LockKind.STATE)
        self._leases: list[Lease] = []
        self._queue: list[Lease] = []  # runs that wait, the first one first
        self._forks: list[int] = []  # the threads that are about to fork
        self._is_closed = False
        self._lost: set[str] = set()  # what another thread was overwriting when this process was forked
        _stores[self] = None

    @property
    def waiting(self) -> int:
        """How many runs wait for their turn."""
        return len(self._queue)

    # ---- runs -------------------------------------------------------------------------------

    def begin(self, lease: Lease) -> list[Any]:
        """The arrays of the state feeds of a run, from now until `end(lease)`.

        Raises:
            FailedPreconditionError: a variable has no value; the message names its resource only.
            UseError: the run would wait for a run of its own thread.
            DeadlineExceededError: the time of the run is over.
            SessionClosedError: the session was closed meanwhile.
        """
        with self._lock:
            if not ((self._leases or self._queue or self._forks) and self._must_wait(lease)):
                return self._given(lease)
            woken: SimpleQueue[None] = SimpleQueue()
            lease.woken = woken
            self._queue.append(lease)
        # It waits without the lock, so that Ctrl-C finds nothing half done: a `Condition` that is interrupted when it
        # takes its lock again leaves without it.
        signal = current_signal()
        while True:
            if signal is not None:
                signal.check(lambda: self._waited_for(lease))
            with suppress(Empty):
                woken.get(timeout=_AGAIN if signal is None else signal.at_most(_AGAIN))
            with self._lock:
                if not self._must_wait(lease):
                    return self._given(lease)

    def _given(self, lease: Lease) -> list[Any]:
        """The arrays of a run that may begin; the lock is held."""
        values = self._values
        if lease.use.at_once is not None and not self._leases and not self._queue:  # 0.1 us a variable less
            with suppress(KeyError):
                arrays = list(lease.use.at_once(values))
                self._leases.append(lease)
                return arrays
        arrays = []
        for (resource, kind), stand_in in zip(lease.use.order, lease.use.stand_ins, strict=True):
            if kind == "asks":
                arrays.append(_TRUE if resource in values else _FALSE)
                continue
            value = values.get(resource)
            if value is None:
                if stand_in is not None:
                    arrays.append(stand_in)
                    continue
                if self._is_closed:
                    raise SessionClosedError("The session was closed while this run waited. Open a new one.")
                raise LostValue(resource) if resource in self._lost else MissingValue(resource)
            if self._leases and resource in lease.use.over and self._is_read(resource):
                value = value.copy()
            arrays.append(value)
        self._leases.append(lease)
        if self._queue and lease in self._queue:
            self._queue.remove(lease)
        return arrays

    def end(self, lease: Lease) -> None:
        """Give a lease back. Safe to call for one that never began."""
        lease.is_open = False
        with self._lock:
            if lease in self._leases:
                self._leases.remove(lease)
            if self._queue:
                if lease in self._queue:  # it was interrupted, or failed, before it began
                    self._queue.remove(lease)
                self._wake()

    def _wake(self) -> None:
        """Let the runs that wait look again."""
        for waiting in self._queue:
            if waiting.woken is not None:
                waiting.woken.put(None)

    def _must_wait(self, lease: Lease) -> bool:
        use = lease.use
        if not all(other.is_open for other in self._leases):
            self._leases = [other for other in self._leases if other.is_open]
        for other in self._leases:
            theirs = other.use
            if not use.written.isdisjoint(theirs.written) or not use.reads.isdisjoint(theirs.over):
                if other.thread == lease.thread:
                    common = (use.written & theirs.written) | (use.reads & theirs.over)
                    raise UseError(
                        f"Session.run: the variable {min(common)!r} is written by a run of this session that is under "
                        "way in this thread, so a run that uses it would wait for itself for ever. Take the value as "
                        "an input of the py_func, or run it before or after"
                    )
                return True
        if any(other.thread == lease.thread for other in self._leases):
            return False  # a run inside a run cannot wait for those that wait for the outer one
        if use.written and any(thread != lease.thread for thread in self._forks):
            return True
        for earlier in self._queue:
            if earlier is lease:
                break
            if earlier.is_open and _conflict(use, earlier.use):
                return True  # it came first, or a thread that runs in a loop would never let it in
        return False

    def _waited_for(self, lease: Lease) -> str:
        """What a run does that waits, in words."""
        use = lease.use
        for other in (*self._leases, *self._queue):
            common = (use.written & other.use.written) | (use.reads & other.use.over) | (use.over & other.use.reads)
            if other is not lease and common:
                return f"waited for another run of this session, which uses the variable {min(common)!r}"
        return "waited for other runs of this session"

    def _is_read(self, resource: str) -> bool:
        return any(resource in other.use.reads for other in self._leases)

    # ---- forks ------------------------------------------------------------------------------

    def pause(self) -> None:
        """Let no run of another thread begin to write."""
        with self._lock:
            self._forks.append(get_ident())

    def go_on(self) -> None:
        """The end of `pause`."""
        with self._lock:
            if get_ident() in self._forks:
                self._forks.remove(get_ident())
            self._wake()

    def is_written(self) -> bool:
        """Whether a run of another thread writes."""
        me = get_ident()
        return any(lease.is_open and lease.use.written and lease.thread != me for lease in self._leases.copy())

    def keep_own(self) -> None:
        """In a forked child: forget the runs of threads that are in the parent."""
        me = get_ident()
        for lease in self._leases:
            if lease.is_open and lease.thread != me:
                for resource in lease.use.over:
                    self._lost.add(resource)
                    self._values.pop(resource, None)
        self._leases = [lease for lease in self._leases if lease.thread == me]
        self._queue = [lease for lease in self._queue if lease.thread == me]
        self._forks = [thread for thread in self._forks if thread == me]

    # ---- values -----------------------------------------------------------------------------

    def load(self, values: Mapping[str, Array]) -> None:
        """Give variables values, all at once, when no run writes them. The arrays are the store's from now on."""
        lease = Lease(use_of((), tuple(values), tuple(values)))
        try:
            try:
                self.begin(lease)
                self._values.update(values)
            finally:
                self.end(lease)
        finally:  # Ctrl-C at the first line of the block above
            lease.is_open = False

    @contextmanager
    def reading(self, resources: Sequence[str]) -> Iterator[list[Array]]:
        """A `with` block with the values of variables at one moment; runs that write meanwhile write beside them.

        Raises:
            FailedPreconditionError: a variable has no value.
        """
        lease = Lease(use_of([(resource, "value") for resource in resources], ()))
        try:
            try:
                yield self.begin(lease)
            finally:
                self.end(lease)
        finally:  # Ctrl-C at the first line of the block above
            lease.is_open = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """A `with` block after which all variables have the values that they had before it."""
        before = {resource: value.copy() for resource, value in self._values.copy().items()}
        try:
            yield
        finally:
            with self._lock:
                self._values.clear()
                self._values.update(before)

    def put(self, values: Mapping[str, Array]) -> None:
        """Make arrays, which nothing else holds, the values of variables: all at once for runs that begin to read."""
        before = [self._values.get(resource) for resource in values]
        with self._lock:
            self._values.update(values)
            if self._is_closed:
                self._values.clear()
        del before  # memory is given back without the lock

    def commit(self, values: Mapping[str, Array], writes: PendingWrites) -> None:
        """The end of a run that writes: `put`, and the writes over arrays that are values already.

        All of it is done or nothing, whatever interrupts it.
        """
        before = [self._values.get(resource) for resource in values]  # freed without the lock
        if values:
            writes.calls.append(partial(self._values.update, values))
            with self._lock:
                in_quiet_context(writes.make)
        else:
            in_quiet_context(writes.make)
        writes.calls.clear()
        writes.kept.clear()
        del before
        if self._is_closed:
            with self._lock:
                self._values.clear()

    def get(self, resource: str) -> Array | None:
        """The value of a variable, which the caller must not change or keep; None if there is none."""
        return self._values.get(resource)

    def holds(self, array: Array) -> bool:
        """Whether an array is the value of a variable."""
        return any(each is array for each in self._values.copy().values())

    def has(self, resource: str) -> bool:
        """Whether a variable has a value."""
        return resource in self._values

    def names(self) -> list[str]:
        """The variables that have a value."""
        return list(self._values)

    def close(self) -> None:
        """Free all values; runs that are under way leave none."""
        self._is_closed = True
        with self._lock:
            self._values.clear()


def _conflict(one: StateUse, other: StateUse) -> bool:
    """Whether two runs cannot use their variables at the same time."""
    return not (
        one.written.isdisjoint(other.written)
        and one.reads.isdisjoint(other.over)
        and other.reads.isdisjoint(one.over)
    )


class LostValue(FailedPreconditionError):
    """A variable that another thread was overwriting when this process was forked."""

    def __init__(self, resource: str) -> None:
        super().__init__(
            message=f"the variable {resource!r} has no value in this process: another thread was overwriting it when "
            "the process was forked, and did not end in time. Give it one: restore a checkpoint, run its initializer, "
            "or fork when no run writes"
        )


class MissingValue(FailedPreconditionError):
    """A variable that has no value yet; `StateRun` adds the lines of the graph."""

    def __init__(self, resource: str) -> None:
        super().__init__(message=f"Attempting to use uninitialized value {resource}")
        self.resource = resource


def use_of(
    order: Sequence[tuple[str, str]],
    writes: Sequence[str],
    over: Sequence[str] = (),
    stand_ins: Sequence[Array | None] = (),
) -> StateUse:
    """What the runs of a plan do with variables; see `StateUse`."""
    reads = frozenset(resource for resource, kind in order if kind != "asks")
    at_once = itemgetter(*[resource for resource, _ in order]) if len(order) > 1 and len(order) == len(reads) else None
    return StateUse(
        reads, tuple(order), tuple(stand_ins) or (None,) * len(order), tuple(writes), frozenset(writes),
        frozenset(over), at_once,
    )  # fmt: skip


_stores: WeakTable[VariableStore, None] = WeakTable()


def _pause(until: float) -> None:
    """Before a fork: wait until no other thread writes variables."""
    stores = list(_stores)
    for store in stores:
        store.pause()
    while any(store.is_written() for store in stores) and monotonic() < until:
        sleep(_SOON)


def _go_on() -> None:
    for store in list(_stores):
        store.go_on()


def _only_own() -> None:
    for store in list(_stores):
        store.keep_own()


around_fork(_pause, _go_on)
in_child(_only_own)
