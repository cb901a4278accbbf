"""Images of a summary as PNG files, and the scaling of floats to bytes.

A PNG of eight bits a channel is four chunks around zlib's output, which Python has; a library for it would be the only
one that summaries need.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np
import numpy.typing as npt

from ..graph.shapes.literal import Array

Bytes = npt.NDArray[np.uint8]

_COLOUR_TYPES: Final = {1: 0, 3: 2, 4: 6}
_BAD_PIXEL: Final = (255, 0, 0, 255)
_DARK: Final = 1e-6


def visible_pixels(image: Array) -> Bytes:
    """An image as bytes. Floats are scaled so that the largest is 255; with negative ones, zero becomes 128.

    A pixel that is not finite becomes red.
    """
    if image.dtype == np.uint8:
        return image
    finite = np.isfinite(image).all(axis=-1)
    seen = image[finite].astype(np.float32)
    low = float(seen.min()) if seen.size else np.inf
    high = float(seen.max()) if seen.size else -np.inf
    # Scale and offset have the dtype of the image, in which TensorFlow computes.
    most = max(abs(low), abs(high)) if low < 0 else high
    top, offset = (np.float32(127), 128) if low < 0 else (np.float32(255), 0)
    scale = image.dtype.type(0 if most < _DARK else top / np.float32(most))
    pixels = np.empty(image.shape, np.uint8)
    pixels[finite] = (image[finite] * scale + image.dtype.type(offset)).astype(np.uint8)
    pixels[~finite] = _BAD_PIXEL[: image.shape[-1]]
    return pixels


def png_of(pixels: Bytes) -> bytes:
    """The PNG file of an image (height, width, channels), of 1, 3 or 4 channels."""
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each begins with a 0: no filter
    rows[:, 1:] = pixels.reshape(height, width * channels)
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(kind, content) for kind, content in chunks])


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
