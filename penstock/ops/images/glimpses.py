"""`tf.image.extract_glimpse`: a window of each image around a point, which may lie beside the image.

It is made of ops: the rows and columns of the window are gathered, and noise takes the place of those outside.
"""

from __future__ import annotations

from ...errors import ShapeError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32, int32
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import maximum, minimum, sqrt, square
from ..elementwise.casting import cast
from ..elementwise.comparison import greater_equal, less
from ..elementwise.logical import logical_and
from ..elementwise.select_where import select
from ..index.gathering import gather_nd
from ..move.broadcasting import broadcast_to
from ..move.concat_stack import pack, stack
from ..move.reshaping import expand_dims
from ..random.random_api import random_normal, random_uniform
from ..reduce.reductions import reduce_max, reduce_mean, reduce_min

PUBLIC_NAMES = {"image": "extract_glimpse"}


@composite("ExtractGlimpse")
def extract_glimpse(
    input: TensorLike, size: TensorLike, offsets: TensorLike, centered: bool = True, normalized: bool = True,
    uniform_noise: bool = True, name: str | None = None
) -> Tensor:  # fmt: skip
    """A window of each image. What lies outside of an image is random, between its least and largest pixel.

    Args:
        input: float32 images of shape (batch, height, width, channels).
        size: (height, width) of the windows, int32.
        offsets: the middle of each window as (y, x), float32 of shape (batch, 2).
        centered: whether (0, 0) is the middle of the image; else it is the first pixel.
        normalized: whether offsets are shares: 1 is the lower right corner.
        uniform_noise: whether the noise is uniform; else it is normal, with the mean and deviation of each channel.

    Returns:
        A tensor of shape (batch, *size, channels). Its gradient goes to the pixels; TensorFlow has none.

    Raises:
        TypeError: a dtype is another.
        ValueError: a rank is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.image.extract_glimpse(image, [1, 3], [[0.0, 0.0]])).ravel())
    [3. 4. 5.]

    Source: TensorFlow 1.15, `tf.image.extract_glimpse`.
    """
    images = convert_to_tensor(input, float32)
    window, places = convert_to_tensor(size, int32), convert_to_tensor(offsets, float32)
    _check(images, window, places)
    sizes = shape_op(images)
    shape = pack([sizes[0], window[0], window[1]])
    rows = _line(places[:, 0], sizes[1], window[0], centered, normalized)
    columns = _line(places[:, 1], sizes[2], window[1], centered, normalized)
    inside = logical_and(expand_dims(_within(rows, sizes[1]), 2), expand_dims(_within(columns, sizes[2]), 1))
    found = gather_nd(images, stack([
        broadcast_to(expand_dims(expand_dims(range_op(sizes[0]), 1), 1), shape),
        broadcast_to(expand_dims(_clipped(rows, sizes[1]), 2), shape),
        broadcast_to(expand_dims(_clipped(columns, sizes[2]), 1), shape),
    ], -1))  # fmt: skip
    found.set_shape(_result_sizes(images, window))
    noise = _noise(images, shape_op(found), uniform_noise)
    return select(broadcast_to(expand_dims(inside, 3), shape_op(found)), found, noise, name_of_scope())


def _check(images: Tensor, window: Tensor, places: Tensor) -> None:
    if images.shape.ndims not in (4, None):
        raise ShapeError(f"input must have the batch, height, width and channels, but has the shape {images.shape}")
    if not window.shape.is_compatible_with([2]):
        raise ShapeError(f"size must be (height, width), but has the shape {window.shape}")
    batch = images.shape[0].value if images.shape.ndims else None
    if not places.shape.is_compatible_with([batch, 2]):
        raise ShapeError(f"offsets must be a row (y, x) for each image, but has the shape {places.shape}")


def _result_sizes(images: Tensor, window: Tensor) -> list[int | None]:
    batch, *_, channels = images.shape.as_list() if images.shape.ndims else [None, None]
    entries = known_vector(window) or (None, None)
    return [batch, *(each if isinstance(each, int) else None for each in entries), channels]


def _line(middles: Tensor, size: Tensor, length: Tensor, centered: bool, normalized: bool) -> Tensor:
    """The rows of the windows in their images, int32 of shape (batch, length); or the columns."""
    whole = cast(size, float32)
    first = middles * whole if normalized else middles
    if centered:
        first = first / 2.0 + whole / 2.0
    first = cast(first - cast(length, float32) / 2.0, int32)  # towards 0, as in TensorFlow
    return expand_dims(first, 1) + expand_dims(range_op(length), 0)


def _within(places: Tensor, size: Tensor) -> Tensor:
    return logical_and(greater_equal(places, 0), less(places, size))


def _clipped(places: Tensor, size: Tensor) -> Tensor:
    return minimum(maximum(places, 0), size - 1)


def _noise(images: Tensor, shape: Tensor, is_uniform: bool) -> Tensor:
    fixed = stop_gradient(images)
    if is_uniform:
        low, high = reduce_min(fixed, [1, 2, 3], keep_dims=True), reduce_max(fixed, [1, 2, 3], keep_dims=True)
        return random_uniform(shape) * (high - low) + low
    mean = reduce_mean(fixed, [1, 2], keep_dims=True)
    return random_normal(shape) * sqrt(reduce_mean(square(fixed - mean), [1, 2], keep_dims=True)) + mean
