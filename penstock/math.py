"""`tf.math`: the functions of numbers, and some that the main namespace does not have."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.checks.value_predicates import is_non_decreasing as is_non_decreasing
from .ops.checks.value_predicates import is_strictly_increasing as is_strictly_increasing
from .ops.control.small_functions import accumulate_n as accumulate_n
from .ops.elementwise.arithmetic import abs as abs
from .ops.elementwise.arithmetic import add as add
from .ops.elementwise.arithmetic import add_n as add_n
from .ops.elementwise.arithmetic import divide as divide
from .ops.elementwise.arithmetic import floordiv as floordiv
from .ops.elementwise.arithmetic import floormod as floormod
from .ops.elementwise.arithmetic import maximum as maximum
from .ops.elementwise.arithmetic import minimum as minimum
from .ops.elementwise.arithmetic import mod as mod
from .ops.elementwise.arithmetic import multiply as multiply
from .ops.elementwise.arithmetic import negative as negative
from .ops.elementwise.arithmetic import pow as pow
from .ops.elementwise.arithmetic import reciprocal as reciprocal
from .ops.elementwise.arithmetic import rsqrt as rsqrt
from .ops.elementwise.arithmetic import sign as sign
from .ops.elementwise.arithmetic import sqrt as sqrt
from .ops.elementwise.arithmetic import square as square
from .ops.elementwise.arithmetic import squared_difference as squared_difference
from .ops.elementwise.arithmetic import subtract as subtract
from .ops.elementwise.arithmetic import truediv as truediv
from .ops.elementwise.comparison import equal as equal
from .ops.elementwise.comparison import greater as greater
from .ops.elementwise.comparison import greater_equal as greater_equal
from .ops.elementwise.comparison import less as less
from .ops.elementwise.comparison import less_equal as less_equal
from .ops.elementwise.comparison import not_equal as not_equal
from .ops.elementwise.complex_parts import conj as conj
from .ops.elementwise.complex_parts import imag as imag
from .ops.elementwise.complex_parts import real as real
from .ops.elementwise.conversions import angle as angle
from .ops.elementwise.conversions import reciprocal_no_nan as reciprocal_no_nan
from .ops.elementwise.conversions import scalar_mul as scalar_mul
from .ops.elementwise.logical import logical_and as logical_and
from .ops.elementwise.logical import logical_not as logical_not
from .ops.elementwise.logical import logical_or as logical_or
from .ops.elementwise.logical import logical_xor as logical_xor
from .ops.elementwise.no_nan import div_no_nan as divide_no_nan
from .ops.elementwise.no_nan import multiply_no_nan as multiply_no_nan
from .ops.elementwise.round_and_classify import ceil as ceil
from .ops.elementwise.round_and_classify import floor as floor
from .ops.elementwise.round_and_classify import is_finite as is_finite
from .ops.elementwise.round_and_classify import is_inf as is_inf
from .ops.elementwise.round_and_classify import is_nan as is_nan
from .ops.elementwise.round_and_classify import nextafter as nextafter
from .ops.elementwise.round_and_classify import rint as rint
from .ops.elementwise.round_and_classify import round as round
from .ops.elementwise.transcendental import acos as acos
from .ops.elementwise.transcendental import acosh as acosh
from .ops.elementwise.transcendental import asin as asin
from .ops.elementwise.transcendental import asinh as asinh
from .ops.elementwise.transcendental import atan as atan
from .ops.elementwise.transcendental import atan2 as atan2
from .ops.elementwise.transcendental import atanh as atanh
from .ops.elementwise.transcendental import cos as cos
from .ops.elementwise.transcendental import cosh as cosh
from .ops.elementwise.transcendental import erf as erf
from .ops.elementwise.transcendental import exp as exp
from .ops.elementwise.transcendental import expm1 as expm1
from .ops.elementwise.transcendental import log as log
from .ops.elementwise.transcendental import log1p as log1p
from .ops.elementwise.transcendental import sin as sin
from .ops.elementwise.transcendental import sinh as sinh
from .ops.elementwise.transcendental import tan as tan
from .ops.elementwise.transcendental import tanh as tanh
from .ops.index.top_k import top_k as top_k
from .ops.index.vector_sets import invert_permutation as invert_permutation
from .ops.nn.activations import log_softmax as log_softmax
from .ops.nn.activations import sigmoid as sigmoid
from .ops.nn.activations import softmax as softmax
from .ops.nn.activations import softplus as softplus
from .ops.nn.in_top_k import in_top_k as in_top_k
from .ops.nn.rectifiers import log_sigmoid as log_sigmoid
from .ops.nn.rectifiers import softsign as softsign
from .ops.reduce.argmax import argmax as argmax
from .ops.reduce.argmax import argmin as argmin
from .ops.reduce.counting import bincount as bincount
from .ops.reduce.counting import confusion_matrix as confusion_matrix
from .ops.reduce.counting import count_nonzero as count_nonzero
from .ops.reduce.counting import reduce_euclidean_norm as reduce_euclidean_norm
from .ops.reduce.cumsum import cumprod as cumprod
from .ops.reduce.cumsum import cumsum as cumsum
from .ops.reduce.moments import reduce_std as reduce_std
from .ops.reduce.moments import reduce_variance as reduce_variance
from .ops.reduce.norms import l2_normalize as l2_normalize
from .ops.reduce.norms import zero_fraction as zero_fraction
from .ops.reduce.reduce_logsumexp import reduce_logsumexp as reduce_logsumexp
from .ops.reduce.reductions import reduce_all as reduce_all
from .ops.reduce.reductions import reduce_any as reduce_any
from .ops.reduce.reductions import reduce_max as reduce_max
from .ops.reduce.reductions import reduce_mean as reduce_mean
from .ops.reduce.reductions import reduce_min as reduce_min
from .ops.reduce.reductions import reduce_prod as reduce_prod
from .ops.reduce.reductions import reduce_sum as reduce_sum
from .ops.reduce.segments import segment_max as segment_max
from .ops.reduce.segments import segment_mean as segment_mean
from .ops.reduce.segments import segment_min as segment_min
from .ops.reduce.segments import segment_prod as segment_prod
from .ops.reduce.segments import segment_sum as segment_sum
from .ops.reduce.unsorted_segments import unsorted_segment_max as unsorted_segment_max
from .ops.reduce.unsorted_segments import unsorted_segment_mean as unsorted_segment_mean
from .ops.reduce.unsorted_segments import unsorted_segment_min as unsorted_segment_min
from .ops.reduce.unsorted_segments import unsorted_segment_prod as unsorted_segment_prod
from .ops.reduce.unsorted_segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from .ops.reduce.unsorted_segments import unsorted_segment_sum as unsorted_segment_sum
from .ops.special.error_functions import erfc as erfc
from .ops.special.error_functions import erfcinv as erfcinv
from .ops.special.error_functions import erfinv as erfinv
from .ops.special.error_functions import ndtri as ndtri
from .ops.special.gamma_functions import betainc as betainc
from .ops.special.gamma_functions import digamma as digamma
from .ops.special.gamma_functions import igamma as igamma
from .ops.special.gamma_functions import igamma_grad_a as igamma_grad_a
from .ops.special.gamma_functions import igammac as igammac
from .ops.special.gamma_functions import lbeta as lbeta
from .ops.special.gamma_functions import lgamma as lgamma
from .ops.special.gamma_functions import polygamma as polygamma
from .ops.special.gamma_functions import zeta as zeta
from .ops.special.log_products import xdivy as xdivy
from .ops.special.log_products import xlog1py as xlog1py
from .ops.special.log_products import xlogy as xlogy

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "betainc", "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh", "count_nonzero",
    "cumprod", "cumsum", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp",
    "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "igamma", "igamma_grad_a", "igammac",
    "imag", "in_top_k", "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing",
    "is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal", "lgamma", "log", "log1p",
    "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum",
    "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "pow", "real",
    "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint",
    "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sigmoid", "sign", "sin", "sinh", "softmax", "softplus", "softsign", "sqrt", "square", "squared_difference",
    "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy",
    "xlog1py", "xlogy", "zero_fraction", "zeta",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
