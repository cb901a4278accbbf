"""How do TensorFlow 1.x's arguments reach the same ops?

The top namespace keeps the order of the reference pages, `split(split_dim, num_split, value)`; TensorFlow 1.x turned some
of them round, `split(value, num_or_size_splits, axis)`. The functions here take 1.x's arguments and call the ops; what
an op does not do itself (another axis, parts of different sizes) is built from others around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import Tensor, convert_to_tensor, int32
from .. import cast as cast_op
from .. import concat as concat_op
from .. import expand_dims as expand_dims_op
from .. import gather as gather_op
from .. import less as less_op
from .. import not_equal as not_equal_op
from .. import one_hot as one_hot_op
from .. import pack as pack_op
from .. import range as range_op
from .. import rank as rank_op
from .. import reduce_sum as reduce_sum_op
from .. import reverse as reverse_op
from .. import reverse_sequence as reverse_sequence_op
from .. import select as select_op
from .. import shape as shape_op
from .. import size as size_op
from .. import slice as slice_op
from .. import split as split_op
from .. import squeeze as squeeze_op
from .. import stack as stack_op
from .. import transpose as transpose_op
from .. import unpack as unpack_op
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.convert import first_tensor
from ..graph.dtypes import as_dtype
from ..graph.signature import DTypeLike, TensorLike
from ..graph.values import known_int, known_vector
from ..ops.composite import composite

Ints = int | Sequence[int]

# ---- split and concat ---------------------------------------------------------------------------


def split(
    value: TensorLike, num_or_size_splits: Any, axis: TensorLike = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """`value` cut along `axis` into parts: equal ones if a number is given, else of the sizes listed.

    Args:
        num_or_size_splits: how many parts, or a list of their sizes, of which one may be -1: what is left.
        num: the number of sizes, where it is to be checked.

    Raises:
        ValueError: the sizes are known not to add up; two of them are -1. TypeError: sizes that are not ints.
        InvalidArgumentError: the sizes do not add up, found when it runs.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     value = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print([part.tolist() for part in session.run(tf.split(value, [1, -1], axis=1))])
    ...     print([part.tolist() for part in session.run(tf.split(value, 2))])
    [[[1], [4]], [[2, 3], [5, 6]]]
    [[[1, 2, 3]], [[4, 5, 6]]]

    Source: TensorFlow 1.x, `tf.split`.
    """
    if _is_scalar(value) and not _is_scalar(axis):
        raise DTypeError("split: the order of the arguments is split(value, num_or_size_splits, axis) here; "
                         "penstock.split takes split_dim first")  # fmt: skip
    if isinstance(num_or_size_splits, (int, np.integer)):
        return split_op(axis, int(num_or_size_splits), value, name=name)
    if isinstance(num_or_size_splits, Tensor) and num_or_size_splits.shape.ndims == 0:
        raise DTypeError(f"split: the number of parts must be a Python int, not the tensor {num_or_size_splits.name!r}")
    return _split_by_sizes(value, num_or_size_splits, axis, num, name=name)


@composite("split")
def _split_by_sizes(value: TensorLike, sizes: Any, axis: TensorLike, num: int | None, name: str) -> list[Tensor]:
    whole = convert_to_tensor(value)
    lengths = _known_ints("size_splits", sizes)
    at = _place(_known_ints("axis", axis)[0], whole, "split")
    if num is not None and num != len(lengths):
        raise ValueRuleError(f"split: Length of size_splits should be equal to num_outputs: {len(lengths)} and {num}")
    if lengths.count(-1) > 1:
        raise ValueRuleError(f"split: size_splits can only have one -1, not {lengths}")
    if any(length < -1 for length in lengths):
        raise ValueRuleError(f"split: a size is at least 0, or -1 for what is left; size_splits is {lengths}")
    rest = _what_is_left(whole, at, lengths)
    parts: list[Tensor] = []
    begin: Any = 0
    for i, length in enumerate(lengths):
        wanted = rest if length == -1 else length
        last = i == len(lengths) - 1
        # The last part reaches to the end, and its size is claimed: a run finds sizes that do not add up.
        part = slice_op(whole, _along(whole, at, begin, 0), _along(whole, at, -1 if last else wanted, -1))
        if length != -1:
            part.set_shape([length if d == at else None for d in range(whole.shape.ndims or 0)])
        parts.append(part)
        begin = begin + wanted
    return parts


def _what_is_left(whole: Tensor, at: int, lengths: list[int]) -> Any:
    """The size of the part given as -1: a number if the dimension's size is known, else a tensor."""
    total = whole.shape[at].value
    known = sum(length for length in lengths if length >= 0)
    if total is not None:
        if known != total and -1 not in lengths or known > total:
            raise ShapeError(f"split: can't split axis of size {total} into pieces of size {lengths}")
        return total - known
    if -1 not in lengths:
        return 0
    left = shape_op(whole)[at] - known
    # -2 is refused by the slice; -1 would mean the rest there.
    return select_op(less_op(left, 0), -2, left)


