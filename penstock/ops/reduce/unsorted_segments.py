"""Reductions of rows by segment ids in any order: `unsorted_segment_sum`, `unsorted_segment_mean` and their kind."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar
from ...graph.common.hooks import hooks
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import INDICES, INT32_64, Number, Operand, Real, TensorLike
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bfloat16, int32, of_numpy
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import fill, ones_like
from ..create.shape_size_rank import rank, shape
from ..declare.composite import all_or_nothing, composite
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import listed, possible, require_rank
from ..elementwise.arithmetic import maximum, sqrt, subtract, truediv
from ..elementwise.casting import cast
from ..index.row_indexing import all_in_range, dims_after, entry_text, private
from ..move.concat_stack import concat
from ..move.reshaping import reshape
from .segment_rows import column_shape, combined, fill_absent

PUBLIC_NAMES = {
    "start math": (
        "unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
        "unsorted_segment_sqrt_n unsorted_segment_sum"
    ),
}

_Ids = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]
_SumIds = Annotated[TensorLike, Operand("Tindices", INDICES, prefer=int32)]
_Count = Annotated[TensorLike, Operand("Tnumsegments", INT32_64, host=True, prefer=int32)]


@op("UnsortedSegmentSum", graphdef="T=data Tindices=segment_ids Tnumsegments=num_segments", host_only=True,
    reads_rows="data")  # fmt: skip
def unsorted_segment_sum(data: Number, segment_ids: _SumIds, num_segments: _Count, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment: out[i] = sum of the data[j...] with segment_ids[j...] = i.

    Args:
        data: ints, floats or complex numbers, any shape.
        segment_ids: int16, int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        Ints wrap around; an id that does not occur has a row of 0.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_sum(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [4, 6], [0, 0]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_sum`.
    """


@op("UnsortedSegmentProd", graphdef="T=data Tindices=segment_ids Tnumsegments=num_segments", host_only=True)
@documented_like(unsorted_segment_sum)
def unsorted_segment_prod(data: Number, segment_ids: _Ids, num_segments: _Count, name: str | None = None) -> Tensor:
    """The products of the rows of each segment: out[i] = product of the data[j...] with segment_ids[j...] = i.

    Args:
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        Ints wrap around; an id that does not occur has a row of 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_prod(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [3, 8], [1, 1]]
    """


@op("UnsortedSegmentMax", graphdef="T=data Tindices=segment_ids Tnumsegments=num_segments", host_only=True)
@documented_like(unsorted_segment_sum)
def unsorted_segment_max(data: Real, segment_ids: _Ids, num_segments: _Count, name: str | None = None) -> Tensor:
    """The largest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, any shape.
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of the smallest finite value of the dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_max(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [3, 4], [-2147483648, -2147483648]]
    """


@op("UnsortedSegmentMin", graphdef="T=data Tindices=segment_ids Tnumsegments=num_segments", host_only=True)
@documented_like(unsorted_segment_sum)
def unsorted_segment_min(data: Real, segment_ids: _Ids, num_segments: _Count, name: str | None = None) -> Tensor:
    """The smallest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, any shape.
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of the largest finite value of the dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_min(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [1, 2], [2147483647, 2147483647]]
    """


