"""What `api_common` imports at its first use: see `public_names`."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from ..graph.shapes.dtypes import int64
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Operation
from ..ops.sparse.sparse_parts import SparseLike
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from .. import app as app
from .. import bitwise as bitwise
from .. import config as config
from .. import contrib as contrib
from .. import data as data
from .. import debugging as debugging
from .. import distributions as distributions
from .. import dtype_names as _dtype_names
from .. import flags as flags
from .. import gfile as gfile
from .. import graph_util as graph_util
from .. import image as image
from .. import initializers as initializers
from .. import io as io
from .. import layers as layers
from .. import linalg as linalg
from .. import logging as logging
from .. import lookup as lookup
from .. import losses as losses
from .. import manip as manip
from .. import math as math
from .. import metrics as metrics
from .. import python_io as python_io
from .. import random as random
from .. import saved_model as saved_model
from .. import signal as signal
from .. import sparse as sparse
from .. import spectral as spectral
from .. import strings as strings
from .. import summary as summary
from .. import test as test
from .. import train as train
from ..compat.lesser_names import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from ..compat.lesser_names import count_up_to as count_up_to
from ..compat.lesser_names import sparse_matmul as sparse_matmul
from ..compat.slicing_padding import strided_slice as strided_slice
from ..control_flow.case import case as case
from ..control_flow.case import switch_case as switch_case
from ..control_flow.cond import cond as cond
from ..control_flow.map_fn import map_fn as map_fn
from ..control_flow.scan import scan as scan
from ..control_flow.tensor_array import TensorArray as TensorArray
from ..control_flow.while_loop import while_loop as while_loop
from ..derivatives.backward import AggregationMethod as AggregationMethod
from ..derivatives.backward import UnconnectedGradients as UnconnectedGradients
from ..derivatives.backward import gradients as gradients
from ..derivatives.custom import custom_gradient as custom_gradient
from ..derivatives.custom import recompute_grad as recompute_grad
from ..derivatives.explain_gradient import explain_gradient as explain_gradient
from ..derivatives.jvp_and_hessians import hessians as hessians
from ..derivatives.jvp_and_hessians import jvp as jvp
from ..graph.shapes.named_dtypes import DataType as DataType
from ..graph.shapes.named_dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from ..graph.shapes.named_dtypes import bfloat16_ref as bfloat16_ref
from ..graph.shapes.named_dtypes import bool_ref as bool_ref
from ..graph.shapes.named_dtypes import complex128_ref as complex128_ref
from ..graph.shapes.named_dtypes import complex64_ref as complex64_ref
from ..graph.shapes.named_dtypes import float16_ref as float16_ref
from ..graph.shapes.named_dtypes import float32_ref as float32_ref
from ..graph.shapes.named_dtypes import float64_ref as float64_ref
from ..graph.shapes.named_dtypes import half_ref as half_ref
from ..graph.shapes.named_dtypes import int16_ref as int16_ref
from ..graph.shapes.named_dtypes import int32_ref as int32_ref
from ..graph.shapes.named_dtypes import int64_ref as int64_ref
from ..graph.shapes.named_dtypes import int8_ref as int8_ref
from ..graph.shapes.named_dtypes import qint16 as qint16
from ..graph.shapes.named_dtypes import qint16_ref as qint16_ref
from ..graph.shapes.named_dtypes import qint32 as qint32
from ..graph.shapes.named_dtypes import qint32_ref as qint32_ref
from ..graph.shapes.named_dtypes import qint8 as qint8
from ..graph.shapes.named_dtypes import qint8_ref as qint8_ref
from ..graph.shapes.named_dtypes import quint16 as quint16
from ..graph.shapes.named_dtypes import quint16_ref as quint16_ref
from ..graph.shapes.named_dtypes import quint8 as quint8
from ..graph.shapes.named_dtypes import quint8_ref as quint8_ref
from ..graph.shapes.named_dtypes import resource as resource
from ..graph.shapes.named_dtypes import resource_ref as resource_ref
from ..graph.shapes.named_dtypes import string_ref as string_ref
from ..graph.shapes.named_dtypes import uint16_ref as uint16_ref
from ..graph.shapes.named_dtypes import uint32_ref as uint32_ref
from ..graph.shapes.named_dtypes import uint64_ref as uint64_ref
from ..graph.shapes.named_dtypes import uint8_ref as uint8_ref
from ..graph.shapes.named_dtypes import variant_ref as variant_ref
from ..interchange.graph_files import load_graph as load_graph
from ..interchange.graph_files import load_graphdef as load_graphdef
from ..interchange.graph_files import save_graph as save_graph
from ..interchange.onnx_files import load_onnx as load_onnx
from ..interchange.onnx_files import save_onnx as save_onnx
from ..interchange.protos.graph_protos import AttrValue as AttrValue
from ..interchange.protos.graph_protos import FunctionDef as FunctionDef
from ..interchange.protos.graph_protos import GraphDef as GraphDef
from ..interchange.protos.graph_protos import NameAttrList as NameAttrList
from ..interchange.protos.graph_protos import NodeDef as NodeDef
from ..interchange.protos.graph_protos import OpDef as OpDef
from ..interchange.protos.graph_protos import TensorProto as TensorProto
from ..interchange.protos.graph_protos import TensorShapeProto as TensorShapeProto
from ..interchange.protos.graph_protos import VersionDef as VersionDef
from ..interchange.protos.import_graph_def import import_graph_def as import_graph_def
from ..interchange.protos.model_protos import MetaGraphDef as MetaGraphDef
from ..interchange.protos.model_protos import SignatureDef as SignatureDef
from ..interchange.protos.model_protos import TensorInfo as TensorInfo
from ..interchange.protos.tensor_protos import make_ndarray as make_ndarray
from ..interchange.protos.tensor_protos import make_tensor_proto as make_tensor_proto
from ..ops.control.small_functions import accumulate_n as accumulate_n
from ..ops.control.small_functions import broadcast_static_shape as broadcast_static_shape
from ..ops.control.small_functions import get_static_value as get_static_value
from ..ops.control.small_functions import guarantee_const as guarantee_const
from ..ops.control.small_functions import is_tensor as is_tensor
from ..ops.control.small_functions import parallel_stack as parallel_stack
from ..ops.control.small_functions import shape_n as shape_n
from ..ops.control.small_functions import where_v2 as where_v2
from ..ops.elementwise.conversions import angle as angle
from ..ops.elementwise.conversions import realdiv as realdiv
from ..ops.elementwise.conversions import saturate_cast as saturate_cast
from ..ops.elementwise.conversions import scalar_mul as scalar_mul
from ..ops.elementwise.conversions import to_complex64 as to_complex64
from ..ops.images.batch_blocks import batch_to_space as batch_to_space
from ..ops.images.batch_blocks import required_space_to_batch_paddings as required_space_to_batch_paddings
from ..ops.images.batch_blocks import space_to_batch as space_to_batch
from ..ops.index.vector_sets import batch_gather as batch_gather
from ..ops.index.vector_sets import setdiff1d as setdiff1d
from ..ops.index.vector_sets import unique_with_counts as unique_with_counts
from ..ops.linalg.factorizations import self_adjoint_eig as self_adjoint_eig
from ..ops.linalg.factorizations import svd as svd
from ..ops.linalg.matrix_functions import batch_matmul as batch_matmul
from ..ops.linalg.matrix_functions import cholesky_solve as cholesky_solve
from ..ops.linalg.matrix_functions import matrix_solve_ls as matrix_solve_ls
from ..ops.linalg.matrix_functions import matrix_transpose as matrix_transpose
from ..ops.linalg.matrix_functions import norm as norm
from ..ops.linalg.matrix_functions import tensordot as tensordot
from ..ops.linalg.matrix_functions import trace as trace
from ..ops.linalg.matrix_parts import matrix_diag as matrix_diag
from ..ops.linalg.matrix_parts import matrix_diag_part as matrix_diag_part
from ..ops.linalg.matrix_parts import matrix_set_diag as matrix_set_diag
from ..ops.pooling.image_patches import extract_image_patches as extract_image_patches
from ..ops.records.feature_specs import FixedLenFeature as FixedLenFeature
from ..ops.records.feature_specs import FixedLenSequenceFeature as FixedLenSequenceFeature
from ..ops.records.feature_specs import SparseFeature as SparseFeature
from ..ops.records.feature_specs import VarLenFeature as VarLenFeature
from ..ops.records.parsing_calls import parse_example as parse_example
from ..ops.records.parsing_calls import parse_single_example as parse_single_example
from ..ops.records.parsing_calls import parse_single_sequence_example as parse_single_sequence_example
from ..ops.reduce.counting import bincount as bincount
from ..ops.reduce.counting import confusion_matrix as confusion_matrix
from ..ops.reduce.counting import count_nonzero as count_nonzero
from ..ops.sparse.edit_distances import edit_distance as edit_distance
from ..ops.sparse.serialized_sparse import deserialize_many_sparse as deserialize_many_sparse
from ..ops.sparse.serialized_sparse import serialize_sparse as serialize_sparse
from ..ops.sparse.sparse_elementwise import sparse_maximum as sparse_maximum
from ..ops.sparse.sparse_elementwise import sparse_softmax as sparse_softmax
from ..ops.sparse.sparse_joins import sparse_concat as sparse_concat
from ..ops.sparse.sparse_joins import sparse_slice as sparse_slice
from ..ops.sparse.sparse_joins import sparse_split as sparse_split
from ..ops.sparse.sparse_order import sparse_reorder as sparse_reorder
from ..ops.sparse.sparse_order import sparse_reshape as sparse_reshape
from ..ops.sparse.sparse_order import sparse_transpose as sparse_transpose
from ..ops.sparse.sparse_placeholders import sparse_placeholder as sparse_placeholder
from ..ops.sparse.sparse_products import sparse_tensor_dense_matmul as sparse_tensor_dense_matmul
from ..ops.sparse.sparse_reductions import sparse_reduce_sum as sparse_reduce_sum
from ..ops.sparse.sparse_rows import sparse_fill_empty_rows as sparse_fill_empty_rows
from ..ops.sparse.sparse_rows import sparse_mask as sparse_mask
from ..ops.sparse.sparse_rows import sparse_reset_shape as sparse_reset_shape
from ..ops.sparse.sparse_rows import sparse_retain as sparse_retain
from ..ops.sparse.sparse_sums import sparse_add as sparse_add
from ..ops.sparse.sparse_to_dense_op import sparse_merge as sparse_merge
from ..ops.sparse.sparse_to_dense_op import sparse_tensor_to_dense as sparse_tensor_to_dense
from ..ops.sparse.sparse_to_dense_op import sparse_to_dense as sparse_to_dense
from ..ops.sparse.sparse_to_dense_op import sparse_to_indicator as sparse_to_indicator
from ..ops.special.gamma_functions import lbeta as lbeta
from ..ops.text.string_parts import reduce_join as reduce_join
from ..queues.queue_classes import FIFOQueue as FIFOQueue
from ..queues.queue_classes import PaddingFIFOQueue as PaddingFIFOQueue
from ..queues.queue_classes import PriorityQueue as PriorityQueue
from ..queues.queue_classes import QueueBase as QueueBase
from ..queues.queue_classes import RandomShuffleQueue as RandomShuffleQueue
from ..queues.readers import FixedLengthRecordReader as FixedLengthRecordReader
from ..queues.readers import IdentityReader as IdentityReader
from ..queues.readers import ReaderBase as ReaderBase
from ..queues.readers import TFRecordReader as TFRecordReader
from ..queues.readers import TextLineReader as TextLineReader
from ..queues.readers import WholeFileReader as WholeFileReader
from ..runtime.arguments.feed_values import LossyFeedWarning as LossyFeedWarning
from ..runtime.backends import list_devices as list_devices
from ..runtime.base.config_protos import ConfigProto as ConfigProto
from ..runtime.base.config_protos import GPUOptions as GPUOptions
from ..runtime.base.config_protos import GraphOptions as GraphOptions
from ..runtime.base.config_protos import OptimizerOptions as OptimizerOptions
from ..runtime.base.progress import progress_bar as progress_bar
from ..runtime.base.session_config import RunOptions as RunOptions
from ..runtime.base.session_config import SessionConfig as SessionConfig
from ..runtime.base.watch import Watch as Watch
from ..runtime.observe.run_metadata import RunMetadata as RunMetadata
from ..runtime.observe.run_record import RunRecord as RunRecord
from ..runtime.session.default_session import InteractiveSession as InteractiveSession
from ..runtime.session.default_session import get_default_session as get_default_session
from ..runtime.session.graph_growth import GrowthWarning as GrowthWarning
from ..runtime.session.session import Session as Session
from ..runtime.sharding.sharded_feed import ShardedFeed as ShardedFeed
from ..summary.older_summaries import merge_all_summaries as merge_all_summaries
from ..summary.older_summaries import scalar_summary as scalar_summary
from ..summary.summary_messages import Event as Event
from ..summary.summary_messages import HistogramProto as HistogramProto
from ..summary.summary_messages import LogMessage as LogMessage
from ..summary.summary_messages import SessionLog as SessionLog
from ..summary.summary_messages import Summary as Summary
from ..summary.summary_messages import SummaryMetadata as SummaryMetadata
from ..tf1.stand_in import TensorFlowStandIn as TensorFlowStandIn
from ..tf1.stand_in import tensorflow_stand_in as tensorflow_stand_in
from ..variables.get_variable import no_regularizer as no_regularizer
from ..variables.templates import make_template as make_template
dtypes = _dtype_names
listdiff = setdiff1d
batch_matrix_diag = matrix_diag
batch_matrix_diag_part = matrix_diag_part

def convert_to_tensor_or_sparse_tensor(
    value: Any,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """`value` as a tensor, or itself if it is a sparse one.

    Args:
        value: a `SparseTensor`, or what `tf.convert_to_tensor` takes.
        dtype: the dtype that it must have.

    Returns:
        A tensor of the shape of `value` and dtype `dtype`, or `value`.

    Raises:
        TypeError: a Python value cannot be of `dtype`.
        ValueError: a tensor, or rows, have another dtype.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     sparse = tf.SparseTensor([[0]], [1.0], [2])
    ...     tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    True

    Source: TensorFlow 1.x, `tf.convert_to_tensor_or_sparse_tensor`.
    """

def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: builtins.bool = True,
    swap_memory: builtins.bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(a, row)` over the rows of `elems` from the first to the last.

    Args:
        fn: a function of the value so far and a row; it gives the next value. It is called once.
        elems: a tensor, or a structure of tensors with equally many rows.
        initializer: the value before the first row; None takes the first row itself.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: whether the result has a gradient.
        swap_memory: accepted for TensorFlow's sake.
        name: the name of the node.

    Returns:
        A structure like the value.

    Raises:
        TypeError: `fn` is not callable, or changes a dtype.
        ValueError: a tensor has no rows, or `fn` changes the structure or a shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.foldl(lambda a, row: 10 * a + row, tf.constant([1, 2, 3]))))
    123

    Source: TensorFlow 1.x, `tf.foldl`.
    """