def _along(whole: Tensor, at: int, value: Any, others: int) -> Any:
    """A vector with one entry per dimension: `value` for dimension `at`, `others` for the others."""
    return [value if d == at else others for d in range(whole.shape.ndims or 0)]


def concat(values: Any, axis: TensorLike, name: str = "concat") -> Tensor:
    """The tensors of `values` one after the other along dimension `axis`.

    Raises:
        TypeError: the arguments stand in the order of `penstock.concat(concat_dim, values)`; dtypes differ.
        ValueError: shapes are known not to fit. InvalidArgumentError: the same, found when it runs.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.concat([[1], [2, 3]], 0)))
    [1 2 3]

    Source: TensorFlow 1.x, `tf.concat`.
    """
    if _is_scalar(values) and not _is_scalar(axis):
        raise DTypeError("concat: the order of the arguments is concat(values, axis) here: first the list, then the "
                         "dimension; penstock.concat takes concat_dim first")  # fmt: skip
    return concat_op(axis, values, name=name)


# ---- stack and unstack --------------------------------------------------------------------------


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """The tensors of `values`, all of one shape, joined along a new dimension `axis`.

    Raises:
        ValueError: `axis` is out of range, shapes are known to differ. InvalidArgumentError: they differ at run.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.stack([[1, 2], [3, 4]], axis=1)).tolist())
    [[1, 3], [2, 4]]

    Source: TensorFlow 1.x, `tf.stack`.
    """
    if axis == 0:
        return pack_op(values, name=name)
    for value in values:
        rank = value.shape.ndims if isinstance(value, Tensor) else None if first_tensor(value) else np.ndim(value)
        if rank is not None:
            _in_range(axis, rank + 1, "stack")
    return stack_op(values, axis, name=name)


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, each without that dimension.

    Args:
        num: how many there are; needed where the size of the dimension is not known.

    Raises:
        ValueError: the number is not known, or not `num`; `axis` is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print([part.tolist() for part in session.run(tf.unstack([[1, 2], [3, 4]], axis=1))])
    [[1, 3], [2, 4]]

    Source: TensorFlow 1.x, `tf.unstack`.
    """
    if axis == 0:
        return unpack_op(value, num, name=name)
    return _unstack_along(value, num, axis, name=name)


@composite("unstack")
def _unstack_along(value: TensorLike, num: int | None, axis: int, name: str) -> list[Tensor]:
    whole = convert_to_tensor(value)
    at = _place(axis, whole, "unstack")
    return unpack_op(transpose_op(whole, [at, *(d for d in range(whole.shape.ndims or 0) if d != at)]), num)


# ---- reverse and reverse_sequence ---------------------------------------------------------------


def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` with the dimensions listed in `axis` reversed.

    Raises:
        ValueError: a dimension does not exist or is listed twice. TypeError: `axis` is a list of bools.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reverse([[1, 2], [3, 4]], [-1])).tolist())
    [[2, 1], [4, 3]]

    Source: TensorFlow 1.x, `tf.reverse`.
    """
    return _reverse_axes(tensor, axis, name=name)


