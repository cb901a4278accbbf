"""Normal distributions of vectors: MultivariateNormalDiag, MultivariateNormalTriL, MultivariateNormalFullCovariance."""

from __future__ import annotations

import math
from typing import Any

from .. import name_scope
from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from .distribution_base import VectorDistribution, float_parameter


class MultivariateNormalDiag(VectorDistribution):
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
            self.loc: Tensor = ops.zeros_like(known) if means is None else means
            self.scale_diag: Tensor = ops.ones_like(known) if scales is None else scales
            if scale_identity_multiplier is not None:
                factor = float_parameter(scale_identity_multiplier, "scale_identity_multiplier", self.loc)
                self.scale_diag = self.scale_diag * factor[..., None]
        super().__init__(name, self.loc.dtype, loc=self.loc, scale_diag=self.scale_diag)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return ops.random_normal(self._shape_of(n), 0.0, 1.0, self.dtype, seed) * self.scale_diag + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        z = (value - self.loc) / self.scale_diag
        norm = ops.log(ops.abs(self.scale_diag)) + 0.5 * math.log(2.0 * math.pi)
        return ops.reduce_sum(ops.square(z) * -0.5 - norm, -1)

    def _mean(self) -> Tensor:
        return self.loc * ops.ones_like(self.scale_diag)

    _mode = _mean

    def _stddev(self) -> Tensor:
        return ops.abs(self.scale_diag) * ops.ones_like(self.loc)

    def _entropy(self) -> Tensor:
        parts = ops.log(self._stddev()) + 0.5 * (1.0 + math.log(2.0 * math.pi))
        return ops.reduce_sum(parts, -1)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        ratio = ops.square(self.scale_diag) / ops.square(other.scale_diag)
        parts = ops.square((self.loc - other.loc) / other.scale_diag) + ratio - 1.0 - ops.log(ratio)
        return ops.reduce_sum(parts, -1) * 0.5


class MultivariateNormalTriL(VectorDistribution):
    """The normal distribution of vectors with covariances: loc + scale_tril @ independent normal numbers.

    Args:
        loc: the means, floats (..., size); zeros if None.
        scale_tril: lower triangular matrices (..., size, size); the covariance is scale_tril @ its transpose.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     normal = tf.contrib.distributions.MultivariateNormalTriL([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]])
    ...     print(session.run(normal.covariance()).tolist(), session.run(normal.log_prob([0.0, 0.0])).round(4))
    [[1.0, 1.0], [1.0, 2.0]] -1.8379

    Source: TensorFlow 1.15, `tf.contrib.distributions.MultivariateNormalTriL`.
    """

    def __init__(
        self, loc: TensorLike | None, scale_tril: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "MultivariateNormalTriL",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.scale_tril = float_parameter(scale_tril, "scale_tril", loc if isinstance(loc, Tensor) else None)
            diagonal = ops.matrix_diag_part(self.scale_tril)
            self.loc = ops.zeros_like(diagonal) if loc is None else float_parameter(loc, "loc", self.scale_tril)
        super().__init__(name, self.loc.dtype, loc=self.loc, diagonal=diagonal)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        drawn = ops.random_normal(self._shape_of(n), 0.0, 1.0, self.dtype, seed)
        return ops.reduce_sum(self.scale_tril * ops.expand_dims(drawn, -2), -1) + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._solved(ops.expand_dims(value - self.loc, -1))
        return ops.reduce_sum(ops.square(ops.squeeze(z, [-1])) * -0.5, -1) - self._half_log_determinant() - self._norm()

    def _solved(self, columns: Tensor) -> Tensor:
        """The matrices times `columns` are the operand; batches broadcast."""
        zeros = ops.zeros_like(columns[..., :1]) * ops.zeros_like(self.scale_tril)
        return ops.matrix_triangular_solve(self.scale_tril + zeros, columns + zeros[..., :1])

    def _half_log_determinant(self) -> Tensor:
        return ops.reduce_sum(ops.log(ops.abs(ops.matrix_diag_part(self.scale_tril))), -1)

    def _norm(self) -> Tensor:
        return ops.cast(self.event_shape_tensor()[0], self.dtype) * (0.5 * math.log(2.0 * math.pi))

    def _mean(self) -> Tensor:
        return self.loc + self._zeros()

    _mode = _mean

    def _covariance(self) -> Tensor:
        return ops.matmul(self.scale_tril, self.scale_tril, transpose_b=True)

    def _variance(self) -> Tensor:
        return ops.matrix_diag_part(self._covariance()) + self._zeros()

    def _entropy(self) -> Tensor:
        size = ops.cast(self.event_shape_tensor()[0], self.dtype)
        return self._half_log_determinant() + self._norm() + 0.5 * size + ops.reduce_sum(self._zeros(), -1)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        spread = ops.reduce_sum(ops.square(other._solved(self.scale_tril)), [-2, -1])
        moved = ops.reduce_sum(ops.square(other._solved(ops.expand_dims(self.loc - other.loc, -1))), [-2, -1])
        size = ops.cast(self.event_shape_tensor()[0], self.dtype)
        determinants: Tensor = other._half_log_determinant() - self._half_log_determinant()
        return determinants + (spread + moved - size) * 0.5


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The normal distribution of vectors with a given matrix of covariances.

    Args:
        loc: the means, floats (..., size); zeros if None.
        covariance_matrix: symmetric positive definite matrices (..., size, size).
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     make = tf.contrib.distributions.MultivariateNormalFullCovariance
    ...     print(session.run(make([0.0, 1.0], [[4.0, 0.0], [0.0, 9.0]]).stddev()))
    [2. 3.]

    Source: TensorFlow 1.15, `tf.contrib.distributions.MultivariateNormalFullCovariance`.
    """

    def __init__(
        self, loc: TensorLike | None = None, covariance_matrix: TensorLike | None = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "MultivariateNormalFullCovariance",
    ) -> None:  # fmt: skip
        if covariance_matrix is None:
            raise ValueRuleError("MultivariateNormalFullCovariance: give covariance_matrix, the covariances")
        like = loc if isinstance(loc, Tensor) else None
        with name_scope(name):
            covariances = float_parameter(covariance_matrix, "covariance_matrix", like)
        super().__init__(loc, ops.cholesky(covariances), name=name)