def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: builtins.bool = True,
    swap_memory: builtins.bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(a, row)` over the rows of `elems` from the last to the first.

    Args:
        fn: a function of the value so far and a row; it gives the next value. It is called once.
        elems: a tensor, or a structure of tensors with equally many rows.
        initializer: the value before the last row; None takes the last row itself.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: whether the result has a gradient.
        swap_memory: accepted for TensorFlow's sake.
        name: the name of the node.

    Returns:
        A structure like the value.

    Raises:
        TypeError: `fn` is not callable, or changes a dtype.
        ValueError: a tensor has no rows, or `fn` changes the structure or a shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.foldr(lambda a, row: 10 * a + row, tf.constant([1, 2, 3]))))
    321

    Source: TensorFlow 1.x, `tf.foldr`.
    """

def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike, name: str | None = None) -> Tensor:
    """The shape to which tensors of two shapes broadcast, as a tensor.

    Args:
        shape_x, shape_y: vectors of int32 or int64.

    Returns:
        A vector with their dtype.

    Raises:
        TypeError: the dtypes differ.
        ValueError: one is no vector.
        InvalidArgumentError (when run): the same, or the shapes do not broadcast.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.broadcast_dynamic_shape([2, 1], [3])))
    [2 3]

    Source: TensorFlow 1.x, `tf.broadcast_dynamic_shape`.
    """

def lin_space(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = 'linspace') -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    out[i] = start + i * (stop - start) / (num - 1)

    Args:
        start, stop: scalars, or tensors of one shape. Ints become float64, or float32 where they have 8 or 16 bits.
        num: how many numbers: an int32 or int64 scalar, at least 0. A single number is `start`.

    Returns:
        A tensor of shape [num] + start.shape with the dtype of `start` and `stop`.

    Raises:
        TypeError: `start` and `stop` are not numbers, or `num` is not int.
        ValueError: `num` is negative or not a scalar, or `start` and `stop` differ in shape or dtype.
        InvalidArgumentError (when run): `num` is negative, or the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linspace(10.0, 12.0, 3)))
    [10. 11. 12.]

    Source: TensorFlow 1.x, `tf.linspace`.
    """

def complex_abs(x: TensorLike, name: str | None = None) -> Tensor:
    """|x|; of complex numbers a float of half the size. The smallest int stays itself.

    Args:
        x: signed ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and the dtype named above.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.abs([-1.5, 2.0])))
    [1.5 2. ]

    Source: TensorFlow, `tf.abs`.
    """

def inv(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reciprocal([4.0, 0.0])))
    [0.25  inf]

    Source: TensorFlow, `tf.reciprocal`.
    """

def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The bytes of `input` read as another dtype.

    Args:
        input: numbers. Where its dtype is smaller than `type`, its last size is the number of elements that make one.
        type: the dtype of the result.

    Returns:
        A tensor of dtype `type` with the shape of `input`; where `type` is smaller, one more dimension holds the parts
        of an element, and where it is larger, the last dimension is gone.

    Raises:
        TypeError: one of the dtypes is not numbers.
        ValueError: the last size is not that of one element.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bitcast(1.0, tf.int32)), session.run(tf.bitcast(tf.constant(258), tf.uint8)))
    1065353216 [2 1 0 0]

    Source: TensorFlow 1.x, `tf.bitcast`.
    """

def to_complex128(x: TensorLike, name: str = 'ToComplex128') -> Tensor:
    """`x` as complex128: `tf.cast(x, tf.complex128)`.

    Args:
        x: any dtype but string.

    Returns:
        A tensor of dtype complex128 with the shape of `x`.

    Raises:
        TypeError: `x` is string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_complex128([1.0])))
    [1.+0.j]

    Source: TensorFlow 1.x, `tf.to_complex128`.
    """

def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` rounded to the nearest of 2 ** num_bits levels from `min` to `max`, one of which is 0.

    So that 0 is a level, all levels are moved by less than a step: min=-6 becomes -6.0235.

    Args:
        inputs: float32, any shape.
        min: about the lowest level, a Python float.
        max: about the highest level, a Python float.
        num_bits: the bits of a level, an int from 2 to 16.
        narrow_range: whether there is one level less.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float32, or an argument is not what is said above.
        ValueError: `min` is not less than `max`, or `num_bits` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fake_quant_with_min_max_args([-1.0, 0.4, 1.6, 9.0], 0, 3, num_bits=2)))
    [0. 0. 2. 3.]

    Source: TensorFlow 1.x, `tf.fake_quant_with_min_max_args`.
    """

def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """`gradients` where `inputs` lie between the lowest and the highest level, else 0: the gradient of rounding.

    Args:
        gradients: float32, of the shape of `inputs`.
        inputs: float32, what was rounded.
        min: about the lowest level, a Python float.
        max: about the highest level, a Python float.
        num_bits: the bits of a level, an int from 2 to 16.
        narrow_range: whether there is one level less.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: an operand is not float32, or an argument is not what is said above.
        ValueError: `min` is not less than `max`, `num_bits` is out of range, or the shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fake_quant_with_min_max_args_gradient([1.0, 2.0], [0.5, 9.0])))
    [1. 0.]

    Source: TensorFlow 1.x, `tf.fake_quant_with_min_max_args_gradient`.
    """

def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The next number after x1 in the direction of x2 that its dtype has; x2 where they are equal.

    Args:
        x1, x2: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x1` and `x2` and their dtype.

    Raises:
        TypeError: `x1` and `x2` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nextafter([1.0, 0.0], [2.0, 0.0])))
    [1.0000001 0.       ]

    Source: TensorFlow, `tf.math.nextafter`.
    """

