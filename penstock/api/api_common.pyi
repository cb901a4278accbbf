"""The public names that `penstock` and `penstock.compat.v1` share, written once; each adds its own to these."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from ..graph.declare.signature import DTypeLike
from ..variables.partitioners import Partitioner
from ..graph.declare.signature import TensorLike
from typing import TYPE_CHECKING as _TYPE_CHECKING
from .. import errors as errors
from ..graph.building.context_functions import colocate_with as colocate_with
from ..graph.building.context_functions import container as container
from ..graph.building.context_functions import control_dependencies as control_dependencies
from ..graph.building.context_functions import device as device
from ..graph.building.context_functions import init_scope as init_scope
from ..graph.building.context_functions import name_scope as name_scope
from ..graph.building.context_functions import op_scope as op_scope
from ..graph.building.registered_conversions import register_tensor_conversion_function as register_tensor_conversion_function
from ..graph.building.tensor_kinds import assert_proper_iterable as assert_proper_iterable
from ..graph.building.tensor_kinds import assert_same_float_dtype as assert_same_float_dtype
from ..graph.building.tensor_kinds import is_numeric_tensor as is_numeric_tensor
from ..graph.declare.gradient_registry import NoGradient as NoGradient
from ..graph.declare.gradient_registry import NotDifferentiable as NotDifferentiable
from ..graph.declare.gradient_registry import RegisterGradient as RegisterGradient
from ..graph.devices.device_spec import DeviceSpec as DeviceSpec
from ..graph.diagnostics.shape_provenance import explain_shape as explain_shape
from ..graph.diagnostics.unknown_dims import why_unknown as why_unknown
from ..graph.model.default_graph import get_default_graph as get_default_graph
from ..graph.model.default_graph import reset_default_graph as reset_default_graph
from ..graph.model.identity_comparison import MistakeWarning as MistakeWarning
from ..graph.model.indexed_slices import IndexedSlices as IndexedSlices
from ..graph.model.indexed_slices import IndexedSlicesValue as IndexedSlicesValue
from ..graph.model.nodes import Graph as Graph
from ..graph.model.nodes import Operation as Operation
from ..graph.model.nodes import Tensor as Tensor
from ..graph.model.seed_functions import get_seed as get_seed
from ..graph.model.seed_functions import set_random_seed as set_random_seed
from ..graph.model.sparse_tensor import SparseTensor as SparseTensor
from ..graph.model.sparse_tensor import SparseTensorValue as SparseTensorValue
from ..graph.shapes.dimension import Dimension as Dimension
from ..graph.shapes.dtypes import DType as DType
from ..graph.shapes.dtypes import as_dtype as as_dtype
from ..graph.shapes.dtypes import bfloat16 as bfloat16
from ..graph.shapes.dtypes import bool_ as _bool
from ..graph.shapes.dtypes import complex64 as complex64
from ..graph.shapes.dtypes import complex128 as complex128
from ..graph.shapes.dtypes import float16 as float16
from ..graph.shapes.dtypes import float32 as float32
from ..graph.shapes.dtypes import float64 as float64
from ..graph.shapes.dtypes import int8 as int8
from ..graph.shapes.dtypes import int16 as int16
from ..graph.shapes.dtypes import int32 as int32
from ..graph.shapes.dtypes import int64 as int64
from ..graph.shapes.dtypes import string as string
from ..graph.shapes.dtypes import uint8 as uint8
from ..graph.shapes.dtypes import uint16 as uint16
from ..graph.shapes.dtypes import uint32 as uint32
from ..graph.shapes.dtypes import uint64 as uint64
from ..graph.shapes.dtypes import variant as variant
from ..graph.shapes.shape import TensorShape as TensorShape
from ..ops.checks.assert_kinds import assert_rank as assert_rank
from ..ops.checks.assert_kinds import assert_scalar as assert_scalar
from ..ops.checks.assert_kinds import assert_type as assert_type
from ..ops.checks.check_numerics import add_check_numerics_ops as add_check_numerics_ops
from ..ops.checks.check_numerics import verify_tensor_all_finite as verify_tensor_all_finite
from ..ops.checks.value_predicates import is_non_decreasing as is_non_decreasing
from ..ops.control.control import group as group
from ..ops.control.python_function import numpy_function as numpy_function
from ..ops.control.python_function import py_func as py_func
from ..ops.control.with_dependencies import tuple as tuple
from ..ops.control.with_dependencies import with_dependencies as with_dependencies
from ..ops.create.constant_and_placeholder import constant as constant
from ..ops.create.constant_and_placeholder import convert_to_tensor as convert_to_tensor
from ..ops.create.creation import ones as ones
from ..ops.create.creation import zeros as zeros
from ..ops.create.sequence_mask import sequence_mask as sequence_mask
from ..ops.elementwise.arithmetic import div as div
from ..ops.elementwise.arithmetic import divide as divide
from ..ops.elementwise.select_where import clip_by_value as clip_by_value
from ..ops.elementwise.select_where import where as where
from ..ops.index.gathering import boolean_mask as boolean_mask
from ..ops.index.repeating import repeat as repeat
from ..ops.index.top_k import top_k as top_k
from ..ops.linalg.diagonals import eye as eye
from ..ops.linalg.einsum import einsum as einsum
from ..ops.linalg.qr import qr as qr
from ..ops.move.broadcasting import meshgrid as meshgrid
from ..ops.move.getitem import newaxis as newaxis
from ..ops.nn.activations import softmax as softmax
from ..ops.nn.clipping import clip_by_average_norm as clip_by_average_norm
from ..ops.nn.clipping import clip_by_global_norm as clip_by_global_norm
from ..ops.nn.clipping import clip_by_norm as clip_by_norm
from ..ops.nn.clipping import global_norm as global_norm
from ..ops.nn.rectifiers import log_sigmoid as log_sigmoid
from ..ops.random.multinomial import multinomial as multinomial
from ..ops.random.random_api import random_normal as random_normal
from ..ops.random.random_api import random_uniform as random_uniform
from ..ops.random.random_gamma import random_gamma as random_gamma
from ..ops.random.random_poisson import random_poisson as random_poisson
from ..ops.random.random_shuffle import random_crop as random_crop
from ..ops.random.random_shuffle import random_shuffle as random_shuffle
from ..ops.reduce.moments import moments as moments
from ..ops.reduce.moments import reduce_variance as reduce_variance
from ..ops.reduce.reduce_logsumexp import reduce_logsumexp as reduce_logsumexp
from ..ops.text.print_template import print as print
from ..ops.text.string_split_join import string_split as string_split
from ..variables.assigning import assign as assign
from ..variables.assigning import assign_add as assign_add
from ..variables.constant_initializers import constant_initializer as constant_initializer
from ..variables.constant_initializers import ones_initializer as ones_initializer
from ..variables.constant_initializers import zeros_initializer as zeros_initializer
from ..variables.get_variable import get_local_variable as get_local_variable
from ..variables.get_variable import get_variable as get_variable
from ..variables.graph_keys import GraphKeys as GraphKeys
from ..variables.partitioned_lists import create_partitioned_variables as create_partitioned_variables
from ..variables.partitioned_variable import PartitionedVariable as PartitionedVariable
from ..variables.partitioners import fixed_size_partitioner as fixed_size_partitioner
from ..variables.random_initializers import glorot_normal_initializer as glorot_normal_initializer
from ..variables.random_initializers import glorot_uniform_initializer as glorot_uniform_initializer
from ..variables.random_initializers import orthogonal_initializer as orthogonal_initializer
from ..variables.random_initializers import random_normal_initializer as random_normal_initializer
from ..variables.random_initializers import random_uniform_initializer as random_uniform_initializer
from ..variables.random_initializers import truncated_normal_initializer as truncated_normal_initializer
from ..variables.random_initializers import uniform_unit_scaling_initializer as uniform_unit_scaling_initializer
from ..variables.random_initializers import variance_scaling_initializer as variance_scaling_initializer
from ..variables.variable import Variable as Variable
from ..variables.variable import is_variable_initialized as is_variable_initialized
from ..variables.variable_lists import add_to_collection as add_to_collection
from ..variables.variable_lists import add_to_collections as add_to_collections
from ..variables.variable_lists import all_variables as all_variables
from ..variables.variable_lists import assert_variables_initialized as assert_variables_initialized
from ..variables.variable_lists import get_collection as get_collection
from ..variables.variable_lists import get_collection_ref as get_collection_ref
from ..variables.variable_lists import get_variable_scope as get_variable_scope
from ..variables.variable_lists import global_variables as global_variables
from ..variables.variable_lists import global_variables_initializer as global_variables_initializer
from ..variables.variable_lists import initialize_all_variables as initialize_all_variables
from ..variables.variable_lists import initialize_local_variables as initialize_local_variables
from ..variables.variable_lists import local_variables_initializer as local_variables_initializer
from ..variables.variable_lists import report_uninitialized_variables as report_uninitialized_variables
from ..variables.variable_lists import variables_initializer as variables_initializer
from ..variables.variable_scope_block import variable_op_scope as variable_op_scope
from ..variables.variable_scope_block import variable_scope as variable_scope
from ..variables.variable_scope_object import AUTO_REUSE as AUTO_REUSE
from ..variables.variable_scope_object import VariableScope as VariableScope
bool = _bool
if _TYPE_CHECKING:
    from .imported_later import *

def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x == y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: any dtype and shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_equal(x, [1.0, 2.0])]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x == y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_equal`.
    """

def assert_greater(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x > y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: ints or floats of any shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_greater(x, 1.0)]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x > y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_greater`.
    """

def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x >= y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: ints or floats of any shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_greater_equal(x, 2.0)]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x >= y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_greater_equal`.
    """

def assert_less(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x < y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: ints or floats of any shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_less(x, 3.0)]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x < y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_less`.
    """

