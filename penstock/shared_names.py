"""The public names that `penstock` and `penstock.compat.v1` share, written once; each adds its own to these."""

from . import config, errors
from .graph.context_functions import control_dependencies, device, name_scope
from .graph.default_graph import get_default_graph, reset_default_graph
from .graph.diagnostics.error_report import MistakeWarning
from .graph.diagnostics.shape_provenance import explain_shape
from .graph.diagnostics.unknown_dims import why_unknown
from .graph.dimension import Dimension
from .graph.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .graph.dtypes import bool_ as bool
from .graph.nodes import Graph, Operation, Tensor
from .graph.shape import TensorShape
from .graph.sparse_tensor import SparseTensor, SparseTensorValue
from .interchange.graph_files import load_graph, load_graphdef, save_graph
from .ops.activations import log_softmax, relu, relu6, sigmoid, softmax, softplus
from .ops.argmax import argmax, argmin
from .ops.arithmetic import (
    abs,
    add,
    add_n,
    div,
    divide,
    floor_div,
    floordiv,
    floormod,
    maximum,
    minimum,
    mod,
    mul,
    multiply,
    neg,
    negative,
    pow,
    reciprocal,
    rsqrt,
    sign,
    sqrt,
    square,
    squared_difference,
    sub,
    subtract,
    truediv,
)
from .ops.casting import cast, to_bfloat16, to_double, to_float, to_int32, to_int64
from .ops.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from .ops.concat_stack import pack
from .ops.constant_and_placeholder import constant, convert_to_tensor, placeholder, placeholder_with_default
from .ops.control import group, identity, no_op, stop_gradient
from .ops.creation import fill, ones, ones_like, zeros, zeros_like
from .ops.cumsum import cumprod, cumsum
from .ops.dynamic_partition import dynamic_partition, dynamic_stitch, parallel_dynamic_stitch
from .ops.gathering import boolean_mask, gather_nd
from .ops.getitem import newaxis
from .ops.logical import bitwise_and, bitwise_or, bitwise_xor, invert, logical_and, logical_not, logical_or, logical_xor
from .ops.matmul import matmul
from .ops.multiplex import multiplex
from .ops.one_hot import one_hot
from .ops.range_linspace import linspace, range
from .ops.reduce_logsumexp import reduce_logsumexp
from .ops.reductions import reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from .ops.reshaping import reshape
from .ops.round_and_classify import ceil, floor, is_finite, is_inf, is_nan, rint, round
from .ops.scatter import scatter_nd, tensor_scatter_nd_update, tensor_scatter_update
from .ops.select_where import clip_by_value, select, where
from .ops.shape_size_rank import rank
from .ops.slicing import slice, unpack
from .ops.string_to_number import string_to_number
from .ops.tile_pad import pad, tile
from .ops.transcendental import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    log,
    log1p,
    sin,
    sinh,
    tan,
    tanh,
)
from .ops.transpose_reverse import transpose
from .ops.unique import unique
from .runtime.arguments.feed_values import LossyFeedWarning
from .runtime.backends import list_devices
from .runtime.base.progress import progress_bar
from .runtime.base.session_config import RunOptions, SessionConfig
from .runtime.base.watch import Watch
from .runtime.observe.run_metadata import RunMetadata
from .runtime.observe.run_record import RunRecord
from .runtime.session.default_session import InteractiveSession, get_default_session
from .runtime.session.graph_growth import GrowthWarning
from .runtime.session.session import Session

__all__ = [
    "DType",
    "Dimension",
    "Graph",
    "GrowthWarning",
    "InteractiveSession",
    "LossyFeedWarning",
    "MistakeWarning",
    "Operation",
    "RunMetadata",
    "RunOptions",
    "RunRecord",
    "Session",
    "SessionConfig",
    "SparseTensor",
    "SparseTensorValue",
    "Tensor",
    "TensorShape",
    "Watch",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "as_dtype",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bool",
    "boolean_mask",
    "cast",
    "ceil",
    "clip_by_value",
    "config",
    "complex128",
    "complex64",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "device",
    "div",
    "divide",
    "dynamic_partition",
    "dynamic_stitch",
    "equal",
    "erf",
    "errors",
    "exp",
    "explain_shape",
    "expm1",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "gather_nd",
    "get_default_graph",
    "get_default_session",
    "greater",
    "greater_equal",
    "group",
    "identity",
    "int16",
    "int32",
    "int64",
    "int8",
    "invert",
    "is_finite",
    "is_inf",
    "is_nan",
    "less",
    "less_equal",
    "linspace",
    "list_devices",
    "load_graph",
    "load_graphdef",
    "log",
    "log1p",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "multiplex",
    "multiply",
    "name_scope",
    "neg",
    "negative",
    "newaxis",
    "no_op",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "pack",
    "pad",
    "parallel_dynamic_stitch",
    "placeholder",
    "placeholder_with_default",
    "pow",
    "progress_bar",
    "range",
    "rank",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "relu6",
    "reset_default_graph",
    "reshape",
    "rint",
    "round",
    "rsqrt",
    "save_graph",
    "scatter_nd",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "slice",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "squared_difference",
    "stop_gradient",
    "string",
    "string_to_number",
    "sub",
    "subtract",
    "tan",
    "tanh",
    "tensor_scatter_nd_update",
    "tensor_scatter_update",
    "tile",
    "to_bfloat16",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "transpose",
    "truediv",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unpack",
    "where",
    "why_unknown",
    "zeros",
    "zeros_like",
]
