"""Operators that compute element by element: arithmetic, comparisons, logic, bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float64, int32, int64
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .values import rank_of, scalar, where, where_scalar


def one(function: Callable[[Tensor], Any]) -> Callable[[OnnxNode], Any]:
    """A rule for an operator of one tensor."""
    return lambda n: function(n.tensor(0))


def two(function: Callable[[Tensor, Tensor], Any]) -> Callable[[OnnxNode], Any]:
    """A rule for an operator of two tensors, which broadcast; before opset 7 an attribute said how."""

    def read(n: OnnxNode) -> Any:
        x, y = n.tensor(0), n.tensor(1)
        if n.opset < 7 and n.scope.opsets.get("", 1) < 7 and n.int("broadcast", 0) and "axis" in n.attributes:
            axis = n.int("axis") % max(rank_of(x), 1)
            y = ops.reshape(y, ops.concat(0, [ops.shape(y), np.ones(rank_of(x) - axis - rank_of(y), np.int32)]))
        return function(x, y)

    return read


def tensors_to(function: Callable[..., Any]) -> Callable[[OnnxNode], Any]:
    """A rule for an operator that is a function of its tensors."""
    return lambda n: function(*n.tensors())


def many(function: Callable[[Tensor, Tensor], Any]) -> Callable[[OnnxNode], Any]:
    """A rule for an operator of any number of tensors."""
    return lambda n: reduce(function, n.tensors())


def _divide(x: Tensor, y: Tensor) -> Tensor:
    """ONNX divides ints towards zero."""
    if x.dtype.is_floating or x.dtype.is_complex:
        return ops.divide(x, y)
    if x.dtype.is_unsigned:
        return ops.floordiv(x, y)
    quotient = ops.floordiv(x, y)
    inexact = ops.not_equal(quotient * y, x)
    negative = ops.not_equal(x < scalar(x, 0), y < scalar(y, 0))
    return quotient + ops.cast(ops.logical_and(inexact, negative), x.dtype)


def _mod(n: OnnxNode) -> Tensor:
    """The sign of the divisor; with fmod that of the dividend."""
    x, y = n.tensor(0), n.tensor(1)
    if not n.int("fmod", 0):
        return ops.floormod(x, y)
    if not x.dtype.is_floating:
        return x - _divide(x, y) * y
    rest = ops.floormod(ops.abs(x), ops.abs(y))
    return where(x < scalar(x, 0), -rest, rest)


def _pow(n: OnnxNode) -> Tensor:
    """The result has the dtype of the base, whatever the exponent's is."""
    x, y = n.tensor(0), n.tensor(1)
    if x.dtype is y.dtype and (x.dtype.is_floating):
        return ops.pow(x, y)
    if x.dtype.is_floating and y.dtype.is_integer:
        return ops.pow(x, ops.cast(y, x.dtype))
    wide = float64
    return ops.cast(ops.pow(ops.cast(x, wide), ops.cast(y, wide)), x.dtype)


def _mean(n: OnnxNode) -> Tensor:
    total = reduce(ops.add, n.tensors())
    return total / scalar(total, len(n.inputs))


