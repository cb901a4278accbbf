"""The loop over bound steps: frees, positions of errors, listeners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from penstock.runtime.base.observed_bodies import OBSERVED
from penstock.runtime.execution.bind import BoundStep, joined_step
from penstock.runtime.execution.step_listener import OutermostOnly
from penstock.runtime.execution.step_loop import Failed, run_steps, step_by_step
from penstock.runtime.ir.kernel_protocol import Kernel
from penstock.runtime.planning.plan import Slot


def step(call: Any, inputs: Sequence[int], output: Any, frees: Sequence[int] = ()) -> BoundStep:
    return BoundStep(call, tuple(map(Slot, inputs)), output, tuple(map(Slot, frees)), None, None, Kernel(call))


STEPS = [
    step(lambda x: x + 1, [0], 1),
    step(lambda x, y: [x * y, x - y], [0, 1], (2, 3), [0, 1]),
    step(lambda x: -x, [3], 4, [3]),
]


class Listener(OutermostOnly):
    """Notes the results of each step; raises an error after one of them."""

    calls_user_code = False

    def __init__(self, fails_at: int = -1) -> None:
        self.results: list[Any] = []
        self._fails_at = fails_at

    def begin(self, slots: Sequence[Any]) -> None:
        """Nothing."""

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """See the class."""
        assert start <= stop
        self.results.append((position, [*map(int, results)]))
        if position == self._fails_at:
            raise ValueError("the listener")


def failing(steps: Sequence[BoundStep]) -> Failed:
    """Wraps the errors of steps, with their positions."""

    def failed(error: Exception, own: Sequence[BoundStep], position: int, slots: list[Any]) -> Exception:
        assert own is steps
        return RuntimeError(position)

    return failed


def test_values_are_dropped_after_their_last_use() -> None:
    slots = [np.array(5), None, None, None, None]
    run_steps(STEPS, slots, None, failing(STEPS))
    assert slots == [None, None, 30, None, 1]


def test_a_step_writes_into_the_memory_that_is_there() -> None:
    def into(place: Any, x: Any) -> Any:
        place[...] = x + 1
        return place

    steps = [STEPS[0]._replace(into=into)]
    slots, place = [np.array(5), None], np.zeros((), int)
    run_steps(steps, slots, {1: place}, failing(steps))
    assert slots[1] is place and place == 6


@pytest.mark.parametrize("start", [0, 7])
def test_an_error_has_the_position_of_its_step(start: int) -> None:
    steps = [*STEPS[:2], step(lambda x: x["no key"], [3], 4)]
    with pytest.raises(RuntimeError, match=str(start + 2)) as info:
        run_steps(steps, [np.array(5), None, None, None, None], None, failing(steps), start)
    assert isinstance(info.value.__context__, IndexError)


def test_a_listener_hears_each_step_and_its_own_error_stays_as_it_is() -> None:
    listener = Listener()
    run_steps(STEPS, [np.array(5), None, None, None, None], None, failing(STEPS), 0, listener)
    assert listener.results == [(0, [6]), (1, [30, -1]), (2, [1])]
    with pytest.raises(ValueError, match="the listener"):
        run_steps(STEPS, [np.array(5), None, None, None, None], None, failing(STEPS), 0, Listener(fails_at=1))
    steps = [STEPS[0], STEPS[2]._replace(call=lambda x: x.missing)]
    with pytest.raises(RuntimeError, match="1"):
        run_steps(steps, [np.array(5), None, None, None, None], None, failing(steps), 0, Listener())


def test_runs_of_graphs_inside_a_step_ask_the_listener() -> None:
    heard: list[Any] = []

    class Inside(Listener):
        def inside(self, position: int) -> Any:
            return lambda plan: heard.append((position, plan))

    def body(x: Any) -> Any:
        assert OBSERVED.run is not None
        OBSERVED.run("a plan")
        return x

    steps = [STEPS[0], step(body, [1], 2)]
    run_steps(steps, [np.array(5), None, None], None, failing(steps), 0, Inside(), {1})
    assert heard == [(1, "a plan")] and OBSERVED.run is None


def test_several_steps_are_one_or_run_one_by_one() -> None:
    one = joined_step(lambda x: x, [Slot(0)], 4, STEPS, [Slot(1), Slot(3)])
    assert (one.inputs, one.output, one.frees, one.take) == ((0,), 4, (0,), None)
    known = {Slot(0): np.array(5)}
    assert step_by_step(STEPS[:2], known, (), [Slot(2), Slot(1)], ()) == [30, 6]
    assert step_by_step(STEPS, {}, [Slot(0)], [Slot(4)], [np.array(7)]) == [1]
