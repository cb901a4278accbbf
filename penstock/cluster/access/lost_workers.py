"""What a session does about workers that are lost: others stand in for them, and values that only they had are gone.

A run that fails because a worker is lost is made again with the workers that are left. It has changed nothing, as new
values of variables count only when all of a run has ended. It is not made again if a variable that it reads is gone, or
if it has called the program's own code or touched the world (a print, a file): that would happen twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import UnavailableError
from ..client.cluster_store import ClusterStore
from ..client.remote_value import is_remote
from ..placing.places import CLIENT
from .cluster_worker import WorkerLost
from .connection import Connection

_NAMED = 4
"""The most workers that one error names."""


class LostWorkers:
    """The lost workers of one session."""

    def __init__(self, connection: Connection, variables: ClusterStore) -> None:
        self._connection = connection
        self._variables = variables
        self._known: set[int] = set()

    def stand_in(self, place: int) -> int:
        """The place itself, or for a worker that is lost the next one that is not.

        Raises:
            UnavailableError: all workers are lost.
        """
        if place == CLIENT or place not in self._known:
            return place
        workers = self._connection.workers
        for worker in (*workers[place:], *workers[:place]):
            if worker.number not in self._known:
                return worker.number
        raise self._all_lost()

    def are_used(self, places: Iterable[int]) -> bool:
        """Whether one of these places is a lost worker."""
        return bool(self._known) and not self._known.isdisjoint(places)

    def left(self) -> list[int]:
        """The workers that are not lost; there is one at least.

        Raises:
            UnavailableError: all workers are lost.
        """
        numbers = [worker.number for worker in self._connection.workers if worker.number not in self._known]
        if not numbers:
            raise self._all_lost()
        return numbers

    def _all_lost(self) -> UnavailableError:
        workers = self._connection.workers
        reasons = "; ".join(str(self._connection.lost_error(worker.number).message) for worker in workers[:_NAMED])
        more = "" if len(workers) <= _NAMED else f"; and {len(workers) - _NAMED} more"
        return UnavailableError(
            message=f"all {len(workers)} workers of this session are lost ({reasons}{more}); open another one"
        )

    def look(self) -> bool:
        """Find out which workers are lost since the last look, and note what is gone with them; whether there are some.

        Raises:
            UnavailableError: the scheduler is gone.
        """
        new = self._connection.find_lost() - self._known
        if not new:
            return False
        self._known |= new
        gone: dict[int, list[str]] = {}
        values = dict(self._variables.remote_values())
        for name, value in values.items():
            had = value.places & new
            value.places -= new
            if had and not value.places and value.here is None:
                gone.setdefault(min(had), []).append(name)
        for worker, names in gone.items():
            why = self._message(worker, names)
            for name in names:
                values[name].why_lost = why
            self._variables.lose(names, why)
        return True

    def check(self, values: Iterable[Any]) -> None:
        """Look at the values that a run needs.

        Raises:
            WorkerLost: one of them is gone.
        """
        for value in values:
            if is_remote(value) and not value.places and value.here is None:
                raise WorkerLost(message=value.why_lost)

    def _message(self, worker: int, names: Sequence[str]) -> str:
        several = len(names) > 1
        named = ", ".join(repr(name) for name in sorted(names)[:8]) + (" ..." if len(names) > 8 else "")
        last = self._variables.last_checkpoint
        saved = f"the last checkpoint is {last!r}: restore it" if last else "there is no checkpoint of this session"
        return (
            f"{self._connection.lost_error(worker).message}. With it the value{'s' if several else ''} of "
            f"{len(names)} variable{'s are' if several else ' is'} lost ({named}); {saved}, or run the "
            f"initializer{'s' if several else ''}"
        )
