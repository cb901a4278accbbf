"""What all distributions share: shapes, samples of any shape, probabilities and their logarithms; seeds, parameters."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import md5
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from .. import broadcast_static_shape, concat, exp, int32, log, log1p, name_scope, reduce_prod, reshape, square
from .. import shape as shape_op
from .. import sqrt as sqrt_op
from ..errors import UnimplementedError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType
from ..graph.shapes.shape import TensorShape
from ..ops.create.constant_and_placeholder import convert_to_tensor

D = TypeVar("D", bound=type[Any])


def _reported_in_the_callers_line(kind: D) -> D:
    """A class whose constructor and public methods raise errors that end in the line of the program."""
    for name, value in [*vars(kind).items()]:
        if isinstance(value, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, hides_frames(value))
    return kind


@_reported_in_the_callers_line
class Distribution:
    """A distribution, or a batch of them: its parameters are tensors that broadcast together.

    `sample`, `prob` and `log_prob` are what most programs call; each distribution has the methods that make sense for
    it, and the others raise UnimplementedError.

    >>> import penstock as tf
    >>> issubclass(tf.distributions.Normal, tf.distributions.Distribution)
    True

    Source: TensorFlow 1.x, `tf.distributions.Distribution`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _reported_in_the_callers_line(cls)

    def __init__(self, name: str, dtype: DType, **parameters: Tensor | None) -> None:
        self.name, self.dtype = name, dtype
        self.parameters = parameters
        self._tensors = [each for each in parameters.values() if each is not None]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} batch_shape={self.batch_shape} dtype={self.dtype.name}>"

    # ---- shapes ---------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the parameters, as far as it is known: one distribution for each element."""
        shape = TensorShape([])
        for each in self._tensors:
            shape = broadcast_static_shape(shape, each.shape)
        return shape

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one sample of one distribution: () unless samples are vectors."""
        return TensorShape([])

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the parameters, int32."""
        if self.batch_shape.is_fully_defined():
            return convert_to_tensor(np.array(self.batch_shape.as_list(), np.int32), name=name)
        return shape_op(self._zeros(), name=name)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of one sample of one distribution, int32."""
        return convert_to_tensor(np.array(self.event_shape.as_list(), np.int32), name=name)

    def _zeros(self) -> Tensor:
        """A tensor of the shape of the batch."""
        total = self._tensors[0] * 0
        for each in self._tensors[1:]:
            total = total + each * 0
        return total

    # ---- samples --------------------------------------------------------------------------------

    def sample(self, sample_shape: TensorLike = (), seed: int | None = None, name: str = "sample") -> Tensor:
        """Random values: a tensor of shape sample_shape + batch_shape + event_shape.

        Gradients flow into the parameters where the values are a function of them (Normal, Uniform ...).
        """
        with name_scope(f"{self.name}/{name}"):
            shape = convert_to_tensor(sample_shape, int32)
            known = _static(sample_shape)
            if shape.shape.ndims == 0:
                shape, known = reshape(shape, [1]), None if known is None else [int(known)]
            values = self._sample_n(reduce_prod(shape), seed)
            values = reshape(values, concat(0, [shape, shape_op(values)[1:]]))
            if known is not None:
                values.set_shape(TensorShape(known).concatenate(self.batch_shape).concatenate(self.event_shape))
            return values

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        """`n` samples, stacked along a new first dimension."""
        raise self._lacks("sample")

    def _shape_of(self, n: TensorLike) -> Tensor:
        """The shape of `n` samples: that of the batch behind n."""
        return concat(0, [reshape(convert_to_tensor(n, int32), [1]), self.batch_shape_tensor()])

    # ---- probabilities --------------------------------------------------------------------------

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Tensor:
        """The logarithm of the density, or of the probability, of `value`."""
        return self._call(name, self._log_prob, value)

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        """The density, or the probability, of `value`."""
        return self._call(name, lambda x: exp(self._log_prob(x)), value)

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        """The probability of a sample of at most `value`."""
        return self._call(name, self._cdf, value)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Tensor:
        """The logarithm of `cdf`."""
        return self._call(name, self._log_cdf, value)

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Tensor:
        """1 - `cdf`."""
        return self._call(name, self._survival, value)

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Tensor:
        """The logarithm of `survival_function`."""
        return self._call(name, self._log_survival, value)

    def _log_prob(self, value: Tensor) -> Tensor:
        raise self._lacks("log_prob")

    def _cdf(self, value: Tensor) -> Tensor:
        raise self._lacks("cdf")

    def _log_cdf(self, value: Tensor) -> Tensor:
        return log(self._cdf(value))

    def _survival(self, value: Tensor) -> Tensor:
        return 1.0 - self._cdf(value)

    def _log_survival(self, value: Tensor) -> Tensor:
        return log1p(-self._cdf(value))

    def _value(self, value: TensorLike) -> Tensor:
        return convert_to_tensor(value, self.dtype)

    # ---- facts ----------------------------------------------------------------------------------

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        return self._call(name, self._mean)

    def variance(self, name: str = "variance") -> Tensor:
        """The variance."""
        return self._call(name, self._variance)

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation."""
        return self._call(name, self._stddev)

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the elements of a sample that is a vector."""
        return self._call(name, self._covariance)

    def mode(self, name: str = "mode") -> Tensor:
        """The value with the highest density or probability."""
        return self._call(name, self._mode)

    def entropy(self, name: str = "entropy") -> Tensor:
        """The entropy in nats."""
        return self._call(name, self._entropy)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """The cross entropy of `other` relative to this one: entropy() + kl_divergence(other)."""
        return self._call(name, lambda q: self._entropy() + self._divergence(q), other)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """The divergence KL(self || other): see `tf.distributions.kl_divergence`."""
        return self._call(name, self._divergence, other)

    def _mean(self) -> Tensor:
        raise self._lacks("mean")

    def _variance(self) -> Tensor:
        return square(self._stddev())

    def _stddev(self) -> Tensor:
        if type(self)._variance is Distribution._variance:
            raise self._lacks("variance")
        return sqrt_op(self._variance())

    def _covariance(self) -> Tensor:
        raise self._lacks("covariance")

    def _mode(self) -> Tensor:
        raise self._lacks("mode")

    def _entropy(self) -> Tensor:
        raise self._lacks("entropy")

    def _divergence(self, other: Any) -> Tensor:
        raise self._lacks("kl_divergence")

    def _call(self, name: str, work: Callable[..., Tensor], *args: Any) -> Tensor:
        with name_scope(f"{self.name}/{name}"):
            return work(*(each if isinstance(each, Distribution) else self._value(each) for each in args))

    def _lacks(self, what: str) -> UnimplementedError:
        return UnimplementedError(message=f"{type(self).__name__} has no {what} here; write it with ops such as tf.exp")

    def _require_own_kind(self, other: Any) -> None:
        if type(other) is not type(self):
            raise UnimplementedError(
                message=f"kl_divergence of {type(self).__name__} and {type(other).__name__}: only two distributions "
                        "of one class have one here; estimate it from samples x of p with "
                        "tf.reduce_mean(p.log_prob(x) - q.log_prob(x))")  # fmt: skip


class VectorDistribution(Distribution):
    """A distribution of vectors: the last dimension of its parameters is that of a sample, the others are the batch.

    >>> import penstock as tf
    >>> tf.distributions.Dirichlet([[1.0, 2.0, 3.0]]).batch_shape
    TensorShape((1,))
    """

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

    def _shape_of(self, n: TensorLike) -> Tensor:
        return concat(0, [reshape(convert_to_tensor(n, int32), [1]), shape_op(self._zeros())])


def seed_from(seed: int | None, salt: str) -> int | None:
    """Another seed, for a second draw: TensorFlow's hash."""
    return None if seed is None else int(md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def float_parameter(value: TensorLike, name: str, like: Tensor | None = None) -> Tensor:
    """A parameter as a tensor of floats; an int becomes a float32."""
    given = value if isinstance(value, Tensor) else None
    tensor = convert_to_tensor(value, like.dtype if like is not None and given is None else None, name=name)
    if not tensor.dtype.is_floating and given is None:
        tensor = convert_to_tensor(np.asarray(value, np.float32), name=name)
    if not tensor.dtype.is_floating:
        raise ValueRuleError(f"{name} is {tensor.dtype.name}; it must be floats. Write tf.to_float({name})")
    return tensor


def one_of(name: str, logits: Any, probs: Any) -> None:
    """A distribution of classes has either logits or probabilities."""
    if (logits is None) == (probs is None):
        raise ValueRuleError(f"{name}: Must pass probs or logits, but not both.")


def _static(sample_shape: Any) -> Any:
    return None if isinstance(sample_shape, Tensor) else np.asarray(sample_shape).tolist()
