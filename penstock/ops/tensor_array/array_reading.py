"""Ops behind `tf.TensorArray` that read: one element, several as rows, all joined; and what clears them afterwards.

Their attribute `clear` says that an element that is read is used up. It does nothing by itself: when a run is planned,
`runtime.passes.read_once_arrays` gives what uses the same array later an array without these elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, T, Variant
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, int64, variant
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed, require_one, require_rank, require_vector, shape_of_first
from .array_elements import IN_A_RUN, Elements, boxed, elements_of, fits, known_sizes, shape_of_none, sizes_text
from .array_writing import sample_array
from .gradient_elements import IndexOperand, IndicesOperand, placed_element, placed_parts, placed_rows
from .variant_boxing import DTypeAttr, ShapeAttr, explained, static_sizes

# ---- one element --------------------------------------------------------------------------------


@op("TensorArrayRead", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN, uses_up="index", ranks={"index": 0})
def array_read(
    array: Variant, index: IndexOperand, dtype: DTypeAttr, shape: ShapeAttr = None, clear: Flag = False,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The element of a TensorArray at `index`; `shape` is what is known of its shape."""


@array_read.shape
def array_read_shape(array: Tensor, index: Tensor, dtype: DType, shape: TensorShape, clear: bool) -> TensorShape:
    return explained(shape, array)


@array_read.kernel
def array_read_kernel(xp: Any, array: Any, index: Any, dtype: DType, shape: TensorShape, clear: bool) -> Any:
    elements = elements_of(array)
    if index.ndim:
        require_one(index, "index")
    found = elements.read(int(index))
    if found.shape != shape.raw or found.dtype is not dtype.np:
        _check(elements, found, dtype, shape)
    return found


def _check(elements: Elements, found: Array, dtype: DType, shape: TensorShape) -> None:
    """InvalidArgumentError where an element is not what was known of it while the graph was built."""
    if elements.facts.dtype is not dtype:
        raise elements.error(f"its elements are {elements.facts.dtype.name}, but {dtype.name} is read")
    if not fits(found.shape, static_sizes(shape)):
        raise elements.error(f"an element has shape {listed(found.shape)}, but {sizes_text(static_sizes(shape))} is "
                             "read")  # fmt: skip


@array_read.gradient("array: g at index")
def array_read_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: placed_element(op.inputs[1], g), None]


@array_read.samples
def array_read_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"), "float64", [3])
    yield sample(sample_array(rng.random(3), size=4, identical=True), np.array(2, "i4"), "float64")


# ---- several elements ---------------------------------------------------------------------------


@op("TensorArrayGather", out="dtype", host_only=True, effects=IN_A_RUN, uses_up="indices")
def array_gather(
    array: Variant, dtype: DTypeAttr, shape: ShapeAttr = None, clear: Flag = False, indices: IndicesOperand = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The elements of a TensorArray at `indices` as rows; without these, all of them.

    `shape` is what is known of the shape of an element, preceded by what is known of the number of rows.
    """


@array_gather.shape
def array_gather_shape(
    array: Tensor, dtype: DType, shape: TensorShape, clear: bool, indices: Tensor | None
) -> TensorShape:
    if indices is not None:
        require_rank(indices, 1, 1)
    if indices is None or shape.raw is None:
        return explained(shape, array)
    count = unknown("how many indices there are", indices) if indices.shape.raw is None else indices.shape.raw[0]
    return shape_of((count, *shape.raw[1:]))


@array_gather.kernel
def array_gather_kernel(xp: Any, array: Any, dtype: DType, shape: TensorShape, clear: bool, indices: Any) -> Any:
    elements = elements_of(array)
    if indices is not None:
        require_vector(indices, "indices")
    places = range(elements.size) if indices is None else indices.tolist()
    sizes = static_sizes(shape)
    row = None if sizes is None else known_sizes(sizes[1:])
    if not len(places):
        return np.empty((0, *(elements.empty_shape() if row is None else row)), dtype.np)
    found = _distinct(elements, places, clear, row)
    first = found[0].shape
    for place, value in enumerate(found):
        if value.shape != first:
            raise InvalidArgumentError(message="TensorArray has inconsistent shapes.  Index 0 has shape: "
                                               f"{listed(first)} but index {place} has shape: "
                                               f"{listed(value.shape)}")  # fmt: skip
    dims = shape.raw
    _check(elements, found[0], dtype, TensorShape(None) if dims is None else TensorShape(dims[1:]))
    return stacked(found, dtype)


def _distinct(
    elements: Elements, places: Sequence[int], clear: bool, shape: tuple[int, ...] | None
) -> list[Array]:
    """The elements at `places`, of that shape if it is known; an error where one that clears occurs twice."""
    found = [elements.read(place, shape) for place in places]
    if clear and len(set(places)) < len(found):
        seen: set[int] = set()
        for place in places:
            if place in seen:
                raise elements.read_twice(place)
            seen.add(place)
    return found


def stacked(values: Sequence[Array], dtype: DType) -> Array:
    """Arrays of one shape as the rows of one."""
    made = np.empty((len(values), *values[0].shape), dtype.np)
    if made.ndim == 1:
        made[:] = [value.item() for value in values] if dtype.name != "bfloat16" else values
        return made
    for row, value in enumerate(values):
        made[row] = value
    return made


@array_gather.gradient("array: the rows of g at indices")
def array_gather_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: placed_rows(g, op.args[4]), None][: len(op.inputs)]


@array_gather.samples
def array_gather_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)), "float64", [2, 3])
    yield sample(sample_array(1.5, 2.5, 3.5), "float64", [None], False, np.array([2, 0], "i4"))
    yield sample(sample_array(size=0, shape=(2,)), "float32")
    yield sample(sample_array(), "float32", [None, 2], False, np.zeros(0, "i4"))


@op("StackedRows", views="value", shape=shape_of_first, no_gradient="passes make it, after gradients are built")
def stacked_rows(value: T, element_shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The rows that a loop has stacked, as `TensorArrayGather` gives those of an array of that declared shape.

    Passes put it where the gather stood; with no rows it is the same error.
    """


@stacked_rows.kernel
def stacked_rows_kernel(xp: Any, value: Any, element_shape: TensorShape) -> Any:
    if not len(value):
        shape_of_none(static_sizes(element_shape))
    return value


@stacked_rows.samples
def stacked_rows_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)))
    yield sample(np.zeros((0, 2), "f4"), [2])


