"""How much two images are alike: `tf.image.psnr`, `tf.image.ssim` and `tf.image.ssim_multiscale`.

    psnr    10 log10(max_val ** 2 / mean((a - b) ** 2))
    ssim    the mean over windows of  (2 m n + c1) (2 cov + c2) / ((m**2 + n**2 + c1) (v + w + c2))

m and n are the means of the two images in a window that is weighted by a bell curve, v and w their variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ShapeError, ValueRuleError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32
from ..checks.assert_elements import assert_greater_equal
from ..control.control import identity
from ..convolution.depthwise_calls import depthwise_conv2d
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import divide, multiply, square, squared_difference, subtract
from ..elementwise.arithmetic import pow as pow_op
from ..elementwise.casting import cast
from ..elementwise.transcendental import log
from ..move.concat_stack import concat, pack, stack
from ..move.reshaping import reshape
from ..move.tile_pad import tile
from ..nn.activations import relu
from ..pooling.pooling_calls import avg_pool
from ..reduce.reductions import reduce_mean, reduce_prod
from .image_colors import convert_image_dtype

PUBLIC_NAMES = {"image": "psnr ssim ssim_multiscale"}

_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@composite("PSNR")
def psnr(a: TensorLike, b: TensorLike, max_val: float, name: str | None = None) -> Tensor:
    """The ratio of peak signal to noise of two images, in decibels.

    Args:
        a, b: floats or ints of shape (..., height, width, channels).
        max_val: the largest value of a pixel less the smallest one, such as 255 or 1.0.

    Returns:
        A float32 tensor with a number for each image; infinity where the two are equal.

    Raises:
        TypeError: a dtype is another.
        ValueError: the images are known not to have one shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.psnr([[[0.5]]], [[[0.6]]], 1.0)).round(3))
    20.0

    Source: TensorFlow 1.15, `tf.image.psnr`.
    """
    left, right, most = _comparable(a, b, max_val)
    error = reduce_mean(squared_difference(left, right), [-3, -2, -1])
    peak = multiply(20.0, divide(log(most), math.log(10.0)))
    return subtract(peak, multiply(float(np.float32(10 / np.log(10))), log(error)), "psnr")


@composite("SSIM")
def ssim(
    img1: TensorLike, img2: TensorLike, max_val: float, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False
) -> Tensor:  # fmt: skip
    """The structural similarity of two images: 1 if they are equal.

    Args:
        img1, img2: floats or ints of shape (..., height, width, channels), none negative.
        max_val: the largest value of a pixel less the smallest one, such as 255 or 1.0.
        filter_size: height and width of the window; images must not be smaller.
        filter_sigma: the width of the bell curve that weights the window.
        k1, k2: (k1 max_val) ** 2 and (k2 max_val) ** 2 keep the fractions finite.
        return_index_map: whether the result has a number for each place of the window.

    Returns:
        A float32 tensor with a number for each image.

    Raises:
        TypeError: a dtype is another.
        ValueError: the images are known not to have one shape.
        InvalidArgumentError (when run): they are smaller than the window.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.random_uniform([1, 16, 16, 1], seed=1)
    ...     print(session.run(tf.image.ssim(image, image, 1.0)))
    [1.]

    Source: TensorFlow 1.15, `tf.image.ssim`; Wang, Bovik, Sheikh and Simoncelli (2004).
    """
    left, right, most = _comparable(img1, img2, max_val)
    similar, _ = _by_channel(left, right, most, _window(filter_size, filter_sigma), (k1, k2), return_index_map)
    return reduce_mean(similar, [-1])


@composite("MS-SSIM")
@documented_like(ssim)
def ssim_multiscale(
    img1: TensorLike, img2: TensorLike, max_val: float, power_factors: Sequence[float] = _SCALES,
    filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
) -> Tensor:  # fmt: skip
    """The structural similarity of two images at several scales, each half as large as the one before.

    Args:
        power_factors: the exponent of each scale; their number is the number of scales.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.random_uniform([2, 44, 44, 1], seed=1)
    ...     print(session.run(tf.image.ssim_multiscale(image, image, 1.0, power_factors=(0.4, 0.3, 0.3))))
    [1. 1.]

    Source: TensorFlow 1.15, `tf.image.ssim_multiscale`; Wang, Simoncelli and Bovik (2004).
    """
    factors = [float(each) for each in power_factors]
    if not factors:
        raise ValueRuleError("power_factors must have an exponent for each scale, but is empty")
    left, right, most = _comparable(img1, img2, max_val)
    window = _window(filter_size, filter_sigma)
    structures: list[Tensor] = []
    for scale in range(len(factors)):
        if scale:
            left, right = _halved(left), _halved(right)
        similar, structure = _by_channel(left, right, most, window, (k1, k2))
        structures.append(relu(structure))
    scales = stack([*structures[:-1], relu(similar)], -1)
    return reduce_mean(reduce_prod(pow_op(scales, factors), [-1]), [-1])


def _comparable(a: TensorLike, b: TensorLike, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Both images and the largest value as float32."""
    left, right = convert_to_tensor(a), convert_to_tensor(b)
    for image, words in ((left, "the first image"), (right, "the second image")):
        if image.shape.ndims is not None and image.shape.ndims < 3:
            raise ShapeError(f"{words} must have a height, a width and channels, but has the shape {image.shape}")
    known = left.shape.ndims is not None and right.shape.ndims is not None
    if known and not left.shape[-3:].is_compatible_with(right.shape[-3:]):
        raise ShapeError(f"the images must have one size, but have the shapes {left.shape} and {right.shape}",
                         cure="Resize one of them with tf.image.resize_images.")  # fmt: skip
    most = convert_image_dtype(cast(convert_to_tensor(max_val), left.dtype), float32)
    return convert_image_dtype(left, float32), convert_image_dtype(right, float32), most


