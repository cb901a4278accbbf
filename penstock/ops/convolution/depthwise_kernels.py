"""Depthwise convolutions on NumPy: a band of positions times one tap after another, added up in a buffer.

Channel c of the input gives the channels c * M ... c * M + M - 1 of the output, M being the multiplier. There is no
matrix product in it: a tap is a product of vectors over channels. Arrays are N...C inside of this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from math import prod
from typing import Any

import numpy as np

from .band_patches import GPU_BAND, BandBuffer, channels_last, laid_out, phases, source_of, wide, wide_dtype, windows_of
from .convolution_geometry import BAND, Geometry, Slices, bands_of


def convolve_depthwise(xp: Any, x: Any, w: Any, g: Geometry) -> Any:
    """The depthwise convolution of x with the filter w, in the dtype of x."""
    x, w = channels_last(x, g), wide(w)
    if w.shape[-1] == 1:
        out = _channel_by_channel(xp, x, w[..., 0], g.strides, g.dilations, g.before, (g.batch, *g.outputs))
        return laid_out(xp, out, g)
    out = xp.empty((g.batch, *g.outputs, *w.shape[-2:]), x.dtype)
    products = BandBuffer(xp, w.dtype)
    for band, windows in _bands(xp, x, g.window, g.strides, g.dilations, g.before, out.shape[:-2]):
        sums = xp.zeros(out[band].shape, w.dtype)
        product = products.of(sums.shape)
        for tap in np.ndindex(*g.window):
            xp.multiply(wide(windows[(..., *tap, slice(None))])[..., None], w[tap], out=product)
            sums += product
        out[band] = sums
    return laid_out(xp, out.reshape(g.batch, *g.outputs, g.filters), g)


def _channel_by_channel(
    xp: Any, x: Any, w: Any, strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    outputs: Sequence[int],
) -> Any:  # fmt: skip
    """The convolution of each channel with one filter; w has an entry for each tap and channel."""
    out = xp.empty((*outputs, x.shape[-1]), x.dtype)
    sums_of, products = BandBuffer(xp, w.dtype), BandBuffer(xp, w.dtype)
    for band, windows in _bands(xp, x, w.shape[:-1], strides, dilations, before, outputs):
        part = out[band]
        sums = part if part.dtype == w.dtype else sums_of.of(part.shape)
        for number, tap in enumerate(np.ndindex(*w.shape[:-1])):
            product = products.of(part.shape) if number else sums
            xp.multiply(wide(windows[(..., *tap, slice(None))]), w[tap], out=product)
            if number:
                sums += product
        if sums is not part:
            part[...] = sums
    return out


def depthwise_input_gradient(xp: Any, w: Any, dy: Any, g: Geometry) -> Any:
    """The gradient of `convolve_depthwise` by x."""
    dy, w = channels_last(dy, g), wide(w)
    dx = xp.zeros((g.batch, *g.inputs, g.channels), dy.dtype)
    flipped = w[(slice(None, None, -1),) * len(g.window)]
    each = zip(g.window, g.strides, g.dilations, g.before, g.inputs, strict=True)
    for parts in combinations(*[list(phases(*axis)) for axis in each]):
        out = dx[(slice(None), *[part.positions for part in parts])]
        taps = flipped[(*[part.taps for part in parts], ...)]
        window, ones = taps.shape[:-2], (1,) * len(parts)
        steps, before = tuple([part.dilation for part in parts]), tuple([part.before for part in parts])
        if w.shape[-1] == 1:
            out[...] = _channel_by_channel(xp, dy, taps[..., 0], ones, steps, before, out.shape[:-1])
            continue
        for band, windows in _bands(xp, dy, window, ones, steps, before, out.shape[:-1]):
            sums = xp.zeros(out[band].shape, w.dtype)
            for tap in np.ndindex(*window):
                gradients = wide(windows[(..., *tap, slice(None))]).reshape(*sums.shape, w.shape[-1])
                sums += (gradients * taps[tap]).sum(-1)
            out[band] = sums
    return laid_out(xp, dx, g)


def depthwise_filter_gradient(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """The gradient of `convolve_depthwise` by w."""
    dtype = x.dtype
    x, dy = channels_last(x, g), channels_last(dy, g)
    multiplier = g.filters // g.channels if g.channels else 0
    dw = xp.zeros((*g.window, g.channels, multiplier), wide_dtype(dtype))
    products = BandBuffer(xp, dw.dtype)
    for band, windows in _bands(xp, x, g.window, g.strides, g.dilations, g.before, (g.batch, *g.outputs)):
        count = prod([each.stop - each.start for each in band])
        gradients = wide(dy[band]).reshape(*windows.shape[: -1 - len(g.window)], g.channels, multiplier)
        product = products.of(gradients.shape)
        for tap in np.ndindex(*g.window):
            xp.multiply(wide(windows[(..., *tap, slice(None))])[..., None], gradients, out=product)
            dw[tap] += product.reshape(count, g.channels * multiplier).sum(0).reshape(g.channels, multiplier)
    return dw.astype(dtype, copy=False)


def _bands(
    xp: Any, x: Any, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    outputs: Sequence[int],
) -> Iterator[tuple[Slices, Any]]:  # fmt: skip
    """Each band with a view of its windows: positions, then taps, then channels."""
    for band in bands_of(outputs, BAND if xp is np else GPU_BAND):
        source = source_of(xp, x, band, window, strides, dilations, before)
        sizes = [each.stop - each.start for each in band]
        yield band, windows_of(xp, source, sizes, window, strides, dilations)
