"""Which functions have other parameters in TensorFlow 1.x, or exist only so that its programs run unchanged?"""

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
from ..ops.composite import told_as_called
from .checks import one_of

Ints = int | Sequence[int]


@told_as_called("Squeeze", squeeze_dims="axis")
def squeeze(
    input: TensorLike, axis: Ints | None = None, name: str | None = None, squeeze_dims: Ints | None = None
) -> Tensor:
    """`input` without its dimensions of size 1: without all of them, or without those listed in `axis`.

    Raises:
        ValueError: both names of the argument are given; a listed dimension is known not to be 1.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.squeeze(tf.zeros([1, 2, 1]), axis=[0]).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.squeeze`.
    """
    return squeeze_op(input, one_of("squeeze_dims", squeeze_dims, "axis", axis), name=name)


@told_as_called("ExpandDims", dim="axis")
def expand_dims(
    input: TensorLike, axis: TensorLike | None = None, name: str | None = None, dim: TensorLike | None = None
) -> Tensor:
    """`input` with a dimension of size 1 inserted at `axis`.

    Raises:
        ValueError: both names of the argument are given, or neither; `axis` is known to be out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.expand_dims([1, 2], axis=-1).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.expand_dims`.
    """
    return expand_dims_op(input, one_of("dim", dim, "axis", axis), name=name)


@told_as_called("Shape")
def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The shape of `input` as a vector of int32, or of `out_type`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.shape([[1, 2]], out_type=tf.int64).dtype
    tf.int64

    Source: TensorFlow 1.x, `tf.shape`.
    """
    return _of_dtype(shape_op, input, out_type, name)


@told_as_called("Size")
def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The number of elements of `input` as a scalar of int32, or of `out_type`.

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
    """Nothing: calls always build a graph here. Programs written for later versions ask for it in their first line."""


def disable_v2_behavior() -> None:
    """Nothing: calls always build a graph here. Programs written for later versions ask for it in their first line."""


def executing_eagerly() -> bool:
    """False: calls always build a graph here."""
    return False
