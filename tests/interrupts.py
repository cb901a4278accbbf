"""Something happens at a chosen line of the package: what a signal handler does there, without a clock.

Python runs a handler between two bytecodes of the main thread. A trace function runs before each line, so it stands for
a handler at every place that can matter, as often as one likes and always at the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import penstock

PACKAGE = str(Path(penstock.__file__).parent)


class AtLine:
    """Calls `action` before the line number `at` (from 1; 0: never) that `work` runs in the package; counts them.

    Only lines of this thread count, and none that the action runs.
    """

    def __init__(self, at: int = 0, action: Callable[[], object] = lambda: None) -> None:
        self.lines = 0
        self.struck = False
        self._at = at
        self._action = action

    def run(self, work: Callable[[], Any]) -> Any:
        """What `work` returns; what the action raises there, it raises."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            return work()
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                self.struck = True
                self._action()
        return self._line


def lines_of(work: Callable[[], Any]) -> int:
    """How many lines of the package `work` runs."""
    counter = AtLine()
    counter.run(work)
    return counter.lines


def interrupted_at(line: int, work: Callable[[], object]) -> bool:
    """Whether `work` came to that line, where it was interrupted as by Ctrl-C; the interrupt is gone afterwards."""
    strike = AtLine(line, _interrupt)
    try:
        strike.run(work)
    except KeyboardInterrupt:
        assert strike.struck
    return strike.struck


def _interrupt() -> None:
    raise KeyboardInterrupt
