"""Gradients of reductions: the gradient of the result is spread over the elements that were combined."""

from __future__ import annotations

from typing import Any

from ...graph.building.constant_evaluation import known_entries
from ...graph.model.nodes import Operation, Tensor
from ..declare.reduction_decl import ReductionOp


def static_axes(op: Operation) -> list[int] | None:
    """The reduced axes of an operation, counted from the front, or None where building does not know them."""
    x, axis = op.inputs[0], op.args[1]
    rank = x.shape.ndims
    if rank is None:
        return None
    if axis is None:
        return [*range(rank)]
    entries = known_entries(axis)
    flat = entries if isinstance(entries, tuple) else (entries,)
    known = [e % rank for e in flat if isinstance(e, int) and rank]
    return sorted(known) if len(known) == len(flat) else None


def with_kept_axes(ops: Any, op: Operation, value: Tensor) -> Tensor:
    """A tensor of the shape of the result, with the reduced axes as axes of size 1."""
    if op.args[2]:
        return value
    axes = static_axes(op)
    if axes is not None:
        if len(axes) == op.inputs[0].shape.ndims:
            return value if not axes else ops.reshape(value, [1] * len(axes))
        for axis in axes:
            value = ops.expand_dims(value, axis)
        return value
    shape = ops.shape(op.inputs[0])
    ones = ops.ones_like(shape)
    if op.args[1] is None:
        return ops.reshape(value, ones)
    rank = ops.rank(op.inputs[0])
    reduced = _counted(ops, op.args[1], rank)
    kept = ops.dynamic_stitch([ops.range(0, rank), reduced], [shape, ops.ones_like(reduced)])
    return ops.reshape(value, kept)


def _counted(ops: Any, axis: Tensor, rank: Tensor) -> Tensor:
    """The axes counted from the front, as a vector."""
    return ops.reshape(ops.mod(ops.cast(axis, "int32") + rank, rank), [-1])


def spread(ops: Any, op: Operation, value: Tensor) -> Tensor:
    """A tensor of the shape of the result, repeated along the reduced axes to the shape of the operand."""
    axes = static_axes(op)
    if axes == []:
        return value
    if axes is not None and not op.args[2] and axes == [*range(len(axes))]:  # broadcasting puts axes in front itself
        return ops.broadcast_to(value, ops.shape(op.inputs[0]))
    return ops.broadcast_to(with_kept_axes(ops, op, value), ops.shape(op.inputs[0]))


def _of_sum(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return _first(op, lambda: spread(ops, op, g))


def _first(op: Operation, gradient: Any) -> list[Any]:
    """The gradients of the operands: axes have none."""
    return [gradient, *[None] * (len(op.inputs) - 1)]


def combined_count(ops: Any, op: Operation) -> Any:
    """How many elements each element of the result combines, as a number or as a tensor of the dtype of the operand."""
    x = op.inputs[0]
    axes, dims = static_axes(op), x.shape.raw
    sizes = None if axes is None or dims is None else [dims[axis] for axis in axes]
    if sizes is not None and all(isinstance(size, int) for size in sizes):
        count = 1
        for size in sizes:
            count *= int(size)
        return float(count)
    count = ops.floordiv(ops.size(x), ops.maximum(ops.size(op.outputs[0]), 1))
    return ops.cast(count, x.dtype)


def _of_mean(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return _first(op, lambda: spread(ops, op, g / combined_count(ops, op)))


def _of_extreme(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    def build() -> Tensor:
        x = op.inputs[0]
        chosen = ops.cast(ops.equal(x, with_kept_axes(ops, op, op.outputs[0])), x.dtype)
        count = ops.reduce_sum(chosen, op.args[1], True)
        return chosen / count * with_kept_axes(ops, op, g)

    return _first(op, build)


def _of_product(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    """Of each element: the product of the elements before it times that of the elements after it, zeros included."""

    def build() -> Tensor:
        x = op.inputs[0]
        axes = static_axes(op)
        if axes == []:
            return g
        if axes is not None and len(axes) == 1:
            others = _others(ops, x, axes[0])
        else:
            rank = ops.rank(x)
            every = ops.range(0, rank)
            reduced = every if op.args[1] is None else _counted(ops, op.args[1], rank)
            left = ops.reshape(ops.where(ops.equal(_counts(ops, reduced, rank), 0)), [-1])
            order = ops.concat(0, [reduced, ops.cast(left, "int32")])
            moved = ops.transpose(x, order)
            count = ops.reduce_prod(ops.gather(ops.shape(x), reduced))
            rest = ops.reduce_prod(ops.gather(ops.shape(x), left))
            flat = ops.reshape(moved, ops.pack([count, rest]))
            back = ops.reshape(_others(ops, flat, 0), ops.shape(moved))
            others = ops.transpose(back, ops.argsort(order))
        return ops.multiply(ops.conj(others), with_kept_axes(ops, op, g))

    return _first(op, build)


def _counts(ops: Any, axes: Tensor, rank: Tensor) -> Tensor:
    """How often each axis is among `axes`."""
    return ops.unsorted_segment_sum(ops.ones_like(axes), axes, rank)


def _others(ops: Any, x: Tensor, axis: int) -> Tensor:
    """The product of all other elements along an axis."""
    return ops.multiply(
        ops.cumprod(x, axis, exclusive=True), ops.cumprod(x, axis, exclusive=True, reverse=True)
    )


def differentiate(reduce_sum: ReductionOp, reduce_mean: ReductionOp, reduce_prod: ReductionOp,
                  reduce_max: ReductionOp, reduce_min: ReductionOp) -> None:  # fmt: skip
    """Give the reductions their gradients."""
    reduce_sum.gradient("g, repeated along the reduced axes")(_of_sum)
    reduce_mean.gradient("g / count, repeated along the reduced axes")(_of_mean)
    reduce_prod.gradient("g times the product of all other elements")(_of_product)
    for extreme in (reduce_max, reduce_min):
        extreme.gradient("g / ties where the element is the extreme one, else 0")(_of_extreme)
