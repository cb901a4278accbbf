"""Asynchronous runs: other runs may update variables while one computes what it updates them with.

A run that updates variables is made in two halves (`passes.halves`). The first one only reads, so the first halves of
several threads run at the same time; the second ones, which are short, take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ..base.values_elsewhere import is_elsewhere
from ..execution.executor import Program
from ..execution.row_major import row_major_copy
from ..execution.step_listener import StepListener
from .state_run import StateRun
from .variable_store import VariableStore


@dataclass(frozen=True, slots=True)
class HalfRun:
    """One half: its program, how its runs use variables, and the places of the caller's feeds that it takes."""

    program: Program
    state: StateRun | None
    feeds: tuple[int, ...]

    def run(self, arrays: Sequence[Any], handed: Sequence[Any] = ()) -> list[Any]:
        """The results, which later runs do not change."""
        given = [*[arrays[i] for i in self.feeds], *handed]
        return self.program.run(given) if self.state is None else self.state.run(self.program, given)

    def may_return(self, place: int) -> bool:
        """Whether the caller may have a result itself."""
        return self.state is not None and self.state.may_return[place]


@dataclass(frozen=True, slots=True)
class HalfRuns:
    """The halves of the runs of one plan; see `passes.halves.Halves`."""

    first: HalfRun
    second: HalfRun
    handed: int
    results: tuple[tuple[int, int], ...]


class AsynchronousRun:
    """How the runs of one plan are made in two halves. It stands for a `StateRun` in a planned call. Thread-safe.

    Runs that are looked at, and those in which a variable has no value yet, are made in one, by `state`.
    """

    def __init__(
        self,
        whole: StateRun,
        store: VariableStore,
        reads: Sequence[str],
        make: Callable[[], HalfRuns | None],
    ) -> None:
        """The runs of a plan.

        Args:
            whole: how a run in one uses variables.
            store: the variables.
            reads: those whose values a run needs.
            make: makes the halves; None where there is but one.
        """
        self.state = whole
        self.may_return = whole.may_return
        self._store = store
        self._reads = tuple(reads)
        self._make = make
        self._halves: HalfRuns | None = None
        self._is_made = False

    def run(self, program: Program, arrays: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """The results for the caller; as of `StateRun`.

        Raises:
            OpError: an operation failed. If it was one of the first half, no variable has changed.
        """
        if trace is not None or not all(self._store.has(resource) for resource in self._reads):
            return self.state.run(program, arrays, trace)
        if not self._is_made:
            self._halves = self._make()
            self._is_made = True
        halves = self._halves
        if halves is None:
            return self.state.run(program, arrays)
        first = halves.first.run(arrays)
        count = len(first) - halves.handed
        try:
            made = first, halves.second.run(arrays, first[count:])
        except Exception as error:
            self.state.note_rest(error)
            raise
        return [self._owned(halves, half, place, made[half][place]) for half, place in halves.results]

    def _owned(self, halves: HalfRuns, half: int, place: int, result: Any) -> Any:
        run = (halves.first, halves.second)[half]
        kept = is_elsewhere(result) or run.may_return(place)
        return result if kept else row_major_copy(result, run.program.threads)
