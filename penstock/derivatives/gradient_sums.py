"""Sums of the gradients that reach one tensor from its consumers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.nodes import Tensor
from ..ops.tensor_array.variant_sums import summed
from . import rule_namespace as ops

Gradient: TypeAlias = Tensor | IndexedSlices


def total(gradients: Sequence[Gradient], one_op: bool = False) -> Gradient:
    """The sum of the gradients of one tensor; rows stay rows as long as all of them are. `one_op`: it is not fused."""
    if len(gradients) == 1:
        return gradients[0]
    slices = [each for each in gradients if isinstance(each, IndexedSlices)]
    if len(slices) == len(gradients):
        return _joined(slices)
    tensors = [dense(each) for each in gradients]
    if tensors[0].dtype.is_variant:
        return summed(tensors)
    if one_op or not may_add(tensors):
        return ops.add_n(tensors, "sum")  # `add` broadcasts, and would forget what one of the shapes says
    sum_ = tensors[0]
    for each in tensors[1:]:
        sum_ = ops.add(sum_, each, "sum")  # elementwise, so that it joins a group with what makes the gradients
    return sum_


def may_add(gradients: Sequence[Gradient]) -> bool:
    """Whether `add` may sum them: they are tensors, and static shapes show that none is broadcast."""
    first = gradients[0]
    return first.shape.raw is not None and all(
        isinstance(each, Tensor) and each.shape.raw == first.shape.raw for each in gradients
    )


def dense(gradient: Gradient) -> Tensor:
    """A gradient as a tensor."""
    return ops.convert_to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient


def _joined(slices: Sequence[IndexedSlices]) -> IndexedSlices:
    """The rows of all, one after the other."""
    indices = [each.indices for each in slices]
    if any(each.dtype is not indices[0].dtype for each in indices):
        indices = [ops.cast(each, "int64") for each in indices]
    shapes = [each.dense_shape for each in slices if each.dense_shape is not None]
    return IndexedSlices(ops.concat(0, [each.values for each in slices]), ops.concat(0, indices),
                         shapes[0] if shapes else None)  # fmt: skip
