"""The runs of a program that have ended, kept for looking at them again with their feeds and variables.

A run keeps its debugger, which has gone back to its start and given up the rest of its history.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...runtime.debugger.debugger import Debugger
from ...runtime.session.run_hooks import RequestedRun

_MOST_RUNS = 100
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run that has ended.

    Attributes:
        dbg: its debugger, at the start.
        run: what the program asked for.
        number: which run of the program it was.
        held: the bytes of its feeds and variables.
    """

    dbg: Debugger
    run: RequestedRun
    number: int
    held: int


@dataclass(slots=True)
class EarlierRuns:
    """The last runs of a program, as many as fit; never none, if there was one."""

    _kept: deque[EarlierRun] = field(default_factory=deque)

    def keep(self, dbg: Debugger, run: RequestedRun, number: int) -> None:
        """Note a run that has ended."""
        self._kept.append(EarlierRun(dbg, run, number, dbg.rewind()))
        while len(self._kept) > _MOST_RUNS or (len(self._kept) > 1 and sum(r.held for r in self._kept) > _MOST_BYTES):
            self._kept.popleft()

    def find(self, number: int) -> EarlierRun | None:
        """The run with a number; None if it is not kept."""
        return next((each for each in self._kept if each.number == number), None)

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[EarlierRun]:
        return iter(self._kept)
