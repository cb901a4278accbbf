"""Resize and Upsample: each axis for itself, as a weighted sum of the elements beside each place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_entries
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float64
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .values import as_dtype, axes_of, bounded, constant, rank_of, scalar, sizes, take, where

Coefficients = Callable[[float, float], Any]


def _nearest(mode: str) -> Coefficients:
    tests: dict[str, Callable[[float], int]] = {
        "round_prefer_floor": lambda ratio: int(ratio > 0.5),
        "round_prefer_ceil": lambda ratio: int(ratio >= 0.5),
        "floor": lambda ratio: 0,
        "ceil": lambda ratio: 1,
    }
    if mode not in tests:
        raise UnsupportedOnnx(f"its nearest_mode is {mode!r}")

    def weights(ratio: float, scale: float) -> Any:
        second = 1 if ratio == 1.0 else tests[mode](ratio)
        return np.array([1.0 - second, float(second)])

    return weights


def _linear(ratio: float, scale: float) -> Any:
    return np.array([1 - ratio, ratio])


def _linear_smooth(ratio: float, scale: float) -> Any:
    scale = min(scale, 1.0)
    start = int(np.floor(-1 / scale) + 1)
    args = (np.arange(start, start + 2 - 2 * start) - ratio) * scale
    found = np.clip(1 - np.abs(args), 0, 1)
    return found / found.sum()


def _cubic_at(x: Any, a: float) -> Any:
    """Keys' kernel."""
    x = np.abs(x)
    inner = (a + 2) * x**3 - (a + 3) * x**2 + 1
    outer = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, inner, np.where(x < 2, outer, 0.0))


def _cubic(a: float) -> Coefficients:
    return lambda ratio, scale: _cubic_at(np.array([ratio + 1, ratio, 1 - ratio, 2 - ratio]), a)


def _cubic_smooth(a: float) -> Coefficients:
    def weights(ratio: float, scale: float) -> Any:
        scale = min(scale, 1.0)
        start = int(np.floor(-2 / scale) + 1)
        found = _cubic_at(scale * (np.arange(start, 2 - start) - ratio), a)
        return found / found.sum()

    return weights


@dataclass(frozen=True, slots=True)
class _Axis:
    """How one axis is resized."""

    size: int
    out: int
    scale: float
    roi: tuple[float, float] | None


def _places(axis: _Axis, mode: str) -> Any:
    """Where each element of the result lies in the input."""
    bounded(axis.out, 64)  # each has weights of its own
    y = np.arange(axis.out, dtype=np.float64)
    width = axis.scale * axis.size
    if mode == "align_corners":
        return np.zeros(axis.out) if width == 1 else y * (axis.size - 1) / (width - 1)
    if mode == "asymmetric":
        return y / axis.scale
    if mode == "tf_crop_and_resize":
        start, end = axis.roi or (0.0, 1.0)
        if width == 1:
            return np.full(axis.out, (end - start) * (axis.size - 1) / 2) + start * (axis.size - 1)
        return y * (end - start) * (axis.size - 1) / (width - 1) + start * (axis.size - 1)
    if mode == "pytorch_half_pixel" and width == 1:
        return np.full(axis.out, -0.5)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (y + 0.5) / axis.scale - 0.5
    if mode == "half_pixel_symmetric":
        return axis.size / 2 * (1 - axis.out / width) + (y + 0.5) / axis.scale - 0.5
    raise UnsupportedOnnx(f"its coordinate_transformation_mode is {mode!r}")


