"""Activations: functions of one element that networks use, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ..onnx_node import OnnxNode
from .elementwise_reads import one
from .onnx_row import OnnxOp
from .values import as_dtype, axis_of, product, rank_of, reshaped, scalar, sizes, where, widened


def _float32(function: Callable[..., Tensor]) -> Callable[[OnnxNode], Any]:
    """A rule that computes small floats as float32."""

    def read(n: OnnxNode) -> Tensor:
        x, dtype = widened(n.tensor(0))
        return as_dtype(function(n, x), dtype)

    return read


def positive(x: Tensor) -> Tensor:
    """Whether x > 0."""
    return x > scalar(x, 0)


def elu(x: Tensor, alpha: float) -> Tensor:
    """x where it is positive, else alpha (exp(x) - 1)."""
    return where(positive(x), x, scalar(x, alpha) * ops.expm1(ops.minimum(x, scalar(x, 0))))


def gelu(x: Tensor, tanh: bool) -> Tensor:
    """x Φ(x), or its approximation by tanh."""
    half, one = scalar(x, 0.5), scalar(x, 1)
    if tanh:
        inner = scalar(x, np.sqrt(2 / np.pi)) * (x + scalar(x, 0.044715) * x * x * x)
        return half * x * (one + ops.tanh(inner))
    return half * x * (one + ops.erf(x / scalar(x, np.sqrt(2.0))))


def hard_sigmoid(x: Tensor, alpha: float, beta: float) -> Tensor:
    """alpha x + beta, between 0 and 1."""
    return ops.maximum(scalar(x, 0), ops.minimum(scalar(x, 1), scalar(x, alpha) * x + scalar(x, beta)))


def _celu(n: OnnxNode, x: Tensor) -> Tensor:
    alpha = n.float("alpha", 1.0)
    zero = scalar(x, 0)
    return ops.maximum(zero, x) + ops.minimum(zero, scalar(x, alpha) * ops.expm1(x / scalar(x, alpha)))


def _leaky(n: OnnxNode, x: Tensor) -> Tensor:
    return where(x < scalar(x, 0), scalar(x, n.float("alpha", 0.01)) * x, x)


def _selu(n: OnnxNode, x: Tensor) -> Tensor:
    alpha, gamma = n.float("alpha", 1.6732632423543772), n.float("gamma", 1.0507009873554805)
    return scalar(x, gamma) * elu(x, alpha)


def _prelu(n: OnnxNode) -> Tensor:
    x, slope = n.tensor(0), n.tensor(1)
    if n.opset < 7 and rank_of(slope) == 1 and rank_of(x) > 1:  # one number for each channel
        slope = ops.reshape(slope, [1, -1, *[1] * (rank_of(x) - 2)])
    return where(x < scalar(x, 0), slope * x, x)


def _shrink(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    limit, bias = scalar(x, n.float("lambd", 0.5)), scalar(x, n.float("bias", 0.0))
    return where(x < -limit, x + bias, where(x > limit, x - bias, ops.zeros_like(x)))


def _swish(n: OnnxNode, x: Tensor) -> Tensor:
    return x * ops.sigmoid(scalar(x, n.float("alpha", 1.0)) * x)


def _thresholded(n: OnnxNode, x: Tensor) -> Tensor:
    return where(x > scalar(x, n.float("alpha", 1.0)), x, ops.zeros_like(x))


def _swiglu(n: OnnxNode) -> Tensor:
    """The first tensor times its sigmoid, times the second."""
    (gate, dtype), value = widened(n.tensor(0)), n.tensor(1)
    weight = as_dtype(ops.sigmoid(scalar(gate, n.float("alpha", 1.0)) * gate), dtype)
    return n.tensor(0) * weight * value


def _softmax_like(function: Callable[[Tensor, int], Tensor], n: OnnxNode) -> Tensor:
    """Since opset 13 along one axis; before, over all from the axis on, laid out as one."""
    x, dtype = widened(n.tensor(0))
    rank = rank_of(x)
    axis = axis_of(n.int("axis", -1 if n.opset >= 13 else 1), max(rank, 1))
    if n.opset >= 13 or axis == rank - 1:
        return as_dtype(function(x, axis), dtype)
    every = sizes(x)
    flat = reshaped(x, [product(every[:axis]), product(every[axis:])])
    return as_dtype(ops.reshape(function(flat, 1), ops.shape(x)), dtype)


def _hardmax(x: Tensor, axis: int) -> Tensor:
    if 0 in (x.shape.raw or ()):
        return ops.identity(x)
    place = axis if axis < rank_of(x) - 1 else -1
    return ops.one_hot(ops.argmax(x, axis), sizes_at(x, axis), scalar(x, 1), scalar(x, 0), place)


def sizes_at(x: Tensor, axis: int) -> Any:
    """The size of one axis, as an int32 for `one_hot`."""
    size = sizes(x)[axis]
    return size if isinstance(size, int) else ops.to_int32(size)


ACTIVATIONS = (
    OnnxOp("Celu", _float32(_celu), 12),
    OnnxOp("Elu", _float32(lambda n, x: elu(x, n.float("alpha", 1.0))), 6),
    OnnxOp("Gelu", _float32(lambda n, x: gelu(x, n.text("approximate", "none") == "tanh")), 20),
    OnnxOp("HardSigmoid", _float32(lambda n, x: hard_sigmoid(x, n.float("alpha", 0.2), n.float("beta", 0.5))), 6),
    OnnxOp("HardSwish", _float32(lambda n, x: x * hard_sigmoid(x, 1 / 6, 0.5)), 14),
    OnnxOp("Hardmax", lambda n: _softmax_like(_hardmax, n)),
    OnnxOp("LeakyRelu", _float32(_leaky), 6),
    OnnxOp("LogSoftmax", lambda n: _softmax_like(ops.log_softmax, n)),
    OnnxOp("Mish", _float32(lambda n, x: x * ops.tanh(ops.softplus(x))), 18),
    OnnxOp("PRelu", _prelu, 6),
    OnnxOp("Relu", one(ops.relu), 6),
    OnnxOp("Selu", _float32(_selu), 6),
    OnnxOp("Shrink", _shrink, 9),
    OnnxOp("Sigmoid", one(ops.sigmoid), 6),
    OnnxOp("Softmax", lambda n: _softmax_like(ops.softmax, n)),
    OnnxOp("Softplus", _float32(lambda n, x: ops.softplus(x))),
    OnnxOp("Softsign", _float32(lambda n, x: x / (scalar(x, 1) + ops.abs(x)))),
    OnnxOp("SwiGLU", _swiglu, 27),
    OnnxOp("Swish", _float32(_swish), 24),
    OnnxOp("Tanh", one(ops.tanh)),
    OnnxOp("ThresholdedRelu", _float32(_thresholded), 10),
)
