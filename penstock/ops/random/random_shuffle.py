"""Rows in random order, and a random part of a tensor: `random_shuffle`, `random_crop`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Int, T, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32
from ..checks.assertion import Assert
from ..control.with_dependencies import with_dependencies
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape
from ..declare.composite import all_or_nothing, composite, name_of_scope, reported_as_call
from ..declare.shape_checks import dims_of, entries_of, shape_of_first
from ..elementwise.arithmetic import add, mod, subtract
from ..elementwise.comparison import greater_equal
from ..move.slicing import slice
from ..reduce.reductions import reduce_all
from .philox import Position, random_words
from .random_api import random_uniform
from .random_kernels import WORD_FLOPS
from .reused_random_values import draw

PUBLIC_NAMES = {"start image": "random_crop", "start": "random_shuffle", "random": "shuffle=random_shuffle"}

# ---- shuffle ------------------------------------------------------------------------------------


@op("RandomShuffle", graphdef="seed seed2 T=value", host_only=True, shape=shape_of_first)
def random_shuffle_op(value: T, seed: Int = 0, seed2: Int = 0, name: str | None = None) -> Tensor:
    """The op behind `random_shuffle`."""


random_shuffle_op.flops(lambda value, seed, seed2: WORD_FLOPS * value[0] if value else 0)


@random_shuffle_op.draws
def random_shuffle_op_draws(value: Any, seed: int, seed2: int) -> int:
    return -(-draws_of(value) // 4)


@random_shuffle_op.kernel
def random_shuffle_op_kernel(xp: Any, at: Position, value: Any, seed: int, seed2: int) -> Any:
    count = draws_of(value)
    return value[permutation(at, count)] if count else value.copy()


random_shuffle_op.no_gradient(
    "TensorFlow has none for it", "Gather rows by a shuffled range: tf.gather(x, tf.random_shuffle(tf.range(n)))."
)


@random_shuffle_op.samples
def random_shuffle_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.arange(7, dtype="i4"), 3, 4)
    yield sample(rng.random((5, 2)).astype("f4"), 3, 4)
    yield sample(np.array([b"a", b"b", b"c"], object), 3, 4)
    yield sample(np.zeros((0, 2), "i8"), 3, 4)
    yield sample(np.array(1.5), 3, 4)


def draws_of(value: Any) -> int:
    """How many random words shuffle the rows of `value`: one less than rows."""
    return value.shape[0] - 1 if value.size > 1 and value.shape[0] > 1 else 0


def permutation(at: Position, count: int) -> Any:
    """The rows 0 to `count` in the order of Fisher and Yates: row i is exchanged with a random one not before it."""
    total = count + 1
    partners = swap_partners(at, count).tolist()
    order = list(range(total))
    for i, partner in enumerate(partners):
        order[i], order[partner] = order[partner], order[i]
    return np.array(order, np.intp)


def swap_partners(at: Position, count: int) -> Any:
    """For each i below `count` the row with which row i is exchanged: i and the remainder of a word."""
    left = np.arange(count + 1, 1, -1).astype(np.uint32)
    return np.arange(count) + random_words(at, count) % left


@reported_as_call("RandomShuffle", one_op=True)
def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its rows, the slices along dimension 0, in a random order.

    Args:
        value: any dtype and shape; a scalar stays what it is.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor with the shape and dtype of `value`.

    Raises:
        TypeError: a seed that is no int.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.random_shuffle([1, 2, 3, 4, 5], seed=1)))
    [3 5 1 4 2]

    Source: TensorFlow 1.x, `tf.random_shuffle`.
    """
    return all_or_nothing((value,), lambda: draw(random_shuffle_op, value, seed=seed, name=name))


# ---- crop ---------------------------------------------------------------------------------------


@composite("random_crop")
def random_crop(value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of `value` of a given size, at a random place.

    Args:
        value: any dtype and shape.
        size: the sizes of the part, an int for each dimension of `value`.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A tensor of shape `size` with the dtype of `value`.

    Raises:
        TypeError: a seed that is no int, or sizes that are not int.
        ValueError: the number of sizes is known not to be the rank, or a size to be larger than that of `value`.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.reshape(tf.range(12), [3, 4])
    ...     print(session.run(tf.random_crop(x, [2, 2], seed=1)))
    [[1 2]
     [5 6]]

    Source: TensorFlow 1.x, `tf.random_crop`.
    """
    tensor = convert_to_tensor(value, name="value")
    sizes = convert_to_tensor(size, int32, name="size")
    rank = tensor.shape.ndims
    if rank is not None:
        for i, (there, wanted) in enumerate(zip(dims_of(tensor, rank), entries_of(sizes, rank), strict=True)):
            if isinstance(there, int) and isinstance(wanted, int) and there < wanted:
                raise ShapeError(f"Need value.shape >= size, but size[{i}] is {wanted} and value has shape "
                                 f"{tensor.shape}", operand=0)  # fmt: skip
    whole = shape(tensor)
    found: list[Any] = ["Need value.shape >= size, got ", whole, sizes]
    fits = Assert(reduce_all(greater_equal(whole, sizes)), found, summarize=1000)
    whole = with_dependencies([fits], whole)
    limit = add(subtract(whole, sizes, name="sub"), 1, name="add")
    places = random_uniform(shape(whole, name="Shape_1"), maxval=int32.max, dtype=int32, seed=seed)
    return slice(tensor, mod(places, limit, name="mod"), sizes, name=name_of_scope())
