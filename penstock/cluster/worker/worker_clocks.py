"""The clocks of workers against that of the client.

The client asks for the time there. The answer was written at some moment between the question and its arrival, so with
the middle of the two the offset is wrong by at most half of the round trip; the shortest of several is taken.

Source: D. L. Mills, "Internet time synchronization: the Network Time Protocol", 1991, clock filter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Final

ROUNDS: Final = 5
"""How often each worker is asked."""


@dataclass(frozen=True, slots=True)
class WorkerClock:
    """The clock of one worker.

    Attributes:
        ahead: by how many seconds it is ahead of the client's.
        error: by how many seconds that may be wrong.
    """

    ahead: float
    error: float

    def within(self, began: tuple[float, float], ended: tuple[float, float]) -> WorkerClock:
        """The clock, corrected so that a run begins there after it was sent, and its answer comes after it was written.

        Args:
            began: when the run was sent by the client, and when it came on the worker's clock.
            ended: when the answer came to the client, and when it was written on the worker's clock.
        """
        highest, lowest = began[1] - began[0], ended[1] - ended[0]
        middle, half = (highest + lowest) / 2, abs(highest - lowest) / 2
        if half <= self.error:
            return WorkerClock(middle, half)
        return WorkerClock(min(max(self.ahead, lowest), highest), self.error)


async def worker_clocks(
    time_of: Callable[[int], Awaitable[float]], workers: Iterable[int], rounds: int = ROUNDS
) -> dict[int, WorkerClock]:
    """The clocks of some workers; `time_of` asks one for its time."""

    async def one(worker: int) -> WorkerClock:
        found = WorkerClock(0.0, float("inf"))
        for _ in range(rounds):
            start = perf_counter()
            there = await time_of(worker)
            stop = perf_counter()
            if (stop - start) / 2 < found.error:
                found = WorkerClock(there - (start + stop) / 2, (stop - start) / 2)
        return found

    chosen = list(workers)
    return dict(zip(chosen, await asyncio.gather(*[one(worker) for worker in chosen]), strict=True))
