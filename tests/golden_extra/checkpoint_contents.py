"""The tensors of the recorded checkpoints: name, which part of a variable ("" for all of it), values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Row = tuple[str, str, Any]

NUMBERS = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
           "float64", "complex64", "complex128")  # fmt: skip


def strings(*values: bytes) -> Any:
    """An array of strings."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def of_every_dtype() -> list[Row]:
    """Small and extreme values of each dtype."""
    rows: list[Row] = []
    for name in NUMBERS:
        dtype = np.dtype(name)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            values = np.array([0, 1, 127, info.max, info.min], dtype)
        elif dtype.kind == "b":
            values = np.array([True, False, True])
        else:
            values = np.array([0, -0.0, 1.5, -2, np.inf, np.finfo(dtype).max], dtype)
        rows.append((f"of/{name}", "", values.reshape(1, -1)))
    rows.append(("of/bfloat16", "", np.array([0, 1.5, -2, 3e38, np.inf], ml_dtypes.bfloat16)))
    rows.append(("of/string", "", strings(b"", b"text", b"\x00\xff", b"long " * 40).reshape(2, 2)))
    return rows


def grid(*shape: int, start: int = 0, dtype: str = "f4") -> Any:
    """Numbers counted up."""
    return np.arange(start, start + int(np.prod(shape, dtype=int)), dtype=dtype).reshape(shape)


CONTENTS: dict[str, list[Row]] = {
    "few": [("b/w", "", grid(2, 3)), ("a", "", np.float64(1.5)), ("b/wide", "", np.zeros((0, 3), "i8"))],
    "dtypes": of_every_dtype(),
    "parts": [
        ("p", "4 3 0,2:-", grid(2, 3)),
        ("p", "4 3 2,2:-", grid(2, 3, start=6)),
        ("grid", "2 130 -:0,65", grid(2, 65, dtype="i4")),
        ("grid", "2 130 -:65,65", grid(2, 65, start=130, dtype="i4")),
    ],
    "names": [("a", "", np.int32(1)), ("a\u00e9/\u4e2d", "", np.int32(2)), ("a" * 300, "", np.int32(3)),
              ("a" * 300 + "b", "", np.int32(4)), ("~", "", np.int32(5)), ("A", "", np.int32(6))],
}  # fmt: skip
"""What `SaveV2` writes, by the prefix."""

SHARDS: list[list[Row]] = [
    [("p", "4 3 0,2:-", grid(2, 3)), ("q", "", np.int32(7))],
    [("p", "4 3 2,2:-", grid(2, 3, start=6)), ("r", "", strings(b"eight"))],
]
"""What two `SaveV2` write, which `MergeV2Checkpoints` makes one."""

VERSION_ONE: dict[str, list[Row]] = {
    "one": [("a", "", grid(2, 3)), ("p", "4 3 2,2:0,3", grid(2, 3, dtype="f8")), ("s", "", strings(b"", b"text"))],
    # TensorFlow's writer of version 1 has no uint32, uint64 and bfloat16.
    "one_dtypes": [row for row in of_every_dtype() if row[0].split("/")[1] not in ("uint32", "uint64", "bfloat16")],
    "one_shards-00000-of-00002": [("p", "4 3 0,2:-", grid(2, 3)), ("q", "", np.int32(7))],
    "one_shards-00001-of-00002": [("p", "4 3 2,2:-", grid(2, 3, start=6))],
}
"""What `SaveSlices` writes, by the file."""


def many() -> list[Row]:
    """So many that the index has several blocks; only its checksum is recorded."""
    return [(f"layer_{i // 100}/unit{i % 100}/weights", "", np.full((i % 7, 3), i, "f4")) for i in range(20_000)]
