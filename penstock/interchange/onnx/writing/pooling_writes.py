"""Pooling and its gradients as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int64
from ....ops.pooling.window_geometry import windows_of
from .elementwise_writes import WriteRule
from .onnx_writer import NotWritten, OnnxWriter, known_sizes, sizes_but_first
from .window_writes import (
    ImageLayout,
    WrittenWindow,
    attribute_of,
    known_shape,
    layout_of,
    sizes_of,
    transposed,
    window_of,
)


def _pool_window(op: Operation, whole: Sequence[Any]) -> WrittenWindow:
    layout = layout_of(op)
    return window_of(op, whole, layout.along(attribute_of(op, "ksize"), "window sizes"))


def _float_images(x: Tensor) -> None:
    if not x.dtype.is_floating:
        raise NotWritten("ONNX's pooling takes floats; cast its operand with tf.cast")


def _pool(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x = op.inputs[0]
        _float_images(x)
        window = _pool_window(op, sizes_of(x))
        layout = window.layout
        return layout.back(w, w.node(name, [layout.first(w, w.ref(x))], **window.attributes()))

    return write


def _average_gradient(w: OnnxWriter, op: Operation) -> str:
    """Each gradient is spread over the elements of its window that lie in the image."""
    dy = op.args[1]
    whole = sizes_but_first(op.outputs[0]) if op.outputs[0].shape.raw is not None else known_shape(op.args[0])
    window = _pool_window(op, whole)
    layout = window.layout
    channels, sizes = layout.channels(whole), layout.sizes(whole)
    pairs = tuple([each for pair in window.known_pads() for each in pair])
    counts = windows_of(tuple(sizes), tuple(window.kernel), tuple(window.strides), "EXPLICIT", pairs).counts(np)
    positions = layout.sizes(sizes_but_first(dy))
    shares = 1 / np.broadcast_to(counts, positions).astype(np.float64)
    share = w.node("Mul", [layout.first(w, w.ref(dy)), w.constant(shares.astype(dy.dtype.np), dy.dtype)])
    ones = w.constant(np.ones((channels, 1, *window.kernel), dy.dtype.np), dy.dtype)
    return layout.back(w, transposed(w, share, ones, window, sizes, positions, channels))


def _largest(w: OnnxWriter, op: Operation, x: Tensor) -> tuple[ImageLayout, str, str, str]:
    """The layout, the image with channels first, the largest elements, and their places in the flat image."""
    _float_images(x)
    window = _pool_window(op, sizes_of(x))
    layout = window.layout
    name = layout.first(w, w.ref(x))
    made, places = w.several("MaxPool", [name], 2, **window.attributes())
    return layout, name, made, places


def _max_gradient(w: OnnxWriter, op: Operation) -> str:
    x, _, dy = op.args[:3]
    layout, name, _, places = _largest(w, op, x)
    flat = [w.reshape(each, [-1]) for each in (places, layout.first(w, w.ref(dy)))]
    zeros = w.node("Expand", [w.like(x, 0), w.node("Reshape", [w.node("Size", [name]), w.ints(1)])])
    made = w.node("ScatterElements", [zeros, *flat], axis=0, reduction="add")
    return layout.back(w, w.reshape(made, w.node("Shape", [name])))


def _equal_gradient(w: OnnxWriter, op: Operation) -> str:
    """The gradient goes to all elements of a window that are the largest.

    A convolution whose filters are single taps lays the elements of each window side by side; its transpose puts them
    back. Elements of the border are lost there.
    """
    x, y, dy = op.args[:3]
    _float_images(x)
    whole = sizes_but_first(x)
    window = _pool_window(op, whole)
    layout = window.layout
    channels, count = layout.channels(whole), int(np.prod(window.kernel))
    positions = layout.sizes(sizes_but_first(y))
    taps = np.tile(np.eye(count, dtype=x.dtype.np).reshape(count, 1, *window.kernel),
                   (channels, *[1] * (layout.spatial + 1)))  # fmt: skip
    filter = w.constant(taps, x.dtype)
    beside = w.node("Conv", [layout.first(w, w.ref(x)), filter], group=channels, **window.attributes())
    beside = w.reshape(beside, [whole[0], channels, count, *positions])
    largest, g = (w.node("Unsqueeze", [layout.first(w, w.ref(t)), w.ints(2)]) for t in (y, dy))
    chosen = w.node("Where", [w.node("Equal", [beside, largest]), g, w.like(dy, 0)])
    chosen = w.reshape(chosen, [whole[0], channels * count, *positions])
    return layout.back(w, transposed(w, chosen, filter, window, layout.sizes(whole), positions, channels))


def _max_second_gradient(w: OnnxWriter, op: Operation) -> str:
    x, _, g = op.args[:3]
    layout, _, made, places = _largest(w, op, x)
    flat = [w.reshape(each, [-1]) for each in (layout.first(w, w.ref(g)), places)]
    chosen = w.node("Gather", flat, axis=0)
    return layout.back(w, w.reshape(chosen, w.node("Shape", [made])))


def _max_with_places(w: OnnxWriter, op: Operation) -> list[str]:
    """ONNX counts elements with channels first; TensorFlow with channels last, within an image or the batch."""
    x = op.inputs[0]
    layout, _, largest, places = _largest(w, op, x)
    _, height, width, channels = sizes_but_first(x)

    def digit(divisor: int, size: int) -> str:
        whole = w.node("Div", [places, w.constant(np.array(divisor))]) if divisor > 1 else places
        return w.node("Mod", [whole, w.constant(np.array(size))])

    def plus(a: str, factor: int, b: str) -> str:
        return w.node("Add", [w.node("Mul", [a, w.constant(np.array(factor))]), b])

    within = plus(plus(digit(width, height), width, digit(1, width)), channels, digit(height * width, channels))
    if attribute_of(op, "include_batch_in_index"):
        size = height * width * channels
        within = plus(w.node("Div", [places, w.constant(np.array(size))]), size, within)
    place = layout.back(w, within)
    dtype = op.outputs[1].dtype
    return [layout.back(w, largest), place if dtype is int64 else w.cast(place, dtype)]


def _flat_places(w: OnnxWriter, op: Operation) -> str:
    """Places in the whole batch, flat."""
    x, argmax = op.args[0], op.args[2]
    name = w.cast(w.ref(argmax), int64)
    if not attribute_of(op, "include_batch_in_index"):
        batch, *rest = known_sizes(x)
        offsets = np.arange(batch).reshape(-1, 1, 1, 1) * int(np.prod(rest))
        name = w.node("Add", [name, w.constant(offsets)])
    return w.reshape(name, [-1])


def _places_gradient(w: OnnxWriter, op: Operation) -> str:
    x, dy = op.args[:2]
    sizes = known_sizes(x)
    zeros = w.constant(np.zeros(int(np.prod(sizes)), dy.dtype.np), dy.dtype)
    flat = [_flat_places(w, op), w.reshape(w.ref(dy), [-1])]
    return w.reshape(w.node("ScatterElements", [zeros, *flat], axis=0, reduction="add"), sizes)


def _places_second_gradient(w: OnnxWriter, op: Operation) -> str:
    g, argmax = op.args[1:3]
    chosen = w.node("Gather", [w.reshape(w.ref(g), [-1]), _flat_places(w, op)], axis=0)
    return w.reshape(chosen, w.shape(argmax))


POOLING_WRITES: dict[str, WriteRule] = {
    "AvgPool": _pool("AveragePool"), "AvgPool3D": _pool("AveragePool"), "AvgPool3DGrad": _average_gradient,
    "AvgPoolGrad": _average_gradient, "MaxPool": _pool("MaxPool"), "MaxPool3D": _pool("MaxPool"),
    "MaxPool3DGrad": _equal_gradient, "MaxPool3DGradGrad": _max_second_gradient, "MaxPoolGrad": _max_gradient,
    "MaxPoolGradGrad": _max_second_gradient, "MaxPoolGradGradWithArgmax": _places_second_gradient,
    "MaxPoolGradWithArgmax": _places_gradient, "MaxPoolWithArgmax": _max_with_places,
}  # fmt: skip
