"""Losses of classifications: cross entropies, log_loss, hinge_loss."""

from __future__ import annotations

from ..derivatives import rule_namespace as ops
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.nn.cross_entropies import sigmoid_entropy, softmax_entropy, sparse_entropy
from .distance_losses import mean_squared_error
from .loss_collections import LOSSES
from .weighted_loss import Reduction, loss, require_one_shape, same_shapes, weighted


@loss("softmax_cross_entropy_loss")
@documented_like(mean_squared_error)
def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of the cross entropies of softmax(logits) and `onehot_labels` along the last dimension.

    Gradients do not flow into the labels.

    Args:
        onehot_labels: numbers, which are cast to the dtype of `logits`; the shape of `logits`.
        logits: floats, of rank 1 or higher.
        weights: a scalar, or numbers of the rank of the losses that in each dimension have its size or 1.
        label_smoothing: if it is above 0, the labels become onehot_labels * (1 - s) + s / number of classes.

    Returns:
        A scalar with the dtype of `logits`; with `Reduction.NONE` a tensor of its shape without the last dimension.

    Raises:
        TypeError: `logits` is not float.
        ValueError: the shapes do not fit, `reduction` is another text, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.softmax_cross_entropy([[1, 0], [0, 1]], [[0.0, 0.0], [100.0, 0.0]])))
    50.346573
    """
    x = ops.convert_to_tensor(logits)
    labels = _like(onehot_labels, x)
    require_one_shape(x, labels)
    if label_smoothing > 0:
        classes = ops.cast(ops.shape(labels)[-1], x.dtype)
        labels = ops.add(ops.multiply(labels, 1.0 - label_smoothing), ops.divide(label_smoothing, classes))
    losses = softmax_entropy(x, ops.stop_gradient(labels), None, "xentropy")
    return weighted(losses, weights, loss_collection, reduction)


@loss("sparse_softmax_cross_entropy_loss")
@documented_like(mean_squared_error)
def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of the cross entropies of softmax(logits) and the classes `labels`.

    Args:
        labels: int32 or int64, of the shape of `logits` without the last dimension, or with size 1 there; each in
            [0, number of classes).
        logits: floats, of rank 1 or higher; the last dimension is that of the classes.
        weights: a scalar, or numbers of the rank of `labels` that in each dimension have its size or 1; a last
            dimension of size 1 more is left out.

    Returns:
        A scalar with the dtype of `logits`; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
        TypeError: `logits` is not float, or `labels` is not int32 or int64.
        ValueError: the shapes do not fit, `reduction` is another text, or an argument is None.
        InvalidArgumentError (when run): a label is out of range, or the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.sparse_softmax_cross_entropy([0, 1], [[0.0, 0.0], [100.0, 0.0]])))
    50.346573
    """
    classes, x, factors = ops.convert_to_tensor(labels), ops.convert_to_tensor(logits), ops.convert_to_tensor(weights)
    ranks = classes.shape.ndims, x.shape.ndims
    if ranks[0] is not None and ranks[1] is not None:
        if ranks[1] == ranks[0] and _may_drop_last(classes):
            classes = ops.squeeze(classes, [-1])
        elif ranks[1] - ranks[0] == 2 and _may_drop_last(x):
            x = ops.squeeze(x, [-1])
    if ranks[0] is None and ranks[1]:
        classes = ops.reshape(classes, ops.shape(classes)[: ranks[1] - 1])  # a last dimension of size 1 is left out
    if classes.shape.ndims is None and factors.shape.ndims != 0:
        factors = ops.reshape(factors, ops.shape(factors)[: ops.rank(classes)])
    elif factors.shape.ndims is not None and classes.shape.ndims == factors.shape.ndims - 1:
        factors = ops.squeeze(factors, [-1])
    return weighted(sparse_entropy(x, classes, "xentropy"), factors, loss_collection, reduction)


def _may_drop_last(tensor: Tensor) -> bool:
    return bool(tensor.shape.ndims) and tensor.shape[-1:].is_compatible_with([1])


@loss("sigmoid_cross_entropy_loss")
@documented_like(mean_squared_error)
def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of the cross entropies of sigmoid(logits) and labels, element by element.

    Args:
        multi_class_labels: numbers between 0 and 1, which are cast to the dtype of `logits`; the shape of `logits`.
        logits: floats, any shape.
        weights: a scalar, or numbers of the rank of `logits` that in each dimension have its size or 1.
        label_smoothing: if it is above 0, the labels become labels * (1 - s) + s / 2.

    Returns:
        A scalar with the dtype of `logits`; with `Reduction.NONE` a tensor of its shape.

    Raises:
        TypeError: `logits` is not float.
        ValueError: the shapes do not fit, `reduction` is another text, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.sigmoid_cross_entropy([1, 0], [0.0, 100.0])))
    50.346573
    """
    x = ops.convert_to_tensor(logits)
    labels = _like(multi_class_labels, x)
    require_one_shape(x, labels)
    if label_smoothing > 0:
        labels = ops.add(ops.multiply(labels, 1.0 - label_smoothing), 0.5 * label_smoothing)
    return weighted(sigmoid_entropy(x, labels, "xentropy"), weights, loss_collection, reduction)


def _like(value: TensorLike, x: Tensor) -> Tensor:
    tensor = ops.convert_to_tensor(value)
    return tensor if tensor.dtype is x.dtype else ops.cast(tensor, x.dtype)


@loss("log_loss")
@documented_like(mean_squared_error)
def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of -labels * log(predictions) - (1 - labels) * log(1 - predictions), computed in float32.

    Args:
        labels: numbers between 0 and 1, any shape.
        predictions: probabilities, of the same shape.
        epsilon: added to each argument of a logarithm, so that none is 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(round(float(session.run(tf.losses.log_loss([1.0, 0.0], [0.5, 0.5]))), 3))
    0.693
    """
    found, wanted = same_shapes(predictions, labels)
    right = ops.neg(ops.multiply(wanted, ops.log(ops.add(found, epsilon))))
    wrong = ops.multiply(ops.subtract(1.0, wanted), ops.log(ops.add(ops.subtract(1.0, found), epsilon)))
    return weighted(ops.subtract(right, wrong), weights, loss_collection, reduction)


@loss("hinge_loss")
@documented_like(mean_squared_error)
def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of max(1 - s * logits, 0), where s is 1 for the label 1 and -1 for 0; computed in float32.

    Args:
        labels: numbers, 0 or 1, any shape.
        logits: numbers of the same shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.hinge_loss([1.0, 0.0], [0.5, 0.5], reduction="none")))
    [0.5 1.5]
    """
    found, wanted = same_shapes(logits, labels)
    signs = ops.subtract(ops.multiply(wanted, 2.0), 1.0)
    return weighted(ops.relu(ops.subtract(1.0, ops.multiply(signs, found))), weights, loss_collection, reduction)
