"""Sums and means of chosen rows by segment: `sparse_segment_sum`, `sparse_segment_mean`, `sparse_segment_sqrt_n`."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import FLOATS, INT32_64, REALS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones, ones_like
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.shape_checks import listed, require_rank
from ..elementwise.arithmetic import maximum, multiply, reciprocal, rsqrt
from ..elementwise.casting import cast
from ..index.gathering import gather
from ..index.row_indexing import check_range
from ..move.concat_stack import concat
from ..move.reshaping import reshape
from ..reduce.segment_rows import combined
from ..reduce.unsorted_segments import unsorted_segment_sum

PUBLIC_NAMES = {"tf": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum"}

_Numbers = Annotated[TensorLike, Operand("T", REALS)]
_Floats = Annotated[TensorLike, Operand("T", FLOATS)]
_Indices = Annotated[TensorLike, Operand("Tidx", INT32_64, prefer=int32)]
_Ids = Annotated[TensorLike, Operand("Tsegmentids", INT32_64, prefer=int32)]


@op("SparseSegmentSum", graphdef="T=data Tidx=indices Tsegmentids=segment_ids", host_only=True,
    ranks={"indices": 1, "segment_ids": 1})  # fmt: skip
def sparse_segment_sum(data: _Numbers, indices: _Indices, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The sums of chosen rows by segment: out[i] = the sum of the data[indices[j]] with segment_ids[j] = i.

    Args:
        data: real numbers of rank 1 or higher.
        indices: an int32 or int64 vector of numbers of rows.
        segment_ids: a vector of as many ids, none less than the one before it.

    Returns:
        A tensor of shape [last id + 1] + data.shape[1:] with the dtype of `data`. A segment without rows has zeros.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known ranks do not fit.
        InvalidArgumentError (when run): sizes do not fit, an index is out of range, or the ids are not in order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_sum([1, 10, 100], [0, 2, 1], [0, 0, 1])))
    [101  10]

    Source: TensorFlow 1.15, `tf.sparse_segment_sum`.
    """


@op("SparseSegmentMean", graphdef="T=data Tidx=indices Tsegmentids=segment_ids", host_only=True,
    ranks={"indices": 1, "segment_ids": 1})  # fmt: skip
