"""Reductions of consecutive rows that carry one segment id: `segment_sum`, `segment_mean` and their kind."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.axis_labels import Axes, all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import INT32_64, Number, Operand, Real, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bfloat16, int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import listed, possible, require_rank, same_size
from ..index.row_indexing import dims_at_least, private
from .segment_rows import column_shape, combined, fill_absent, mean_of, widest_int

PUBLIC_NAMES = {"start math": "segment_max segment_mean segment_min segment_prod segment_sum"}

_Ids = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]


@op("SegmentSum", graphdef="T=data Tindices=segment_ids", host_only=True, reads_rows="data",
    in_pairs=True)  # fmt: skip
def segment_sum(data: Number, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment: out[i] = sum of the data[j] with segment_ids[j] = i.

    Args:
        data: ints, floats or complex numbers, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        Ints wrap around; an id that does not occur has a row of 0.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_sum(data, [0, 0, 2])).tolist())
    [[4, 6], [0, 0], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_sum`.
    """


@op("SegmentMean", graphdef="T=data Tindices=segment_ids", host_only=True, reads_rows="data",
    in_pairs=True)  # fmt: skip
@documented_like(segment_sum)
def segment_mean(data: Number, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The means of the rows of each segment: their sum divided by their number.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        The mean of ints is rounded towards zero; an id that does not occur has a row of 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_mean(data, [0, 0, 2])).tolist())
    [[2, 3], [0, 0], [5, 6]]
    """


@op("SegmentProd", graphdef="T=data Tindices=segment_ids", host_only=True)
@documented_like(segment_sum)
def segment_prod(data: Number, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The products of the rows of each segment: out[i] = product of the data[j] with segment_ids[j] = i.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        Ints wrap around; an id that does not occur has a row of 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_prod(data, [0, 0, 2])).tolist())
    [[3, 8], [1, 1], [5, 6]]
    """


@op("SegmentMax", graphdef="T=data Tindices=segment_ids", host_only=True)
@documented_like(segment_sum)
def segment_max(data: Real, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The largest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, of rank 1 or higher.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        An id that does not occur has a row of 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_max(data, [0, 0, 2])).tolist())
    [[3, 4], [0, 0], [5, 6]]
    """


@op("SegmentMin", graphdef="T=data Tindices=segment_ids", host_only=True)
@documented_like(segment_sum)
def segment_min(data: Real, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The smallest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, of rank 1 or higher.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        An id that does not occur has a row of 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_min(data, [0, 0, 2])).tolist())
    [[1, 2], [0, 0], [5, 6]]
    """


def _shape(data: Tensor, segment_ids: Tensor) -> TensorShape:
    dims = dims_at_least(data, 1, 0, "data has a row for each id; for a single row write tf.expand_dims(x, 0).")
    require_rank(segment_ids, 1, 1, "segment_ids is a vector: one id for each row of data.")
    if dims is None:
        return unknown_rank("the rank of the operand is not known", data)
    if segment_ids.shape.raw is not None:
        same_size(dims[0], segment_ids.shape.raw[0], 1, 0, "segment_ids has one id per row of data.")
    ids = known_value(segment_ids)
    if ids is None:
        return shape_of((unknown("the last segment id is known to the run only", segment_ids), *dims[1:]))
    return shape_of((max(int(ids[-1]) + 1, 0) if ids.size else 0, *dims[1:]))


def _axes(data: Tensor, segment_ids: Tensor) -> Axes | None:
    return all_but(data, 0)  # which rows are a segment depends on all ids


def check_segments(ids: Any, count: int) -> None:
    """InvalidArgumentError unless the host or device vector `ids` has `count` ids from 0 on in increasing order."""
    if ids.ndim != 1:
        raise InvalidArgumentError(message=f"segment_ids should be a vector. Its shape is {listed(ids.shape)}")
    if len(ids) != count:
        raise InvalidArgumentError(
            message="segment_ids should be the same size as dimension 0 of input. "
            f"It has {len(ids)} entries for {count} rows"
        )
    falls = ids[1:] < ids[:-1]
    if falls.any():
        at = int(falls.argmax()) + 1
        raise InvalidArgumentError(
            message=f"segment ids are not increasing: segment_ids[{at}] = {int(ids[at])} follows {int(ids[at - 1])}; "
            "unsorted_segment_sum and its kind take ids in any order"
        )
    if count and ids[0] < 0:
        raise InvalidArgumentError(message=f"segment ids must be >= 0, but segment_ids[0] = {int(ids[0])}")


