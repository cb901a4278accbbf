"""kl_divergence of two distributions, and functions for further pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .. import name_scope
from ..errors import UseError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from .distribution_base import Distribution


@hides_frames
def kl_divergence(
    distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The mean of log a(x) - log b(x) over samples x of `distribution_a`.

    Args:
        distribution_a, distribution_b: two distributions of one class that has a divergence (Normal, Bernoulli,
            Categorical, Beta, Gamma, Dirichlet, normal vectors, one-hot classes), or of two classes for which
            `tf.distributions.RegisterKL` has a function.
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
    for kind_a in type(distribution_a).__mro__:
        for kind_b in type(distribution_b).__mro__:
            if (kind_a, kind_b) in _DIVERGENCES:
                with name_scope(name or "KullbackLeibler"):
                    return _DIVERGENCES[kind_a, kind_b](distribution_a, distribution_b)
    return distribution_a.kl_divergence(distribution_b, name or "kl_divergence")


_DIVERGENCES: Final[dict[tuple[type, type], Callable[..., Tensor]]] = {}


class RegisterKL:
    """A decorator: its function gives `tf.distributions.kl_divergence` of distributions of two classes.

    Args:
        dist_cls_a, dist_cls_b: the classes; their subclasses use the function too.

    Raises:
        TypeError: what it decorates is no function.
        ValueError: the two classes have a function already.

    >>> import penstock as tf
    >>> class Fair(tf.distributions.Bernoulli):
    ...     pass
    >>> @tf.distributions.RegisterKL(Fair, Fair)
    ... def no_divergence(a, b, name=None):
    ...     return tf.zeros_like(a.probs)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.kl_divergence(Fair(probs=0.5), Fair(probs=0.5))))
    0.0

    Source: TensorFlow 1.x, `tf.distributions.RegisterKL`.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._classes = (dist_cls_a, dist_cls_b)

    @hides_frames
    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Keep the function, which takes the two distributions."""
        names = " || ".join(each.__name__ for each in self._classes)
        if not callable(kl_fn):
            raise UseError(f"RegisterKL of {names}: {kl_fn!r} is no function of two distributions")
        if self._classes in _DIVERGENCES:
            raise ValueRuleError(f"KL({names}) has already been registered to: {_DIVERGENCES[self._classes]}")
        _DIVERGENCES[self._classes] = kl_fn
        return kl_fn
