"""Shards of a tensor: cutting one into nearly equal parts, and the values that shards give for the whole.

They are part of a plan, not of a graph: `runtime.sharding` puts them where a run is cut along a named dimension.

    shard_of            one of the parts of a tensor along an axis
    mean_of_shards      the mean of all elements from the means of the parts
    logsumexp_of_shards log(sum(exp(x))) of all elements from those of the parts
    joined_shape        the shape of the whole from the shapes of the parts
    only_sizes          a tensor that has nothing but a shape
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import (
    COMPLEX,
    FLOATS,
    Attr,
    DTypeLike,
    HostIndex,
    Int,
    Operand,
    T,
    TensorLike,
    at_least,
)
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.failure_rules import never
from ..declare.shape_checks import require_rank, shape_given_by, sizes_of

Count: TypeAlias = Annotated[int, Attr(at_least(1))]
Shapes: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, int32.bit, many=True, host=True)]
Parts: TypeAlias = Annotated[Sequence[TensorLike], Operand("T", FLOATS | COMPLEX, many=True)]


def _word(value: Any) -> str:
    if value not in ORDERS:
        raise ValueRuleError(f"must be one of {', '.join(ORDERS)}, not {value!r}")
    return str(value)


Order: TypeAlias = Annotated[str, Attr(_word)]


# ---- parts of a whole ---------------------------------------------------------------------------


def bounds(size: int, index: int, count: int) -> tuple[int, int]:
    """Where part `index` of `count` nearly equal parts begins and ends: the first ones are longer, as in NumPy.

    >>> [bounds(7, i, 3) for i in range(3)]
    [(0, 3), (3, 5), (5, 7)]
    """
    least, longer = divmod(size, count)
    start = index * least + min(index, longer)
    return start, start + least + (index < longer)


def shard_size(dim: Dim, index: int, count: int) -> Dim:
    """The static size of part `index` of `count`: that of `batch` has a name of its own, such as batch_shard_0_of_4."""
    if isinstance(dim, int):
        start, end = bounds(dim, index, count)
        return end - start
    if dim.symbol is None or dim.symbol.name is None:
        return unknown(f"it is part {index} of {count} of {dim}")
    return Dimension(f"{dim.symbol.name}_shard_{index}_of_{count}")


@op("ShardOf", moves=True, replayable=True, views="x", no_gradient="it is part of a plan, not of a graph")
def shard_of(x: T, axis: Int, index: Int, count: Count, name: str | None = None) -> Tensor:
    """Part `index` of the `count` consecutive, nearly equal parts of `x` along `axis`, as `np.array_split` makes them.

    Args:
        x: any dtype, of rank above `axis`.
        axis: counted from 0.
        index: which part, in [0, count).
        count: how many parts; parts may be empty.

    Returns:
        A tensor with the dtype of `x`, and its shape but for the size along `axis`.

    Raises:
        ValueError: `axis` or `index` is out of range, or `count` is below 1.

    >>> import penstock as tf
    >>> from penstock.ops.sharding.shards import shard_of
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, ["batch"])
    ...     print(shard_of(x, 0, 1, 3).shape, session.run(shard_of(x, 0, 1, 3), {x: [1, 2, 3, 4, 5]}))
    (batch_shard_1_of_3,) [3 4]
    """


@shard_of.shape
def shard_of_shape(x: Tensor, axis: int, index: int, count: int) -> TensorShape:
    if not 0 <= index < count:
        raise ValueRuleError(f"index must be in [0, {count}), not {index}")
    dims = x.shape.raw
    if dims is None:
        return unknown_rank("the rank of the operand is not known", x)
    if not 0 <= axis < len(dims):
        raise ValueRuleError(f"axis must be in [0, {len(dims)}), not {axis}")
    return shape_of((*dims[:axis], shard_size(dims[axis], index, count), *dims[axis + 1 :]))


@shard_of.kernel
def shard_of_kernel(xp: Any, x: Any, axis: int, index: int, count: int) -> Any:
    if x.ndim <= axis:
        raise InvalidArgumentError(message=f"the value has {x.ndim} dimensions, and is cut along dimension {axis}")
    start, end = bounds(x.shape[axis], index, count)
    return x[(*(slice(None),) * axis, slice(start, end))]


shard_of.fails(lambda x, axis, index, count: None if x.shape.raw is not None else "the rank of x is not known")


@shard_of.samples
def shard_of_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((7, 2)).astype("f4"), 0, 1, 3)
    yield sample(np.array([[b"a", b"b"]], object), 1, 1, 2)
    yield sample(np.zeros((2, 0), "i4"), 0, 2, 3)


# ---- values of a whole --------------------------------------------------------------------------


def in_order(values: Sequence[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """((v0 + v1) + v2) + v3, with `combine` for the plus."""
    total = values[0]
    for value in values[1:]:
        total = combine(total, value)
    return total


def in_pairs(values: Sequence[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """(v0 + v1) + (v2 + v3), with `combine` for the plus."""
    while len(values) > 1:
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = [*pairs, *values[len(pairs) * 2 :]]
    return values[0]


ORDERS: Final = {"ordered": in_order, "tree": in_pairs}
"""How values of shards are combined, by the words of `SessionConfig.sums`."""


@op("MeanOfShards", no_gradient="it is part of a plan, not of a graph")
def mean_of_shards(parts: Parts, shapes: Shapes, axis: Int, sums: Order, name: str | None = None) -> Tensor:
    """The mean over all elements of a whole from the means of its parts along `axis`, weighed by their sizes.

    Empty parts do not count. If all are empty, the mean is NaN. 16-bit floats are combined in float32.

    Args:
        parts: the means, of one shape.
        shapes: the shapes of the parts of the whole.
        axis: the axis along which the whole is cut.
        sums: "ordered", one part after the other, or "tree", in pairs.

    Returns:
        A tensor with the dtype and shape of a part.

    Raises:
        ValueError: `sums` is another word, or no part is given.

    >>> import penstock as tf
    >>> from penstock.ops.sharding.shards import mean_of_shards
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(mean_of_shards([1.0, 4.0], [[2], [1]], 0, "ordered")))
    2.0
    """


@mean_of_shards.kernel
def mean_of_shards_kernel(xp: Any, parts: Sequence[Any], shapes: Sequence[Any], axis: int, sums: str) -> Any:
    _check_equal(parts)
    _check_vectors(shapes, axis)
    if len(shapes) != len(parts) or not shapes[0].size:
        raise InvalidArgumentError(message=f"there are {len(parts)} parts; give a shape for each, not {len(shapes)}")
    counts = [sizes_of(shape)[axis] for shape in shapes]
    wide = [_widened(xp, part) * count for part, count in zip(parts, counts, strict=True) if count]
    total = ORDERS[sums](wide, xp.add) / sum(counts) if wide else _widened(xp, parts[0]).copy()
    return xp.asarray(total, parts[0].dtype)


def _check_equal(parts: Sequence[Any]) -> None:
    found = {part.shape for part in parts}
    if len(found) > 1:
        raise InvalidArgumentError(message=f"parts have one shape, but these have {sorted(found)}")


def _check_vectors(shapes: Sequence[Any], axis: int) -> None:
    for shape in shapes:
        if shape.ndim != 1 or (shape.size and shape.size <= axis) or shape.size != shapes[0].size:
            raise InvalidArgumentError(
                message=f"shapes are vectors of one size with an entry {axis}, but one is {list(shape.shape)}"
            )


def _widened(xp: Any, part: Any) -> Any:
    return part.astype(np.float32) if part.dtype.itemsize == 2 else part


@op("LogsumexpOfShards", no_gradient="it is part of a plan, not of a graph")
def logsumexp_of_shards(parts: Parts, sums: Order, name: str | None = None) -> Tensor:
    """log(sum(exp(parts))) element by element, without overflow: of a whole from the same of its parts.

    Args:
        parts: tensors of one shape; that of an empty part is -inf.
        sums: "ordered", one part after the other, or "tree", in pairs.

    Returns:
        A tensor with the dtype and shape of a part.

    Raises:
        ValueError: `sums` is another word, or no part is given.

    >>> import penstock as tf
    >>> from penstock.ops.sharding.shards import logsumexp_of_shards
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(logsumexp_of_shards([1000.0, float("-inf")], "ordered")))
    1000.0
    """


@logsumexp_of_shards.kernel
def logsumexp_of_shards_kernel(xp: Any, parts: Sequence[Any], sums: str) -> Any:
    _check_equal(parts)
    wide = [_widened(xp, part) for part in parts]
    greatest = in_order(wide, xp.maximum)
    shift = xp.where(xp.isfinite(greatest), greatest, 0)
    total = ORDERS[sums]([xp.exp(part - shift) for part in wide], xp.add)
    with np.errstate(divide="ignore"):
        return xp.asarray(xp.log(total) + shift, parts[0].dtype)


@mean_of_shards.shape
@logsumexp_of_shards.shape
def mean_of_shards_shape(parts: tuple[Tensor, ...], *rest: Any) -> TensorShape:
    if not parts:
        raise ValueRuleError("there is at least one part")
    return parts[0].shape


@mean_of_shards.samples
def mean_of_shards_samples(rng: np.random.Generator) -> Samples:
    parts = [rng.random(3).astype("f4") for _ in range(3)]
    yield sample(parts, [np.array([n, 3], "i4") for n in (2, 0, 1)], 0, "ordered")
    yield sample([np.array(1.0)], [np.array([0], "i4")], 0, "tree")
    yield sample([np.zeros((0, 2))] * 2, [np.array([2, 0, 2], "i4")] * 2, 0, "tree")


@logsumexp_of_shards.samples
def logsumexp_of_shards_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)) for _ in range(3)], "tree")
    yield sample([np.array(-np.inf, "f4"), np.array(1.0, "f4")], "ordered")
    yield sample([np.zeros((2, 0))] * 2, "ordered")


# ---- sizes of a whole ---------------------------------------------------------------------------


@op("JoinedShape", out=int32, host_only=True, fails=never, no_gradient="it gives ints")
def joined_shape(shapes: Shapes, axis: Int, name: str | None = None) -> Tensor:
    """The shape of a whole whose parts along `axis` have these shapes.

    Args:
        shapes: int32 vectors.
        axis: counted from 0.

    Returns:
        The first vector, with the sum of all at `axis`; of scalars the empty vector.

    Raises:
        ValueError: no shape is given, or one is no vector.

    >>> import penstock as tf
    >>> from penstock.ops.sharding.shards import joined_shape
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(joined_shape([[2, 5], [1, 5]], 0)))
    [3 5]
    """


@joined_shape.shape
def joined_shape_shape(shapes: tuple[Tensor, ...], axis: int) -> TensorShape:
    if not shapes:
        raise ValueRuleError("there is at least one shape")
    for place, each in enumerate(shapes):
        require_rank(each, 1, place)
    return shapes[0].shape


@joined_shape.kernel
def joined_shape_kernel(xp: Any, shapes: Sequence[Any], axis: int) -> Any:
    _check_vectors(shapes, axis)
    whole = np.array(shapes[0])
    if whole.size:
        whole[axis] = sum(int(shape[axis]) for shape in shapes)
    return whole


@joined_shape.samples
def joined_shape_samples(rng: np.random.Generator) -> Samples:
    yield sample([np.array([2, 3], "i4"), np.array([2, 4], "i4")], 1)
    yield sample([np.array([0], "i4"), np.array([2], "i4")], 0)
    yield sample([np.array([], "i4")], 0)


@op("OnlySizes", out="dtype", host_only=True, fails=never, no_gradient="its result does not depend on values")
def only_sizes(shape: HostIndex, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """A tensor of zeros or empty strings, in the memory of one element, for ops that read only the shape.

    Args:
        shape: an int32 or int64 vector.
        dtype: a dtype.

    Returns:
        A tensor of that dtype and shape.

    Raises:
        ValueError: `shape` is no vector.

    >>> import penstock as tf
    >>> from penstock.ops.sharding.shards import only_sizes
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.shape(only_sizes([1000000, 1000000], tf.float32))))
    [1000000 1000000]
    """


@only_sizes.shape
def only_sizes_shape(shape: Tensor, dtype: Any) -> TensorShape:
    return shape_given_by(shape, "shape")


@only_sizes.kernel
def only_sizes_kernel(xp: Any, shape: Any, dtype: Any) -> Any:
    one = np.array(b"", object) if dtype.is_string else np.zeros((), dtype.np)
    return np.broadcast_to(one, sizes_of(shape))


@only_sizes.samples
def only_sizes_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), "float32")
    yield sample(np.array([0], "i8"), "int64")
    yield sample(np.array([], "i8"), "string")
