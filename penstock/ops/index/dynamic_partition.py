"""Ops that take an array apart by labels and put it together again.

    dynamic_partition  outputs[k] = the slices data[js, ...] with partitions[js] = k, in order
    dynamic_stitch     merged[indices[m][i...], ...] = data[m][i..., ...], the last one where an index repeats

Stitching the partitions of `range(n)` and those of the data gives the data back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import MOST_OUTPUTS, Attr, Operand, T, TensorLike, Tensors, as_int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of, unknown_rank
from ..create.range_linspace import range as range_
from ..declare.failure_rules import refusal
from ..declare.shape_checks import listed, total
from .row_indexing import as_rows, assign_rows, check_range, dims_after, entry_text, private, zero_rows

PUBLIC_NAMES = {"start": "dynamic_partition dynamic_stitch parallel_dynamic_stitch"}


def _partition_count(value: Any) -> int:
    # TensorFlow takes 2.0 for 2 (and 2.5 too, which is refused here).
    count = int(value) if isinstance(value, float) and value.is_integer() else as_int(value)
    if count < 1:
        raise ValueRuleError(f"= {count} is less than minimum 1")
    if count > MOST_OUTPUTS:
        raise ValueRuleError(f"= {count} is more than {MOST_OUTPUTS}: each output is a tensor of the graph")
    return count


_Labels = Annotated[TensorLike, Operand(None, int32.bit, prefer=int32)]
_Count = Annotated[int, Attr(_partition_count)]
_Indices = Annotated[Sequence[TensorLike], Operand(None, int32.bit, many=True, prefer=int32)]

_PARTITIONED = "data.shape must begin with partitions.shape: give a vector with one label for each row of data."
_STITCHED = "data[m].shape must begin with indices[m].shape: give a vector with one index for each row of data[m]."

# ---- dynamic_partition --------------------------------------------------------------------------


@op("DynamicPartition", graphdef="num_partitions T=data ->outputs")
def dynamic_partition(data: T, partitions: _Labels, num_partitions: _Count, name: str | None = None) -> list[Tensor]:
    """`data` split into `num_partitions` tensors: outputs[k] = pack([data[js, ...] where partitions[js] = k]).

    Args:
        data: any dtype; its shape starts with partitions.shape.
        partitions: the labels: int32, any shape, entries in [0, num_partitions).
        num_partitions: a Python int, at least 1.

    Returns:
        A list of tensors with the dtype of `data`; outputs[k] has shape [number of labels k] +
        data.shape[partitions.ndim:] and holds its slices in the row-major order of `partitions`.

    Raises:
        TypeError: `partitions` is not int32, or `num_partitions` is not an int.
        ValueError: known shapes do not fit, or `num_partitions` is below 1.
        InvalidArgumentError (when run): the shapes do not fit, or a label is out of range.

    The labels are a scalar, then a vector:

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     outputs = session.run(tf.dynamic_partition([10, 20], 1, 2))
    ...     print(outputs[0].shape, outputs[1])
    ...     print(session.run(tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)))
    (0, 2) [[10 20]]
    [array([10, 20, 50], dtype=int32), array([30, 40], dtype=int32)]

    Source: TensorFlow 0.x, Slicing and Joining.
    """


@dynamic_partition.shape
def dynamic_partition_shape(data: Tensor, partitions: Tensor, num_partitions: int) -> list[TensorShape]:
    rest = dims_after(data, 0, partitions, _PARTITIONED)
    if rest is None:
        unranked = partitions if partitions.shape.raw is None else data
        return [unknown_rank(f"the rank of {unranked.name} is not known", unranked) for _ in range(num_partitions)]
    return [shape_of((count, *rest)) for count in _counts(partitions, num_partitions)]


def _counts(partitions: Tensor, num_partitions: int) -> list[Dim]:
    """The number of slices of each output, as far as it is known."""
    every = total(partitions.shape.raw or ())
    if num_partitions == 1 and every is not None:
        return [every]
    value = known_value(partitions)
    if value is not None and (value.size == 0 or 0 <= value.min() <= value.max() < num_partitions):
        counts: list[Dim] = np.bincount(value.reshape(-1), minlength=num_partitions).tolist()
        return counts
    for other in partitions.consumers():
        if other.opdef is dynamic_partition and other.args[1] is partitions and other.args[2] == num_partitions:
            # The same labels divide two tensors alike, so their parts have the same unknown sizes.
            return [(out.shape.raw or (unknown("of unknown rank"),))[0] for out in other.outputs]
    reason = "only the run knows how many entries of the partitions are {}"
    return [unknown(reason.format(k), partitions) for k in range(num_partitions)]


@dynamic_partition.kernel
def dynamic_partition_kernel(xp: Any, data: Any, partitions: Any, num_partitions: int) -> list[Any]:
    partitions = private(partitions)
    check_starts(data, partitions)
    check_range("partitions", partitions, num_partitions)
    return _rows_by_label(xp, as_rows(data, partitions.ndim), partitions.reshape(-1), num_partitions)


def _rows_by_label(xp: Any, rows: Any, labels: Any, num_partitions: int) -> list[Any]:
    if num_partitions <= 8:
        return [rows.take(xp.flatnonzero(labels == k), axis=0) for k in range(num_partitions)]
    narrow = labels.astype(np.min_scalar_type(num_partitions - 1))  # 8 and 16 bits are sorted by radix
    ordered = rows.take(xp.argsort(narrow, kind="stable"), axis=0)
    ends = xp.cumsum(xp.bincount(labels, minlength=num_partitions)).tolist()
    return [ordered[start:end] for start, end in pairwise([0, *ends])]


def check_starts(data: Any, partitions: Any) -> None:
    """InvalidArgumentError where the shape of data does not begin with that of partitions."""
    if data.shape[: partitions.ndim] != partitions.shape:
        raise InvalidArgumentError(
            message="data.shape must start with partitions.shape, got "
            f"data.shape = {listed(data.shape)}, partitions.shape = {listed(partitions.shape)}"
        )


def _axes(data: Tensor, partitions: Tensor, num_partitions: int) -> Axes | None:
    rank, depth = data.shape.ndims, partitions.shape.ndims
    if rank is None or depth is None:
        return None
    # Only along the first axis of labels the parts of the rows are parts of each result.
    labels = ["labels", *[None] * (depth - 1)][:depth]
    tail = range(depth, rank)
    return [[*labels, *tail], labels], [["labels" if depth else None, *tail]] * num_partitions


dynamic_partition.distributes(labelled(_axes))
dynamic_partition.mistake(lambda data, partitions, count: refusal(check_range, "partitions", partitions, count))


@dynamic_partition.gradient("data: dynamic_stitch(the places of the rows, their gradients)")
def dynamic_partition_gradient(ops: Any, op: Operation, *gs: Tensor | None) -> list[Any]:
    data, labels = op.inputs

    def joined() -> Tensor:
        if labels.shape.ndims == 1:
            places = ops.range(0, ops.shape(labels)[0])
        else:
            places = ops.reshape(ops.range(0, ops.size(labels)), ops.shape(labels))
        rows = dynamic_partition(places, labels, op.args[2])
        stitched = ops.dynamic_stitch(rows, ops.or_zeros(op, gs))
        return ops.reshape(stitched, ops.shape(data))

    return [joined, None]


@dynamic_partition.samples
def dynamic_partition_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((5, 2)).astype("f4"), np.array([0, 2, 1, 2, 0], "i4"), 3)
    yield sample(rng.random((2, 3)), np.array([[0, 1, 1], [1, 0, 0]], "i4"), 2)
    yield sample(np.array([10, 20], "i4"), np.array(1, "i4"), 2)
    yield sample(np.array([b"a", b"b"], object), np.array([1, 1], "i4"), 2)
    yield sample(np.zeros((0, 2), "i4"), np.zeros((0,), "i4"), 2)
    yield sample(np.arange(40, dtype="i8"), rng.integers(0, 20, 40).astype("i4"), 20)


# ---- dynamic_stitch -----------------------------------------------------------------------------


@op("DynamicStitch", graphdef="N=#indices T=data ->merged",
    gradient_note="where indices repeat, TensorFlow gives each row of data its row of g")  # fmt: skip
def dynamic_stitch(indices: _Indices, data: Tensors, name: str | None = None) -> Tensor:
    """The slices of several tensors, merged into one by index: merged[indices[m][i...], ...] = data[m][i..., ...].

    Where an index occurs more than once, the last (m, i) wins. Rows that no index names are zeros (empty strings).

    Args:
        indices: a list of at least one int32 tensor, entries >= 0.
        data: a list of as many tensors of one dtype. data[m].shape is indices[m].shape + rest, with one `rest` for all.

    Returns:
        A tensor of shape [max(indices) + 1] + rest with the dtype of `data`.

    Raises:
        TypeError: `indices` is not int32, or `data` has several dtypes.
        ValueError: no tensors, lists of different lengths, or known shapes that do not fit.
        InvalidArgumentError (when run): shapes that do not fit, or a negative index.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     indices = [6, [4, 1], [[5, 2], [0, 3]]]
    ...     data = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    ...     print(session.run(tf.dynamic_stitch(indices, data)).tolist())
    [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]]

    Together with `dynamic_partition` it applies a function to those elements that meet a condition, here x != -1:

    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([0.1, -1., 5.2, 4.3, -1., 7.4])
    ...     condition_mask = tf.not_equal(x, tf.constant(-1.))
    ...     partitioned_data = tf.dynamic_partition(x, tf.cast(condition_mask, tf.int32), 2)
    ...     partitioned_data[1] = partitioned_data[1] + 1.0
    ...     condition_indices = tf.dynamic_partition(
    ...         tf.range(tf.shape(x)[0]), tf.cast(condition_mask, tf.int32), 2)
    ...     x = tf.dynamic_stitch(condition_indices, partitioned_data)
    ...     print(session.run(x))
    [ 1.1 -1.   6.2  5.3 -1.   8.4]

    Source: TensorFlow 0.x and 2.x, `tf.dynamic_stitch`.
    """


@op("ParallelDynamicStitch", graphdef="N=#indices T=data ->merged",
    gradient_note="where indices repeat, TensorFlow gives each row of data its row of g")  # fmt: skip
@documented_like(dynamic_stitch)
def parallel_dynamic_stitch(indices: _Indices, data: Tensors, name: str | None = None) -> Tensor:
    """`dynamic_stitch` for indices that occur once: of an index that occurs again, any of its slices may be kept.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.parallel_dynamic_stitch([[2, 0], [1]], [[30, 10], [20]])))
    [10 20 30]

    Source: TensorFlow 1.x, `tf.parallel_dynamic_stitch`.
    """


def _axes_stitched(indices: tuple[Tensor, ...], data: tuple[Tensor, ...]) -> Axes | None:
    ranks = [(of_index.shape.ndims, rows.shape.ndims) for of_index, rows in zip(indices, data, strict=True)]
    known = [(depth, rank) for depth, rank in ranks if depth is not None and rank is not None]
    if len(known) < len(ranks):
        return None
    rest = range(known[0][1] - known[0][0])
    return [*[None] * len(indices), *[[*[None] * depth, *rest] for depth, _ in known]], [[None, *rest]]


dynamic_stitch.distributes(labelled(_axes_stitched))
parallel_dynamic_stitch.distributes(labelled(_axes_stitched))


@dynamic_stitch.shape
@parallel_dynamic_stitch.shape
def dynamic_stitch_shape(indices: tuple[Tensor, ...], data: tuple[Tensor, ...]) -> TensorShape:
    if not indices:
        raise ValueRuleError("the list 'indices' with length 0 is shorter than minimum length 1")
    if len(indices) != len(data):
        raise ValueRuleError(f"the list 'data' with length {len(data)} must match length {len(indices)} of 'indices'")
    constant = unknown_rank("the ranks of indices and data are not known", indices[0])
    for m, (index, value) in enumerate(zip(indices, data, strict=True)):
        rest = dims_after(value, len(indices) + m, index, _STITCHED)
        if rest is not None:
            constant = _merge_constant(constant, shape_of(rest), len(indices) + m, index)
    if constant.raw is None:
        return constant
    return shape_of((_height(indices), *constant.raw))


def _merge_constant(constant: TensorShape, rest: TensorShape, operand: int, index: Tensor) -> TensorShape:
    try:
        return merge_shapes(constant, rest)
    except ShapeError as error:
        raise ShapeError(
            error.message,
            operand=operand,
            dim=None if error.dim is None else error.dim + (index.shape.ndims or 0),
            cure="data[m].shape must be indices[m].shape + one shape common to all.",
        ) from None


def counts_to(numbers: Tensor) -> Dim | None:
    """n if `numbers` is known to be 0, 1, ..., n - 1, else None."""
    if numbers.shape.ndims != 1:
        return None
    value = known_value(numbers)
    if value is not None:
        return len(value) if np.array_equal(value, np.arange(len(value))) else None
    if numbers.op.opdef is not range_ or numbers.op.control_inputs:
        return None
    start, step = (known_value(numbers.op.args[position]) for position in (0, 2))
    begins = start is not None and step is not None and start == 0 and step == 1
    return numbers.shape.raw[0] if begins and numbers.shape.raw else None


def rows_divided(indices: Sequence[Tensor]) -> Operation | None:
    """The operation of which `indices` are all outputs, if it divides the numbers 0, 1, ..., n - 1; else None."""
    op = indices[0].op
    if op.opdef is not dynamic_partition or tuple(indices) != op.outputs or op.inputs[1].shape.ndims != 1:
        return None
    return None if counts_to(op.inputs[0]) is None else op


def _height(indices: tuple[Tensor, ...]) -> Dim:
    """max(indices) + 1 where every index is known, or where they are the divided numbers of all rows."""
    divided = rows_divided(indices)
    if divided is not None:
        return counts_to(divided.inputs[0]) or 0
    highest = -1
    for index in indices:
        value = known_value(index)
        if value is None:
            return unknown("the largest index is not known before the run", index)
        highest = max(highest, int(value.max(initial=-1)))
    return highest + 1


def _fits(indices: list[Any], data: list[Any]) -> bool:
    constant = data[0].shape[indices[0].ndim :]
    return all(v.shape == i.shape + constant for i, v in zip(indices, data, strict=True))


def stitched_shape(indices: list[Any], data: list[Any]) -> tuple[int, ...]:
    """The shape of the result; InvalidArgumentError where the inputs do not fit."""
    constant = data[0].shape[indices[0].ndim :]
    for m, (index, value) in enumerate(zip(indices, data, strict=True)):
        if value.shape[: index.ndim] != index.shape:
            raise InvalidArgumentError(
                message=f"data[{m}].shape = {listed(value.shape)} does not start with "
                f"indices[{m}].shape = {listed(index.shape)}"
            )
        if value.shape[index.ndim :] != constant:
            raise InvalidArgumentError(
                message=f"Need data[0].shape[{indices[0].ndim}:] = data[{m}].shape[{index.ndim}:], got "
                f"data[0].shape = {listed(data[0].shape)}, data[{m}].shape = {listed(value.shape)}, "
                f"indices[0].shape = {listed(indices[0].shape)}, indices[{m}].shape = {listed(index.shape)}"
            )
    highest = -1
    for m, index in enumerate(indices):
        if index.size == 0:
            continue
        top = int(index.view(np.uint32).max())  # as unsigned numbers negative ones are the largest: one walk for both
        if top >= 1 << 31:
            flat = int((index < 0).reshape(-1).argmax())
            raise InvalidArgumentError(
                message=f"indices[{flat}] is out of range: {entry_text(f'indices[{m}]', index.shape, flat)} = "
                f"{int(index.reshape(-1)[flat])}, and an index must be >= 0"
            )
        highest = max(highest, top)
    return (highest + 1, *constant)


@dynamic_stitch.kernel
@parallel_dynamic_stitch.kernel
def dynamic_stitch_kernel(xp: Any, indices: list[Any], data: list[Any]) -> Any:
    indices = list(map(private, indices))
    merged = zero_rows(xp, stitched_shape(indices, data), data[0].dtype)
    for index, value in zip(indices, data, strict=True):
        assign_rows(xp, merged, index.reshape(-1), as_rows(value, index.ndim))
    return merged


def _why_it_may_fail(indices: tuple[Tensor, ...], data: tuple[Tensor, ...]) -> str | None:
    places = [known_value(each) for each in indices] if rows_divided(indices) is None else []
    if any(each is None or (each.size and each.min() < 0) for each in places):
        return "the indices are not known before the run, or not all of them are rows"
    dims = [t.shape.raw for t in data]
    if any(d is None or d[:1] != i.shape.raw or d[1:] != (dims[0] or ())[1:]
           for d, i in zip(dims, indices, strict=True)):  # fmt: skip
        return "whether the data fit the indices is not known before the run"
    return None


dynamic_stitch.fails(_why_it_may_fail)
parallel_dynamic_stitch.fails(_why_it_may_fail)


@parallel_dynamic_stitch.gradient("data[i]: gather(g, indices[i])")
@dynamic_stitch.gradient("data[i]: gather(g, indices[i])")
def parallel_dynamic_stitch_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    indices = op.inputs[: len(op.inputs) // 2]
    return [*[None] * len(indices), *[partial(ops.gather, g, each) for each in indices]]


@dynamic_stitch.samples
@parallel_dynamic_stitch.samples
def dynamic_stitch_samples(rng: np.random.Generator) -> Samples:
    yield sample(
        [np.array(2, "i4"), np.array([1, 0], "i4")], [rng.random(3).astype("f4"), rng.random((2, 3)).astype("f4")]
    )
    yield sample([np.array([[0, 3]], "i4")], [np.array([[b"a", b"b"]], object)])
    yield sample([np.array([0], "i4"), np.zeros((0,), "i4")], [np.ones((1, 0)), np.ones((0, 0))])
    yield sample([np.zeros((0,), "i4")], [np.ones((0, 2), "i8")])
