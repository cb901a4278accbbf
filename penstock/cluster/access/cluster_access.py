"""A cluster that a session uses: opening it from a target or a user's client, its workers, and closing it again."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import numpy as np

from ...errors import FailedPreconditionError, UnavailableError, ValueRuleError
from .cluster_target import ClusterTarget, parse_target
from .cluster_worker import ClusterWorker, place_in_order
from .dask_import import distributed, is_client
from .local_cluster import end_local_cluster, ended_workers, start_local_cluster

# ---- the comparison of a cluster's workers with this process, before anything else is sent to them
# Raw bytes and graphs travel between the processes, so these must agree: the version of Penstock, Python's and NumPy's
# first two numbers, and the order of bytes. The kind of machine may differ; results may then differ in the last bits.


@dataclass(frozen=True, slots=True)
class Software:
    """What a process runs.

    Attributes:
        penstock: the version of Penstock; None where it cannot be imported.
        folder: the folder of the package.
        python: Python's version.
        numpy: NumPy's version; None where there is none.
        byteorder: "little" or "big".
    """

    penstock: str | None
    folder: str
    python: str
    numpy: str | None
    byteorder: str


def own_software() -> Software:
    """What this process runs."""
    version = sys.modules["penstock"].__version__
    folder = os.sep.join(os.path.abspath(__file__).split(os.sep)[:-3])
    python = ".".join(map(str, sys.version_info[:3]))
    return Software(version, folder, python, np.__version__, sys.byteorder)


def software_from_dask(versions: dict[str, Any], penstock: str | None, file: str | None) -> Software:
    """What a worker runs, from what Dask tells of it and what an import on it gave."""
    python = ".".join(str(versions["host"]["python"]).split(".")[:3])
    folder = os.path.dirname(file or "")
    return Software(penstock, folder, python, versions["packages"].get("numpy"), versions["host"]["byteorder"])


def check_software(worker: ClusterWorker, there: Software, here: Software, own: bool) -> None:
    """Refuse a worker that does not fit this process.

    Args:
        own: the session started the worker, so it runs the very same files.

    Raises:
        FailedPreconditionError: one line with the worker, what it has, what is here, and the cure.
    """
    if there.penstock is None:
        raise _refused(
            worker,
            f"has no package penstock; here is {here.penstock}. Run `pip install penstock=={here.penstock}` there",
        )
    if there.penstock != here.penstock:
        raise _refused(
            worker,
            f"has penstock {there.penstock}, here is {here.penstock}; the versions must be equal. Run `pip install "
            f"penstock=={here.penstock}` there, or the worker's version here",
        )
    if own and there.folder != here.folder:
        raise _refused(worker, f"imports penstock from {there.folder!r}, this program from {here.folder!r}")
    for package, found, wanted in (("Python", there.python, here.python), ("numpy", there.numpy, here.numpy)):
        if _first_two(found) != _first_two(wanted):
            raise _refused(
                worker,
                f"has {package} {found or '(none)'}, here is {wanted}; the first two numbers must be equal. Use one "
                "environment for both",
            )
    if there.byteorder != here.byteorder:
        raise _refused(worker, f"is a {there.byteorder}-endian machine, this one is {here.byteorder}-endian")


def _first_two(version: str | None) -> list[str]:
    return (version or "").split(".")[:2]


def _refused(worker: ClusterWorker, what: str) -> FailedPreconditionError:
    return FailedPreconditionError(message=f"Session: {worker.label} {what}")


# ---- a cluster that a session uses --------------------------------------------------------------


START: Final = 60.0
"""Seconds that processes of a local cluster have to start, and actors."""
_CONNECT: Final = 10.0
"""Seconds that a scheduler has to answer, and that a cluster without workers has to get one."""
_NOTICED: Final = 3.0
"""Seconds in which a scheduler sees that a worker has ended."""
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


async def check_workers(access: ClusterAccess, workers: tuple[ClusterWorker, ...]) -> bool:
    """Compare the software of every worker with this process.

    Returns:
        Whether all of them are still there. The scheduler of others has a worker that ended for a moment longer.

    Raises:
        FailedPreconditionError: a worker does not fit.
        UnavailableError: a worker cannot be reached from here.
    """
    here = own_software()
    found = await asyncio.gather(*(_software(access, worker) for worker in workers))
    for worker, there in zip(workers, found, strict=True):
        if there is not None:
            check_software(worker, there, here, access.cluster is not None)
    return None not in found


async def _software(access: ClusterAccess, worker: ClusterWorker) -> Software | None:
    try:
        versions = await access.client.rpc(worker.address).versions()
        version = await _term_on(access, worker, "penstock.__version__")
        file = await _term_on(access, worker, "penstock.__file__") if version is not None else None
    except OSError as error:
        if access.cluster is None and await _has_ended(access, worker):
            return None
        raise UnavailableError(
            message=f"{access.where}: {worker.label} cannot be reached from here ({_first_line(error)}); "
            "a session sends values straight to the workers"
        ) from None
    return software_from_dask(versions, version, file)


async def _has_ended(access: ClusterAccess, worker: ClusterWorker) -> bool:
    """Whether the scheduler, which may see it a moment later, no longer has a worker whose connection broke."""
    until = monotonic() + _NOTICED
    with suppress(OSError):  # the scheduler is gone too
        while worker.address in await access.client.scheduler.ncores():
            if monotonic() > until:
                return False
            await asyncio.sleep(0.05)
        return True
    return False


async def _term_on(access: ClusterAccess, worker: ClusterWorker, name: str) -> str | None:
    """The value of a name of a module, as a worker finds it; None where the module cannot be imported."""
    function = pickle.dumps(distributed().utils.import_term)
    reply = await access.client.rpc(worker.address).run(function=function, args=pickle.dumps((name,)))
    return str(reply["result"]) if reply["status"] == "OK" else None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


# ---- the first connection to a scheduler --------------------------------------------------------
# Dask's client waits without end for a listener that takes the connection and says nothing, and takes what a web server
# says for the length of a message. So a first message asks who is there, within a time; its failures are told in words.


def check_scheduler(where: str, address: str, patience: float) -> None:
    """Ask who is at an address.

    Args:
        where: the session's call, for messages.
        address: such as "tcp://host:8786".
        patience: how many seconds there are for the answer.

    Raises:
        UnavailableError: no scheduler answers; the message says what was found, and what to do.
    """
    runner = distributed().utils.LoopRunner(asynchronous=False)  # a loop in a thread: a notebook has one in this thread
    try:
        found = runner.run_sync(_identity, address, patience)
    except Exception as error:  # what a stranger sends may fail in any way
        raise UnavailableError(message=f"{where}: {_in_words(error, address, patience)}") from None
    if found.get("type") != "Scheduler":
        instead = found.get("scheduler") or found.get("scheduler_address")
        cure = f"; give the address of its scheduler, {_as_target(instead)}" if isinstance(instead, str) else ""
        raise UnavailableError(
            message=f"{where}: at {address} there is a {str(found.get('type')).lower()} of Dask, not a scheduler{cure}"
        )


async def _identity(address: str, patience: float) -> dict[str, Any]:
    package = distributed()
    async with asyncio.timeout(patience + 0.5):  # Dask's own error, which comes first, tells more
        arguments = package.Security().get_connection_args("client")
        if address.startswith("tls://"):
            if arguments["ssl_context"] is None:
                raise _NoCertificates
        elif arguments.get("require_encryption"):
            raise _OnlyEncrypted
        async with package.rpc(address, timeout=patience, connection_args=arguments) as remote:
            found = await remote.identity()
    return found if isinstance(found, dict) else {}


class _NoCertificates(Exception):
    """Dask's configuration names no certificates."""


