"""Distributions of proportions and of counts of classes: Dirichlet, Multinomial, DirichletMultinomial."""

from __future__ import annotations

import math
from typing import Any

from .. import float32, int32, map_fn, name_scope, nn
from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..math import lbeta, xlogy
from .distribution_base import VectorDistribution, float_parameter, one_of, seed_from


class Dirichlet(VectorDistribution):
    """Vectors of proportions, which add up to 1; with two classes, a Beta distribution.

    Args:
        concentration: floats above 0 (..., classes).
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: `concentration` is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     thirds = tf.distributions.Dirichlet([1.0, 1.0, 1.0])
    ...     print(session.run(thirds.prob([0.25, 0.25, 0.5])).round(3), thirds.sample(5).shape)
    2.0 (5, 3)

    Source: TensorFlow 1.x, `tf.distributions.Dirichlet`.
    """

    def __init__(
        self, concentration: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.concentration = float_parameter(concentration, "concentration")
            self.total_concentration = ops.reduce_sum(self.concentration, -1)
        super().__init__(name, self.concentration.dtype, concentration=self.concentration)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        drawn = ops.random_gamma([n], self.concentration, None, self.dtype, seed)
        return drawn / ops.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.reduce_sum(xlogy(self.concentration - 1.0, value), -1) - lbeta(self.concentration)

    def _mean(self) -> Tensor:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration[..., None])

    def _covariance(self) -> Tensor:
        parts = self._mean() * ops.rsqrt(1.0 + self.total_concentration[..., None])
        return _with_diagonal(parts, parts, self._variance())

    def _mode(self) -> Tensor:
        mode = (self.concentration - 1.0) / (self.total_concentration[..., None] - self._classes())
        is_inside = ops.reduce_all(ops.greater(self.concentration, 1.0), -1, keepdims=True)
        everywhere = ops.cast(ops.ones_like(mode), is_inside.dtype) & is_inside
        return ops.select(everywhere, mode, ops.zeros_like(mode) + math.nan)

    def _entropy(self) -> Tensor:
        total = self.total_concentration
        parts = ops.reduce_sum((self.concentration - 1.0) * ops.digamma(self.concentration), -1)
        return lbeta(self.concentration) + (total - self._classes()) * ops.digamma(total) - parts

    def _classes(self) -> Tensor:
        return ops.cast(self.event_shape_tensor()[0], self.dtype)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        difference = self.concentration - other.concentration
        weights = ops.digamma(self.concentration) - ops.digamma(self.total_concentration)[..., None]
        return ops.reduce_sum(difference * weights, -1) - lbeta(self.concentration) + lbeta(other.concentration)


class Multinomial(VectorDistribution):
    """How often each class is drawn in a number of draws.

    Args:
        total_count: the number of draws, floats of the shape of the batch.
        logits: floats (..., classes): logarithms of the probabilities, up to a constant.
        probs: floats (..., classes); give these or `logits`.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: neither `logits` nor `probs` is given, or both are.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     coins = tf.distributions.Multinomial(4.0, probs=[0.5, 0.5])
    ...     print(session.run(coins.prob([2.0, 2.0])), session.run(coins.mean()))
    0.375 [2. 2.]

    Source: TensorFlow 1.x, `tf.distributions.Multinomial`.
    """

    def __init__(
        self, total_count: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Multinomial",
    ) -> None:  # fmt: skip
        one_of("Multinomial", logits, probs)
        with name_scope(name):
            if logits is not None:
                self.logits = float_parameter(logits, "logits")
                self.probs = nn.softmax(self.logits, name="probs")
            elif probs is not None:
                self.probs = float_parameter(probs, "probs")
                self.logits = ops.log(self.probs)
            self.total_count = float_parameter(total_count, "total_count", self.probs)
            self._all_counts = self.total_count[..., None] + ops.zeros_like(self.probs)
        super().__init__(name, self.probs.dtype, total_count=self._all_counts, probs=self.probs)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        classes = self.event_shape_tensor()[0]
        logits = ops.reshape(self.logits + ops.zeros_like(self._all_counts), [-1, classes])
        draws = n * ops.cast(ops.reshape(self._all_counts[..., 0], [-1]), int32)

        def counts(one: Any) -> Tensor:
            drawn = ops.reshape(ops.multinomial(one[0][None], one[1], seed), [n, -1])
            return ops.reduce_sum(ops.one_hot(drawn, classes, dtype=self.dtype), -2)

        drawn = ops.transpose(map_fn(counts, [logits, draws], dtype=self.dtype), [1, 0, 2])
        return ops.reshape(drawn, ops.concat(0, [[n], self.batch_shape_tensor(), [classes]]))

    def _log_prob(self, value: Tensor) -> Tensor:
        orders = ops.lgamma(self.total_count + 1.0) - ops.reduce_sum(ops.lgamma(value + 1.0), -1)
        return ops.reduce_sum(value * nn.log_softmax(self.logits), -1) + orders

    def _mean(self) -> Tensor:
        return self._all_counts * self.probs

    def _variance(self) -> Tensor:
        mean = self._mean()
        return mean - mean * self.probs

    def _covariance(self) -> Tensor:
        return _with_diagonal(self._mean(), self.probs + ops.zeros_like(self._all_counts), self._variance())


class DirichletMultinomial(VectorDistribution):
    """Counts of classes whose probabilities are drawn from a Dirichlet distribution first.

    Args:
        total_count: the number of draws, floats of the shape of the batch.
        concentration: floats above 0 (..., classes).
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean()))
    [1. 3.]

    Source: TensorFlow 1.x, `tf.distributions.DirichletMultinomial`.
    """

    def __init__(
        self, total_count: TensorLike, concentration: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "DirichletMultinomial",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.concentration = float_parameter(concentration, "concentration")
            self.total_count = float_parameter(total_count, "total_count", self.concentration)
            self.total_concentration = ops.reduce_sum(self.concentration, -1)
        super().__init__(name, self.concentration.dtype, concentration=self.concentration)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        classes = self.event_shape_tensor()[0]
        logits = ops.reshape(ops.log(ops.random_gamma([n], self.concentration, None, self.dtype, seed)), [-1, classes])
        drawn = ops.multinomial(logits, ops.cast(self.total_count, int32), seed_from(seed, "dirichlet_multinomial"))
        counts = ops.reduce_sum(ops.one_hot(drawn, classes, dtype=float32), -2)
        return ops.cast(ops.reshape(counts, ops.concat(0, [[n], self.batch_shape_tensor(), [classes]])), self.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        orders = ops.lgamma(self.total_count + 1.0) - ops.reduce_sum(ops.lgamma(value + 1.0), -1)
        return lbeta(self.concentration + value) - lbeta(self.concentration) + orders

    def _mean(self) -> Tensor:
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _scale(self) -> Tensor:
        total = self.total_concentration[..., None]
        return ops.sqrt((1.0 + total / self.total_count) / (1.0 + total))

    def _variance(self) -> Tensor:
        parts = self._scale() * self._mean()
        return parts * (self.total_count * self._scale() - parts)

    def _covariance(self) -> Tensor:
        parts = self._scale() * self._mean()
        return _with_diagonal(parts, parts, self._variance())


def _with_diagonal(left: Tensor, right: Tensor, variance: Tensor) -> Tensor:
    """The covariances: minus the products of two elements, and the variances on the diagonal."""
    return ops.matrix_set_diag(ops.neg(ops.matmul(left[..., None], right[..., None, :])), variance)
