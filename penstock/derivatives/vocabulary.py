"""Ops that gradient rules call: a rule gets this module as its first argument, `ops`.

Rules stand with their ops and call any of the others, which they could not import without circles. The signatures are
those of the top namespace.
"""

from collections.abc import Sequence as _Sequence

from ..graph.indexed_slices import IndexedSlices as IndexedSlices
from ..graph.nodes import Operation as _Operation
from ..graph.nodes import Tensor as _Tensor
from ..ops.activations import log_softmax as log_softmax
from ..ops.activations import relu as relu
from ..ops.activations import relu6 as relu6
from ..ops.activations import sigmoid as sigmoid
from ..ops.activations import softmax as softmax
from ..ops.activations import softplus as softplus
from ..ops.argmax import argmax as argmax
from ..ops.argmax import argmin as argmin
from ..ops.arithmetic import abs as abs
from ..ops.arithmetic import add as add
from ..ops.arithmetic import add_n as add_n
from ..ops.arithmetic import div as div
from ..ops.arithmetic import divide as divide
from ..ops.arithmetic import floor_div as floor_div
from ..ops.arithmetic import floordiv as floordiv
from ..ops.arithmetic import floormod as floormod
from ..ops.arithmetic import maximum as maximum
from ..ops.arithmetic import minimum as minimum
from ..ops.arithmetic import mod as mod
from ..ops.arithmetic import mul as mul
from ..ops.arithmetic import multiply as multiply
from ..ops.arithmetic import neg as neg
from ..ops.arithmetic import negative as negative
from ..ops.arithmetic import pow as pow
from ..ops.arithmetic import reciprocal as reciprocal
from ..ops.arithmetic import rsqrt as rsqrt
from ..ops.arithmetic import sign as sign
from ..ops.arithmetic import sqrt as sqrt
from ..ops.arithmetic import square as square
from ..ops.arithmetic import squared_difference as squared_difference
from ..ops.arithmetic import sub as sub
from ..ops.arithmetic import subtract as subtract
from ..ops.arithmetic import truediv as truediv
from ..ops.as_string import as_string as as_string
from ..ops.broadcast_gradient_args import broadcast_gradient_args as broadcast_gradient_args
from ..ops.broadcasting import broadcast_to as broadcast_to
from ..ops.broadcasting import meshgrid as meshgrid
from ..ops.casting import cast as cast
from ..ops.casting import to_bfloat16 as to_bfloat16
from ..ops.casting import to_double as to_double
from ..ops.casting import to_float as to_float
from ..ops.casting import to_int32 as to_int32
from ..ops.casting import to_int64 as to_int64
from ..ops.comparison import equal as equal
from ..ops.comparison import greater as greater
from ..ops.comparison import greater_equal as greater_equal
from ..ops.comparison import less as less
from ..ops.comparison import less_equal as less_equal
from ..ops.comparison import not_equal as not_equal
from ..ops.complex_parts import complex as complex
from ..ops.complex_parts import conj as conj
from ..ops.complex_parts import imag as imag
from ..ops.complex_parts import real as real
from ..ops.concat_stack import concat as concat
from ..ops.concat_stack import pack as pack
from ..ops.concat_stack import stack as stack
from ..ops.constant_and_placeholder import constant as constant
from ..ops.constant_and_placeholder import convert_to_tensor as convert_to_tensor
from ..ops.constant_and_placeholder import placeholder as placeholder
from ..ops.constant_and_placeholder import placeholder_with_default as placeholder_with_default
from ..ops.control import group as group
from ..ops.control import identity as identity
from ..ops.control import no_op as no_op
from ..ops.control import stop_gradient as stop_gradient
from ..ops.creation import fill as fill
from ..ops.creation import ones as ones
from ..ops.creation import ones_like as ones_like
from ..ops.creation import zeros as zeros
from ..ops.creation import zeros_like as zeros_like
from ..ops.cross import cross as cross
from ..ops.cumsum import cumprod as cumprod
from ..ops.cumsum import cumsum as cumsum
from ..ops.decode_csv import decode_csv as decode_csv
from ..ops.diagonals import diag as diag
from ..ops.diagonals import diag_part as diag_part
from ..ops.diagonals import eye as eye
from ..ops.dynamic_partition import dynamic_partition as dynamic_partition
from ..ops.dynamic_partition import dynamic_stitch as dynamic_stitch
from ..ops.dynamic_partition import parallel_dynamic_stitch as parallel_dynamic_stitch
from ..ops.einsum import einsum as einsum
from ..ops.gathering import boolean_mask as boolean_mask
from ..ops.gathering import gather as gather
from ..ops.gathering import gather_nd as gather_nd
from ..ops.getitem import newaxis as newaxis
from ..ops.getitem_gradient import placed_at_index as placed_at_index
from ..ops.histogram import histogram_fixed_width as histogram_fixed_width
from ..ops.logical import bitwise_and as bitwise_and
from ..ops.logical import bitwise_or as bitwise_or
from ..ops.logical import bitwise_xor as bitwise_xor
from ..ops.logical import invert as invert
from ..ops.logical import logical_and as logical_and
from ..ops.logical import logical_not as logical_not
from ..ops.logical import logical_or as logical_or
from ..ops.logical import logical_xor as logical_xor
from ..ops.matmul import matmul as matmul
from ..ops.moments import moments as moments
from ..ops.moments import reduce_std as reduce_std
from ..ops.moments import reduce_variance as reduce_variance
from ..ops.multiplex import multiplex as multiplex
from ..ops.no_nan import div_no_nan as div_no_nan
from ..ops.no_nan import multiply_no_nan as multiply_no_nan
from ..ops.one_hot import one_hot as one_hot
from ..ops.range_linspace import linspace as linspace
from ..ops.range_linspace import range as range
from ..ops.rectifier_gradients import leaky_relu_grad as leaky_relu_grad
from ..ops.rectifier_gradients import relu6_grad as relu6_grad
from ..ops.rectifier_gradients import relu_grad as relu_grad
from ..ops.reduce_logsumexp import reduce_logsumexp as reduce_logsumexp
from ..ops.reductions import reduce_all as reduce_all
from ..ops.reductions import reduce_any as reduce_any
from ..ops.reductions import reduce_max as reduce_max
from ..ops.reductions import reduce_mean as reduce_mean
from ..ops.reductions import reduce_min as reduce_min
from ..ops.reductions import reduce_prod as reduce_prod
from ..ops.reductions import reduce_sum as reduce_sum
from ..ops.reshaping import expand_dims as expand_dims
from ..ops.reshaping import reshape as reshape
from ..ops.reshaping import squeeze as squeeze
from ..ops.rolling import roll as roll
from ..ops.round_and_classify import ceil as ceil
from ..ops.round_and_classify import floor as floor
from ..ops.round_and_classify import is_finite as is_finite
from ..ops.round_and_classify import is_inf as is_inf
from ..ops.round_and_classify import is_nan as is_nan
from ..ops.round_and_classify import rint as rint
from ..ops.round_and_classify import round as round
from ..ops.scatter import scatter_nd as scatter_nd
from ..ops.scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
from ..ops.scatter import tensor_scatter_update as tensor_scatter_update
from ..ops.searchsorted import searchsorted as searchsorted
from ..ops.segments import segment_max as segment_max
from ..ops.segments import segment_mean as segment_mean
from ..ops.segments import segment_min as segment_min
from ..ops.segments import segment_prod as segment_prod
from ..ops.segments import segment_sum as segment_sum
from ..ops.select_where import clip_by_value as clip_by_value
from ..ops.select_where import select as select
from ..ops.select_where import where as where
from ..ops.sequence_mask import sequence_mask as sequence_mask
from ..ops.shape_size_rank import rank as rank
from ..ops.shape_size_rank import shape as shape
from ..ops.shape_size_rank import size as size
from ..ops.slicing import slice as slice
from ..ops.slicing import split as split
from ..ops.slicing import unpack as unpack
from ..ops.sorting import argsort as argsort
from ..ops.sorting import sort as sort
from ..ops.split_sizes import split_sizes as split_sizes
from ..ops.string_split_join import string_join as string_join
from ..ops.string_split_join import string_split as string_split
from ..ops.string_to_number import string_to_number as string_to_number
from ..ops.tile_pad import pad as pad
from ..ops.tile_pad import tile as tile
from ..ops.top_k import top_k as top_k
from ..ops.transcendental import acos as acos
from ..ops.transcendental import acosh as acosh
from ..ops.transcendental import asin as asin
from ..ops.transcendental import asinh as asinh
from ..ops.transcendental import atan as atan
from ..ops.transcendental import atan2 as atan2
from ..ops.transcendental import atanh as atanh
from ..ops.transcendental import cos as cos
from ..ops.transcendental import cosh as cosh
from ..ops.transcendental import erf as erf
from ..ops.transcendental import exp as exp
from ..ops.transcendental import expm1 as expm1
from ..ops.transcendental import log as log
from ..ops.transcendental import log1p as log1p
from ..ops.transcendental import sin as sin
from ..ops.transcendental import sinh as sinh
from ..ops.transcendental import tan as tan
from ..ops.transcendental import tanh as tanh
from ..ops.transpose_reverse import reverse as reverse
from ..ops.transpose_reverse import reverse_sequence as reverse_sequence
from ..ops.transpose_reverse import transpose as transpose
from ..ops.unique import unique as unique
from ..ops.unsorted_segments import unsorted_segment_max as unsorted_segment_max
from ..ops.unsorted_segments import unsorted_segment_mean as unsorted_segment_mean
from ..ops.unsorted_segments import unsorted_segment_min as unsorted_segment_min
from ..ops.unsorted_segments import unsorted_segment_prod as unsorted_segment_prod
from ..ops.unsorted_segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from ..ops.unsorted_segments import unsorted_segment_sum as unsorted_segment_sum


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
