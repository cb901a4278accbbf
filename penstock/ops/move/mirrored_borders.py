"""Borders that are mirrored: `tf.pad(..., "REFLECT")` and `"SYMMETRIC"`, as rows that are gathered along each axis."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ...errors import ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32
from ..checks.assert_kinds import ensure_shape
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.casting import cast as cast_op
from ..index.batched_gather import gather_along


@composite("MirrorPad")
def mirrored(tensor: TensorLike, paddings: TensorLike, without_border: bool, name: str | None = None) -> Tensor:
    """A tensor with its borders mirrored; `without_border`: not the outermost elements."""
    values, rows = convert_to_tensor(tensor), convert_to_tensor(paddings)
    rank = values.shape.ndims
    if rank is None:
        rank = rows.shape[0].value if rows.shape.ndims else None
        if rank is None:
            raise ShapeError("the rank of tensor must be known to mirror its borders; give it with set_shape")
        values = ensure_shape(values, [None] * rank)
    if rows.shape.is_fully_defined() and rows.shape.as_list() != [rank, 2]:
        raise ShapeError(f"paddings must have the shape [{rank}, 2], but has {rows.shape}")
    known = known_value(rows)
    sizes = shape_op(values)
    for axis in builtins.range(rank):
        size = values.shape[axis].value
        if known is not None and not known[axis].any():
            continue
        if known is not None and size is not None:
            places: Any = _known_places(int(known[axis][0]), int(known[axis][1]), size, without_border, axis)
        else:
            places = _places(cast_op(rows[axis], int32), sizes[axis], without_border)
        values = gather_along(values, places, axis, 0)
    return values


def _known_places(before: int, after: int, size: int, without_border: bool, axis: int) -> Any:
    most = size - without_border
    if before < 0 or after < 0:
        raise ValueRuleError(f"paddings must be non-negative: {before} {after}")
    if before > most or after > most:
        bound = "less than" if without_border else "no greater than"
        raise ValueRuleError(f"paddings must be {bound} the dimension size: {before}, {after} not {bound} {size} in "
                             f"dimension {axis}")  # fmt: skip
    line = np.arange(size, dtype=np.int32)
    if without_border:
        return np.pad(line, (before, after), mode="reflect")
    return np.pad(line, (before, after), mode="symmetric")


def _places(row: Tensor, size: Tensor, without_border: bool) -> Tensor:
    """The places of the elements in the tensor; outside of it if a padding is too large, which the run refuses."""
    line = range_op(-row[0], size + row[1])
    last = size - 1
    if without_border:
        return last - abs_op(last - abs_op(line))
    # Doubled, the mirrors are at -1 / 2 and size - 1 / 2: between two elements.
    twice = abs_op(line * 2 + 1)
    folded = 2 * size - abs_op(2 * size - twice)
    return cast_op((folded - 1) // 2, int32)
