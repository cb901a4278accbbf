"""Colours of images as brightness and two differences: YIQ and YUV, each a product with a matrix of nine numbers."""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..declare.composite import composite
from ..linalg.matrix_functions import tensordot

_RGB_TO_YIQ = ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955))
_YIQ_TO_RGB = ((1, 1, 1), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_RGB_TO_YUV = ((0.299, -0.14714119, 0.61497538), (0.587, -0.28886916, -0.51496512), (0.114, 0.43601035, -0.10001026))
_YUV_TO_RGB = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))


def _by_matrix(images: TensorLike, matrix: tuple[tuple[float, ...], ...]) -> Tensor:
    given = convert_to_tensor(images)
    rank = given.shape.ndims
    if rank is None or rank < 1 or given.shape[-1].value not in (3, None):
        raise ShapeError(f"the last dimension must be 3, for three colours, but the shape is {given.shape}")
    return tensordot(given, constant(np.array(matrix), given.dtype), [[rank - 1], [0]])


@composite("rgb_to_yiq")
def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Brightness and two differences of colours (YIQ) of red, green and blue.

    Args:
        images: floats of shape (..., 3).

    Returns:
        A tensor with the shape and dtype of `images`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the last dimension is known not to be 3, or the rank is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.rgb_to_yiq([[1.0, 0.0, 0.0]])).round(3))
    [[0.299 0.596 0.212]]

    Source: TensorFlow 1.15, `tf.image.rgb_to_yiq`.
    """
    return _by_matrix(images, _RGB_TO_YIQ)


@composite("yiq_to_rgb")
@documented_like(rgb_to_yiq)
def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Red, green and blue of YIQ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.yiq_to_rgb([[0.5, 0.0, 0.0]])))
    [[0.5 0.5 0.5]]
    """
    return _by_matrix(images, _YIQ_TO_RGB)


@composite("rgb_to_yuv")
@documented_like(rgb_to_yiq)
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Brightness and two differences of colours (YUV) of red, green and blue.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.rgb_to_yuv([[1.0, 0.0, 0.0]])).round(3))
    [[ 0.299 -0.147  0.615]]
    """
    return _by_matrix(images, _RGB_TO_YUV)


@composite("yuv_to_rgb")
@documented_like(rgb_to_yiq)
def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Red, green and blue of YUV.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.yuv_to_rgb([[0.5, 0.0, 0.0]])))
    [[0.5 0.5 0.5]]
    """
    return _by_matrix(images, _YUV_TO_RGB)
