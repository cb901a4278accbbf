"""Values and rows of sparse tensors: `sparse_retain`, `sparse_fill_empty_rows`, `sparse_reset_shape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.effects import Effects
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import TensorLike
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import bool_, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..checks.assert_elements import assert_less_equal
from ..control.with_dependencies import with_dependencies
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import require_rank
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..elementwise.logical import logical_not
from ..elementwise.select_where import where
from ..index.gathering import gather
from ..move.concat_stack import concat
from ..move.reshaping import expand_dims, reshape
from ..reduce.reductions import reduce_any, reduce_max, reduce_sum
from .sparse_parts import (
    Places,
    Sizes,
    SparseLike,
    Values,
    as_sparse,
    check_parts,
    count_of,
    rank_of_parts,
    shapes_of_parts,
    stable_order,
    undone_if_refused,
)  # fmt: skip

PUBLIC_NAMES = {
    "tf": "sparse_fill_empty_rows sparse_mask sparse_reset_shape sparse_retain",
    "sparse": (
        "fill_empty_rows=sparse_fill_empty_rows mask=sparse_mask reset_shape=sparse_reset_shape "
        "retain=sparse_retain"
    ),
}


@composite("SparseRetain")
def sparse_retain(sp_input: SparseLike, to_retain: TensorLike, name: str | None = None) -> SparseTensor:
    """The values of a sparse tensor for which a mask is True.

    Args:
        sp_input: a `SparseTensor` of n values.
        to_retain: a bool vector of n entries.

    Returns:
        A `SparseTensor` of the same dense shape and dtype.

    Raises:
        TypeError: `sp_input` is no sparse tensor.
        ValueError: known sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0], [1], [2]], [5, 6, 7], [3])
    ...     print(session.run(tf.sparse_retain(s, [True, False, True])).values)
    [5 7]

    Source: TensorFlow 1.15, `tf.sparse_retain`.
    """
    s, mask = as_sparse(sp_input), convert_to_tensor(to_retain, bool_)
    if mask.shape.ndims not in (None, 1):
        raise ShapeError(f"to_retain has shape {mask.shape}; it is a vector with one entry for each value")
    rows, entries = s.values.shape[0], mask.shape[0]
    if not rows.is_compatible_with(entries):
        raise ShapeError(f"to_retain has {entries} entries but sp_input has {rows} values; there is one for each")
    places = reshape(where(mask), [-1])
    return SparseTensor(gather(s.indices, places), gather(s.values, places), s.dense_shape)


# ---- sparse_fill_empty_rows ---------------------------------------------------------------------


@op(
    "SparseFillEmptyRows",
    graphdef="T=values ->output_indices,output_values,empty_row_indicator,reverse_index_map",
    out=(int64, "T", bool_, int64),
    host_only=True,
    effects=Effects(evaluable=False),
)
def sparse_fill_empty_rows_op(
    indices: Places, values: Values, dense_shape: Sizes, default_value: Values, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The op behind `sparse_fill_empty_rows`: (indices, values, which rows were empty, places of the old values)."""


@sparse_fill_empty_rows_op.shape
def sparse_fill_empty_rows_shape(
    indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor
) -> list[TensorShape]:
    rank = rank_of_parts(indices, values, dense_shape)
    require_rank(default_value, 0, 3)
    parts = shapes_of_parts(rank, "only the run knows which rows are empty", values)
    first = (known_vector(dense_shape) or (None,))[0]
    rows: Dim = unknown("the number of rows is not known", dense_shape)
    if isinstance(first, int) and first >= 0:
        rows = first
    return [parts[0], parts[1], shape_of((rows,)), shape_of((count_of(values),))]


@sparse_fill_empty_rows_op.kernel
def sparse_fill_empty_rows_kernel(xp: Any, indices: Any, values: Any, dense_shape: Any, default_value: Any) -> Any:
    check_parts(indices, values, dense_shape)
    if default_value.ndim:
        raise InvalidArgumentError(message="default_value must be a scalar")
    if not len(dense_shape):
        raise InvalidArgumentError(message="Dense shape cannot be empty")
    count, numbers = int(dense_shape[0]), indices[:, 0]
    if not count and len(numbers):
        raise InvalidArgumentError(message="Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = "
                                           f"{len(numbers)}")  # fmt: skip
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < count:
        row = int(((numbers < 0) | (numbers >= count)).argmax())
        raise InvalidArgumentError(message=f"indices({row}, 0) is invalid: {int(numbers[row])} >= {count}")
    sizes = np.bincount(numbers, minlength=count)
    is_empty = sizes == 0
    empty = np.flatnonzero(is_empty)
    order = stable_order(np.concatenate([numbers, empty]))
    if order is None and not len(empty):
        return indices.copy(), values.copy(), is_empty, np.arange(len(numbers))
    order = np.arange(len(numbers) + len(empty)) if order is None else order
    added = np.zeros((len(empty), indices.shape[1]), np.int64)
    added[:, 0] = empty
    filling = np.full(len(empty), default_value, values.dtype)
    reverse = np.empty(len(order), np.int64)
    reverse[order] = np.arange(len(order))
    return (np.concatenate([indices, added])[order], np.concatenate([values, filling])[order], is_empty,
            reverse[: len(numbers)].copy())  # fmt: skip


