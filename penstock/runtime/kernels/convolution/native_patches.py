"""Native forms of convolutions of few multiplications, which NumPy computes: Conv2D and its gradients.

The calls do what `ops.convolution.band_patches` does for one band: they copy patches, a row for each position, and
multiply them by NumPy's own loop of `matmul`. Other layouts, groups and dilations stay with Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ....ops.convolution.conv2d_ops import CONV2D, steps_of_images
from ....ops.convolution.convolution_geometry import BAND, Geometry, geometry_of
from ...llvm.native_calls import NativeCall, NativeMemory, loop_call
from ...llvm.ufunc_loops import numpy_loop
from ..native_forms import Calls, by_blas
from ..native_row_forms import Is, filled_with_zeros
from .fast_convolution import is_served

_MOST_CALLS: Final = 256
"""The most calls that copy patches."""


def conv2d(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """The convolution."""
    x, w, *attrs = args
    g = geometry_of(x.shape, w.shape, steps_of_images(*attrs))
    if not _is_plain(g, x, w, results[0]):
        return None
    calls, rows = _patches(x, g.strides, g.window, g.before, g.outputs, memory)
    product = by_blas(rows, w.reshape(-1, g.filters), results[0].reshape(-1, g.filters), memory)
    return None if product is None or not calls else [*calls, *product]


def input_gradient(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """The gradient by the input, for strides of 1: a convolution of dy with the flipped filter."""
    sizes, w, dy, *attrs = args
    g = CONV2D.geometry_by_input(sizes, w, dy, *attrs)
    if not _is_plain(g, w, dy, results[0]) or any(step != 1 for step in g.strides):
        return None
    if not memory.may_require(sizes, Is(sizes.tobytes())):
        return None
    before = [size - 1 - zeros for size, zeros in zip(g.window, g.before, strict=True)]
    calls, rows = _patches(dy, g.strides, g.window, before, g.inputs, memory)
    matrix = memory.scratch((prod(g.window), g.filters, g.channels), w.dtype)
    taps = w.reshape(-1, g.channels, g.filters)
    size = w.itemsize
    same = numpy_loop("positive", f"{w.dtype.char}->{w.dtype.char}")
    if same is None or not calls:
        return None
    for flipped, tap in zip(matrix, taps[::-1], strict=True):
        for f in range(g.filters):
            addresses = tap.ctypes.data + f * size, flipped.ctypes.data + f * g.channels * size
            calls.append(loop_call(same, addresses, (g.channels,), (g.filters * size, size)))
    product = by_blas(rows, matrix.reshape(-1, g.channels), results[0].reshape(-1, g.channels), memory)
    return None if product is None else [*calls, *product]


def filter_gradient(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """The gradient by the filter: transposed patches times dy, added to zero as a band is."""
    x, sizes, dy, *attrs = args
    (out,) = results
    g = CONV2D.geometry_by_filter(x, sizes, dy, *attrs)
    if not _is_plain(g, x, dy, out) or g.batch * prod(g.outputs) > BAND:
        return None
    if not memory.may_require(sizes, Is(sizes.tobytes())):
        return None
    calls, rows = _patches(x, g.strides, g.window, g.before, g.outputs, memory)
    sums = memory.scratch((rows.shape[1], g.filters), x.dtype)
    product = by_blas(rows.T, dy.reshape(-1, g.filters), sums, memory)
    add = numpy_loop("add", f"{x.dtype.char * 2}->{x.dtype.char}")
    if product is None or add is None or not calls:
        return None
    zero = memory.constant(np.zeros((), x.dtype))
    addresses = zero.ctypes.data, sums.ctypes.data, out.ctypes.data
    return [*calls, *product, loop_call(add, addresses, (out.size,), (0, x.itemsize, x.itemsize))]


def _is_plain(g: Geometry, x: Any, other: Any, out: Any) -> bool:
    """Whether NumPy computes it, in few copies of floats that lie one behind the other."""
    if x.dtype.char not in "fd" or other.dtype != x.dtype or g.is_channels_first or g.groups > 1 or g.is_pointwise:
        return False
    if is_served(g, x, other) or any(step != 1 for step in g.dilations):
        return False
    calls = g.batch * max(g.outputs[0], g.inputs[0]) * g.window[0] + prod(g.window) * g.filters
    return calls <= _MOST_CALLS and all(each.flags.c_contiguous for each in (x, other, out))


def _patches(
    x: Any, strides: Sequence[int], window: Sequence[int], before: Sequence[int], outputs: Sequence[int],
    memory: NativeMemory,
) -> tuple[list[NativeCall], Any]:  # fmt: skip
    """The calls that copy the patches of all positions, and the memory for them; no calls if nothing lies inside."""
    batch, *inputs, depth = x.shape
    columns, size = prod(window) * depth, x.itemsize
    rows = memory.scratch((batch * prod(outputs), columns), x.dtype)
    memory.seconds += 1e-10 * rows.nbytes
    spans = []
    for axis in (0, 1):
        first, last = -before[axis], (outputs[axis] - 1) * strides[axis] - before[axis] + window[axis]
        low = min(max(first, 0), inputs[axis])
        spans.append((first, last, low, max(min(last, inputs[axis]), low)))
    (top, bottom, low, high), (left, right, begin, end) = spans
    part = x[:, low:high, begin:end]
    calls: list[NativeCall] = []
    if not part.size:
        return calls, rows
    if part.shape[1:3] != (bottom - top, right - left):
        source = memory.scratch((batch, bottom - top, right - left, depth), x.dtype)
        calls += filled_with_zeros(source, memory)
        for image, place in zip(part, source[:, low - top :, begin - left :], strict=True):
            length = (end - begin) * depth * size
            steps = place.strides[0], image.strides[0]
            calls.append(NativeCall(memory.copy, (place, image, 0, *steps, high - low, length)))
        part = source
    down, across = strides
    for at in range(batch * outputs[0]):
        image, line = divmod(at, outputs[0])
        for tap in range(window[0]):
            place = rows[at * outputs[1] :, tap * window[1] * depth :]
            pixels = part[image, line * down + tap :]
            steps = columns * size, across * depth * size
            calls.append(NativeCall(memory.copy, (place, pixels, 0, *steps, outputs[1], window[1] * depth * size)))
    return calls, rows