def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards zero.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same, or an int is divided by zero.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.truncatediv([7, -7], 2)))
    [ 3 -3]

    Source: TensorFlow, `tf.truncatediv`.
    """

def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - truncatediv(x, y) * y, the remainder of that division; it has the sign of x.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same, or an int is divided by zero.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.truncatemod([7, -7], 2)))
    [ 1 -1]

    Source: TensorFlow, `tf.truncatemod`.
    """

def batch_to_space_nd(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """The batches of each block as pixels, of which some at the edges are left out: undoes `space_to_batch_nd`.

    Args:
        input: any dtype, of shape (batch, spatial dimensions, rest).
        block_shape: the sizes of a block along the spatial dimensions: an int32 or int64 vector of entries >= 1, whose
            product divides the batch.
        crops: how many pixels are left out (at the start, at the end) of each spatial dimension: an int32 or int64
            matrix.

    Returns:
        A tensor of shape (batch / product of block_shape, sizes * block_shape - crops, rest) with the dtype of `input`.

    Raises:
        TypeError: `block_shape` or `crops` is not int.
        ValueError: ranks do not fit, the batch is known to be no multiple, or crops are larger than a size.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.batch_to_space_nd([[1, 3], [2, 0]], [2], [[0, 1]])))
    [[1 2 3]]

    Source: TensorFlow 1.x, `tf.batch_to_space_nd`.
    """

def space_to_batch_nd(
    input: TensorLike,
    block_shape: TensorLike,
    paddings: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The pixels of each block as batches, after zeros are added around the spatial dimensions.

    Args:
        input: any dtype, of shape (batch, spatial dimensions, rest).
        block_shape: the sizes of a block along the spatial dimensions: an int32 or int64 vector of entries >= 1.
        paddings: (before, after) of each spatial dimension: an int32 or int64 matrix. Each padded size is a multiple of
            that of the block.

    Returns:
        A tensor of shape (batch * product of block_shape, padded sizes / block_shape, rest) with the dtype of `input`.

    Raises:
        TypeError: `block_shape` or `paddings` is not int.
        ValueError: ranks do not fit, or a known size is no multiple.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_batch_nd([[1, 2, 3]], [2], [[0, 1]])))
    [[1 3]
     [2 0]]

    Source: TensorFlow 1.x, `tf.space_to_batch_nd`.
    """

def depth_to_space(input: TensorLike, block_size: int, name: str | None = None, data_format: str = 'NHWC') -> Tensor:
    """The channels of each pixel as a block of pixels, row by row: the inverse of `space_to_depth`.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype. Its channels are a multiple of `block_size` ** 2.
        block_size: the height and width of a block, at least 2.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height * block_size, width * block_size, channels / block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or the channels are known to be no multiple of `block_size` ** 2.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.depth_to_space([[[[1, 2, 3, 4]]]], 2))[0, :, :, 0])
    [[1 2]
     [3 4]]

    Source: TensorFlow 1.x, `tf.depth_to_space`.
    """

def space_to_depth(input: TensorLike, block_size: int, name: str | None = None, data_format: str = 'NHWC') -> Tensor:
    """The pixels of each block of images as channels, row by row.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype.
        block_size: the height and width of a block, at least 2. It divides those of `input`.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height / block_size, width / block_size, channels * block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or a known size is no multiple of `block_size`.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)))
    [[[[1 2 3 4]]]]

    Source: TensorFlow 1.x, `tf.space_to_depth`.
    """

def tensor_scatter_add(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` in which slices are increased by those of `updates`: out[indices[b..., :]] += updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: numbers, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_add([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [ 7  2 -1]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_add`.
    """

