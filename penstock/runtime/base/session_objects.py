"""The queues, iterators and readers of a session, and how runs wait for them.

Kernels reach them through a `graph.declare.object_place.ObjectPlace`. A run that waits holds no lock: it has an entry
in the list of its monitor, and looks again when something has changed, at least every 0.1 s. So Ctrl-C, a timeout of
the run and the end of the session end every wait. A wait of the main thread that lasts is told, if something is
probably forgotten: a program that waits for a queue that nothing fills would stand still without a word.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread, current_thread, get_ident, main_thread
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar
from weakref import ref

from ...errors import CancelledError, FailedPreconditionError, NotFoundError
from ...graph.common.locks import LockKind, in_child, new_lock
from ...graph.common.source_location import user_stacklevel
from ...graph.common.weak_table import WeakTable
from ...graph.model.identity_comparison import MistakeWarning
from .fp_context import in_quiet_context
from .stop_signal import current_signal

R = TypeVar("R")
_AGAIN: Final = 0.1
"""Seconds after which a run that waits looks again, whatever happens."""
TOLD_AFTER = 5.0
"""Seconds after which the program is told of a wait that will probably not end; tests make it short."""


class ObjectWatch(Protocol):
    """Who watches what flows through the objects: `observe.data_flow.DataWatch`."""

    def hear(self, made: Any) -> None:
        """Hear of an object that was made."""

    def flow(self) -> Any:
        """What has flowed until now."""


class Monitor:
    """See `graph.declare.object_place.ObjectMonitor`."""

    __slots__ = ("__weakref__", "_lock", "_objects", "_waiting", "waits")

    def __init__(self, objects: SessionObjects) -> None:
        self._objects = objects
        self._lock = new_lock(LockKind.OBJECTS)
        self._waiting: list[tuple[SimpleQueue[None], Callable[[], bool] | None]] = []
        self.waits: dict[str, float] = {}

    def now(self, attempt: Callable[..., R | None], *args: Any) -> R | None:
        """See the protocol."""
        with self._lock:
            result = attempt(*args)
            if result is not None and self._waiting:
                self._wake()
        return result

    def until(
        self, attempt: Callable[[], R | None], doing: str, cure: Callable[[], str] | None = None,
        pays: Callable[[], bool] | None = None,
    ) -> R:  # fmt: skip
        """See the protocol."""
        with self._lock:
            result = attempt()
            if result is not None:
                self._wake()
                return result
            woken: SimpleQueue[None] = SimpleQueue()
            entry = woken, pays
            self._waiting.append(entry)
        signal = current_signal()
        start = perf_counter()
        is_told = current_thread() is not main_thread()
        try:
            while True:
                with self._lock:  # again: a change before it was in the list did not wake it
                    result = attempt()
                    if result is not None:
                        self._wake()
                        return result
                if self._objects.is_closed:
                    raise CancelledError(message=f"the session was closed while the run {doing}")
                if cure is not None and self._objects.is_alone:
                    raise FailedPreconditionError(message=f"the run {doing}, and no other run is there to end that")
                if signal is not None:
                    signal.check(lambda: doing, cure)
                if cure is not None and not is_told and perf_counter() - start > TOLD_AFTER:
                    is_told = True
                    if words := cure():
                        text = f"Session.run has {doing} for {TOLD_AFTER:g} seconds, and goes on waiting. {words}"
                        warnings.warn(text, MistakeWarning, stacklevel=user_stacklevel())
                with suppress(Empty):
                    woken.get(timeout=_AGAIN if signal is None else signal.at_most(_AGAIN))
        except KeyboardInterrupt as stop:
            stop.add_note(f"Session.run {doing}. {cure() if cure is not None else ''}".rstrip())
            raise
        finally:
            with self._lock, suppress(ValueError):
                self.waits[doing] = self.waits.get(doing, 0.0) + perf_counter() - start
                self._waiting.remove(entry)

    def change(self, action: Callable[[], R]) -> R:
        """See the protocol."""
        with self._lock:
            result = action()
            self._wake()
        return result

    def _wake(self) -> None:
        """Let those look again for whom it may pay; the lock is held."""
        for woken, pays in self._waiting:
            if pays is None or pays():
                woken.put(None)

    def wake(self) -> None:
        """See the protocol."""
        for woken, _ in self._waiting.copy():
            woken.put(None)


class SessionObjects:
    """See `graph.declare.object_place.ObjectTable`."""

    def __init__(self) -> None:
        self._lock = new_lock(LockKind.OBJECTS)
        self._by_handle: dict[bytes, Any] = {}
        self._monitors: WeakTable[Monitor, None] = WeakTable()
        self._threads: list[Thread] = []
        self._session: ref[Any] | None = None
        self.watch: ObjectWatch | None = None
        """Hears of each object that is made; None without a watch."""
        self.is_alone = False
        """Whether the session makes one run at a time and no other: a wait for another run is an error then."""
        self._ended: list[Any] = []  # not empty once the session is closed or gone
        _all[self] = None

    def end_with(self, session: object) -> None:
        """Let all waiting end when `session` is garbage; a function in C notes it, in which no Ctrl-C is lost."""
        self._session = ref(session, self._ended.append)

    @property
    def is_closed(self) -> bool:
        """Whether the session is closed, or gone."""
        return bool(self._ended)

    def get_or_make(self, handle: bytes, make: Callable[[], R]) -> R:
        """See the protocol."""
        resource = self._by_handle.get(handle)
        if resource is None:
            fresh = make()  # without the lock: it may run a graph
            with self._lock:
                resource = self._by_handle.setdefault(handle, fresh)
            if resource is not fresh:
                _end(fresh)
            elif self._ended:
                self.close()
            elif self.watch is not None:
                self.watch.hear(fresh)
        return resource

    def get(self, handle: bytes, kind: type[R], words: str) -> R:
        """See the protocol."""
        found = self._by_handle.get(handle)
        if not isinstance(found, kind):
            what = "there is nothing of this name" if found is None else f"that is a {type(found).__name__}"
            raise NotFoundError(message=f"{words} {handle.decode(errors='replace')!r} is not in this session: {what}")
        return found

    def ahead(self, handle: bytes) -> Any:
        """What the object with this handle will give next, if it says so and knows it; else None."""
        known = getattr(self._by_handle.get(handle), "ahead", None)
        return None if known is None else known()

    def hand(self, handle: bytes, *promise: Any) -> Callable[[], Any] | None:
        """What takes elements at hand out of the object with this handle; None if it has none."""
        known = getattr(self._by_handle.get(handle), "hand", None)
        return None if known is None else known(*promise)

    def put(self, handle: bytes, made: Any) -> None:
        """See the protocol."""
        with self._lock:
            before = self._by_handle.get(handle)
            self._by_handle[handle] = made
        _end(before)
        if self._ended:
            self.close()

    def made(self) -> list[tuple[str, Any]]:
        """The objects with their handles, in the order in which they were made."""
        return [(handle.decode(errors="replace"), each) for handle, each in list(self._by_handle.items())]

    def monitor(self) -> Monitor:
        """See the protocol."""
        made = Monitor(self)
        self._monitors[made] = None
        return made

    def start(self, work: Callable[[], None], name: str) -> None:
        """See the protocol."""

        def run() -> None:
            with suppress(CancelledError):
                in_quiet_context(work)

        thread = Thread(target=run, name=f"penstock {name}", daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def close(self) -> None:
        """End all waiting, and forget the objects. The threads have ended when it returns."""
        self._ended.append(None)
        with self._lock:
            made = list(self._by_handle.values())
            self._by_handle.clear()
        for each in made:
            _end(each)
        for monitor in list(self._monitors):
            monitor.wake()
        for thread in self._threads.copy():
            if thread.ident != get_ident() and thread.is_alive():
                thread.join(_JOIN)
        self._threads = []

    def forget_threads(self) -> None:
        """In a forked child: the threads are in the parent."""
        self._threads = []


_JOIN: Final = 5.0
"""Seconds that the end of a session waits for a thread that is in the middle of a function of the program."""


def _end(made: Any) -> None:
    """End what works for an object."""
    if made is not None and hasattr(made, "end"):
        made.end()


_all: WeakTable[SessionObjects, None] = WeakTable()


def _in_child() -> None:
    for each in list(_all):
        each.forget_threads()


in_child(_in_child)
