"""Feeds that are sent to workers ahead of the run that reads them: elements that a dataset prefetches.

    run n       the workers compute; the client takes element n + 1 as it lies in the buffer of `prefetch`, cuts it into
                its shards and sends each to the worker that reads it
    run n + 1   the message says which of the arrays that the worker has are its feeds

The arrays stay at the client too. A run that is fed with other ones, because another run took the element meanwhile,
sends its feeds as ever.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...errors import OpError
from ..access.cluster_worker import WorkerLost
from ..placing.cluster_placement import belongs_to_client
from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT
from ..worker.worker_run import PartOfRun
from .plain_messages import SMALL
from .remote_value import RemoteValues


class SendsMessages(Protocol):
    """What has an event loop, on which messages are sent: a `Connection`."""

    def start(self, coroutine: Any) -> Any:
        """Begin a coroutine; its `concurrent.futures.Future`."""


@dataclass(slots=True)
class AheadFeeds:
    """What one run finds at the workers.

    Attributes:
        plan: the plan for which it was sent.
        fed: by the places of feeds: the arrays of which it was made.
        arrays: by number: what the client has of it.
        names: by number and worker: its name there.
        sending: ends when all of it is there.
    """

    plan: ClusterPlan
    fed: dict[int, Any]
    arrays: dict[int, Any]
    names: dict[int, dict[int, str]]
    sending: Any


class SentAhead:
    """What the next run of a program finds at the workers. Thread-safe."""

    def __init__(self, values: RemoteValues) -> None:
        self._values = values
        self._next: deque[AheadFeeds] = deque()  # whose operations are atomic: one at most

    def take(self, plan: ClusterPlan, feeds: Sequence[Any]) -> AheadFeeds | None:
        """What was sent for a run with these feeds; None if that is not what was expected."""
        try:
            ahead = self._next.pop()
        except IndexError:
            return None
        if ahead.plan is not plan or any(feeds[i] is not array for i, array in ahead.fed.items()):
            self.drop(ahead)
            return None
        try:
            ahead.sending.result()
        except (OpError, OSError, asyncio.CancelledError, WorkerLost):
            self.drop(ahead)
            return None
        return ahead

    def drop(self, ahead: AheadFeeds) -> None:
        """Have the workers forget what no run will read."""
        for names in ahead.names.values():
            for worker, name in names.items():
                self._values.drop(name, [worker])

    def send(
        self,
        plan: ClusterPlan,
        coming: Mapping[int, Any],
        connection: SendsMessages,
        run_early: Callable[[PartOfRun, Sequence[Any]], Sequence[Any]],
        keep: Callable[[int, Sequence[str], Sequence[Any]], Any],
    ) -> None:
        """Send what the workers need of the feeds of the next run.

        Args:
            plan: the plan of the run.
            coming: arrays by the places of their feeds.
            connection: the workers.
            run_early: gives the outputs of a part that the client runs before anything is sent.
            keep: (worker, names, arrays) -> the coroutine that has a worker keep arrays.
        """
        if not coming or sum(getattr(array, "nbytes", 0) for array in coming.values()) <= SMALL:
            return
        arrays = dict(coming)
        pure = {each.number for each in plan.partitions if not any(map(belongs_to_client, each.operations))}
        for part in plan.early:
            if part.number in pure and not part.streams and arrays.keys() >= set(part.inputs):
                arrays.update(zip(part.outputs, run_early(part, [arrays[n] for n in part.inputs]), strict=True))
        names: dict[int, dict[int, str]] = {}
        messages: dict[int, list[tuple[str, Any]]] = {}
        for number, array in arrays.items():
            for worker in plan.readers.get(number, ()):
                if worker != CLIENT:
                    name = names.setdefault(number, {})[worker] = self._values.new_uid()
                    messages.setdefault(worker, []).append((name, array))
        if not names:
            return

        async def all_kept() -> None:
            await asyncio.gather(*[
                keep(worker, [name for name, _ in sent], [array for _, array in sent])
                for worker, sent in messages.items()
            ])  # fmt: skip

        self._next.append(AheadFeeds(plan, dict(coming), arrays, names, connection.start(all_kept())))
        while len(self._next) > 1:  # another thread has sent something too
            self.drop(self._next.popleft())
