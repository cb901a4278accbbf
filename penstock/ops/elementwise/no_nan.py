"""Products and quotients in which zero wins over infinity and NaN: `multiply_no_nan` and `div_no_nan`.

The gradients of sqrt, rsqrt and reciprocal are such products: where no gradient comes in, none passes on, even if the
derivative is infinite there. Because the rule of `multiply_no_nan` is linear in y, it can be differentiated once more.
"""

from __future__ import annotations

from typing import Any

from ...graph.declare.signature import COMPLEX, FLOATS
from ..declare.elementwise_decl import binary

PUBLIC_NAMES = {"start": "div_no_nan", "start math": "multiply_no_nan", "math": "divide_no_nan=div_no_nan"}


def _zero(x: Any) -> Any:
    return x.dtype.type(0)


multiply_no_nan = binary(
    "multiply_no_nan", "MulNoNan", FLOATS | COMPLEX, "x * y, and 0 where y is 0, even if x is infinite or NaN there.",
    kernel=lambda xp, x, y: xp.where(y == _zero(y), _zero(y), xp.multiply(x, y)), staged=COMPLEX, flops=2,
    right=(2.0, 0.0, -2.0, 3.0),
    gradient=("multiply_no_nan(g, conj(y))", "multiply_no_nan(conj(x), g)"),
    node="multiply_no_nan", example=("tf.multiply_no_nan([2.0, float('inf')], [3.0, 0.0])", "[6. 0.]"),
)  # fmt: skip
div_no_nan = binary(
    "div_no_nan", "DivNoNan", FLOATS | COMPLEX, "x / y, and 0 where y is 0.",
    kernel=lambda xp, x, y: xp.where(y == _zero(y), _zero(y), xp.true_divide(x, y)), staged=COMPLEX, flops=2,
    right=(2.0, 0.0, -2.0, 3.0),
    gradient=("div_no_nan(g, conj(y))", "g * conj(div_no_nan(div_no_nan(-x, y), y))"),
    node="div_no_nan", example=("tf.div_no_nan([1.0, 1.0], [4.0, 0.0])", "[0.25 0.  ]"),
)  # fmt: skip
