"""Sparse tensors as strings: `serialize_sparse`, `serialize_many_sparse`, `deserialize_many_sparse`.

A sparse tensor is three strings: its indices, values and dense shape, each a serialised TensorProto with TensorFlow's
bytes. Queues hold sparse tensors so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import DTypeLike, TensorLike, as_int
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype, int64, string
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, listed, require_rank, same_size
from ..declare.string_arguments import Strings, array_of
from .sparse_parts import Places, Sizes, SparseLike, Values, as_sparse, check_parts, rank_of_parts

PUBLIC_NAMES = {"tf io": "deserialize_many_sparse serialize_many_sparse serialize_sparse"}


@op("SerializeSparse", graphdef="T=values ->serialized_sparse", host_only=True, out=string)
def serialize_sparse_op(indices: Places, values: Values, dense_shape: Sizes, name: str | None = None) -> Tensor:
    """The op behind `serialize_sparse`."""


@op("SerializeManySparse", graphdef="T=values ->serialized_sparse", host_only=True, effects=AT_RUN_TIME, out=string)
def serialize_many_sparse_op(indices: Places, values: Values, dense_shape: Sizes, name: str | None = None) -> Tensor:
    """The op behind `serialize_many_sparse`."""


@op(
    "DeserializeManySparse", graphdef="dtype ->sparse_indices,sparse_values,sparse_shape", host_only=True,
    effects=AT_RUN_TIME, out=(int64, "dtype", int64),
)  # fmt: skip
def deserialize_many_sparse_op(
    serialized_sparse: Strings, dtype: DTypeLike, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The op behind `deserialize_many_sparse`: (indices, values, dense shape)."""


for _op in (serialize_sparse_op, serialize_many_sparse_op, deserialize_many_sparse_op):
    _op.no_gradient("it writes and reads strings")


@reported_as_call("SerializeSparse", one_op=True)
def serialize_sparse(sp_input: SparseLike, name: str | None = None, out_type: DTypeLike = "string") -> Tensor:
    """A sparse tensor as three strings: its indices, values and dense shape.

    Args:
        sp_input: a `SparseTensor`.
        out_type: the dtype of the result; string only.

    Returns:
        A string tensor of shape (3,).

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `out_type` is another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     strings = tf.serialize_sparse(tf.SparseTensor([[0, 1]], [5.0], [2, 3]))
    ...     print(strings.shape, session.run(tf.parse_tensor(strings[1], tf.float32)))
    (3,) [5.]

    Source: TensorFlow 1.15, `tf.serialize_sparse`.
    """
    s = as_sparse(sp_input)
    _require_string(out_type)
    return serialize_sparse_op(s.indices, s.values, s.dense_shape, name)


@reported_as_call("SerializeManySparse", one_op=True)
@documented_like(serialize_sparse)
def serialize_many_sparse(sp_input: SparseLike, name: str | None = None, out_type: DTypeLike = "string") -> Tensor:
    """The slices of a sparse tensor along its first dimension, each as three strings.

    Args:
        sp_input: a `SparseTensor` of rank 2 or higher, its indices in order of the first dimension.

    Returns:
        A string tensor of shape (slices, 3).

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.serialize_many_sparse(tf.SparseTensor([[0, 1]], [5.0], [2, 3]))).shape)
    (2, 3)

    Source: TensorFlow 1.15, `tf.serialize_many_sparse`.
    """
    s = as_sparse(sp_input)
    _require_string(out_type)
    return serialize_many_sparse_op(s.indices, s.values, s.dense_shape, name)


def _require_string(dtype: DTypeLike) -> None:
    if as_dtype(dtype) is not string:
        raise DTypeError(f"out_type must be tf.string, but is {as_dtype(dtype)}")


@reported_as_call("DeserializeManySparse", one_op=True)
def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """One sparse tensor of several that `serialize_sparse` wrote, each a slice along a new first dimension.

    Args:
        serialized_sparse: a string matrix with a row of three entries for each.
        dtype: the dtype of their values.
        rank: the rank of each, if it is known.

    Returns:
        A `SparseTensor` of dtype `dtype` and of rank + 1 dimensions; the sizes of its shape are the largest ones.

    Raises:
        TypeError: `serialized_sparse` is not string.
        ValueError: its shape is another.
        InvalidArgumentError (when run): they are no serialised sparse tensors, or of different ranks.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     row = tf.serialize_sparse(tf.SparseTensor([[1]], [5.0], [3]))
    ...     print(session.run(tf.deserialize_many_sparse(tf.pack([row, row]), tf.float32)).dense_shape)
    [2 3]

    Source: TensorFlow 1.15, `tf.deserialize_many_sparse`.
    """
    columns = None if rank is None else _checked_rank(rank) + 1
    indices, values, dense_shape = deserialize_many_sparse_op(serialized_sparse, dtype, name)
    if columns is not None:
        indices.set_shape([None, columns])
        dense_shape.set_shape([columns])
    return SparseTensor(indices, values, dense_shape)


def _checked_rank(rank: Any) -> int:
    try:
        number = as_int(rank)
    except TypeError:
        raise DTypeError(f"rank must be an int, but is {rank!r:.80}") from None
    if number < 0:
        raise ValueRuleError(f"rank must be >= 0, but is {number}")
    return number


@serialize_sparse_op.shape
def serialize_sparse_shape(indices: Tensor, values: Tensor, dense_shape: Tensor) -> TensorShape:
    rank_of_parts(indices, values, dense_shape)
    return shape_of((3,))


