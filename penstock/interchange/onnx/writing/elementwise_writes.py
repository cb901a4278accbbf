"""Operations that compute element by element, as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import bool_, float32, int32
from .onnx_writer import NotWritten, OnnxWriter, number_of

WriteRule = Callable[[OnnxWriter, Operation], Any]
"""Adds the nodes of an operation; the name of its result, or a list of names."""


def of_real_numbers(rules: dict[str, WriteRule]) -> dict[str, WriteRule]:
    """The rules, but with complex operands refused: ONNX's operators take none."""

    def refusing(rule: WriteRule) -> WriteRule:
        def write(w: OnnxWriter, op: Operation) -> Any:
            if any(t.dtype.is_complex for t in (*op.inputs, *op.outputs)):
                raise NotWritten("ONNX's operators take no complex numbers; write the real and imaginary parts")
            return rule(w, op)

        return write

    return {type: refusing(rule) for type, rule in rules.items()}


def direct(name: str, domain: str = "") -> WriteRule:
    """The node of that name, with the same inputs."""
    return lambda w, op: w.node(name, [w.ref(t) for t in op.inputs], domain=domain)


def _add(w: OnnxWriter, op: Operation) -> str:
    x, y = op.inputs
    if x.dtype.is_string:
        return w.node("StringConcat", [w.ref(x), w.ref(y)])
    return w.node("Add", [w.ref(x), w.ref(y)])


def _add_n(w: OnnxWriter, op: Operation) -> str:
    total = w.ref(op.inputs[0])
    for t in op.inputs[1:]:
        total = w.node("Add", [total, w.ref(t)])
    return total if len(op.inputs) > 1 else w.node("Identity", [total])


def _floor_div(w: OnnxWriter, op: Operation) -> str:
    """ONNX divides ints towards zero."""
    x, y = op.inputs
    a, b = w.ref(x), w.ref(y)
    if x.dtype.is_floating:
        return w.node("Floor", [w.node("Div", [a, b])])
    if x.dtype.is_unsigned:
        return w.node("Div", [a, b])
    quotient = w.node("Div", [a, b])
    zero = w.like(x, 0)
    inexact = w.node("Not", [w.node("Equal", [w.node("Mul", [quotient, b]), a])])
    differ = w.node("Xor", [w.node("Less", [a, zero]), w.node("Less", [b, zero])])
    return w.node("Sub", [quotient, w.cast(w.node("And", [inexact, differ]), x.dtype)])


def _floor_mod(w: OnnxWriter, op: Operation) -> str:
    x, y = op.inputs
    a, b = w.ref(x), w.ref(y)
    if x.dtype.is_integer:
        return w.node("Mod", [a, b])
    rest, zero = w.node("Mod", [a, b], fmod=1), w.like(x, 0)
    has_rest = w.node("Not", [w.node("Equal", [rest, zero])])
    differ = w.node("Xor", [w.node("Less", [rest, zero]), w.node("Less", [b, zero])])
    return w.node("Where", [w.node("And", [has_rest, differ]), w.node("Add", [rest, b]), rest])


def _square(w: OnnxWriter, op: Operation) -> str:
    x = w.ref(op.inputs[0])
    return w.node("Mul", [x, x])


def _squared_difference(w: OnnxWriter, op: Operation) -> str:
    d = w.node("Sub", [w.ref(t) for t in op.inputs])
    return w.node("Mul", [d, d])


def _rsqrt(w: OnnxWriter, op: Operation) -> str:
    return w.node("Reciprocal", [w.node("Sqrt", [w.ref(op.inputs[0])])])


def _expm1(w: OnnxWriter, op: Operation) -> str:
    """exp(x) - 1 loses digits near 0; exp(x/2) sinh(x/2) 2 does not."""
    (x,) = op.inputs
    half = w.node("Mul", [w.ref(x), w.like(x, 0.5)])
    found = w.node("Mul", [w.node("Mul", [w.node("Exp", [half]), w.node("Sinh", [half])]), w.like(x, 2)])
    low = w.node("Less", [w.ref(x), w.like(x, -30.0)])  # sinh would be infinite long before exp is 0
    return w.node("Where", [low, w.like(x, -1), found])


