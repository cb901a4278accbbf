"""Fourier transforms, windows of signals and mel weights. A transform is a product with its matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float64, int64
from ..onnx_errors import known_size
from ..onnx_node import OnnxNode
from ..wire.onnx_types import dtype_of
from .onnx_row import OnnxOp
from .values import as_dtype, axis_of, bounded, constant, rank_of, sizes, take


def _times(x: Tensor, matrix: Any, axis: int) -> Tensor:
    """The product of a matrix with every vector along an axis."""
    rank = rank_of(x)
    order = [*[i for i in range(rank) if i != axis], axis]
    rows = ops.transpose(x, order)
    made = ops.matmul(rows, constant(np.ascontiguousarray(matrix.T), x.dtype)) if rank > 1 else ops.squeeze(
        ops.matmul(ops.expand_dims(rows, 0), constant(np.ascontiguousarray(matrix.T), x.dtype)), [0])  # fmt: skip
    return ops.transpose(made, [order.index(i) for i in range(rank)])


def _fitted(x: Tensor, axis: int, length: int) -> Tensor:
    """Cut, or padded with zeros, to a length."""
    size = known_size(sizes(x)[axis], "the length of its signal is")
    if size >= length:
        return x[(*[slice(None)] * axis, slice(0, length))] if size > length else x
    return ops.pad(x, [[0, length - size if i == axis else 0] for i in range(rank_of(x))])


def transformed(x: Tensor, axis: int, length: int, inverse: bool, onesided: bool) -> Tensor:
    """x: [..., 1] of real numbers, or [..., 2] of real and imaginary parts; the result has both."""
    parts = sizes(x)[-1]
    wide = as_dtype(x, float64)
    real = _part(wide, 0)
    imaginary = _part(wide, 1) if parts == 2 else None
    if inverse and onesided:
        return as_dtype(ops.expand_dims(_real_inverse(real, imaginary, axis, length), -1), x.dtype)
    real = _fitted(real, axis, length)
    imaginary = None if imaginary is None else _fitted(imaginary, axis, length)
    count = length // 2 + 1 if onesided else length
    bounded(count, length)
    angles = 2 * np.pi * np.outer(np.arange(count), np.arange(length)) / length * (1 if inverse else -1)
    cos, sin = np.cos(angles), np.sin(angles)
    if inverse:
        cos, sin = cos / length, sin / length
    out_real, out_imaginary = _times(real, cos, axis), _times(real, sin, axis)
    if imaginary is not None:
        out_real = out_real - _times(imaginary, sin, axis)
        out_imaginary = out_imaginary + _times(imaginary, cos, axis)
    return as_dtype(ops.stack([out_real, out_imaginary], axis=rank_of(x) - 1), x.dtype)


def _part(x: Tensor, which: int) -> Tensor:
    return x[..., which]


def _real_inverse(real: Tensor, imaginary: Tensor | None, axis: int, length: int) -> Tensor:
    """The real signal whose first half of frequencies is given."""
    count = length // 2 + 1
    bounded(length, count)
    real = _fitted(real, axis, count)
    angles = 2 * np.pi * np.outer(np.arange(length), np.arange(count)) / length
    weight = np.full(count, 2.0)
    weight[0] = 1.0
    if length % 2 == 0:
        weight[-1] = 1.0
    found = _times(real, np.cos(angles) * weight / length, axis)
    if imaginary is not None:
        found = found - _times(_fitted(imaginary, axis, count), np.sin(angles) * weight / length, axis)
    return found


def _dft(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    rank = rank_of(x)
    if n.opset >= 20:
        axis = n.known_ints(2)[0] if n.has(2) else -2
    else:
        axis = n.int("axis", 1)
    axis = axis_of(axis, rank)
    inverse, onesided = bool(n.int("inverse", 0)), bool(n.int("onesided", 0))
    if n.has(1):
        length = n.known_ints(1)[0]
    else:
        size = known_size(sizes(x)[axis], "the length of its signal is")
        length = 2 * (size - 1) if inverse and onesided else size
    return transformed(x, axis, length, inverse, onesided)


def _stft(n: OnnxNode) -> Tensor:
    """Frames of a signal, each times a window and transformed."""
    signal, step = n.tensor(0), n.known_ints(1)[0]
    window = n.optional(2)
    length = n.known_ints(3)[0] if n.has(3) else None
    total = sizes(signal)[1]
    if window is not None and length is None:
        own = sizes(window)[0]
        length = own if isinstance(own, int) else None
    total = known_size(total, "the length of its signal is")
    length = total if length is None else length
    count = 1 + (total - length) // step
    bounded(count, length)
    places = np.arange(count)[:, None] * step + np.arange(length)
    x = signal if rank_of(signal) == 3 else ops.expand_dims(signal, 2)
    frames = take(x, constant(places), 1)
    if window is not None:
        frames = frames * ops.reshape(as_dtype(window, x.dtype), [1, 1, length, 1])
    return transformed(frames, 2, length, False, bool(n.int("onesided", 1)))


def _window(terms: Sequence[float]) -> Any:
    """A sum of cosines of multiples of the place."""

    def read(n: OnnxNode) -> Tensor:
        size = ops.cast(ops.reshape(n.tensor(0), []), int64)
        places = ops.cast(ops.range(constant(0), size), float64)
        period = ops.cast(size if n.int("periodic", 1) else size - constant(1), float64)
        angle = places * constant(2 * np.pi, float64) / period
        total = ops.zeros_like(angle) + constant(terms[0], float64)
        for i, term in enumerate(terms[1:], 1):
            total = total + constant(term, float64) * ops.cos(angle * constant(float(i), float64))
        return ops.cast(total, dtype_of(n.int("output_datatype", 1)))

    return read


def _mel(n: OnnxNode) -> Tensor:
    """Weights from linear frequencies to mel bands."""
    bins, length, rate = [n.known_ints(i)[0] for i in range(3)]
    low, high = [float(n.known(i).reshape(-1)[0]) for i in (3, 4)]
    mel_low, mel_high = [2595 * np.log1p(edge / 700) / np.log(10) for edge in (low, high)]
    bounded(length // 2 + 1, bins + 2)
    edges = np.arange(bins + 2) * ((mel_high - mel_low) / (bins + 2)) + mel_low
    hertz = 700 * np.expm1(edges / 2595 * np.log(10))
    places = (((length + 1) * hertz) // rate).astype(int)
    made = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        left, centre, right = places[i : i + 3]
        if centre == left:
            made[centre, i] = 1
        else:
            made[left : centre + 1, i] = (np.arange(left, centre + 1) - left) / (centre - left)
        if right > centre:
            made[centre:right, i] = (right - np.arange(centre, right)) / (right - centre)
    return constant(made, dtype_of(n.int("output_datatype", 1)))


SIGNALS = (
    OnnxOp("BlackmanWindow", _window((0.42, -0.5, 0.08)), 17),
    OnnxOp("DFT", _dft, 17, differs="a product with the transform's matrix: n squared for a signal of n"),
    OnnxOp("HammingWindow", _window((25 / 46, -21 / 46)), 17),
    OnnxOp("HannWindow", _window((0.5, -0.5)), 17),
    OnnxOp("MelWeightMatrix", _mel, 17),
    OnnxOp("STFT", _stft, 17, differs="as DFT"),
)
