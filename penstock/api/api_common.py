"""The public names that `penstock` and `penstock.compat.v1` share, written once; each adds its own to these."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .. import errors as errors
from ..graph.building.context_functions import (
    colocate_with, container, control_dependencies, device, init_scope, name_scope, op_scope,
)
from ..graph.building.registered_conversions import register_tensor_conversion_function
from ..graph.building.tensor_kinds import assert_proper_iterable, assert_same_float_dtype, is_numeric_tensor
from ..graph.declare.gradient_registry import NoGradient, NotDifferentiable, RegisterGradient
from ..graph.devices.device_spec import DeviceSpec
from ..graph.diagnostics.shape_provenance import explain_shape
from ..graph.diagnostics.unknown_dims import why_unknown
from ..graph.model.default_graph import get_default_graph, reset_default_graph
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.indexed_slices import IndexedSlices, IndexedSlicesValue
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.seed_functions import get_seed, set_random_seed
from ..graph.model.sparse_tensor import SparseTensor, SparseTensorValue
from ..graph.shapes.dimension import Dimension
from ..graph.shapes.dtypes import (
    DType, as_dtype, bfloat16, bool_ as _bool, complex64, complex128, float16, float32, float64, int8, int16, int32,
    int64, string, uint8, uint16, uint32, uint64, variant,
)
from ..graph.shapes.shape import TensorShape
from ..ops.checks.assert_elements import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
)
from ..ops.checks.assert_kinds import (
    assert_integer, assert_rank, assert_rank_at_least, assert_rank_in, assert_scalar, assert_type, ensure_shape,
)
from ..ops.checks.assertion import Assert
from ..ops.checks.check_numerics import add_check_numerics_ops, check_numerics, verify_tensor_all_finite
from ..ops.checks.value_predicates import is_non_decreasing, is_strictly_increasing
from ..ops.control.control import group, identity, no_op, stop_gradient
from ..ops.control.identity_ops import identity_n
from ..ops.control.python_function import numpy_function, py_func
from ..ops.control.with_dependencies import tuple, with_dependencies
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor, placeholder, placeholder_with_default
from ..ops.create.creation import fill, ones, ones_like, zeros, zeros_like
from ..ops.create.one_hot import one_hot
from ..ops.create.range_linspace import linspace, range
from ..ops.create.sequence_mask import sequence_mask
from ..ops.create.shape_size_rank import rank
from ..ops.elementwise.arithmetic import (
    abs, add, add_n, div, divide, floor_div, floordiv, floormod, maximum, minimum, mod, mul, multiply, neg, negative,
    pow, reciprocal, rsqrt, sign, sqrt, square, squared_difference, sub, subtract, truediv,
)
from ..ops.elementwise.casting import cast, to_bfloat16, to_double, to_float, to_int32, to_int64
from ..ops.elementwise.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from ..ops.elementwise.complex_parts import complex, conj, imag, real
from ..ops.elementwise.logical import (
    bitwise_and, bitwise_or, bitwise_xor, invert, logical_and, logical_not, logical_or, logical_xor,
)
from ..ops.elementwise.no_nan import div_no_nan, multiply_no_nan
from ..ops.elementwise.round_and_classify import ceil, floor, is_finite, is_inf, is_nan, rint, round
from ..ops.elementwise.select_where import clip_by_value, select, where
from ..ops.elementwise.transcendental import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, erf, exp, expm1, log, log1p, sin, sinh, tan, tanh,
)
from ..ops.index.dynamic_partition import dynamic_partition, dynamic_stitch, parallel_dynamic_stitch
from ..ops.index.gathering import boolean_mask
from ..ops.index.multiplex import multiplex
from ..ops.index.repeating import repeat
from ..ops.index.scatter import scatter_nd, tensor_scatter_nd_update, tensor_scatter_update
from ..ops.index.searchsorted import searchsorted
from ..ops.index.sorting import argsort, sort
from ..ops.index.top_k import top_k
from ..ops.index.unique import unique
from ..ops.linalg.cross import cross
from ..ops.linalg.diagonals import diag, diag_part, eye
from ..ops.linalg.einsum import einsum
from ..ops.linalg.matmul import matmul
from ..ops.linalg.qr import qr
from ..ops.move.broadcasting import broadcast_to, meshgrid
from ..ops.move.concat_stack import pack
from ..ops.move.getitem import newaxis
from ..ops.move.reshaping import reshape
from ..ops.move.rolling import roll
from ..ops.move.slicing import slice, unpack
from ..ops.move.tile_pad import tile
from ..ops.nn.activations import log_softmax, relu, relu6, sigmoid, softmax, softplus
from ..ops.nn.clipping import clip_by_average_norm, clip_by_global_norm, clip_by_norm, global_norm
from ..ops.nn.rectifiers import log_sigmoid
from ..ops.random.multinomial import multinomial
from ..ops.random.random_api import random_normal, random_uniform, truncated_normal
from ..ops.random.random_gamma import random_gamma
from ..ops.random.random_poisson import random_poisson
from ..ops.random.random_shuffle import random_crop, random_shuffle
from ..ops.records.file_ops import matching_files, read_file, write_file
from ..ops.records.raw_bytes import decode_compressed, decode_raw
from ..ops.records.tensor_bytes import parse_tensor, serialize_tensor
from ..ops.reduce.argmax import argmax, argmin
from ..ops.reduce.cumsum import cumprod, cumsum
from ..ops.reduce.histogram import histogram_fixed_width
from ..ops.reduce.moments import moments, reduce_std, reduce_variance
from ..ops.reduce.reduce_logsumexp import reduce_logsumexp
from ..ops.reduce.reductions import reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from ..ops.reduce.segments import segment_max, segment_mean, segment_min, segment_prod, segment_sum
from ..ops.reduce.unsorted_segments import (
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from ..ops.text.as_string import as_string
from ..ops.text.print_template import print
from ..ops.text.printing import Print
from ..ops.text.string_split_join import string_join, string_split
from ..ops.text.string_to_number import string_to_number
from ..variables.assigning import assign, assign_add, assign_sub
from ..variables.constant_initializers import constant_initializer, ones_initializer, zeros_initializer
from ..variables.get_variable import get_local_variable, get_variable
from ..variables.graph_keys import GraphKeys
from ..variables.partitioned_lists import create_partitioned_variables
from ..variables.partitioned_variable import PartitionedVariable
from ..variables.partitioners import (
    fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner,
)
from ..variables.random_initializers import (
    glorot_normal_initializer, glorot_uniform_initializer, orthogonal_initializer, random_normal_initializer,
    random_uniform_initializer, truncated_normal_initializer, uniform_unit_scaling_initializer,
    variance_scaling_initializer,
)
from ..variables.scattering import (
    scatter_add, scatter_div, scatter_max, scatter_min, scatter_mul, scatter_nd_add, scatter_nd_sub,
    scatter_nd_update, scatter_sub, scatter_update,
)
from ..variables.variable import Variable, is_variable_initialized
from ..variables.variable_lists import (
    add_to_collection, add_to_collections, all_variables, assert_variables_initialized, get_collection,
    get_collection_ref, get_variable_scope, global_variables, global_variables_initializer,
    initialize_all_variables, initialize_local_variables, initialize_variables, local_variables,
    local_variables_initializer, model_variables, moving_average_variables, report_uninitialized_variables,
    tables_initializer, trainable_variables, variables_initializer,
)
from ..variables.variable_scope_block import variable_op_scope, variable_scope
from ..variables.variable_scope_object import AUTO_REUSE, VariableScope

bool = _bool

if _TYPE_CHECKING:
    from .imported_later import *  # noqa: F403  # it holds nothing else
