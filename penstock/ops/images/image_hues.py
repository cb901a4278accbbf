"""Hue, saturation and value of images: conversions, and images with other hues and saturations.

    value        the largest of red, green and blue
    saturation   (value - the smallest) / value
    hue          in [0, 1): 0 red, 1/3 green, 2/3 blue
"""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float16, float32
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import add, floormod, maximum, minimum, multiply, subtract
from ..elementwise.arithmetic import pow as pow_op
from ..elementwise.comparison import equal, greater, less
from ..elementwise.no_nan import div_no_nan
from ..elementwise.select_where import select
from ..move.concat_stack import stack
from ..random.random_api import random_uniform
from .image_colors import convert_image_dtype

PUBLIC_NAMES = {"image": "adjust_gamma adjust_hue adjust_saturation hsv_to_rgb random_hue random_saturation rgb_to_hsv"}


@composite("RGBToHSV")
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of red, green and blue.

    Args:
        images: floats of shape (..., 3), in [0, 1].

    Returns:
        A tensor with the shape and dtype of `images`, in [0, 1].

    Raises:
        ValueError: the last size is known not to be 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.rgb_to_hsv([0.0, 0.5, 0.0])).round(3))
    [0.333 1.    0.5  ]

    Source: TensorFlow 1.x, `tf.image.rgb_to_hsv`.
    """
    return stack(_hsv(_colors(images)), -1, name_of_scope())


@composite("HSVToRGB")
@documented_like(rgb_to_hsv)
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.hsv_to_rgb([0.0, 1.0, 0.5])))
    [0.5 0.  0. ]
    """
    image = _colors(images)
    return _rgb(image[..., 0], image[..., 1], image[..., 2], name_of_scope())


@composite("adjust_hue")
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Images whose hues are turned: `delta` is added to them, and 1 is where they begin again.

    Args:
        image: floats in [0, 1] or ints, of shape (..., 3).
        delta: a float scalar.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the last size is known not to be 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 1 / 3)).round(3).ravel())
    [0. 1. 0.]

    Source: TensorFlow 1.x, `tf.image.adjust_hue`.
    """
    return _with_hue(_colors(image), delta)


@composite("adjust_saturation")
@documented_like(adjust_hue)
def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """Images whose saturations are multiplied by a factor; none becomes more than 1.

    Args:
        saturation_factor: a float scalar; 0 makes the image grey.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.adjust_saturation([[[1.0, 0.0, 0.0]]], 0.5)).ravel())
    [1.  0.5 0.5]
    """
    return _with_saturation(_colors(image), saturation_factor)


@composite("random_hue")
def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a random number between -max_delta and max_delta.

    Args:
        image: floats in [0, 1] or ints, of shape (..., 3).
        max_delta: a float in [0, 0.5].
        seed: an op seed, see `tf.set_random_seed`.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: `max_delta` is out of range, or the last size is known not to be 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.random_hue([[[1.0, 0.0, 0.0]]], 0.1, seed=1)).max())
    1.0

    Source: TensorFlow 1.x, `tf.image.random_hue`.
    """
    if max_delta > 0.5:
        raise ValueRuleError(f"max_delta must be <= 0.5, but is {max_delta}")
    if max_delta < 0:
        raise ValueRuleError(f"max_delta must be non-negative, but is {max_delta}")
    return _with_hue(_colors(image), random_uniform([], -max_delta, max_delta, seed=seed))


