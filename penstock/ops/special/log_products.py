"""Products with a logarithm, and a quotient, that are 0 where the first operand is 0."""

from __future__ import annotations

from typing import Any

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.signature import COMPLEX, FLOATS
from ..declare.elementwise_decl import binary, rounded_once

PUBLIC_NAMES = {"math": "xdivy xlog1py xlogy"}


def _zero_first(law: Any) -> Any:
    """The kernel of `law` where x is not 0; 16-bit floats are computed in float32 and rounded once."""

    def kernel(xp: Any, x: Any, y: Any) -> Any:
        zero = x.dtype.type(0)
        return xp.where(x == zero, zero, law(xp, x, y))

    return rounded_once(kernel)


xlogy = binary("xlogy", "Xlogy", FLOATS | COMPLEX, "x * log(y), and 0 where x is 0.",
               kernel=_zero_first(lambda xp, x, y: x * xp.log(y)), staged=True, flops=TRANSCENDENTAL + 2,
               right=(2.0, 1.0, 0.5, 3.0), within="math.",
               gradient=("g * conj(xlogy(cast(not_equal(x, 0.0), x.dtype), y))", "g * conj(xdivy(x, y))"),
               example=("tf.math.xlogy([0.0, 2.0], [0.0, 1.0])", "[0. 0.]"))  # fmt: skip
xlog1py = binary("xlog1py", "Xlog1py", FLOATS | COMPLEX, "x * log(1 + y), and 0 where x is 0.",
                 kernel=_zero_first(lambda xp, x, y: x * xp.log1p(y)), staged=True, flops=TRANSCENDENTAL + 2,
                 right=(2.0, 1.0, 0.5, 3.0), within="math.",
                 gradient=("g * conj(xlog1py(cast(not_equal(x, 0.0), x.dtype), y))", "g * conj(xdivy(x, y + 1.0))"),
                 node="xlog1py", example=("tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0])", "[0. 0.]"))  # fmt: skip
xdivy = binary("xdivy", "Xdivy", FLOATS | COMPLEX, "x / y, and 0 where x is 0.",
               kernel=_zero_first(lambda xp, x, y: xp.true_divide(x, y)), staged=True, flops=2,
               right=(2.0, 1.0, 0.5, 3.0), within="math.",
               gradient=("g * conj(xdivy(cast(not_equal(x, 0.0), x.dtype), y))",
                         "g * conj(xdivy(negative(x), square(y)))"),
               node="xdivy", example=("tf.math.xdivy([0.0, 2.0], [0.0, 4.0])", "[0.  0.5]"))  # fmt: skip
xlog1py.result_names = ("Xlog1py",)
xdivy.result_names = ("Xdivy",)
