"""Random numbers of Poisson distributions: `random_poisson`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError
from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Attr, DTypeLike, HostIndex, Int, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, float16, float32, float64, int32, int64
from ...graph.shapes.shape import TensorShape, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite
from ..declare.shape_checks import possible, product, shape_given_by, sizes_of
from ..special import gamma_kernels
from .philox import Position, chunks
from .random_api import as_sizes
from .random_gamma import NumbersOfStreams
from .random_kernels import RESERVED, UNIFORM_FLOPS, pairs_of_doubles
from .reused_random_values import draw

PUBLIC_NAMES = {"start": "random_poisson", "random": "poisson=random_poisson"}

_COUNTED = (float16, float32, float64, int32, int64)


def _count_dtype(value: Any) -> DType:
    dtype = as_dtype(value)
    if dtype not in _COUNTED:
        raise DTypeError(f"must be one of {', '.join(each.name for each in _COUNTED)}, not {dtype}")
    return dtype


_Rate: TypeAlias = Annotated[TensorLike, Operand("R", float16.bit | float32.bit | float64.bit | INT32_64)]
_CountDType: TypeAlias = Annotated[DType | str | type | np.dtype[Any], Attr(_count_dtype)]

_FLOPS = 2 * UNIFORM_FLOPS + 3 * TRANSCENDENTAL
"""Of one attempt at a large rate; at a small one it is a number for each event."""


@op(
    "RandomPoissonV2", graphdef="seed seed2 S=shape R=rate dtype", host_only=True, fresh=True, out="dtype",
    flops=_FLOPS,
)  # fmt: skip
def random_poisson_op(
    shape: HostIndex, rate: _Rate, dtype: _CountDType = int64, seed: Int = 0, seed2: Int = 0, name: str | None = None
) -> Tensor:
    """The op behind `random_poisson`."""


@random_poisson_op.shape
def random_poisson_op_shape(shape: Tensor, rate: Tensor, dtype: DType, seed: int, seed2: int) -> TensorShape:
    sizes = shape_given_by(shape, "shape")
    if sizes.ndims is None or rate.shape.ndims is None:
        return unknown_rank("the rank of shape and of rate is not known", shape if sizes.ndims is None else rate)
    return sizes.concatenate(rate.shape)


@random_poisson_op.draws
def random_poisson_op_draws(shape: Any, rate: Any, dtype: DType, seed: int, seed2: int) -> int:
    return product(possible((*sizes_of(shape), *rate.shape), dtype.size)) * RESERVED


@random_poisson_op.kernel
def random_poisson_op_kernel(
    xp: Any, at: Position, shape: Any, rate: Any, dtype: DType, seed: int, seed2: int
) -> Any:
    sizes = sizes_of(shape)
    samples = product(sizes)
    counts = np.empty((rate.size, samples), np.float64)
    rates, flat = np.repeat(rate.reshape(-1).astype(np.float64), samples), counts.reshape(-1)
    largest = float(np.finfo(dtype.np).max if dtype.is_floating else np.iinfo(dtype.np).max)
    for first, numbers in chunks(flat.size):
        part = slice(first, first + len(numbers))
        flat[part] = poisson_numbers(at, numbers * np.uint64(RESERVED), rates[part], largest)
    with np.errstate(invalid="ignore"):
        return np.ascontiguousarray(counts.T).astype(dtype.np).reshape((*sizes, *rate.shape))


random_poisson_op.no_gradient("it gives counts")


@random_poisson_op.samples
def random_poisson_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), np.array([0.5, 4.0, 75.0], "f4"), float32, 3, 4, fixed=("shape",))
    yield sample(np.array([], "i4"), np.array(25.0), int64, 3, 4)
    yield sample(np.array([4], "i8"), np.zeros((0, 2), "f2"), float16, 3, 4)
    yield sample(np.array([3], "i8"), np.array([2, 30], "i4"), int32, 3, 4)


def poisson_numbers(at: Position, first_blocks: Any, rate: Any, largest: float) -> Any:
    """A number of each Poisson distribution, from a stream of its own that begins at its block of `first_blocks`.

    Below a rate of 10 uniform numbers are multiplied until they fall below exp(-rate) (Knuth); above it a number is
    tried and accepted by its probability (Hormann's transformed rejection, 1993). A rate above `largest`, for which no
    number would ever be accepted, gives inf, and nan itself.
    """
    counts = np.where(rate > largest, np.inf, np.nan)
    next_block, uniforms = first_blocks.copy(), NumbersOfStreams(len(rate))

    def uniform(streams: Any) -> Any:
        return uniforms.next(streams, next_block, lambda numbers: pairs_of_doubles(at, numbers))

    open_ = np.nonzero(rate < 10)[0]
    products, seen, lowest = np.ones(len(rate)), np.zeros(len(rate)), np.exp(-rate)
    while len(open_):
        products[open_] *= uniform(open_)
        is_done = (products[open_] <= lowest[open_]) & (seen[open_] <= largest)
        counts[open_[is_done]] = seen[open_[is_done]]
        open_ = open_[~is_done]
        seen[open_] += 1

    open_ = np.nonzero((rate >= 10) & (rate <= largest))[0]
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while len(open_):
        u = uniform(open_) - 0.5
        v = uniform(open_)
        near, at_a, at_b, at_rate = 0.5 - np.abs(u), a[open_], b[open_], rate[open_]
        k = np.floor((2.0 * at_a / near + at_b) * u + at_rate + 0.43)
        is_inside = (near >= 0.07) & (v <= 0.9277 - 3.6224 / (at_b - 2.0))
        is_possible = (k >= 0) & ~((near < 0.013) & (v > near))
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.log(v * inverse_alpha[open_] / (at_a / (near * near) + at_b))
            density = -at_rate + k * np.log(at_rate) - gamma_kernels.lgamma(np, k + 1)
        is_done = (k <= largest) & (is_inside | (is_possible & (score <= density)))
        counts[open_[is_done]] = k[is_done]
        open_ = open_[~is_done]
    return counts


@composite("random_poisson")
def random_poisson(
    lam: TensorLike,
    shape: TensorLike,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of Poisson distributions: how many events there are where `lam` are expected.

    Args:
        lam: the rates, of any shape; float16, float32, float64, int32 or int64.
        shape: how many numbers of each distribution: a list of ints and int scalars, or an int32 or int64 vector.
        dtype: of the result: float16, float32, float64, int32 or int64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of dtype `dtype`, and of shape `shape` followed by that of `lam`. A rate above the largest number of
        `dtype` gives inf, as an int what casting makes of it.

    Raises:
        TypeError: another dtype, or a seed that is no int.
        ValueError: a size is negative, or `shape` is not a vector.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random_poisson([2.0, 50.0], [10_000], seed=1)
    ...     print(x.shape, session.run(tf.reduce_mean(x, 0)).round())
    (10000, 2) [ 2. 50.]

    Source: TensorFlow 1.x, `tf.random_poisson`.
    """
    rates = convert_to_tensor(lam, name="lam")
    return draw(random_poisson_op, as_sizes(shape), rates, as_dtype(dtype), seed=seed)
