"""Runs with a timeout, of a session's config or of the options of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ...graph.model.nodes import Operation, Tensor
from ..base.session_config import SessionConfig
from ..base.stop_signal import limited_to
from ..execution.executor import Program
from ..execution.step_listener import StepListener
from ..planning.aliasing import aliases_of
from ..planning.plan import Plan
from .asynchronous_run import AsynchronousRun
from .drawing_run import DrawingRun
from .state_run import StateRun

_NAMED = 3
"""The most fetches that an error names."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """How long a run may take.

    Attributes:
        milliseconds: the time.
        option: what asked for it, such as "RunOptions(timeout_in_ms=100)".
        fetches: the fetches, for errors.
    """

    milliseconds: int
    option: str
    fetches: str


def configured_timeout(config: SessionConfig, fetches: str) -> Timeout | None:
    """How long a run of a session may take; None without a limit. fetches: their names."""
    milliseconds = config.timeout_in_ms
    if not milliseconds:
        return None
    return Timeout(milliseconds, f"the session's config (timeout_in_ms={milliseconds})", fetches)


class TimedRun:
    """How the runs of one plan end after a time. It stands for a `StateRun` in a planned call. Thread-safe."""

    def __init__(self, timeout: Timeout, plan: Plan, state: StateRun | AsynchronousRun | DrawingRun | None) -> None:
        self._timeout = timeout
        self.state = state
        self.may_return = aliases_of(plan).returnable(plan.fetches) if state is None else state.may_return

    def run(self, program: Program, arrays: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """The results for the caller. Waiting for variables counts, planning and conversions of feeds do not.

        Raises:
            DeadlineExceededError: the time was over before the last step had ended.
        """
        timeout = self._timeout
        with limited_to(timeout.milliseconds, timeout.option, timeout.fetches):
            if self.state is None:
                return program.run(arrays, trace)
            return self.state.run(program, arrays, trace)


def names_of(tensors: Sequence[Tensor], operations: Sequence[Operation]) -> str:
    """The fetches of a run, for errors."""
    names = [f'"{name}"' for name in (*[t.name for t in tensors], *[op.name for op in operations])]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
