"""Distributions of classes: Bernoulli (0 or 1) and Categorical (one of several)."""

from __future__ import annotations

from typing import Any

from .. import int32, name_scope, nn
from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype
from ..graph.shapes.shape import TensorShape
from ..ops.create.constant_and_placeholder import convert_to_tensor
from .distribution_base import Distribution, float_parameter, one_of


class Bernoulli(Distribution):
    """1 with a probability, else 0.

    Args:
        logits: floats: log(p / (1 - p)).
        probs: floats in [0, 1]; give these or `logits`.
        dtype: the dtype of samples.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: neither `logits` nor `probs` is given, or both are.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.Bernoulli(probs=0.25).prob([0, 1])))
    [0.75 0.25]

    Source: TensorFlow 1.x, `tf.distributions.Bernoulli`.
    """

    def __init__(
        self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = int32,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        one_of("Bernoulli", logits, probs)
        with name_scope(name):
            if logits is not None:
                self.logits = float_parameter(logits, "logits")
                self.probs = ops.sigmoid(self.logits, name="probs")
            elif probs is not None:
                self.probs = float_parameter(probs, "probs")
                self.logits = ops.log(self.probs) - ops.log1p(ops.neg(self.probs))
        super().__init__(name, as_dtype(dtype), probs=self.probs)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        uniform = ops.random_uniform(self._shape_of(n), 0.0, 1.0, self.probs.dtype, seed)
        return ops.cast(ops.less(uniform, self.probs), self.dtype)

    def _value(self, value: TensorLike) -> Tensor:
        return ops.cast(value, self.logits.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        value, logits = value + ops.zeros_like(self.logits), self.logits + ops.zeros_like(value)
        return ops.neg(nn.sigmoid_cross_entropy_with_logits(logits, value))

    def _mean(self) -> Tensor:
        return self.probs + 0.0

    def _variance(self) -> Tensor:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return ops.cast(ops.greater(self.probs, 0.5), self.dtype)

    def _entropy(self) -> Tensor:
        return nn.softplus(self.logits) - self.logits * self.probs

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        yes = nn.softplus(ops.neg(other.logits)) - nn.softplus(ops.neg(self.logits))
        return self.probs * yes + (1.0 - self.probs) * (nn.softplus(other.logits) - nn.softplus(self.logits))


class Categorical(Distribution):
    """One of the classes 0, 1, ... with given probabilities.

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
    ...     dice = tf.distributions.Categorical(probs=[0.5, 0.25, 0.25])
    ...     print(session.run(dice.prob([0, 1])), session.run(dice.entropy()), dice.sample([4]).shape)
    [0.5  0.25] 1.0397208 (4,)

    Source: TensorFlow 1.x, `tf.distributions.Categorical`.
    """

    def __init__(
        self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = int32,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Categorical",
    ) -> None:  # fmt: skip
        one_of("Categorical", logits, probs)
        with name_scope(name):
            if logits is not None:
                self.logits = float_parameter(logits, "logits")
                self.probs = nn.softmax(self.logits, name="probs")
            elif probs is not None:
                self.probs = float_parameter(probs, "probs")
                self.logits = ops.log(self.probs)
        super().__init__(name, as_dtype(dtype), logits=self.logits)

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        return ops.shape(self.logits)[-1]

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the parameters without their last dimension."""
        return self.logits.shape[:-1]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the parameters without their last dimension, int32."""
        return ops.shape(self.logits)[:-1]

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        rows = ops.reshape(self.logits, [-1, ops.shape(self.logits)[-1]])
        drawn = ops.transpose(ops.cast(ops.multinomial(rows, n, seed), self.dtype))
        count = ops.reshape(convert_to_tensor(n, int32), [1])
        return ops.reshape(drawn, ops.concat(0, [count, self.batch_shape_tensor()]))

    def _log_prob(self, value: Tensor) -> Tensor:
        if not _has_shape(value, self.batch_shape):
            value = value + ops.cast(ops.zeros_like(self.logits[..., 0]), self.dtype)
        logits = self.logits
        if not _has_shape(value, self.batch_shape):
            logits = logits + ops.expand_dims(ops.zeros_like(ops.cast(value, logits.dtype)), -1)
        return ops.neg(nn.sparse_softmax_cross_entropy_with_logits(logits, value))

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        """The probability of a class below `value`: that of `value` itself is not counted, as in TensorFlow."""
        return self._call(name, self._cdf, value)

    def _cdf(self, value: Tensor) -> Tensor:
        value = value + ops.cast(ops.zeros_like(self.logits[..., 0]), self.dtype)
        below = ops.sequence_mask(value, self.event_size, self.probs.dtype)
        return ops.reduce_sum(self.probs * below, -1)

    def _mode(self) -> Tensor:
        return ops.cast(ops.argmax(self.logits, -1), self.dtype)

    def _entropy(self) -> Tensor:
        return ops.neg(ops.reduce_sum(nn.log_softmax(self.logits) * self.probs, -1))

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        return ops.reduce_sum(self.probs * (nn.log_softmax(self.logits) - nn.log_softmax(other.logits)), -1)


def _has_shape(value: Tensor, shape: TensorShape) -> bool:
    return value.shape.is_fully_defined() and shape.is_fully_defined() and value.shape.as_list() == shape.as_list()