def _log1p(w: OnnxWriter, op: Operation) -> str:
    """log(u) x / (u - 1) with u = 1 + x keeps the digits near 0 (Higham)."""
    (x,) = op.inputs
    one = w.like(x, 1)
    u = w.node("Add", [w.ref(x), one])
    apart = w.node("Sub", [u, one])
    same = w.node("Equal", [apart, w.like(x, 0)])
    far = w.node("IsInf", [w.cast(u, float32)] if x.dtype.size == 2 else [u])
    safe = w.node("Where", [w.node("Or", [same, far]), one, apart])
    ratio = w.node("Div", [w.node("Where", [far, one, w.ref(x)]), safe])
    return w.node("Where", [same, w.ref(x), w.node("Mul", [w.node("Log", [u]), ratio])])


def _no_nan(name: str) -> WriteRule:
    """0 where the second operand is 0."""

    def write(w: OnnxWriter, op: Operation) -> str:
        x, y = op.inputs
        a, b = w.ref(x), w.ref(y)
        zero = w.like(y, 0)
        is_zero = w.node("Equal", [b, zero])
        safe = w.node("Where", [is_zero, w.like(y, 1), b]) if name == "Div" else b
        return w.node("Where", [is_zero, zero, w.node(name, [a, safe])])

    return write


def _atan2(w: OnnxWriter, op: Operation) -> str:
    """From the quotient's arc and the quadrant."""
    y, x = op.inputs
    a, b, zero = w.ref(y), w.ref(x), w.like(x, 0)
    pi, half = w.like(x, np.pi), w.like(x, np.pi / 2)
    level = w.node("Equal", [b, zero])
    arc = w.node("Atan", [w.node("Div", [a, w.node("Where", [level, w.like(x, 1), b])])])
    turned = w.node("Where", [w.node("Less", [a, zero]), w.node("Sub", [arc, pi]), w.node("Add", [arc, pi])])
    beside = w.node("Where", [w.node("Less", [b, zero]), turned, arc])
    sign = w.node("Mul", [w.node("Sign", [a]), half])
    return w.node("Where", [level, sign, beside])


def _equal(w: OnnxWriter, op: Operation) -> str:
    if op.inputs[0].dtype.is_string and w.opset < 19:
        raise NotWritten("ONNX compares strings since opset 19; write that or a newer one with opset=")
    return w.node("Equal", [w.ref(t) for t in op.inputs])


def _not_equal(w: OnnxWriter, op: Operation) -> str:
    return w.node("Not", [_equal(w, op)])


