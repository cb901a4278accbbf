"""What does a session tell beside results: of a plan before it runs, of the values on the way, of the time it took?

`Session` inherits these methods. They plan and run what it would run, or the graph as it was written, and none of them
lies on the way of a plain `run`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...errors import OpError, SessionClosedError, UseError
from ...graph.graph import Graph
from ...graph.lazy_import import load
from ...graph.nodes import Operation, Tensor
from ..base.fp_context import collector_paused
from ..base.launch_count import LAUNCHES
from ..base.run_hooks import RUN_HOOKS
from ..base.session_config import RunMetadata, RunOptions, SessionConfig
from ..execution.executor import Program
from ..ir.stage import Stage
from ..observe.nan_watch import Watch
from ..observe.recorder import begin_recording
from ..observe.run_record import RunRecord
from ..observe.value_trace import Trace, TraceListener, trace_of
from ..passes.prune import first_stage
from ..planning.memory_plan import MemoryPlan
from ..planning.placement import check_devices
from ..planning.planner import make_plan
from ..planning.step_effects import effects_of_step, first_that_may_not_repeat
from .feeds import check_feeds
from .fetches import Fetches
from .listening import as_written, listening, without_donors
from .plan_cache import PlanCache
from .planned_call import Entry

if TYPE_CHECKING:
    from ..observe.explain import Explanation
    from ..observe.placement_report import PlacementReport
    from ..observe.profile import Profile

_MOST_RUNS = 1_000_000


class Inspecting:
    """The part of a `Session` that looks."""

    _graph: Graph
    _config: SessionConfig
    _programs: PlanCache
    _closed: bool

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """See `Session.run`."""
        raise NotImplementedError

    def _feeds(self, feed_dict: Mapping[Any, Any]) -> tuple[tuple[Tensor, ...], Sequence[Any]]:
        raise NotImplementedError

    def _entry(
        self, fetches: Any, fed: tuple[Tensor, ...], values: Sequence[Any] | None = None, as_device: bool = False
    ) -> tuple[Entry, Fetches | None]:
        raise NotImplementedError

    def _find_op(self, name: str) -> Operation | None:
        raise NotImplementedError

    # ---- before a run -----------------------------------------------------------------------

    def explain(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Explanation:
        """What becomes of the graph on its way to the plan of `run(fetches, feed_dict)`; nothing is run.

        Returns:
            An `Explanation`: data that prints as text; its `why("node")` says what became of one node.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.identity(x * 1.0, name="y")
        ...     print(session.explain(y, {x: [1.0]}).why("mul"))
        mul: rewritten by Neutral, then nothing of it is left after simplify
        """
        tensors, values = self._feeds(feed_dict) if feed_dict else ((), ())
        shapes = tuple([a.shape for a in check_feeds(tensors, values)[0]])
        load("penstock.runtime.observe.explain")
        from ..observe.explain import explain  # what explains is loaded by those who ask

        return explain(self._graph, fetches, tensors, self._config, shapes)

    def memory(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> MemoryPlan:
        """What a run would need: the bytes of every slot that is known, its live range, the arena, the peak.

        Sizes that depend on values (how many rows fall into a partition) are known to the run alone.
        """
        tensors, values = self._feeds(feed_dict) if feed_dict else ((), ())
        arrays, _ = check_feeds(tensors, values)
        return self._entry(fetches, tensors)[0].program.memory(tuple([a.shape for a in arrays]))

    def placement(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> PlacementReport:
        """Which device each node of `run(fetches, feed_dict)` gets, why not the one it asked for, and what is copied.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.placement(tf.negative([1.0], name="y")))
        1 on cpu
        """
        tensors, values = self._feeds(feed_dict) if feed_dict else ((), ())
        shapes = tuple([a.shape for a in check_feeds(tensors, values)[0]])
        found = Fetches(self._graph, fetches)
        stage = first_stage(found.tensors, found.operations, tensors)
        plan = self._entry(fetches, tensors)[0].program.plan
        load("penstock.runtime.observe.placement_report")
        from ..observe.placement_report import placement_report

        return placement_report(stage.operations, plan, shapes, self._config)

    # ---- during a run -----------------------------------------------------------------------

    def trace(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Trace:
        """The value of every node that a run of `fetches` needs, by name, in the order of the run.

        The graph runs as it was written, without passes, so every node is there; results are the same to the bit.

        Args:
            fetches, feed_dict: as of `run`.

        Returns:
            A `Trace`: a mapping from names of tensors (or tensors) to arrays, as `run` returns them; `result` is what
            `run` would return. It prints as a table.

        Raises:
            What `run` raises. The `trace` of an OpError holds what was computed before.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.sqrt(tf.add(x, 1.0, name="more"), name="y")
        ...     trace = session.trace(y, {x: [3.0, 8.0]})
        >>> print(list(trace), trace["more"], trace[y])
        ['x:0', 'more/y:0', 'more:0', 'y:0'] [4. 9.] [2. 3.]
        """
        self._check_open()
        tensors, values = self._feeds(feed_dict) if feed_dict else ((), ())
        found = Fetches(self._graph, fetches)
        entry, stage = self._written(found, tensors)
        trace = TraceListener(entry.program.plan)
        arrays = entry.arrays(entry.in_order(values))
        config = self._config
        plan = entry.program.plan
        listener = listening(plan, self._find_op, _watch_of(config), config.progress, trace, config.check)
        try:
            results = entry.program.run(arrays, listener)
        except OpError as error:
            error.trace = trace_of(trace.values, tensors, stage.operations)
            raise
        result = entry.handed_over(results, found.repack)
        return trace_of(trace.values, tensors, stage.operations, result)

    def profile(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, runs: int = 10, warmup: int = 1
    ) -> Profile:
        """How long each step takes: mean, 95th percentile, least and share of `runs` recorded runs.

        The garbage collector is paused while a run is timed.

        Args:
            fetches, feed_dict: as of `run`. runs: how many are counted. warmup: how many go before, not counted.

        Returns:
            A `Profile`: rows by step and by op type; prints as a table; `export("run.html")` paints the mean times.

        Raises:
            ValueError: fewer than one run. UseError (a TypeError): a second run would repeat an effect. What `run`
            raises.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     profile = session.profile(tf.cumsum(tf.reverse(x, [True]), name="sums"), {x: [1.0, 2.0]}, runs=3)
        >>> profile.runs, [row.name for row in profile.steps], round(sum(row.share for row in profile.steps), 6)
        (3, ['Reverse', 'sums'], 1.0)
        """
        _check_count("runs", runs, 1)
        _check_count("warmup", warmup, 0)
        if runs + warmup > 1:
            self._check_repeatable(fetches, feed_dict)
        records: list[RunRecord] = []
        for number in range(-warmup, runs):
            metadata = RunMetadata()
            with collector_paused():  # as timeit does: its pauses fall on whichever step allocates next
                self.run(fetches, feed_dict, run_metadata=metadata)
            if number >= 0 and metadata.record is not None:
                records.append(metadata.record)
        load("penstock.runtime.observe.profile")
        from ..observe.profile import profile_of

        return profile_of(records)

    def _check_repeatable(self, fetches: Any, feed_dict: Mapping[Any, Any] | None) -> None:
        tensors = self._feeds(feed_dict)[0] if feed_dict else ()
        step = first_that_may_not_repeat(self._entry(fetches, tensors)[0].program.plan)
        if step is not None:
            raise UseError(
                f"profile: the run holds {step.node!r} ({step.op}), which {effects_of_step(step)}; a profile runs it "
                "again and again. Profile it once (runs=1, warmup=0), or fetch what does not need it"
            )

    def _observed(
        self,
        fetches: Any,
        tensors: tuple[Tensor, ...],
        values: Sequence[Any],
        options: RunOptions | None,
        metadata: RunMetadata | None,
        as_device: bool = False,
    ) -> Any:
        """A run with options, metadata or hooks around it."""
        with ExitStack() as hooks:
            for hook in RUN_HOOKS:
                options, metadata = hooks.enter_context(hook(self, fetches, options, metadata))
            return self._recorded(fetches, tensors, values, options, metadata, as_device)

    def _recorded(
        self,
        fetches: Any,
        tensors: tuple[Tensor, ...],
        values: Sequence[Any],
        options: RunOptions | None,
        metadata: RunMetadata | None,
        as_device: bool,
    ) -> Any:
        found = Fetches(self._graph, fetches)
        watch = None if options is None else _watch_of(options)
        entry = (
            self._entry(fetches, tensors, values, as_device)[0]
            if watch is None
            else self._written(found, tensors, as_device)[0]
        )
        arrays = entry.arrays(entry.in_order(values))
        program = entry.program
        recorder = None
        if metadata is not None:
            asked = tuple([t.name for t in found.tensors] + [op.name for op in found.operations])
            shapes = tuple([a.shape for a in arrays])
            recorder = begin_recording(program, shapes, asked, self._graph, self._config, options, metadata)
        progress = None if options is None else options.progress
        if watch is not None and progress is None:
            progress = self._config.progress  # what runs as written is none of the session's own programs
        listener = listening(program.plan, self._find_op, watch, progress, recorder)
        before = LAUNCHES.total
        results = program.run(arrays, listener)
        if metadata is not None:
            metadata.launches = LAUNCHES.total - before
        return (entry.left if as_device else entry.handed_over)(results, found.repack)

    def _written(
        self, found: Fetches, fed: tuple[Tensor, ...], as_device: bool = False
    ) -> tuple[Entry, Stage]:
        """What runs the graph as it was written, and the stage that it runs."""
        config = as_written(self._config)
        stage = first_stage(found.tensors, found.operations, fed)
        kind = "as written, as device" if as_device else "as written"
        key = found.key, fed, kind
        entry = self._programs.get(key)
        if entry is None:
            check_devices(stage.operations, config)
            with collector_paused():
                plan = without_donors(make_plan(stage, [t.name for t in fed], config, as_device))
                entry = Entry(Program(plan, self._find_op, config, ref(self)), fed)
            self._programs.keep(key, entry)
        return entry, stage

    def _check_open(self) -> None:
        if self._closed:
            raise SessionClosedError("Attempted to use a closed Session. Open a new one.")


def _watch_of(choices: SessionConfig | RunOptions) -> Watch | None:
    return choices.watch if isinstance(choices.watch, Watch) else None


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"profile({name}={value!r}): a number of runs is an int, not {type(value).__name__}")
    if not least <= value <= _MOST_RUNS:
        raise ValueError(f"profile({name}={value}): at least {least} and at most {_MOST_RUNS} are counted")
