"""Debugged runs: what `Session.debug` takes from the session, and what it gives back at the end.

The debugger gets the values of the feeds and variables and the streams of random numbers as they are now, all of them
copies. At the end the session gets the new values of variables, as after any run, and the random numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import AbortedError
from ...graph.literal import Array
from ...graph.nesting import within
from ...graph.nodes import Graph, Tensor
from ..arguments.fetches import Fetches
from ..base.random_counters import RandomCounters, RandomState
from ..base.session_config import SessionConfig
from ..debugger.debugger import Debugger
from ..debugger.stepped_plan import SteppedPlan
from ..execution.row_major import row_major_copies
from ..passes.pipeline import first_stage
from .plan_cache import AS_WRITTEN, PLAIN, PlanCache
from .variable_store import VariableStore


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
) -> Debugger:
    """See `Session.debug`."""
    found = Fetches(graph, fetches)
    call, _, _ = plans.find(fetches, tensors, kind=PLAIN if fused else AS_WRITTEN)
    arrays = [array.copy() for array in call.arrays(call.in_order(values))]
    program, state = call.program, call.state
    started: list[Any] = []
    if state is not None:
        state, other, started = state.start()
        program = program if other is None else other
    counters = RandomCounters()
    counters.restore(random.state())
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

    return Debugger(code, [*arrays, *started], graph.find_anywhere, counters, commit, every, memory)


def _advance(random: RandomCounters, before: RandomState, after: RandomState) -> None:
    """Let the streams of the session go on where those of the debugged run have ended."""
    drawn = {name: each for name, each in after.items() if before.get(name) != each}
    random.restore(RandomState({**random.state().streams, **drawn}))


def _are_same(a: Array, b: Array) -> bool:
    if a.dtype.kind == "O":
        return a.shape == b.shape and all(x is y or x == y for x, y in zip(a.flat, b.flat, strict=True))
    return a.shape == b.shape and a.tobytes() == b.tobytes()
