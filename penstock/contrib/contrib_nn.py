"""`tf.contrib.nn`: dropout that keeps mean and variance."""

from __future__ import annotations

from typing import Any

from .. import convert_to_tensor, floor, name_scope, random_uniform, shape
from ..errors import ValueRuleError
from ..ops.declare.composite import reported_as_call
from ..ops.index.nth_element import nth_element

__all__ = ["alpha_dropout", "nth_element"]
_ALPHA = -1.7580993408473766
"""What `tf.nn.selu` comes near to, far below 0."""


@reported_as_call("alpha_dropout")
def alpha_dropout(
    x: Any, keep_prob: float, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Any:
    """Dropout behind `tf.nn.selu`: what is dropped becomes selu's lowest value, then mean and variance are put back.

    Args:
        x: floats.
        keep_prob: the probability that a value stays, a number in (0, 1].
        noise_shape: the shape of the choice; by default that of `x`.
        seed: the seed of the choice.
        name: a name for the operations.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: `keep_prob` is not in (0, 1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random_normal([10000], seed=1)
    ...     print(session.run(tf.nn.moments(tf.contrib.nn.alpha_dropout(x, 0.8, seed=2), [0])[1]).round(1))
    1.0

    Source: TensorFlow 1.x, `tf.contrib.nn.alpha_dropout`; Klambauer et al., arXiv:1706.02515.
    """
    if not 0 < keep_prob <= 1:
        raise ValueRuleError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob}")
    with name_scope(name, "alpha_dropout", [x]):
        values = convert_to_tensor(x)
        if keep_prob == 1:
            return values
        sizes = shape(values) if noise_shape is None else noise_shape
        stays = floor(keep_prob + random_uniform(sizes, seed=seed, dtype=values.dtype))
        scale = (keep_prob + _ALPHA**2 * keep_prob * (1 - keep_prob)) ** -0.5
        return scale * (values * stays + _ALPHA * (1.0 - stays)) - scale * _ALPHA * (1 - keep_prob)
