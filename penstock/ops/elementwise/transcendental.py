"""Exponential, logarithm, trigonometric and hyperbolic functions, and the error function.

16-bit floats are computed in float32 and rounded once. Outside the domain of a real function the result is NaN.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, COMPLEX, FLOATS, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.elementwise_decl import broadcast_shape, in_order, rounded_once
from ..declare.elementwise_decl import unary as any_unary
from ..declare.elementwise_gradient import attach_formulas

PUBLIC_NAMES = {
    "start math": "acos acosh asin asinh atan atan2 atanh cos cosh erf exp expm1 log log1p sin sinh tan",
    "start start_nn math": "tanh",
}

# The last bits of these functions depend on how their operand lies in memory, so they are staged.
unary = partial(any_unary, staged=True, flops=TRANSCENDENTAL)

INEXACT = FLOATS | COMPLEX

# ---- exponential and logarithm ------------------------------------------------------------------

exp = unary("exp", "Exp", INEXACT, "e**x, where e is 2.71828...", ufunc="exp", numpy=np.exp,
            gradient="g * conj(out)",
            example=("tf.exp([0.0, float('-inf')])", "[1. 0.]"))  # fmt: skip
expm1 = unary("expm1", "Expm1", INEXACT, "exp(x) - 1, accurate for small x too.", ufunc="expm1", numpy=np.expm1,
              gradient="g * conj(exp(x))",
              example=("tf.expm1([0.0, 1e-10])", "[0.e+00 1.e-10]"))  # fmt: skip
log = unary("log", "Log", INEXACT, "The natural logarithm of x; -inf at 0, NaN for a float below 0.", ufunc="log",
            numpy=np.log, at=(0.5, 1.5, 2.0, 1.0), gradient="g * conj(reciprocal(x))",
            example=("tf.log([1.0, 0.0])", "[  0. -inf]"))  # fmt: skip
log1p = unary("log1p", "Log1p", INEXACT, "log(1 + x), accurate for small x too.", ufunc="log1p", numpy=np.log1p,
              at=(0.5, -0.5, 2.0, 0.0), gradient="g * conj(reciprocal(1.0 + x))",
              example=("tf.log1p([0.0, 1e-10])", "[0.e+00 1.e-10]"))  # fmt: skip

# ---- circle -------------------------------------------------------------------------------------

sin = unary("sin", "Sin", INEXACT, "The sine of x in radians.", ufunc="sin", numpy=np.sin,
            gradient="g * conj(cos(x))",
            example=("tf.sin([0.0, 1.5707964])", "[0. 1.]"))  # fmt: skip
cos = unary("cos", "Cos", INEXACT, "The cosine of x in radians: sin(x)**2 + cos(x)**2 = 1.", ufunc="cos", numpy=np.cos,
            gradient="-g * conj(sin(x))",
            example=("tf.cos([0.0, 3.1415927])", "[ 1. -1.]"))  # fmt: skip
tan = unary("tan", "Tan", INEXACT, "The tangent of x in radians: sin(x) / cos(x).", ufunc="tan", numpy=np.tan,
            gradient="g * conj(square(reciprocal(cos(x))))",
            example=("tf.tan([0.0, 1e-10])", "[0.e+00 1.e-10]"))  # fmt: skip
asin = unary("asin", "Asin", INEXACT, "The arcsine of x: the y in [-pi/2, pi/2] with sin(y) = x.",
             ufunc="arcsin", numpy=np.arcsin, at=(0.5, -0.5, 1.0, 0.0),
             gradient="g * reciprocal(sqrt(1.0 - square(conj(x))))",
             example=("tf.asin([0.0, 1.0])", "[0.        1.5707964]"))  # fmt: skip
acos = unary("acos", "Acos", INEXACT, "The arccosine of x: the y in [0, pi] with cos(y) = x.",
             ufunc="arccos", numpy=np.arccos, at=(0.5, -0.5, 1.0, 0.0),
             gradient="-g * reciprocal(sqrt(1.0 - square(conj(x))))",
             example=("tf.acos([1.0, -1.0])", "[0.        3.1415927]"))  # fmt: skip
atan = unary("atan", "Atan", INEXACT, "The arctangent of x: the y in [-pi/2, pi/2] with tan(y) = x.",
             ufunc="arctan", numpy=np.arctan,
             gradient="g * conj(reciprocal(1.0 + square(x)))",
             example=("tf.atan([0.0, float('inf')])", "[0.        1.5707964]"))  # fmt: skip

# ---- hyperbola ----------------------------------------------------------------------------------

sinh = unary("sinh", "Sinh", INEXACT, "The hyperbolic sine: (exp(x) - exp(-x)) / 2.", ufunc="sinh", numpy=np.sinh,
             gradient="g * conj(cosh(x))",
             example=("tf.sinh([0.0, -1000.0])", "[  0. -inf]"))  # fmt: skip
cosh = unary("cosh", "Cosh", INEXACT, "The hyperbolic cosine: (exp(x) + exp(-x)) / 2.", ufunc="cosh", numpy=np.cosh,
             gradient="g * conj(sinh(x))",
             example=("tf.cosh([0.0, -1000.0])", "[ 1. inf]"))  # fmt: skip
tanh = unary("tanh", "Tanh", INEXACT, "The hyperbolic tangent: sinh(x) / cosh(x).", ufunc="tanh", numpy=np.tanh,
             gradient="g * conj(1.0 - square(out))",
             example=("tf.tanh([0.0, 100.0])", "[0. 1.]"))  # fmt: skip
asinh = unary("asinh", "Asinh", INEXACT, "The inverse of sinh: the y with sinh(y) = x.",
              ufunc="arcsinh", numpy=np.arcsinh, gradient="g / conj(cosh(out))",
              example=("tf.asinh([0.0, 1e-10])", "[0.e+00 1.e-10]"))  # fmt: skip
acosh = unary("acosh", "Acosh", INEXACT, "The inverse of cosh: the y >= 0 with cosh(y) = x; NaN for a float below 1.",
              ufunc="arccosh", numpy=np.arccosh, at=(1.0, 1.5, 2.0, 3.0),
              gradient="g / conj(sinh(out))",
              example=("tf.acosh([1.0, 0.5])", "[ 0. nan]"))  # fmt: skip
atanh = unary("atanh", "Atanh", INEXACT, "The inverse of tanh: the y with tanh(y) = x; infinite at 1 and -1.",
              ufunc="arctanh", numpy=np.arctanh, at=(0.5, -0.5, 0.25, 0.0),
              gradient="g * conj(reciprocal(1.0 - square(x)))",
              example=("tf.atanh([0.0, 1.0])", "[ 0. inf]"))  # fmt: skip

# ---- angle of a point ---------------------------------------------------------------------------

_Float = Annotated[TensorLike, Operand("T", FLOATS)]


@op("Atan2", graphdef="T=x ->z", elementwise=True, staged=True, ufunc="arctan2", numpy=np.arctan2, flops=TRANSCENDENTAL)
def atan2(y: _Float, x: _Float, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) in [-pi, pi]; atan(y / x) where x > 0.

    Args:
        y, x: floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `y` and `x` and their dtype.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.atan2([0.0, 1.0], [-1.0, 0.0])))
    [3.1415927 1.5707964]

    Source: TensorFlow, `tf.atan2`.
    """


