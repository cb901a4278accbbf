"""Messages between the processes of a cluster: a head of plain JSON, and frames of bytes.

    {"run": 7, "arrays": [["float32", [2, 3], 0, 0, 24], ["float32", [4096, 512], 1, 0, 8388608]]}

An array is its dtype, its shape, the number of a frame, and where its bytes begin and end in that frame. Small arrays
share frame 0; a large one has a frame of its own, which is its memory and no copy. Strings are the lengths of all, then
all their bytes. Nothing is pickled, so nothing that a message holds can run.

Kernels are fast only where memory is aligned, and the memory that Dask receives begins anywhere. So small arrays begin
at multiples of 64 in frame 0, which the receiver copies if it is not aligned itself. Large frames are aligned by their
receiver: Dask puts each that follows a bytearray, as frame 0 is, in memory of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...errors import InternalError, InvalidArgumentError
from ...graph.shapes.dtypes import as_dtype, of_numpy
from ...graph.shapes.literal import Array

SMALL: Final = 1 << 16
"""Arrays of at most so many bytes share a frame."""
_ALIGNED: Final = 64
"""Arrays begin at addresses that are multiples of 16, and at multiples of this in a frame."""
Frame = Array
"""Bytes on their way: a vector of uint8, which Dask sends without a copy and without pickling."""


def pack(head: Mapping[str, Any], arrays: Sequence[Any] = ()) -> list[Any]:
    """The parts of a message: the head, and the frames.

    Raises:
        InvalidArgumentError: an array holds objects other than strings.
    """
    described: list[Any] = []
    small = bytearray()
    frames: list[Any] = []
    for array in arrays:
        dtype, shape, content = _bytes_of(array)
        size = content.nbytes
        if size <= SMALL:
            small += bytes(-len(small) % _ALIGNED)
            described.append([dtype, shape, 0, len(small), len(small) + size])
            small += content.data
        else:
            frames.append(content.data)
            described.append([dtype, shape, len(frames), 0, size])
    text = json.dumps({**head, "arrays": described}, separators=(",", ":"), allow_nan=False).encode()
    return [text, small, *frames]


def unpack(parts: Sequence[Any]) -> tuple[dict[str, Any], list[Array]]:
    """The head and the arrays of a message; arrays may be read-only and lie in its frames.

    Raises:
        InternalError: it is no message.
    """
    try:
        head = json.loads(bytes(parts[0]))
        frames = [_aligned(memoryview(part)) for part in parts[1:]]
        arrays = [
            _array(dtype, shape, frames[frame][start:stop]) for dtype, shape, frame, start, stop in head["arrays"]
        ]
    except (ValueError, TypeError, LookupError) as error:
        raise InternalError(message=f"a message of the cluster cannot be read: {error}") from None
    return head, arrays


def _aligned(part: memoryview) -> memoryview:
    """The bytes of a frame in memory that is aligned."""
    if not part.nbytes:
        return memoryview(b"")
    content: Array = np.frombuffer(part, np.uint8)
    if content.ctypes.data % 16:
        content = content.copy()  # NumPy's own memory begins at a multiple of 16
    return content.data


def _bytes_of(value: Any) -> tuple[str, list[int], Array]:
    array = np.asarray(value)
    dtype = of_numpy(array.dtype) if array.dtype.kind not in "SU" else as_dtype("string")
    shape = list(array.shape)
    if dtype.is_string:
        texts = [each if isinstance(each, bytes) else str(each).encode() for each in array.reshape(-1).tolist()]
        lengths = np.array([len(each) for each in texts], np.int64).tobytes()
        return dtype.name, shape, np.frombuffer(lengths + b"".join(texts), np.uint8)
    if dtype.holds_objects:
        raise InvalidArgumentError(
            message=f"a value of dtype {dtype.name} cannot be sent to another process: its elements are objects of a "
            "run. Keep what makes it and what reads it on one device"
        )
    whole = np.ascontiguousarray(array).reshape(-1)
    return dtype.name, shape, whole.view(np.uint8)


def _array(name: str, shape: list[int], content: memoryview) -> Array:
    dtype = as_dtype(name)
    if dtype.is_string:
        count = int(np.prod(shape, dtype=np.int64))
        lengths = np.frombuffer(content[: 8 * count], np.int64)
        made = np.empty(count, object)
        start = 8 * count
        for i, length in enumerate(lengths.tolist()):
            made[i] = bytes(content[start : start + length])
            start += length
        return made.reshape(shape)
    return np.frombuffer(content, dtype.np).reshape(shape)