def _resized(
    x: Tensor, place: int, axis: _Axis, mode: str, weights: Coefficients, exclude: bool, outside: float
) -> Tensor:
    """One axis in its new size."""
    at = _places(axis, mode)
    whole = np.floor(at)
    ratios = np.where(at == whole, 1.0, at - whole)  # the left one of two neighbours counts at a whole place
    rows = np.array([weights(float(r), axis.scale) for r in ratios]).reshape(axis.out, -1)
    n = rows.shape[1]
    frac = at - whole
    shift = (np.where(frac == 0, -(n // 2), -(n // 2) + 1) if n % 2 == 0
             else np.where(frac <= 0.5, -((n - 1) // 2), -((n - 1) // 2) + 1))  # fmt: skip
    index = (whole + shift)[:, None].astype(np.int64) + np.arange(n)
    if exclude:
        rows = np.where((index < 0) | (index >= axis.size), 0.0, rows)
        total = rows.sum(1, keepdims=True)
        rows = rows / np.where(total == 0, 1.0, total)
    index = np.clip(index, 0, axis.size - 1)
    rank = rank_of(x)
    if (np.count_nonzero(rows, 1) == 1).all() and (rows.max(1) == 1.0).all():
        found = take(x, constant(index[np.arange(axis.out), rows.argmax(1)]), place)
    else:
        shape = [1] * place + [axis.out, n] + [1] * (rank - place - 1)
        found = ops.reduce_sum(take(x, constant(index), place) * constant(rows.reshape(shape), x.dtype), [place + 1])
    if mode == "tf_crop_and_resize":
        beyond = ((at < 0) | (at > axis.size - 1)).reshape([1] * place + [axis.out] + [1] * (rank - place - 1))
        if beyond.any():
            found = where(ops.constant(beyond), scalar(found, outside), found)
    return found


def _kernel(n: OnnxNode, kind: str) -> Coefficients:
    smooth = bool(n.int("antialias", 0))
    if kind == "nearest":
        return _nearest(n.text("nearest_mode", "round_prefer_floor"))
    if kind in ("linear", "bilinear"):
        return _linear_smooth if smooth else _linear
    if kind == "cubic":
        a = n.float("cubic_coeff_a", -0.75)
        return _cubic_smooth(a) if smooth else _cubic(a)
    raise UnsupportedOnnx(f"its mode is {kind!r}")


def _resize(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    rank = rank_of(x)
    axes = axes_of(n.ints("axes", None) or range(rank), rank)
    every = sizes(x)
    old = n.opset < 11
    mode = "asymmetric" if old else n.text("coordinate_transformation_mode", "half_pixel")
    roi = None
    if not old and n.has(1) and mode == "tf_crop_and_resize":
        roi = [float(v) for v in n.known(1).reshape(-1)]
    scales_at = 1 if old else 2
    scales = None
    if n.has(scales_at) and n.tensor(scales_at).shape.raw != (0,):
        scales = [float(v) for v in n.known(scales_at).reshape(-1)]
    wanted = _wanted(n, axes) if n.has(3) and not scales else None
    found_axes = _axes(n, every, axes, scales, wanted, roi)
    kind = n.text("mode", "nearest")
    weights = _nearest("floor") if old and kind == "nearest" else _kernel(n, kind)
    y = x if kind == "nearest" else as_dtype(x, float64) if not x.dtype.is_floating or x.dtype.size == 2 else x
    for place, axis in found_axes.items():
        if math.isclose(axis.scale, 1.0) and axis.out == axis.size and axis.roi in (None, (0.0, 1.0)):
            continue
        exclude, outside = bool(n.int("exclude_outside", 0)), n.float("extrapolation_value", 0.0)
        y = _resized(y, place, axis, mode, weights, exclude, outside)
    if y.dtype is not x.dtype and not x.dtype.is_floating:
        y = ops.minimum(ops.maximum(y, scalar(y, x.dtype.min)), scalar(y, x.dtype.max))
    return ops.identity(x) if y is x else as_dtype(y, x.dtype)


def _wanted(n: OnnxNode, axes: Sequence[int]) -> list[int | None]:
    """The sizes of the result; None where it is that of the image, which need not be known."""
    entries, raw = known_entries(n.tensor(3)), n.tensor(0).shape.raw
    if not isinstance(entries, tuple) or raw is None or len(entries) != len(axes):
        return [*n.known_ints(3)]
    found: list[int | None] = []
    for entry, axis in zip(entries, axes, strict=True):
        if isinstance(entry, int):
            found.append(entry)
        elif entry is not None and entry == raw[axis]:
            found.append(None)
        else:
            return [*n.known_ints(3)]
    return found


def _axes(
    n: OnnxNode,
    every: Sequence[Any],
    axes: Sequence[int],
    scales: Sequence[float] | None,
    wanted: Sequence[int | None] | None,
    roi: Sequence[float] | None,
) -> dict[int, _Axis]:
    """How each axis is resized."""
    resized = {}
    policy = n.text("keep_aspect_ratio_policy", "stretch")
    entries = scales if scales is not None else wanted
    if entries is None or len(entries) != len(axes):
        raise GraphFormatError(f"it gives {len(entries or [])} scales or sizes for {len(axes)} axes")
    shared = None
    if wanted is not None and policy != "stretch":
        ratios = [1.0 if size is None else size / _known(every[axis]) for size, axis in zip(wanted, axes, strict=True)]
        shared = min(ratios) if policy == "not_larger" else max(ratios)
    for i, axis in enumerate(axes):
        if scales is not None and scales[i] == 1.0 and roi is None:
            continue  # its size need not be known
        if wanted is not None and wanted[i] is None and roi is None and shared is None:
            continue
        size = _known(every[axis])
        if scales is not None:
            scale, out = scales[i], int(scales[i] * size)
        elif shared is not None:
            scale, out = shared, int(shared * size + 0.5)
        else:
            out = size if wanted is None or (own_size := wanted[i]) is None else own_size
            scale = out / size if size else 1.0
        own = None if not roi else (roi[i], roi[i + len(axes)])
        resized[axis] = _Axis(size, out, scale, own)
    return resized


def _known(size: Any) -> int:
    return known_size(size, "a size that it changes is")


def _upsample(n: OnnxNode) -> Tensor:
    """The operator that Resize replaced: places are y / scale, the left neighbour counts."""
    x = n.tensor(0)
    scales = n.floats("scales", None) if n.opset < 9 else [float(v) for v in n.known(1).reshape(-1)]
    kind = n.text("mode", "nearest")
    y = x
    for place, scale in enumerate(scales or []):
        if scale != 1.0:
            size = _known(sizes(x)[place])
            axis = _Axis(size, int(size * scale), scale, None)
            y = _resized(y, place, axis, "asymmetric", _nearest("floor") if kind == "nearest" else _linear, False, 0.0)
    return ops.identity(x) if y is x else y


RESIZING = (
    OnnxOp("Resize", _resize, 10),
    OnnxOp("Upsample", _upsample, 7),
)
