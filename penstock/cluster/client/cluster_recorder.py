"""`ClusterRecorder`: records a run of a cluster's session, and makes one `RunRecord` of what all places noted.

Every place notes times of its own clock. The record has those of the client: the clock of a worker is measured before
the run, and corrected by the run itself, which cannot begin there before it was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from ...graph.model.nodes import Graph
from ...runtime.base.session_config import SessionConfig
from ...runtime.execution.step_listener import OutermostOnly
from ...runtime.observe.place_records import PlaceRecord, TransferRecord, WaitRecord
from ...runtime.observe.run_record import ResultRecord, RunRecord, StepRecord
from ...runtime.observe.value_summary import summary_of
from ...runtime.planning.plan import written_by_slot
from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT
from ..placing.whole_plan import JoinedPlan, Position, device_at
from ..worker.place_log import PartSteps, PlaceNotes, SentValue
from ..worker.worker_clocks import WorkerClock
from .remote_value import is_remote


@dataclass(slots=True)
class Exchange:
    """The message of a run to a worker, and its answer, on the client's clock.

    Attributes:
        sent: when the message was sent.
        answered: when the answer was there.
        bytes_there: by number, the size of each feed in the message.
        bytes_back: by number, the size of each result in the answer.
    """

    sent: float
    answered: float = 0.0
    bytes_there: dict[int, int] = field(default_factory=dict)
    bytes_back: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taken:
    """A value that the client took from a worker: its number, the worker, its size, when it was asked for and came."""

    number: int
    worker: int
    bytes: int
    asked: float
    came: float


class ClusterRecorder(OutermostOnly):
    """Records one run: it takes the notes of all places while they come, and makes the record afterwards."""

    calls_user_code = False

    def __init__(self, values: bool) -> None:
        """values: whether values are summarised."""
        self.values = values
        self._here: Callable[..., RunRecord] | None = None
        self._made: ClusterPlan
        self._whole: JoinedPlan
        self._labels: Mapping[int, tuple[str, str]]
        self._is_ready = False

    def prepare(self, made: ClusterPlan, whole: JoinedPlan, labels: Mapping[int, tuple[str, str]]) -> None:
        """Get ready for a run; for another one, if the first has to be made again.

        Args:
            made: what every place does.
            whole: the plan of all places.
            labels: for each place its name and its address.
        """
        self._made = made
        self._whole = whole
        self._labels = labels
        self._here = None
        self._is_ready = True
        self.clocks: dict[int, WorkerClock] = {}
        self.exchanges: dict[int, Exchange] = {}
        self.taken: list[Taken] = []
        self.notes: dict[int, PlaceNotes] = {}
        self._feeds: tuple[ResultRecord, ...] = ()
        self._began = 0.0
        self._ended = 0.0

    def begin(self, slots: Sequence[Any]) -> None:
        """The run begins with these feeds."""
        plan = self._whole.plan
        self._feeds = tuple([
            ResultRecord(name, plan.slots[slot].dtype.name, tuple(value.shape), int(value.nbytes),
                         summary_of(value) if self.values and not is_remote(value) else None)
            for (name, slot), value in zip(plan.feeds, slots, strict=True)
        ])  # fmt: skip
        self._began = perf_counter()

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """No steps are noted here: each place notes its own."""

    def ran_here(self, record: Callable[..., RunRecord]) -> None:
        """The run is one of this machine alone, of which `record` makes the record."""
        self._here = record

    def end(self) -> None:
        """The run has ended, with or without an error."""
        self._ended = perf_counter()

    # ---- afterwards ---------------------------------------------------------------------------

    def record(
        self, memory: Any = None, fetches: tuple[str, ...] = (), graph: Any = None, config: SessionConfig | None = None,
        kernels: Any = (),
    ) -> RunRecord | None:  # fmt: skip
        """The recorded run as data; None of a run that ended before it was sent.

        `memory` and `kernels` are those of one machine and not used.
        """
        if self._here is not None:
            return self._here(fetches, graph, config)
        if not self._is_ready:
            return None
        clocks = self._aligned()
        parts = self._parts(clocks)
        order, failed = self._order(parts)
        plan = self._whole.in_order([*order, *failed])
        written = written_by_slot(plan)
        rows: list[StepRecord] = []
        for (number, position), planned in zip(order, plan.steps, strict=False):
            part, place = parts[number]
            step, name = part.steps[position], self._labels[place][0]
            writes = tuple([each for slot in planned.outputs for each in written.get(slot, ())])
            rows.append(replace(
                step, node=planned.node, device=device_at(name, step.device), held=step.held + part.beside,
                start=step.start - self._began, writes=writes, place=name,
            ))  # fmt: skip
        if graph is not None and any(not has_tensor(graph, name) for name, _ in plan.user_feeds):
            graph = None  # feeds that come in parts stand for tensors that the user's graph does not have
        return RunRecord(
            plan, tuple(rows), self._feeds, self._ended - self._began, max([step.held for step in rows], default=0),
            None, fetches, graph, config, transfers=self._transfers(clocks, parts), waits=self._waits(clocks, parts),
            places=self._places(rows, clocks),
        )  # fmt: skip

    def _aligned(self) -> dict[int, WorkerClock]:
        found = {CLIENT: WorkerClock(0.0, 0.0)}
        for worker, notes in self.notes.items():
            clock = self.clocks.get(worker, WorkerClock(0.0, float("inf")))
            each = self.exchanges.get(worker)
            if worker != CLIENT:
                if each is not None and each.answered and notes.clock[1]:
                    clock = clock.within((each.sent, notes.clock[0]), (each.answered, notes.clock[1]))
                found[worker] = clock
        return found

    def _parts(self, clocks: Mapping[int, WorkerClock]) -> dict[int, tuple[PartSteps, int]]:
        """The partitions that began, with their places, on the client's clock; none begins before what it reads ends.

        The rest of an error of the clocks would show values that are read before they were made.
        """
        noted = {
            part.number: (part, place) for place, notes in self.notes.items() if place in clocks for part in notes.parts
        }
        makers = {t: p.number for p in self._made.partitions for t in p.outputs}
        parts: dict[int, tuple[PartSteps, int]] = {}
        for partition in self._made.partitions:
            if partition.number not in noted:
                continue
            part, place = noted[partition.number]
            before = {makers[t] for t in partition.inputs if t in makers} | set(partition.after)
            earliest = max([parts[number][0].ended for number in before if number in parts], default=self._began)
            shift = max(-clocks[place].ahead, earliest - part.ready)
            steps = tuple([replace(step, start=step.start + shift) for step in part.steps])
            ready, began, ended = part.ready + shift, part.began + shift, part.ended + shift
            parts[partition.number] = replace(part, ready=ready, began=began, ended=ended, steps=steps), place
        return parts

    def _order(self, parts: Mapping[int, tuple[PartSteps, int]]) -> tuple[list[Position], list[Position]]:
        """The steps in the order in which they began, and the steps that stood next where a partition did not end."""
        begun = [(step.start, number, position) for number, (part, _) in parts.items()
                 for position, step in enumerate(part.steps)]  # fmt: skip
        order = [(number, position) for _, number, position in sorted(begun)]
        next_ones = [
            (part.ended, number, len(part.steps))
            for number, (part, _) in parts.items()
            if len(part.steps) < len(self._whole.plans[number].steps)
        ]
        return order, [(number, position) for _, number, position in sorted(next_ones)]

    def _transfers(
        self, clocks: Mapping[int, WorkerClock], parts: Mapping[int, tuple[PartSteps, int]]
    ) -> tuple[TransferRecord, ...]:
        names = ValueNames(self._made)
        transfers: list[TransferRecord] = []

        def add(number: int, source: int, target: int, size: int, start: float, stop: float) -> None:
            made = names.maker(number)
            if made in parts and parts[made][1] == source:
                start = max(start, parts[made][0].ended)
            transfers.append(TransferRecord(names.of(number), self._labels[source][0], self._labels[target][0], size,
                                        start - self._began, max(0.0, stop - start)))  # fmt: skip

        for worker, each in self.exchanges.items():
            notes, clock = self.notes.get(worker), clocks.get(worker)
            if notes is None or clock is None:
                continue
            for number, size in each.bytes_there.items():
                add(number, CLIENT, worker, size, each.sent, notes.clock[0] - clock.ahead)
            for number, size in each.bytes_back.items():
                add(number, worker, CLIENT, size, notes.clock[1] - clock.ahead, each.answered)
        for taken in self.taken:
            add(taken.number, taken.worker, CLIENT, taken.bytes, taken.asked, taken.came)
        for place, notes in self.notes.items():
            for sent in notes.sent if place in clocks else ():
                add(sent.number, place, sent.target, sent.bytes, sent.start - clocks[place].ahead,
                    self._arrival(sent, place, clocks))  # fmt: skip
        return tuple(sorted(transfers, key=lambda each: (each.start, each.value, each.target)))

    def _arrival(self, sent: SentValue, place: int, clocks: Mapping[int, WorkerClock]) -> float:
        """When a sent value was there: as its receiver noted, but not after its answer had come back."""
        answered = sent.stop - clocks[place].ahead
        there = self.notes.get(sent.target)
        if there is None or sent.number not in there.came or sent.target not in clocks:
            return answered
        return min(there.came[sent.number] - clocks[sent.target].ahead, answered)

    def _waits(
        self, clocks: Mapping[int, WorkerClock], parts: Mapping[int, tuple[PartSteps, int]]
    ) -> tuple[WaitRecord, ...]:
        names = ValueNames(self._made)
        waits = []
        for place, notes in self.notes.items():
            if place not in clocks:
                continue
            with_run = self.exchanges[place].bytes_there if place in self.exchanges else ()
            free = self._began if place == CLIENT else notes.clock[0] - clocks[place].ahead
            mine = sorted([part for part, where in parts.values() if where == place], key=lambda part: part.began)
            for part in mine:
                if part.ready > free and part.steps:
                    came = {n: notes.came[n] for n in names.inputs(part.number) if n in notes.came}
                    last = max(came, key=lambda number: came[number], default=-1)
                    if last >= 0 and last not in with_run:
                        node = self._whole.plans[part.number].steps[0].node
                        waits.append(WaitRecord(self._labels[place][0], names.of(last), node, free - self._began,
                                                part.ready - free))  # fmt: skip
                free = max(free, part.ended)
        return tuple(sorted(waits, key=lambda each: (each.start, each.place)))

    def _places(self, rows: Sequence[StepRecord], clocks: Mapping[int, WorkerClock]) -> tuple[PlaceRecord, ...]:
        found = []
        for place in sorted({*self._labels} & {*self.notes}):
            name, address = self._labels[place]
            mine = [step for step in rows if step.place == name]
            clock = clocks.get(place, WorkerClock(0.0, 0.0))
            seconds, peak = sum([step.duration for step in mine]), max([step.held for step in mine], default=0)
            found.append(PlaceRecord(name, address, len(mine), seconds, peak, clock.ahead, clock.error))
        return tuple(found)


def has_tensor(graph: Graph, name: str) -> bool:
    """Whether a graph has a tensor of that name."""
    return graph.find_anywhere(name.rpartition(":")[0]) is not None


# ---- the names of the numbered values of a `ClusterPlan`, for records and errors ----------------


class ValueNames:
    """The values of a plan by number: their names, and the partitions that make and read them."""

    def __init__(self, made: ClusterPlan) -> None:
        self._names = {number: tensor.name for number, tensor in enumerate(made.stage.feeds)}
        self._makers: dict[int, int] = {}
        self._inputs: dict[int, tuple[int, ...]] = {}
        partitions = made.partitions
        for parts in (made.early, *[program.parts for program in made.programs.values()]):
            for part in parts:
                self._inputs[part.number] = (*part.inputs, *part.after)
                for number, tensor in zip(part.outputs, partitions[part.number].outputs, strict=True):
                    self._names[number] = tensor.name
                    self._makers[number] = part.number
                if part.ends >= 0:
                    self._names[part.ends] = f"end of {partitions[part.number].operations[-1].name}"
                    self._makers[part.ends] = part.number

    def of(self, number: int) -> str:
        """The name of a value."""
        return self._names.get(number, f"value {number}")

    def maker(self, number: int) -> int:
        """The partition that makes it; -1 for a feed."""
        return self._makers.get(number, -1)

    def inputs(self, partition: int) -> tuple[int, ...]:
        """The values that a partition waits for."""
        return self._inputs.get(partition, ())
