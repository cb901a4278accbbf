"""Random classes by their log-probabilities: `multinomial`."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar
from ...graph.declare.op_cost import TRANSCENDENTAL, OfResult
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Attr, DTypeOrNone, Int, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import composite
from ..declare.shape_checks import dims_of, listed, require_rank, scalar_of
from .philox import Position
from .random_kernels import RESERVED, UNIFORM_FLOPS, doubles
from .reused_random_values import draw

PUBLIC_NAMES = {"start random": "multinomial", "random": "categorical"}

Logits: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS)]
Count: TypeAlias = Annotated[TensorLike, Operand(None, int32.bit, host=True, prefer=int32)]


def _int_dtype(value: Any) -> DType:
    dtype = as_dtype(value)
    if dtype not in (int32, int64):
        raise DTypeError(f"must be int32 or int64, not {dtype}")
    return dtype


IntDType: TypeAlias = Annotated[DType | str | type | np.dtype[Any], Attr(_int_dtype)]


@op("Multinomial", graphdef="seed seed2 T=logits output_dtype", out="output_dtype", host_only=True, fresh=True)
def multinomial_op(
    logits: Logits,
    num_samples: Count,
    output_dtype: IntDType = int64,
    seed: Int = 0,
    seed2: Int = 0,
    name: str | None = None,
) -> Tensor:
    """The op behind `multinomial`."""


@OfResult
def multinomial_flops(result: tuple[int, ...], logits: tuple[int, ...], *_: Any) -> int:
    """The running sum of each row's exponentials, and for each draw a number and a search among them."""
    return prod(logits) * (TRANSCENDENTAL + 2) + prod(result) * (UNIFORM_FLOPS + logits[-1].bit_length())


multinomial_op.flops(multinomial_flops)


@multinomial_op.shape
def multinomial_op_shape(
    logits: Tensor, num_samples: Tensor, output_dtype: DType, seed: int, seed2: int
) -> TensorShape:
    return multinomial_shape(logits, num_samples)


def multinomial_shape(logits: Tensor, num_samples: Tensor) -> TensorShape:
    """(rows, num_samples).

    Raises:
        ValueError: `logits` is no matrix, `num_samples` no scalar or negative.
    """
    require_rank(logits, 2, 0)
    require_rank(num_samples, 0, 1)
    count = known_scalar(num_samples)
    if isinstance(count, int) and count < 0:
        raise ValueRuleError(f"num_samples must be >= 0, but is {count}", operand=1)
    rows = dims_of(logits, 2)[0]
    return shape_of([
        unknown("the shape of logits is not known", logits) if rows is None else rows,
        unknown("num_samples is not known before the run", num_samples) if count is None else count,
    ])  # fmt: skip


@multinomial_op.draws
def multinomial_op_draws(logits: Any, num_samples: Any, output_dtype: DType, seed: int, seed2: int) -> int:
    count = require_classes(logits, num_samples)
    return int(logits.shape[0]) * (-(-count // 4) * 4) * 2 * RESERVED  # a draw takes two words


def require_classes(logits: Any, num_samples: Any) -> int:
    """How many classes are drawn.

    Raises:
        InvalidArgumentError: `logits` is no matrix or has no classes, or `num_samples` is no scalar or negative.
    """
    count = scalar_of(num_samples, "num_samples")
    if logits.ndim != 2:
        raise InvalidArgumentError(message=f"logits should be a matrix, got shape {listed(logits.shape)}")
    if count < 0:
        raise InvalidArgumentError(message=f"num_samples should be nonnegative, got {count}")
    if not logits.shape[1]:
        raise InvalidArgumentError(message=f"num_classes should be positive, got {logits.shape[1]}")
    return count


@multinomial_op.kernel
def multinomial_op_kernel(
    xp: Any, at: Position, logits: Any, num_samples: Any, output_dtype: DType, seed: int, seed2: int
) -> Any:
    return drawn_classes(at, logits, int(num_samples), output_dtype)


def drawn_classes(at: Position, logits: Any, count: int, dtype: DType) -> Any:
    """`count` classes of each row of `logits`, by the numbers of a stream."""
    rows = logits.shape[0]
    shares = doubles(at, rows * count).reshape(rows, count)
    classes = np.empty((rows, count), dtype.np)
    wide = logits.astype(np.float64)
    for row, values, share in zip(classes, wide, shares, strict=True):
        finite = np.isfinite(values)
        powers = np.exp(values - values[finite].max()) if finite.any() else values
        totals = np.cumsum(np.where(finite, powers, 0.0))
        row[:] = np.searchsorted(totals, share * totals[-1], side="right")
    return classes


multinomial_op.no_gradient("it gives ints", "Use a relaxed distribution, such as softmax of logits and Gumbel noise.")


@multinomial_op.samples
def multinomial_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), np.array(5, "i4"), int64, 3, 4, fixed=("num_samples",))
    yield sample(rng.random((1, 4)), np.array(2, "i4"), int32, 3, 4)
    yield sample(np.zeros((0, 3), "f2"), np.array(2, "i4"), int64, 3, 4)


@composite("multinomial")
def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeOrNone = None,
) -> Tensor:
    """Classes drawn at random, for each row by its log-probabilities.

    Args:
        logits: floats of shape (rows, classes): log-probabilities, up to a constant in each row. A class whose logit is
            -inf or NaN is not drawn.
        num_samples: how many classes are drawn in each row, an int32 scalar.
        seed: an op seed, see `set_random_seed`.
        output_dtype: int32 or int64; without it int64.

    Returns:
        A tensor of shape (rows, num_samples) and dtype `output_dtype`.

    Raises:
        TypeError: a dtype is not allowed, or a seed is no int.
        ValueError: `logits` is no matrix, or `num_samples` no scalar, or negative.
        InvalidArgumentError (when run): the same, or there are no classes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.multinomial(tf.log([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]]), 6, seed=1)))
    [[1 0 1 1 0 0]
     [2 2 2 2 2 2]]

    Source: TensorFlow 1.x, `tf.multinomial`.
    """
    wanted = int64 if output_dtype is None else output_dtype
    return draw(multinomial_op, logits, num_samples, wanted, seed=seed)


@composite("categorical")
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeOrNone = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`multinomial` with the arguments of TensorFlow 2: classes drawn at random, for each row by its log-probabilities.

    Args:
        logits: floats of shape (rows, classes): log-probabilities, up to a constant in each row.
        num_samples: how many classes are drawn in each row, an int32 scalar.
        dtype: int32 or int64; without it int64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of shape (rows, num_samples) and dtype `dtype`.

    Raises:
        TypeError: a dtype is not allowed, or a seed is no int.
        ValueError: `logits` is no matrix, or `num_samples` no scalar, or negative.
        InvalidArgumentError (when run): the same, or there are no classes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random.categorical(tf.log([[0.0, 1.0]]), 4)))
    [[1 1 1 1]]

    Source: TensorFlow, `tf.random.categorical`.
    """
    return draw(multinomial_op, logits, num_samples, int64 if dtype is None else dtype, seed=seed)
