"""`RunStops`: stops the runs of a program for the debugger, and gives each of them its result.

A run that another one has called, from a function in `py_func`, is not stopped, nor is a run of another thread while
the prompt is open, nor one of a forked process.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from typing import Any

from ...errors import OpError
from ...runtime.arguments.fetches import Fetches
from ...runtime.debugger.debugger import Debugger
from ...runtime.debugger.stops import Stop
from ...runtime.session.run_hooks import RequestedRun
from .break_commands import is_broken_at, keep_up
from .debug_prompt import DebugPrompt
from .run_choice import RunChoice, RunsSeen
from .stopped_run import Decision


class RunStops:
    """Stops the runs of one program."""

    def __init__(self, choice: RunChoice, prompt: DebugPrompt) -> None:
        self._choice = choice
        self._prompt = prompt
        self._mode = Decision.FINISH
        self._process = os.getpid()
        self._turn = deque([None])  # taking the one element is atomic
        self.seen = RunsSeen()

    def __call__(self, run: RequestedRun) -> Any:
        """The result of a run: the stand-in of `runs_given_to`."""
        if self._mode is Decision.QUIT or os.getpid() != self._process:
            return run.go()
        try:
            self._turn.pop()
        except IndexError:
            return run.go()
        try:
            return self._taken(run)
        finally:
            self._turn.append(None)

    def _taken(self, run: RequestedRun) -> Any:
        self.seen.count += 1
        self.seen.of_line[run.origin.place] = self.seen.of_line.get(run.origin.place, 0) + 1
        try:
            names = _fetched_names(run)
        except Exception:
            return run.go()  # it is refused, in the words of a run
        self.seen.fetched.update(dict.fromkeys(names))
        if not self._choice.takes(self.seen.count, names):
            return run.go()
        try:
            dbg = run.session.debug(run.fetches, run.feeds, fused=self._choice.fused)
        except Exception:
            return run.go()
        keep_up(dbg, self._prompt.kept)
        stop = dbg.here
        if self._choice.on_error or (self._mode is Decision.CONTINUE and not is_broken_at(dbg)):
            try:
                stop = dbg.go() if dbg.breakpoints else dbg.run_to_failure()
            except KeyboardInterrupt:
                if not self._prompt.is_typed:
                    raise
                return self._opened(dbg, run, dbg.here)
            if dbg.has_ended and not stop.reason:
                return self._result(dbg, run)
        return self._opened(dbg, run, stop)

    def _opened(self, dbg: Debugger, run: RequestedRun, stop: Stop) -> Any:
        """The prompt, until the run has a result."""
        self.seen.opened += 1
        self._prompt.open(dbg, run, self.seen.count, self.seen.of_line[run.origin.place], stop)
        while True:
            decision = self._prompt.ask()
            had_failed = dbg.error is not None
            self._mode = decision
            try:
                return self._result(dbg, run)
            except OpError as error:
                # It passes to the program where the user has seen it and lets the run end all the same.
                if error is not dbg.error or had_failed or decision is Decision.QUIT:
                    raise
                self._prompt.tell_failure()
            except KeyboardInterrupt:
                self._prompt.tell_interrupt()

    def _result(self, dbg: Debugger, run: RequestedRun) -> Any:
        """What the program gets; the metadata that it has given is filled."""
        result = dbg.finish()
        if run.metadata is not None:
            record = dbg.record()
            run.metadata.begin(record.plan, lambda: record)
        self._prompt.kept.earlier.keep(dbg, run, self.seen.count)
        return result


def _fetched_names(run: RequestedRun) -> Sequence[str]:
    found = Fetches(run.session.graph, run.fetches)
    return [*[tensor.name for tensor in found.tensors], *[op.name for op in found.operations]]
