"""The fast kernels of Conv2D and its gradients: compiled loops, from the first run on.

The loops add products in an order that BLAS does not have, so their bits differ from the plain kernel's. So what
computes a convolution depends on sizes and dtypes only, and on whether code can be compiled at all: the loop is
compiled by the first run (20 ms once; then it is in the object cache), never after some runs of NumPy. Where an image
takes few multiplications NumPy computes it, and nothing is compiled.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from ....ops.convolution.band_patches import phases
from ....ops.convolution.conv2d_ops import CONV2D, steps_of_images
from ....ops.convolution.convolution_geometry import Geometry, geometry_of
from ...memory.buffer_pool import POOL
from ..loops.native_loops import is_on
from .convolution_sizes import Window
from .image_arrays import channels_last, copy_of, dense, kind_of, laid_out, narrowed
from .native_convolutions import convolve_in_turns, convolve_into, filter_gradient, rows_of_convolution

FEWEST: Final = 1 << 12
"""Multiplications for an image below which NumPy computes a convolution. The batch does not count: a part of a batch
has the bits of the whole."""


def conv2d(xp: Any, x: Any, w: Any, *attrs: Any) -> Any:
    """The convolution; None where NumPy computes it."""
    return _convolved(x, w, attrs, None, False)


def conv2d_plus(x: Any, w: Any, bias: Any, relu: bool, *attrs: Any) -> Any:
    """The convolution of float32 or float64, plus a vector, and its relu, in one pass; None where that cannot be."""
    if bias.ndim != 1 or bias.dtype != x.dtype or x.dtype.itemsize == 2 or w.ndim != 4 or len(bias) != w.shape[3]:
        return None
    return _convolved(x, w, attrs, dense(bias), relu)


def _convolved(x: Any, w: Any, attrs: tuple[Any, ...], bias: Any, relu: bool) -> Any:
    if x.ndim != 4 or w.ndim != 4 or not is_on():
        return None
    g = geometry_of(x.shape, w.shape, steps_of_images(*attrs))
    if not is_served(g, x, w) or (bias is not None and (g.is_channels_first or g.groups > 1)):
        return None
    images, filters = channels_last(x, g.is_channels_first), dense(w)
    down, across = windows_of(g)
    y = POOL.empty((g.batch, *g.outputs, g.filters), images.dtype)
    depth, width = g.channels // g.groups, g.filters // g.groups
    for j in range(g.groups):
        part, some, out = images, filters, y
        if g.groups > 1:
            part = copy_of(images[..., j * depth : (j + 1) * depth])
            some = copy_of(filters[..., j * width : (j + 1) * width])
            out = y[..., j * width : (j + 1) * width]
        if not convolve_into(out, part, some, down, across, bias, relu):
            return None
    return laid_out(narrowed(y, x.dtype), g.is_channels_first)


def conv2d_input_gradient(xp: Any, sizes: Any, w: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient by the input; None where NumPy computes it."""
    if w.ndim != 4 or dy.ndim != 4 or not is_on():
        return None
    g = CONV2D.geometry_by_input(sizes, w, dy, *attrs)
    if not is_served(g, dy, w):
        return None
    gradients, filters = channels_last(dy, g.is_channels_first), dense(w)
    parts, is_covered = parts_of_input_gradient(g)
    dx = POOL.empty((g.batch, *g.inputs, g.channels), gradients.dtype)
    if not is_covered:
        dx.fill(0)
    depth, width = g.channels // g.groups, g.filters // g.groups
    for j in range(g.groups):
        channels = slice(j * width, (j + 1) * width)
        part = gradients if g.groups == 1 else copy_of(gradients[..., channels])
        turned = filters[::-1, ::-1, :, channels].transpose(0, 1, 3, 2)
        convolutions = []
        for positions, taps, down, across in parts:
            out = dx[:, *positions, j * depth : (j + 1) * depth]
            rows = rows_of_convolution(out, part, copy_of(turned[taps]), down, across)
            if rows is None:
                return None
            convolutions.append(rows)
        convolve_in_turns(g.batch, part.nbytes // g.batch, convolutions)
    return laid_out(narrowed(dx, dy.dtype), g.is_channels_first)


def conv2d_filter_gradient(xp: Any, x: Any, sizes: Any, dy: Any, *attrs: Any) -> Any:
    """The gradient by the filter; None where NumPy computes it."""
    if x.ndim != 4 or dy.ndim != 4 or not is_on():
        return None
    g = CONV2D.geometry_by_filter(x, sizes, dy, *attrs)
    if not is_served(g, x, dy):
        return None
    images, gradients = channels_last(x, g.is_channels_first), channels_last(dy, g.is_channels_first)
    down, across = windows_of(g)
    depth, width = g.channels // g.groups, g.filters // g.groups
    if g.groups == 1:
        dw = filter_gradient(images, gradients, down, across)
        return None if dw is None else narrowed(dw, x.dtype)
    dw = np.empty((*g.window, depth, g.filters), images.dtype)
    for j in range(g.groups):
        channels = slice(j * width, (j + 1) * width)
        some = filter_gradient(copy_of(images[..., j * depth : (j + 1) * depth]), copy_of(gradients[..., channels]),
                               down, across)  # fmt: skip
        if some is None:
            return None
        dw[..., channels] = some
    return narrowed(dw, x.dtype)


def is_served(g: Geometry, *arrays: Any) -> bool:
    """Whether the loops compute a convolution: one of floats, not empty, of enough multiplications."""
    dtype = arrays[0].dtype
    if kind_of(dtype) is None or any(each.dtype != dtype for each in arrays):
        return False
    return g.batch > 0 and 0 not in g.inputs and prod(g.outputs) * g.taps * g.filters >= FEWEST


def windows_of(g: Geometry) -> tuple[Window, Window]:
    """The window along both axes."""
    each = zip(g.window, g.strides, g.dilations, g.before, g.outputs, strict=True)
    down, across = [Window(*axis) for axis in each]
    return down, across


class GradientPart(NamedTuple):
    """Positions of the input whose gradient is one convolution of dy with some taps of the flipped filter."""

    positions: tuple[slice, slice]
    taps: tuple[slice, slice]
    down: Window
    across: Window


@lru_cache(maxsize=1 << 10)
def parts_of_input_gradient(g: Geometry) -> tuple[list[GradientPart], bool]:
    """One part for each phase of the strides, and whether they have all positions; no tap reaches the others."""
    axes = zip(g.window, g.strides, g.dilations, g.before, g.inputs, strict=True)
    of_axes = [list(phases(*axis)) for axis in axes]
    wanted = [min(step, size) for step, size in zip(g.strides, g.inputs, strict=True)]
    parts = []
    for two in product(*of_axes):
        down, across = [
            Window(_length(p.taps), 1, p.dilation, p.before, _length(p.positions)) for p in two
        ]  # fmt: skip
        rows, columns = two
        parts.append(GradientPart((rows.positions, columns.positions), (rows.taps, columns.taps), down, across))
    return parts, [len(each) for each in of_axes] == wanted


def _length(some: slice) -> int:
    return len(range(some.start, some.stop, some.step))
