"""Ops that gradient rules call: a rule gets this module as its first argument, `ops`.

Rules stand with their ops and call any of the others, which they could not import without circles. The signatures are
those of the top namespace.
"""

from collections.abc import Sequence as _Sequence

from ..graph.model.indexed_slices import IndexedSlices as IndexedSlices
from ..graph.model.nodes import Operation as _Operation
from ..graph.model.nodes import Tensor as _Tensor
from ..ops.control.control import group as group
from ..ops.control.control import identity as identity
from ..ops.control.control import no_op as no_op
from ..ops.control.control import stop_gradient as stop_gradient
from ..ops.create.constant_and_placeholder import constant as constant
from ..ops.create.constant_and_placeholder import convert_to_tensor as convert_to_tensor
from ..ops.create.constant_and_placeholder import placeholder as placeholder
from ..ops.create.constant_and_placeholder import placeholder_with_default as placeholder_with_default
from ..ops.create.creation import fill as fill
from ..ops.create.creation import ones as ones
from ..ops.create.creation import ones_like as ones_like
from ..ops.create.creation import zeros as zeros
from ..ops.create.creation import zeros_like as zeros_like
from ..ops.create.one_hot import one_hot as one_hot
from ..ops.create.range_linspace import linspace as linspace
from ..ops.create.range_linspace import range as range
from ..ops.create.sequence_mask import sequence_mask as sequence_mask
from ..ops.create.shape_size_rank import rank as rank
from ..ops.create.shape_size_rank import shape as shape
from ..ops.create.shape_size_rank import size as size
from ..ops.elementwise.arithmetic import abs as abs
from ..ops.elementwise.arithmetic import add as add
from ..ops.elementwise.arithmetic import add_n as add_n
from ..ops.elementwise.arithmetic import div as div
from ..ops.elementwise.arithmetic import divide as divide
from ..ops.elementwise.arithmetic import floor_div as floor_div
from ..ops.elementwise.arithmetic import floordiv as floordiv
from ..ops.elementwise.arithmetic import floormod as floormod
from ..ops.elementwise.arithmetic import maximum as maximum
from ..ops.elementwise.arithmetic import minimum as minimum
from ..ops.elementwise.arithmetic import mod as mod
from ..ops.elementwise.arithmetic import mul as mul
from ..ops.elementwise.arithmetic import multiply as multiply
from ..ops.elementwise.arithmetic import neg as neg
from ..ops.elementwise.arithmetic import negative as negative
from ..ops.elementwise.arithmetic import pow as pow
from ..ops.elementwise.arithmetic import reciprocal as reciprocal
from ..ops.elementwise.arithmetic import rsqrt as rsqrt
from ..ops.elementwise.arithmetic import sign as sign
from ..ops.elementwise.arithmetic import sqrt as sqrt
from ..ops.elementwise.arithmetic import square as square
from ..ops.elementwise.arithmetic import squared_difference as squared_difference
from ..ops.elementwise.arithmetic import sub as sub
from ..ops.elementwise.arithmetic import subtract as subtract
from ..ops.elementwise.arithmetic import truediv as truediv
from ..ops.elementwise.casting import cast as cast
from ..ops.elementwise.casting import to_bfloat16 as to_bfloat16
from ..ops.elementwise.casting import to_double as to_double
from ..ops.elementwise.casting import to_float as to_float
from ..ops.elementwise.casting import to_int32 as to_int32
from ..ops.elementwise.casting import to_int64 as to_int64
from ..ops.elementwise.comparison import equal as equal
from ..ops.elementwise.comparison import greater as greater
from ..ops.elementwise.comparison import greater_equal as greater_equal
from ..ops.elementwise.comparison import less as less
from ..ops.elementwise.comparison import less_equal as less_equal
from ..ops.elementwise.comparison import not_equal as not_equal
from ..ops.elementwise.complex_parts import complex as complex
from ..ops.elementwise.complex_parts import conj as conj
from ..ops.elementwise.complex_parts import imag as imag
from ..ops.elementwise.complex_parts import real as real
from ..ops.elementwise.logical import bitwise_and as bitwise_and
from ..ops.elementwise.logical import bitwise_or as bitwise_or
from ..ops.elementwise.logical import bitwise_xor as bitwise_xor
from ..ops.elementwise.logical import invert as invert
from ..ops.elementwise.logical import logical_and as logical_and
from ..ops.elementwise.logical import logical_not as logical_not
from ..ops.elementwise.logical import logical_or as logical_or
from ..ops.elementwise.logical import logical_xor as logical_xor
from ..ops.elementwise.no_nan import div_no_nan as div_no_nan
from ..ops.elementwise.no_nan import multiply_no_nan as multiply_no_nan
from ..ops.elementwise.round_and_classify import ceil as ceil
from ..ops.elementwise.round_and_classify import floor as floor
from ..ops.elementwise.round_and_classify import is_finite as is_finite
from ..ops.elementwise.round_and_classify import is_inf as is_inf
from ..ops.elementwise.round_and_classify import is_nan as is_nan
from ..ops.elementwise.round_and_classify import rint as rint
from ..ops.elementwise.round_and_classify import round as round
from ..ops.elementwise.select_where import clip_by_value as clip_by_value
from ..ops.elementwise.select_where import select as select
from ..ops.elementwise.select_where import where as where
from ..ops.elementwise.transcendental import acos as acos
from ..ops.elementwise.transcendental import acosh as acosh
from ..ops.elementwise.transcendental import asin as asin
from ..ops.elementwise.transcendental import asinh as asinh
from ..ops.elementwise.transcendental import atan as atan
from ..ops.elementwise.transcendental import atan2 as atan2
from ..ops.elementwise.transcendental import atanh as atanh
from ..ops.elementwise.transcendental import cos as cos
from ..ops.elementwise.transcendental import cosh as cosh
from ..ops.elementwise.transcendental import erf as erf
from ..ops.elementwise.transcendental import exp as exp
from ..ops.elementwise.transcendental import expm1 as expm1
from ..ops.elementwise.transcendental import log as log
from ..ops.elementwise.transcendental import log1p as log1p
from ..ops.elementwise.transcendental import sin as sin
from ..ops.elementwise.transcendental import sinh as sinh
from ..ops.elementwise.transcendental import tan as tan
from ..ops.elementwise.transcendental import tanh as tanh
from ..ops.index.dynamic_partition import dynamic_partition as dynamic_partition
from ..ops.index.dynamic_partition import dynamic_stitch as dynamic_stitch
from ..ops.index.dynamic_partition import parallel_dynamic_stitch as parallel_dynamic_stitch
from ..ops.index.gathering import boolean_mask as boolean_mask
from ..ops.index.gathering import gather as gather
from ..ops.index.gathering import gather_nd as gather_nd
from ..ops.index.multiplex import multiplex as multiplex
from ..ops.index.scatter import scatter_nd as scatter_nd
from ..ops.index.scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
from ..ops.index.scatter import tensor_scatter_update as tensor_scatter_update
from ..ops.index.searchsorted import searchsorted as searchsorted
from ..ops.index.sorting import argsort as argsort
from ..ops.index.sorting import sort as sort
from ..ops.index.top_k import top_k as top_k
from ..ops.index.unique import unique as unique
from ..ops.linalg.cross import cross as cross
from ..ops.linalg.diagonals import diag as diag
from ..ops.linalg.diagonals import diag_part as diag_part
from ..ops.linalg.diagonals import eye as eye
from ..ops.linalg.einsum import einsum as einsum
from ..ops.linalg.matmul import matmul as matmul
from ..ops.linalg.matrix_bands import matrix_band_part as matrix_band_part
from ..ops.linalg.matrix_parts import matrix_diag as matrix_diag
from ..ops.linalg.matrix_parts import matrix_diag_part as matrix_diag_part
from ..ops.linalg.matrix_parts import matrix_set_diag as matrix_set_diag
from ..ops.linalg.solvers import matrix_triangular_solve as matrix_triangular_solve
from ..ops.move.broadcast_gradient_args import broadcast_gradient_args as broadcast_gradient_args
from ..ops.move.broadcasting import broadcast_to as broadcast_to
from ..ops.move.broadcasting import meshgrid as meshgrid
from ..ops.move.concat_stack import concat as concat
from ..ops.move.concat_stack import pack as pack
from ..ops.move.concat_stack import stack as stack
from ..ops.move.getitem import newaxis as newaxis
from ..ops.move.getitem_gradient import placed_at_index as placed_at_index
from ..ops.move.reshaping import expand_dims as expand_dims
from ..ops.move.reshaping import reshape as reshape
from ..ops.move.reshaping import squeeze as squeeze
from ..ops.move.rolling import roll as roll
from ..ops.move.slicing import slice as slice
from ..ops.move.slicing import split as split
from ..ops.move.slicing import unpack as unpack
from ..ops.move.split_sizes import split_sizes as split_sizes
from ..ops.move.tile_pad import pad as pad
from ..ops.move.tile_pad import tile as tile
from ..ops.move.transpose_reverse import reverse as reverse
from ..ops.move.transpose_reverse import reverse_sequence as reverse_sequence
from ..ops.move.transpose_reverse import transpose as transpose
from ..ops.nn.activations import log_softmax as log_softmax
from ..ops.nn.activations import relu as relu
from ..ops.nn.activations import relu6 as relu6
from ..ops.nn.activations import sigmoid as sigmoid
from ..ops.nn.activations import softmax as softmax
from ..ops.nn.activations import softplus as softplus
from ..ops.nn.rectifier_gradients import leaky_relu_grad as leaky_relu_grad
from ..ops.nn.rectifier_gradients import relu6_grad as relu6_grad
from ..ops.nn.rectifier_gradients import relu_grad as relu_grad
from ..ops.reduce.argmax import argmax as argmax
from ..ops.reduce.argmax import argmin as argmin
from ..ops.reduce.cumsum import cumprod as cumprod
from ..ops.reduce.cumsum import cumsum as cumsum
from ..ops.reduce.histogram import histogram_fixed_width as histogram_fixed_width
from ..ops.reduce.moments import moments as moments
from ..ops.reduce.moments import reduce_std as reduce_std
from ..ops.reduce.moments import reduce_variance as reduce_variance
from ..ops.reduce.reduce_logsumexp import reduce_logsumexp as reduce_logsumexp
from ..ops.reduce.reductions import reduce_all as reduce_all
from ..ops.reduce.reductions import reduce_any as reduce_any
from ..ops.reduce.reductions import reduce_max as reduce_max
from ..ops.reduce.reductions import reduce_mean as reduce_mean
from ..ops.reduce.reductions import reduce_min as reduce_min
from ..ops.reduce.reductions import reduce_prod as reduce_prod
from ..ops.reduce.reductions import reduce_sum as reduce_sum
from ..ops.reduce.segments import segment_max as segment_max
from ..ops.reduce.segments import segment_mean as segment_mean
from ..ops.reduce.segments import segment_min as segment_min
from ..ops.reduce.segments import segment_prod as segment_prod
from ..ops.reduce.segments import segment_sum as segment_sum
from ..ops.reduce.unsorted_segments import unsorted_segment_max as unsorted_segment_max
from ..ops.reduce.unsorted_segments import unsorted_segment_mean as unsorted_segment_mean
from ..ops.reduce.unsorted_segments import unsorted_segment_min as unsorted_segment_min
from ..ops.reduce.unsorted_segments import unsorted_segment_prod as unsorted_segment_prod
from ..ops.reduce.unsorted_segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from ..ops.reduce.unsorted_segments import unsorted_segment_sum as unsorted_segment_sum
from ..ops.special.gamma_functions import digamma as digamma
from ..ops.special.gamma_functions import igamma_grad_a as igamma_grad_a
from ..ops.special.gamma_functions import lgamma as lgamma
from ..ops.special.gamma_functions import polygamma as polygamma
from ..ops.special.gamma_functions import zeta as zeta
from ..ops.special.log_products import xdivy as xdivy
from ..ops.special.log_products import xlog1py as xlog1py
from ..ops.special.log_products import xlogy as xlogy
from ..ops.text.as_string import as_string as as_string
from ..ops.text.decode_csv import decode_csv as decode_csv
from ..ops.text.string_split_join import string_join as string_join
from ..ops.text.string_split_join import string_split as string_split
from ..ops.text.string_to_number import string_to_number as string_to_number


