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
from ...graph.literal import Array
from ...graph.near_names import did_you_mean
from ...graph.nesting import within
from ...graph.nodes import Graph, Tensor
from ..arguments.feeds import split_feed_dict
from ..arguments.fetches import Fetches
from ..base.random_counters import RandomCounters, RandomState
from ..base.session_config import SessionConfig
from ..debugger.debugger import Debugger
from ..debugger.stepped_plan import SteppedPlan
from ..execution.row_major import row_major_copies
from ..observe.explain import explain
from ..passes.pipeline import first_stage
from .failed_run import FailedRun
from .plan_cache import AS_WRITTEN, PLAIN, PlanCache
from .variable_store import VariableStore


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
    """In place of a program: it gives results that are there already."""

    def __init__(self, results: Sequence[Any]) -> None:
        self._results = results

    def run(self, *arguments: Any) -> list[Any]:
        return list(self._results)


def debugged_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    variables: VariableStore,
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
    found = Fetches(graph, fetches)
    call, _, _ = plans.find(fetches, tensors, kind=PLAIN if fused else AS_WRITTEN)
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
    own = _InPlaceOfSession(counters)
    operations = within(first_stage(found.tensors, found.operations, tensors).operations)
    code = SteppedPlan(program.plan, graph.find_anywhere, config, own, list(operations), not fused)
    for tensor, slot in zip(found.tensors, program.plan.user_fetches, strict=True):
        code.slot_of.setdefault(tensor.name, slot)  # a pass may have another tensor in its place
    before = counters.state()
    used = dict(zip([each.resource for each in program.plan.state], started, strict=True))

    def commit(results: list[Any]) -> Any:
        for resource in program.plan.written:
            now = variables.get(resource)
            then = used.get(resource)
            if now is not None and then is not None and not _are_same(now, then):
                raise AbortedError(
                    message=f"Debugger.finish: another run has changed the variable {resource!r} since this one began; "
                    "nothing was written. Open another with session.debug(...)"
                )
        if state is not None:
            results = state.run(_Given(row_major_copies(results)), arrays)
        _advance(random, before, counters.state())
        return call.owned_results(results, found.repack)

    def why_not(node: str) -> str:
        if graph.find_anywhere(node) is None:
            known = [op.name for op in graph.get_operations()]
            return f"{node}: the graph has no node of that name{did_you_mean(node, known)}"
        shapes = tuple([array.shape for array in arrays])
        return explain(graph, fetches, tensors, config, shapes).why(node)

    asked = tuple([t.name for t in found.tensors] + [op.name for op in found.operations])
    return Debugger(code, [*arrays, *started], graph.find_anywhere, counters, commit, every, memory, why_not, asked,
                    graph, config if fused else config.as_written())  # fmt: skip


def debug_of_failed_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    variables: VariableStore,
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
        graph, config, plans, variables, random, failed.fetches, tensors, values, fused, every, memory, start
    )
    made.run_to_failure()
    return made


def _advance(random: RandomCounters, before: RandomState, after: RandomState) -> None:
    """Let the streams of the session go on where those of the debugged run have ended."""
    drawn = {name: each for name, each in after.items() if before.get(name) != each}
    random.restore(RandomState({**random.state().streams, **drawn}))


def _are_same(a: Array, b: Array) -> bool:
    if a.dtype.kind == "O":
        return a.shape == b.shape and all(x is y or x == y for x, y in zip(a.flat, b.flat, strict=True))
    return a.shape == b.shape and a.tobytes() == b.tobytes()
