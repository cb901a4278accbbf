"""Ops behind `tf.TensorArray`: a new array, its size, and writes of one element, of rows and of parts.

A TensorArray is a scalar of dtype `variant`. A write gives a new value and leaves the old one as it is; n writes one
after the other take time n (`ops.tensor_array.array_elements`). The class is in `control_flow.tensor_array`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Operand, T, TensorLike, Variant, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import merge_dims
from ...graph.shapes.dtypes import DType, int32, of_numpy, variant
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import require_one, require_rank, scalar_of, shape_of_first, shape_of_scalar
from .array_elements import IN_A_RUN, ArrayFacts, Elements, Sizes, boxed, elements_of
from .gradient_elements import (
    IndexOperand,
    IndicesOperand,
    LengthsOperand,
    element_or_zeros,
    parts_of,
    parts_or_zeros,
    places_of,
    rows_of,
    rows_or_zeros,
)
from .variant_boxing import DTypeAttr, ShapeAttr, sizes_of_tensor, static_sizes

SizeOperand = Annotated[TensorLike, Operand(None, bits_of(int32))]
Label = Annotated[str, Attr(str)]

# ---- new arrays ---------------------------------------------------------------------------------


@op("TensorArray", out=variant, host_only=True, effects=IN_A_RUN, ranks={"size": 0}, shape=shape_of_scalar,
    no_gradient="it has no elements yet")  # fmt: skip
def new_array(
    size: SizeOperand, dtype: DTypeAttr, element_shape: ShapeAttr = None, dynamic: Flag = False,
    identical: Flag = False, label: Label = "", name: str | None = None
) -> Tensor:  # fmt: skip
    """A TensorArray of `size` elements, none of which is written. Programs call `tf.TensorArray`.

    Args:
        size: the number of elements.
        dtype: of the elements.
        element_shape: of each element.
        dynamic: whether a write behind the last element makes the array longer.
        identical: whether all elements have one shape.
        label: what errors of a run call the array.
    """


@new_array.kernel
def new_array_kernel(
    xp: Any, size: Any, dtype: DType, element_shape: TensorShape, dynamic: bool, identical: bool, label: str
) -> Any:
    facts = ArrayFacts(dtype, dynamic, identical, False, label)
    return boxed(Elements(facts, scalar_of(size, "size"), static_sizes(element_shape)))


@new_array.fails
def new_array_fails(size: Tensor, *attributes: Any) -> str | None:
    return None if size.shape.ndims == 0 else "whether the size is a scalar is not known before the run"


@new_array.samples
def new_array_samples(rng: np.random.Generator) -> Samples:
    yield sample(3, "float32")
    yield sample(0, "string", [2, None], True, True, "a")


@op("TensorArrayGrad", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_first,
    no_gradient="it has no elements yet")  # fmt: skip
def gradient_array(array: Variant, name: str | None = None) -> Tensor:
    """A TensorArray of the size of another one, in which values written to one index add up."""


@gradient_array.kernel
def gradient_array_kernel(xp: Any, array: Any) -> Any:
    like = elements_of(array)
    facts = replace(like.facts, sums=True, label=f"{like.facts.label}@grad")
    return boxed(Elements(facts, like.size, like.shape))


@op("TensorArraySize", out=int32, host_only=True, effects=IN_A_RUN, shape=shape_of_scalar, no_gradient="it gives ints")
def array_size(array: Variant, name: str | None = None) -> Tensor:
    """The number of elements of a TensorArray."""


@array_size.kernel
def array_size_kernel(xp: Any, array: Any) -> Any:
    return np.array(elements_of(array).size, np.int32)


# ---- one element --------------------------------------------------------------------------------


@op("TensorArrayWrite", out=variant, host_only=True, effects=IN_A_RUN, ranks={"index": 0}, shape=shape_of_first)
def array_write(array: Variant, index: IndexOperand, value: T, name: str | None = None) -> Tensor:
    """A TensorArray with a copy of `value` at `index`, which must not have been written before."""


@array_write.kernel
def array_write_kernel(xp: Any, array: Any, index: Any, value: Any) -> Any:
    if index.ndim:
        require_one(index, "index")
    return boxed(elements_of(array).write(int(index), np.array(value)))


@array_write.gradient("array: g; value: element index of g, or zeros")
def array_write_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, index, value = op.inputs
    return [g, None, lambda: element_or_zeros(g, index, sizes_of_tensor(ops, value), value.dtype, value.shape)]


# ---- rows ---------------------------------------------------------------------------------------


@op("TensorArrayScatter", out=variant, host_only=True, effects=IN_A_RUN)
def array_scatter(array: Variant, value: T, indices: IndicesOperand = None, name: str | None = None) -> Tensor:
    """A TensorArray with the rows of `value` at `indices`; without these at 0, 1, 2 and so on."""


@array_scatter.shape
def array_scatter_shape(array: Tensor, value: Tensor, indices: Tensor | None) -> TensorShape:
    dims = value.shape.raw
    if dims == ():
        raise ShapeError("the value is a scalar; it has no rows", operand=1, cure="Write a scalar with write().")
    if indices is not None:
        require_rank(indices, 1, 2)
        if dims is not None and indices.shape.raw is not None:
            try:
                merge_dims(dims[0], indices.shape.raw[0])
            except ShapeError as error:
                raise error.with_operand(operand=2, dim=0, cure="Give one index for each row.") from None
    return array.shape


@array_scatter.kernel
def array_scatter_kernel(xp: Any, array: Any, value: Any, indices: Any) -> Any:
    elements = elements_of(array)
    places = places_of(value, indices)
    highest = max(places, default=-1)
    if highest >= elements.size and not elements.facts.dynamic:
        raise InvalidArgumentError(message=f"Max scatter index must be < array size ({highest} vs. {elements.size})")
    return boxed(elements.write_all(zip(places, rows_of(np.array(value)), strict=True)))


@array_scatter.gradient("array: g; value: elements indices of g, or zeros")
def array_scatter_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, value, indices = op.args
    found = [g, lambda: rows_or_zeros(g, sizes_of_tensor(ops, value), value.dtype, value.shape, indices), None]
    return found[: len(op.inputs)]


# ---- parts --------------------------------------------------------------------------------------


@op("TensorArraySplit", out=variant, host_only=True, effects=IN_A_RUN, ranks={"lengths": 1}, shape=shape_of_first)
def array_split(array: Variant, value: T, lengths: LengthsOperand, name: str | None = None) -> Tensor:
    """A TensorArray with groups of rows of `value` as elements 0, 1, 2 and so on; `lengths` says how many rows each."""


@array_split.kernel
def array_split_kernel(xp: Any, array: Any, value: Any, lengths: Any) -> Any:
    elements = elements_of(array)
    parts = parts_of(np.array(value), lengths)
    if len(lengths) != elements.size and not elements.facts.dynamic:
        raise InvalidArgumentError(message=f"TensorArray's size is not equal to the size of lengths ({elements.size} "
                                           f"vs. {len(lengths)}), and the TensorArray is not marked as dynamically "
                                           "resizeable")  # fmt: skip
    return boxed(elements.write_all(enumerate(parts)))


@array_split.gradient("array: g; value: the elements of g, or zeros, one after the other")
def array_split_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, value, lengths = op.inputs
    return [g, lambda: parts_or_zeros(g, lengths, sizes_of_tensor(ops, value), value.dtype, value.shape), None]


# ---- samples ------------------------------------------------------------------------------------


def sample_array(*values: Any, size: int | None = None, shape: Sizes | None = None, **facts: Any) -> Any:
    """A TensorArray with these values as its first elements."""
    arrays = list(map(np.asarray, values))
    dtype = arrays[0].dtype if arrays else np.dtype("f4")
    made = Elements(ArrayFacts(of_numpy(dtype), **facts), len(values) if size is None else size, shape)
    return boxed(made.write_all(enumerate(arrays)))


@gradient_array.samples
@array_size.samples
def gradient_array_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), rng.random(3)))
    yield sample(sample_array())


@array_write.samples
def array_write_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(rng.random(3), size=2), np.array(1, "i4"), rng.random(2))
    yield sample(sample_array(size=0, dynamic=True), np.array(4, "i4"), np.array(1.5, "f4"))
    yield sample(sample_array(size=2), np.array(1, "i4"), np.zeros((0, 2), "f4"))


@array_scatter.samples
def array_scatter_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(size=3), rng.random((2, 2)).astype("f4"), np.array([2, 0], "i4"))
    yield sample(sample_array(size=3), rng.random(3).astype("f4"))
    yield sample(sample_array(size=3), np.zeros((0, 2), "f4"))


@array_split.samples
def array_split_samples(rng: np.random.Generator) -> Samples:
    yield sample(sample_array(size=3), rng.random((4, 2)).astype("f4"), np.array([1, 0, 3], "i4"))
    yield sample(sample_array(size=1), np.zeros((0, 2), "f4"), np.array([0], "i8"))
