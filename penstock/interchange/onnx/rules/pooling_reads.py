"""Pooling: the largest, the average or a norm of what a window sees.

The usual windows are our max_pool and avg_pool. Others (dilated, rounded up, in one or three dimensions, with indices)
take every window apart by index, and reduce it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, int64
from ....ops.pooling.pooling_calls import avg_pool, max_pool
from ..onnx_errors import known_size
from ..onnx_node import OnnxNode
from .convolution_reads import ReadWindow, window_of
from .onnx_row import OnnxOp
from .values import Size, as_dtype, bounded, channels_last, constant, rank_of, reshaped, scalar, sizes, take, where


def _counts(window: ReadWindow, every: list[Size], ceil: bool) -> list[int]:
    """How many places the window has along each dimension."""
    counts = []
    for i, size in enumerate(every):
        size = known_size(size, "the sizes of its image are")
        before, after = window.pads[i]
        reach = (window.kernel[i] - 1) * window.dilations[i] + 1
        span = size + before + after - reach
        count = (-(-span // window.strides[i]) if ceil else span // window.strides[i]) + 1
        if ceil and (count - 1) * window.strides[i] >= size + before:
            count -= 1  # a window must begin inside the image or its front pad
        counts.append(count)
    return counts


def _places(window: ReadWindow, i: int, count: int) -> Any:
    """For each place of the window along a dimension, where its elements stand: (places, kernel)."""
    bounded(count, window.kernel[i])
    starts = np.arange(count) * window.strides[i] - window.pads[i][0]
    return starts[:, None] + np.arange(window.kernel[i]) * window.dilations[i]


def _windows(x: Tensor, window: ReadWindow, counts: list[int], outside: Any) -> Tensor:
    """(batch, channels, places ..., kernel ...), with `outside` where the window sees no image."""
    space = len(counts)
    windows = x
    inside: Any = np.ones((1,) * (2 * space), bool)
    for i in range(space):
        size = sizes(x)[2 + i]
        assert isinstance(size, int)  # _counts has seen it
        places = _places(window, i, counts[i])
        axis = 2 + 2 * i
        windows = take(windows, constant(np.clip(places, 0, max(size - 1, 0))), axis)
        shape = [1] * (2 * space)
        shape[2 * i], shape[2 * i + 1] = places.shape
        inside = inside & ((places >= 0) & (places < size)).reshape(shape)
    order = [0, 1, *range(2, 2 + 2 * space, 2), *range(3, 3 + 2 * space, 2)]
    windows = ops.transpose(windows, order)
    if inside.all():
        return windows
    mask = np.transpose(inside, [*range(0, 2 * space, 2), *range(1, 2 * space, 2)])
    return where(ops.constant(mask[None, None]), windows, scalar(windows, outside))


def _is_plain(x: Tensor, window: ReadWindow, ceil: bool) -> bool:
    """Whether our own pooling does it."""
    return (rank_of(x) == 4 and not ceil and set(window.dilations) == {1} and x.dtype.is_floating
            and all(min(p) >= 0 and max(p) < k for p, k in zip(window.pads, window.kernel, strict=True)))  # fmt: skip


def _max_pool(n: OnnxNode) -> Any:
    x = n.tensor(0)
    window = window_of(n, x, n.ints("kernel_shape"))
    ceil = bool(n.int("ceil_mode", 0))
    if _is_plain(x, window, ceil) and not n.wants(1):
        pads: Any = [[0, 0], [0, 0], *[list(pair) for pair in window.pads]]
        if not any(sum(pair) for pair in window.pads):
            pads = "VALID"
        last = channels_last(x)
        if last is not None and pads == "VALID":
            return ops.transpose(max_pool(last, [1, *window.kernel, 1], [1, *window.strides, 1], pads), [0, 3, 1, 2])
        return max_pool(x, [1, 1, *window.kernel], [1, 1, *window.strides], pads, data_format="NCHW")
    counts = _counts(window, sizes(x)[2:], ceil)
    low = -np.inf if x.dtype.is_floating else x.dtype.min
    seen = _windows(x, window, counts, low)
    space = len(counts)
    flat = reshaped(seen, [*sizes(x)[:2], *counts, int(np.prod(window.kernel))])
    best = ops.reduce_max(flat, 2 + space)
    if not n.wants(1):
        return best
    return [best, _indices(n, x, window, counts, ops.argmax(flat, 2 + space))]


def _indices(n: OnnxNode, x: Tensor, window: ReadWindow, counts: list[int], chosen: Tensor) -> Tensor:
    """Where the largest element stands in the flat input; with storage_order 1, with the columns first."""
    space = len(counts)
    every = sizes(x)
    image = [size for size in every[2:] if isinstance(size, int)]
    flat: Any = np.zeros((1,) * (2 * space), np.int64)
    order = range(space) if not n.int("storage_order", 0) else reversed(range(space))
    for i in order:
        shape = [1] * (2 * space)
        shape[i], shape[space + i] = counts[i], window.kernel[i]
        flat = flat * image[i] + _places(window, i, counts[i]).reshape(shape)
    table = np.broadcast_to(flat, [*counts, *window.kernel]).reshape([-1, int(np.prod(window.kernel))])
    rows = np.arange(len(table)).reshape(counts) * table.shape[1]
    place = ops.gather(constant(table.reshape(-1)), ops.cast(chosen, int64) + constant(rows))
    batch, channels = every[:2]
    channels = known_size(channels, "the number of its channels is")
    whole = int(np.prod(image))
    first = ops.range(constant(0), constant(batch) if isinstance(batch, int) else batch) * constant(channels * whole)
    first = ops.reshape(first, [-1, *[1] * (space + 1)])
    second = constant(np.arange(channels).reshape([1, channels, *[1] * space]) * whole)
    return place + first + second


def _average_pool(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    window = window_of(n, x, n.ints("kernel_shape"))
    ceil = bool(n.int("ceil_mode", 0))
    whole = bool(n.int("count_include_pad", 0))
    if _is_plain(x, window, ceil) and not any(sum(pair) for pair in window.pads):
        last = channels_last(x)
        if last is not None:
            return ops.transpose(avg_pool(last, [1, *window.kernel, 1], [1, *window.strides, 1], "VALID"), [0, 3, 1, 2])
        return avg_pool(x, [1, 1, *window.kernel], [1, 1, *window.strides], "VALID", data_format="NCHW")
    counts = _counts(window, sizes(x)[2:], ceil)
    dtype = x.dtype
    wide = as_dtype(x, float32) if dtype.size == 2 else x
    space = len(counts)
    total = ops.reduce_sum(_windows(wide, window, counts, 0), list(range(2 + space, 2 + 2 * space)))
    seen: Any = np.ones([1] * space)
    for i, size in enumerate(sizes(x)[2:]):
        assert isinstance(size, int)
        places = _places(window, i, counts[i])
        low, high = (-window.pads[i][0], size + window.pads[i][1]) if whole else (0, size)
        own = ((places >= low) & (places < high)).sum(1)
        seen = seen * own.reshape([-1 if j == i else 1 for j in range(space)])
    return as_dtype(total / constant(seen[None, None], wide.dtype), dtype)


def _lp_pool(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    window = window_of(n, x, n.ints("kernel_shape"))
    power = n.int("p", 2)
    counts = _counts(window, sizes(x)[2:], bool(n.int("ceil_mode", 0)))
    seen = ops.abs(_windows(x, window, counts, 0))
    space = len(counts)
    total = ops.reduce_sum(ops.pow(seen, scalar(x, power)), list(range(2 + space, 2 + 2 * space)))
    return ops.pow(total, scalar(x, 1.0 / power))


def _global(reduce: Any) -> Any:
    def read(n: OnnxNode) -> Tensor:
        x = n.tensor(0)
        found: Tensor = reduce(n, x, list(range(2, rank_of(x))))
        return found

    return read


def _norm(n: OnnxNode, x: Tensor, axes: list[int]) -> Tensor:
    power = n.int("p", 2)
    return ops.pow(ops.reduce_sum(ops.pow(ops.abs(x), scalar(x, power)), axes, True), scalar(x, 1.0 / power))


def _max_unpool(n: OnnxNode) -> Tensor:
    x, places = n.tensor(0), n.tensor(1)
    kernel = n.ints("kernel_shape")
    count = len(kernel)
    strides = n.ints("strides", None) or [1] * count
    pads = n.ints("pads", None) or [0] * (2 * count)
    every = sizes(x)
    own: list[Size] = [*every[:2]]
    for i, size in enumerate(every[2:]):
        size = known_size(size, "the sizes of its image are")
        own.append((size - 1) * strides[i] - pads[i] - pads[i + count] + kernel[i])
    target = [int(v) for v in n.known_ints(2)] if n.has(2) else own
    total = 1
    for size in own:
        size = known_size(size, "the sizes of its image are")
        total *= size
    flat = ops.scatter_nd(ops.reshape(places, [-1, 1]), ops.reshape(x, [-1]), constant([total]))
    made = reshaped(flat, own)
    if target == own:
        return made
    return ops.pad(made, [[0, int(t) - int(o)] for t, o in zip(target, own, strict=True)])


POOLING = (
    OnnxOp("AveragePool", _average_pool),
    OnnxOp("GlobalAveragePool", _global(lambda n, x, axes: ops.reduce_mean(x, axes, True))),
    OnnxOp("GlobalLpPool", _global(_norm), 2),
    OnnxOp("GlobalMaxPool", _global(lambda n, x, axes: ops.reduce_max(x, axes, True))),
    OnnxOp("LpPool", _lp_pool, 2),
    OnnxOp("MaxPool", _max_pool),
    OnnxOp("MaxUnpool", _max_unpool, 9),
)

