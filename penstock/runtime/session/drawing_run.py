"""Runs with random ops: when one fails, its error knows where the streams were before, so that it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.random_counters import RandomCounters, RandomStream, StreamState
from ..execution.executor import Program
from ..execution.step_listener import StepListener
from ..planning.aliasing import aliases_of
from ..planning.plan import Plan
from .asynchronous_run import AsynchronousRun
from .run_start import note_start
from .state_run import StateRun


class DrawingRun:
    """How the runs of one plan with random ops note what they draw. It stands for its `state` in a planned call."""

    def __init__(
        self, counters: RandomCounters, nodes: Sequence[str], plan: Plan, state: StateRun | AsynchronousRun | None
    ) -> None:
        """nodes: the names of the plan's random operations."""
        self._counters = counters
        self._nodes = nodes
        self._streams: list[RandomStream] = []
        self.state = state
        self.may_return = aliases_of(plan).returnable(plan.fetches) if state is None else state.may_return

    def run(self, program: Program, arrays: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """The results for the caller.

        Raises:
            OpError: an operation failed.
        """
        streams = self._streams
        if len(streams) != len(self._nodes):  # those in a body begin when it runs first
            self._streams = streams = self._counters.known(self._nodes)
        before = [(stream.drawn, stream.memory) for stream in streams]
        try:
            return program.run(arrays, trace) if self.state is None else self.state.run(program, arrays, trace)
        except Exception as error:
            start = {id(stream): state for stream, state in zip(streams, before, strict=True)}
            note_start(error, random={
                each.node: StreamState(each.seed, each.seed2, *start.get(id(each), (0, None)))
                for each in self._counters.known(self._nodes)
            })  # fmt: skip
            raise
