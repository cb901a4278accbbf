"""MultivariateNormalDiag: vectors of independent normal numbers."""

from __future__ import annotations

import math
from typing import Any

from .. import abs as abs_op
from .. import concat, log, name_scope, ones_like, random_normal, reduce_sum, square, zeros_like
from .. import shape as shape_op
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.shape import TensorShape
from .distribution_base import Distribution, float_parameter


class MultivariateNormalDiag(Distribution):
    """The normal distribution of vectors whose numbers are independent.

    Args:
        loc: the means, floats (..., size); zeros if None.
        scale_diag: the standard deviations, floats (..., size); ones if None.
        scale_identity_multiplier: a factor of ones instead, floats of the shape of the batch.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: neither `loc` nor `scale_diag` tells the size.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     normal = tf.contrib.distributions.MultivariateNormalDiag([0.0, 0.0], [1.0, 1.0])
    ...     print(session.run(normal.log_prob([0.0, 0.0])).round(4), normal.sample(5).shape)
    -1.8379 (5, 2)

    Source: TensorFlow 1.x, `tf.contrib.distributions.MultivariateNormalDiag`.
    """

    def __init__(
        self, loc: TensorLike | None = None, scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "MultivariateNormalDiag",
    ) -> None:  # fmt: skip
        if loc is None and scale_diag is None:
            raise ValueRuleError("MultivariateNormalDiag: give loc or scale_diag, which tell the size of the vectors")
        with name_scope(name):
            like = scale_diag if isinstance(scale_diag, Tensor) else None
            means = None if loc is None else float_parameter(loc, "loc", like)
            scales = None if scale_diag is None else float_parameter(scale_diag, "scale_diag", means)
            known: Any = means if means is not None else scales
            self.loc: Tensor = zeros_like(known) if means is None else means
            self.scale_diag: Tensor = ones_like(known) if scales is None else scales
            if scale_identity_multiplier is not None:
                factor = float_parameter(scale_identity_multiplier, "scale_identity_multiplier", self.loc)
                self.scale_diag = self.scale_diag * factor[..., None]
        super().__init__(name, self.loc.dtype, loc=self.loc, scale_diag=self.scale_diag)

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the parameters without their last dimension."""
        return super().batch_shape[:-1]

    @property
    def event_shape(self) -> TensorShape:
        """(size,): the size of the vectors."""
        return super().batch_shape[-1:]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the parameters without their last dimension, int32."""
        return shape_op(self._zeros())[:-1]

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The size of the vectors, int32 (1,)."""
        return shape_op(self._zeros())[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        shape = concat(0, [self._shape_of(n), self.event_shape_tensor()])
        return random_normal(shape, 0.0, 1.0, self.dtype, seed) * self.scale_diag + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        z = (value - self.loc) / self.scale_diag
        return reduce_sum(square(z) * -0.5 - (log(abs_op(self.scale_diag)) + 0.5 * math.log(2.0 * math.pi)), -1)

    def _mean(self) -> Tensor:
        return self.loc * ones_like(self.scale_diag)

    _mode = _mean

    def _stddev(self) -> Tensor:
        return abs_op(self.scale_diag) * ones_like(self.loc)

    def _entropy(self) -> Tensor:
        parts = log(self._stddev()) + 0.5 * (1.0 + math.log(2.0 * math.pi))
        return reduce_sum(parts, -1)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        ratio = square(self.scale_diag) / square(other.scale_diag)
        parts = square((self.loc - other.loc) / other.scale_diag) + ratio - 1.0 - log(ratio)
        return reduce_sum(parts, -1) * 0.5
