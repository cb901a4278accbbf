"""Cross entropies with the arguments of TensorFlow 1.x: labels and logits by name."""

from __future__ import annotations

from typing import Any

from .. import Tensor, stop_gradient
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..ops.declare.composite import composite, name_of_scope
from ..ops.nn.cross_entropies import require_both, sigmoid_entropy, softmax_entropy, sparse_entropy, weighted_entropy
from .checks import one_of


def _only_named(function: str, sentinel: Any) -> None:
    if sentinel is not None:
        raise ValueRuleError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...): "
                             "TensorFlow 0.x takes logits first, 2.x labels")  # fmt: skip


@composite("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int | None = None,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and `labels` along an axis: sum(-labels * log(softmax(logits))).

    Gradients do not flow into the labels; `softmax_cross_entropy_with_logits_v2` has them.

    Args:
        _sentinel: not used; it makes arguments without names an error.
        labels: numbers, which are cast to the dtype of `logits`; the shape of `logits`. Each row should sum to 1:
            otherwise the gradient by the logits, softmax(logits) - labels, is not the derivative.
        logits: floats, of rank 1 or higher.
        dim: the axis of the classes, a Python int. None (the default) means the last one.
        axis: another name for `dim`.

    Returns:
        A tensor with the dtype of `logits` and its shape without the axis. Where a logit is -inf or the logits hold
        inf, it is NaN, as in TensorFlow.

    Raises:
        TypeError: `logits` is not float, or the axis is not an int.
        ValueError: the shapes do not fit, the axis is out of range, or an argument is missing or has no name.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0]], logits=[[0.0, 0.0]])))
    [0.6931472]

    Source: TensorFlow 1.x, `tf.nn.softmax_cross_entropy_with_logits`.
    """
    _only_named("softmax_cross_entropy_with_logits", _sentinel)
    require_both("softmax_cross_entropy_with_logits", labels, logits)
    assert labels is not None and logits is not None
    return softmax_entropy(logits, stop_gradient(labels), one_of("dim", dim, "axis", axis), name_of_scope())


@composite("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and the classes `labels`: -log(softmax(logits)[..., labels[...]]).

    Args:
        _sentinel: not used; it makes arguments without names an error.
        labels: int32 or int64, of the shape of `logits` without the last dimension, each in [0, number of classes).
        logits: floats, of rank 1 or higher; the last dimension is that of the classes.

    Returns:
        A tensor with the shape of `labels` and the dtype of `logits`.

    Raises:
        TypeError: `logits` is not float, or `labels` is not int32 or int64.
        ValueError: the shapes do not fit, `logits` is a scalar, or an argument is missing or has no name.
        InvalidArgumentError (when run): a label is out of range, or the shapes do not fit.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=[[0.0, 0.0]])))
    [0.6931472]

    Source: TensorFlow 1.x, `tf.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    _only_named("sparse_softmax_cross_entropy_with_logits", _sentinel)
    require_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    assert labels is not None and logits is not None
    return sparse_entropy(logits, labels, name_of_scope())


@composite("logistic_loss")
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of sigmoid(logits) and `labels`, element by element, without overflow.

    With x = logits and z = labels it is -z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x)), computed as
    max(x, 0) - x * z + log(1 + exp(-|x|)).

    Args:
        _sentinel: not used; it makes arguments without names an error.
        labels: the shape and dtype of `logits`, numbers between 0 and 1.
        logits: floats, any shape.

    Returns:
        A tensor with the shape and dtype of `logits`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes are known to differ, or an argument is missing or has no name.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 1.0], logits=[0.0, 1000.0])))
    [0.6931472 0.       ]

    Source: TensorFlow 1.x, `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    _only_named("sigmoid_cross_entropy_with_logits", _sentinel)
    require_both("sigmoid_cross_entropy_with_logits", labels, logits)
    assert labels is not None and logits is not None
    return sigmoid_entropy(logits, labels, name_of_scope())


@composite("logistic_loss")
def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    pos_weight: TensorLike | None = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Tensor:
    """The sigmoid cross entropy with its positive part weighted.

    With x = logits and z = labels it is -z * log(sigmoid(x)) * pos_weight - (1 - z) * log(1 - sigmoid(x)).

    Args:
        labels: the shape and dtype of `logits`, numbers between 0 and 1.
        logits: floats, any shape.
        pos_weight: the weight of the positive part, a number or a tensor of the dtype of `logits` that broadcasts.
        targets: older name of `labels`.

    Returns:
        A tensor with the shape and dtype of `logits`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes are known to differ, or an argument is missing or given under both names.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 1000.0], 2.0)))
    [   1.3862944 1000.       ]

    Source: TensorFlow 1.x, `tf.nn.weighted_cross_entropy_with_logits`.
    """
    found = one_of("targets", targets, "labels", labels)
    require_both("weighted_cross_entropy_with_logits", found, logits)
    assert logits is not None
    return weighted_entropy(logits, found, pos_weight)
