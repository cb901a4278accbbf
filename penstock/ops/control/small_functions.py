"""Functions of TensorFlow 1.x that say less than others: accumulate_n, parallel_stack, shape_n, guarantee_const ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import as_dtype, int32
from ...graph.shapes.shape import TensorShape, broadcast
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.plain_values import sequence
from ..declare.shape_checks import length_of, listed, require_vector
from ..elementwise.arithmetic import add_n
from ..elementwise.casting import cast
from ..elementwise.select_where import indices_where, select
from ..move.broadcasting import broadcast_to
from ..move.concat_stack import pack
from .control import identity

PUBLIC_NAMES = {
    "tf": (
        "broadcast_dynamic_shape broadcast_static_shape get_static_value guarantee_const is_tensor parallel_stack "
        "shape_n where_v2"
    ),
    "tf math": "accumulate_n",
}


@composite("AccumulateNV2")
def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: Any = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of a list of tensors of one shape and dtype, as `tf.add_n`.

    Args:
        inputs: a list of at least one tensor.
        shape: their shape, which is checked.
        tensor_dtype: their dtype, which is checked.

    Returns:
        A tensor with their shape and dtype.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the list is empty, or shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.accumulate_n([[1, 2], [3, 4], [5, 6]])))
    [ 9 12]

    Source: TensorFlow 1.x, `tf.accumulate_n`.
    """
    given = [convert_to_tensor(each) for each in sequence("inputs", inputs)]
    if not given:
        raise ValueRuleError("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape")
    for each in given:
        if shape is not None and not each.shape.is_compatible_with(_shape("shape", shape)):
            raise ShapeError(f"Shapes {_shape('shape', shape)} and {each.shape} are not compatible")
        if tensor_dtype is not None and each.dtype is not as_dtype(tensor_dtype):
            wanted = as_dtype(tensor_dtype).name
            raise ValueRuleError(f"tensor_dtype is {wanted}, but input is of type {each.dtype.name}")
    return add_n(given, name_of_scope())


@reported_as_call("parallel_stack", one_op=True)
def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """The tensors of a list as the rows of one, as `tf.stack(values)`.

    Args:
        values: a list of tensors of one shape and dtype.

    Returns:
        A tensor with their dtype and the shape [number of tensors] + their shape.

    Raises:
        TypeError: dtypes differ.
        ValueError: the list is empty, or known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.parallel_stack([[1, 4], [2, 5]])).tolist())
    [[1, 4], [2, 5]]

    Source: TensorFlow 1.x, `tf.parallel_stack`.
    """
    return pack(values, name=name)


@composite("ShapeN")
def shape_n(input: Sequence[TensorLike], out_type: DTypeLike = int32, name: str | None = None) -> list[Tensor]:
    """The shape of each tensor of a list.

    Args:
        input: a list of tensors.
        out_type: the dtype of the results: int32 or int64.

    Returns:
        A list of vectors of dtype `out_type`.

    Raises:
        TypeError: `out_type` is another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(*session.run(tf.shape_n([[1, 2, 3], [[1], [2]]])))
    [3] [2 1]

    Source: TensorFlow 1.x, `tf.shape_n`.
    """
    return [cast(shape_op(each), as_dtype(out_type)) for each in sequence("input", input)]


@reported_as_call("GuaranteeConst", one_op=True)
def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """`input` itself, of which the program promises that it is the same in every run. Penstock does not use that.

    Args:
        input: any dtype and shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is no tensor.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.guarantee_const([1, 2])))
    [1 2]

    Source: TensorFlow 1.x, `tf.guarantee_const`.
    """
    return identity(input, "GuaranteeConst" if name is None else name)


