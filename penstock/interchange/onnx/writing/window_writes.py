"""Convolutions, pooling and their gradients as nodes of ONNX.

ONNX has channels before the axes that windows move along. So arrays are turned before and after a node; a program that
runs the model removes pairs of turns.

The gradient of a convolution in its input is ONNX's ConvTranspose. That in its filter is a convolution whose batch are
the channels, whose filter is the gradient, and in which strides and dilations have changed places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import int64
from ....ops.convolution.convolution_geometry import same_paddings
from ....ops.pooling.window_geometry import windows_of
from .elementwise_writes import WriteRule
from .onnx_writer import NotWritten, OnnxWriter, known_sizes


@dataclass(frozen=True, slots=True)
class Layout:
    """Where channels stand, and the entries of attributes for the axes that windows move along."""

    channels_first: bool
    spatial: int

    def along(self, entries: Sequence[int], what: str) -> list[int]:
        """The entries for the spatial axes; those for batch and channels must be 1."""
        first = 2 if self.channels_first else 1
        own = list(entries[first : first + self.spatial])
        if int(np.prod(entries)) != int(np.prod(own)):
            raise NotWritten(f"its {what} {list(entries)} move along batch or channels, which ONNX's nodes do not")
        return own

    def pairs(self, entries: Sequence[int]) -> list[tuple[int, int]]:
        """The paddings of the spatial axes."""
        first = 2 if self.channels_first else 1
        return [(entries[2 * axis], entries[2 * axis + 1]) for axis in range(first, first + self.spatial)]

    def sizes(self, whole: Sequence[Any]) -> list[Any]:
        """The spatial sizes of an array."""
        first = 2 if self.channels_first else 1
        return list(whole[first : first + self.spatial])

    def channels(self, whole: Sequence[Any]) -> Any:
        """The number of channels of an array."""
        return whole[1] if self.channels_first else whole[-1]

    def first(self, w: OnnxWriter, name: str) -> str:
        """An array with channels before the spatial axes."""
        if self.channels_first:
            return name
        return w.node("Transpose", [name], perm=[0, self.spatial + 1, *range(1, self.spatial + 1)])

    def back(self, w: OnnxWriter, name: str) -> str:
        """An array in this layout, of one with channels first."""
        if self.channels_first:
            return name
        return w.node("Transpose", [name], perm=[0, *range(2, self.spatial + 2), 1])


@dataclass(frozen=True, slots=True)
class Window:
    """The attributes of a convolution or pooling along the spatial axes. `before`, `after`: None if not known."""

    layout: Layout
    strides: list[int]
    rates: list[int]
    kernel: list[int]
    pads: list[tuple[int, int]] | None

    def attributes(self) -> dict[str, Any]:
        """As ONNX writes them."""
        found: dict[str, Any] = {"strides": self.strides, "kernel_shape": self.kernel}
        if any(rate != 1 for rate in self.rates):
            found["dilations"] = self.rates
        if self.pads is None:
            return found | {"auto_pad": "SAME_UPPER"}
        if any(before or after for before, after in self.pads):
            found["pads"] = [before for before, _ in self.pads] + [after for _, after in self.pads]
        return found

    def known_pads(self) -> list[tuple[int, int]]:
        """The paddings.

        Raises:
            NotWritten: they depend on sizes that are not known before a run.
        """
        if self.pads is None:
            raise NotWritten("the sizes of the images are not known before a run; give them to the placeholder")
        return self.pads


def _value(op: Operation, name: str, default: Any = None) -> Any:
    places = op.opdef.parameters
    return op.args[places.index(name)] if name in places else default


def _layout(op: Operation) -> Layout:
    word = _value(op, "data_format", "NHWC")
    rank = len(_value(op, "strides"))
    return Layout(word.startswith("NC"), rank - 2)


def _window(op: Operation, whole: Sequence[Any], kernel: Sequence[int]) -> Window:
    """`whole`: the sizes of the array that windows move over, None where they are not known."""
    layout = _layout(op)
    strides = layout.along(_value(op, "strides"), "strides")
    dilations = _value(op, "dilations")
    rates = layout.along(dilations, "dilations") if dilations else [1] * layout.spatial
    padding, pads = _value(op, "padding"), None
    if padding == "VALID":
        pads = [(0, 0)] * layout.spatial
    elif padding == "EXPLICIT":
        pads = layout.pairs(_value(op, "explicit_paddings"))
    elif all(isinstance(size, int) for size in layout.sizes(whole)):
        pads = [same_pads(size, k, s, r)
                for size, k, s, r in zip(layout.sizes(whole), kernel, strides, rates, strict=True)]  # fmt: skip
    elif any(rate != 1 for rate in rates):
        raise NotWritten("the sizes of the images are not known before a run; give them to the placeholder")
    return Window(layout, strides, rates, list(kernel), pads)


def same_pads(size: int, kernel: int, stride: int, rate: int) -> tuple[int, int]:
    """The paddings of SAME along an axis."""
    before, after = same_paddings(size, kernel, stride, rate)[:2]
    return int(before), int(after)


def _sizes(tensor: Tensor) -> list[Any]:
    raw = tensor.shape.raw
    if raw is None:
        raise NotWritten("the rank of its operand is not known before a run; give it with set_shape")
    return [size if isinstance(size, int) else None for size in raw]


def _known_shape(tensor: Any) -> list[int]:
    value = known_value(tensor) if isinstance(tensor, Tensor) else np.asarray(tensor)
    if value is None:
        raise NotWritten("the shape that it is given is not known before a run; write it as numbers")
    return [int(size) for size in value]


def _is_depthwise(op: Operation) -> bool:
    return op.type.startswith("Depthwise")


def _floats(op: Operation) -> None:
    if any(not t.dtype.is_floating for t in op.outputs):
        raise NotWritten("ONNX's convolutions take floats; cast its operands with tf.cast")


# ---- convolutions ------------------------------------------------------------------------------


def _filter(w: OnnxWriter, op: Operation, filter: Tensor, layout: Layout) -> tuple[str, list[int]]:
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
    layout, whole = _layout(op), _sizes(x)
    name, sizes = _filter(w, op, filter, layout)
    window = _window(op, whole, sizes[: layout.spatial])
    made = w.node("Conv", [layout.first(w, w.ref(x)), name], group=_groups(op, sizes, layout.channels(whole)),
                  **window.attributes())  # fmt: skip
    return layout.back(w, made)


def _input_gradient(w: OnnxWriter, op: Operation) -> str:
    _floats(op)
    input_sizes, filter, dy = op.args[:3]
    layout = _layout(op)
    whole = _sizes(op.outputs[0]) if op.outputs[0].shape.raw is not None else _known_shape(input_sizes)
    name, sizes = _filter(w, op, filter, layout)
    window = _window(op, whole, sizes[: layout.spatial])
    group = _groups(op, sizes, layout.channels(whole))
    positions = layout.sizes(_sizes(dy))
    made = _transposed(w, layout.first(w, w.ref(dy)), name, window, layout.sizes(whole), positions, group)
    return layout.back(w, made)


def _transposed(
    w: OnnxWriter, dy: str, filter: str, window: Window, sizes: Sequence[Any], positions: Sequence[Any], group: int
) -> str:
    """The ConvTranspose whose result has these sizes."""
    pads, more = [], []
    if None in sizes or None in positions:
        raise NotWritten("the sizes of the images are not known before a run; give them to the placeholder")
    for (before, _), size, count, k, stride, rate in zip(
        window.known_pads(), sizes, positions, window.kernel, window.strides, window.rates, strict=True
    ):
        after = stride * (count - 1) + (k - 1) * rate + 1 - before - size
        pads.append((before, max(after, 0)))
        more.append(max(-after, 0))
    return w.node("ConvTranspose", [dy, filter], group=group, strides=window.strides, kernel_shape=window.kernel,
                  dilations=window.rates, pads=[b for b, _ in pads] + [a for _, a in pads],
                  output_padding=more if any(more) else None)  # fmt: skip


def _filter_gradient(w: OnnxWriter, op: Operation) -> str:
    _floats(op)
    x, filter_sizes, dy = op.args[:3]
    layout, whole = _layout(op), known_sizes(x)
    sizes = _known_shape(filter_sizes)
    spatial = layout.spatial
    own = [*sizes[:spatial], 1, sizes[-2] * sizes[-1]] if _is_depthwise(op) else sizes
    window = _window(op, whole, own[:spatial])
    group, batch, channels = _groups(op, own, layout.channels(whole)), whole[0], layout.channels(whole)
    pixels = layout.sizes(whole)
    axes = [*range(3, spatial + 3)]
    name = w.reshape(layout.first(w, w.ref(x)), [batch, group, channels // group, *pixels])
    name = w.reshape(w.node("Transpose", [name], perm=[2, 1, 0, *axes]), [channels // group, group * batch, *pixels])
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
    layout = Layout(False, 2)
    kernel, channels = layout.along(ksizes, "sizes"), known_sizes(x)[-1]
    count = kernel[0] * kernel[1] * channels
    copying = np.eye(count, dtype=x.dtype.np).reshape(count, *kernel, channels).transpose(0, 3, 1, 2)
    step, rate = layout.along(strides, "strides"), layout.along(rates, "rates")
    pads = [(0, 0)] * 2
    if padding == "SAME":
        pads = [same_pads(*each) for each in zip(known_sizes(x)[1:3], kernel, step, rate, strict=True)]
    window = Window(layout, step, rate, kernel, pads)
    filter = w.constant(np.ascontiguousarray(copying), x.dtype)
    return layout.back(w, w.node("Conv", [layout.first(w, w.ref(x)), filter], **window.attributes()))


# ---- pooling -----------------------------------------------------------------------------------


def _pool_window(op: Operation, whole: Sequence[Any]) -> Window:
    layout = _layout(op)
    return _window(op, whole, layout.along(_value(op, "ksize"), "window sizes"))


def _float_images(x: Tensor) -> None:
    if not x.dtype.is_floating:
        raise NotWritten("ONNX's pooling takes floats; cast its operand with tf.cast")


def _pool(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x = op.inputs[0]
        _float_images(x)
        window = _pool_window(op, _sizes(x))
        layout = window.layout
        return layout.back(w, w.node(name, [layout.first(w, w.ref(x))], **window.attributes()))

    return write


def _average_gradient(w: OnnxWriter, op: Operation) -> str:
    """Each gradient is spread over the elements of its window that lie in the image."""
    dy = op.args[1]
    whole = _known_shape(op.args[0])
    window = _pool_window(op, whole)
    layout = window.layout
    channels, sizes = layout.channels(whole), layout.sizes(whole)
    pairs = tuple([each for pair in window.known_pads() for each in pair])
    counts = windows_of(tuple(sizes), tuple(window.kernel), tuple(window.strides), "EXPLICIT", pairs).counts(np)
    positions = layout.sizes(known_sizes(dy))
    shares = 1 / np.broadcast_to(counts, positions).astype(np.float64)
    share = w.node("Mul", [layout.first(w, w.ref(dy)), w.constant(shares.astype(dy.dtype.np), dy.dtype)])
    ones = w.constant(np.ones((channels, 1, *window.kernel), dy.dtype.np), dy.dtype)
    return layout.back(w, _transposed(w, share, ones, window, sizes, positions, channels))


def _largest(w: OnnxWriter, op: Operation, x: Tensor) -> tuple[Layout, str, str, str]:
    """The layout, the image with channels first, the largest elements, and their places in the flat image."""
    _float_images(x)
    window = _pool_window(op, _sizes(x))
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
    whole = known_sizes(x)
    window = _pool_window(op, whole)
    layout = window.layout
    channels, count = layout.channels(whole), int(np.prod(window.kernel))
    positions = layout.sizes(known_sizes(y))
    taps = np.tile(np.eye(count, dtype=x.dtype.np).reshape(count, 1, *window.kernel),
                   (channels, *[1] * (layout.spatial + 1)))  # fmt: skip
    filter = w.constant(taps, x.dtype)
    beside = w.node("Conv", [layout.first(w, w.ref(x)), filter], group=channels, **window.attributes())
    beside = w.reshape(beside, [whole[0], channels, count, *positions])
    largest, g = (w.node("Unsqueeze", [layout.first(w, w.ref(t)), w.ints(2)]) for t in (y, dy))
    chosen = w.node("Where", [w.node("Equal", [beside, largest]), g, w.like(dy, 0)])
    chosen = w.reshape(chosen, [whole[0], channels * count, *positions])
    return layout.back(w, _transposed(w, chosen, filter, window, layout.sizes(whole), positions, channels))


def _max_second_gradient(w: OnnxWriter, op: Operation) -> str:
    x, _, g = op.args[:3]
    layout, _, made, places = _largest(w, op, x)
    flat = [w.reshape(each, [-1]) for each in (layout.first(w, w.ref(g)), places)]
    chosen = w.node("Gather", flat, axis=0)
    return layout.back(w, w.reshape(chosen, w.node("Shape", [made])))


def _max_with_places(w: OnnxWriter, op: Operation) -> list[str]:
    """ONNX counts elements with channels first; TensorFlow with channels last, within an image or the batch."""
    x = op.inputs[0]
    layout, _, made, places = _largest(w, op, x)
    _, height, width, channels = known_sizes(x)

    def digit(divisor: int, size: int) -> str:
        whole = w.node("Div", [places, w.constant(np.array(divisor))]) if divisor > 1 else places
        return w.node("Mod", [whole, w.constant(np.array(size))])

    def plus(a: str, factor: int, b: str) -> str:
        return w.node("Add", [w.node("Mul", [a, w.constant(np.array(factor))]), b])

    within = plus(plus(digit(width, height), width, digit(1, width)), channels, digit(height * width, channels))
    if _value(op, "include_batch_in_index"):
        size = height * width * channels
        within = plus(w.node("Div", [places, w.constant(np.array(size))]), size, within)
    found = layout.back(w, within)
    dtype = op.outputs[1].dtype
    return [layout.back(w, made), found if dtype is int64 else w.cast(found, dtype)]


def _flat_places(w: OnnxWriter, op: Operation) -> str:
    """Places in the whole batch, flat."""
    x, argmax = op.args[0], op.args[2]
    name = w.cast(w.ref(argmax), int64)
    if not _value(op, "include_batch_in_index"):
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


WINDOW_WRITES: dict[str, WriteRule] = {
    "AvgPool": _pool("AveragePool"), "AvgPool3D": _pool("AveragePool"), "AvgPool3DGrad": _average_gradient,
    "AvgPoolGrad": _average_gradient, "Conv2D": _convolution, "Conv2DBackpropFilter": _filter_gradient,
    "Conv2DBackpropInput": _input_gradient, "Conv3D": _convolution, "Conv3DBackpropFilterV2": _filter_gradient,
    "Conv3DBackpropInputV2": _input_gradient, "DepthwiseConv2dNative": _convolution,
    "DepthwiseConv2dNativeBackpropFilter": _filter_gradient,
    "DepthwiseConv2dNativeBackpropInput": _input_gradient, "ExtractImagePatches": _patches,
    "MaxPool": _pool("MaxPool"), "MaxPool3D": _pool("MaxPool"), "MaxPool3DGrad": _equal_gradient,
    "MaxPool3DGradGrad": _max_second_gradient, "MaxPoolGrad": _max_gradient,
    "MaxPoolGradGrad": _max_second_gradient, "MaxPoolGradGradWithArgmax": _places_second_gradient,
    "MaxPoolGradWithArgmax": _places_gradient, "MaxPoolWithArgmax": _max_with_places,
}  # fmt: skip
