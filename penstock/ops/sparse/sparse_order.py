"""Sparse tensors in another order or shape: `sparse_reorder`, `sparse_reshape`, `sparse_transpose`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_shape
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import shape as shape_op
from ..create.shape_size_rank import size as size_op
from ..declare.composite import composite, reported_as_call
from ..declare.shape_checks import length_of, listed
from ..elementwise.casting import cast
from ..index.gathering import gather
from ..index.scatter import scatter_nd
from ..move.reshaping import expand_dims
from ..move.transpose_reverse import transpose
from .sparse_parts import (
    Places,
    Sizes,
    SparseLike,
    Values,
    as_sparse,
    check_bounds,
    check_parts,
    check_ranks,
    count_of,
    flat_places,
    rank_of_parts,
    ranks,
    shapes_of_parts,
    stable_order,
    undone_if_refused,
)  # fmt: skip

PUBLIC_NAMES = {
    "tf": "sparse_reorder sparse_reshape sparse_transpose",
    "sparse": "reorder=sparse_reorder reshape=sparse_reshape transpose=sparse_transpose",
}

# ---- sparse_reorder -----------------------------------------------------------------------------


@op("SparseReorder", graphdef="T=input_values ->output_indices,output_values", out=(int64, "T"), host_only=True)
def sparse_reorder_op(
    input_indices: Places, input_values: Values, input_shape: Sizes, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The op behind `sparse_reorder`: (indices, values)."""


@sparse_reorder_op.shape
def sparse_reorder_shape(input_indices: Tensor, input_values: Tensor, input_shape: Tensor) -> list[TensorShape]:
    rank = rank_of_parts(input_indices, input_values, input_shape)
    return shapes_of_parts(rank, "the number of values is not known", input_values, count_of(input_values))[:2]


@sparse_reorder_op.kernel
def sparse_reorder_kernel(xp: Any, input_indices: Any, input_values: Any, input_shape: Any) -> Any:
    check_parts(input_indices, input_values, input_shape)
    check_bounds(input_indices, input_shape)
    order = stable_order(ranks(input_indices))
    if order is None:
        return input_indices.copy(), input_values.copy()
    return input_indices[order], input_values[order]


@sparse_reorder_op.gradient("input_values: g in the order of the operand")
def sparse_reorder_gradient(ops: Any, op: Operation, g_indices: Any, g: Tensor | None) -> list[Any]:
    if g is None:
        return [None, None, None]
    indices, values, shape = op.inputs

    def of_values() -> Tensor:
        numbers = range_op(size_op(values))
        _, order = sparse_reorder_op(indices, numbers, shape)
        return scatter_nd(expand_dims(order, 1), g, shape_op(values))

    return [None, of_values, None]


@sparse_reorder_op.samples
def sparse_reorder_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(np.array([[1, 0], [0, 2], [0, 1]], "i8"), np.array([5, 6, 7], dtype), np.array([2, 3], "i8"))
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), np.array([2, 3], "i8"))


@reported_as_call(one_op=True)
def sparse_reorder(sp_input: SparseLike, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its values in the order of their places, row by row.

    Args:
        sp_input: a `SparseTensor`.

    Returns:
        A `SparseTensor` of the same dtype and shape, whose indices ascend. Values at equal indices keep their order.

    Raises:
        TypeError: `sp_input` is no sparse tensor.
        InvalidArgumentError (when run): an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[1, 0], [0, 2]], [5, 6], [2, 3])
    ...     print(session.run(tf.sparse_reorder(s)).values)
    [6 5]

    Source: TensorFlow 1.15, `tf.sparse_reorder`.
    """
    s = as_sparse(sp_input)
    indices, values = sparse_reorder_op(s.indices, s.values, s.dense_shape, name=name)
    return SparseTensor(indices, values, s.dense_shape)


@composite("SparseTranspose")
def sparse_transpose(sp_input: SparseLike, perm: TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its dimensions in another order, and its values in the order of their places.

    Args:
        sp_input: a `SparseTensor` of rank r.
        perm: the dimensions of `sp_input` in their new order; by default from the last to the first one.

    Returns:
        A `SparseTensor` of shape dense_shape[perm] and the same dtype.

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `perm` is not int.
        ValueError: `perm` is no vector of dimensions of `sp_input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3])
    ...     print(session.run(tf.sparse_transpose(s)).indices.tolist())
    [[0, 1], [2, 0]]

    Source: TensorFlow 1.15, `tf.sparse_transpose`.
    """
    s = as_sparse(sp_input)
    if perm is None:
        rank = s.shape.ndims
        order = convert_to_tensor(
            list(reversed(range(rank))) if rank is not None else size_op(s.dense_shape) - 1 - range_op(
                size_op(s.dense_shape))
        )  # fmt: skip
    else:
        order = convert_to_tensor(perm)
    indices = transpose(gather(transpose(s.indices), order))
    return sparse_reorder(SparseTensor(indices, s.values, gather(s.dense_shape, order)))


