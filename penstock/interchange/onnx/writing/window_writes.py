"""Windows that move over images, as ONNX's nodes have them: layouts, strides, paddings.

ONNX has channels before the axes that windows move along. So arrays are turned before and after a node; a program that
runs the model removes pairs of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....ops.convolution.convolution_geometry import same_paddings
from .onnx_writer import NotWritten, OnnxWriter


@dataclass(frozen=True, slots=True)
class ImageLayout:
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
class WrittenWindow:
    """The attributes of a convolution or pooling along the spatial axes. `before`, `after`: None if not known."""

    layout: ImageLayout
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


def attribute_of(op: Operation, name: str, default: Any = None) -> Any:
    places = op.opdef.parameters
    return op.args[places.index(name)] if name in places else default


def layout_of(op: Operation) -> ImageLayout:
    word = attribute_of(op, "data_format", "NHWC")
    rank = len(attribute_of(op, "strides"))
    return ImageLayout(word.startswith("NC"), rank - 2)


def window_of(op: Operation, whole: Sequence[Any], kernel: Sequence[int]) -> WrittenWindow:
    """`whole`: the sizes of the array that windows move over, None where they are not known."""
    layout = layout_of(op)
    strides = layout.along(attribute_of(op, "strides"), "strides")
    dilations = attribute_of(op, "dilations")
    rates = layout.along(dilations, "dilations") if dilations else [1] * layout.spatial
    padding, pads = attribute_of(op, "padding"), None
    if padding == "VALID":
        pads = [(0, 0)] * layout.spatial
    elif padding == "EXPLICIT":
        pads = layout.pairs(attribute_of(op, "explicit_paddings"))
    elif all(isinstance(size, int) for size in layout.sizes(whole)):
        pads = [same_pads(size, k, s, r)
                for size, k, s, r in zip(layout.sizes(whole), kernel, strides, rates, strict=True)]  # fmt: skip
    elif any(rate != 1 for rate in rates):
        raise NotWritten("the sizes of the images are not known before a run; give them to the placeholder")
    return WrittenWindow(layout, strides, rates, list(kernel), pads)


def same_pads(size: int, kernel: int, stride: int, rate: int) -> tuple[int, int]:
    """The paddings of SAME along an axis."""
    before, after = same_paddings(size, kernel, stride, rate)[:2]
    return int(before), int(after)


def sizes_of(tensor: Tensor) -> list[Any]:
    raw = tensor.shape.raw
    if raw is None:
        raise NotWritten("the rank of its operand is not known before a run; give it with set_shape")
    return [size if isinstance(size, int) else None for size in raw]


def known_shape(tensor: Any) -> list[int]:
    value = known_value(tensor) if isinstance(tensor, Tensor) else np.asarray(tensor)
    if value is None:
        raise NotWritten("the shape that it is given is not known before a run; write it as numbers")
    return [int(size) for size in value]


def transposed(
    w: OnnxWriter, dy: str, filter: str, window: WrittenWindow, sizes: Sequence[Any], positions: Sequence[Any],
    group: int,
) -> str:  # fmt: skip
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
