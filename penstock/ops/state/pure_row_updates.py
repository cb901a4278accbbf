"""Pure ops behind the updates of parts of a variable: rows combined with updates, a slice replaced, a count.

`runtime.passes.versions` puts them in the place of ScatterAdd, StridedSliceAssign, CountUpTo and their like. Each
checks everything first and then has one write to make (`graph.declare.effects`), which a run that updates a
variable in place makes at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from operator import setitem
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, OutOfRangeError
from ...graph.declare.effects import PreparedWrite
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Index, Int, T
from ...graph.model.nodes import Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, scalar_of, shape_of_first
from ..index.row_indexing import as_rows, check_range, copied, flat_index, prepared_rows, private, written
from ..move.getitem import BoundsOperand, KeyAttribute, Span
from ..move.getitem import Index as SliceIndex

HOW: dict[str, Callable[..., Any] | None] = {
    "update": None,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
"""The ways to combine a row with an update, and the ufunc of each; None replaces."""

_COMBINED = 3e-9
"""Seconds of `ufunc.at` for an element: 0.9 to 2.7 ns for 500 to 10,000 rows of 1 to 64 float32 in up to 256 MB."""

How = Annotated[str, Attr(str)]

# ---- rows ---------------------------------------------------------------------------------------


@op("CombineRows", host_only=True, shape=shape_of_first, no_gradient="it is part of a plan, not of a graph")
def combine_rows(
    tensor: T, indices: Index, updates: T, how: How, vectors: Flag = False, name: str | None = None
) -> Tensor:
    """A copy of `tensor` in which rows are combined with `updates`, in the order of `indices`.

    Args:
        tensor: the rows.
        indices: numbers of rows, of any shape; with `vectors` of shape batch + [K], index vectors.
        updates: one for each index, or a scalar for all.
        how: a key of `HOW`.
        vectors: whether the last dimension of `indices` is that of index vectors.
    """


@combine_rows.kernel
def combine_rows_kernel(xp: Any, tensor: Any, indices: Any, updates: Any, how: str, vectors: bool) -> Any:
    return written(copied(xp, tensor), lambda whole: _combined(xp, whole, indices, updates, how, vectors))


@combine_rows.prepares("tensor")
def _combined(xp: Any, tensor: Any, indices: Any, updates: Any, how: str, vectors: bool) -> PreparedWrite | None:
    """The updates of `tensor`, which is contiguous."""
    flat, rows, inner = _rows_and_index(xp, tensor, indices, updates, vectors)
    if not flat.size or not rows.size:
        return None
    ufunc = HOW[how]
    if ufunc is None:
        return prepared_rows(xp, rows, flat, np.broadcast_to(
            updates.reshape((-1, *inner)) if updates.ndim else updates, (len(flat), *inner)
        ))  # fmt: skip
    width = prod(inner)
    index = flat.astype(np.intp)
    if width != 1:
        index = (index[:, None] * width + np.arange(width)).reshape(-1)
    values = updates.reshape(-1) if updates.ndim else np.broadcast_to(updates, (len(index),))
    target = tensor.reshape(-1)
    if how == "div" and tensor.dtype.kind in "iu":
        return PreparedWrite(partial(np.copyto, target, _divided(target.copy(), index, values)), 1e-9 * target.size)
    combine = partial(ufunc.at, target, index, values)  # type: ignore[attr-defined]  # a ufunc
    return PreparedWrite(combine, _COMBINED * len(index))


def _rows_and_index(
    xp: Any, tensor: Any, indices: Any, updates: Any, vectors: bool
) -> tuple[Any, Any, tuple[int, ...]]:
    """The flat index, `tensor` as rows, and the shape of a row; InvalidArgumentError if they do not fit."""
    if vectors:
        if indices.ndim < 1:
            raise InvalidArgumentError(message="Indices shape must have rank at least one. Found:[]")
        depth = indices.shape[-1]
        if depth > tensor.ndim:
            raise InvalidArgumentError(
                message=f"index innermost dimension length must be <= params rank; saw: {depth} vs. {tensor.ndim}"
            )
        batch = indices.shape[:-1]
    else:
        if tensor.ndim < 1:
            raise InvalidArgumentError(message="a scalar has no rows to update")
        depth, batch = 1, indices.shape
    inner = tensor.shape[depth:]
    if updates.shape != (*batch, *inner) and updates.ndim:
        raise InvalidArgumentError(
            message="Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            f"updates.shape {listed(updates.shape)}, indices.shape {listed(indices.shape)}, params.shape "
            f"{listed(tensor.shape)}"
        )
    if vectors:
        flat = flat_index(xp, indices, tensor.shape[:depth], f"shape {listed(tensor.shape)}")
    else:
        whole = private(indices)
        check_range("indices", whole, tensor.shape[0])
        flat = whole.reshape(-1)
    return flat, as_rows(tensor, depth), inner


def _divided(target: Any, index: Any, values: Any) -> Any:
    """Quotients of ints, rounded towards zero, one after the other."""
    if not values.all():
        raise InvalidArgumentError(message="Integer division by zero")
    for place, divisor in zip(index.tolist(), values.tolist(), strict=True):
        value = int(target[place])
        quotient = abs(value) // abs(divisor)
        target[place] = quotient if (value < 0) == (divisor < 0) else -quotient
    return target


@combine_rows.samples
def combine_rows_samples(rng: np.random.Generator) -> Samples:
    for how in HOW:
        yield sample(rng.random((4, 3)).astype("f4"), np.array([2, 0, 2], "i4"), rng.random((3, 3)).astype("f4"), how)
    yield sample(np.array([5, -7, 9], "i4"), np.array([[1], [2]], "i4"), np.array([2, -4], "i4"), "div", True)
    yield sample(rng.random((2, 3)), np.array([[1, 2], [0, 0]], "i8"), rng.random(2), "add", True)
    yield sample(np.array([b"a", b"b"], object), np.array([1], "i4"), np.array([b"c"], object), "update")
    yield sample(np.ones((3, 2)), np.zeros((0,), "i4"), np.zeros((0, 2)), "add")
    yield sample(np.ones((3, 2)), np.array([0], "i4"), np.array(2.0), "mul")


# ---- slices -------------------------------------------------------------------------------------


@op("ReplaceSlice", host_only=True, shape=shape_of_first, no_gradient="it is part of a plan, not of a graph")
def replace_slice(
    tensor: T, value: T, index: KeyAttribute, bounds: BoundsOperand = (), name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `value` at `index`; the value has the shape of `tensor[index]`."""


