"""Gathering along any dimension and in batches, which is gathering of rows here."""

from __future__ import annotations

from ....errors import GraphFormatError
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import int32
from ....ops.create.range_linspace import range as range_op
from ....ops.create.shape_size_rank import shape as shape_op
from ....ops.elementwise.arithmetic import add, multiply
from ....ops.elementwise.casting import cast
from ....ops.index.gathering import gather
from ....ops.move.concat_stack import concat, stack
from ....ops.move.reshaping import expand_dims, reshape
from ....ops.move.slicing import slice as slice_op
from ....ops.move.transpose_reverse import transpose
from ....ops.reduce.reductions import reduce_prod
from ..foreign_node import ForeignNode
from ..import_scope import Made
from ..wire.tensor_proto import Unsupported
from .composite_rules import composite


def gather_along(s: ForeignNode, params: Tensor, indices: Tensor, axis: int | None, batched: int) -> Made:
    """`gather` along another dimension than the first, or in batches: rows of the tensor whose dimensions are moved.

    Raises:
        Unsupported: the dimension, or how many there are, is not known before a run.
    """
    rank, of_indices = params.shape.ndims, indices.shape.ndims
    if axis is None or rank is None or of_indices is None:
        raise Unsupported("it gathers along a dimension that is not known before a run")
    place, common = axis % rank if rank else 0, batched + of_indices if batched < 0 else batched
    if not (-rank <= axis < rank and 0 <= common <= min(place, of_indices)):
        raise GraphFormatError(f"it gathers along dimension {axis} of {rank}, in {batched} dimensions of batches")

    def outputs() -> list[Tensor]:
        if not common:
            first = transpose(params, [place, *[dim for dim in range(rank) if dim != place]])
            rows = gather(first, indices)
            behind = range(of_indices + place, rank + of_indices - 1)
            return [transpose(rows, [*range(of_indices, of_indices + place), *range(of_indices), *behind])]
        # The batches and the dimension behind them become one; its rows are numbered batch by batch.
        between = list(range(common, place))
        ordered = transpose(params, [*range(common), place, *between, *range(place + 1, rank)])
        sizes, wanted = shape_op(ordered), shape_op(indices)
        count = reduce_prod(gather(sizes, list(range(common))))
        length, rest = gather(sizes, common), slice_op(sizes, [common + 1], [-1])
        flat = reshape(ordered, concat(0, [expand_dims(multiply(count, length), 0), rest]))
        numbers = reshape(cast(indices, int32), stack([count, -1]))
        starts = expand_dims(multiply(range_op(count), length), 1)
        rows = gather(flat, add(numbers, starts))
        found = reshape(rows, concat(0, [wanted, rest]))
        free, skipped = of_indices - common, len(between)
        moved = [*range(common), *range(of_indices, of_indices + skipped), *range(common, of_indices),
                 *range(of_indices + skipped, common + free + rank - common - 1)]
        return [transpose(found, moved)]

    return composite(s, outputs)