def log_or_zero(x: _Tensor) -> _Tensor:
    """log(x), and 0 where that is no number: where x is 0 or, of real numbers, below."""
    holds = not_equal(x, zeros_like(x)) if x.dtype.is_complex else x > 0.0
    return where(holds, log(where(holds, x, ones_like(x))), zeros_like(x))


def slope_of_sign(x: _Tensor, out: _Tensor, g: _Tensor) -> _Tensor:
    """The part of `g` across the direction of the complex number x, over |x|; 0 where x is 0."""
    size = abs(x)
    across = g - out * cast(real(conj(out) * g), g.dtype)
    return where(size > 0.0, across / cast(where(size > 0.0, size, ones_like(size)), g.dtype), zeros_like(g))


def placed_along_last(values: _Tensor, places: _Tensor, like: _Tensor) -> _Tensor:
    """A tensor of the shape of `like`: `values` at `places` along the last dimension, and 0 elsewhere."""
    sizes = shape(like)
    length = sizes[-1]
    rows = reshape(places, pack([-1, shape(places)[-1]]))
    starts = range(0, shape(rows)[0]) * length
    flat = reshape(rows + expand_dims(starts, 1), [-1, 1])
    return reshape(scatter_nd(flat, reshape(values, [-1]), pack([reduce_prod(sizes)])), sizes)


def or_zeros(op: _Operation, gradients: _Sequence[_Tensor | None]) -> list[_Tensor]:
    """The gradients of the outputs of `op`; zeros where nothing comes in."""
    return [zeros_like(out) if g is None else g for out, g in zip(op.outputs, gradients, strict=True)]


def scattered(indices: _Tensor, rows: _Tensor, like: _Tensor) -> _Tensor:
    """A tensor of the shape of `like`: `rows` added up at `indices`, as in `scatter_nd`, and 0 elsewhere."""
    return scatter_nd(indices, rows, cast(shape(like), indices.dtype))
