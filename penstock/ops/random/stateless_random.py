"""Random numbers that a seed decides alone: the same in every run, whatever was drawn before.

The seed is a tensor of two ints. A block of random words, of a fixed key and the seed as its counter, gives the key and
the place of the stream from which the numbers come; the distributions are those of the other random ops.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import INT32_64, DTypeLike, HostIndex, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64
from ...graph.shapes.shape import TensorShape
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope
from ..declare.shape_checks import listed, possible, product, require_one, require_rank, shape_given_by, sizes_of
from ..elementwise.arithmetic import add, multiply, subtract
from . import random_kernels
from .multinomial import Count, IntDType, Logits, drawn_classes, multinomial_flops, multinomial_shape, require_classes
from .philox import Position, random_words
from .random_api import as_sizes
from .random_nodes import FLOAT_DTYPES, FLOAT_NAMES, Bound, FloatDType

PUBLIC_NAMES = {
    "random": (
        "stateless_categorical stateless_multinomial stateless_normal stateless_truncated_normal "
        "stateless_uniform"
    ),
}

Seed: TypeAlias = Annotated[TensorLike, Operand("Tseed", INT32_64, host=True)]

_SCRAMBLING_KEY: Final = 0x02461E293EC8F720
"""TensorFlow's key of the block that makes a key and a place of a seed."""


@op(
    "StatelessRandomUniform", graphdef="T=shape Tseed=seed dtype", out="dtype", host_only=True,
    flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def stateless_uniform_op(shape: HostIndex, seed: Seed, dtype: FloatDType = float32, name: str | None = None) -> Tensor:
    """The op behind `tf.random.stateless_uniform`: floats in [0, 1)."""


@op(
    "StatelessRandomNormal", graphdef="T=shape Tseed=seed dtype", out="dtype", host_only=True,
    flops=random_kernels.NORMAL_FLOPS,
)  # fmt: skip
def stateless_normal_op(shape: HostIndex, seed: Seed, dtype: FloatDType = float32, name: str | None = None) -> Tensor:
    """The op behind `tf.random.stateless_normal`: normal floats of mean 0 and deviation 1."""


@op(
    "StatelessTruncatedNormal", graphdef="T=shape Tseed=seed dtype", out="dtype", host_only=True,
    flops=random_kernels.TRUNCATED_FLOPS,
)  # fmt: skip
def stateless_truncated_normal_op(
    shape: HostIndex, seed: Seed, dtype: FloatDType = float32, name: str | None = None
) -> Tensor:
    """The op behind `tf.random.stateless_truncated_normal`: normal floats in (-2, 2)."""


@op(
    "StatelessRandomUniformInt", graphdef="T=shape Tseed=seed dtype=minval", out="Tout", host_only=True,
    flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def stateless_uniform_int_op(
    shape: HostIndex, seed: Seed, minval: Bound, maxval: Bound, name: str | None = None
) -> Tensor:
    """The op behind `tf.random.stateless_uniform` of ints: ints in [minval, maxval)."""


@op("StatelessMultinomial", graphdef="T=logits Tseed=seed output_dtype", out="output_dtype", host_only=True)
def stateless_multinomial_op(
    logits: Logits, num_samples: Count, seed: Seed, output_dtype: IntDType = int64, name: str | None = None
) -> Tensor:
    """The op behind `tf.random.stateless_categorical`."""


stateless_multinomial_op.flops(multinomial_flops)


@stateless_uniform_op.shape
@stateless_normal_op.shape
@stateless_truncated_normal_op.shape
def stateless_shape(shape: Tensor, seed: Tensor, dtype: DType) -> TensorShape:
    require_two(seed, 1)
    return shape_given_by(shape, "shape")


@stateless_uniform_int_op.shape
def stateless_uniform_int_shape(shape: Tensor, seed: Tensor, minval: Tensor, maxval: Tensor) -> TensorShape:
    require_two(seed, 1)
    require_rank(minval, 0, 2)
    require_rank(maxval, 0, 3)
    return shape_given_by(shape, "shape")


@stateless_multinomial_op.shape
def stateless_multinomial_shape(logits: Tensor, num_samples: Tensor, seed: Tensor, output_dtype: DType) -> TensorShape:
    require_two(seed, 2)
    return multinomial_shape(logits, num_samples)


def require_two(seed: Tensor, operand: int) -> None:
    """Refuse a seed that is known to be no vector of two ints."""
    require_rank(seed, 1, operand)
    if (size := seed.shape.as_list()[0] if seed.shape.ndims else None) not in (None, 2):
        raise ValueRuleError(f"seed must have shape [2], not [{size}]", operand=operand)


def stream_of(seed: Any) -> Position:
    """The place of a stream that a seed of two ints decides.

    Raises:
        InvalidArgumentError: there are more or fewer.
    """
    if seed.shape != (2,):
        raise InvalidArgumentError(message=f"seed must have shape [2], not {listed(seed.shape)}")
    low, high = [int(each) & (1 << 64) - 1 for each in seed]
    mixed = [int(word) for word in random_words(Position(_SCRAMBLING_KEY, low | high << 64), 4)]
    return Position(mixed[0] | mixed[1] << 32, mixed[2] << 64 | mixed[3] << 96)


def numbers_from(at: Position, draw: Any, shape: Any, dtype: DType) -> Any:
    """Floats of a shape, as the function `draw` of `random_kernels` gives them from a place in a stream."""
    sizes = possible(sizes_of(shape), dtype.size)
    return draw(at, product(sizes), dtype).reshape(sizes)


def ints_from(at: Position, shape: Any, minval: Any, maxval: Any) -> Any:
    """Ints of a shape in [minval, maxval) from a place in a stream.

    Raises:
        InvalidArgumentError: a bound is no scalar, or `minval` is not below `maxval`.
    """
    sizes = possible(sizes_of(shape), minval.dtype.itemsize)
    require_one(minval, "minval")
    require_one(maxval, "maxval")
    if not minval < maxval:
        raise InvalidArgumentError(message=f"Need minval < maxval, got {minval} >= {maxval}")
    return random_kernels.uniform_int(at, product(sizes), int(minval), int(maxval), minval.dtype).reshape(sizes)


@stateless_uniform_op.kernel
def stateless_uniform_kernel(xp: Any, shape: Any, seed: Any, dtype: DType) -> Any:
    return numbers_from(stream_of(seed), random_kernels.uniform, shape, dtype)


@stateless_normal_op.kernel
def stateless_normal_kernel(xp: Any, shape: Any, seed: Any, dtype: DType) -> Any:
    return numbers_from(stream_of(seed), random_kernels.normal, shape, dtype)


@stateless_truncated_normal_op.kernel
def stateless_truncated_normal_kernel(xp: Any, shape: Any, seed: Any, dtype: DType) -> Any:
    return numbers_from(stream_of(seed), random_kernels.truncated_normal, shape, dtype)


@stateless_uniform_int_op.kernel
def stateless_uniform_int_kernel(xp: Any, shape: Any, seed: Any, minval: Any, maxval: Any) -> Any:
    return ints_from(stream_of(seed), shape, minval, maxval)


@stateless_multinomial_op.kernel
def stateless_multinomial_kernel(xp: Any, logits: Any, num_samples: Any, seed: Any, output_dtype: DType) -> Any:
    return drawn_classes(stream_of(seed), logits, require_classes(logits, num_samples), output_dtype)


for _op in (stateless_uniform_op, stateless_normal_op, stateless_truncated_normal_op):
    _op.no_gradient("random numbers do not depend on the shape or the seed in a way that has a slope")
stateless_uniform_int_op.no_gradient("it gives ints")
stateless_multinomial_op.no_gradient("it gives ints")


@stateless_uniform_op.samples
@stateless_normal_op.samples
@stateless_truncated_normal_op.samples
def stateless_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), np.array([7, 8], "i4"), float32, fixed=("shape",))
    yield sample(np.array([5], "i8"), np.array([-7, 1 << 40], "i8"), float64)
    yield sample(np.array([3], "i4"), np.array([0, 0], "i4"), float16)
    yield sample(np.array([0, 2], "i4"), np.array([1, 2], "i4"), bfloat16)
    yield sample(np.array([], "i4"), np.array([1, 2], "i8"), bfloat16)