@documented_like(sparse_segment_sum)
def sparse_segment_mean(data: _Floats, indices: _Indices, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The means of chosen rows by segment: `sparse_segment_sum` divided by the number of rows.

    Args:
        data: floats of rank 1 or higher.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_mean([1.0, 10.0, 100.0], [0, 2, 1], [0, 0, 1])))
    [50.5 10. ]
    """


@op("SparseSegmentSqrtN", graphdef="T=data Tidx=indices Tsegmentids=segment_ids", host_only=True,
    ranks={"indices": 1, "segment_ids": 1})  # fmt: skip
@documented_like(sparse_segment_sum)
def sparse_segment_sqrt_n(data: _Floats, indices: _Indices, segment_ids: _Ids, name: str | None = None) -> Tensor:
    """The sums of chosen rows by segment, divided by the square root of the number of rows.

    Args:
        data: floats of rank 1 or higher.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_sqrt_n([1.0, 2.0, 3.0, 2.0], [0, 1, 2, 3], [0, 0, 0, 0])))
    [4.]
    """




@sparse_segment_sum.shape
@sparse_segment_mean.shape
@sparse_segment_sqrt_n.shape
def sparse_segment_shape(data: Tensor, indices: Tensor, segment_ids: Tensor) -> TensorShape:
    if data.shape.raw is None:
        return unknown_rank("the rank of data is not known", data)
    if not data.shape.raw:
        require_rank(data, 1, 0)
    return shape_of((unknown("only the run knows the last segment id", segment_ids), *data.shape.raw[1:]))


def segment_count(data: Any, indices: Any, ids: Any) -> int:
    """The number of segments. Raises InvalidArgumentError where sizes do not fit, or indices or ids are not allowed."""
    if data.ndim < 1:
        raise InvalidArgumentError(message="Shape must be at least rank 1 but is rank 0")
    if indices.ndim != 1 or ids.shape != indices.shape:
        raise InvalidArgumentError(message="segment_ids and indices should have same size: they have shapes "
                                           f"{listed(ids.shape)} and {listed(indices.shape)}")  # fmt: skip
    if len(ids):
        if int(ids[0]) < 0:
            raise InvalidArgumentError(message="segment ids must be >= 0")
        if (ids[1:] < ids[:-1]).any():
            raise InvalidArgumentError(message="segment ids are not increasing")
    check_range("indices", indices, len(data))
    return int(ids[-1]) + 1 if len(ids) else 0


def _sums(data: Any, indices: Any, ids: Any) -> Any:
    """The sums of each segment, added as they come; of 16-bit numbers in 32 bits."""
    count = segment_count(data, indices, ids)
    return combined("add", data[indices], ids, (count, *data.shape[1:]), in_order=False)


def means_of_sums(data: Any, sums: Any, ids: Any, root: bool) -> Any:
    """The sums of each segment divided by its number of rows, or by the square root of that."""
    counts = np.bincount(ids, minlength=len(sums)) if len(sums) else np.zeros(0, np.int64)
    divisors = np.maximum(counts, 1)
    return _scaled(data, sums, np.sqrt(divisors) if root else divisors)


def _scaled(data: Any, sums: Any, divisors: Any) -> Any:
    shaped = divisors.astype(sums.dtype).reshape(-1, *(1,) * (sums.ndim - 1))
    return (sums / shaped).astype(data.dtype, copy=False)


@sparse_segment_sum.kernel
def sparse_segment_sum_kernel(xp: Any, data: Any, indices: Any, segment_ids: Any) -> Any:
    return _sums(data, indices, segment_ids).astype(data.dtype, copy=False)


@sparse_segment_mean.kernel
def sparse_segment_mean_kernel(xp: Any, data: Any, indices: Any, segment_ids: Any) -> Any:
    return means_of_sums(data, _sums(data, indices, segment_ids), segment_ids, root=False)


@sparse_segment_sqrt_n.kernel
def sparse_segment_sqrt_n_kernel(xp: Any, data: Any, indices: Any, segment_ids: Any) -> Any:
    return means_of_sums(data, _sums(data, indices, segment_ids), segment_ids, root=True)


def _rows_of_gradient(op: Operation, rows: Any) -> list[Any]:
    data, indices, _ = op.inputs
    return [lambda: unsorted_segment_sum(rows(), indices, shape_op(data)[0]), None, None]


def _weights(op: Operation, g: Tensor, weigh: Any) -> Tensor:
    """g of the segment of each row, times the weight of a segment of so many rows."""
    ids = op.inputs[2]
    counts = unsorted_segment_sum(ones_like(cast(ids, g.dtype)), ids, shape_op(g)[0])
    weights = gather(weigh(maximum(counts, convert_to_tensor(1, g.dtype))), ids)
    rows = gather(g, ids)
    sizes = concat(0, [shape_op(weights), ones([rank_op(rows) - 1], int32)])
    return multiply(rows, reshape(weights, sizes))


@sparse_segment_sum.gradient("data: the sums of the rows g[segment_ids] by indices")
def sparse_segment_sum_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return _rows_of_gradient(op, lambda: gather(g, op.inputs[2]))


@sparse_segment_mean.gradient("data: the sums of the rows g[segment_ids] / count by indices")
def sparse_segment_mean_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return _rows_of_gradient(op, lambda: _weights(op, g, reciprocal))


@sparse_segment_sqrt_n.gradient("data: the sums of the rows g[segment_ids] / sqrt(count) by indices")
def sparse_segment_sqrt_n_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return _rows_of_gradient(op, lambda: _weights(op, g, rsqrt))


def _samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8"):
        yield sample(rng.standard_normal((4, 2)).astype(dtype), np.array([3, 0, 3], "i4"), np.array([0, 0, 2], "i4"))
    yield sample(rng.standard_normal(4).astype("f4"), np.array([1, 0], "i8"), np.array([1, 1], "i4"))
    yield sample(np.zeros((3, 2), "f4"), np.zeros(0, "i4"), np.zeros(0, "i4"))


sparse_segment_sum.samples(_samples)
sparse_segment_mean.samples(_samples)
sparse_segment_sqrt_n.samples(_samples)
