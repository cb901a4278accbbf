"""BMP files as arrays: those without compression, as TensorFlow reads them."""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.shapes.literal import Array

_HEAD: Final = 54
_CHANNELS: Final = {8: 1, 24: 3, 32: 4}
_RGBA: Final = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}


def pixels_of_bmp(contents: bytes, channels: int) -> Array:
    """The pixels of a BMP file, of `channels` channels, 0 for as many as it has.

    Raises:
        InvalidArgumentError: it is none, is compressed, or holds fewer pixels than it says.
    """
    if len(contents) < _HEAD or contents[:2] != b"BM":
        raise InvalidArgumentError(message=f"the contents are no BMP file; they begin with {contents[:12]!r}")
    offset, width, height = (struct.unpack_from("<i", contents, at)[0] for at in (10, 18, 22))
    bits, compression = struct.unpack_from("<H", contents, 28)[0], struct.unpack_from("<I", contents, 30)[0]
    own = _CHANNELS.get(bits)
    if own is None or compression not in (0, 3):
        raise InvalidArgumentError(message=f"the BMP file has {bits} bits a pixel and compression {compression}; 8, 24 "
                                           "and 32 bits without compression are read")  # fmt: skip
    rows, row = abs(height), (own * max(width, 0) + 3) // 4 * 4
    if width <= 0 or not rows or offset < 0 or offset + row * (rows - 1) + own * width > len(contents):
        raise InvalidArgumentError(message=f"the BMP file of {len(contents)} bytes says that it has {width} x {height} "
                                           "pixels, which it cannot hold")  # fmt: skip
    lines = [np.frombuffer(contents, np.uint8, own * width, offset + row * line) for line in range(rows)]
    pixels = np.stack(lines if height < 0 else lines[::-1]).reshape(rows, width, own)[:, :, _RGBA[own]]
    return _with_channels(pixels, channels)


def _with_channels(pixels: Array, channels: int) -> Array:
    own = pixels.shape[2]
    if channels in (0, own):
        return pixels
    colours = np.repeat(pixels, 3, axis=2) if own == 1 else pixels[:, :, :3]
    if channels == 3:
        return colours
    return np.concatenate([colours, np.full_like(colours[:, :, :1], 255)], axis=2)
