"""Functions whose parameters differ in TensorFlow 1.x, or that exist only so that its programs run unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import Tensor, int32, int64
from .. import cast as cast_op
from .. import expand_dims as expand_dims_op
from .. import shape as shape_op
from .. import size as size_op
from .. import squeeze as squeeze_op
from ..errors import DTypeError
from ..graph.dtypes import as_dtype
from ..graph.signature import DTypeLike, TensorLike
from ..ops.composite import reported_as_call
from .checks import one_of

Ints = int | Sequence[int]


@reported_as_call("Squeeze", squeeze_dims="axis")
def squeeze(
    input: TensorLike, axis: Ints | None = None, name: str | None = None, squeeze_dims: Ints | None = None
) -> Tensor:
    """`input` without its dimensions of size 1: without all of them, or without those listed in `axis`.

    Args:
        input: any dtype and shape.
        axis: an int or a list of ints in [-rank, rank). None (the default) or [] means all dimensions of size 1.
        squeeze_dims: older name of `axis`.

    Returns:
        A tensor with the dtype of `input` and its shape without those sizes of 1.

    Raises:
        TypeError: `axis` is neither an int nor a list of ints.
        ValueError: both names of the argument are given, or a listed dimension is known not to be 1.
        InvalidArgumentError (when run): a listed dimension is not 1.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.squeeze(tf.zeros([1, 2, 1]), axis=[0]).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.squeeze`.
    """
    return squeeze_op(input, one_of("squeeze_dims", squeeze_dims, "axis", axis), name=name)


@reported_as_call("ExpandDims", dim="axis")
def expand_dims(
    input: TensorLike, axis: TensorLike | None = None, name: str | None = None, dim: TensorLike | None = None
) -> Tensor:
    """`input` with a dimension of size 1 inserted at `axis`.

    Args:
        input: any dtype and shape.
        axis: an int tensor of one element in [-1 - rank, rank]. A negative one counts from the end; -1 appends.
        dim: older name of `axis`.

    Returns:
        A tensor with the dtype of `input` and its shape with a 1 inserted at `axis`.

    Raises:
        TypeError: `axis` is not int.
        ValueError: both names of the argument are given, or neither; `axis` is known to be out of range.
        InvalidArgumentError (when run): `axis` is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.expand_dims([1, 2], axis=-1).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.expand_dims`.
    """
    return expand_dims_op(input, one_of("dim", dim, "axis", axis), name=name)


@reported_as_call("Shape")
def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The shape of `input`.

    Args:
        input: any dtype and shape.
        out_type: the dtype of the result: int32 or int64.

    Returns:
        A vector of dtype `out_type` with one size for each dimension of `input`.

    Raises:
        TypeError: `out_type` is another dtype.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.shape([[1, 2]], out_type=tf.int64).dtype
    tf.int64

    Source: TensorFlow 1.x, `tf.shape`.
    """
    return _of_dtype(shape_op, input, out_type, name)


@reported_as_call("Size")
def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The number of elements of `input`: the product of its sizes.

    Args:
        input: any dtype and shape.
        out_type: the dtype of the result: int32 or int64.

    Returns:
        A scalar of dtype `out_type`.

    Raises:
        TypeError: `out_type` is another dtype.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.size([[1, 2]], out_type=tf.int64).dtype
    tf.int64

    Source: TensorFlow 1.x, `tf.size`.
    """
    return _of_dtype(size_op, input, out_type, name)


def _of_dtype(op: Any, input: TensorLike, out_type: Any, name: str | None) -> Tensor:
    wanted = as_dtype(out_type)
    if wanted not in (int32, int64):
        raise DTypeError(f"Value passed to parameter 'out_type' has DataType {wanted} not in list of allowed values: "
                         "int32, int64")  # fmt: skip
    if wanted is int32:
        counted: Tensor = op(input, name=name)
        return counted
    return cast_op(op(input), wanted, name=name)


def disable_eager_execution() -> None:
    """Does nothing: calls always build a graph. Programs written for TensorFlow 2 call it in their first lines.

    >>> import penstock.compat.v1 as tf
    >>> tf.disable_eager_execution()

    Source: TensorFlow 1.x, `tf.disable_eager_execution`.
    """


def disable_v2_behavior() -> None:
    """Does nothing: calls always build a graph. Programs written for TensorFlow 2 call it in their first lines.

    >>> import penstock.compat.v1 as tf
    >>> tf.disable_v2_behavior()

    Source: TensorFlow 1.x, `tf.disable_v2_behavior`.
    """


def executing_eagerly() -> bool:
    """Whether calls compute values at once, which they never do: they build a graph.

    Returns:
        False.

    >>> import penstock.compat.v1 as tf
    >>> tf.executing_eagerly()
    False

    Source: TensorFlow 1.x, `tf.executing_eagerly`.
    """
    return False