def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x <= y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: ints or floats of any shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_less_equal(x, 2.0)]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x <= y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_less_equal`.
    """

def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless |x - y| < atol + rtol * |y| for all elements, with the shapes broadcast.

    Args:
        x: floats or complex numbers.
        y: the same dtype.
        rtol: the tolerance relative to `y`; None (the default) means 10 times the spacing of the dtype's numbers at 1.
        atol: the absolute tolerance, with the same default.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ or are others, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError (when run): the condition does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [2])
    ...     session.run(tf.assert_near(x, [1.0, 2.0]), {x: [1.0, 2.0000001]})

    Source: TensorFlow 1.x, `tf.assert_near`.
    """

def assert_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x < 0 for all elements. No elements are fine.

    Args:
        x: ints or floats of any shape.
        data: a list of tensors that the error shows instead of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `x` has another dtype, or `data` is not a list.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, [None], name="x")
    ...     check = tf.assert_negative(x, message="of x")
    ...     try:
    ...         session.run(check, {x: [1, 0, -1]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [of x] [Condition x < 0 did not hold element-wise:] [x (x:0) = ] [1 0 -1]

    Source: TensorFlow 1.x, `tf.assert_negative`.
    """

def assert_non_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x >= 0 for all elements. No elements are fine.

    Args:
        x: ints or floats of any shape.
        data: a list of tensors that the error shows instead of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `x` has another dtype, or `data` is not a list.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, [None], name="x")
    ...     check = tf.assert_non_negative(x, message="of x")
    ...     try:
    ...         session.run(check, {x: [1, 0, -1]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [of x] [Condition x >= 0 did not hold element-wise:] [x (x:0) = ] [1 0 -1]

    Source: TensorFlow 1.x, `tf.assert_non_negative`.
    """

def assert_non_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x <= 0 for all elements. No elements are fine.

    Args:
        x: ints or floats of any shape.
        data: a list of tensors that the error shows instead of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `x` has another dtype, or `data` is not a list.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, [None], name="x")
    ...     check = tf.assert_non_positive(x, message="of x")
    ...     try:
    ...         session.run(check, {x: [1, 0, -1]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [of x] [Condition x <= 0 did not hold element-wise:] [x (x:0) = ] [1 0 -1]

    Source: TensorFlow 1.x, `tf.assert_non_positive`.
    """

def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x != y for all elements, with the shapes broadcast. No elements are fine.

    Args:
        x: any dtype and shape.
        y: the same dtype.
        data: a list of tensors that the error shows instead of `x` and `y`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: the dtypes differ, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None], name="x")
    ...     with tf.control_dependencies([tf.assert_none_equal(x, [1.0, 2.0])]):
    ...         y = tf.identity(x)
    ...     try:
    ...         session.run(y, {x: [1, 3]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message.partition(" [x")[0])
    assertion failed: [Condition x != y did not hold element-wise:]

    Source: TensorFlow 1.x, `tf.assert_none_equal`.
    """

def assert_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x > 0 for all elements. No elements are fine.

    Args:
        x: ints or floats of any shape.
        data: a list of tensors that the error shows instead of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `x` has another dtype, or `data` is not a list.
        InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, [None], name="x")
    ...     check = tf.assert_positive(x, message="of x")
    ...     try:
    ...         session.run(check, {x: [1, 0, -1]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [of x] [Condition x > 0 did not hold element-wise:] [x (x:0) = ] [1 0 -1]

    Source: TensorFlow 1.x, `tf.assert_positive`.
    """

def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """Raises a TypeError unless `x` has an int dtype.

    Args:
        x: any shape.
        message: what the error says first.

    Returns:
        An operation that does nothing.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_integer([1, 2]).type
    'NoOp'

    Source: TensorFlow 1.x, `tf.assert_integer`.
    """

def assert_rank_at_least(
    x: TensorLike,
    rank: int,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has that rank or a higher one.

    Args:
        x: any dtype and shape.
        rank: an int.
        data: a list of tensors that the error shows instead of the shape of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `rank` is not an int, or `data` is not a list.
        ValueError: `x` is known to have a lower rank.
        InvalidArgumentError (when run): it has a lower rank.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32)
    ...     check = tf.assert_rank_at_least(x, 1)
    ...     session.run(check, {x: [1.0]})
    ...     try:
    ...         session.run(check, {x: 1.0})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [Tensor Placeholder:0 must have rank at least] [1] [Received shape: ] []

    Source: TensorFlow 1.x, `tf.assert_rank_at_least`.
    """

def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[int],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has one of the ranks.

    Args:
        x: any dtype and shape.
        ranks: a list of ints.
        data: a list of tensors that the error shows instead of the shape of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `ranks` is not a list of ints, or `data` is not a list.
        ValueError: `x` is known to have another rank.
        InvalidArgumentError (when run): it has another rank.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_rank_in(tf.zeros([2, 3]), (1, 2)).type
    'NoOp'

    Source: TensorFlow 1.x, `tf.assert_rank_in`.
    """

def ensure_shape(
    x: TensorLike,
    shape: TensorShape | Iterable[int | str | Dimension | None] | int | None,
    name: str | None = None,
) -> Tensor:
    """`x` unchanged, with `shape` as its static shape, which every run checks.

    Args:
        x: any dtype and shape.
        shape: its sizes; None for one that may be any.

    Returns:
        A tensor with the dtype of `x` and what is known of its shape.

    Raises:
        TypeError: `shape` is not a shape.
        ValueError: `x` is known to have another shape.
        InvalidArgumentError (when run): it has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32)
    ...     y = tf.ensure_shape(x, [None, 2])
    ...     print(y.shape)
    ...     try:
    ...         session.run(y, {x: [1.0, 2.0]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    (?, 2)
    Shape of tensor x [2] is not compatible with expected shape [?,2].

    Source: TensorFlow 1.x, `tf.ensure_shape`.
    """

def Assert(
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails, with the elements of `data` in its error, if `condition` is False.

    It runs if it is fetched, or if something that runs was made inside `tf.control_dependencies([it])`. Nothing that
    is made after it writes a variable in a run in which it fails.

    Args:
        condition: a bool scalar.
        data: a list of tensors.
        summarize: how many elements of each are shown; None (the default) means 3, a negative number all.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: `condition` is not bool, `data` is not a list, or `summarize` is not an int.
        ValueError: `condition` is not a scalar.
        InvalidArgumentError (when run): `condition` is False.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None])
    ...     with tf.control_dependencies([tf.Assert(tf.reduce_max(x) <= 1.0, ["too large", x])]):
    ...         y = tf.sqrt(x)
    ...     print(session.run(y, {x: [0.25, 1.0]}))
    ...     try:
    ...         session.run(y, {x: [4.0, 9.0]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    [0.5 1. ]
    assertion failed: [too large] [4 9]

    Source: TensorFlow 1.x, `tf.Assert`.
    """

def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`tensor` unchanged, if every element is finite; otherwise the run fails.

    Args:
        tensor: floats, any shape.
        message: what the error says first.

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `tensor` has another dtype.
        InvalidArgumentError (when run): an element is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.check_numerics([1.0, 2.0], "weights")))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.check_numerics`.
    """

def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x[0] < x[1] < x[2] ..., with the elements in row-major order. Fewer than two elements are.

    Args:
        x: numbers of any shape.

    Returns:
        A bool scalar.

    Raises:
        TypeError: `x` is no tensor of numbers.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run([tf.is_strictly_increasing([1, 2, 3]), tf.is_strictly_increasing([1, 2, 2])]))
    [np.True_, np.False_]

    Source: TensorFlow 1.x, `tf.is_strictly_increasing`.
    """

def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """`input` unchanged, as a new node.

    Inside `with tf.control_dependencies([...])` it is the same value, available after those operations have run.

    Args:
        input: any dtype and shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.identity([1, 2, 3])))
    [1 2 3]

    Source: TensorFlow 1.x, `tf.identity`.
    """

def no_op(name: str | None = None) -> Operation:
    """An operation that computes nothing and has no output; control dependencies can be attached to it.

    Returns:
        The new operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.no_op(name="done")
    <Operation 'done' NoOp>

    Source: TensorFlow 1.x, `tf.no_op`.
    """

def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """`input` unchanged, as a new node that a gradient treats as a constant.

    Args:
        input: any dtype and shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.stop_gradient([1.5, 2.5])))
    [1.5 2.5]

    Source: TensorFlow 1.x, `tf.stop_gradient`.
    """

def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Each tensor of `input` unchanged, as the outputs of one new node.

    Args:
        input: a list of tensors of any dtypes and shapes.

    Returns:
        A list of as many tensors, with their shapes and dtypes.

    Raises:
        TypeError: it is not a list of tensors.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.identity_n([1, [2.5, 3.5]])))
    [np.int32(1), array([2.5, 3.5], dtype=float32)]

    Source: TensorFlow 1.x, `tf.identity_n`.
    """

def placeholder(
    dtype: DTypeLike,
    shape: TensorShape | Iterable[int | str | Dimension | None] | int | None = None,
    name: str | None = None,
) -> Tensor:
    """A tensor whose value is fed in each run.

    Args:
        dtype: the dtype of the values.
        shape: what is known of their shape; None for nothing. A size in a list is an int, None if it is not known, or a
            string that names it: it is then the same wherever the name occurs in the graph.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: there is no such dtype, or a size is not an int, a string or None.
        ValueError: a size is negative.
        InvalidArgumentError (when run): nothing is fed.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["batch", 2])
    ...     print(x.dtype, x.shape, session.run(x + 1.0, {x: [[1, 2]]}))
    <dtype: 'float32'> (batch, 2) [[2. 3.]]

    Source: TensorFlow 1.x, `tf.placeholder`.
    """

def placeholder_with_default(
    input: TensorLike,
    shape: TensorShape | Iterable[int | str | Dimension | None] | int | None,
    name: str | None = None,
) -> Tensor:
    """`input`, unless another value is fed for this tensor.

    Args:
        input: the value where nothing is fed; any dtype.
        shape: the shape that `input` and all fed values fit, as in `placeholder`.

    Returns:
        A tensor of shape `shape` with the dtype of `input`.

    Raises:
        TypeError: a size is not an int, a string or None.
        ValueError: the shape of `input` does not fit `shape`, or a size is negative.
        InvalidArgumentError (when run): the shape of `input` does not fit `shape`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder_with_default([1.0, 2.0], [None])
    ...     print(session.run(x), session.run(x, {x: [5.0]}))
    [1. 2.] [5.]

    Source: TensorFlow 1.x, `tf.placeholder_with_default`.
    """

def fill(dims: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose elements are all `value`.

    Args:
        dims: the shape of the result: an int32 or int64 vector.
        value: a scalar of any dtype.

    Returns:
        A tensor of shape `dims` with the dtype of `value`.

    Raises:
        TypeError: `dims` is not int.
        ValueError: `dims` is not a vector, `value` is not a scalar, or a known size is negative.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.fill([2, 3], 9)))
    [[9 9 9]
     [9 9 9]]

    Source: TensorFlow 1.x, `tf.fill`.
    """

def ones_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = 'ones_like') -> Tensor:
    """A tensor of ones (or True) with the shape of another tensor.

    Args:
        tensor: any dtype and shape; only its shape is read.
        dtype: the dtype of the result, not string; without it, that of `tensor`.

    Returns:
        A tensor with the shape of `tensor` and dtype `dtype`.

    Raises:
        TypeError: the dtype is string, or there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ones_like([[1, 2], [3, 4]], tf.float32)))
    [[1. 1.]
     [1. 1.]]

    Source: TensorFlow 1.x, `tf.ones_like`.
    """

def zeros_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = 'zeros_like') -> Tensor:
    """A tensor of zeros (False, or empty strings) with the shape of another tensor.

    Args:
        tensor: any dtype and shape; only its shape is read.
        dtype: the dtype of the result; without it, that of `tensor`.

    Returns:
        A tensor with the shape of `tensor` and dtype `dtype`.

    Raises:
        TypeError: there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeros_like([[1, 2], [3, 4]])))
    [[0 0]
     [0 0]]

    Source: TensorFlow 1.x, `tf.zeros_like`.
    """

def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = -1,
    dtype: DTypeLike | None = None,
    name: str | None = 'one_hot',
) -> Tensor:
    """`on_value` where the index along the new axis equals `indices`, `off_value` elsewhere.

    For axis = -1: out[i, j] = on_value if indices[i] == j else off_value. An index outside [0, depth) matches no place.

    Args:
        indices: uint8, int8, int32 or int64, any shape.
        depth: the size of the new axis, an int32 scalar.
        on_value, off_value: scalars of one dtype; the defaults are 1 and 0.
        axis: the place of the new axis: -1 for last, or 0 to the rank of `indices`.
        dtype: the dtype of the result; without it that of `on_value` or `off_value`, else float32.

    Returns:
        A tensor with the shape of `indices` with `depth` inserted at `axis`, and dtype `dtype`.

    Raises:
        TypeError: a dtype is not allowed, or the values differ in dtype.
        ValueError: `depth` is negative or not a scalar, or `axis` is out of range.
        InvalidArgumentError (when run): `depth` is negative, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.one_hot([0, 2, -1], 3)))
    [[1. 0. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]

    Source: TensorFlow 1.x, `tf.one_hot`.
    """

def linspace(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = 'linspace') -> Tensor:
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

def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = 'range',
) -> Tensor:
    """The numbers start, start + delta, start + 2*delta ... up to but not including `limit`.

    Args:
        start: the first number; `range(n)` counts from 0 to n.
        limit: the end, which is not included.
        delta: the step, not 0.
        dtype: the dtype of the result. Without it, the widest dtype of the arguments in the order int32, int64,
            bfloat16, float32, float64; the others are cast to it.

    Returns:
        A vector of max(0, ceil((limit - start) / delta)) elements with dtype `dtype`.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: an argument is not a scalar; or, of known values, delta is 0 or leads away from `limit`.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.range(5)), session.run(tf.range(3, 18, 3)), session.run(tf.range(3, 1, -0.5)))
    [0 1 2 3 4] [ 3  6  9 12 15] [3.  2.5 2.  1.5]

    Source: TensorFlow 1.x, `tf.range`.
    """

