"""Sums of variant tensors, which gradients need: of wrapped tensors, and of TensorArrays element by element.

What is missing counts as zero: a variant that holds nothing, and an element that was not written. So a sum takes time
for the elements that are there. `summed` builds the nodes. It adds a single element in place, so that n reads of one
TensorArray have gradients in time n and not n * n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..graph.dtypes import variant
from ..graph.literal import Array
from ..graph.nodes import Operation, Tensor
from ..graph.op_declaration import Sample, op, sample
from ..graph.shape import TensorShape, merge_shapes
from ..graph.signature import T, Variant
from .array_elements import IN_A_RUN, Elements, boxed, content_of
from .failure_rules import never
from .gradient_elements import IndexOperand, element_or_zeros, new_gradient, placed_element


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
def _(x: Tensor, y: Tensor) -> TensorShape:
    return merge_shapes(x.shape, y.shape)


@add_variants.kernel
def _(xp: Any, x: Any, y: Any) -> Any:
    return _added(xp, _independent(x), y)


def _independent(box: Array) -> Array:
    """A copy whose elements may be changed in place."""
    if not box.ndim:
        content = content_of(box)
        return boxed(content.copy() if content.__class__ is Elements else content)
    made = box.copy()
    flat = made.reshape(-1)
    for i, (content,) in enumerate(flat.tolist()):
        if content.__class__ is Elements:
            flat[i] = (content.copy(),)
    return made


@add_variants.in_place("x")
def _added(xp: Any, x: Any, y: Any) -> Any:
    flat, others = x.reshape(-1), y.reshape(-1).tolist()
    for i, ((content,), (other,)) in enumerate(zip(flat.tolist(), others, strict=True)):
        if other is not None:
            flat[i] = (_sum(content, other),)
    return x


def _sum(content: Any, other: Any) -> Any:
    """The sum of two contents; the first one may be changed, the second is not."""
    if content is None:
        return other.copy() if other.__class__ is Elements else other
    if content.__class__ is not Elements:
        return np.asarray(content + other)
    for index, value in other.found.items():
        content.write(index, value)
    return content


@add_variants.gradient("x: g; y: g")
def _(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [g, g]


@add_variants.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(boxed(rng.random(3)), boxed(rng.random(3)))
    yield sample(boxed(None), boxed(rng.random(3)))
    yield sample(np.empty(0, variant.np), np.empty(0, variant.np))
    first, second = new_gradient(np.dtype("f4")), new_gradient(np.dtype("f4"))
    first.write(1, np.ones(2, "f4"))
    second.write(1, np.ones(2, "f4"))
    second.write(3, np.ones(2, "f4"))
    yield sample(boxed(first), boxed(second))


# ---- one element --------------------------------------------------------------------------------


@op("AddElement", out=variant, host_only=True, effects=IN_A_RUN)
def add_element(array: Variant, index: IndexOperand, value: T, name: str | None = None) -> Tensor:
    """An array of gradients with `value` added to the element at `index`."""


@add_element.shape
def _(array: Tensor, index: Tensor, value: Tensor) -> TensorShape:
    return array.shape


@add_element.kernel
def _(xp: Any, array: Any, index: Any, value: Any) -> Any:
    return _with_element(xp, _independent(array), index, value)


@add_element.in_place("array")
def _with_element(xp: Any, array: Any, index: Any, value: Any) -> Any:
    content = content_of(array)
    if content is None:
        content = new_gradient(value.dtype)
        array[()] = (content,)
    content.write(int(index), np.array(value))
    return array


add_element.fails(never)


@add_element.gradient("array: g; value: element_or_zeros(g, index)")
def _(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, index, value = op.inputs
    return [g, None, lambda: element_or_zeros(g, index, ops.shape(value), value.dtype, value.shape)]


@add_element.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(boxed(None), np.array(2, "i4"), rng.random((2, 3)).astype("f4"))
    yield sample(boxed(None), np.array(2, "i4"), np.zeros((0, 2)))
    found = new_gradient(np.dtype("f8"))
    found.write(2, np.ones(3))
    yield sample(boxed(found), np.array(2, "i4"), rng.random(3))
