"""Steps of runs with a timeout: after each the run ends if its time is over.

The error is then that of the step that was running. No step writes a variable: the session does, after the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.stop_signal import stop_check
from .bind import BoundStep

Call = Callable[..., Any]


def with_checks(bound: Sequence[BoundStep]) -> list[BoundStep]:
    """The bound steps of a plan, with a check after each."""
    return [
        each._replace(call=_checked(each.call), into=None if each.into is None else _checked(each.into))
        for each in bound
    ]


def _checked(call: Call) -> Call:
    def call_and_check(*arrays: Any) -> Any:
        result = call(*arrays)
        check = stop_check()
        if check is not None:
            check()
        return result

    return call_and_check
