"""What a session tells of runs and runs nothing for: explanations, memory plans, places, the data that flows in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import SessionClosedError, UseError
from ...graph.common.lazy_import import load
from ...graph.common.not_copyable import NotCopyable
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.shared_docs import documented_like
from ...graph.model.nodes import Graph, Tensor
from ..arguments.feeds_without_values import FeedsToLookAt, Shapes, feeds_to_look_at, have_values
from ..base.session_config import SessionConfig
from ..base.session_objects import SessionObjects
from ..planning.memory_plan import MemoryPlan
from .plan_cache import PlanCache
from .remote_session import RunsElsewhere

if TYPE_CHECKING:
    from ..observe.data_flow import DataFlow, DataWatch
    from ..observe.explain import Explanation
    from ..observe.placement_report import PlacementReport


class SessionReports(NotCopyable):
    """The reports of a session, which the class `Session` adds its runs to."""

    objects: SessionObjects
    _graph: Graph
    _config: SessionConfig
    _plans: PlanCache
    _cluster: RunsElsewhere | None
    _closed: bool

    @hides_frames
    def explain(self, fetches: Any, feed_dict: FeedsToLookAt = None) -> Explanation:
        """What becomes of the graph on its way to the plan of a run. Nothing is run.

        Args:
            fetches: what the run fetches, as in `run`.
            feed_dict: what it feeds: values as in `run`, or a list of tensors. Placeholders that `fetches` need and it
                lacks are added.

        Returns:
            An `Explanation`: data that prints as text; its `why("node")` says what became of one node.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch that is not in the graph, or a feed that does not fit.
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.identity(x * 1.0, name="y")
        ...     print(session.explain(y).why("mul"))
        mul: rewritten by NeutralElement, then nothing of it is left after simplify
        """
        load("penstock.runtime.observe.explain")
        from ..observe.explain import explain  # loaded on demand

        tensors, shapes = self._looked_at(fetches, feed_dict, "Session.explain")
        found = explain(self._graph, fetches, tensors, self._config, shapes, None, self._plans.shapes.now,
                        have_values(tensors, feed_dict))  # fmt: skip
        if any(op.opdef.facts.of_session for op in found.stages[0].operations):
            found = replace(found, data=self._data_of(found))
        return found if self._cluster is None else self._cluster.explained(
            found, self._plans.find(fetches, tensors)[0].program, shapes
        )  # fmt: skip

    @hides_frames
    def data_flow(self) -> DataFlow:
        """The pipelines and queues of the session as they are now: what they are made of, how full they are, who waits.

        Returns:
            A `DataFlow`. It prints as a table; `export("flow.svg")` draws it. `watch_data` measures rates.

        Raises:
            RuntimeError: the session is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     queue = tf.FIFOQueue(10, tf.int32, shapes=[[]], name="numbers")
        ...     session.run(queue.enqueue(5))
        ...     flow = session.data_flow()
        >>> [(each.name, each.held, each.capacity) for each in flow.queues]
        [('numbers', 1, 10)]
        """
        self._require_open()
        load("penstock.runtime.observe.data_flow")
        from ..observe.data_flow import data_flow  # loaded on demand

        return data_flow(self._graph, self.objects)

    @hides_frames
    def watch_data(self) -> DataWatch:
        """Begins to count what flows through the stages of the session's pipelines, and how long each of them takes.

        Only what is watched costs time: about 0.3 us for each call of a stage.

        Returns:
            A `DataWatch`, a context manager; its `flow()` is a `DataFlow` with rates and who waits for whom.

        Raises:
            RuntimeError: the session is closed, or is being watched already.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     element = tf.data.Dataset.range(9).shuffle(9).batch(3).make_one_shot_iterator().get_next()
        ...     with session.watch_data() as watch:
        ...         numbers = [session.run(element) for _ in range(2)]
        >>> [(stage.label, stage.elements) for stage in watch.flow().iterators[0].stage.all()]
        [('batch', 2), ('shuffle', 9), ('range', 9)]
        """
        self._require_open()
        if self.objects.watch is not None:
            raise UseError("Session.watch_data: the session is being watched already. End that watch first: "
                           "watch.end(), or leave its with block")  # fmt: skip
        load("penstock.runtime.observe.data_flow")
        from ..observe.data_flow import DataWatch  # loaded on demand

        return DataWatch(self._graph, self.objects)

    @hides_frames
    @documented_like(explain)
    def memory(self, fetches: Any, feed_dict: FeedsToLookAt = None) -> MemoryPlan:
        """What memory a run would need: the bytes and live range of every value, the layout of the arena, and the peak.

        Returns:
            A `MemoryPlan`, which prints as a table. Sizes that only the run finds (how many rows fall into a partition)
            are not in it.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     plan = session.memory(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]})
        >>> plan.peak
        20
        """
        tensors, shapes = self._looked_at(fetches, feed_dict, "Session.memory")
        call = self._plans.find(fetches, tensors)[0]
        return call.program.memory(tuple(call.in_order(shapes)))

    @hides_frames
    @documented_like(explain)
    def placement(self, fetches: Any, feed_dict: FeedsToLookAt = None) -> PlacementReport:
        """The device on which a run places each node: which one, why not the one it asks for, and what is copied.

        Returns:
            A `PlacementReport`, which prints as text.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.placement(tf.negative([1.0], name="y")))
        1 on cpu
        """
        load("penstock.runtime.observe.placement_report")
        from ..observe.placement_report import placement_report

        tensors, shapes = self._looked_at(fetches, feed_dict, "Session.placement")
        call = self._plans.find(fetches, tensors)[0]
        in_order = tuple(call.in_order(shapes))
        found = placement_report(self._graph, fetches, tensors, call.program.plan, in_order, self._config)
        return found if self._cluster is None else self._cluster.placed_report(found, call.program, in_order)

    def _data_of(self, found: Explanation) -> DataFlow:
        """What flows into the runs of an explanation: as it is now, or before the first run as planned."""
        load("penstock.runtime.observe.data_flow")
        from ..observe.data_flow import data_flow, flow_into  # loaded on demand

        return flow_into(found.stages[0].operations, self._data_now() or data_flow(self._graph, self.objects))

    def _data_now(self) -> DataFlow | None:
        """What flows into the runs, with rates if it is watched; None if the session has no iterator and no queue."""
        if self.objects.watch is not None:
            watched: DataFlow = self.objects.watch.flow()
            return watched
        return self.data_flow() if self.objects.made() else None

    def _require_open(self) -> None:
        if self._closed:
            raise SessionClosedError("Attempted to use a closed Session. Open a new one.")

    def _looked_at(self, fetches: Any, feeds: FeedsToLookAt, what: str) -> tuple[tuple[Tensor, ...], Shapes]:
        """The fed tensors of a run that is looked at, and the shapes of their values; () without a value."""
        self._require_open()
        return feeds_to_look_at(self._graph, fetches, feeds, what)
