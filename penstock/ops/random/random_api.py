"""Random numbers as programs ask for them: uniform, normal, truncated normal.

Each function is TensorFlow's: it adds a random op, whose seeds follow from the graph's and its own, and ops that scale
the numbers.
"""

from __future__ import annotations

from typing import Any

from ...errors import DTypeError, ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, float32, int32, int64
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import add, multiply, subtract
from . import random_nodes
from .reused_random_values import draw

PUBLIC_NAMES = {
    "start": "random_normal random_uniform",
    "start random": "truncated_normal",
    "random": "normal=random_normal uniform=random_uniform",
}


def as_sizes(shape: Any) -> Tensor:
    """A shape as a tensor called "shape"; ints become int32."""
    return convert_to_tensor(shape, preferred_dtype=int32, name="shape")


@composite("random_uniform")
def random_uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers that are equally likely in [minval, maxval).

    Ints are the remainder of a random 32-bit or 64-bit number: those of a range that is not a power of two are not
    quite equally likely.

    Args:
        shape: the shape of the result: a list of ints and int scalars, or an int32 or int64 vector.
        minval: the smallest number. For floats it may be a tensor that broadcasts with the result.
        maxval: the end, which is not included; 1 for floats, which may be a tensor too. Ints need it.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: another dtype, or a seed that is no int.
        ValueError: `maxval` is missing for ints, a size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): `minval` is not below `maxval`, for ints; or a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random_uniform([4], 0, 10, tf.int32, seed=1)
    ...     print(session.run(x), session.run(x))
    [7 9 3 2] [1 8 9 3]

    Source: TensorFlow 1.x, `tf.random_uniform`.
    """
    wanted = as_dtype(dtype)
    if wanted not in (*random_nodes.FLOAT_DTYPES, int32, int64):
        raise DTypeError(
            f"Argument `dtype` got invalid value {wanted}. Accepted dtypes are {random_nodes.FLOAT_NAMES}, int32, int64"
        )
    if maxval is None and wanted.is_integer:
        raise ValueRuleError(f"Must specify maxval for integer dtype {wanted}", cure="Write maxval=..., the end.")
    from_zero = type(minval) is int and minval == 0
    to_one = maxval is None or (type(maxval) is int and maxval == 1)
    sizes = as_sizes(shape)
    if wanted.is_integer:
        low, high = convert_to_tensor(minval, wanted, name="min"), convert_to_tensor(maxval, wanted, name="max")
        return draw(random_nodes.random_uniform_int_op, sizes, low, high, seed=seed, name=name_of_scope())
    if from_zero and to_one:
        return draw(random_nodes.random_uniform_op, sizes, wanted, seed=seed)
    low = convert_to_tensor(minval, wanted, name="min")
    high = convert_to_tensor(1 if maxval is None else maxval, wanted, name="max")
    drawn = draw(random_nodes.random_uniform_op, sizes, wanted, seed=seed)
    if from_zero:
        return multiply(drawn, high)
    width = subtract(high, low, name="sub")
    return add(multiply(drawn, width, name="mul"), low, name=name_of_scope())


@composite("random_normal")
def random_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution.

    Args:
        shape: the shape of the result: a list of ints and int scalars, or an int32 or int64 vector.
        mean: the mean; a number, or a tensor that broadcasts with the result.
        stddev: the standard deviation, in the same way.
        dtype: float16, bfloat16, float32 or float64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: another dtype, or a seed that is no int.
        ValueError: a size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): a size is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random_normal([2], mean=10.0, seed=1)))
    [ 9.188682 11.484599]

    Source: TensorFlow 1.x, `tf.random_normal`.
    """
    return _scaled(random_nodes.random_normal_op, shape, mean, stddev, as_dtype(dtype), seed)


@composite("truncated_normal")
@documented_like(random_normal)
def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution, those that are two or more standard deviations off drawn again.

    Args:
        stddev: the standard deviation before truncation, in the same way.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = session.run(tf.truncated_normal([1000], stddev=0.1))
    >>> bool((abs(x) < 0.2).all())
    True
    """
    return _scaled(random_nodes.truncated_normal_op, shape, mean, stddev, as_dtype(dtype), seed)


def _scaled(random_op: Any, shape: Any, mean: Any, stddev: Any, dtype: DType, seed: int | None) -> Tensor:
    """Numbers of mean 0 and deviation 1, scaled."""
    if dtype not in random_nodes.FLOAT_DTYPES:
        raise DTypeError(f"dtype must be one of {random_nodes.FLOAT_NAMES}, not {dtype}")
    sizes = as_sizes(shape)
    center = convert_to_tensor(mean, dtype, name="mean")
    width = convert_to_tensor(stddev, dtype, name="stddev")
    numbers = draw(random_op, sizes, dtype, seed=seed)
    return add(multiply(numbers, width, name="mul"), center, name=name_of_scope())
