"""Initializers that draw random values: uniform, normal, scaled by the sizes of the variable, orthogonal.

With an op seed the values are TensorFlow's own, because the ops that draw them are. `fan_in` and `fan_out` are the
numbers of inputs and outputs of a layer whose weights have the shape; see `fans_of`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..errors import ShapeError, ValueRuleError
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype, float32
from ..graph.shapes.shape import as_shape
from ..ops.elementwise.arithmetic import multiply, sign
from ..ops.linalg.diagonals import diag_part
from ..ops.linalg.qr import qr
from ..ops.move.reshaping import reshape
from ..ops.move.transpose_reverse import transpose
from ..ops.random.random_api import random_normal, random_uniform, truncated_normal
from .constant_initializers import Initializer, float_dtype, sizes_of

Seed = int | None

TRUNCATED_STDDEV = 0.87962566103423978
"""The standard deviation of the standard normal distribution cut at 2 and -2."""


@hides_frames_of_methods
class RandomUniformInitializer(Initializer):
    """An initializer that draws from a uniform distribution: `tf.random_uniform_initializer`.

    Args:
        minval: the least value, a number or a scalar tensor.
        maxval: the end of the range, which is not drawn itself; 1 for floats.
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none: a float dtype, int32 or int64.

    Raises:
        TypeError: there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random_uniform_initializer(-1, 1, seed=7)([3])))
    [-0.03211808  0.01240611 -0.48971248]
    """

    fields = ("minval", "maxval", "seed", "dtype")

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        minval = int(self.minval) if wanted.is_integer and isinstance(self.minval, float) else self.minval
        return random_uniform(shape, minval, self.maxval, wanted, seed=self.seed)


@hides_frames_of_methods
class RandomNormalInitializer(Initializer):
    """An initializer that draws from a normal distribution: `tf.random_normal_initializer`.

    Args:
        mean: the mean, a number or a scalar tensor.
        stddev: the standard deviation.
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none; a float dtype.

    Raises:
        ValueError: `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random_normal_initializer(stddev=0.1, seed=7)([3])))
    [-0.00469457 -0.12039024  0.11668352]
    """

    fields = ("mean", "stddev", "seed", "dtype")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = float_dtype("random_normal_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else dtype
        return random_normal(shape, self.mean, self.stddev, wanted, seed=self.seed)


@documented_like(RandomNormalInitializer)
@hides_frames_of_methods
class TruncatedNormalInitializer(Initializer):
    """An initializer that draws from a normal distribution without its ends: `tf.truncated_normal_initializer`.

    Values more than two standard deviations from the mean are drawn again.

    Args:
        stddev: the standard deviation before the ends are cut off.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.truncated_normal_initializer(stddev=0.1, seed=7)([3])))
    [-0.00469457 -0.12039024  0.11668352]
    """

    fields = ("mean", "stddev", "seed", "dtype")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = float_dtype("truncated_normal_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else dtype
        return truncated_normal(shape, self.mean, self.stddev, wanted, seed=self.seed)


@hides_frames_of_methods
class UniformUnitScalingInitializer(Initializer):
    """An initializer whose values keep the scale of a layer's input: `tf.uniform_unit_scaling_initializer`.

    They are uniform in [-a, a) with a = factor * sqrt(3 / n), where n is the product of all sizes but the last.

    Args:
        factor: what the values are multiplied by.
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none; a float dtype.

    Raises:
        ValueError: `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(abs(session.run(tf.uniform_unit_scaling_initializer()([12, 5]))).max() <= 0.5)
    True
    """

    fields = ("factor", "seed", "dtype")

    def __init__(self, factor: float = 1.0, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        self.factor, self.seed = factor, seed
        self.dtype = float_dtype("uniform_unit_scaling_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        inputs = 1.0
        for size in sizes_of(shape if partition_info is None else partition_info.full_shape)[:-1]:
            inputs *= float(size)
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)


@hides_frames_of_methods
class VarianceScalingInitializer(Initializer):
    """An initializer whose variance depends on the shape: `tf.variance_scaling_initializer`.

    The variance is scale / n. For a matrix, fan_in is its number of rows and fan_out that of its columns; sizes before
    the last two multiply both, as in the kernel of a convolution.

    Args:
        scale: a positive number.
        mode: what n is: "fan_in", "fan_out", or "fan_avg", their mean.
        distribution: "truncated_normal" (or "normal", which is the same), "untruncated_normal" or "uniform".
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none; a float dtype.

    Raises:
        ValueError: `scale` is not positive, `mode` or `distribution` is another word, or `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     values = tf.variance_scaling_initializer(2.0, "fan_in", "uniform", seed=7)([6, 100])
    ...     print(abs(session.run(values)).max() <= 1.0)
    True
    """

    fields: ClassVar[tuple[str, ...]] = ("scale", "mode", "distribution", "seed", "dtype")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Seed = None,
        dtype: DTypeLike = float32,
    ) -> None:
        if not scale > 0.0:
            raise ValueRuleError(f"variance_scaling_initializer(scale={scale!r}): scale must be greater than 0")
        if mode not in _MODES:
            raise ValueRuleError(f"variance_scaling_initializer(mode={mode!r}): mode is one of {_listed(_MODES)}")
        if not isinstance(distribution, str) or distribution.lower() not in _DISTRIBUTIONS:
            raise ValueRuleError(f"variance_scaling_initializer(distribution={distribution!r}): distribution is one of "
                                 f"{_listed(_DISTRIBUTIONS)}")  # fmt: skip
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution.lower(), seed
        self.dtype = float_dtype("variance_scaling_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else dtype
        fan_in, fan_out = fans_of(sizes_of(shape if partition_info is None else partition_info.full_shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_uniform(shape, -limit, limit, wanted, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), wanted, seed=self.seed)
        return truncated_normal(shape, 0.0, math.sqrt(variance) / TRUNCATED_STDDEV, wanted, seed=self.seed)


_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("normal", "truncated_normal", "untruncated_normal", "uniform")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(map(repr, words))


def fans_of(sizes: list[int]) -> tuple[int, int]:
    """The numbers of inputs and outputs of a layer whose weights have this shape.

    >>> fans_of([]), fans_of([5]), fans_of([5, 3]), fans_of([2, 2, 5, 3])
    ((1, 1), (5, 5), (5, 3), (20, 12))
    """
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


@documented_like(RandomNormalInitializer)
class GlorotUniformInitializer(VarianceScalingInitializer):
    """An initializer uniform in [-a, a) with a = sqrt(6 / (fan_in + fan_out)): `tf.glorot_uniform_initializer`.

    It is what `tf.get_variable` uses for floats where nothing else is said. Another name of it is Xavier's.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(abs(session.run(tf.glorot_uniform_initializer()([4, 2]))).max() <= 1.0)
    True
    """

    fields: ClassVar[tuple[str, ...]] = ("seed", "dtype")

    @hides_frames
    def __init__(self, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


@documented_like(RandomNormalInitializer)
class GlorotNormalInitializer(VarianceScalingInitializer):
    """An initializer of normal values with variance 2 / (fan_in + fan_out): `tf.glorot_normal_initializer`.

    The ends are cut off at two standard deviations, as in `tf.truncated_normal_initializer`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.glorot_normal_initializer(seed=7)([2, 2])).shape)
    (2, 2)
    """

    fields: ClassVar[tuple[str, ...]] = ("seed", "dtype")

    @hides_frames
    def __init__(self, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


@hides_frames_of_methods
class OrthogonalInitializer(Initializer):
    """An initializer that makes a matrix of orthonormal rows or columns, whichever are fewer:
    `tf.orthogonal_initializer`.

    The matrix is the q of the QR decomposition of a random normal matrix, with the signs that make the diagonal of r
    positive. Of a shape of more than two sizes, all but the last count as rows.

    Args:
        gain: what the matrix is multiplied by.
        seed: the op seed of each tensor; see `tf.set_random_seed`.
        dtype: the dtype where the call gives none: float32 or float64.

    Raises:
        ValueError: `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     matrix = tf.orthogonal_initializer(seed=7)([3, 2])
    ...     print(abs(session.run(tf.matmul(matrix, matrix, transpose_a=True)).round(4)))
    [[1. 0.]
     [0. 1.]]
    """

    fields = ("gain", "seed", "dtype")

    def __init__(self, gain: float = 1.0, seed: Seed = None, dtype: DTypeLike = float32) -> None:
        self.gain, self.seed = gain, seed
        self.dtype = float_dtype("orthogonal_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        sizes = sizes_of(shape)
        if len(sizes) < 2:
            raise ShapeError(f"orthogonal_initializer: shape {as_shape(shape)} has rank {len(sizes)}; it must have two "
                             "sizes at least")  # fmt: skip
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        longer, shorter = max(rows, columns), min(rows, columns)
        drawn = random_normal([longer, shorter], dtype=self.dtype if dtype is None else dtype, seed=self.seed)
        q, r = qr(drawn)
        signed = multiply(q, sign(diag_part(r)))
        return multiply(reshape(transpose(signed) if rows < columns else signed, sizes), self.gain)


# ---- the names that programs call ----------------------------------------------------------------

glorot_normal_initializer = GlorotNormalInitializer
glorot_uniform_initializer = GlorotUniformInitializer
orthogonal_initializer = OrthogonalInitializer
random_normal_initializer = RandomNormalInitializer
random_uniform_initializer = RandomUniformInitializer
truncated_normal_initializer = TruncatedNormalInitializer
uniform_unit_scaling_initializer = UniformUnitScalingInitializer
variance_scaling_initializer = VarianceScalingInitializer


# ---- the initializers of He and LeCun: variance scaling by the number of inputs of a layer ------


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
