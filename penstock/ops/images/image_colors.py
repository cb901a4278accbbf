"""The colours of images: gray, brightness, contrast, standardized images, and other dtypes for the same picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_plain_dtype, float16, float32
from ..checks.assertion import Assert
from ..control.control import identity
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..create.creation import ones_like
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import all_or_nothing, composite, name_of_scope, reported_as_call
from ..elementwise.arithmetic import add, floordiv, maximum, minimum, multiply, rsqrt, sqrt, square, subtract, truediv
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..linalg.matrix_functions import tensordot
from ..move.concat_stack import concat
from ..move.tile_pad import tile
from ..random.random_api import random_uniform
from ..reduce.reductions import reduce_mean, reduce_prod, reduce_sum

PUBLIC_NAMES = {
    "image": (
        "adjust_brightness adjust_contrast convert_image_dtype grayscale_to_rgb per_image_standardization "
        "random_brightness random_contrast rgb_to_grayscale rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb"
    ),
}

_GRAY = (0.2989, 0.5870, 0.1140)
"""The parts of red, green and blue in what the eye takes for brightness."""


@reported_as_call("convert_image")
def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """The same picture in another dtype: floats go from 0 to 1, ints from 0 to the largest one.

    Args:
        image: floats or ints, any shape.
        dtype: that of the result, float or int.
        saturate: whether numbers that are out of range become the nearest in range.

    Returns:
        A tensor with the shape of `image`.

    Raises:
        TypeError: a dtype is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8)))
    [  0 127 255]

    Source: TensorFlow 1.x, `tf.image.convert_image_dtype`.
    """
    wanted = as_plain_dtype(dtype)
    if isinstance(image, Tensor) and image.dtype is wanted:
        return identity(image, name)  # outside of a scope, as in TensorFlow

    def build() -> Tensor:
        return _converted(convert_to_tensor(image), wanted, saturate, name_of_scope())

    return all_or_nothing([image], build, scope=name or "convert_image")


def _converted(image: Tensor, dtype: DType, saturate: bool, name: str | None = None) -> Tensor:
    old = image.dtype
    for each in (old, dtype):
        if not (each.is_floating or each.is_integer):
            raise DTypeError(f"images are floats or ints, not {each}")
    to = _within_range if saturate else cast
    if old is dtype:
        return identity(image, name)
    if old.is_integer and dtype.is_integer:
        largest, other = _largest(old), _largest(dtype)
        if largest > other:
            return to(floordiv(image, constant((largest + 1) // (other + 1), old)), dtype, name)
        return multiply(to(image, dtype), constant((other + 1) // (largest + 1), dtype), name)
    if old.is_floating and dtype.is_floating:
        return cast(image, dtype, name)
    if old.is_integer:
        return multiply(cast(image, dtype), constant(1.0 / _largest(old), dtype), name)
    return to(multiply(image, constant(_largest(dtype) + 0.5, old)), dtype, name)


def _within_range(x: Tensor, dtype: DType, name: str | None = None) -> Tensor:
    """A cast of numbers that become the nearest one in range before."""
    if not dtype.is_integer:
        return cast(x, dtype, name)
    low, high = (int(end) for end in (np.iinfo(dtype.np).min, np.iinfo(dtype.np).max))
    if x.dtype.is_integer:
        own = np.iinfo(x.dtype.np)
        low, high = max(low, int(own.min)), min(high, int(own.max))
        return cast(minimum(maximum(x, constant(low, x.dtype)), constant(high, x.dtype)), dtype, name)
    most = x.dtype.np.type(high)
    if int(most) > high:  # the float above
        most = np.nextafter(most, x.dtype.np.type(0))
    return cast(minimum(maximum(x, constant(low, x.dtype)), constant(most, x.dtype)), dtype, name)


def _largest(dtype: DType) -> int:
    return int(np.iinfo(dtype.np).max)


@composite("rgb_to_grayscale")
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Gray images: 0.2989 of red, 0.587 of green and 0.114 of blue.

    Args:
        images: floats or ints, with red, green and blue along the last dimension.

    Returns:
        A tensor with the dtype of `images`, whose last dimension has size 1.

    Raises:
        TypeError: the dtype is another.
        ValueError: the last dimension is known not to be 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.rgb_to_grayscale([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.5]]])).round(3).tolist())
    [[[0.29899999499320984], [0.5]]]

    Source: TensorFlow 1.x, `tf.image.rgb_to_grayscale`.
    """
    tensor = convert_to_tensor(images)
    dims = tensor.shape.raw
    if dims is not None and (not dims or (isinstance(dims[-1], int) and dims[-1] != 3)):
        raise ShapeError(f"the last dimension of images is red, green, blue, but their shape is {tensor.shape}")
    gray = reduce_sum(multiply(_converted(tensor, float32, False), constant(_GRAY, float32)), -1, True)
    return _converted(gray, tensor.dtype, False, name_of_scope())