# ---- all elements, joined -----------------------------------------------------------------------


@op("TensorArrayConcat", out=("dtype", int64), host_only=True, effects=IN_A_RUN, uses_up="all")
def array_concat(
    array: Variant, dtype: DTypeAttr, shape: ShapeAttr = None, clear: Flag = False, name: str | None = None
) -> list[Tensor]:
    """All elements of a TensorArray, one after the other along their first dimension, and how many rows each has.

    `shape` is what is known of the shape of the result.
    """


@array_concat.shape
def array_concat_shape(array: Tensor, dtype: DType, shape: TensorShape, clear: bool) -> list[TensorShape]:
    return [explained(shape, array), shape_of((unknown("only the run knows how many elements there are", array),))]


@array_concat.kernel
def array_concat_kernel(xp: Any, array: Any, dtype: DType, shape: TensorShape, clear: bool) -> list[Any]:
    elements = elements_of(array)
    values = [elements.read(index) for index in range(elements.size)]
    if not values:
        sizes = static_sizes(shape)
        rest = None if sizes is None else known_sizes(sizes[1:])
        return [np.empty((0, *(elements.empty_shape()[1:] if rest is None else rest)), dtype.np), np.empty(0, np.int64)]
    for place, value in enumerate(values):
        if not value.ndim:
            raise InvalidArgumentError(message=f"Concat saw a scalar shape at index {place} but requires at least "
                                               "vectors.  Did you mean to call pack?")  # fmt: skip
        if value.shape[1:] != values[0].shape[1:]:
            raise InvalidArgumentError(message="TensorArray has inconsistent shapes.  Index 0 has (excepting "
                                               f"dimension 0) shape: {listed(values[0].shape[1:])} but index {place} "
                                               f"has (excepting dimension 0) shape: "
                                               f"{listed(value.shape[1:])}")  # fmt: skip
    dims = shape.raw
    if dims is not None:
        _check(elements, values[0], dtype, TensorShape([None, *dims[1:]]))
    return [np.concatenate(values), np.array([len(value) for value in values], np.int64)]


@array_concat.gradient("array: g in parts of the lengths of the elements")
def array_concat_gradient(ops: Any, op: Operation, g: Tensor | None, lengths: None) -> list[Any]:
    return [None if g is None else lambda: placed_parts(g, op.outputs[1])]


@array_concat.samples
def array_concat_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random((1, 3)), rng.random((2, 3))), "float64", [None, 3])


# ---- clearing -----------------------------------------------------------------------------------


@op("TensorArrayClear", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_first,
    no_gradient="it is part of a plan, not of a graph")  # fmt: skip
def array_clear(array: Variant, indices: IndicesOperand = None, name: str | None = None) -> Tensor:
    """A TensorArray without the elements at `indices`, an int or a vector; without these, without all of them.

    Another read or write of these elements is an error.
    """


@array_clear.kernel
def array_clear_kernel(xp: Any, array: Any, indices: Any) -> Any:
    elements = elements_of(array)
    return boxed(elements.cleared(range(elements.size) if indices is None else indices.reshape(-1).tolist()))


@array_clear.samples
def array_clear_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)), np.array(1, "i4"))
    yield sample(sample_array(rng.random(3), rng.random(3)))
    yield sample(sample_array(rng.random(3)), np.zeros(0, "i4"))