def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`.

    Args:
        input: any dtype and shape.

    Returns:
        A scalar of dtype int32.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.rank(t)))
    3

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def abs(x: TensorLike, name: str | None = None) -> Tensor:
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

def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y; strings are concatenated.

    Args:
        x, y: ints, floats, complex numbers and string; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.add([1, 2], [[10], [20]])))
    [[11 12]
     [21 22]]

    Source: TensorFlow, `tf.add`.
    """

def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The sum of the tensors in `inputs`, element by element: inputs[0] + inputs[1] + ...

    Args:
        inputs: a list of at least one tensor; numbers of one dtype, all of one shape (they do not broadcast).

    Returns:
        A tensor with the shape and dtype of each input. A single input is returned as it is.

    Raises:
        TypeError: the dtypes differ or are not numbers.
        ValueError: the list is empty, or the shapes differ.
        InvalidArgumentError (when run): the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.add_n([[1, 2], [10, 20], [100, 200]])))
    [111 222]

    Source: TensorFlow 1.x, `tf.add_n`.
    """

def floor_div(x: TensorLike, y: TensorLike, name: str | None = 'floordiv') -> Tensor:
    """floor(x / y): rounds towards minus infinity.

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
    ...     print(session.run(tf.floordiv([7, -7], [2, 2])))
    [ 3 -4]

    Source: TensorFlow, `tf.floordiv`.
    """

def floordiv(x: TensorLike, y: TensorLike, name: str | None = 'floordiv') -> Tensor:
    """floor(x / y): rounds towards minus infinity.

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
    ...     print(session.run(tf.floordiv([7, -7], [2, 2])))
    [ 3 -4]

    Source: TensorFlow, `tf.floordiv`.
    """

def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - floordiv(x, y) * y, the remainder of that division; it has the sign of y.

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
    ...     print(session.run(tf.mod([7, -7], [-2, 2])))
    [-1  1]

    Source: TensorFlow, `tf.floormod`.
    """

def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The greater of x and y; NaN where either is NaN.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.maximum([1.0, 5.0], 3.0)))
    [3. 5.]

    Source: TensorFlow, `tf.maximum`.
    """

def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The lesser of x and y; NaN where either is NaN.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.minimum([1.0, 5.0], 3.0)))
    [1. 3.]

    Source: TensorFlow, `tf.minimum`.
    """

def mod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - floordiv(x, y) * y, the remainder of that division; it has the sign of y.

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
    ...     print(session.run(tf.mod([7, -7], [-2, 2])))
    [-1  1]

    Source: TensorFlow, `tf.floormod`.
    """

def mul(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.multiply([1, 2, 3], 2)))
    [2 4 6]

    Source: TensorFlow, `tf.multiply`.
    """

def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.multiply([1, 2, 3], 2)))
    [2 4 6]

    Source: TensorFlow, `tf.multiply`.
    """

def neg(x: TensorLike, name: str | None = None) -> Tensor:
    """-x. The smallest int of a dtype stays itself.

    Args:
        x: signed ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.negative([1, -2])))
    [-1  2]

    Source: TensorFlow, `tf.negative`.
    """

def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x. The smallest int of a dtype stays itself.

    Args:
        x: signed ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.negative([1, -2])))
    [-1  2]

    Source: TensorFlow, `tf.negative`.
    """

def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x**y.

    Args:
        x, y: signed ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same, or an int has a negative power.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.pow([2, 3], [[2], [3]])))
    [[ 4  9]
     [ 8 27]]

    Source: TensorFlow, `tf.pow`.
    """

def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
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

def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.rsqrt([4.0, 0.0])))
    [0.5 inf]

    Source: TensorFlow, `tf.rsqrt`.
    """

def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1 where x < 0, 0 where x = 0, 1 where x > 0; x / |x| if x is complex.

    Args:
        x: signed ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sign([-2, 0, 7])))
    [-1  0  1]

    Source: TensorFlow, `tf.sign`.
    """

def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of x; NaN for a float below zero.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sqrt([4.0, 2.25])))
    [2.  1.5]

    Source: TensorFlow, `tf.sqrt`.
    """

def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x.

    Args:
        x: ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.square([-3, 1])))
    [9 1]

    Source: TensorFlow, `tf.square`.
    """

def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y)**2; of complex numbers |x - y|**2.

    Args:
        x, y: floats, complex numbers, int32 and int64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.squared_difference([1.0, 5.0], 3.0)))
    [4. 4.]

    Source: TensorFlow, `tf.squared_difference`.
    """

def sub(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.subtract([5, 7], 2)))
    [3 5]

    Source: TensorFlow, `tf.subtract`.
    """

def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.subtract([5, 7], 2)))
    [3 5]

    Source: TensorFlow, `tf.subtract`.
    """

def truediv(x: TensorLike, y: TensorLike, name: str | None = 'truediv') -> Tensor:
    """x / y. Ints are cast first: those of 8 and 16 bits to float32, wider ones to float64; so x / 0 is an infinity or
    NaN, not an error.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.truediv([7, -7], 2)))
    [ 3.5 -3.5]

    Source: TensorFlow, `tf.truediv`.
    """

def cast(x: TensorLike | SparseTensor, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The values of `x` as another dtype. A tensor that has that dtype already is returned as it is.

    Args:
        x: any tensor, or a `SparseTensor`, whose values are cast.
        dtype: the new dtype. Floats become ints by dropping the fraction: NaN becomes 0, and a value out of range the
            nearest one in range. Ints wrap around; complex numbers lose their imaginary part; all but 0 becomes True.

    Returns:
        A tensor with the shape of `x` and dtype `dtype`. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: there is no such dtype, or just one of the two is string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.constant([1.8, 2.2], dtype=tf.float32)
    ...     print(session.run(tf.cast(a, tf.int32)))
    [1 2]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def to_bfloat16(x: TensorLike | SparseTensor, name: str = 'ToBFloat16') -> Tensor:
    """`x` as bfloat16, which has the range of float32 and 8 bits of precision: `cast(x, bfloat16)`.

    Args:
        x: numbers, bools, or a `SparseTensor` of these.

    Returns:
        A tensor with the shape of `x` and dtype bfloat16. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: `x` holds strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_bfloat16([257.0, 3.0])))
    [256 3]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def to_double(x: TensorLike | SparseTensor, name: str = 'ToDouble') -> Tensor:
    """`x` as float64: `cast(x, float64)`.

    Args:
        x: numbers, bools, or a `SparseTensor` of these.

    Returns:
        A tensor with the shape of `x` and dtype float64. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: `x` holds strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_double(tf.constant([1.5, 2.5]))))
    [1.5 2.5]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def to_float(x: TensorLike | SparseTensor, name: str = 'ToFloat') -> Tensor:
    """`x` as float32: `cast(x, float32)`.

    Args:
        x: numbers, bools, or a `SparseTensor` of these.

    Returns:
        A tensor with the shape of `x` and dtype float32. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: `x` holds strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_float([True, False])))
    [1. 0.]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def to_int32(x: TensorLike | SparseTensor, name: str = 'ToInt32') -> Tensor:
    """`x` as int32: `cast(x, int32)`.

    Args:
        x: numbers, bools, or a `SparseTensor` of these.

    Returns:
        A tensor with the shape of `x` and dtype int32. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: `x` holds strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_int32([1.9, -1.9, 1e10])))
    [         1         -1 2147483647]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def to_int64(x: TensorLike | SparseTensor, name: str = 'ToInt64') -> Tensor:
    """`x` as int64: `cast(x, int64)`.

    Args:
        x: numbers, bools, or a `SparseTensor` of these.

    Returns:
        A tensor with the shape of `x` and dtype int64. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: `x` holds strings.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_int64([1.9, 1e10])))
    [          1 10000000000]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x = y.

    Args:
        x, y: any dtype; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.equal(["a", "b"], "b")))
    [False  True]

    Source: TensorFlow, `tf.equal`.
    """

def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x > y.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.greater([1, 2, 3], 2)))
    [False False  True]

    Source: TensorFlow, `tf.greater`.
    """

def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x >= y.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.greater_equal([1, 2, 3], 2)))
    [False  True  True]

    Source: TensorFlow, `tf.greater_equal`.
    """

def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x < y.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.less([1, 2, 3], 2)))
    [ True False False]

    Source: TensorFlow, `tf.less`.
    """

def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x <= y.

    Args:
        x, y: ints and floats; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.less_equal([1, 2, 3], 2)))
    [ True  True False]

    Source: TensorFlow, `tf.less_equal`.
    """

def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x and y differ, and where either is NaN.

    Args:
        x, y: any dtype; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and dtype bool.

    Raises:
        TypeError: `x` and `y` differ in dtype.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.not_equal([1, 2, 3], 2)))
    [ True False  True]

    Source: TensorFlow, `tf.not_equal`.
    """

def complex(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The complex numbers x + y i.

    Args:
        x, y: float32 and float64; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and the dtype named above.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.complex([1.5, 2.0], [0.5, -1.5])))
    [1.5+0.5j 2. -1.5j]

    Source: TensorFlow, `tf.complex`.
    """

def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate of x: its imaginary part changes its sign. A real number is its own.

    Args:
        x: ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.conj([1.5 - 2.0j])))
    [1.5+2.j]

    Source: TensorFlow, `tf.conj`.
    """

def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part of x; that of a real number is 0.

    Args:
        input: ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `input` and the dtype named above.

    Raises:
        TypeError: `input` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.imag([1.5 - 2.0j])))
    [-2.]

    Source: TensorFlow, `tf.imag`.
    """

def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part of x; a real number is its own.

    Args:
        input: ints, floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `input` and the dtype named above.

    Raises:
        TypeError: `input` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.real([1.5 - 2.0j])))
    [1.5]

    Source: TensorFlow, `tf.real`.
    """

def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in x and in y.

    Args:
        x, y: ints; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bitwise_and([6, 5], 3)))
    [2 1]

    Source: TensorFlow, `tf.bitwise_and`.
    """

def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in x or in y.

    Args:
        x, y: ints; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bitwise_or([6, 5], 3)))
    [7 7]

    Source: TensorFlow, `tf.bitwise_or`.
    """

def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in exactly one of x and y.

    Args:
        x, y: ints; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bitwise_xor([6, 5], 3)))
    [5 6]

    Source: TensorFlow, `tf.bitwise_xor`.
    """

def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """The bits not set in x: -1 - x for signed ints.

    Args:
        x: ints; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.invert([0, 5])))
    [-1 -6]

    Source: TensorFlow, `tf.invert`.
    """

def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x and y are both True.

    Args:
        x, y: bool; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.logical_and([True, False], True)))
    [ True False]

    Source: TensorFlow, `tf.logical_and`.
    """

def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is False, and False where it is True.

    Args:
        x: bool; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.logical_not([True, False])))
    [False  True]

    Source: TensorFlow, `tf.logical_not`.
    """

def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x or y or both are True.

    Args:
        x, y: bool; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.logical_or([True, False], False)))
    [ True False]

    Source: TensorFlow, `tf.logical_or`.
    """

def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where exactly one of x and y is True.

    Args:
        x, y: bool; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.logical_xor([True, False], True)))
    [False  True]

    Source: TensorFlow, `tf.logical_xor`.
    """

def div_no_nan(x: TensorLike, y: TensorLike, name: str | None = 'div_no_nan') -> Tensor:
    """x / y, and 0 where y is 0.

    Args:
        x, y: floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.div_no_nan([1.0, 1.0], [4.0, 0.0])))
    [0.25 0.  ]

    Source: TensorFlow, `tf.div_no_nan`.
    """

def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = 'multiply_no_nan') -> Tensor:
    """x * y, and 0 where y is 0, even if x is infinite or NaN there.

    Args:
        x, y: floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: `x` and `y` differ in dtype, or have another one.
        ValueError: their shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.multiply_no_nan([2.0, float('inf')], [3.0, 0.0])))
    [6. 0.]

    Source: TensorFlow, `tf.multiply_no_nan`.
    """

def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number not below x.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ceil([1.5, -1.5])))
    [ 2. -1.]

    Source: TensorFlow, `tf.ceil`.
    """

def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number not above x.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.floor([1.5, -1.5])))
    [ 1. -2.]

    Source: TensorFlow, `tf.floor`.
    """

def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is neither NaN nor an infinity.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and dtype bool.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.is_finite([1.0, float("nan"), float("inf")])))
    [ True False False]

    Source: TensorFlow, `tf.is_finite`.
    """

def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is an infinity, of either sign.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and dtype bool.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.is_inf([1.0, float("-inf")])))
    [False  True]

    Source: TensorFlow, `tf.is_inf`.
    """

def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is NaN (not a number).

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and dtype bool.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.is_nan([1.0, float("nan")])))
    [False  True]

    Source: TensorFlow, `tf.is_nan`.
    """

def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The whole number nearest to x; halfway between two, the even one.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.rint([0.5, 1.5, -2.7])))
    [ 0.  2. -3.]

    Source: TensorFlow, `tf.rint`.
    """

def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The whole number nearest to x; halfway between two, the even one. Ints stay as they are.

    Args:
        x: ints and floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.round([0.5, 1.5, -2.7])))
    [ 0.  2. -3.]

    Source: TensorFlow, `tf.round`.
    """

def select(condition: TensorLike, t: TensorLike, e: TensorLike, name: str | None = None) -> Tensor:
    """`t` where the condition is True, `e` where it is False.

    Args:
        condition: bool, of the shape of `t` and `e`; or a scalar, which chooses one of them as a whole; or a vector,
            which chooses rows.
        t, e: the values for True ("then") and for False ("else"); any dtype, one shape and dtype for both.

    Returns:
        A tensor with the shape and dtype of `t` and `e`.

    Raises:
        TypeError: the condition is not bool, or the dtypes of `t` and `e` differ.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.select([True, False, True], [1, 2, 3], [10, 20, 30])))
    [ 1 20  3]

    Source: TensorFlow 0.x, `tf.select`.
    """

def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The arccosine of x: the y in [0, pi] with cos(y) = x.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.acos([1.0, -1.0])))
    [0.        3.1415927]

    Source: TensorFlow, `tf.acos`.
    """

def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of cosh: the y >= 0 with cosh(y) = x; NaN for a float below 1.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.acosh([1.0, 0.5])))
    [ 0. nan]

    Source: TensorFlow, `tf.acosh`.
    """

def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The arcsine of x: the y in [-pi/2, pi/2] with sin(y) = x.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.asin([0.0, 1.0])))
    [0.        1.5707964]

    Source: TensorFlow, `tf.asin`.
    """

def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of sinh: the y with sinh(y) = x.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.asinh([0.0, 1e-10])))
    [0.e+00 1.e-10]

    Source: TensorFlow, `tf.asinh`.
    """

def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The arctangent of x: the y in [-pi/2, pi/2] with tan(y) = x.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.atan([0.0, float('inf')])))
    [0.        1.5707964]

    Source: TensorFlow, `tf.atan`.
    """

def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
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

def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of tanh: the y with tanh(y) = x; infinite at 1 and -1.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.atanh([0.0, 1.0])))
    [ 0. inf]

    Source: TensorFlow, `tf.atanh`.
    """

def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of x in radians: sin(x)**2 + cos(x)**2 = 1.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cos([0.0, 3.1415927])))
    [ 1. -1.]

    Source: TensorFlow, `tf.cos`.
    """

def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine: (exp(x) + exp(-x)) / 2.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cosh([0.0, -1000.0])))
    [ 1. inf]

    Source: TensorFlow, `tf.cosh`.
    """

def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    Args:
        x: floats; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.erf([0.0, -10.0])))
    [ 0. -1.]

    Source: TensorFlow, `tf.erf`.
    """

def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e**x, where e is 2.71828...

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.exp([0.0, float('-inf')])))
    [1. 0.]

    Source: TensorFlow, `tf.exp`.
    """

def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate for small x too.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.expm1([0.0, 1e-10])))
    [0.e+00 1.e-10]

    Source: TensorFlow, `tf.expm1`.
    """

def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of x; -inf at 0, NaN for a float below 0.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log([1.0, 0.0])))
    [  0. -inf]

    Source: TensorFlow, `tf.log`.
    """

def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), accurate for small x too.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log1p([0.0, 1e-10])))
    [0.e+00 1.e-10]

    Source: TensorFlow, `tf.log1p`.
    """

def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of x in radians.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sin([0.0, 1.5707964])))
    [0. 1.]

    Source: TensorFlow, `tf.sin`.
    """

def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine: (exp(x) - exp(-x)) / 2.

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sinh([0.0, -1000.0])))
    [  0. -inf]

    Source: TensorFlow, `tf.sinh`.
    """

def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of x in radians: sin(x) / cos(x).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tan([0.0, 1e-10])))
    [0.e+00 1.e-10]

    Source: TensorFlow, `tf.tan`.
    """

def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent: sinh(x) / cosh(x).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tanh([0.0, 100.0])))
    [0. 1.]

    Source: TensorFlow, `tf.tanh`.
    """

def dynamic_partition(
    data: TensorLike,
    partitions: TensorLike,
    num_partitions: int,
    name: str | None = None,
) -> list[Tensor]:
    """`data` split into `num_partitions` tensors: outputs[k] = pack([data[js, ...] where partitions[js] = k]).

    Args:
        data: any dtype; its shape starts with partitions.shape.
        partitions: the labels: int32, any shape, entries in [0, num_partitions).
        num_partitions: a Python int, at least 1.

    Returns:
        A list of tensors with the dtype of `data`; outputs[k] has shape [number of labels k] +
        data.shape[partitions.ndim:] and holds its slices in the row-major order of `partitions`.

    Raises:
        TypeError: `partitions` is not int32, or `num_partitions` is not an int.
        ValueError: known shapes do not fit, or `num_partitions` is below 1.
        InvalidArgumentError (when run): the shapes do not fit, or a label is out of range.

    The labels are a scalar, then a vector:

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     outputs = session.run(tf.dynamic_partition([10, 20], 1, 2))
    ...     print(outputs[0].shape, outputs[1])
    ...     print(session.run(tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)))
    (0, 2) [[10 20]]
    [array([10, 20, 50], dtype=int32), array([30, 40], dtype=int32)]

    Source: TensorFlow 0.x, Slicing and Joining.
    """

def dynamic_stitch(indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The slices of several tensors, merged into one by index: merged[indices[m][i...], ...] = data[m][i..., ...].

    Where an index occurs more than once, the last (m, i) wins. Rows that no index names are zeros (empty strings).

    Args:
        indices: a list of at least one int32 tensor, entries >= 0.
        data: a list of as many tensors of one dtype. data[m].shape is indices[m].shape + rest, with one `rest` for all.

    Returns:
        A tensor of shape [max(indices) + 1] + rest with the dtype of `data`.

    Raises:
        TypeError: `indices` is not int32, or `data` has several dtypes.
        ValueError: no tensors, lists of different lengths, or known shapes that do not fit.
        InvalidArgumentError (when run): shapes that do not fit, or a negative index.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     indices = [6, [4, 1], [[5, 2], [0, 3]]]
    ...     data = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    ...     print(session.run(tf.dynamic_stitch(indices, data)).tolist())
    [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]]

    Together with `dynamic_partition` it applies a function to those elements that meet a condition, here x != -1:

    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([0.1, -1., 5.2, 4.3, -1., 7.4])
    ...     condition_mask = tf.not_equal(x, tf.constant(-1.))
    ...     partitioned_data = tf.dynamic_partition(x, tf.cast(condition_mask, tf.int32), 2)
    ...     partitioned_data[1] = partitioned_data[1] + 1.0
    ...     condition_indices = tf.dynamic_partition(
    ...         tf.range(tf.shape(x)[0]), tf.cast(condition_mask, tf.int32), 2)
    ...     x = tf.dynamic_stitch(condition_indices, partitioned_data)
    ...     print(session.run(x))
    [ 1.1 -1.   6.2  5.3 -1.   8.4]

    Source: TensorFlow 0.x and 2.x, `tf.dynamic_stitch`.
    """

def parallel_dynamic_stitch(
    indices: Sequence[TensorLike],
    data: Sequence[TensorLike],
    name: str | None = None,
) -> Tensor:
    """`dynamic_stitch` for indices that occur once: of an index that occurs again, any of its slices may be kept.

    Args:
        indices: a list of at least one int32 tensor, entries >= 0.
        data: a list of as many tensors of one dtype. data[m].shape is indices[m].shape + rest, with one `rest` for all.

    Returns:
        A tensor of shape [max(indices) + 1] + rest with the dtype of `data`.

    Raises:
        TypeError: `indices` is not int32, or `data` has several dtypes.
        ValueError: no tensors, lists of different lengths, or known shapes that do not fit.
        InvalidArgumentError (when run): shapes that do not fit, or a negative index.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.parallel_dynamic_stitch([[2, 0], [1]], [[30, 10], [20]])))
    [10 20 30]

    Source: TensorFlow 1.x, `tf.parallel_dynamic_stitch`.
    """

def multiplex(inputs: Sequence[TensorLike], index: TensorLike, name: str | None = None) -> Tensor:
    """Rows chosen among several tensors: out[i] = inputs[index[i]][i].

    Args:
        inputs: a list or tuple of at least two tensors of one shape, rank 2 or higher, and one dtype: float32, float64,
            int32, int64, complex64 or complex128.
        index: int32 or int64 of shape [M, 1], entries in [0, len(inputs)). M is at most the number of rows of an input.

    Returns:
        A tensor of shape [M] + inputs[0].shape[1:] with the dtype of the inputs.

    Raises:
        TypeError: a dtype is not allowed, or the inputs differ in dtype.
        ValueError: fewer than two inputs, or known shapes that differ or do not fit.
        InvalidArgumentError (when run): an entry of `index` is out of range, or shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     inputs = [[[0, 0, 3, 4], [0, 1, 3, 4], [0, 2, 4, 4], [0, 3, 3, 4]],
    ...               [[1, 0, 3, 4], [1, 1, 7, 8], [1, 2, 4, 2], [1, 3, 3, 4]],
    ...               [[2, 0, 3, 4], [2, 1, 7, 8], [2, 2, 4, 2], [2, 3, 3, 4]],
    ...               [[3, 0, 3, 4], [3, 1, 7, 8], [3, 2, 4, 2], [3, 3, 3, 4]]]
    ...     print(session.run(tf.multiplex(inputs, [[3], [0], [1], [2]])))
    ...     img1 = tf.constant([[1, 2], [3, 4]], tf.float32)
    ...     img2 = tf.constant([[5, 6], [7, 8]], tf.float32)
    ...     print(session.run(tf.multiplex([img1, img2], tf.constant([[1], [0]], tf.int32))))
    [[3 0 3 4]
     [0 1 3 4]
     [1 2 4 2]
     [2 3 3 4]]
    [[5. 6.]
     [3. 4.]]

    Source: Paddle 3.x, `paddle.multiplex`.
    """

def scatter_nd(indices: TensorLike, updates: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """Zeros with `updates` added at the places that `indices` name: out[indices[b..., :]] += updates[b..., ...].

    Updates at equal index vectors are added up in the order of `indices`. Ints wrap around, strings are joined, bools
    are combined by "or".

    Args:
        indices: int32 or int64 of shape batch + [K]; each vector of K indices lies inside shape[:K].
        updates: any dtype, of shape batch + shape[K:].
        shape: the shape of the result, a vector of the dtype of `indices`.

    Returns:
        A tensor of shape `shape` with the dtype of `updates`.

    Raises:
        TypeError: `indices` and `shape` differ in dtype, or have another one.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, a size is negative, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.scatter_nd([[4], [3], [1], [7], [1]], [9, 10, 11, 12, 1], [8])))
    [ 0 12  0 10  9  0  0 12]

    Source: TensorFlow 1.x, `tf.scatter_nd`.
    """

def tensor_scatter_nd_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` with `updates` at the places that `indices` name: out[indices[b..., :]] = updates[b..., ...].

    Of updates at equal index vectors the last one stays. Where nothing else reads `tensor`, a run updates it in place.

    Args:
        tensor: any dtype, rank 1 or higher.
        indices: int16, uint16, int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor` and at least one
            batch dimension; each vector of K indices lies inside tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor, indices = tf.zeros([6, 3]), tf.constant([[2], [4]])
    ...     updates = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    ...     index_depth = indices.shape[-1]
    ...     batch_shape = indices.shape[:-1]
    ...     assert indices.shape.ndims >= 2 and index_depth <= tensor.shape.ndims
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     assert updates.shape == batch_shape + inner_shape
    ...     print(outer_shape, inner_shape, batch_shape)
    (6,) (3,) (2,)

    Scalar updates: the vectors are as long as the rank of `tensor`.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = [0, 0, 0, 0, 0, 0, 0, 0]    # rank 1
    ...     indices = [[1], [3], [4], [7]]       # num_updates == 4, index_depth == 1
    ...     updates = [9, 10, 11, 12]            # num_updates == 4
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    ...     tensor = [[1, 1], [1, 1], [1, 1]]    # rank 2
    ...     indices = [[0, 1], [2, 0]]           # num_updates == 2, index_depth == 2
    ...     updates = [5, 10]                    # num_updates == 2
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    [ 0  9  0 10 11  0  0 12]
    [[ 1  5]
     [ 1  1]
     [10  1]]

    Slice updates: shorter vectors point at slices.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([6, 3], dtype=tf.int32)
    ...     indices = tf.constant([[2], [4]])
    ...     num_updates, index_depth = indices.shape.as_list()
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     updates = tf.constant([[1, 2, 3],
    ...                            [4, 5, 6]])
    ...     assert updates.shape == [num_updates] + inner_shape
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    array([[0, 0, 0],
           [0, 0, 0],
           [1, 2, 3],
           [0, 0, 0],
           [4, 5, 6],
           [0, 0, 0]], dtype=int32)

    In a batch of video clips of 5 axes, whole clips (depth 1), then single frames (depth 2):

    >>> with tf.Graph().as_default(), tf.Session():
    ...     batch_size, time, width, height, channels = 13, 11, 7, 5, 3
    ...     video_batch = tf.zeros([batch_size, time, width, height, channels])
    ...     indices = [[0], [1]]
    ...     new_clips = tf.ones([2, time, width, height, channels])
    ...     clips = tf.tensor_scatter_nd_update(video_batch, indices, new_clips)
    ...     indices = [[0, 0], [1, 0], [2, 0]]  # num_updates == 3, index_depth == 2
    ...     new_images = tf.ones([
    ...         # num_updates == 3, inner_shape == (width, height, channels)
    ...         3, width, height, channels])
    ...     frames = tf.tensor_scatter_nd_update(video_batch, indices, new_images)
    ...     print(clips.shape, int(clips.eval().sum()), frames.shape, int(frames.eval().sum()))
    (13, 11, 7, 5, 3) 2310 (13, 11, 7, 5, 3) 315

    Folded indices: the batch may have several axes. An X on a matrix:

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([5, 5])
    ...     indices = tf.constant([
    ...         [[0, 0],
    ...          [1, 1],
    ...          [2, 2],
    ...          [3, 3],
    ...          [4, 4]],
    ...         [[0, 4],
    ...          [1, 3],
    ...          [2, 2],
    ...          [3, 1],
    ...          [4, 0]],
    ...     ])
    ...     print(indices.shape.as_list())  # batch_shape == [2, 5], index_depth == 2
    ...     updates = [
    ...         [1, 1, 1, 1, 1],
    ...         [1, 1, 1, 1, 1],
    ...     ]
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    [2, 5, 2]
    array([[1., 0., 0., 0., 1.],
           [0., 1., 0., 1., 0.],
           [0., 0., 1., 0., 0.],
           [0., 1., 0., 1., 0.],
           [1., 0., 0., 0., 1.]], dtype=float32)

    Source: TensorFlow 2.4, `tf.tensor_scatter_nd_update`.
    """

def tensor_scatter_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` with `updates` at the places that `indices` name: out[indices[b..., :]] = updates[b..., ...].

    Of updates at equal index vectors the last one stays. Where nothing else reads `tensor`, a run updates it in place.

    Args:
        tensor: any dtype, rank 1 or higher.
        indices: int16, uint16, int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor` and at least one
            batch dimension; each vector of K indices lies inside tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor, indices = tf.zeros([6, 3]), tf.constant([[2], [4]])
    ...     updates = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    ...     index_depth = indices.shape[-1]
    ...     batch_shape = indices.shape[:-1]
    ...     assert indices.shape.ndims >= 2 and index_depth <= tensor.shape.ndims
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     assert updates.shape == batch_shape + inner_shape
    ...     print(outer_shape, inner_shape, batch_shape)
    (6,) (3,) (2,)

    Scalar updates: the vectors are as long as the rank of `tensor`.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = [0, 0, 0, 0, 0, 0, 0, 0]    # rank 1
    ...     indices = [[1], [3], [4], [7]]       # num_updates == 4, index_depth == 1
    ...     updates = [9, 10, 11, 12]            # num_updates == 4
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    ...     tensor = [[1, 1], [1, 1], [1, 1]]    # rank 2
    ...     indices = [[0, 1], [2, 0]]           # num_updates == 2, index_depth == 2
    ...     updates = [5, 10]                    # num_updates == 2
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    [ 0  9  0 10 11  0  0 12]
    [[ 1  5]
     [ 1  1]
     [10  1]]

    Slice updates: shorter vectors point at slices.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([6, 3], dtype=tf.int32)
    ...     indices = tf.constant([[2], [4]])
    ...     num_updates, index_depth = indices.shape.as_list()
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     updates = tf.constant([[1, 2, 3],
    ...                            [4, 5, 6]])
    ...     assert updates.shape == [num_updates] + inner_shape
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    array([[0, 0, 0],
           [0, 0, 0],
           [1, 2, 3],
           [0, 0, 0],
           [4, 5, 6],
           [0, 0, 0]], dtype=int32)

    In a batch of video clips of 5 axes, whole clips (depth 1), then single frames (depth 2):

    >>> with tf.Graph().as_default(), tf.Session():
    ...     batch_size, time, width, height, channels = 13, 11, 7, 5, 3
    ...     video_batch = tf.zeros([batch_size, time, width, height, channels])
    ...     indices = [[0], [1]]
    ...     new_clips = tf.ones([2, time, width, height, channels])
    ...     clips = tf.tensor_scatter_nd_update(video_batch, indices, new_clips)
    ...     indices = [[0, 0], [1, 0], [2, 0]]  # num_updates == 3, index_depth == 2
    ...     new_images = tf.ones([
    ...         # num_updates == 3, inner_shape == (width, height, channels)
    ...         3, width, height, channels])
    ...     frames = tf.tensor_scatter_nd_update(video_batch, indices, new_images)
    ...     print(clips.shape, int(clips.eval().sum()), frames.shape, int(frames.eval().sum()))
    (13, 11, 7, 5, 3) 2310 (13, 11, 7, 5, 3) 315

    Folded indices: the batch may have several axes. An X on a matrix:

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([5, 5])
    ...     indices = tf.constant([
    ...         [[0, 0],
    ...          [1, 1],
    ...          [2, 2],
    ...          [3, 3],
    ...          [4, 4]],
    ...         [[0, 4],
    ...          [1, 3],
    ...          [2, 2],
    ...          [3, 1],
    ...          [4, 0]],
    ...     ])
    ...     print(indices.shape.as_list())  # batch_shape == [2, 5], index_depth == 2
    ...     updates = [
    ...         [1, 1, 1, 1, 1],
    ...         [1, 1, 1, 1, 1],
    ...     ]
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    [2, 5, 2]
    array([[1., 0., 0., 0., 1.],
           [0., 1., 0., 1., 0.],
           [0., 0., 1., 0., 0.],
           [0., 1., 0., 1., 0.],
           [1., 0., 0., 0., 1.]], dtype=float32)

    Source: TensorFlow 2.4, `tf.tensor_scatter_nd_update`.
    """

def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = 'left',
    out_type: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """The places at which values would be inserted into sorted rows, so that these stay sorted.

    Args:
        sorted_sequence: ints or floats, of rank 1 or higher; each row along the last axis is in ascending order, NaNs
            last.
        values: the dtype of `sorted_sequence`, and its shape but for the last size.
        side: "left" gives the place before equal elements, "right" the one after them.
        out_type: the dtype of the result: int32 or int64.

    Returns:
        A tensor with the shape of `values` and dtype `out_type`, of numbers from 0 to the length of the sorted rows.

    Raises:
        TypeError: an operand has another dtype, or `out_type` is another.
        ValueError: an operand is a scalar, `side` is another word, or known sizes before the last differ.
        InvalidArgumentError (when run): an operand is a scalar, or sizes before the last differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.searchsorted([1, 3, 3, 7], [0, 3, 8])))
    ...     print(session.run(tf.searchsorted([1, 3, 3, 7], [0, 3, 8], side="right")))
    [0 1 4]
    [0 3 4]

    Source: TensorFlow 1.x, `tf.searchsorted`.
    """

def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = 'ASCENDING',
    stable: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that sort `values` along `axis`. NaNs stand last in either direction.

    Args:
        values: ints or floats, of rank 1 or higher.
        axis: the axis to sort along, a Python int; a negative one counts from the end.
        direction: "ASCENDING" or "DESCENDING".
        stable: whether equal elements are to keep their order; they always do.

    Returns:
        A tensor with the shape of `values` and dtype int32.

    Raises:
        TypeError: `values` has another dtype, or `axis` is not an int.
        ValueError: `axis` is out of range, or `direction` is another word.
        InvalidArgumentError (when run): `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.argsort([3.0, 1.0, 2.0, 1.0])))
    [1 3 2 0]

    Source: TensorFlow 1.x, `tf.argsort`.
    """

def sort(values: TensorLike, axis: int = -1, direction: str = 'ASCENDING', name: str | None = None) -> Tensor:
    """The elements of `values` in order along `axis`. NaNs stand last in either direction.

    Args:
        values: ints or floats, of rank 1 or higher.
        axis: the axis to sort along, a Python int; a negative one counts from the end.
        direction: "ASCENDING" or "DESCENDING".

    Returns:
        A tensor with the shape and dtype of `values`. Zeros keep their order, whatever their sign.

    Raises:
        TypeError: `values` has another dtype, or `axis` is not an int.
        ValueError: `axis` is out of range, or `direction` is another word.
        InvalidArgumentError (when run): `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sort([3.0, 1.0, 2.0])), session.run(tf.sort([3, 1, 2], direction="DESCENDING")))
    [1. 2. 3.] [3 2 1]

    Source: TensorFlow 1.x, `tf.sort`.
    """

def unique(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> builtins.tuple[Tensor, Tensor]:
    """The values of a vector, each once, in the order in which they first occur: x[i] = y[idx[i]].

    NaNs are all different. 0.0 and -0.0 are one value; the one that comes first is kept.

    Args:
        x: a vector of any dtype but complex.
        out_idx: the dtype of `idx`: int32 or int64.

    Returns:
        Two vectors (y, idx): the values, with the dtype of `x`, and for each entry of `x` the position of its value in
        `y`.

    Raises:
        TypeError: `x` is complex, or `out_idx` is another dtype.
        ValueError: `x` is not a vector.
        InvalidArgumentError (when run): `x` is not a vector.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y, idx = tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8])
    ...     print(*session.run([y, idx]))
    [1 2 4 7 8] [0 0 1 2 2 2 3 4 4]

    Source: TensorFlow 1.x, `tf.unique`.
    """

def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The vector products of the 3-vectors along the last axis of `a` and `b`.

    Args:
        a: ints or floats, of rank 1 or higher; the last size is 3.
        b: the dtype and the shape of `a`.

    Returns:
        A tensor with the shape and dtype of `a`. Ints wrap around.

    Raises:
        TypeError: `a` has another dtype, or `b` not that of `a`.
        ValueError: known shapes differ, or the last size is known not to be 3.
        InvalidArgumentError (when run): the shapes differ, or `a` is a scalar.
        FailedPreconditionError (when run): the last size is not 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])))
    [0. 0. 1.]

    Source: TensorFlow 1.x, `tf.cross`.
    """

def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """`diagonal` on the diagonal of a tensor of zeros: out[i, ..., j, i, ..., j] = diagonal[i, ..., j].

    Args:
        diagonal: floats, complex numbers, int32 or int64, of rank 1 or higher.

    Returns:
        A tensor with the dtype of `diagonal` and its shape twice over: a matrix for a vector.

    Raises:
        TypeError: `diagonal` has another dtype.
        ValueError: `diagonal` is a scalar.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.diag([1, 2])))
    [[1 0]
     [0 2]]

    Source: TensorFlow 1.x, `tf.diag`.
    """

def diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor: out[i, ..., j] = input[i, ..., j, i, ..., j].

    Args:
        input: floats, complex numbers, int32 or int64, of an even rank above 0. The first half of the sizes equals the
            second.

    Returns:
        A tensor with the dtype of `input` and the first half of its shape: a vector for a square matrix.

    Raises:
        TypeError: `input` has another dtype.
        ValueError: the rank is odd or 0, or known sizes differ.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.diag_part([[1, 2], [3, 4]])))
    [1 4]

    Source: TensorFlow 1.x, `tf.diag_part`.
    """

def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: builtins.bool = False,
    transpose_b: builtins.bool = False,
    adjoint_a: builtins.bool = False,
    adjoint_b: builtins.bool = False,
    a_is_sparse: builtins.bool = False,
    b_is_sparse: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product: out[..., i, j] = sum over k of a[..., i, k] * b[..., k, j].

    The dimensions before the last two are batches, which broadcast. Ints wrap around. 16-bit floats are summed in
    float32 and rounded once.

    Args:
        a, b: floats, complex numbers, int32, int64 or unsigned ints of one dtype, rank 2 or higher.
        transpose_a, transpose_b: exchange the last two dimensions of that operand first.
        adjoint_a, adjoint_b: exchange them, and take the complex conjugate.
        a_is_sparse, b_is_sparse: accepted as in TensorFlow; they change nothing.

    Returns:
        A tensor of shape batch + [rows of a, columns of b] with the dtype of `a` and `b`.

    Raises:
        TypeError: a dtype is not allowed, the dtypes differ, or a flag is not a bool.
        ValueError: a rank below 2, inner sizes or batches that do not fit, or an operand both transposed and adjoint.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.matmul(a, [[1], [0], [1]])))
    ...     print(session.run(tf.matmul(a, a, transpose_b=True)))
    [[ 4]
     [10]]
    [[14 32]
     [32 77]]

    Source: TensorFlow 1.x, `tf.matmul`.
    """

def broadcast_to(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated along its dimensions of size 1, and along new ones in front, until it has the shape `shape`.

    Args:
        input: any dtype and shape.
        shape: the shape of the result, an int32 or int64 vector. Counted from the end, each size of `input` is the one
            in `shape`, or 1.

    Returns:
        A tensor of shape `shape` with the dtype of `input`.

    Raises:
        TypeError: `shape` is not int.
        ValueError: `shape` is not a vector, a known size does not fit, or a known entry is below -1.
        InvalidArgumentError (when run): a size does not fit, or an entry of `shape` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.broadcast_to([1, 2, 3], [2, 3])))
    [[1 2 3]
     [1 2 3]]

    Source: TensorFlow 1.x, `tf.broadcast_to`.
    """

def pack(values: Sequence[TensorLike], name: str | None = 'pack') -> Tensor:
    """The tensors of `values` as the rows of one tensor: out[i] = values[i].

    Args:
        values: a list of tensors of one dtype and one shape. A list without tensors becomes a constant; a single tensor
            is returned as it is.

    Returns:
        A tensor of shape [len(values)] + values[0].shape with the dtype of the values.

    Raises:
        TypeError: dtypes differ.
        ValueError: known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x, y, z = tf.constant([1, 4]), tf.constant([2, 5]), tf.constant([3, 6])
    ...     print(session.run(tf.pack([x, y, z])).tolist())
    [[1, 4], [2, 5], [3, 6]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def reshape(tensor: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The elements of `tensor`, in row-major order, laid out in another shape.

    Args:
        tensor: any dtype and shape.
        shape: an int32 or int64 vector. One entry may be -1: the size that keeps the number of elements.

    Returns:
        A tensor of shape `shape` with the dtype of `tensor`.

    Raises:
        TypeError: `shape` is not int.
        ValueError: `shape` is not a vector, has an entry below -1, or is known to hold another number of elements.
        InvalidArgumentError (when run): the same, or two entries are -1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reshape([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3])))
    ...     t = tf.constant([[[1, 1], [2, 2]], [[3, 3], [4, 4]]])
    ...     print(session.run(tf.reshape(t, [2, 4])))
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    ...     print(session.run(tf.reshape(t, [-1])))
    ...     tf.reshape(tf.placeholder(tf.float32, ["batch", 6]), [-1, 3]).shape
    [[1 2 3]
     [4 5 6]
     [7 8 9]]
    [[1 1 2 2]
     [3 3 4 4]]
    [1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6]
    TensorShape((2*batch, 3))

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` with its elements moved by `shift` places along `axis`: out[(i + shift) % n] = input[i].

    Args:
        input: any dtype, of rank 1 or higher.
        shift: int32 or int64, a scalar or a vector with a shift for each entry of `axis`; negative ones move to the
            front.
        axis: int32 or int64, a scalar or a vector. Negative ones count from the end; the shifts of an axis that is
            given twice are added.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `shift` or `axis` is not int.
        ValueError: `input` is a scalar, or `shift` and `axis` are known to differ in shape or to have rank 2 or more.
        InvalidArgumentError (when run): the same of what only the run knows, or an axis is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.roll([0, 1, 2, 3, 4], shift=2, axis=0)))
    ...     print(session.run(tf.roll([[0, 1, 2], [3, 4, 5]], [1, -1], [0, 1])).tolist())
    [3 4 0 1 2]
    [[4, 5, 3], [1, 2, 0]]

    Source: TensorFlow 1.x, `tf.roll`.
    """

def slice(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The block of `input_` that starts at `begin` and has `size` elements along each dimension.

    Args:
        input_: any dtype and shape.
        begin: the first index along each dimension, an int32 or int64 vector; 0 <= begin[i] <= input_.shape[i].
        size: the sizes of the block, a vector of the same dtype; -1 means all that remain after `begin`.

    Returns:
        A tensor of shape `size` with the dtype of `input_`.

    Raises:
        TypeError: `begin` and `size` differ in dtype, or are not int.
        ValueError: the length of a vector is known not to be the rank, or an entry is known to be below -1.
        InvalidArgumentError (when run): the block does not lie inside `input_`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    ...     print(session.run(tf.slice(t, [1, 0, 0], [1, 1, 3])).tolist())
    ...     print(session.run(tf.slice(t, [1, 0, 0], [1, 2, 3])).tolist())
    ...     print(session.run(tf.slice(t, [1, 0, 0], [2, 1, 3])).tolist())
    [[[3, 3, 3]]]
    [[[3, 3, 3], [4, 4, 4]]]
    [[[3, 3, 3]], [[5, 5, 5]]]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def unpack(value: TensorLike, num: int | None = None, name: str | None = 'unpack') -> list[Tensor]:
    """The rows of `value`: a list whose i-th tensor is value[i].

    Args:
        value: any dtype, rank 1 or higher.
        num: the size of dimension 0, a Python int; None (the default) where it is known.

    Returns:
        A list of `num` tensors of shape value.shape[1:] with the dtype of `value`.

    Raises:
        TypeError: `num` is not an int.
        ValueError: `value` is a scalar, `num` is not the known size, or it is None and the size is not known.
        InvalidArgumentError (when run): the size of dimension 0 is not `num`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.unpack([[1, 2], [3, 4], [5, 6]])))
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32), array([5, 6], dtype=int32)]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each dimension i: out[j] = input[j mod input.shape].

    Args:
        input: any dtype and shape.
        multiples: an int32 or int64 vector with one entry >= 0 for each dimension.

    Returns:
        A tensor of shape input.shape * multiples with the dtype of `input`.

    Raises:
        TypeError: `multiples` is not int.
        ValueError: the length of `multiples` is known not to be the rank, or it is not a vector.
        InvalidArgumentError (when run): the length does not fit, or an entry is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tile(["a", "b", "c", "d"], [2])))
    [b'a' b'b' b'c' b'd' b'a' b'b' b'c' b'd']

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """log(softmax(x)) along `axis`, computed as x - log(sum(exp(x))) without overflow.

    Args:
        logits: floats, of rank 1 or higher.
        axis: the axis of the sum, a Python int. None (the default) means the last one.
        dim: another name for `axis`.

    Returns:
        A tensor with the shape and dtype of `logits`. A row that holds NaN or inf becomes NaN.

    Raises:
        TypeError: `logits` has another dtype, or `axis` is not an int.
        ValueError: `logits` is a scalar, `axis` is out of range, or both `axis` and `dim` are given.
        InvalidArgumentError (when run): `logits` is a scalar, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log_softmax([0.0, -1000.0])))
    [    0. -1000.]

    Source: TensorFlow, `tf.nn.log_softmax`.
    """

