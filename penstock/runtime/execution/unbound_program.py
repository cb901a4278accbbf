"""A program that only has a plan: for those who run its steps themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InternalError
from ..base.pending_writes import PendingWrites
from ..planning.plan import Plan
from .executor import Program
from .step_listener import StepListener


class UnboundProgram(Program):
    """A plan without kernels. Binding those of a plan of 1e4 steps takes longer than planning."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def run(
        self, feeds: Sequence[Any], trace: StepListener | None = None, writes: PendingWrites | None = None
    ) -> list[Any]:
        """It cannot run."""
        raise InternalError(message="a program without kernels was run")
