"""The connection of a session to a Dask cluster: its workers, one actor on each, and calls of the actors' methods.

A call goes straight to the worker and carries plain bytes: a header and frames. Dask's scheduler takes part only where
actors are started, and what it unpickles there are functions of its own packages and the name of our class.

    user's thread  --call-->  loop of the client (a thread of Dask's)  --actor_execute-->  worker's loop, actor's method

While a call waits, the worker is asked now and then whether it is alive. A worker is lost if Dask's scheduler no
longer has it, if its connection breaks, or if it gave no sign of life for `SessionConfig.worker_timeout` seconds. A
worker that computes for long answers: its methods are coroutines, and its kernels run in a thread of their own.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import operator
import os
from _thread import start_new_thread
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import cache, partial
from time import monotonic
from typing import Any, Final, TypeVar
from uuid import uuid4

from ...errors import DeadlineExceededError, InternalError, SessionClosedError, UnavailableError
from ...graph.common.locks import in_child
from ...graph.common.weak_table import WeakTable
from ...graph.common.when_freed import WhenFreed
from ...runtime.base.session_config import SessionConfig
from .cluster_access import START, ClusterAccess, check_workers, find_workers, open_access
from .cluster_worker import ClusterWorker, WorkerLost
from .dask_import import distributed, toolz
from .signs_of_life import SignsOfLife

T = TypeVar("T")
Buffer = bytes | bytearray | memoryview
Reply = tuple[bytes, tuple[memoryview, ...]]
_ACTORS_CLOSE: Final = 3.0
"""Seconds that the actors have to close."""
_CAUSE: Final = 3.0
"""Seconds in which it shows why a worker has ended a run."""


class Connection:
    """A session's connection to a cluster.

    Args:
        target: a text such as "dask://host:8786", a parsed one, or a `distributed.Client`, which stays open afterwards.
        config: its `worker_timeout` is used.

    Attributes:
        workers: the workers at the time of the connection, ordered by name and address; later ones are not used.
        is_own_cluster: the workers were started for this connection.
        patience: seconds without a sign of life after which a worker is lost.

    Raises:
        ImportError: the package distributed is missing.
        TypeError: `target` is neither a text nor a client.
        ValueRuleError: the text has a mistake, or the client is asynchronous or closed.
        UnavailableError: no scheduler or no worker answers.
        FailedPreconditionError: the software of a worker does not fit.
    """

    def __init__(self, target: object, config: SessionConfig) -> None:
        patience = self.patience = float(config.worker_timeout)
        self.workers: tuple[ClusterWorker, ...] = ()
        self._access: ClusterAccess = open_access(target, patience)
        self._client = self._access.client
        self.is_own_cluster = self._access.cluster is not None
        self._closed = self._is_closing = False
        self._process = os.getpid()
        self._loop = self._access.loop
        self._keys: tuple[str, ...] = ()
        self._futures: list[Any] = []
        self._scheduler = str(self._client.scheduler.address)
        self._signs = SignsOfLife((), patience, self._ping, self._present, self._missing)
        _watch_process()
        _connections[self] = None
        # Closing takes a while, and this may be anywhere, so a thread does it. To start one is a function in C.
        self._when_freed = WhenFreed(partial(start_new_thread, self._access.close, ()))
        try:
            are_there = False
            while not are_there:
                self.workers = find_workers(self._access, patience, self.run_async)
                are_there = self.run_async(check_workers(self._access, self.workers), START)
            self._signs = SignsOfLife(self.workers, patience, self._ping, self._present, self._missing)
        except BaseException:
            self.close()
            raise

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def local_cluster(self) -> Any:
        """The Dask cluster that was started for this connection, or None."""
        return self._access.cluster

    # ---- actors ----

    def start_actors(self, kind: type, *args: Any) -> None:
        """Start an actor on every worker: an object of a class that workers can import, made with `args`.

        Args:
            kind: the class. Its methods are coroutines of (header, *frames) that give a tuple (header, *frames). The
                method `ping` must answer at any time.
            args: numbers and texts.

        Raises:
            UnavailableError: a worker did not start it in time, as other tasks occupy its threads.
            WorkerLost: a worker ended meanwhile.
            InternalError: the class raised.
        """
        # Dask's scheduler unpickles what it is given. So it gets functions that every scheduler has, and a name.
        make = toolz().compose(operator.methodcaller("__call__", *args), distributed().utils.import_term)
        name, stem = f"{kind.__module__}.{kind.__qualname__}", f"penstock-{kind.__name__}-{uuid4().hex[:12]}"
        keys = tuple(f"{stem}-{worker.number}" for worker in self.workers)
        self._check_usable()
        self._futures = [
            self._client.submit(make, name, key=key, workers=[worker.address], actor=True, pure=False, priority=1000)
            for worker, key in zip(self.workers, keys, strict=True)
        ]
        until = monotonic() + START
        for worker, future in zip(self.workers, self._futures, strict=True):
            self._wait_for_actor(worker, future, until)
        self._keys = keys

    def _wait_for_actor(self, worker: ClusterWorker, future: Any, until: float) -> None:
        try:
            error = future.exception(timeout=max(0.1, until - monotonic()))
        except TimeoutError:
            raise UnavailableError(
                message=f"{self._access.where}: {worker.label} did not start its part within {START:g} s; are its "
                f"{worker.threads} threads busy with other tasks?"
            ) from None
        except (concurrent.futures.CancelledError, asyncio.CancelledError):
            raise WorkerLost(worker, "Dask cancelled the start of its part") from None
        if error is None:
            return
        if type(error).__name__ in ("KilledWorker", "NoValidWorkerError"):
            raise WorkerLost(worker, "it ended while its part was started")
        raise InternalError(message=f"{self._access.where}: {worker.label}: {_in_words(error)}") from error

    # ---- Dask's own tasks ----

    def task_at(self, worker: int, function: Any, *args: Any) -> Any:
        """The future of a function that runs on a worker as a task of Dask: a function, which is pickled, or the name
        of one that workers can import."""
        self._check_usable()
        if isinstance(function, str):
            import_term = distributed().utils.import_term
            args, function = (function,), toolz().compose(operator.methodcaller("__call__", *args), import_term)
        address = self.workers[worker].address
        return self._client.submit(function, *args, workers=[address], allow_other_workers=False, pure=False)

    def chunk_at(self, worker: int, collection: Any) -> Any:
        """The future of a Dask collection that is computed on a worker."""
        self._check_usable()
        address = self.workers[worker].address
        return self._client.compute(collection, workers=[address], allow_other_workers=False)

    # ---- calls ----

    def call(
        self,
        worker: int,
        method: str,
        header: bytes = b"",
        frames: Sequence[Buffer] = (),
        timeout: float | None = None,
    ) -> Reply:
        """Call a method of a worker's actor and wait; from any thread, many at once, interruptible by Ctrl-C.

        Returns:
            The header and the frames of the reply. A frame may share memory with the others of its message.

        Raises:
            WorkerLost: the worker is gone or silent.
            DeadlineExceededError: there was no reply within `timeout` seconds.
            InternalError: the method raised.
            SessionClosedError: the connection is closed.
        """
        return self.run_async(self.call_async(worker, method, header, frames, timeout))

    async def call_async(
        self,
        worker: int,
        method: str,
        header: bytes = b"",
        frames: Sequence[Buffer] = (),
        timeout: float | None = None,
    ) -> Reply:
        """`call` as a coroutine on the client's loop."""
        signs = self._signs
        signs.check(worker)
        task = asyncio.ensure_future(self._execute(worker, method, header, frames))
        with signs.waits_for(worker, task):
            try:
                await asyncio.wait((task,), timeout=timeout)
            finally:
                if not task.done():
                    task.cancel()
        if not task.done() or task.cancelled():
            signs.check(worker)
            label = self.workers[worker].label
            if self._closed:
                raise SessionClosedError(f"the connection was closed while {label} worked on {method!r}")
            raise DeadlineExceededError(message=f"{label} has not answered {method!r} within {timeout:g} s")
        return self._reply(worker, method, task)

    async def _execute(self, worker: int, method: str, header: bytes, frames: Sequence[Buffer]) -> dict[str, Any]:
        wrap = distributed().protocol.to_serialize
        args = [header, *(wrap(memoryview(frame)) for frame in frames)]
        remote = self._client.rpc(self.workers[worker].address)
        reply: dict[str, Any] = await remote.actor_execute(
            function=method, actor=self._keys[worker], args=args, kwargs={}
        )
        return reply

    def _reply(self, worker: int, method: str, task: asyncio.Task[dict[str, Any]]) -> Reply:
        try:
            reply = task.result()
        except OSError as error:  # Dask's errors of connections are such
            self._signs.lose(worker, f"the connection to it broke ({type(error).__name__})")
            raise self._signs.error(worker) from None
        except RuntimeError:  # the client has closed itself, as its scheduler is gone
            self._signs.lose(worker, "it cannot be reached")
            raise self._signs.error(worker) from None
        except KeyError:  # Dask's worker has no such actor
            self._signs.lose(worker, "it no longer has its part of the session")
            raise self._signs.error(worker) from None
        self._signs.seen(worker)
        if reply["status"] != "OK":
            raised = reply["exception"]
            raise InternalError(message=f"{self.workers[worker].label}, {method}: {_in_words(raised)}") from raised
        header, *frames = reply["result"] or (b"",)
        return bytes(header), tuple(memoryview(frame) for frame in frames)

    async def _ping(self, worker: int) -> None:
        if self._keys:
            await self._execute(worker, "ping", b"", ())
        else:
            await self._client.rpc(self.workers[worker].address).identity()

    def _missing(self) -> str:
        return "" if self._client.status == "running" else f"; Dask's scheduler at {self._scheduler} is gone"

    async def _present(self) -> frozenset[str]:
        return frozenset(await self._client.scheduler.ncores())

    def alive(self) -> tuple[ClusterWorker, ...]:
        """The workers that are not lost; the scheduler is asked."""
        self.run_async(self._signs.ask_scheduler(2.0))
        return self._signs.alive()

    def find_lost(self) -> frozenset[int]:
        """The numbers of the workers that are lost; the scheduler and the workers are asked.

        Raises:
            SessionClosedError, UnavailableError: as of `run_async`.
        """
        self.run_async(self._ask_all())
        left = {worker.number for worker in self._signs.alive()}
        return frozenset(worker.number for worker in self.workers if worker.number not in left)

    async def _ask_all(self) -> None:
        await self._signs.ask_scheduler(2.0)
        await self._signs.ask_workers(2.0)

    def find_cause(self) -> None:
        """Wait until it shows why a worker has ended a run that it was not asked to end: it ends, or all does.

        Raises:
            UnavailableError: the scheduler is gone.
        """
        if not self._is_closing:
            self.run_async(self._find_cause())

    async def _find_cause(self) -> None:
        until = monotonic() + _CAUSE
        alive = len(self._signs.alive())
        while monotonic() < until and not self._is_closing:
            if self._client.status != "running":
                raise self._scheduler_gone()
            await self._signs.ask_scheduler(1.0)
            await self._signs.ask_workers(1.0)
            if self._client.status == "running" and len(self._signs.alive()) < alive:
                return
            await asyncio.sleep(0.05)

    def _scheduler_gone(self) -> UnavailableError:
        return UnavailableError(
            message=f"{self._access.where}: Dask's scheduler at {self._scheduler} is gone, and its workers end with "
            "it; open another session"
        )

    def lost_error(self, worker: int) -> WorkerLost:
        """The error for a worker that is lost."""
        return self._signs.error(worker)

    def run_async(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine on the client's loop and wait for it in this thread; Ctrl-C cancels it.

        Raises:
            SessionClosedError: the connection is closed, or belongs to the parent of this process.
            UnavailableError: the scheduler is gone.
            TimeoutError: it took longer than `timeout` seconds.
        """
        try:
            self._check_usable()
        except (SessionClosedError, UnavailableError):
            coroutine.close()
            raise
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def start(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Begin a coroutine on the client's loop.

        Raises:
            SessionClosedError: the connection is closed, or belongs to the parent of this process.
        """
        try:
            self._check_usable()
        except SessionClosedError:
            coroutine.close()
            raise
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def actors(self) -> tuple[tuple[int, str, str], ...]:
        """For each worker its number, its address, and the key of its actor there."""
        return tuple([(w.number, w.address, key) for w, key in zip(self.workers, self._keys, strict=True)])

    def _check_usable(self) -> None:
        if self._closed:
            raise SessionClosedError("the connection to the cluster is closed")
        if os.getpid() != self._process:
            raise SessionClosedError(
                "this process is a fork, and the connection to the cluster is its parent's; make a session here"
            )
        if self._loop.is_closed() or (self._client.status == "closed" and not self._access.owns_client):
            raise SessionClosedError("the client of this session is closed")
        if self._client.status == "closed":
            raise self._scheduler_gone()
        if self._is_on_loop():
            raise SessionClosedError("a run cannot wait on the thread that it needs, the loop of the client")

    def _is_on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:  # no loop runs in this thread
            return False

    # ---- closing ----

    def close(self) -> None:
        """Free the actors, then close the client and the cluster if they were made here; a second call does nothing."""
        if self._closed or os.getpid() != self._process:
            return
        self._is_closing = True
        if self._keys and not self._loop.is_closed() and self._client.status == "running":
            with suppress(TimeoutError, concurrent.futures.CancelledError, UnavailableError):
                self.run_async(self._close_actors(), _ACTORS_CLOSE + 1.0)
        self._closed = True
        self._when_freed.cancel()
        _connections.discard(self)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._signs.stop)
        for future in self._futures:
            future.release()
        self._futures.clear()
        self._access.close()

    async def _close_actors(self) -> None:
        """Ask every actor to close; those of workers that do not answer end with their worker."""
        calls = [
            asyncio.ensure_future(self._execute(worker.number, "close", b"", ())) for worker in self._signs.alive()
        ]
        if calls:
            _, late = await asyncio.wait(calls, timeout=_ACTORS_CLOSE)
            for call in late:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    def belongs_to_parent(self) -> None:
        """In a forked child: nothing closes what belongs to the parent."""
        self._when_freed.cancel()
        self._access.belongs_to_parent()
        self._futures.clear()


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


_connections: WeakTable[Connection, None] = WeakTable()


@cache
def _watch_process() -> None:
    """Close at the end of the process, before Dask's own handlers; leave a forked child nothing to close."""
    atexit.register(_close_all)
    in_child(_leave_all)


def _close_all() -> None:
    for connection in tuple(_connections):
        connection.close()


def _leave_all() -> None:
    for connection in tuple(_connections):
        connection.belongs_to_parent()
    _connections.clear()
