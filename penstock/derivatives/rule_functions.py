"""Functions that gradient rules of several ops share; rules call them as `ops.scattered(...)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..graph.model.nodes import Operation, Tensor
from . import rule_namespace as ops

F = TypeVar("F", bound=Callable[..., Any])


def _for_rules(function: F) -> F:
    """Put a function into the namespace of rules."""
    setattr(ops, function.__name__, function)
    return function


@_for_rules
def log_or_zero(x: Tensor) -> Tensor:
    """log(x), and 0 where that is no number: where x is 0 or, of real numbers, below."""
    holds = ops.not_equal(x, ops.zeros_like(x)) if x.dtype.is_complex else x > 0.0
    return ops.where(holds, ops.log(ops.where(holds, x, ops.ones_like(x))), ops.zeros_like(x))


@_for_rules
def slope_of_sign(x: Tensor, out: Tensor, g: Tensor) -> Tensor:
    """The part of `g` across the direction of the complex number x, over |x|; 0 where x is 0."""
    size = ops.abs(x)
    across = g - out * ops.cast(ops.real(ops.conj(out) * g), g.dtype)
    divisor = ops.cast(ops.where(size > 0.0, size, ops.ones_like(size)), g.dtype)
    return ops.where(size > 0.0, across / divisor, ops.zeros_like(g))


@_for_rules
def placed_along_last(values: Tensor, places: Tensor, like: Tensor) -> Tensor:
    """A tensor of the shape of `like`: `values` at `places` along the last dimension, and 0 elsewhere."""
    sizes = ops.shape(like)
    length = sizes[-1]
    rows = ops.reshape(places, ops.pack([-1, ops.shape(places)[-1]]))
    starts = ops.range(0, ops.shape(rows)[0]) * length
    flat = ops.reshape(rows + ops.expand_dims(starts, 1), [-1, 1])
    return ops.reshape(ops.scatter_nd(flat, ops.reshape(values, [-1]), ops.pack([ops.reduce_prod(sizes)])), sizes)


@_for_rules
def or_zeros(op: Operation, gradients: Sequence[Tensor | None]) -> list[Tensor]:
    """The gradients of the outputs of `op`; zeros where nothing comes in."""
    return [ops.zeros_like(out) if g is None else g for out, g in zip(op.outputs, gradients, strict=True)]


@_for_rules
def scattered(indices: Tensor, rows: Tensor, like: Tensor) -> Tensor:
    """A tensor of the shape of `like`: `rows` added up at `indices`, as in `scatter_nd`, and 0 elsewhere."""
    return ops.scatter_nd(indices, rows, ops.cast(ops.shape(like), indices.dtype))
