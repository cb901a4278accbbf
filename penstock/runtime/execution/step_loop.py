"""The loop over bound steps, which fills and frees slots. Observed runs take steps that call a listener."""

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
    steps: Sequence[BoundStep], slots: list[Any], places: dict[int, Any] | None, failed: Failed, start: int = 0
) -> None:
    """Run steps one after the other.

    Args:
        steps: the steps.
        slots: the values they read, and room for those they make.
        places: memory for some of these; None if there is none.
        failed: makes the error to raise.
        start: the position of the first step.

    Raises:
        Exception: what `failed` gives.
    """
    result: Any = None
    try:
        for step in steps:
            call, inputs, output, frees, into, take, _ = step
            if places is None or into is None or output not in places:
                result = call(*take(slots)) if take is not None else call(*[slots[i] for i in inputs])
            else:
                result = into(places[output], *[slots[i] for i in inputs])
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


class HeardSteps(list[BoundStep]):
    """Bound steps that call a listener after each.

    Attributes:
        is_listening: whether the listener runs now; what it raises is no error of a step.
    """

    __slots__ = ("_trace", "is_listening")

    def __init__(self, bound: Sequence[BoundStep], holders: Container[int], trace: StepListener) -> None:
        """holders: the positions of steps with graphs inside."""
        self._trace = trace
        self.is_listening = False
        super().__init__([
            each._replace(
                call=self._heard(each.call, position, each.output.__class__ is int, position in holders),
                into=each.into and self._heard(each.into, position, each.output.__class__ is int, False),
            )
            for position, each in enumerate(bound)
        ])  # fmt: skip

    def _heard(self, call: Callable[..., Any], position: int, is_one: bool, has_bodies: bool) -> Callable[..., Any]:
        trace = self._trace

        def heard(*arrays: Any) -> Any:
            run = call
            if has_bodies:
                self.is_listening = True
                run = observed(call, trace.inside(position))
                self.is_listening = False
            start = perf_counter()
            result = run(*arrays)
            stop = perf_counter()
            self.is_listening = True
            trace.step(position, start, stop, (result,) if is_one else result)
            self.is_listening = False
            return result

        return heard
