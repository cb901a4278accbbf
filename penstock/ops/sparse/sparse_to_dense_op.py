"""Dense tensors of sparse: `sparse_to_dense`, `sparse_tensor_to_dense`, `sparse_to_indicator`, `sparse_merge`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_shape
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, INT32_64, Flag, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int32, int64
from ...graph.shapes.shape import TensorShape
from ..create.creation import fill
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import listed, possible, require_rank
from ..elementwise.casting import cast
from ..index.gathering import gather_nd
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims
from ..reduce.reductions import reduce_sum
from .sparse_order import sparse_reorder
from .sparse_parts import SparseLike, as_flag, as_sparse, check_bounds, check_order, flat_places, undone_if_refused

PUBLIC_NAMES = {
    "tf": "sparse_merge sparse_tensor_to_dense sparse_to_dense sparse_to_indicator",
    "sparse": "merge=sparse_merge to_dense=sparse_tensor_to_dense to_indicator=sparse_to_indicator",
}

_Rows = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]
_Shape = Annotated[TensorLike, Operand("Tindices", INT32_64, host=True, prefer=int32)]
_Values = Annotated[TensorLike, Operand("T", ANY)]


@op("SparseToDense", graphdef="T=sparse_values Tindices=sparse_indices validate_indices ->dense", host_only=True)
def sparse_to_dense_op(
    sparse_indices: _Rows, output_shape: _Shape, sparse_values: _Values, default_value: _Values,
    validate_indices: Flag = True, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `sparse_to_dense`."""


def zero_of(dtype: Any) -> Any:
    """The zero of a dtype as an array: "" of strings, False of bools."""
    if dtype.name == "string":
        return np.array(b"", object)
    return np.zeros((), dtype.np)


@sparse_to_dense_op.shape
def sparse_to_dense_shape(
    sparse_indices: Tensor, output_shape: Tensor, sparse_values: Tensor, default_value: Tensor, validate_indices: bool
) -> TensorShape:
    if (sparse_indices.shape.ndims or 0) > 2:
        raise ShapeError(f"Shape must be at most rank 2 but is rank {sparse_indices.shape.ndims}", operand=0)
    require_rank(output_shape, 1, 1)
    if (sparse_values.shape.ndims or 0) > 1:
        raise ShapeError(f"Shape must be at most rank 1 but is rank {sparse_values.shape.ndims}", operand=2)
    require_rank(default_value, 0, 3)
    return known_shape(output_shape)


@sparse_to_dense_op.kernel
def sparse_to_dense_kernel(
    xp: Any, sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, validate_indices: bool
) -> Any:
    rows, sizes = sparse_indices, np.asarray(output_shape)
    if rows.ndim > 2:
        raise InvalidArgumentError(
            message=f"sparse_indices should be a scalar, vector, or matrix, got shape {listed(rows.shape)}"
        )
    if sizes.ndim != 1:
        raise InvalidArgumentError(message=f"output_shape must be rank 1, got shape {listed(sizes.shape)}")
    rows = rows.reshape(rows.shape if rows.ndim == 2 else (-1, 1)).astype(np.int64, copy=False)
    if len(sizes) != rows.shape[1]:
        raise InvalidArgumentError(message=f"output_shape has incorrect number of elements: {len(sizes)} should be: "
                                           f"{rows.shape[1]}")  # fmt: skip
    if sparse_values.ndim > 1 or (sparse_values.ndim == 1 and len(sparse_values) != len(rows)):
        raise InvalidArgumentError(message="sparse_values has incorrect shape "
                                           f"{listed(sparse_values.shape)}, should be [] or [{len(rows)}]")  # fmt: skip
    if default_value.ndim:
        raise InvalidArgumentError(message="default_value should be a scalar.")
    if len(sizes) and sizes.min() < 0:
        raise InvalidArgumentError(message=f"Dimension {int(sizes.min())} must be >= 0")
    shape = tuple(sizes.tolist())
    possible(shape, sparse_values.dtype.itemsize)
    (check_order if validate_indices else check_bounds)(rows, sizes)
    dense = xp.empty(shape, sparse_values.dtype)
    dense[...] = default_value
    dense.reshape(-1)[flat_places(rows, shape)] = sparse_values
    return dense


