"""`tf.contrib.sparsemax`: probabilities of which many are 0, and their loss."""

from __future__ import annotations

from typing import Any

from .. import (
    cast,
    convert_to_tensor,
    cumsum,
    maximum,
    name_scope,
    nn,
    range,
    reduce_sum,
    shape,
    where,
    zeros_like,
)
from ..ops.declare.composite import reported_as_call

__all__ = ["sparsemax", "sparsemax_loss"]


@reported_as_call("sparsemax")
def sparsemax(logits: Any, name: str | None = None) -> Any:
    """The point of the simplex that is nearest to each row of `logits`.

    Args:
        logits: floats of shape [rows, classes].
        name: a name for the operations.

    Returns:
        A tensor like `logits`, whose rows have the sum 1.

    Raises:
        ValueError: the rank is not 2.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.sparsemax.sparsemax([[1.0, 0.5, -1.0]])))
    [[0.75 0.25 0.  ]]

    Source: TensorFlow 1.x, `tf.contrib.sparsemax.sparsemax`; Martins and Astudillo, arXiv:1602.02068.
    """
    with name_scope(name, "sparsemax", [logits]):
        z = convert_to_tensor(logits)
        z.shape.assert_has_rank(2)
        largest = nn.top_k(z, k=shape(z)[1])[0]
        places = cast(range(1, shape(z)[1] + 1), z.dtype)
        is_in = cast(1.0 + places * largest > cumsum(largest, 1), z.dtype)  # the classes that are not 0
        threshold = (reduce_sum(is_in * largest, 1, True) - 1.0) / reduce_sum(is_in, 1, True)
        return maximum(z - threshold, zeros_like(z))


@reported_as_call("sparsemax_loss")
def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Any:
    """The loss whose gradient is `sparsemax(logits) - labels`.

    Args:
        logits: floats of shape [rows, classes].
        sparsemax: what `sparsemax(logits)` gives.
        labels: the probabilities that are right, of the same shape.
        name: a name for the operations.

    Returns:
        A tensor of shape [rows].

    Raises:
        ValueError: the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([[1.0, 0.5, -1.0]])
    ...     loss = tf.contrib.sparsemax.sparsemax_loss(x, tf.contrib.sparsemax.sparsemax(x), [[1.0, 0.0, 0.0]])
    ...     print(session.run([loss, tf.gradients(loss, x)[0]]))
    [array([0.0625], dtype=float32), array([[-0.25,  0.25,  0.  ]], dtype=float32)]

    Source: TensorFlow 1.x, `tf.contrib.sparsemax.sparsemax_loss`.
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        z, p, q = (convert_to_tensor(each) for each in (logits, sparsemax, labels))
        support = where(p > 0.0, p * (z - 0.5 * p), zeros_like(p))
        return reduce_sum(support + q * (0.5 * q - z), 1)
