"""The plans of a session: look-up by fetches and feeds, planning of what is new, and which plan is dropped.

`PlanCache.find` is the one way from what a caller asks for to something that runs. A plan depends on what is fetched
and what is fed, not on the values and not on the graph's version: nodes never change, so a graph that grows elsewhere
needs no new plan. One plan serves the same tensors fed in any order. It is found under the order in which it was asked
for, so that a usual run costs one look into a dict; a new order is compared as a set, and gets a call that puts the
values into the order of the plan.

No locks: every step is one operation of a dict, atomic by itself. So a signal handler may run a session in the
middle of its own run, and a forked child finds nothing closed. Threads that miss at the same moment plan twice; one
plan stays.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import count
from operator import itemgetter
from typing import Any, Final

from ...errors import ResourceExhaustedError
from ...graph.lazy_import import load
from ...graph.nesting import within
from ...graph.nodes import Graph, Operation, Tensor
from ..arguments.feeds import check_feeds
from ..arguments.fetches import Fetches
from ..base.fp_context import collector_paused
from ..base.session_config import SessionConfig
from ..execution.bind import kernel_for
from ..execution.executor import Program
from ..execution.listening_program import ListeningProgram
from ..execution.step_listener import StepListener
from ..ir.kernel_protocol import SessionRef
from ..passes.pipeline import ALL_PASSES, first_stage, optimise
from ..planning.donation import without_donors
from ..planning.placement import check_devices
from ..planning.plan import Plan
from ..planning.planner import make_plan
from .listeners import listeners_of
from .planned_call import PlannedCall, Repack

_tick: Final = count(1).__next__
ORDERS: Final = 8
"""For each plan that is kept, how many orders of feeds are remembered."""

PLAIN: Final = ""
AS_DEVICE: Final = "as device"
"""Results that were computed on a GPU stay there."""
AS_WRITTEN: Final = "as written"
"""The graph without passes, arena and updates in place, so that every node has its own name and value."""
AS_WRITTEN_AS_DEVICE: Final = "as written, as device"

Key = tuple[Hashable, tuple[Tensor, ...], str]
"""What a plan depends on: the fetches, what is fed in the order that was asked for, and the kind of the run."""


class PlanCache:
    """The planned calls of one session, at most `config.plan_cache_size`, the least recently used dropped first."""

    def __init__(self, graph: Graph, config: SessionConfig, session: SessionRef) -> None:
        self._graph = graph
        self._config = config
        self._session = session
        self._size = config.plan_cache_size
        self._plans: dict[tuple[Hashable, frozenset[Tensor], str], PlannedCall] = {}
        self._asked: dict[Hashable, PlannedCall] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._plans)

    def values(self) -> list[PlannedCall]:
        """What is kept."""
        return list(self._plans.values())

    def find(
        self, fetches: Any, fed: tuple[Tensor, ...], values: Sequence[Any] | None = None, kind: str = PLAIN
    ) -> tuple[PlannedCall, Fetches | None]:
        """What runs, planned now if it is new, and the structure of the fetches; None for a single tensor.

        values: of the feeds, where they are there: a wrong one is told before anything that planning finds.
        """
        found = None if fetches.__class__ is Tensor else Fetches(self._graph, fetches)
        key = (fetches if found is None else found.key, fed, kind)
        call = self._asked.get(key)
        if call is not None:
            call.used[0] = _tick()
            return call, found
        call = self._reordered(key)
        if call is None:
            if values is not None:
                check_feeds(fed, values)
            if found is not None or fetches.graph is not self._graph:
                found = found or Fetches(self._graph, fetches)  # which tells of another graph's tensor
                call = self._planned(found.tensors, found.operations, fed, kind)
            else:
                call = self._planned((fetches,), (), fed, kind)
            self._keep(key, call)
        return call, found

    def replace(self, fetches: Any, fed: tuple[Tensor, ...], plan: Plan, in_order: tuple[Tensor, ...]) -> None:
        """Run `plan`, whose feeds are `in_order`, from now on where `fetches` are fetched and `fed` are fed."""
        key = Fetches(self._graph, fetches).key, fed, PLAIN
        self._keep(key, PlannedCall(self._program(plan, self._config), in_order))

    def close(self) -> None:
        """Drop all, and keep nothing from now on."""
        self._closed = True
        self._plans.clear()
        self._asked.clear()

    # ---- planning ---------------------------------------------------------------------------

    def _planned(
        self, tensors: Sequence[Tensor], operations: Sequence[Operation], fed: tuple[Tensor, ...], kind: str
    ) -> PlannedCall:
        as_written = kind in (AS_WRITTEN, AS_WRITTEN_AS_DEVICE)
        config = self._config.as_written() if as_written else self._config
        try:
            with collector_paused():
                stage = first_stage(tensors, operations, fed)
                if config.device != "cpu" or any(op.device for op in within(stage.operations)):
                    check_devices(within(stage.operations), config)
                passes = ALL_PASSES if config.passes is None else config.passes
                stage = optimise(stage, kernel_for, passes, check=config.verify)
                plan = make_plan(stage, [t.name for t in fed], config, kind in (AS_DEVICE, AS_WRITTEN_AS_DEVICE))
                if not as_written:
                    return PlannedCall(self._program(plan, config), fed)
                return PlannedCall(Program(without_donors(plan), self._graph.find_anywhere, config, self._session), fed)
        except MemoryError as error:
            raise ResourceExhaustedError(
                message=f"Session.run: there is no memory to plan a graph of {self._graph.version} nodes: {error}. "
                "A plan holds what the fetches need, and copies of constants; fetch less at once"
            ) from None

    def _program(self, plan: Plan, config: SessionConfig) -> Program:
        """The plan ready to run: captured where it uses a GPU, listened to where the config asks for it."""
        find_op, session = self._graph.find_anywhere, self._session
        if config.watch is not None or config.progress is not None or config.check:
            return ListeningProgram(plan if config.watch is None else without_donors(plan), find_op, config, session,
                                    self._listen)  # fmt: skip
        if any(step.device == "gpu" for step in plan.steps):
            load("penstock.runtime.execution.device_program")
            from ..execution.device_program import DeviceProgram  # code for a GPU is loaded where there is one

            return DeviceProgram(plan, find_op, config, session)
        return Program(plan, find_op, config, session)

    def _listen(self, plan: Plan, trace: StepListener | None, is_body: bool) -> StepListener | None:
        config = self._config
        progress = None if is_body else config.progress  # a body's steps are not those whose progress is told
        return listeners_of(plan, self._graph.find_anywhere, config.watching, progress, trace, config.check)

    # ---- what is kept -----------------------------------------------------------------------

    def _reordered(self, key: Key) -> PlannedCall | None:
        fetches, fed, kind = key
        plain = self._plans.get((fetches, frozenset(fed), kind))
        if plain is None:
            return None
        plain.used[0] = _tick()
        call = plain if plain.tensors == fed else Reordered(plain, fed)
        if len(self._asked) >= ORDERS * (self._size + 1):
            self._asked.clear()  # they are found again
        self._asked[key] = call
        if self._closed:  # meanwhile
            self.close()
        return call

    def _keep(self, key: Key, call: PlannedCall) -> None:
        """Keep `call`, whose feeds are those of `key` in any order, instead of what there was."""
        fetches, fed, kind = key
        whole = fetches, frozenset(fed), kind
        before = self._plans.get(whole)
        call.used[0] = _tick()
        self._plans[whole] = call
        if before is not None:
            self._forget(before)
        while len(self._plans) > self._size:
            self._drop_one()
        if self._closed:  # meanwhile
            self.close()

    def _drop_one(self) -> None:
        try:
            key, oldest = min(self._plans.copy().items(), key=lambda item: item[1].used[0])
        except ValueError:  # another thread dropped the last
            return
        self._plans.pop(key, None)
        self._forget(oldest)

    def _forget(self, call: PlannedCall) -> None:
        for key, found in list(self._asked.copy().items()):
            if found.program is call.program:
                self._asked.pop(key, None)


class Reordered(PlannedCall):
    """A call that takes the values of the feeds in another order than its plan."""

    __slots__ = ("_order",)

    def __init__(self, call: PlannedCall, tensors: tuple[Tensor, ...]) -> None:
        super().__init__(call.program, call.tensors)
        self.used = call.used
        at = {tensor: i for i, tensor in enumerate(tensors)}
        self._order = itemgetter(*[at[tensor] for tensor in call.tensors])

    def __call__(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `PlannedCall`."""
        return super().__call__(self._order(values), repack)

    def left_there(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `PlannedCall`."""
        return super().left_there(self._order(values), repack)

    def in_order(self, values: Sequence[Any]) -> Sequence[Any]:
        """As of `PlannedCall`."""
        return self._order(values)  # type: ignore[no-any-return]  # a tuple, since there are two feeds at least