def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which slices are increased by those of `updates`: out[indices[b..., :]] += updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: numbers, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_add([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [ 7  2 -1]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_add`.
    """

def tensor_scatter_max(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` in which slices are at least those of `updates`: out[indices[b..., :]] = max of itself and updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: ints or floats, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_max([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [5 2 3]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_max`.
    """

def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which slices are at least those of `updates`: out[indices[b..., :]] = max of itself and updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: ints or floats, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_max([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [5 2 3]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_max`.
    """

def tensor_scatter_min(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` in which slices are at most those of `updates`: out[indices[b..., :]] = min of itself and updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: ints or floats, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_min([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [ 1  2 -4]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_min`.
    """

def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which slices are at most those of `updates`: out[indices[b..., :]] = min of itself and updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: ints or floats, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_min([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [ 1  2 -4]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_min`.
    """

def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which slices are reduced by those of `updates`: out[indices[b..., :]] -= updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: numbers, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [-5  2  7]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_sub`.
    """

def tensor_scatter_sub(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` in which slices are reduced by those of `updates`: out[indices[b..., :]] -= updates[b..., ...].

    Where an index vector occurs several times, all of its updates count.

    Args:
        tensor: numbers, rank 1 or higher.
        indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
            tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
    [-5  2  7]

    Source: TensorFlow 1.x, `tf.tensor_scatter_nd_sub`.
    """

def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of a permutation: out[x[i]] = i.

    Args:
        x: an int32 or int64 vector that holds each number from 0 to its length less 1 once.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.
        ValueError: `x` is not a vector.
        InvalidArgumentError (when run): a number is out of range or occurs twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.invert_permutation([3, 4, 0, 2, 1])))
    [2 4 3 0 1]

    Source: TensorFlow 1.x, `tf.invert_permutation`.
    """

def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """The coordinates of elements that are numbered in row-major order.

    Args:
        indices: int32 or int64, a scalar or a vector.
        dims: the sizes of the tensor, a vector with the dtype of `indices`.

    Returns:
        A tensor with the dtype of `indices`: one column of coordinates for each index, [number of dims, number of
        indices]; a vector for a scalar.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: `dims` is not a vector, or `indices` has a rank above 1.
        InvalidArgumentError (when run): the same, or an index is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.unravel_index([2, 5, 7], [3, 3])).tolist())
    [[0, 1, 2], [2, 2, 1]]

    Source: TensorFlow 1.x, `tf.unravel_index`.
    """

def batch_cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with input = L @ adjoint(L), of each positive definite matrix.

    Only the lower triangle of a matrix is read.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor with the shape and dtype of `input`. It is zero above the diagonal.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is not positive definite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cholesky([[4.0, 2.0], [2.0, 5.0]])).tolist())
    [[2.0, 0.0], [1.0, 2.0]]

    Source: TensorFlow 1.x, `tf.cholesky`.
    """

def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with input = L @ adjoint(L), of each positive definite matrix.

    Only the lower triangle of a matrix is read.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor with the shape and dtype of `input`. It is zero above the diagonal.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is not positive definite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cholesky([[4.0, 2.0], [2.0, 5.0]])).tolist())
    [[2.0, 0.0], [1.0, 2.0]]

    Source: TensorFlow 1.x, `tf.cholesky`.
    """

def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, in ascending order.

    Args:
        tensor: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n] below.

    Returns:
        A tensor of shape [..., n] with the dtype of `tensor`.

    Raises:
        TypeError: `tensor` has another dtype.
        ValueError: `tensor` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or the computation does not converge.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.self_adjoint_eigvals([[2.0, 1.0], [1.0, 2.0]])).round(4))
    [1. 3.]

    Source: TensorFlow 1.x, `tf.self_adjoint_eigvals`.
    """

