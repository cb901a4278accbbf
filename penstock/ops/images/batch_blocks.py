"""Blocks of pixels as batches: space_to_batch and batch_to_space, of images and of arrays of any rank."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, HostIndex, Operand, T, TensorLike, as_int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ...graph.shapes.size_quotient import floor_quotient
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..declare.composite import composite, reported_as_call
from ..declare.shape_checks import listed, minus, plus, require_rank, times
from ..move.concat_stack import stack

PUBLIC_NAMES = {
    "tf nn": "batch_to_space space_to_batch",
    "tf manip": "batch_to_space_nd space_to_batch_nd",
    "tf": "required_space_to_batch_paddings",
}

Shape = tuple[int, ...]
Pads: TypeAlias = Annotated[TensorLike, Operand("Tpaddings", INT32_64, host=True, prefer=int32)]


@op("SpaceToBatchND", graphdef="T=input Tblock_shape=block_shape Tpaddings=paddings")
def space_to_batch_nd(input: T, block_shape: HostIndex, paddings: Pads, name: str | None = None) -> Tensor:
    """The pixels of each block as batches, after zeros are added around the spatial dimensions.

    Args:
        input: any dtype, of shape (batch, spatial dimensions, rest).
        block_shape: the sizes of a block along the spatial dimensions: an int32 or int64 vector of entries >= 1.
        paddings: (before, after) of each spatial dimension: an int32 or int64 matrix. Each padded size is a multiple of
            that of the block.

    Returns:
        A tensor of shape (batch * product of block_shape, padded sizes / block_shape, rest) with the dtype of `input`.

    Raises:
        TypeError: `block_shape` or `paddings` is not int.
        ValueError: ranks do not fit, or a known size is no multiple.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_batch_nd([[1, 2, 3]], [2], [[0, 1]])))
    [[1 3]
     [2 0]]

    Source: TensorFlow 1.x, `tf.space_to_batch_nd`.
    """


@op("BatchToSpaceND", graphdef="T=input Tblock_shape=block_shape Tcrops=crops", views="input")
def batch_to_space_nd(input: T, block_shape: HostIndex, crops: Pads, name: str | None = None) -> Tensor:
    """The batches of each block as pixels, of which some at the edges are left out: undoes `space_to_batch_nd`.

    Args:
        input: any dtype, of shape (batch, spatial dimensions, rest).
        block_shape: the sizes of a block along the spatial dimensions: an int32 or int64 vector of entries >= 1, whose
            product divides the batch.
        crops: how many pixels are left out (at the start, at the end) of each spatial dimension: an int32 or int64
            matrix.

    Returns:
        A tensor of shape (batch / product of block_shape, sizes * block_shape - crops, rest) with the dtype of `input`.

    Raises:
        TypeError: `block_shape` or `crops` is not int.
        ValueError: ranks do not fit, the batch is known to be no multiple, or crops are larger than a size.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.batch_to_space_nd([[1, 3], [2, 0]], [2], [[0, 1]])))
    [[1 2 3]]

    Source: TensorFlow 1.x, `tf.batch_to_space_nd`.
    """


# Errors and dumps call them as users do.


def _known(vector: Tensor) -> list[Any] | None:
    value = known_value(vector)
    return None if value is None else value.tolist()


def _count(block: Tensor, pads: Tensor) -> int | None:
    """The number of spatial dimensions."""
    require_rank(block, 1, 1)
    require_rank(pads, 2, 2)
    dims = pads.shape.raw
    if dims is not None and isinstance(dims[1], int) and dims[1] != 2:
        raise ShapeError(f"Dimension must be 2 but is {dims[1]}", operand=2, dim=1)
    counts = [int(each.shape.raw[0]) for each in (block, pads)
              if each.shape.raw is not None and isinstance(each.shape.raw[0], int)]  # fmt: skip
    if len(set(counts)) > 1:
        raise ShapeError(f"block_shape has {counts[0]} entries and the matrix beside it {counts[1]} rows", operand=2)
    return counts[0] if counts else None


def _moved_shape(x: Tensor, block: Tensor, pads: Tensor, to_batch: bool) -> TensorShape:
    count, dims = _count(block, pads), x.shape.raw
    if dims is None or count is None:
        return unknown_rank("the rank of the input or the number of spatial dimensions is not known", x)
    if len(dims) < count + 1:
        raise ShapeError(f"Shape must be at least rank {count + 1} but is rank {len(dims)}", operand=0)
    sizes, rows = _known(block), _known(pads)
    if sizes is not None and any(size < 1 for size in sizes):
        raise ValueRuleError(f"block_shape must be positive, but is {listed(sizes)}", operand=1)
    if rows is not None and any(min(row) < 0 for row in rows):
        raise ValueRuleError("paddings and crops cannot be negative", operand=2)
    reason = "block_shape, or the matrix beside it, is not known before the run"
    if sizes is None:
        return shape_of([*[unknown(reason, block) for _ in range(count + 1)], *dims[count + 1 :]])
    blocks = prod(sizes)
    batch = times(dims[0], blocks, reason, x) if to_batch else _divided(x, dims[0], blocks, 0)
    if rows is None:
        return shape_of([batch, *[unknown(reason, pads) for _ in range(count)], *dims[count + 1 :]])
    spatial = []
    for axis, (size, (before, after)) in enumerate(zip(sizes, rows, strict=True), start=1):
        if to_batch:
            spatial.append(_divided(x, plus(dims[axis], before + after), size, axis))
            continue
        left = minus(times(dims[axis], size, reason, x), before + after)
        if isinstance(left, int) and left < 0:
            raise ShapeError(f"crops of {before + after} are larger than {left + before + after}", operand=2)
        spatial.append(left)
    return shape_of([batch, *spatial, *dims[count + 1 :]])


def _divided(x: Tensor, dim: Dim, by: int, axis: int) -> Dim:
    if isinstance(dim, int) and dim % by:
        raise ShapeError(f"Dimension size must be evenly divisible by {by} but is {dim}", operand=0, dim=axis)
    return floor_quotient(dim, by, f"{dim} / {by} is not known before the run", x)


@space_to_batch_nd.shape
def space_to_batch_nd_shape(input: Tensor, block_shape: Tensor, paddings: Tensor) -> TensorShape:
    return _moved_shape(input, block_shape, paddings, True)


@batch_to_space_nd.shape
def batch_to_space_nd_shape(input: Tensor, block_shape: Tensor, crops: Tensor) -> TensorShape:
    return _moved_shape(input, block_shape, crops, False)


def _checked(x: Any, block: Any, pads: Any, what: str) -> tuple[Shape, list[list[int]]]:
    if block.ndim != 1:
        raise InvalidArgumentError(message=f"block_shape must be a vector: {listed(block.shape)}")
    if pads.shape != (len(block), 2):
        raise InvalidArgumentError(message=f"{what} should have shape [{len(block)}, 2] instead of "
                                           f"{listed(pads.shape)}")  # fmt: skip
    if x.ndim < len(block) + 1:
        raise InvalidArgumentError(message=f"input rank should be >= {len(block) + 1} instead of {x.ndim}")
    sizes, rows = tuple(block.tolist()), pads.tolist()
    if any(size < 1 for size in sizes):
        raise InvalidArgumentError(message=f"block_shape must be positive, but is {listed(sizes)}")
    if any(min(row) < 0 for row in rows):
        raise InvalidArgumentError(message=f"{what} must be non-negative, but is {rows}")
    return sizes, rows


@space_to_batch_nd.kernel
def space_to_batch_nd_kernel(xp: Any, x: Any, block: Any, paddings: Any) -> Any:
    sizes, rows = _checked(x, block, paddings, "paddings")
    spatial = [size + before + after for size, (before, after) in zip(x.shape[1:], rows, strict=False)]
    for size, by in zip(spatial, sizes, strict=True):
        if size % by:
            raise InvalidArgumentError(message=f"padded_shape={size} is not divisible by block_shape={by}")
    rest = x.shape[len(sizes) + 1 :]
    padded = xp.full((x.shape[0], *spatial, *rest), b"", object) if x.dtype == object else xp.zeros(
        (x.shape[0], *spatial, *rest), x.dtype
    )  # fmt: skip
    padded[(slice(None), *[slice(b, b + n) for n, (b, _) in zip(x.shape[1:], rows, strict=False)])] = x
    split = [part for size, by in zip(spatial, sizes, strict=True) for part in (size // by, by)]
    count = len(sizes)
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, 2 * count + 1 + len(rest))]
    parts = padded.reshape((x.shape[0], *split, *rest)).transpose(order)
    return parts.reshape((x.shape[0] * prod(sizes), *[n // by for n, by in zip(spatial, sizes, strict=True)], *rest))


@batch_to_space_nd.kernel
def batch_to_space_nd_kernel(xp: Any, x: Any, block: Any, crops: Any) -> Any:
    sizes, rows = _checked(x, block, crops, "crops")
    count, blocks = len(sizes), prod(sizes)
    if x.shape[0] % blocks:
        raise InvalidArgumentError(message=f"Input batch dimension ({x.shape[0]}) is not divisible by product of block "
                                           f"sizes ({blocks})")  # fmt: skip
    batch, spatial, rest = x.shape[0] // blocks, x.shape[1 : count + 1], x.shape[count + 1 :]
    for size, by, row in zip(spatial, sizes, rows, strict=True):
        if size * by < sum(row):
            raise InvalidArgumentError(message=f"cropped_shape={size * by - sum(row)} must be non-negative")
    parts = x.reshape((*sizes, batch, *spatial, *rest))
    order = [count, *[axis for i in range(count) for axis in (count + 1 + i, i)],
             *range(2 * count + 1, 2 * count + 1 + len(rest))]  # fmt: skip
    whole = parts.transpose(order).reshape((batch, *[n * by for n, by in zip(spatial, sizes, strict=True)], *rest))
    cuts = [slice(b, n * by - a) for n, by, (b, a) in zip(spatial, sizes, rows, strict=True)]
    return xp.ascontiguousarray(whole[(slice(None), *cuts)])


@space_to_batch_nd.gradient("batch_to_space_nd(g, block_shape, paddings)")
def space_to_batch_nd_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, block, paddings = op.inputs
    return [lambda: batch_to_space_nd(g, block, paddings), None, None]


@batch_to_space_nd.gradient("space_to_batch_nd(g, block_shape, crops)")
def batch_to_space_nd_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, block, crops = op.inputs
    return [lambda: space_to_batch_nd(g, block, crops), None, None]


@space_to_batch_nd.samples
def space_to_batch_nd_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(rng.integers(0, 9, (2, 3, 4, 2)).astype(dtype), [2, 2], [[1, 0], [0, 2]])
    yield sample(rng.standard_normal((1, 6)).astype("f4"), np.array([3], "i8"), np.array([[0, 0]], "i8"))
    yield sample(np.array([b"a", b"b", b"c"], object).reshape(1, 3), [2], [[1, 0]])
    yield sample(np.zeros((0, 2, 2), "f4"), [2], [[0, 0]])


@batch_to_space_nd.samples
def batch_to_space_nd_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(rng.integers(0, 9, (4, 2, 3, 2)).astype(dtype), [2, 2], [[1, 0], [0, 2]])
    yield sample(rng.standard_normal((6, 2)).astype("f4"), np.array([3], "i8"), np.array([[0, 0]], "i8"))
    yield sample(np.array([b"a", b"b"], object).reshape(2, 1), [2], [[1, 0]])
    yield sample(np.zeros((0, 2, 2), "f4"), [2], [[0, 0]])


# ---- images -------------------------------------------------------------------------------------


@reported_as_call("space_to_batch", one_op=True)
def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """`space_to_batch_nd` of images, with square blocks.

    Args:
        input: images of shape (batch, height, width, channels), any dtype.
        paddings: [[above, below], [left, right]]: the zeros around the images.
        block_size: the height and width of a block.
        block_shape: the sizes of a block, instead of `block_size`.

    Returns:
        A tensor of shape (batch * block_size ** 2, padded height / block_size, padded width / block_size, channels)
        with the dtype of `input`.

    Raises:
        TypeError: `paddings` is not int.
        ValueError: ranks do not fit, a size is no multiple, or the size of the block is missing.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [[0, 0], [0, 0]], 2)).ravel())
    [1 2 3 4]

    Source: TensorFlow 1.x, `tf.space_to_batch`.
    """
    return space_to_batch_nd(input, _block(block_size, block_shape), paddings, name)


@reported_as_call("batch_to_space", one_op=True)
def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """`batch_to_space_nd` of images, with square blocks.

    Args:
        input: images of shape (batch, height, width, channels), any dtype.
        crops: [[above, below], [left, right]]: how many pixels are left out.
        block_size: the height and width of a block.
        block_shape: the sizes of a block, instead of `block_size`.

    Returns:
        A tensor of shape (batch / block_size ** 2, height * block_size - crops, width * block_size - crops, channels)
        with the dtype of `input`.

    Raises:
        TypeError: `crops` is not int.
        ValueError: ranks do not fit, the batch is no multiple, or the size of the block is missing.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.batch_to_space([[[[1]]], [[[2]]], [[[3]]], [[[4]]]], [[0, 0], [0, 0]], 2))[0, :, :, 0])
    [[1 2]
     [3 4]]

    Source: TensorFlow 1.x, `tf.batch_to_space`.
    """
    return batch_to_space_nd(input, _block(block_size, block_shape), crops, name)


def _block(size: int | None, shape: TensorLike | None) -> TensorLike:
    if shape is not None:
        return shape
    if size is None:
        raise ValueRuleError("the argument 'block_size' is missing")
    return [as_int(size)] * 2


@composite("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The paddings with which blocks fit, and the crops that undo what is added to `base_paddings`.

    Args:
        input_shape: the spatial sizes, an int32 vector.
        block_shape: the sizes of a block, an int32 vector of that length.
        base_paddings: the least paddings, an int32 matrix [before, after]; None means 0.

    Returns:
        Two int32 matrices of shape (number of sizes, 2): paddings and crops.

    Raises:
        TypeError: an argument is not int32.
        ValueError: shapes do not fit, or a size of a block is less than 1.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     paddings, crops = tf.required_space_to_batch_paddings([5, 4], [3, 2])
    ...     print(session.run(paddings).tolist(), session.run(crops).tolist())
    [[0, 1], [0, 0]] [[0, 1], [0, 0]]

    Source: TensorFlow 1.x, `tf.required_space_to_batch_paddings`.
    """
    sizes, block = (convert_to_tensor(each, "int32") for each in (input_shape, block_shape))
    base = None if base_paddings is None else convert_to_tensor(base_paddings, "int32")
    _require_fit(sizes, block, base)
    known = [None if each is None else known_value(each) for each in (sizes, block, base)]
    if known[1] is not None and (known[1] < 1).any():
        raise ValueRuleError(f"block_shape must be at least 1 everywhere, and is {listed(known[1].tolist())}")
    if known[0] is not None and known[1] is not None and (base is None or known[2] is not None):
        before, end, crop = _paddings(known[0], known[1], known[2] if base is not None else 0 * known[0].repeat(2))
        zeros = np.zeros_like(crop)
        return (
            constant(np.stack([before, end], 1), "int32", name="paddings"),
            constant(np.stack([zeros, crop], 1), "int32", name="crops"),
        )
    start = 0 * sizes if base is None else base[:, 0]
    least = 0 * sizes if base is None else base[:, 1]
    extra = (-(sizes + start + least)) % block
    return stack([start, least + extra], 1, "paddings"), stack([0 * extra, extra], 1, "crops")


def _require_fit(sizes: Tensor, block: Tensor, base: Tensor | None) -> None:
    """ShapeError unless the arguments are two vectors of one length and a matrix with a row for each entry."""
    count: int | None = None
    for label, vector in (("input_shape", sizes), ("block_shape", block)):
        if vector.shape.ndims not in (None, 1):
            raise ShapeError(f"{label} must be a vector, and has shape {vector.shape}")
        entries = None if vector.shape.ndims is None else vector.shape.as_list()[0]
        if None not in (count, entries) and count != entries:
            raise ShapeError(f"input_shape has {count} entries and block_shape {entries}; there is one for each size")
        count = entries if count is None else count
    if base is not None and not base.shape.is_compatible_with([count, 2]):
        raise ShapeError(f"base_paddings must have one row of two for each size, and has shape {base.shape}")


def _paddings(sizes: Any, block: Any, base: Any) -> tuple[Any, Any, Any]:
    rows = np.asarray(base).reshape(len(sizes), 2)
    crop = -(sizes + rows.sum(1)) % block
    return rows[:, 0], rows[:, 1] + crop, crop
