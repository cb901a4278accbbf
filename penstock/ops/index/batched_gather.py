"""Gathering along any axis and in batches, as one lookup in a table of rows: `gather_along`, `gather_nd_in_batches`."""

from __future__ import annotations

from ...errors import ShapeError, ValueRuleError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..checks.assertion import Assert
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..move.concat_stack import concat, pack
from ..move.reshaping import expand_dims, reshape
from ..move.transpose_reverse import transpose
from ..reduce.reductions import reduce_all, reduce_prod
from .gathering import gather_nd


def _known_rank(tensor: Tensor, label: str) -> int:
    if tensor.shape.ndims is None:
        raise ShapeError(f"the rank of {label} must be known for batch_dims; give it with set_shape")
    return tensor.shape.ndims


def _in_range(batch_dims: int, rank: int, label: str) -> int:
    if not -rank <= batch_dims <= rank:
        raise ValueRuleError(f"batch_dims = {batch_dims} must be in [{-rank}, {rank}], the rank of {label}")
    return batch_dims + rank if batch_dims < 0 else batch_dims


def _with_batch_places(vectors: Tensor, batch_dims: int) -> Tensor:
    """Index vectors with the place in the batch put in front of each: [b..., i..., K] -> [b..., i..., batch + K]."""
    rank = _known_rank(vectors, "indices")
    sizes = shape_op(vectors)
    parts = []
    for d in range(batch_dims):
        line = cast(range_op(sizes[d]), vectors.dtype)
        places = reshape(line, [-1 if i == d else 1 for i in range(rank)])
        parts.append(places + zeros_like(vectors[..., :1]))
    return concat(rank - 1, [*parts, vectors])


@composite("GatherV2")
def gather_along(
    params: TensorLike, indices: TensorLike, axis: int | None, batch_dims: int, name: str | None = None
) -> Tensor:
    """Slices of `params` along `axis`, where the first `batch_dims` sizes of both are one batch.

    Args:
        params: any dtype.
        indices: int32 or int64.
        axis: the dimension, not below `batch_dims`; by default the first one behind the batch.
        batch_dims: how many first dimensions are the batch.

    Returns:
        params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].
    """
    table, places = convert_to_tensor(params), convert_to_tensor(indices)
    rank, width = table.shape.ndims, places.shape.ndims
    if rank is None or width is None:
        return _gather_any_rank(table, places, axis, batch_dims)
    batch = _in_range(batch_dims, width, "indices")
    axis = batch if axis is None else axis
    if not -rank <= axis < rank:
        raise ShapeError(f"axis = {axis} is out of range [{-rank}, {rank})")
    axis %= rank
    if batch > axis:
        raise ValueRuleError(f"batch_dims ({batch}) must be less than or equal to axis ({axis})")
    # The axis comes behind the batch, and what was gathered goes back to its place.
    order = [*range(batch), axis, *range(batch, axis), *range(axis + 1, rank)]
    turned = table if order == [*range(rank)] else transpose(table, order)
    picked = gather_nd(turned, _with_batch_places(expand_dims(places, -1), batch))
    new = width - batch
    gathered = range(batch, batch + new)
    back = [*range(batch), *range(batch + new, new + axis), *gathered, *range(new + axis, new + rank - 1)]
    return picked if back == sorted(back) else transpose(picked, back, name_of_scope())


def _gather_any_rank(params: Tensor, indices: Tensor, axis: int | None, batch_dims: int) -> Tensor:
    """`gather_along` where only the run knows a rank: the sizes before, behind and of the axis are one axis each."""
    sizes, counts = shape_op(params), shape_op(indices)
    batch = batch_dims if batch_dims >= 0 else batch_dims + rank_op(indices)
    along = batch if axis is None else axis if axis >= 0 else axis + rank_op(params)
    head = sizes[:batch]
    fits = reduce_all(equal(head, counts[:batch]))
    rule = "the first batch_dims sizes of params and indices must be equal; the shapes are"
    with control_dependencies([Assert(fits, [rule, sizes, counts])]):
        places = reshape(indices, pack([reduce_prod(head), -1]))
    table = reshape(params, pack([reduce_prod(head), reduce_prod(sizes[batch:along]), sizes[along],
                                  reduce_prod(sizes[along + 1:])]))  # fmt: skip
    slices = gather_along(table, places, 2, 1)
    return reshape(slices, concat(0, [sizes[:along], counts[batch:], sizes[along + 1 :]]), name_of_scope())


def gather_in_batches(params: TensorLike, indices: TensorLike, batch_dims: int, name: str | None = None) -> Tensor:
    """`gather_along` with the axis behind the batch."""
    return gather_along(params, indices, batch_dims, batch_dims, name)


@composite("GatherNd")
def gather_nd_in_batches(params: TensorLike, indices: TensorLike, batch_dims: int, name: str | None = None) -> Tensor:
    """Slices of `params` at index vectors, in each part of a batch.

    Args:
        params: any dtype.
        indices: int32 or int64, index vectors along the last axis.
        batch_dims: how many first dimensions of both are the batch.

    Returns:
        indices.shape[:-1] + params.shape[batch_dims + length of the vectors:].
    """
    places = convert_to_tensor(indices)
    width = _known_rank(places, "indices")
    if not 0 <= batch_dims < width:
        raise ValueRuleError(f"batch_dims = {batch_dims} must be in [0, {width}), the rank of indices")
    return gather_nd(params, _with_batch_places(places, batch_dims), name=name_of_scope())
