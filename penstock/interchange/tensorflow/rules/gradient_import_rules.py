"""Import rules of nodes that TensorFlow's gradients consist of: derivatives of functions times a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType, int32
from ..foreign_node import ForeignNode
from ..import_scope import Made
from ..wire.tensor_proto import Unsupported


def _number(s: ForeignNode, label: str, value: float, dtype: DType) -> Tensor:
    return s.constant(label, np.array(value, dtype.np))


def _helper(s: ForeignNode, label: str, type: str, *args: Any) -> Tensor:
    return s.helper(label, type, *args)[0]


def _tanh(s: ForeignNode) -> Operation:
    """g * (1 - y * y)"""
    y, g = s.take(2)
    rest = _helper(s, "rest", "Sub", _number(s, "one", 1, y.dtype), _helper(s, "square", "Square", y))
    return s.add("Mul", g, rest)


def _sigmoid(s: ForeignNode) -> Operation:
    """g * y * (1 - y)"""
    y, g = s.take(2)
    rest = _helper(s, "rest", "Sub", _number(s, "one", 1, y.dtype), y)
    return s.add("Mul", _helper(s, "product", "Mul", g, y), rest)


def _reciprocal(s: ForeignNode) -> Operation:
    """-g * y * y"""
    y, g = s.take(2)
    return s.add("Mul", _helper(s, "minus", "Neg", g), _helper(s, "square", "Square", y))


def _sqrt(s: ForeignNode) -> Operation:
    """g * 0.5 / y"""
    y, g = s.take(2)
    return s.add("RealDiv", _helper(s, "product", "Mul", g, _number(s, "half", 0.5, y.dtype)), y)


def _rsqrt(s: ForeignNode) -> Operation:
    """g * -0.5 * y ** 3"""
    y, g = s.take(2)
    cube = _helper(s, "cube", "Mul", _helper(s, "square", "Square", y), y)
    return s.add("Mul", _helper(s, "product", "Mul", g, _number(s, "half", -0.5, y.dtype)), cube)


def _softplus(s: ForeignNode) -> Operation:
    """g * sigmoid(x)"""
    g, x = s.take(2)
    return s.add("Mul", g, _helper(s, "sigmoid", "Sigmoid", x))


def _rectified(bend: float, slope: float) -> Callable[[ForeignNode], Operation]:
    """g * slope where y >= 0, else g * (y + bend): of elu and selu, whose outputs are y."""

    def read(s: ForeignNode) -> Operation:
        g, y = s.take(2)
        is_low = _helper(s, "low", "Less", y, _number(s, "zero", 0, y.dtype))
        low = _helper(s, "product", "Mul", g, _helper(s, "sum", "Add", y, _number(s, "bend", bend, y.dtype)))
        return s.add("Select", is_low, low, _helper(s, "slope", "Mul", g, _number(s, "factor", slope, y.dtype)))

    return read


def _softsign(s: ForeignNode) -> Operation:
    """g / (1 + |x|) ** 2"""
    g, x = s.take(2)
    whole = _helper(s, "sum", "Add", _helper(s, "abs", "Abs", x), _number(s, "one", 1, x.dtype))
    return s.add("RealDiv", g, _helper(s, "square", "Square", whole))


def _bias_add(s: ForeignNode) -> Operation:
    (g,) = s.take(1)
    if s.attr("data_format", "s", b"NHWC") != b"NHWC" or g.shape.ndims is None:
        raise Unsupported("its channels are not the last dimension, or its rank is not known")
    axes = s.constant("axes", np.arange(g.shape.ndims - 1, dtype=np.int32))
    return s.add("Sum", g, axes, False)


def _shapes(s: ForeignNode) -> Made:
    if s.attr("out_type", "type", int32) is not int32:
        raise Unsupported("its out_type is not int32")
    found = [s.helper(f"shape_{i}", "Shape", tensor)[0] for i, tensor in enumerate(s.inputs)]
    op = s.add("IdentityN", tuple(found))
    return Made(op, tuple(op.outputs))


def _concat_offset(s: ForeignNode) -> Made:
    """The place of each part of a concatenation: zeros, and along the axis what the parts before it have together."""
    axis, *shapes = s.inputs
    zero = _helper(s, "zeros", "ZerosLike", shapes[0], None)
    rank = _helper(s, "rank", "Size", shapes[0])
    on, off = _number(s, "on", 1, int32), _number(s, "off", 0, int32)
    depth = _helper(s, "along", "OneHot", axis, rank, on, off, -1, int32)
    found, before = [zero], shapes[0]
    for number, shape in enumerate(shapes[1:], 1):
        found.append(_helper(s, f"offset_{number}", "Mul", before, depth))
        before = _helper(s, f"sum_{number}", "Add", before, shape)
    op = s.add("IdentityN", tuple(found))
    return Made(op, tuple(op.outputs))


OF_GRADIENTS: dict[str, Callable[[ForeignNode], Any]] = {
    "BiasAddGrad": _bias_add,
    "ConcatOffset": _concat_offset,
    "EluGrad": _rectified(1.0, 1.0),
    "InvGrad": _reciprocal,
    "ReciprocalGrad": _reciprocal,
    "RsqrtGrad": _rsqrt,
    "SeluGrad": _rectified(1.7580993408473766, 1.0507009873554805),
    "ShapeN": _shapes,
    "SigmoidGrad": _sigmoid,
    "SoftplusGrad": _softplus,
    "SoftsignGrad": _softsign,
    "SqrtGrad": _sqrt,
    "TanhGrad": _tanh,
}
"""TensorFlow's node -> the rule that reads it."""
