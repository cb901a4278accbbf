"""Regularizers of `tf.contrib.layers`: functions from weights to a loss."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from ... import abs as abs_op
from ... import add, multiply, name_scope, nn, reduce_sum
from ...errors import ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.model.nodes import Tensor
from ...ops.create.constant_and_placeholder import convert_to_tensor

Regularizer = Callable[..., Tensor | None]


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A function that gives scale * the sum of |weights|, or None where `scale` is 0.

    Args:
        scale: a number of at least 0, not an int.
        scope: the name scope of its nodes.

    Returns:
        A function of weights.

    Raises:
        ValueError: `scale` is an int, or negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.l1_regularizer(0.5)([1.0, -3.0])))
    2.0

    Source: TensorFlow 1.x, `tf.contrib.layers.l1_regularizer`.
    """
    return _scaled(scale, scope, "l1_regularizer", lambda weights: reduce_sum(abs_op(weights)))


@documented_like(l1_regularizer)
def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A function that gives scale * the sum of weights**2 / 2, or None where `scale` is 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.l2_regularizer(0.5)([1.0, -3.0])))
    2.5
    """
    return _scaled(scale, scope, "l2_regularizer", nn.l2_loss)


def l1_l2_regularizer(scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None) -> Regularizer:
    """A function that gives the sum of `l1_regularizer(scale_l1)` and `l2_regularizer(scale_l2)`.

    Args:
        scale_l1, scale_l2: numbers of at least 0, not ints.
        scope: the name scope of its nodes.

    Returns:
        A function of weights.

    Raises:
        ValueError: a scale is an int, or negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.layers.l1_l2_regularizer(0.5, 0.5)([1.0, -3.0])))
    4.5

    Source: TensorFlow 1.x, `tf.contrib.layers.l1_l2_regularizer`.
    """
    parts = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]

    def regularize(weights: Any) -> Tensor | None:
        with name_scope(scope or "l1_l2_regularizer"):
            losses = [loss for part in parts if (loss := part(weights)) is not None]
            if len(losses) == 2:
                return add(losses[0], losses[1], name="l1_l2_regularizer")
            return losses[0] if losses else None

    return regularize


def _scaled(scale: float, scope: str | None, name: str, loss: Callable[[Tensor], Tensor]) -> Regularizer:
    if isinstance(scale, Integral):
        raise ValueRuleError(f"{name}: scale cannot be an integer: {scale}")
    if not isinstance(scale, Real) or scale < 0:
        raise ValueRuleError(f"{name}: Setting a scale less than 0 on a regularizer: {scale!r}")

    def regularize(weights: Any) -> Tensor | None:
        if scale == 0.0:
            return None
        with name_scope(scope or name) as inner:
            values = convert_to_tensor(weights)
            return multiply(convert_to_tensor(float(scale), values.dtype), loss(values), name=inner)

    return regularize
