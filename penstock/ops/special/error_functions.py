"""erfc, and the inverses of the error function and of the normal distribution.

The inverses are Wichura's rational functions (algorithm AS 241), which are exact to about 1e-16.
"""

from __future__ import annotations

from typing import Any

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.signature import FLOATS
from ..declare.elementwise_decl import rounded_once, unary
from ..elementwise.transcendental import FAR_OF_ERF, NEAR_OF_ERF, polynomial
from .gamma_functions import WIDE
from .gamma_kernels import in_float64

PUBLIC_NAMES = {"tf math": "erfc", "math": "erfcinv erfinv ndtri"}

_CENTRAL = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
     3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
)  # fmt: skip
_MIDDLE = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip
_FAR = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip
# 1, -1, 3, -15 ...: erfc(x) exp(x**2) x sqrt(pi) in 1 / (2 x**2), where the series is exact from x = 6 on.
_ASYMPTOTIC = (1.0, -1.0, 3.0, -15.0, 105.0, -945.0, 10395.0, -135135.0, 2027025.0, -34459425.0, 654729075.0,
               -13749310575.0, 316234143225.0)  # fmt: skip
_ONE_OVER_ROOT_PI = 0.5641895835477563
_ROOT_TWO = 1.4142135623730951


def _quotient(parts: tuple[tuple[float, ...], tuple[float, ...]], r: Any) -> Any:
    return polynomial(parts[0], r) / polynomial(parts[1], r)


def _normal_quantile(xp: Any, q: Any, tail: Any) -> Any:
    """The quantile of p = q + 1/2, where `tail` is the smaller of p and 1 - p."""
    r = xp.sqrt(-xp.log(xp.maximum(tail, 1e-320)))
    near_end = xp.copysign(xp.where(r <= 5, _quotient(_MIDDLE, r - 1.6), _quotient(_FAR, r - 5)), q)
    found = xp.where(xp.absolute(q) <= 0.425, q * _quotient(_CENTRAL, 0.180625 - q * q), near_end)
    found = xp.where(tail == 0, xp.copysign(float("inf"), q), found)
    return xp.where(tail < 0, float("nan"), found)


def _ndtri(xp: Any, p: Any) -> Any:
    return _normal_quantile(xp, p - 0.5, xp.minimum(p, 1.0 - p))


def _erfinv(xp: Any, x: Any) -> Any:
    return _normal_quantile(xp, x / 2, (1.0 - xp.absolute(x)) / 2) / _ROOT_TWO


def _erfcinv(xp: Any, x: Any) -> Any:
    return -_normal_quantile(xp, (x - 1.0) / 2, xp.minimum(x, 2.0 - x) / 2) / _ROOT_TWO


def _erfc(xp: Any, x: Any) -> Any:
    size = xp.absolute(x)
    near = xp.minimum(size, 1.0)
    middle = xp.minimum(xp.maximum(size, 1.0), 6.0)
    far = xp.minimum(xp.maximum(size, 6.0), 40.0)
    of_middle = xp.exp(-middle * middle) * polynomial(FAR_OF_ERF, (middle - 3.0) / (middle + 3.0))
    square = 0.5 / (far * far)
    of_far = xp.exp(-far * far) * (_ONE_OVER_ROOT_PI / far) * polynomial(_ASYMPTOTIC, square)
    outer = xp.where(size < 6.0, of_middle, of_far)
    inner = 1.0 - near * polynomial(NEAR_OF_ERF, near * near)
    found = xp.where(size < 1.0, inner, outer)
    found = xp.where(x < 0, 2.0 - found, found)
    return xp.where(xp.isnan(x), x, found)


erfc = unary("erfc", "Erfc", FLOATS, "1 - erf(x), without cancellation where erf(x) is near 1.",
             kernel=rounded_once(in_float64(_erfc)), flops=3 * TRANSCENDENTAL,
             gradient="g * (-1.1283791670955126 * exp(-square(x)))",
             example=("tf.erfc([0.0, 5.0])", "[1.0000000e+00 1.5374598e-12]"))  # fmt: skip
erfinv = unary("erfinv", "Erfinv", WIDE, "The inverse of erf: the y with erf(y) = x; infinite at 1 and -1.",
               kernel=in_float64(_erfinv), flops=3 * TRANSCENDENTAL, at=(0.5, -0.75, 0.99, 0.0), within="math.",
               gradient="g * (0.8862269254527579 * exp(square(out)))",
               node="erfinv", example=("tf.math.erfinv([0.0, 1.0])", "[ 0. inf]"))  # fmt: skip
ndtri = unary("ndtri", "Ndtri", WIDE, "The quantile of the normal distribution: the y below which it has the share x.",
              kernel=in_float64(_ndtri), flops=3 * TRANSCENDENTAL, at=(0.5, 0.25, 0.99, 0.01), within="math.",
              gradient="g * (2.5066282746310002 * exp(square(out) * 0.5))",
              node="ndtri", example=("tf.math.ndtri([0.5, 1.0])", "[ 0. inf]"))  # fmt: skip
erfcinv = unary("erfcinv", "Erfcinv", WIDE, "The inverse of erfc: the y with erfc(y) = x; infinite at 0 and 2.",
                kernel=in_float64(_erfcinv), flops=3 * TRANSCENDENTAL, at=(0.5, 0.25, 1.5, 1.0), within="math.",
                gradient="g * (-0.8862269254527579 * exp(square(out)))",
                node="erfcinv", example=("tf.math.erfcinv([2.0, 0.0])", "[-inf  inf]"), graphdef=None)  # fmt: skip
erfinv.result_names = ("Erfinv",)
ndtri.result_names = ("Ndtri",)
erfcinv.result_names = ("mul_1",)
