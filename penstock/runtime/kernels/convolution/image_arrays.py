"""Arrays of images as the loops want them: NHWC, row-major, aligned, float32 or float64."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ....graph.shapes.dtypes import of_numpy
from ...memory.buffer_pool import POOL
from ..fast_cast import cast
from ..shared_copies import copy_in_shares
from ..transposed_copies import copied_by_loop

FLOAT32: Final = np.dtype(np.float32)
_FEW: Final = 1 << 16
"""Elements that NumPy copies in less time than it takes to find a loop."""
KINDS: Final = {FLOAT32: "f4", np.dtype(np.float64): "f8"}


def kind_of(dtype: Any) -> str | None:
    """The name in keys of the dtype in which arrays are computed: that of floats of 16 bits is float32."""
    kind = KINDS.get(dtype)
    return "f4" if kind is None and dtype.itemsize == 2 and of_numpy(dtype).is_floating else kind


def dense(array: Any) -> Any:
    """The array, or a row-major and aligned copy, in the dtype in which it is computed."""
    if array.dtype.itemsize == 2:
        array = _cast(array, FLOAT32)
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return copy_of(array)


def narrowed(array: Any, dtype: Any) -> Any:
    """The array in the dtype of the op's results."""
    return array if array.dtype == dtype else _cast(array, dtype)


def _cast(array: Any, dtype: Any) -> Any:
    converted = cast(np, array, of_numpy(dtype))
    return array.astype(dtype) if converted is None else converted


def copy_of(view: Any) -> Any:
    """A row-major copy, by a loop where there is one for such a view."""
    if view.size < _FEW:
        return view.copy(order="C")
    out = POOL.empty(view.shape, view.dtype)
    target, source = out, view
    if 1 in view.shape:
        target, source = np.squeeze(out), np.squeeze(view)
    if not copied_by_loop(target, source):
        copy_in_shares(out, view)
    return out


def channels_last(array: Any, is_channels_first: bool) -> Any:
    """The array as NHWC, dense."""
    array = dense(array)
    if not is_channels_first:
        return array
    batch, channels, height, width = array.shape
    pixels = array.reshape(batch, channels, height * width).transpose(0, 2, 1)
    return copy_of(pixels).reshape(batch, height, width, channels)


def laid_out(array: Any, is_channels_first: bool) -> Any:
    """The NHWC array in the layout of the op."""
    if not is_channels_first:
        return array
    batch, height, width, channels = array.shape
    pixels = array.reshape(batch, height * width, channels).transpose(0, 2, 1)
    return copy_of(pixels).reshape(batch, channels, height, width)
