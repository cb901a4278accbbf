"""reduce_logsumexp: the logarithm of a sum of exponentials, without overflow."""

from __future__ import annotations

from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import add, subtract
from ..elementwise.round_and_classify import is_finite
from ..elementwise.select_where import select
from ..elementwise.transcendental import exp, log
from .reductions import reduce_max, reduce_sum

PUBLIC_NAMES = {"start math": "reduce_logsumexp"}


@composite("ReduceLogSumExp")
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """log(sum(exp(x))) of the elements along `axis`, computed without overflow.

    Args:
        input_tensor: floats, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1. The default is False.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the reduced axes. Of no elements it is -inf.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_logsumexp([[1000.0, 1000.0], [0.0, float("-inf")]], 1)))
    [1000.6932    0.    ]

    Source: TensorFlow 1.x, `tf.reduce_logsumexp`.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    x = convert_to_tensor(input_tensor)
    largest = stop_gradient(reduce_max(x, axis, True))
    # An infinite one would make nan of the others: inf - inf.
    shift = select(is_finite(largest), largest, zeros_like(largest))
    total = log(reduce_sum(exp(subtract(x, shift)), axis, keepdims))
    # The kept axes of the shift have size 1: its maximum over them is the shift itself, without the axes.
    return add(total, shift if keepdims else reduce_max(shift, axis), name=name_of_scope())
