"""What the process of a session runs of its own graph: partitions that are the client's, or all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...runtime.base.session_config import SessionConfig
from ...runtime.base.stop_signal import StopSignal
from ...runtime.execution.bind import kernel_for
from ...runtime.execution.executor import Program
from ...runtime.execution.listening_program import ListeningProgram
from ...runtime.execution.run_errors import FindOp
from ...runtime.execution.step_listener import StepListener
from ...runtime.ir.kernel_protocol import KernelTier, SessionRef
from ...runtime.ir.stage import Stage
from ...runtime.passes.pipeline import ALL_PASSES, optimise
from ...runtime.planning.donation import without_donors
from ...runtime.planning.plan import Plan
from ...runtime.planning.planner import make_plan
from ...runtime.session.listeners import listeners_of
from ..placing.partition_graph import PartitionGraph


class ClientPrograms:
    """Makes the programs that the process of a session runs itself."""

    def __init__(self, find_op: FindOp, config: SessionConfig, session: SessionRef) -> None:
        self._find_op = find_op
        self._config = config
        self._session = session

    def program(self, made: PartitionGraph) -> Program:
        """The program of a partition; it listens to each run if the session watches or checks its runs."""
        feeds = {t.op for t in made.feeds}
        operations = tuple([op for op in made.graph.get_operations() if op not in feeds])
        stage = Stage(operations, made.feeds, made.fetches, made.targets)
        config, find_op = self._config, self._find_op
        passes = ALL_PASSES if config.passes is None else config.passes
        stage = optimise(stage, kernel_for, passes, check=config.verify)
        plan = without_donors(make_plan(stage, [t.name for t in made.feeds], config))
        if config.watch is None and not config.check:
            return Program(plan, find_op, config, self._session)
        return ListeningProgram(plan, find_op, config, self._session, self._listen)

    def _listen(self, plan: Plan, trace: StepListener | None, is_body: bool) -> StepListener | None:
        config = self._config
        return listeners_of(plan, self._find_op, config.watching, None, trace, config.check)


class ClientPartition:
    """A partition that runs in the process of the session."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self._program.plan

    def kernels(self) -> Sequence[KernelTier]:
        """How each of its steps runs now."""
        return self._program.kernels()

    def run(
        self,
        arrays: Sequence[Any],
        streams: Mapping[str, Sequence[int]],
        signal: StopSignal,
        listener: StepListener | None = None,
    ) -> list[Any]:
        """The results; random ops use the session's own counters."""
        return self._program.run(arrays, listener)

    def drawn(self) -> dict[str, int]:
        """Nothing: the session's counters know it."""
        return {}
