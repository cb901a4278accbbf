"""Checks that target, index vectors and updates of a scatter op fit together.

Index vectors of shape batch + [K] point into target[:K]; the updates then have shape batch + target[K:].
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...errors import InvalidArgumentError, ShapeError
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of
from ..declare.shape_checks import listed, sizes_of
from .row_indexing import shape_text


def check_static(target: TensorShape, indices: Tensor, updates: Tensor, indices_at: int, updates_at: int) -> None:
    """Check the static shapes of both ops: batch + [K], batch + target[K:]."""
    if _count(target) == 0 and (_count(indices.shape) or _count(updates.shape)):
        raise ShapeError(
            "Indices and updates specified for empty input",
            operand=indices_at,
            cure="A tensor without elements takes no updates.",
        )
    places, values = indices.shape.raw, updates.shape.raw
    if not places or not values or not isinstance(places[-1], int):
        return
    batch, depth = len(places) - 1, places[-1]
    lead = f"of indices[shape={shape_text(indices.shape)}]"
    tail = f"of updates[shape={shape_text(updates.shape)}]"
    _must_match(places[:batch], f"Dimensions [0,{batch}) {lead}", values[:batch], f"[0,{batch}) {tail}", updates_at, 0)
    if target.raw is None:
        return
    lead = f"Dimensions [{depth},{len(target.raw)}) of input[shape={shape_text(target)}]"
    _must_match(target.raw[depth:], lead, values[batch:], f"[{batch},{len(values)}) {tail}", updates_at, batch)


def _must_match(a: tuple[Dim, ...], a_text: str, b: tuple[Dim, ...], b_text: str, operand: int, first: int) -> None:
    left, right = shape_of(a), shape_of(b)
    try:
        merge_shapes(left, right)
    except ShapeError as error:
        dim = None if error.dim is None else first + error.dim
        raise ShapeError(
            f"{a_text} = {shape_text(left)} must match dimensions {b_text} = {shape_text(right)}: {error.message}",
            operand=operand,
            dim=dim,
            cure="updates.shape must be indices.shape[:-1] + tensor.shape[indices.shape[-1]:].",
        ) from None


def _count(shape: TensorShape) -> int | None:
    """The number of elements; 0 as soon as one dimension is."""
    return 0 if shape.raw is not None and 0 in shape.raw else shape.num_elements()


def check_emptiness(count: int, indices: Any, updates: Any, message: str) -> None:
    """Check that either there is nothing to do, or all three arrays have elements."""
    if (indices.size or updates.size) and not (count and indices.size and updates.size):
        raise InvalidArgumentError(message=message)


def check_update(shape: tuple[int, ...], indices: Any, updates: Any) -> None:
    """Check the shapes of an update in a run; the indices are checked when they are used."""
    if indices.ndim < 1:
        raise InvalidArgumentError(message="Indices shape must have rank at least one. Found:[]")
    if updates.ndim < 1:
        raise InvalidArgumentError(message="Updates shape must have rank at least one. Found:[]")
    if indices.ndim < 2:
        raise InvalidArgumentError(
            message=f"Indices shape must have rank at least two. Found:{listed(indices.shape)}: "
            "a single index vector is written [[i, j]]"
        )
    check_emptiness(prod(shape), indices, updates, "Indices and updates specified for empty output shape")
    batch, depth = indices.shape[:-1], indices.shape[-1]
    if updates.shape[: len(batch)] != batch:
        raise InvalidArgumentError(
            message="Outer dimensions of indices and update must match. "
            f"Indices shape: {listed(indices.shape)}, updates shape:{listed(updates.shape)}"
        )
    if depth > len(shape) or updates.shape[len(batch) :] != shape[depth:]:
        raise InvalidArgumentError(
            message="Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {listed(shape)} updates: {listed(updates.shape)}"
        )


def sizes_from(shape: Any) -> tuple[int, ...]:
    """The sizes in a vector, none of them negative."""
    if shape.ndim != 1:
        raise InvalidArgumentError(message=f"Shape must be a vector, but has shape {listed(shape.shape)}")
    return sizes_of(shape)


def check_add(sizes: tuple[int, ...], indices: Any, updates: Any) -> None:
    """Check the shapes of a sum in a run."""
    if indices.ndim < 1 or updates.ndim < 1:
        which = "Indices" if indices.ndim < 1 else "Updates"
        raise InvalidArgumentError(message=f"{which} shape must have rank at least one. Found:[]")
    count = prod(sizes)
    text = "Indices and updates specified for empty output"
    text += " shape" if count else f".  indices shape: {listed(indices.shape)}"
    check_emptiness(count, indices, updates, text)
    batch, depth = indices.shape[:-1], indices.shape[-1]
    tail = f"updates[shape={listed(updates.shape)}]"
    if not batch or updates.shape[: len(batch)] != batch:
        raise InvalidArgumentError(
            message=f"Dimensions [0,{len(batch) or 1}) of indices[shape={listed(indices.shape)}] "
            f"must match dimensions [0,{len(batch) or 1}) of {tail}"
        )
    if depth > len(sizes) or updates.shape[len(batch) :] != sizes[depth:]:
        raise InvalidArgumentError(
            message=f"Dimensions [{depth},{len(sizes)}) of input[shape={listed(sizes)}] "
            f"must match dimensions [{len(batch)},{updates.ndim}) of {tail}"
        )
