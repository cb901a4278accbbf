"""How is code compiled behind the user's back, without surprises at exit, at a fork or at Ctrl-C?

One ordinary thread works while there is work and ends with it. It is no daemon: one that compiles while the process
ends crashes it now and then. So the interpreter waits for it, and it gives its queue up once the main thread has ended:
at most one compilation is waited for. A fork waits for the compilation in progress (graph.locks: a child forked in the
middle would find LLVM locked for ever); the child keeps the queue and works it off when it is asked for more.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from ...graph.locks import LockKind, in_child, new_lock

Work = Callable[[], Any]
Deliver = Callable[[Any], None]


class Background:
    """A queue and the thread that works on it."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Work, Deliver]] = deque()
        self._now: tuple[Work, Deliver] | None = None
        self._guard = new_lock(LockKind.QUEUE)
        self._worker: threading.Thread | None = None
        in_child(self._after_in_child)

    def submit(self, work: Work, deliver: Deliver) -> None:
        """Run `work` on the thread and hand what it returns, or the exception it raises, to `deliver` there."""
        with self._guard:
            self._queue.append((work, deliver))
        self._start()

    def keep_going(self) -> None:
        """See to it that somebody works on the queue: a forked child has one and no thread."""
        if self._queue and self._worker is None:
            self._start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do; False if that took longer than `timeout` seconds."""
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
            worker.daemon = False  # also where it is started from a daemon
            self._worker = worker  # before it starts: a signal handler may come here meanwhile
            try:
                worker.start()
            except RuntimeError:  # no thread to be had, or the process is ending: what is asked for stays undone
                self._worker = None

    def _drain(self) -> None:
        main = threading.main_thread()
        while True:
            with self._guard:
                self._now = None
                if not main.is_alive():
                    self._queue.clear()
                if not self._queue:
                    self._worker = None
                    return
                self._now = work, deliver = self._queue.popleft()
            try:
                found = work()
            except Exception as error:  # the asker decides what it means
                found = error
            try:
                deliver(found)
            except Exception:  # a mistake of the asker's must not stop the queue
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _after_in_child(self) -> None:
        if self._now is not None and self._worker is not threading.current_thread():
            self._queue.appendleft(self._now)  # its thread does not exist here
        self._now = self._worker = None


BACKGROUND = Background()