def batch_matrix_band_part(
    input: TensorLike,
    num_lower: TensorLike,
    num_upper: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The matrices with zeros outside of a band around the main diagonal.

    Args:
        input: numbers or bools, rank 2 or higher.
        num_lower: how many diagonals below the main one are kept, an int32 or int64 scalar; a negative number keeps
            all.
        num_upper: how many above it, likewise.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: a number is not int.
        ValueError: `input` has a rank below 2, or a number is no scalar.
        InvalidArgumentError (when run): the same, or a number is larger than the matrices.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_band_part(tf.ones([3, 3], tf.int32), 0, 1)).tolist())
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]

    Source: TensorFlow 1.x, `tf.matrix_band_part`.
    """

def matrix_band_part(
    input: TensorLike,
    num_lower: TensorLike,
    num_upper: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The matrices with zeros outside of a band around the main diagonal.

    Args:
        input: numbers or bools, rank 2 or higher.
        num_lower: how many diagonals below the main one are kept, an int32 or int64 scalar; a negative number keeps
            all.
        num_upper: how many above it, likewise.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: a number is not int.
        ValueError: `input` has a rank below 2, or a number is no scalar.
        InvalidArgumentError (when run): the same, or a number is larger than the matrices.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_band_part(tf.ones([3, 3], tf.int32), 0, 1)).tolist())
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]

    Source: TensorFlow 1.x, `tf.matrix_band_part`.
    """

def batch_matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of each square matrix.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor of shape input.shape[:-2] with the dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_determinant([[2.0, 1.0], [1.0, 4.0]])).round(4))
    7.0

    Source: TensorFlow 1.x, `tf.matrix_determinant`.
    """

def matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of each square matrix.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.

    Returns:
        A tensor of shape input.shape[:-2] with the dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_determinant([[2.0, 1.0], [1.0, 4.0]])).round(4))
    7.0

    Source: TensorFlow 1.x, `tf.matrix_determinant`.
    """

def batch_matrix_inverse(input: TensorLike, adjoint: builtins.bool = False, name: str | None = None) -> Tensor:
    """The inverse of each square matrix: input @ out is the identity.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.
        adjoint: True inverts the adjoints instead.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype, or `adjoint` is not a bool.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]])).tolist())
    [[0.5, 0.0], [0.0, 0.25]]

    Source: TensorFlow 1.x, `tf.matrix_inverse`.
    """

def matrix_inverse(input: TensorLike, adjoint: builtins.bool = False, name: str | None = None) -> Tensor:
    """The inverse of each square matrix: input @ out is the identity.

    Args:
        input: float32, float64 or complex square matrices, of rank 2 or higher.
        adjoint: True inverts the adjoints instead.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype, or `adjoint` is not a bool.
        ValueError: `input` has a rank below 2, or known sizes show that a matrix is not square.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]])).tolist())
    [[0.5, 0.0], [0.0, 0.25]]

    Source: TensorFlow 1.x, `tf.matrix_inverse`.
    """

def batch_matrix_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    adjoint: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions of linear equations: matrix @ out = rhs.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype and the first sizes of `matrix`.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the shape and dtype of `rhs`.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])).tolist())
    [[1.0], [0.5]]

    Source: TensorFlow 1.x, `tf.matrix_solve`.
    """

def matrix_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    adjoint: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions of linear equations: matrix @ out = rhs.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype and the first sizes of `matrix`.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the shape and dtype of `rhs`.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same, or a matrix is singular.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])).tolist())
    [[1.0], [0.5]]

    Source: TensorFlow 1.x, `tf.matrix_solve`.
    """

def batch_matrix_triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: builtins.bool = True,
    adjoint: builtins.bool = False,
    name: str | None = 'triangular_solve',
) -> Tensor:
    """The solutions of linear equations with triangular matrices: matrix @ out = rhs.

    Only one triangle of `matrix` is read.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype of `matrix`; the first sizes broadcast.
        lower: True reads the lower triangle, False the upper one.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the dtype of `rhs` and the shape [..., n, k].

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same. A zero in a diagonal is no error: it gives infinities and NaNs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_triangular_solve([[2.0, 9.0], [2.0, 1.0]], [[2.0], [3.0]])).tolist())
    [[1.0], [1.0]]

    Source: TensorFlow 1.x, `tf.matrix_triangular_solve`.
    """

def matrix_triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: builtins.bool = True,
    adjoint: builtins.bool = False,
    name: str | None = 'triangular_solve',
) -> Tensor:
    """The solutions of linear equations with triangular matrices: matrix @ out = rhs.

    Only one triangle of `matrix` is read.

    Args:
        matrix: float32, float64 or complex square matrices, of rank 2 or higher; [..., n, n].
        rhs: the right-hand sides as columns, [..., n, k], with the dtype of `matrix`; the first sizes broadcast.
        lower: True reads the lower triangle, False the upper one.
        adjoint: True solves adjoint(matrix) @ out = rhs.

    Returns:
        A tensor with the dtype of `rhs` and the shape [..., n, k].

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: a rank is below 2, or known sizes do not fit.
        InvalidArgumentError (when run): the same. A zero in a diagonal is no error: it gives infinities and NaNs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.matrix_triangular_solve([[2.0, 9.0], [2.0, 1.0]], [[2.0], [3.0]])).tolist())
    [[1.0], [1.0]]

    Source: TensorFlow 1.x, `tf.matrix_triangular_solve`.
    """

