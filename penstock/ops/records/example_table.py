"""The features of serialised examples as columns: for each wanted feature its values, and how many each example has.

Two readers give the same table. The compiled one (`runtime.nest.sequential.example_nests`) takes what every writer of
examples writes; where a batch holds anything else, or is damaged, Python reads it, with protobuf's rules, and finds
the errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ...errors import DecodeError, InvalidArgumentError
from ...graph.common.hooks import hooks
from ...graph.serial.protobuf_cursor import FOUR, LENGTH, VARINT, fields, varint
from ...graph.shapes.dtypes import DType, float32, int64, string
from ...graph.shapes.literal import Array
from ..declare.string_arguments import array_of

MISSING: Final = 0
BYTES: Final = 1
FLOATS: Final = 2
INTS: Final = 3
NO_LIST: Final = 4
"""The kinds of a feature; the last one is there and holds none of the lists."""

KINDS: Final = {string: BYTES, float32: FLOATS, int64: INTS}
WORDS: Final = {BYTES: "string", FLOATS: "float", INTS: "int64", MISSING: "none", NO_LIST: "none"}
"""The dtypes as TensorFlow's messages call them."""
_ITEMS: Final = {BYTES: np.dtype("O"), FLOATS: np.dtype(np.float32), INTS: np.dtype(np.int64)}

Values = tuple[int, list[Any]]
"""The kind of a feature, and its values."""


@dataclass(frozen=True, slots=True)
class ExampleTable:
    """What was read of a batch.

    Attributes:
        kinds: for each example and feature what it is.
        counts: for each example and feature how many values it has.
        values: for each feature the values of all examples, one after the other. Empty where a kind is a wrong one.
        indices: for each feature the number of the example and the number in it of each value; None where it was not
            asked for, or has to be computed.
    """

    kinds: Array
    counts: Array
    values: list[Array]
    indices: list[Array | None]


def example_table(
    texts: Sequence[bytes], keys: tuple[bytes, ...], dtypes: tuple[DType, ...], sparse: int, names: Sequence[bytes]
) -> ExampleTable:
    """The table of a batch.

    Args:
        texts: the examples.
        keys: the names of the wanted features, all different.
        dtypes: their dtypes.
        sparse: of how many features, the first ones, indices are wanted.
        names: what the examples are called in errors, or ().

    Raises:
        InvalidArgumentError: an example is damaged.
    """
    wanted = [KINDS[dtype] for dtype in dtypes]
    table = _compiled(texts, keys, wanted, sparse)
    return table if table is not None else _by_python(texts, keys, wanted, names)


# ---- compiled -----------------------------------------------------------------------------------

_OFFSET: Final = 14695981039346656037
_PRIME: Final = 1099511628211
_WORD: Final = (1 << 64) - 1


@lru_cache(maxsize=64)
def _slots(keys: tuple[bytes, ...]) -> tuple[Array, Array, Array]:
    """The hash table of keys, their bytes, and where each begins."""
    size = 8
    while size < 4 * len(keys):
        size *= 2
    slots = np.zeros(size, np.int32)
    for number, key in enumerate(keys, start=1):
        place = _hash(key) & size - 1
        while slots[place]:
            place = place + 1 & size - 1
        slots[place] = number
    starts = np.cumsum([0, *map(len, keys)], dtype=np.int64)
    return slots, np.frombuffer(b"".join(keys) + b"\0", np.uint8), starts


def _hash(key: bytes) -> int:
    value = _OFFSET
    for byte in key:
        value = (value ^ byte) * _PRIME & _WORD
    return value ^ value >> 32


def _compiled(texts: Sequence[bytes], keys: tuple[bytes, ...], wanted: list[int], sparse: int) -> ExampleTable | None:
    """The table, if the loops are compiled and read all of it."""
    count, width = len(texts), len(keys)
    work = count * width
    scan = hooks.compiled_loop("scan_examples", work=work)
    fill = hooks.compiled_loop("fill_examples", work=work)
    if scan is None or fill is None or not work:
        return None
    joined = b"".join(texts)
    data = np.frombuffer(joined or b"\0", np.uint8)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    slots, key_bytes, key_starts = _slots(keys)
    spans = np.empty((count, width, 2), np.int64)
    kinds = np.zeros((count, width), np.uint8)
    counts = np.zeros((count, width), np.int64)
    if scan(data, starts, slots, key_bytes, key_starts, spans, kinds, counts, count, width, len(slots) - 1) < count:
        return None
    types = np.array(wanted, np.int64)
    counts[kinds != types] = 0
    ends = np.cumsum(counts, axis=0)
    places = ends - counts
    sizes = ends[-1].tolist()
    outs = [
        np.empty((size, 2), np.int64) if kind == BYTES else np.empty(size, _ITEMS[kind])
        for size, kind in zip(sizes, wanted, strict=True)
    ]
    indices: list[Array | None] = [np.empty((size, 2), np.int64) for size in sizes[:sparse]]
    indices += [None] * (width - sparse)
    addresses = np.array([out.ctypes.data for out in outs], np.int64)
    index_addresses = np.array([0 if each is None else each.ctypes.data for each in indices], np.int64)
    if fill(data, spans, types, counts, places, addresses, index_addresses, count, width):
        return None
    values = [_pieces(joined, out) if kind == BYTES else out for out, kind in zip(outs, wanted, strict=True)]
    return ExampleTable(kinds, counts, values, indices)


