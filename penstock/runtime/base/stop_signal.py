"""Stop signals: how a run learns that its time is over, or that Ctrl-C has ended it in another thread.

A thread that works for a run with a timeout, or as a helper of another thread, has a `StopSignal` in `SIGNALS`. Steps
and loops ask it at points where a run may end, so nothing is torn:

    check = stop_check()        # once, before a loop; it is None in nearly all runs
    for i in range(n):
        ...
        if check is not None:
            check()             # raises DeadlineExceededError, or RunInterrupted in a helper thread

In the main thread Ctrl-C is Python's own KeyboardInterrupt, which needs no signal. A loop in machine code returns to
Python at least every 0.1 s, so that both can end it.

The table is keyed by thread and not a context variable, because each run, and each run of a body, enters a context that
inherits nothing (`fp_context`). A process without timeouts and helpers at work finds the table empty: 5 ns a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import get_ident
from time import monotonic
from typing import Final

from ...errors import DeadlineExceededError
from ...graph.common.locks import in_child


class RunInterrupted(BaseException):
    """Raised in a helper thread when Ctrl-C has ended the run that it helps; the caller raises KeyboardInterrupt."""


class StopSignal:
    """When a run has to end.

    Attributes:
        until: the time at which it has to end (`time.monotonic`); infinity without a timeout.
        interrupted: in a helper thread, whether the thread that it helps was interrupted.
    """

    __slots__ = ("_milliseconds", "_option", "_outer", "_what", "interrupted", "until")

    def __init__(self, outer: StopSignal | None = None) -> None:
        """A signal for the helpers of a thread whose signal is `outer`."""
        self.interrupted = False
        self._outer = outer
        self.until: float = inf if outer is None else outer.until
        self._milliseconds: float = inf if outer is None else outer._milliseconds
        self._option: str = "" if outer is None else outer._option
        self._what: str = "" if outer is None else outer._what

    @classmethod
    def after(cls, milliseconds: float, option: str, what: str) -> StopSignal:
        """A signal for a run that has some time.

        Args:
            milliseconds: the time, from now.
            option: what asked for it, such as "RunOptions(timeout_in_ms=100)".
            what: the fetches.
        """
        made = cls()
        made.until = clock() + milliseconds / 1000
        made._milliseconds, made._option, made._what = milliseconds, option, what
        return made

    def check(self, while_: Callable[[], str] | None = None, cure: Callable[[], str] | None = None) -> None:
        """Return if the run may go on; `while_` tells what the run does if no step is running, `cure` what helps.

        Raises:
            DeadlineExceededError: its time is over.
            RunInterrupted: this is a helper of a thread that was interrupted.
        """
        if self.until < inf and clock() >= self.until:
            raise self.error("" if while_ is None else while_(), "" if cure is None else cure())
        signal: StopSignal | None = self
        while signal is not None:
            if signal.interrupted:
                raise RunInterrupted
            signal = signal._outer

    def at_most(self, seconds: float) -> float:
        """As many seconds, or fewer if the run has to end before."""
        return max(0.0, min(seconds, self.until - clock()))

    def error(self, while_: str = "", cure: str = "") -> DeadlineExceededError:
        """The error of a run whose time is over; `while_` says what it did if no step was running."""
        helps = cure or "Allow more time, or end a loop earlier, as by maximum_iterations"
        taken = self._milliseconds + (clock() - self.until) * 1000
        doing = f" while it {while_}" if while_ else ""
        return DeadlineExceededError(
            message=f"Session.run of {self._what} was stopped after {taken:.0f} ms{doing}; {self._option} allows "
            f"{self._milliseconds} ms. {helps}"
        )


clock: Callable[[], float] = monotonic
"""The time in seconds; tests put a clock of their own here."""

SIGNALS: Final[dict[int, StopSignal]] = {}
"""By thread: the signal of the run for which it works."""


def stop_check() -> Callable[[], None] | None:
    """The check that a loop of this thread calls between iterations; None if only Ctrl-C in this thread can end it."""
    if not SIGNALS:
        return None
    signal = SIGNALS.get(get_ident())
    return None if signal is None else signal.check


def current_signal() -> StopSignal | None:
    """The signal of the run for which this thread works."""
    return SIGNALS.get(get_ident()) if SIGNALS else None


def has_deadline() -> bool:
    """Whether this thread works for a run with a timeout."""
    signal = current_signal()
    return signal is not None and signal.until < inf


@contextmanager
def working_for(signal: StopSignal) -> Iterator[None]:
    """A `with` block in which this thread obeys `signal`."""
    me = get_ident()
    before = SIGNALS.get(me)
    SIGNALS[me] = signal
    try:
        yield
    finally:
        if before is None:
            SIGNALS.pop(me, None)
        else:
            SIGNALS[me] = before


@contextmanager
def limited_to(milliseconds: float, option: str, what: str) -> Iterator[None]:
    """A `with` block in which runs of this thread end after some milliseconds, or when an outer run has to end."""
    outer = current_signal()
    signal = StopSignal.after(milliseconds, option, what)
    with working_for(signal if outer is None or signal.until < outer.until else outer):
        yield


def _only_own() -> None:
    """In a forked child: forget threads that are in the parent; their numbers are given again."""
    own = SIGNALS.get(get_ident())
    SIGNALS.clear()
    if own is not None:
        SIGNALS[get_ident()] = own


in_child(_only_own)
