"""Embeddings: rows of a table, or of a table in several parts, looked up by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.model.tensor_source import TensorSource
from ...graph.shapes.dtypes import bfloat16, float16, float32, int32
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..create.shape_size_rank import size as size_op
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import add, floordiv, floormod, maximum, multiply, square, subtract
from ..elementwise.arithmetic import sqrt as sqrt_op
from ..elementwise.casting import cast
from ..elementwise.comparison import less
from ..elementwise.no_nan import div_no_nan
from ..elementwise.select_where import select
from ..index.dynamic_partition import dynamic_partition, parallel_dynamic_stitch
from ..index.gathering import gather
from ..index.unique import unique
from ..move.concat_stack import concat, pack
from ..move.reshaping import expand_dims, reshape
from ..reduce.reductions import reduce_sum
from ..reduce.segments import segment_sum
from ..sparse.sparse_segments import sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum
from .clipping import clip_by_norm

PUBLIC_NAMES = {"start_nn": "embedding_lookup embedding_lookup_sparse"}

Tables = TensorLike | Sequence[TensorLike]


@composite("embedding_lookup")
def embedding_lookup(
    params: Tables,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """The rows of a table that `ids` names: out[i..., :] = params[ids[i...], :].

    Gradients by the table are `tf.IndexedSlices`: only the rows that were looked up.

    Args:
        params: the table, a tensor of rank 1 or higher; or a partitioned variable or a list of the parts of a table,
            which have one dtype and agree in all sizes but the first.
        ids: int32 or int64, any shape, the numbers of rows.
        partition_strategy: how the rows are spread over the parts. "mod": row i is row i // n of part i % n, with n
            parts. "div": each part holds consecutive rows, the first ones one more where they cannot be equal.
        validate_indices: ignored; ids are always checked.
        max_norm: if it is given, rows whose Euclidean norm is greater are scaled down to it.

    Returns:
        A tensor of shape ids.shape + params.shape[1:] with the dtype of `params`.

    Raises:
        TypeError: `ids` is not int.
        ValueError: `params` is None or an empty list, shapes do not fit, or `partition_strategy` is another text.
        InvalidArgumentError (when run): an id is not the number of a row.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.constant([[0, 1], [10, 11], [20, 21], [30, 31]])
    ...     print(session.run(tf.nn.embedding_lookup(table, [3, 0])).tolist())
    ...     print(session.run(tf.nn.embedding_lookup([[[0], [2]], [[1], [3]]], [3, 0, 1])).tolist())
    [[30, 31], [0, 1]]
    [[3], [0], [1]]

    Source: TensorFlow 1.x, `tf.nn.embedding_lookup`.
    """
    return _rows(_tables(params), convert_to_tensor(ids), partition_strategy, max_norm)


def _tables(params: Any) -> list[Tensor]:
    """The parts of a table. A list is parts, as in TensorFlow; a single part is the table."""
    if params is None:
        raise ValueRuleError("params must be specified")
    if isinstance(params, TensorSource) and (parts := getattr(params, "parts", None)):
        return [convert_to_tensor(each) for each in parts]
    if not isinstance(params, (list, tuple)):
        return [convert_to_tensor(params)]
    if not params:
        raise ValueRuleError("Length of params is currently 0. Need at least one param.")
    return [convert_to_tensor(each) for each in params]


def _rows(tables: list[Tensor], ids: Tensor, strategy: str, max_norm: float | None) -> Tensor:
    if strategy not in ("mod", "div"):
        raise ValueRuleError(f"Unrecognized partition strategy: {strategy}. Must be one of either `mod` or `div`.")
    if len(tables) == 1:
        return _clipped(gather(tables[0], ids), ids, max_norm)
    row = _shape_of_row(tables)
    flat = reshape(ids, [-1])
    parts, places = (_by_mod if strategy == "mod" else _by_div)(flat, tables)
    part_of = parts if parts.dtype is int32 else cast(parts, int32)
    looked_up = dynamic_partition(places, part_of, len(tables))
    positions = dynamic_partition(range_op(size_op(flat)), part_of, len(tables))
    found = [gather(table, each) for table, each in zip(tables, looked_up, strict=True)]
    joined = parallel_dynamic_stitch(positions, found)
    shaped = reshape(joined, concat(0, [shape_op(ids), shape_op(tables[0])[1:]]))
    if ids.shape.raw is not None and row.raw is not None:
        shaped.set_shape(shape_of(ids.shape.raw + row.raw))
    return _clipped(shaped, ids, max_norm)


def _shape_of_row(tables: list[Tensor]) -> TensorShape:
    """The sizes behind the first, which all parts share."""
    rows = [table.shape.with_rank_at_least(1)[1:] for table in tables]
    shape = rows[0]
    for i, each in enumerate(rows[1:], 1):
        try:
            shape = merge_shapes(shape, each)
        except ShapeError as error:
            text = f"params[{i}] has rows of shape {each}, those before it {shape}: {error.message}"
            raise ShapeError(text) from None
    return shape


def _by_mod(ids: Tensor, tables: list[Tensor]) -> tuple[Tensor, Tensor]:
    """The part of each id, and its row there."""
    return floormod(ids, len(tables)), floordiv(ids, len(tables))


def _by_div(ids: Tensor, tables: list[Tensor]) -> tuple[Tensor, Tensor]:
    sizes = [shape_op(table)[0] for table in tables]
    total = cast(reduce_sum(pack(sizes)), ids.dtype)
    each, extras = floordiv(total, len(tables)), floormod(total, len(tables))
    longer, behind = add(each, 1), subtract(ids, extras)
    parts = maximum(floordiv(ids, longer), floordiv(behind, each))
    return parts, select(less(parts, extras), floormod(ids, longer), floormod(behind, each))


def _clipped(rows: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    if max_norm is None:
        return rows
    ranks = ids.shape.ndims, rows.shape.ndims
    if ranks[0] is not None and ranks[1] is not None:
        return clip_by_norm(rows, max_norm, list(range(ranks[0], ranks[1])))
    return clip_by_norm(rows, max_norm, range_op(rank_op(ids), rank_op(rows)))


# ---- sums of rows -------------------------------------------------------------------------------


@composite("embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Tables,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """For each row of a sparse matrix of ids, the rows of a table that it names, combined.

    Args:
        params: the table, or a list of its parts, as in `embedding_lookup`; floats.
        sp_ids: a `tf.SparseTensor` of rank 2, whose values are the numbers of rows. Its indices are in row-major order.
        sp_weights: a `tf.SparseTensor` of the same indices with the weight of each id; None means 1.
        partition_strategy: as in `embedding_lookup`.
        combiner: "sum" of the weighted rows; "mean" (the default): divided by the sum of the weights; "sqrtn": divided
            by the square root of the sum of their squares.
        max_norm: as in `embedding_lookup`.

    Returns:
        A tensor of shape [number of rows of ids] + params.shape[1:] with the dtype of `params`. A row without ids is 0;
        empty rows at the end are missing.

    Raises:
        TypeError: `sp_ids` or `sp_weights` is not a SparseTensor.
        ValueError: `combiner` or `partition_strategy` is another text, or shapes do not fit.
        InvalidArgumentError (when run): an id is not the number of a row, or the indices are not in order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.constant([[1.0, 1.0], [2.0, 4.0], [10.0, 20.0]])
    ...     ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
    ...     print(session.run(tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")).tolist())
    [[3.0, 5.0], [10.0, 20.0]]

    Source: TensorFlow 1.x, `tf.nn.embedding_lookup_sparse`.
    """
    check_sparse("sp_ids", sp_ids, "sp_weights", sp_weights)
    weights = None if sp_weights is None else sp_weights.values
    ids = CombinedIds(cast(sp_ids.indices[:, 0], int32), sp_ids.values, weights)
    return combined_rows(params, ids, "mean" if combiner is None else combiner, partition_strategy, max_norm,
                         name_of_scope())


def check_sparse(ids_label: str, ids: Any, weights_label: str, weights: Any) -> None:
    """Raise unless ids are a SparseTensor, and weights one or None.

    Raises:
        DTypeError (a TypeError): they are not.
    """
    if not isinstance(ids, SparseTensor):
        raise DTypeError(f"{ids_label} must be SparseTensor, got {type(ids).__name__}")
    if weights is not None and not isinstance(weights, SparseTensor):
        raise DTypeError(f"{weights_label} must be either None or SparseTensor, got {type(weights).__name__}")


@dataclass(frozen=True, slots=True)
class CombinedIds:
    """Ids of which those of one segment are combined.

    Attributes:
        segments: the segment of each id, int32, in ascending order.
        ids: the numbers of rows.
        weights: the weight of each id; None means 1.
    """

    segments: Tensor
    ids: Tensor
    weights: Tensor | None


_COMBINERS: Final = {"mean": sparse_segment_mean, "sqrtn": sparse_segment_sqrt_n, "sum": sparse_segment_sum}


def combined_rows(
    params: Tables, combined_ids: CombinedIds, how: str, strategy: str, max_norm: float | None, name: str | None = None
) -> Tensor:
    """The rows of each segment combined, as `embedding_lookup_sparse` says; `name` is that of the last node."""
    if how not in ("mean", "sqrtn", "sum"):
        raise ValueRuleError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {how}")
    segments = combined_ids.segments
    ids, places = unique(combined_ids.ids)
    table = _rows(_tables(params), ids, strategy, max_norm)
    dtype = table.dtype
    table = cast(table, float32) if dtype in (float16, bfloat16) else table
    last = name if table.dtype is dtype else None
    if combined_ids.weights is None:
        total = _COMBINERS[how](table, places, segments, name=last)
    else:
        rows = gather(table, places)
        weights = _column(combined_ids.weights, rows)
        total = segment_sum(multiply(rows, weights), segments, last if how == "sum" else None)
        if how != "sum":
            divisor = segment_sum(weights if how == "mean" else square(weights), segments)
            total = div_no_nan(total, divisor if how == "mean" else sqrt_op(divisor), last)
    return total if total.dtype is dtype else cast(total, dtype, name)


def _column(weights: Tensor, rows: Tensor) -> Tensor:
    """The weight of each row in a shape that broadcasts with the rows."""
    count = shape_op(rows)[:1]
    weights = weights if weights.dtype is rows.dtype else cast(weights, rows.dtype)
    rank = rows.shape.ndims
    if rank is None:
        return reshape(weights, concat(0, [count, ones(expand_dims(subtract(rank_op(rows), 1), 0), int32)]))
    return reshape(weights, concat(0, [count, [1] * (rank - 1)])) if rank > 1 else weights
