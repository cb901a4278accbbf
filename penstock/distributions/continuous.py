"""Distributions of real numbers: Normal, Uniform, Exponential, Laplace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import name_scope
from ..derivatives import rule_namespace as ops
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from .distribution_base import Distribution, float_parameter

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


_LOWEST_ERFC = {2: -3.0, 4: -10.0, 8: -20.0}
"""By bytes of a float: below this a normal share comes from its series, which is exact there, else from erfc."""


def _normal_share(z: Tensor) -> Tensor:
    """The probability that a normal number is below `z`, as exact for small shares as for large ones."""
    return ops.erfc(z * -math.sqrt(0.5)) * 0.5


def _log_normal_share(z: Tensor) -> Tensor:
    """The logarithm of `_normal_share`, also where that is too small for a float, and then with its derivative."""
    lowest = _LOWEST_ERFC[z.dtype.size]
    near = ops.maximum(z, lowest)
    far = ops.minimum(z, lowest)
    inverse = 1.0 / ops.square(far)
    series = ops.log1p(inverse * (inverse * (3.0 - 15.0 * inverse) - 1.0))
    tail = ops.square(far) * -0.5 - ops.log(ops.neg(far)) - _HALF_LOG_TWO_PI + series
    small = ops.log(_normal_share(ops.minimum(near, 0.0)))
    large = ops.log1p(ops.neg(_normal_share(ops.neg(ops.maximum(near, 0.0)))))
    return ops.select(ops.less(z, lowest), tail, ops.select(ops.less(z, 0.0), small, large))


def _log_laplace_share(z: Tensor) -> Tensor:
    """The logarithm of the probability that a number of the Laplace distribution is below `z`."""
    large = ops.log1p(ops.exp(ops.neg(ops.abs(z))) * -0.5)
    return ops.select(ops.less(z, 0.0), z - math.log(2.0), large)


class _LocationAndScale(Distribution):
    """A distribution that is moved by `loc` and widened by `scale`, and symmetric."""

    loc: Tensor
    scale: Tensor

    def _z(self, value: Tensor) -> Tensor:
        return (value - self.loc) / self.scale

    def _mean(self) -> Tensor:
        return self.loc * ops.ones_like(self.scale)

    _mode = _mean


class Normal(_LocationAndScale):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    Args:
        loc, scale: floats that broadcast together.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     normal = tf.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
    ...     print(session.run([normal.prob(1.0), normal.stddev()])[0].round(4), normal.sample(3).shape)
    [0.176  0.1995] (3, 2)

    Source: TensorFlow 1.x, `tf.distributions.Normal`.
    """

    def __init__(
        self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.loc = float_parameter(loc, "loc", scale if isinstance(scale, Tensor) else None)
            self.scale = float_parameter(scale, "scale", self.loc)
        super().__init__(name, self.loc.dtype, loc=self.loc, scale=self.scale)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return ops.random_normal(self._shape_of(n), 0.0, 1.0, self.dtype, seed) * self.scale + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.square(self._z(value)) * -0.5 - (ops.log(self.scale) + _HALF_LOG_TWO_PI)

    def _cdf(self, value: Tensor) -> Tensor:
        return _normal_share(self._z(value))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return _log_normal_share(self._z(value))

    def _survival(self, value: Tensor) -> Tensor:
        return _normal_share(ops.neg(self._z(value)))

    def _log_survival(self, value: Tensor) -> Tensor:
        return _log_normal_share(ops.neg(self._z(value)))

    def _stddev(self) -> Tensor:
        return self.scale * ops.ones_like(self.loc)

    def quantile(self, value: TensorLike, name: str = "quantile") -> Tensor:
        """The inverse of `cdf`: the number below which a sample has the probability `value`."""
        return self._call(name, lambda x: ops.ndtri(x) * self.scale + self.loc, value)

    def _entropy(self) -> Tensor:
        return (ops.log(self.scale) + (_HALF_LOG_TWO_PI + 0.5)) * ops.ones_like(self.loc)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        ratio = ops.square(self.scale) / ops.square(other.scale)
        return ops.square(self.loc - other.loc) / (ops.square(other.scale) * 2.0) + (ratio - 1.0 - ops.log(ratio)) * 0.5


class Uniform(Distribution):
    """Numbers of [low, high), all with the same density.

    Args:
        low, high: floats that broadcast together.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     uniform = tf.distributions.Uniform(0.0, 4.0)
    ...     print(session.run(uniform.prob([1.0, 5.0])), session.run(uniform.mean()))
    [0.25 0.  ] 2.0

    Source: TensorFlow 1.x, `tf.distributions.Uniform`.
    """

    def __init__(
        self, low: TensorLike = 0.0, high: TensorLike = 1.0, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Uniform",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.low = float_parameter(low, "low", high if isinstance(high, Tensor) else None)
            self.high = float_parameter(high, "high", self.low)
        super().__init__(name, self.low.dtype, low=self.low, high=self.high)

    def range(self, name: str = "range") -> Tensor:
        """high - low."""
        return ops.subtract(self.high, self.low, name=name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return self.low + self.range() * ops.random_uniform(self._shape_of(n), 0.0, 1.0, self.dtype, seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.log(self._density(value))

    def _density(self, value: Tensor) -> Tensor:
        width = self.range() + ops.zeros_like(value)
        is_outside = ops.logical_or(ops.less(value, self.low), ops.greater_equal(value, self.high))
        return ops.select(is_outside, ops.zeros_like(width), 1.0 / width)

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        """The density: 1 / (high - low) from low to high, else 0."""
        return self._call(name, self._density, value)

    def _cdf(self, value: Tensor) -> Tensor:
        return ops.minimum(ops.maximum((value - self.low) / self.range(), 0.0), 1.0)

    def _mean(self) -> Tensor:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Tensor:
        return ops.square(self.range()) / 12.0

    def _stddev(self) -> Tensor:
        return self.range() / math.sqrt(12.0)

    def _entropy(self) -> Tensor:
        return ops.log(self.range())


class Exponential(Distribution):
    """The exponential distribution: density rate * exp(-rate * x) for x of at least 0.

    Args:
        rate: floats above 0.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: `rate` is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.Exponential(0.5).mean()))
    2.0

    Source: TensorFlow 1.x, `tf.distributions.Exponential`.
    """

    def __init__(
        self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        with name_scope(name):
            self.rate = float_parameter(rate, "rate")
        super().__init__(name, self.rate.dtype, rate=self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        return ops.neg(ops.log(ops.random_uniform(self._shape_of(n), tiny, 1.0, self.dtype, seed))) / self.rate

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.log(self.rate) - self.rate * value

    def _log_survival(self, value: Tensor) -> Tensor:
        return ops.neg(self.rate * ops.maximum(value, 0.0))

    def _cdf(self, value: Tensor) -> Tensor:
        return ops.neg(ops.expm1(self._log_survival(value)))

    def _survival(self, value: Tensor) -> Tensor:
        return ops.exp(self._log_survival(value))

    def _mean(self) -> Tensor:
        return 1.0 / self.rate

    _stddev = _mean

    def _mode(self) -> Tensor:
        return ops.zeros_like(self.rate)

    def _entropy(self) -> Tensor:
        return 1.0 - ops.log(self.rate)

    def _divergence(self, other: Any) -> Tensor:
        self._require_own_kind(other)
        ratio: Tensor = other.rate / self.rate
        return ratio - 1.0 - ops.log(ratio)


class Laplace(_LocationAndScale):
    """The Laplace distribution: density exp(-|x - loc| / scale) / (2 * scale).

    Args:
        loc, scale: floats that broadcast together.
        validate_args, allow_nan_stats: taken for programs that give them.
        name: the name scope of its nodes.

    Raises:
        ValueError: a parameter is a tensor of ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.distributions.Laplace(0.0, 0.5).prob(0.0)))
    1.0

    Source: TensorFlow 1.x, `tf.distributions.Laplace`.
    """

    def __init__(
        self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:  # fmt: skip
        with name_scope(name):
            self.loc = float_parameter(loc, "loc", scale if isinstance(scale, Tensor) else None)
            self.scale = float_parameter(scale, "scale", self.loc)
        super().__init__(name, self.loc.dtype, loc=self.loc, scale=self.scale)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        lowest = float(np.nextafter(self.dtype.as_numpy_dtype(-1.0), self.dtype.as_numpy_dtype(0.0)))
        uniform = ops.random_uniform(self._shape_of(n), lowest, 1.0, self.dtype, seed)
        return self.loc - self.scale * ops.sign(uniform) * ops.log1p(ops.neg(ops.abs(uniform)))

    def _log_prob(self, value: Tensor) -> Tensor:
        return ops.neg(ops.abs(self._z(value))) - (ops.log(self.scale) + math.log(2.0))

    def _cdf(self, value: Tensor) -> Tensor:
        z = self._z(value)
        return 0.5 - 0.5 * ops.sign(z) * (ops.exp(ops.neg(ops.abs(z))) - 1.0)

    def _log_cdf(self, value: Tensor) -> Tensor:
        return _log_laplace_share(self._z(value))

    def _log_survival(self, value: Tensor) -> Tensor:
        return _log_laplace_share(ops.neg(self._z(value)))

    def _stddev(self) -> Tensor:
        return self.scale * ops.ones_like(self.loc) * math.sqrt(2.0)

    def _entropy(self) -> Tensor:
        return (ops.log(self.scale) + (math.log(2.0) + 1.0)) * ops.ones_like(self.loc)
