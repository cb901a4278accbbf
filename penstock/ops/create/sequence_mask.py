"""sequence_mask: which places of padded rows belong to the sequences in them."""

from __future__ import annotations

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype, bool_, int32, int64, uint32, uint64
from ..declare.composite import composite
from ..elementwise.arithmetic import maximum
from ..elementwise.casting import cast
from ..elementwise.comparison import less
from ..elementwise.round_and_classify import ceil
from ..move.reshaping import expand_dims
from ..reduce.reductions import reduce_max
from .constant_and_placeholder import convert_to_tensor
from .range_linspace import range as range_op

PUBLIC_NAMES = {"start": "sequence_mask"}


@composite("SequenceMask")
def sequence_mask(
    lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = bool_, name: str | None = None
) -> Tensor:
    """True in the first places of each row, as many as `lengths` says: out[i, j] = j < lengths[i].

    Args:
        lengths: ints but uint64, or floats, any shape.
        maxlen: the length of the rows, an int scalar; None (the default) means the greatest of `lengths`.
        dtype: the dtype of the result, to which True and False are cast.

    Returns:
        A tensor with the shape of `lengths` and `maxlen` as the last size, and dtype `dtype`.

    Raises:
        TypeError: `lengths` or `maxlen` has another dtype, or bool is not cast to `dtype`.
        ValueError: `maxlen` is not a scalar, or is known to be negative.
        InvalidArgumentError (when run): `maxlen` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sequence_mask([1, 3, 2], 4, tf.int32)))
    [[1 0 0 0]
     [1 1 1 0]
     [1 1 0 0]]

    Source: TensorFlow 1.x, `tf.sequence_mask`.
    """
    ends = _lengths(lengths, maxlen is None)
    # The wider dtype of the two: TensorFlow casts lengths to that of maxlen, where a long one can become negative.
    wide = int64 if ends.dtype in (int64, uint32) else int32
    if maxlen is None:
        most = maximum(reduce_max(cast(ends, wide)), 0)
    else:
        most = _ints("maxlen", maxlen)
        if most.shape.ndims not in (0, None):
            raise ShapeError(f"Argument `maxlen` must be scalar for sequence_mask, but its shape is {most.shape}")
        wide = int64 if most.dtype in (int64, uint32) else wide
    known = known_int(most)
    if known is not None and known < 0:
        raise ValueRuleError(f"Requires start <= limit when delta > 0: 0/{known}; maxlen is negative")
    mask = less(range_op(cast(most, wide)), expand_dims(cast(ends, wide), -1))
    wanted = as_dtype(dtype)
    return mask if wanted is bool_ else cast(mask, wanted)


def _lengths(lengths: TensorLike, is_exact: bool) -> Tensor:
    """Ints; of floats the ints that TensorFlow's cast to an int `maxlen` gives, else those that compare as they do."""
    tensor = convert_to_tensor(lengths)
    if tensor.dtype.is_floating:
        return cast(ceil(tensor) if is_exact else tensor, int32)
    return _ints("lengths", tensor)


def _ints(label: str, value: TensorLike) -> Tensor:
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer or tensor.dtype is uint64:
        raise DTypeError(f"{label} has DataType {tensor.dtype}; it must be an int, and not uint64")
    return tensor