def _shape(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> TensorShape:
    require_rank(num_segments, 0, 2)
    return shape_of_segments(data, segment_ids, num_segments)


def shape_of_segments(data: Tensor, segment_ids: Tensor, num_segments: Tensor, name: str = "data") -> TensorShape:
    """The shape of one result for each segment: (num_segments, *what segment_ids leave of data's dimensions).

    Args:
        name: what the call names `data`.

    Raises:
        ValueRuleError: `num_segments` is known and negative.
        ShapeError: the shape of `data` does not begin with that of `segment_ids`.
    """
    count = known_scalar(num_segments)
    if isinstance(count, int) and count < 0:
        raise ValueRuleError(f"Dimension size, given by scalar input 2, must be non-negative but is {count}", operand=2)
    tail = dims_after(data, 0, segment_ids, f"{name}.shape must begin with segment_ids.shape.")
    if tail is None:
        return unknown_rank(f"the rank of {name} or of segment_ids is not known", data)
    first = unknown("num_segments is not known before the run", num_segments) if count is None else count
    return shape_of((first, *tail))


def _axes(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> Axes | None:
    rank, depth = data.shape.ndims, segment_ids.shape.ndims
    if rank is None or depth is None:
        return None
    ids, tail = [f"id {axis}" for axis in range(depth)], range(depth, rank)
    return [[*ids, *tail], ids], [[None, *tail]]


unsorted_segment_sum.distributes(labelled(_axes, "sum"))
unsorted_segment_prod.distributes(labelled(_axes, "prod"))
# A segment of which a shard has no row is there the smallest finite number, which is not neutral beside infinities.
unsorted_segment_max.distributes(labelled(_axes))
unsorted_segment_min.distributes(labelled(_axes))


def segment_count(num_segments: Any) -> int:
    """The number of segments; InvalidArgumentError where it is not a scalar, or negative."""
    if num_segments.ndim:
        raise InvalidArgumentError(message=f"num_segments should be a scalar, not shape {listed(num_segments.shape)}")
    count = int(num_segments)
    if count < 0:
        raise InvalidArgumentError(message=f"Input num_segments == {count} must not be negative.")
    return count


def check_ids(ids: Any, num_segments: Any) -> None:
    """InvalidArgumentError that names the first id which is not less than the number of segments."""
    count = segment_count(num_segments)
    if ids.size and int(ids.max()) >= count:
        flat = int((ids >= count).reshape(-1).argmax())
        name, value = entry_text("segment_ids", ids.shape, flat), int(ids.reshape(-1)[flat])
        raise InvalidArgumentError(message=f"{name} = {value} is out of range [0, {count})")


def unsorted_segments(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """(rows, an id of 0 or more for each, the shape of the result); InvalidArgumentError where operands do not fit."""
    ids, result = unsorted_places(data, segment_ids, num_segments)
    ids, rows = ids.reshape(-1), data.reshape((ids.size, *data.shape[ids.ndim :]))
    if all_in_range(ids, result[0]):
        return rows, ids, result
    kept = ids >= 0
    return rows[kept], ids[kept], result


def unsorted_places(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, tuple[int, ...]]:
    """(a private copy of the ids, the shape of the result); InvalidArgumentError where the operands do not fit."""
    count, depth = segment_count(num_segments), segment_ids.ndim
    if data.shape[:depth] != segment_ids.shape:
        begin = f"segment_ids.shape = {listed(segment_ids.shape)}"
        raise InvalidArgumentError(message=f"data.shape = {listed(data.shape)} does not start with {begin}")
    tail = data.shape[depth:]
    result = tuple(possible((count, *tail), data.dtype.itemsize))
    ids = private(segment_ids)
    if not all_in_range(ids, count):
        check_ids(ids, num_segments)
    return ids, result


def _reduced(ufunc: str, xp: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    rows, ids, result = unsorted_segments(data, segment_ids, num_segments)
    out = combined(ufunc, rows, ids, result, in_order=False).astype(data.dtype, copy=False)
    if ufunc in ("maximum", "minimum"):
        dtype = of_numpy(data.dtype)
        fill_absent(out, ids, dtype.min if ufunc == "maximum" else dtype.max)
    return out


unsorted_segment_sum.kernel(partial(_reduced, "add"))
unsorted_segment_prod.kernel(partial(_reduced, "multiply"))
unsorted_segment_max.kernel(partial(_reduced, "maximum"))
unsorted_segment_min.kernel(partial(_reduced, "minimum"))


def _why_it_may_fail(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> str | None:
    ids, dims = segment_ids.shape.raw, data.shape.raw
    if ids is None or dims is None or dims[: len(ids)] != ids:
        return "whether data.shape begins with segment_ids.shape is not known before the run"
    return why_refused(check_ids, segment_ids, num_segments)


def _refusal(data: Tensor, segment_ids: Tensor, num_segments: Tensor) -> str | None:
    return refusal(check_ids, segment_ids, num_segments)


def _additions(data: tuple[int, ...], segment_ids: tuple[int, ...], num_segments: tuple[int, ...]) -> int:
    return prod(data)


@unsorted_segment_sum.gradient("gather(g, segment_ids); 0 where the id is negative")
def unsorted_segment_sum_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: _taken(ops, g, op)[0], None, None]


def _taken(ops: Any, rows: Tensor, op: Operation) -> tuple[Tensor, Tensor]:
    """For each row of the operand the one of `rows` with its id, else 0; and whether its id is not negative."""
    data, ids = op.inputs[:2]
    taken = ops.gather(rows, ops.maximum(ids, ops.zeros_like(ids)))
    holds = ops.greater_equal(ids, ops.zeros_like(ids))
    positive = ops.broadcast_to(ops.reshape(holds, column_shape(ops, data, ids)), ops.shape(data))
    return ops.where(positive, taken, ops.zeros_like(taken)), positive


@unsorted_segment_prod.gradient("g times the product of the other elements of the segment")
def unsorted_segment_prod_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    data, ids, count = op.inputs

    def build() -> Tensor:
        is_zero = ops.equal(data, ops.zeros_like(data))
        zeros = unsorted_segment_sum(ops.cast(is_zero, "int32"), ids, count)
        kept = ops.where(zeros > 1, ops.zeros_like(g), g)
        filled = ops.where(is_zero, ops.ones_like(data), data)
        others = ops.where(is_zero, _taken(ops, unsorted_segment_prod(filled, ids, count), op)[0],
                           _taken(ops, op.outputs[0], op)[0] / filled)  # fmt: skip
        return _taken(ops, kept, op)[0] * ops.conj(others)

    return [build, None, None]


@unsorted_segment_max.gradient("g / ties where the element is the extreme one of its segment, else 0")
@unsorted_segment_min.gradient("g / ties where the element is the extreme one of its segment, else 0")
def unsorted_segment_max_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    data, ids, count = op.inputs

    def build() -> Tensor:
        extremes, positive = _taken(ops, op.outputs[0], op)
        chosen = ops.logical_and(ops.equal(data, extremes), positive)
        ties = unsorted_segment_sum(ops.cast(chosen, g.dtype), ids, count)
        return ops.where(chosen, _taken(ops, g / ties, op)[0], ops.zeros_like(data))

    return [build, None, None]


def _samples(rng: np.random.Generator) -> Samples:
    count = np.array(3, "i4")
    for dtype in (np.dtype("f4"), np.dtype("i4"), bfloat16.np):
        yield sample(rng.integers(-3, 4, (4, 2)).astype(dtype), np.array([2, 0, -1, 2], "i4"), count)
    ids = np.array([[1, 1, 0], [2, 1, 1]])
    yield sample(rng.integers(1, 4, (2, 3)).astype("f8"), ids, count, fixed=("num_segments",))
    yield sample(np.array([1.0, 2.0]), np.array(1, "i4"), np.array(2, "i8"))
    yield sample(np.zeros((0, 2), "f4"), np.zeros(0, "i4"), count)


for each in (unsorted_segment_sum, unsorted_segment_prod, unsorted_segment_max, unsorted_segment_min):
    each.shape(_shape)
    each.fails(_why_it_may_fail)
    each.mistake(_refusal)
    each.flops(_additions)
    each.samples(_samples)


# ---- made of sums -------------------------------------------------------------------------------


@composite("UnsortedSegmentMean")
@documented_like(unsorted_segment_sum)
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The means of the rows of each segment: their sum divided by their number.

    Args:
        data: ints or floats, any shape.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`, or a float one of ints; r is the
        rank of `segment_ids`.
        An id that does not occur has a row of 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ...     print(session.run(tf.unsorted_segment_mean(data, [1, 1, 0], 3)).tolist())
    [[5.0, 6.0], [2.0, 3.0], [0.0, 0.0]]
    """
    total, count = _sums_and_counts(data, segment_ids, num_segments)
    return truediv(total, cast(count, total.dtype))


@composite("UnsortedSegmentSqrtN")
@documented_like(unsorted_segment_sum)
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sums of the rows of each segment, divided by the square root of their number.

    Args:
        data: floats, any shape.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[4.0, 6.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    ...     print(session.run(tf.unsorted_segment_sqrt_n(data, [0, 1, 1, 1, 1], 3)).tolist())
    [[4.0, 6.0], [3.0, 5.0], [0.0, 0.0]]
    """
    total, count = _sums_and_counts(data, segment_ids, num_segments)
    return truediv(total, sqrt(cast(count, total.dtype)))


def _sums_and_counts(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike) -> tuple[Tensor, Tensor]:
    """The sums, and how many rows each has, 1 where there are none, in a shape that the sums can be divided by."""
    x, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(x, ids, num_segments)
    counts = maximum(unsorted_segment_sum(ones_like(ids, int32), ids, num_segments), 1)
    if x.shape.ndims is not None and ids.shape.ndims is not None:
        ones: TensorLike = [1] * (x.shape.ndims - ids.shape.ndims)
        return total, reshape(counts, concat(0, [shape(counts), ones])) if ones else counts
    ones = fill([subtract(rank(x), rank(ids))], 1)
    return total, reshape(counts, concat(0, [shape(counts), ones]))


def densify(slices: IndexedSlices, name: str | None = None) -> Tensor:
    """`slices` as a dense tensor: the rows with one index are added up.

    Raises:
        ValueRuleError: it has no `dense_shape`, so the number of rows is not known.
    """
    sizes = slices.dense_shape
    if sizes is None:
        raise ValueRuleError(f"{slices!r} has no dense_shape, so the number of rows of the dense tensor is not known",
                             cure="Give IndexedSlices a dense_shape.")  # fmt: skip

    def build() -> Tensor:
        rows = unsorted_segment_sum(slices.values, slices.indices, sizes[0], name)
        return rows if rows.shape.is_fully_defined() else reshape(rows, sizes, name)

    return all_or_nothing((slices.values,), build)


hooks.operators["densify"] = densify
