"""Blocks of pixels as channels: space_to_depth and depth_to_space, each the inverse of the other."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, T, at_least
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.shape import TensorShape, shape_of
from ...graph.shapes.size_quotient import floor_quotient
from ..convolution.convolution_attributes import Format4
from ..declare.shape_checks import dims_of, listed, require_rank, times

PUBLIC_NAMES = {"tf nn": "depth_to_space space_to_depth"}

Block = Annotated[int, Attr(at_least(2))]


@op("SpaceToDepth", graphdef="T=input block_size data_format", views="input")
def space_to_depth(input: T, block_size: Block, name: str | None = None, data_format: Format4 = "NHWC") -> Tensor:
    """The pixels of each block of images as channels, row by row.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype.
        block_size: the height and width of a block, at least 2. It divides those of `input`.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height / block_size, width / block_size, channels * block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or a known size is no multiple of `block_size`.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)))
    [[[[1 2 3 4]]]]

    Source: TensorFlow 1.x, `tf.space_to_depth`.
    """


@op("DepthToSpace", graphdef="T=input block_size data_format", views="input")
def depth_to_space(input: T, block_size: Block, name: str | None = None, data_format: Format4 = "NHWC") -> Tensor:
    """The channels of each pixel as a block of pixels, row by row: the inverse of `space_to_depth`.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype. Its channels are a multiple of `block_size` ** 2.
        block_size: the height and width of a block, at least 2.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height * block_size, width * block_size, channels / block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or the channels are known to be no multiple of `block_size` ** 2.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.depth_to_space([[[[1, 2, 3, 4]]]], 2))[0, :, :, 0])
    [[1 2]
     [3 4]]

    Source: TensorFlow 1.x, `tf.depth_to_space`.
    """


# Errors and dumps call them as users do.


def _order(dims: Any, data_format: str) -> list[Any]:
    """[batch, height, width, channels] of the sizes of a layout."""
    return list(dims) if data_format == "NHWC" else [dims[0], dims[2], dims[3], dims[1]]


def _laid_out(dims: Any, data_format: str) -> list[Any]:
    return list(dims) if data_format == "NHWC" else [dims[0], dims[3], dims[1], dims[2]]


def _part(x: Tensor, dim: Dim | None, by: int, axis: int) -> Dim:
    """dim / by."""
    if dim is None:
        return unknown("the shape of the input is not known", x)
    if isinstance(dim, int) and dim % by:
        raise ShapeError(f"Dimension size must be evenly divisible by {by} but is {dim}", operand=0, dim=axis)
    return floor_quotient(dim, by, f"{dim} / {by} is not known before the run", x)


@space_to_depth.shape
def space_to_depth_shape(input: Tensor, block_size: int, data_format: str) -> TensorShape:
    require_rank(input, 4, 0, "Images have the batch, the height, the width and the channels.")
    axes = _order(range(4), data_format)
    dims = dims_of(input, 4)
    batch = dims[0] if dims[0] is not None else unknown("the shape of the input is not known", input)
    height, width = (_part(input, dims[axis], block_size, axis) for axis in axes[1:3])
    channels = times(dims[axes[3]], block_size**2, "the number of channels is not known", input)
    return shape_of(_laid_out([batch, height, width, channels], data_format))


@depth_to_space.shape
def depth_to_space_shape(input: Tensor, block_size: int, data_format: str) -> TensorShape:
    require_rank(input, 4, 0, "Images have the batch, the height, the width and the channels.")
    axes = _order(range(4), data_format)
    dims = dims_of(input, 4)
    batch = dims[0] if dims[0] is not None else unknown("the shape of the input is not known", input)
    sizes = [times(dims[axis], block_size, "the shape of the input is not known", input) for axis in axes[1:3]]
    return shape_of(_laid_out([batch, *sizes, _part(input, dims[axes[3]], block_size**2, axes[3])], data_format))


def _check(x: Any, sizes: list[int], by: int, data_format: str) -> None:
    if x.ndim != 4:
        raise InvalidArgumentError(message=f"Input rank should be 4 instead of {x.ndim}")
    for axis in sizes:
        size = _order(x.shape, data_format)[axis]
        if size % by:
            raise InvalidArgumentError(message=f"A size of {listed(x.shape)}, {size}, should be divisible by {by}")


@space_to_depth.kernel
def space_to_depth_kernel(xp: Any, x: Any, block: int, data_format: str) -> Any:
    _check(x, [1, 2], block, data_format)
    n, h, w, c = _order(x.shape, data_format)
    if data_format == "NHWC":
        parts = x.reshape(n, h // block, block, w // block, block, c).transpose(0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h // block, w // block, block * block * c)
    parts = x.reshape(n, c, h // block, block, w // block, block).transpose(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, block * block * c, h // block, w // block)


@depth_to_space.kernel
def depth_to_space_kernel(xp: Any, x: Any, block: int, data_format: str) -> Any:
    _check(x, [3], block * block, data_format)
    n, h, w, c = _order(x.shape, data_format)
    rest = c // (block * block)
    if data_format == "NHWC":
        parts = x.reshape(n, h, w, block, block, rest).transpose(0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h * block, w * block, rest)
    parts = x.reshape(n, block, block, rest, h, w).transpose(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, rest, h * block, w * block)


for opdef in (space_to_depth, depth_to_space):
    opdef.distributes(labelled(lambda x, *attrs: ([["batch", None, None, None]], [["batch", None, None, None]])))


@space_to_depth.gradient("depth_to_space(g, block_size)")
def space_to_depth_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, block_size, data_format = op.args
    return [lambda: depth_to_space(g, block_size, data_format=data_format)]


@depth_to_space.gradient("space_to_depth(g, block_size)")
def depth_to_space_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, block_size, data_format = op.args
    return [lambda: space_to_depth(g, block_size, data_format=data_format)]


@space_to_depth.samples
def space_to_depth_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(rng.integers(0, 9, (2, 4, 6, 3)).astype(dtype), 2)
    yield sample(rng.standard_normal((1, 2, 3, 6)).astype("f4"), 3, data_format="NCHW")
    yield sample(np.array([b"a", b"b", b"c", b"d"], object).reshape(1, 2, 2, 1), 2)
    yield sample(np.zeros((0, 2, 2, 1), "f4"), 2)


@depth_to_space.samples
def depth_to_space_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "i4"):
        yield sample(rng.integers(0, 9, (2, 2, 3, 8)).astype(dtype), 2)
    yield sample(rng.standard_normal((1, 9, 2, 1)).astype("f4"), 3, data_format="NCHW")
    yield sample(np.array([b"a", b"b", b"c", b"d"], object).reshape(1, 1, 1, 4), 2)
    yield sample(np.zeros((0, 2, 2, 4), "f4"), 2)
