"""The op behind `parse_single_sequence_example`: the feature lists of one serialised SequenceExample as tensors.

Its context is read as the features of an Example are: the two messages have them in the same field.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np

from ...errors import DecodeError, InvalidArgumentError
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Ints
from ...graph.model.nodes import Tensor
from ...graph.serial.protobuf_cursor import LENGTH, fields
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, float32, int64, string
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of
from ..datasets.dataset_decl import DTypes, Shapes
from ..declare.shape_checks import listed, require_rank
from ..declare.string_arguments import Strings, array_of
from .example_table import BYTES, KINDS, Values, entry_of, feature_of
from .parse_example_op import Keys


def _dtypes(serialized: Any, names: Any, sparse_keys: Any, sparse_types: Any, dense_keys: Any, dense_types: Any,
            dense_shapes: Any, may_miss: Any) -> tuple[DType, ...]:  # fmt: skip
    many = len(sparse_types)
    return (*[int64] * many, *sparse_types, *[int64] * many, *dense_types)


@op("ParseFeatureLists", out=_dtypes, host_only=True, effects=AT_RUN_TIME, no_gradient="it reads bytes")
def parse_feature_lists(
    serialized: Strings,
    names: Strings,
    sparse_keys: Keys,
    sparse_types: DTypes,
    dense_keys: Keys,
    dense_types: DTypes,
    dense_shapes: Shapes,
    may_miss: Ints,
    name: str | None = None,
) -> list[Tensor]:
    """The indices, the values and the shapes of sparse feature lists, and then the dense ones."""


@parse_feature_lists.shape
def parse_feature_lists_shape(serialized: Tensor, names: Tensor, *wanted: Any) -> list[TensorShape]:
    sparse_keys, dense_shapes = wanted[0], wanted[4]
    require_rank(serialized, 0, 0)

    def open_size() -> Any:
        return unknown("how many values there are is not known before the run", serialized)

    return [
        *[shape_of((open_size(), 2)) for _ in sparse_keys],
        *[shape_of((open_size(),)) for _ in sparse_keys],
        *[shape_of((2,)) for _ in sparse_keys],
        *[shape_of((open_size(), *(shape.raw or ()))) for shape in dense_shapes],
    ]


def read_feature_lists(
    xp: Any,
    serialized: Any,
    names: Any,
    sparse_keys: tuple[bytes, ...],
    sparse_types: tuple[DType, ...],
    dense_keys: tuple[bytes, ...],
    dense_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
    may_miss: tuple[int, ...],
) -> Any:
    if serialized.ndim:
        _refuse(f"serialized must be a scalar, not of shape {listed(serialized.shape)}")
    called = names.reshape(-1)[0].decode(errors="backslashreplace") if names.size else "<unknown>"
    text = serialized.item()
    try:
        lists = lists_of(text, {*sparse_keys, *dense_keys})
    except DecodeError as error:
        _refuse(f"Name: {called}, Could not parse example input, value: {text[:200]!r}: {error}")
    sparse = [
        _sparse(lists.get(key, []), dtype, key, called) for key, dtype in zip(sparse_keys, sparse_types, strict=True)
    ]
    dense = []
    for key, dtype, shape, missing in zip(dense_keys, dense_types, dense_shapes, may_miss, strict=True):
        if key not in lists and not missing:
            _refuse(f"Name: {called}, Feature list '{_shown(key)}' is required but could not be found.  Did you mean "
                    "to say allow_missing=True of its FixedLenSequenceFeature?")  # fmt: skip
        sizes = tuple([size for size in shape.as_list() if size is not None])
        dense.append(_dense(lists.get(key, []), dtype, sizes, key, called))
    return [*[each[0] for each in sparse], *[each[1] for each in sparse], *[each[2] for each in sparse], *dense]


parse_feature_lists.kernel(read_feature_lists)


def lists_of(text: bytes, keys: set[bytes]) -> dict[bytes, list[Values]]:
    """The feature lists in a SequenceExample, of those in `keys`."""
    lists: dict[bytes, list[Values]] = {}
    for number, wire, _, begin, end in fields(text, 0, len(text)):
        if number != 2 or wire != LENGTH:
            continue
        for inner, kind, _, start, stop in fields(text, begin, end):
            if inner != 1 or kind != LENGTH:
                continue
            key, spans = entry_of(text, start, stop)
            if key in keys:
                lists[key] = [
                    feature_of(text, [(a, b)])
                    for first, last in spans
                    for step, form, _, a, b in fields(text, first, last)
                    if step == 1 and form == LENGTH
                ]
    return lists


def _sparse(steps: Sequence[Values], dtype: DType, key: bytes, called: str) -> tuple[Array, Array, Array]:
    wanted = KINDS[dtype]
    rows = [of_kind(step, wanted, dtype, key, number, called) for number, step in enumerate(steps)]
    counts = np.array([len(row) for row in rows], np.int64)
    indices = np.empty((int(counts.sum()), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
    indices[:, 1] = np.arange(len(indices)) - np.repeat(np.cumsum(counts) - counts, counts)
    return indices, values_of(rows, wanted), np.array([len(rows), counts.max(initial=0)], np.int64)


def _dense(steps: Sequence[Values], dtype: DType, shape: tuple[int, ...], key: bytes, called: str) -> Array:
    wanted, size = KINDS[dtype], prod(shape)
    rows = []
    for number, step in enumerate(steps):
        row = of_kind(step, wanted, dtype, key, number, called)
        if len(row) != size:
            _refuse(f"Name: {called}, Key: {_shown(key)}, Index: {number}.  Number of values != expected.  values "
                    f"size: {len(row)} but output shape: {listed(shape)}")  # fmt: skip
        rows.append(row)
    return values_of(rows, wanted).reshape(len(rows), *shape)


def of_kind(step: Values, wanted: int, dtype: DType, key: bytes, number: int, called: str) -> list[Any]:
    """The values of a step, which must be of a kind."""
    kind, values = step
    if kind != wanted and kind in KINDS.values():
        _refuse(f"Name: {called}, Feature list: {_shown(key)}, Index: {number}.  Data types don't match. Expected "
                f"type: {dtype.name}")  # fmt: skip
    return values


def values_of(rows: Sequence[list[Any]], kind: int) -> Array:
    """The values of all rows as a vector."""
    values = [value for row in rows for value in row]
    return array_of(values, (len(values),)) if kind == BYTES else np.array(values, _ITEMS[kind])


_ITEMS = {KINDS[float32]: np.float32, KINDS[int64]: np.int64}


def _shown(key: bytes) -> str:
    return key.decode(errors="backslashreplace")


def _refuse(message: str) -> NoReturn:
    raise InvalidArgumentError(message=message)


# The list "x" of [0.0, 0.5] and [1.0, 1.5], and "w" of [] and [b"a"].
_SEQUENCE = bytes.fromhex(
    "12350a100a0177120b0a020a000a050a030a01610a210a0178121c0a0c120a0a08000000000000003f0a0c120a0a080000803f0000c03f"
)


@parse_feature_lists.samples
def parse_feature_lists_samples(rng: np.random.Generator) -> Samples:
    none = np.zeros(0, object)
    yield sample(np.array(_SEQUENCE, object), none, ["w"], [string], ["x"], [float32], [[2]], [0])
    yield sample(np.array(b"", object), np.array(b"p", object), ["w"], [int64], ["x"], [string], [[]], [1])
