"""The picture of the pipelines and queues of a session: stages as boxes, with rates, levels and who waits for whom.

    from_tensor_slices -> shuffle -> batch -> iterator          runs that put in -> queue -> runs that take out
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.observe.data_flow import DataFlow, IteratorFlow, QueueFlow, StageFlow
from ...runtime.observe.run_record import time_text
from .colour_scales import by_number, painted
from .picture import Arrow, Box, BoxKind, Picture


def picture_of_data_flow(flow: DataFlow) -> Picture:
    """The picture of what flows into the runs of a session.

    >>> from penstock.runtime.observe.data_flow import DataFlow
    >>> picture_of_data_flow(DataFlow(0.0, (), ())).title
    'what flows into the runs of the session'
    """
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    for number, iterator in enumerate(flow.iterators):
        for part in _pipeline(flow, iterator, f"iterator{number}"):
            (boxes if isinstance(part, Box) else arrows).append(part)  # type: ignore[arg-type]  # the list of its kind
    for number, queue in enumerate(flow.queues):
        for part in _queue(queue, f"queue{number}"):
            (boxes if isinstance(part, Box) else arrows).append(part)  # type: ignore[arg-type]  # the same
    title = "what flows into the runs of the session"
    if flow.seconds:
        title += f", watched for {time_text(flow.seconds)}"
    picture = Picture(title, tuple(boxes), tuple(arrows), direction="right")
    if not flow.seconds:
        return picture
    shares = {f"iterator{n}/{i}": stage.own / flow.seconds for n, iterator in enumerate(flow.iterators)
              if iterator.stage is not None for i, stage in enumerate(_before(iterator.stage))}  # fmt: skip
    return painted(picture, by_number(shares, lambda share: f"{share:.0%} of the time"))


def _pipeline(flow: DataFlow, iterator: IteratorFlow, identity: str) -> Iterator[Box | Arrow]:
    end = f"{identity}/runs"
    lines = [f"iterator {iterator.name}", f"{iterator.given:,} elements given"]
    if iterator.stage is None:
        yield Box(end, "runs", BoxKind.FETCHED, detail=(*lines, "not initialised"))
        return
    numbers = {id(stage): f"{identity}/{i}" for i, stage in enumerate(_before(iterator.stage))}
    for stage in _before(iterator.stage):
        name = numbers[id(stage)]
        own = stage.own / flow.seconds if flow.seconds else 0.0
        kind = BoxKind.OPERATION if stage.inputs else BoxKind.FED
        yield Box(name, stage.label, kind, detail=tuple(_facts(flow, stage, own)))
        for slot, each in enumerate(stage.inputs):
            yield Arrow(numbers[id(each)], name, _rate(flow, each), slot=slot)
    part = f"waited for {iterator.stage.seconds / flow.seconds:.0%} of the time" if flow.seconds else ""
    yield Box(end, "runs", BoxKind.FETCHED, detail=(*lines, *([part] if part else ())))
    yield Arrow(numbers[id(iterator.stage)], end, _rate(flow, iterator.stage))


def _before(stage: StageFlow) -> Iterator[StageFlow]:
    for each in stage.inputs:
        yield from _before(each)
    yield stage


def _facts(flow: DataFlow, stage: StageFlow, own: float) -> Iterator[str]:
    if stage.setting:
        yield stage.setting
    if stage.level is not None:
        yield f"{stage.level[0]:,} of {stage.level[1]:,} ready"
    if flow.seconds and stage.elements is not None:
        yield f"takes {own:.0%} of the time"
    if stage.place:
        yield stage.place


def _rate(flow: DataFlow, stage: StageFlow) -> str:
    return f"{stage.elements / flow.seconds:,.0f} a second" if flow.seconds and stage.elements else ""


def _queue(queue: QueueFlow, identity: str) -> Iterator[Box | Arrow]:
    room = "" if queue.capacity < 0 else f" of {queue.capacity:,}"
    ends = [f"{queue.held:,}{room} held", *(["closed"] if queue.is_closed else [])]
    yield Box(f"{identity}/in", "runs that put in", detail=tuple(_waiting(queue.waiting_for_room,
                                                                          queue.waited_for_room)))  # fmt: skip
    yield Box(identity, queue.name, BoxKind.VARIABLE, queue.kind, detail=tuple(ends))
    yield Box(f"{identity}/out", "runs that take out", BoxKind.FETCHED,
              detail=tuple(_waiting(queue.waiting_for_elements, queue.waited_for_elements)))  # fmt: skip
    yield Arrow(f"{identity}/in", identity, f"{queue.put_in:,} put in")
    yield Arrow(identity, f"{identity}/out", f"{queue.taken_out:,} taken out")


def _waiting(now: int, seconds: float) -> Iterator[str]:
    if now:
        yield f"{now} wait{'s' if now == 1 else ''} now"
    if seconds:
        yield f"{time_text(seconds)} waited in all"