@sparse_to_dense_op.gradient("sparse_values: gather_nd(g, sparse_indices); default_value: the sum of the rest of g")
def sparse_to_dense_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    rows, _, values, _ = op.inputs

    def of_values() -> Tensor:
        places = rows
        if rows.shape.ndims == 0:
            return gather_nd(g, expand_dims(rows, 0))
        if rows.shape.ndims == 1:
            places = expand_dims(rows, 1)
        each = gather_nd(g, places)
        return reduce_sum(each) if values.shape.ndims == 0 else each

    def of_default() -> Tensor:
        each = of_values()
        total: Tensor = reduce_sum(g) - (each if each.shape.ndims == 0 else reduce_sum(each))
        return total

    return [None, None, of_values, of_default]


@sparse_to_dense_op.samples
def sparse_to_dense_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(np.array([[0, 1], [2, 0]], "i8"), np.array([3, 2], "i8"), np.array([5, 6], dtype),
                     np.array(1, dtype), fixed=("output_shape",))  # fmt: skip
    yield sample(np.array([1, 3], "i4"), np.array([5], "i4"), np.array(2, "f4"), np.array(0, "f4"))
    yield sample(np.zeros((0, 2), "i8"), np.array([2, 2], "i8"), np.zeros(0, "f4"), np.array(0, "f4"))
    yield sample(np.array([[1]], "i8"), np.array([2], "i8"), np.array([b"x"], object), np.array(b"", object))


@reported_as_call(one_op=True)
def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor with `sparse_values` at the rows of `sparse_indices`, and `default_value` elsewhere.

    Args:
        sparse_indices: int32 or int64: a matrix with one row for each value; a vector where the result is one; or a
            scalar for one value.
        output_shape: a vector of the dtype of `sparse_indices`: the shape of the result.
        sparse_values: a value for each row, or a scalar for all; any dtype.
        default_value: a scalar of the dtype of `sparse_values`.
        validate_indices: whether the indices must ascend and occur once.

    Returns:
        A tensor of shape `output_shape` with the dtype of `sparse_values`.

    Raises:
        TypeError: dtypes do not fit.
        ValueError: known ranks do not fit.
        InvalidArgumentError (when run): shapes do not fit, or an index is out of range, out of order or repeated.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6])).tolist())
    [[0, 5], [6, 0]]

    Source: TensorFlow 1.15, `tf.sparse_to_dense`.
    """
    default = default_value
    if type(default_value) is int and default_value == 0 and isinstance(sparse_values, Tensor):
        default = zero_of(sparse_values.dtype)
    return sparse_to_dense_op(sparse_indices, output_shape, sparse_values, default, validate_indices, name=name)


@reported_as_call(one_op=True)
@undone_if_refused
def sparse_tensor_to_dense(
    sp_input: SparseLike, default_value: TensorLike | None = None, validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The dense tensor that a `SparseTensor` describes.

    Args:
        sp_input: a `SparseTensor` or a `SparseTensorValue`.
        default_value: what stands where the sparse tensor has no value; by default 0, False or "".
        validate_indices: whether the indices must ascend and occur once.

    Returns:
        A tensor of the shape and dtype of `sp_input`.

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `default_value` has another dtype.
        ValueError: `default_value` is no scalar.
        InvalidArgumentError (when run): an index is out of range, out of order or repeated.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
    ...     print(session.run(tf.sparse_tensor_to_dense(s)).tolist())
    [[0.0, 5.0, 0.0], [0.0, 0.0, 6.0]]

    Source: TensorFlow 1.15, `tf.sparse_tensor_to_dense`.
    """
    s = as_sparse(sp_input)
    default = zero_of(s.dtype) if default_value is None else default_value
    return sparse_to_dense(s.indices, s.dense_shape, s.values, default, validate_indices, name=name)


