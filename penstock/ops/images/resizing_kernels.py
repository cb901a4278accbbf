"""Interpolation between pixels: from which pixels, and with which weights, a pixel of a resized image is computed.

Position o of a resized axis lies at o * scale of the old one, with scale the old size divided by the new one. With
aligned corners the first and the last positions fall together, scale = (old - 1) / (new - 1). With half pixel centers
it lies at (o + 0.5) * scale - 0.5. All of it is computed in float32, as in TensorFlow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

_TABLE = 1024
"""Steps between two pixels of which cubic weights are kept."""


def scale_of(old: int, new: int, corners: bool) -> np.float32:
    """How far two positions of the resized axis lie apart on the old one."""
    if corners and new > 1:
        return np.float32(old - 1) / np.float32(new - 1)
    return np.float32(old) / np.float32(new)


@lru_cache(maxsize=256)
def nearest(old: int, new: int, corners: bool, half: bool) -> Any:
    """The nearest pixel of each position."""
    scale = scale_of(old, new, corners)
    places = np.arange(new, dtype=np.float32)
    at = (places + np.float32(0.5)) * scale if half else places * scale
    # Half a pixel is rounded away from 0.
    whole = np.floor(at + np.float32(0.5)) if corners else np.floor(at)
    return np.clip(whole.astype(np.int64), 0, max(old - 1, 0))


@lru_cache(maxsize=256)
def between(old: int, new: int, corners: bool, half: bool) -> tuple[Any, Any, Any]:
    """The pixels before and behind each position, and how far it lies behind the first: three vectors."""
    scale = scale_of(old, new, corners)
    places = np.arange(new, dtype=np.float32)
    at = (places + np.float32(0.5)) * scale - np.float32(0.5) if half else places * scale
    whole = np.floor(at)
    first = np.clip(whole.astype(np.int64), 0, old - 1)
    second = np.clip(np.ceil(at).astype(np.int64), 0, old - 1)
    return first, second, (at - whole).astype(np.float32)


@lru_cache(maxsize=256)
def cubic(old: int, new: int, corners: bool, half: bool) -> tuple[Any, Any]:
    """The four pixels around each position and their weights: matrices of 4 rows."""
    scale = scale_of(old, new, corners)
    places = np.arange(new, dtype=np.float32)
    at = (places + np.float32(0.5)) * scale - np.float32(0.5) if half else places * scale
    whole = np.floor(at)
    step = np.rint((at - whole) * np.float32(_TABLE)).astype(np.int64)
    table = _cubic_table(half)
    weights = np.stack([table[1][step], table[0][step], table[0][_TABLE - step], table[1][_TABLE - step]])
    wanted = whole.astype(np.int64) + np.arange(-1, 3).reshape(4, 1)
    pixels = np.clip(wanted, 0, old - 1)
    if half:  # pixels outside have no weight, and the others share it
        weights = np.where(pixels == wanted, weights, np.float32(0))
        total = ((weights[0] + weights[1]) + weights[2]) + weights[3]
        weights = np.where(np.abs(total) >= 1000 * np.finfo(np.float32).tiny, weights * (1 / total), weights)
    return pixels, weights.astype(np.float32)


@lru_cache(maxsize=2)
def _cubic_table(keys: bool) -> tuple[Any, Any]:
    """The weights of a pixel at a distance of i / 1024 and of 1 + i / 1024."""
    a = np.float32(-0.5 if keys else -0.75)
    near = np.arange(_TABLE + 1, dtype=np.float32) / np.float32(_TABLE)
    far = near + np.float32(1)
    two, three = a + np.float32(2), a + np.float32(3)
    return (
        (two * near - three) * near * near + np.float32(1),
        ((a * far - np.float32(5) * a) * far + np.float32(8) * a) * far - np.float32(4) * a,
    )


def taken(xp: Any, images: Any, axis: int, pixels: Any) -> Any:
    """The pixels of an axis of (batch, height, width, channels)."""
    return xp.take(images, xp.asarray(pixels), axis=axis)


def column(vector: Any, axis: int) -> Any:
    """A vector along an axis of images."""
    return vector.reshape((1, -1, 1, 1) if axis == 1 else (1, 1, -1, 1))


def added(xp: Any, g: Any, axis: int, size: int, parts: Any) -> Any:
    """g added to the pixels that it comes from: parts are (pixels, weights) for each tap."""
    if len(parts) == 1 and _are_repeated(parts[0], size):
        return _summed_neighbours(g, axis, len(parts[0][0]) // size)
    shape = (g.shape[0], size, *g.shape[2:]) if axis == 1 else (*g.shape[:2], size, g.shape[3])
    total = xp.zeros(shape, g.dtype)
    into, source = (total, g) if axis == 1 else (total.swapaxes(1, 2), g.swapaxes(1, 2))
    lists = [(pixels.tolist(), weights) for pixels, weights in parts]
    for place in range(source.shape[1]):
        for pixels, weights in lists:
            part = source[:, place]
            into[:, pixels[place]] += part if weights is None else part * g.dtype.type(weights[place])
    return total


def _are_repeated(part: Any, size: int) -> bool:
    """Whether each pixel is that of as many neighbouring positions, without weights, as where images became larger."""
    pixels, weights = part
    times, rest = divmod(len(pixels), max(size, 1))
    return weights is None and times > 0 and not rest and np.array_equal(pixels, np.repeat(np.arange(size), times))


def _summed_neighbours(g: Any, axis: int, times: int) -> Any:
    """The sums of so many neighbours along an axis, the first of which is added to 0."""
    parts = [g[:, place::times] if axis == 1 else g[:, :, place::times] for place in range(times)]
    total = parts[0] + g.dtype.type(0)
    for part in parts[1:]:
        total += part
    return total
