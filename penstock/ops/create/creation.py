"""Ops that make a tensor filled with one value.

`fill`, `zeros` and `ones` are given a shape; `zeros_like` and `ones_like` take that of another tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DTypeError
from ...graph.building.constant_evaluation import LIMIT, Entries, known_value
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import (
    DTypeLike,
    DTypeOrNone,
    Everything,
    HostIndex,
    T,
)
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import DType, as_dtype, bfloat16, float32, variant
from ...graph.shapes.shape import TensorShape
from ..declare.composite import reported_as_call
from ..declare.failure_rules import never, why_sizes_are_open
from ..declare.shape_checks import possible, require_one, shape_given_by, shape_of_first, sizes_of
from ..sharding.fill_tile_sharding import repeated
from ..tensor_array.variant_boxing import no_variant

PUBLIC_NAMES = {"start": "fill ones ones_like zeros zeros_like"}

# ---- a shape, filled ----------------------------------------------------------------------------


@op("Fill", graphdef="T=value index_type=dims", ranks={"value": 0}, fails=why_sizes_are_open)
def fill(dims: HostIndex, value: T, name: str | None = None) -> Tensor:
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


@fill.shape
def fill_shape(dims: Tensor, value: Tensor) -> TensorShape:
    return shape_given_by(dims, "dims", "Fill dimensions")


@fill.kernel
def fill_kernel(xp: Any, dims: Any, value: Any) -> Any:
    sizes = possible(sizes_of(dims), value.dtype.itemsize)
    require_one(value, "value", vector=True)
    filled = xp.empty(sizes, value.dtype)
    filled[...] = value.reshape(())
    return filled


fill.distributes(lambda operation, states, name: repeated(operation, states, name, data=1, sizes=0))


@fill.gradient("value: reduce_sum(g)")
def fill_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [None, lambda: ops.reduce_sum(g)]


@fill.samples
def fill_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), np.array(1.5, "f4"), fixed=("dims",))
    yield sample(np.array([0, 2], "i8"), np.array(7, "u1"))
    yield sample(np.array([], "i4"), np.array(b"a", object))


@reported_as_call(dims="shape")
def zeros(shape: Any, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (False, or empty strings).

    Args:
        shape: a list of ints and int scalars, an int32 or int64 vector, or one int for a vector of that size.
        dtype: any dtype.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: a size is not an int, or there is no such dtype.
        ValueError: a known size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeros([2, 3], tf.int32)))
    [[0 0 0]
     [0 0 0]]

    Source: TensorFlow 1.x, `tf.zeros`.
    """
    return fill(_as_vector(shape), _zeros(np, np.zeros(()), as_dtype(dtype)), "zeros" if name is None else name)


@reported_as_call(dims="shape")
def ones(shape: Any, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """A tensor of ones (or True).

    Args:
        shape: a list of ints and int scalars, an int32 or int64 vector, or one int for a vector of that size.
        dtype: any dtype but string.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: a size is not an int, or `dtype` is string or not a dtype.
        ValueError: a known size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ones([2])))
    [1. 1.]

    Source: TensorFlow 1.x, `tf.ones`.
    """
    _no_one_for_strings(as_dtype(dtype))
    return fill(_as_vector(shape), np.ones((), as_dtype(dtype).np), "ones" if name is None else name)


def _as_vector(shape: Any) -> Any:
    if isinstance(shape, Tensor):
        return [shape] if shape.shape.ndims == 0 else shape
    return [shape] if isinstance(shape, (int, np.integer, Dimension)) else shape


def _no_one_for_strings(dtype: DType) -> None:
    if dtype.is_string:
        raise DTypeError("Expected string, but got 1 to fill with; no string is one",
                         cure="Write tf.fill(dims, value) with a string of your own.")  # fmt: skip


# ---- the shape of another tensor ----------------------------------------------------------------


@op(
    "ZerosLike", graphdef="T=tensor ->y", out=lambda tensor, dtype: dtype or tensor.dtype, fills=True,
    numpy=np.zeros_like,
)  # fmt: skip
def zeros_like(tensor: Everything, dtype: DTypeOrNone = None, name: str | None = "zeros_like") -> Tensor:
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


@op("OnesLike", graphdef="T=tensor ->y", out=lambda tensor, dtype: dtype or tensor.dtype, fills=True,
    numpy=np.ones_like,
    distributes=same_axes, fails=never, no_gradient="its values do not depend on those of the operand")  # fmt: skip
def ones_like(tensor: T, dtype: DTypeOrNone = None, name: str | None = "ones_like") -> Tensor:
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


@zeros_like.prepare
def zeros_like_prepare(tensor: Any, dtype: DType | None, name: str | None) -> Any:
    """Zeros like a variant hold nothing. They do not read it, for that would keep later steps from changing it."""
    if isinstance(tensor, Tensor) and tensor.dtype.is_variant and dtype is None and tensor.shape.is_known:
        return no_variant(tensor.shape, name=name)
    return tensor, dtype


zeros_like.shape(shape_of_first)


@ones_like.shape
def ones_like_shape(tensor: Tensor, dtype: DType | None) -> TensorShape:
    _no_one_for_strings(dtype or tensor.dtype)
    return tensor.shape


def _repeated(number: int, tensor: Tensor, dtype: DType | None) -> Entries | None:
    """The entries. They depend only on the shape, so they are known even if the values of `tensor` are not."""
    sizes = tensor.shape.raw
    if not (dtype or tensor.dtype).is_integer or sizes is None or len(sizes) > 1:
        return None
    if not sizes:
        return number
    (length,) = sizes
    return (number,) * length if isinstance(length, int) and length <= LIMIT else None


@zeros_like.partial
def zeros_like_partial(tensor: Tensor, dtype: DType | None) -> Entries | None:
    return _repeated(0, tensor, dtype)


@ones_like.partial
def ones_like_partial(tensor: Tensor, dtype: DType | None) -> Entries | None:
    return _repeated(1, tensor, dtype)


zeros_like.distributes(same_axes)
zeros_like.fails(never)


@zeros_like.kernel
def zeros_like_kernel(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return _zeros(xp, tensor, dtype)


@zeros_like.kernel_for("scalar")
def zeros_like_scalar_kernel(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return xp.filled(tensor, 0, dtype)


@ones_like.kernel_for("scalar")
def ones_like_scalar_kernel(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return xp.filled(tensor, 1, dtype)


@ones_like.kernel
def ones_like_kernel(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    return xp.ones(tensor.shape, dtype.np if dtype else tensor.dtype)


def _zeros(xp: Any, tensor: Any, dtype: DType | None) -> Any:
    wanted = dtype.np if dtype else tensor.dtype
    if wanted == variant.np:
        return np.empty(tensor.shape, wanted)  # each holds None
    return np.full(tensor.shape, b"", object) if wanted.kind == "O" else xp.zeros(tensor.shape, wanted)


def holds_zeros(tensor: Tensor) -> bool:
    """Whether all elements of a tensor are known to be 0."""
    value = known_value(tensor)
    if value is not None:
        return not value.astype(bool).any()
    made = tensor.op
    return made.opdef is zeros_like or (made.opdef is fill and holds_zeros(made.inputs[1]))


@zeros_like.samples
def zeros_like_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a"], object))
    yield sample(np.zeros((0, 2), "f4"), "int64")


@ones_like.samples
def ones_like_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a"], object), "bool")
    yield sample(np.zeros((2, 0), "i8"))
    yield sample(np.array(3, bfloat16.np))


zeros_like.no_gradient("its values do not depend on those of the operand")
