"""Gradients of TensorArrays as variant tensors: what reads of a TensorArray send back, and what writes take from it.

    placed_element(i, v)      v at index i                     element_or_zeros(a, i, sizes)
    placed_rows(v, indices)   row k of v at indices[k]         rows_or_zeros(a, sizes, indices)
    placed_parts(v, lengths)  the parts of v, one per index    parts_or_zeros(a, lengths, sizes)

The ops on the left make an array with these elements and no others; those on the right are their derivatives, and give
zeros for elements that are missing. Each is the gradient of the other, so derivatives of any order exist. Such an array
has no fixed size. Where an index occurs twice its values add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Operand, T, TensorLike, Variant, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, float32, int32, int64, of_numpy, variant
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, require_one, require_vector, shape_of_scalar
from .array_elements import IN_A_RUN, ArrayFacts, Elements, boxed, content_of, require_elements, zeros_of
from .variant_boxing import DTypeAttr, ShapeAttr, explained, sizes_of_tensor

IndexOperand = Annotated[TensorLike, Operand(None, bits_of(int32))]
IndicesOperand = Annotated[TensorLike | None, Operand(None, bits_of(int32), optional=True)]
"""One index for each row; without it rows 0, 1, 2 and so on."""


_NOTHING: Final = Elements(ArrayFacts(float32), 0)


def gradient_of(dtype: np.dtype[Any], values: Iterable[tuple[int, Array]] = ()) -> Elements:
    """An array of no fixed size with these elements, in which values of one index add up."""
    facts = ArrayFacts(of_numpy(dtype), dynamic=True, sums=True, label="gradient")
    return Elements(facts, 0).write_all(values)


def present(box: Array) -> Elements:
    """The elements of a gradient; none where it holds nothing. InvalidArgumentError where it holds something else."""
    content = content_of(box)
    if content is None:
        return _NOTHING
    if content.__class__ is not Elements:
        require_elements(content)
    elements: Elements = content
    return elements


def places_of(value: Array, indices: Array | None) -> Sequence[int]:
    """The index of each row of `value`; InvalidArgumentError if it has no rows, or `indices` is not one per row."""
    if indices is not None:
        require_vector(indices, "indices")
    if not value.ndim or (indices is not None and len(indices) != len(value)):
        raise InvalidArgumentError(
            message=f"the value has shape {listed(value.shape)}; it needs a row for each of "
            f"{'the elements' if indices is None else f'{len(indices)} indices'}"
        )
    return range(len(value)) if indices is None else indices.tolist()


def rows_of(value: Array) -> list[Array]:
    """The rows of an array, each of them an array."""
    return [value[i, ...] for i in range(len(value))] if value.ndim == 1 else list(value)


def parts_of(value: Array, lengths: Array) -> list[Array]:
    """Consecutive groups of rows of the given lengths; InvalidArgumentError unless these divide up all rows."""
    require_vector(lengths, "lengths")
    if not value.ndim:
        raise InvalidArgumentError(message="Expected value to be at least a vector, but received shape: []")
    total = int(lengths.sum())
    if total != len(value) or (len(lengths) and lengths.min() < 0):
        raise InvalidArgumentError(message="Expected sum of lengths to be equal to values.shape[0], but sum of lengths "
                                           f"is {total} and value's shape is: {listed(value.shape)}")  # fmt: skip
    ends = np.cumsum(lengths).tolist()
    return [value[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _require_like(part: Array, found: Array, index: int) -> None:
    """InvalidArgumentError unless the element at `index` has the shape and dtype of its part of the result."""
    if found.shape != part.shape or found.dtype != part.dtype:
        raise InvalidArgumentError(
            message=f"the element at index {index} is {found.dtype} of shape {listed(found.shape)}, but {part.dtype} "
            f"of shape {listed(part.shape)} is read"
        )


# ---- one element --------------------------------------------------------------------------------


@op("PlaceElement", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_scalar)
def placed_element(index: IndexOperand, value: T, name: str | None = None) -> Tensor:
    """An array of gradients that has `value` at `index` and no other elements."""


@op("ElementOrZeros", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN)
def element_or_zeros(
    array: Variant, index: IndexOperand, sizes: T, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None
) -> Tensor:
    """The element at `index` of an array of gradients, and zeros of the shape `sizes` where there is none."""


@placed_element.kernel
def placed_element_kernel(xp: Any, index: Any, value: Any) -> Any:
    require_one(index, "index")
    return boxed(gradient_of(value.dtype, ((int(index), np.array(value)),)))


@element_or_zeros.kernel
def element_or_zeros_kernel(xp: Any, array: Any, index: Any, sizes: Any, dtype: DType, shape: TensorShape) -> Any:
    if index.ndim:
        require_one(index, "index")
    found = present(array).found(int(index))
    return zeros_of(sizes, dtype.np) if found is None else found


@placed_element.gradient("value: element_or_zeros(g, index)")
def placed_element_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    index, value = op.inputs
    return [None, lambda: element_or_zeros(g, index, sizes_of_tensor(ops, value), value.dtype, value.shape)]


@element_or_zeros.gradient("array: placed_element(index, g)")
def element_or_zeros_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: placed_element(op.inputs[1], g), None, None]


# ---- rows ---------------------------------------------------------------------------------------


@op("PlaceRows", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_scalar)
def placed_rows(value: T, indices: IndicesOperand = None, name: str | None = None) -> Tensor:
    """An array of gradients that has the rows of `value` at `indices`, and no other elements."""


@op("RowsOrZeros", out="dtype", host_only=True, effects=IN_A_RUN)
def rows_or_zeros(
    array: Variant, sizes: T, dtype: DTypeAttr, shape: ShapeAttr = None, indices: IndicesOperand = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The elements of an array of gradients at `indices` as rows, zeros for those that are missing.

    `sizes` is the shape of the result, an int vector.
    """