@composite("SelectV2")
def where_v2(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """`x` where the condition is True and `y` elsewhere, all three broadcast; alone the indices where it is True.

    Args:
        condition: bool; alone it may be numbers.
        x, y: both or neither; one dtype, shapes that broadcast with that of the condition.

    Returns:
        A tensor with the broadcast shape and the dtype of `x`; without `x` and `y` int64 indices of shape [number of
        True, rank of condition].

    Raises:
        TypeError: the condition is not bool beside `x` and `y`, or their dtypes differ.
        ValueError: only one of `x` and `y` is given, or the shapes do not broadcast.
        InvalidArgumentError (when run): the shapes do not broadcast.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.where_v2([[True], [False]], [1, 2], 0)).tolist())
    [[1, 2], [0, 0]]

    Source: TensorFlow 1.15, `tf.where_v2`.
    """
    if x is None and y is None:
        return indices_where(condition, name_of_scope())
    if x is None or y is None:
        raise ValueRuleError("x and y must both be non-None or both be None.")
    asked = convert_to_tensor(condition)
    if isinstance(y, Tensor) and not isinstance(x, Tensor):
        then, other = convert_to_tensor(x, y.dtype), y
    else:
        then = convert_to_tensor(x)
        other = convert_to_tensor(y, then.dtype)
    whole = broadcast(broadcast(asked.shape, then.shape, then), other.shape, other)
    parts = [asked, then, other]
    if not all(each.shape.is_fully_defined() and each.shape == whole for each in parts):
        target = broadcast_dynamic_shape(broadcast_dynamic_shape(shape_op(asked), shape_op(then)), shape_op(other))
        known = whole.as_list() if whole.is_fully_defined() else target
        parts = [broadcast_to(each, known) for each in parts]
    return select(parts[0], parts[1], parts[2], name_of_scope())


_Sizes = Annotated[TensorLike, Operand("T", INT32_64, host=True, prefer=int32)]


@op("BroadcastArgs", graphdef="T=shape_x ->r0", host_only=True, ranks={"shape_x": 1, "shape_y": 1},
    fails="whether the shapes broadcast is not known before the run", no_gradient="it is of ints")  # fmt: skip
def broadcast_dynamic_shape(shape_x: _Sizes, shape_y: _Sizes, name: str | None = None) -> Tensor:
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


@broadcast_dynamic_shape.shape
def broadcast_dynamic_shape_shape(shape_x: Tensor, shape_y: Tensor) -> TensorShape:
    lengths = (length_of(shape_x), length_of(shape_y))
    return TensorShape([None if None in lengths else max(n or 0 for n in lengths)])


@broadcast_dynamic_shape.kernel
def broadcast_dynamic_shape_kernel(xp: Any, shape_x: Any, shape_y: Any) -> Any:
    require_vector(shape_x, "shape_x")
    require_vector(shape_y, "shape_y")
    try:
        sizes = np.broadcast_shapes(tuple(shape_x.tolist()), tuple(shape_y.tolist()))
    except ValueError:
        raise InvalidArgumentError(message=f"Incompatible shapes: {listed(shape_x)} vs. {listed(shape_y)}") from None
    return np.array(sizes, shape_x.dtype)


@broadcast_dynamic_shape.samples
def broadcast_dynamic_shape_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 1], "i4"), np.array([3], "i4"))
    yield sample(np.array([4]), np.array([], "i8"))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape to which tensors of two static shapes broadcast.

    Args:
        shape_x, shape_y: `TensorShape`s, or what makes them.

    Returns:
        A `TensorShape`: the shape that the result of an elementwise op on tensors of any dtype would have.

    Raises:
        TypeError: one is no shape.
        ValueError: they do not broadcast, or a size is negative.

    >>> import penstock as tf
    >>> print(tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])))
    (2, 3)

    Source: TensorFlow 1.x, `tf.broadcast_static_shape`.
    """
    try:
        return broadcast(_shape("shape_x", shape_x), _shape("shape_y", shape_y), None)
    except ShapeError as error:
        raise ShapeError(f"shape_x and shape_y do not broadcast: {error.message}") from None


def _shape(parameter: str, value: Any) -> TensorShape:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    try:
        return TensorShape(value)
    except TypeError as error:
        raise DTypeError(f"{parameter} must be a shape: {error}") from None
    except ValueError as error:
        raise ShapeError(f"{parameter} must be a shape: {error}") from None


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or a `SparseTensor`: what ops take without a conversion.

    Args:
        x: any object.

    Returns:
        A bool.

    Raises:
        TypeError: no object is given.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.is_tensor(tf.constant(1)), tf.is_tensor(1))
    True False

    Source: TensorFlow 1.x, `tf.is_tensor`.
    """
    return isinstance(x, (Tensor, SparseTensor))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if it is known while building, as a NumPy array, else None.

    Args:
        tensor: a tensor.
        partial: accepted, as in TensorFlow; values that are only partly known give None.

    Returns:
        An array, or None.

    Raises:
        TypeError: `tensor` is no tensor and cannot be made one.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.get_static_value(tf.constant([1, 2]) + 1), tf.get_static_value(tf.placeholder(tf.int32)))
    [2 3] None

    Source: TensorFlow 1.x, `tf.get_static_value`.
    """
    return known_value(convert_to_tensor(tensor))
