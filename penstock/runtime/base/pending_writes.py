"""`PendingWrites`: what a run will write over the values of variables, all at once, after its last step.

A step that updates a variable in place does not write. It checks its operands and adds calls that cannot fail; the
session makes them when every step has ended. So a run that fails, is interrupted or has no time left before that
changes nothing, and one that has come so far changes everything.

Each call is one of a function written in C. Python delivers signals between its own instructions, so Ctrl-C waits for
the calls. That may take `LONGEST`; a step that would make it longer computes into memory of its own, which the session
takes in place of the old by one assignment.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from operator import length_hint, methodcaller
from typing import Any, Final

from .cores import cores
from .thread_pool import WORTH, parallel_to_the_end

LONGEST: Final = 0.1
"""The most predicted seconds that Ctrl-C and timeouts wait for the writes of a run."""


class PendingWrites:
    """The writes of one run.

    Attributes:
        calls: the writes. They are independent of each other: no one reads what another one writes.
        kept: arrays that the calls use by their address.
        seconds: their predicted time on one thread.
        longest: that of the longest of them.
        threads: the most threads that may make them; None: one per core.
        left: what is to be called at the end; exhausted when all was.
    """

    __slots__ = ("calls", "kept", "left", "longest", "seconds", "threads")

    def __init__(self) -> None:
        self.calls: list[Callable[[], Any]] = []
        self.kept: list[Any] = []
        self.seconds = self.longest = 0.0
        self.threads: int | None = None
        self.left: Iterator[Callable[[], Any]] | None = None

    @property
    def ended(self) -> bool:
        """Whether all was written."""
        return self.left is not None and length_hint(self.left) == 0

    def may_add(self, seconds: float, calls: int = 1) -> bool:
        """Whether there is time for one that takes so long, or for `calls` that share it; then it counts from now."""
        total = self.seconds + seconds
        if total > LONGEST:
            return False
        self.seconds = total
        if seconds > self.longest * calls:
            self.longest = seconds / calls
        return True

    def make(self) -> None:
        """Make all calls, or none, whatever interrupts it."""
        threads = int(self.seconds / WORTH) if self.seconds - self.longest > WORTH else 1
        if threads > 1:
            threads = min(threads, cores() if self.threads is None else self.threads)
            last: Iterator[Callable[[], Any]] = iter([dict])
            self.left = last
            if threads > 1 and parallel_to_the_end([*self.calls, partial(next, last)], threads):
                return
        calls = self.left = iter(self.calls)
        deque(map(_call, calls), 0)  # one instruction


_call = methodcaller("__call__")