@placed_rows.kernel
def placed_rows_kernel(xp: Any, value: Any, indices: Any) -> Any:
    places = places_of(value, indices)
    return boxed(gradient_of(value.dtype, zip(places, rows_of(np.array(value)), strict=True)))


@rows_or_zeros.kernel
def rows_or_zeros_kernel(xp: Any, array: Any, sizes: Any, dtype: DType, shape: TensorShape, indices: Any) -> Any:
    elements = present(array)
    made = zeros_of(sizes, dtype.np)
    places = places_of(made, indices)
    shape_of_row = made.shape[1:]
    for row, index in enumerate(places):
        found = elements.found(index)
        if found is not None:
            if found.shape != shape_of_row or found.dtype is not dtype.np:
                _require_like(made[row, ...], found, index)
            made[row] = found
    return made


@placed_rows.gradient("value: rows_or_zeros(g, indices)")
def placed_rows_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    value, indices = op.args
    found = [lambda: rows_or_zeros(g, sizes_of_tensor(ops, value), value.dtype, value.shape, indices), None]
    return found[: len(op.inputs)]


@rows_or_zeros.gradient("array: placed_rows(g, indices)")
def rows_or_zeros_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: placed_rows(g, op.args[4]), None, None][: len(op.inputs)]


# ---- parts --------------------------------------------------------------------------------------


LengthsOperand = Annotated[TensorLike, Operand(None, bits_of(int32, int64))]


@op("PlaceParts", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_scalar)
def placed_parts(value: T, lengths: LengthsOperand, name: str | None = None) -> Tensor:
    """An array of gradients whose elements are consecutive groups of rows of `value`, of the given lengths."""


