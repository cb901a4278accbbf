"""Elementwise rounding, tests for NaN and infinity, and the next number that a float can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.signature import FLOATS, INTEGERS
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bits_of, bool_, float32, float64
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.elementwise_decl import binary, unary

PUBLIC_NAMES = {
    "tf math": "nextafter",
    "start math": "ceil floor rint round",
    "start debugging math": "is_finite is_inf is_nan",
}

_VALUES = (0.5, -1.5, 2.5, -0.2)
_SPECIAL = (0.5, float("inf"), float("nan"), -float("inf"))

floor = unary("floor", "Floor", FLOATS, "The largest whole number not above x.", ufunc="floor", numpy=np.floor,
              at=_VALUES, no_gradient="it is constant between whole numbers",
              example=("tf.floor([1.5, -1.5])", "[ 1. -2.]"))  # fmt: skip
ceil = unary("ceil", "Ceil", FLOATS, "The smallest whole number not below x.", ufunc="ceil", numpy=np.ceil,
             at=_VALUES, no_gradient="it is constant between whole numbers",
             example=("tf.ceil([1.5, -1.5])", "[ 2. -1.]"))  # fmt: skip
rint = unary("rint", "Rint", FLOATS, "The whole number nearest to x; halfway between two, the even one.", ufunc="rint",
             numpy=np.rint, at=_VALUES, no_gradient="it is constant between whole numbers",
             example=("tf.rint([0.5, 1.5, -2.7])", "[ 0.  2. -3.]"))  # fmt: skip
round = unary("round", "Round", FLOATS,
              "The whole number nearest to x; halfway between two, the even one. Ints stay as they are.",
              ufunc="rint", takes=INTEGERS, at=_VALUES,
              no_gradient="it is constant between whole numbers",
              example=("tf.round([0.5, 1.5, -2.7])", "[ 0.  2. -3.]"))  # fmt: skip


@round.prepare
def round_prepare(x: Any, name: str | None) -> tuple[Any] | Tensor:
    x = convert_to_tensor(x)
    return x if x.dtype.is_integer else (x,)


is_nan = unary("is_nan", "IsNan", FLOATS, "True where x is NaN (not a number).", ufunc="isnan", out=bool_,
               numpy=np.isnan, at=_SPECIAL, example=('tf.is_nan([1.0, float("nan")])', "[False  True]"))  # fmt: skip
is_inf = unary("is_inf", "IsInf", FLOATS, "True where x is an infinity, of either sign.", ufunc="isinf", out=bool_,
               numpy=np.isinf, at=_SPECIAL, example=('tf.is_inf([1.0, float("-inf")])', "[False  True]"))  # fmt: skip
is_finite = unary("is_finite", "IsFinite", FLOATS, "True where x is neither NaN nor an infinity.", ufunc="isfinite",
                  out=bool_, numpy=np.isfinite, at=_SPECIAL,
                  example=('tf.is_finite([1.0, float("nan"), float("inf")])', "[ True False False]"))  # fmt: skip

nextafter = binary(
    "nextafter", "NextAfter", bits_of(float32, float64),
    "The next number after x1 in the direction of x2 that its dtype has; x2 where they are equal.",
    ufunc="nextafter", numpy=np.nextafter, operands=("x1", "x2"), within="math.", gradient=("g", "zeros_like(g)"),
    left=(1.0, 0.0, -0.0, -2.5), right=(2.0, -1.0, 3.0, -2.0),
    example=("tf.nextafter([1.0, 0.0], [2.0, 0.0])", "[1.0000001 0.       ]"), graphdef="T=x1",
)  # fmt: skip