@composite("ReverseV2")
def _reverse_axes(tensor: TensorLike, axis: TensorLike, name: str | None) -> Tensor:
    whole = convert_to_tensor(tensor)
    axes = convert_to_tensor(axis, int32 if isinstance(axis, (list, tuple)) and not axis else None)
    if not axes.dtype.is_integer:
        raise DTypeError(f"reverse: axis must list the numbers of dimensions, not {axes.dtype.name}; "
                         "penstock.reverse(tensor, dims) takes one bool per dimension")  # fmt: skip
    if axes.shape.ndims not in (1, None):
        raise ShapeError(f"reverse: Shape must be rank 1 but is rank {axes.shape.ndims}: axis is a list of dimensions")
    listed, rank = known_vector(axes), whole.shape.ndims
    known_ints = [a for a in listed or () if isinstance(a, int)]
    if rank is None or listed is None or len(known_ints) < len(listed):
        return reverse_op(whole, _mask_at_run(whole, axes))
    places: list[int] = []
    for i, a in enumerate(known_ints):
        if not -rank <= a < rank:
            raise ShapeError(f"reverse: 'axis'[{i}] = {a} is out of valid range [{-rank}, {rank})")
        places.append(a % rank)
    for place in places:
        if places.count(place) > 1:
            raise ValueRuleError(f"reverse: axis {place} specified more than once")
    return reverse_op(whole, [d in places for d in range(rank)])


def _mask_at_run(whole: Tensor, axes: Tensor) -> Tensor:
    """One bool per dimension, where rank or axes are known only by the run; an axis out of range is its error."""
    rank = rank_op(whole)
    count = range_op(rank)
    # The table is read at axis + rank, so that negative axes find their dimension and others none.
    places = gather_op(concat_op(0, [count, count]), cast_op(axes, int32) + rank)
    return not_equal_op(reduce_sum_op(one_hot_op(places, rank, dtype=int32), 0), 0)


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

    Raises:
        ValueError: both names of an argument are given; ranks or lengths are known not to fit.
        InvalidArgumentError: the same, found when it runs.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)).tolist())
    ...     print(session.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [1, 2, 2], 0, 1)).tolist())
    [[2, 1, 3], [6, 5, 4]]
    [[1, 5, 6], [4, 2, 3]]

    Source: TensorFlow 1.x, `tf.reverse_sequence`.
    """
    along = _one_of("reverse_sequence", "seq_dim", seq_dim, "seq_axis", seq_axis)
    batch = _one_of("reverse_sequence", "batch_dim", batch_dim, "batch_axis", batch_axis) or 0
    if along is None:
        raise DTypeError("reverse_sequence: Expected int for argument 'seq_axis', not None")
    if batch == 0:
        return reverse_sequence_op(input, seq_lengths, along, name=name)
    return _reverse_sequence_along(input, seq_lengths, along, batch, name=name)


@composite("ReverseSequence")
def _reverse_sequence_along(input: TensorLike, lengths: TensorLike, along: int, batch: int, name: str | None) -> Tensor:
    whole = convert_to_tensor(input)
    batch = _place(batch, whole, "reverse_sequence: batch_axis")
    along = _place(along, whole, "reverse_sequence: seq_axis")
    if along == batch:
        raise ValueRuleError(f"reverse_sequence: batch_dim == seq_dim == {along}; they must be two dimensions")
    swapped = list(range(whole.shape.ndims or 0))
    swapped[0], swapped[batch] = batch, 0
    turned = reverse_sequence_op(transpose_op(whole, swapped), lengths, batch if along == 0 else along)
    return transpose_op(turned, swapped)


# ---- gather -------------------------------------------------------------------------------------


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
) -> Tensor:
    """Slices of `params` along dimension `axis`, at `indices`: out[a..., i..., b...] = params[a..., indices[i...], b...].

    Args:
        validate_indices: ignored, indices are always checked. batch_dims: only 0.

    Raises:
        ValueError: `axis` is out of range. InvalidArgumentError: an index is out of range, found when it runs.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.gather([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1)).tolist())
    [[3, 1], [6, 4]]

    Source: TensorFlow 1.x, `tf.gather`.
    """
    if batch_dims:
        raise ValueRuleError(f"gather(batch_dims={batch_dims}): only 0 is there; use tf.gather_nd for rows of indices")
    at = 0 if axis is None else _known_ints("axis", axis)[0]
    return gather_op(params, indices, name=name) if at == 0 else _gather_along(params, indices, at, name=name)


@composite("GatherV2")
def _gather_along(params: TensorLike, indices: TensorLike, axis: int, name: str | None) -> Tensor:
    whole, picks = convert_to_tensor(params), convert_to_tensor(indices)
    rank = whole.shape.ndims
    if rank is not None:
        if not -rank <= axis < rank:
            least = axis + 1 if axis >= 0 else -axis
            raise ShapeError(f"gather(axis={axis}): Shape must be at least rank {least} but is rank {rank}")
        axis %= rank
    at = axis if axis >= 0 else axis + rank_op(whole)
    dims = rank_op(whole) if rank is None else rank
    width = rank_op(picks) if picks.shape.ndims is None else picks.shape.ndims
    front = concat_op(0, [[at], range_op(at), range_op(at + 1, dims)])
    picked = gather_op(transpose_op(whole, front), picks)
    # The dimensions of the indices come first now and belong where `axis` was.
    back = concat_op(0, [range_op(width, width + at), range_op(width), range_op(width + at, width + dims - 1)])
    return transpose_op(picked, back)


# ---- the others ---------------------------------------------------------------------------------


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
    return squeeze_op(input, _one_of("squeeze", "squeeze_dims", squeeze_dims, "axis", axis), name=name)


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
    return expand_dims_op(input, _one_of("expand_dims", "dim", dim, "axis", axis), name=name)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The shape of `input` as a vector of int32, or of `out_type`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.shape([[1, 2]], out_type=tf.int64).dtype
    tf.int64

    Source: TensorFlow 1.x, `tf.shape`.
    """
    return _of_dtype(shape_op, input, out_type, name)


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