@op("PartsOrZeros", out="dtype", host_only=True, effects=IN_A_RUN)
def parts_or_zeros(
    array: Variant, lengths: LengthsOperand, sizes: T, dtype: DTypeAttr, shape: ShapeAttr = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The elements of an array of gradients as groups of rows of the given lengths, zeros for those that are missing.

    `sizes` is the shape of the result, an int vector.
    """


@placed_parts.kernel
def placed_parts_kernel(xp: Any, value: Any, lengths: Any) -> Any:
    return boxed(gradient_of(value.dtype, enumerate(parts_of(np.array(value), lengths))))


@parts_or_zeros.kernel
def parts_or_zeros_kernel(xp: Any, array: Any, lengths: Any, sizes: Any, dtype: DType, shape: TensorShape) -> Any:
    elements = present(array)
    made = zeros_of(sizes, dtype.np)
    for index, part in enumerate(parts_of(made, lengths)):
        found = elements.found(index)
        if found is not None:
            _require_like(part, found, index)
            part[...] = found
    return made


@placed_parts.gradient("value: parts_or_zeros(g, lengths)")
def placed_parts_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    value, lengths = op.inputs
    return [lambda: parts_or_zeros(g, lengths, sizes_of_tensor(ops, value), value.dtype, value.shape), None]


@parts_or_zeros.gradient("array: placed_parts(g, lengths)")
def parts_or_zeros_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: placed_parts(g, op.inputs[1]), None, None]


# ---- shapes and samples -------------------------------------------------------------------------


@element_or_zeros.shape
def element_or_zeros_shape(
    array: Tensor, index: Tensor, sizes: Tensor, dtype: DType, shape: TensorShape
) -> TensorShape:
    return explained(shape, array)


@rows_or_zeros.shape
def rows_or_zeros_shape(
    array: Tensor, sizes: Tensor, dtype: DType, shape: TensorShape, indices: Tensor | None
) -> TensorShape:
    return explained(shape, array)


@parts_or_zeros.shape
def parts_or_zeros_shape(
    array: Tensor, lengths: Tensor, sizes: Tensor, dtype: DType, shape: TensorShape
) -> TensorShape:
    return explained(shape, array)


def _gradient(*values: Any) -> Array:
    arrays = list(map(np.asarray, values))
    return boxed(gradient_of(arrays[0].dtype, enumerate(arrays)))


@placed_element.samples
def placed_element_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(2, "i4"), rng.random((2, 3)).astype("f4"))
    yield sample(np.array(2, "i4"), np.zeros((0, 3)))


@element_or_zeros.samples
def element_or_zeros_samples(rng: np.random.Generator) -> Samples:
    yield sample(_gradient(rng.random(3)), np.array(0, "i4"), np.array([3], "i4"), "float64", [3])
    yield sample(_gradient(rng.random(3)), np.array(7, "i4"), np.array([3], "i4"), "float64")
    yield sample(boxed(None), np.array(7, "i4"), np.array([], "i4"), "float32", [])


@placed_rows.samples
def placed_rows_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(rng.random(3), np.array([4, 1, 1], "i4"))
    yield sample(np.zeros((0, 2), "f4"))


@rows_or_zeros.samples
def rows_or_zeros_samples(rng: np.random.Generator) -> Samples:
    yield sample(_gradient(rng.random(3), rng.random(3)), np.array([4, 3], "i4"), "float64", [4, 3])
    yield sample(_gradient(rng.random(), rng.random()), np.array([2], "i4"), "float64", None, np.array([7, 1], "i4"))
    yield sample(boxed(None), np.array([0, 3], "i4"), "float32", None, np.zeros(0, "i4"))


@placed_parts.samples
def placed_parts_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 2)).astype("f4"), np.array([1, 0, 2], "i8"))
    yield sample(np.zeros((0, 2)), np.zeros(0, "i4"))


@parts_or_zeros.samples
def parts_or_zeros_samples(rng: np.random.Generator) -> Samples:
    yield sample(_gradient(rng.random((1, 2)), rng.random((2, 2))), np.array([1, 2, 1], "i8"),
                 np.array([4, 2], "i4"), "float64", [4, 2])  # fmt: skip
    yield sample(boxed(None), np.zeros(0, "i4"), np.array([0, 2], "i4"), "float64")