def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0); NaN stays NaN.

    Args:
        features: ints and floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.relu([-1.5, 0.0, 2.5])))
    [0.  0.  2.5]

    Source: TensorFlow, `tf.relu`.
    """

def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    Args:
        features: ints and floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.relu6([-1.5, 2.5, 7.0])))
    [0.  2.5 6. ]

    Source: TensorFlow, `tf.relu6`.
    """

def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sigmoid([0.0, -1000.0])))
    [0.5 0. ]

    Source: TensorFlow, `tf.sigmoid`.
    """

def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features)), close to max(features, 0) far from zero.

    Args:
        features: floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.softplus([0.0, 1000.0])))
    [6.931472e-01 1.000000e+03]

    Source: TensorFlow, `tf.softplus`.
    """

def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution, those that are two or more standard deviations off drawn again.

    Args:
        shape: the shape of the result: a list of ints and int scalars, or an int32 or int64 vector.
        mean: the mean; a number, or a tensor that broadcasts with the result.
        stddev: the standard deviation before truncation, in the same way.
        dtype: float16, bfloat16, float32 or float64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: another dtype, or a seed that is no int.
        ValueError: a size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = session.run(tf.truncated_normal([1000], stddev=0.1))
    >>> bool((abs(x) < 0.2).all())
    True

    Source: TensorFlow 1.x, `tf.truncated_normal`.
    """

def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The paths of the files that match a pattern, looked up in each run.

    Args:
        pattern: a scalar or a vector of patterns, as `tf.gfile.Glob` takes them.

    Returns:
        A tensor of shape [None] and dtype string, sorted; it is empty where nothing matches.

    Raises:
        TypeError: `pattern` is not string.
        ValueError: it has more than one dimension.
        InvalidArgumentError (when run): the same.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session(graph=tf.Graph()) as session:
    ...     with session.graph.as_default():
    ...         print(session.run(tf.matching_files(f"{folder}/*.txt")))
    []

    Source: TensorFlow 1.x, `tf.matching_files`.
    """

