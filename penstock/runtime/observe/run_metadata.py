"""`RunMetadata`: what a run fills in for the caller: its plan, a record of each step, the launches on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .run_record import RunRecord, StepRecord

if TYPE_CHECKING:
    from .data_flow import DataFlow


class RunMetadata:
    """A record of the last run that it was passed to: the plan that ran, and what happened in each step.

    `record`, `steps` and `peak_bytes` are computed at first use. After a failed run they end before the step that
    failed.

    Attributes:
        launches: the number of GPU kernels of the package that the run launched: one for each fused group, one or more
            for an op that moves elements. With `RunOptions(trace=False)` captured steps count as one. 0 on the CPU.

    >>> import penstock as tf
    >>> metadata = tf.RunMetadata()
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     options = tf.RunOptions(values=True)
    ...     _ = session.run(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]}, options, metadata)
    >>> [(step.node, step.results[0].type, str(step.results[0].value)) for step in metadata.steps]
    [('sums', 'float32 (2,)', '1 to 3, mean 2')]

    Source: TensorFlow 1.x, `tf.RunMetadata`.
    """

    __slots__ = ("_data", "_make_record", "_plan", "_record", "launches")

    def __init__(self) -> None:
        self._plan: Any = None
        self.launches = 0
        self._make_record: Callable[[], RunRecord | None] | None = None
        self._record: RunRecord | None = None
        self._data: DataFlow | None = None

    def begin(self, plan: Any, make_record: Callable[[], RunRecord | None] | None) -> None:
        """Called by a session before it runs `plan`; `make_record` makes the record afterwards.

        plan: None if only the record tells the plan.
        """
        self._plan, self._make_record, self._record, self._data, self.launches = plan, make_record, None, None, 0

    def keep_data(self, data: DataFlow) -> None:
        """Called by a session after a run that has pipelines or queues."""
        self._data = data

    @property
    def plan(self) -> Any:
        """The plan that ran; None before a run."""
        return self.record.plan if self._plan is None and self.record is not None else self._plan

    @property
    def record(self) -> RunRecord | None:
        """The recorded run as data that prints, exports (`record.export("run.html")`) and shows itself in notebooks.

        None before a run, and after one with `RunOptions(trace=False)`.
        """
        if self._record is None and self._make_record is not None:
            record, self._make_record = self._make_record(), None
            self._record = record if record is None or self._data is None else replace(record, data=self._data)
        return self._record

    @property
    def steps(self) -> list[StepRecord]:
        """A record of each step in order; empty if the run was not traced."""
        return [] if self.record is None else list(self.record.steps)

    @property
    def step_stats(self) -> RunRecord | None:
        """The record, under TensorFlow's name: what `timeline.Timeline` takes. None before a run."""
        return self.record

    @property
    def peak_bytes(self) -> int:
        """The most memory that feeds, constants and values held together after any step (scratch not counted)."""
        return 0 if self.record is None else self.record.peak_bytes

    def __repr__(self) -> str:
        return f"<RunMetadata: {self.record!r}>" if self.record is not None else "<RunMetadata: nothing recorded>"
