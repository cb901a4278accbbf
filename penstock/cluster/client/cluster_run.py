"""One run of a cluster's session, at the client: it feeds the workers, runs what is the client's, takes the results.

Two threads take part. The event loop of the Dask client sends and receives. The thread that called `Session.run` waits,
and computes the partitions of the client, because they may call the program's own code: `CallerThread`.

Each worker that has a part gets one message and gives one answer. Values go from worker to worker directly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Protocol

from ...errors import CancelledError, UnavailableError
from ...graph.model.nodes import Operation
from ...graph.shapes.literal import Array
from ...runtime.base.coming_feeds import COMING_FEEDS
from ...runtime.base.stop_signal import StopSignal, current_signal
from ..access.cluster_worker import ClusterWorker
from ..placing.cluster_placement import belongs_to_client
from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT
from ..worker.worker_errors import error_from
from ..worker.worker_run import PartOfRun, RunsPartition, RunValues, WorkerRun
from .caller_thread import CallerThread
from .first_error import first_error
from .plain_messages import pack, unpack
from .remote_value import RemoteValue, RemoteValues, array_of
from .run_messages import EMPTY, messages_of
from .run_observer import RunObserver
from .sent_ahead import AheadFeeds, SentAhead
from .standstill import standstill, until_standstill


@dataclass(slots=True)
class RunReport:
    """What is known of a run at its end.

    Attributes:
        times: by place: (partition, when its inputs were there, when it began, when it ended) on the clock there.
        clocks: by worker: when its run began and ended, on its clock.
        drawn: by random op: how many blocks were drawn.
    """

    times: dict[int, list[tuple[int, float, float, float]]] = field(default_factory=dict)
    clocks: dict[int, tuple[float, float]] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)


class CallsWorkers(Protocol):
    """What sends messages to the session's actors: a `Connection`."""

    async def call_async(self, worker: int, method: str, header: bytes, frames: Sequence[Any]) -> tuple[Any, Any]:
        """The header and the frames of the answer to a message."""

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Begin a coroutine on the client's event loop; its `concurrent.futures.Future`."""

    @property
    def patience(self) -> float:
        """Seconds without a sign of life after which something counts as lost."""

    @property
    def workers(self) -> Sequence[ClusterWorker]:
        """The workers by number."""


async def ask(
    connection: CallsWorkers, worker: int, method: str, head: Mapping[str, Any], arrays: Sequence[Any] = ()
) -> tuple[dict[str, Any], list[Array]]:
    """Send a message to a worker; the head and the arrays of the answer."""
    header, *frames = pack(head, arrays)
    reply, there = await connection.call_async(worker, method, header, frames)
    return unpack([reply, *there])