def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The content of a file, read in each run.

    Args:
        filename: the path, a scalar string.

    Returns:
        A scalar of dtype string.

    Raises:
        TypeError: `filename` is not string.
        ValueError: it is not a scalar.
        NotFoundError (when run): there is no such file.
        FailedPreconditionError (when run): it is a folder.
        InvalidArgumentError (when run): it is no scalar.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.NamedTemporaryFile() as file, tf.Session(graph=tf.Graph()) as session:
    ...     _ = file.write(b"hello")
    ...     file.flush()
    ...     with session.graph.as_default():
    ...         print(session.run(tf.read_file(file.name)))
    b'hello'

    Source: TensorFlow 1.x, `tf.read_file`.
    """

def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Operation:
    """Writes a file, and the folders around it that do not exist.

    Args:
        filename: the path, a scalar string. A file of that name is replaced.
        contents: a scalar string.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: an argument is not string.
        ValueError: one is not a scalar.
        FailedPreconditionError (when run): there is a folder of that name.
        ResourceExhaustedError (when run): the disk is full.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session(graph=tf.Graph()) as session:
    ...     with session.graph.as_default():
    ...         session.run(tf.write_file(f"{folder}/new/greeting", "hello"))
    ...     print(tf.gfile.GFile(f"{folder}/new/greeting").read())
    hello

    Source: TensorFlow 1.x, `tf.write_file`.
    """

def decode_compressed(bytes: TensorLike, compression_type: str | bytes = '', name: str | None = None) -> Tensor:
    """Strings that were compressed, as they were before.

    Args:
        bytes: strings of any shape.
        compression_type: "", "ZLIB" or "GZIP".

    Returns:
        A tensor with the shape of `bytes` and dtype string.

    Raises:
        TypeError: `bytes` is not string.
        InvalidArgumentError (when run): there is no such compression.
        DataLossError (when run): a string is not compressed so, or holds more than 1 GiB.

    >>> import gzip
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_compressed([gzip.compress(b"hello")], "GZIP")))
    [b'hello']

    Source: TensorFlow 1.x, `tf.decode_compressed`.
    """

def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """The bytes of strings as numbers: each string becomes a vector.

    Args:
        input_bytes: strings of any shape, all of one length.
        out_type: the dtype of the numbers, such as `tf.uint8`.
        little_endian: whether the first byte of a number is its lowest.

    Returns:
        A tensor of shape [*input_bytes.shape, None] and dtype `out_type`.

    Raises:
        TypeError: `input_bytes` is not string, or numbers of that dtype are not read.
        InvalidArgumentError (when run): the strings have several lengths, or one that is no multiple of a number's.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_raw([b"ab", b"cd"], tf.uint8)))
    [[ 97  98]
     [ 99 100]]

    Source: TensorFlow 1.x, `tf.decode_raw`.
    """

def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a string holds, such as `serialize_tensor` gives it.

    Args:
        serialized: a scalar string, a serialised TensorProto.
        out_type: the dtype of the tensor, which must be the one in the string.

    Returns:
        A tensor of dtype `out_type` whose shape is not known before the run.

    Raises:
        TypeError: `serialized` is not string.
        InvalidArgumentError (when run): it is not a scalar, or holds no tensor of that dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.parse_tensor(tf.serialize_tensor([[1.5, 2.0]]), tf.float32)))
    [[1.5 2. ]]

    Source: TensorFlow 1.x, `tf.parse_tensor`.
    """

