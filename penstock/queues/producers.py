"""What fills queues with names of files, slices and numbers: `tf.train.string_input_producer` and its like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.calls import dataset_call
from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dtypes import float32, int64
from ..graph.shapes.shape import as_shape, merge_shapes, shape_of
from ..summary.summary_functions import scalar
from ..variables.graph_keys import GraphKeys
from ..variables.variable import Variable
from .queue_classes import FIFOQueue, QueueBase
from .queue_runner import QueueRunner, add_queue_runner


@dataset_call
def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """A tensor that can be had `num_epochs` times, by a counter among the local variables.

    Args:
        tensor: a tensor.
        num_epochs: how many times; None for no limit.
        name: the name of the scope.

    Returns:
        A tensor of the same value.

    Raises:
        ValueError: `num_epochs` is below 1.
        OutOfRangeError (when run): it was had so many times.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     once = tf.train.limit_epochs(tf.constant(7), 1)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(once))
    ...     try:
    ...         session.run(once)
    ...     except tf.errors.OutOfRangeError:
    ...         print("it was had")
    7
    it was had

    Source: TensorFlow 1.x, `tf.train.limit_epochs`.
    """
    if num_epochs is None:
        return ops.convert_to_tensor(tensor)
    if num_epochs <= 0:
        raise ValueRuleError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = get_default_graph()
    with graph.name_scope(name or "limit_epochs") as scope:
        epochs = Variable(ops.constant(0, int64), name="epochs", trainable=False,
                          collections=[GraphKeys.LOCAL_VARIABLES])  # fmt: skip
        counter = epochs.count_up_to(num_epochs)
        with graph.control_dependencies([counter]):
            return ops.identity(tensor, name=scope)


@dataset_call
def input_producer(
    input_tensor: TensorLike, element_shape: Any = None, num_epochs: int | None = None, shuffle: bool = True,
    seed: int | None = None, capacity: int = 32, shared_name: str | None = None, summary_name: str | None = None,
    name: str | None = None, cancel_op: Operation | None = None,
) -> FIFOQueue:  # fmt: skip
    """A queue of the rows of a tensor, again and again; a queue runner fills it.

    Args:
        input_tensor: a tensor of rank 1 or more.
        element_shape: the shape of a row, where it is not known.
        num_epochs: how many times each row comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether the rows come in another random order each time.
        seed: an op seed.
        capacity: that of the queue.
        shared_name: that of the queue.
        summary_name: the tag of a summary of how full the queue is.
        name: the name of the queue.
        cancel_op: that of the queue runner.

    Returns:
        A `FIFOQueue`.

    Raises:
        ValueError: the shape of a row is not known, or `num_epochs` is below 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     row = tf.train.input_producer([[1, 2], [3, 4]], shuffle=False).dequeue()
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.train.start_queue_runners(session, coordinator)
    ...     print(session.run(row), session.run(row))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [1 2] [3 4]

    Source: TensorFlow 1.x, `tf.train.input_producer`.
    """
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer") as scope:
        rows = ops.convert_to_tensor(input_tensor, name="input_tensor")
        dims = rows.shape.raw
        known = as_shape(element_shape)
        shape = merge_shapes(shape_of(dims[1:]), known) if dims else known
        if not shape.is_known:
            raise ValueRuleError("Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                                 f"specified: the shape of a row is {shape}")  # fmt: skip
        if shuffle:
            rows = ops.random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(capacity, [rows.dtype], [shape], shared_name=shared_name, name=scope)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, fraction(queue, capacity))
        return queue


def fraction(queue: QueueBase, capacity: int) -> Tensor:
    """How full a queue is."""
    return ops.multiply(ops.cast(queue.size(), float32), 1.0 / capacity)


@dataset_call
@documented_like(input_producer)
def string_input_producer(
    string_tensor: TensorLike, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None, cancel_op: Operation | None = None,
) -> FIFOQueue:  # fmt: skip
    """A queue of strings, such as names of files, again and again; a queue runner fills it.

    Args:
        string_tensor: a vector of strings, or a list.
        num_epochs: how many times each string comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether they come in another random order each time.

    Raises:
        ValueError: there are no strings.
        InvalidArgumentError (when run): there are no strings.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.string_input_producer(["a.csv", "b.csv"]).dtypes
    [tf.string]
    """
    empty = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):  # type: ignore[arg-type]
        raise ValueRuleError(empty)
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer") as scope:
        strings = ops.convert_to_tensor(string_tensor, "string")
        with graph.control_dependencies([ops.Assert(ops.greater(ops.size(strings), 0), [empty])]):
            strings = ops.identity(strings)
        return input_producer(strings, [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope, cancel_op)  # fmt: skip


@dataset_call
@documented_like(input_producer)
def range_input_producer(
    limit: TensorLike, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None,
) -> FIFOQueue:  # fmt: skip
    """A queue of the numbers from 0 to `limit` - 1, again and again; a queue runner fills it.

    Args:
        limit: an int32 scalar.
        num_epochs: how many times each number comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether they come in another random order each time.

    Raises:
        ValueError: `num_epochs` is below 1.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.range_input_producer(5).dtypes
    [tf.int32]
    """
    with get_default_graph().name_scope(name or "input_producer") as scope:
        return input_producer(ops.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope)  # fmt: skip


@dataset_call
def slice_input_producer(
    tensor_list: Sequence[TensorLike], num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """Rows of several tensors, the same one of each, again and again.

    Args:
        tensor_list: tensors with equally many rows.
        num_epochs: how many times each row comes; None for no limit. It needs `local_variables_initializer`.
        shuffle: whether they come in another random order each time.
        seed: an op seed.
        capacity: that of the queue of their numbers.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        A list of tensors, one for each of `tensor_list`, without the first dimension.

    Raises:
        ValueError: the list is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x, y = tf.train.slice_input_producer([[1.5, 2.5], ["a", "b"]], shuffle=False)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.train.start_queue_runners(session, coordinator)
    ...     print(session.run([x, y]))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [np.float32(1.5), b'a']

    Source: TensorFlow 1.x, `tf.train.slice_input_producer`.
    """
    if not tensor_list:
        raise ValueRuleError("Expected at least one tensor in slice_input_producer().")
    with get_default_graph().name_scope(name or "input_producer"):
        tensors = [ops.convert_to_tensor(each) for each in tensor_list]
        queue = range_input_producer(ops.shape(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [ops.gather(each, index) for each in tensors]
