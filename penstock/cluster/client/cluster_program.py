"""`ClusterProgram`: what a session's plan is on a cluster. It is called as a local program is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...errors import UseError
from ...graph.declare.op_cost import Known
from ...runtime.base.coming_feeds import COMING_FEEDS
from ...runtime.base.pending_writes import PendingWrites
from ...runtime.execution.executor import Program
from ...runtime.execution.step_listener import StepListener
from ...runtime.execution.unbound_program import UnboundProgram
from ...runtime.ir.stage import Stage
from ...runtime.planning.memory_plan import MemoryPlan
from ...runtime.planning.plan import Plan
from ..placing.cluster_plan import ClusterPlan
from ..placing.whole_plan import JoinedPlan
from ..worker.worker_run import RunsPartition
from .cluster_recorder import ClusterRecorder
from .parted_feeds import JoinedResult
from .remote_value import RemoteValues
from .sent_ahead import SentAhead


class RunsPrograms(Protocol):
    """The cluster of a session."""

    def shown_plan(self, program: ClusterProgram, shapes: Sequence[Known]) -> Plan:
        """The plan of a run whose caller feeds values of these shapes."""

    def run(self, program: ClusterProgram, feeds: Sequence[Any], trace: StepListener | None) -> list[Any]:
        """The results of one run."""


class ClusterProgram(UnboundProgram):
    """A plan whose steps run on workers.

    Attributes:
        source: its operations before any pass.
        stage: its operations.
        outline: for results that stay on workers: what each fetch of the caller is.
        handed: the places of fetches that stay on workers for another run of the session.
        by_parts: by the places of feeds that come in parts: the program that takes them, and for each of these feeds
            the axis and the places of its parts.
        made: where they run, and what is sent; None before the first run, which shows the sizes of its feeds.
        own: the partitions of the client, by key.
        here: the program of this machine, if that is expected to be faster (`SessionConfig(distribute="auto")`).
        took: seconds of the last run, and of each partition in it, by number.
        ahead: what the next run finds at the workers; None before the first.
        whole: the plans of all partitions of `made`, once a tool has asked.
    """

    def __init__(
        self,
        plan: Plan,
        source: Stage,
        stage: Stage,
        cluster: RunsPrograms,
        outline: tuple[int | JoinedResult, ...] | None = None,
        handed: Sequence[int] = (),
    ) -> None:
        super().__init__(plan)
        self.source = source
        self.stage = stage
        self.outline = outline
        self.handed = tuple(handed)
        self.by_parts: dict[tuple[int, ...], tuple[ClusterProgram, Mapping[int, tuple[int, list[int]]]]] = {}
        self._cluster = cluster
        self.made: ClusterPlan | None = None
        self.own: dict[str, RunsPartition] = {}
        self.here: Program | None = None
        self.took: tuple[float, dict[int, float]] | None = None
        self.whole: JoinedPlan | None = None
        self.ahead: SentAhead | None = None

    def sent_ahead(self, values: RemoteValues) -> SentAhead | None:
        """What the next run finds at the workers; None for a run that knows nothing of the next one."""
        if self.ahead is None and COMING_FEEDS.get() is not None:
            self.ahead = SentAhead(values)
        return self.ahead

    def shown_plan(self, shapes: Sequence[Any] = ()) -> Plan:
        """The plan of all places as tools show it: each step has its place as its device."""
        return self._cluster.shown_plan(self, shapes)

    def recorder(self, values: bool) -> ClusterRecorder:
        """What records one run."""
        return ClusterRecorder(values)

    def memory(self, shapes: tuple[tuple[int, ...], ...]) -> MemoryPlan:
        """Memory is not planned over several processes.

        Raises:
            UseError: always.
        """
        raise UseError(
            "Session.memory: this session runs on a cluster, and each process plans the memory of its part when it "
            "runs. Record a run, session.run(..., run_metadata=metadata): metadata.record.places has the peak of each; "
            "a session on one machine, tf.Session(graph=...), plans the memory of the whole"
        )

    def run(
        self, feeds: Sequence[Any], trace: StepListener | None = None, writes: PendingWrites | None = None
    ) -> list[Any]:
        """As of `Program`; the new values of variables are `RemoteValue`s.

        Raises:
            OpError: an operation failed.
            UnavailableError: a worker is lost.
        """
        return self._cluster.run(self, feeds, trace)
