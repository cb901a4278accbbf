"""The first connection to a scheduler: whether there is one at an address, before a client of Dask's is made for it.

Dask's client waits without end for a listener that takes the connection and says nothing, and takes what a web server
says for the length of a message. So a first message asks who is there, within a time; its failures are told in words.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from ...errors import UnavailableError
from .dask_import import distributed


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
