"""The losses of `tf.contrib.losses`: those of `tf.losses` with the predictions before the labels.

Weights may have fewer dimensions than the losses, such as one for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .. import losses as _losses
from ..graph.declare.shared_docs import named
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..losses.weighted_loss import loss
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.move.reshaping import expand_dims


def _wide(weights: TensorLike, rank: int | None) -> Tensor:
    """The weights with dimensions of size 1 at the end, up to the rank of the losses."""
    tensor = convert_to_tensor(weights)
    own = tensor.shape.ndims
    if own and rank is not None:
        for _ in range(rank - own):
            tensor = expand_dims(tensor, -1)
    return tensor


def _rank(predictions: TensorLike) -> int | None:
    return convert_to_tensor(predictions).shape.ndims


class OlderLoss(Protocol):
    """A loss of predictions and labels."""

    def __call__(
        self, predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
    ) -> Tensor: ...


def _older(name: str, law: str, call: str, printed: str) -> OlderLoss:
    """The loss of `tf.losses` with predictions first. law, call, printed: what it is, and its example."""

    @loss(name)
    @named(name, law=law, call=call, printed=printed)
    def function(
        predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
    ) -> Tensor:
        """{law}

        Args:
            predictions: numbers.
            labels: numbers of the same shape.
            weights: a scalar, or numbers for the first dimensions of the losses.
            scope: the name of the scope of the nodes.

        Returns:
            A float32 scalar; it is added to the collection of losses.

        Raises:
            ValueError: the shapes do not fit, or an argument is None.
            InvalidArgumentError (when run): the shapes do not fit.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run({call}))
        {printed}

        Source: TensorFlow 1.15, `tf.contrib.losses.{name}`.
        """
        computed: Callable[..., Tensor] = getattr(_losses, name)
        return computed(labels, predictions, _wide(weights, _rank(predictions)))

    return function


absolute_difference = _older(
    "absolute_difference", "The weighted mean of the absolute differences.",
    "tf.contrib.losses.absolute_difference([[1.0], [3.0]], [[0.0], [1.0]], [1.0, 0.5])", "1.0",
)  # fmt: skip
mean_squared_error = _older(
    "mean_squared_error", "The weighted mean of the squares of the differences.",
    "tf.contrib.losses.mean_squared_error([1.0, 3.0], [0.0, 1.0])", "2.5",
)  # fmt: skip
mean_pairwise_squared_error = _older(
    "mean_pairwise_squared_error",
    "The mean of the squares by which differences of predictions are not those of the labels.",
    "tf.contrib.losses.mean_pairwise_squared_error([[1.0, 3.0]], [[0.0, 1.0]])", "1.0",
)  # fmt: skip


@loss("log_loss")
def log_loss(
    predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, epsilon: float = 1e-7,
    scope: str | None = None
) -> Tensor:  # fmt: skip
    """The weighted mean of -labels * log(p + epsilon) - (1 - labels) * log(1 - p + epsilon).

    Args:
        predictions: numbers in [0, 1].
        labels: numbers of the same shape.
        weights: a scalar, or numbers for the first dimensions of the losses.
        epsilon: keeps the logarithms finite.
        scope: the name of the scope of the nodes.

    Returns:
        A float32 scalar; it is added to the collection of losses.

    Raises:
        ValueError: the shapes do not fit, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.log_loss([0.5, 0.5], [0.0, 1.0])).round(4))
    0.6931

    Source: TensorFlow 1.15, `tf.contrib.losses.log_loss`.
    """
    return _losses.log_loss(labels, predictions, _wide(weights, _rank(predictions)), epsilon)


@loss("cosine_distance_loss")
def cosine_distance(
    predictions: TensorLike, labels: TensorLike, axis: int | None = None, weights: TensorLike = 1.0,
    scope: str | None = None, dim: int | None = None
) -> Tensor:  # fmt: skip
    """The weighted mean of 1 - sum(predictions * labels) along a dimension; both are already of length 1.

    Args:
        predictions: floats.
        labels: floats of the same shape.
        axis: the dimension of the sums; `dim` is another name of it.
        weights: a scalar, or numbers for the first dimensions of the losses.
        scope: the name of the scope of the nodes.

    Returns:
        A float32 scalar; it is added to the collection of losses.

    Raises:
        ValueError: the shapes do not fit, or `axis` or another argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1)))
    1.0

    Source: TensorFlow 1.15, `tf.contrib.losses.cosine_distance`.
    """
    return _losses.cosine_distance(labels, predictions, axis, _wide(weights, _rank(predictions)), dim=dim)


@loss("hinge_loss")
def hinge_loss(logits: TensorLike, labels: TensorLike, scope: str | None = None) -> Tensor:
    """max(0, 1 - y * logits) of each element, where y is -1 for a label 0 and 1 for a label 1.

    Args:
        logits: floats.
        labels: 0 and 1, of the same shape.
        scope: the name of the scope of the nodes.

    Returns:
        A float32 tensor of that shape, the losses of the elements; it is in no collection.

    Raises:
        ValueError: the shapes do not fit, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.hinge_loss([0.5, 0.5], [0.0, 1.0])))
    [1.5 0.5]

    Source: TensorFlow 1.15, `tf.contrib.losses.hinge_loss`.
    """
    return _losses.hinge_loss(labels, logits, loss_collection=None, reduction=_losses.Reduction.NONE)


@loss("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(
    logits: TensorLike, multi_class_labels: TensorLike, weights: TensorLike = 1.0, label_smoothing: float = 0,
    scope: str | None = None
) -> Tensor:  # fmt: skip
    """The weighted mean of the cross entropies of sigmoid(logits) and the labels.

    Args:
        logits: floats.
        multi_class_labels: numbers of the same shape.
        weights: a scalar, or numbers for the first dimensions of the losses.
        label_smoothing: if it is above 0, the labels become labels * (1 - s) + s / 2.
        scope: the name of the scope of the nodes.

    Returns:
        A scalar; it is added to the collection of losses.

    Raises:
        TypeError: `logits` is not float.
        ValueError: the shapes do not fit, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.sigmoid_cross_entropy([0.0, 0.0], [0.0, 1.0])).round(4))
    0.6931

    Source: TensorFlow 1.15, `tf.contrib.losses.sigmoid_cross_entropy`.
    """
    return _losses.sigmoid_cross_entropy(multi_class_labels, logits, _wide(weights, _rank(logits)), label_smoothing)


@loss("softmax_cross_entropy_loss")
def softmax_cross_entropy(
    logits: TensorLike, onehot_labels: TensorLike, weights: TensorLike = 1.0, label_smoothing: float = 0,
    scope: str | None = None
) -> Tensor:  # fmt: skip
    """The weighted mean of the cross entropies of softmax(logits) and the labels along the last dimension.

    Args:
        logits: floats.
        onehot_labels: numbers of the same shape.
        weights: a scalar, or a number for each row.
        label_smoothing: if it is above 0, the labels become labels * (1 - s) + s / number of classes.
        scope: the name of the scope of the nodes.

    Returns:
        A scalar; it is added to the collection of losses.

    Raises:
        TypeError: `logits` is not float.
        ValueError: the shapes do not fit, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.softmax_cross_entropy([[0.0, 0.0]], [[0.0, 1.0]])).round(4))
    0.6931

    Source: TensorFlow 1.15, `tf.contrib.losses.softmax_cross_entropy`.
    """
    return _losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing)


@loss("sparse_softmax_cross_entropy_loss")
def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """The weighted mean of the cross entropies of softmax(logits) and the classes of the rows.

    Args:
        logits: floats of shape (rows, classes).
        labels: the classes, ints of shape (rows,) or (rows, 1).
        weights: a scalar, or a number for each row.
        scope: the name of the scope of the nodes.

    Returns:
        A scalar; it is added to the collection of losses.

    Raises:
        TypeError: `logits` is not float, or `labels` not int.
        ValueError: the shapes do not fit, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.sparse_softmax_cross_entropy([[0.0, 0.0]], [1])).round(4))
    0.6931

    Source: TensorFlow 1.15, `tf.contrib.losses.sparse_softmax_cross_entropy`.
    """
    return _losses.sparse_softmax_cross_entropy(labels, logits, weights)


@loss("weighted_loss")
def compute_weighted_loss(losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """The sum of the weighted losses, divided by the number of losses whose weight is not 0.

    Args:
        losses: numbers.
        weights: a scalar, or numbers for the first dimensions of the losses.
        scope: the name of the scope of the nodes.

    Returns:
        A scalar with the dtype of `losses`; it is added to the collection of losses.

    Raises:
        ValueError: the weights do not fit, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.losses.compute_weighted_loss([[1.0, 3.0], [2.0, 2.0]], [1.0, 0.0])))
    2.0

    Source: TensorFlow 1.15, `tf.contrib.losses.compute_weighted_loss`.
    """
    return _losses.compute_weighted_loss(losses, _wide(weights, _rank(losses)))