@replace_slice.kernel
def replace_slice_kernel(xp: Any, tensor: Any, value: Any, index: SliceIndex, bounds: Sequence[Any]) -> Any:
    return written(copied(xp, tensor), lambda whole: _replaced(xp, whole, value, index, bounds))


@replace_slice.prepares("tensor")
def _replaced(
    xp: Any, tensor: Any, value: Any, index: SliceIndex, bounds: Sequence[Any]
) -> PreparedWrite:
    key = index.filled([scalar_of(bound, "an index") for bound in bounds])
    try:
        place = tensor[key]
    except (IndexError, ValueError):
        raise InvalidArgumentError(message=f"the index {index} does not fit the shape {listed(tensor.shape)}") from None
    if place.shape != value.shape:
        raise InvalidArgumentError(
            message=f"the value has shape {listed(value.shape)}, but {index} of the variable's shape "
            f"{listed(tensor.shape)} has {listed(place.shape)}"
        )
    return PreparedWrite(partial(setitem, tensor, key, value), 2e-9 * value.size)


@replace_slice.samples
def replace_slice_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((4, 3)), rng.random((2, 3)), SliceIndex((Span(1, 3, None),)))
    yield sample(rng.random((4, 3)), rng.random(4), SliceIndex((..., 0)))
    yield sample(np.zeros((0, 3)), np.zeros(0), SliceIndex((..., 0)))


# ---- counting -----------------------------------------------------------------------------------


@op("NextCount", out=("T", "T"), host_only=True, no_gradient="it gives ints")
def next_count(count: T, limit: Int, name: str | None = None) -> list[Tensor]:
    """`count` and `count + 1`; an error of the run from `limit` on."""


@next_count.shape
def next_count_shape(count: Tensor, limit: int) -> list[TensorShape]:
    return [count.shape, count.shape]


@next_count.kernel
def next_count_kernel(xp: Any, count: Any, limit: int) -> list[Any]:
    if scalar_of(count, "count") >= limit:
        raise OutOfRangeError(message=f"Reached limit of {limit}")
    return [count.copy(), count + count.dtype.type(1)]


@next_count.samples
def next_count_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(3, "i4"), 5)