def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The patches of volumes, each one flat along the last dimension; 0 outside of the volume.

    Args:
        input: numbers of shape (batch, planes, height, width, channels).
        ksizes: the size of a patch, [1, planes, height, width, 1].
        strides: the steps from a patch to the next, [1, planes, down, across, 1].
        padding: "SAME" gives ceil(size / stride) patches along each dimension, "VALID" those that lie inside.

    Returns:
        A tensor of shape (batch, patches by plane, patches down, patches across, planes * height * width * channels of
        a patch) with the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or a patch is larger than the volumes.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     volume = tf.reshape(tf.range(8), [1, 2, 2, 2, 1])
    ...     patches = tf.extract_volume_patches(volume, [1, 2, 1, 2, 1], [1, 1, 1, 1, 1], "VALID")
    ...     print(session.run(patches)[0, 0, :, 0])
    [[0 1 4 5]
     [2 3 6 7]]

    Source: TensorFlow 1.x, `tf.extract_volume_patches`.
    """

def arg_max(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = int64,
) -> Tensor:
    """The index of the largest element along `axis`, the first where several are equal. NaNs never win.

    Args:
        input: bool, ints or floats, of rank 1 or higher.
        axis: an int or a scalar int tensor; a negative one counts from the end. The default is 0.
        dimension: older name of `axis`.
        output_type: dtype of the result: int64, int32, int16 or uint16.

    Returns:
        A tensor with the shape of `input` without `axis` and dtype `output_type`.

    Raises:
        TypeError: `input` has another dtype, `axis` is not an int, or `output_type` is not one of those above.
        ValueError: `axis` is out of range, or both its names are given.
        InvalidArgumentError (when run): `axis` is out of range, or has size 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.argmax([[1, 9, 9], [4, 2, 1]], axis=1)))
    [1 0]

    Source: TensorFlow 1.x, `tf.argmax`.
    """

def arg_min(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = int64,
) -> Tensor:
    """The index of the smallest element along `axis`, the first where several are equal. NaNs never win.

    Args:
        input: bool, ints or floats, of rank 1 or higher.
        axis: an int or a scalar int tensor; a negative one counts from the end. The default is 0.
        dimension: older name of `axis`.
        output_type: dtype of the result: int64 or int32.

    Returns:
        A tensor with the shape of `input` without `axis` and dtype `output_type`.

    Raises:
        TypeError: `input` has another dtype, `axis` is not an int, or `output_type` is not one of those above.
        ValueError: `axis` is out of range, or both its names are given.
        InvalidArgumentError (when run): `axis` is out of range, or has size 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.argmin([[1, 9, 9], [4, 2, 1]], axis=1)))
    [0 2]

    Source: TensorFlow 1.x, `tf.argmin`.
    """

def serialize_many_sparse(sp_input: SparseLike, name: str | None = None, out_type: DTypeLike = 'string') -> Tensor:
    """The slices of a sparse tensor along its first dimension, each as three strings.

    Args:
        sp_input: a `SparseTensor` of rank 2 or higher, its indices in order of the first dimension.
        out_type: the dtype of the result; string only.

    Returns:
        A string tensor of shape (slices, 3).

    Raises:
        TypeError: `sp_input` is no sparse tensor, or `out_type` is another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.serialize_many_sparse(tf.SparseTensor([[0, 1]], [5.0], [2, 3]))).shape)
    (2, 3)

    Source: TensorFlow 1.15, `tf.serialize_many_sparse`.
    """

def sparse_minimum(sp_a: SparseLike, sp_b: SparseLike, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at each place that one of them has; a missing value counts as 0.

    Args:
        sp_a: a `SparseTensor` of real numbers.
        sp_b: another one of the same shape and dtype.

    Returns:
        A `SparseTensor` with the dense shape and dtype of the operands.

    Raises:
        TypeError: an argument is no sparse tensor, or the dtypes differ.
        InvalidArgumentError (when run): the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a, b = tf.SparseTensor([[0]], [-1.0], [7]), tf.SparseTensor([[1]], [1.0], [7])
    ...     print(session.run(tf.sparse_minimum(a, b)).values)
    [-1.  0.]

    Source: TensorFlow 1.15, `tf.sparse_minimum`.
    """

def sparse_reduce_max(
    sp_input: SparseLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    reduction_axes: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest of the values that a sparse tensor has in each group, as a dense tensor; 0 where there is none.

    Args:
        sp_input: a `SparseTensor` of real numbers.
        axis: a dimension or a list of them; by default all. `reduction_axes` is its older name.
        keepdims: whether the dimensions stay, with size 1. `keep_dims` is its older name.
        reduction_axes: see `axis`.
        keep_dims: see `keepdims`.

    Returns:
        A dense tensor with the dtype of the values; its shape is the dense shape without the reduced axes.

    Raises:
        TypeError: `sp_input` is no sparse tensor of real numbers.
        ValueError: an argument is given under both names.
        InvalidArgumentError (when run): there is no such dimension.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [-1, -2, 3], [2, 3])
    ...     print(session.run(tf.sparse_reduce_max(s, 1)))
    [-1  3]

    Source: TensorFlow 1.15, `tf.sparse_reduce_max`.
    """

def sparse_reduce_max_sparse(
    sp_input: SparseLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    reduction_axes: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
    name: str | None = None,
) -> SparseTensor:
    """`sparse_reduce_max` as a sparse tensor, with a value for each group that has one.

    Args:
        sp_input: a `SparseTensor` of real numbers.
        axis: a dimension or a list of them; by default all. `reduction_axes` is its older name.
        keepdims: whether the dimensions stay, with size 1. `keep_dims` is its older name.
        reduction_axes: see `axis`.
        keep_dims: see `keepdims`.

    Returns:
        A `SparseTensor` with the dtype of the values; its dense shape is that before without the reduced axes.

    Raises:
        TypeError: `sp_input` is no sparse tensor of real numbers.
        ValueError: an argument is given under both names.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 0], [0, 2]], [1, 4], [2, 3])
    ...     print(session.run(tf.sparse_reduce_max_sparse(s, 1)).values)
    [4]

    Source: TensorFlow 1.15, `tf.sparse_reduce_max_sparse`.
    """

def sparse_reduce_sum_sparse(
    sp_input: SparseLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    reduction_axes: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
    name: str | None = None,
) -> SparseTensor:
    """`sparse_reduce_sum` as a sparse tensor, with a value for each group that has one.

    Args:
        sp_input: a `SparseTensor` of numbers.
        axis: a dimension or a list of them; by default all. `reduction_axes` is its older name.
        keepdims: whether the dimensions stay, with size 1. `keep_dims` is its older name.
        reduction_axes: see `axis`.
        keep_dims: see `keepdims`.

    Returns:
        A `SparseTensor` with the dtype of the values; its dense shape is that before without the reduced axes.

    Raises:
        TypeError: `sp_input` is no sparse tensor of numbers.
        ValueError: an argument is given under both names.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     s = tf.SparseTensor([[0, 0], [0, 2]], [1, 1], [2, 3])
    ...     print(session.run(tf.sparse_reduce_sum_sparse(s, 1)).indices.tolist())
    [[0]]

    Source: TensorFlow 1.15, `tf.sparse_reduce_sum_sparse`.
    """

def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The means of chosen rows by segment: `sparse_segment_sum` divided by the number of rows.

    Args:
        data: floats of rank 1 or higher.
        indices: an int32 or int64 vector of numbers of rows.
        segment_ids: a vector of as many ids, none less than the one before it.

    Returns:
        A tensor of shape [last id + 1] + data.shape[1:] with the dtype of `data`. A segment without rows has zeros.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known ranks do not fit.
        InvalidArgumentError (when run): sizes do not fit, an index is out of range, or the ids are not in order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_mean([1.0, 10.0, 100.0], [0, 2, 1], [0, 0, 1])))
    [50.5 10. ]

    Source: TensorFlow 1.15, `tf.sparse_segment_mean`.
    """

