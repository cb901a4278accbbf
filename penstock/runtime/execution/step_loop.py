"""The loop over bound steps, which fills and frees slots, with or without a listener; several steps as one."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from time import perf_counter
from typing import Any, TypeAlias

from ..base.observed_bodies import observed
from ..planning.plan import Slot
from .bind import BoundStep
from .step_listener import StepListener

Failed: TypeAlias = "Callable[[Exception, Sequence[BoundStep], int, list[Any]], Exception]"
"""(error, the steps, the position of the one that failed, slots) -> the error to raise."""


def run_steps(
    steps: Sequence[BoundStep],
    slots: list[Any],
    places: dict[int, Any] | None,
    failed: Failed,
    start: int = 0,
    trace: StepListener | None = None,
    holders: Container[int] = (),
) -> None:
    """Run steps one after the other.

    Args:
        steps: the steps.
        slots: the values they read, and room for those they make.
        places: memory for some of these; None if there is none.
        failed: makes the error to raise for that of a step.
        start: the position of the first step.
        trace: what listens to each step; what it raises stays as it is.
        holders: the positions of steps with graphs inside.

    Raises:
        Exception: what `failed` gives.
    """
    result: Any = None
    position, is_listening, begin = start - 1, False, 0.0
    try:
        for step in steps:
            call, inputs, output, frees, into, take, _ = step
            if trace is not None:
                position += 1
                if position in holders:
                    is_listening = True
                    call = observed(call, trace.inside(position))
                    is_listening = False
                begin = perf_counter()
            if places is None or into is None or output not in places:
                result = call(*take(slots)) if take is not None else call(*[slots[i] for i in inputs])
            else:
                result = into(places[output], *[slots[i] for i in inputs])
            if trace is not None:
                end = perf_counter()
                is_listening = True
                trace.step(position, begin, end, (result,) if output.__class__ is int else result)
                is_listening = False
            if output.__class__ is int:
                slots[output] = result
            else:
                for slot, each in zip(output, result, strict=True):
                    slots[slot] = each
                result = each = None
            if frees:
                result = None
                for slot in frees:
                    slots[slot] = None
    except Exception as error:
        if is_listening:
            raise
        position = start + next(i for i, each in enumerate(steps) if each is step)
        raise failed(error, steps, position, slots)  # noqa: B904  # the cause is set there


def step_by_step(
    steps: Sequence[BoundStep], known: Mapping[Slot, Any], inputs: Sequence[Slot], outputs: Sequence[Slot],
    arrays: Sequence[Any],
) -> list[Any]:  # fmt: skip
    """What steps give that otherwise are one call.

    Args:
        steps: the steps.
        known: the values of constant slots.
        inputs: the slots that they read from outside.
        outputs: the slots to give.
        arrays: the values of `inputs`.
    """
    slots: Any = {**known, **dict(zip(inputs, arrays, strict=True))}
    run_steps([each._replace(frees=()) for each in steps], slots, None, lambda error, *_: error)
    return [slots[slot] for slot in outputs]


class JoinedSteps(list[BoundStep]):
    """The bound steps of a plan, some of which are several of its steps.

    Attributes:
        first: for each the position of its first step in the plan.
        take_places: whether a step may write into the arena of the program.
        only: the run, if one call on the feeds is all of it.
    """

    __slots__ = ("first", "only", "take_places")

    def __init__(
        self,
        steps: Sequence[BoundStep],
        first: Sequence[int],
        only: Callable[[Sequence[Any]], list[Any]] | None = None,
    ) -> None:
        super().__init__(steps)
        self.first = list(first)
        self.take_places = any(each.into is not None for each in steps)
        self.only = only
