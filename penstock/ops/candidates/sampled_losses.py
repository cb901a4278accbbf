"""`nce_loss` and `sampled_softmax_loss` with the arguments of TensorFlow 0.x: inputs before labels."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..declare.composite import composite
from ..nn.embedding import Tables
from .sampled_logits import SampledClasses, nce_losses, softmax_losses


@composite("nce_loss")
def nce_loss(
    weights: Tables,
    biases: Tables,
    inputs: TensorLike,
    labels: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """The noise-contrastive estimation loss: of each example, telling its true classes from sampled ones.

    With the logit `inputs . weights[c] + biases[c]` of class c, less the log of how often c is expected in the sample,
    it is the sum of the sigmoid cross entropies of the true classes and of the sampled ones. To evaluate, compute the
    logits of all classes. Gradients by `weights` and `biases` are `tf.IndexedSlices`.

    Args:
        weights: floats of shape (num_classes, dim); or a list of its parts, or a partitioned variable.
        biases: floats of shape (num_classes,), or its parts.
        inputs: floats of shape (batch, dim), the activations of the layer below.
        labels: ints of shape (batch, num_true), the true classes.
        num_sampled: how many classes are sampled for the whole batch, a Python int.
        num_classes: how many classes there are.
        num_true: how many true classes an example has. Each has the probability 1 / num_true.
        sampled_values: what a candidate sampler gives; by default that of `tf.nn.log_uniform_candidate_sampler`, which
            suits classes sorted by how frequent they are.
        remove_accidental_hits: whether sampled classes that are true classes of an example are left out for it.
        partition_strategy: how the rows are spread over the parts of `weights` and `biases`: see
            `tf.nn.embedding_lookup`.

    Returns:
        A vector with the loss of each example, of the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float or `labels` not int, as where the two are exchanged.
        ValueError: shapes do not fit, or `sampled_values` is not three tensors.
        InvalidArgumentError (when run): a label is not the number of a class.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     tf.set_random_seed(1)
    ...     weights, biases = tf.ones([50, 2]), tf.zeros([50])
    ...     losses = tf.nn.nce_loss(weights, biases, [[1.0, 0.0]], [[3]], 5, 50)
    ...     print(session.run(losses))
    [12.578151]

    Source: TensorFlow 0.x, `tf.nn.nce_loss`.
    """
    return nce_losses(SampledClasses(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy,
    ))  # fmt: skip


@composite("sampled_softmax_loss")
@documented_like(nce_loss)
def sampled_softmax_loss(
    weights: Tables,
    biases: Tables,
    inputs: TensorLike,
    labels: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross entropy over the true classes and some sampled ones, for training over many classes.

    With the logit `inputs . weights[c] + biases[c]` of class c, less the log of how often c is expected in the sample.
    It is lower than the loss over all classes: to evaluate, compute that one. Gradients by `weights` and `biases` are
    `tf.IndexedSlices`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     tf.set_random_seed(1)
    ...     weights, biases = tf.ones([50, 2]), tf.zeros([50])
    ...     losses = tf.nn.sampled_softmax_loss(weights, biases, [[1.0, 0.0]], [[3]], 5, 50)
    ...     print(session.run(losses))
    [2.5302033]
    """
    return softmax_losses(SampledClasses(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy,
    ))  # fmt: skip