def _clip(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    if n.opset < 11:
        low: Tensor | None = scalar(x, n.float("min", np.finfo(np.float32).min)) if "min" in n.attributes else None
        high: Tensor | None = scalar(x, n.float("max")) if "max" in n.attributes else None
    else:
        low, high = n.optional(1), n.optional(2)
    found = x if low is None else ops.maximum(x, low)
    found = found if high is None else ops.minimum(found, high)
    return ops.identity(found) if found is x else found


def _round(x: Tensor) -> Tensor:
    """Halves go to the even neighbour."""
    return ops.rint(x) if x.dtype.is_floating else x


def _sign(x: Tensor) -> Tensor:
    if x.dtype.is_unsigned:
        return ops.cast(ops.not_equal(x, scalar(x, 0)), x.dtype)
    return ops.sign(x)


def _abs(x: Tensor) -> Tensor:
    return ops.identity(x) if x.dtype.is_unsigned else ops.abs(x)


def _is_inf(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    found = ops.is_inf(x)
    if not n.int("detect_negative", 1):
        found = ops.logical_and(found, x > scalar(x, 0))
    if not n.int("detect_positive", 1):
        found = ops.logical_and(found, x < scalar(x, 0))
    return found


def _compare(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[OnnxNode], Any]:
    def apply(x: Tensor, y: Tensor) -> Tensor:
        if x.dtype is bool_:
            x, y = ops.cast(x, int32), ops.cast(y, int32)
        return function(x, y)

    return two(apply)


def _bit_shift(n: OnnxNode) -> Tensor:
    """A shift by more than the width, or a negative one, gives 0; ints with a sign keep it when shifted right."""
    x, y = n.tensor(0), n.tensor(1)
    bits = 8 * x.dtype.size
    outside = y >= scalar(y, bits)
    if not y.dtype.is_unsigned:
        outside = ops.logical_or(outside, y < scalar(y, 0))
    powers = np.array([(1 << i) & ((1 << bits) - 1) for i in range(bits)], np.uint64).astype(f"u{x.dtype.size}")
    safe = where_scalar(outside, 0, y)
    factor = ops.gather(ops.constant(powers.view(x.dtype.np)), ops.cast(safe, int64))
    if n.text("direction") == "LEFT":
        return where_scalar(outside, 0, x * factor)
    if x.dtype.is_unsigned:
        return where_scalar(outside, 0, ops.floordiv(x, factor))
    positive = np.array([1 << min(i, bits - 2) for i in range(bits)], x.dtype.np)
    by = ops.gather(ops.constant(positive), ops.cast(safe, int64))
    found = ops.floordiv(x, by)
    found = where(ops.equal(safe, scalar(safe, bits - 1)), ops.floordiv(found, scalar(found, 2)), found)
    filled = where(x < scalar(x, 0), scalar(x, -1), scalar(x, 0))
    return where(outside, filled, found)


def _cum(function: Callable[..., Tensor]) -> Callable[[OnnxNode], Any]:
    def read(n: OnnxNode) -> Tensor:
        axis = n.tensor(1)
        axis = ops.reshape(axis, [])
        return function(n.tensor(0), axis, bool(n.int("exclusive", 0)), bool(n.int("reverse", 0)))

    return read


ELEMENTWISE = (
    OnnxOp("Abs", one(_abs)),
    OnnxOp("Acos", one(ops.acos), 7),
    OnnxOp("Acosh", one(ops.acosh), 9),
    OnnxOp("Add", two(ops.add)),
    OnnxOp("And", two(ops.logical_and)),
    OnnxOp("Asin", one(ops.asin), 7),
    OnnxOp("Asinh", one(ops.asinh), 9),
    OnnxOp("Atan", one(ops.atan), 7),
    OnnxOp("Atanh", one(ops.atanh), 9),
    OnnxOp("BitShift", _bit_shift, 11),
    OnnxOp("BitwiseAnd", two(ops.bitwise_and), 18),
    OnnxOp("BitwiseNot", one(ops.invert), 18),
    OnnxOp("BitwiseOr", two(ops.bitwise_or), 18),
    OnnxOp("BitwiseXor", two(ops.bitwise_xor), 18),
    OnnxOp("Ceil", one(ops.ceil)),
    OnnxOp("Clip", _clip, 6),
    OnnxOp("Cos", one(ops.cos), 7),
    OnnxOp("Cosh", one(ops.cosh), 9),
    OnnxOp("CumProd", _cum(ops.cumprod), 26),
    OnnxOp("CumSum", _cum(ops.cumsum), 11),
    OnnxOp("Div", two(_divide)),
    OnnxOp("Equal", two(ops.equal)),
    OnnxOp("Erf", one(ops.erf), 9),
    OnnxOp("Exp", one(ops.exp)),
    OnnxOp("Floor", one(ops.floor)),
    OnnxOp("Greater", _compare(ops.greater)),
    OnnxOp("GreaterOrEqual", _compare(ops.greater_equal), 12),
    OnnxOp("IsInf", _is_inf, 10),
    OnnxOp("IsNaN", one(ops.is_nan), 9),
    OnnxOp("Less", _compare(ops.less)),
    OnnxOp("LessOrEqual", _compare(ops.less_equal), 12),
    OnnxOp("Log", one(ops.log)),
    OnnxOp("Max", many(ops.maximum)),
    OnnxOp("Mean", _mean),
    OnnxOp("Min", many(ops.minimum)),
    OnnxOp("Mod", _mod, 10),
    OnnxOp("Mul", two(ops.multiply)),
    OnnxOp("Neg", one(ops.neg)),
    OnnxOp("Not", one(ops.logical_not)),
    OnnxOp("Or", two(ops.logical_or)),
    OnnxOp("Pow", _pow),
    OnnxOp("Reciprocal", one(ops.reciprocal)),
    OnnxOp("Round", one(_round), 11),
    OnnxOp("Sign", one(_sign), 9),
    OnnxOp("Sin", one(ops.sin), 7),
    OnnxOp("Sinh", one(ops.sinh), 9),
    OnnxOp("Sqrt", one(ops.sqrt)),
    OnnxOp("Sub", two(ops.subtract)),
    OnnxOp("Sum", many(ops.add)),
    OnnxOp("Tan", one(ops.tan), 7),
    OnnxOp("Where", tensors_to(where), 9),
    OnnxOp("Xor", two(ops.logical_xor)),
)
