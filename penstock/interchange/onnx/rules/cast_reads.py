"""Casts, and the quantised operators: linear functions between floats and small ints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import DType, bool_, float32, float64, int32, int64, string, uint8
from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode
from ..wire.onnx_types import NarrowTensor, NarrowType, element_type
from .narrow_casts import decoded, encoded, numbers_of
from .onnx_row import OnnxOp
from .values import as_dtype, axis_of, constant, rank_of, scalar, sizes, take, where

AnyTensor = Tensor | NarrowTensor


def any_tensor(n: OnnxNode, place: int) -> AnyTensor:
    """An input that is a tensor, of a narrow type or not."""
    value = n.value(place)
    return value if isinstance(value, NarrowTensor) else n.tensor(place)


def _cast(n: OnnxNode) -> AnyTensor:
    return _cast_to(n, element_type(n.int("to")))


def _cast_like(n: OnnxNode) -> AnyTensor:
    like = any_tensor(n, 1)
    return _cast_to(n, like.type if isinstance(like, NarrowTensor) else like.dtype)


def _cast_to(n: OnnxNode, type: DType | NarrowType) -> AnyTensor:
    x = any_tensor(n, 0)
    saturate = bool(n.int("saturate", 1))
    if isinstance(type, NarrowType):
        source = decoded(x, float32) if isinstance(x, NarrowTensor) else x
        return encoded(source, type, saturate, n.text("round_mode", "up"))
    if isinstance(x, NarrowTensor):
        return decoded(x, type)
    if x.dtype is string and type is not string:
        if type is bool_ or type.is_complex:
            raise UnsupportedOnnx(f"it makes {type.name} of strings")
        return ops.cast(ops.string_to_number(x, float64 if type.is_floating else int64), type)
    if type is string and x.dtype is not string:
        return ops.as_string(x)
    if type is bool_:
        return ops.not_equal(x, scalar(x, 0))
    return ops.cast(x, type)


def _bit_cast(n: OnnxNode) -> Tensor:
    """The same bits as another dtype of the same size: taken apart and put together in whole numbers and floats."""
    x, type = n.tensor(0), element_type(n.int("to"))
    if isinstance(type, NarrowType) or type.is_string or type.size != x.dtype.size:
        raise UnsupportedOnnx(f"it reads the bits of {x.dtype.name} as those of another size")
    if type is x.dtype:
        return ops.identity(x)
    if x.dtype.is_floating and type.is_floating:
        raise UnsupportedOnnx(f"it reads the bits of {x.dtype.name} as {type.name}")
    if x.dtype.is_floating:
        return ops.cast(bits_of_float(x), type)
    if type.is_floating:
        return float_of_bits(x, type)
    return ops.cast(x, type)


_FRACTION = {4: (23, 127), 8: (52, 1023), 2: (10, 15)}


def bits_of_float(x: Tensor) -> Tensor:
    """The bits of floats as int64. nan has the usual bits."""
    fraction, bias = _FRACTION[x.dtype.size]
    wide = ops.cast(x, float64)
    size = ops.abs(wide)
    powers = ops.constant(2.0 ** np.arange(1.0 - bias, bias + 1.0))
    place = ops.searchsorted(powers, ops.reshape(size, [-1]), "right", int64)
    exponent = ops.reshape(place, ops.shape(x))  # 0 for what has no leading 1
    scale = ops.gather(powers, ops.maximum(exponent - constant(1), constant(0)))
    one = ops.cast(exponent > constant(0), float64)
    rest = (size / scale - one) * scalar(size, 2.0**fraction)
    infinite = ops.is_inf(x)
    bits = exponent * constant(1 << fraction) + ops.cast(where(infinite, scalar(rest, 0), rest), int64)
    top = (2 * bias + 1) << fraction
    bits = where(infinite, constant(top), where(ops.is_nan(x), constant(top | 1 << fraction - 1), bits))
    negative = ops.logical_or(wide < scalar(wide, 0), ops.reciprocal(wide) < scalar(wide, 0))
    sign = -(1 << 8 * x.dtype.size - 1)
    return where(negative, bits + constant(sign), bits)


def float_of_bits(x: Tensor, dtype: DType) -> Tensor:
    """Floats from their bits."""
    fraction, bias = _FRACTION[dtype.size]
    whole = ops.cast(x, int64)
    exponent_mask = 2 * bias + 1
    exponent = ops.bitwise_and(ops.floordiv(whole, constant(1 << fraction)), constant(exponent_mask))
    rest = ops.cast(ops.bitwise_and(whole, constant((1 << fraction) - 1)), float64)
    sign_bit = ops.floordiv(whole, constant(1 << 8 * dtype.size - 1)) if dtype.size < 8 else ops.cast(
        whole < constant(0), int64)  # fmt: skip
    negative = ops.not_equal(ops.floormod(sign_bit, constant(2)), constant(0))
    powers = np.concatenate([[2.0 ** (1 - bias)], 2.0 ** np.arange(1.0 - bias, bias + 1.0), [np.inf]])
    scale = ops.gather(ops.constant(powers), exponent)
    one = ops.cast(exponent > constant(0), float64)
    value = (one + rest * scalar(rest, 2.0**-fraction)) * scale
    value = where(ops.logical_and(ops.is_inf(scale), rest > scalar(rest, 0)), scalar(value, np.nan), value)
    return ops.cast(where(negative, -value, value), dtype)


# ---- quantisation ------------------------------------------------------------------------------


def _along(n: OnnxNode, parameter: AnyTensor, x: AnyTensor) -> AnyTensor:
    """A scale or zero point laid out beside `x`: one number, one for each slice of an axis, or one for each block."""
    if isinstance(parameter, NarrowTensor):
        laid = _along(n, parameter.codes, x)
        assert isinstance(laid, Tensor)
        return NarrowTensor(laid, parameter.type)
    own = rank_of(parameter)
    shape = x.shape
    rank = shape.ndims
    if own == 0 or rank is None:
        return parameter
    if own == 1 and parameter.shape.raw == (1,):
        return ops.reshape(parameter, [])
    axis = axis_of(n.int("axis", 1), rank) if rank else 0
    block = n.int("block_size", 0)
    if block and own == rank:
        size = sizes(x.codes if isinstance(x, NarrowTensor) else x)[axis]
        line = ops.range(constant(0), constant(size) if isinstance(size, int) else size)
        places = ops.floordiv(line, constant(block))
        return take(parameter, places, axis)
    return ops.reshape(parameter, [-1 if i == axis else 1 for i in range(rank)])


def dequantized(n: OnnxNode) -> Tensor:
    """(x - zero point) * scale."""
    x = any_tensor(n, 0)
    scale = _along(n, any_tensor(n, 1), x)
    assert isinstance(scale, Tensor)
    wide = scale.dtype if isinstance(x, NarrowTensor) else int32 if x.dtype.size < 4 else x.dtype
    found = numbers_of(x, wide)
    if n.has(2):
        found = found - numbers_of(_along(n, any_tensor(n, 2), x), wide)
    out = element_type(n.int("output_dtype", 0)) if n.int("output_dtype", 0) else scale.dtype
    assert isinstance(out, DType)
    return as_dtype(as_dtype(found, float32) * as_dtype(scale, float32), out)


def _quantize(n: OnnxNode) -> AnyTensor:
    x = n.tensor(0)
    scale = _along(n, any_tensor(n, 1), x)
    zero = _along(n, any_tensor(n, 2), x) if n.has(2) else None
    type: Any = uint8
    if n.int("output_dtype", 0):
        type = element_type(n.int("output_dtype"))
    if zero is not None:
        type = zero.type if isinstance(zero, NarrowTensor) else zero.dtype
    precision = element_type(n.int("precision")) if n.int("precision", 0) else None
    inner = precision if isinstance(precision, DType) else float32
    y = as_dtype(x, inner) / numbers_of(scale, inner)
    return quantized(y, type, None if zero is None else numbers_of(zero, inner), bool(n.int("saturate", 1)))


def quantized(y: Tensor, type: DType | NarrowType, zero: Tensor | None, saturate: bool = True) -> AnyTensor:
    """Numbers rounded (halves to even), shifted by the zero point and kept within the type."""
    if isinstance(type, NarrowType) and not type.is_int:
        return encoded(y if zero is None else y + zero, type, saturate)
    low, high = _bounds(type)
    wide = ops.cast(ops.rint(y), float64)
    if zero is not None:
        wide = wide + ops.cast(zero, float64)
    whole = ops.minimum(ops.maximum(wide, scalar(wide, low)), scalar(wide, high))
    return encoded(whole, type) if isinstance(type, NarrowType) else ops.cast(whole, type)


def _bounds(type: DType | NarrowType) -> tuple[int, int]:
    if isinstance(type, NarrowType):
        half = 1 << type.bits - 1
        return (-half, half - 1) if type.signed else (0, 2 * half - 1)
    return type.min, type.max


def _dynamic_quantize(n: OnnxNode) -> list[Tensor]:
    """uint8, with the scale and zero point that the values need."""
    x = n.tensor(0)
    low = ops.minimum(scalar(x, 0), ops.reduce_min(x))
    high = ops.maximum(scalar(x, 0), ops.reduce_max(x))
    scale = (high - low) / scalar(x, 255)
    start = scalar(x, 0) - low / scale
    zero = ops.rint(ops.minimum(ops.maximum(start, scalar(x, 0)), scalar(x, 255)))
    found = quantized(x / scale, uint8, zero)
    assert isinstance(found, Tensor)
    return [found, scale, ops.cast(zero, uint8)]


def _rows(n: OnnxNode, place: int, x: AnyTensor, last_is_column: bool) -> Tensor | None:
    """A zero point of one number, or one for each row of the first factor and each column of the second."""
    if not n.has(place):
        return None
    found = numbers_of(any_tensor(n, place), int32)
    if rank_of(found) == 1 and not last_is_column and found.shape.raw != (1,):
        return ops.expand_dims(found, 1)
    return found


def _matmul_integer(n: OnnxNode) -> Tensor:
    a, b = ops.cast(n.tensor(0), int32), ops.cast(n.tensor(1), int32)
    zero_a, zero_b = _rows(n, 2, a, False), _rows(n, 3, b, True)
    a = a if zero_a is None else a - zero_a
    b = b if zero_b is None else b - zero_b
    return ops.matmul(a, b)


def _qlinear_matmul(n: OnnxNode) -> AnyTensor:
    a, b, out = any_tensor(n, 0), any_tensor(n, 3), any_tensor(n, 7)
    zero_a, zero_b = _rows(n, 2, a, False), _rows(n, 5, b, True)
    total = ops.matmul(numbers_of(a, int32) - (constant(0, int32) if zero_a is None else zero_a),
                       numbers_of(b, int32) - (constant(0, int32) if zero_b is None else zero_b))  # fmt: skip
    scale_a, scale_b = ops.cast(n.tensor(1), float32), ops.cast(n.tensor(4), float32)
    if rank_of(scale_a) == 1 and scale_a.shape.raw != (1,):
        scale_a = ops.expand_dims(scale_a, 1)
    ratio = scale_a * scale_b / ops.cast(n.tensor(6), float32)
    type = out.type if isinstance(out, NarrowTensor) else out.dtype
    return quantized(ops.cast(total, float32) * ratio, type, numbers_of(out, float32))


CASTS = (
    OnnxOp("BitCast", _bit_cast, 26),
    OnnxOp("Cast", _cast, 6),
    OnnxOp("CastLike", _cast_like, 15),
    OnnxOp("DequantizeLinear", dequantized, 10),
    OnnxOp("DynamicQuantizeLinear", _dynamic_quantize, 11),
    OnnxOp("MatMulInteger", _matmul_integer, 10),
    OnnxOp("QLinearMatMul", _qlinear_matmul, 10),
    OnnxOp("QuantizeLinear", _quantize, 10),
)

