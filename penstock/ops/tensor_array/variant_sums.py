"""Sums of variant tensors, which gradients need: of wrapped tensors, and of TensorArrays element by element.

What is missing counts as zero: a variant that holds nothing, and an element that was not written. So a sum takes time
for the elements that are there. `summed` builds the nodes. It adds a single element to the sum so far, so that n reads
of one TensorArray have gradients in time n and not n * n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import T, Variant
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import variant
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, merge_shapes
from ..declare.shape_checks import listed, require_one, shape_of_first
from .array_elements import IN_A_RUN, Elements, boxed, content_of, described, require_elements
from .gradient_elements import IndexOperand, element_or_zeros, gradient_of, placed_element
from .variant_boxing import sizes_of_tensor


def summed(variants: Sequence[Tensor]) -> Tensor:
    """The sum of variant tensors of one shape, as a tensor: the first of them, to which the others are added."""
    total, *others = variants
    for each in others:
        if each.op.opdef is placed_element:
            index, value = each.op.inputs
            total = add_element(total, index, value)
        else:
            total = add_variants(total, each)
    return total


# ---- all of two ---------------------------------------------------------------------------------


@op("AddVariants", out=variant, host_only=True, effects=IN_A_RUN)
def add_variants(x: Variant, y: Variant, name: str | None = None) -> Tensor:
    """x + y: of wrapped tensors, of TensorArrays element by element, and of arrays of these."""


@add_variants.shape
def add_variants_shape(x: Tensor, y: Tensor) -> TensorShape:
    return merge_shapes(x.shape, y.shape)


@add_variants.kernel
def add_variants_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.shape != y.shape:
        raise InvalidArgumentError(message=f"x has shape {listed(x.shape)} and y has shape {listed(y.shape)}; a sum of "
                                           "variants needs two of one shape")  # fmt: skip
    return _sums(x, y)


def _sums(x: Array, y: Array) -> Array:
    """The sums of arrays of variants of one shape."""
    made: Array = np.empty(x.shape, variant.np)
    flat = made.reshape(-1)
    for i, ((content,), (other,)) in enumerate(zip(x.reshape(-1).tolist(), y.reshape(-1).tolist(), strict=True)):
        flat[i] = (_sum(content, other),)
    return made


def _sum(content: Any, other: Any) -> Any:
    if content is None or other is None:
        kept = content if other is None else other
        return kept.write_all(()) if kept.__class__ is Elements else kept  # an object of its own: see add_element
    if content.__class__ is not Elements:
        _require_sum(content, other)
        if content.dtype == variant.np:
            return _sums(content, other)
        return np.asarray(content + other)
    require_elements(other)
    return content.write_all((index, value) for index, value in other.items() if value is not None)


def _require_sum(content: Any, other: Any) -> None:
    """InvalidArgumentError unless both are arrays of one dtype and shape."""
    if not (
        isinstance(content, np.ndarray)
        and isinstance(other, np.ndarray)
        and content.dtype == other.dtype
        and content.shape == other.shape
    ):
        raise InvalidArgumentError(
            message=f"one variant holds {described(content)}, the other {described(other)}; a sum needs TensorArrays, "
            "or arrays of one dtype and shape"
        )


@add_variants.gradient("x: g; y: g")
def add_variants_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [g, g]


@add_variants.samples
def add_variants_samples(rng: np.random.Generator) -> Samples:
    yield sample(boxed(rng.random(3)), boxed(rng.random(3)))
    yield sample(boxed(None), boxed(rng.random(3)))
    yield sample(np.empty(0, variant.np), np.empty(0, variant.np))
    ones = np.ones(2, "f4")
    yield sample(boxed(gradient_of(ones.dtype, [(1, ones)])), boxed(gradient_of(ones.dtype, [(1, ones), (3, ones)])))


# ---- one element --------------------------------------------------------------------------------


@op("AddElement", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_first)
def add_element(array: Variant, index: IndexOperand, value: T, name: str | None = None) -> Tensor:
    """An array of gradients with `value` added to the element at `index`."""


@add_element.kernel
def add_element_kernel(xp: Any, array: Any, index: Any, value: Any) -> Any:
    content = content_of(array)
    if content is None:
        content = gradient_of(value.dtype)
    require_elements(content)
    require_one(index, "index")
    return boxed(content.write(int(index), np.array(value)))


@add_element.in_place("array")
def _with_element(xp: Any, array: Any, index: Any, value: Any) -> Any:
    """The sum takes the place of the element, which is not kept: other objects than this one do not see it."""
    if index.ndim:
        require_one(index, "index")
    content = content_of(array)
    if content is None:
        return boxed(gradient_of(value.dtype, ((int(index), np.array(value)),)))
    if content.__class__ is not Elements:
        require_elements(content)
    content.add_in_place(int(index), np.array(value))
    return array


@add_element.gradient("array: g; value: element_or_zeros(g, index)")
def add_element_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, index, value = op.inputs
    return [g, None, lambda: element_or_zeros(g, index, sizes_of_tensor(ops, value), value.dtype, value.shape)]


@add_element.samples
def add_element_samples(rng: np.random.Generator) -> Samples:
    yield sample(boxed(None), np.array(2, "i4"), rng.random((2, 3)).astype("f4"))
    yield sample(boxed(None), np.array(2, "i4"), np.zeros((0, 2)))
    yield sample(boxed(gradient_of(np.dtype("f8"), [(2, np.ones(3))])), np.array(2, "i4"), rng.random(3))
