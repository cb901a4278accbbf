"""Cross entropies of lists with one tensor for each step, weighted and averaged, as in TensorFlow 0.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..ops.declare.composite import all_or_nothing
from ..ops.nn.cross_entropies import sparse_softmax_cross_entropy_with_logits
from .sequence_losses import LEAST_WEIGHT


@hides_frames
def sequence_loss_by_example(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any], average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The weighted cross entropy of each sequence of a batch, from lists with one tensor for each step.

    Args:
        logits: a list of floats of shape [batch, classes].
        targets: a list of int32 or int64 of shape [batch].
        weights: a list of floats of shape [batch].
        average_across_timesteps: whether the sum is divided by the sum of the weights.
        softmax_loss_function: a function of the keywords `labels` and `logits`, in the place of the cross entropy.
        name: the name of the scope; "sequence_loss_by_example" by default.

    Returns:
        Floats of shape [batch].

    Raises:
        ValueError: the lists have several lengths, or are empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     one = tf.contrib.legacy_seq2seq.sequence_loss_by_example
    ...     print(session.run(one([tf.zeros([2, 4])] * 3, [tf.constant([0, 1])] * 3, [tf.ones([2])] * 3)))
    [1.3862944 1.3862944]

    Source: TensorFlow 1.15, `tf.contrib.legacy_seq2seq.sequence_loss_by_example`.
    """
    if not logits or not len(logits) == len(targets) == len(weights):
        raise ValueRuleError("Lengths of logits, weights, and targets must be the same, and not 0: "
                             f"{len(logits)}, {len(weights)}, {len(targets)}.")  # fmt: skip

    def build() -> Tensor:
        with name_scope(name or "sequence_loss_by_example"):
            factors = [ops.convert_to_tensor(each) for each in weights]
            losses = [_cross_entropy(x, labels, softmax_loss_function) * factor
                      for x, labels, factor in zip(logits, targets, factors, strict=True)]  # fmt: skip
            total = ops.add_n(losses)
            return total / (ops.add_n(factors) + LEAST_WEIGHT) if average_across_timesteps else total

    return all_or_nothing([each for each in logits if isinstance(each, Tensor)], build)


def _cross_entropy(logits: Any, labels: Any, function: Any) -> Tensor:
    labels = ops.convert_to_tensor(labels)
    if function is not None:
        made: Tensor = function(logits, labels) if _is_of_0x(function) else function(labels=labels, logits=logits)
        return made
    return sparse_softmax_cross_entropy_with_logits(logits, ops.reshape(labels, [-1]))


def _is_of_0x(function: Callable[..., Any]) -> bool:
    """Whether a loss of a program takes logits and labels by place, as TensorFlow 0.x called it."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    kinds = {each.kind for each in parameters.values()}
    return inspect.Parameter.VAR_KEYWORD not in kinds and not {"labels", "logits"} <= parameters.keys()


@hides_frames
@documented_like(sequence_loss_by_example)
def sequence_loss(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any], average_across_timesteps: bool = True,
    average_across_batch: bool = True, softmax_loss_function: Callable[..., Any] | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The weighted cross entropy of a batch of sequences, from lists with one tensor for each step.

    Args:
        average_across_timesteps: whether the sum of a sequence is divided by the sum of its weights.
        average_across_batch: whether the sum over the batch is divided by its size.

    Returns:
        A float scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.contrib.legacy_seq2seq.sequence_loss
    ...     print(session.run(loss([tf.zeros([2, 4])] * 3, [tf.constant([0, 1])] * 3, [tf.ones([2])] * 3)))
    1.3862944
    """
    with name_scope(name or "sequence_loss"):
        total = ops.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps,
                                                    softmax_loss_function))  # fmt: skip
        if not average_across_batch:
            return total
        return total / ops.cast(ops.shape(ops.convert_to_tensor(targets[0]))[0], total.dtype)