def _window(size: int, sigma: float) -> Any:
    """The weights of a window, which sum to 1."""
    if not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueRuleError(f"filter_size must be an int of at least 1, but is {size!r}")
    places = np.arange(size, dtype=np.float32) - np.float32(size - 1) / np.float32(2)
    line = np.square(places) * np.float32(-0.5 / np.float32(sigma) ** 2)
    powers = np.exp(line[None, :] + line[:, None])
    return (powers / powers.sum()).astype(np.float32)[:, :, None, None]


def _by_channel(
    left: Tensor, right: Tensor, most: Tensor, window: Any, k: tuple[float, float], is_map: bool = False
) -> tuple[Tensor, Tensor]:
    """(similarity, contrast and structure alone) of each image and channel; of each place if `is_map`."""
    left, right = _at_least(left, len(window)), _at_least(right, len(window))
    depth = left.shape[-1].value if left.shape.ndims else None
    weights = tile(convert_to_tensor(window), pack([1, 1, shape_op(left)[-1] if depth is None else depth, 1]))

    def mean(images: Tensor) -> Tensor:
        sizes = shape_op(images)
        flat = images if images.shape.ndims == 4 else reshape(images, concat(0, [[-1], sizes[-3:]]))
        means = depthwise_conv2d(flat, weights, [1, 1, 1, 1], "VALID")
        return means if images.shape.ndims == 4 else reshape(means, concat(0, [sizes[:-3], shape_op(means)[1:]]))

    c1, c2 = square(multiply(most, k[0])), square(multiply(most, k[1]))
    first, second = mean(left), mean(right)
    joint = first * second * 2.0
    powers = square(first) + square(second)
    luminance = (joint + c1) / (powers + c1)
    structure = (mean(left * right) * 2.0 - joint + c2) / (mean(square(left) + square(right)) - powers + c2)
    if is_map:
        return luminance * structure, structure
    return reduce_mean(luminance * structure, [-3, -2]), reduce_mean(structure, [-3, -2])


def _at_least(images: Tensor, size: int) -> Tensor:
    """The images, behind a check that they are not smaller than the window."""
    dims = images.shape.as_list()[-3:-1] if images.shape.ndims is not None else [None]
    if all(each is not None and each >= size for each in dims):
        return images
    words = "the images must not be smaller than filter_size"
    with control_dependencies([assert_greater_equal(shape_op(images)[-3:-1], size, message=words)]):
        return identity(images)


def _halved(images: Tensor) -> Tensor:
    """The means of squares of two by two pixels; the last row or column of an odd size counts twice."""
    sizes = shape_op(images)
    flat = images if images.shape.ndims == 4 else reshape(images, concat(0, [[-1], sizes[-3:]]))
    height, width = flat.shape[1].value, flat.shape[2].value
    if height is None or height % 2:
        rows = shape_op(flat)[1]
        flat = concat(1, [flat, flat[:, rows - rows % 2 :]])
    if width is None or width % 2:
        columns = shape_op(flat)[2]
        flat = concat(2, [flat, flat[:, :, columns - columns % 2 :]])
    means = avg_pool(flat, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return means if images.shape.ndims == 4 else reshape(means, concat(0, [sizes[:-3], shape_op(means)[1:]]))