# ---- sparse_reshape -----------------------------------------------------------------------------


@op("SparseReshape", graphdef="->output_indices,output_shape", out=(int64, int64), host_only=True,
    ranks={"input_indices": 2, "input_shape": 1, "new_shape": 1}, no_gradient="it gives ints")  # fmt: skip
def sparse_reshape_op(
    input_indices: Places, input_shape: Sizes, new_shape: Sizes, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The op behind `sparse_reshape`: (indices, dense shape)."""


@sparse_reshape_op.shape
def sparse_reshape_shape(input_indices: Tensor, input_shape: Tensor, new_shape: Tensor) -> list[TensorShape]:
    count = None if input_indices.shape.raw is None else input_indices.shape.raw[0]
    indices, _, shape = shapes_of_parts(length_of(new_shape), "the number of values is not known", input_indices, count)
    return [indices, shape]


@sparse_reshape_op.kernel
def sparse_reshape_kernel(xp: Any, input_indices: Any, input_shape: Any, new_shape: Any) -> Any:
    check_ranks(input_indices=(input_indices, 2), input_shape=(input_shape, 1), new_shape=(new_shape, 1))
    old, new = [int(size) for size in input_shape], [int(size) for size in new_shape]
    if input_indices.ndim != 2 or input_indices.shape[1] != len(old):
        raise InvalidArgumentError(message=f"Input tensor rank must match input shape length: indices have shape "
                                           f"{listed(input_indices.shape)}, the shape {len(old)} entries")  # fmt: skip
    total, known = int(np.prod([1, *old], dtype=object)), 1
    unknown_at = [i for i, size in enumerate(new) if size == -1]
    if len(unknown_at) > 1:
        raise InvalidArgumentError(message=f"only one output dimension may be -1, not both {unknown_at[0]} and "
                                           f"{unknown_at[1]}")  # fmt: skip
    for i, size in enumerate(new):
        if size < -1:
            raise InvalidArgumentError(message=f"size {i} must be non-negative, not {size}")
        known *= size if size != -1 else 1
    if unknown_at:
        if known <= 0:
            raise InvalidArgumentError(message="reshape cannot infer the missing input size for an empty tensor unless "
                                               "all specified input sizes are non-zero")  # fmt: skip
        if total % known:
            raise InvalidArgumentError(message=f"Input to reshape is a SparseTensor with {total} dense values, but the "
                                               f"requested shape requires a multiple of {known}. input_shape="
                                               f"{listed(old)} output_shape={listed(new)}")  # fmt: skip
        new[unknown_at[0]] = total // known
    elif known != total:
        raise InvalidArgumentError(message=f"Input to reshape is a tensor with {total} dense values, but the requested "
                                           f"shape has {known}. input_shape={listed(old)} "
                                           f"output_shape={listed(new)}")  # fmt: skip
    places = flat_places(input_indices, old)
    indices = np.empty((len(places), len(new)), np.int64)
    for column in range(len(new) - 1, -1, -1):
        size = max(new[column], 1)
        indices[:, column] = places % size
        places = places // size
    return indices, np.array(new, np.int64)


@sparse_reshape_op.samples
def sparse_reshape_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[0, 1], [1, 2]], "i8"), np.array([2, 3], "i8"), np.array([3, -1], "i8"))
    yield sample(np.zeros((0, 2), "i8"), np.array([2, 3], "i8"), np.array([6], "i8"), fixed=("new_shape",))


@reported_as_call()
@undone_if_refused
def sparse_reshape(sp_input: SparseLike, shape: TensorLike, name: str | None = None) -> SparseTensor:
    """A sparse tensor of the same values in another dense shape.

    Args:
        sp_input: a `SparseTensor`.
        shape: a vector of int32 or int64 sizes; one of them may be -1, and follows from the others.

    Returns:
        A `SparseTensor` of dense shape `shape` and the same dtype. The values keep their order.

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `shape` is not int.
        ValueError: `shape` is no vector.
        InvalidArgumentError (when run): the new shape does not have as many elements.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 3])
    ...     print(session.run(tf.sparse_reshape(s, [3, -1])).indices.tolist())
    [[0, 1], [2, 1]]

    Source: TensorFlow 1.15, `tf.sparse_reshape`.
    """
    s = as_sparse(sp_input)
    sizes = shape if isinstance(shape, Tensor) else convert_to_tensor(shape, int64)
    if sizes.dtype is not int64:
        sizes = cast(sizes, int64)
    indices, dense_shape = sparse_reshape_op(s.indices, s.dense_shape, sizes, name=name)
    static = known_shape(sizes)
    if static.is_fully_defined():
        dense_shape = convert_to_tensor(static.as_list(), int64)
    return SparseTensor(indices, s.values, dense_shape)
