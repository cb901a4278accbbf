"""One run at a worker: values that arrive, partitions that wait for them, values that are sent on.

A value has a number in its run. What reads a number awaits its future, and what computes or receives the value sets it,
in any order. All of this happens on the event loop of the worker; only kernels run in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from ...runtime.base.stop_signal import StopSignal
from ...runtime.execution.step_listener import StepListener
from ...runtime.ir.kernel_protocol import KernelTier
from ...runtime.planning.plan import Plan
from .place_log import PlaceLog

Send = Callable[[int, int, Sequence[int], Sequence[Any]], Awaitable[None]]
"""(place, run, numbers, values) -> None, when they have arrived there."""


class RunsPartition(Protocol):
    """A partition that is ready to run."""

    @property
    def plan(self) -> Plan:
        """Its plan."""

    def kernels(self) -> Sequence[KernelTier]:
        """How each of its steps runs now."""

    def run(
        self,
        arrays: Sequence[Any],
        streams: Mapping[str, Sequence[int]],
        signal: StopSignal,
        listener: StepListener | None = None,
    ) -> list[Any]:
        """The results."""

    def drawn(self) -> dict[str, int]:
        """How many blocks each random stream has drawn, after the last run, which may have failed."""


InThread = Callable[[Callable[[], Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class PartOfRun:
    """A partition in the runs of one plan.

    Attributes:
        number: the number of the partition in the plan.
        key: the hash of its document.
        inputs: the numbers of its inputs.
        outputs: the numbers of its outputs.
        after: numbers of signals that it waits for: partitions that must have ended.
        ends: the number of the signal that it gives at its end, if another one waits for it; -1 if none does.
        streams: for each random op (its name in the partition, its name in the user's graph).
    """

    number: int
    key: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    after: tuple[int, ...] = ()
    ends: int = -1
    streams: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerProgram:
    """What one worker does in the runs of one plan.

    Attributes:
        parts: its partitions, in the order of the plan.
        sends: for each number the places to which its value goes.
        takes: numbers that the client takes before the end.
        returns: numbers that are in the answer.
        keeps: numbers that stay here as values of variables.
    """

    parts: tuple[PartOfRun, ...]
    sends: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    takes: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    keeps: tuple[int, ...] = ()


def program_data(program: WorkerProgram) -> dict[str, Any]:
    """A worker's program as JSON."""
    return {
        "parts": [[p.number, p.key, p.inputs, p.outputs, p.after, p.ends, p.streams] for p in program.parts],
        "sends": [[number, places] for number, places in program.sends.items()],
        "takes": program.takes,
        "returns": program.returns,
        "keeps": program.keeps,
    }


def program_from(data: Mapping[str, Any]) -> WorkerProgram:
    """The program that `program_data` described."""
    parts = [
        PartOfRun(number, key, tuple(inputs), tuple(outputs), tuple(after), ends, tuple([(a, b) for a, b in streams]))
        for number, key, inputs, outputs, after, ends, streams in data["parts"]
    ]
    return WorkerProgram(
        tuple(parts),
        {number: tuple(places) for number, places in data["sends"]},
        tuple(data["takes"]),
        tuple(data["returns"]),
        tuple(data["keeps"]),
    )


class RunValues:
    """The values of one run that are at this worker, or will be."""

    def __init__(self) -> None:
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self.signal = StopSignal()
        self.taken: set[int] = set()
        self.all_taken: asyncio.Future[None] | None = None
        self.tasks: set[asyncio.Task[Any]] = set()
        self.log: PlaceLog | None = None
        self.drawn: dict[str, int] = {}
        """By random op of the user's graph: how many blocks were drawn by partitions that have ended."""
        self.came: dict[int, float] = {}
        """By number, when a value came from another place."""

    def future(self, number: int) -> asyncio.Future[Any]:
        """What holds the value of that number."""
        found = self._futures.get(number)
        if found is None:
            found = self._futures[number] = asyncio.get_running_loop().create_future()
        return found

    def set(self, number: int, value: Any) -> None:
        """Give a number its value."""
        found = self.future(number)
        if not found.done():
            found.set_result(value)

    def missing(self) -> list[int]:
        """The numbers that are waited for, and whose values are not there."""
        return sorted(number for number, future in self._futures.items() if not future.done())

    def receive(self, numbers: Iterable[int], values: Iterable[Any]) -> None:
        """Give numbers the values that have just come from another place."""
        now = perf_counter()
        for number, value in zip(numbers, values, strict=True):
            self.came.setdefault(number, now)
            self.set(number, value)

    def bytes_beside(self, arrays: Sequence[Any]) -> int:
        """The bytes of the values that are here, without these arrays."""
        seen = {id(array) for array in arrays}
        found = 0
        for future in self._futures.values():
            value = future.result() if future.done() and not future.cancelled() else None
            if value is not None and id(value) not in seen:
                seen.add(id(value))
                found += int(getattr(value, "nbytes", 0))
        return found

    async def of(self, numbers: Iterable[int]) -> list[Any]:
        """The values of some numbers, when all are there."""
        return [await self.future(number) for number in numbers]

    def end(self) -> None:
        """Forget all values, and end what computes or waits for one."""
        self.signal.interrupted = True
        for task in self.tasks:
            task.cancel()
        for each in self._futures.values():
            each.cancel()
        self._futures.clear()


class WorkerRun:
    """The coroutine of one run at one worker."""

    def __init__(
        self,
        run: int,
        program: WorkerProgram,
        values: RunValues,
        partitions: Mapping[str, RunsPartition],
        send: Send,
        in_thread: InThread,
    ) -> None:
        self._run = run
        self._program = program
        self._values = values
        self._partitions = partitions
        self._send = send
        self._in_thread = in_thread
        self.times: list[tuple[int, float, float, float]] = []
        """(number of the partition, when its inputs were there, when it began, when it ended)."""

    async def run(self, streams: Mapping[str, Sequence[int]]) -> list[Any]:
        """Run all partitions and send their values; the values that are returned, then those that are kept.

        Raises:
            OpError: an operation failed.
            OSError: a worker to which a value is sent is lost.
        """
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(self._part(part, streams)) for part in self._program.parts]
        made = {number for part in self._program.parts for number in (*part.outputs, part.ends)}
        tasks += [
            loop.create_task(self._pass_on(number, places))
            for number, places in self._program.sends.items()
            if number not in made
        ]
        try:
            await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        results = await self._values.of((*self._program.returns, *self._program.keeps))
        if not self._values.taken.issuperset(self._program.takes):
            self._values.all_taken = asyncio.get_running_loop().create_future()
            await self._values.all_taken
        return results

    async def _part(self, part: PartOfRun, streams: Mapping[str, Sequence[int]]) -> None:
        values = self._values
        arrays = await values.of(part.inputs)
        await values.of(part.after)
        ready = perf_counter()
        partition = self._partitions[part.key]
        drawing = {here: streams[user] for here, user in part.streams}
        began = ready
        beside = values.bytes_beside(arrays) if values.log is not None else 0

        def compute() -> Any:
            nonlocal began
            began = perf_counter()
            log = values.log
            listener = None
            if log is not None:
                listener = log.listener(part.number, partition.plan, partition.kernels, ready, beside)
            try:
                return partition.run(arrays, drawing, values.signal, listener)
            finally:
                if log is not None:
                    log.ended()
                if part.streams:  # those of a run that fails are not drawn again either
                    drawn = partition.drawn()
                    values.drawn.update({user: drawn[here] for here, user in part.streams if here in drawn})

        results = await self._in_thread(compute)
        self.times.append((part.number, ready, began, perf_counter()))
        by_place: dict[int, tuple[list[int], list[Any]]] = {}
        for number, value in zip(part.outputs, results, strict=True):
            values.set(number, value)
            for place in self._program.sends.get(number, ()):
                numbers, arrays_there = by_place.setdefault(place, ([], []))
                numbers.append(number)
                arrays_there.append(value)
        if part.ends >= 0:
            values.set(part.ends, True)
            for place in self._program.sends.get(part.ends, ()):
                numbers, arrays_there = by_place.setdefault(place, ([], []))
                numbers.append(part.ends)
                arrays_there.append(True)
        if by_place:
            await asyncio.gather(*[self._deliver(place, *what) for place, what in by_place.items()])

    async def _deliver(self, place: int, numbers: Sequence[int], arrays: Sequence[Any]) -> None:
        start = perf_counter()
        await self._send(place, self._run, numbers, arrays)
        if self._values.log is not None:
            self._values.log.delivered(place, numbers, arrays, start)

    async def _pass_on(self, number: int, places: Sequence[int]) -> None:
        """Send a value that this worker has from before the run."""
        value = await self._values.future(number)
        await asyncio.gather(*[self._deliver(place, [number], [value]) for place in places])
