"""`RunRecord`, a recorded run as data: the plan that ran, a record of each step, the feeds, the use of memory.

It prints as a table, and `record.export("run.html")` writes it as a page, a picture or a timeline. Drawing a record
needs no session.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from ...graph.common.hooks import hooks
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.tracebacks import hides_frames
from ...graph.inspect.text_table import WIDTH, folded, format_table
from ..base.session_config import SessionConfig
from ..planning.memory_plan import MemoryPlan
from ..planning.plan import Plan, Step
from ..planning.slot_names import body_of
from .place_records import PlaceRecord, TransferRecord, WaitRecord
from .value_summary import Summary

_MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """One value of a recorded run.

    Attributes:
        name: the name of its tensor.
        dtype: the name of its dtype.
        shape: the shape it had.
        bytes: its size.
        value: a summary of its elements, if the run was asked for values.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    value: Summary | None = None

    @property
    def type(self) -> str:
        """Dtype and shape as they are printed everywhere, `float32 (150, 4)`; of a variant what it holds."""
        if self.value is not None and self.value.holds:
            return self.value.holds
        return f"{self.dtype} {self.shape}"


@dataclass(frozen=True, slots=True)
class BodyRecord:
    """One run of a graph inside an op: of a branch, of the condition of a loop, of its body.

    Attributes:
        part: which graph it was: the place among those of the op, from 0.
        iteration: the number of the iteration; 0 in a branch.
        seconds: the time of its steps.
        feeds: a record of each value that came in.
        steps: a record of each step that ran.
    """

    part: int
    iteration: int
    seconds: float
    feeds: tuple[ResultRecord, ...]
    steps: tuple[StepRecord, ...]


@dataclass(frozen=True, slots=True, repr=False)
class StepRecord:
    """One step of a recorded run.

    Attributes:
        node: the name of the node.
        op: the type of its op.
        device: the device it ran on.
        start: when it began, in seconds from the start of the run.
        duration: how long it took, in seconds.
        bytes: the bytes of its results.
        held: the bytes of all values that are in memory after it.
        results: a `ResultRecord` for each of its results.
        kernel: how a fused group ran at the end of the run: "interpreted" or "compiled"; "" for an op's own kernel.
        launches: how many kernels of the package it started on a GPU; see `RunMetadata`.
        promotion: how far a group is on its way to machine code: "interpreted", "queued", "compiled", or "refused: "
            with the reason; "" for an op's own kernel.
        writes: the variables whose new values it makes. The session takes them when the run has succeeded.
        inside: a `BodyRecord` for each run of a graph inside the op, if the run was asked for values. Of a loop with
            many iterations the first 64 are kept, then 32 of each next power of two.
        place: in a session on a cluster the process that ran it, "worker 0" or "client"; `held` and `device` are those
            of this process. "" in a session on one machine.
    """

    node: str
    op: str
    device: str
    start: float
    duration: float
    bytes: int
    held: int = 0
    results: tuple[ResultRecord, ...] = ()
    kernel: str = ""
    launches: int = 0
    promotion: str = ""
    writes: tuple[str, ...] = ()
    inside: tuple[BodyRecord, ...] = ()
    place: str = ""

    @property
    def is_healthy(self) -> bool | None:
        """False if a result has a NaN or an infinity; None if values were not recorded."""
        known = [r.value.is_healthy for r in self.results if r.value is not None]
        return all(known) if known else None

    def __repr__(self) -> str:
        made = ", ".join(r.type for r in self.results)
        return f"<StepRecord {self.node} ({self.op}): {time_text(self.duration)}, {made or byte_text(self.bytes)}>"


