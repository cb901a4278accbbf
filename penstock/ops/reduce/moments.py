"""Variances: `reduce_variance`, `reduce_std` and `moments`, made of means."""

from __future__ import annotations

from ...errors import DTypeError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bfloat16, float16, float32
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import sqrt, square, squared_difference, subtract
from ..elementwise.casting import cast
from .reductions import reduce_mean

PUBLIC_NAMES = {"start start_nn": "moments", "start math": "reduce_std reduce_variance"}


@composite("reduce_variance")
def reduce_variance(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The variance of the elements along `axis`: the mean of |x - mean(x)|**2.

    Args:
        input_tensor: floats or complex numbers, any shape.
        axis: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end. None (the default) means all axes, [] means none.
        keepdims: True keeps each reduced axis with size 1.

    Returns:
        A tensor with the shape of `input_tensor` without the reduced axes, and its dtype, a float one of complex
        numbers. Of no elements it is NaN.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_variance([[1.0, 2.0], [3.0, 6.0]], 0)))
    [1. 4.]

    Source: TensorFlow, `tf.math.reduce_variance`.
    """
    return _variance(input_tensor, axis, keepdims)


@composite("reduce_std")
@documented_like(reduce_variance)
def reduce_std(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation of the elements along `axis`: the square root of their variance.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_std([[1.0, 2.0], [3.0, 6.0]], 0)))
    [1. 2.]
    """
    return sqrt(_variance(input_tensor, axis, keepdims))


def _variance(input_tensor: TensorLike, axis: TensorLike | None, keepdims: bool) -> Tensor:
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        raise DTypeError(f"Input must be either real or complex. Received integer type {x.dtype}")
    distance = subtract(x, reduce_mean(x, axis, True))
    return reduce_mean(square(abs_op(distance) if x.dtype.is_complex else distance), axis, keepdims)


@composite("moments")
def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: TensorLike | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of the elements along `axes`.

    Args:
        x: floats, complex numbers, int32 or int64, any shape.
        axes: the axes to reduce: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. Negative ones
            count from the end.
        shift: not used.
        keep_dims: older name of `keepdims`.
        keepdims: True keeps each reduced axis with size 1. The default is False.

    Returns:
        Two tensors (mean, variance) with the shape of `x` without the reduced axes, and its dtype. 16-bit floats are
        computed in float32 and rounded at the end.

    Raises:
        TypeError: `x` has another dtype, or `axes` is not int.
        ValueError: an axis is out of range, or both names of one argument are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(*session.run(tf.moments([[1.0, 2.0], [3.0, 6.0]], [0])))
    [2. 4.] [1. 4.]

    Source: TensorFlow 1.x, `tf.nn.moments`.
    """
    keep = either("keepdims", keepdims, "keep_dims", keep_dims)
    given = convert_to_tensor(x)
    is_short = given.dtype in (float16, bfloat16)
    wide = cast(given, float32) if is_short else given
    kept = reduce_mean(wide, axes, True)
    variance = reduce_mean(squared_difference(wide, stop_gradient(kept)), axes, keep)
    mean = kept if keep else reduce_mean(kept, axes)  # of single elements: the axes are gone, the values stay
    return (cast(mean, given.dtype), cast(variance, given.dtype)) if is_short else (mean, variance)
