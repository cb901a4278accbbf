"""Lists that grow and shrink at their end, as values of dtype `variant`: imported graphs have them beside TensorArrays.

TensorFlow's loops in functional form keep values in lists (`TensorListPushBack`, `TensorListSetItem`), its older ones
on stacks (`StackPushV2`). A list here is a TensorArray that grows, and whose elements may be written again. They may
be variants too.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Everything, Operand, TensorLike, Variant, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, int32, variant
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, unknown_rank
from ..declare.shape_checks import possible, require_one, require_rank, require_vector, scalar_of, shape_of_scalar
from .array_elements import IN_A_RUN, ArrayFacts, Elements, Sizes, boxed, content_of, elements_of, known_sizes, zeros
from .array_reading import array_clear
from .array_writing import sample_array
from .gradient_elements import IndexOperand, IndicesOperand, element_or_zeros, placed_rows
from .variant_boxing import DTypeAttr, ShapeAttr, explained, static_sizes

SizeOperand = Annotated[TensorLike, Operand(None, bits_of(int32))]


@op("ListReserve", out=variant, host_only=True, effects=IN_A_RUN, ranks={"size": 0}, shape=shape_of_scalar,
    no_gradient="it has no elements yet")  # fmt: skip
def list_reserve(sizes: SizeOperand, size: SizeOperand, dtype: DTypeAttr, name: str | None = None) -> Tensor:
    """A list of `size` elements, none of which is written, of the shape `sizes`: -1 stands for any size or shape."""


@list_reserve.kernel
def list_reserve_kernel(xp: Any, sizes: Any, size: Any, dtype: DType) -> Any:
    facts = ArrayFacts(dtype, dynamic=True, sums=True, label="list")
    return boxed(Elements(facts, scalar_of(size, "size"), _element_shape(sizes)))


def _element_shape(sizes: Array) -> Sizes | None:
    """The shape that an operand describes, in which -1 stands for any size, or by itself for any shape."""
    if not sizes.ndim:
        return None
    require_vector(sizes, "the shape of an element")
    return tuple([None if each < 0 else each for each in sizes.tolist()])


@op("ListZeros", out=variant, host_only=True, effects=IN_A_RUN, no_gradient="it does not depend on values")
def list_zeros(array: Variant, name: str | None = None) -> Tensor:
    """A list as long as another one, whose elements are zeros; nothing for a variant that is no list."""


@list_zeros.kernel
def list_zeros_kernel(xp: Any, array: Any) -> Any:
    content = content_of(array)
    if not isinstance(content, Elements):
        return boxed(None)
    return boxed(_zeros_like(content))


def _zeros_like(content: Elements) -> Elements:
    """Zeros are missing elements, where the list knows their shape. Those of lists in a list are lists of zeros."""
    facts = ArrayFacts(content.facts.dtype, dynamic=True, sums=True, label="list")
    result = Elements(facts, content.size, content.shape)
    holds_lists = content.facts.dtype == variant.np
    if not holds_lists and content.shape is not None and None not in content.shape:
        return result
    for index, value in content.items():
        if value is None:
            continue
        inner = content_of(value) if holds_lists else None
        if isinstance(inner, Elements):
            result = result.replaced(index, boxed(_zeros_like(inner)))
        elif not holds_lists:
            result = result.replaced(index, np.zeros_like(value))
    return result


@op("ListElementSizes", out=int32, host_only=True, effects=IN_A_RUN, no_gradient="it gives ints")
def list_element_sizes(array: Variant, name: str | None = None) -> Tensor:
    """What is known of the shape of a list's elements, as `ListReserve` takes it."""


@list_element_sizes.shape
def list_element_sizes_shape(array: Tensor) -> TensorShape:
    return unknown_rank("only the run knows what is known of the shape of a list's elements", array)


@list_element_sizes.kernel
def list_element_sizes_kernel(xp: Any, array: Any) -> Any:
    elements = elements_of(array)
    if elements.shape is None:
        return np.array(-1, np.int32)
    return np.array([-1 if each is None else each for each in elements.shape], np.int32)


@op("ListPush", out=variant, host_only=True, effects=IN_A_RUN)
def list_push(array: Variant, value: Everything, name: str | None = None) -> Tensor:
    """A list with `value` behind its last element."""


@list_push.kernel
def list_push_kernel(xp: Any, array: Any, value: Any) -> Any:
    elements = elements_of(array)
    return boxed(elements.replaced(elements.size, np.array(value)))


