"""Lists that grow and shrink at their end, as values of dtype `variant`: what imported graphs have besides TensorArrays.

TensorFlow's loops in functional form keep values in lists (`TensorListPushBack`, `TensorListSetItem`), its older ones on
stacks (`StackPushV2`). A list here is a TensorArray that grows; its elements may be variants too. As with TensorArrays a
change gives a new value, and is made in place where nothing reads the old one later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ..errors import InvalidArgumentError
from ..graph.dtypes import DType, int32, variant
from ..graph.nodes import Operation, Tensor
from ..graph.op_declaration import OpDef, Sample, op, sample
from ..graph.shape import TensorShape
from ..graph.signature import Everything, Operand, TensorLike, Variant, bits_of
from .array_elements import IN_A_RUN, Elements, boxed, elements_of
from .array_writing import sample_array
from .gradient_elements import IndexOperand, element_or_zeros
from .shape_checks import require_rank
from .wrap_unwrap import DTypeAttr, ShapeAttr

SizeOperand = Annotated[TensorLike, Operand(None, bits_of(int32))]


@op("ListReserve", out=variant, host_only=True, effects=IN_A_RUN)
def list_reserve(sizes: SizeOperand, size: SizeOperand, dtype: DTypeAttr, name: str | None = None) -> Tensor:
    """A list of `size` elements, none of which is written, of the shape `sizes`: -1 stands for any size or shape."""


@list_reserve.shape
def _(sizes: Tensor, size: Tensor, dtype: DType) -> TensorShape:
    require_rank(size, 0, 1)
    return TensorShape(())


@list_reserve.kernel
def _(xp: Any, sizes: Any, size: Any, dtype: DType) -> Any:
    shape = tuple([None if each < 0 else each for each in sizes.tolist()]) if sizes.ndim else None
    return boxed(Elements(dtype, int(size), shape, dynamic=True, sums=True, label="list"))


@op("ListElementSizes", out=int32, host_only=True, effects=IN_A_RUN)
def list_element_sizes(array: Variant, name: str | None = None) -> Tensor:
    """What is known of the shape of a list's elements, as `ListReserve` takes it."""


@list_element_sizes.shape
def _(array: Tensor) -> TensorShape:
    return TensorShape(None)


@list_element_sizes.kernel
def _(xp: Any, array: Any) -> Any:
    elements = elements_of(array)
    if elements.shape is None:
        return np.array(-1, np.int32)
    return np.array([-1 if each is None else each for each in elements.shape], np.int32)


@op("ListPush", out=variant, host_only=True, effects=IN_A_RUN)
def list_push(array: Variant, value: Everything, name: str | None = None) -> Tensor:
    """A list with `value` behind its last element."""


@list_push.in_place("array")
def _pushed(xp: Any, array: Any, value: Any) -> Any:
    elements = elements_of(array)
    elements.found[elements.size] = np.array(value)
    elements.size += 1
    return array


