"""`SessionCluster`: the cluster of one session. It places stages, sends partitions once, and begins runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...errors import CancelledError, UnavailableError, UseError
from ...graph.declare.effects import effect_order
from ...graph.declare.op_cost import Known
from ...graph.model.nodes import Graph, Tensor
from ...graph.shapes.literal import Array
from ...runtime.base.random_counters import RandomCounters
from ...runtime.base.session_config import SessionConfig
from ...runtime.execution.bind import kernel_for
from ...runtime.execution.executor import Program
from ...runtime.execution.step_listener import StepListener
from ...runtime.ir.kernel_protocol import SessionRef
from ...runtime.ir.stage import Stage
from ...runtime.observe.placement_report import PlacementReport
from ...runtime.passes.fuse import Fuse
from ...runtime.passes.order import Order
from ...runtime.passes.pipeline import ALL_PASSES, optimise
from ...runtime.planning.donation import without_donors
from ...runtime.planning.plan import Plan
from ...runtime.planning.planner import make_plan
from ...runtime.session.variable_store import Lease, use_of
from ..access.calibration import Calibration, calibrate
from ..access.cluster_worker import PeerLost, WorkerLost
from ..access.connection import Connection
from ..access.lost_workers import LostWorkers
from ..access.worker_jobs import WorkerJobs, worker_jobs
from ..placing.cluster_placement import asked_place, fixed_places, held_together
from ..placing.cluster_plan import ClusterPlan, cluster_plan
from ..placing.partition_graph import whole_graph
from ..placing.placed_nodes import placed_nodes
from ..placing.placement_by_cost import place_by_cost
from ..placing.places import CLIENT
from ..placing.plan_reports import PlanReports
from ..placing.prediction import Prediction, predict, with_measured
from ..placing.stage_costs import stage_costs, with_state
from ..worker.worker_actor import WorkerHost
from ..worker.worker_choices import choices_of, config_from
from .client_programs import ClientPartition, ClientPrograms
from .cluster_program import ClusterProgram
from .cluster_run import ClusterRun, ask
from .cluster_store import ClusterStore
from .parted_feeds import PartedFeed, left_positions, parted, with_left_parts
from .parted_runs import in_parts, outlined, placed_parts, stage_of_parts, with_wholes
from .plain_messages import SMALL
from .remote_value import RemoteValue, RemoteValues, array_of, is_remote
from .run_observer import listener_here
from .sent_plans import SentPlans

if TYPE_CHECKING:
    from ...runtime.observe.explain import Explanation

class SessionCluster:
    """The workers of one session, what they have of it, and its variables."""

    def __init__(
        self, target: Any, graph: Graph, config: SessionConfig, session: SessionRef, counters: RandomCounters
    ) -> None:
        """Connect to the cluster that `target` means, and start an actor on each worker.

        Raises:
            UnavailableError: there is no such cluster.
            ValueError: `target` has another form.
            ImportError: `distributed` is missing.
        """
        self._graph = graph
        self._config = config
        self._session = session
        self._counters = counters
        self._client = ClientPrograms(graph.find_anywhere, config, session)
        self._connection = Connection(target, config)
        self.variables = ClusterStore()
        try:
            workers = self._connection.workers
            self._jobs: WorkerJobs = worker_jobs(config.jobs, [(w.name, w.address) for w in workers])
            if config.shard is not None:
                self._config = replace(config, shard=self._jobs.with_shards(config.shard))
            self._lost = LostWorkers(self._connection, self.variables)
            choices = choices_of(config)
            self._reports = PlanReports(self._connection, config, config_from(choices))
            self._connection.start_actors(WorkerHost, choices)
            self._connection.run_async(self._introduce())
        except BaseException:
            self._connection.close()
            raise
        self._values = RemoteValues(f"{os.getpid()}.{id(self)}", self.fetch)
        self._runs = count(1)
        self._homes: dict[str, int] = {}
        self._sent = SentPlans(self._connection, graph.find_anywhere)
        self._process = os.getpid()
        self._measured: Calibration | None = None

    @property
    def connection(self) -> Connection:
        """The workers."""
        return self._connection

    @property
    def config(self) -> SessionConfig:
        """The choices of the session, where shards have workers."""
        return self._config

    @property
    def jobs(self) -> WorkerJobs:
        """The names of the workers."""
        return self._jobs

    @property
    def calibration(self) -> Calibration:
        """What connections cost, and how fast the workers and this process are."""
        if self._measured is None:
            self._measured = self._connection.run_async(calibrate(self._connection, self._lost.left()))
        return self._measured

    # ---- planning ---------------------------------------------------------------------------

    def program(
        self, stage: Stage, names: Sequence[str], stays: bool = False, handed: Sequence[int] = ()
    ) -> Program:
        """As of `RunsElsewhere`."""
        for op in stage.operations:  # before passes remove some of them, as on one machine
            if op.device and not op.opdef.facts.is_constant:
                asked_place(op, self._jobs.place_of)
        plan = without_donors(make_plan(stage, names, self._config))
        return self._program(plan, stage, stays, handed)

    def _program(self, plan: Plan, source: Stage, stays: bool, handed: Sequence[int] = ()) -> ClusterProgram:
        stage, outline = with_left_parts(source) if stays else (source, None)
        passes = ALL_PASSES if self._config.passes is None else self._config.passes
        # What is constant, equal or not needed costs no transfer; workers fuse and order what they get.
        chosen = [name for name in passes if name not in (Fuse.name, Order.name)]
        stage = optimise(stage, kernel_for, chosen, check=self._config.verify)
        return ClusterProgram(plan, source, stage, self, outline, handed)

    def made(self, program: ClusterProgram, feeds: Sequence[Any]) -> ClusterPlan:
        """Where each operation of a program runs, decided by the first feeds."""
        if program.made is None or self._lost.are_used(program.made.programs):
            shapes = [getattr(value, "shape", None) for value in feeds]
            stays = [*left_positions(program.outline or ()), *program.handed]
            plan = self.placed(program.stage, shapes, stays, feeds)
            if self._config.distribute == "auto" and not self.predicted(program, shapes)[1].pays:
                program.here = self._client.program(whole_graph(program.stage))
            program.own = {
                str(partition.number): ClientPartition(self._client.program(made))
                for partition, made in zip(plan.partitions, plan.graphs, strict=True)
                if partition.place == CLIENT
            }
            program.made = plan  # last: a run of another thread finds both
        return program.made

    def placed(
        self,
        stage: Stage,
        shapes: Sequence[Known],
        stays: Sequence[int] = (),
        feeds: Sequence[Any] = (),
    ) -> ClusterPlan:
        """The plan of a stage whose feeds have these shapes.

        stays: places of fetches that stay on workers; feeds: the values, if there are some already.
        """
        resources = {each.resource for each in stage.state} | set(stage.written)
        fixed = fixed_places(stage, self._place_of, {resource: self.home_of(resource) for resource in resources})
        costs = stage_costs(stage, shapes, self.calibration.speed)
        workers = self._lost.left()
        homes = self.homes(stage, feeds)
        places = place_by_cost(stage, fixed, held_together(stage), homes, costs, workers, self.calibration.link)
        return cluster_plan(stage, places, effect_order(stage.operations, stage.targets), stays)

    def homes(self, stage: Stage, feeds: Sequence[Any] = ()) -> list[int | None]:
        """For each feed of a stage the worker that has it; None for what the client has. `feeds`: as of `placed`."""
        count = len(stage.feeds) - len(stage.state)
        own = [min(value.places) if is_remote(value) and value.places else None for value in feeds[:count]]
        own += [None] * (count - len(own))
        return own + [self.home_of(each.resource) for each in stage.state]

    def predicted(self, program: ClusterProgram, shapes: Sequence[Known]) -> tuple[ClusterPlan, Prediction]:
        """What a run with feeds of these shapes is expected to take."""
        plan = program.made or self.placed(program.stage, shapes)
        costs = stage_costs(program.stage, shapes, self.calibration.speed)
        here = stage_costs(program.stage, shapes, self.calibration.speed_here).total
        found = predict(plan, costs, self.calibration.link, self.homes(program.stage), here)
        return plan, found if program.took is None else with_measured(found, program.took[1], program.took[0])

    def explained(self, found: Explanation, program: Program, shapes: Sequence[Known]) -> Explanation:
        """An explanation with the `Prediction` of a run whose caller feeds values of these shapes."""
        if not isinstance(program, ClusterProgram):
            return found
        return replace(found, cluster=self.predicted(program, with_state(program.stage, shapes))[1])

    def _place_of(self, device: str) -> int | None:
        """The place that a device names, or what stands in for it; None if it leaves the place open."""
        place = self._jobs.place_of(device)
        return None if place is None else self._lost.stand_in(place)

    def home_of(self, resource: str) -> int:
        """The worker of a variable: that of its device, or else the next one in turn."""
        found = self._homes.get(resource)
        if found is None:
            op = self._graph.find_anywhere(resource)
            asked = None if op is None else asked_place(op, self._jobs.place_of)
            if asked is None:
                workers = self._connection.workers
                asked = workers[len(self._homes) % len(workers)].number
            found = self._homes[resource] = asked
        return self._lost.stand_in(found)

    # ---- running ----------------------------------------------------------------------------

    def run(self, program: ClusterProgram, feeds: Sequence[Any], trace: StepListener | None) -> list[Any]:
        """One run of a program."""
        if os.getpid() != self._process:
            raise UseError(
                "Session.run: this session has its cluster in the process that made it, and this one was forked from "
                "it. Open a session of its own here"
            )
        while True:
            run: list[ClusterRun] = []
            try:
                return self._run_once(program, feeds, run, trace)
            except (UnavailableError, CancelledError) as error:
                # By a worker that ends, one that did not get a value from it, or as the session was closed.
                if isinstance(error, (CancelledError, PeerLost)):
                    self._connection.find_cause()
                    if self._connection.is_closed:
                        raise
                if not self._lost.look():
                    raise
                self._lost.check(feeds)
                if any(each.has_called_program() for each in run):
                    raise

    def _run_once(
        self, program: ClusterProgram, feeds: Sequence[Any], begun: list[ClusterRun], trace: StepListener | None
    ) -> list[Any]:
        program, feeds = self._by_parts(program, feeds)
        plan = self.made(program, feeds)
        if program.here is not None:
            return self._run_here(program.here, program, feeds, trace)
        self._sent.send(plan)
        self._free()
        feeds = self._known_by_name(program.stage, feeds)
        is_followed = trace is not None or self._config.progress is not None
        observer = self._reports.observer(program, plan, trace, self._sent.send) if is_followed else None
        find_op = self._graph.find_anywhere
        run = ClusterRun(next(self._runs), plan, self._connection, self._values, program.own, find_op, observer,
                         program.sent_ahead(self._values))  # fmt: skip
        begun.append(run)
        start = perf_counter()
        results = self._with_streams(run, plan, feeds)
        times = {number: stop - began for of in run.report.times.values() for number, _, began, stop in of}
        program.took = perf_counter() - start, times
        for place in program.handed:
            if is_remote(results[place]):
                results[place].why_lost = (
                    "what the first half of an asynchronous run had computed is lost with its worker; no variable has "
                    "changed, so the run can be made again"
                )
        if program.outline is None:
            return results
        return outlined(self._connection, program.outline, results)

    def _run_here(
        self, here: Program, program: ClusterProgram, feeds: Sequence[Any], trace: StepListener | None
    ) -> list[Any]:
        """A run of a program of this process."""
        listener = listener_here(here, trace, self._config.progress)
        results = here.run([array_of(value) for value in feeds], listener)
        return results if program.outline is None else outlined(self._connection, program.outline, results)

    def fed(self, tensors: Sequence[Tensor], values: Sequence[Any]) -> Sequence[Any]:
        """The values of feeds; those that come in parts of a dimension that is cut stay in parts."""
        return values if self._config.shard is None else parted(tensors, values, list(self._config.shard))

    def _by_parts(self, program: ClusterProgram, feeds: Sequence[Any]) -> tuple[ClusterProgram, Sequence[Any]]:
        """The program that takes feeds in parts, and its feeds; the same ones if none comes in parts."""
        if not any(isinstance(value, PartedFeed) for value in feeds):
            return program, feeds
        feeds = with_wholes(program.source, feeds)
        key = tuple([i for i, value in enumerate(feeds) if isinstance(value, PartedFeed)])
        if not key:
            return program, feeds
        if key not in program.by_parts:
            stage, places = stage_of_parts(program.source, key)
            made = self._program(program.plan, stage, program.outline is not None, program.handed)
            program.by_parts[key] = made, places
        found, places = program.by_parts[key]
        expanded, rows = in_parts(feeds, places)
        plan = self.made(found, expanded)
        for place, value in placed_parts(self._connection, self._values, plan, rows, self._graph.find_anywhere).items():
            expanded[place] = value
        return found, expanded

    def _known_by_name(self, stage: Stage, feeds: Sequence[Any]) -> list[Any]:
        """The feeds, with a handle for each large value of a variable that only the client has: it is sent once."""
        known = list(feeds)
        count = len(feeds) - len(stage.state)
        for i, each in enumerate(stage.state, count):
            array = known[i]
            if each.kind == "value" and not is_remote(array) and array.nbytes > SMALL:
                value = self._values.made(self._values.new_uid(), array.dtype, array.shape, ())
                value.here = array
                self.variables.now_at(each.resource, array, value)
                known[i] = value
        return known

    def _with_streams(self, run: ClusterRun, plan: ClusterPlan, feeds: Sequence[Any]) -> list[Any]:
        """The results of a run, whose random ops go on where those of the run before ended."""
        streams = {user: (seed, seed2) for made in plan.graphs for _, user, seed, seed2 in made.streams}
        if not streams:
            return run.run(feeds, {})
        # Runs with the same random ops take turns, as if these were variables: else both would draw the same numbers.
        lease = Lease(use_of((), [f"the numbers of {user}" for user in streams]))
        try:
            try:
                self.variables.begin(lease)
                found = {user: self._counters.stream(user, *seeds) for user, seeds in streams.items()}
                state = {user: (each.seed, each.seed2, each.drawn) for user, each in found.items()}
                try:
                    return run.run(feeds, state)
                except UnavailableError:  # the run may be made again, with the same numbers
                    run.report.drawn = {user: drawn for user, (_, _, drawn) in state.items()}
                    raise
                finally:
                    for user, drawn in run.report.drawn.items():
                        found[user].drawn = drawn
            finally:
                self.variables.end(lease)
        finally:  # Ctrl-C at the first line of the block above
            lease.is_open = False

    # ---- looking at plans and runs ------------------------------------------------------------

    def shown_plan(self, program: ClusterProgram, shapes: Sequence[Known]) -> Plan:
        """The plan of a run whose caller feeds values of these shapes, as tools show it."""
        if program.here is not None:
            return program.here.plan
        if program.made is None:
            made = self.placed(program.stage, with_state(program.stage, shapes))
            return self._reports.expected(made, program.plan).plan
        return self._reports.whole_of(program, program.made, self._sent.send).plan

    def placed_report(self, report: PlacementReport, program: Program, shapes: Sequence[Known]) -> PlacementReport:
        """As of `RunsElsewhere`."""
        if not isinstance(program, ClusterProgram) or program.here is not None:
            return report
        known = with_state(program.stage, shapes)
        plan = program.made or self.placed(program.stage, known)
        return placed_nodes(report, plan, known, self._place_of, self.home_of, self._graph.find_anywhere)

    # ---- what workers have ------------------------------------------------------------------

    async def _introduce(self) -> None:
        """Tell each worker where the others are."""
        peers = self._connection.actors()
        await asyncio.gather(*[
            ask(self._connection, w.number, "connect", {"peers": peers, "threads": w.threads})
            for w in self._connection.workers
        ])  # fmt: skip

    def _free(self) -> None:
        """Have the workers forget values that nothing refers to."""
        for worker, uids in self._values.take_garbage().items():
            self._connection.start(ask(self._connection, worker, "free", {"uids": uids}))

    def fetch(self, value: RemoteValue) -> Array:
        """The array of a value that lies on workers.

        Raises:
            UnavailableError: every worker that has it is lost.
        """
        while value.places:
            worker = min(value.places)
            try:
                _, (array,) = self._connection.run_async(ask(self._connection, worker, "fetch", {"uids": [value.uid]}))
            except WorkerLost:
                if not self._lost.look() and worker in value.places:
                    raise
            else:
                return array.copy()
        raise WorkerLost(message=value.why_lost)

    def close(self) -> None:
        """Free what the workers have of the session, and end its own cluster."""
        if os.getpid() == self._process:
            self._connection.close()


def open_cluster(
    target: Any, graph: Graph, config: SessionConfig, session: ref[Any], counters: RandomCounters
) -> SessionCluster:
    """The cluster of a session with that target: the entry of the hook table."""
    return SessionCluster(target, graph, config, session, counters)