def _pieces(joined: bytes, spans: Array) -> Array:
    return array_of([joined[begin:end] for begin, end in spans.tolist()], (len(spans),))


# ---- in Python ----------------------------------------------------------------------------------


def _by_python(
    texts: Sequence[bytes], keys: tuple[bytes, ...], wanted: list[int], names: Sequence[bytes]
) -> ExampleTable:
    columns = {key: number for number, key in enumerate(keys)}
    kinds = np.zeros((len(texts), len(keys)), np.uint8)
    counts = np.zeros((len(texts), len(keys)), np.int64)
    parts: list[list[Any]] = [[] for _ in keys]
    for row, text in enumerate(texts):
        try:
            features = features_of_example(text, columns.keys())
        except DecodeError as error:
            place = f"Name: {names[row].decode(errors='backslashreplace')}, " if names else f"example {row}: "
            raise InvalidArgumentError(
                message=f"{place}Could not parse example input, value: {text[:200]!r}: {error}"
            ) from None
        for key, (kind, values) in features.items():
            column = columns[key]
            kinds[row, column] = kind
            if kind == wanted[column]:
                counts[row, column] = len(values)
                parts[column] += values
    return ExampleTable(kinds, counts, [_array(part, kind) for part, kind in zip(parts, wanted, strict=True)],
                        [None] * len(keys))  # fmt: skip


def _array(values: list[Any], kind: int) -> Array:
    return array_of(values, (len(values),)) if kind == BYTES else np.array(values, _ITEMS[kind])


def features_of_example(text: bytes, keys: Any) -> dict[bytes, Values]:
    """The features of a serialised example, of those in `keys`.

    Raises:
        DecodeError: it is damaged.
    """
    features: dict[bytes, Values] = {}
    for number, wire, _, begin, end in fields(text, 0, len(text)):
        if number == 1 and wire == LENGTH:
            features |= features_between(text, begin, end, keys)
    return features


def features_between(text: bytes, begin: int, end: int, keys: Any) -> dict[bytes, Values]:
    """The features of the message Features in text[begin:end], of those in `keys`.

    Raises:
        DecodeError: it is damaged.
    """
    features: dict[bytes, Values] = {}
    for number, wire, _, start, stop in fields(text, begin, end):
        if number == 1 and wire == LENGTH:
            key, spans = entry_of(text, start, stop)
            if key in keys:
                features[key] = feature_of(text, spans)
    return features


def entry_of(text: bytes, begin: int, end: int) -> tuple[bytes, list[tuple[int, int]]]:
    """The name of an entry of a map, and where the parts of its message are."""
    key, spans = b"", []
    for number, wire, _, start, stop in fields(text, begin, end):
        if number == 1 and wire == LENGTH:
            key = text[start:stop]
        elif number == 2 and wire == LENGTH:
            spans.append((start, stop))
    return key, spans


def feature_of(text: bytes, spans: Sequence[tuple[int, int]]) -> Values:
    """The message Feature whose parts are at `spans`: of its lists the last one counts, with all parts of it."""
    kind, values = NO_LIST, list[Any]()
    for begin, end in spans:
        for number, wire, _, start, stop in fields(text, begin, end):
            if wire == LENGTH and number in _ITEMS:
                if number != kind:
                    kind, values = number, []
                _add_list(text, start, stop, kind, values)
    return kind, values


def _add_list(text: bytes, begin: int, end: int, kind: int, values: list[Any]) -> None:
    for number, wire, _, start, stop in fields(text, begin, end):
        if number != 1:
            continue
        if kind == BYTES:
            if wire == LENGTH:
                values.append(text[start:stop])
        elif kind == FLOATS:
            if wire in (FOUR, LENGTH):
                if (stop - start) % 4:
                    raise DecodeError(f"the {stop - start} bytes at byte {start} are no whole number of floats")
                values += np.frombuffer(text, "<f4", (stop - start) // 4, start).tolist()
        elif wire in (VARINT, LENGTH):
            while start < stop:
                value, start = varint(text, start, stop)
                values.append(value - (1 << 64) if value >> 63 else value)