def _is_finite(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    name = w.cast(w.ref(x), float32) if x.dtype.size == 2 else w.ref(x)
    return w.node("Not", [w.node("Or", [w.node("IsInf", [name]), w.node("IsNaN", [name])])])


def _is_inf(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    return w.node("IsInf", [w.cast(w.ref(x), float32) if x.dtype.size == 2 else w.ref(x)])


def _cast(w: OnnxWriter, op: Operation) -> str:
    """To bool: what is not 0; of floats to a small int the nearest that it has; 0 of nan."""
    x, dtype = op.inputs[0], op.outputs[0].dtype
    if dtype is bool_ and x.dtype is not bool_:
        return w.node("Not", [w.node("Equal", [w.ref(x), w.like(x, 0)])])
    name = w.ref(x)
    if x.dtype.is_floating and dtype.is_integer:
        kind = float32 if x.dtype.size == 2 else x.dtype
        if kind is not x.dtype:
            name = w.cast(name, kind)
        zero = w.constant(np.array(0, kind.np), kind)
        number = w.node("Where", [w.node("IsNaN", [name]), zero, name])
        if dtype.size < 4:
            ends = [w.constant(np.array(end, kind.np), kind) for end in (dtype.min, dtype.max)]
            name = w.cast(w.node("Clip", [number, *ends]), int32)
        else:
            name = w.node("Max", [number, zero]) if dtype.is_unsigned else number
    return w.node("Cast", [name], to=number_of(dtype))


def _select(w: OnnxWriter, op: Operation) -> str:
    """A vector chooses rows."""
    condition, t, e = op.inputs
    name = w.ref(condition)
    if condition.shape.ndims == 1 and t.shape.ndims is not None and t.shape.ndims > 1:
        name = w.reshape(name, [-1] + [1] * (t.shape.ndims - 1))
    elif condition.shape.ndims is None or t.shape.ndims is None:
        raise NotWritten("the rank of its operands is not known before a run; give it with set_shape")
    return w.node("Where", [name, w.ref(t), w.ref(e)])


def _round(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    return w.node("Round" if x.dtype.is_floating else "Identity", [w.ref(x)])


def _reciprocal(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    if x.dtype.is_integer:
        return w.node("Div", [w.like(x, 1), w.ref(x)])
    return w.node("Reciprocal", [w.ref(x)])


def _clip_at(w: OnnxWriter, x: Tensor, low: float, high: float) -> str:
    return w.node("Clip", [w.ref(x), w.like(x, low), w.like(x, high)])


def _relu(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    if x.dtype.is_unsigned:
        return w.node("Identity", [w.ref(x)])
    return w.node("Relu", [w.ref(x)]) if x.dtype.is_floating else w.node("Max", [w.ref(x), w.like(x, 0)])


def _relu_grad(w: OnnxWriter, op: Operation) -> str:
    g, x = op.inputs
    return w.node("Where", [w.node("Greater", [w.ref(x), w.like(x, 0)]), w.ref(g), w.like(g, 0)])


def _relu6_grad(w: OnnxWriter, op: Operation) -> str:
    g, x = op.inputs
    inside = w.node("And", [w.node("Greater", [w.ref(x), w.like(x, 0)]), w.node("Less", [w.ref(x), w.like(x, 6)])])
    return w.node("Where", [inside, w.ref(g), w.like(g, 0)])


def _leaky_grad(w: OnnxWriter, op: Operation) -> str:
    g, x = op.inputs
    small = w.node("Mul", [w.ref(g), w.like(g, op.args[2])])
    return w.node("Where", [w.node("Greater", [w.ref(x), w.like(x, 0)]), w.ref(g), small])


def _softplus(w: OnnxWriter, op: Operation) -> str:
    """max(x, 0) + log(1 + exp(-|x|)) does not overflow."""
    (x,) = op.inputs
    inner = w.node("Log", [w.node("Add", [w.node("Exp", [w.node("Neg", [w.node("Abs", [w.ref(x)])])]), w.like(x, 1)])])
    return w.node("Add", [w.node("Max", [w.ref(x), w.like(x, 0)]), inner])


ELEMENTWISE_WRITES = {"Select": _select} | of_real_numbers({
    "Add": _add, "AddN": _add_n, "Atan2": _atan2, "Cast": _cast,
    "DivNoNan": _no_nan("Div"), "Equal": _equal, "Expm1": _expm1, "FloorDiv": _floor_div,
    "FloorMod": _floor_mod, "IsFinite": _is_finite, "IsInf": _is_inf,
    "IsNan": direct("IsNaN"), "Invert": direct("BitwiseNot"), "LeakyReluGrad": _leaky_grad, "Log1p": _log1p,
    "MulNoNan": _no_nan("Mul"), "NotEqual": _not_equal, "RealDiv": direct("Div"), "Reciprocal": _reciprocal,
    "Relu": _relu, "Relu6": lambda w, op: _clip_at(w, op.inputs[0], 0, 6), "Relu6Grad": _relu6_grad,
    "ReluGrad": _relu_grad, "Rint": _round, "Round": _round, "Rsqrt": _rsqrt,
    "Softplus": _softplus, "Square": _square, "SquaredDifference": _squared_difference,
    "LeakyRelu": lambda w, op: w.node("LeakyRelu", [w.ref(op.inputs[0])], alpha=float(op.args[1])),
    "LogicalAnd": direct("And"), "LogicalNot": direct("Not"), "LogicalOr": direct("Or"), "LogicalXor": direct("Xor"),
    "Maximum": direct("Max"), "Minimum": direct("Min"),
    **{name: direct(name) for name in (
        "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Ceil",
        "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Greater", "Less", "Log", "Mul", "Neg", "Pow", "Selu",
        "Sigmoid", "Sign", "Sin", "Sinh", "Softsign", "Sqrt", "Sub", "Tan", "Tanh",
    )},
    "GreaterEqual": direct("GreaterOrEqual"), "LessEqual": direct("LessOrEqual"),
})  # fmt: skip
