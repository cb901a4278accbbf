"""The op behind `parse_example` and `parse_single_example`: serialised examples as dense and sparse tensors.

The features are read as columns (`example_table`); what becomes of a column is here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import Annotated, Any, NoReturn, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import STRING, Attr, Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, float32, int64, string
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..datasets.dataset_decl import DTypes, Shapes
from ..declare.string_arguments import as_bytes
from .example_table import KINDS, NO_LIST, WORDS, ExampleTable, example_table


def as_keys(value: Any) -> tuple[bytes, ...]:
    """The value of an attribute that is a list of names."""
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"must be a list of names, not {value!r:.60}")
    return tuple([as_bytes(each) for each in value])


Keys: TypeAlias = Annotated[Sequence[str | bytes], Attr(as_keys)]
Defaults: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, bits_of(float32, int64) | STRING, many=True)]
_Texts: TypeAlias = Annotated[TensorLike, Operand(None, STRING)]


def _dtypes(serialized: Any, names: Any, dense_defaults: Any, sparse_keys: Any, sparse_types: Any, dense_keys: Any,
            dense_types: Any, dense_shapes: Any) -> tuple[DType, ...]:  # fmt: skip
    many = len(sparse_types)
    return (*[int64] * many, *sparse_types, *[int64] * many, *dense_types)


@op("ParseExample", out=_dtypes, host_only=True, effects=AT_RUN_TIME, no_gradient="it reads bytes")
def parse_example_op(
    serialized: _Texts,
    names: _Texts,
    dense_defaults: Defaults,
    sparse_keys: Keys,
    sparse_types: DTypes,
    dense_keys: Keys,
    dense_types: DTypes,
    dense_shapes: Shapes,
    name: str | None = None,
) -> list[Tensor]:
    """The indices, the values and the shapes of sparse features, and then the dense features."""


@parse_example_op.shape
def parse_example_shape(serialized: Tensor, names: Tensor, dense_defaults: Any, *wanted: Any) -> list[TensorShape]:
    rank, many, dense_shapes = serialized.shape.ndims, len(wanted[0]), wanted[-1]
    if rank is not None and rank > 1:
        raise ShapeError(f"Shape must be at most rank 1 but is rank {rank}", operand=0)
    width = rank + 1 if rank is not None else unknown("the rank of serialized is not known", serialized)
    reason = "how many values there are is not known before the run"
    indices = [shape_of((unknown(reason, serialized), width)) for _ in range(many)]
    values = [shape_of((unknown(reason, serialized),)) for _ in range(many)]
    return [*indices, *values, *[shape_of((width,))] * many, *[_dense(serialized, shape) for shape in dense_shapes]]


def _dense(serialized: Tensor, shape: TensorShape) -> TensorShape:
    batch, dims = serialized.shape.raw, list(shape.raw or ())
    if batch is None:
        return unknown_rank("the rank of serialized is not known", serialized)
    rows = [
        each if isinstance(each, int) else unknown("it is the greatest number of rows", serialized) for each in dims
    ]
    return shape_of((*batch, *rows))


def read_examples(
    xp: Any,
    serialized: Any,
    names: Any,
    dense_defaults: Sequence[Any],
    sparse_keys: tuple[bytes, ...],
    sparse_types: tuple[DType, ...],
    dense_keys: tuple[bytes, ...],
    dense_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
) -> Any:
    if serialized.ndim > 1:
        raise InvalidArgumentError(
            message=f"Input serialized must be a scalar or a vector, and has rank {serialized.ndim}"
        )
    texts, called = serialized.reshape(-1).tolist(), names.reshape(-1).tolist()
    if called and len(called) != len(texts):
        raise InvalidArgumentError(
            message=f"there are {len(called)} names for {len(texts)} examples; give one for each"
        )
    is_one, many = not serialized.ndim, len(sparse_keys)
    keys, types = (*sparse_keys, *dense_keys), (*sparse_types, *dense_types)
    table = example_table(texts, keys, types, many, called)
    dims = [tuple(shape.as_list()) for shape in dense_shapes]
    _check(table, keys, types, many, dims, dense_defaults, called, is_one)
    indices, values, shapes = [], [], []
    for column in range(many):
        counts = table.counts[:, column]
        indices.append(_indices(table, column, is_one))
        values.append(table.values[column])
        longest = counts.max(initial=0)
        shapes.append(np.array([longest] if is_one else [len(texts), longest], np.int64))
    dense = [_dense_column(table, many + i, dims[i], dense_defaults[i], is_one) for i in range(len(dense_keys))]
    return [*indices, *values, *shapes, *dense]


parse_example_op.kernel(read_examples)


def _indices(table: ExampleTable, column: int, is_one: bool) -> Array:
    indices = table.indices[column]
    if is_one:
        return np.arange(table.counts[0, column], dtype=np.int64).reshape(-1, 1)
    if indices is None:
        counts = table.counts[:, column]
        indices = np.empty((len(table.values[column]), 2), np.int64)
        indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
        indices[:, 1] = np.arange(len(indices)) - np.repeat(np.cumsum(counts) - counts, counts)
    return indices


def _dense_column(
    table: ExampleTable, column: int, dims: tuple[int | None, ...], default: Array, is_one: bool
) -> Array:
    counts, values = table.counts[:, column], table.values[column]
    rows = len(counts)
    if dims and dims[0] is None:
        stride = prod(size for size in dims[1:] if size is not None)
        longest = int(counts.max(initial=0))
        shape: tuple[int, ...] = (longest // max(stride, 1), *[size for size in dims[1:] if size is not None])
        if len(values) < rows * longest:
            values = _padded(values, counts, longest, default)
    else:
        shape = tuple(size for size in dims if size is not None)
        if default.size and not counts.all():
            values = _with_defaults(values, counts > 0, prod(shape), default)
    return values.reshape(shape if is_one else (rows, *shape))


def _padded(values: Array, counts: Array, longest: int, default: Array) -> Array:
    padded = np.empty((len(counts), longest), values.dtype)
    padded[...] = default.reshape(-1)[0] if default.size else b"" if values.dtype.kind == "O" else 0
    padded[np.arange(longest) < counts[:, None]] = values
    return padded


def _with_defaults(values: Array, is_there: Array, size: int, default: Array) -> Array:
    whole = np.empty((len(is_there), size), values.dtype)
    whole[...] = default.reshape(-1)
    if size:
        whole[is_there] = values.reshape(-1, size)
    return whole


# ---- errors -------------------------------------------------------------------------------------


def _check(
    table: ExampleTable,
    keys: tuple[bytes, ...],
    types: tuple[DType, ...],
    many: int,
    dims: Sequence[tuple[int | None, ...]],
    defaults: Sequence[Array],
    names: Sequence[bytes],
    is_one: bool,
) -> None:
    """Raises the error of the first feature that is not as it should be."""
    wanted = np.array([KINDS[dtype] for dtype in types], np.uint8)
    is_right = table.kinds == wanted
    is_there = is_right | ((table.kinds != 0) & (table.kinds != NO_LIST))
    sizes = np.array([prod(size for size in each if size is not None) for each in dims], np.int64)
    is_open = np.array([bool(each) and each[0] is None for each in dims], bool)
    is_needed = np.array([not default.size for default in defaults], bool) & ~is_open
    counts = table.counts[:, many:]
    rest = np.where(is_open, counts % np.maximum(sizes, 1), counts - sizes)
    is_wrong = is_there & ~is_right
    is_wrong[:, many:] |= np.where(is_right[:, many:], rest != 0, is_needed & ~is_there[:, many:])
    if not is_wrong.any():
        return
    row, column = (int(each[0]) for each in np.nonzero(is_wrong))
    key, word = keys[column].decode(errors="backslashreplace"), WORDS[int(wanted[column])]
    called = names[row].decode(errors="backslashreplace") if names else "<unknown>"
    if not is_there[row, column]:
        place = "" if is_one and not names else f"Name: {called}, "
        _refuse(f"{place}Feature: {key} (data type: {word}) is required but could not be found.")
    place = f"Key: {key}.  " if is_one and not names else f"Name: {called}, Key: {key}, Index: {row}.  "
    if not is_right[row, column]:
        found = WORDS[int(table.kinds[row, column])]
        _refuse(f"{place}Data types don't match. " + (
            f"Expected type: {word}, Actual type: {found}" if column < many else
            f"Data type: {found} but expected type: {word}"))  # fmt: skip
    count, shape = int(table.counts[row, column]), _words(dims[column - many])
    if is_open[column - many]:
        _refuse(f"{place}Number of {word} values is not a multiple of stride length. Saw {count} values but output "
                f"shape is: {shape}")  # fmt: skip
    _refuse(f"{place}Number of {word} values != expected.  Values size: {count} but output shape: {shape}")


def _words(dims: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"


def _refuse(message: str) -> NoReturn:
    raise InvalidArgumentError(message=message)


@parse_example_op.batched
def parse_example_batched(args: Sequence[Any], differing: Collection[Any], count: Any) -> Sequence[Any] | None:
    """Sparse features and lists of any length are put together otherwise than by stacking."""
    _, names, defaults, sparse_keys, _, _, _, shapes = args
    if sparse_keys or names.shape.raw != (0,) or any(not shape.is_known for shape in shapes):
        return None
    return None if any(each in differing for each in defaults) else args


_EXAMPLE_OF_THREE = bytes.fromhex(
    "0a310a110a0161120c120a0a080000c03f00000040"  # {"a": [1.5, 2.0],
    "0a0a0a016212051a030a01030a100a0163120b0a090a01780a02797a0a00"  # "b": [3], "c": [b"x", b"yz", b""]}
)


@parse_example_op.samples
def parse_example_samples(rng: np.random.Generator) -> Samples:
    one = _EXAMPLE_OF_THREE
    two = bytes.fromhex("0a130a110a0161120c120a0a08000000000000803f")  # {"a": [0.0, 1.0]}
    none = np.zeros(0, object)
    sparse = (["c"], [string])
    dense = (["a", "b"], [float32, int64], [[2], []])
    defaults = [np.zeros(0, "f4"), np.array(7, "i8")]
    yield sample(np.array([one, two], object), none, defaults, *sparse, *dense)
    yield sample(np.array(one, object), none, defaults, *sparse, *dense)
    yield sample(none, none, [np.array(0.5, "f4")], [], [], ["a"], [float32], [[None]])
    yield sample(np.array([two, one], object), np.array([b"p", b"q"], object), [np.array(9, "i8")], ["a"], [float32],
                 ["b"], [int64], [[None, 1]])  # fmt: skip
