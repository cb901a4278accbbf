"""`tf.math`: the functions of numbers, and some that the main namespace does not have."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.checks.value_predicates import is_non_decreasing, is_strictly_increasing
from .ops.control.small_functions import accumulate_n
from .ops.elementwise.arithmetic import (
    abs, add, add_n, divide, floordiv, floormod, maximum, minimum, mod, multiply, negative, pow, reciprocal, rsqrt,
    sign, sqrt, square, squared_difference, subtract, truediv,
)
from .ops.elementwise.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from .ops.elementwise.complex_parts import conj, imag, real
from .ops.elementwise.conversions import angle, reciprocal_no_nan, scalar_mul
from .ops.elementwise.logical import logical_and, logical_not, logical_or, logical_xor
from .ops.elementwise.no_nan import div_no_nan as divide_no_nan, multiply_no_nan
from .ops.elementwise.round_and_classify import ceil, floor, is_finite, is_inf, is_nan, nextafter, rint, round
from .ops.elementwise.transcendental import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, erf, exp, expm1, log, log1p, sin, sinh, tan, tanh,
)
from .ops.index.top_k import top_k
from .ops.index.vector_sets import invert_permutation
from .ops.nn.activations import log_softmax, sigmoid, softmax, softplus
from .ops.nn.in_top_k import in_top_k
from .ops.nn.rectifiers import log_sigmoid, softsign
from .ops.reduce.argmax import argmax, argmin
from .ops.reduce.counting import bincount, confusion_matrix, count_nonzero, reduce_euclidean_norm
from .ops.reduce.cumsum import cumprod, cumsum
from .ops.reduce.moments import reduce_std, reduce_variance
from .ops.reduce.norms import l2_normalize, zero_fraction
from .ops.reduce.reduce_logsumexp import reduce_logsumexp
from .ops.reduce.reductions import reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from .ops.reduce.segments import segment_max, segment_mean, segment_min, segment_prod, segment_sum
from .ops.reduce.unsorted_segments import (
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from .ops.special.bessel_functions import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from .ops.special.error_functions import erfc, erfcinv, erfinv, ndtri
from .ops.special.gamma_functions import (
    betainc, digamma, igamma, igamma_grad_a, igammac, lbeta, lgamma, polygamma, zeta,
)
from .ops.special.log_products import xdivy, xlog1py, xlogy

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil",
    "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "digamma", "divide",
    "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod",
    "greater", "greater_equal", "igamma", "igamma_grad_a", "igammac", "imag", "in_top_k", "invert_permutation",
    "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing", "l2_normalize", "lbeta", "less",
    "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter",
    "not_equal", "polygamma", "pow", "real", "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std",
    "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean",
    "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softmax", "softplus", "softsign",
    "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
