"""`WorkerHost`: the actor of one session at one worker. It holds compiled partitions, constants and variables.

All methods are coroutines on the worker's event loop, where they may wait for each other without blocking a thread;
kernels run in one thread beside it. A message is a head and frames of bytes (`plain_messages`). Answers are messages
too; one with "error" in its head is an error of the run.

    load     partitions and constants, once
    run      one run of a program: feeds in the message, results in the answer
    put      values that another place sends to a run
    take     values of a run for the client, before its end
    keep     values of variables that the client has, and feeds that are sent ahead of their run
    adopt    keep parts of feeds that Dask has computed here
    fetch    values of variables for the client
    free     forget values of variables
    cancel   end a run
    ping     a sign of life, with the clock
    state    what a run waits for
    measure  what calibration asks
    outline  the plans of partitions, for the client's records
    progress how many steps of a run have ended
    close    free everything
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from time import monotonic, perf_counter
from typing import Any
from weakref import ref

import numpy as np

from ...errors import FeedError
from ...graph.shapes.literal import Array
from ...runtime.base.random_counters import RandomState, StreamState
from ...runtime.base.session_config import SessionConfig
from ...runtime.base.stop_signal import RunInterrupted, StopSignal, working_for
from ...runtime.execution.step_listener import StepListener
from ...runtime.ir.kernel_protocol import KernelTier
from ...runtime.planning.plan import Plan
from ...runtime.session.plan_cache import PlanCache
from ...runtime.session.session import Session
from ...runtime.sharding.sharded_feed import checked_part
from ..access.calibration import own_speed
from ..access.cluster_worker import PeerLost
from ..access.dask_import import actor_here, call_peer, results_here
from ..client.plain_messages import pack, unpack
from ..placing.partition_graph import read_partition
from ..placing.whole_plan import outline_data, outline_of
from .place_log import PlaceLog
from .worker_choices import config_from
from .worker_errors import error_data
from .worker_run import RunValues, WorkerProgram, WorkerRun, program_from

_FOREVER = 1e9
"""Seconds. A signal with an end is asked after each step (0.3 us); a run on a cluster takes a millisecond at least."""


class WorkerPartition:
    """A partition that is ready to run. One thread at a time uses it."""

    def __init__(
        self, text: str, constants: Mapping[str, Array], modules: Sequence[str], config: SessionConfig
    ) -> None:
        made = read_partition(text, constants, modules)
        self._session = Session(graph=made.graph, config=config)
        plans = PlanCache(made.graph, self._session.config, ref(self._session), self._session.variables)
        self._program = plans.find([*made.fetches, *made.targets], made.feeds)[0].program

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
        """The results.

        Args:
            arrays: its inputs.
            streams: for each random op (seed, seed2, blocks drawn before).
            signal: what ends it.
            listener: what follows its steps.

        Raises:
            OpError: an operation failed.
            RunInterrupted: the run was ended.
        """
        if streams:
            kept = {name: each.memory for name, each in self._session.random_state().items()}  # it stays at the worker
            self._session.set_random_state(RandomState({
                name: StreamState(seed, seed2, drawn, kept.get(name)) for name, (seed, seed2, drawn) in streams.items()
            }))  # fmt: skip
        signal.until = min(signal.until, monotonic() + _FOREVER)
        signal.check()  # it may have been ended while the thread was busy with another run
        with working_for(signal):
            return self._program.run(arrays, listener)

    def drawn(self) -> dict[str, int]:
        """How many blocks each random stream has drawn, after the last run, which may have failed."""
        return {name: each.drawn for name, each in self._session.random_state().items()}

    def close(self) -> None:
        """Free its plans and memory."""
        self._session.close()


_REMEMBERED = 4096
"""How many ended runs a worker remembers, to drop values that arrive late."""
_LOOK = 0.01
"""Seconds between two looks at how far a run has come, for a client with a progress hook."""
_LOOKS = 50
"""The most looks until the client is answered."""

_SLOWEST = 1e6
"""Bytes a second: a transfer that is slower than this counts as broken."""


class WorkerHost:
    """What a session has at one worker."""

    def __init__(self, choices: str) -> None:
        """choices: JSON of the choices of the session."""
        self._config = config_from(choices)
        self._partitions: dict[str, WorkerPartition] = {}
        self._constants: dict[str, Array] = {}
        self._programs = {"": WorkerProgram(())}  # it only sends on values of variables
        self._kept: dict[str, Any] = {}
        self._runs: dict[int, RunValues] = {}
        self._ended: dict[int, Mapping[str, int]] = {}  # the last runs that ended, and what they drew
        self._peers: dict[int, tuple[str, str]] = {}
        self._executor = ThreadPoolExecutor(1, "penstock")
        self._busy = 0

    async def connect(self, *parts: Any) -> list[Any]:
        """Learn where the other workers' actors are, and how many threads this worker has."""
        head, _ = unpack(parts)
        self._config = replace(self._config, threads=head["threads"])
        self._peers = {int(number): (address, key) for number, address, key in head["peers"]}
        return pack({})

    async def load(self, *parts: Any) -> list[Any]:
        """Take constants, partitions and programs."""
        head, arrays = unpack(parts)
        for key, array in zip(head["constants"], arrays, strict=True):
            self._constants[key] = array
        try:
            for key, text, constants, modules in head["partitions"]:
                if key not in self._partitions:
                    beside = {name: self._constants[content] for name, content in constants}
                    self._partitions[key] = await self._in_thread(
                        partial(WorkerPartition, text, beside, modules, self._config)
                    )
        except Exception as error:
            return pack({"error": error_data(error)})
        for key, program in head["programs"]:
            self._programs[key] = program_from(program)
        return pack({})

    async def run(self, *parts: Any) -> list[Any]:
        """Run a program once."""
        head, arrays = unpack(parts)
        number = head["run"]
        values = self._values_of(number)
        began = perf_counter()
        task = asyncio.current_task()
        assert task is not None
        values.tasks.add(task)
        try:
            if "observe" in head:
                values.log = PlaceLog(head["observe"]["record"], head["observe"]["values"])
            values.receive(head["slots"], arrays)
            for slot, uid in head["kept"]:
                values.set(slot, self._kept[uid])
            for slot, uid in head["once"]:
                values.set(slot, self._kept.pop(uid))
            for slot, uid in head["caches"]:
                self._keep_when_there(values, slot, uid)
            forwards = [self._forward(number, values, uid, slot, places) for slot, uid, places in head["forward"]]
            program = self._programs[head["program"]]
            run = WorkerRun(number, program, values, self._partitions, self._send, self._in_thread)
            results, *_ = await asyncio.gather(run.run(head["streams"]), *forwards)
            uids = head["uids"]
            count = len(program.returns)
            for uid, value in zip(uids, results[count:], strict=True):
                self._kept[uid] = value
            shapes = [list(value.shape) for value in results[count:]]
            answer = {"times": run.times, "clock": [began, perf_counter()], "shapes": shapes}
            return pack(answer | self._noted(values), results[:count])
        except (asyncio.CancelledError, RunInterrupted):
            return pack({"cancelled": True} | self._noted(values))
        except Exception as error:
            return pack({"error": error_data(error)} | self._noted(values))
        finally:
            values.tasks.discard(task)
            self._end(number)

    async def outline(self, *parts: Any) -> list[Any]:
        """Tell the plans of partitions."""
        head, _ = unpack(parts)
        return pack({"plans": [outline_data(outline_of(self._partitions[key].plan)) for key in head["keys"]]})

    async def progress(self, *parts: Any) -> list[Any]:
        """Tell how many steps of a run have ended, when there are more than the client knows of, or after a while."""
        head, _ = unpack(parts)
        known = dict(head["counts"])
        for _ in range(_LOOKS):
            values = self._runs.get(head["run"])
            counts = {} if values is None or values.log is None else values.log.counts.copy()
            if counts != known or head["run"] in self._ended:
                return pack({"counts": list(counts.items())})
            await asyncio.sleep(_LOOK)
        return pack({"counts": list(known.items())})

    async def put(self, *parts: Any) -> list[Any]:
        """Take values that another place sends."""
        head, arrays = unpack(parts)
        if head["run"] not in self._ended:
            self._values_of(head["run"]).receive(head["numbers"], arrays)
        return pack({})

    async def take(self, *parts: Any) -> list[Any]:
        """Give the client values of a run, when they are there."""
        head, _ = unpack(parts)
        if head["run"] in self._ended:
            return pack({"cancelled": True})
        values = self._values_of(head["run"])
        try:
            found = await values.of(head["numbers"])
        except asyncio.CancelledError:
            return pack({"cancelled": True})
        values.taken.update(head["numbers"])
        if values.all_taken is not None and not values.all_taken.done() and values.taken.issuperset(head["all"]):
            values.all_taken.set_result(None)
        return pack({}, found)

    async def keep(self, *parts: Any) -> list[Any]:
        """Keep values of variables, or feeds of a later run."""
        head, arrays = unpack(parts)
        self._kept.update(zip(head["uids"], arrays, strict=True))
        return pack({})

    async def adopt(self, *parts: Any) -> list[Any]:
        """Keep results of Dask tasks that are on this worker: parts of feeds."""
        head, _ = unpack(parts)
        found = results_here(head["keys"])
        for uid, value, rows, shape, dtype, axis, name in zip(head["uids"], found, *head["promised"], strict=True):
            try:
                part = checked_part(value, rows, tuple(shape), np.dtype(dtype), axis)
                self._kept[uid] = np.require(part, requirements="A")  # unpickled memory may begin anywhere
            except FeedError as error:
                return pack({"error": error_data(FeedError(f"Cannot feed Tensor {name}: {error}"))})
        return pack({})

    def kept(self, uid: str) -> Any:
        """An array that this actor keeps."""
        return self._kept[uid]

    async def fetch(self, *parts: Any) -> list[Any]:
        """Give values of variables."""
        head, _ = unpack(parts)
        return pack({}, [self._kept[uid] for uid in head["uids"]])

    async def free(self, *parts: Any) -> list[Any]:
        """Forget values of variables."""
        head, _ = unpack(parts)
        for uid in head["uids"]:
            self._kept.pop(uid, None)
        return pack({})

    async def cancel(self, *parts: Any) -> list[Any]:
        """End a run: steps that are under way end first."""
        head, _ = unpack(parts)
        values = self._runs.get(head["run"])
        answer = {"drawn": self._ended.get(head["run"], {})} if values is None else self._noted(values)
        self._end(head["run"])
        return pack(answer)

    async def ping(self, *parts: Any) -> list[Any]:
        """A sign of life: the clock of this worker, and how many runs are under way."""
        return pack({"clock": perf_counter(), "runs": len(self._runs)})

    async def measure(self, *parts: Any) -> list[Any]:
        """What calibration asks: take bytes, send bytes to another worker, or say how fast the core is."""
        head, _ = unpack(parts)
        if head["kind"] == "send":
            address, key = self._peers[head["to"]]
            await call_peer(address, key, "measure", pack({"kind": "take"}, [np.ones(head["bytes"], np.uint8)]))
        elif head["kind"] == "speed":
            return pack({"speed": await self._in_thread(own_speed)})
        return pack({})

    async def state(self, *parts: Any) -> list[Any]:
        """What a run waits for, and whether this worker computes or sends anything."""
        head, _ = unpack(parts)
        values = self._runs.get(head["run"])
        return pack({"busy": self._busy, "missing": None if values is None else values.missing()})

    async def close(self, *parts: Any) -> list[Any]:
        """End all runs and free everything."""
        for number in list(self._runs):
            self._end(number)
        partitions, self._partitions = list(self._partitions.values()), {}
        for each in (self._constants, self._programs, self._kept):
            each.clear()

        def free() -> None:
            for partition in partitions:
                partition.close()

        self._executor.submit(free)
        self._executor.shutdown(wait=False)
        return pack({})

    # ---- parts ------------------------------------------------------------------------------

    def _values_of(self, run: int) -> RunValues:
        found = self._runs.get(run)
        if found is None:
            found = self._runs[run] = RunValues()
        return found

    def _end(self, run: int) -> None:
        values = self._runs.pop(run, None)
        self._ended.setdefault(run, {} if values is None else values.drawn)
        if len(self._ended) > _REMEMBERED:
            del self._ended[next(iter(self._ended))]
        if values is not None:
            values.end()

    def _keep_when_there(self, values: RunValues, slot: int, uid: str) -> None:
        def keep(future: asyncio.Future[Any]) -> None:
            if not future.cancelled():
                self._kept[uid] = future.result()

        values.future(slot).add_done_callback(keep)

    async def _forward(self, run: int, values: RunValues, uid: str, slot: int, places: Sequence[int]) -> None:
        start = perf_counter()
        value = [self._kept[uid]]
        await asyncio.gather(*[self._send(place, run, [slot], value) for place in places])
        if values.log is not None:
            for place in places:
                values.log.delivered(place, [slot], value, start)

    def _noted(self, values: RunValues) -> dict[str, Any]:
        """What every answer tells, of a run that failed too: what was drawn, and what a record needs."""
        noted: dict[str, Any] = {"drawn": values.drawn}
        return noted if values.log is None else noted | {"log": values.log.data(values.came)}

    async def _send(self, place: int, run: int, numbers: Sequence[int], values: Sequence[Any]) -> None:
        address, key = self._peers[place]
        parts = pack({"run": run, "numbers": list(numbers)}, values)
        patience = self._config.worker_timeout + sum(len(part) for part in parts) / _SLOWEST
        self._busy += 1
        try:
            async with asyncio.timeout(patience):
                await call_peer(address, key, "put", parts)
        except (OSError, KeyError) as error:
            how = f"within {patience:.0f} s" if isinstance(error, TimeoutError) else f"({type(error).__name__})"
            raise PeerLost(place, f"worker {place} at {address} did not take a value {how}") from None
        finally:
            self._busy -= 1

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        self._busy += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, function)
        finally:
            self._busy -= 1


def value_here(key: str, uid: str) -> Any:
    """A task of Dask: an array that the actor on this worker keeps."""
    return actor_here(key).kept(uid)
