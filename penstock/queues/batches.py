"""Batches of examples: `tf.train.batch`, `shuffle_batch` and their like. Queue runners fill the queue behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..control_flow.cond import quiet_cond
from ..data.calls import dataset_call
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Operation, Tensor
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dtypes import DType, float32
from ..graph.shapes.shape import TensorShape, as_shape, shape_of
from ..summary.summary_functions import scalar
from .producers import fraction
from .queue_classes import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from .queue_runner import QueueRunner, add_queue_runner


class _SparseColumn(NamedTuple):
    """A component of examples that is sparse: queues hold it as three strings.

    Attributes:
        dtype: that of its values.
        rank: of one example; None if it is not known.
    """

    dtype: DType
    rank: int | None


_Columns = list[_SparseColumn | None]


def _listed(tensors: Any, call: str) -> list[Any]:
    """The tensors of an example, sparse ones too."""
    if isinstance(tensors, Mapping):
        values: list[Any] = [tensors[key] for key in sorted(tensors)]
    else:
        values = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    if not values:
        raise ValueRuleError(f"Expected at least one tensor in {call}().")
    return [each if isinstance(each, SparseTensor) else ops.convert_to_tensor(each) for each in values]


def _stored(call: str, listed: Sequence[Sequence[Any]], many: bool) -> tuple[list[list[Tensor]], _Columns]:
    """(the tensors that a queue holds for each way to make an example, which of them are sparse)."""
    columns: _Columns = []
    for column in zip(*listed, strict=True):
        sparse = [each for each in column if isinstance(each, SparseTensor)]
        if not sparse:
            columns.append(None)
            continue
        if len(sparse) < len(column):
            raise UseError(f"{call}: component {len(columns)} is sparse in some of the examples and dense in others; "
                           "use tf.sparse_tensor_to_dense for the former")  # fmt: skip
        if any(each.dtype is not sparse[0].dtype for each in sparse):
            raise UseError(f"{call}: component {len(columns)} has the dtypes {[each.dtype.name for each in sparse]}; "
                           "a queue holds one for each component")  # fmt: skip
        ranks = {each.get_shape().ndims for each in sparse}
        rank = ranks.pop() if len(ranks) == 1 else None
        columns.append(_SparseColumn(sparse[0].dtype, rank - 1 if many and rank is not None else rank))
    serialize = ops.serialize_many_sparse if many else ops.serialize_sparse
    return [[serialize(each) if isinstance(each, SparseTensor) else each for each in row] for row in listed], columns


def _restored(results: Any, columns: _Columns) -> Any:
    """Batches whose sparse components are sparse tensors again."""
    found = list(results) if isinstance(results, list) else [results]
    return [
        batch if column is None else ops.deserialize_many_sparse(batch, column.dtype, column.rank)
        for batch, column in zip(found, columns, strict=True)
    ]


def _as_given(tensors: Any, results: Any) -> Any:
    """Results in the structure of an example; a list of one tensor gives a tensor, as in TensorFlow."""
    found = list(results) if isinstance(results, list) else [results]
    if isinstance(tensors, Mapping):
        return dict(zip(sorted(tensors), found, strict=True))
    return found if len(found) > 1 else found[0]


def _shapes(
    examples: Sequence[Sequence[Tensor]], columns: _Columns, shapes: Any, many: bool, call: str
) -> list[TensorShape]:
    """The shapes of the components, without the first dimension where several are put in at once."""
    if shapes is not None:
        given = list(shapes) if isinstance(shapes, (list, tuple)) else [shapes]
        own = [as_shape(each) for each in given]
        if len(own) != len(columns):
            return own  # the queue tells of it
        return [each if column is None else shape_of((3,)) for each, column in zip(own, columns, strict=True)]
    component_shapes = []
    for column in zip(*examples, strict=True):
        common: TensorShape | None = None
        for tensor in column:
            dims = tensor.shape.raw
            if dims is None or (many and not dims):
                raise ShapeError(f"{call}: {tensor.name!r} has shape {tensor.shape}; give shapes=, or state it with "
                                 "set_shape")  # fmt: skip
            size = shape_of(dims[1:] if many else dims)
            common = size if common is None or common.raw == size.raw else _loose(common, size)
        assert common is not None
        component_shapes.append(common)
    return component_shapes


def _loose(a: TensorShape, b: TensorShape) -> TensorShape:
    if a.raw is None or b.raw is None or len(a.raw) != len(b.raw):
        return TensorShape(None)
    return TensorShape([x if isinstance(x, int) and x == y else None for x, y in zip(a.raw, b.raw, strict=True)])


def _enqueue(
    queue: QueueBase, examples: Sequence[Sequence[Tensor]], threads: int, many: bool, keep_input: Any
) -> None:
    put = queue.enqueue_many if many else queue.enqueue

    def operation(tensors: Sequence[Tensor]) -> Operation:
        if keep_input is True:
            return put(list(tensors))
        if keep_input.shape.ndims == 1:
            return put([ops.boolean_mask(tensor, keep_input) for tensor in tensors])
        kept = quiet_cond(keep_input, lambda: ops.group(put(list(tensors))), ops.no_op)
        return kept if isinstance(kept, Operation) else kept.op

    operations = [operation(tensors) for tensors in examples]
    add_queue_runner(QueueRunner(queue, operations * threads if len(operations) == 1 else operations))


def _dequeue(queue: QueueBase, size: Any, may_be_smaller: bool, name: str) -> Any:
    return queue.dequeue_up_to(size, name) if may_be_smaller else queue.dequeue_many(size, name)


def batched(
    call: str, examples: Sequence[Any], batch_size: TensorLike, threads: int, capacity: int, many: bool, shapes: Any,
    pads: bool, may_be_smaller: bool, shared_name: str | None, name: str | None, keep_input: Any = True,
) -> Any:  # fmt: skip
    """Batches of examples, those for which `keep_input` is true."""
    with get_default_graph().name_scope(name or call) as scope:
        listed, columns = _stored(call, [_listed(each, call) for each in examples], many)
        kinds = [tensor.dtype for tensor in listed[0]]
        sizes = _shapes(listed, columns, shapes, many, call)
        if not pads and not all(size.is_known for size in sizes):
            raise ValueRuleError(f"All shapes must be fully defined: {sizes}. Use dynamic_pad=True for sizes that "
                                 "differ, or give shapes=")  # fmt: skip
        queue = (PaddingFIFOQueue if pads else FIFOQueue)(capacity, kinds, sizes, shared_name=shared_name)
        _enqueue(queue, listed, threads, many, keep_input)
        scalar(f"fraction_of_{capacity}_full", fraction(queue, capacity))
        return _as_given(examples[0], _restored(_dequeue(queue, batch_size, may_be_smaller, scope), columns))


def shuffled(
    call: str, examples: Sequence[Any], batch_size: TensorLike, capacity: int, kept: int, threads: int,
    seed: int | None, many: bool, shapes: Any, may_be_smaller: bool, shared_name: str | None, name: str | None,
    keep_input: Any = True,
) -> Any:  # fmt: skip
    """Batches in random order of the examples for which `keep_input` is true."""
    with get_default_graph().name_scope(name or call) as scope:
        listed, columns = _stored(call, [_listed(each, call) for each in examples], many)
        kinds = [tensor.dtype for tensor in listed[0]]
        sizes = _shapes(listed, columns, shapes, many, call)
        if not all(size.is_known for size in sizes):
            raise ValueRuleError(f"All shapes must be fully defined: {sizes}")
        queue = RandomShuffleQueue(capacity, kept, kinds, sizes, seed=seed, shared_name=shared_name)
        _enqueue(queue, listed, threads, many, keep_input)
        held = ops.cast(ops.maximum(0, ops.subtract(queue.size(), kept)), float32)
        full = ops.multiply(held, 1.0 / (capacity - kept))
        scalar(f"fraction_over_{kept}_of_{capacity - kept}_full", full)
        return _as_given(examples[0], _restored(_dequeue(queue, batch_size, may_be_smaller, scope), columns))


@dataset_call
def batch(
    tensors: Any, batch_size: TensorLike, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Batches of examples; a queue runner computes these.

    Args:
        tensors: an example: a tensor, a list or dict of tensors; sparse ones too.
        batch_size: how many examples a batch has.
        num_threads: how many threads compute examples.
        capacity: how many examples wait at most.
        enqueue_many: whether `tensors` are several examples, which have a first dimension more.
        shapes: the shapes of an example; those of `tensors` without it.
        dynamic_pad: whether examples of different shapes are padded with zeros.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of `tensors`, with a first dimension more; one tensor for a list of one.

    Raises:
        TypeError: a component is sparse in some examples only.
        ValueError: a shape is not known.
        OutOfRangeError (when run): there are no more examples.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     number = tf.train.range_input_producer(5, shuffle=False).dequeue()
    ...     numbers = tf.train.batch([number * 10], 3)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.train.start_queue_runners(session, coordinator)
    ...     print(session.run(numbers))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [ 0 10 20]

    Source: TensorFlow 1.x, `tf.train.batch`.
    """
    return batched("batch", [tensors], batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                    allow_smaller_final_batch, shared_name, name)  # fmt: skip


