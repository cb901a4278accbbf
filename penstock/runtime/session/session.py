"""How does a user run a graph?

`Session.run(fetches, feed_dict)`: flatten the fetches, check and convert the feeds, find or make the plan, run it, hand
the results back in the caller's structure. A plan depends on what is fetched and fed, not on the graph's version:
nodes never change, so growth elsewhere replans nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any
from weakref import ref

from ...errors import (
    FeedError,
    FeedTypeError,
    GraphError,
    ResourceExhaustedError,
    SessionClosedError,
    UseError,
    ValueRuleError,
)
from ...graph.device_names import check_device
from ...graph.graph import Graph, get_default_graph
from ...graph.nodes import Operation, Tensor
from ...graph.not_copyable import Uncopied
from ...graph.scopes import DefaultGraph
from ...graph.sparse_tensor import SparseTensor
from ...graph.subgraph import within
from ..base.fp_context import collector_paused
from ..base.run_hooks import RUN_HOOKS
from ..base.session_config import RunMetadata, RunOptions, SessionConfig
from ..passes.pipeline import ALL_PASSES, optimise
from ..passes.prune import first_stage
from ..planning.placement import check_devices
from ..planning.plan import Plan
from ..planning.planner import make_plan
from .feeds import check_feeds
from .fetches import Fetches
from .graph_growth import GrowthGuard
from .inspecting import Inspecting
from .listening import program_of, settled
from .plan_cache import Key, PlanCache
from .planned_call import Entry


class _DefaultSessions(threading.local):
    def __init__(self) -> None:
        self.stack: list[Session] = []


_defaults = _DefaultSessions()


def get_default_session() -> Session | None:
    """The innermost session this thread has entered with `with`, or None.

    >>> import penstock as tf
    >>> tf.get_default_session() is None
    True
    """
    return _defaults.stack[-1] if _defaults.stack else None


class Session(Uncopied, Inspecting):
    """Runs operations and evaluates tensors of one graph.

    Args:
        target: "" (there are no remote sessions).
        graph: the graph to run; the default graph unless given.
        config: a `SessionConfig`.

    Raises:
        ValueError: a target that is not "", a device that is none, a pass that does not exist. TypeError: a graph or
        config of another type.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     total = tf.add(x, x, name="total")
    >>> with tf.Session(graph=graph) as session:
    ...     print(session.run({"twice": total, "once": ["x:0"]}, {x: [1.0, 2.0]}))
    {'twice': array([2., 4.], dtype=float32), 'once': [array([1., 2.], dtype=float32)]}

    Source: TensorFlow 1.x, `tf.Session`.
    """

    _uncopied = (
        "it holds plans, memory and threads of this process",
        "Save its graph with tf.save_graph(session.graph, path); open tf.Session(graph=tf.load_graph(path)) elsewhere.",
    )

    def __init__(self, target: str = "", graph: Graph | None = None, config: SessionConfig | None = None) -> None:
        if target:
            raise GraphError(f"Session(target={target!r}): only local sessions exist; leave target empty")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"Session(graph={graph!r}): a graph is a penstock.Graph, not {type(graph).__name__}")
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
        self._graph = graph or get_default_graph()
        self._config = settled(config or SessionConfig())
        self._programs = PlanCache(self._config.plan_cache_size)
        self._growth = GrowthGuard(self._graph)
        self._entered: list[DefaultGraph] = []
        self._closed = False

    @property
    def graph(self) -> Graph:
        """The graph this session runs."""
        return self._graph

    @property
    def config(self) -> SessionConfig:
        """The choices it was made with."""
        return self._config

    # ---- running ----------------------------------------------------------------------------

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
        as_device: bool = False,
    ) -> Any:
        """Compute `fetches` and return their values in the same structure.

        Args:
            fetches: a tensor, an operation (gives None), a name, or nested lists, tuples, dicts, namedtuples of these.
            feed_dict: values for tensors (or their names): numbers, lists, arrays. Any tensor may be fed; what lies
                behind it is not run.
                An array that lies on the GPU already is used there.
            options: a `RunOptions`. run_metadata: a `RunMetadata` to fill with the plan and a record of each step.
            as_device: leave what was computed on a GPU there, and return arrays of the GPU for it.

        Returns:
            NumPy arrays, row-major and writable, that share memory with nothing; NumPy scalars for rank 0; `bytes` for
            string scalars.

        A fed number that is another once it has the tensor's dtype (1.5 in an int32) is a `LossyFeedWarning`.

        Raises:
            ValueError: a fetch that is not in the graph; a feed that does not fit. TypeError: a fetch or feed of the
            wrong kind. OpError (InvalidArgumentError ...): an operation failed. RuntimeError: the session is closed.
        """
        if self._closed:
            raise SessionClosedError("Attempted to use a closed Session. Open a new one.")
        if self._growth.version != self._graph.version:
            self._growth.look()
        tensors, values = self._feeds(feed_dict) if feed_dict else ((), ())
        if options is not None or run_metadata is not None or RUN_HOOKS:
            return self._observed(fetches, tensors, values, options, run_metadata, as_device)
        if as_device:
            entry, found = self._entry(fetches, tensors, values, as_device=True)
            return entry.left_there(values, None if found is None else found.repack)
        entry, found = self._entry(fetches, tensors, values)
        return entry(values, None if found is None else found.repack)

    def plan(self, fetches: Any, feeds: Sequence[Any] = ()) -> Plan:
        """The plan of a run that fetches `fetches` and feeds the tensors `feeds`, as data."""
        fed = [self._feed_tensor(f) for f in feeds]
        return self._entry(fetches, tuple(fed))[0].program.plan

    def replace_plan(self, fetches: Any, feeds: Sequence[Any], plan: Plan) -> None:
        """Run `plan` from now on when `fetches` are fetched and `feeds` are fed: for experiments with edited plans."""
        fed = tuple(self._feed_tensor(f) for f in feeds)
        in_order = tuple(self._feed_tensor(name) for name, _ in plan.feeds)
        entry = Entry(program_of(plan, self._find_op, self._config, ref(self)), in_order)
        self._programs.keep(self._key(fetches, fed, "")[0], entry)

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] | None = None) -> Callable[..., Any]:
        """A function of the values of `feed_list`, in that order, that returns what `run(fetches, ...)` would.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, [])
        ...     double = session.make_callable(x + x, [x])
        ...     print(double(2.0), double(3.5))
        4.0 7.0
        """
        if isinstance(feed_list, (Tensor, str)):
            raise UseError(f"make_callable: feed_list is {feed_list!r}; it must be a list of tensors; write [...]")
        keys = list(feed_list or ())
        tensors = tuple(self._feed_tensor(k) for k in keys)
        entry, found = self._entry(fetches, tensors)
        repack = None if found is None else found.repack
        count = len(tensors)

        def call(*values: Any) -> Any:
            if self._closed:
                raise SessionClosedError("Attempted to use a closed Session. Open a new one.")
            if len(values) != count:
                names = ", ".join(t.name for t in tensors) or "none"
                raise FeedError(
                    f"make_callable: the function takes {count} value{'' if count == 1 else 's'}, got {len(values)}. "
                    f"Give one for each of feed_list, in order: {names}"
                )
            if RUN_HOOKS:
                return self._observed(fetches, tensors, values, None, None)
            return entry(values, repack)

        return call

    # ---- the parts of a run -----------------------------------------------------------------

    def _feeds(self, feed_dict: Mapping[Any, Any]) -> tuple[tuple[Tensor, ...], Sequence[Any]]:
        if feed_dict.__class__ is not dict and not isinstance(feed_dict, Mapping):  # asking Mapping takes 0.2 us
            raise TypeError(f"feed_dict must be a dict of tensor -> value, not {type(feed_dict).__name__}")
        graph = self._graph
        for key in feed_dict:
            if key.__class__ is not Tensor or key.op.graph is not graph:
                break
        else:  # the usual case: keys are tensors, so none is there twice
            return tuple(feed_dict), tuple(feed_dict.values())
        tensors: list[Tensor] = []
        values: list[Any] = []
        for key, value in feed_dict.items():
            if isinstance(key, SparseTensor):
                tensors += (self._feed_tensor(t) for t in (key.indices, key.values, key.dense_shape))
                values += _sparse_parts(key, value)
            else:
                tensors.append(self._feed_tensor(key))
                values.append(value)
        if len(set(tensors)) != len(tensors):
            twice = next(t.name for t in tensors if tensors.count(t) > 1)
            raise FeedError(f"feed_dict names the tensor {twice} twice")
        return tuple(tensors), values

    def _feed_tensor(self, key: Any) -> Tensor:
        try:
            element = self._graph.as_graph_element(key, allow_operation=False)
        except (KeyError, GraphError, TypeError) as error:
            words = str(error.args[0]) if error.args else str(error)
            raise FeedTypeError(f"Cannot interpret feed_dict key {key!r} as Tensor: {words}") from None
        assert isinstance(element, Tensor)
        return element

    def _key(self, fetches: Any, fed: tuple[Tensor, ...], kind: str) -> tuple[Key, Fetches | None]:
        """The plan cache's key: what a structure of fetches holds, not its form. One tensor is its own key."""
        if fetches.__class__ is Tensor:
            return (fetches, fed, kind), None
        found = Fetches(self._graph, fetches)
        return (found.key, fed, kind), found

    def _entry(
        self, fetches: Any, fed: tuple[Tensor, ...], values: Sequence[Any] | None = None, as_device: bool = False
    ) -> tuple[Entry, Fetches | None]:
        """What runs, planned now if it is new, and the structure of the fetches; None for a single tensor.

        values: of the feeds, where they are there: a wrong one is told before anything that planning finds.
        """
        key, found = self._key(fetches, fed, "as device" if as_device else "")
        entry = self._programs.get(key)
        if entry is not None:
            return entry, found
        if values is not None:
            check_feeds(fed, values)
        try:
            with collector_paused():
                plan = self._planned(found or Fetches(self._graph, fetches), fed, as_device)
                entry = Entry(program_of(plan, self._find_op, self._config, ref(self)), fed)
        except MemoryError as error:
            raise ResourceExhaustedError(
                message=f"Session.run: there is no memory to plan a graph of {self._graph.version} nodes: {error}. "
                "A plan holds what the fetches need, and copies of constants; fetch less at once"
            ) from None
        self._programs.keep(key, entry)
        return entry, found

    def _planned(self, found: Fetches, fed: tuple[Tensor, ...], as_device: bool = False) -> Plan:
        config = self._config
        stage = first_stage(found.tensors, found.operations, fed)
        check_devices(within(stage.operations), config)
        stage = optimise(stage, ALL_PASSES if config.passes is None else config.passes, check=config.verify)
        return make_plan(stage, [t.name for t in fed], config, as_device)

    def _find_op(self, name: str) -> Operation | None:
        return self._graph.find_anywhere(name)

    # ---- its life ---------------------------------------------------------------------------

    def close(self) -> None:
        """Drop the plans; the session cannot run any more."""
        self._closed = True
        self._programs.close()

    def as_default(self) -> _AsDefault:
        """A `with` block in which this is the default session; it is not closed at the end."""
        return _AsDefault(self)

    def __enter__(self) -> Session:
        if self._closed:
            raise SessionClosedError("Attempted to use a closed Session. Open a new one.")
        block = self._graph.as_default()
        block.__enter__()
        self._entered.append(block)
        _defaults.stack.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _pop(self)
        self._entered.pop().__exit__(kind, error, trace)
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._graph!r}{', closed' if self._closed else ''}>"


