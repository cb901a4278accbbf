"""`repeat`: each element, or each slice, a number of times."""

from __future__ import annotations

from ...errors import DTypeError, ValueRuleError
from ...graph.declare.signature import TensorLike, as_int
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.range_linspace import range as range_op
from ..create.sequence_mask import sequence_mask
from ..create.shape_size_rank import shape as shape_op
from ..create.shape_size_rank import size
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import maximum, multiply
from ..elementwise.casting import cast
from ..move.broadcasting import broadcast_to
from ..move.concat_stack import concat
from ..move.reshaping import reshape
from ..move.transpose_reverse import transpose
from ..reduce.reductions import reduce_max, reduce_prod
from .gathering import boolean_mask, gather

PUBLIC_NAMES = {"start": "repeat"}


@composite("repeat")
def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each slice of `input` along `axis` as often as `repeats` says, like `numpy.repeat`.

    Args:
        input: any dtype and shape.
        repeats: ints: a number for all slices, or a vector of one for each.
        axis: an int in [-rank, rank); None for the elements of the flattened input.

    Returns:
        A tensor with the dtype of `input`, and its shape but for the size of the axis, which is the sum of the numbers.

    Raises:
        TypeError: `repeats` are no ints, or `axis` is no int.
        ValueError: `axis` is out of range, `repeats` has a rank above 1 or another size than the axis.
        InvalidArgumentError (when run): `repeats` has another size than the axis.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.repeat(["a", "b"], [1, 3])))
    ...     print(session.run(tf.repeat([[1, 2], [3, 4]], 2, axis=1)))
    [b'a' b'b' b'b' b'b']
    [[1 1 2 2]
     [3 3 4 4]]

    Source: TensorFlow 1.15, `tf.repeat`.
    """
    slices, along = convert_to_tensor(input, name="input"), axis
    if along is None:
        slices, along = reshape(slices, [-1]), 0
    along = as_int(along, "axis")
    if slices.shape.ndims is not None and not -slices.shape.ndims <= along < slices.shape.ndims:
        raise ValueRuleError(f"axis must be in [-{slices.shape.ndims}, {slices.shape.ndims}), but is {along}")
    counts = convert_to_tensor(repeats, name="repeats")
    if not counts.dtype.is_integer:
        raise DTypeError(f"repeats must be ints, but are {counts.dtype.name}")
    times = maximum(cast(counts, int32), 0)
    if times.shape.ndims is not None and times.shape.ndims > 1:
        raise ValueRuleError(f"repeats must be a number or a vector, but has the shape {times.shape}")
    count = shape_op(slices)[along]
    each = broadcast_to(times, reshape(count, [1]))
    mask = sequence_mask(each, maximum(reduce_max(each, [0]), 0))
    places = multiply(reshape(range_op(count), [-1, 1]), cast(mask, int32))
    wanted = boolean_mask(places, mask)
    if along == 0 or (slices.shape.ndims is not None and along == -slices.shape.ndims):
        return gather(slices, wanted, name=name_of_scope())
    sizes = shape_op(slices)
    before, after = sizes[:along], sizes[along:][1:]
    rows = transpose(reshape(slices, [reduce_prod(before), count, reduce_prod(after)]), [1, 0, 2])
    picked = transpose(gather(rows, wanted), [1, 0, 2])
    return reshape(picked, concat(0, [before, [size(wanted)], after]), name=name_of_scope())