@composite("SparseToIndicator")
def sparse_to_indicator(sp_input: SparseLike, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """A bool tensor that is True at the numbers that each row of `sp_input` holds.

    Args:
        sp_input: a `SparseTensor` of int32 or int64 numbers, of rank r.
        vocab_size: the size of the last dimension of the result.

    Returns:
        A bool tensor of shape dense_shape[:-1] + [vocab_size]: out[..., v] says whether v is a value in that row.

    Raises:
        TypeError: `sp_input` is no sparse tensor of ints.
        ValueError: `vocab_size` is no scalar, or out of range.
        InvalidArgumentError (when run): a value is not in [0, vocab_size).

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
    ...     print(session.run(tf.sparse_to_indicator(ids, 3)).tolist())
    [[False, False, True], [True, True, False]]

    Source: TensorFlow 1.15, `tf.sparse_to_indicator`.
    """
    s = as_sparse(sp_input)
    on = fill(expand_dims(shape_op(s.values)[0], 0), True)
    merged = sparse_merge(s, SparseTensor(s.indices, on, s.dense_shape), vocab_size)
    return sparse_tensor_to_dense(merged, False, validate_indices=False, name=name_of_scope())


@composite("SparseMerge")
def sparse_merge(
    sp_ids: SparseLike | Sequence[SparseLike],
    sp_values: SparseLike,
    vocab_size: TensorLike | Sequence[TensorLike],
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """A `SparseTensor` in which the ids of one sparse tensor are the last index of the values of another one.

    Args:
        sp_ids: a `SparseTensor` of int32 or int64 ids, or a list of them; its last dimension is replaced.
        sp_values: a `SparseTensor` with the same indices.
        vocab_size: the size of the new last dimension, or a list with one for each of `sp_ids`.
        already_sorted: whether the new indices are in order; otherwise they are put in order.

    Returns:
        A `SparseTensor` with the values and the dtype of `sp_values`, of dense shape [..., vocab_size].

    Raises:
        TypeError: an argument is no sparse tensor, or ids are not ints.
        ValueError: the two lists differ in length.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    ...     values = tf.SparseTensor([[0, 0], [1, 0]], [0.5, 0.7], [2, 1])
    ...     print(session.run(tf.sparse_merge(ids, values, 3)).indices.tolist())
    [[0, 2], [1, 0]]

    Source: TensorFlow 1.15, `tf.sparse_merge`.
    """
    is_sorted = as_flag(already_sorted, "already_sorted")
    several = list(sp_ids) if isinstance(sp_ids, (list, tuple)) and not hasattr(sp_ids, "dense_shape") else [sp_ids]
    sizes = list(vocab_size) if isinstance(vocab_size, (list, tuple)) else [vocab_size]
    if len(several) != len(sizes):
        raise ValueRuleError(f"sp_ids has {len(several)} sparse tensors but vocab_size {len(sizes)} sizes; there is "
                             "one size for each")  # fmt: skip
    ids, values = [as_sparse(each, "sp_ids") for each in several], as_sparse(sp_values, "sp_values")
    for each in ids:
        if each.dtype not in (int32, int64):
            raise DTypeError(f"the values of sp_ids must be int32 or int64, not {each.dtype}")
    columns = [expand_dims(cast(each.values, int64), 1) for each in ids]
    indices = concat(1, [ids[0].indices[:, :-1], *columns])
    new_sizes = [expand_dims(cast(size, int64), 0) for size in sizes]
    merged = SparseTensor(indices, values.values, concat(0, [ids[0].dense_shape[:-1], *new_sizes]))
    return merged if is_sorted else sparse_reorder(merged)
