"""The cross entropy of sequences, weighted and averaged: `tf.contrib.seq2seq.sequence_loss`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from ..ops.declare.composite import all_or_nothing
from ..ops.nn.cross_entropies import sparse_softmax_cross_entropy_with_logits

LEAST_WEIGHT = 1e-12  # keeps weights that are all zero from dividing by zero


@hides_frames
def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
) -> Tensor:
    """The weighted cross entropy of sequences of logits.

    Args:
        logits: floats of shape [batch, time, classes].
        targets: int32 or int64 of shape [batch, time].
        weights: floats of shape [batch, time]: 0 for steps behind the end.
        average_across_timesteps, average_across_batch: whether the losses are summed over that dimension and divided
            by the sum of the weights.
        softmax_loss_function: a function of the keywords `labels` and `logits`, in the place of the cross entropy.
        name: the name of the scope; "sequence_loss" by default.
        sum_over_timesteps, sum_over_batch: whether the losses are summed over that dimension and divided by the number
            of weights that are not 0.

    Returns:
        A float scalar if both dimensions are averaged; [batch] or [time] if one is; [batch, time] if none is.

    Raises:
        ValueError: a tensor has another rank, or a dimension is both averaged and summed.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.contrib.seq2seq.sequence_loss(tf.zeros([1, 3, 2]), tf.constant([[0, 1, 1]]), [[1.0, 1.0, 0.0]])
    ...     print(session.run(loss))
    0.6931472

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.sequence_loss`.
    """
    def build() -> Tensor:
        with name_scope(name or "sequence_loss"):
            x, labels, factors = [ops.convert_to_tensor(each) for each in (logits, targets, weights)]
            for label, tensor, rank in (("Logits", x, 3), ("Targets", labels, 2), ("Weights", factors, 2)):
                if tensor.shape.ndims not in (None, rank):
                    kind = "[batch_size x sequence_length x logits]" if rank == 3 else "[batch_size x sequence_length]"
                    raise ShapeError(f"{label} must be a {rank}-D {kind} tensor, not of shape {tensor.shape}")
            if (average_across_timesteps and sum_over_timesteps) or (average_across_batch and sum_over_batch):
                raise ValueRuleError("average and sum over one dimension exclude each other: set one to False")
            return _reduced(x, labels, factors, softmax_loss_function, average_across_timesteps, average_across_batch,
                            sum_over_timesteps, sum_over_batch)  # fmt: skip

    return all_or_nothing([each for each in (logits, targets, weights) if isinstance(each, Tensor)], build)


def _reduced(
    x: Tensor, labels: Tensor, weights: Tensor, function: Any, over_time: bool, over_batch: bool, sum_time: bool,
    sum_batch: bool
) -> Tensor:  # fmt: skip
    flat_logits, flat_labels = ops.reshape(x, [-1, ops.shape(x)[2]]), ops.reshape(labels, [-1])
    if function is None:
        losses = sparse_softmax_cross_entropy_with_logits(flat_logits, flat_labels)
    else:
        losses = function(labels=flat_labels, logits=flat_logits)
    losses = losses * ops.reshape(weights, [-1])
    if over_time and over_batch:
        return ops.reduce_sum(losses) / (ops.reduce_sum(weights) + LEAST_WEIGHT)
    if sum_time and sum_batch:
        count = ops.reduce_sum(ops.cast(weights > 0, losses.dtype))
        return ops.reduce_sum(losses) / (count + LEAST_WEIGHT)
    losses = ops.reshape(losses, ops.shape(x)[0:2])
    for axis, averages, sums in ((1, over_time, sum_time), (0, over_batch, sum_batch)):
        if averages or sums:
            size = ops.reduce_sum(weights if averages else ops.cast(weights > 0, losses.dtype), [axis])
            losses = ops.reduce_sum(losses, [axis]) / (size + LEAST_WEIGHT)
    return losses
