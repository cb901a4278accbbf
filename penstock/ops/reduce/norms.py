"""l2_loss, l2_normalize and zero_fraction."""

from __future__ import annotations

from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32, int64
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import size
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import divide, maximum, multiply, rsqrt, square
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..elementwise.complex_parts import complex as complex_op
from ..elementwise.complex_parts import imag, real
from .reductions import reduce_sum

PUBLIC_NAMES = {"start_nn": "l2_loss", "start_nn linalg math": "l2_normalize", "start_nn math": "zero_fraction"}


@composite("L2Loss")
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares: sum(t**2) / 2.

    Args:
        t: floats, any shape.

    Returns:
        A scalar with the dtype of `t`.

    Raises:
        TypeError: `t` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.l2_loss([3.0, 4.0])))
    12.5

    Source: TensorFlow 1.x, `tf.nn.l2_loss`.
    """
    return multiply(reduce_sum(square(t)), 0.5, name_of_scope())


@composite("l2_normalize")
def l2_normalize(
    x: TensorLike,
    axis: TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: TensorLike | None = None,
) -> Tensor:
    """x / sqrt(max(sum(x**2), epsilon)) along `axis`: vectors of length 1.

    Args:
        x: floats or complex numbers, any shape.
        axis: the axes of the sum: an int, a list of ints, or an int32 or int64 tensor of rank 0 or 1. None (the
            default) means all of them.
        epsilon: the least sum of squares to divide by, so that zeros stay zeros.
        dim: another name for `axis`.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: `x` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range, or both `axis` and `dim` are given.
        InvalidArgumentError (when run): an axis is out of range or given twice.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], 1)))
    [[0.6 0.8]
     [0.  0. ]]

    Source: TensorFlow 1.x, `tf.nn.l2_normalize`.
    """
    axis = either("axis", axis, "dim", dim)
    given = convert_to_tensor(x)
    parts = [real(given), imag(given)] if given.dtype.is_complex else [given]
    squares = square(parts[0]) if len(parts) == 1 else square(parts[0]) + square(parts[1])
    factor = rsqrt(maximum(reduce_sum(squares, axis, True), epsilon))
    if len(parts) == 1:
        return multiply(parts[0], factor, name_of_scope())
    return complex_op(multiply(parts[0], factor), multiply(parts[1], factor), name_of_scope())


@composite("zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The part of the elements that are 0, between 0 and 1.

    Args:
        value: numbers, any shape.

    Returns:
        A scalar of dtype float32, NaN of no elements.

    Raises:
        TypeError: `value` is not numbers.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.zero_fraction(tf.nn.relu([-1.0, 2.0, -3.0, 4.0]))))
    0.5

    Source: TensorFlow 1.x, `tf.nn.zero_fraction`.
    """
    given = convert_to_tensor(value)
    zeros = reduce_sum(cast(equal(given, convert_to_tensor(0, given.dtype)), int64))
    return divide(cast(zeros, float32), cast(size(given), float32))
