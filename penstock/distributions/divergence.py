"""kl_divergence of two distributions."""

from __future__ import annotations

from ..errors import ValueRuleError
from ..graph.model.nodes import Tensor
from .distribution_base import Distribution


def kl_divergence(
    distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The mean of log a(x) - log b(x) over samples x of `distribution_a`.

    Args:
        distribution_a, distribution_b: two distributions of one class: Normal, Bernoulli, Categorical or
            MultivariateNormalDiag.
        allow_nan_stats: taken for programs that give it.
        name: the name of the scope of its nodes.

    Returns:
        A tensor of the shape of the batch.

    Raises:
        UnimplementedError: the classes differ, or have no divergence here.
        ValueError: an operand is no distribution.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     p, q = tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 1.0)
    ...     print(session.run(tf.distributions.kl_divergence(p, q)))
    0.5

    Source: TensorFlow 1.x, `tf.distributions.kl_divergence`.
    """
    for each in (distribution_a, distribution_b):
        if not isinstance(each, Distribution):
            raise ValueRuleError(f"kl_divergence: {each!r} is no distribution; give two, such as "
                                 "tf.distributions.Normal(0.0, 1.0)")  # fmt: skip
    return distribution_a.kl_divergence(distribution_b, name or "kl_divergence")