def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The sums of chosen rows by segment, divided by the square root of the number of rows.

    Args:
        data: floats of rank 1 or higher.
        indices: an int32 or int64 vector of numbers of rows.
        segment_ids: a vector of as many ids, none less than the one before it.

    Returns:
        A tensor of shape [last id + 1] + data.shape[1:] with the dtype of `data`. A segment without rows has zeros.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known ranks do not fit.
        InvalidArgumentError (when run): sizes do not fit, an index is out of range, or the ids are not in order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_sqrt_n([1.0, 2.0, 3.0, 2.0], [0, 1, 2, 3], [0, 0, 0, 0])))
    [4.]

    Source: TensorFlow 1.15, `tf.sparse_segment_sqrt_n`.
    """

def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The sums of chosen rows by segment: out[i] = the sum of the data[indices[j]] with segment_ids[j] = i.

    Args:
        data: real numbers of rank 1 or higher.
        indices: an int32 or int64 vector of numbers of rows.
        segment_ids: a vector of as many ids, none less than the one before it.

    Returns:
        A tensor of shape [last id + 1] + data.shape[1:] with the dtype of `data`. A segment without rows has zeros.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known ranks do not fit.
        InvalidArgumentError (when run): sizes do not fit, an index is out of range, or the ids are not in order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_sum([1, 10, 100], [0, 2, 1], [0, 0, 1])))
    [101  10]

    Source: TensorFlow 1.15, `tf.sparse_segment_sum`.
    """

def string_to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """The number of a bucket for each string: its FarmHash fingerprint modulo the number of buckets.

    Args:
        input: strings of any shape.
        num_buckets: the number of buckets, a Python int of at least 1.

    Returns:
        A tensor of shape input.shape and dtype int64. The numbers are in [0, num_buckets).

    Raises:
        TypeError: `input` holds no strings.
        ValueError: `num_buckets` is less than 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3)))
    [0 2 2]

    Source: TensorFlow 1.15, `tf.string_to_hash_bucket_fast`.
    """

def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), without cancellation where erf(x) is near 1.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.erfc([0.0, 5.0])))
    [1.0000000e+00 1.5374598e-12]

    Source: TensorFlow, `tf.erfc`.
    """

def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The incomplete beta function: the integral of t**(a-1) (1-t)**(b-1) from 0 to x, over that from 0 to 1.

    Args:
        a, b, x: float32 or float64; one dtype, shapes that broadcast. NaN unless a and b are above 0 and x in [0, 1].

    Returns:
        A tensor with the broadcast shape of the operands and their dtype.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.betainc(1.0, 2.0, [0.0, 0.5, 1.0])))
    [0.   0.75 1.  ]

    Source: TensorFlow 1.x, `tf.betainc`.
    """

def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of lgamma. NaN at 0, -1, -2 ...

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.digamma([1.0, 2.0])))
    [-0.5772157   0.42278433]

    Source: TensorFlow, `tf.digamma`.
    """

def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower incomplete gamma function: the integral of t**(a-1) exp(-t) from 0 to x, over gamma(a).

    Args:
        a, x: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `a` and `x` and their dtype.

    Raises:
        TypeError: `a` and `x` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.igamma([1.0, 2.0], [1.0, 1.0])))
    [0.63212055 0.26424113]

    Source: TensorFlow, `tf.igamma`.
    """

def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper incomplete gamma function: 1 - igamma(a, x).

    Args:
        a, x: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `a` and `x` and their dtype.

    Raises:
        TypeError: `a` and `x` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.igammac([1.0, 2.0], [1.0, 1.0])))
    [0.36787945 0.7357589 ]

    Source: TensorFlow, `tf.igammac`.
    """

def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log(|gamma(x)|), where gamma(n) = (n - 1)! for whole n. Infinite at 0, -1, -2 ...

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.lgamma([1.0, 5.0])))
    [0.        3.1780539]

    Source: TensorFlow, `tf.lgamma`.
    """

def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order a of digamma; NaN unless a is 0, 1, 2 ...

    Args:
        a, x: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `a` and `x` and their dtype.

    Raises:
        TypeError: `a` and `x` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.polygamma([0.0, 1.0], [1.0, 1.0])))
    [-0.5772157  1.644934 ]

    Source: TensorFlow, `tf.polygamma`.
    """

def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of (q + n)**-x for n = 0, 1, 2 ... NaN for x below 1, infinite for x = 1.

    Args:
        x, q: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `q` and their dtype.

    Raises:
        TypeError: `x` and `q` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeta([2.0, 4.0], [1.0, 1.0])))
    [1.644934  1.0823232]

    Source: TensorFlow, `tf.zeta`.
    """

def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last axis: sums of input times exp(-2 pi i k j / n).

    Args:
        input: complex64 or complex128, of rank 1 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 1.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2]), tf.complex64)
    ...     print(abs(session.run(tf.fft(x))).ravel().tolist())
    [2.0, 0.0]

    Source: TensorFlow 1.x, `tf.fft`.
    """

def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last 2 axes: sums of input times exp(-2 pi i k j / n).

    Args:
        input: complex64 or complex128, of rank 2 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2, 2]), tf.complex64)
    ...     print(abs(session.run(tf.fft2d(x))).ravel().tolist())
    [4.0, 0.0, 0.0, 0.0]

    Source: TensorFlow 1.x, `tf.fft2d`.
    """

