"""Partitioners: functions from the shape and dtype of a variable to how many parts it has along each axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype, string
from ..graph.shapes.shape import TensorShape
from .constant_initializers import sizes_of

Partitioner = Callable[..., list[int]]


@hides_frames
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that cuts each variable into a number of parts.

    Args:
        num_shards: how many parts; fewer if the axis is shorter.
        axis: the axis that is cut.

    Returns:
        A function, for the argument `partitioner` of `tf.get_variable` and `tf.variable_scope`.

    Raises:
        ValueError (when a variable is made): its shape has no such axis.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(2))
    ...     print([(part.name, part.shape) for part in v])
    [('v/part_0:0', TensorShape((3, 2))), ('v/part_1:0', TensorShape((2, 2)))]

    Source: TensorFlow 1.x, `tf.fixed_size_partitioner`.
    """

    def partitioner(shape: TensorShape, **unused: Any) -> list[int]:
        return _along(shape, axis, min(num_shards, _size(shape, axis)))

    return partitioner


@hides_frames
@documented_like(fixed_size_partitioner)
def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """A partitioner that cuts each variable into parts of a number of bytes at most.

    Args:
        max_shard_bytes: the most bytes of a part; more only where a part is one slice.
        bytes_per_string_element: how many bytes a string counts.
        max_shards: the most parts, which comes before `max_shard_bytes`.

    Raises:
        ValueError: a number is not positive.

    >>> import penstock as tf
    >>> partitioner = tf.variable_axis_size_partitioner(max_shard_bytes=400)
    >>> partitioner(shape=tf.TensorShape([100, 10]), dtype=tf.float32)
    [10, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueRuleError("variable_axis_size_partitioner: Both max_shard_bytes and bytes_per_string_element must "
                             f"be positive, but are {max_shard_bytes} and {bytes_per_string_element}")  # fmt: skip
    if max_shards is not None and max_shards < 1:
        raise ValueRuleError(f"variable_axis_size_partitioner: max_shards must be positive, but is {max_shards}")

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape) or not shape.is_fully_defined():
            raise ValueRuleError(f"variable_axis_size_partitioner: shape is not fully defined: {shape}")
        size = _size(shape, axis)
        slice_bytes = _count(shape) // max(size, 1) * _bytes_of(as_dtype(dtype), bytes_per_string_element)
        slices_per_part = max(1, max_shard_bytes // max(slice_bytes, 1))
        parts = math.ceil(size / slices_per_part)
        return _along(shape, axis, parts if max_shards is None else min(max_shards, parts))

    return partitioner


@hides_frames
@documented_like(fixed_size_partitioner)
def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """A partitioner that cuts each variable into as many parts as have a number of bytes at least.

    Args:
        max_partitions: the most parts.
        min_slice_size: the least bytes of a part.
        bytes_per_string_element: how many bytes a string counts.

    >>> import penstock as tf
    >>> partitioner = tf.min_max_variable_partitioner(max_partitions=8, min_slice_size=1000)
    >>> partitioner(shape=tf.TensorShape([100, 10]), dtype=tf.float32)
    [4, 1]
    """

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        all_bytes = _count(shape) * _bytes_of(as_dtype(dtype), bytes_per_string_element)
        parts = min(_size(shape, axis), max_partitions, math.ceil(all_bytes / min_slice_size))
        return _along(shape, axis, max(1, parts))

    return partitioner


def _bytes_of(dtype: DType, of_string: int) -> int:
    return of_string if dtype is string else dtype.size


def _count(shape: TensorShape) -> int:
    return math.prod(sizes_of(shape))


def _size(shape: TensorShape, axis: int) -> int:
    sizes = sizes_of(shape)
    if not -len(sizes) <= axis < len(sizes):
        raise ValueRuleError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
    return sizes[axis]


def _along(shape: TensorShape, axis: int, count: int) -> list[int]:
    counts = [1] * len(shape.as_list())
    counts[axis] = count
    return counts


def checked_partitions(partitioner: Any, name: str, shape: TensorShape, dtype: DType) -> list[int]:
    """How many parts a variable has along each axis.

    Raises:
        ValueRuleError: its shape is not known or that of a scalar, or the partitioner gives something else.
    """
    what = f"get_variable({name!r}, partitioner=...)"
    if not callable(partitioner):
        raise ValueRuleError(f"{what}: the partitioner is {partitioner!r}; give a function of a shape and a dtype, "
                             "such as tf.fixed_size_partitioner(2)")  # fmt: skip
    if not shape.is_fully_defined():
        raise ValueRuleError(f"{what}: Shape of a new partitioned variable must be fully defined, but instead was "
                             f"{shape}")  # fmt: skip
    if not shape.ndims:
        raise ValueRuleError(f"{what}: A partitioned Variable must have rank at least 1, but has shape {shape}")
    counts = partitioner(shape=shape, dtype=dtype)
    if isinstance(counts, Tensor) or not isinstance(counts, (list, tuple)):
        raise ValueRuleError(f"{what}: Partitioner must return a sequence, but saw: {counts!r}")
    if len(counts) != shape.ndims:
        raise ValueRuleError(f"{what}: Partitioner returned a partition list that does not match the Variable's rank: "
                             f"{list(counts)} vs. {shape}")  # fmt: skip
    if any(count < 1 for count in counts):
        raise ValueRuleError(f"{what}: Partitioner returned zero partitions for some axes: {list(counts)}")
    if sum(count > 1 for count in counts) > 1:
        raise ValueRuleError(f"{what}: Can only slice a variable along one dimension: shape {shape}, partitioning "
                             f"{list(counts)}")  # fmt: skip
    return [int(count) for count in counts]