@dataclass(frozen=True, slots=True)
class DebuggedPart:
    """Of a run that a debugger has stopped.

    Attributes:
        changed: the names of values that depend on one that was set.
        has_failed: whether the next step fails.
    """

    changed: tuple[str, ...]
    has_failed: bool


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A recorded run: what ran, how long each step took and what it made. It prints as a table of 100 columns;
    `table()` has every column.

    Attributes:
        plan: the plan that ran.
        steps: a `StepRecord` for each step; fewer after a failure.
        feeds: a record of each fed value.
        seconds: the time of the whole run without that of recording.
        peak_bytes: the most memory that was in use after any step; on a cluster the most of any one process.
        memory: the memory plan for these feeds; None on a cluster.
        fetches: the names of what was fetched.
        graph: the graph.
        config: the configuration of the session.
        debugged: where a debugger stands in the run; None of a run that is over.
        transfers: on a cluster a `TransferRecord` for each value that went from one process to another.
        waits: on a cluster a `WaitRecord` for each time in which a process had to wait for a value.
        places: on a cluster a `PlaceRecord` for each process that took part.
        data: the pipelines and queues of the session after the run, a `DataFlow`; None if it has none.

    >>> import penstock as tf
    >>> metadata = tf.RunMetadata()
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     _ = session.run(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]}, run_metadata=metadata)
    >>> record = metadata.record
    >>> record.fetches, record.step("sums").node, record.table().splitlines()[0].split()[:3]
    (('sums:0',), 'sums', ['step', 'node', 'op'])
    """

    plan: Plan
    steps: tuple[StepRecord, ...]
    feeds: tuple[ResultRecord, ...] = ()
    seconds: float = 0.0
    peak_bytes: int = 0
    memory: MemoryPlan | None = None
    fetches: tuple[str, ...] = ()
    graph: Any = field(default=None, repr=False)
    config: SessionConfig | None = field(default=None, repr=False)
    debugged: DebuggedPart | None = field(default=None, repr=False)
    transfers: tuple[TransferRecord, ...] = ()
    waits: tuple[WaitRecord, ...] = ()
    places: tuple[PlaceRecord, ...] = ()
    data: Any = field(default=None, repr=False)  # `data_flow` imports this module

    @hides_frames
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        depth: int | None = None,
        hide: str | Iterable[str] = (),
        repeats: Literal["fold", "each"] | None = None,
        title: str = "",
        colour: str = "kind",
        constants: Literal["labels", "boxes"] | None = None,
        direction: Literal["auto", "down", "right"] = "auto",
        full_names: bool = False,
        scale: float | None = None,
    ) -> Path:
        """Writes the run to a file, in the form that the suffix names.

        Args:
            path: a path that ends with .html (a page with a slider over the steps), .svg, .png, .pdf, .dot, .mmd,
                .graphml, .json, .txt (a tree and a table), or .trace.json or .perfetto.json (a timeline for
                ui.perfetto.dev and chrome://tracing). .png and .pdf need the extra `penstock[pictures]`.
            depth: scopes nested deeper than this are closed: with 0 each is one box. None closes those for which there
                is no room.
            hide: patterns of names, such as "tower/*"; such steps and scopes are left out.
            repeats: what a still picture does with rows of scopes that are equal inside, such as step, step_1, step_2:
                "fold" draws one, labelled "step x3", "each" draws all. None draws all.
            title: the title of the picture.
            colour: the meaning of the colours: "kind", "type" (of the op), "dtype", "device", "order", "group", "time",
                "bytes", "memory" (in use after the step) or "health" (NaN and Inf). A page offers all of them and opens
                with this one.
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
        >>> metadata = tf.RunMetadata()
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     _ = session.run(tf.constant([1, 2], name="c"), run_metadata=metadata)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(metadata.record.export(pathlib.Path(folder, "run.trace.json")).name)
        run.trace.json
        """
        made: Path = hooks.export(
            "RunRecord.export", self, path,
            depth=depth, hide=hide, repeats=repeats, title=title, colour=colour, constants=constants,
            direction=direction, full_names=full_names, scale=scale,
        )  # fmt: skip
        return made

    @hides_frames
    def step(self, node: str) -> StepRecord:
        """The record of the step that ran a node, alone or inside a fused group.

        Args:
            node: the name of the node.

        Returns:
            A `StepRecord`.

        Raises:
            KeyError: no step ran it.
        """
        for planned, step in zip(self.plan.steps, self.steps, strict=False):
            if step.node == node or node in members_of(planned):
                return step
        raise KeyError(f"step({node!r}): no recorded step ran that node; there are {len(self.steps)} steps")

    @property
    def launches(self) -> int:
        """The number of GPU kernels of this package that the steps launched."""
        return sum(step.launches for step in self.steps)

    @property
    def has_values(self) -> bool:
        """True if summaries of values were recorded."""
        return any(r.value is not None for r in (*self.feeds, *(r for step in self.steps for r in step.results)))

    @property
    def unhealthy(self) -> tuple[ResultRecord, ...]:
        """The results that hold a NaN or an infinity, in order; empty if values were not recorded."""
        results = (r for step in self.steps for r in step.results)
        return tuple(r for r in results if r.value is not None and not r.value.is_healthy)

    def table(self) -> str:
        """One line for each step: number, node, op, what it made, time, share of all steps, bytes, bytes held.

        On a cluster transfers and times of waiting are lines without a number, in the order of time.

        Returns:
            The table as text.
        """
        return self._table(None)

    def _table(self, width: int | None) -> str:
        rows = list(self._rows())
        shown = [i for i in range(len(_HEAD)) if any(row[i] for row in rows)] or list(range(len(_HEAD)))
        has_writes = any(step.writes for step in self.steps)
        if width is not None and (self.has_values or has_writes):  # names and values need the room more
            left_out = {"share", "held", *(["on"] if all(step.device == "cpu" for step in self.steps) else [])}
            shown = [i for i in shown if _HEAD[i] not in left_out]
        head = [_HEAD[i] for i in shown]
        return format_table(head, [[row[i] for i in shown] for row in rows], width, _NUMBERS, keep=_KEPT)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        if not self.transfers and not self.waits:
            yield from self._step_rows()
            return
        timed = [(step.start, row) for step, row in zip(self.steps, self._step_rows(), strict=True)]
        blank = ("",) * (len(_HEAD) - 6)
        timed += [(t.start, ("", t.value, "transfer", t.source, f"to {t.target}", time_text(t.duration), "", "",
                             byte_text(t.bytes), *blank[2:])) for t in self.transfers]  # fmt: skip
        timed += [(w.start, ("", w.value, "wait", w.place, f"for {w.node}", time_text(w.duration), *blank))
                  for w in self.waits]  # fmt: skip
        yield from (row for _, row in sorted(timed, key=lambda each: each[0]))

    def _step_rows(self) -> Iterator[tuple[str, ...]]:
        whole = sum(step.duration for step in self.steps) or 1.0
        for number, step in enumerate(self.steps, start=1):
            made = ", ".join(r.type for r in step.results)
            values = "; ".join(r.value.brief or str(r.value) for r in step.results if r.value is not None)
            yield (str(number), step.node, step.op, step.device, made, time_text(step.duration),
                   f"{step.duration / whole:.0%}", str(step.launches or ""), byte_text(step.bytes),
                   byte_text(step.held), ", ".join(step.writes), values)  # fmt: skip

    def __str__(self) -> str:
        lines = self._table(WIDTH).split("\n")
        if len(lines) > _MOST_LINES:
            lines = [*lines[: _MOST_LINES - 1], f"... and {len(lines) - _MOST_LINES + 1} more steps"]
        return "\n".join([*folded([self.headline]), *lines])

    @property
    def headline(self) -> str:
        """The run in one line."""
        count = len(self.steps)
        text = f"{count} step{'' if count == 1 else 's'} in {time_text(self.seconds)}"
        text += f", at most {byte_text(self.peak_bytes)} held"
        if count < len(self.plan.steps):
            what = "it failed in" if self.debugged is None or self.debugged.has_failed else "it stands before"
            text += f"; {what} step {count + 1} of {len(self.plan.steps)}, {self.plan.steps[count].node}"
        if self.places:
            counts = ", ".join(f"{each.steps} on {each.name}" for each in self.places if each.steps)
            moved, number = sum(each.bytes for each in self.transfers), len(self.transfers)
            text += f"; {counts}" if counts else ""
            text += f"; {byte_text(moved)} in {number} transfer{'' if number == 1 else 's'}"
        bad = self.unhealthy
        return text + (f"; NaN or Inf first in {bad[0].name}" if bad else "")

    def __repr__(self) -> str:
        return f"<RunRecord: {self.headline}>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")


_HEAD = ("step", "node", "op", "on", "made", "time", "share", "launches", "bytes", "held", "writes", "values")
_NUMBERS = ("step", "time", "share", "launches", "bytes", "held")
_KEPT = {"node": 24, "made": 16, "writes": 16, "values": 24}


def members_of(step: Step) -> tuple[str, ...]:
    """The names of the nodes inside a step (of a fused group, or of graphs inside its op); () for most steps."""
    body = body_of(step)
    if body is not None:
        return body.nodes
    inside = [each for arg in step.args if isinstance(arg, Plan) for each in arg.steps]
    return tuple(name for each in inside for name in (each.node, *members_of(each)))


def time_text(seconds: float) -> str:
    """A duration in readable units.

    >>> time_text(0.00123), time_text(2.5e-6), time_text(75.0)
    ('1.23 ms', '2.5 us', '75 s')
    """
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError("unreachable: the smallest unit fits every duration")


def byte_text(count: int | None) -> str:
    """A number of bytes in readable units.

    >>> byte_text(12), byte_text(150_000), byte_text(None)
    ('12 B', '146 KiB', '?')
    """
    if count is None:
        return "?"
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"
