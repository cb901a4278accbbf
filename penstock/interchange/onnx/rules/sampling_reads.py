"""Images read at places between their pixels: GridSample, AffineGrid, DeformConv, RoiAlign, and boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float32, int64
from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode
from .convolution_reads import channels_first, kernel_of, window_of
from .flow_reads import looped
from .onnx_row import OnnxOp
from .values import Size, as_dtype, bounded, constant, product, rank_of, reshaped, scalar, sizes, vector, where


def _as_float(size: Size, like: Tensor) -> Tensor:
    return scalar(like, size) if isinstance(size, int) else ops.cast(size, like.dtype)


def _reflected(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Places outside mirrored at the borders until they are inside."""
    span = high - low
    safe = where(ops.equal(span, scalar(span, 0)), ops.ones_like(span), span)
    away = ops.abs(x - low)
    turns = ops.floor(away / safe)
    rest = away - turns * safe
    even = ops.equal(ops.floormod(turns, scalar(turns, 2)), scalar(turns, 0))
    return where(even, low + rest, high - rest)


def _pixels(x: Tensor, places: Sequence[Tensor], padding: str, borders: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    """x: (batch, channels, space ...) at whole places (batch, points) of each dimension: (batch, points, channels)."""
    every = sizes(x)
    inside = None
    flat: Tensor | None = None
    for place, size, (low, high) in zip(places, every[2:], borders, strict=True):
        last = _as_float(size, place) - scalar(place, 1)
        if padding == "reflection":
            place = ops.cast(ops.cast(_reflected(place, low, high), int64), place.dtype)
        own = ops.logical_and(place >= scalar(place, 0), place <= last)
        inside = own if inside is None else ops.logical_and(inside, own)
        whole = ops.cast(ops.minimum(ops.maximum(place, scalar(place, 0)), last), int64)
        step = constant(size) if isinstance(size, int) else size
        flat = whole if flat is None else flat * step + whole
    assert flat is not None and inside is not None
    space = product(every[2:])
    rows = ops.transpose(reshaped(x, [every[0], every[1], space]), [0, 2, 1])
    batch = ops.reshape(ops.range(constant(0), constant(every[0]) if isinstance(every[0], int) else every[0]), [-1, 1])
    table = reshaped(rows, [product([every[0], space]), every[1]])
    found = ops.gather(table, flat + batch * (constant(space) if isinstance(space, int) else space))
    if padding == "zeros":
        found = where(ops.expand_dims(inside, 2), found, ops.zeros_like(found))
    return found


def _weights(kind: str, t: Tensor) -> list[tuple[int, Tensor]]:
    """Offsets of neighbours, and how much each counts at the fraction t."""
    one = scalar(t, 1)
    if kind == "linear":
        return [(0, one - t), (1, t)]
    a = -0.75

    def outer(x: Tensor) -> Tensor:
        return ((scalar(x, a) * x - scalar(x, 5 * a)) * x + scalar(x, 8 * a)) * x - scalar(x, 4 * a)

    def inner(x: Tensor) -> Tensor:
        return (scalar(x, a + 2) * x - scalar(x, a + 3)) * x * x + one

    return [(-1, outer(t + one)), (0, inner(t)), (1, inner(one - t)), (2, outer(scalar(t, 2) - t))]


def sampled(x: Tensor, places: Sequence[Tensor], kind: str, padding: str, aligned: bool) -> Tensor:
    """x at places (batch, points) of each dimension of space, in pixels: (batch, points, channels)."""
    borders = []
    for place, size in zip(places, sizes(x)[2:], strict=True):
        width = _as_float(size, place)
        if aligned:
            borders.append((scalar(place, 0), width - scalar(place, 1)))
        else:
            borders.append((scalar(place, -0.5), width - scalar(place, 0.5)))
    moved = []
    for place, size, (low, high) in zip(places, sizes(x)[2:], borders, strict=True):
        if kind == "nearest":
            place = ops.rint(place)
        if padding == "border":
            last = _as_float(size, place) - scalar(place, 1)
            beyond = ops.logical_or(place < low, place > high)
            place = where(beyond, ops.minimum(ops.maximum(place, scalar(place, 0)), last), place)
        elif padding == "reflection":
            beyond = ops.logical_or(place < low, place > high)
            place = where(beyond, _reflected(place, low, high), place)
        moved.append(place)
    if kind == "nearest":
        return _pixels(x, [ops.cast(ops.cast(p, int64), p.dtype) for p in moved], padding, borders)
    clamp = "border" if padding == "border" else padding
    return _summed(x, moved, kind, clamp, borders, [], None)


def _summed(
    x: Tensor, places: Sequence[Tensor], kind: str, padding: str, borders: Sequence[tuple[Tensor, Tensor]],
    chosen: list[Tensor], weight: Tensor | None,
) -> Tensor:  # fmt: skip
    """The sum over the neighbours in every dimension."""
    if len(chosen) == len(places):
        assert weight is not None
        return _pixels(x, chosen, padding, borders) * ops.expand_dims(weight, 2)
    place = places[len(chosen)]
    low = ops.floor(place)
    total: Tensor | None = None
    for offset, own in _weights(kind, place - low):
        joint = own if weight is None else weight * own
        part = _summed(x, places, kind, padding, borders, [*chosen, low + scalar(low, offset)], joint)
        total = part if total is None else total + part
    assert total is not None
    return total


def _grid_sample(n: OnnxNode) -> Tensor:
    x, grid = n.tensor(0), n.tensor(1)
    aligned = bool(n.int("align_corners", 0))
    kind = {"bilinear": "linear", "bicubic": "cubic"}.get(n.text("mode", "linear"), n.text("mode", "linear"))
    space = rank_of(x) - 2
    every, points = sizes(x), sizes(grid)[1:-1]
    places = []
    for i in range(space):
        own = reshaped(as_dtype(grid[..., space - 1 - i], x.dtype), [every[0], product(points)])
        width = _as_float(every[2 + i], own)
        one, two = scalar(own, 1), scalar(own, 2)
        places.append((own + one) / two * (width - one) if aligned else ((own + one) * width - one) / two)
    found = sampled(x, places, kind, n.text("padding_mode", "zeros"), aligned)
    return reshaped(ops.transpose(found, [0, 2, 1]), [every[0], every[1], *points])


def _affine_grid(n: OnnxNode) -> Tensor:
    theta, shape = n.tensor(0), n.known_ints(1)
    space = shape[2:]
    aligned = bool(n.int("align_corners", 0))
    lines = []
    bounded(*space, len(space) + 1)
    for size in space:
        step = 2.0 / max(size - 1, 1) if aligned else 2.0 / size
        lines.append((-1.0 if aligned else -1.0 + step / 2) + step * np.arange(size))
    grids = np.meshgrid(*lines, indexing="ij")
    flat = np.stack([*[g.reshape(-1) for g in reversed(grids)], np.ones(int(np.prod(space)))])
    made = ops.matmul(theta, ops.constant(flat.astype(theta.dtype.np)))
    return reshaped(ops.transpose(made, [0, 2, 1]), [shape[0], *space, len(space)])


def _deform_conv(n: OnnxNode) -> Tensor:
    """A convolution each of whose taps is moved by an offset of its own."""
    x, w, offset = n.tensor(0), n.tensor(1), n.tensor(2)
    window = window_of(n, x, kernel_of(n, w))
    groups, offset_groups = n.int("group", 1), n.int("offset_group", 1)
    if rank_of(x) != 4:
        raise UnsupportedOnnx("it moves over other than two dimensions")
    batch, channels, _, _ = sizes(x)
    _, _, out_h, out_w = sizes(offset)
    if not (isinstance(channels, int) and isinstance(out_h, int) and isinstance(out_w, int)):
        raise UnsupportedOnnx("the sizes of its image are not known before a run")
    kh, kw = window.kernel
    taps = kh * kw
    moved = reshaped(offset, [batch, offset_groups, taps, 2, out_h * out_w])
    mask = reshaped(n.tensor(4), [batch, offset_groups, taps, out_h * out_w, 1]) if n.has(4) else None
    per_group = channels // offset_groups
    bounded(offset_groups, taps, 64)
    bounded(out_h, out_w)
    columns = []
    for g in range(offset_groups):
        part = x[:, g * per_group : (g + 1) * per_group]
        seen = []
        for tap in range(taps):
            i, j = divmod(tap, kw)
            rows_at = np.arange(out_h) * window.strides[0] - window.pads[0][0] + i * window.dilations[0]
            columns_at = np.arange(out_w) * window.strides[1] - window.pads[1][0] + j * window.dilations[1]
            base_h, base_w = np.repeat(rows_at, out_w), np.tile(columns_at, out_h)
            places = [moved[:, g, tap, 0] + constant(base_h[None], x.dtype), moved[:, g, tap, 1] +
                      constant(base_w[None], x.dtype)]  # fmt: skip
            found = sampled(part, places, "linear", "zeros", True)
            seen.append(found if mask is None else found * mask[:, g, tap])
        columns.append(ops.stack(seen, axis=3))  # (batch, points, channels, taps)
    every = ops.concat(2, columns) if len(columns) > 1 else columns[0]
    made = []
    own, filters = channels // groups, ops.split(0, groups, w) if groups > 1 else [w]
    for g, kernel in enumerate(filters):
        rows = reshaped(every[:, :, g * own : (g + 1) * own], [batch, out_h * out_w, own * taps])
        flat = ops.transpose(reshaped(kernel, [sizes(kernel)[0], own * taps]))
        made.append(ops.matmul(ops.reshape(rows, vector([-1, own * taps])), flat))
    joined = ops.concat(1, made) if len(made) > 1 else made[0]
    y = reshaped(ops.transpose(reshaped(joined, [batch, out_h * out_w, sizes(w)[0]]), [0, 2, 1]),
                 [batch, sizes(w)[0], out_h, out_w])  # fmt: skip
    return y + channels_first(n.tensor(3), 4) if n.has(3) else y


def _roi_align(n: OnnxNode) -> Tensor:
    """Each box cut into cells; a cell is the average, or the largest part, of samples in it."""
    x, rois, images = n.tensor(0), n.tensor(1), ops.cast(n.tensor(2), int64)
    usual = "output_half_pixel" if n.opset < 16 else "half_pixel"
    half = n.text("coordinate_transformation_mode", usual) == "half_pixel"
    rows, columns = n.int("output_height", 1), n.int("output_width", 1)
    ratio = n.int("sampling_ratio", 0)
    box = rois * scalar(rois, n.float("spatial_scale", 1.0)) - scalar(rois, 0.5 if half else 0.0)
    start_w, start_h, end_w, end_h = [box[:, i] for i in range(4)]
    width, height = end_w - start_w, end_h - start_h
    if not half:
        width, height = ops.maximum(width, scalar(width, 1)), ops.maximum(height, scalar(height, 1))
    if ratio <= 0:
        raise UnsupportedOnnx("its number of samples follows from each box (sampling_ratio 0)")
    pooled = []
    for start, size, cells, extent in ((start_h, height, rows, sizes(x)[2]), (start_w, width, columns, sizes(x)[3])):
        bounded(cells, ratio)
        steps = (np.arange(cells)[:, None] + (np.arange(ratio)[None, :] + 0.5) / ratio).reshape(1, -1) / cells
        at = ops.expand_dims(start, 1) + ops.expand_dims(size, 1) * constant(steps, x.dtype)
        pooled.append((at, _as_float(extent, at)))
    (ys, h), (xs, w) = pooled
    ny, nx = rows * ratio, columns * ratio
    count = sizes(rois)[0]
    zero = scalar(ys, 0)
    y_all = reshaped(ops.broadcast_to(ops.expand_dims(ys, 2), vector([count, ny, nx])), [count, ny * nx])
    x_all = reshaped(ops.broadcast_to(ops.expand_dims(xs, 1), vector([count, ny, nx])), [count, ny * nx])
    beyond = ops.logical_or(ops.logical_or(y_all < scalar(y_all, -1), y_all > h),
                            ops.logical_or(x_all < scalar(x_all, -1), x_all > w))  # fmt: skip
    y_in = ops.minimum(ops.maximum(y_all, zero), h - scalar(h, 1))
    x_in = ops.minimum(ops.maximum(x_all, zero), w - scalar(w, 1))
    own = ops.gather(x, images)
    borders = [(zero, h - scalar(h, 1)), (zero, w - scalar(w, 1))]
    parts = []
    for dy, wy in _weights("linear", y_in - ops.floor(y_in)):
        for dx, wx in _weights("linear", x_in - ops.floor(x_in)):
            corner = [ops.floor(y_in) + scalar(y_in, dy), ops.floor(x_in) + scalar(x_in, dx)]
            value = _pixels(own, corner, "border", borders) * ops.expand_dims(wy * wx, 2)
            parts.append(where(ops.expand_dims(beyond, 2), ops.zeros_like(value), value))
    channels = sizes(x)[1]
    shape: list[Size] = [count, rows, ratio, columns, ratio, channels]
    if n.text("mode", "avg") == "avg":
        total = parts[0] + parts[1] + parts[2] + parts[3]
        cells = ops.reduce_mean(reshaped(total, shape), [2, 4])
    else:
        best = ops.maximum(ops.maximum(parts[0], parts[1]), ops.maximum(parts[2], parts[3]))
        cells = ops.reduce_max(reshaped(best, shape), [2, 4])
    return ops.transpose(cells, [0, 3, 1, 2])


def _non_max_suppression(n: OnnxNode) -> Tensor:
    """Of boxes that overlap the ones with the best scores: for each image and class a loop that takes one at a time."""
    boxes, scores = n.tensor(0), n.tensor(1)
    batches, classes, count = sizes(scores)
    if not (isinstance(batches, int) and isinstance(classes, int)):
        raise UnsupportedOnnx("the number of its images or classes is not known before a run")
    most = ops.cast(ops.reshape(n.tensor(2), []), int64) if n.has(2) else constant(0)
    limit = ops.reshape(n.tensor(3), []) if n.has(3) else constant(0.0, float32)
    lowest = ops.reshape(n.tensor(4), []) if n.has(4) else None
    number = constant(count) if isinstance(count, int) else count
    times = ops.minimum(most, number)
    found = []
    for b in range(batches):
        corners = _corners(boxes[b], bool(n.int("center_point_box", 0)))
        for c in range(classes):
            chosen = _chosen(corners, scores[b, c], times, limit, lowest)
            head = ops.broadcast_to(constant([[b, c]]), ops.pack([ops.cast(ops.size(chosen), int64), constant(2)]))
            found.append(ops.concat(1, [head, ops.expand_dims(chosen, 1)]))
    return ops.concat(0, found) if len(found) > 1 else found[0]


def _corners(boxes: Tensor, centered: bool) -> list[Tensor]:
    """y1, x1, y2, x2 of boxes, the smaller ones first."""
    a, b, c, d = [boxes[:, i] for i in range(4)]
    if centered:  # x, y, width, height
        half = scalar(a, 0.5)
        return [b - d * half, a - c * half, b + d * half, a + c * half]
    return [ops.minimum(a, c), ops.minimum(b, d), ops.maximum(a, c), ops.maximum(b, d)]


def _chosen(corners: Sequence[Tensor], scores: Tensor, times: Tensor, limit: Tensor, lowest: Tensor | None) -> Tensor:
    """The numbers of the boxes that are kept, the best first."""
    y1, x1, y2, x2 = corners
    area = (y2 - y1) * (x2 - x1)
    low = scalar(scores, -np.inf)
    first = scores if lowest is None else where(scores > lowest, scores, low)

    def step(left: Tensor) -> list[Tensor]:
        best = ops.argmax(left, 0)
        is_there = ops.gather(left, best) > low
        tall = ops.minimum(y2, ops.gather(y2, best)) - ops.maximum(y1, ops.gather(y1, best))
        wide = ops.minimum(x2, ops.gather(x2, best)) - ops.maximum(x1, ops.gather(x1, best))
        joint = ops.maximum(tall, scalar(tall, 0)) * ops.maximum(wide, scalar(wide, 0))
        union = area + ops.gather(area, best) - joint
        overlap = joint > limit * union
        places = ops.range(constant(0), ops.cast(ops.size(left), int64))
        gone = ops.logical_or(overlap, ops.equal(places, ops.cast(best, int64)))
        return [where(gone, low, left), ops.select(is_there, ops.cast(best, int64), constant(-1))]

    _, numbers, _ = looped([first], step, times, lambda *inputs: constant(True, bool_))
    return ops.boolean_mask(numbers, numbers >= constant(0))


SAMPLING = (
    OnnxOp("AffineGrid", _affine_grid, 20),
    OnnxOp("DeformConv", _deform_conv, 19),
    OnnxOp("GridSample", _grid_sample, 16),
    OnnxOp("NonMaxSuppression", _non_max_suppression, 10),
    OnnxOp("RoiAlign", _roi_align, 10, differs="sampling_ratio 0 is not read"),
)

