"""Runs in parts: `session.partial_run_setup` and `session.partial_run`.

Each part feeds some placeholders and fetches what can be computed then. A node runs once in all parts together, in the
first part in which what it needs is there. What later parts need of it is kept as a value, and fed to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import UseError, ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Graph, Operation, Tensor
from ..arguments.feeds import split_feed_dict
from ..arguments.feeds_without_values import named_feeds
from ..arguments.fetches import Fetches
from ..passes.pipeline import prune


class PartialRun:
    """A run in parts.

    Args:
        graph: the graph.
        run: runs part of it: `Session.run`.
        fetches: what the parts fetch together.
        feeds: the tensors that they feed together.
    """

    def __init__(self, graph: Graph, run: Callable[..., Any], fetches: Any, feeds: Any) -> None:
        self._graph = graph
        self._run = run
        found = Fetches(graph, fetches, "partial_run_setup")
        self._feeds = dict.fromkeys(named_feeds(graph, feeds, "partial_run_setup"))
        self._fetches = {*found.tensors, *found.operations}
        self._needed = prune(found.tensors, found.operations, self._feeds)
        self._values: dict[Tensor, Any] = {}
        self._done: set[Operation] = set()
        for op in self._needed:
            if op.opdef.facts.must_feed and op.outputs[0] not in self._feeds:
                raise ValueRuleError(f"partial_run_setup: the fetches need a value for {op.outputs[0].name}, which is "
                                     "not among feeds")  # fmt: skip

    def part(self, fetches: Any, feed_dict: Mapping[Any, Any] | None) -> Any:
        """One part: the values of its fetches."""
        fetch_structure = Fetches(self._graph, fetches, "partial_run")
        wanted: list[Tensor | Operation] = [*fetch_structure.tensors, *fetch_structure.operations]
        for each in wanted:
            if each not in self._fetches:
                raise ValueRuleError(f"partial_run: the fetch {each.name!r} is not among those of partial_run_setup")
        tensors, values = split_feed_dict(self._graph, feed_dict) if feed_dict else ((), ())
        for tensor in tensors:
            if tensor not in self._feeds:
                raise ValueRuleError(f"partial_run: the feed {tensor.name!r} is not among those of partial_run_setup")
            if tensor in self._values:
                raise ValueRuleError(f"partial_run: {tensor.name!r} was fed in an earlier part; a part feeds others")
        fed = self._values | dict(zip(tensors, values, strict=True))
        ready = self._ready(fed)
        for each in wanted:
            if each not in fed and (each.op if isinstance(each, Tensor) else each) not in ready:
                raise ValueRuleError(f"partial_run: {each.name!r} cannot be computed yet: it needs "
                                     f"{self._open_feed(each, fed)}, which no part has fed")  # fmt: skip
        self._compute(ready, fed)
        return fetch_structure.repack([self._values[tensor] for tensor in fetch_structure.tensors])

    def _ready(self, fed: Mapping[Tensor, Any]) -> set[Operation]:
        """The operations that can have run when these tensors are fed."""
        ready = set(self._done)
        for op in self._needed:
            fits = all(t in fed or t.op in ready for t in op.inputs) and all(c in ready for c in op.control_inputs)
            if fits and not (op.opdef.facts.must_feed and op.outputs[0] not in fed):
                ready.add(op)
        return ready

    def _open_feed(self, wanted: Tensor | Operation, fed: Mapping[Tensor, Any]) -> str:
        tensors, operations = ([wanted], []) if isinstance(wanted, Tensor) else ([], [wanted])
        needed = prune(tensors, operations, fed)
        return next((t.name for t in self._feeds if t not in fed and t.op in needed), "a tensor")

    def _compute(self, ready: set[Operation], fed: dict[Tensor, Any]) -> None:
        """Run the operations that became ready, and keep what later parts need."""
        new = [op for op in self._needed if op in ready and op not in self._done]
        later = [op for op in self._needed if op not in ready]
        wanted = {tensor for op in later for tensor in op.inputs if tensor.op in ready}
        wanted |= {each for each in self._fetches if isinstance(each, Tensor) and each.op in ready}
        kept = [t for t in wanted if t not in fed and t.op.opdef.facts.state != "holds"]
        kept += [t for t in self._fetches if isinstance(t, Tensor) and t.op in ready and t not in fed and t not in kept]
        for tensor in kept:
            if tensor.dtype.is_variant:
                raise UseError(f"partial_run: a later part needs {tensor.name!r}, the flow of a TensorArray, which "
                               "exists inside of one run only; fetch what is made of it in this part")  # fmt: skip
        missing = [t for t in kept if t.op in self._done and t.op.opdef.facts.state != "holds"]
        assert not missing, missing  # it was kept when it was made
        values = self._run([kept, new], fed)[0]
        self._values = fed | dict(zip(kept, values, strict=True))
        self._done = ready


class RunsInParts:
    """The part of a `Session` for runs in parts."""

    graph: Any
    run: Callable[..., Any]
    _partial: dict[str, PartialRun]

    @hides_frames
    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Begins a run in parts.

        Args:
            fetches: what all parts fetch together.
            feeds: the tensors that they feed together.

        Returns:
            A str for `partial_run`.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: a fetch or feed is not in the graph, or a placeholder is missing.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        ...     first, second = a * 2.0, a * 2.0 + b
        ...     handle = session.partial_run_setup([first, second], [a, b])
        ...     print(session.partial_run(handle, first, {a: 1.0}), session.partial_run(handle, second, {b: 5.0}))
        2.0 7.0

        Source: TensorFlow 1.x, `tf.Session.partial_run_setup`.
        """
        made = PartialRun(self.graph, self.run, fetches, list(feeds or ()))
        if "_partial" not in self.__dict__:
            self._partial = {}
        handle = f"partial run {len(self._partial)}"
        self._partial[handle] = made
        return handle

    @hides_frames
    def partial_run(self, handle: str, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """The next part of a run.

        Args:
            handle: what `partial_run_setup` gave.
            fetches: what this part fetches, as in `run`.
            feed_dict: what it feeds, beside what earlier parts have fed.

        Returns:
            The values of `fetches`.

        Raises:
            TypeError: a fetch or feed of the wrong kind.
            ValueError: `handle` is none, a fetch or feed is not among those of the setup, or a fetch needs a value
                that no part has fed.
            OpError: an operation failed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     a = tf.placeholder(tf.float32, [])
        ...     handle = session.partial_run_setup(a * 2.0, [a])
        >>> handle
        'partial run 0'

        Source: TensorFlow 1.x, `tf.Session.partial_run`.
        """
        found = self.__dict__.get("_partial", {}).get(handle)
        if found is None:
            raise ValueRuleError(f"partial_run: {handle!r:.60} is no handle of this session; session.partial_run_setup("
                                 "fetches, feeds) gives one")  # fmt: skip
        return found.part(fetches, feed_dict)
