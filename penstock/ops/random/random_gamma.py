"""Random numbers of gamma distributions: `random_gamma`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import DTypeLike, HostIndex, Int, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype, float16, float32, float64
from ...graph.shapes.shape import TensorShape, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite, name_of_scope
from ..declare.shape_checks import possible, product, shape_given_by, sizes_of
from ..elementwise.arithmetic import add, divide, maximum
from .philox import Position, chunks
from .random_api import as_sizes
from .random_kernels import NORMAL_FLOPS, RESERVED, UNIFORM_FLOPS, normal_block, pairs_of_doubles
from .reused_random_values import draw

PUBLIC_NAMES = {"start": "random_gamma", "random": "gamma=random_gamma"}

_Alpha: TypeAlias = Annotated[TensorLike, Operand("T", float16.bit | float32.bit | float64.bit)]

_FLOPS = NORMAL_FLOPS + UNIFORM_FLOPS + 2 * TRANSCENDENTAL + 10
"""Of one attempt (Marsaglia and Tsang); more than nine in ten succeed."""


@op("RandomGamma", graphdef="seed seed2 S=shape T=alpha", host_only=True, fresh=True, out="T", flops=_FLOPS)
def random_gamma_op(shape: HostIndex, alpha: _Alpha, seed: Int = 0, seed2: Int = 0, name: str | None = None) -> Tensor:
    """The op behind `random_gamma`: gamma distributions with the rate 1."""


@random_gamma_op.shape
def random_gamma_op_shape(shape: Tensor, alpha: Tensor, seed: int, seed2: int) -> TensorShape:
    sizes = shape_given_by(shape, "shape")
    if sizes.ndims is None or alpha.shape.ndims is None:
        return unknown_rank("the rank of shape and of alpha is not known", shape if sizes.ndims is None else alpha)
    return sizes.concatenate(alpha.shape)


@random_gamma_op.draws
def random_gamma_op_draws(shape: Any, alpha: Any, seed: int, seed2: int) -> int:
    return product(possible((*sizes_of(shape), *alpha.shape), alpha.itemsize)) * RESERVED


@random_gamma_op.kernel
def random_gamma_op_kernel(xp: Any, at: Position, shape: Any, alpha: Any, seed: int, seed2: int) -> Any:
    sizes = sizes_of(shape)
    samples = product(sizes)
    found = np.empty((alpha.size, samples), np.float64)
    shapes = np.repeat(alpha.reshape(-1).astype(np.float64), samples)
    flat = found.reshape(-1)
    for first, numbers in chunks(flat.size):
        part = slice(first, first + len(numbers))
        flat[part] = gamma_numbers(at, numbers * np.uint64(RESERVED), shapes[part])
    return np.ascontiguousarray(found.T).astype(alpha.dtype).reshape((*sizes, *alpha.shape))


random_gamma_op.no_gradient(
    "that by alpha, TensorFlow's implicit reparameterization, is not part of Penstock",
    "The gradient by beta is there: random_gamma divides by it.",
)


@random_gamma_op.samples
def random_gamma_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), np.array([0.5, 1.0, 7.5], "f4"), 3, 4, fixed=("shape",))
    yield sample(np.array([], "i4"), np.array(2.5), 3, 4)
    yield sample(np.array([4], "i8"), np.zeros((0, 2), "f2"), 3, 4)


class NumbersOfStreams:
    """Two numbers of each block of many streams; the second comes first."""

    def __init__(self, count: int) -> None:
        self._values = np.empty((count, 2))
        self._left = np.zeros(count, np.int64)

    def next(self, streams: Any, next_block: Any, made: Any) -> Any:
        """The next number of each of `streams`, and one block more for those that have none left."""
        empty = streams[self._left[streams] == 0]
        if len(empty):
            self._values[empty] = made(next_block[empty])
            next_block[empty] += np.uint64(1)
            self._left[empty] = 2
        self._left[streams] -= 1
        return self._values[streams, self._left[streams]]


def gamma_numbers(at: Position, first_blocks: Any, alpha: Any) -> Any:
    """A number of each gamma distribution, by rejection from a normal number (Marsaglia and Tsang, 2000).

    Each has a stream of its own, which begins at its block of `first_blocks`. With alpha = 1 it is -log(1 - u).
    """
    values = np.full(len(alpha), np.nan)
    next_block = first_blocks.copy()
    normals, uniforms = NumbersOfStreams(len(alpha)), NumbersOfStreams(len(alpha))

    def uniform(streams: Any) -> Any:
        return uniforms.next(streams, next_block, lambda numbers: pairs_of_doubles(at, numbers))

    open_ = np.arange(len(alpha))[alpha >= 0]  # for others no number would ever be accepted
    simple = open_[alpha[open_] == 1.0]
    values[simple] = -np.log1p(-uniform(simple))
    open_ = open_[alpha[open_] != 1.0]
    d = alpha + np.where(alpha < 1, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    while len(open_):
        x = normals.next(open_, next_block, lambda numbers: normal_block(at, numbers, float64))
        v = 1 + c[open_] * x
        positive = v > 0
        tried, x, v = open_[positive], x[positive], v[positive]
        v = v * v * v
        u = uniform(tried)
        accepted = (u < 1 - 0.0331 * (x * x) * (x * x)) | (np.log(u) < 0.5 * x * x + d[tried] * (1 - v + np.log(v)))
        done = tried[accepted]
        values[done] = d[done] * v[accepted]
        small = done[alpha[done] < 1]
        values[small] *= np.power(uniform(small), 1 / alpha[small])
        is_open = np.ones(len(alpha), bool)
        is_open[done] = False
        open_ = open_[is_open[open_]]
    return values


@composite("random_gamma")
def random_gamma(
    shape: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of gamma distributions.

    Args:
        shape: how many numbers of each distribution: a list of ints and int scalars, or an int32 or int64 vector.
        alpha: the shapes of the distributions.
        beta: their rates, of a shape that broadcasts with that of `alpha`; without it 1.
        dtype: float16, float32 or float64.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of dtype `dtype`, and of shape `shape` followed by that of `alpha + beta`. No number is 0: the smallest
        positive normal one takes its place. It is NaN where `alpha` is negative or NaN.

    Raises:
        TypeError: another dtype, or a seed that is no int.
        ValueError: a size is negative, `shape` is not a vector, or `alpha` and `beta` do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random_gamma([10_000], alpha=[0.5, 4.0], beta=2.0, seed=1)
    ...     print(x.shape, session.run(tf.reduce_mean(x, 0)).round(1))
    (10000, 2) [0.3 2. ]

    Source: TensorFlow 1.x, `tf.random_gamma`.
    """
    wanted = as_dtype(dtype)
    sizes = as_sizes(shape)
    shapes = convert_to_tensor(alpha, wanted, name="alpha")
    rates = convert_to_tensor(1 if beta is None else beta, wanted, name="beta")
    numbers = draw(random_gamma_op, sizes, add(shapes, zeros_like(rates)), seed=seed)
    return maximum(np.finfo(wanted.np).tiny, divide(numbers, rates), name=name_of_scope())