@atan2.shape
def atan2_shape(y: Tensor, x: Tensor) -> TensorShape:
    return broadcast_shape(y, x)


@atan2.kernel
@partial(in_order, staged=ANY)
def atan2_kernel(xp: Any, y: Any, x: Any) -> Any:
    return xp.arctan2(y, x)


attach_formulas(atan2, ("g * x / (square(x) + square(y))", "-g * y / (square(x) + square(y))"), ("y", "x"))


@atan2.samples
def atan2_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([0.5, -1.5, 0.0], "f4"), np.array([-1.0, 2.0, 3.0], "f4"))
    yield sample(np.array([[0.5], [1.0]]), np.array([-1.0, 2.0, 3.0]))
    yield sample(np.array(1.0), np.zeros((0,)))


# ---- error function -----------------------------------------------------------------------------

# Chebyshev expansions, summed to polynomials: of erf(x) / x in x**2 for 0 <= x <= 1, and of exp(x**2) * (1 - erf(x)) in
# (x - 3) / (x + 3) for 1 <= x <= 6. Beyond that erf(x) is 1 to the last bit of a float64.
NEAR_OF_ERF = (
    1.1283791670955126, -0.3761263890318375, 0.11283791670954882, -0.026866170645077334, 0.005223977624823223,
    -0.0008548326981129666, 0.00012055331122299266, -1.4925595519506043e-05, 1.6461004480962034e-06,
    -1.6350354461959655e-07, 1.4660051998394848e-08, -1.1373902296430911e-09, 5.958930743134941e-11,
)  # fmt: skip
FAR_OF_ERF = (
    0.17900115118138996, -0.3262335600430372, 0.24560380171233484, -0.15011593650077798, 0.07166583719747689,
    -0.02439249931897869, 0.004269136356764373, 0.0007077464683795443, -0.0005970624913315528,
    4.5254324753444315e-05, 6.406272093668428e-05, -1.2845673357286076e-05, -8.00928960121368e-06,
    2.0134932881269957e-06, 1.2742568627764978e-06, 2.2748538034632206e-09,
)  # fmt: skip


def polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    """The sum of coefficients[k] * x**k, by Horner's rule."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _erf(xp: Any, x: Any) -> Any:
    size = xp.minimum(xp.absolute(x), 6.0)
    square = size * size
    near = size * polynomial(NEAR_OF_ERF, square)
    far = 1.0 - xp.exp(-square) * polynomial(FAR_OF_ERF, (size - 3.0) / (size + 3.0))
    return xp.copysign(xp.where(size < 1.0, near, far), x)


erf = unary("erf", "Erf", FLOATS, "2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.",
            kernel=rounded_once(_erf), flops=2 * (len(NEAR_OF_ERF) + len(FAR_OF_ERF)) + TRANSCENDENTAL,
            gradient="g * (1.1283791670955126 * exp(-square(x)))",
            example=("tf.erf([0.0, -10.0])", "[ 0. -1.]"))  # fmt: skip