class _OnlyEncrypted(Exception):
    """Dask's configuration forbids connections that are not encrypted."""


def _in_words(error: BaseException, address: str, patience: float) -> str:
    """What an attempt found, and what to do."""
    start = "start one with `dask scheduler`, or write dask://local for workers that the session starts"
    host = address.partition("://")[2].rpartition(":")[0]
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    if isinstance(error, _NoCertificates):
        return "dask+tls:// needs certificates, and Dask's configuration has none; set distributed.comm.tls there"
    if isinstance(error, _OnlyEncrypted):
        return "Dask's configuration allows only TLS (distributed.comm.require-encryption); write dask+tls://host:port"
    if any(isinstance(each, ConnectionRefusedError) for each in chain):
        return f"no scheduler answers at {address} within {patience:g} s, as nothing listens there; {start}"
    if any(isinstance(each, socket.gaierror) for each in chain):
        return f"no scheduler answers at {address}, as no machine is known by the name {host!r}; {start}"
    if isinstance(error, TimeoutError | OSError):
        return (
            f"no scheduler answers at {address} within {patience:g} s; does `dask scheduler` run there, is this the "
            "address that it printed (not that of its page), and does the network let it through?"
        )
    return f"what listens at {address} is no scheduler of Dask ({type(error).__name__}); {start}"


def _as_target(address: str) -> str:
    """An address of Dask's as the target of a session."""
    protocol, _, rest = address.partition("://")
    return f"{'dask+tls' if protocol == 'tls' else 'dask'}://{rest}"
