"""Independent: several distributions of a batch as one distribution of arrays."""

from __future__ import annotations

from typing import Any

from .. import reduce_sum
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.shape import TensorShape
from .distribution_base import Distribution


class Independent(Distribution):
    """The last dimensions of a batch of distributions become dimensions of one sample, whose numbers are independent.

    The logarithm of a probability is the sum over these dimensions.

    Args:
        distribution: the batch.
        reinterpreted_batch_ndims: how many dimensions; all but the first of the batch if None.
        validate_args: taken for programs that give it.
        name: the name scope of its nodes.

    Raises:
        ValueError: `distribution` is none, or the batch has too few dimensions, or their number is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     pixels = tf.contrib.distributions.Independent(tf.distributions.Bernoulli(probs=[[0.5, 0.5]]), 1)
    ...     print(pixels.batch_shape, pixels.event_shape, session.run(pixels.prob([[1, 0]])))
    (1,) (2,) [0.25]

    Source: TensorFlow 1.15, `tf.contrib.distributions.Independent`.
    """

    def __init__(
        self, distribution: Distribution, reinterpreted_batch_ndims: int | None = None, validate_args: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(distribution, Distribution):
            raise ValueRuleError(f"Independent: {distribution!r:.80} is no distribution")
        rank = distribution.batch_shape.ndims
        if rank is None:
            raise ValueRuleError("Independent: the rank of the batch must be known; give the parameters a shape")
        count = max(rank - 1, 0) if reinterpreted_batch_ndims is None else int(reinterpreted_batch_ndims)
        if not 0 <= count <= rank:
            raise ValueRuleError(f"Independent: reinterpreted_batch_ndims({count}) cannot exceed "
                                 f"distribution.batch_ndims({rank})")  # fmt: skip
        super().__init__(name or f"Independent{distribution.name}", distribution.dtype)
        self.distribution, self.reinterpreted_batch_ndims = distribution, count

    @property
    def batch_shape(self) -> TensorShape:
        """The dimensions of the batch that are left."""
        shape = self.distribution.batch_shape
        return shape[: (shape.ndims or 0) - self.reinterpreted_batch_ndims]

    @property
    def event_shape(self) -> TensorShape:
        """The other dimensions, and those of one sample of the batch."""
        shape = self.distribution.batch_shape
        return shape[(shape.ndims or 0) - self.reinterpreted_batch_ndims :].concatenate(self.distribution.event_shape)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The dimensions of the batch that are left, int32."""
        whole: Tensor = self.distribution.batch_shape_tensor()
        return whole[: self.batch_shape.ndims]

    def _value(self, value: TensorLike) -> Tensor:
        return self.distribution._value(value)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return self.distribution._sample_n(n, seed)

    def _summed(self, values: Tensor) -> Tensor:
        count = self.reinterpreted_batch_ndims
        return reduce_sum(values, list(range(-count, 0))) if count else values

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._summed(self.distribution._log_prob(value))

    def _entropy(self) -> Tensor:
        return self._summed(self.distribution._entropy())

    def _mean(self) -> Tensor:
        return self.distribution._mean()

    def _mode(self) -> Tensor:
        return self.distribution._mode()

    def _variance(self) -> Tensor:
        return self.distribution._variance()

    def _stddev(self) -> Tensor:
        return self.distribution._stddev()

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        if self.event_shape.as_list() != other.event_shape.as_list():
            raise ValueRuleError(f"kl_divergence: the samples have the shapes {self.event_shape} and "
                                 f"{other.event_shape}")  # fmt: skip
        return self._summed(self.distribution._divergence(other.distribution))