@op("ListLast", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN)
def list_last(array: Variant, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The last element of a list."""


@list_last.shape
def _(array: Tensor, dtype: DType, shape: TensorShape) -> TensorShape:
    return shape


@list_last.kernel
def _(xp: Any, array: Any, dtype: DType, shape: TensorShape) -> Any:
    elements = elements_of(array)
    if not elements.size:
        raise InvalidArgumentError(message="Trying to pop from an empty list.")
    found = elements.read(elements.size - 1)
    if found.dtype != dtype.np or not shape.is_compatible_with(found.shape):
        raise InvalidArgumentError(message=f"the last element is {found.dtype} of shape {list(found.shape)}; expected "
                                           f"{dtype.name} {shape}")  # fmt: skip
    return found


@op("ListDropLast", out=variant, host_only=True, effects=IN_A_RUN)
def list_drop_last(array: Variant, name: str | None = None) -> Tensor:
    """A list without its last element."""


@list_drop_last.in_place("array")
def _dropped(xp: Any, array: Any) -> Any:
    elements = elements_of(array)
    elements.size = max(0, elements.size - 1)
    elements.found.pop(elements.size, None)
    return array


@op("ListSet", out=variant, host_only=True, effects=IN_A_RUN)
def list_set(array: Variant, index: IndexOperand, value: Everything, name: str | None = None) -> Tensor:
    """A list with `value` as the element at `index`, whatever was there."""


@list_set.in_place("array")
def _set(xp: Any, array: Any, index: Any, value: Any) -> Any:
    elements, place = elements_of(array), int(index)
    before = elements.found.pop(place, None)
    try:
        elements.write(place, np.array(value))
    except InvalidArgumentError:
        if before is not None:
            elements.found[place] = before
        raise
    return array


@op("ListForget", out=variant, host_only=True, effects=IN_A_RUN)
def list_forget(array: Variant, index: IndexOperand, name: str | None = None) -> Tensor:
    """A list whose element at `index` counts as not written."""


@list_forget.in_place("array")
def _forgotten(xp: Any, array: Any, index: Any) -> Any:
    elements_of(array).found.pop(int(index), None)
    return array


@op("ListResize", out=variant, host_only=True, effects=IN_A_RUN)
def list_resize(array: Variant, size: SizeOperand, name: str | None = None) -> Tensor:
    """A list of `size` elements: without the last ones, or with more that are not written."""


@list_resize.in_place("array")
def _resized(xp: Any, array: Any, size: Any) -> Any:
    elements, wanted = elements_of(array), int(size)
    if wanted < 0:
        raise InvalidArgumentError(message=f"a list cannot have {wanted} elements")
    for place in [each for each in elements.found if each >= wanted]:
        del elements.found[place]
    elements.size = wanted
    return array


# ---- what they share ----------------------------------------------------------------------------


def _declare(opdef: OpDef[Any, Any], change: Any) -> None:
    """The shape and the kernel of an op that changes a list."""

    @opdef.shape
    def _(array: Tensor, *rest: Any) -> TensorShape:
        require_rank(array, 0, 0)
        return array.shape

    @opdef.kernel
    def _(xp: Any, array: Any, *rest: Any) -> Any:
        elements: Elements = elements_of(array)
        return change(xp, boxed(elements.copy()), *rest)


for _opdef, _change in ((list_push, _pushed), (list_drop_last, _dropped), (list_set, _set),
                        (list_forget, _forgotten), (list_resize, _resized)):  # fmt: skip
    _declare(_opdef, _change)


@list_set.gradient("array: g without index; value: element index of g, or zeros")
def _(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, index, value = op.inputs
    return [
        lambda: list_forget(g, index),
        None,
        lambda: element_or_zeros(g, index, ops.shape(value), value.dtype, value.shape),
    ]


_BACKWARDS = "it belongs to the backward pass of an imported graph"
_CURE = "Build the gradient here, with tf.gradients of the forward part."
list_reserve.no_gradient("it has no elements yet")
list_element_sizes.no_gradient("it gives ints")
list_push.no_gradient(_BACKWARDS, _CURE)
list_last.no_gradient(_BACKWARDS, _CURE)
list_drop_last.no_gradient(_BACKWARDS, _CURE)
list_forget.no_gradient(_BACKWARDS, _CURE)
list_resize.no_gradient(_BACKWARDS, _CURE)


@list_reserve.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(np.array([2, -1], "i4"), np.array(3, "i4"), "float32")
    yield sample(np.array(-1, "i4"), np.array(0, "i4"), "string")


@list_element_sizes.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), identical=True))
    yield sample(sample_array())


@list_push.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3)), rng.random(2))
    yield sample(sample_array(), np.array(2.5, "f4"))


@list_last.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), rng.random(2)), "float64", [2])
    yield sample(sample_array(np.zeros((0, 2))), "float64")


@list_drop_last.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), rng.random(2)))
    yield sample(sample_array())


@list_set.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"), rng.random(3))
    yield sample(sample_array(size=2), np.array(1, "i4"), np.zeros((0, 2), "f4"))


@list_forget.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"))
    yield sample(sample_array(), np.array(0, "i4"))


@list_resize.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"))
    yield sample(sample_array(), np.array(3, "i4"))