# ---- checks -------------------------------------------------------------------------------------


def _one_of(function: str, old: str, old_value: Any, new: str, new_value: Any) -> Any:
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueRuleError(f"{function}: Cannot specify both '{old}' and '{new}'.")
    return old_value


def _is_scalar(value: Any) -> bool:
    """True for what is known to be a single value."""
    if isinstance(value, Tensor):
        return value.shape.ndims == 0
    return not isinstance(value, (list, tuple)) and np.ndim(value) == 0


def _known_ints(parameter: str, value: Any) -> list[int]:
    """The ints of a Python value, or of a tensor whose value is known."""
    tensor = convert_to_tensor(value)
    entries = known_vector(tensor) if tensor.shape.ndims == 1 else (known_int(tensor),)
    if entries is None or not all(isinstance(e, int) for e in entries) or not tensor.dtype.is_integer:
        raise DTypeError(f"{parameter} must be ints that are known when the graph is built, not {value!r}; "
                         "tf.slice takes begins and sizes that only the run knows")  # fmt: skip
    return [e for e in entries if isinstance(e, int)]


def _place(axis: int, tensor: Tensor, what: str) -> int:
    """`axis` counted from the front."""
    rank = tensor.shape.ndims
    if rank is None:
        raise ShapeError(f"{what}: the rank of {tensor.name!r} must be known; give it with t.set_shape")
    _in_range(axis, rank, what)
    return axis % rank


def _in_range(axis: int, rank: int, what: str) -> None:
    if not -rank <= axis < rank:
        raise ShapeError(f"{what}: Argument `axis` = {axis} not in range [{-rank}, {rank})")