def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last 3 axes: sums of input times exp(-2 pi i k j / n).

    Args:
        input: complex64 or complex128, of rank 3 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 3.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2, 2, 2]), tf.complex64)
    ...     print(abs(session.run(tf.fft3d(x))).ravel().tolist())
    [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    Source: TensorFlow 1.x, `tf.fft3d`.
    """

def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last axis: sums of input times exp(2 pi i k j / n), divided by n.

    Args:
        input: complex64 or complex128, of rank 1 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 1.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2]), tf.complex64)
    ...     print(abs(session.run(tf.ifft(x))).ravel().tolist())
    [1.0, 0.0]

    Source: TensorFlow 1.x, `tf.ifft`.
    """

def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last 2 axes: sums of input times exp(2 pi i k j / n), divided by n.

    Args:
        input: complex64 or complex128, of rank 2 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 2.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2, 2]), tf.complex64)
    ...     print(abs(session.run(tf.ifft2d(x))).ravel().tolist())
    [1.0, 0.0, 0.0, 0.0]

    Source: TensorFlow 1.x, `tf.ifft2d`.
    """

def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last 3 axes: sums of input times exp(2 pi i k j / n), divided by n.

    Args:
        input: complex64 or complex128, of rank 3 or higher.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: `input` has a rank below 3.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.cast(tf.ones([2, 2, 2]), tf.complex64)
    ...     print(abs(session.run(tf.ifft3d(x))).ravel().tolist())
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    Source: TensorFlow 1.x, `tf.ifft3d`.
    """

def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """The strings that `tf.encode_base64` encoded.

    Args:
        input: strings in the base64 code for web addresses, any shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.
        InvalidArgumentError (when run): a string is not in that code.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_base64("dGV4dA")))
    b'text'

    Source: TensorFlow 1.x, `tf.decode_base64`.
    """

def encode_base64(input: TensorLike, pad: builtins.bool = False, name: str | None = None) -> Tensor:
    """The strings in the base64 code for web addresses, with - and _ for + and /.

    Args:
        input: strings, any shape.
        pad: whether = fills up the last group.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.encode_base64("text")), session.run(tf.encode_base64("text", pad=True)))
    b'dGV4dA' b'dGV4dA=='

    Source: TensorFlow 1.x, `tf.encode_base64`.
    """

def string_strip(input: TensorLike, name: str | None = None) -> Tensor:
    """The strings without white space at their ends.

    Args:
        input: strings, any shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_strip(["  a b ", "c"])))
    [b'a b' b'c']

    Source: TensorFlow 1.x, `tf.string_strip`.
    """

def regex_replace(
    input: TensorLike,
    pattern: str | bytes,
    rewrite: str | bytes,
    replace_global: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    r"""The strings with the parts that match a regular expression replaced.

    Args:
        input: strings, any shape.
        pattern: a regular expression that means the same in Python and in RE2, a Python string.
        rewrite: what takes the place of a match, a Python string; \0 to \9 stand for the match and its groups.
        replace_global: False replaces the first match only.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string, or `pattern` or `rewrite` is no string.
        ValueError: `pattern` is no regular expression.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.regex_replace(["a1b22"], "[0-9]+", "-")))
    [b'a-b-']

    Source: TensorFlow 1.x, `tf.regex_replace`.
    """

def substr(input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = 'BYTE') -> Tensor:
    """The parts of strings that begin at `pos` and have `len` bytes or characters.

    Args:
        input: strings, any shape.
        pos: int32 or int64 that broadcasts with `input`: the first place; a negative one counts from the end.
        len: the dtype and shape of `pos`: how many.
        unit: "BYTE" counts bytes, "UTF8_CHAR" characters.

    Returns:
        A tensor of dtype string with the broadcast shape.

    Raises:
        TypeError: `input` is not string, or `pos` is not int.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same, or a place is beyond the end of a string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.substr(["Hello", "World"], 1, 3)))
    [b'ell' b'orl']

    Source: TensorFlow 1.x, `tf.substr`.
    """

def histogram_summary(
    tag: TensorLike,
    values: TensorLike,
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """A summary of many numbers. `tf.summary.histogram` under its name of TensorFlow 0.x.

    Args:
        tag: a string.
        values: real numbers of any shape.
        collections: the collections to add it to; None (the default) means `SUMMARIES`.
        name: the name of the node.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: `tag` is not a scalar.
        InvalidArgumentError (when run): a number is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights = tf.histogram_summary("layer 1/weights", [1.0, 2.0])
    ...     print(tf.Summary.FromString(session.run(weights)).value[0].tag)
    layer 1/weights

    Source: TensorFlow 0.x, `tf.histogram_summary`.
    """

def image_summary(
    tag: TensorLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """A summary of images. `tf.summary.image` under its name of TensorFlow 0.x.

    Args:
        tag: a string.
        tensor: uint8 or floats of shape (batch, height, width, channels) with 1, 3 or 4 channels.
        max_images: how many images at most.
        collections: the collections to add it to; None (the default) means `SUMMARIES`.
        name: the name of the node.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: a shape is another one, or `max_images` is below 1.
        InvalidArgumentError (when run): `tensor` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     face = tf.image_summary("face", tf.zeros([1, 8, 8, 1]), max_images=1)
    ...     print(tf.Summary.FromString(session.run(face)).value[0].tag)
    face/image

    Source: TensorFlow 0.x, `tf.image_summary`.
    """

def merge_summary(
    inputs: Sequence[TensorLike],
    collections: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """One summary of several. `tf.summary.merge` under its name of TensorFlow 0.x.

    Args:
        inputs: a list of summaries.
        collections: the collections to add it to; None (the default) means none.
        name: the name of the node.

    Returns:
        A scalar of dtype string: a serialised `Summary`.

    Raises:
        TypeError: `inputs` is not a list of string tensors, or `collections` is not a list.
        ValueError: `inputs` is empty.
        InvalidArgumentError (when run): two of them have the same tag.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.merge_summary([tf.scalar_summary("a", 1.0)]).name
    'Merge/MergeSummary:0'

    Source: TensorFlow 0.x, `tf.merge_summary`.
    """

def initialize_all_tables(name: str | None = 'init_all_tables') -> Operation:
    """An operation that initialises the look-up tables of the default graph.

    Args:
        name: the name of the operation.

    Returns:
        The operation.

    Raises:
        ValueError: `name` is not a valid name.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.tables_initializer().name)
    init_all_tables

    Source: TensorFlow 1.x, `tf.tables_initializer`.
    """
