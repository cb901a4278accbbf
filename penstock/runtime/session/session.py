"""`Session`: runs a graph, and reports what it would run.

`Session.run(fetches, feed_dict)` separates the feeds (`arguments.feeds`), finds or makes the plan (`plan_cache`), and
calls it (`planned_call`). The methods that report on plans and runs delegate to `observe`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Never
from weakref import ref

from ...errors import FeedError, GraphError, SessionClosedError, UseError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import cut, hides_frames
from ...graph.devices.device_names import check_device
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Tensor
from ...graph.model.scopes import DefaultGraph
from ...graph.model.tensor_source import TensorSource
from ..arguments.feeds import several_fetches, split_feed_dict
from ..arguments.feeds_without_values import FeedsToLookAt, named_feeds
from ..backends.devices import session_devices
from ..base.random_counters import RandomCounters, RandomState
from ..base.session_config import RunOptions, SessionConfig
from ..base.session_objects import SessionObjects
from ..observe.run_metadata import RunMetadata
from ..observe.run_record import RunRecord
from ..observe.value_trace import Trace
from ..passes.pipeline import ALL_PASSES
from ..planning.placement import tell_missing_device
from ..planning.plan import Plan
from .failed_run import FailedRun, failed_run
from .graph_growth import GrowthGuard
from .observed_run import observed_run, traced_run
from .partial_runs import RunsInParts
from .plan_cache import AS_DEVICE, PLAIN, PlanCache
from .planned_call import PlannedCall
from .remote_session import RunsElsewhere
from .results_on_workers import left_results
from .run_arguments import unknown_argument
from .run_hooks import RUN_HOOKS, hooked_run
from .session_reports import SessionReports
from .session_stack import DefaultSession, default_sessions, pop_session
from .variable_store import VariableStore

if TYPE_CHECKING:
    from ..base.config_protos import ConfigProto
    from ..debugger.debugger import Debugger
    from ..observe.profile import Profile

class Session(SessionReports, RunsInParts):
    """Runs the operations of one graph.

    Args:
        target: "" for this machine; "dask://host:port" for the workers of a Dask cluster; "dask://local?workers=2" for
            workers that the session starts on this machine and ends with it; or a `distributed.Client`. A cluster
            needs the extra `penstock[dask]`. All who can connect to a scheduler or a worker can run code there: those
            of "dask://local" have a certificate that only this user can read, others what you gave them.
        graph: the graph to run; without it, the default graph.
        config: a `SessionConfig`, or a `ConfigProto`.

    Raises:
        TypeError: `graph` or `config` is of another type.
        ValueError: `target` means no cluster, or the config names a device or pass that does not exist.
        UnavailableError: there is no cluster at `target`, or its workers have another version of Penstock.
        ImportError: `target` means a cluster, and `distributed` is not installed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     total = tf.add(x, x, name="total")
    >>> with tf.Session(graph=graph) as session:
    ...     print(session.run({"twice": total, "once": ["x:0"]}, {x: [1.0, 2.0]}))
    {'twice': array([2., 4.], dtype=float32), 'once': [array([1., 2.], dtype=float32)]}
    >>> session = tf.Session(graph=graph)
    >>> with session.as_default():
    ...     print(total.eval({x: [3.0]}))
    [6.]
    >>> session.close()

    Source: TensorFlow 1.x, `tf.Session`.
    """

    _uncopied = (
        "it holds plans, memory and threads of this process",
        "Save its graph with tf.save_graph(session.graph, path); open tf.Session(graph=tf.load_graph(path)) elsewhere.",
    )

    @hides_frames
    def __init__(
        self, target: Any = "", graph: Graph | None = None, config: SessionConfig | ConfigProto | None = None
    ) -> None:
        if isinstance(target, Graph | SessionConfig):
            meant = "graph" if isinstance(target, Graph) else "config"
            raise GraphError(f"Session(target={target!r}): target is the first parameter; write Session({meant}=...)")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"Session(graph={graph!r}): a graph is a penstock.Graph, not {type(graph).__name__}")
        if config is not None and hasattr(config, "as_session_config"):  # a ConfigProto, whose module may be unused
            config = config.as_session_config()
        if config is not None and not isinstance(config, SessionConfig):
            raise TypeError(
                f"Session(config={config!r}): a config is a penstock.SessionConfig, not {type(config).__name__}"
            )
        strangers = set(config.passes or ()) - set(ALL_PASSES) if config is not None else ()
        if strangers:
            names = ", ".join(ALL_PASSES)
            raise ValueRuleError(f"SessionConfig(passes=...): no pass is called {min(strangers)!r}; there are {names}")
        if config is not None:
            check_device(config.device)
            if config.device != "cpu":
                tell_missing_device(config)
        self._graph = graph or get_default_graph()
        config = config or SessionConfig()
        self._config = config.as_written() if config.watch else config
        self._random = RandomCounters()
        self.objects = SessionObjects()
        self.objects.end_with(self)
        """The queues, iterators and readers of this session, for their kernels."""
        self._cluster: RunsElsewhere | None = None
        if target != "":
            self._cluster = hooks.open_cluster(target, self._graph, self._config, ref(self), self._random)
            self._config = self._cluster.config
        self.variables = VariableStore() if self._cluster is None else self._cluster.variables
        """The values of the graph's variables in this session."""
        self._plans = PlanCache(self._graph, self._config, ref(self), self.variables, self._cluster)
        self._growth = GrowthGuard(self._graph)
        self._entered: list[DefaultGraph[Graph]] = []
        self._closed = False
        self._failed: FailedRun | None = None

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a `GraphDef`; see `Graph.as_graph_def`."""
        return self._graph.as_graph_def()

    def list_devices(self) -> list[Any]:
        """The devices that the session can use.

        Returns:
            A list of objects with `name`, `device_type` and `memory_limit_bytes`; the CPU comes first.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session:
        ...     print(session.list_devices()[0].name)
        /job:localhost/replica:0/task:0/device:CPU:0

        Source: TensorFlow 1.x, `tf.Session.list_devices`.
        """
        return session_devices()

    @property
    def config(self) -> SessionConfig:
        """Its configuration."""
        return self._config

    # ---- running ----------------------------------------------------------------------------

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
        as_device: bool = False,
        as_dask: bool = False,
        **unknown: Never,
    ) -> Any:
        """Computes `fetches` and returns their values in the same structure.

        Args:
            fetches: a tensor, an operation (which gives None), a name, or nested lists, tuples, dicts or namedtuples of
                these.
            feed_dict: values for tensors or their names: numbers, lists or arrays; also Dask arrays and `ShardedFeed`s,
                which a cluster computes in parts where they are needed. Any tensor may be fed; what only it
                needs does not run. A GPU array is used where it lies. A number that the tensor's dtype cannot hold (1.5
                in an int32) gives a `LossyFeedWarning`.
            options: a `RunOptions`.
            run_metadata: a `RunMetadata`, which is filled with the plan and a record of each step.
            as_device: leave what was computed on a GPU there, and return GPU arrays for it.
            as_dask: leave results that are in shards (`SessionConfig(shard=...)`) on the workers of a cluster, and
                return a Dask array for each, with a chunk for each shard. Its futures belong to the session's client;
                give your own, `Session(client)`, to compute with it.
            unknown: no other names; an error says which one was meant.

        Returns:
            NumPy arrays, row-major and writable, which share memory with nothing else; for rank 0 NumPy scalars, or
            `bytes`.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph, or a feed that does not fit.
            OpError: an operation failed; InvalidArgumentError and others are kinds of it.
            RuntimeError: the session is closed.
        """
        try:
            if self._closed:
                raise SessionClosedError("Attempted to use a closed Session. Open a new one.")
            if unknown:
                raise unknown_argument(next(iter(unknown)))
            if self._growth.version != self._graph.version:
                self._growth.check()
            if isinstance(feed_dict, (Tensor, TensorSource)):
                raise several_fetches(feed_dict)
            tensors, values = split_feed_dict(self._graph, feed_dict) if feed_dict else ((), ())
            if self._cluster is not None:
                values = self._cluster.fed(tensors, values)
            if as_dask:
                return left_results(self._cluster, self._plans, fetches, tensors, values)
            if options is not None or run_metadata is not None or RUN_HOOKS:
                return self._observed(fetches, tensors, values, options, run_metadata, as_device)
            call, structure, values = self._plans.find(fetches, tensors, values, AS_DEVICE if as_device else PLAIN)
            repack = None if structure is None else structure.repack
            return call.run_on_device(values, repack) if as_device else call(values, repack)
        except BaseException as error:
            if not unknown:
                self._failed = failed_run(self, error, fetches, feed_dict, options, as_device) or self._failed
            cut(error)
            raise

    @hides_frames
    def plan(self, fetches: Any, feeds: FeedsToLookAt = None) -> Plan:
        """The plan of a run, as data.

        Args:
            fetches: what the run fetches, as in `run`.
            feeds: what it feeds: a list of tensors, or a feed_dict as in `run`. Placeholders that `fetches` need and
                `feeds` lack are added.

        Returns:
            A `Plan`; it prints as text.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch or feed that is not in the graph, or a value that does not fit.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     plan = session.plan(tf.cumsum(x))
        >>> len(plan.steps)
        1
        """
        tensors, shapes = self._looked_at(fetches, feeds, "Session.plan")
        call = self._plans.find(fetches, tensors)[0]
        return call.program.shown_plan(call.in_order(shapes))

    @hides_frames
    def replace_plan(self, fetches: Any, feeds: FeedsToLookAt, plan: Plan) -> None:
        """Uses an edited plan from now on for runs with these fetches and feeds; for experiments.

        Args:
            fetches: what the runs fetch, as in `run`.
            feeds: what they feed: a list of tensors, or a feed_dict, whose values do not matter.
            plan: the plan to use.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch or feed that is not in the graph, or a plan for others.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.cumsum(x)
        ...     session.replace_plan(y, [x], session.plan(y, feeds=[x]))
        """
        if not isinstance(plan, Plan):
            raise UseError(f"Session.replace_plan: plan is {plan!r}; it must be a Plan, such as session.plan(y) gives")
        if self._cluster is not None:
            raise UseError(
                "Session.replace_plan: this session runs on a cluster, where each worker makes the plan of its part. "
                "Replace plans in a session on one machine"
            )
        in_order = named_feeds(self._graph, [name for name, _ in plan.user_feeds], "Session.replace_plan")
        self._plans.replace(fetches, named_feeds(self._graph, feeds, "Session.replace_plan"), plan, in_order)

    @hides_frames
    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs the graph, for calls that repeat: it takes the values of `feed_list` and looks nothing
        up.

        Args:
            fetches: what it fetches, as in `run`.
            feed_list: the tensors that it feeds, in the order of its arguments.
            accept_options: whether the function takes `options` and `run_metadata` too, as `run` does.

        Returns:
            A function that returns what `run(fetches, ...)` would.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch or feed that is not in the graph.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, [])
        ...     double = session.make_callable(x + x, [x])
        ...     print(double(2.0), double(3.5))
        4.0 7.0
        """
        if isinstance(feed_list, (Tensor, str)):
            raise UseError(f"make_callable: feed_list is {feed_list!r}; it must be a list of tensors; write [...]")
        tensors = named_feeds(self._graph, feed_list, "make_callable")
        planned, structure, _ = self._plans.find(fetches, tensors)
        repack = None if structure is None else structure.repack
        count = len(tensors)

        def call_with(
            *values: Any, options: RunOptions | None = None, run_metadata: RunMetadata | None = None
        ) -> Any:
            if options is None and run_metadata is None:
                return call(*values)
            return self.run(fetches, dict(zip(tensors, values, strict=True)), options, run_metadata)

        def find_again() -> None:
            nonlocal planned
            planned = self._plans.find(fetches, tensors)[0]

        def call(*values: Any) -> Any:
            try:
                if self._closed:
                    raise SessionClosedError("Attempted to use a closed Session. Open a new one.")
                if len(values) != count:
                    names = ", ".join(t.name for t in tensors) or "none"
                    raise FeedError(
                        f"make_callable: the function takes {count} value{'' if count == 1 else 's'}, "
                        f"got {len(values)}. Give one for each of feed_list, in order: {names}"
                    )
                if RUN_HOOKS:
                    return self._observed(fetches, tensors, values, None, None, False)
                return planned(values, repack)
            except BaseException as error:
                fed = dict(zip(tensors, values, strict=False))
                self._failed = failed_run(self, error, fetches, fed) or self._failed
                cut(error)
                raise

        self._plans.kept_by[call] = find_again
        return call_with if accept_options else call

    def _moves(self, operation: Any) -> Callable[[], int]:
        """What makes runs of an operation together that need not wait, for queue runners: `execution.queue_moves`."""
        call = self._plans.find(operation, ())[0]
        make = call.program.moves() if type(call) is PlannedCall and call.state is None else None
        return lambda: 0 if make is None or self._closed or RUN_HOOKS else make()

    # ---- random numbers ---------------------------------------------------------------------

    @property
    def random_counters(self) -> RandomCounters:
        """The streams of the session's random ops, for their kernels."""
        return self._random

    def random_state(self) -> RandomState:
        """The seeds of the random ops that the session has planned, and how many numbers each has drawn.

        Returns:
            A `RandomState`, a mapping from names of operations. An op without any seed has the seeds that the session
            took from the system.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     noise = session.run(tf.random_normal([3], seed=1, name="noise"))
        >>> print(session.random_state())
        noise/RandomStandardNormal  seeds (87654321, 1)  768 blocks drawn
        """
        return self._random.state()

    @hides_frames
    def set_random_state(self, state: RandomState) -> None:
        """Goes back to a state of the random ops: from there they draw the same numbers again.

        Args:
            state: what `random_state` returned, of this session or of one with the same graph.

        Raises:
            TypeError: it is something else.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.random_normal([])
        ...     state = session.random_state()
        ...     first = session.run(x)
        ...     state = session.random_state()
        ...     other = tf.Session(graph=session.graph)
        ...     other.set_random_state(state)
        ...     print(session.run(x) == other.run(x))
        True
        """
        self._random.restore(state)

    # ---- looking at plans and runs ------------------------------------------------------------

    @hides_frames
    def trace(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Trace:
        """The value of every node that a run of `fetches` needs, in the order of the run.

        The graph runs as it was written, without passes, so every node is there; the results are the same to the bit.

        Args:
            fetches: what the run fetches, as in `run`.
            feed_dict: what it feeds, as in `run`.

        Returns:
            A `Trace`: a mapping from tensors, or their names, to arrays; `result` is what `run` would return. It prints
            as a table.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph, or a feed that does not fit.
            OpError: an operation failed; the error's `trace` holds what was computed before.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.sqrt(tf.add(x, 1.0, name="more"), name="y")
        ...     trace = session.trace(y, {x: [3.0, 8.0]})
        >>> print(list(trace), trace["more"], trace[y])
        ['x:0', 'more/y:0', 'more:0', 'y:0'] [4. 9.] [2. 3.]
        """
        self._require_open()
        tensors, values = split_feed_dict(self._graph, feed_dict) if feed_dict else ((), ())
        return traced_run(self._graph, self._config, self._plans, fetches, tensors, values)

    @hides_frames
    def debug(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        *,
        fused: bool = False,
        every: int = 64,
        memory: int = 256 << 20,
    ) -> Debugger:
        """A debugger of a run, which stands before the first step: it goes forwards, backwards, and changes values.

        Args:
            fetches: what the run fetches, as in `run`.
            feed_dict: what it feeds, as in `run`.
            fused: whether the plan is the one that `run` uses, with fused groups; otherwise each node has its own step.
            every: the number of steps from one state that is kept for going back to the next.
            memory: the most bytes that may be held for going back: by kept states, and by recorded results of steps
                that print or call user code. Where it is not enough, fewer states are kept, going back runs more steps
                again, and recorded results go to a temporary file. What the run holds at this time is not counted.

        Returns:
            A `Debugger`.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph, a feed that does not fit, or `every` or `memory` is too small.
            FailedPreconditionError: a variable has no value.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     dbg = session.debug(tf.sqrt(tf.add(x, 1.0, name="more"), name="root"), {x: [3.0, 8.0]})
        >>> dbg.step().node, dbg.value("more").tolist(), dbg.back().node
        ('root', [4.0, 9.0], 'more')
        """
        self._require_open()
        self._check_debugged(fused)
        load("penstock.runtime.session.debugged_run")
        from .debugged_run import debugged_run  # loaded on demand

        tensors, values = split_feed_dict(self._graph, feed_dict) if feed_dict else ((), ())
        return debugged_run(
            self._graph, self._config, self._plans, self._random, fetches, tensors, values, fused, every, memory
        )

    @hides_frames
    def repro(
        self,
        folder: str | os.PathLike[str],
        fetches: Any = None,
        feed_dict: Mapping[Any, Any] | None = None,
        *,
        whole: bool = False,
    ) -> Path:
        """Writes a run to a folder that others can run: graph, feeds, variables, random state, choices, and versions.

        `python folder/repro.py` runs it again, and says whether it fails as it did here. Opening a folder runs none of
        its content.

        Args:
            folder: a new folder, an empty one, or one that holds such a run.
            fetches: what the run fetches, as in `run`; None for the last run of this session that failed.
            feed_dict: what it feeds, as in `run`; only with `fetches`.
            whole: whether to write the whole graph, and not only what the run needs.

        Returns:
            The path of the folder.

        Raises:
            TypeError: no run has failed, or a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph, a feed that does not fit, or a node that has no written form.
            OSError: the folder cannot be written, or holds something else.
            RuntimeError: the session is closed.

        >>> import penstock as tf, tempfile
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.int32, ["n"], name="x")
        ...     try:
        ...         session.run(tf.gather([10, 20], x), {x: [0, 5]})
        ...     except tf.errors.OpError:
        ...         folder = session.repro(tempfile.mkdtemp())
        >>> sorted(path.name for path in folder.iterdir())
        ['graph.json', 'repro.py', 'run.json']
        """
        self._require_open()
        written: Path = hooks.repro(self, folder, fetches, feed_dict, whole)
        return written

    @hides_frames
    def debug_last_error(self, *, fused: bool = False, every: int = 64, memory: int = 256 << 20) -> Debugger:
        """A debugger of the last run that failed, which stands before the step that failed, inside loops too.

        The run has the feeds, the variables and the random numbers that it had.

        Args:
            fused: as in `debug`.
            every: as in `debug`.
            memory: as in `debug`.

        Returns:
            A `Debugger`, whose `error` is the error.

        Raises:
            TypeError: no run of this session has failed, or what it was fed is gone.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.int32, ["n"], name="x")
        ...     y = tf.gather([10, 20], tf.add(x, 1, name="more"), name="y")
        ...     try:
        ...         session.run(y, {x: [0, 4]})
        ...     except tf.errors.InvalidArgumentError:
        ...         dbg = session.debug_last_error()
        >>> dbg.here.node, dbg.value("more")
        ('y', array([1, 5], dtype=int32))
        """
        self._require_open()
        self._check_debugged(fused)
        load("penstock.runtime.session.debugged_run")
        from .debugged_run import debug_of_failed_run  # loaded on demand

        return debug_of_failed_run(
            self._graph, self._config, self._plans, self._random, self._failed, fused, every, memory
        )

    @hides_frames
    def profile(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, runs: int = 10, warmup: int = 1
    ) -> Profile:
        """How long each step of a run takes: mean, 95th percentile, least and share of some recorded runs.

        The garbage collector is paused while a run is timed. Variables have their values of before afterwards. Where a
        plan for the shapes of the feeds comes meanwhile, the runs are counted anew, so that all are of one plan.

        Args:
            fetches: what the run fetches, as in `run`.
            feed_dict: what it feeds, as in `run`.
            runs: how many runs are counted.
            warmup: how many runs go before them and are not counted.

        Returns:
            A `Profile`: rows by step and by op type. It prints as a table; `export("run.html")` paints
            the median times.

        Raises:
            TypeError: a fetch or feed of the wrong kind, or a second run would repeat an effect.
            ValueError: `runs` is below 1, a fetch is not in the graph, or a feed does not fit.
            OpError: an operation failed.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     profile = session.profile(tf.cumsum(tf.reverse(x, [True]), name="sums"), {x: [1.0, 2.0]}, runs=3)
        >>> profile.runs, [row.name for row in profile.steps], round(sum(row.share for row in profile.steps), 6)
        (3, ['Reverse', 'sums'], 1.0)
        """
        load("penstock.runtime.observe.profile")
        from ..observe.profile import profile

        tensors = split_feed_dict(self._graph, feed_dict)[0] if feed_dict else ()

        def record() -> RunRecord | None:
            metadata = RunMetadata()
            self.run(fetches, feed_dict, run_metadata=metadata)
            return metadata.record

        with self.variables.kept():
            return profile(record, lambda: self._plans.find(fetches, tensors)[0].program.plan, runs, warmup)

    def _observed(
        self,
        fetches: Any,
        tensors: tuple[Tensor, ...],
        values: Sequence[Any],
        options: RunOptions | None,
        metadata: RunMetadata | None,
        as_device: bool,
    ) -> Any:
        """A run with options, metadata or run hooks."""

        def observed(options: RunOptions | None, metadata: RunMetadata | None) -> Any:
            try:
                return observed_run(
                    self._graph, self._config, self._plans, fetches, tensors, values, options, metadata, as_device
                )
            finally:
                if metadata is not None and (data := self._data_now()) is not None:
                    metadata.keep_data(data)

        feeds = dict(zip(tensors, values, strict=True))
        return hooked_run(self, observed, fetches, feeds, options, metadata, as_device)

    # ---- the parts of a run -----------------------------------------------------------------

    def _check_debugged(self, fused: bool) -> None:
        if fused and self._cluster is not None:
            raise UseError(
                "Session.debug(fused=True): this session runs on a cluster, where each worker fuses its part. Leave "
                "fused out, and the graph runs in this process as it was written"
            )

    # ---- opening and closing ----------------------------------------------------------------

    def close(self) -> None:
        """Closes the session: it drops its plans and cannot run any more."""
        self._closed = True
        self._failed = None
        self._plans.close()
        self.variables.close()
        self.objects.close()
        if self._cluster is not None:
            self._cluster.close()

    def as_default(self) -> DefaultSession:
        """A `with` block in which this is the default session. It stays open at the end.

        Returns:
            A context manager, which gives the session.
        """
        return DefaultSession(self)

    @hides_frames
    def __enter__(self) -> Session:
        self._require_open()
        block = self._graph.as_default()
        block.__enter__()
        self._entered.append(block)
        default_sessions.stack.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pop_session(self)
        self._entered.pop().__exit__(kind, error, trace)
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._graph!r}{', closed' if self._closed else ''}>"
