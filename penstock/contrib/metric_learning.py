"""`tf.contrib.losses.metric_learning`: losses by which embeddings of one class come near each other."""

from __future__ import annotations

from .. import (
    cast,
    equal,
    logical_and,
    logical_not,
    matmul,
    maximum,
    nn,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_sum,
    reshape,
    sqrt,
    square,
    tile,
    transpose,
    where,
)
from .. import shape as shape_of
from ..api.missing_names import add_hints as _add_hints
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import composite
from ..ops.linalg.matrix_parts import matrix_set_diag

__all__ = ["contrastive_loss", "npairs_loss", "triplet_semihard_loss"]


@composite("contrastive_loss")
def contrastive_loss(
    labels: TensorLike, embeddings_anchor: TensorLike, embeddings_positive: TensorLike, margin: float = 1.0
) -> Tensor:
    """The mean of d**2 for pairs of one class, and of max(margin - d, 0)**2 for others, where d is their distance.

    Args:
        labels: ints of shape (pairs,): 1 for a pair of one class, else 0.
        embeddings_anchor: floats of shape (pairs, size).
        embeddings_positive: the other of each pair.
        margin: the distance from which pairs of two classes cost nothing.

    Returns:
        A scalar with the dtype of the embeddings.

    Raises:
        TypeError: a dtype is another.
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.contrib.losses.metric_learning.contrastive_loss([1, 0], [[0.0], [0.0]], [[0.5], [0.5]])
    ...     print(session.run(loss))
    0.25

    Source: TensorFlow 1.15, `tf.contrib.losses.metric_learning.contrastive_loss`; Hadsell, Chopra and LeCun (2006).
    """
    anchor, positive = convert_to_tensor(embeddings_anchor), convert_to_tensor(embeddings_positive)
    distances = sqrt(reduce_sum(square(anchor - positive), 1))
    same = cast(labels, anchor.dtype)
    return reduce_mean(same * square(distances) + (1.0 - same) * square(maximum(margin - distances, 0.0)))


@composite("npairs_loss")
def npairs_loss(
    labels: TensorLike, embeddings_anchor: TensorLike, embeddings_positive: TensorLike, reg_lambda: float = 0.002,
    print_losses: bool = False
) -> Tensor:  # fmt: skip
    """The cross entropy of finding, among the other halves of all pairs, those of the own class; plus a norm.

    Args:
        labels: ints of shape (pairs,), the class of each pair.
        embeddings_anchor: floats of shape (pairs, size).
        embeddings_positive: the other of each pair.
        reg_lambda: how much the mean of the squares of norms counts.
        print_losses: accepted for TensorFlow's sake.

    Returns:
        A scalar with the dtype of the embeddings.

    Raises:
        TypeError: a dtype is another.
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.contrib.losses.metric_learning.npairs_loss([0, 1], [[0.0], [0.0]], [[1.0], [2.0]], 0.0)
    ...     print(session.run(loss).round(4))
    0.6931

    Source: TensorFlow 1.15, `tf.contrib.losses.metric_learning.npairs_loss`; Sohn (2016).
    """
    anchor, positive = convert_to_tensor(embeddings_anchor), convert_to_tensor(embeddings_positive)
    norms = reduce_mean(reduce_sum(square(anchor), 1)) + reduce_mean(reduce_sum(square(positive), 1))
    similar = matmul(anchor, positive, transpose_b=True)
    classes = reshape(convert_to_tensor(labels), [-1, 1])
    same = cast(equal(classes, transpose(classes)), similar.dtype)
    targets = same / reduce_sum(same, 1, keep_dims=True)
    entropy = nn.softmax_cross_entropy_with_logits(logits=similar, labels=targets)
    return reduce_mean(entropy) + norms * (0.25 * reg_lambda)


@composite("triplet_semihard_loss")
def triplet_semihard_loss(labels: TensorLike, embeddings: TensorLike, margin: float = 1.0) -> Tensor:
    """The mean of max(0, d(a, p) - d(a, n) + margin) over pairs a, p of one class, d being the squared distance.

    The n of a pair is the nearest embedding of another class that is farther from a than p; if there is none, the
    farthest one of another class.

    Args:
        labels: ints of shape (batch,), the classes.
        embeddings: floats of shape (batch, size), of length 1.
        margin: how much farther those of other classes are to be.

    Returns:
        A scalar with the dtype of the embeddings.

    Raises:
        TypeError: a dtype is another.
        ValueError: the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.contrib.losses.metric_learning.triplet_semihard_loss([0, 0, 1], [[0.0], [0.5], [1.0]])
    ...     print(session.run(loss))
    0.625

    Source: TensorFlow 1.15, `tf.contrib.losses.metric_learning.triplet_semihard_loss`; Schroff et al. (2015).
    """
    points = convert_to_tensor(embeddings)
    classes = reshape(convert_to_tensor(labels), [-1, 1])
    distances = _squared_distances(points)
    same = equal(classes, transpose(classes))
    other = logical_not(same)
    count = shape_of(points)[0]
    # Row i * count + j: anchor j, positive i.
    rows = tile(distances, [count, 1])
    others = tile(other, [count, 1])
    farther = logical_and(others, rows > reshape(transpose(distances), [-1, 1]))
    has_any = reshape(reduce_sum(cast(farther, points.dtype), 1, keep_dims=True) > 0.0, [count, count])
    nearest = reshape(_least(rows, cast(farther, points.dtype)), [count, count])
    farthest = tile(_most(distances, cast(other, points.dtype)), [1, count])
    chosen = where(transpose(has_any), transpose(nearest), farthest)
    pairs = cast(same, points.dtype)
    pairs = matrix_set_diag(pairs, reduce_sum(pairs * 0.0, 1))
    losses = maximum((margin + distances - chosen) * pairs, 0.0)
    return reduce_sum(losses) / reduce_sum(pairs)


def _squared_distances(points: Tensor) -> Tensor:
    """The squared distances of all pairs; 0 along the diagonal, whatever the rounding."""
    squares = reduce_sum(square(points), 1, keep_dims=True)
    found = maximum(squares + transpose(squares) - 2.0 * matmul(points, points, transpose_b=True), 0.0)
    return matrix_set_diag(found, reduce_sum(found * 0.0, 1))


def _least(data: Tensor, mask: Tensor) -> Tensor:
    """The least entry of each row where the mask is 1; the largest of the row if there is none."""
    top = reduce_max(data, 1, keep_dims=True)
    return reduce_min((data - top) * mask, 1, keep_dims=True) + top


def _most(data: Tensor, mask: Tensor) -> Tensor:
    """The largest entry of each row where the mask is 1; the least of the row if there is none."""
    bottom = reduce_min(data, 1, keep_dims=True)
    return reduce_max((data - bottom) * mask, 1, keep_dims=True) + bottom


_add_hints(__name__)
