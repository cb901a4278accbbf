"""What read rules share: constants beside a tensor, sizes known or not, broadcasting, axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import DType, float32, int32, int64
from ..onnx_errors import UnsupportedOnnx

Size = int | Tensor
"""A size: a number, or a scalar int64 of the run."""


MOST_NUMBERS = 1 << 23
"""The most numbers of an array that a rule computes while the graph is built."""


def bounded(*sizes: int) -> None:
    """Check the sizes of an array that a rule is about to compute.

    Raises:
        GraphFormatError: it would be too large.
    """
    count = 1
    for size in sizes:
        count *= max(int(size), 1)
        if count > MOST_NUMBERS:
            raise GraphFormatError(f"it needs a table of the sizes {[int(s) for s in sizes]}; tables that are computed "
                                   f"while a model is read have at most {MOST_NUMBERS} numbers",
                                   code="file/limit")  # fmt: skip


def channels_last(x: Tensor) -> Tensor | None:
    """The image with channels last of which `x` is a transpose, as in models of programs that have these last."""
    if x.op.type != "Transpose" or not isinstance(x.op.args[1], Tensor):
        return None
    perm = known_value(x.op.args[1])
    return x.op.args[0] if perm is not None and perm.tolist() == [0, 3, 1, 2] else None


def scalar(x: Tensor, value: Any) -> Tensor:
    """A constant of the dtype of `x`."""
    return ops.constant(np.array(value).astype(x.dtype.np), name="c")


def constant(value: Any, dtype: DType = int64) -> Tensor:
    """A constant."""
    return ops.constant(np.asarray(value).astype(dtype.np), name="c")


def rank_of(x: Tensor) -> int:
    """The rank of a tensor.

    Raises:
        UnsupportedOnnx: it is not known before a run.
    """
    if x.shape.ndims is None:
        raise UnsupportedOnnx(f"the rank of {x.name!r} is not known before a run")
    return int(x.shape.ndims)


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the start.

    Raises:
        GraphFormatError: there is no such axis.
    """
    if not -rank <= axis < rank:
        raise GraphFormatError(f"the axis {axis} is not one of {rank}")
    return axis % rank


def axes_of(axes: Sequence[int], rank: int) -> list[int]:
    """Axes counted from the start."""
    return [axis_of(axis, rank) for axis in axes]


def shape64(x: Tensor) -> Tensor:
    """The shape as int64."""
    return ops.cast(ops.shape(x), int64)


def sizes(x: Tensor) -> list[Size]:
    """The sizes of a tensor: numbers where they are known, else scalars."""
    raw = x.shape.raw
    if raw is None:
        raise UnsupportedOnnx(f"the rank of {x.name!r} is not known before a run")
    if all(isinstance(size, int) for size in raw):
        return [size for size in raw if isinstance(size, int)]
    shape = shape64(x)
    return [size if isinstance(size, int) else shape[i] for i, size in enumerate(raw)]


def vector(entries: Sequence[Size]) -> Tensor:
    """A vector of int64 from numbers and scalars."""
    if all(isinstance(entry, int) for entry in entries):
        return constant(list(entries))
    parts = [constant(entry) if isinstance(entry, int) else ops.cast(entry, int64) for entry in entries]
    return ops.pack(parts)


def reshaped(x: Tensor, entries: Sequence[Size]) -> Tensor:
    """`x` with other sizes; one size that is not known may be -1 instead."""
    return ops.reshape(x, vector(entries))


def product(entries: Sequence[Size]) -> Size:
    """The product of sizes."""
    known = 1
    made: Tensor | None = None
    for entry in entries:
        if isinstance(entry, int):
            known *= entry
        else:
            made = entry if made is None else made * entry
    if made is None:
        return known
    return made if known == 1 else made * constant(known)


def permuted(x: Tensor, order: Sequence[int]) -> Tensor:
    """The dimensions of `x` in another order."""
    return x if list(order) == list(range(len(order))) else ops.transpose(x, list(order))


def to_front(x: Tensor, axis: int) -> tuple[Tensor, list[int]]:
    """`x` with one axis first, and the order that undoes that."""
    rank = rank_of(x)
    order = [axis, *[i for i in range(rank) if i != axis]]
    return permuted(x, order), [order.index(i) for i in range(rank)]


def to_last(x: Tensor, axis: int) -> tuple[Tensor, list[int]]:
    """`x` with one axis last, and the order that undoes that."""
    rank = rank_of(x)
    order = [*[i for i in range(rank) if i != axis], axis]
    return permuted(x, order), [order.index(i) for i in range(rank)]


