"""Profiles: the time of each step of a plan over many runs.

`session.profile(fetches, feed_dict, runs=N)` records N runs and adds them up step by step. The result, a `Profile`,
prints as tables by node and by op. `profile.export("run.html")` draws the plan with the median times as colours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...errors import UseError
from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.inspect.text_table import format_table
from ..base.fp_context import collector_paused
from ..planning.plan import Plan, effects_of_step, first_that_may_not_repeat
from .run_record import RunRecord, byte_text, members_of, time_text

_MOST_ROWS = 40
_MOST_VARIABLES = 3
_MOST_RUNS = 1_000_000
_MOST_PLANS = 4
"""The runs are counted anew so often, since another plan has come to serve them."""


@dataclass(frozen=True, slots=True, repr=False)
class StepTimes:
    """The time of a step, or of all steps of one op type, over the runs, in seconds.

    Attributes:
        name: a node, or an op type.
        op: the type of the op.
        count: the number of steps.
        mean: the mean time in one run.
        p95: the 95th percentile.
        least: the shortest time.
        share: the part of the sum of the medians of all steps.
        median: the median: what the step usually takes, whatever one slow run did.
        nodes: the nodes inside a fused step.
        bytes: bytes of the results.
        writes: the variables that a step writes.
        place: on a cluster the process that runs the step, "worker 0" or "client".
    """

    name: str
    op: str
    count: int
    mean: float
    p95: float
    least: float
    share: float
    nodes: tuple[str, ...] = ()
    bytes: int = 0
    writes: tuple[str, ...] = ()
    place: str = ""
    median: float = 0.0

    def __repr__(self) -> str:
        return f"<StepTimes {self.name} ({self.op}): median {time_text(self.median)}, {self.share:.1%} of the run>"


@dataclass(frozen=True, eq=False)
class Profile:
    """The result of `Session.profile`. It prints as two tables, the slowest rows first.

    Attributes:
        runs: the number of recorded runs.
        steps: one row for each step of the plan, in the order of the plan.
        by_op: one row for each op type, the slowest first.
        total: the sum over all steps of a run.
        record: the last run with the median times, for drawing.
    """

    runs: int
    steps: tuple[StepTimes, ...]
    by_op: tuple[StepTimes, ...]
    total: StepTimes
    record: RunRecord

    @hides_frames
    def step(self, node: str) -> StepTimes:
        """The row of the step that ran a node, alone or inside a fused group.

        Args:
            node: the name of the node.

        Returns:
            A `StepTimes`.

        Raises:
            KeyError: no step ran it.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     profile = session.profile(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]}, runs=2)
        >>> profile.step("sums").op
        'Cumsum'
        """
        for row in self.steps:
            if row.name == node or node in row.nodes:
                return row
        raise KeyError(f"step({node!r}): none of the {len(self.steps)} steps ran that node")

    @hides_frames
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        depth: int | None = None,
        hide: str | Iterable[str] = (),
        repeats: Literal["fold", "each"] | None = None,
        title: str = "",
        colour: str = "time",
        constants: Literal["labels", "boxes"] | None = None,
        direction: Literal["auto", "down", "right"] = "auto",
        full_names: bool = False,
        scale: float | None = None,
    ) -> Path:
        """Writes the plan that ran with its median times to a file, in the form that the suffix names.

        Args:
            path: a path with a suffix of `RunRecord.export`.
            depth: scopes nested deeper than this are closed.
            hide: patterns of names, such as "tower/*"; such steps and scopes are left out.
            repeats: "fold" or "each", as in `RunRecord.export`.
            title: the title of the picture; "" for the number of runs.
            colour: the meaning of the colours, as in `RunRecord.export`.
            constants: "labels" writes each constant as a line in the boxes that read it, "boxes" draws it as a box.
                None is "labels", and "boxes" in .graphml, which holds every node.
            direction: the way in which arrows point, "down" or "right"; "auto" takes the one that fits a screen better.
            full_names: whether a text tree (.txt) shows full names, `dense/kernel`, instead of their last parts.
            scale: for .png, the pixels for one unit of the SVG; 2 by default.

        Returns:
            The path.

        Raises:
            ImportError: .png or .pdf without the extra `penstock[pictures]`.
            TypeError: an option is of another type.
            ValueError: another suffix, or a value that an option does not take.
            OSError: the file cannot be written.

        >>> import pathlib, tempfile, penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     profile = session.profile(tf.cumsum(x), {x: [1.0, 2.0]}, runs=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(profile.export(pathlib.Path(folder, "run.svg")).name)
        run.svg
        """
        if title == "":
            title = f"median of {self.runs} run{'' if self.runs == 1 else 's'}"
        made: Path = hooks.export(
            "Profile.export", self.record, path,
            depth=depth, hide=hide, repeats=repeats, title=title, colour=colour, constants=constants,
            direction=direction, full_names=full_names, scale=scale,
        )  # fmt: skip
        return made

    def __str__(self) -> str:
        slowest = sorted(self.steps, key=lambda r: -r.median)
        has_writes = any(r.writes for r in self.steps)
        has_places = any(r.place for r in self.steps)
        head = ("step", "op", "median", "least to p95", "share", "bytes", *(["on"] if has_places else []),
                *(["writes"] if has_writes else []))  # fmt: skip
        rows = [(*_row(r), *([r.place] if has_places else []), *([written_text(r)] if has_writes else []))
                for r in slowest[:_MOST_ROWS]]  # fmt: skip
        if len(slowest) > _MOST_ROWS:
            rows.append((f"... {len(slowest) - _MOST_ROWS} steps more", *[""] * (len(head) - 1)))
        count = len(self.steps)
        lines = [f"{self.runs} run{'' if self.runs == 1 else 's'} of {count} step{'' if count == 1 else 's'}: "
                 f"median {time_text(self.total.median)}, least {time_text(self.total.least)}, "
                 f"p95 {time_text(self.total.p95)}, mean {time_text(self.total.mean)}"]  # fmt: skip
        lines += [format_table(head, rows)]
        if len(self.by_op) < count:
            ops = [(r.name, f"{r.count}", time_text(r.median), f"{r.share:.1%}") for r in self.by_op]
            lines += ["", format_table(("op", "steps", "median", "share"), ops)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Profile of {self.runs} runs, median {time_text(self.total.median)}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return self.record._repr_svg_()


def _row(times: StepTimes) -> tuple[str, ...]:
    spread = f"{time_text(times.least)} to {time_text(times.p95)}"
    return times.name, times.op, time_text(times.median), spread, f"{times.share:.1%}", byte_text(times.bytes)


def written_text(times: StepTimes) -> str:
    """The variables of a step; of many the first, and how many there are."""
    names = times.writes
    more = len(names) - _MOST_VARIABLES
    return ", ".join(names[:_MOST_VARIABLES]) + (f" and {more} more" if more > 0 else "")


def profile(record: Callable[[], RunRecord | None], plan: Callable[[], Plan], runs: int, warmup: int) -> Profile:
    """See `Session.profile`.

    Args:
        record: runs once and returns the record.
        plan: returns the plan of the runs.
        runs: the number of recorded runs, all of one plan.
        warmup: the number of runs before them.
    """
    _check_count("runs", runs, 1)
    _check_count("warmup", warmup, 0)
    if runs + warmup > 1:
        _check_repeatable(plan())
    records: list[RunRecord] = []
    left, plans = warmup + runs, 0
    while left and plans <= _MOST_PLANS:
        left -= 1
        with collector_paused():  # as timeit does: its pauses fall on whichever step allocates next
            made = record()
        if left >= runs or made is None:
            continue
        if records and _nodes(made) != _nodes(records[0]):  # these feeds have got a plan of their own
            records.clear()
            left, plans = runs - 1, plans + 1
        records.append(made)
    return profile_of(records)


def _nodes(record: RunRecord) -> list[str]:
    nodes = [step.node for step in record.steps]
    return sorted(nodes) if record.places else nodes


def _check_repeatable(plan: Plan) -> None:
    step = first_that_may_not_repeat(plan)
    if step is not None:
        raise UseError(
            f"profile: the run contains {step.node!r} ({step.op}), which {effects_of_step(step)}; a profile repeats "
            "it. Profile one run (runs=1, warmup=0), or fetch what does not need that node"
        )


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"profile({name}={value!r}): a number of runs is an int, not {type(value).__name__}")
    if not least <= value <= _MOST_RUNS:
        raise ValueError(f"profile({name}={value}): a number of runs must be in [{least}, {_MOST_RUNS}]")


def profile_of(records: Sequence[RunRecord]) -> Profile:
    """The profile of several records of one plan."""
    last = records[-1]
    seconds = np.array([_durations(record, last) for record in records]).reshape(len(records), -1)
    sums = seconds.sum(axis=1)
    medians = np.median(seconds, axis=0)
    whole = float(medians.sum()) or 1.0
    rows = tuple(
        StepTimes(step.node, step.op, 1, *_numbers(seconds[:, i]), float(medians[i]) / whole,
              members_of(planned), step.bytes, step.writes, step.place, float(medians[i]))
        for i, (planned, step) in enumerate(zip(last.plan.steps, last.steps, strict=True))
    )  # fmt: skip
    total = StepTimes("all", "", len(rows), *_numbers(sums), 1.0, (), sum(r.bytes for r in rows),
                      median=float(np.median(sums)))  # fmt: skip
    return Profile(len(records), rows, _by_op(rows, seconds, whole), total, _with_medians(last, rows))


def _durations(record: RunRecord, last: RunRecord) -> list[float]:
    """The time of each step, in the order of the last record: on a cluster the order differs from run to run."""
    if not record.places:
        return [step.duration for step in record.steps]
    by_node = {step.node: step.duration for step in record.steps}
    return [by_node[step.node] for step in last.steps]


def _by_op(rows: Sequence[StepTimes], seconds: Any, whole: float) -> tuple[StepTimes, ...]:
    found: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(row.op, []).append(i)
    sums = {op: seconds[:, places].sum(axis=1) for op, places in found.items()}
    made = [
        StepTimes(op, op, len(places), *_numbers(sums[op]), sum(rows[i].share for i in places), (),
              sum(rows[i].bytes for i in places), median=float(np.median(sums[op])))
        for op, places in found.items()
    ]  # fmt: skip
    return tuple(sorted(made, key=lambda r: -r.median))


def _numbers(seconds: Any) -> tuple[float, float, float]:
    return float(seconds.mean()), float(np.percentile(seconds, 95)), float(seconds.min())


def _with_medians(record: RunRecord, rows: Sequence[StepTimes]) -> RunRecord:
    """The record as a run in which each step took its median time, one after the other."""
    steps = []
    begin = 0.0
    for step, row in zip(record.steps, rows, strict=True):
        steps.append(replace(step, start=begin, duration=row.median))
        begin += row.median
    return replace(record, steps=tuple(steps), seconds=begin, transfers=(), waits=())
