"""The initializers of He and LeCun: variance scaling by the number of inputs of a layer."""

from __future__ import annotations

from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike
from ..graph.shapes.dtypes import float32
from .random_initializers import Seed, VarianceScalingInitializer


@hides_frames
def he_normal(seed: Seed = None, dtype: DTypeLike = float32) -> VarianceScalingInitializer:
    """An initializer of normal values with variance 2 / fan_in, their ends cut off at two standard deviations.

    Args:
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none; a float dtype.

    Returns:
        An initializer.

    Raises:
        ValueError: `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> tf.initializers.he_normal()
    VarianceScalingInitializer(scale=2.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype='float32')
    """
    return VarianceScalingInitializer(2.0, "fan_in", "truncated_normal", seed, dtype)


@hides_frames
@documented_like(he_normal)
def he_uniform(seed: Seed = None, dtype: DTypeLike = float32) -> VarianceScalingInitializer:
    """An initializer uniform in [-a, a) with a = sqrt(6 / fan_in).

    >>> import penstock as tf
    >>> tf.initializers.he_uniform()
    VarianceScalingInitializer(scale=2.0, mode='fan_in', distribution='uniform', seed=None, dtype='float32')
    """
    return VarianceScalingInitializer(2.0, "fan_in", "uniform", seed, dtype)


@hides_frames
@documented_like(he_normal)
def lecun_normal(seed: Seed = None, dtype: DTypeLike = float32) -> VarianceScalingInitializer:
    """An initializer of normal values with variance 1 / fan_in, their ends cut off at two standard deviations.

    >>> import penstock as tf
    >>> tf.initializers.lecun_normal()
    VarianceScalingInitializer(scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype='float32')
    """
    return VarianceScalingInitializer(1.0, "fan_in", "truncated_normal", seed, dtype)


@hides_frames
@documented_like(he_normal)
def lecun_uniform(seed: Seed = None, dtype: DTypeLike = float32) -> VarianceScalingInitializer:
    """An initializer uniform in [-a, a) with a = sqrt(3 / fan_in).

    >>> import penstock as tf
    >>> tf.initializers.lecun_uniform()
    VarianceScalingInitializer(scale=1.0, mode='fan_in', distribution='uniform', seed=None, dtype='float32')
    """
    return VarianceScalingInitializer(1.0, "fan_in", "uniform", seed, dtype)
