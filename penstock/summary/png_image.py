"""Images of a summary: the scaling of floats to bytes."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..graph.shapes.literal import Array

Bytes = npt.NDArray[np.uint8]

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
