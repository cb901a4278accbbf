"""Differences between neighbouring pixels: `tf.image.total_variation`, `image_gradients` and `sobel_edges`."""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..convolution.depthwise_calls import depthwise_conv2d
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import add
from ..elementwise.casting import cast
from ..move.concat_stack import concat, pack
from ..move.reshaping import reshape
from ..move.tile_pad import tile
from ..reduce.reductions import reduce_sum

PUBLIC_NAMES = {"image": "image_gradients sobel_edges total_variation"}

_SOBEL = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], np.float32)


@composite("total_variation")
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbouring pixels: how much noise is in an image.

    Args:
        images: numbers of shape (height, width, channels), or several with the batch before.

    Returns:
        A tensor with the dtype of `images`: a scalar, or a number for each image.

    Raises:
        ValueError: the rank is another, or not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.total_variation([[[1.0], [3.0]], [[2.0], [2.0]]])))
    4.0

    Source: TensorFlow 1.15, `tf.image.total_variation`.
    """
    given = convert_to_tensor(images)
    rank = given.shape.ndims
    if rank not in (3, 4):
        raise ShapeError(f"'images' must be either 3 or 4-dimensional, but has the shape {given.shape}",
                         cure="An image is (height, width, channels), several have the batch before.")  # fmt: skip
    down, across = _steps(given, rank - 3), _steps(given, rank - 2)
    axes = None if rank == 3 else [1, 2, 3]
    return add(reduce_sum(abs_op(down), axes), reduce_sum(abs_op(across), axes), "add")


def _steps(images: Tensor, axis: int) -> Tensor:
    """Each pixel along `axis`, from the second on, less the one before."""
    all_of = [slice(None)] * axis
    return images[(*all_of, slice(1, None))] - images[(*all_of, slice(None, -1))]


@composite("image_gradients")
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Each pixel's difference to the next one, downwards and to the right.

    Args:
        image: numbers of shape (batch, height, width, channels).

    Returns:
        (dy, dx) with the shape and dtype of `image`; the last row of dy and the last column of dx are zeros.

    Raises:
        ValueError: the rank is another, or not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     dy, dx = tf.image.image_gradients([[[[1.0], [3.0]], [[2.0], [2.0]]]])
    ...     print(session.run(dy).ravel(), session.run(dx).ravel())
    [ 1. -1.  0.  0.] [2. 0. 0. 0.]

    Source: TensorFlow 1.15, `tf.image.image_gradients`.
    """
    given = convert_to_tensor(image)
    if given.shape.ndims != 4:
        raise ShapeError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {given.shape}.",
                         cure="Put a batch before one image: image[tf.newaxis].")  # fmt: skip
    dy = concat(1, [_steps(given, 1), zeros_like(given[:, :1])])
    dx = concat(2, [_steps(given, 2), zeros_like(given[:, :, :1])])
    dy.set_shape(given.shape)
    dx.set_shape(given.shape)
    return dy, dx


@composite("sobel_edges")
def sobel_edges(image: TensorLike) -> Tensor:
    """Edges by Sobel's filters: how much each pixel's neighbourhood changes downwards and to the right.

    Args:
        image: floats of shape (batch, height, width, channels), at least two rows and columns.

    Returns:
        A tensor of shape (batch, height, width, channels, 2) with the dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the rank is another, or not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     edges = tf.image.sobel_edges(tf.reshape(tf.range(9.0), [1, 3, 3, 1]))
    ...     print(session.run(edges)[0, 1, 1, 0])
    [24.  8.]

    Source: TensorFlow 1.15, `tf.image.sobel_edges`.
    """
    pixels = convert_to_tensor(image)
    if pixels.shape.ndims != 4:
        raise ShapeError(f"sobel_edges expects images (batch, height, width, channels), but has shape {pixels.shape}",
                         cure="Put a batch before one image: image[tf.newaxis].")  # fmt: skip
    sizes, depth = shape_op(pixels), pixels.shape[-1].value
    filters = cast(convert_to_tensor(np.transpose(_SOBEL, (1, 2, 0))[:, :, None, :]), pixels.dtype)
    filters = tile(filters, pack([1, 1, sizes[-1] if depth is None else depth, 1]), "sobel_filters")
    bordered = concat(1, [pixels[:, 1:2], pixels, pixels[:, -2:-1]])
    bordered = concat(2, [bordered[:, :, 1:2], bordered, bordered[:, :, -2:-1]])
    edges = reshape(depthwise_conv2d(bordered, filters, [1, 1, 1, 1], "VALID"), concat(0, [sizes, [2]]))
    edges.set_shape(pixels.shape.concatenate([2]))
    return edges
