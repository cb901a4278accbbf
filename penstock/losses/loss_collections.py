"""The collections of a graph's losses, and their sums."""

from __future__ import annotations

from typing import Any

from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Tensor
from ..ops.create.constant_and_placeholder import constant
from ..ops.elementwise.arithmetic import add_n
from ..variables.graph_keys import GraphKeys

LOSSES = GraphKeys.LOSSES


def add_loss(loss: Tensor, loss_collection: str | None = LOSSES) -> None:
    """Adds a loss of your own to the collection of losses.

    Args:
        loss: a tensor.
        loss_collection: the name of the collection; None adds the loss to none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.losses.add_loss(tf.constant(1.0))
    ...     print(len(tf.losses.get_losses()))
    1

    Source: TensorFlow 1.x, `tf.losses.add_loss`.
    """
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = LOSSES) -> list[Any]:
    """The losses of the default graph.

    Args:
        scope: a regular expression; only losses whose names begin with it are listed. None lists all of them.
        loss_collection: the name of the collection.

    Returns:
        A list of tensors.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.losses.mean_squared_error([1.0], [3.0])
    ...     print([each.name for each in tf.losses.get_losses()])
    ['mean_squared_error/value:0']

    Source: TensorFlow 1.x, `tf.losses.get_losses`.
    """
    return get_default_graph().get_collection(loss_collection, scope)


@documented_like(get_losses)
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The regularization losses of the default graph, which variables with a regularizer add.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.losses.get_regularization_losses())
    []
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of the regularization losses of the default graph.

    Args:
        scope: a regular expression; only losses whose names begin with it are summed. None sums all of them.
        name: the name of the node.

    Returns:
        A scalar with the dtype of the losses, 0.0 of none.

    Raises:
        TypeError: the losses differ in dtype.
        ValueError: the losses differ in shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     session.graph.add_to_collection("regularization_losses", tf.constant(0.5))
    ...     print(session.run(tf.losses.get_regularization_loss()))
    0.5

    Source: TensorFlow 1.x, `tf.losses.get_regularization_loss`.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


@hides_frames
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of the losses of the default graph.

    Args:
        add_regularization_losses: False leaves out the regularization losses.
        name: the name of the node.
        scope: a regular expression; only losses whose names begin with it are summed. None sums all of them.

    Returns:
        A scalar with the dtype of the losses.

    Raises:
        TypeError: the losses differ in dtype.
        ValueError: there is no loss, or the losses differ in shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.losses.mean_squared_error([1.0], [3.0])
    ...     b = tf.losses.absolute_difference([1.0], [3.0])
    ...     print(session.run(tf.losses.get_total_loss()))
    6.0

    Source: TensorFlow 1.x, `tf.losses.get_total_loss`.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    if not losses:
        raise ValueRuleError("get_total_loss: the graph has no losses"
                             f"{'' if scope is None else f' under the scope {scope!r}'}. tf.losses.* and "
                             "tf.losses.add_loss(loss) collect them")  # fmt: skip
    return add_n(losses, name=name)
