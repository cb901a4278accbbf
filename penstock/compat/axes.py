"""TensorFlow 1.x's gather, reverse and reverse_sequence along any axis.

The ops of the reference pages are narrower: `gather` and `reverse_sequence` work along dimension 0, `reverse` takes one
bool for each dimension. Transposes bring another axis to the front and back; what only a run knows is computed in the
graph.
"""

from __future__ import annotations

from typing import Any

from .. import Tensor
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_vector
from ..graph.declare.signature import TensorLike
from ..ops.declare.composite import composite, name_of_scope, reported_as_call
from ..ops.index.batched_gather import gather_along
from .checks import known_ints, one_int, one_of, place


@reported_as_call("ReverseV2")
def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` with the dimensions listed in `axis` reversed.

    Args:
        tensor: any dtype, rank 8 or less.
        axis: a list or int vector of dimensions; negative ones count from the end.

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `axis` is not int; a list of bools is the argument of `penstock.reverse`.
        ValueError: a dimension does not exist or is listed twice.
        InvalidArgumentError (when run): the same.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reverse([[1, 2], [3, 4]], [-1])).tolist())
    [[2, 1], [4, 3]]

    Source: TensorFlow 1.x, `tf.reverse`.
    """
    return _reverse_axes(tensor, axis, name=name)


@composite("ReverseV2")
def _reverse_axes(tensor: TensorLike, axis: TensorLike, name: str | None) -> Tensor:
    whole = ops.convert_to_tensor(tensor)
    axes = ops.convert_to_tensor(axis, ops.int32 if isinstance(axis, (list, tuple)) and not axis else None)
    if not axes.dtype.is_integer:
        raise DTypeError(f"axis must list the numbers of dimensions, not {axes.dtype.name}; "
                         "penstock.reverse(tensor, dims) takes one bool per dimension")  # fmt: skip
    if axes.shape.ndims not in (1, None):
        raise ShapeError(f"Shape must be rank 1 but is rank {axes.shape.ndims}: axis is a list of dimensions")
    listed, rank = known_vector(axes), whole.shape.ndims
    numbers = [a for a in listed or () if isinstance(a, int)]
    if rank is None or listed is None or len(numbers) < len(listed):
        return ops.reverse(whole, _mask_at_run(whole, axes), name=name_of_scope())
    places: list[int] = []
    for i, a in enumerate(numbers):
        if not -rank <= a < rank:
            raise ShapeError(f"'axis'[{i}] = {a} is out of valid range [{-rank}, {rank})")
        places.append(a % rank)
    for at in places:
        if places.count(at) > 1:
            raise ValueRuleError(f"axis {at} specified more than once")
    return ops.reverse(whole, [d in places for d in range(rank)], name=name_of_scope())


def _mask_at_run(whole: Tensor, axes: Tensor) -> Tensor:
    """One bool per dimension, computed in the graph where rank or axes are not known; a run refuses a wrong axis."""
    rank = ops.rank(whole)
    count = ops.range(rank)
    # Reading the doubled table at axis + rank maps negative axes to their dimension; others are out of range.
    places = ops.gather(ops.concat(0, [count, count]), ops.cast(axes, ops.int32) + rank)
    # Counts above 1 are out of range of this table of two, so an axis listed twice is refused too.
    return ops.gather([False, True], ops.reduce_sum(ops.one_hot(places, rank, dtype=ops.int32), 0))


@reported_as_call("ReverseSequence", seq_dim="seq_axis")
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """`input` with the first seq_lengths[i] elements of slice i along `batch_axis` reversed along `seq_axis`.

    Args:
        input: any dtype, rank 2 or higher.
        seq_lengths: an int32 or int64 vector with one entry for each slice.
        seq_axis: the dimension to reverse, a Python int.
        batch_axis: the dimension of the slices, a Python int other than `seq_axis`. The default is 0.
        seq_dim: older name of `seq_axis`.
        batch_dim: older name of `batch_axis`.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `seq_lengths` or an axis is not int.
        ValueError: both names of an argument are given, or known ranks or lengths do not fit.
        InvalidArgumentError (when run): ranks or lengths do not fit.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)).tolist())
    ...     print(session.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [1, 2, 2], 0, 1)).tolist())
    [[2, 1, 3], [6, 5, 4]]
    [[1, 5, 6], [4, 2, 3]]

    Source: TensorFlow 1.x, `tf.reverse_sequence`.
    """
    along = one_of("seq_dim", seq_dim, "seq_axis", seq_axis)
    batch = one_of("batch_dim", batch_dim, "batch_axis", batch_axis)
    batch = 0 if batch is None else one_int("batch_axis" if batch_dim is None else "batch_dim", batch)
    if along is None:
        raise DTypeError("Expected int for argument 'seq_axis', not None")
    along = one_int("seq_axis" if seq_dim is None else "seq_dim", along)
    if batch == 0:
        return ops.reverse_sequence(input, seq_lengths, along, name=name)
    return _reverse_sequence_along(input, seq_lengths, along, batch, name=name)


@composite("ReverseSequence")
def _reverse_sequence_along(input: TensorLike, lengths: TensorLike, along: int, batch: int, name: str | None) -> Tensor:
    whole = ops.convert_to_tensor(input)
    if whole.shape.ndims is not None or min(batch, along) < 0:
        batch = place(batch, whole, "batch_axis")
        along = place(along, whole, "seq_axis")
    if along == batch:
        raise ValueRuleError(f"batch_dim == seq_dim == {along}; they must be two dimensions")
    swapped: Any = [batch, *range(1, batch), 0, *range(batch + 1, whole.shape.ndims or 0)]
    if whole.shape.ndims is None:
        swapped = ops.concat(0, [swapped, ops.range(batch + 1, ops.rank(whole))])
    turned = ops.reverse_sequence(ops.transpose(whole, swapped), lengths, batch if along == 0 else along)
    return ops.transpose(turned, swapped, name=name_of_scope())


@reported_as_call("GatherV2")
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
) -> Tensor:
    """Slices of `params` along dimension `axis`: out[a..., i..., b...] = params[a..., indices[i...], b...].

    Args:
        params: any dtype, rank 1 or higher.
        indices: int16, int32 or int64, any shape, entries in [0, params.shape[axis]).
        validate_indices: ignored; indices are always checked.
        axis: the dimension, an int scalar; a negative one counts from the end. The default is 0.
        batch_dims: how many first dimensions of both are one batch, a Python int; `axis` is then that by default.

    Returns:
        A tensor of shape params.shape[:axis] + indices.shape + params.shape[axis+1:] with the dtype of `params`.

    Raises:
        TypeError: `indices` or `axis` is not int.
        ValueError: `axis` or `batch_dims` is out of range.
        InvalidArgumentError (when run): an index is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.gather([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1)).tolist())
    [[3, 1], [6, 4]]

    Source: TensorFlow 1.x, `tf.gather`.
    """
    batch = one_int("batch_dims", batch_dims)
    if batch:
        return gather_along(params, indices, None if axis is None else known_ints("axis", axis)[0], batch, name=name)
    at = 0 if axis is None else known_ints("axis", axis)[0]
    if at == 0:
        return ops.gather(params, indices, name="GatherV2" if name is None else name)
    return _gather_along(params, indices, at, name=name)


@composite("GatherV2")
def _gather_along(params: TensorLike, indices: TensorLike, axis: int, name: str | None) -> Tensor:
    whole, picks = ops.convert_to_tensor(params), ops.convert_to_tensor(indices)
    rank = whole.shape.ndims
    if rank is not None:
        if not -rank <= axis < rank:
            least = axis + 1 if axis >= 0 else -axis
            raise ShapeError(f"Shape must be at least rank {least} but is rank {rank}")
        axis %= rank
    at = axis if axis >= 0 else axis + ops.rank(whole)
    dims = ops.rank(whole) if rank is None else rank
    width = ops.rank(picks) if picks.shape.ndims is None else picks.shape.ndims
    front = ops.concat(0, [[at], ops.range(at), ops.range(at + 1, dims)])
    picked = ops.gather(ops.transpose(whole, front), picks)
    # The dimensions of the indices come first now and belong where `axis` was.
    back = ops.concat(0, [ops.range(width, width + at), ops.range(width), ops.range(width + at, width + dims - 1)])
    return ops.transpose(picked, back, name=name_of_scope())
