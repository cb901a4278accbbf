"""What one place notes of a run that is recorded or has a progress hook: its steps, what it sent, what came.

Times are on the clock of the place. A worker gives what it has noted with its answer, as plain data (`PlaceLog.data`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from ...runtime.execution.step_listener import ListenerGroup, OutermostOnly, StepListener
from ...runtime.ir.kernel_protocol import KernelTier
from ...runtime.observe.recorder import Recorder
from ...runtime.observe.run_record import StepRecord
from ...runtime.planning.plan import Plan
from ..client.record_data import step_data, step_from


@dataclass(frozen=True, slots=True)
class PartSteps:
    """The recorded steps of one partition.

    Attributes:
        number: the partition.
        ready: when its inputs were there.
        began: when its first step could begin.
        ended: when it had ended.
        beside: the bytes of other values of the run that were there meanwhile.
        steps: its steps; `start` is a time of the clock.
    """

    number: int
    ready: float
    began: float
    ended: float
    beside: int
    steps: tuple[StepRecord, ...]


@dataclass(frozen=True, slots=True)
class SentValue:
    """A value that a place sent.

    Attributes:
        number: the number of the value.
        target: the place to which it went.
        bytes: its size.
        start: when it was sent.
        stop: when the other place had answered.
    """

    number: int
    target: int
    bytes: int
    start: float
    stop: float


@dataclass(slots=True)
class PlaceNotes:
    """What a place has noted of a run.

    Attributes:
        parts: its partitions.
        sent: what it sent.
        came: by number, when a value came from another place.
        clock: when the run began and ended there.
    """

    parts: list[PartSteps] = field(default_factory=list)
    sent: list[SentValue] = field(default_factory=list)
    came: dict[int, float] = field(default_factory=dict)
    clock: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class _BegunPart:
    number: int
    ready: float
    beside: int
    began: float
    recorder: Recorder | None
    kernels: Callable[[], Sequence[KernelTier]]
    ended: float = 0.0


class PlaceLog:
    """Notes of one run, made while it runs."""

    def __init__(
        self, record: bool, values: bool = False, on_step: Callable[[Mapping[int, int]], None] | None = None
    ) -> None:
        """Notes.

        Args:
            record: whether steps are recorded; otherwise they are only counted.
            values: whether the values of the steps are summarised.
            on_step: called after each step with the number of finished steps of its partition.
        """
        self._record = record
        self._values = values
        self._on_step = on_step
        self._parts: list[_BegunPart] = []
        self._began = perf_counter()
        self.sent: list[SentValue] = []
        self.counts: dict[int, int] = {}
        """By partition, how many steps have ended."""

    def listener(
        self, number: int, plan: Plan, kernels: Callable[[], Sequence[KernelTier]], ready: float, beside: int
    ) -> StepListener:
        """What listens to the steps of a partition that begins now."""
        recorder = Recorder(plan, self._values) if self._record else None
        self._parts.append(_BegunPart(number, ready, beside, perf_counter(), recorder, kernels))
        counter = _StepCounter(self.counts, number, self._on_step)
        return counter if recorder is None else ListenerGroup(recorder, counter)

    def ended(self) -> None:
        """Note that the partition that began last has ended."""
        self._parts[-1].ended = perf_counter()

    def delivered(self, target: int, numbers: Sequence[int], values: Sequence[Any], start: float) -> None:
        """Note that values that were sent at `start` are at another place."""
        stop = perf_counter()
        self.sent += [
            SentValue(number, target, int(getattr(value, "nbytes", 0)), start, stop)
            for number, value in zip(numbers, values, strict=True)
        ]

    def notes(self, came: Mapping[int, float]) -> PlaceNotes:
        """What was noted. `came`: when values came from other places."""
        now = perf_counter()
        parts = []
        for part in self._parts:
            if part.recorder is not None:
                base = part.recorder.began or part.began
                made = part.recorder.record(kernels=part.kernels()).steps
                steps = tuple([replace(step, start=base + step.start) for step in made])
                parts.append(PartSteps(part.number, part.ready, base, part.ended or now, part.beside, steps))
        return PlaceNotes(parts, list(self.sent), dict(came), (self._began, now))

    def data(self, came: Mapping[int, float]) -> dict[str, Any]:
        """The same as plain data."""
        notes = self.notes(came) if self._record else PlaceNotes()
        return {
            "counts": list(self.counts.items()),
            "parts": [
                [p.number, p.ready, p.began, p.ended, p.beside, [step_data(s, s.start) for s in p.steps]]
                for p in notes.parts
            ],
            "sent": [[s.number, s.target, s.bytes, s.start, s.stop] for s in notes.sent],
            "came": list(notes.came.items()),
            "clock": list(notes.clock),
        }


def notes_from(data: Mapping[str, Any]) -> PlaceNotes:
    """The notes that `PlaceLog.data` described."""
    parts = [
        PartSteps(number, ready, began, ended, beside, tuple([step_from(step) for step in steps]))
        for number, ready, began, ended, beside, steps in data["parts"]
    ]
    sent = [SentValue(*each) for each in data["sent"]]
    return PlaceNotes(parts, sent, dict(data["came"]), tuple(data["clock"]))


class _StepCounter(OutermostOnly):
    """Counts the steps of one partition."""

    def __init__(
        self, counts: dict[int, int], number: int, on_step: Callable[[Mapping[int, int]], None] | None
    ) -> None:
        self._counts = counts
        self._number = number
        self._on_step = on_step
        self.calls_user_code = on_step is not None

    def begin(self, slots: Sequence[Any]) -> None:
        """No step has run yet."""
        self._counts[self._number] = 0

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """One more."""
        self._counts[self._number] = position + 1
        if self._on_step is not None:
            self._on_step({self._number: position + 1})