@op("ListLast", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN)
def list_last(array: Variant, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The last element of a list."""


@list_last.shape
def list_last_shape(array: Tensor, dtype: DType, shape: TensorShape) -> TensorShape:
    return explained(shape, array)


@list_last.kernel
def list_last_kernel(xp: Any, array: Any, dtype: DType, shape: TensorShape) -> Any:
    elements = elements_of(array)
    if not elements.size:
        raise InvalidArgumentError(message="Trying to pop from an empty list.")
    sizes = known_sizes(static_sizes(shape))
    found = elements.found(elements.size - 1) if sizes is not None else elements.read(elements.size - 1)
    if found is None:
        return zeros(sizes or (), dtype.np)
    if found.dtype != dtype.np or not shape.is_compatible_with(found.shape):
        raise InvalidArgumentError(message=f"the last element is {found.dtype} of shape {list(found.shape)}; expected "
                                           f"{dtype.name} {shape}")  # fmt: skip
    return found


@op("ListDropLast", out=variant, host_only=True, effects=IN_A_RUN)
def list_drop_last(array: Variant, name: str | None = None) -> Tensor:
    """A list without its last element."""


@list_drop_last.kernel
def list_drop_last_kernel(xp: Any, array: Any) -> Any:
    return boxed(elements_of(array).without_last())


@op("ListSet", out=variant, host_only=True, effects=IN_A_RUN)
def list_set(array: Variant, index: IndexOperand, value: Everything, name: str | None = None) -> Tensor:
    """A list with `value` as the element at `index`, whatever was there."""


@list_set.kernel
def list_set_kernel(xp: Any, array: Any, index: Any, value: Any) -> Any:
    require_one(index, "index")
    return boxed(elements_of(array).replaced(int(index), np.array(value)))


@op("ListStack", out="dtype", host_only=True, effects=IN_A_RUN)
def list_stack(
    array: Variant, sizes: SizeOperand, dtype: DTypeAttr, shape: ShapeAttr = None, indices: IndicesOperand = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The elements of a list at `indices`, or all, as rows; those that were not written are zeros of the shape `sizes`.

    `shape` is what is known of the shape of the result.
    """


@list_stack.shape
def list_stack_shape(
    array: Tensor, sizes: Tensor, dtype: DType, shape: TensorShape, indices: Tensor | None
) -> TensorShape:
    return explained(shape, array)


@list_stack.kernel
def list_stack_kernel(xp: Any, array: Any, sizes: Any, dtype: DType, shape: TensorShape, indices: Any) -> Any:
    elements = elements_of(array)
    if indices is not None:
        require_vector(indices, "indices")
    entries = [elements.found(place) for place in (range(elements.size) if indices is None else indices.tolist())]
    written = [each.shape for each in entries if each is not None]
    full = known_sizes(elements.shape)
    element_shape = known_sizes(_element_shape(sizes))
    row = written[0] if written else full if full is not None else element_shape
    if row is None:
        raise InvalidArgumentError(message="the shape of the list's elements is not known, and none was written")
    if any(each != row for each in written):
        raise InvalidArgumentError(message="Tried to stack elements of a list with different shapes: "
                                           f"{sorted(set(written))}")  # fmt: skip
    made = zeros(tuple(possible((len(entries), *row), dtype.np.itemsize)), dtype.np)
    for place, value in enumerate(entries):
        if value is not None:
            made[place] = value
    return made


@list_stack.gradient("array: the rows of g, at indices")
def list_stack_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    found = [lambda: placed_rows(g, op.args[-1]), None, None]
    return found[: len(op.inputs)]


@op("ListResize", out=variant, host_only=True, effects=IN_A_RUN)
def list_resize(array: Variant, size: SizeOperand, name: str | None = None) -> Tensor:
    """A list of `size` elements: without the last ones, or with more that are not written."""


@list_resize.kernel
def list_resize_kernel(xp: Any, array: Any, size: Any) -> Any:
    count = scalar_of(size, "size")
    if count < 0:
        raise InvalidArgumentError(message=f"a list cannot have {count} elements")
    return boxed(elements_of(array).resized(count))


def _shape_of_list(array: Tensor, *rest: Any) -> TensorShape:
    require_rank(array, 0, 0)
    return array.shape


for _opdef in (list_zeros, list_push, list_drop_last, list_set, list_resize):
    _opdef.shape(_shape_of_list)


@list_set.gradient("array: g without index; value: element index of g, or zeros")
def list_set_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, index, value = op.inputs
    return [
        lambda: array_clear(g, index),
        None,
        lambda: element_or_zeros(g, index, ops.shape(value), value.dtype, value.shape),
    ]


_BACKWARDS = "it belongs to the backward pass of an imported graph"
_CURE = "Build the gradient here, with tf.gradients of the forward part."
list_push.no_gradient(_BACKWARDS, _CURE)
list_last.no_gradient(_BACKWARDS, _CURE)
list_drop_last.no_gradient(_BACKWARDS, _CURE)
list_resize.no_gradient(_BACKWARDS, _CURE)


_NO_ROWS = np.zeros((0, 2), "f4")


@list_reserve.samples
def list_reserve_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, -1], "i4"), np.array(3, "i4"), "float32")
    yield sample(np.zeros(0, "i4"), np.array(0, "i4"), "string")


@list_zeros.samples
@list_element_sizes.samples
@list_drop_last.samples
def list_zeros_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3), identical=True))
    yield sample(sample_array(_NO_ROWS))


@list_push.samples
def list_push_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), dynamic=True), rng.random(2))
    yield sample(sample_array(dynamic=True), _NO_ROWS)


@list_last.samples
def list_last_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(2)), "float64", [2])
    yield sample(sample_array(_NO_ROWS), "float32")


@list_set.samples
def list_set_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"), rng.random(3))
    yield sample(sample_array(size=2), np.array(1, "i4"), _NO_ROWS)


@list_stack.samples
def list_stack_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), size=2), np.array([3], "i4"), "float64", [2, 3])
    yield sample(sample_array(size=2), np.array([0, 3], "i4"), "float32", [2, 0, 3])
    yield sample(sample_array(rng.random(3), size=4), np.array(-1, "i4"), "float64", [2, 3], np.array([3, 0], "i4"))
    yield sample(sample_array(size=0), np.zeros(0, "i4"), "float32")


@list_resize.samples
def list_resize_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"))
    yield sample(sample_array(_NO_ROWS), np.array(3, "i4"))
