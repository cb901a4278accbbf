"""`StagingArea`: batches that are prepared ahead, between two runs of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import control_dependencies, group, while_loop
from ...errors import UseError
from ...graph.common.not_copyable import NotCopyable
from ...graph.model.nodes import Operation, Tensor
from ...queues.queue_classes import FIFOQueue


class StagingArea(NotCopyable):
    """A place for elements: `put` lays one down, `get` takes the oldest.

    A program puts the next batch down while it computes with the one before: `session.run([step, area.put(batch)])`.

    Args:
        dtypes: the dtypes of the parts of an element.
        shapes: their shapes; None where they are not stated.
        names: their names, if elements are to be dicts.
        shared_name: the name of the session's area; that of the node without it.
        capacity: the most elements in it; 0 for no limit. A run that would put more waits.
        memory_limit: no effect.

    Raises:
        TypeError: a dtype is none, or a value has another.
        ValueError: another number of shapes, names or values.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     area = tf.contrib.staging.StagingArea([tf.float32, tf.int32], shapes=[[2], []])
    ...     put, (x, n) = area.put([tf.ones([2]), tf.constant(3)]), area.get()
    ...     session.run(put)  # and again beside each use
    ...     print(session.run([x, n, put])[:2], session.run(area.size()))
    [array([1., 1.], dtype=float32), np.int32(3)] 1

    Source: TensorFlow 1.x, `tf.contrib.staging.StagingArea`.
    """

    _fetch_instead = "fetch an operation of the area, such as area.get(), made once before the first run"
    _uncopied = ("it is part of a graph", "Use the area itself.")

    def __init__(
        self, dtypes: Sequence[Any], shapes: Sequence[Any] | None = None, names: Sequence[str] | None = None,
        shared_name: str | None = None, capacity: int = 0, memory_limit: int = 0,
    ) -> None:  # fmt: skip
        if not isinstance(dtypes, (list, tuple)):
            raise UseError(f"StagingArea: dtypes is a list, one for each part of an element, not {dtypes!r:.60}; write "
                           "StagingArea([tf.float32])")  # fmt: skip
        self._queue = FIFOQueue(capacity or -1, dtypes, shapes, names, shared_name, name="StagingArea")

    @property
    def name(self) -> str:
        """The name of its operation."""
        return self._queue.name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the parts of an element."""
        return self._queue.dtypes

    @property
    def shapes(self) -> list[Any]:
        """Their shapes."""
        return self._queue.shapes

    @property
    def names(self) -> list[str] | None:
        """Their names, if elements are dicts."""
        return self._queue.names

    def put(self, values: Any, name: str | None = None) -> Operation:
        """An operation that lays an element down.

        Args:
            values: a list of tensors, or a dict of them if the area has names.
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            TypeError: a dtype differs.
            ValueError: another number of parts, or a shape that does not fit.
        """
        return self._queue.enqueue(values, name or f"{self.name}_put")

    def get(self, name: str | None = None) -> Any:
        """Takes the oldest element; a run waits while there is none.

        Args:
            name: the name of the operation.

        Returns:
            A list of tensors, or a dict of them if the area has names.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        element = self._queue.dequeue(name or f"{self.name}_get")
        return [element] if isinstance(element, Tensor) else element

    def size(self, name: str | None = None) -> Tensor:
        """How many elements lie there.

        Args:
            name: the name of the operation.

        Returns:
            An int32 scalar.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return self._queue.size(name or f"{self.name}_size")

    def clear(self, name: str | None = None) -> Operation:
        """An operation that takes all elements away.

        Args:
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        def drop(left: Any) -> Any:
            element = self._queue.dequeue()
            parts = list(element.values()) if isinstance(element, dict) else element
            with control_dependencies([parts] if isinstance(parts, Tensor) else parts):
                return left - 1

        return group(while_loop(lambda left: left > 0, drop, [self._queue.size()]), name=name or f"{self.name}_clear")

    def __repr__(self) -> str:
        return f"<StagingArea {self.name!r} of {self.dtypes}>"
