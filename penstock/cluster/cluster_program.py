"""`ClusterProgram`: what a session's plan is on a cluster. It is called as a local program is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..runtime.execution.executor import Program
from ..runtime.execution.step_listener import StepListener
from ..runtime.execution.unbound_program import UnboundProgram
from ..runtime.ir.stage import Stage
from ..runtime.planning.plan import Plan
from .cluster_plan import ClusterPlan
from .worker_run import RunsPartition


class RunsPrograms(Protocol):
    """The cluster of a session."""

    def run(self, program: ClusterProgram, feeds: Sequence[Any], trace: StepListener | None) -> list[Any]:
        """The results of one run."""


class ClusterProgram(UnboundProgram):
    """A plan whose steps run on workers.

    Attributes:
        stage: its operations.
        made: where they run, and what is sent; None before the first run, which shows the sizes of its feeds.
        own: the partitions of the client, by key.
        here: the program of this machine, if that is expected to be faster (`SessionConfig(distribute="auto")`).
        took: seconds of the last run, and of each partition in it, by number.
    """

    def __init__(self, plan: Plan, stage: Stage, cluster: RunsPrograms) -> None:
        super().__init__(plan)
        self.stage = stage
        self._cluster = cluster
        self.made: ClusterPlan | None = None
        self.own: dict[str, RunsPartition] = {}
        self.here: Program | None = None
        self.took: tuple[float, dict[int, float]] | None = None

    def run(self, feeds: Sequence[Any], trace: StepListener | None = None, room: list[Any] | None = None) -> list[Any]:
        """As of `Program`; the new values of variables are `RemoteValue`s.

        Raises:
            OpError: an operation failed.
            UnavailableError: a worker is lost.
        """
        return self._cluster.run(self, feeds, trace)
