"""Distributions whose samples are made of gamma numbers: Gamma, Beta, StudentT."""

from __future__ import annotations

import math
from typing import Any

from .. import name_scope
from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from .distribution_base import Distribution, float_parameter, seed_from


class Gamma(Distribution):
    """The gamma distribution with a concentration (its shape) and a rate (1 / its scale).

    Args:
        concentration, rate: floats above 0 that broadcast together.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.Gamma(3.0, 2.0).mean()))
    1.5

    Source: TensorFlow 1.x, `tf.distributions.Gamma`.
    """

    def __init__(
        self, concentration: TensorLike, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:  # fmt: skip
        with name_scope(name):
            like = rate if isinstance(rate, Tensor) else None
            self.concentration = float_parameter(concentration, "concentration", like)
            self.rate = float_parameter(rate, "rate", self.concentration)
        super().__init__(name, self.rate.dtype, concentration=self.concentration, rate=self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return ops.random_gamma([n], self.concentration, self.rate, self.dtype, seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        unnormalized = (self.concentration - 1.0) * ops.log(value) - self.rate * value
        return unnormalized - (ops.lgamma(self.concentration) - self.concentration * ops.log(self.rate))

    def _cdf(self, value: Tensor) -> Tensor:
        return ops.igamma(self.concentration + self._zeros(), self.rate * value)

    def _mean(self) -> Tensor:
        return self.concentration / self.rate

    def _variance(self) -> Tensor:
        return self.concentration / ops.square(self.rate)

    def _mode(self) -> Tensor:
        return _where_above_1(self.concentration + self.rate * 0.0, (self.concentration - 1.0) / self.rate)

    def _entropy(self) -> Tensor:
        k = self.concentration
        return k - ops.log(self.rate) + ops.lgamma(k) + (1.0 - k) * ops.digamma(k)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        k, other_k = self.concentration, other.concentration
        norms = ops.lgamma(other_k) - ops.lgamma(k) + other_k * (ops.log(self.rate) - ops.log(other.rate))
        divergence: Tensor = norms + (k - other_k) * ops.digamma(k) + k * (other.rate / self.rate - 1.0)
        return divergence


class Beta(Distribution):
    """The beta distribution on (0, 1) with two concentrations.

    Args:
        concentration1: the exponent of x, plus 1 (alpha); 1 if None.
        concentration0: the exponent of 1 - x, plus 1 (beta); 1 if None.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.Beta(1.0, 3.0).mean()))
    0.25

    Source: TensorFlow 1.x, `tf.distributions.Beta`.
    """

    def __init__(
        self, concentration1: TensorLike | None = None, concentration0: TensorLike | None = None,
        validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Beta",
    ) -> None:  # fmt: skip
        with name_scope(name):
            first = 1.0 if concentration1 is None else concentration1
            second = 1.0 if concentration0 is None else concentration0
            like = second if isinstance(second, Tensor) else None
            self.concentration1 = float_parameter(first, "concentration1", like)
            self.concentration0 = float_parameter(second, "concentration0", self.concentration1)
        self.total_concentration = self.concentration1 + self.concentration0
        super().__init__(name, self.concentration1.dtype, concentration1=self.concentration1,
                         concentration0=self.concentration0)  # fmt: skip

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        whole = self._zeros()
        first = ops.random_gamma([n], self.concentration1 + whole, None, self.dtype, seed)
        second = ops.random_gamma([n], self.concentration0 + whole, None, self.dtype, seed_from(seed, "beta"))
        return first / (first + second)

    def _log_prob(self, value: Tensor) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return (a - 1.0) * ops.log(value) + (b - 1.0) * ops.log1p(ops.neg(value)) - self._log_norm()

    def _cdf(self, value: Tensor) -> Tensor:
        whole = self._zeros() + ops.zeros_like(value)
        return ops.betainc(self.concentration1 + whole, self.concentration0 + whole, value + whole)

    def _mean(self) -> Tensor:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> Tensor:
        least = ops.minimum(self.concentration1, self.concentration0)
        return _where_above_1(least, (self.concentration1 - 1.0) / (self.total_concentration - 2.0))

    def _entropy(self) -> Tensor:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        rest = self._log_norm() - (a - 1.0) * ops.digamma(a) - (b - 1.0) * ops.digamma(b)
        return rest + (total - 2.0) * ops.digamma(total)

    def _log_norm(self) -> Tensor:
        return ops.lgamma(self.concentration1) + ops.lgamma(self.concentration0) - ops.lgamma(self.total_concentration)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        first = ops.digamma(self.concentration1) * (other.concentration1 - self.concentration1)
        second = ops.digamma(self.concentration0) * (other.concentration0 - self.concentration0)
        total = ops.digamma(self.total_concentration) * (other.total_concentration - self.total_concentration)
        divergence: Tensor = total - first - second - self._log_norm() + other._log_norm()
        return divergence


class StudentT(Distribution):
    """Student's t distribution: like a normal one, with more numbers far away the fewer degrees of freedom it has.

    Args:
        df: the degrees of freedom, floats above 0.
        loc, scale: floats that broadcast with `df`; `scale` is not the standard deviation.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.StudentT(3.0, 1.0, 2.0).variance()))
    12.0

    Source: TensorFlow 1.x, `tf.distributions.StudentT`.
    """

    def __init__(
        self, df: TensorLike, loc: TensorLike, scale: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "StudentT",
    ) -> None:  # fmt: skip
        like = next((each for each in (df, loc, scale) if isinstance(each, Tensor)), None)
        with name_scope(name):
            self.df = float_parameter(df, "df", like)
            self.loc = float_parameter(loc, "loc", self.df)
            self.scale = float_parameter(scale, "scale", self.df)
        super().__init__(name, self.scale.dtype, df=self.df, loc=self.loc, scale=self.scale)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        normal = ops.random_normal(self._shape_of(n), 0.0, 1.0, self.dtype, seed)
        df = self.df + self._zeros()
        gamma = ops.random_gamma([n], 0.5 * df, 0.5, self.dtype, seed_from(seed, "student_t"))
        return normal * ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        half, y = 0.5 * (self.df + 1.0), (value - self.loc) / self.scale
        width = ops.log(ops.abs(self.scale)) + 0.5 * (ops.log(self.df) + math.log(math.pi))
        norm = width + ops.lgamma(0.5 * self.df) - ops.lgamma(half)
        return ops.neg(half * ops.log1p(ops.square(y) / self.df)) - norm

    def _cdf(self, value: Tensor) -> Tensor:
        y = (value - self.loc) / ops.abs(self.scale) + self._zeros()
        df = self.df + ops.zeros_like(y)
        tail = 0.5 * ops.betainc(0.5 * df, 0.5 + ops.zeros_like(y), df / (ops.square(y) + df))
        return ops.select(ops.less(y, 0.0), tail, 1.0 - tail)

    def _mean(self) -> Tensor:
        return self._where_df_above(1.0, self.loc, math.nan)

    def _variance(self) -> Tensor:
        rest = ops.select(ops.greater(self.df, 2.0), self.df - 2.0, ops.ones_like(self.df))
        finite = self._where_df_above(2.0, ops.square(self.scale) * self.df / rest, math.inf)
        return self._where_df_above(1.0, finite, math.nan)

    def _where_df_above(self, bound: float, value: Tensor, other: float) -> Tensor:
        whole = value + self._zeros()
        return ops.select(ops.greater(self.df + ops.zeros_like(whole), bound), whole, ops.zeros_like(whole) + other)

    def _mode(self) -> Tensor:
        return self.loc + 0.0

    def _entropy(self) -> Tensor:
        half = 0.5 * (self.df + 1.0)
        norm = ops.lgamma(0.5 * self.df) + math.log(math.pi) * 0.5 - ops.lgamma(half)
        width = ops.log(ops.abs(self.scale)) + 0.5 * ops.log(self.df)
        return width + norm + half * (ops.digamma(half) - ops.digamma(0.5 * self.df))


def _where_above_1(concentration: Tensor, mode: Tensor) -> Tensor:
    """Without a concentration above 1 the density has no highest point inside: nan."""
    return ops.select(ops.greater(concentration, 1.0), mode, ops.zeros_like(mode) + math.nan)
