"""Records of debugged runs: what `Debugger.record` gives, and the page of a notebook draws."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..base.session_config import SessionConfig
from ..observe.recorder import Recorder
from ..observe.run_record import RunRecord
from .run_state import Path, RunState
from .step_history import StepHistory
from .stepped_plan import SteppedPlan
from .stepping import Stepper


def record_until(
    state: RunState,
    time: int,
    history: StepHistory,
    stepper: Stepper,
    fetches: tuple[str, ...],
    graph: Any,
    config: SessionConfig | None,
) -> RunRecord:
    """The record of the steps up to a time, with summaries of their values.

    Args:
        state: a state before the first step, which is used up.
        time: the time.
        history: knows how the steps were run.
        stepper: runs them.
        fetches: the names of what is fetched.
        graph: the graph.
        config: the session's configuration.
    """
    code = state.frames[0].code
    whole = Recorder(code.plan, values=True)
    whole.begin(_slots(code, state.frames[0].slots))
    inside: dict[Path, Recorder | None] = {(): whole}
    makers: dict[tuple[Path, int], Any] = {}
    while state.time < time:
        start = perf_counter()
        stepper.tick(state, history.reach(state.time))
        stop = perf_counter()
        for frame, position, results in stepper.made:
            recorder = inside.get(frame.path)
            if recorder is not None:
                recorder.step(position, start, stop, results)
        for outer, frame in zip(state.frames, state.frames[1:], strict=False):
            if frame.path in inside or inside.get(outer.path) is None:
                continue
            if outer.position in outer.code.groups:
                inside[frame.path] = None  # a record has no values inside of groups
                continue
            holder = inside[outer.path]
            assert holder is not None  # just looked
            position, part, _ = frame.path[-1]
            key = outer.path, position
            if key not in makers:
                makers[key] = holder.inside(position)
            made = makers[key](outer.code.plan_of(position, part))
            inside[frame.path] = made
            if made is not None:
                made.begin(_slots(frame.code, frame.slots))
    return whole.record(None, fetches, graph, config)


def _slots(code: SteppedPlan, slots: dict[int, Any]) -> list[Any]:
    return [slots.get(i) for i in range(len(code.plan.slots))]
