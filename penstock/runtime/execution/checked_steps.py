"""Steps of runs with a timeout: after each the run ends if its time is over.

The error is then that of the step that was running. A step that has overwritten the value of a variable is not
followed by a check, because it has ended and its result must be told: the step after it ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.stop_signal import stop_check
from ..planning.plan import Plan, state_overwriting_steps
from .bind import BoundStep

Call = Callable[..., Any]


def with_checks(bound: Sequence[BoundStep], plan: Plan) -> list[BoundStep]:
    """The bound steps of a plan, with a check after each."""
    unchecked = state_overwriting_steps(plan)
    return [
        each if position in unchecked else each._replace(
            call=_checked(each.call), into=None if each.into is None else _checked(each.into)
        )
        for position, each in enumerate(bound)
    ]  # fmt: skip


def _checked(call: Call) -> Call:
    def call_and_check(*arrays: Any) -> Any:
        result = call(*arrays)
        check = stop_check()
        if check is not None:
            check()
        return result

    return call_and_check
