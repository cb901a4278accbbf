"""safe_embedding_lookup_sparse: rows of a table combined, where ids may be wrong and lists of ids empty."""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import shape_of
from ..create.creation import fill, ones, zeros_like
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import multiply
from ..elementwise.casting import cast
from ..elementwise.comparison import greater, greater_equal
from ..elementwise.logical import logical_and, logical_not
from ..elementwise.select_where import select, where
from ..index.gathering import boolean_mask, gather
from ..index.sorting import argsort
from ..move.concat_stack import concat
from ..move.reshaping import reshape
from ..reduce.cumsum import cumprod
from ..reduce.reductions import reduce_prod, reduce_sum
from ..reduce.unsorted_segments import unsorted_segment_max
from .embedding import CombinedIds, Tables, check_sparse, combined_rows

PUBLIC_NAMES = {"start_nn": "safe_embedding_lookup_sparse"}


@composite("safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Tables,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """For each list of ids along the last axis of a sparse tensor, the rows of a table that it names, combined.

    Ids below 0 are left out, and, unless `combiner` is "sum", those whose weight is not above 0. A list that is empty
    then gives the row `default_id`, or zeros.

    Args:
        embedding_weights: the table, or a partitioned variable or a list of its parts, as in `embedding_lookup`.
        sparse_ids: a `tf.SparseTensor` of rank 2 or higher, whose values are the numbers of rows. Its indices are in
            row-major order.
        sparse_weights: a `tf.SparseTensor` of the same indices with the weight of each id; None means 1.
        combiner: "sum", "mean" or "sqrtn", as in `embedding_lookup_sparse`.
        default_id: the number of the row for empty lists; None means zeros.
        partition_strategy: as in `embedding_lookup`.
        max_norm: as in `embedding_lookup`.

    Returns:
        A tensor of shape dense_shape[:-1] + params.shape[1:], with the dtype of the table.

    Raises:
        TypeError: `sparse_ids` or `sparse_weights` is not a SparseTensor.
        ValueError: there is no table, `combiner` or `partition_strategy` is another text, or shapes do not fit.
        InvalidArgumentError (when run): an id is above the number of the last row.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.constant([[1.0, 1.0], [2.0, 4.0], [10.0, 20.0]])
    ...     ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0, 1, -1], [3, 2])
    ...     print(session.run(tf.nn.safe_embedding_lookup_sparse(table, ids)).tolist())
    [[1.5, 2.5], [0.0, 0.0], [0.0, 0.0]]

    Source: TensorFlow 1.x, `tf.nn.safe_embedding_lookup_sparse`.
    """
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueRuleError(f"Missing embedding_weights {embedding_weights!r}")
    check_sparse("sparse_ids", sparse_ids, "sparse_weights", sparse_weights)
    lists, count = _lists(sparse_ids)
    ids = sparse_ids.values
    weights = None if sparse_weights is None else sparse_weights.values
    is_valid = greater_equal(ids, zeros_like(ids))
    if weights is not None and combiner != "sum":
        is_valid = logical_and(is_valid, greater(weights, zeros_like(weights)))
    lists, ids = boolean_mask(lists, is_valid), boolean_mask(ids, is_valid)
    weights = None if weights is None else boolean_mask(weights, is_valid)
    is_empty = logical_not(_has_ids(lists, count))
    given = _filled(CombinedIds(lists, ids, weights), is_empty, default_id or 0)
    rows = combined_rows(embedding_weights, given, combiner, partition_strategy, max_norm)
    if default_id is None:
        rows = select(is_empty, zeros_like(rows), rows)
    return _in_shape(rows, sparse_ids)


def _lists(sparse_ids: SparseTensor) -> tuple[Tensor, Tensor]:
    """The number of the list of each id, and how many lists there are; int32."""
    rank = sparse_ids.dense_shape.shape.as_list()[0] if sparse_ids.dense_shape.shape.ndims == 1 else None
    if rank is not None and rank < 2:
        raise ShapeError(f"sparse_ids must be of rank 2 or higher, but have rank {rank}", operand=1)
    outer = sparse_ids.dense_shape[:-1]
    if rank == 2:
        return cast(sparse_ids.indices[:, 0], int32), cast(outer[0], int32)
    strides = cumprod(outer, exclusive=True, reverse=True)
    return cast(reduce_sum(multiply(sparse_ids.indices[:, :-1], strides), 1), int32), cast(reduce_prod(outer), int32)


def _has_ids(lists: Tensor, count: Tensor) -> Tensor:
    """Whether each of the lists has an id."""
    return greater(unsorted_segment_max(ones(shape_op(lists), int32), lists, count), 0)


def _filled(given: CombinedIds, is_empty: Tensor, default_id: int) -> CombinedIds:
    """The same with an id of weight 1 for each list that is empty."""
    empty = reshape(cast(where(is_empty), int32), [-1])
    more = shape_op(empty)
    lists = concat(0, [given.segments, empty])
    order = argsort(lists, stable=True)
    ids = concat(0, [given.ids, fill(more, _number(default_id, given.ids))])
    weights = given.weights
    if weights is not None:
        weights = gather(concat(0, [weights, ones(more, weights.dtype)]), order)
    return CombinedIds(gather(lists, order), gather(ids, order), weights)


def _number(number: int, like: Tensor) -> Any:
    return cast(number, like.dtype)


def _in_shape(rows: Tensor, sparse_ids: SparseTensor) -> Tensor:
    """The rows of the lists in the shape of the lists."""
    outer = cast(sparse_ids.dense_shape[:-1], int32)
    shaped = reshape(rows, concat(0, [outer, shape_op(rows)[1:]]), name=name_of_scope())
    known, row = sparse_ids.shape.raw, rows.shape.raw
    if known is not None and row is not None:
        shaped.set_shape(shape_of([*known[:-1], *row[1:]]))
    return shaped
