"""A worker of a cluster as a session knows it, and the error that says it is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import UnavailableError


@dataclass(frozen=True, slots=True)
class ClusterWorker:
    """One worker of a session's cluster.

    Attributes:
        number: its place in the session's order, from 0.
        name: its name in Dask; its address where it was given none.
        address: such as "tcp://10.0.0.2:40001".
        host: the machine.
        threads: how many threads it has.
        memory: how many bytes it may use; 0 for no limit.
    """

    number: int
    name: str
    address: str
    host: str
    threads: int
    memory: int

    @property
    def label(self) -> str:
        """The worker in messages: number, name, address."""
        named = "" if self.name in (self.address, str(self.number)) else f" {self.name!r}"
        return f"worker {self.number}{named} ({self.address})"


def place_in_order(name: object, address: str) -> tuple[object, ...]:
    """The key by which workers are ordered: by name, then by address; numbers inside them count as numbers."""
    return (*_natural(str(name)), (-1, 0, ""), *_natural(address))


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"([0-9]+)", text) if part)


class WorkerLost(UnavailableError):
    """A worker of the cluster is gone, or gave no sign of life for too long.

    Attributes:
        worker: the worker.
        why: how it was noticed.
    """

    def __init__(self, worker: ClusterWorker | None = None, why: str = "", message: str = "") -> None:
        super().__init__(message=message or f"{worker.label if worker else 'a worker'} is lost: {why}")
        self.worker = worker
        self.why = why


class PeerLost(UnavailableError):
    """A worker could not send a value to another one.

    Attributes:
        place: the number of the other one.
    """

    def __init__(self, place: int = 0, message: str = "") -> None:
        super().__init__(message=message)
        self.place = place