def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    r"""A tensor as a string: a serialised TensorProto, with TensorFlow's bytes.

    Args:
        tensor: any dtype and shape.

    Returns:
        A scalar of dtype string.

    Raises:
        TypeError: `tensor` cannot be a tensor.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.serialize_tensor(tf.constant([1, 2], tf.uint8))))
    b'\x08\x04\x12\x04\x12\x02\x08\x02"\x02\x01\x02'

    Source: TensorFlow 1.x, `tf.serialize_tensor`.
    """

def argmax(
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

def argmin(
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

def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: builtins.bool = False,
    reverse: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """Running products along `axis`: out[i] = x[0] * ... * x[i].

    Args:
        x: ints, floats or complex numbers, of rank 1 or higher.
        axis: an int32 or int64 scalar; a negative one counts from the end.
        exclusive: True leaves x[i] out of out[i]: out[i] = x[0] * ... * x[i-1], and out[0] = 1.
        reverse: True multiplies from the end: out[i] = x[i] * ... * x[-1].

    Returns:
        A tensor with the shape and dtype of `x`. Ints wrap around; 16-bit floats are rounded at every step.

    Raises:
        TypeError: `x` or `axis` has another dtype.
        InvalidArgumentError (when run): `axis` is not a scalar, or out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cumprod([2, 3, 4])))
    [ 2  6 24]

    Source: TensorFlow 1.x, `tf.cumprod`.
    """

def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: builtins.bool = False,
    reverse: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along `axis`: out[i] = x[0] + ... + x[i].

    Args:
        x: ints, floats or complex numbers, of rank 1 or higher.
        axis: an int32 or int64 scalar; a negative one counts from the end.
        exclusive: True leaves x[i] out of out[i]: out[i] = x[0] + ... + x[i-1], and out[0] = 0.
        reverse: True sums from the end: out[i] = x[i] + ... + x[-1].

    Returns:
        A tensor with the shape and dtype of `x`. Ints wrap around; 16-bit floats are rounded at every step.

    Raises:
        TypeError: `x` or `axis` has another dtype.
        InvalidArgumentError (when run): `axis` is not a scalar, or out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cumsum([1, 2, 3])))
    ...     print(session.run(tf.cumsum([1, 2, 3], exclusive=True, reverse=True)))
    [1 3 6]
    [5 3 0]

    Source: TensorFlow 1.x, `tf.cumsum`.
    """

def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How many of the values lie in each of `nbins` bins of equal width between the two ends of `value_range`.

    A value below the range counts in the first bin, one that is not below its end in the last.

    Args:
        values: int32, int64, float32 or float64, any shape.
        value_range: a vector of the dtype of `values`: the lower and the upper end.
        nbins: an int32 scalar, 1 or more.
        dtype: the dtype of the result: int32 or int64.

    Returns:
        A tensor of shape [nbins] and dtype `dtype`.

    Raises:
        TypeError: `values` or `nbins` has another dtype, `value_range` not that of `values`, or `dtype` is another.
        ValueError: `value_range` is not a vector of two, `nbins` not a scalar, or known not to be positive.
        InvalidArgumentError (when run): the same of what only the run knows, the lower end is not below the upper one,
            or a value is NaN.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
    ...     print(session.run(tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5)))
    [2 1 1 0 2]

    Source: TensorFlow 1.x, `tf.histogram_fixed_width`.
    """