@composite("random_saturation")
def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a random factor between `lower` and `upper`.

    Args:
        image: floats in [0, 1] or ints, of shape (..., 3).
        lower: the least factor, 0 or more.
        upper: the largest factor, more than `lower`.
        seed: an op seed, see `tf.set_random_seed`.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: the bounds do not fit, or the last size is known not to be 3.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.random_saturation([[[1.0, 0.0, 0.0]]], 0.5, 0.9, seed=1)).max())
    1.0

    Source: TensorFlow 1.x, `tf.image.random_saturation`.
    """
    if upper <= lower:
        raise ValueRuleError(f"upper must be > lower, but they are {upper} and {lower}")
    if lower < 0:
        raise ValueRuleError(f"lower must be non-negative, but is {lower}")
    return _with_saturation(_colors(image), random_uniform([], lower, upper, seed=seed))


@composite("adjust_gamma")
def adjust_gamma(image: TensorLike, gamma: float = 1, gain: float = 1) -> Tensor:
    """Images raised to a power: gain * image ** gamma.

    Args:
        image: floats in [0, 1] or ints, of any shape.
        gamma: a number, 0 or more.
        gain: a number.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: the dtype is another.
        ValueError: `gamma` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.adjust_gamma([[[0.5]]], 2.0)).ravel())
    [0.25]

    Source: TensorFlow 1.x, `tf.image.adjust_gamma`.
    """
    if gamma < 0:
        raise ValueRuleError(f"Gamma should be a non-negative real number, but is {gamma}")
    given = convert_to_tensor(image)
    floats = _floats(given)
    adjusted = multiply(pow_op(floats, convert_to_tensor(gamma, floats.dtype)), convert_to_tensor(gain, floats.dtype))
    return convert_image_dtype(adjusted, given.dtype)


def _colors(images: TensorLike) -> Tensor:
    image = convert_to_tensor(images)
    if image.shape.ndims is not None and (image.shape.ndims == 0 or image.shape[-1].value not in (3, None)):
        raise ShapeError(f"the last dimension must be 3, for red, green and blue, but the shape is {image.shape}")
    return image


def _floats(image: Tensor) -> Tensor:
    return image if image.dtype in (float16, float32) else convert_image_dtype(image, float32)


def _with_hue(image: Tensor, delta: TensorLike) -> Tensor:
    floats = _floats(image)
    hue, saturation, value = _hsv(floats)
    turned = floormod(add(hue, add(convert_to_tensor(delta, floats.dtype), _number(1, floats))), _number(1, floats))
    return convert_image_dtype(_rgb(turned, saturation, value), image.dtype)


def _with_saturation(image: Tensor, factor: TensorLike) -> Tensor:
    floats = _floats(image)
    hue, saturation, value = _hsv(floats)
    scaled = _clipped(multiply(saturation, convert_to_tensor(factor, floats.dtype)))
    return convert_image_dtype(_rgb(hue, scaled, value), image.dtype)


def _number(value: float, like: Tensor) -> Tensor:
    return convert_to_tensor(value, like.dtype)


def _clipped(x: Tensor) -> Tensor:
    return minimum(maximum(x, _number(0, x)), _number(1, x))


def _hsv(image: Tensor) -> list[Tensor]:
    red, green, blue = image[..., 0], image[..., 1], image[..., 2]
    value = maximum(maximum(red, green), blue)
    spread = subtract(value, minimum(minimum(red, green), blue))
    sixth: Any = div_no_nan(_number(1 / 6, image), spread)
    from_red = multiply(sixth, subtract(green, blue))
    from_green = add(multiply(sixth, subtract(blue, red)), _number(2 / 6, image))
    from_blue = add(multiply(sixth, subtract(red, green)), _number(4 / 6, image))
    hue = select(equal(red, value), from_red, select(equal(green, value), from_green, from_blue))
    zero = zeros_like(hue)
    hue = select(greater(spread, zero), hue, zero)
    hue = select(less(hue, zero), add(hue, _number(1, image)), hue)
    return [hue, div_no_nan(spread, value), value]


def _rgb(hue: Tensor, saturation: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    place = multiply(hue, _number(6, hue))

    def away(center: float) -> Tensor:
        return abs_op(subtract(place, _number(center, hue)))

    red = _clipped(subtract(away(3), _number(1, hue)))
    green = _clipped(subtract(_number(2, hue), away(2)))
    blue = _clipped(subtract(_number(2, hue), away(4)))
    rest = subtract(_number(1, hue), saturation)
    return stack([multiply(add(rest, multiply(saturation, each)), value) for each in (red, green, blue)], -1, name)
