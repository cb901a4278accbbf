"""TensorFlow 1.x's `nce_loss` and `sampled_softmax_loss`: labels before inputs."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.candidates import sampled_losses
from ..ops.candidates.sampled_logits import SampledClasses, nce_losses, softmax_losses
from ..ops.declare.composite import composite
from ..ops.nn.embedding import Tables


@composite("nce_loss")
@documented_like(sampled_losses.nce_loss)
def nce_loss(
    weights: Tables,
    biases: Tables,
    labels: TensorLike,
    inputs: TensorLike,
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

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     tf.set_random_seed(1)
    ...     weights, biases = tf.ones([50, 2]), tf.zeros([50])
    ...     losses = tf.nn.nce_loss(weights, biases, [[3]], [[1.0, 0.0]], 5, 50)
    ...     print(session.run(losses))
    [12.578151]

    Source: TensorFlow 1.15, `tf.nn.nce_loss`.
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
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The softmax cross entropy over the true classes and some sampled ones, for training over many classes.

    With the logit `inputs . weights[c] + biases[c]` of class c, less the log of how often c is expected in the sample.
    It is lower than the loss over all classes: to evaluate, compute that one. Gradients by `weights` and `biases` are
    `tf.IndexedSlices`.

    Args:
        seed: an op seed for the sampler, see `set_random_seed`.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     weights, biases = tf.ones([50, 2]), tf.zeros([50])
    ...     losses = tf.nn.sampled_softmax_loss(weights, biases, [[3]], [[1.0, 0.0]], 5, 50, seed=1)
    ...     print(session.run(losses))
    [2.782414]
    """
    return softmax_losses(SampledClasses(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, seed,
    ))  # fmt: skip
