"""What a cluster's connections and cores can do, measured in some tens of milliseconds when it is first asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ..client.cluster_run import CallsWorkers, ask
from ..placing.places import Link
from ..placing.stage_costs import Speed

_ROUNDS = 7
_COLD = 4
"""Messages that are not counted: the first ones take longer."""
_BYTES = 4 << 20
_EDGE = 256
"""Rows of the matrices whose product is timed."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured of a cluster.

    Attributes:
        link: what its connections cost.
        speed: how fast its slowest worker is.
        speed_here: how fast this process is.
    """

    link: Link
    speed: Speed
    speed_here: Speed


async def calibrate(connection: CallsWorkers, workers: Sequence[int]) -> Calibration:
    """Measure a cluster; called on the client's loop."""
    here = await asyncio.to_thread(own_speed)
    speeds = await asyncio.gather(*[_speed(connection, worker) for worker in workers])
    first, last = workers[0], workers[-1]
    calls = [await _timed(lambda: ask(connection, first, "ping", {})) for _ in range(_COLD + _ROUNDS)][_COLD:]
    block = np.zeros(_BYTES, np.uint8)
    sent = [await _timed(lambda: ask(connection, first, "measure", {"kind": "take"}, [block])) for _ in range(3)]
    latency = median(calls)
    large = median(sent) - latency
    if first != last:  # from worker to worker, which includes the call that asks for it

        async def send(size: int) -> float:
            head = {"kind": "send", "to": last, "bytes": size}
            return await _timed(lambda: ask(connection, first, "measure", head))

        there = median([await send(1) for _ in range(_COLD + _ROUNDS)][_COLD:])
        large = max(large, median([await send(_BYTES) for _ in range(3)]) - there)
        latency = max(there - latency, latency / 2)
    rate = _BYTES / max(large, 1e-6)
    link = Link(1.5 * median(calls), 0.3 * median(calls), latency, rate)
    return Calibration(link, min(speeds, key=lambda each: each.flops_per_s), speed_from(here))


async def _timed(call: Callable[[], Any]) -> float:
    start = perf_counter()
    await call()
    return perf_counter() - start


async def _speed(connection: CallsWorkers, worker: int) -> Speed:
    answer, _ = await ask(connection, worker, "measure", {"kind": "speed"})
    return speed_from(answer["speed"])


def own_speed() -> dict[str, float]:
    """How fast this thread is: what a worker answers."""
    a = np.random.default_rng(0).random((_EDGE, _EDGE), np.float32)
    x = np.zeros(1 << 22, np.float32)  # larger than caches
    out = np.empty_like(x)
    product = min(_seconds(lambda: np.matmul(a, a)) for _ in range(5))
    stream = min(_seconds(lambda: np.add(x, x, out=out)) for _ in range(3))
    root = min(_seconds(lambda: np.exp(x[: 1 << 18], out=out[: 1 << 18])) for _ in range(3))
    return {"products": 2 * _EDGE**3 / product, "bytes": 3 * x.nbytes / stream, "flops": 20 * (1 << 18) / root}


def speed_from(found: Mapping[str, float]) -> Speed:
    """The `Speed` that a worker's answer tells."""
    return Speed(flops_per_s=found["flops"], bytes_per_s=found["bytes"], products_per_s=found["products"])


def _seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
