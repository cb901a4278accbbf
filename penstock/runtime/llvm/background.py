"""Background compilation: a queue and one worker thread that lives while there is work.

The thread is no daemon, because a daemon that compiles while the process ends sometimes crashes it. So the process
waits for it at exit; after the main thread has ended the queue is cleared, so it waits for at most one compilation. A
fork waits for the compilation in progress (graph.locks), because a child forked in the middle would find LLVM locked
forever. The child keeps the queue and works on it when more is submitted.

LLVM is called some fifty times for a module, and each time the thread waits for the interpreter's lock, for as long as
another thread may keep it: 5 ms by default. So that time is shorter while the thread works.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from ...graph.common.locks import LockKind, in_child, new_lock

Work = Callable[[], Any]
Deliver = Callable[[Any], None]
_INTERVAL: Final = 0.2e-3
"""Seconds for which a thread keeps the interpreter's lock while another one waits for it to compile."""


class Background:
    """A queue and the thread that works on it."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Work, Deliver]] = deque()
        self._now: tuple[Work, Deliver] | None = None
        self._guard = new_lock(LockKind.QUEUE)
        self._worker: threading.Thread | None = None
        self._interval = 0.0  # that of before, while the thread works
        in_child(self._after_in_child)

    @property
    def is_idle(self) -> bool:
        """True if nothing is being compiled, and nothing waits."""
        return self._worker is None and not self._queue

    def submit(self, work: Work, deliver: Deliver, is_urgent: bool = False) -> None:
        """Run `work` on the thread, and call `deliver` there with its result or the exception it raised.

        is_urgent: whether it comes before what waits already.
        """
        with self._guard:
            (self._queue.appendleft if is_urgent else self._queue.append)((work, deliver))
        self._start()

    def keep_going(self) -> None:
        """Start a thread if the queue has none, as in a forked child."""
        if self._queue and self._worker is None:
            self._start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the queue is empty; False if that took longer than `timeout` seconds."""
        self.keep_going()
        worker = self._worker
        if worker is None or worker is threading.current_thread():
            return not self._queue
        worker.join(timeout)
        return not worker.is_alive()

    def _start(self) -> None:
        with self._guard:
            if self._worker is not None or not self._queue:
                return
            worker = threading.Thread(target=self._drain, name="penstock-compile")
            worker.daemon = False  # even if a daemon thread starts it
            self._worker = worker  # before it starts: a signal handler may submit work meanwhile
            try:
                worker.start()
            except RuntimeError:  # no thread can be started, or the process is ending: the work stays queued
                self._worker = None

    def _drain(self) -> None:
        main = threading.main_thread()
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(min(self._interval, _INTERVAL))
        while True:
            with self._guard:
                self._now = None
                if not main.is_alive():
                    self._queue.clear()
                if not self._queue:
                    self._give_back()  # before another thread may begin
                    self._worker = None
                    return
                self._now = work, deliver = self._queue.popleft()
            try:
                found = work()
            except Exception as error:  # the submitter handles it
                found = error
            try:
                deliver(found)
            except Exception:  # a bug in `deliver` must not stop the queue
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _give_back(self) -> None:
        """Let threads keep the interpreter's lock as long as before, unless the program has said how long meanwhile."""
        if self._interval and abs(sys.getswitchinterval() - _INTERVAL) < 1e-6:
            sys.setswitchinterval(self._interval)
        self._interval = 0.0

    def _after_in_child(self) -> None:
        if self._now is not None and self._worker is not threading.current_thread():
            self._queue.appendleft(self._now)  # its thread does not exist here
        self._now = self._worker = None
        self._give_back()


BACKGROUND = Background()