class InteractiveSession(Session):
    """A session that is the default one from its creation until `close`: for notebooks and prompts.

    >>> import penstock as tf
    >>> session = tf.InteractiveSession(graph=tf.Graph())
    >>> print(tf.constant([1, 2]).eval())
    [1 2]
    >>> session.close()
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: SessionConfig | None = None) -> None:
        super().__init__(target, graph, config)
        self._block = self._graph.as_default()
        self._block.enter_for_long()
        _defaults.stack.append(self)

    def close(self) -> None:
        """Close, and stop being the default."""
        if not self._closed and self in _defaults.stack:
            _defaults.stack.remove(self)
            self._block.withdraw()
        super().close()


class _AsDefault:
    """`with session.as_default():`"""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Session:
        _defaults.stack.append(self._session)
        return self._session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _pop(self._session)


def _pop(session: Session) -> None:
    if not _defaults.stack or _defaults.stack[-1] is not session:
        raise GraphError("Session: `with` blocks must end in the reverse order of their beginning")
    _defaults.stack.pop()


def _sparse_parts(key: SparseTensor, value: Any) -> Sequence[Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        raise TypeError(
            f"a SparseTensor is fed a SparseTensorValue or a triple (indices, values, dense_shape), not {value!r}"
        )
    return value


def evaluate_in_default(fetch: Any, feed_dict: Mapping[Any, Any] | None, session: Session | None) -> Any:
    """`Tensor.eval` and `Operation.run`."""
    chosen = session or get_default_session()
    if chosen is None:
        raise GraphError(
            f"Cannot evaluate {fetch.name!r}: no default session is registered. Use `with session:` or pass session="
        )
    if chosen.graph is not fetch.graph:
        raise GraphError(
            f"Cannot evaluate {fetch.name!r}: the session runs {chosen.graph}, the tensor is of {fetch.graph}"
        )
    return chosen.run(fetch, feed_dict)
