"""A cluster that a session uses: opening it from a target or a user's client, its workers, and closing it again."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from ...errors import UnavailableError, ValueRuleError
from .cluster_target import ClusterTarget, parse_target
from .cluster_worker import ClusterWorker, place_in_order
from .dask_import import distributed, is_client
from .first_contact import check_scheduler
from .handshake import Software, check_software, own_software, software_from_dask
from .local_cluster import end_local_cluster, ended_workers, start_local_cluster

START: Final = 60.0
"""Seconds that processes of a local cluster have to start, and actors."""
_CONNECT: Final = 10.0
"""Seconds that a scheduler has to answer, and that a cluster without workers has to get one."""
_CLOSE: Final = 3.0
"""Seconds that a close waits for the other side."""

Run = Callable[[Coroutine[Any, Any, Any], float], Any]
"""Runs a coroutine on the client's loop for at most some seconds."""


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """A cluster that a session uses.

    Attributes:
        where: the session's call, for messages.
        client: the `distributed.Client`.
        owns_client: the client was made here, and is closed with the session.
        cluster: the cluster whose processes were started here, or None.
        asked: how many workers were asked for; 0 for all that there are.
    """

    where: str
    client: Any
    owns_client: bool
    cluster: Any = None
    asked: int = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop that the client runs in a thread of its own."""
        loop: asyncio.AbstractEventLoop = self.client.loop.asyncio_loop
        return loop

    def belongs_to_parent(self) -> None:
        """In a forked child: nothing closes what belongs to the parent."""
        if self.owns_client:
            self.client.status = "closed"
        if self.cluster is not None:
            self.cluster.shutdown_on_close = False
            self.cluster.status = distributed().core.Status.closed

    def close(self) -> None:
        """Close the client and the cluster, if they were made here; without an error if the other side is gone."""
        if self.owns_client:
            with _without_log(self.client), suppress(OSError, TimeoutError, RuntimeError):
                self.client.close(timeout=_CLOSE)
        if self.cluster is not None:
            end_local_cluster(self.cluster)


def open_access(target: object, patience: float) -> ClusterAccess:
    """Connect to the cluster that a session's target means.

    Args:
        target: a text such as "dask://host:8786", a parsed one, or a `distributed.Client`.
        patience: `SessionConfig.worker_timeout`.

    Raises:
        ImportError: the package distributed is missing.
        TypeError: `target` is neither a text nor a client.
        ValueRuleError: the text has a mistake, or the client is asynchronous or closed.
        UnavailableError: no scheduler answers, or processes do not start.
    """
    if isinstance(target, str):
        target = parse_target(target)
    if isinstance(target, ClusterTarget):
        return _open_target(target, min(patience, _CONNECT))
    if is_client(target):
        return _open_client(target)
    raise TypeError(
        "Session(target): a cluster is a text such as 'dask://host:8786' or a distributed.Client, not "
        f"{type(target).__name__}. A session of this process is Session(); its run computes a tensor: session.run(t)"
    )


def _open_target(target: ClusterTarget, patience: float) -> ClusterAccess:
    package, where = distributed(), f"Session({target.text!r})"
    if target.is_local:
        try:
            cluster = start_local_cluster(target)
        except (OSError, RuntimeError) as error:
            raise UnavailableError(message=f"{where}: Dask's processes do not start: {error}") from None
        try:
            client = _new_client(package, cluster, START)
        except BaseException:
            end_local_cluster(cluster)
            raise
        return ClusterAccess(where, client, True, cluster, target.workers)
    check_scheduler(where, target.address, patience)
    try:
        return ClusterAccess(where, _new_client(package, target.address, patience), True)
    except (OSError, TimeoutError) as error:
        raise UnavailableError(
            message=f"{where}: the scheduler at {target.address} takes no client ({_first_line(error)})"
        ) from None


@contextmanager
def _without_log(client: Any) -> Iterator[None]:
    """Keep Dask from logging, as an error with a traceback, that it ends its attempts to reach a scheduler again."""
    logger = logging.getLogger("distributed.client")
    before = logger.disabled
    logger.disabled = before or client.status != "running"
    try:
        yield
    finally:
        logger.disabled = before


def _new_client(package: Any, address: Any, patience: float) -> Any:
    return package.Client(address, timeout=patience, set_as_default=False, direct_to_workers=True, name="penstock")


def _open_client(client: Any) -> ClusterAccess:
    if client.asynchronous:
        raise ValueRuleError(
            "Session(client): the client is asynchronous, and a session waits for its runs; give the address of the "
            "scheduler, or a Client without asynchronous=True"
        )
    if client.status != "running":
        raise ValueRuleError(f"Session(client): the client is {client.status}; give one that is connected")
    return ClusterAccess("Session(client)", client, False)


# ---- workers


def find_workers(access: ClusterAccess, patience: float, run: Run) -> tuple[ClusterWorker, ...]:
    """The workers that the scheduler has, in their order; of a local cluster, all that were asked for.

    Raises:
        UnavailableError: there are none, or some did not start.
    """
    until = monotonic() + (START if access.cluster is not None else min(patience, _CONNECT))
    while True:
        found = run(access.client.scheduler.identity(), _CONNECT)["workers"]
        usable = {address: each for address, each in found.items() if each.get("status", "running") == "running"}
        if len(usable) >= max(1, access.asked):
            break
        ended = {} if access.cluster is None else ended_workers(access.cluster)
        if ended or monotonic() > until:
            raise _no_workers(access, len(usable), ended)
        run(asyncio.sleep(0.02), _CONNECT)
    order = sorted(usable, key=lambda address: place_in_order(usable[address]["name"], address))
    return tuple(_as_worker(number, address, usable[address]) for number, address in enumerate(order))


def _as_worker(number: int, address: str, found: dict[str, Any]) -> ClusterWorker:
    memory = int(found.get("memory_limit") or 0)
    return ClusterWorker(number, str(found["name"]), address, str(found["host"]), int(found["nthreads"]), memory)


def _no_workers(access: ClusterAccess, found: int, ended: dict[int, int]) -> UnavailableError:
    if ended:
        codes = ", ".join(f"worker {number} ended with code {code}" for number, code in sorted(ended.items()))
        return UnavailableError(message=f"{access.where}: workers did not start: {codes}")
    if access.cluster is not None:
        return UnavailableError(
            message=f"{access.where}: only {found} of {access.asked} workers started within {START:g} s"
        )
    address = access.client.scheduler.address
    return UnavailableError(
        message=f"{access.where}: the scheduler at {address} has no workers; start one with `dask worker {address}`"
    )


async def check_workers(access: ClusterAccess, workers: tuple[ClusterWorker, ...]) -> None:
    """Compare the software of every worker with this process.

    Raises:
        FailedPreconditionError: a worker does not fit.
        UnavailableError: a worker cannot be reached from here.
    """
    here = own_software()
    found = await asyncio.gather(*(_software(access, worker) for worker in workers))
    for worker, there in zip(workers, found, strict=True):
        check_software(worker, there, here, access.cluster is not None)


async def _software(access: ClusterAccess, worker: ClusterWorker) -> Software:
    try:
        versions = await access.client.rpc(worker.address).versions()
        version = await _term_on(access, worker, "penstock.__version__")
        file = await _term_on(access, worker, "penstock.__file__") if version is not None else None
    except OSError as error:
        raise UnavailableError(
            message=f"{access.where}: {worker.label} cannot be reached from here ({_first_line(error)}); "
            "a session sends values straight to the workers"
        ) from None
    return software_from_dask(versions, version, file)


async def _term_on(access: ClusterAccess, worker: ClusterWorker, name: str) -> str | None:
    """The value of a name of a module, as a worker finds it; None where the module cannot be imported."""
    function = pickle.dumps(distributed().utils.import_term)
    reply = await access.client.rpc(worker.address).run(function=function, args=pickle.dumps((name,)))
    return str(reply["result"]) if reply["status"] == "OK" else None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