@stateless_uniform_int_op.samples
def stateless_uniform_int_samples(rng: np.random.Generator) -> Samples:
    seed = np.array([7, 8], "i4")
    yield sample(np.array([2, 3], "i4"), seed, np.array(-5, "i4"), np.array(7, "i4"), fixed=("shape",))
    yield sample(np.array([], "i4"), seed, np.array(0, "i8"), np.array(1 << 40, "i8"))


@stateless_multinomial_op.samples
def stateless_multinomial_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), np.array(5, "i4"), np.array([7, 8], "i4"), int64,
                 fixed=("num_samples",))  # fmt: skip
    yield sample(rng.random((1, 4)), np.array(2, "i4"), np.array([7, 8], "i8"), int32)
    yield sample(np.zeros((0, 3), "f2"), np.array(2, "i4"), np.array([7, 8], "i8"), int64)


@composite("stateless_random_uniform")
def stateless_uniform(
    shape: TensorLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Random numbers that are equally likely in [minval, maxval), the same in every run.

    Args:
        shape: the shape of the result: a list of ints and int scalars, or an int32 or int64 vector.
        seed: two ints, int32 or int64, which decide the numbers; they may be computed or fed.
        minval: the smallest number, a scalar for ints.
        maxval: the end, which is not included; 1 for floats. Ints need it.
        dtype: float16, bfloat16, float32, float64, int32 or int64.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: another dtype.
        ValueError: `seed` is no vector of two ints, `maxval` is missing for ints, a size is negative, or `shape` is
            not a vector.
        InvalidArgumentError (when run): the same, or `minval` is not below `maxval`, for ints.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random.stateless_uniform([4], [1, 2], 0, 10, tf.int32)
    ...     print(session.run(x), session.run(x))
    [0 9 4 9] [0 9 4 9]

    Source: TensorFlow 1.x, `tf.random.stateless_uniform`.
    """
    wanted = as_dtype(dtype)
    if wanted not in (*FLOAT_DTYPES, int32, int64):
        raise DTypeError(f"dtype must be one of {FLOAT_NAMES}, int32, int64, not {wanted}")
    sizes = as_sizes(shape)
    if wanted.is_integer:
        if maxval is None:
            raise ValueRuleError(f"Must specify maxval for integer dtype {wanted}", cure="Write maxval=..., the end.")
        low, high = convert_to_tensor(minval, wanted, name="min"), convert_to_tensor(maxval, wanted, name="max")
        return stateless_uniform_int_op(sizes, seed, low, high, name=name_of_scope())
    low = convert_to_tensor(minval, wanted, name="min")
    high = convert_to_tensor(1 if maxval is None else maxval, wanted, name="max")
    width = subtract(high, low, name="sub")
    return add(multiply(stateless_uniform_op(sizes, seed, wanted), width, name="mul"), low, name=name_of_scope())


@composite("stateless_random_normal")
def stateless_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution, the same in every run.

    Args:
        shape: the shape of the result: a list of ints and int scalars, or an int32 or int64 vector.
        seed: two ints, int32 or int64, which decide the numbers; they may be computed or fed.
        mean: the mean; a number, or a tensor that broadcasts with the result.
        stddev: the standard deviation, in the same way.
        dtype: float16, bfloat16, float32 or float64.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: another dtype.
        ValueError: `seed` is no vector of two ints, a size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random.stateless_normal([2], [1, 2], mean=10.0)))
    [10.54411 10.20738]

    Source: TensorFlow 1.x, `tf.random.stateless_normal`.
    """
    return _scaled(stateless_normal_op, shape, seed, mean, stddev, as_dtype(dtype))


@composite("stateless_truncated_normal")
@documented_like(stateless_normal)
def stateless_truncated_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution without those two or more standard deviations off, the same in every run.

    Args:
        stddev: the standard deviation before truncation, in the same way.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = session.run(tf.random.stateless_truncated_normal([1000], [1, 2], stddev=0.1))
    >>> bool((abs(x) < 0.2).all())
    True
    """
    return _scaled(stateless_truncated_normal_op, shape, seed, mean, stddev, as_dtype(dtype))


def _scaled(random_op: Any, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: DType) -> Tensor:
    if dtype not in FLOAT_DTYPES:
        raise DTypeError(f"dtype must be one of {FLOAT_NAMES}, not {dtype}")
    sizes = as_sizes(shape)
    middle, deviation = [convert_to_tensor(x, dtype, name=n) for x, n in ((mean, "mean"), (stddev, "stddev"))]
    drawn = multiply(random_op(sizes, seed, dtype), deviation, name="mul")
    return add(drawn, middle, name=name_of_scope())


@composite("stateless_categorical")
def stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """Classes drawn at random, for each row by its log-probabilities, the same in every run.

    Args:
        logits: floats of shape (rows, classes): log-probabilities, up to a constant in each row.
        num_samples: how many classes are drawn in each row, an int32 scalar.
        seed: two ints, int32 or int64, which decide the numbers; they may be computed or fed.
        dtype: int32 or int64.

    Returns:
        A tensor of shape (rows, num_samples) and dtype `dtype`.

    Raises:
        TypeError: a dtype is not allowed.
        ValueError: `logits` is no matrix, `num_samples` no scalar, or negative, or `seed` is no vector of two ints.
        InvalidArgumentError (when run): the same, or there are no classes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random.stateless_categorical(tf.log([[0.5, 0.5]]), 6, [1, 2])))
    [[1 1 0 1 1 1]]

    Source: TensorFlow 1.x, `tf.random.stateless_categorical`.
    """
    return stateless_multinomial_op(logits, num_samples, seed, as_dtype(dtype))


@composite("stateless_multinomial")
def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """`tf.random.stateless_categorical` under its older name.

    Args:
        logits: floats of shape (rows, classes): log-probabilities, up to a constant in each row.
        num_samples: how many classes are drawn in each row, an int32 scalar.
        seed: two ints, int32 or int64, which decide the numbers.
        output_dtype: int32 or int64.

    Returns:
        A tensor of shape (rows, num_samples) and dtype `output_dtype`.

    Raises:
        As for `tf.random.stateless_categorical`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random.stateless_multinomial(tf.log([[0.0, 1.0]]), 4, [1, 2])))
    [[1 1 1 1]]

    Source: TensorFlow 1.x, `tf.random.stateless_multinomial`.
    """
    return stateless_multinomial_op(logits, num_samples, seed, as_dtype(output_dtype))
