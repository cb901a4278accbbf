"""Convolutions and their gradients as nodes of ONNX.

The gradient of a convolution in its input is ONNX's ConvTranspose. That in its filter is a convolution whose batch are
the channels, whose filter is the gradient, and in which strides and dilations have changed places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from .elementwise_writes import WriteRule
from .onnx_writer import NotWritten, OnnxWriter, known_sizes, sizes_but_first
from .window_writes import (
    ImageLayout,
    WrittenWindow,
    known_shape,
    layout_of,
    same_pads,
    sizes_of,
    transposed,
    window_of,
)


def _is_depthwise(op: Operation) -> bool:
    return op.type.startswith("Depthwise")


def _floats(op: Operation) -> None:
    if any(not t.dtype.is_floating for t in op.outputs):
        raise NotWritten("ONNX's convolutions take floats; cast its operands with tf.cast")


def _filter(w: OnnxWriter, op: Operation, filter: Tensor, layout: ImageLayout) -> tuple[str, list[int]]:
    """A filter with its output channels first, and its sizes as those of a grouped convolution: (..., I, O)."""
    sizes = known_sizes(filter, "its filter")
    name, spatial = w.ref(filter), layout.spatial
    if _is_depthwise(op):
        sizes = [*sizes[:spatial], 1, sizes[-2] * sizes[-1]]
        name = w.reshape(name, sizes)
    return w.node("Transpose", [name], perm=[spatial + 1, spatial, *range(spatial)]), sizes


def _groups(op: Operation, filter_sizes: Sequence[int], channels: Any) -> int:
    if _is_depthwise(op):
        if not isinstance(channels, int):
            raise NotWritten("the number of channels is not known before a run; give it to the placeholder")
        return channels
    return channels // filter_sizes[-2] if isinstance(channels, int) and filter_sizes[-2] else 1


def _convolution(w: OnnxWriter, op: Operation) -> str:
    _floats(op)
    x, filter = op.args[:2]
    layout, whole = layout_of(op), sizes_of(x)
    name, sizes = _filter(w, op, filter, layout)
    window = window_of(op, whole, sizes[: layout.spatial])
    made = w.node("Conv", [layout.first(w, w.ref(x)), name], group=_groups(op, sizes, layout.channels(whole)),
                  **window.attributes())  # fmt: skip
    return layout.back(w, made)


def _input_gradient(w: OnnxWriter, op: Operation) -> str:
    _floats(op)
    input_sizes, filter, dy = op.args[:3]
    layout = layout_of(op)
    whole = sizes_of(op.outputs[0]) if op.outputs[0].shape.raw is not None else known_shape(input_sizes)
    name, sizes = _filter(w, op, filter, layout)
    window = window_of(op, whole, sizes[: layout.spatial])
    group = _groups(op, sizes, layout.channels(whole))
    positions = layout.sizes(sizes_of(dy))
    made = transposed(w, layout.first(w, w.ref(dy)), name, window, layout.sizes(whole), positions, group)
    return layout.back(w, made)


def _filter_gradient(w: OnnxWriter, op: Operation) -> str:
    _floats(op)
    x, filter_sizes, dy = op.args[:3]
    layout, whole = layout_of(op), sizes_but_first(x)
    sizes = known_shape(filter_sizes)
    spatial = layout.spatial
    own = [*sizes[:spatial], 1, sizes[-2] * sizes[-1]] if _is_depthwise(op) else sizes
    window = window_of(op, whole, own[:spatial])
    group, batch, channels = _groups(op, own, layout.channels(whole)), whole[0], layout.channels(whole)
    pixels = layout.sizes(whole)
    axes = [*range(3, spatial + 3)]
    name = w.reshape(layout.first(w, w.ref(x)), [batch, group, channels // group, *pixels])
    images = group * batch if batch >= 0 else -1
    name = w.reshape(w.node("Transpose", [name], perm=[2, 1, 0, *axes]), [channels // group, images, *pixels])
    turned = layout.first(w, w.ref(dy))
    turned = w.node("Transpose", [turned], perm=[1, 0, *range(2, spatial + 2)])
    pads = window.known_pads()
    made = w.node("Conv", [name, turned], group=group, strides=window.rates, dilations=window.strides,
                  pads=[b for b, _ in pads] + [a for _, a in pads])  # fmt: skip
    made = w.node("Slice", [made, w.ints(*[0] * spatial), w.ints(*own[:spatial]), w.ints(*range(2, spatial + 2))])
    made = w.node("Transpose", [made], perm=[*range(2, spatial + 2), 0, 1])
    return w.reshape(made, sizes) if _is_depthwise(op) else made


def _patches(w: OnnxWriter, op: Operation) -> str:
    """A convolution with a filter that copies."""
    _floats(op)
    x, ksizes, strides, rates, padding = op.args
    layout = ImageLayout(False, 2)
    kernel, channels = layout.along(ksizes, "sizes"), sizes_but_first(x)[-1]
    count = kernel[0] * kernel[1] * channels
    copying = np.eye(count, dtype=x.dtype.np).reshape(count, *kernel, channels).transpose(0, 3, 1, 2)
    step, rate = layout.along(strides, "strides"), layout.along(rates, "rates")
    pads = [(0, 0)] * 2
    if padding == "SAME":
        pads = [same_pads(*each) for each in zip(sizes_but_first(x)[1:3], kernel, step, rate, strict=True)]
    window = WrittenWindow(layout, step, rate, kernel, pads)
    filter = w.constant(np.ascontiguousarray(copying), x.dtype)
    return layout.back(w, w.node("Conv", [layout.first(w, w.ref(x)), filter], **window.attributes()))


CONVOLUTION_WRITES: dict[str, WriteRule] = {
    "Conv2D": _convolution, "Conv2DBackpropFilter": _filter_gradient, "Conv2DBackpropInput": _input_gradient,
    "Conv3D": _convolution, "Conv3DBackpropFilterV2": _filter_gradient, "Conv3DBackpropInputV2": _input_gradient,
    "DepthwiseConv2dNative": _convolution, "DepthwiseConv2dNativeBackpropFilter": _filter_gradient,
    "DepthwiseConv2dNativeBackpropInput": _input_gradient, "ExtractImagePatches": _patches,
}  # fmt: skip
