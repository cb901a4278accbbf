"""Programs whose runs have listeners, for sessions that watch, check or report every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.pending_writes import PendingWrites
from ..base.session_config import SessionConfig
from ..ir.kernel_protocol import SessionRef
from ..planning.plan import Plan
from .body_call import InnerCall
from .executor import Program
from .run_errors import FindOp
from .step_listener import StepListener

Listen = Callable[[Plan, StepListener | None, bool], StepListener | None]
"""(plan, the listener of one run, whether the plan is that of a body) -> the listener to use."""


class ListeningProgram(Program):
    """A program that calls `listen` before each run for its listener, so that plain programs need no branch for it."""

    def __init__(
        self,
        plan: Plan,
        find_op: FindOp,
        config: SessionConfig,
        session: SessionRef,
        listen: Listen,
        is_body: bool = False,
    ) -> None:
        self._listen = listen
        self._is_body = is_body
        super().__init__(plan, find_op, config, session)

    def _inner(self, plan: Plan) -> InnerCall:
        """The function that runs a graph inside an op, with listeners."""
        made = ListeningProgram(plan, self._find_op, self._config, self._session, self._listen, is_body=True)
        return InnerCall(made)

    def run(
        self, feeds: Sequence[Any], trace: StepListener | None = None, writes: PendingWrites | None = None
    ) -> list[Any]:
        """As `Program.run`, with the session's listeners in addition to `trace`."""
        return super().run(feeds, self._listen(self.plan, trace, self._is_body), writes)