@serialize_many_sparse_op.shape
def serialize_many_sparse_shape(indices: Tensor, values: Tensor, dense_shape: Tensor) -> TensorShape:
    rank = rank_of_parts(indices, values, dense_shape)
    if isinstance(rank, int) and rank < 2:
        raise ShapeError(f"a sparse tensor of slices has rank 2 or higher, not {rank}", operand=0)
    return shape_of((unknown("dense_shape[0] is not known before the run", dense_shape), 3))


@deserialize_many_sparse_op.shape
def deserialize_many_sparse_shape(serialized_sparse: Tensor, dtype: DType) -> list[TensorShape]:
    require_rank(serialized_sparse, 2, 0, "There is a row of three strings for each sparse tensor.")
    width = dims_of(serialized_sparse, 2)[1]
    if width is not None:
        same_size(width, 3, 0, 1, "A sparse tensor is three strings: indices, values and dense shape.")
    count = unknown("only the run knows how many values there are", serialized_sparse)
    rank = unknown("the strings give the rank", serialized_sparse)
    return [shape_of((count, rank)), shape_of((count,)), shape_of((rank,))]


def _three(indices: Any, values: Any, dense_shape: Any) -> list[bytes]:
    return [hooks.serialized_tensor(np.ascontiguousarray(each)) for each in (indices, values, dense_shape)]


@serialize_sparse_op.kernel
def serialize_sparse_kernel(xp: Any, indices: Any, values: Any, dense_shape: Any) -> Any:
    check_parts(indices, values, dense_shape)
    return array_of(_three(indices, values, dense_shape), (3,))


@serialize_many_sparse_op.kernel
def serialize_many_sparse_kernel(xp: Any, indices: Any, values: Any, dense_shape: Any) -> Any:
    check_parts(indices, values, dense_shape)
    if len(dense_shape) < 2:
        raise InvalidArgumentError(message="Rank of input SparseTensor should be > 1, but saw rank: "
                                           f"{len(dense_shape)}")  # fmt: skip
    count, numbers = int(dense_shape[0]), indices[:, 0]
    if len(numbers) and (np.diff(numbers) < 0).any():
        raise InvalidArgumentError(message="the indices must be in the order of the first dimension; "
                                           "tf.sparse_reorder sorts them")  # fmt: skip
    if len(numbers) and not (numbers[0] >= 0 and numbers[-1] < count):
        raise InvalidArgumentError(message=f"an index of the first dimension is not in [0, {count})")
    ends = np.searchsorted(numbers, np.arange(count + 1))
    strings: list[bytes] = []
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        strings += _three(indices[first:last, 1:], values[first:last], dense_shape[1:])
    return array_of(strings, (count, 3))


@deserialize_many_sparse_op.kernel
def deserialize_many_sparse_kernel(xp: Any, serialized_sparse: Any, dtype: DType) -> Any:
    if serialized_sparse.ndim != 2 or serialized_sparse.shape[1] != 3:
        raise InvalidArgumentError(message="Serialized sparse should have 3 columns but has shape "
                                           f"{listed(serialized_sparse.shape)}")  # fmt: skip
    if not len(serialized_sparse):
        raise InvalidArgumentError(message="Must have at least 1 serialized SparseTensor, got input with shape "
                                           f"{listed(serialized_sparse.shape)}")  # fmt: skip
    places: list[Any] = []
    values: list[Any] = []
    sizes: list[Any] = []
    for number, row in enumerate(serialized_sparse.tolist()):
        index, value, size = (
            hooks.parsed_tensor(text, kind) for text, kind in zip(row, (int64, dtype, int64), strict=True)
        )
        if index.ndim != 2 or value.ndim != 1 or size.ndim != 1 or index.shape != (len(value), len(size)):
            raise InvalidArgumentError(message=f"the strings of row {number} have shapes {listed(index.shape)}, "
                                               f"{listed(value.shape)} and {listed(size.shape)}; they are no sparse "
                                               "tensor")  # fmt: skip
        if sizes and len(size) != len(sizes[0]):
            raise InvalidArgumentError(message=f"Inconsistent rank across SparseTensors: row 0 has rank "
                                               f"{len(sizes[0])}, row {number} has rank {len(size)}")  # fmt: skip
        places.append(np.concatenate([np.full((len(value), 1), number, np.int64), index], 1))
        values.append(value)
        sizes.append(size)
    shape = np.concatenate([[len(sizes)], np.max(np.stack(sizes), 0)]).astype(np.int64)
    return [np.concatenate(places), np.concatenate(values).astype(dtype.np, copy=False), shape]


_SMALL = (np.array([[0, 1], [2, 0]], "i8"), np.array([1.5, 2.5], "f4"), np.array([3, 4], "i8"))
_EMPTY = (np.zeros((0, 2), "i8"), np.zeros(0, "f4"), np.array([2, 3], "i8"))


@serialize_sparse_op.samples
def serialize_sparse_samples(rng: np.random.Generator) -> Samples:
    yield sample(*_SMALL)
    yield sample(*_EMPTY)


@serialize_many_sparse_op.samples
def serialize_many_sparse_samples(rng: np.random.Generator) -> Samples:
    yield sample(*_SMALL)
    yield sample(*_EMPTY)


@deserialize_many_sparse_op.samples
def deserialize_many_sparse_samples(rng: np.random.Generator) -> Samples:
    """The strings are written out: what serialises tensors is in an upper layer.

    They are the indices [[1]], the values [5] and the shape [3].
    """
    row = [
        b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x01"\x08\x01\x00\x00\x00\x00\x00\x00\x00',
        b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\x00\x00\xa0@',
        b'\x08\t\x12\x04\x12\x02\x08\x01"\x08\x03\x00\x00\x00\x00\x00\x00\x00',
    ]
    yield sample(np.array([row, row], object), "float32")