def reduce_std(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The standard deviation of the elements along `axis`: the square root of their variance.

    Args:
        input_tensor: floats or complex numbers, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1.

    Returns:
        A tensor with the shape of `input_tensor` without the reduced axes, and its dtype, a float one of complex
        numbers. Of no elements it is NaN.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_std([[1.0, 2.0], [3.0, 6.0]], 0)))
    [1. 2.]

    Source: TensorFlow, `tf.math.reduce_std`.
    """

def reduce_all(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """True where all elements along `axis` are True.

    Args:
        input_tensor: bool, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        Of no elements it is True.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_all([[True, False], [True, True]], axis=1)))
    [False  True]

    Source: TensorFlow 1.x, `tf.reduce_all`.
    """

def reduce_any(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """True where at least one element along `axis` is True.

    Args:
        input_tensor: bool, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        Of no elements it is False.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_any([[True, False], [False, False]], axis=1)))
    [ True False]

    Source: TensorFlow 1.x, `tf.reduce_any`.
    """

def reduce_max(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """The largest of the elements along `axis`.

    Args:
        input_tensor: an int or float dtype, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        NaN where one element is NaN. The maximum of no elements is -inf, of ints the smallest int.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_max([[1, 5], [3, 2]], axis=0)))
    [3 5]

    Source: TensorFlow 1.x, `tf.reduce_max`.
    """

def reduce_mean(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """The mean of the elements along `axis`: their sum divided by their number.

    Args:
        input_tensor: a numeric dtype, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        That of ints is rounded towards zero; of no elements it is NaN, or 0 (ints, complex).

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1.0, 1.0], [2.0, 2.0]])
    ...     print(*session.run([tf.reduce_mean(x), tf.reduce_mean(x, 0), tf.reduce_mean(x, 1)]))
    1.5 [1.5 1.5] [1. 2.]

    Source: TensorFlow 1.x, `tf.reduce_mean`.
    """

def reduce_min(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """The smallest of the elements along `axis`.

    Args:
        input_tensor: an int or float dtype, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        NaN where one element is NaN. The minimum of no elements is inf, of ints the largest int.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_min([[1, 5], [3, 2]], axis=0)))
    [1 2]

    Source: TensorFlow 1.x, `tf.reduce_min`.
    """

def reduce_prod(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """The product of the elements along `axis`.

    Args:
        input_tensor: a numeric dtype, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        Ints wrap; 16-bit floats are multiplied in float32 and rounded once. Of no elements it is 1.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_prod([[1, 2, 3], [4, 5, 6]], axis=1)))
    [  6 120]

    Source: TensorFlow 1.x, `tf.reduce_prod`.
    """

def reduce_sum(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: builtins.bool | None = None,
) -> Tensor:
    """The sum of the elements along `axis`: out[i] = sum over j of x[i, j].

    Args:
        input_tensor: a numeric dtype, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes.
        Ints wrap; 16-bit floats are summed in float32 and rounded once. The sum of no elements is 0.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1, 1, 1], [1, 1, 1]])
    ...     print(session.run(tf.reduce_sum(x)), session.run(tf.reduce_sum(x, 0)))
    ...     print(session.run(tf.reduce_sum(x, 1, keepdims=True)).tolist())
    6 [2 2 2]
    [[3], [3]]

    Source: TensorFlow 1.x, `tf.reduce_sum`.
    """

def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        An id that does not occur has a row of 0.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_max(data, [0, 0, 2])).tolist())
    [[3, 4], [0, 0], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_max`.
    """

def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The means of the rows of each segment: their sum divided by their number.

    Args:
        data: ints, floats or complex numbers, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        The mean of ints is rounded towards zero; an id that does not occur has a row of 0.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_mean(data, [0, 0, 2])).tolist())
    [[2, 3], [0, 0], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_mean`.
    """

def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        An id that does not occur has a row of 0.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_min(data, [0, 0, 2])).tolist())
    [[1, 2], [0, 0], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_min`.
    """

def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The products of the rows of each segment: out[i] = product of the data[j] with segment_ids[j] = i.

    Args:
        data: ints, floats or complex numbers, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        Ints wrap around; an id that does not occur has a row of 1.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_prod(data, [0, 0, 2])).tolist())
    [[3, 8], [1, 1], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_prod`.
    """

def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment: out[i] = sum of the data[j] with segment_ids[j] = i.

    Args:
        data: ints, floats or complex numbers, of rank 1 or higher.
        segment_ids: an int32 or int64 vector with an id of 0 or more for each row of `data`; no id is less than the one
            before it.

    Returns:
        A tensor of shape [n] + data.shape[1:] with the dtype of `data`; n is the last id plus 1.
        Ints wrap around; an id that does not occur has a row of 0.

    Raises:
        TypeError: `data` or `segment_ids` has another dtype.
        ValueError: `data` is a scalar, `segment_ids` is not a vector, or known sizes do not fit.
        InvalidArgumentError (when run): the sizes do not fit, or the ids are negative or not in increasing order.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.segment_sum(data, [0, 0, 2])).tolist())
    [[4, 6], [0, 0], [5, 6]]

    Source: TensorFlow 1.x, `tf.segment_sum`.
    """

def unsorted_segment_max(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The largest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, any shape.
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of the smallest finite value of the dtype.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_max(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [3, 4], [-2147483648, -2147483648]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_max`.
    """

