"""What the workers of a session have of its plans: each partition and each large constant is sent once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from ...graph.model.nodes import Operation
from ...graph.shapes.literal import Array
from ..access.connection import Connection
from ..placing.cluster_plan import ClusterPlan
from ..worker.worker_errors import error_from
from ..worker.worker_run import program_data
from .cluster_run import ask


class SentPlans:
    """What each worker has, by hash."""

    def __init__(self, connection: Connection, find_op: Callable[[str], Operation | None]) -> None:
        self._connection = connection
        self._find_op = find_op
        self._has: dict[int, set[str]] = defaultdict(set)

    def send(self, plan: ClusterPlan) -> None:
        """Send each worker what it lacks of a plan.

        Raises:
            WorkerLost: a worker is lost.
            OpError: a worker cannot plan its part.
        """
        lacking: dict[int, tuple[dict[str, Any], list[Array]]] = {}
        for worker in plan.workers:
            if plan.keys[worker] not in self._has[worker]:
                lacking[worker] = self._lacking(plan, worker)
        if lacking:
            self._connection.run_async(self._load(lacking))
            for worker, (head, _) in lacking.items():
                self._has[worker].update(head["constants"])
                self._has[worker].update([key for key, *_ in (*head["partitions"], *head["programs"])])

    def _lacking(self, plan: ClusterPlan, worker: int) -> tuple[dict[str, Any], list[Array]]:
        """The message that brings a worker what it lacks."""
        head: dict[str, Any] = {"constants": [], "partitions": [], "programs": []}
        arrays: list[Array] = []
        has = set(self._has[worker])
        for partition in plan.partitions:
            if partition.place != worker:
                continue
            document = plan.documents[partition.number]
            if document.key in has:
                continue
            has.add(document.key)
            for key, content in document.hashes.items():
                if content not in has:
                    has.add(content)
                    head["constants"].append(content)
                    arrays.append(document.constants[key])
            head["partitions"].append([document.key, document.text, list(document.hashes.items()), document.modules])
        head["programs"].append([plan.keys[worker], program_data(plan.programs[worker])])
        return head, arrays

    async def _load(self, lacking: Mapping[int, tuple[dict[str, Any], list[Array]]]) -> None:
        async def one(worker: int, head: dict[str, Any], arrays: list[Array]) -> None:
            answer, _ = await ask(self._connection, worker, "load", head, arrays)
            if "error" in answer:
                raise error_from(answer["error"], self._find_op, self._connection.workers[worker].label)

        await asyncio.gather(*[one(worker, *what) for worker, what in lacking.items()])