@composite("grayscale_to_rgb")
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of red, green and blue, all three as gray ones have it.

    Args:
        images: any dtype, with a last dimension of size 1 and a rank of 1 or more.

    Returns:
        A tensor with the dtype of `images`, whose last dimension has size 3.

    Raises:
        ValueError: the last dimension is known not to be 1.
        InvalidArgumentError (when run): the rank was not known, and the last dimension is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.grayscale_to_rgb([[[7], [8]]])).tolist())
    [[[7, 7, 7], [8, 8, 8]]]

    Source: TensorFlow 1.x, `tf.image.grayscale_to_rgb`.
    """
    tensor = convert_to_tensor(images)
    dims = tensor.shape.raw
    if dims is None:
        sizes = shape_op(tensor)
        rule = "Last dimension of a grayscale image should be size 1, but the shape is"
        with control_dependencies([Assert(equal(sizes[-1], 1), [rule, sizes])]):
            images = identity(tensor)
        return tile(images, concat(0, [ones_like(sizes[:-1]), [3]]), name_of_scope())
    if not dims or (isinstance(dims[-1], int) and dims[-1] != 1):
        raise ShapeError(f"Last dimension of a grayscale image should be size 1, but the shape is {tensor.shape}")
    return tile(tensor, [*[1] * (len(dims) - 1), 3], name_of_scope())


def _as_floats(image: Tensor) -> Tensor:
    return image if image.dtype in (float16, float32) else _converted(image, float32, False)


@composite("adjust_brightness")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images to which a number is added, on the scale from 0 to 1.

    Args:
        image: floats or ints, any shape.
        delta: the number, a float.

    Returns:
        A tensor with the shape and dtype of `image`; ints stay in their range.

    Raises:
        TypeError: the dtype is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.adjust_brightness([1.0, 2.0], 0.5)))
    [1.5 2.5]

    Source: TensorFlow 1.x, `tf.image.adjust_brightness`.
    """
    return _brighter(convert_to_tensor(image), delta)


def _brighter(image: Tensor, delta: TensorLike) -> Tensor:
    floats = _as_floats(image)
    return _converted(add(floats, cast(delta, floats.dtype)), image.dtype, True)


@composite("random_brightness")
def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` with a random number between -max_delta and max_delta.

    Args:
        image: floats or ints, any shape.
        max_delta: the largest number, 0 or more.
        seed: an op seed, see `tf.set_random_seed`.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: `max_delta` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     made = session.run(tf.image.random_brightness([1.0, 2.0], 0.5, seed=1))
    ...     print(abs(made[0] - 1.0) <= 0.5, made[1] - made[0])
    True 1.0

    Source: TensorFlow 1.x, `tf.image.random_brightness`.
    """
    if max_delta < 0:
        raise ValueRuleError(f"max_delta must be non-negative, but is {max_delta}")
    return _brighter(convert_to_tensor(image), random_uniform([], -max_delta, max_delta, seed=seed))


@composite("adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images whose distances from the mean of each channel are multiplied: (x - mean) * contrast_factor + mean.

    Args:
        images: floats or ints of shape (..., height, width, channels).
        contrast_factor: the factor, a float.

    Returns:
        A tensor with the shape and dtype of `images`; ints stay in their range.

    Raises:
        TypeError: the dtype is another.
        ValueError: the rank is known to be less than 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0)).ravel())
    [0. 4.]

    Source: TensorFlow 1.x, `tf.image.adjust_contrast`.
    """
    return _contrasted(_of_three(images), contrast_factor)


def _contrasted(images: Tensor, factor: TensorLike) -> Tensor:
    floats = _as_floats(images)
    wide = cast(floats, float32)
    mean = reduce_mean(wide, [-3, -2], True)
    adjusted = add(multiply(subtract(wide, mean), cast(factor, float32)), mean)
    return _converted(cast(adjusted, floats.dtype), images.dtype, True)


@composite("random_contrast")
def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` with a random factor between `lower` and `upper`.

    Args:
        image: floats or ints of shape (..., height, width, channels).
        lower: the least factor, 0 or more.
        upper: the largest factor, more than `lower`.
        seed: an op seed, see `tf.set_random_seed`.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the bounds do not fit, or the rank is known to be less than 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     made = session.run(tf.image.random_contrast([[[1.0], [3.0]]], 1.0, 2.0, seed=1)).ravel()
    ...     print(2.0 <= made[1] - made[0] <= 4.0)
    True

    Source: TensorFlow 1.x, `tf.image.random_contrast`.
    """
    if upper <= lower:
        raise ValueRuleError(f"upper must be > lower, but they are {upper} and {lower}")
    if lower < 0:
        raise ValueRuleError(f"lower must be non-negative, but is {lower}")
    return _contrasted(_of_three(image), random_uniform([], lower, upper, seed=seed))


@composite("per_image_standardization")
def per_image_standardization(image: TensorLike) -> Tensor:
    """Images with mean 0 and variance 1: (x - mean) / max(standard deviation, 1 / sqrt(number of elements)).

    Args:
        image: numbers of shape (..., height, width, channels).

    Returns:
        A float32 tensor with the shape of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the rank is known to be less than 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.per_image_standardization([[[1], [3]]])).ravel())
    [-1.  1.]

    Source: TensorFlow 1.x, `tf.image.per_image_standardization`.
    """
    floats = cast(_of_three(image), float32)
    count = cast(reduce_prod(shape_op(floats)[-3:]), float32)
    distance = subtract(floats, reduce_mean(floats, [-3, -2, -1], True))
    spread = sqrt(reduce_mean(square(distance), [-3, -2, -1], True))
    return truediv(distance, maximum(spread, rsqrt(count)))


def _of_three(image: Any) -> Tensor:
    tensor = convert_to_tensor(image)
    rank = tensor.shape.ndims
    if rank is not None and rank < 3:
        raise ShapeError(f"'image' (shape {tensor.shape}) must be at least three-dimensional.")
    return tensor


# ---- colours of images as brightness and two differences: YIQ and YUV, each a product with a matrix of nine numbers


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
