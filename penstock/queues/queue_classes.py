"""`tf.FIFOQueue` and the other queues: elements that some runs of a session put in and others take out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data.calls import dataset_call, with_dataset_calls
from ..errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.common.not_copyable import NotCopyable
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dtypes import DType, as_dtype, int64
from ..graph.shapes.shape import TensorShape, as_shape, shape_of
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.index.gathering import gather
from ..ops.move.concat_stack import stack
from ..ops.queues import queue_ops


@with_dataset_calls
class QueueBase(NotCopyable):
    """What all queues have. Make a `FIFOQueue`, `RandomShuffleQueue`, `PaddingFIFOQueue` or `PriorityQueue`.

    Args:
        dtypes: the dtypes of the components of an element.
        shapes: their shapes; None where they are not stated.
        names: their names, if elements are dicts.
        queue_ref: the handle, a scalar of dtype string.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []])
    ...     print(queue.name, queue.dtypes)
    fifo_queue [tf.float32, tf.int32]

    Source: TensorFlow 1.x, `tf.QueueBase`.
    """

    _fetch_instead = "fetch an operation of the queue, such as queue.dequeue(), made once before the first run"
    _uncopied = ("it is part of a graph", "Use the queue itself.")

    def __init__(
        self, dtypes: Sequence[DType], shapes: Sequence[TensorShape] | None, names: Sequence[str] | None,
        queue_ref: Tensor,
    ) -> None:  # fmt: skip
        self._dtypes, self._queue_ref = list(dtypes), queue_ref
        if names is not None and len(names) != len(dtypes):
            raise ValueRuleError(f"a queue of {len(dtypes)} components has {len(names)} names; give one for each")
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueRuleError(f"Queue shapes must have the same length as dtypes: there are {len(shapes)} shapes "
                                 f"and {len(dtypes)} dtypes")  # fmt: skip
        self._shapes = [TensorShape(None)] * len(dtypes) if shapes is None else list(shapes)
        self._names = None if not names else list(names)
        self._name = queue_ref.op.name.rpartition("/")[2]

    @classmethod
    def from_list(cls, index: TensorLike, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue of a list that a run chooses by its number.

        Args:
            index: the number, an int scalar.
            queues: queues with the same dtypes and names.

        Returns:
            A `QueueBase`.

        Raises:
            TypeError: something in the list is no queue, or dtypes differ.
            ValueError: the list is empty.
        """
        every = list(queues)
        if not every:
            raise ValueRuleError("QueueBase.from_list: A list of queues expected; it is empty")
        for each in every:
            if not isinstance(each, QueueBase):
                raise UseError(f"QueueBase.from_list: {each!r:.80} is no queue")
            if each.dtypes != every[0].dtypes or each.names != every[0].names:
                raise DTypeError("Queues do not have matching component dtypes and names: "
                                 f"{each.name} has {each.dtypes}, {every[0].name} has {every[0].dtypes}")  # fmt: skip
        shapes = [
            first if all(first.raw == other.raw for other in rest) else TensorShape(None)
            for first, *rest in zip(*[each.shapes for each in every], strict=True)
        ]
        handle = gather(stack([each.queue_ref for each in every]), index, name="select_queue")
        return QueueBase(every[0].dtypes, shapes, every[0].names, handle)

    @property
    def queue_ref(self) -> Tensor:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of its operation."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the components of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Their shapes."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """Their names, if elements are dicts."""
        return self._names

    # ---- putting in -------------------------------------------------------------------------

    def _components(self, vals: Any, call: str) -> list[Tensor]:
        if self._names is not None:
            if not isinstance(vals, Mapping) or sorted(vals) != sorted(self._names):
                raise ValueRuleError(f"{call}: this queue has names, so a dictionary is needed with the keys "
                                     f"{sorted(self._names)}, not {vals!r:.80}")  # fmt: skip
            values: list[Any] = [vals[name] for name in self._names]
        else:
            if isinstance(vals, Mapping):
                raise ValueRuleError(f"{call}: this queue has no names, so a tensor or a list of tensors is needed, "
                                     "not a dictionary")  # fmt: skip
            values = list(vals) if isinstance(vals, (list, tuple)) else [vals]
            if isinstance(vals, list) and len(self._dtypes) == 1 and len(vals) != 1:
                values = [vals]
        if len(values) != len(self._dtypes):
            raise ValueRuleError(f"{call}: this queue has {len(self._dtypes)} components, got {len(values)}")
        return [convert_to_tensor(value, dtype, name=f"component_{i}")
                for i, (value, dtype) in enumerate(zip(values, self._dtypes, strict=True))]  # fmt: skip

    def _check(self, call: str, place: int, found: TensorShape, wanted: TensorShape) -> None:
        if not wanted.is_compatible_with(found):
            raise ShapeError(f"{call}: component {place} has shape {found}, and the queue {self.name!r} takes {wanted}")

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts an element in; a run waits while the queue is full.

        Args:
            vals: a tensor, a list of tensors, or a dict of them if the queue has names.
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            TypeError: a dtype differs.
            ValueError: another number of components, or a shape that does not fit.
            CancelledError (when run): the queue is closed.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     queue = tf.FIFOQueue(3, tf.int32, shapes=[])
        ...     session.run(queue.enqueue(7))
        ...     print(session.run(queue.dequeue()))
        7
        """
        with get_default_graph().name_scope(name or f"{self._name}_enqueue") as scope:
            tensors = self._components(vals, "enqueue")
            for i, (tensor, shape) in enumerate(zip(tensors, self._shapes, strict=True)):
                self._check("enqueue", i, tensor.shape, shape)
            return queue_ops.queue_enqueue(self._queue_ref, tensors, name=scope)

    @documented_like(enqueue)
    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts the rows of tensors in, one element for each.

        Args:
            vals: as of `enqueue`, each with a first dimension more, of one size.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     queue = tf.FIFOQueue(3, tf.int32, shapes=[])
        ...     session.run(queue.enqueue_many([[7, 8]]))
        ...     print(session.run(queue.size()))
        2
        """
        with get_default_graph().name_scope(name or f"{self._name}_EnqueueMany") as scope:
            tensors = self._components(vals, "enqueue_many")
            for i, (tensor, shape) in enumerate(zip(tensors, self._shapes, strict=True)):
                dims = tensor.shape.raw
                if dims is not None and not dims:
                    raise ShapeError(f"enqueue_many: component {i} is a scalar; its rows are put in, so it needs a "
                                     "first dimension")  # fmt: skip
                if dims is not None:
                    self._check("enqueue_many", i, shape_of(dims[1:]), shape)
            return queue_ops.queue_enqueue_many(self._queue_ref, tensors, name=scope)

    # ---- taking out -------------------------------------------------------------------------

    def _element(self, node: Operation) -> Any:
        outputs = list(node.outputs)
        if self._names is not None:
            return dict(zip(self._names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else outputs

    def dequeue(self, name: str | None = None) -> Any:
        """Takes an element out: another one in each run, which waits while the queue is empty.

        Args:
            name: the name of the operation.

        Returns:
            A tensor, a list of tensors, or a dict of them if the queue has names.

        Raises:
            OutOfRangeError (when run): the queue is closed and empty.
        """
        name = name or f"{self._name}_Dequeue"
        return self._element(queue_ops.queue_dequeue(self._queue_ref, self._dtypes, self._shapes, name=name))

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements out, stacked.

        Args:
            n: how many, an int32 scalar.
            name: the name of the operation.

        Returns:
            As `dequeue`, each with a first dimension more.

        Raises:
            InvalidArgumentError (when run): the queue was made without shapes.
            OutOfRangeError (when run): the queue is closed and has too few.
        """
        node = queue_ops.queue_dequeue_many(self._queue_ref, n, self._dtypes, self._shapes,
                                  name=name or f"{self._name}_DequeueMany")  # fmt: skip
        return self._element(node)

    @documented_like(dequeue_many)
    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements out, stacked; fewer if the queue is closed and has fewer.

        Raises:
            InvalidArgumentError (when run): the queue was made without shapes.
            OutOfRangeError (when run): the queue is closed and empty.
        """
        node = queue_ops.queue_dequeue_up_to(self._queue_ref, n, self._dtypes, self._shapes,
                                   name=name or f"{self._name}_DequeueUpTo")  # fmt: skip
        return self._element(node)

    # ---- its end ----------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation that closes the queue: nothing more can be put in, and what is in it can be taken out.

        Args:
            cancel_pending_enqueues: whether runs that wait to put something in end with a CancelledError.
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            CancelledError (when run): it is closed already.
        """
        return queue_ops.queue_close(self._queue_ref, bool(cancel_pending_enqueues), name=name or f"{self._name}_Close")

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed.

        Args:
            name: the name of the operation.

        Returns:
            A bool scalar.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return queue_ops.queue_is_closed(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in the queue.

        Args:
            name: the name of the operation.

        Returns:
            An int32 scalar.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return queue_ops.queue_size(self._queue_ref, name=name or f"{self._name}_Size")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} of {self._dtypes}>"


def _dtypes(given: Any) -> list[DType]:
    return [as_dtype(each) for each in (given if isinstance(given, (list, tuple)) else [given])]


def _shapes(shapes: Any, dtypes: list[DType]) -> list[TensorShape] | None:
    """A shape for each component; one shape alone is that of the only one."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        return [shapes]
    listed = list(shapes)
    is_one = not listed or any(each is None or isinstance(each, int) or not isinstance(each, (list, tuple, TensorShape))
                               for each in listed)  # fmt: skip
    if is_one and len(dtypes) == 1:
        return [as_shape(shapes)]
    return [as_shape(each) for each in listed]


def _names(given: Any) -> list[str] | None:
    return None if given is None else [given] if isinstance(given, str) else list(given)


class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they went in.

    Args:
        capacity: the most elements that are in it; a run that puts more in waits. -1 for no limit.
        dtypes: the dtypes of the components of an element.
        shapes: their shapes; needed by `dequeue_many`.
        names: their names, if elements are to be dicts.
        shared_name: the name of the session's queue; that of the node without it.

    Raises:
        TypeError: a dtype is none.
        ValueError: another number of shapes or names.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     queue = tf.FIFOQueue(10, tf.float32, shapes=[])
    ...     session.run(queue.enqueue_many([[1.0, 2.0, 3.0, 4.0]]))
    ...     print(session.run(queue.size()), session.run(queue.dequeue_many(2)))
    ...     chosen = tf.QueueBase.from_list(0, [queue])
    ...     print(session.run(chosen.dequeue()))
    ...     session.run(queue.close())
    ...     print(session.run(queue.is_closed()), session.run(queue.dequeue_up_to(5)))
    4 [1. 2.]
    3.0
    True [4.]

    Source: TensorFlow 1.x, `tf.FIFOQueue`.
    """

    @dataset_call
    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:  # fmt: skip
        kinds = _dtypes(dtypes)
        sizes = _shapes(shapes, kinds)
        handle = queue_ops.fifo_queue(kinds, sizes or (), capacity, shared_name or "", name=name)
        super().__init__(kinds, sizes, _names(names), handle)


@documented_like(FIFOQueue)
class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in random order.

    Args:
        capacity: the most elements that are in it. -1 for no limit.
        min_after_dequeue: how many stay in it until it is closed, so that there is something to choose from.
        seed: an op seed, see `set_random_seed`. The order is TensorFlow's for the same seeds.

    Raises:
        TypeError: a dtype is none.
        ValueError: another number of shapes or names, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     queue = tf.RandomShuffleQueue(10, 0, tf.int32, shapes=[], seed=1)
    ...     session.run(queue.enqueue_many([[1, 2, 3]]))
    ...     print(sorted(session.run(queue.dequeue_many(3)).tolist()))
    [1, 2, 3]
    """

    @dataset_call
    def __init__(
        self, capacity: int, min_after_dequeue: int, dtypes: Any, shapes: Any = None, names: Any = None,
        seed: int | None = None, shared_name: str | None = None, name: str = "random_shuffle_queue",
    ) -> None:  # fmt: skip
        if min_after_dequeue < 0 or (0 <= capacity <= min_after_dequeue):
            raise ValueRuleError(f"min_after_dequeue must be >= 0 and < capacity {capacity}, but is "
                                 f"{min_after_dequeue}")  # fmt: skip
        kinds = _dtypes(dtypes)
        sizes = _shapes(shapes, kinds)
        pair = get_default_graph().seeds_of_op(seed)
        handle = queue_ops.random_shuffle_queue(kinds, sizes or (), capacity, min_after_dequeue, *pair,
                                                shared_name or "", name=name)  # fmt: skip
        super().__init__(kinds, sizes, _names(names), handle)


@documented_like(FIFOQueue)
class PaddingFIFOQueue(QueueBase):
    """A `FIFOQueue` whose `dequeue_many` pads elements of different shapes with zeros.

    Args:
        capacity: the most elements that are in it. -1 for no limit.
        shapes: their shapes, None for sizes that differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     queue = tf.PaddingFIFOQueue(10, tf.int32, shapes=[[None]])
    ...     for row in ([1], [2, 3]):
    ...         session.run(queue.enqueue([row]))
    ...     print(session.run(queue.dequeue_many(2)).tolist())
    [[1, 0], [2, 3]]
    """

    @dataset_call
    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: Any = None, shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:  # fmt: skip
        kinds = _dtypes(dtypes)
        sizes = _shapes(shapes, kinds)
        if sizes is None or any(shape.raw is None for shape in sizes):
            raise ValueRuleError("PaddingFIFOQueue: shapes must be given, each of known rank; None is a size that "
                                 "differs")  # fmt: skip
        handle = queue_ops.padding_fifo_queue(kinds, sizes, capacity, shared_name or "", name=name)
        super().__init__(kinds, sizes, _names(names), handle)


@documented_like(FIFOQueue)
class PriorityQueue(QueueBase):
    """A queue whose elements come out by their first component, an int64 scalar: the smallest first.

    Args:
        capacity: the most elements that are in it. -1 for no limit.
        types: the dtypes of the other components of an element.
        names: the names of all components, if elements are to be dicts.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     queue = tf.PriorityQueue(10, tf.string, shapes=[[]])
    ...     session.run(queue.enqueue_many([[5, 2], ["late", "soon"]]))
    ...     print(session.run(queue.dequeue()[1]))
    b'soon'
    """

    @dataset_call
    def __init__(
        self, capacity: int, types: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:  # fmt: skip
        own = _dtypes(types)
        sizes = _shapes(shapes, own)
        kinds = [int64, *own]
        every = None if sizes is None else [TensorShape(()), *sizes]
        handle = queue_ops.priority_queue(kinds, every or (), capacity, shared_name or "", name=name)
        super().__init__(kinds, every, _names(names), handle)
