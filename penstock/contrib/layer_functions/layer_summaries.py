"""Summaries of tensors and collections by their own names, and sums of regularization losses: `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ... import add_n, cast, constant, float32, get_collection, greater, less, name_scope, reduce_mean, summary
from ...errors import ValueRuleError
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...variables.graph_keys import GraphKeys

_WITH_ZEROS = ("Relu", "Softplus", "Relu6")
_ACTIVATIONS = "activations"


def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor:
    """A summary of a tensor or variable: its number if it is a scalar, else a histogram.

    Args:
        tensor: numbers.
        tag: the name of the summary; by default that of the tensor's operation.

    Returns:
        A scalar string: the summary.

    Raises:
        TypeError: the dtype is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.layers.summarize_tensor(tf.constant([1.0, 2.0], name="x")).op.type
    'HistogramSummary'

    Source: TensorFlow 1.x, `tf.contrib.layers.summarize_tensor`.
    """
    name = tag or tensor.op.name
    return summary.scalar(name, tensor) if tensor.get_shape().ndims == 0 else summary.histogram(name, tensor)


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of a layer's result; of relus also how many of their inputs they make 0 or 6.

    Args:
        op: the result of a layer.

    Returns:
        A scalar string: the histogram.

    Raises:
        TypeError: the dtype is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.contrib.layers.summarize_activation(tf.nn.relu([1.0, -2.0], name="r"))
    ...     [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    ['r/zeros', 'r/activation']

    Source: TensorFlow 1.x, `tf.contrib.layers.summarize_activation`.
    """
    if op.op.type in _WITH_ZEROS:
        summary.scalar(f"{op.op.name}/zeros", reduce_mean(cast(less(op.op.inputs[0], 0.0), float32)))
    if op.op.type == "Relu6":
        summary.scalar(f"{op.op.name}/sixes", reduce_mean(cast(greater(op.op.inputs[0], 6.0), float32)))
    return summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(tensors: Iterable[Any], summarizer: Callable[[Any], Tensor] = summarize_tensor) -> list[Tensor]:
    """A summary of each tensor or variable.

    Args:
        tensors: tensors or variables.
        summarizer: a function of one that gives its summary.

    Returns:
        A list of summaries.

    Raises:
        TypeError: a dtype is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     [each.op.type for each in tf.contrib.layers.summarize_tensors([tf.constant(1.0), tf.constant([1.0])])]
    ['ScalarSummary', 'HistogramSummary']

    Source: TensorFlow 1.x, `tf.contrib.layers.summarize_tensors`.
    """
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """A summary of each member of a collection whose name begins like `name_filter`, a regular expression.

    Args:
        collection: the name of the collection.
        name_filter: a regular expression; None takes all members.
        summarizer: a function of one that gives its summary.

    Returns:
        A list of summaries.

    Raises:
        TypeError: a dtype is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.get_variable("a", [2]), tf.get_variable("b", [2])
    ...     [each.op.name for each in tf.contrib.layers.summarize_collection("trainable_variables", "b")]
    ['b_1']

    Source: TensorFlow 1.x, `tf.contrib.layers.summarize_collection`.
    """
    return summarize_tensors(get_collection(collection, name_filter), summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_activation
) -> list[Tensor]:
    """A summary of each member of the collection of activations.

    Args:
        name_filter: a regular expression with which names begin; None takes all.
        summarizer: a function of one that gives its summary.

    Returns:
        A list of summaries.

    Raises:
        TypeError: a dtype is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, tf.tanh([1.0], name="t"))
    ...     [each.op.name for each in tf.contrib.layers.summarize_activations()]
    ['t/activation']

    Source: TensorFlow 1.x, `tf.contrib.layers.summarize_activations`.
    """
    return summarize_collection(_ACTIVATIONS, name_filter, summarizer)


def apply_regularization(regularizer: Callable[[Any], Any], weights_list: Iterable[Any] | None = None) -> Tensor:
    """The sum of `regularizer(weights)` over the list, which joins the regularization losses.

    Args:
        regularizer: a function from weights to a loss, or to None.
        weights_list: tensors or variables; by default the collection of weights.

    Returns:
        A scalar: 0.0 if nothing has a loss.

    Raises:
        ValueError: there are no weights, or a loss is no scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights = [tf.constant([1.0, 2.0]), tf.constant([3.0])]
    ...     print(session.run(tf.contrib.layers.apply_regularization(tf.contrib.layers.l1_regularizer(0.5), weights)))
    3.0

    Source: TensorFlow 1.x, `tf.contrib.layers.apply_regularization`.
    """
    listed = list(get_collection(GraphKeys.WEIGHTS) if weights_list is None else weights_list)
    if not listed:
        raise ValueRuleError("No weights to regularize; give weights_list, such as tf.trainable_variables()")
    with name_scope("get_regularization_penalty") as scope:
        losses = [loss for loss in map(regularizer, listed) if loss is not None]
        if any(loss.get_shape().ndims for loss in losses):
            raise ValueRuleError("regularizer must return a scalar Tensor instead of a Tensor with rank "
                                 f"{max(loss.get_shape().ndims or 0 for loss in losses)}")  # fmt: skip
        total = add_n(losses, name=scope) if losses else constant(0.0)
    get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def sum_regularizer(regularizer_list: Iterable[Any], scope: str | None = None) -> Callable[[Any], Any] | None:
    """A regularizer that gives the sum of several; None if there are none.

    Args:
        regularizer_list: regularizers; those that are None are left out.
        scope: the name scope of its nodes.

    Returns:
        A function of weights, or None.

    Raises:
        TypeError: `regularizer_list` is no list.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     one = tf.contrib.layers.l1_regularizer(0.5)
    ...     print(session.run(tf.contrib.layers.sum_regularizer([one, None, one])(tf.constant([3.0]))))
    3.0

    Source: TensorFlow 1.x, `tf.contrib.layers.sum_regularizer`.
    """
    parts = [each for each in regularizer_list if each is not None]
    if not parts:
        return None

    def regularize(weights: Any) -> Tensor | None:
        with name_scope(scope or "sum_regularizer"):
            losses = [loss for part in parts if (loss := part(weights)) is not None]
            return add_n(losses) if losses else None

    return regularize