class ClusterRun:
    """One run of a plan."""

    def __init__(
        self,
        number: int,
        plan: ClusterPlan,
        connection: CallsWorkers,
        values: RemoteValues,
        own: Mapping[str, RunsPartition],
        find_op: Callable[[str], Operation | None],
        observer: RunObserver | None = None,
        ahead: SentAhead | None = None,
    ) -> None:
        """A run.

        Args:
            number: its number in the session.
            plan: what every place does.
            connection: the workers.
            values: the session's remote values.
            own: the partitions of the client.
            find_op: finds the user's operation of a name.
            observer: what follows the run.
            ahead: what was sent ahead of the run.
        """
        self._number = number
        self._plan = plan
        self._connection = connection
        self._values = values
        self._own = own
        self._find_op = find_op
        self._caller = CallerThread()
        self._sent: set[int] = set()
        self._stands_still: UnavailableError | None = None
        self._open: set[int] = set()
        self._observer = observer
        self._ahead = ahead
        self._found: AheadFeeds | None = None
        self.report = RunReport()

    def run(self, feeds: Sequence[Any], streams: Mapping[str, Sequence[int]]) -> list[Any]:
        """The results: arrays, and a `RemoteValue` for what stays on a worker.

        Args:
            feeds: arrays, and `RemoteValue`s of variables.
            streams: for each random op (seed, seed2, blocks drawn before).

        Raises:
            OpError: an operation failed.
            UnavailableError: a worker is lost.
        """
        signal = current_signal()
        observer = self._observer
        if observer is not None:
            observer.begin(feeds)
        sent = dict(enumerate(feeds))
        if self._ahead is not None:
            self._found = self._ahead.take(self._plan, feeds)
            sent.update({} if self._found is None else self._found.arrays)
        for part in self._plan.early:
            if sent.keys() >= set(part.outputs):
                continue
            arrays = self._run_early(part, [array_of(sent[number]) for number in part.inputs])
            sent.update(zip(part.outputs, arrays, strict=True))
        running = self._connection.start(self._exchange(sent, streams))
        try:
            if self._ahead is not None:
                self._send_ahead(self._ahead)
            return self._caller.wait(running, signal, self._doing)  # type: ignore[no-any-return]  # of the future
        except BaseException:
            if not running.done():
                running.cancel()
            raise
        finally:
            if observer is not None:
                observer.end()

    def _send_ahead(self, ahead: SentAhead) -> None:
        """Send what the next run will probably be fed with, while the workers compute."""
        coming = COMING_FEEDS.get()
        if coming is None:
            return

        async def keep(worker: int, names: Sequence[str], arrays: Sequence[Any]) -> None:
            await ask(self._connection, worker, "keep", {"uids": list(names)}, arrays)

        ahead.send(self._plan, coming(), self._connection, self._run_early, keep)

    def _run_early(self, part: PartOfRun, arrays: Sequence[Any]) -> list[Any]:
        """Run a partition before anything is sent."""
        partition = self._own[part.key]
        if self._observer is None:
            return partition.run(arrays, {}, StopSignal())
        log = self._observer.log
        listener = log.listener(part.number, partition.plan, partition.kernels, perf_counter(), 0)
        try:
            return partition.run(arrays, {}, StopSignal(), listener)
        finally:
            log.ended()

    def _doing(self) -> str:
        """What the run waits for: the workers that have not answered."""
        labels = [self._connection.workers[worker].label for worker in sorted(self._open)]
        return "waited for " + (" and ".join(labels) or "workers")

    def has_called_program(self) -> bool:
        """Whether the run has called the program's own code or touched the world around it, or may have."""
        if not self._caller.has_computed:
            return False
        own = [each for each in self._plan.partitions if each.place == CLIENT]
        return any(belongs_to_client(op) for each in own for op in each.operations)

    # ---- on the event loop ------------------------------------------------------------------

    async def _exchange(self, feeds: Mapping[int, Any], streams: Mapping[str, Sequence[int]]) -> list[Any]:
        plan = self._plan
        heads, arrays = self._messages(feeds, streams)
        uids = {worker: head["uids"] for worker, head in heads.items()}
        here = RunValues()
        loop = asyncio.get_running_loop()
        answers: dict[int, tuple[dict[str, Any], list[Array]]] = {}

        async def on_worker(worker: int) -> None:
            answers[worker] = await self._run_there(worker, heads[worker], arrays[worker])

        if self._observer is not None:
            self._observer.follow(here)

        tasks: list[asyncio.Task[Any]] = []
        later = loop.call_later(self._connection.patience, self._watch, here, tasks, answers)
        try:
            self._sent.update(heads)
            tasks += [loop.create_task(on_worker(worker)) for worker in heads]
            if CLIENT in plan.programs:
                tasks.append(loop.create_task(self._at_client(here, feeds, streams)))
                tasks += [loop.create_task(self._take(worker, here)) for worker in plan.workers]
            await first_error(tasks)
        except BaseException:
            here.end()
            for task in tasks:
                task.cancel()
            for worker, names in uids.items():
                for uid in names:
                    self._values.drop(uid, [worker])
            if self._ahead is not None and self._found is not None:
                self._ahead.drop(self._found)
            await self._cancel()
            if self._stands_still is not None:
                raise self._stands_still from None
            raise
        finally:
            later.cancel()
        return await self._collect(feeds, uids, answers, here)

    def _watch(self, here: RunValues, tasks: Sequence[asyncio.Task[Any]], answers: Collection[int]) -> None:
        """End a run that takes long if it stands still."""

        async def watch() -> None:
            waits = await until_standstill(lambda: self._look(here, answers), min(1.0, self._connection.patience))
            self._stands_still = standstill(self._plan, waits, self._connection.workers)
            for task in tasks:
                task.cancel()

        watching = asyncio.ensure_future(watch())
        for task in tasks:
            task.add_done_callback(lambda _: watching.cancel() if all(each.done() for each in tasks) else None)

    async def _look(self, here: RunValues, answers: Collection[int]) -> dict[int, list[int]] | None:
        """What each place waits for; None if one is at work, or answers just now."""
        if self._caller.waiting:
            return None
        found = {CLIENT: here.missing()}
        for worker in self._sent.difference(answers):
            state, _ = await ask(self._connection, worker, "state", {"run": self._number})
            if state["busy"] or state["missing"] is None:
                return None
            found[worker] = state["missing"]
        return found if any(found.values()) else None

    async def _run_there(
        self, worker: int, head: dict[str, Any], arrays: Sequence[Any]
    ) -> tuple[dict[str, Any], list[Array]]:
        """Have a worker do its part; its answer."""
        self._open.add(worker)
        observer = self._observer
        if observer is None:
            answer = await self._ask(worker, "run", head, arrays)
            self._open.discard(worker)
            return answer
        observer.sent(worker, head["slots"], arrays)
        asking = asyncio.ensure_future(self._follow(worker)) if observer.progress is not None else None
        try:
            found, values = await self._ask(worker, "run", head | {"observe": observer.request}, arrays)
        finally:
            if asking is not None:
                asking.cancel()
        self._open.discard(worker)
        observer.answered(worker, self._plan.programs.get(worker, EMPTY).returns, values)
        await self._tell(found["log"]["counts"])
        return found, values

    async def _follow(self, worker: int) -> None:
        """Ask a worker again and again how far it is."""
        counts: list[Any] = []
        while True:
            answer, _ = await ask(self._connection, worker, "progress", {"run": self._number, "counts": counts})
            counts = answer["counts"] or counts
            await self._tell(counts)

    async def _tell(self, counts: Sequence[Any]) -> None:
        """Have the caller's thread call the progress hooks."""
        progress = None if self._observer is None else self._observer.progress
        if progress is not None:
            await self._caller.compute(partial(progress.take, dict(counts)))

    def _messages(
        self, feeds: Mapping[int, Any], streams: Mapping[str, Sequence[int]]
    ) -> tuple[dict[int, dict[str, Any]], dict[int, list[Any]]]:
        """The head of the message to each worker, and the arrays in it."""
        ahead = {} if self._found is None else self._found.names
        return messages_of(self._number, self._plan, self._values, feeds, streams, ahead)

    async def _ask(
        self, worker: int, method: str, head: Mapping[str, Any], arrays: Sequence[Any] = ()
    ) -> tuple[dict[str, Any], list[Array]]:
        answer, values = await ask(self._connection, worker, method, head, arrays)
        self._note(worker, answer)
        if "error" in answer:
            raise error_from(answer["error"], self._find_op, self._connection.workers[worker].label)
        if "cancelled" in answer:
            raise CancelledError(message=f"{self._connection.workers[worker].label} ended the run")
        return answer, values

    def _note(self, worker: int, answer: Mapping[str, Any]) -> None:
        """Take what an answer tells besides values, of a run that failed too."""
        self.report.drawn.update(answer.get("drawn", {}))
        if self._observer is not None and "log" in answer:
            self._observer.noted(worker, answer["log"])

    async def _at_client(self, here: RunValues, feeds: Mapping[int, Any], streams: Mapping[str, Sequence[int]]) -> None:
        """Run the partitions of the client."""
        for slot, readers in self._plan.readers.items():
            if CLIENT in readers:
                here.set(slot, await self._local(feeds[slot], slot))
        program = self._plan.programs[CLIENT]

        async def send(place: int, run: int, numbers: Sequence[int], values: Sequence[Any]) -> None:
            await self._ask(place, "put", {"run": run, "numbers": list(numbers)}, values)

        run = WorkerRun(self._number, program, here, self._own, send, self._caller.compute)
        await run.run({user: () for part in program.parts for _, user in part.streams})
        self.report.times[CLIENT] = run.times

    async def _take(self, worker: int, here: RunValues) -> None:
        """Take from a worker what partitions of the client read."""
        numbers = self._plan.programs[worker].takes
        if numbers:
            every = list(numbers)
            await asyncio.gather(*[self._take_one(worker, number, every, here) for number in numbers])

    async def _take_one(self, worker: int, number: int, every: list[int], here: RunValues) -> None:
        asked = perf_counter()
        _, (value,) = await self._ask(worker, "take", {"run": self._number, "numbers": [number], "all": every})
        here.receive([number], [value])
        if self._observer is not None:
            self._observer.taken(worker, number, value, asked)

    async def _local(self, value: Any, number: int) -> Any:
        """A value of a variable as an array; `number` is that of the feed."""
        if not isinstance(value, RemoteValue):
            return value
        if value.here is not None:
            return value.here
        asked, worker = perf_counter(), min(value.places)
        _, (array,) = await self._ask(worker, "fetch", {"uids": [value.uid]})
        if self._observer is not None:
            self._observer.taken(worker, number, array, asked)
        return array

    async def _collect(
        self,
        feeds: Mapping[int, Any],
        uids: Mapping[int, Sequence[str]],
        answers: Mapping[int, tuple[dict[str, Any], list[Array]]],
        here: RunValues,
    ) -> list[Any]:
        """The results in the order of the fetches."""
        plan = self._plan
        by_number: dict[int, Any] = {}
        kept: dict[int, RemoteValue] = {}
        dtypes = {
            number: tensor.dtype.np
            for tensor, number in zip(plan.stage.fetches, plan.fetches, strict=True)
            if isinstance(number, int)
        }
        for worker, (head, values) in answers.items():
            program = plan.programs.get(worker, EMPTY)
            by_number.update(zip(program.returns, values, strict=True))
            for number, uid, shape in zip(program.keeps, uids[worker], head["shapes"], strict=True):
                kept[number] = self._values.made(uid, dtypes[number], shape, [worker])
            self.report.times[worker] = [(n, a, b, c) for n, a, b, c in head["times"]]
            self.report.clocks[worker] = (head["clock"][0], head["clock"][1])
        for slot, readers in plan.readers.items():
            value = feeds[slot]
            if isinstance(value, RemoteValue):  # they have it now as well
                value.places.update([place for place in readers if place != CLIENT])
        own = plan.programs.get(CLIENT)
        if own is not None:
            by_number.update(zip(own.returns, await here.of(own.returns), strict=True))
        results: list[Any] = []
        for position, source in enumerate(plan.fetches):
            if not isinstance(source, int):
                results.append(source)
                continue
            number = source
            if position in plan.kept and number in kept:
                results.append(kept[number])
            elif number in feeds:
                value = feeds[number]
                results.append(value if position in plan.kept else await self._local(value, number))
            else:
                results.append(by_number[number])
        return results

    async def _cancel(self) -> None:
        """End the run at the workers; nothing waits long for one that is lost."""

        async def one(worker: int) -> None:
            answer, _ = await ask(self._connection, worker, "cancel", {"run": self._number})
            self._note(worker, answer)

        waiting = [asyncio.ensure_future(one(worker)) for worker in self._sent]
        if waiting:
            done, late = await asyncio.wait(waiting, timeout=2.0)
            for each in done:
                each.exception()
            for each in late:
                each.cancel()
