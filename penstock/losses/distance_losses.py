"""Losses of the distance between predictions and labels."""

from __future__ import annotations

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike, as_int
from ..graph.model.nodes import Tensor
from ..ops.declare.reduction_decl import either
from .loss_collections import LOSSES, add_loss
from .weighted_loss import Reduction, as_float32, count_present, fitting, loss, same_shapes, weighted


@loss("mean_squared_error")
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of (predictions - labels)**2, computed in float32.

    Args:
        labels: numbers, any shape.
        predictions: numbers of the same shape.
        weights: a scalar, or numbers of the rank of `labels` that in each dimension have its size or 1.
        scope: the name of the scope of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        A scalar of dtype float32; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
        ValueError: the shapes do not fit, `reduction` is another text, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.mean_squared_error([1.0, 2.0], [3.0, 6.0])))
    10.0

    Source: TensorFlow 1.x, `tf.losses.mean_squared_error`.
    """
    found, wanted = same_shapes(predictions, labels)
    return weighted(ops.squared_difference(found, wanted), weights, loss_collection, reduction)


@loss("absolute_difference")
@documented_like(mean_squared_error)
def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of |predictions - labels|, computed in float32.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.absolute_difference([1.0, 2.0], [3.0, 6.0], weights=[1.0, 0.0])))
    2.0
    """
    found, wanted = same_shapes(predictions, labels)
    return weighted(ops.abs(ops.subtract(found, wanted)), weights, loss_collection, reduction)


@loss("huber_loss")
@documented_like(mean_squared_error)
def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of Huber's loss: d**2 / 2 where d = |predictions - labels| is at most delta, else linear.

    Args:
        delta: where the square ends; behind it the loss is delta**2 / 2 + delta * (d - delta).

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.huber_loss([0.0, 0.0], [0.5, 3.0], reduction="none")))
    [0.125 2.5  ]
    """
    found, wanted = same_shapes(predictions, labels)
    distance = ops.abs(ops.subtract(found, wanted))
    near = ops.minimum(distance, delta)
    # The rest, not max(distance - delta, 0): at delta its derivative is 0, and that of the square is there already.
    far = ops.subtract(distance, near)
    losses = ops.add(ops.multiply(ops.multiply(near, near), 0.5), ops.multiply(far, delta))
    return weighted(losses, weights, loss_collection, reduction)


@loss("cosine_distance_loss")
@documented_like(mean_squared_error)
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """The weighted mean of 1 - sum(predictions * labels) along an axis, computed in float32.

    Args:
        labels: numbers, vectors of length 1 along `axis`.
        predictions: numbers of the same shape, vectors of length 1 too.
        axis: the axis of the vectors, a Python int.
        weights: a scalar, or numbers of the rank of `labels` that in each dimension have its size (1 at `axis`) or 1.
        dim: older name of `axis`.

    Returns:
        A scalar of dtype float32; with `Reduction.NONE` a tensor of the shape of `labels` with 1 at `axis`.

    Raises:
        TypeError: the axis is not an int.
        ValueError: the shapes do not fit, the axis is out of range or missing, `reduction` is another text, or an
            argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1)))
    0.39999998
    """
    along = either("axis", axis, "dim", dim)
    if along is None:
        raise ValueRuleError("You must specify argument `axis`.")
    found, wanted = same_shapes(predictions, labels)
    losses = 1.0 - ops.reduce_sum(ops.multiply(found, wanted), [as_int(along)], True)
    return weighted(losses, weights, loss_collection, reduction)


@loss("mean_pairwise_squared_error")
@documented_like(mean_squared_error)
def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
) -> Tensor:
    """The mean of (d[i] - d[j])**2 over the pairs of elements of each row, with d = predictions - labels; rows add up.

    Args:
        labels: numbers, any shape; a row is a slice along the first dimension.

    Returns:
        A scalar of dtype float32.

    Raises:
        ValueError: the shapes do not fit, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.mean_pairwise_squared_error([[0.0, 0.0, 0.0]], [[1.0, 2.0, 4.0]])))
    4.666666
    """
    found, wanted = same_shapes(predictions, labels)
    factors = as_float32(weights)
    d = ops.subtract(found, wanted)
    axes = ops.range(1, ops.rank(d))
    count = count_present(d, fitting(factors, wanted), per_batch=True)
    squares = ops.div_no_nan(ops.reduce_sum(ops.square(d), axes, True), ops.maximum(count - 1.0, 0.0))
    total = ops.reduce_sum(d, axes, True)
    products = ops.div_no_nan(ops.square(total), ops.maximum(ops.multiply(count, count - 1.0), 0.0))
    made = ops.reduce_sum(ops.multiply(ops.subtract(ops.multiply(squares, 2.0), ops.multiply(products, 2.0)), factors))
    made = ops.select(ops.greater(ops.reduce_sum(count), 0.0), made, ops.zeros_like(made), name="value")
    add_loss(made, loss_collection)
    return made
