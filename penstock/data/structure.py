"""Structures of elements: tuples, dicts and named tuples of tensors, sparse tensors and datasets.

A list is no structure here, but a value that becomes one tensor. The leaves of a structure are specs, which say what an
element has there; `flat_values` gives the tensors of a value that fits, `packed` a value of such tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.common.quick_dataclass import dataclass
from ..graph.model.nodes import Tensor
from ..graph.model.sparse_tensor import SparseTensor, SparseTensorValue
from ..graph.shapes.dimension import Dim, Dimension
from ..graph.shapes.dtypes import DType, as_dtype, int64, variant
from ..graph.shapes.shape import TensorShape, as_shape, merge_shapes, shape_of
from ..ops.create.constant_and_placeholder import convert_to_tensor

Structure: TypeAlias = Any
"""A spec, or a tuple, dict or named tuple of structures."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor of an element: its dtype and shape."""

    dtype: DType
    shape: TensorShape


@dataclass(frozen=True, slots=True)
class SparseSpec:
    """A `SparseTensor` of an element: the dtype of its values and its shape."""

    dtype: DType
    shape: TensorShape


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """A dataset as part of an element: the structure of its own elements."""

    structure: Structure


def parts_of(structure: Any) -> Sequence[Any] | None:
    """The structures that one consists of; None of a leaf."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if isinstance(structure, tuple) and not isinstance(structure, SparseTensorValue):
        return structure
    return None


def rebuilt(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like `like` that consists of other parts."""
    if isinstance(like, Mapping):
        by_key = dict(zip(sorted(like), parts, strict=True))
        return type(like)((key, by_key[key]) for key in like)  # type: ignore[call-arg]  # a dict, or one like it
    return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)


