"""The plan cache of a session: look-up by fetches and feeds, planning, and eviction.

`PlanCache.find` is the one way from fetches and feeds to a call that runs. A plan depends on what is fetched and fed,
not on the values and not on the graph's version: nodes never change, so other nodes added later need no new plan. One
plan serves the same tensors fed in any order. It is found under the order of the caller, so that a usual run costs one
look-up; a new order is compared as a set, and gets a call that reorders the values.

There are no locks: every step is one atomic operation of a dict. So a signal handler may run a session in the middle of
its own run, and a forked child finds no lock held. Threads that miss at the same moment plan twice; one plan stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

from ...errors import ResourceExhaustedError, ShapeError
from ...graph.common.lazy_import import load
from ...graph.common.weak_table import WeakTable
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation, Tensor
from ..arguments.feeds import check_feeds
from ..arguments.fetches import Fetches
from ..base.fp_context import collector_paused
from ..base.session_config import SessionConfig
from ..execution.bind import kernel_for
from ..execution.executor import Program
from ..execution.listening_program import ListeningProgram
from ..execution.step_listener import StepListener
from ..execution.unbound_program import UnboundProgram
from ..ir.kernel_protocol import SessionRef
from ..ir.stage import Stage
from ..passes import known_sizes
from ..passes.asynchronous_split import in_halves
from ..passes.known_sizes import Flags, Shapes
from ..passes.pipeline import ALL_PASSES, first_stage, optimise
from ..passes.sources import check_feeds_of_iterators, runs_at_hand, sources_of, with_sources_last
from ..passes.versions import has_branches_with_variables, with_versions
from ..planning.donation import without_donors
from ..planning.placement import check_devices, log_devices
from ..planning.plan import Plan, random_nodes
from ..planning.planner import make_plan
from .asynchronous_run import AsynchronousRun, HalfRun, HalfRuns
from .call_table import ORDERS, CallTable
from .drawing_run import DrawingRun
from .fetch_structures import FetchStructures
from .input_call import call_with_sources
from .listeners import listeners_of
from .planned_call import PlannedCall
from .remote_session import RunsElsewhere
from .shaped_calls import ShapedCalls
from .state_run import StateRun
from .timed_run import TimedRun, configured_timeout, names_of
from .variable_shapes import VariableShapes, reads_open_variables
from .variable_store import VariableStore

PLAIN: Final = ""
AS_DEVICE: Final = "as device"
"""Results that are computed on a GPU stay there."""
AT_HAND: Final = "at hand"
"""It runs on this machine, also for a session on a cluster."""
AS_WRITTEN: Final = "as written"
"""The graph without passes, arena and updates in place, so that every node has its own name and value."""
AS_WRITTEN_AS_DEVICE: Final = "as written, as device"
AS_WRITTEN_UNBOUND: Final = "as written, without kernels"
_AS_WRITTEN: Final = (AS_WRITTEN, AS_WRITTEN_AS_DEVICE, AS_WRITTEN_UNBOUND)


class PlanCache:
    """The planned calls of one session, at most `config.plan_cache_size`; the least recently used is dropped first."""

    def __init__(
        self,
        graph: Graph,
        config: SessionConfig,
        session: SessionRef,
        store: VariableStore,
        elsewhere: RunsElsewhere | None = None,
    ) -> None:
        self._elsewhere = elsewhere
        self._graph = graph
        self._store = store
        self.shapes: Final = VariableShapes(graph.find_anywhere, store)
        self._config = config
        self._session = session
        self.calls = CallTable(config.plan_cache_size)
        self.kept_by: Final = WeakTable[Callable[..., Any], Callable[[], None]]()
        """Functions that keep a call, and what lets them look for it once more."""
        graph.planned_by[self] = None
        self._structures = FetchStructures(graph, ORDERS * (config.plan_cache_size + 1))

    def __len__(self) -> int:
        return len(self.calls)

    def values(self) -> list[PlannedCall]:
        """The cached calls."""
        return self.calls.values()

    def find(
        self, fetches: Any, fed: tuple[Tensor, ...], values: Sequence[Any] = (), kind: str = PLAIN
    ) -> tuple[PlannedCall, Fetches | None, Sequence[Any]]:
        """The call that runs, planned now if it is new; the structure of the fetches, None for a single tensor; the
        values, which are arrays once they have been checked.

        values: the fed values if known; errors in them are raised before errors of planning.
        """
        if self._graph.unfetchable:
            Fetches(self._graph, fetches)  # raises for what may not be fetched: what is kept does not look again
        structure = None if fetches.__class__ is Tensor else self._structures.find(fetches)
        key = (fetches if structure is None else structure.key, fed, kind)
        call = self.calls.find(key)
        if call is not None:
            return call, structure, values
        call = self.calls.reordered(key)
        if call is None:
            if values:
                every = frozenset(range(len(fed)))  # whether strings of fixed width may stay, the plan will say
                values = check_feeds(fed, values, every)[0]
            if structure is not None or fetches.graph is not self._graph:
                structure = structure or Fetches(self._graph, fetches)  # which raises for a tensor of another graph
                call = self._planned(structure.tensors, structure.operations, fed, kind)
            else:
                call = self._planned((fetches,), (), fed, kind)
            self.calls.keep(key, call)
        return call, structure, values

    def replace(self, fetches: Any, fed: tuple[Tensor, ...], plan: Plan, in_order: tuple[Tensor, ...]) -> None:
        """From now on run `plan`, whose feeds are `in_order`, when `fetches` are fetched and `fed` are fed."""
        structure = Fetches(self._graph, fetches)
        key = structure.key, fed, PLAIN
        named = names_of(structure.tensors, structure.operations)
        self.calls.keep(key, self._call(self._program(plan, self._config), in_order, named))

    def forget(self) -> None:
        """Drop all plans: static shapes that they rely on hold no more. What keeps one finds another."""
        self.calls.forget()
        for function in self.kept_by:
            find_again = self.kept_by.get(function)
            if find_again is not None:
                find_again()

    def close(self) -> None:
        """Drop all plans, and keep none from now on."""
        self.calls.close()
        self._structures.close()

    # ---- planning ---------------------------------------------------------------------------

    def _planned(
        self, tensors: Sequence[Tensor], operations: Sequence[Operation], fed: tuple[Tensor, ...], kind: str
    ) -> PlannedCall:
        stage = first_stage(tensors, operations, fed)
        if fed:
            check_feeds_of_iterators(stage, self._graph)
        sources = sources_of(stage) if kind in (PLAIN, AS_DEVICE) else ()
        if sources and all(op.graph is self._graph for op in sources):  # a copy depends on what is fed
            return self._with_sources(tensors, operations, fed, kind, sources)
        if self._elsewhere is not None and kind == PLAIN and runs_at_hand(stage):
            kind = AT_HAND
        return self._planned_whole(stage, tensors, operations, fed, kind)

    def _with_sources(
        self, tensors: Sequence[Tensor], operations: Sequence[Operation], fed: tuple[Tensor, ...], kind: str,
        sources: tuple[Operation, ...],
    ) -> PlannedCall:  # fmt: skip
        """The call of runs that begin with what `sources` give."""

        def at_hand(wanted: tuple[Tensor, ...], given: tuple[Tensor, ...]) -> PlannedCall:
            return self._planned_whole(first_stage(wanted, (), given), wanted, (), given, AT_HAND)

        def with_them(taken: tuple[Tensor, ...]) -> PlannedCall:
            targets, every = [op for op in operations if op not in sources], (*fed, *taken)
            return self._planned_whole(first_stage(tensors, targets, every), tensors, targets, every, kind, len(fed))

        def in_one() -> PlannedCall:
            return self._planned_whole(first_stage(tensors, operations, fed), tensors, operations, fed, kind)

        timeout = configured_timeout(self._config, names_of(tensors, operations))
        ahead = None if self._elsewhere is None else self._element_ahead
        return call_with_sources(fed, sources, at_hand, with_them, in_one, timeout, ahead, self._hand)

    def _element_ahead(self, handle: bytes) -> Any:
        """The next element of an iterator of the session, if it lies ready; None for other objects."""
        session = None if self._session is None else self._session()
        return None if session is None else session.objects.ahead(handle)

    def _hand(self, handle: bytes, promise: Sequence[Any]) -> Any:
        """What takes elements that lie at hand out of an iterator of the session; None for other objects."""
        session = None if self._session is None else self._session()
        return None if session is None else session.objects.hand(handle, *promise)

    def _planned_whole(
        self, stage: Stage, tensors: Sequence[Tensor], operations: Sequence[Operation], fed: tuple[Tensor, ...],
        kind: str, fed_by_user: int | None = None,
    ) -> PlannedCall:  # fmt: skip
        """The call of a first stage.

        fed_by_user: how many of the fed tensors the user feeds, the first ones; None for all.
        """
        of_user = len(fed) if fed_by_user is None else fed_by_user
        start = perf_counter()
        program = self._made(stage, fed, kind)
        price = perf_counter() - start
        without_values = None
        if has_branches_with_variables(stage.operations):
            without_values = partial(self._made, stage, fed, kind, may_lack=True)
        halves = None
        if self._config.asynchronous and kind == PLAIN and program.plan.written:
            halves = partial(self._in_halves, stage, fed)
        named = names_of(tensors, operations)
        shaped = None
        is_open = any(not t.shape.is_known for t in stage.feeds) or reads_open_variables(program.plan)
        flags = known_sizes.flags_of(stage)
        may = (is_open or flags) and known_sizes.may_specialise(self._config) and self._elsewhere is None
        if kind == PLAIN and halves is None and may:
            plan = partial(self._call_for_shapes, stage, fed, named, without_values, of_user)
            repeats = any(op.opdef.facts.repeats for op in stage.operations)
            at_first = is_open and repeats and all(map(known_sizes.opens_rows, stage.feeds))
            patience = self._config.specialise_after
            # For flags alone it is not planned early: the general plan has machine code of the same sizes.
            shaped = ShapedCalls(patience, plan, price if is_open else inf, at_first, flags)
        call = self._call(program, fed, named, kind in _AS_WRITTEN, without_values, halves, shaped)
        call.fed_results = stage.fed_fetches(of_user)
        return call

    def _call_for_shapes(
        self,
        stage: Stage,
        fed: tuple[Tensor, ...],
        fetches: str,
        without_values: Callable[[], Program] | None,
        fed_by_user: int,
        shapes: Shapes,
        flags: Flags,
    ) -> PlannedCall | None:
        """The call of a first stage for runs whose feeds have these shapes and flags; None if there can be none."""
        places = known_sizes.flags_of(stage)
        try:
            program = self._made(stage, fed, PLAIN, shapes=shapes, flags=dict(zip(places, flags, strict=True)))
        except ShapeError:
            return None
        except Exception:
            if self._config.verify:
                raise
            return None  # the general plan has served so far
        call = self._call(program, fed, fetches, without_values=without_values, shapes=shapes, flags=flags)
        call.fed_results = stage.fed_fetches(fed_by_user)
        return call

    def _made(
        self, stage: Stage, fed: tuple[Tensor, ...], kind: str, may_lack: bool = False, shapes: Shapes | None = None,
        flags: Mapping[int, bool | None] = MappingProxyType({}),
    ) -> Program:  # fmt: skip
        """The program of a first stage.

        Args:
            stage: the first stage.
            fed: the fed tensors of the user's graph.
            kind: the kind of the run.
            may_lack: whether variables may have no value at the start of a run.
            shapes: the shapes of the feeds of all runs; None if they may have any.
            flags: the values of flags among these feeds, by place.
        """
        as_written = kind in _AS_WRITTEN
        config = self._config.as_written() if as_written else self._config
        with self._planning():
            stage = with_versions(stage, fed, self._graph.find_anywhere, may_lack=may_lack)
            if shapes is not None:
                config = replace(config, log_device_placement=False)  # the general plan has told
                stage = known_sizes.with_known_flags(stage, flags)
                sizes = [*shapes, *known_sizes.shapes_of_variables(stage, self.shapes.now)]
                stage = known_sizes.with_known_sizes(stage, sizes)
            if config.shard is not None and not as_written and kind != AT_HAND:
                stage = _in_shards(stage, config, fed)
            return self._program_of(stage, [t.name for t in fed], kind, config)

    @contextmanager
    def _planning(self) -> Iterator[None]:
        """A `with` block that plans; a lack of memory is told in words."""
        try:
            with collector_paused():
                yield
        except MemoryError as error:
            raise ResourceExhaustedError(
                message=f"Session.run: there is no memory to plan a graph of {self._graph.version} nodes: {error}. "
                "A plan holds a step for each node that the fetches need; fetch less at once"
            ) from None

    def _program_of(
        self, stage: Stage, names: Sequence[str], kind: str, config: SessionConfig, handed: Sequence[int] = ()
    ) -> Program:
        """The program of a stage without variables; `handed` are places of fetches for another run of the session."""
        as_written = kind in _AS_WRITTEN
        if self._elsewhere is not None and not as_written and kind != AT_HAND:
            return self._elsewhere.program(stage, names, kind == AS_DEVICE, handed)
        if config.device != "cpu" or any(op.device for op in within(stage.operations)):
            check_devices(within(stage.operations), config)
        if config.log_device_placement:
            log_devices(stage.operations, config)
        passes = ALL_PASSES if config.passes is None else config.passes
        stage = optimise(stage, kernel_for, passes, check=config.verify)
        plan = make_plan(with_sources_last(stage), names, config, kind in (AS_DEVICE, AS_WRITTEN_AS_DEVICE))
        if kind == AS_WRITTEN_UNBOUND:
            return UnboundProgram(without_donors(plan))
        if as_written:
            return Program(without_donors(plan), self._graph.find_anywhere, config, self._session)
        return self._program(plan, config)

    def _in_halves(self, stage: Stage, fed: tuple[Tensor, ...]) -> HalfRuns | None:
        """The halves of the runs of a first stage."""
        with self._planning():
            stage = with_versions(stage, fed, self._graph.find_anywhere, apart=True)
            if self._config.shard is not None:
                stage = _in_shards(stage, self._config, fed)
            halves = in_halves(stage)
            if halves is None:
                return None
            names = [[fed[i].name for i in places] for places in halves.feeds]
            count = len(halves.first.fetches)
            places = range(count - halves.handed, count)
            config = replace(self._config, log_device_placement=False)  # the whole has told
            first = self._program_of(halves.first, names[0], PLAIN, config, places)
            handed = [halves.first.fetches[place].name for place in places]
            second = self._program_of(halves.second, [*names[1], *handed], PLAIN, config)
        return HalfRuns(
            HalfRun(first, self._state(first.plan), halves.feeds[0]),
            HalfRun(second, self._state(second.plan), halves.feeds[1]),
            halves.handed,
            halves.results,
        )

    def _state(
        self,
        plan: Plan,
        keeps_feeds: bool = False,
        without_values: Callable[[], Program] | None = None,
        shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> StateRun | None:
        """How the runs of a plan use variables, some of which have these shapes; None if they use none."""
        if not plan.state and not plan.written:
            return None
        return StateRun(plan, self._store, self._graph.find_anywhere, keeps_feeds, without_values, shapes)

    def _call(
        self,
        program: Program,
        fed: tuple[Tensor, ...],
        fetches: str,
        keeps_feeds: bool = False,
        without_values: Callable[[], Program] | None = None,
        halves: Callable[[], HalfRuns | None] | None = None,
        shaped: ShapedCalls[PlannedCall] | None = None,
        shapes: Shapes | None = None,
        flags: Flags = (),
    ) -> PlannedCall:
        """The call of a program.

        fetches: their names, for errors; without_values: that of `StateRun`; halves: makes the halves of runs that are
        made in two; shaped, shapes, flags: those of `PlannedCall`.
        """
        plan = program.plan
        of_variables = {} if shapes is None else self.shapes.planned(plan)
        holds = partial(self.shapes.are, of_variables) if of_variables else None
        state = self._state(plan, keeps_feeds, without_values, of_variables)
        using: StateRun | AsynchronousRun | None = state
        if halves is not None and state is not None:
            using = AsynchronousRun(state, self._store, [each.resource for each in plan.state], halves)
        drawing = random_nodes(plan)
        session = None if self._session is None else self._session()
        run: StateRun | AsynchronousRun | DrawingRun | None = using
        if drawing and session is not None:
            run = DrawingRun(session.random_counters, drawing, plan, using)
        timeout = configured_timeout(self._config, fetches)
        using_time = run if timeout is None else TimedRun(timeout, plan, run)
        return PlannedCall(program, fed, using_time, shaped, shapes, holds, flags)

    def _program(self, plan: Plan, config: SessionConfig) -> Program:
        """The program of a plan: with listeners if the config asks for them, with captures if it uses a GPU."""
        find_op, session = self._graph.find_anywhere, self._session
        if config.watch is not None or config.progress is not None or config.check:
            plan = without_donors(plan) if config.watch is not None or config.check else plan
            return ListeningProgram(plan, find_op, config, session,
                                    self._listen)  # fmt: skip
        if any(step.device == "gpu" for step in plan.steps):
            load("penstock.runtime.execution.device_program")
            from ..execution.device_program import DeviceProgram  # loaded only if there is a GPU

            return DeviceProgram(plan, find_op, config, session)
        return Program(plan, find_op, config, session)

    def _listen(self, plan: Plan, trace: StepListener | None, is_body: bool) -> StepListener | None:
        config = self._config
        progress = None if is_body else config.progress  # progress counts the steps of the outer plan only
        return listeners_of(plan, self._graph.find_anywhere, config.watching, progress, trace, config.check)


def _in_shards(stage: Stage, config: SessionConfig, fed: Sequence[Tensor]) -> Stage:
    load("penstock.runtime.sharding.sharded_stage")
    from ..sharding.sharded_stage import with_shards  # loaded only if a session cuts a dimension

    return stage if config.shard is None else with_shards(stage, config.shard, config.sums, fed)[0]