def sorted_segments(data: Any, segment_ids: Any) -> tuple[Any, tuple[int, ...]]:
    """(a private copy of the ids, the shape of the result); InvalidArgumentError where the operands do not fit."""
    if data.ndim == 0:
        raise InvalidArgumentError(message="input must be at least rank 1")
    ids = private(segment_ids)
    check_segments(ids, data.shape[0])
    count = int(ids[-1]) + 1 if len(ids) else 0
    return ids, tuple(possible((count, *data.shape[1:]), data.dtype.itemsize))


def _reduced(ufunc: str, xp: Any, data: Any, segment_ids: Any) -> Any:
    ids, shape = sorted_segments(data, segment_ids)
    out = combined(ufunc, data, ids, shape, in_order=True)
    if ufunc in ("maximum", "minimum"):
        fill_absent(out, ids, 0)
    return out.astype(data.dtype, copy=False)


segment_sum.kernel(partial(_reduced, "add"))
segment_prod.kernel(partial(_reduced, "multiply"))
segment_max.kernel(partial(_reduced, "maximum"))
segment_min.kernel(partial(_reduced, "minimum"))


@segment_mean.kernel
def segment_mean_kernel(xp: Any, data: Any, segment_ids: Any) -> Any:
    ids, shape = sorted_segments(data, segment_ids)
    return mean_of(combined("add", widest_int(data), ids, shape, in_order=True), ids, data.dtype)


def _why_it_may_fail(data: Tensor, segment_ids: Tensor) -> str | None:
    return why_refused(check_segments, segment_ids, _rows_of(data))


def _refusal(data: Tensor, segment_ids: Tensor) -> str | None:
    return refusal(check_segments, segment_ids, _rows_of(data))


def _rows_of(data: Tensor) -> int | None:
    dims = data.shape.raw
    return dims[0] if dims and isinstance(dims[0], int) else None


def _additions(data: tuple[int, ...], segment_ids: tuple[int, ...]) -> int:
    return prod(data)


@segment_sum.gradient("gather(g, segment_ids)")
def segment_sum_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: ops.gather(g, op.inputs[1]), None]


@segment_mean.gradient("gather(g / count, segment_ids)")
def segment_mean_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    data, ids = op.inputs

    def build() -> Tensor:
        ones = ops.reshape(ops.ones_like(ids, data.dtype), column_shape(ops, data, ids))
        return ops.gather(g / segment_sum(ones, ids), ids)

    return [build, None]


@segment_prod.gradient("g times the product of the other elements of the segment")
def segment_prod_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    data, ids = op.inputs

    def build() -> Tensor:
        is_zero = ops.equal(data, ops.zeros_like(data))
        zeros = segment_sum(ops.cast(is_zero, "int32"), ids)
        kept = ops.where(zeros > 1, ops.zeros_like(g), g)
        filled = ops.where(is_zero, ops.ones_like(data), data)
        product = ops.gather(op.outputs[0], ids) / filled
        others = ops.where(is_zero, ops.gather(segment_prod(filled, ids), ids), product)
        return ops.gather(kept, ids) * ops.conj(others)

    return [build, None]


@segment_max.gradient("g / ties where the element is the extreme one of its segment, else 0")
@segment_min.gradient("g / ties where the element is the extreme one of its segment, else 0")
def segment_max_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    data, ids = op.inputs

    def build() -> Tensor:
        chosen = ops.equal(data, ops.gather(op.outputs[0], ids))
        ties = segment_sum(ops.cast(chosen, g.dtype), ids)
        return ops.where(chosen, ops.gather(g / ties, ids), ops.zeros_like(data))

    return [build, None]


def _samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), bfloat16.np):
        yield sample(rng.integers(-3, 4, (4, 2)).astype(dtype), np.array([0, 0, 2, 2], "i4"))
    yield sample(rng.integers(1, 4, 5).astype("f8"), np.array([1, 1, 1, 4, 4], "i8"), fixed=("segment_ids",))
    yield sample(np.zeros((0, 2), "f4"), np.zeros(0, "i4"))


for each in (segment_sum, segment_mean, segment_prod, segment_max, segment_min):
    each.shape(_shape)
    each.distributes(labelled(_axes))
    each.fails(_why_it_may_fail)
    each.mistake(_refusal)
    each.flops(_additions)
    each.samples(_samples)
