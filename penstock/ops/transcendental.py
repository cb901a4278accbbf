"""Which ops compute the exponential, the logarithm, and the functions of the circle and the hyperbola?

16-bit floats are computed in float32 and rounded once. Outside of a real function's domain the result is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ..graph.opdef import Sample, op, sample
from ..graph.operation import Tensor
from ..graph.shape import TensorShape
from ..graph.signature import COMPLEX, FLOATS, Operand, TensorLike
from .families import broadcast_shape, unary

INEXACT = FLOATS | COMPLEX

# ---- exponential and logarithm ------------------------------------------------------------------

exp = unary("exp", "Exp", INEXACT, "e**x.", ufunc="exp", numpy=np.exp, example=("tf.exp([0.0, 1.0])", "[1.        2.7182817]"))
expm1 = unary("expm1", "Expm1", INEXACT, "exp(x) - 1, exact for small x too.", ufunc="expm1", numpy=np.expm1)
log = unary("log", "Log", INEXACT, "The y with exp(y) = x: -inf at 0, NaN for a float below it.", ufunc="log",
            numpy=np.log, at=(0.5, 1.5, 2.0, 1.0), example=("tf.log([1.0, 0.0])", "[  0. -inf]"))  # fmt: skip
log1p = unary("log1p", "Log1p", INEXACT, "log(1 + x), exact for small x too.", ufunc="log1p", numpy=np.log1p,
              at=(0.5, -0.5, 2.0, 0.0))  # fmt: skip

# ---- circle -------------------------------------------------------------------------------------

sin = unary("sin", "Sin", INEXACT, "The sine of x in radians.", ufunc="sin", numpy=np.sin)
cos = unary("cos", "Cos", INEXACT, "The cosine of x in radians: sin(x)**2 + cos(x)**2 = 1.", ufunc="cos", numpy=np.cos)
tan = unary("tan", "Tan", INEXACT, "sin(x) / cos(x).", ufunc="tan", numpy=np.tan)
asin = unary("asin", "Asin", INEXACT, "The y in [-pi/2, pi/2] with sin(y) = x.", ufunc="arcsin", numpy=np.arcsin,
             at=(0.5, -0.5, 1.0, 0.0))  # fmt: skip
acos = unary("acos", "Acos", INEXACT, "The y in [0, pi] with cos(y) = x.", ufunc="arccos", numpy=np.arccos,
             at=(0.5, -0.5, 1.0, 0.0))  # fmt: skip
atan = unary("atan", "Atan", INEXACT, "The y in [-pi/2, pi/2] with tan(y) = x.", ufunc="arctan", numpy=np.arctan)

# ---- hyperbola ----------------------------------------------------------------------------------

sinh = unary("sinh", "Sinh", INEXACT, "(exp(x) - exp(-x)) / 2.", ufunc="sinh", numpy=np.sinh)
cosh = unary("cosh", "Cosh", INEXACT, "(exp(x) + exp(-x)) / 2.", ufunc="cosh", numpy=np.cosh)
tanh = unary("tanh", "Tanh", INEXACT, "sinh(x) / cosh(x).", ufunc="tanh", numpy=np.tanh,
             example=("tf.tanh([0.0, 100.0])", "[0. 1.]"))  # fmt: skip
asinh = unary("asinh", "Asinh", INEXACT, "The y with sinh(y) = x.", ufunc="arcsinh", numpy=np.arcsinh)
acosh = unary("acosh", "Acosh", INEXACT, "The y >= 0 with cosh(y) = x; NaN for a float below 1.", ufunc="arccosh",
              numpy=np.arccosh, at=(1.0, 1.5, 2.0, 3.0))  # fmt: skip
atanh = unary("atanh", "Atanh", INEXACT, "The y with tanh(y) = x: infinities at 1 and -1.", ufunc="arctanh",
              numpy=np.arctanh, at=(0.5, -0.5, 0.25, 0.0))  # fmt: skip

# ---- angle of a point ---------------------------------------------------------------------------

_Float = Annotated[TensorLike, Operand("T", FLOATS)]


@op("Atan2", elementwise=True, ufunc="arctan2", numpy=np.arctan2)
def atan2(y: _Float, x: _Float, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), in [-pi, pi]: atan(y / x) where x > 0. Floats; the operands broadcast.

    Raises:
        TypeError: dtypes that differ or are no floats. ValueError: shapes that do not broadcast.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.atan2([0.0, 1.0], [-1.0, 0.0])))
    [3.1415927 1.5707964]

    Source: TensorFlow, `tf.atan2`.
    """


@atan2.shape
def _(y: Tensor, x: Tensor) -> TensorShape:
    return broadcast_shape(y, x)


@atan2.kernel
def _(xp: Any, y: Any, x: Any) -> Any:
    return xp.arctan2(y, x)


atan2.value(np.arctan2)


@atan2.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(np.array([0.5, -1.5, 0.0], "f4"), np.array([-1.0, 2.0, 3.0], "f4"))
    yield sample(np.array([[0.5], [1.0]]), np.array([-1.0, 2.0, 3.0]))
    yield sample(np.array(1.0), np.zeros((0,)))
