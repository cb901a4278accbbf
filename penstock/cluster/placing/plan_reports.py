"""What a session on a cluster tells of its plans and runs: the plan of all places, what follows a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from ...runtime.base.session_config import SessionConfig
from ...runtime.execution.step_listener import StepListener
from ...runtime.planning.plan import Plan
from ...runtime.session.listeners import ProgressListener
from ..access.connection import Connection
from ..client.cluster_program import ClusterProgram
from ..client.cluster_progress import ClusterProgress
from ..client.cluster_run import ask
from ..client.run_observer import RunObserver, followers_in
from ..worker.worker_clocks import worker_clocks
from ..worker.worker_run import RunsPartition
from .cluster_plan import ClusterPlan
from .places import CLIENT, place_name
from .whole_plan import JoinedPlan, PlanOutline, outline_from, partition_plan


class PlanReports:
    """The reports of one session."""

    def __init__(self, connection: Connection, config: SessionConfig, worker_config: SessionConfig) -> None:
        """Reports.

        Args:
            connection: the workers.
            config: the session's choices.
            worker_config: those of the sessions at workers.
        """
        self._connection = connection
        self._config = config
        self._worker_config = worker_config

    def expected(self, made: ClusterPlan, base: Plan) -> JoinedPlan:
        """The plan of all places as it is made here; `base` is that of the whole stage."""
        return self._whole(made, base, {}, {})

    def whole(self, made: ClusterPlan, base: Plan, own: Mapping[str, RunsPartition]) -> JoinedPlan:
        """The plan of all places as they have made it; `own` are the partitions of the client, by key."""
        keys = {each.number: made.documents[each.number].key for each in made.partitions if each.place != CLIENT}
        told = self._connection.run_async(self._outlines(made, keys))
        return self._whole(made, base, {number: told[key] for number, key in keys.items()}, own)

    def _whole(
        self,
        cluster_plan: ClusterPlan,
        base: Plan,
        outlines: Mapping[int, PlanOutline],
        own: Mapping[str, RunsPartition],
    ) -> JoinedPlan:
        plans = {}
        for each, graph in zip(cluster_plan.partitions, cluster_plan.graphs, strict=True):
            if str(each.number) in own:
                plans[each.number] = own[str(each.number)].plan
            else:
                config = self._config if each.place == CLIENT else self._worker_config
                plans[each.number] = partition_plan(graph, config, outlines.get(each.number))
        return JoinedPlan(cluster_plan, base, plans, place_name)

    async def _outlines(self, made: ClusterPlan, keys: Mapping[int, str]) -> dict[str, PlanOutline]:
        found: dict[str, PlanOutline] = {}

        async def one(worker: int) -> None:
            mine = [keys[each.number] for each in made.partitions if each.place == worker]
            answer, _ = await ask(self._connection, worker, "outline", {"keys": mine})
            found.update(zip(mine, map(outline_from, answer["plans"]), strict=True))

        await asyncio.gather(*[one(worker) for worker in made.workers])
        return found

    def whole_of(self, program: ClusterProgram, made: ClusterPlan, send: Callable[[ClusterPlan], None]) -> JoinedPlan:
        """The same of a program whose places are `made`; `send` gives the workers what they lack of it."""
        if program.whole is None or program.whole.made is not made:
            send(made)
            program.whole = self.whole(made, program.plan, program.own)
        return program.whole

    def observer(
        self,
        program: ClusterProgram,
        cluster_plan: ClusterPlan,
        trace: StepListener | None,
        send: Callable[[ClusterPlan], None],
    ) -> RunObserver:
        """What follows a run.

        Args:
            program: what runs.
            cluster_plan: what every place does.
            trace: the listener of the run; the clocks of its workers are measured if it records.
            send: gives the workers what they lack of it.
        """
        whole, hook = self.whole_of(program, cluster_plan, send), self._config.progress
        recorder, hooks = followers_in(trace)
        if recorder is not None:
            labels = {w.number: (place_name(w.number), w.address) for w in self._connection.workers}
            recorder.prepare(cluster_plan, whole, {CLIENT: (place_name(CLIENT), "")} | labels)
            recorder.clocks = self._connection.run_async(worker_clocks(self._time_at, cluster_plan.workers))
        if hook is not None:
            hooks.append(ProgressListener(hook, program.plan).hook)
        nodes = {number: [step.node for step in plan.steps] for number, plan in whole.plans.items()}
        return RunObserver(recorder, ClusterProgress(hooks, nodes) if hooks else None)

    async def _time_at(self, worker: int) -> float:
        answer, _ = await ask(self._connection, worker, "ping", {})
        return float(answer["clock"])
