"""Penstock, a lazy computation-graph engine: nothing flows until you open the gate.

>>> import penstock as tf
>>> with tf.Graph().as_default():
...     x = tf.placeholder(tf.float32, ["batch", 3], name="x")
...     y = x + 1.0
>>> y.shape
TensorShape((batch, 3))
"""

from . import config, errors
from .absent import tell_what_is_absent as _tell_what_is_absent
from .at_exit import show_at_exit as _show_at_exit
from .graph.builder import build as _build
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
from .graph.dtypes import (
    bool_ as bool,
)
from .graph.hooks import hooks as _hooks
from .graph.nodes import Graph, Operation, Tensor
from .graph.shape import TensorShape
from .graph.sparse_tensor import SparseTensor, SparseTensorValue
from .interchange.graph_files import load_graph, load_graphdef, save_graph
from .lazy_imports import cost as _cost
from .lazy_imports import diff as _diff
from .lazy_imports import export as _export
from .lazy_imports import markup as _markup
from .lazy_imports import summary as _summary
from .lazy_imports import to_networkx as _to_networkx
from .ops.activations import log_softmax, relu, relu6, sigmoid, softmax, softplus
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
from .ops.concat_stack import concat, pack, stack
from .ops.constant_and_placeholder import constant, convert_to_tensor, placeholder, placeholder_with_default
from .ops.control import group, identity, no_op, stop_gradient
from .ops.creation import fill, ones, ones_like, zeros, zeros_like
from .ops.dynamic_partition import dynamic_partition, dynamic_stitch, parallel_dynamic_stitch
from .ops.extending import pad, tile
from .ops.gathering import boolean_mask, gather, gather_nd
from .ops.getitem import Index as _Index
from .ops.getitem import IndexOperand as _IndexOperand
from .ops.getitem import Span as _Span
from .ops.getitem import newaxis
from .ops.linalg import matmul
from .ops.logical import bitwise_and, bitwise_or, bitwise_xor, invert, logical_and, logical_not, logical_or, logical_xor
from .ops.multiplex import multiplex
from .ops.numpy_functions import FUNCTIONS as _numpy_functions
from .ops.one_hot import one_hot
from .ops.permuting import reverse, reverse_sequence, transpose
from .ops.range_linspace import linspace, range
from .ops.reduce_logsumexp import reduce_logsumexp
from .ops.reductions import reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from .ops.reshaping import expand_dims, reshape, squeeze
from .ops.round_and_classify import ceil, floor, is_finite, is_inf, is_nan, rint, round
from .ops.scans import argmax, argmin, cumprod, cumsum
from .ops.scatter import scatter_nd, tensor_scatter_nd_update, tensor_scatter_update
from .ops.select import clip_by_value, select, where
from .ops.shapes import rank, shape, size
from .ops.slicing import slice, split, unpack
from .ops.strings import string_to_number
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
from .ops.unique import unique
from .runtime.arguments.feed_values import LossyFeedWarning
from .runtime.backends import list_devices
from .runtime.base.progress import progress_bar
from .runtime.base.session_config import RunOptions, SessionConfig
from .runtime.base.watch import Watch
from .runtime.observe.run_metadata import RunMetadata
from .runtime.observe.run_record import RunRecord
from .runtime.planning.placement import has_backend as _has_backend
from .runtime.session.default_session import InteractiveSession, get_default_session
from .runtime.session.default_session import evaluate_in_default as _evaluate
from .runtime.session.graph_growth import GrowthWarning
from .runtime.session.session import Session

_hooks.numpy_functions.update(_numpy_functions)
_hooks.records.update(Index=_Index, Slot=_IndexOperand, Span=_Span)
_hooks.fill(build=_build, evaluate=_evaluate, export=_export, markup=_markup, cost=_cost, summary=_summary, diff=_diff,
            to_networkx=_to_networkx, explain_shape=explain_shape, has_backend=_has_backend)  # fmt: skip
_show_at_exit()
_tell_what_is_absent(__name__)

__version__ = "0.1.0"

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
    "concat",
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
    "expand_dims",
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
    "gather",
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
    "reverse",
    "reverse_sequence",
    "rint",
    "round",
    "rsqrt",
    "save_graph",
    "scatter_nd",
    "select",
    "shape",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "softmax",
    "softplus",
    "split",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
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
