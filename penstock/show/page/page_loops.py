"""What ran inside loops and branches, as plain data for a page: for each loop a slider over its iterations.

    loops     [node, 1 for a loop and 0 for a branch, number of the loop around or -1] for each
    runs      the runs of each loop by the iterations around: "" outermost, "3" inside position 3 of the loop around it,
              "3.0" inside both. A run is [numbers of the iterations, their times, {value: row for each iteration}].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...runtime.observe.run_record import BodyRecord, ResultRecord, RunRecord, StepRecord

Row = list[Any]
MOST_ROWS = 6000
"""The most values of iterations in a page; of longer loops fewer iterations are taken."""


def loop_facts(record: RunRecord, row_of: Callable[[ResultRecord], Row]) -> dict[str, Any]:
    """The facts of loops and branches of a recorded run; {} if nothing was recorded inside any.

    row_of: [type, bytes, summary or None] of a value.
    """
    found = _Loops(row_of)
    found.add(record.steps, -1, "")
    return {"loops": found.loops, "loopRuns": found.runs} if found.loops else {}


class _Loops:
    """The data under construction."""

    def __init__(self, row_of: Callable[[ResultRecord], Row]) -> None:
        self.loops: list[Row] = []
        self.runs: list[dict[str, Row]] = []
        self._row_of = row_of
        self._numbers: dict[str, int] = {}

    def add(self, steps: Sequence[StepRecord], around: int, key: str) -> None:
        """What ran inside these steps, which are those of iteration `key` of loop number `around`."""
        for step in steps:
            if step.inside:
                self._add_holder(step, around, key)

    def _add_holder(self, step: StepRecord, around: int, key: str) -> None:
        number = self._numbers.get(step.node)
        repeats = len(step.inside) > 1 or any(body.iteration for body in step.inside)
        if number is None:
            number = self._numbers[step.node] = len(self.loops)
            self.loops.append([step.node, int(repeats), around])
            self.runs.append({})
        by_iteration: dict[int, list[BodyRecord]] = {}
        for body in step.inside:
            by_iteration.setdefault(body.iteration, []).append(body)
        kept = _some(sorted(by_iteration), sum(_rows(each) for each in step.inside))
        times = [round(1e6 * sum(body.seconds for body in by_iteration[i]), 1) for i in kept]
        values: dict[str, list[Row | None]] = {}
        for position, iteration in enumerate(kept):
            for body in by_iteration[iteration]:
                for result in (*body.feeds, *(r for inner in body.steps for r in inner.results)):
                    rows = values.setdefault(result.name, [None] * len(kept))
                    rows[position] = self._row_of(result)
                self.add(body.steps, number, f"{key}.{position}" if key else str(position))
        self.runs[number][key] = [kept, times, values]


def _rows(body: BodyRecord) -> int:
    return len(body.feeds) + sum(len(s.results) + sum(_rows(each) for each in s.inside) for s in body.steps)


def _some(iterations: Sequence[int], rows: int) -> list[int]:
    """Iterations of which the values have room: all, or every n-th and the last."""
    every = -(-rows // MOST_ROWS) or 1
    return [each for i, each in enumerate(iterations) if i % every == 0 or i == len(iterations) - 1]
