"""Ops that write a part of a variable: rows, a slice, a count. `pure_row_updates` has what they compute.

As in `variable_ops`, these nodes have no kernels.
"""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...graph.declare.effects import Effects
from ...graph.declare.op_declaration import OpDef, op
from ...graph.declare.signature import Index, Int, T
from ...graph.model.nodes import Tensor
from ...graph.shapes.shape import TensorShape, merge_shapes
from ..move.getitem import BoundsOperand, KeyAttribute
from ..move.getitem import Index as SliceIndex
from .pure_row_updates import combine_rows, next_count, replace_slice
from .variable_ops import DTypeAttr, Emit, Resource, ShapeAttr, resource_effect

__all__ = ["SCATTER", "count_up", "write_slice"]


def _scatter(type: str, how: str, vectors: bool) -> OpDef[Any, Any]:
    """The op that combines rows of a variable with updates in one way."""

    @op(type, out="T", state="writes")
    def scatter(
        indices: Index, updates: T, resource: Resource, shape: ShapeAttr = None, name: str | None = None
    ) -> Tensor:
        """Combines rows of a variable with updates, and gives the whole new value."""

    @scatter.shape
    def scatter_shape(indices: Tensor, updates: Tensor, resource: str, shape: TensorShape) -> TensorShape:
        places, values, target = indices.shape.raw, updates.shape.raw, shape.raw
        if places is None or values is None or target is None or not values:
            return shape
        if vectors:
            depth = places[-1] if places else None
            batch = places[:-1]
        else:
            depth, batch = 1, places
        if not isinstance(depth, int) or depth > len(target):
            if isinstance(depth, int):
                raise ShapeError(f"indices of {depth} numbers, for a variable of shape {shape}", operand=0)
            return shape
        wanted = TensorShape((*batch, *target[depth:]))
        try:
            merge_shapes(wanted, updates.shape)
        except ShapeError:
            raise ShapeError(
                f"updates have shape {updates.shape}; for indices of shape {indices.shape} and a variable of shape "
                f"{shape} they must have {wanted}, or be a scalar",
                operand=1,
            ) from None
        return shape

    @scatter.effects_by
    def scatter_effects_by(indices: Tensor, updates: Tensor, resource: str, shape: TensorShape) -> Effects:
        return Effects(reads=resource_effect(resource), writes=resource_effect(resource))

    @scatter.writes(reads=True)
    def scatter_writes(
        emit: Emit, before: Tensor, indices: Tensor, updates: Tensor, resource: str, shape: TensorShape
    ) -> Tensor:
        return emit(combine_rows, before, indices, updates, how, vectors)

    scatter.no_gradient("it changes a variable", "Differentiate with respect to the variable.")
    return scatter


SCATTER: dict[str, OpDef[Any, Any]] = {
    name: _scatter(type, how, vectors)
    for name, type, how, vectors in (
        ("scatter_update", "ScatterUpdate", "update", False),
        ("scatter_add", "ScatterAdd", "add", False),
        ("scatter_sub", "ScatterSub", "sub", False),
        ("scatter_mul", "ScatterMul", "mul", False),
        ("scatter_div", "ScatterDiv", "div", False),
        ("scatter_min", "ScatterMin", "min", False),
        ("scatter_max", "ScatterMax", "max", False),
        ("scatter_nd_update", "ScatterNdUpdate", "update", True),
        ("scatter_nd_add", "ScatterNdAdd", "add", True),
        ("scatter_nd_sub", "ScatterNdSub", "sub", True),
    )
}
"""TensorFlow's function -> the op that it builds."""


@op("StridedSliceAssign", state="writes")
def write_slice(
    value: T,
    index: KeyAttribute,
    resource: Resource,
    shape: ShapeAttr = None,
    bounds: BoundsOperand = (),
    name: str | None = None,
) -> Tensor:
    """Writes a slice of a variable, and gives the whole new value. Programs call `v[1:3].assign(value)`."""


@write_slice.shape
def write_slice_shape(
    value: Tensor, index: SliceIndex, resource: str, shape: TensorShape, bounds: tuple[Tensor, ...]
) -> TensorShape:
    return shape


@write_slice.effects_by
def write_slice_effects_by(value: Any, index: SliceIndex, resource: str, shape: TensorShape, bounds: Any) -> Effects:
    return Effects(reads=resource_effect(resource), writes=resource_effect(resource))


@write_slice.writes(reads=True)
def write_slice_writes(
    emit: Emit, before: Tensor, value: Tensor, index: Any, resource: str, shape: Any, bounds: Any
) -> Tensor:
    return emit(replace_slice, before, value, index, bounds)


write_slice.no_gradient("it changes a variable", "Differentiate with respect to the variable.")


@op("CountUpTo", out="dtype", state="writes", no_gradient="it gives ints")
def count_up(
    limit: Int, resource: Resource, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None
) -> Tensor:
    """Adds 1 to a variable, and gives the value before; an error of the run from `limit` on."""


@count_up.shape
def count_up_shape(limit: int, resource: str, dtype: Any, shape: TensorShape) -> TensorShape:
    return shape


@count_up.effects_by
def count_up_effects_by(limit: int, resource: str, dtype: Any, shape: TensorShape) -> Effects:
    return Effects(reads=resource_effect(resource), writes=resource_effect(resource))


@count_up.writes(reads=True)
def count_up_writes(
    emit: Emit, before: Tensor, limit: int, resource: str, dtype: Any, shape: TensorShape
) -> tuple[Tensor, Tensor]:
    given, new = emit.several(next_count, before, limit)
    return new, given