@dataset_call
@documented_like(batch)
def batch_join(
    tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch`, of examples that are computed in several ways, each by a thread of its own.

    Args:
        tensors_list: an example for each thread.
        enqueue_many: whether each is several examples.
        shapes: the shapes of an example.
        dynamic_pad: whether examples of different shapes are padded.

    Returns:
        Tensors in the structure of an example, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.batch_join([[tf.constant(1.0)], [tf.constant(2.0)]], 3).shape)
    (3,)
    """
    return batched("batch_join", list(tensors_list), batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad,
                    allow_smaller_final_batch, shared_name, name)  # fmt: skip


@dataset_call
@documented_like(batch)
def shuffle_batch(
    tensors: Any, batch_size: TensorLike, capacity: int, min_after_dequeue: int, num_threads: int = 1,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch`, of examples in random order.

    Args:
        tensors: an example.
        min_after_dequeue: how many stay to choose from.
        seed: an op seed.
        enqueue_many: whether `tensors` are several examples.
        shapes: the shapes of an example.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.shuffle_batch([tf.constant([1.0, 2.0])], 3, 20, 5).shape)
    (3, 2)
    """
    return shuffled("shuffle_batch", [tensors], batch_size, capacity, min_after_dequeue, num_threads, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, shared_name, name)  # fmt: skip


@dataset_call
@documented_like(batch)
def shuffle_batch_join(
    tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int, min_after_dequeue: int,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `shuffle_batch`, of examples that are computed in several ways, each by a thread of its own.

    Args:
        tensors_list: an example for each thread.
        min_after_dequeue: how many stay to choose from.
        seed: an op seed.
        enqueue_many: whether each is several examples.
        shapes: the shapes of an example.

    Returns:
        Tensors in the structure of an example, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.shuffle_batch_join([[tf.constant(1.0)], [tf.constant(2.0)]], 3, 20, 5).shape)
    (3,)
    """
    return shuffled("shuffle_batch_join", list(tensors_list), batch_size, capacity, min_after_dequeue, 1, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, shared_name, name)  # fmt: skip
