"""Which workers count as lost, when and why: without a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from penstock.cluster.access.cluster_worker import ClusterWorker, WorkerLost
from penstock.cluster.access.signs_of_life import SignsOfLife


def signs_of(ping: Callable[[int], Awaitable[object]], patience: float = 0.4) -> SignsOfLife:
    """Signs of life of two workers whose scheduler has both."""
    workers = [ClusterWorker(number, f"w{number}", f"tcp://here:{number}", "here", 1, 0) for number in range(2)]

    async def present() -> frozenset[str]:
        return frozenset([worker.address for worker in workers])

    return SignsOfLife(workers, patience, ping, present, lambda: "")


async def answers(worker: int) -> None:
    """A worker that answers at once."""


async def sleeps(worker: int) -> None:
    """A worker that does not answer."""
    await asyncio.sleep(60)


def test_the_first_reason_why_a_worker_is_lost_is_told() -> None:
    signs = signs_of(answers)
    signs.lose(1, "its machine is off")
    signs.lose(1, "it does not answer")
    with pytest.raises(WorkerLost, match="its machine is off"):
        signs.check(1)
    assert [worker.number for worker in signs.alive()] == [0]


def test_a_worker_that_is_slow_to_answer_is_not_lost_and_one_whose_connection_breaks_is() -> None:
    async def breaks(worker: int) -> None:
        await (answers if worker else sleeps)(worker)
        raise OSError("broken")

    signs = signs_of(breaks)
    asyncio.run(signs.ask_workers(0.05))
    assert [worker.number for worker in signs.alive()] == [0]
    with pytest.raises(WorkerLost, match="the connection to it broke"):
        signs.check(1)


def waiting_call(signs: SignsOfLife, meanwhile: Callable[[], Awaitable[None]]) -> bool:
    """Whether a call that waits for worker 0 is ended by what happens meanwhile."""

    async def call() -> None:
        task: asyncio.Task[Any] | None = asyncio.current_task()
        assert task is not None
        with signs.waits_for(0, task):
            await asyncio.sleep(60)

    async def both() -> bool:
        task = asyncio.ensure_future(call())
        await asyncio.sleep(0)
        await meanwhile()
        await asyncio.sleep(0)
        ended = task.cancelling() > 0
        task.cancel()
        await asyncio.wait([task])
        signs.stop()
        return ended

    return asyncio.run(both())


def test_a_call_that_waits_for_a_lost_worker_ends() -> None:
    async def loses() -> None:
        signs.lose(0, "it has ended")

    signs = signs_of(answers)
    assert waiting_call(signs, loses)


def test_silence_counts_from_the_moment_that_something_is_expected() -> None:
    async def early() -> None:
        await asyncio.sleep(0.25)

    signs = signs_of(sleeps)
    signs.seen(0)
    asyncio.run(asyncio.sleep(0.5))
    assert not waiting_call(signs, early)
    assert len(signs.alive()) == 2
