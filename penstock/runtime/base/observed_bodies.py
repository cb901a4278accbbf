"""Which listener wants to know of runs of graphs inside the op that runs now, in this thread.

A run with a listener sets it around each step that holds graphs (`execution.executor`); each run of a body asks it for
a listener of its own (`execution.body_call`). Kernels that would run a body in another way, as machine code, ask
`is_observed` first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class _Observed(threading.local):
    """What holds in one thread.

    Attributes:
        run: (plan of a body) -> the listener of one run of it, or None; None where nothing listens.
    """

    run: Callable[[Any], Any] | None = None


OBSERVED = _Observed()


def is_observed() -> bool:
    """Whether the bodies of the step that runs now are listened to, run by run."""
    return OBSERVED.run is not None


def observed(call: Callable[..., Any], run: Callable[[Any], Any] | None) -> Callable[..., Any]:
    """`call`, during which runs of bodies ask `run`."""

    def listening(*args: Any) -> Any:
        before = OBSERVED.run
        OBSERVED.run = run
        try:
            return call(*args)
        finally:
            OBSERVED.run = before

    return listening


KEPT_FIRST = 64


def is_kept(iteration: int) -> bool:
    """Whether an iteration is among those that a record keeps: the first 64, then 32 of each next power of two."""
    return iteration < KEPT_FIRST or iteration % (1 << (iteration.bit_length() - 6)) == 0
