"""A run that stands still: every place waits for a value, none computes or sends, and no value is on its way.

That happens only if a message is lost between two workers. Nothing else would end such a run, as all workers are alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from ...errors import UnavailableError
from ..access.cluster_worker import ClusterWorker
from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT

Look = Callable[[], Awaitable[Mapping[int, Sequence[int]] | None]]
"""By place the numbers of the values that it waits for; None if a place is at work."""


async def until_standstill(look: Look, seconds: float) -> Mapping[int, Sequence[int]]:
    """What each place waits for, when nothing has changed for some seconds."""
    before: Mapping[int, Sequence[int]] | None = None
    while True:
        found = await look()
        if found and found == before:
            return found
        before = found
        await asyncio.sleep(seconds)


def standstill(
    plan: ClusterPlan, waits: Mapping[int, Sequence[int]], workers: Sequence[ClusterWorker]
) -> UnavailableError:
    """The error for a run that stands still."""
    names = [tensor.name for tensor in plan.stage.feeds]
    makers = [CLIENT] * len(names)
    for partition in plan.partitions:
        names += [tensor.name for tensor in partition.outputs]
        makers += [partition.place] * len(partition.outputs)

    def told(place: int, number: int) -> str:
        if number >= len(names):
            return f"{_name(place, workers)} waits for a sign that another partition has ended"
        return f"{_name(place, workers)} waits for {names[number]!r} from {_name(makers[number], workers)}"

    # A value that its maker waits for too is only a consequence.
    lost = [
        told(place, number)
        for place, numbers in waits.items()
        for number in numbers
        if number >= len(names) or number not in waits.get(makers[number], ())
    ]
    return UnavailableError(
        message=f"Session.run stands still: {'; '.join(lost[:4]) or 'every worker waits'}. No worker computes or "
        "sends, so a message between workers was lost"
    )


def _name(place: int, workers: Sequence[ClusterWorker]) -> str:
    return "the client" if place == CLIENT else workers[place].label