def unsorted_segment_mean(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The means of the rows of each segment: their sum divided by their number.

    Args:
        data: ints or floats, any shape.
        segment_ids: int16, int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`, or a float one of ints; r is the
        rank of `segment_ids`.
        An id that does not occur has a row of 0.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ...     print(session.run(tf.unsorted_segment_mean(data, [1, 1, 0], 3)).tolist())
    [[5.0, 6.0], [2.0, 3.0], [0.0, 0.0]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_mean`.
    """

def unsorted_segment_min(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The smallest elements of the rows of each segment; NaN where one of them is NaN.

    Args:
        data: ints or floats, any shape.
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of the largest finite value of the dtype.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_min(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [1, 2], [2147483647, 2147483647]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_min`.
    """

def unsorted_segment_prod(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The products of the rows of each segment: out[i] = product of the data[j...] with segment_ids[j...] = i.

    Args:
        data: ints, floats or complex numbers, any shape.
        segment_ids: int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        Ints wrap around; an id that does not occur has a row of 1.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_prod(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [3, 8], [1, 1]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_prod`.
    """

def unsorted_segment_sqrt_n(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The sums of the rows of each segment, divided by the square root of their number.

    Args:
        data: floats, any shape.
        segment_ids: int16, int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        An id that does not occur has a row of 0.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[4.0, 6.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    ...     print(session.run(tf.unsorted_segment_sqrt_n(data, [0, 1, 1, 1, 1], 3)).tolist())
    [[4.0, 6.0], [3.0, 5.0], [0.0, 0.0]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_sqrt_n`.
    """

def unsorted_segment_sum(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The sums of the rows of each segment: out[i] = sum of the data[j...] with segment_ids[j...] = i.

    Args:
        data: ints, floats or complex numbers, any shape.
        segment_ids: int16, int32 or int64, of a shape with which that of `data` begins: an id for each
            row. Rows with a negative id are left out.
        num_segments: an int32 or int64 scalar; ids are less than it.

    Returns:
        A tensor of shape [num_segments] + data.shape[r:] with the dtype of `data`; r is the rank of `segment_ids`.
        Ints wrap around; an id that does not occur has a row of 0.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is not less than `num_segments`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     data = tf.constant([[1, 2], [3, 4], [5, 6]])
    ...     print(session.run(tf.unsorted_segment_sum(data, [1, 1, 0], 3)).tolist())
    [[5, 6], [4, 6], [0, 0]]

    Source: TensorFlow 1.x, `tf.unsorted_segment_sum`.
    """

def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: builtins.bool = False,
    shortest: builtins.bool = False,
    width: int = -1,
    fill: str | bytes = '',
    name: str | None = None,
) -> Tensor:
    """The elements of `input` written as text: 1.5 as "1.500000", -2 as "-2", True as "true".

    Args:
        input: any dtype. A complex number is written as "(1.000000,2.000000)"; of a string only the width changes.
        precision: of floats, the digits after the point, or with `shortest` all that count; -1 (the default) means 6.
        scientific: of floats, True writes 1.5 as "1.500000e+00".
        shortest: of floats, True writes 1.5 as "1.5" and 1e10 as "1e+10".
        width: the least number of characters, which a bool does not have; -1 (the default) means no such number.
        fill: what stands in front of shorter numbers: "" (the default) or " " blanks, "0" zeros, "+" blanks and a sign
            before positive numbers, "-" nothing: the blanks follow.

    Returns:
        A tensor with the shape of `input` and dtype string.

    Raises:
        TypeError: `precision` or `width` is not an int, or `fill` is no string.
        ValueError: `precision`, `scientific` or `shortest` is given for numbers that are not floats, both `scientific`
            and `shortest` are given, `fill` is another string, or a number is above 65,536.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.as_string([3, -2])))
    ...     print(session.run(tf.as_string([3.14159, 0.5], precision=2, width=6, fill="0")))
    [b'3' b'-2']
    [b'003.14' b'000.50']

    Source: TensorFlow 1.x, `tf.as_string`.
    """

def Print(
    input_: TensorLike,
    data: Sequence[TensorLike],
    message: str | bytes | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_` unchanged; each run that computes it prints `data` to the standard error.

    Args:
        input_: any dtype and shape.
        data: a list of tensors to print.
        message: what is printed before them.
        first_n: how often a session prints it; None (the default) or a negative number means always.
        summarize: how many elements of each tensor are printed; None (the default) means 3, a negative number all.

    Returns:
        A tensor with the shape and dtype of `input_`.

    Raises:
        TypeError: `data` is not a list, or another argument is of another type.

    >>> import contextlib, sys
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0, 3.0, 4.0])
    ...     x = tf.Print(x, [x, tf.shape(x)], "x is ")
    ...     with contextlib.redirect_stderr(sys.stdout):
    ...         total = session.run(tf.reduce_sum(x))
    x is [1 2 3...][4]

    Source: TensorFlow 1.x, `tf.Print`.
    """

def string_join(inputs: Sequence[TensorLike], separator: str | bytes = '', name: str | None = None) -> Tensor:
    """The strings at the same place of each tensor, joined: out[i] = inputs[0][i] + separator + inputs[1][i] + ...

    Args:
        inputs: a list of tensors of strings, all of one shape; a scalar is joined to each string of the others.
        separator: what stands between them, a Python string.

    Returns:
        A tensor of dtype string with the shape of the tensors that are no scalars.

    Raises:
        TypeError: a tensor is not string, or `separator` is no string.
        ValueError: known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_join([["a", "b"], "x"], separator="-")))
    [b'a-x' b'b-x']

    Source: TensorFlow 1.x, `tf.string_join`.
    """

def string_to_number(string_tensor: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The numbers that strings spell; whitespace around them is ignored.

    Args:
        string_tensor: strings, any shape. A float is decimal or hexadecimal ("0x1.8p1"), or inf, infinity or nan; an
            int is decimal digits with an optional sign.
        out_type: float32 (the default), float64, int32 or int64. A float too large becomes inf, one too small 0.

    Returns:
        A tensor with the shape of `string_tensor` and dtype `out_type`.

    Raises:
        TypeError: `string_tensor` is not string, or `out_type` is another dtype.
        InvalidArgumentError (when run): a string is not a number, or an int does not fit the dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_to_number(["1.5", " -2e1 ", "0x10"])))
    ...     print(session.run(tf.string_to_number(["2147483647"], tf.int32)))
    [  1.5 -20.   16. ]
    [2147483647]

    Source: TensorFlow 0.x, Tensor Transformations.
    """

def assign_sub(ref: Variable, value: Any, use_locking: builtins.bool | None = None, name: str | None = None) -> Tensor:
    """A node that subtracts `value` from a variable: `ref.assign_sub(value)`.

    Args:
        ref: the variable, of numbers.
        value: what is subtracted, of its dtype and shape.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the node.

    Returns:
        A tensor of the difference.

    Raises:
        TypeError: `ref` is no variable, or `value` has another dtype.
        ValueError: `value` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(1.0)
    ...     session.run(v.initializer)
    ...     print(session.run(tf.assign_sub(v, 3.0)))
    -2.0

    Source: TensorFlow 1.x, `tf.assign_sub`.
    """

def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 262144,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that cuts each variable into as many parts as have a number of bytes at least.

    Args:
        max_partitions: the most parts.
        axis: the axis that is cut.
        min_slice_size: the least bytes of a part.
        bytes_per_string_element: how many bytes a string counts.

    Returns:
        A function, for the argument `partitioner` of `tf.get_variable` and `tf.variable_scope`.

    Raises:
        ValueError (when a variable is made): its shape has no such axis.

    >>> import penstock as tf
    >>> partitioner = tf.min_max_variable_partitioner(max_partitions=8, min_slice_size=1000)
    >>> partitioner(shape=tf.TensorShape([100, 10]), dtype=tf.float32)
    [4, 1]

    Source: TensorFlow 1.x, `tf.min_max_variable_partitioner`.
    """

def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner that cuts each variable into parts of a number of bytes at most.

    Args:
        max_shard_bytes: the most bytes of a part; more only where a part is one slice.
        axis: the axis that is cut.
        bytes_per_string_element: how many bytes a string counts.
        max_shards: the most parts, which comes before `max_shard_bytes`.

    Returns:
        A function, for the argument `partitioner` of `tf.get_variable` and `tf.variable_scope`.

    Raises:
        ValueError: a number is not positive.

    >>> import penstock as tf
    >>> partitioner = tf.variable_axis_size_partitioner(max_shard_bytes=400)
    >>> partitioner(shape=tf.TensorShape([100, 10]), dtype=tf.float32)
    [10, 1]

    Source: TensorFlow 1.x, `tf.variable_axis_size_partitioner`.
    """

def scatter_add(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that adds to rows of a variable: `ref[indices[i]] += updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_add(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [3. 4.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_add`.
    """

def scatter_div(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that divides rows of a variable: `ref[indices[i]] /= updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_div(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [0. 0.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_div`.
    """

def scatter_max(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that takes maxima of rows of a variable: `ref[indices[i]] = max(ref[indices[i]], updates[i])`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_max(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [3. 4.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_max`.
    """

def scatter_min(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that takes minima of rows of a variable: `ref[indices[i]] = min(ref[indices[i]], updates[i])`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_min(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [0. 0.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_min`.
    """

def scatter_mul(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that multiplies rows of a variable: `ref[indices[i]] *= updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_mul(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [0. 0.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_mul`.
    """

def scatter_nd_add(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that adds to rows of a variable: `ref[indices[i]] += updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: index vectors of shape batch + [K].
        updates: for each index a row of the variable's dtype.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_nd_add(v, [[1]], [[3.0, 4.0]])))
    [[0. 0.]
     [3. 4.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_nd_add`.
    """

def scatter_nd_sub(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that subtracts from rows of a variable: `ref[indices[i]] -= updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: index vectors of shape batch + [K].
        updates: for each index a row of the variable's dtype.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_nd_sub(v, [[1]], [[3.0, 4.0]])))
    [[ 0.  0.]
     [-3. -4.]
     [ 0.  0.]]

    Source: TensorFlow 1.x, `tf.scatter_nd_sub`.
    """

def scatter_nd_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that replaces rows of a variable: `ref[indices[i]] = updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: index vectors of shape batch + [K].
        updates: for each index a row of the variable's dtype.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_nd_update(v, [[1]], [[3.0, 4.0]])))
    [[0. 0.]
     [3. 4.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_nd_update`.
    """

def scatter_sub(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that subtracts from rows of a variable: `ref[indices[i]] -= updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_sub(v, [1], [[3.0, 4.0]])))
    [[ 0.  0.]
     [-3. -4.]
     [ 0.  0.]]

    Source: TensorFlow 1.x, `tf.scatter_sub`.
    """

def scatter_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: builtins.bool = True,
    name: str | None = None,
) -> Tensor:
    """A node that replaces rows of a variable: `ref[indices[i]] = updates[i]`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: numbers of rows, int32 or int64, of any shape.
        updates: for each index a row of the variable's dtype; or one scalar for all.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.scatter_update(v, [1], [[3.0, 4.0]])))
    [[0. 0.]
     [3. 4.]
     [0. 0.]]

    Source: TensorFlow 1.x, `tf.scatter_update`.
    """

def initialize_variables(var_list: Iterable[Variable], name: str | None = 'init') -> Operation:
    """`tf.variables_initializer` under its name in TensorFlow 0.x.

    Args:
        var_list: the variables.
        name: the name of the operation.

    Returns:
        The operation.

    Raises:
        TypeError: an element is no variable.
        ValueError: a variable has no initializer in this graph.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.initialize_variables([tf.Variable(1.0)]).name)
    init

    Source: TensorFlow 0.x, `tf.initialize_variables`.
    """

def local_variables(scope: str | None = None) -> list[Variable]:
    """The local variables of the default graph: those that `tf.get_local_variable` makes.

    Args:
        scope: a regular expression; only variables whose name begins with a match are returned.

    Returns:
        A new list, in the order in which they were made.

    Raises:
        TypeError: `scope` is not a str.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     count = tf.get_local_variable("count", [])
    ...     print(tf.local_variables() == [count])
    True

    Source: TensorFlow 1.x, `tf.local_variables`.
    """

def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph in the collection `tf.GraphKeys.MODEL_VARIABLES`, which programs fill.

    Args:
        scope: a regular expression; only variables whose name begins with a match are returned.

    Returns:
        A new list, in the order in which they were added.

    Raises:
        TypeError: `scope` is not a str.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, collections=[tf.GraphKeys.MODEL_VARIABLES])
    ...     print(tf.model_variables() == [w])
    True

    Source: TensorFlow 1.x, `tf.model_variables`.
    """

def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph whose moving averages are kept.

    Args:
        scope: a regular expression; only variables whose name begins with a match are returned.

    Returns:
        A new list, in the order in which they were added.

    Raises:
        TypeError: `scope` is not a str.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.moving_average_variables())
    []

    Source: TensorFlow 1.x, `tf.moving_average_variables`.
    """

def tables_initializer(name: str | None = 'init_all_tables') -> Operation:
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

def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The trainable variables of the default graph: those that an optimizer changes where it is given no list.

    Args:
        scope: a regular expression; only variables whose name begins with a match are returned.

    Returns:
        A new list, in the order in which they were made.

    Raises:
        TypeError: `scope` is not a str.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w, step = tf.Variable(1.0), tf.Variable(0, trainable=False)
    ...     print(tf.trainable_variables() == [w])
    True

    Source: TensorFlow 1.x, `tf.trainable_variables`.
    """
