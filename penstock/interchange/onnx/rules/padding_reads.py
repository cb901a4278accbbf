"""Operators that put elements around an array, and those that move blocks between space and channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import int32
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .shape_reads import of_codes
from .values import Size, as_dtype, axes_of, bounded, constant, product, rank_of, reshaped, scalar, sizes, take, where


def _pad(n: OnnxNode) -> Tensor:
    """pads: all beginnings, then all ends."""
    x = n.tensor(0)
    mode = n.text("mode", "constant")
    if n.opset < 11:
        pads = n.ints("pads", None) or n.ints("paddings")
        value: Tensor | None = scalar(x, n.float("value", 0.0))
        return padded(x, pads, mode, value)
    axes = axes_of(n.known_ints(3), rank_of(x)) if n.has(3) else list(range(rank_of(x)))
    value = ops.reshape(n.tensor(2), []) if n.has(2) else None
    given = known_value(n.tensor(1))
    if given is None and mode == "constant":
        columns = ops.transpose(ops.reshape(n.tensor(1), [2, len(axes)]))
        if axes != list(range(rank_of(x))):
            columns = ops.scatter_nd(constant(axes)[:, None], columns, constant([rank_of(x), 2]))
        return _padded_with(x, columns, value)
    pairs = n.known_ints(1)
    pads = [0] * (2 * rank_of(x))
    for place, axis in enumerate(axes):
        pads[axis], pads[axis + rank_of(x)] = pairs[place], pairs[place + len(axes)]
    return padded(x, pads, mode, value)


def _padded_with(x: Tensor, columns: Tensor, value: Tensor | None) -> Tensor:
    if value is None or ((known := known_value(value)) is not None and not x.dtype.is_string and not known.any()):
        return ops.pad(x, columns)
    if x.dtype.is_floating or x.dtype.is_integer:
        inside = ops.pad(ops.ones_like(x), columns)
        return where(ops.equal(inside, scalar(x, 1)), ops.pad(x, columns), as_dtype(value, x.dtype))
    inside = ops.pad(ops.fill(ops.shape(x), constant(1, int32)), columns)
    return where(ops.equal(inside, constant(1, int32)), ops.pad(x, columns), value)


def padded(x: Tensor, pads: Sequence[int], mode: str, value: Tensor | None) -> Tensor:
    """`x` with more elements at the beginning and end of dimensions, or with fewer where a number is negative."""
    rank = rank_of(x)
    if len(pads) != 2 * rank:
        raise GraphFormatError(f"it has {len(pads)} pads for {rank} dimensions")
    cuts = [slice(max(-pads[i], 0), -max(-pads[i + rank], 0) or None) for i in range(rank)]
    if any(p < 0 for p in pads):
        x = x[tuple(cuts)]
    pairs = [(max(pads[i], 0), max(pads[i + rank], 0)) for i in range(rank)]
    if not any(a or b for a, b in pairs):
        return ops.identity(x)
    if mode == "constant":
        return _padded_with(x, constant(pairs, int32), value)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            x = take(x, _sources(sizes(x)[axis], before, after, mode), axis)
    return x


def _sources(size: Size, before: int, after: int, mode: str) -> Tensor:
    """Which element stands at each place of a padded dimension."""
    bounded(before)
    bounded(after)
    if isinstance(size, int):
        bounded(size + before + after)
        places: Any = np.arange(-before, size + after)
        if mode == "edge":
            return constant(np.clip(places, 0, size - 1))
        if mode == "wrap":
            return constant(places % size)
        if mode != "reflect":
            raise UnsupportedOnnx(f"its mode is {mode!r}")
        period = max(2 * (size - 1), 1)
        places = places % period
        return constant(np.where(places >= size, period - places, places))
    places = ops.range(constant(-before), size + constant(after))
    last = size - constant(1)
    if mode == "edge":
        return ops.minimum(ops.maximum(places, constant(0)), last)
    if mode == "wrap":
        return ops.floormod(places, size)
    if mode != "reflect":
        raise UnsupportedOnnx(f"its mode is {mode!r}")
    period_now = ops.maximum(last * constant(2), constant(1))
    places = ops.floormod(places, period_now)
    return where(places >= size, period_now - places, places)


# ---- blocks ------------------------------------------------------------------------------------


def _depth_to_space(n: OnnxNode) -> Tensor:
    x, block = n.tensor(0), n.int("blocksize")
    b, c, h, w = sizes(x)
    deep = known_size(product([c]) if not isinstance(c, int) else c, "its number of channels is")
    rest = deep // (block * block)
    if n.text("mode", "DCR") == "DCR":
        parts = ops.transpose(reshaped(x, [b, block, block, rest, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        parts = ops.transpose(reshaped(x, [b, rest, block, block, h, w]), [0, 1, 4, 2, 5, 3])
    return reshaped(parts, [b, rest, product([h, block]), product([w, block])])


def _space_to_depth(n: OnnxNode) -> Tensor:
    x, block = n.tensor(0), n.int("blocksize")
    b, c, h, w = sizes(x)
    if not (isinstance(c, int) and isinstance(h, int) and isinstance(w, int)):
        raise UnsupportedOnnx("the sizes of its image are not known before a run")
    parts = reshaped(x, [b, c, h // block, block, w // block, block])
    order = [0, 3, 5, 1, 2, 4] if n.text("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    return reshaped(ops.transpose(parts, order), [b, c * block * block, h // block, w // block])


def _center_crop_pad(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    rank = rank_of(x)
    axes = axes_of(n.ints("axes", list(range(rank))), rank)
    every = sizes(x)
    pads = [0] * (2 * rank)
    for axis, wanted in zip(axes, n.known_ints(1), strict=True):
        have = known_size(every[axis], "a size that it crops is")
        extra = wanted - have
        before = extra // 2 if extra >= 0 else -(-extra // 2)
        pads[axis], pads[axis + rank] = before, extra - before
    return padded(x, pads, "constant", None)


PADDING = (
    OnnxOp("CenterCropPad", _center_crop_pad, 18),
    OnnxOp("DepthToSpace", of_codes(_depth_to_space)),
    OnnxOp("Pad", _pad),
    OnnxOp("SpaceToDepth", of_codes(_space_to_depth)),
)
