"""Which workers are alive: told by their answers, by Dask's scheduler, and by a ping where a call waits for long.

While calls wait, one task looks after them each second: it asks the scheduler which workers it has, and pings the
workers that calls wait for. A worker that the scheduler no longer has, or that did not answer for `patience` seconds,
is lost: the calls that wait for it end. All of it happens on the client's loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

from .cluster_worker import ClusterWorker, WorkerLost

_WITHOUT_SCHEDULER: Final = 3.0
"""Seconds of silence that are enough where the scheduler is gone too: its workers end with it."""


class SignsOfLife:
    """What is known of the workers of one connection.

    Args:
        workers: the workers.
        patience: after how many seconds of silence a worker is lost.
        ping: asks a worker for a sign of life.
        present: asks the scheduler for the addresses of its workers.
        missing: what is to be said if the scheduler itself is gone; "" if it is not.
    """

    def __init__(
        self,
        workers: Sequence[ClusterWorker],
        patience: float,
        ping: Callable[[int], Awaitable[object]],
        present: Callable[[], Awaitable[frozenset[str]]],
        missing: Callable[[], str],
    ) -> None:
        self._workers, self._patience = workers, patience
        self._ping, self._present, self._missing = ping, present, missing
        self._lost: dict[int, str] = {}
        self._waiting: dict[int, set[asyncio.Task[Any]]] = {worker.number: set() for worker in workers}
        self._seen: dict[int, float] = {}
        self._pings: dict[int, asyncio.Task[object]] = {}
        self._watch: asyncio.Task[None] | None = None

    def check(self, worker: int) -> None:
        """Raise `WorkerLost` if a worker is lost."""
        if worker in self._lost:
            raise self.error(worker)

    def error(self, worker: int) -> WorkerLost:
        """The error for a worker that is lost."""
        return WorkerLost(self._workers[worker], self._lost[worker])

    def alive(self) -> tuple[ClusterWorker, ...]:
        """The workers that are not known to be lost."""
        return tuple(worker for worker in self._workers if worker.number not in self._lost)

    def seen(self, worker: int) -> None:
        """A worker has answered."""
        self._seen[worker] = monotonic()

    def lose(self, worker: int, why: str) -> None:
        """Count a worker as lost from now on; the calls that wait for it end."""
        self._lost.setdefault(worker, why + self._missing())
        for task in self._waiting[worker]:
            task.cancel()

    def left(self, present: frozenset[str]) -> None:
        """Lose the workers that the scheduler no longer has."""
        for worker in self.alive():
            if worker.address not in present:
                self.lose(worker.number, "it has ended, or has left the cluster")

    @contextmanager
    def waits_for(self, worker: int, task: asyncio.Task[Any]) -> Iterator[None]:
        """Look after a worker while a task waits for it; the task is cancelled if the worker is lost."""
        waiting = self._waiting[worker]
        if not waiting:
            self.seen(worker)  # silence counts from the moment that something is expected
        waiting.add(task)
        if self._watch is None:
            self._watch = asyncio.ensure_future(self._watch_all())
        try:
            yield
        finally:
            waiting.discard(task)

    def stop(self) -> None:
        """End the tasks of this object."""
        for task in (self._watch, *self._pings.values()):
            if task is not None:
                task.cancel()

    async def _watch_all(self) -> None:
        """Look after the workers until no call waits."""
        pause = min(1.0, self._patience / 4)
        try:
            while await self._is_needed(pause):
                await asyncio.wait((asyncio.ensure_future(self.ask_scheduler(pause)),))
                for worker, tasks in self._waiting.items():
                    if tasks and worker not in self._lost:
                        self._look_after(worker)
        finally:
            self._watch = None

    async def _is_needed(self, pause: float) -> bool:
        """Whether a call waits at the end of a pause."""
        await asyncio.sleep(pause)
        return any(self._waiting.values())

    async def ask_scheduler(self, seconds: float) -> None:
        """Lose the workers that the scheduler no longer has, if it answers in time."""
        try:
            async with asyncio.timeout(seconds):
                self.left(await self._present())
        except (OSError, TimeoutError):
            return  # the workers are asked too; they end when their scheduler is gone

    async def ask_workers(self, seconds: float) -> None:
        """Ask all workers for a sign of life: those whose connection breaks are lost, slow ones are not."""

        async def ask(worker: int) -> None:
            try:
                async with asyncio.timeout(seconds):
                    await self._ping(worker)
            except TimeoutError:
                return
            except (OSError, RuntimeError, KeyError) as error:
                self.lose(worker, f"the connection to it broke ({type(error).__name__})")

        await asyncio.gather(*[ask(worker.number) for worker in self.alive()])

    def _look_after(self, worker: int) -> None:
        silence = monotonic() - self._seen[worker]
        if silence > (min(self._patience, _WITHOUT_SCHEDULER) if self._missing() else self._patience):
            self.lose(worker, f"it has given no sign of life for {silence:.0f} s (SessionConfig.worker_timeout)")
        elif worker not in self._pings:
            task = asyncio.ensure_future(self._ping_one(worker))
            self._pings[worker] = task
            task.add_done_callback(lambda _: self._pings.pop(worker, None))

    async def _ping_one(self, worker: int) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._ping(worker)
        except (OSError, TimeoutError):
            return  # silence; the next look counts it
        except KeyError:
            self.lose(worker, "it no longer has its part of the session")
            return
        self.seen(worker)
