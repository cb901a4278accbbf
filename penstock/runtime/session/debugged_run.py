"""Debugged runs: what `Session.debug` takes from the session, and what it gives back at the end.

The debugger gets the values of the feeds and variables and the streams of random numbers as they are now, all of them
copies. At the end the session gets the new values of variables, as after any run, and the random numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import AbortedError, UseError
from ...graph.common.near_names import did_you_mean
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Tensor
from ...graph.shapes.literal import Array
from ...ops.state.uninitialized_variables import NO_VALUE
from ..arguments.feeds import split_feed_dict
from ..arguments.fetches import Fetches
from ..base.random_counters import RandomCounters, RandomState
from ..base.session_config import SessionConfig
from ..debugger.debugged_moves import whole_number
from ..debugger.debugger import Debugger
from ..debugger.stepped_plan import SteppedPlan
from ..execution.row_major import row_major_copy
from ..observe.explain import explain
from ..passes.pipeline import first_stage
from ..planning.plan import Plan
from .failed_run import FailedRun
from .plan_cache import AS_WRITTEN_UNBOUND, PLAIN, PlanCache


@dataclass(frozen=True, slots=True)
class StartOfRun:
    """The state that a run found.

    Attributes:
        variables: the values of variables.
        random: the streams of random numbers; None for those of the session.
    """

    variables: Mapping[str, Array]
    random: RandomState | None


class _InPlaceOfSession:
    """What kernels see as their session: the streams of random numbers of one debugged run."""

    def __init__(self, random_counters: RandomCounters) -> None:
        self.random_counters = random_counters


class _Given:
    """In place of a program: it gives results that are there already, if the variables are still what they were."""

    def __init__(
        self, plan: Plan, results: Sequence[Any], started: Sequence[Any], is_again: bool, threads: int | None
    ) -> None:
        """is_again: Ctrl-C has ended a first attempt, which may have written the new values already."""
        self._plan = plan
        self._results = results
        self._started = started
        self._is_again = is_again
        self.threads = threads

    def run(self, arguments: Sequence[Any], *rest: Any) -> list[Any]:
        plan = self._plan
        new = dict(zip(plan.written, self._results[len(plan.user_fetches) :], strict=True))
        now = arguments[len(arguments) - len(plan.state) :]
        for each, value, then in zip(plan.state, now, self._started, strict=True):
            if each.resource not in new or _are_same(value, then):
                continue
            if not (self._is_again and _are_same(value, new[each.resource])):
                raise AbortedError(
                    message=f"Debugger.finish: another run has changed the variable {each.resource!r} since this one "
                    "began; nothing was written. Open another with session.debug(...)"
                )
        return list(self._results)


def debugged_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    random: RandomCounters,
    fetches: Any,
    tensors: tuple[Tensor, ...],
    values: Sequence[Any],
    fused: bool,
    every: int,
    memory: int,
    start: StartOfRun | None = None,
) -> Debugger:
    """See `Session.debug`; `start`: in place of the state that the session has now."""
    whole_number(every, f"Session.debug(every={every!r})", 1)
    whole_number(memory, f"Session.debug(memory={memory!r})")
    fetch_structure = Fetches(graph, fetches)
    call, _, _ = plans.find(fetches, tensors, kind=PLAIN if fused else AS_WRITTEN_UNBOUND)
    arrays = [array.copy() for array in call.arrays(call.in_order(values))]
    program, state = call.program, call.state
    started: list[Any] = []
    if state is not None:
        state, other, started = state.start()
        program = program if other is None else other
    if start is not None:
        names = [each.resource if each.kind == "value" else "" for each in program.plan.state]
        started = [start.variables.get(name, now) for name, now in zip(names, started, strict=True)]
    counters = RandomCounters()
    counters.restore(random.state() if start is None or start.random is None else start.random)
    place = _InPlaceOfSession(counters)
    stage = first_stage(fetch_structure.tensors, fetch_structure.operations, tensors)
    operations = list(within(stage.operations))
    code = SteppedPlan(program.plan, graph.find_anywhere, config, place, operations, not fused, stage.places)
    for tensor, slot in zip(fetch_structure.tensors, program.plan.user_fetches, strict=True):
        code.slot_of.setdefault(tensor.name, slot)  # a pass may have another tensor in its place
    before = {name: each.drawn for name, each in counters.state().items()}

    attempts: list[None] = []
    ends: dict[str, int] = {}

    def commit(results: list[Any]) -> Any:
        if state is not None:
            own = [each if each is NO_VALUE else row_major_copy(each, program.threads) for each in results]
            store = _Given(program.plan, own, started, bool(attempts), program.threads)
            attempts.append(None)
            results = state.run(store, arrays)
        for name, each in counters.state().items():  # each stream goes on as if it had been drawn from now
            drawn = each.drawn - before.get(name, 0)
            if drawn:
                stream = random.stream(name, each.seed, each.seed2)
                stream.memory = each.memory
                missing = ends.setdefault(name, stream.drawn + drawn) - stream.drawn
                if missing > 0:  # or Ctrl-C has ended an attempt after it
                    stream.reserve(missing)
        return call.owned_results(results, fetch_structure.repack)

    def why_not(node: str) -> str:
        if graph.find_anywhere(node) is None:
            known = [op.name for op in graph.get_operations()]
            return f"{node}: the graph has no node of that name{did_you_mean(node, known)}"
        shapes = tuple([array.shape for array in arrays])
        return explain(graph, fetches, tensors, config, shapes).why(node)

    asked = tuple([t.name for t in fetch_structure.tensors] + [op.name for op in fetch_structure.operations])
    return Debugger(code, [*arrays, *started], graph.find_anywhere, counters, commit, every, memory, why_not, asked,
                    graph, config if fused else config.as_written())  # fmt: skip


def debug_of_failed_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    random: RandomCounters,
    failed: FailedRun | None,
    fused: bool,
    every: int,
    memory: int,
) -> Debugger:
    """See `Session.debug_last_error`."""
    if failed is None:
        raise UseError("Session.debug_last_error: no run of this session has failed. session.debug(fetches, feed_dict) "
                       "opens any run")  # fmt: skip
    tensors, values = split_feed_dict(graph, failed.feed_dict())
    start = StartOfRun({name: np.array(value) for name, value in failed.state().items()}, failed.random)
    made = debugged_run(
        graph, config, plans, random, failed.fetches, tensors, values, fused, every, memory, start
    )
    made.run_to_failure()
    return made


def _are_same(a: Array, b: Array) -> bool:
    if a.dtype.kind == "O":
        return a.shape == b.shape and all(x is y or x == y for x, y in zip(a.flat, b.flat, strict=True))
    return a.shape == b.shape and a.tobytes() == b.tobytes()
