"""The thread that called `Session.run` on a cluster. It may call the program's own code, and the event loop may not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from ...runtime.base.stop_signal import StopSignal

_AGAIN = 0.5
"""Seconds after which a waiting thread looks at its stop signal again."""


class CallerThread:
    """The thread that called `Session.run`: it computes what the event loop asks for until the run has ended."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.has_computed = False
        self.waiting = 0  # for results of this thread

    async def compute(self, function: Callable[[], Any]) -> Any:
        """Have the caller's thread compute something; called on the event loop."""
        self._loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = self._loop.create_future()
        self._asked.put((function, future))
        self.waiting += 1
        try:
            return await future
        finally:
            self.waiting -= 1

    def leave(self, _: object = None) -> None:
        """Let the thread go on."""
        self._asked.put(None)

    def wait(self, running: Any, signal: StopSignal | None, doing: Callable[[], str]) -> Any:
        """Compute what is asked for until `running` has ended; its result. `doing` tells for what the run waits.

        Raises:
            DeadlineExceededError: the time of the run is over.
        """
        running.add_done_callback(self.leave)
        while True:
            if signal is not None:
                signal.check(doing)
            try:
                asked = self._asked.get(timeout=None if signal is None else signal.at_most(_AGAIN))
            except Empty:
                continue
            if asked is None:
                return running.result()
            self._answer(*asked)

    def _answer(self, function: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        assert self._loop is not None
        self.has_computed = True
        try:
            result = function()
        except StopIteration:  # futures refuse it: it ends the run as Ctrl-C does
            raise
        except Exception as error:
            self._loop.call_soon_threadsafe(_set_error, future, error)
        else:
            self._loop.call_soon_threadsafe(_set_result, future, result)


def _set_result(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _set_error(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
