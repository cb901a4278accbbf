"""Sums and means of chosen rows by segment, with TensorFlow 1.x's `num_segments`."""

from __future__ import annotations

from collections.abc import Callable

from .. import Tensor
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.shapes.dtypes import int32, int64
from ..ops.declare.composite import composite, name_of_scope, reported_as_call
from ..ops.sparse import sparse_segments


@reported_as_call("SparseSegmentSum", one_op=True)
def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """The sums of chosen rows by segment: out[i] = the sum of the data[indices[j]] with segment_ids[j] = i.

    Args:
        data: real numbers of rank 1 or higher.
        indices: an int32 or int64 vector of numbers of rows.
        segment_ids: a vector of as many ids, none less than the one before it.
        num_segments: how many segments there are, an int32 or int64 scalar; None (the default): up to the last id.

    Returns:
        A tensor of shape [num_segments] + data.shape[1:] with the dtype of `data`. A segment without rows has zeros.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: known ranks do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): sizes do not fit, an index is out of range, or the ids are not in order or not
            less than `num_segments`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_sum([1, 10, 100], [0, 2, 1], [0, 0, 1], num_segments=3)))
    [101  10   0]

    Source: TensorFlow 1.x, `tf.sparse_segment_sum`.
    """
    return _of_segments(sparse_segments.sparse_segment_sum, data, indices, segment_ids, num_segments, name)


@reported_as_call("SparseSegmentMean", one_op=True)
@documented_like(sparse_segment_sum)
def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """The means of chosen rows by segment: `sparse_segment_sum` divided by the number of rows.

    Args:
        data: floats of rank 1 or higher.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sparse_segment_mean([1.0, 10.0, 100.0], [0, 2, 1], [0, 0, 1], num_segments=3)))
    [50.5 10.   0. ]
    """
    return _of_segments(sparse_segments.sparse_segment_mean, data, indices, segment_ids, num_segments, name)


@reported_as_call("SparseSegmentSqrtN", one_op=True)
@documented_like(sparse_segment_sum)
def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """The sums of chosen rows by segment, divided by the square root of the number of rows.

    Args:
        data: floats of rank 1 or higher.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = [1.0, 2.0, 3.0, 2.0]
    ...     print(session.run(tf.sparse_segment_sqrt_n(rows, [0, 1, 2, 3], [0, 0, 0, 0], num_segments=2)))
    [4. 0.]
    """
    return _of_segments(sparse_segments.sparse_segment_sqrt_n, data, indices, segment_ids, num_segments, name)


def _of_segments(
    law: Callable[..., Tensor],
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None,
    name: str | None,
) -> Tensor:
    if num_segments is None:
        return law(data, indices, segment_ids, name)
    return _filled_up(law, data, indices, segment_ids, num_segments, name=name)


@composite("SparseSegmentWithNumSegments")
def _filled_up(
    law: Callable[..., Tensor],
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The rows of `law`, and zeros for the segments behind the last id."""
    count = ops.convert_to_tensor(num_segments)
    if count.dtype not in (int32, int64):
        raise DTypeError(f"num_segments must be int32 or int64, but is {count.dtype.name}")
    if count.shape.ndims not in (None, 0):
        raise ShapeError(f"num_segments must be a scalar, but has the shape {count.shape}")
    known = known_value(count)
    if known is not None and known < 0:
        raise ValueRuleError(f"num_segments must not be negative, but is {known}")
    rows = law(data, indices, segment_ids)
    sizes = ops.shape(rows)
    missing = ops.cast(count, int32) - sizes[0]
    rule = "segment ids must be less than num_segments; num_segments and the last id + 1 are"
    with control_dependencies([ops.Assert(ops.greater_equal(missing, 0), [rule, count, sizes[0]])]):
        more = ops.zeros(ops.concat(0, [ops.expand_dims(missing, 0), sizes[1:]]), rows.dtype)
    result = ops.concat(0, [rows, more], name=name_of_scope())
    if known is not None and rows.shape.ndims is not None:
        result.set_shape([int(known), *rows.shape[1:]])
    return result
