"""`PreparedWrite`: a change of an array that is ready to be made, and cannot fail or be divided any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class PreparedWrite(NamedTuple):
    """A write whose operands were checked.

    Attributes:
        call: a function written in C, or a `partial` of one, that makes the change. Python delivers signals between its
            own instructions, so nothing interrupts it.
        seconds: how long it takes on one thread, about.
    """

    call: Callable[[], Any]
    seconds: float