def common_shape(*tensors: Tensor) -> tuple[int, ...] | Tensor:
    """The shape to which tensors broadcast: ints, or a vector of the run."""
    shapes = [t.shape.raw for t in tensors]
    if all(raw is not None and all(isinstance(size, int) for size in raw) for raw in shapes):
        return np.broadcast_shapes(*[tuple(s for s in raw if isinstance(s, int)) for raw in shapes if raw is not None])
    total = None
    for t in tensors:
        zeros = ops.zeros_like(ops.cast(t, int32) if t.dtype is not int32 and not t.dtype.is_string else t) \
            if not t.dtype.is_string else ops.fill(ops.shape(t), constant(0, int32))  # fmt: skip
        total = zeros if total is None else total + zeros
    assert total is not None
    return ops.shape(total)


def broadcast(x: Tensor, shape: tuple[int, ...] | Tensor) -> Tensor:
    """`x` broadcast to a shape."""
    if isinstance(shape, tuple):
        if x.shape.raw == shape:
            return x
        return ops.broadcast_to(x, constant(list(shape)))
    return ops.broadcast_to(x, shape)


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`x` where the condition holds, else `y`; all three broadcast."""
    raws = [condition.shape.raw, x.shape.raw, y.shape.raw]
    if raws[0] is None or raws[0] != raws[1] or raws[1] != raws[2]:
        shape = common_shape(condition, x, y)
        condition, x, y = broadcast(condition, shape), broadcast(x, shape), broadcast(y, shape)
    return ops.select(condition, x, y)


def where_scalar(condition: Tensor, value: Any, other: Tensor) -> Tensor:
    """A number where the condition holds, else `other`; the condition has its shape or one that broadcasts to it."""
    return where(condition, scalar(other, value), other)


def take(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """The slices of `x` at indices along an axis; the indices' dimensions stand in place of the axis."""
    rank, own = rank_of(x), rank_of(indices)
    axis = axis_of(axis, rank)
    if axis == 0:
        return ops.gather(x, indices)
    front, _ = to_front(x, axis)
    taken = ops.gather(front, indices)
    # taken: indices' dims, then the dims before the axis, then those after it
    order = [*range(own, own + axis), *range(own), *range(own + axis, own + rank - 1)]
    return permuted(taken, order)


def wrapped(indices: Tensor, size: Size) -> Tensor:
    """Indices that may count from the end, counted from the start."""
    value = known_value(indices)
    if value is not None and not (value < 0).any():
        return indices
    bound = constant(size, indices.dtype) if isinstance(size, int) else ops.cast(size, indices.dtype)
    return where(indices < scalar(indices, 0), indices + bound, indices)


def widened(x: Tensor) -> tuple[Tensor, DType]:
    """A small float as float32, in which ONNX's formulas are computed; and the dtype to return to."""
    if x.dtype.is_floating and x.dtype.size == 2:
        return ops.cast(x, float32), x.dtype
    return x, x.dtype


def as_dtype(x: Tensor, dtype: DType) -> Tensor:
    """A cast, where one is needed."""
    return x if x.dtype is dtype else ops.cast(x, dtype)


def one_axis_indices(count: Size, rank: int, axis: int, dtype: DType = int64) -> Tensor:
    """0, 1, ... along one axis of `rank`, size 1 along the others."""
    line = ops.range(0, count) if isinstance(count, int) else ops.range(ops.cast(0, int64), count)
    return ops.reshape(as_dtype(line, dtype), [-1 if i == axis else 1 for i in range(rank)])


def full_index(indices: Tensor, axis: int) -> Tensor:
    """For every element of `indices` its place in a tensor, with the element in place of `axis`: shape [..., rank]."""
    rank = rank_of(indices)
    every = sizes(indices)
    shape = common_shape(indices)
    parts = []
    for i in range(rank):
        if i == axis:
            parts.append(as_dtype(indices, int64))
        else:
            parts.append(broadcast(one_axis_indices(every[i], rank, i), shape))
    return ops.stack(parts, axis=rank)


def gather_elements(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """out[i, j, ...] = x[i, indices[i, j, ...], ...] for the axis; the other sizes of `indices` may be smaller."""
    places = wrapped(indices, sizes(x)[axis])
    if rank_of(x) == 1:
        return ops.gather(x, places)
    return ops.gather_nd(x, full_index(places, axis))
