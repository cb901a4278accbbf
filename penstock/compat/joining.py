"""TensorFlow 1.x's split, concat, stack and unstack.

The top namespace keeps the order of arguments of the reference pages, `split(split_dim, num_split, value)`; here it is
`split(value, num_or_size_splits, axis)`. A split into unequal parts has a node of its own; another axis is a transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Tensor
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.declare.signature import TensorLike
from ..graph.shapes.literal import literal
from ..ops.declare.composite import composite, name_of_scope, reported_as_call
from .checks import in_range, is_scalar, known_ints, one_int, place


@reported_as_call(split_dim="axis", num_split="num_or_size_splits")
def split(
    value: TensorLike, num_or_size_splits: Any, axis: TensorLike = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """`value` cut along `axis` into equal parts, or into parts of the given sizes.

    Args:
        value: any dtype, rank 1 or higher.
        num_or_size_splits: how many equal parts, a Python int; or a list of sizes, one of which may be -1 for what is
            left.
        axis: the dimension to cut, an int scalar.
        num: the number of parts, to be compared with the list of sizes; not needed.

    Returns:
        A list of tensors with the dtype of `value` and its shape with the size of `axis` replaced by that of the part.

    Raises:
        TypeError: the sizes or `axis` are not ints.
        ValueError: known sizes do not add up, two of them are -1, `num` does not fit, or `axis` is out of range.
        InvalidArgumentError (when run): the sizes do not add up.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     value = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print([part.tolist() for part in session.run(tf.split(value, [1, -1], axis=1))])
    ...     print([part.tolist() for part in session.run(tf.split(value, 2))])
    [[[1], [4]], [[2, 3], [5, 6]]]
    [[[1, 2, 3]], [[4, 5, 6]]]

    Source: TensorFlow 1.x, `tf.split`.
    """
    if is_scalar(value) and not is_scalar(axis):
        raise DTypeError("the order of the arguments is split(value, num_or_size_splits, axis) here; "
                         "penstock.split takes split_dim first")  # fmt: skip
    if isinstance(num_or_size_splits, (int, np.integer)):
        return ops.split(axis, int(num_or_size_splits), value, name=name)
    if isinstance(num_or_size_splits, Tensor) and num_or_size_splits.shape.ndims == 0:
        raise DTypeError(f"the number of parts must be a Python int, not the tensor {num_or_size_splits.name!r}")
    return _split_by_sizes(value, num_or_size_splits, axis, num, name=name)


@composite("split")
def _split_by_sizes(value: TensorLike, sizes: Any, axis: TensorLike, num: int | None, name: str) -> list[Tensor]:
    whole = ops.convert_to_tensor(value)
    lengths = known_ints("size_splits", sizes)
    (at,) = known_ints("axis", axis)
    if whole.shape.ndims is not None:
        at = place(at, whole, "split")
    if num is not None and num != len(lengths):
        raise ValueRuleError(f"Length of size_splits should be equal to num_outputs: {len(lengths)} and {num}")
    return ops.split_sizes(whole, lengths, at, len(lengths), name=name_of_scope())


@reported_as_call(concat_dim="axis")
def concat(values: Any, axis: TensorLike, name: str = "concat") -> Tensor:
    """The tensors of `values`, one after the other along dimension `axis`.

    Args:
        values: a list of tensors of one dtype and of rank 1 or higher, which agree in all sizes but that of `axis`.
        axis: an int32 or int64 scalar in [-rank, rank).

    Returns:
        A tensor with the dtype of the values and their shape, with their sizes along `axis` added up.

    Raises:
        TypeError: dtypes differ, or the arguments stand in the order of `penstock.concat(concat_dim, values)`.
        ValueError: known shapes do not fit, `axis` is out of range, or the list is empty.
        InvalidArgumentError (when run): shapes do not fit, or `axis` is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.concat([[1], [2, 3]], 0)))
    [1 2 3]

    Source: TensorFlow 1.x, `tf.concat`.
    """
    if is_scalar(values) and not is_scalar(axis):
        raise DTypeError("the order of the arguments is concat(values, axis) here: first the list, then the "
                         "dimension; penstock.concat takes concat_dim first")  # fmt: skip
    return ops.concat(axis, values, name=name)


@reported_as_call(x="values")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """The tensors of `values`, joined along a new dimension `axis`.

    Args:
        values: a list of at least one tensor, all of one dtype and one shape.
        axis: the place of the new dimension, a Python int in [-(rank + 1), rank + 1).

    Returns:
        A tensor with the dtype of the values and their shape with len(values) inserted at `axis`.

    Raises:
        TypeError: dtypes differ, or `axis` is not an int.
        ValueError: the list is empty, `axis` is out of range, or known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.stack([[1, 2], [3, 4]], axis=1)).tolist())
    [[1, 3], [2, 4]]

    Source: TensorFlow 1.x, `tf.stack`.
    """
    axis = one_int("axis", axis)
    if axis == 0:
        return ops.pack(values, name=name)
    for value in values if isinstance(values, (list, tuple)) else ():
        tensor = first_tensor(value)
        is_list = isinstance(value, (list, tuple))
        rank = literal(value).ndim if tensor is None else None if is_list else tensor.shape.ndims
        if rank is not None:
            in_range(axis, rank + 1, "stack")
    return ops.stack(values, axis, name=name)


@reported_as_call(one_op=True)
def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, each without that dimension.

    Args:
        value: any dtype, rank 1 or higher.
        num: the number of slices, a Python int; needed where the size of the dimension is not known.
        axis: the dimension, a Python int.

    Returns:
        A list of `num` tensors with the dtype of `value` and its shape without `axis`.

    Raises:
        TypeError: `num` or `axis` is not an int.
        ValueError: the number is not known or not `num`, or `axis` is out of range.
        InvalidArgumentError (when run): the size of the dimension is not `num`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print([part.tolist() for part in session.run(tf.unstack([[1, 2], [3, 4]], axis=1))])
    [[1, 3], [2, 4]]

    Source: TensorFlow 1.x, `tf.unstack`.
    """
    axis = one_int("axis", axis)
    if axis == 0:
        return ops.unpack(value, num, name=name)
    return _unstack_along(value, num, axis, name=name)


@composite("unstack")
def _unstack_along(value: TensorLike, num: int | None, axis: int, name: str) -> list[Tensor]:
    whole = ops.convert_to_tensor(value)
    if whole.shape.ndims is None and num is not None:
        return [ops.squeeze(part, [axis]) for part in ops.split(axis, num, whole)]
    at = place(axis, whole, "unstack")
    front = ops.transpose(whole, [at, *(d for d in range(whole.shape.ndims or 0) if d != at)])
    return ops.unpack(front, num, name=name_of_scope())