def mapped(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """The structure of what `function` gives for each leaf, and for the parts of others at the same place."""
    parts = parts_of(structure)
    if parts is None:
        return function(structure, *others)
    rows = [_same_parts(structure, parts, other) for other in others]
    return rebuilt(structure, [mapped(function, *row) for row in zip(parts, *rows, strict=True)])


def _same_parts(structure: Any, parts: Sequence[Any], other: Any) -> Sequence[Any]:
    found = parts_of(other)
    if isinstance(other, list) and isinstance(structure, tuple):
        found = other
    if found is None or len(found) != len(parts) or (isinstance(structure, Mapping) and set(structure) != set(other)):
        raise ValueRuleError(f"The two structures don't have the same nested structure: {described(structure)} and "
                             f"{other!r:.200}")  # fmt: skip
    return found


def leaves(structure: Any) -> Iterator[Any]:
    """The leaves, in order; dicts by their sorted keys."""
    parts = parts_of(structure)
    if parts is None:
        yield structure
    else:
        for part in parts:
            yield from leaves(part)


def described(structure: Any) -> str:
    """A structure in words: its leaves are stars."""
    if isinstance(structure, Mapping):
        return "{" + ", ".join(f"{key!r}: {described(structure[key])}" for key in sorted(structure)) + "}"
    parts = parts_of(structure)
    return "*" if parts is None else "(" + ", ".join(described(part) for part in parts) + ")"


# ---- specs --------------------------------------------------------------------------------------


def spec_of(value: Any) -> Any:
    """The spec of a tensor, a sparse tensor or a dataset."""
    if isinstance(value, SparseTensor):
        return SparseSpec(value.dtype, value.shape)
    if hasattr(value, "element_structure"):
        return DatasetSpec(value.element_structure)
    return TensorSpec(value.dtype, value.shape)


def components(structure: Structure) -> tuple[tuple[DType, ...], tuple[TensorShape, ...]]:
    """The dtypes and shapes of the tensors of an element."""
    dtypes: list[DType] = []
    shapes: list[TensorShape] = []
    for spec in leaves(structure):
        if isinstance(spec, SparseSpec):
            rank = spec.shape.ndims
            values = Dimension(None)
            dtypes += [int64, spec.dtype, int64]
            shapes += [shape_of([values, Dimension(None) if rank is None else rank]), shape_of([values]),
                       shape_of([Dimension(None) if rank is None else rank])]  # fmt: skip
        elif isinstance(spec, DatasetSpec):
            dtypes.append(variant)
            shapes.append(shape_of(()))
        else:
            dtypes.append(spec.dtype)
            shapes.append(spec.shape)
    return tuple(dtypes), tuple(shapes)


def value_structure(value: Any, what: str) -> tuple[Structure, list[Any]]:
    """The structure of a value of the program, and its tensors, sparse tensors and datasets.

    Raises:
        TypeError: something in it becomes no tensor.
    """
    parts: list[Any] = []

    def leaf(each: Any) -> Any:
        if isinstance(each, SparseTensorValue):
            each = SparseTensor.from_value(each)
        elif each is None:
            raise UseError(f"{what}: a part of the element is None; give a tensor, or leave it out")
        elif not isinstance(each, SparseTensor) and not hasattr(each, "element_structure"):
            each = convert_to_tensor(plain(each, what), name="component")
        parts.append(each)
        return spec_of(each)

    return mapped(leaf, value), parts


def tensors_of(values: Sequence[Any]) -> list[Tensor]:
    """The tensors that tensors, sparse tensors and datasets consist of."""
    tensors: list[Tensor] = []
    for each in values:
        if isinstance(each, SparseTensor):
            tensors += [each.indices, each.values, each.dense_shape]
        else:
            tensors.append(each.variant_tensor if hasattr(each, "element_structure") else each)
    return tensors


DATASETS: list[Callable[[Tensor, Structure], Any]] = []
"""What makes a dataset of a tensor of dtype `variant` and the structure of its elements: the class."""


def packed(structure: Structure, tensors: Sequence[Tensor]) -> Any:
    """The value of an element: its tensors in the structure."""
    rest = iter(tensors)

    def leaf(spec: Any) -> Any:
        if isinstance(spec, SparseSpec):
            sparse = SparseTensor(next(rest), next(rest), next(rest))
            return sparse.with_stated_shape(spec.shape) if spec.shape.is_known else sparse
        if isinstance(spec, DatasetSpec):
            return DATASETS[0](next(rest), spec.structure)
        return next(rest)

    return mapped(leaf, structure)


# ---- what a program says of elements --------------------------------------------------------------


def types_of(structure: Structure) -> Any:
    """The dtypes in the structure: a dataset's `output_types`."""
    return mapped(lambda spec: types_of(spec.structure) if isinstance(spec, DatasetSpec) else spec.dtype, structure)


def shapes_of(structure: Structure) -> Any:
    """The shapes in the structure: a dataset's `output_shapes`."""
    return mapped(lambda spec: shapes_of(spec.structure) if isinstance(spec, DatasetSpec) else spec.shape, structure)


def structure_from(types: Any, shapes: Any = None, classes: Any = None) -> Structure:
    """The structure of elements with these dtypes, shapes (unknown without them) and classes (tensors without them).
    """
    types = mapped(as_dtype, _tuples(types))
    if shapes is None:
        shapes = mapped(lambda _: TensorShape(None), types)
    else:
        shapes = mapped(lambda _, shape: as_shape(shape), types, _tuples(shapes, types))
    if classes is None:
        return mapped(TensorSpec, types, shapes)
    return mapped(lambda dtype, shape, kind: SparseSpec(dtype, shape) if kind is SparseTensor else TensorSpec(
        dtype, shape), types, shapes, classes)  # fmt: skip


def _tuples(value: Any, like: Any = None) -> Any:
    """Lists of a structure as tuples; where `like` has a leaf, a list is a value, such as a shape."""
    if like is not None and parts_of(like) is None:
        return as_shape(value)
    if isinstance(value, Mapping):
        return rebuilt(value, [_tuples(value[key], None if like is None else like[key]) for key in sorted(value)])
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        below = [None] * len(value) if like is None else parts_of(like) or [None] * len(value)
        if len(below) != len(value):
            raise ValueRuleError(f"{value!r} has {len(value)} parts where {len(below)} are expected")
        return tuple([_tuples(each, part) for each, part in zip(value, below, strict=True)])
    return value


def without_first(structure: Structure, what: str) -> Structure:
    """The structure of rows of elements.

    Raises:
        ShapeError: a component has no rows, or two have different numbers of them.
    """
    sizes: list[Dim] = []

    def row(spec: Any) -> Any:
        if isinstance(spec, DatasetSpec):
            raise UseError(f"{what}: a dataset in the element has no rows")
        dims = spec.shape.raw
        if dims is None:
            return type(spec)(spec.dtype, TensorShape(None))
        if not dims:
            raise ShapeError("a component is a scalar, which has no rows: give tensors of rank 1 or more")
        if sizes and isinstance(sizes[0], int) and isinstance(dims[0], int) and dims[0] != sizes[0]:
            raise ShapeError(f"the components have {sizes[0]} and {dims[0]} rows; give equally many")
        sizes.append(dims[0])
        return type(spec)(spec.dtype, shape_of(dims[1:]))

    return mapped(row, structure)


def with_first(structure: Structure, size: Dim) -> Structure:
    """The structure of batches of elements, with a first dimension more.

    Raises:
        UseError: a part of the element is a dataset.
    """

    def batch(spec: Any) -> Any:
        if isinstance(spec, DatasetSpec):
            raise UseError("batch: a part of the element is a dataset, and datasets are not stacked. Make tensors of "
                           "it first, such as by flat_map(lambda d: d.batch(n))")  # fmt: skip
        dims = spec.shape.raw
        return type(spec)(spec.dtype, TensorShape(None) if dims is None else shape_of([size, *dims]))

    return mapped(batch, structure)


def batch_name(structure: Structure) -> Dimension:
    """The name of the first dimension of a batch: "batch", or "batch_1" where that is one of the element's."""
    shapes = [spec.shape.raw or () for spec in leaves(structure) if not isinstance(spec, DatasetSpec)]
    names = {str(dim) for dims in shapes for dim in dims}
    number = 0
    while (name := f"batch_{number}" if number else "batch") in names:
        number += 1
    return Dimension(name)


def common(left: Structure, right: Structure, what: str) -> Structure:
    """What elements of either of two structures have in common.

    Raises:
        TypeError: their dtypes differ.
        ValueError: their structures differ.
    """

    def both(a: Any, b: Any) -> Any:
        if type(a) is not type(b):
            raise UseError(f"{what}: one has a {type(a).__name__} where the other has a {type(b).__name__}")
        if isinstance(a, DatasetSpec):
            return DatasetSpec(common(a.structure, b.structure, what))
        if a.dtype is not b.dtype:
            raise UseError(f"{what}: the datasets have different types {a.dtype} and {b.dtype}")
        return type(a)(a.dtype, _common_shape(a.shape, b.shape))

    return mapped(both, left, right)


def _common_shape(a: TensorShape, b: TensorShape) -> TensorShape:
    if a.raw is None or b.raw is None or len(a.raw) != len(b.raw):
        return TensorShape(None)
    return shape_of([x if isinstance(x, int) and x == y else Dimension(None) for x, y in zip(a.raw, b.raw,
                                                                                           strict=True)])  # fmt: skip


def narrowed(structure: Structure, shapes: Structure) -> Structure:
    """A structure with what is known of its shapes and of others."""

    def both(a: Any, b: Any) -> Any:
        return a if isinstance(a, DatasetSpec) else type(a)(a.dtype, merge_shapes(a.shape, b.shape))

    return mapped(both, structure, shapes)


# ---- Frames and columns of pandas ---------------------------------------------------------------
# pandas   Series, DataFrame, Index      to_numpy
# Arrow    Array, ChunkedArray, Table    to_numpy; texts and lists are copied
# Dask     arrays and frames             compute first


def plain(value: Any, what: str) -> Any:
    """The array of a frame or of a column; other values as they are.

    Args:
        value: what the program gave.
        what: the call, for errors.

    Raises:
        TypeError: a frame has columns of texts and of numbers, or a column of Arrow has nulls or rows of many lengths.
    """
    if isinstance(value, (Tensor, np.ndarray, list, int, float, bytes, str)) or hasattr(value, "op"):
        return value
    if hasattr(value, "compute"):
        value = value.compute()
    if hasattr(value, "column_names"):
        return _of_columns({name: value.column(name) for name in value.column_names}, what, "table")
    if not hasattr(value, "to_numpy"):
        return value if isinstance(value, np.ndarray) else np.asarray(value) if hasattr(value, "__array__") else value
    if hasattr(value, "null_count"):
        return _of_arrow(value, what)
    array = np.asarray(value.to_numpy())
    if array.ndim == 2 and array.dtype == object:
        return _of_columns({name: value[name] for name in value.columns}, what, "frame")
    return array


def _of_columns(columns: dict[Any, Any], what: str, kind: str) -> Any:
    """A matrix of the columns of a frame."""
    arrays = {name: plain(column, what) for name, column in columns.items()}
    is_text = {array.dtype.kind in "OSU" for array in arrays.values()}
    if len(is_text) > 1:
        listed = ", ".join(f"{name!r}: {_kind(array)}" for name, array in arrays.items())
        cure = "dict(frame)" if kind == "frame" else "{name: table[name] for name in table.column_names}"
        raise UseError(f"{what}: the {kind} has columns of texts and of numbers ({listed}), which cannot be in one "
                       f"tensor. Give {cure}: elements are then dicts of columns")  # fmt: skip
    return np.stack(list(arrays.values()), 1) if arrays else np.zeros((0, 0))


def _kind(array: Any) -> str:
    return "texts" if array.dtype.kind in "OSU" else str(array.dtype)


def _of_arrow(column: Any, what: str) -> Any:
    if column.null_count:
        raise UseError(f"{what}: a column of type {column.type} has {column.null_count} nulls, and tensors have none. "
                       "Write column.fill_null(value), or column.drop_null()")  # fmt: skip
    chunks = list(getattr(column, "chunks", [column]))
    arrays = [_of_chunk(chunk, what) for chunk in chunks]
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else column.to_numpy()


def _of_chunk(chunk: Any, what: str) -> Any:
    if hasattr(chunk, "flatten") and hasattr(chunk.type, "value_type") and not hasattr(chunk, "dictionary"):
        size = getattr(chunk.type, "list_size", None)
        inner = _of_arrow(chunk.flatten(), what)
        if size is not None:
            return inner.reshape(len(chunk), size, *inner.shape[1:])
        lengths = set(chunk.value_lengths().to_pylist())
        if len(lengths) > 1:
            raise UseError(f"{what}: the rows of a column of type {chunk.type} have {min(lengths)} to {max(lengths)} "
                           "entries; tensors have one length. Pad them, or give from_generator the rows")  # fmt: skip
        return inner.reshape(len(chunk), lengths.pop() if lengths else 0, *inner.shape[1:])
    if hasattr(chunk, "dictionary"):
        return _of_arrow(chunk.dictionary_decode(), what)
    return chunk.to_numpy(zero_copy_only=False)
