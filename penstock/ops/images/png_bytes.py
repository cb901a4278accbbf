"""PNG files of arrays: four chunks around zlib's output, which Python has."""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np

from ...graph.shapes.literal import Array

_COLOUR_TYPES: Final = {1: 0, 2: 4, 3: 2, 4: 6}


def png_of(pixels: Array, level: int = 6) -> bytes:
    """The PNG file of an image (height, width, channels) of 8 or 16 bits, of 1 to 4 channels."""
    height, width, channels = pixels.shape
    depth = pixels.dtype.itemsize
    content = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">")).view(np.uint8)
    rows = np.zeros((height, 1 + width * channels * depth), np.uint8)  # each begins with a 0: no filter
    rows[:, 1:] = content.reshape(height, width * channels * depth)
    head = struct.pack(">IIBBBBB", width, height, 8 * depth, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), level)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(kind, content) for kind, content in chunks])


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
