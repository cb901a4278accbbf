"""Convolutions on NumPy: patches of a band of output positions are copied into a buffer and multiplied by BLAS.

A patch is what one output position reads: a row of the matrix that im2col would make of the whole input. Here the
matrix exists for one band at a time, at most 448 positions, which stays in the cache. Zeros around the input exist in
the band's own copy of the rows that it reads.

The gradient by the input is made of convolutions of the output's gradient: an input position i = q * stride + phase
gets the taps k for which i + before - k * dilation is a multiple of the stride. For each of the stride's phases these
are every n-th tap, so the positions of a phase are a convolution with stride 1 and the flipped part of the filter.

Arrays are N...C inside of this module; the kernels of the ops turn those that are NC...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from math import gcd, prod
from typing import Any

import numpy as np

from ...graph.hooks import hooks
from .convolution_geometry import BAND, Geometry, Slices, bands_of, reach

GPU_BAND = 1 << 16
"""Positions of a band on a GPU, where a band is a few launches."""
_TILE = 1 << 18
"""Bytes of patches up to which the bands of a convolution hold more than 448 positions: milliseconds of 64 images of
28x28 with a window of 5x5 on one channel: 2.9, and 4.7 with 448. Filter gradients sum over a band, so theirs stay."""


def convolve(xp: Any, x: Any, w: Any, g: Geometry) -> Any:
    """The convolution of x with the filter w, in the dtype of x."""
    x, w = channels_last(x, g), wide(w)
    shape = (g.batch, *g.outputs, g.filters)
    if g.is_pointwise:
        count = g.batch * prod(g.outputs)
        rows = _product(xp, wide(x).reshape(count, g.channels), w.reshape(g.channels, g.filters))
        return laid_out(xp, rows.astype(x.dtype, copy=False).reshape(shape), g)
    out = xp.empty(shape, x.dtype)
    _correlate(xp, x, w, g.groups, g.strides, g.dilations, g.before, out)
    return laid_out(xp, out, g)


def input_gradient(xp: Any, w: Any, dy: Any, g: Geometry) -> Any:
    """The gradient of `convolve` by x."""
    dy, w = channels_last(dy, g), wide(w)
    if g.is_pointwise:
        count = g.batch * prod(g.outputs)
        rows = _product(xp, wide(dy).reshape(count, g.filters), w.reshape(g.channels, g.filters).T)
        out = rows.astype(dy.dtype, copy=False).reshape(g.batch, *g.inputs, g.channels)
        return laid_out(xp, out, g)
    dx = xp.zeros((g.batch, *g.inputs, g.channels), dy.dtype)
    flipped = _by_group_swapped(xp, w, g)
    each = zip(g.window, g.strides, g.dilations, g.before, g.inputs, strict=True)
    for parts in combinations(*[list(phases(*axis)) for axis in each]):
        positions = tuple([part.positions for part in parts])
        taps = flipped[(*[part.taps for part in parts], ...)]
        out = dx[(slice(None), *positions)]
        ones = (1,) * len(parts)
        _correlate(xp, dy, taps, g.groups, ones, tuple([p.dilation for p in parts]), tuple([p.before for p in parts]),
                   out)  # fmt: skip
    return laid_out(xp, dx, g)


def filter_gradient(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """The gradient of `convolve` by w: the sum over bands, in order, of transposed patches times gradients."""
    dtype = x.dtype
    x, dy = channels_last(x, g), channels_last(dy, g)
    depth, width = g.channels // g.groups, g.filters // g.groups
    if g.is_pointwise:
        count = g.batch * prod(g.outputs)
        product = _product(xp, wide(x).reshape(count, depth).T, wide(dy).reshape(count, width))
        return product.astype(dtype, copy=False).reshape(*g.window, depth, width)
    dw = xp.zeros((*g.window, depth, g.filters), wide_dtype(dtype))
    for j in range(g.groups):
        out = slice(j * width, (j + 1) * width)
        sums = xp.zeros((prod(g.window) * depth, width), dw.dtype)
        patches = _patches(xp, x[..., j * depth : (j + 1) * depth], g.window, g.strides, g.dilations, g.before,
                           (g.batch, *g.outputs), BAND)  # fmt: skip
        for band, rows in patches:
            gradients = wide(xp.ascontiguousarray(dy[band][..., out])).reshape(len(rows), width)
            sums += _product(xp, rows.T, gradients)
        dw[..., out] = sums.reshape(*g.window, depth, width)
    return dw.astype(dtype, copy=False)


# ---- phases -------------------------------------------------------------------------------------


class Phase:
    """The positions of an axis of the input that have one remainder by the stride.

    Attributes:
        positions: a slice of the axis.
        taps: a slice of the flipped window.
        dilation: the steps between these taps in the output.
        before: the zeros before the output.
    """

    __slots__ = ("before", "dilation", "positions", "taps")

    def __init__(self, positions: slice, taps: slice, dilation: int, before: int) -> None:
        self.positions, self.taps, self.dilation, self.before = positions, taps, dilation, before


def phases(window: int, stride: int, dilation: int, before: int, size: int) -> Iterator[Phase]:
    """The phases of an axis of `size` input positions; those that no tap reaches, whose gradient is 0, are left out."""
    common = gcd(stride, dilation)
    step = stride // common  # between the taps of a phase
    for first in range(min(stride, size)):
        remainder = (first + before) % stride
        taps = [k for k in range(window) if k * dilation % stride == remainder]
        if not taps:
            continue
        assert taps == list(range(taps[0], window, step))
        # Position first + n * stride reads output n + start - j * (dilation / common) by tap taps[j].
        start = (first + before - taps[0] * dilation) // stride
        apart = dilation // common
        flipped = slice(window - 1 - taps[-1], window - taps[0], step)
        yield Phase(slice(first, size, stride), flipped, apart, (len(taps) - 1) * apart - start)


def _by_group_swapped(xp: Any, w: Any, g: Geometry) -> Any:
    """The filter of the gradient by the input: taps flipped; each group's input and output channels exchanged.

    From (..., depth, filters) to (..., filters of a group, channels).
    """
    count, depth, width = len(g.window), g.channels // g.groups, g.filters // g.groups
    flipped = w[(slice(None, None, -1),) * count]
    grouped = flipped.reshape(*g.window, depth, g.groups, width)
    last = list(range(count))
    return xp.ascontiguousarray(grouped.transpose(*last, count + 2, count + 1, count)).reshape(
        *g.window, width, g.channels
    )


# ---- bands --------------------------------------------------------------------------------------


def _correlate(
    xp: Any, x: Any, w: Any, groups: int, strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    out: Any,
) -> None:  # fmt: skip
    """Write to `out` the sums over taps of w times the elements of x that they read."""
    window = w.shape[:-2]
    depth, width = w.shape[-2], w.shape[-1] // groups
    for j in range(groups):
        filters = slice(j * width, (j + 1) * width)
        matrix = xp.ascontiguousarray(w[..., filters]).reshape(prod(window) * depth, width)
        part = x if groups == 1 else x[..., j * depth : (j + 1) * depth]
        most = max(BAND, _TILE // max(1, matrix.shape[0] * matrix.itemsize))
        for band, rows in _patches(xp, part, window, strides, dilations, before, out.shape[:-1], most):
            place = out[(*band, ..., filters)]
            place[...] = _product(xp, rows, matrix).reshape(place.shape)


def _patches(
    xp: Any, x: Any, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    outputs: Sequence[int], most: int,
) -> Iterator[tuple[Slices, Any]]:  # fmt: skip
    """Each band of `most` positions with its patches: a row for each position, a column for each tap and channel.

    The matrix is valid until the next one is asked for.
    """
    depth = x.shape[-1]
    columns = prod(window) * depth
    buffer = BandBuffer(xp, wide_dtype(x.dtype))
    for band in bands_of(outputs, most if xp is np else GPU_BAND):
        source = source_of(xp, x, band, window, strides, dilations, before)
        sizes = [each.stop - each.start for each in band]
        rows = buffer.of((prod(sizes), columns))
        windows = windows_of(xp, source, sizes, window, strides, dilations, runs=True)
        rows.reshape(windows.shape)[...] = windows
        yield band, rows


class BandBuffer:
    """Memory for one band after another, none of them larger than the first."""

    __slots__ = ("dtype", "memory", "xp")

    def __init__(self, xp: Any, dtype: Any) -> None:
        self.xp, self.dtype = xp, dtype
        self.memory: Any = None

    def of(self, shape: tuple[int, ...]) -> Any:
        """An array of that shape with any content."""
        count = prod(shape)
        if self.memory is None or self.memory.size < count:
            self.memory = self.xp.empty(count, self.dtype)
        return self.memory[:count].reshape(shape)


def source_of(
    xp: Any, x: Any, band: Slices, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int],
    before: Sequence[int],
) -> Any:  # fmt: skip
    """What a band reads of x, with zeros where that lies outside."""
    inside: list[slice] = [band[0]]
    places: list[slice] = [slice(None)]
    sizes: list[int] = [band[0].stop - band[0].start]
    is_whole = True
    for axis, positions in enumerate(band[1:]):
        first = positions.start * strides[axis] - before[axis]
        last = (positions.stop - 1) * strides[axis] - before[axis] + reach(window[axis], dilations[axis])
        low = min(max(first, 0), x.shape[axis + 1])
        high = max(min(last, x.shape[axis + 1]), low)
        inside.append(slice(low, high))
        places.append(slice(low - first, high - first))
        sizes.append(last - first)
        is_whole = is_whole and high - low == last - first
    part = x[tuple(inside)]
    if is_whole:
        return part
    source = xp.zeros((*sizes, x.shape[-1]), x.dtype)
    if part.size:
        source[tuple(places)] = part
    return source


def windows_of(
    xp: Any, source: Any, sizes: Sequence[int], window: Sequence[int], strides: Sequence[int],
    dilations: Sequence[int], runs: bool = False,
) -> Any:  # fmt: skip
    """A view of the windows of a band: positions, then taps, then channels.

    runs: make one axis of the last taps and the channels, where they lie side by side; NumPy copies it in one piece.
    """
    batch, *axes, channel = source.strides
    steps = [batch, *[a * s for a, s in zip(axes, strides, strict=True)]]
    taps = [a * d for a, d in zip(axes, dilations, strict=True)]
    depth = source.shape[-1]
    if runs and taps[-1] == depth * channel:
        shape: tuple[int, ...] = (*sizes, *window[:-1], window[-1] * depth)
        taps.pop()
    else:
        shape = (*sizes, *window, depth)
    return xp.lib.stride_tricks.as_strided(source, shape, (*steps, *taps, channel))


# ---- arrays -------------------------------------------------------------------------------------


def _product(xp: Any, a: Any, b: Any) -> Any:
    return hooks.product(a, b) if xp is np else xp.matmul(a, b)


def wide_dtype(dtype: Any) -> Any:
    """The dtype in which elements are multiplied and added: float32 for floats of 16 bits."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


def wide(array: Any) -> Any:
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def channels_last(array: Any, g: Geometry) -> Any:
    """The array as N...C, a view."""
    if not g.is_channels_first:
        return array
    return array.transpose(0, *range(2, array.ndim), 1)


def laid_out(xp: Any, array: Any, g: Geometry) -> Any:
    """The N...C array in the layout of the op."""
    if not g.is_channels_first:
        return array
    return xp.ascontiguousarray(array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1)))
