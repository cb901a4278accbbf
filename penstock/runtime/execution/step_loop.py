"""The loop over bound steps, which fills and frees slots. Observed runs take steps that call a listener."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from time import perf_counter
from typing import Any, TypeAlias

from ..base.observed_bodies import observed
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
