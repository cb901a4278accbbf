"""Distributions of one-hot vectors: OneHotCategorical, and RelaxedOneHotCategorical, whose samples have gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import float32, int32, name_scope, nn
from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype
from .discrete import Categorical
from .distribution_base import VectorDistribution, float_parameter


class OneHotCategorical(VectorDistribution):
    """One of several classes, as a vector with a 1 at its place and 0 elsewhere.

    Args:
        logits: floats (..., classes): logarithms of the probabilities, up to a constant.
        probs: floats (..., classes); give these or `logits`.
        dtype: the dtype of samples.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: neither `logits` nor `probs` is given, or both are.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     dice = tf.contrib.distributions.OneHotCategorical(probs=[0.5, 0.25, 0.25])
    ...     print(session.run(dice.prob([0, 1, 0])), dice.sample(4).shape)
    0.25 (4, 3)

    Source: TensorFlow 1.15, `tf.contrib.distributions.OneHotCategorical`.
    """

    def __init__(
        self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = int32,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "OneHotCategorical",
    ) -> None:  # fmt: skip
        self._class = Categorical(logits, probs, name=name)
        self.logits, self.probs = self._class.logits, self._class.probs
        super().__init__(name, as_dtype(dtype), logits=self.logits)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return ops.one_hot(self._class._sample_n(n, seed), self.event_shape_tensor()[0], dtype=self.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.reduce_sum(nn.log_softmax(self.logits) * ops.cast(value, self.logits.dtype), -1)

    def _mean(self) -> Tensor:
        return self.probs + 0.0

    def _variance(self) -> Tensor:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return ops.one_hot(ops.argmax(self.logits, -1), self.event_shape_tensor()[0], dtype=self.dtype)

    def _entropy(self) -> Tensor:
        return self._class._entropy()

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        return self._class._divergence(other._class)


class RelaxedOneHotCategorical(VectorDistribution):
    """Vectors near one-hot ones, of which gradients flow into the logits (Gumbel-softmax, the Concrete distribution).

    Args:
        temperature: a float above 0: the lower, the nearer are samples to one-hot vectors.
        logits: floats (..., classes): logarithms of the probabilities, up to a constant.
        probs: floats (..., classes); give these or `logits`.
        dtype: taken for programs that give it; samples have the dtype of `logits`.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: neither `logits` nor `probs` is given, or both are.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     soft = tf.contrib.distributions.RelaxedOneHotCategorical(0.5, probs=[0.5, 0.25, 0.25])
    ...     print(session.run(tf.reduce_sum(soft.sample(4, seed=1), 1)).round(3))
    [1. 1. 1. 1.]

    Source: TensorFlow 1.15, `tf.contrib.distributions.RelaxedOneHotCategorical`.
    """

    def __init__(
        self, temperature: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None,
        dtype: DTypeLike = float32, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:  # fmt: skip
        one = Categorical(logits, probs, name=name)
        self.logits, self.probs = one.logits, one.probs
        with name_scope(name):
            self.temperature = float_parameter(temperature, "temperature", self.logits)
        super().__init__(name, self.logits.dtype, logits=self.logits)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        uniform = ops.random_uniform(self._shape_of(n), tiny, 1.0, self.dtype, seed)
        return nn.softmax((self.logits - ops.log(ops.neg(ops.log(uniform)))) / ops.expand_dims(self.temperature, -1))

    def _log_prob(self, value: Tensor) -> Tensor:
        classes, temperature = ops.cast(self.event_shape_tensor()[0], self.dtype), self.temperature
        logarithms = ops.log(value)
        scores = nn.log_softmax(self.logits - logarithms * ops.expand_dims(temperature, -1))
        norm = ops.lgamma(classes) + (classes - 1.0) * ops.log(temperature)
        return norm + ops.reduce_sum(scores - logarithms, -1)

