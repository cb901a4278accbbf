"""Convolutions: sizes and pads of ONNX become those of our convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, int32
from ....ops.convolution.convolution_calls import conv2d, conv2d_backprop_input, conv3d
from ....ops.convolution.transposed_convolutions import conv3d_transpose
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from ..wire.onnx_types import NarrowTensor
from .cast_reads import any_tensor, quantized
from .narrow_casts import numbers_of
from .onnx_row import OnnxOp
from .padding_reads import padded
from .values import Size, as_dtype, bounded, channels_last, constant, rank_of, reshaped, sizes, vector, widened


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """How a window moves over an image: for each dimension of space one number; pads are pairs."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]


def window_of(n: OnnxNode, x: Tensor, kernel: Sequence[int]) -> ReadWindow:
    """The window of a node.

    Raises:
        UnsupportedOnnx: pads follow from sizes that are not known before a run.
    """
    count = len(kernel)
    strides = n.ints("strides", None) or [1] * count
    dilations = n.ints("dilations", None) or [1] * count
    auto = n.text("auto_pad", "NOTSET")
    given = n.ints("pads", None) or [0] * (2 * count)
    pads = [(given[i], given[i + count]) for i in range(count)]
    if auto == "VALID":
        pads = [(0, 0)] * count
    elif auto in ("SAME_UPPER", "SAME_LOWER"):
        pads = []
        for i, size in enumerate(sizes(x)[2:]):
            reach = (kernel[i] - 1) * dilations[i] + 1
            if isinstance(size, int):
                total = max((-(-size // strides[i]) - 1) * strides[i] + reach - size, 0)
            elif strides[i] == 1:
                total = reach - 1
            else:
                raise UnsupportedOnnx("its pads follow from a size that is not known before a run")
            small = total // 2
            pads.append((small, total - small) if auto == "SAME_UPPER" else (total - small, small))
    return ReadWindow(list(kernel), strides, dilations, pads)


def convolved(x: Tensor, w: Tensor, window: ReadWindow) -> Tensor:
    """x: (batch, channels, space ...); w: (out, channels of a group, space ...)."""
    rank = rank_of(x) - 2
    if rank == 1:
        wide = ReadWindow([1, *window.kernel], [1, *window.strides], [1, *window.dilations], [(0, 0), *window.pads])
        return ops.squeeze(convolved(ops.expand_dims(x, 2), ops.expand_dims(w, 2), wide), [2])
    filters = ops.transpose(w, [*range(2, rank + 2), 1, 0])
    if rank == 2:
        pads: Any = [(0, 0), (0, 0), *window.pads]
        if any(a < 0 or b < 0 for a, b in window.pads):
            x = padded(x, [a for a, _ in pads] + [b for _, b in pads], "constant", None)
            pads = [(0, 0)] * 4
        last = channels_last(x)
        if last is not None:
            pairs = [list(p) for p in ((0, 0), *pads[2:], (0, 0))]
            found = conv2d(last, filters, [1, *window.strides, 1], pairs, dilations=[1, *window.dilations, 1])
            return ops.transpose(found, [0, 3, 1, 2])
        return conv2d(x, filters, [1, 1, *window.strides], [list(p) for p in pads], data_format="NCHW",
                      dilations=[1, 1, *window.dilations])  # fmt: skip
    if rank != 3:
        raise UnsupportedOnnx(f"it moves over {rank} dimensions")
    x = padded(x, [0, 0, *[a for a, _ in window.pads], 0, 0, *[b for _, b in window.pads]], "constant", None)
    return conv3d(x, filters, [1, 1, *window.strides], "VALID", data_format="NCDHW",
                  dilations=[1, 1, *window.dilations])  # fmt: skip


def channels_first(bias: Tensor, rank: int) -> Tensor:
    """A vector of one number for each channel beside a tensor of `rank`."""
    return ops.reshape(bias, [1, -1, *[1] * (rank - 2)])


def kernel_of(n: OnnxNode, w: Tensor) -> list[int]:
    """The sizes of the window: an attribute, or those of the weights."""
    found = n.ints("kernel_shape", None)
    if found:
        return list(found)
    every = sizes(w)[2:]
    if not all(isinstance(size, int) for size in every):
        raise UnsupportedOnnx("the sizes of its weights are not known before a run")
    return [size for size in every if isinstance(size, int)]


def _conv(n: OnnxNode) -> Tensor:
    (x, dtype), w = widened(n.tensor(0)), n.tensor(1)
    found = convolved(x, as_dtype(w, x.dtype), window_of(n, x, kernel_of(n, w)))
    if n.has(2):
        bias, last = as_dtype(n.tensor(2), x.dtype), channels_last(found)
        if last is not None:
            found = ops.transpose(last + bias, [0, 3, 1, 2])
        else:
            found = found + channels_first(bias, rank_of(x))
    return as_dtype(found, dtype)


def _conv_integer(n: OnnxNode) -> Tensor:
    x, w = ops.cast(n.tensor(0), int32), ops.cast(n.tensor(1), int32)
    if n.has(2):
        x = x - ops.cast(n.tensor(2), int32)
    if n.has(3):
        zero = ops.cast(n.tensor(3), int32)
        w = w - (ops.reshape(zero, [-1, *[1] * (rank_of(w) - 1)]) if rank_of(zero) == 1 else zero)
    return convolved(x, w, window_of(n, x, kernel_of(n, w)))


def _qlinear_conv(n: OnnxNode) -> Any:
    x, w, out = any_tensor(n, 0), any_tensor(n, 3), any_tensor(n, 7)
    wide_x = numbers_of(x, int32) - numbers_of(any_tensor(n, 2), int32)
    rows = [-1, *[1] * ((w.shape.ndims or 1) - 1)]
    zero_w = numbers_of(any_tensor(n, 5), int32)
    wide_w = numbers_of(w, int32) - (ops.reshape(zero_w, rows) if rank_of(zero_w) == 1 else zero_w)
    total = convolved(wide_x, wide_w, window_of(n, wide_x, kernel_of(n, wide_w)))
    if n.has(8):
        total = total + channels_first(ops.cast(n.tensor(8), int32), rank_of(total))
    scale_w = n.tensor(4)
    if rank_of(scale_w) == 1:
        scale_w = channels_first(scale_w, rank_of(total))
    ratio = n.tensor(1) * scale_w / n.tensor(6)
    type = out.type if isinstance(out, NarrowTensor) else out.dtype
    return quantized(ops.cast(total, float32) * ratio, type, numbers_of(out, float32))


# ---- the other way round -----------------------------------------------------------------------


def _conv_transpose(n: OnnxNode) -> Tensor:
    """Every element of x adds the weights, times itself, to the window that it stands for."""
    (x, dtype), w = widened(n.tensor(0)), n.tensor(1)
    w = as_dtype(w, x.dtype)
    group = n.int("group", 1)
    kernel = kernel_of(n, w)
    window = window_of_transposed(n, x, kernel)
    if group > 1:
        parts = [
            _transposed(a, b, window) for a, b in zip(ops.split(1, group, x), ops.split(0, group, w), strict=True)
        ]
        found = ops.concat(1, parts)
    else:
        found = _transposed(x, w, window)
    if n.has(2):
        found = found + channels_first(as_dtype(n.tensor(2), x.dtype), rank_of(x))
    return as_dtype(found, dtype)


def window_of_transposed(n: OnnxNode, x: Tensor, kernel: Sequence[int]) -> tuple[ReadWindow, list[Size]]:
    """The window, and the sizes of the result before pads are cut off."""
    count = len(kernel)
    strides = n.ints("strides", None) or [1] * count
    dilations = n.ints("dilations", None) or [1] * count
    extra = n.ints("output_padding", None) or [0] * count
    given = n.ints("pads", None) or [0] * (2 * count)
    pads = [(given[i], given[i + count]) for i in range(count)]
    wanted = n.ints("output_shape", None)
    auto = n.text("auto_pad", "NOTSET")
    full: list[Size] = []
    for i, size in enumerate(sizes(x)[2:]):
        reach = (kernel[i] - 1) * dilations[i] + 1
        whole: Size = (size - 1) * strides[i] + reach + extra[i] if isinstance(size, int) else (
            (size - constant(1)) * constant(strides[i]) + constant(reach + extra[i]))  # fmt: skip
        full.append(whole)
        if wanted or auto.startswith("SAME"):
            if not isinstance(whole, int) or not isinstance(size, int):
                raise UnsupportedOnnx("its pads follow from a size that is not known before a run")
            target = wanted[len(wanted) - count + i] if wanted else size * strides[i]
            total = whole - target
            small = max(total, 0) // 2  # what is missing stands at the end
            pads[i] = (total - small, small) if auto == "SAME_LOWER" and total > 0 else (small, total - small)
    return ReadWindow(list(kernel), strides, dilations, pads), full


def _transposed(x: Tensor, w: Tensor, shaped: tuple[ReadWindow, list[Size]]) -> Tensor:
    window, full = shaped
    rank = rank_of(x) - 2
    if rank == 1:
        wide = ReadWindow([1, *window.kernel], [1, *window.strides], [1, *window.dilations], [(0, 0), *window.pads])
        return ops.squeeze(_transposed(ops.expand_dims(x, 2), ops.expand_dims(w, 2), (wide, [1, *full])), [2])
    filters = ops.transpose(w, [*range(2, rank + 2), 1, 0])  # space, out channels, in channels
    out = sizes(w)[1]
    last = [max(-pad, 0) for _, pad in window.pads]
    made_sizes = [size + more if isinstance(size, int) else size + constant(more) for size, more in
                  zip(full, last, strict=True)]  # fmt: skip
    shape = ops.cast(vector([sizes(x)[0], out, *made_sizes]), int32)
    if rank == 2:
        result = conv2d_backprop_input(shape, filters, x, [1, 1, *window.strides], "VALID", data_format="NCHW",
                                      dilations=[1, 1, *window.dilations])  # fmt: skip
    elif rank == 3:
        last_shape = ops.cast(vector([sizes(x)[0], *made_sizes, out]), int32)
        moved = ops.transpose(x, [0, 2, 3, 4, 1])
        result = conv3d_transpose(moved, filters, last_shape, [1, *window.strides, 1], "VALID")
        result = ops.transpose(result, [0, 4, 1, 2, 3])
        if window.dilations != [1, 1, 1]:
            raise UnsupportedOnnx("it is dilated in three dimensions")
    else:
        raise UnsupportedOnnx(f"it moves over {rank} dimensions")
    cuts = [slice(None), slice(None)]
    for (before, after), _ in zip(window.pads, full, strict=True):
        cuts.append(slice(max(before, 0), -after if after > 0 else None))
    return result[tuple(cuts)]


def _col2im(n: OnnxNode) -> Tensor:
    """The blocks of an image added up at their places: a transposed convolution with weights that copy."""
    x = n.tensor(0)
    image, block = n.known_ints(1), n.known_ints(2)
    count = len(image)
    strides = n.ints("strides", None) or [1] * count
    dilations = n.ints("dilations", None) or [1] * count
    pads = n.ints("pads", None) or [0] * (2 * count)
    size = 1
    for each in block:
        size *= each
    batch, depth, _ = sizes(x)
    depth = known_size(depth, "the number of its channels is")
    full = [image[i] + pads[i] + pads[i + count] for i in range(count)]
    steps = [(full[i] - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(count)]
    channels = depth // size
    parts = reshaped(x, [batch, channels, size, *steps])
    image_sum = _placed(parts, full, block, strides, dilations)
    return image_sum[(slice(None), slice(None), *[slice(pads[i], pads[i] + image[i]) for i in range(count)])]


def _placed(
    parts: Tensor, full: Sequence[int], block: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> Tensor:
    """parts: (batch, channels, place in the block, steps ...), added up at flat places of the image."""
    grids = np.zeros([1], np.int64)
    for i, size in enumerate(full):
        steps = (size - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1
        bounded(grids.size, block[i], steps)
        line = np.arange(block[i])[:, None] * dilations[i] + np.arange(steps)[None, :] * strides[i]
        grids = grids[..., None, None] * size + line
    count = len(full)
    order = [*range(1, 2 * count, 2), *range(2, 2 * count + 1, 2)]
    places = np.squeeze(grids.transpose([0, *order]), 0).reshape(-1)
    batch, channels = sizes(parts)[:2]
    flat = reshaped(parts, [batch, channels, -1])
    total = int(np.prod(full))
    summed = ops.unsorted_segment_sum(ops.transpose(flat, [2, 0, 1]), constant(places), constant(total))
    return reshaped(ops.transpose(summed, [1, 2, 0]), [batch, channels, *full])


CONVOLUTIONS = (
    OnnxOp("Col2Im", _col2im, 18),
    OnnxOp("Conv", _conv),
    OnnxOp("ConvInteger", _conv_integer, 10),
    OnnxOp("ConvTranspose", _conv_transpose),
    OnnxOp("QLinearConv", _qlinear_conv, 10),
)