@sparse_fill_empty_rows_op.gradient("values: g at their new places; default_value: the sum of the rest of g")
def sparse_fill_empty_rows_gradient(
    ops: Any, op: Operation, g_indices: Any, g: Tensor | None, g_empty: Any, g_places: Any
) -> list[Any]:
    if g is None:
        return [None] * 4
    places = op.outputs[3]

    def of_default() -> Tensor:
        rest: Tensor = reduce_sum(g) - reduce_sum(gather(g, places))
        return rest

    return [None, lambda: gather(g, places), None, of_default]


@sparse_fill_empty_rows_op.samples
def sparse_fill_empty_rows_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8"):
        yield sample(np.array([[0, 1], [2, 0]], "i8"), np.array([1, 2], dtype), np.array([4, 3], "i8"),
                     np.array(7, dtype))  # fmt: skip
    yield sample(np.zeros((0, 2), "i8"), np.zeros(0, "f4"), np.array([2, 3], "i8"), np.array(7, "f4"))


@reported_as_call(one_op=True)
@undone_if_refused
def sparse_fill_empty_rows(
    sp_input: SparseLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """A sparse tensor with a value in the first column of each row that had none.

    Args:
        sp_input: a `SparseTensor` of rank 1 or higher.
        default_value: the value, a scalar.

    Returns:
        (sparse tensor, bool vector): the filled one, and for each row whether it was empty.

    Raises:
        TypeError: `sp_input` is no sparse tensor, or the dtypes differ.
        ValueError: `default_value` is no scalar.
        InvalidArgumentError (when run): the number of a row is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    ...     filled, was_empty = session.run(tf.sparse_fill_empty_rows(s, 9))
    ...     print(filled.values, was_empty)
    [5 9 6] [False  True False]

    Source: TensorFlow 1.15, `tf.sparse_fill_empty_rows`.
    """
    s = as_sparse(sp_input)
    default = convert_to_tensor(default_value, None if isinstance(default_value, Tensor) else s.dtype)
    indices, values, is_empty, _ = sparse_fill_empty_rows_op(s.indices, s.values, s.dense_shape, default, name=name)
    return SparseTensor(indices, values, s.dense_shape), is_empty


@composite("SparseResetShape")
def sparse_reset_shape(
    sp_input: SparseLike, new_shape: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor of the same values in a larger dense shape, or in the smallest one that holds them.

    Args:
        sp_input: a `SparseTensor`.
        new_shape: the sizes, none smaller than those of `sp_input`; by default the smallest ones possible.

    Returns:
        A `SparseTensor` with the indices and values of `sp_input`, their dtype and the new dense shape.

    Raises:
        TypeError: `sp_input` is no sparse tensor.
        ValueError: known ranks differ.
        InvalidArgumentError (when run): a new size is smaller.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [4, 9])
    ...     print(session.run(tf.sparse_reset_shape(s)).dense_shape)
    [2 2]

    Source: TensorFlow 1.15, `tf.sparse_reset_shape`.
    """
    s = as_sparse(sp_input)
    if new_shape is None:
        below = expand_dims(zeros_like(s.dense_shape) - 1, 0)  # sizes are 0 where there is no value
        return SparseTensor(s.indices, s.values, reduce_max(concat(0, [s.indices, below]), 0) + 1)
    sizes = cast(convert_to_tensor(new_shape), int64)
    if not sizes.shape.is_compatible_with(s.dense_shape.shape):
        raise ShapeError(f"new_shape has shape {sizes.shape}, the dense shape of sp_input {s.dense_shape.shape}; both "
                         "have one entry for each dimension")  # fmt: skip
    check = assert_less_equal(s.dense_shape, sizes)
    return SparseTensor(s.indices, s.values, with_dependencies([check], sizes))


@composite("sparse_mask")
def sparse_mask(a: Any, mask_indices: TensorLike, name: str | None = None) -> Any:
    """The rows of `tf.IndexedSlices` whose numbers are not in a mask.

    Args:
        a: `tf.IndexedSlices`.
        mask_indices: a vector of the numbers of the rows to leave out.

    Returns:
        `tf.IndexedSlices`.

    Raises:
        TypeError: `a` is something else.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([3, 5]))
    ...     print(session.run(tf.sparse_mask(slices, [3])).indices)
    [5]

    Source: TensorFlow 1.15, `tf.sparse_mask`.
    """
    if not isinstance(a, IndexedSlices):
        raise DTypeError(f"a must be tf.IndexedSlices, not {type(a).__name__}")
    masked = cast(convert_to_tensor(mask_indices), a.indices.dtype)
    equal_pairs = equal(expand_dims(a.indices, 1), expand_dims(masked, 0))
    places = reshape(where(logical_not(reduce_any(equal_pairs, 1))), [-1])
    indices = gather(a.indices, places)
    return IndexedSlices(gather(a.values, places, name_of_scope()), indices, a.dense_shape)
