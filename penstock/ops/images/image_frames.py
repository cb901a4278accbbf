"""Parts and frames of images: crops, borders, flips and quarter turns, at fixed and at random places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike, as_int
from ...graph.model.nodes import Tensor
from ..checks.assert_kinds import ensure_shape
from ..checks.assertion import Assert
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..elementwise.arithmetic import floordiv, maximum, minimum, subtract
from ..elementwise.casting import cast
from ..elementwise.comparison import equal, less
from ..elementwise.logical import logical_or
from ..elementwise.select_where import select
from ..move.concat_stack import concat, pack
from ..move.reshaping import reshape
from ..move.slicing import slice as slice_op
from ..move.tile_pad import pad
from ..move.transpose_reverse import reverse, transpose
from ..random.random_api import random_uniform

PUBLIC_NAMES = {
    "image": (
        "central_crop crop_to_bounding_box flip_left_right flip_up_down pad_to_bounding_box "
        "random_flip_left_right random_flip_up_down resize_image_with_crop_or_pad "
        "resize_with_crop_or_pad=resize_image_with_crop_or_pad rot90 transpose=transpose_image transpose_image"
    ),
}


def framed_image(image: TensorLike) -> tuple[Tensor, int]:
    """The images as a tensor, and the axis of the height; one of unknown rank is taken for one image."""
    tensor = convert_to_tensor(image)
    rank = tensor.shape.ndims
    if rank is None:
        return ensure_shape(tensor, [None, None, None]), 0
    if rank not in (3, 4):
        raise ShapeError(f"'image' (shape {tensor.shape}) must have either 3 or 4 dimensions.",
                         cure="An image is (height, width, channels), several have the batch before.")  # fmt: skip
    return tensor, rank - 3


def _in_batch(image: TensorLike, change: Callable[[Tensor, int], Tensor]) -> Tensor:
    """`change` of the images and the axis of the height; where the rank is not known, of the images as a batch."""
    tensor = convert_to_tensor(image)
    if tensor.shape.ndims is not None:
        return change(*framed_image(tensor))
    sizes, rank = shape_op(tensor), rank_op(tensor)
    has_rank = logical_or(equal(rank, 3), equal(rank, 4))
    rule = "'image' must have either 3 or 4 dimensions, but its shape is"
    with control_dependencies([Assert(has_rank, [rule, sizes])]):
        batch = reshape(tensor, pack([-1, sizes[-3], sizes[-2], sizes[-1]]))
    changed = change(batch, 1)
    return reshape(changed, concat(0, [sizes[:-3], shape_op(changed)[1:]]), name_of_scope())


def _flipped(image: Tensor, axis: int) -> Tensor:
    rank = image.shape.ndims or 0
    return reverse(image, [each == axis for each in range(rank)])


@composite("flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """Images with left and right changed.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        ValueError: the rank is another.
        InvalidArgumentError (when run): the rank was not known, and is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.flip_left_right([[[1], [2], [3]]])).ravel())
    [3 2 1]

    Source: TensorFlow 1.x, `tf.image.flip_left_right`.
    """
    return _in_batch(image, lambda given, axis: _flipped(given, axis + 1))


@composite("flip_up_down")
@documented_like(flip_left_right)
def flip_up_down(image: TensorLike) -> Tensor:
    """Images upside down.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.flip_up_down([[[1]], [[2]]])).ravel())
    [2 1]
    """
    return _in_batch(image, _flipped)


def _flipped_at_random(image: TensorLike, along: int, seed: int | None) -> Tensor:
    def change(given: Tensor, axis: int) -> Tensor:
        flipped = _flipped(given, axis + along)
        if not axis:
            return select(less(random_uniform([], 0.0, 1.0, seed=seed), 0.5), flipped, given)
        return select(less(random_uniform(shape_op(given)[:1], 0.0, 1.0, seed=seed), 0.5), given, flipped)

    return _in_batch(image, change)


@composite("random_flip_left_right")
@documented_like(flip_left_right)
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images of which each has left and right changed with a probability of one half.

    Args:
        seed: an op seed, see `tf.set_random_seed`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     flipped = tf.image.random_flip_left_right([[[1], [2]]], seed=1)
    ...     print(sorted({tuple(session.run(flipped).ravel().tolist()) for _ in range(20)}))
    [(1, 2), (2, 1)]
    """
    return _flipped_at_random(image, 1, seed)


@composite("random_flip_up_down")
@documented_like(flip_left_right)
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images of which each is upside down with a probability of one half.

    Args:
        seed: an op seed, see `tf.set_random_seed`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     flipped = tf.image.random_flip_up_down([[[1]], [[2]]], seed=1)
    ...     print(sorted({tuple(session.run(flipped).ravel().tolist()) for _ in range(20)}))
    [(1, 2), (2, 1)]
    """
    return _flipped_at_random(image, 0, seed)


@composite("transpose")
@documented_like(flip_left_right)
def transpose_image(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with height and width changed.

    Returns:
        A tensor with the dtype of `image`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.image.transpose_image(tf.zeros([5, 2, 3])).shape
    TensorShape((2, 5, 3))
    """
    return _in_batch(image, lambda one, axis: transpose(one, [0, 2, 1, 3] if axis else [1, 0, 2], name or "transpose"))


@composite("rot90")
def rot90(image: TensorLike, k: int = 1, name: str | None = None) -> Tensor:
    """Images turned by k quarters of a turn, counter-clockwise.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.
        k: how many quarters.

    Returns:
        A tensor with the dtype of `image`.

    Raises:
        TypeError: `k` is not an int.
        ValueError: the rank is another.
        InvalidArgumentError (when run): the rank was not known, and is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.rot90([[[1], [2]]])).ravel())
    [2 1]

    Source: TensorFlow 1.x, `tf.image.rot90`.
    """
    quarters = as_int(k) % 4

    def turned(given: Tensor, axis: int) -> Tensor:
        order = [0, 2, 1, 3] if axis else [1, 0, 2]
        if quarters == 1:
            return _flipped(transpose(given, order), axis)
        if quarters == 2:
            return _flipped(_flipped(given, axis + 1), axis)
        if quarters == 3:
            return transpose(_flipped(given, axis), order)
        return slice_op(given, [0] * (axis + 3), [-1] * (axis + 3))

    return _in_batch(image, turned)


# ---- crops and borders --------------------------------------------------------------------------


@composite("crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A part of images.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.
        offset_height, offset_width: where the part begins: ints or int32 scalars.
        target_height, target_width: its size.

    Returns:
        Images of height `target_height` and width `target_width` with the dtype of `image`.

    Raises:
        ValueError: the rank is another, or the part is known not to lie inside.
        InvalidArgumentError (when run): the part does not lie inside.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9), [3, 3, 1])
    ...     print(session.run(tf.image.crop_to_bounding_box(image, 1, 0, 2, 2))[:, :, 0])
    [[3 4]
     [6 7]]

    Source: TensorFlow 1.x, `tf.image.crop_to_bounding_box`.
    """
    given, axis = framed_image(image)
    _require(offset_height, 0, "offset_height")
    _require(offset_width, 0, "offset_width")
    _require(target_height, 1, "target_height")
    _require(target_width, 1, "target_width")
    height, width = _sizes(given, axis)
    _require(_less(_less(height, offset_height), target_height), 0, "height - offset_height - target_height")
    _require(_less(_less(width, offset_width), target_width), 0, "width - offset_width - target_width")
    return _cropped(given, axis, offset_height, offset_width, target_height, target_width)


def _cropped(image: Tensor, axis: int, top: Any, left: Any, height: Any, width: Any) -> Tensor:
    """A slice; numbers stay numbers, so that the static shape is known."""
    begin, size = [*[0] * axis, top, left, 0], [*[-1] * axis, height, width, -1]
    return slice_op(image, _vector(begin), _vector(size))


def _vector(entries: list[Any]) -> Any:
    if all(isinstance(each, int) for each in entries):
        return entries
    return pack([convert_to_tensor(each, "int32") for each in entries])


def _require(value: Any, least: int, name: str) -> None:
    if isinstance(value, int) and value < least:
        raise ValueRuleError(f"{name} must be >= {least}, but is {value}")


def _sizes(image: Tensor, axis: int) -> tuple[Any, Any]:
    """The height and the width: ints, or int32 scalars."""
    dims, sizes = image.shape.raw or (), shape_op(image)
    height, width = (dims[place] if isinstance(dims[place], int) else sizes[place] for place in (axis, axis + 1))
    return height, width


@composite("pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Images with zeros around them.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.
        offset_height, offset_width: the rows above and the columns at the left: ints or int32 scalars.
        target_height, target_width: the size of the result.

    Returns:
        Images of height `target_height` and width `target_width` with the dtype of `image`.

    Raises:
        ValueError: the rank is another, or the images are known not to fit.
        InvalidArgumentError (when run): the images do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.pad_to_bounding_box([[[7]]], 0, 1, 2, 3))[:, :, 0])
    [[0 7 0]
     [0 0 0]]

    Source: TensorFlow 1.x, `tf.image.pad_to_bounding_box`.
    """
    given, axis = framed_image(image)
    _require(offset_height, 0, "offset_height")
    _require(offset_width, 0, "offset_width")
    return _framed(given, axis, offset_height, offset_width, target_height, target_width)


def _framed(image: Tensor, axis: int, top: Any, left: Any, new_height: Any, new_width: Any) -> Tensor:
    height, width = _sizes(image, axis)
    below, right = _less(_less(new_height, top), height), _less(_less(new_width, left), width)
    _require(below, 0, "target_height - offset_height - height")
    _require(right, 0, "target_width - offset_width - width")
    rows = [*[[0, 0]] * axis, [top, below], [left, right], [0, 0]]
    if all(isinstance(each, int) for row in rows for each in row):
        return pad(image, rows)
    padded = pad(image, pack([_as_tensor(row) for row in rows]))
    sizes = [each if isinstance(each, int) else None for each in (new_height, new_width)]
    padded.set_shape([*image.shape[:axis], *sizes, image.shape[axis + 2]])
    return padded


def _as_tensor(row: list[Any]) -> Tensor:
    return pack([convert_to_tensor(each, "int32") for each in row])


def _less(a: Any, b: Any) -> Any:
    return a - b if isinstance(a, int) and isinstance(b, int) else subtract(a, b)


@composite("resize_image_with_crop_or_pad")
def resize_image_with_crop_or_pad(image: TensorLike, target_height: Any, target_width: Any) -> Tensor:
    """The middle of images, or images with zeros around them, along each dimension what it needs.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.
        target_height, target_width: the size of the result: ints or int32 scalars above 0.

    Returns:
        Images of height `target_height` and width `target_width` with the dtype of `image`.

    Raises:
        ValueError: the rank is another, or a target is not above 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_image_with_crop_or_pad([[[1], [2], [3]]], 2, 1)).ravel())
    [2 0]

    Source: TensorFlow 1.x, `tf.image.resize_image_with_crop_or_pad`.
    """
    given, axis = framed_image(image)
    _require(target_height, 1, "target_height")
    _require(target_width, 1, "target_width")
    height, width = _sizes(given, axis)
    (top, above), (left, before) = (_offsets(new, old) for new, old in ((target_height, height), (target_width, width)))
    part = _cropped(given, axis, top, left, _smaller(target_height, height), _smaller(target_width, width))
    return _framed(part, axis, above, before, target_height, target_width)


def _offsets(new: Any, old: Any) -> tuple[Any, Any]:
    """How much is cut before, and how much is added before."""
    if isinstance(new, int) and isinstance(old, int):
        return max(-(new - old) // 2, 0), max((new - old) // 2, 0)
    more = subtract(new, old)
    return maximum(floordiv(-more, 2), 0), maximum(floordiv(more, 2), 0)


def _smaller(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else minimum(a, b)


@composite("central_crop")
def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle of images.

    Args:
        image: (height, width, channels), or several with the batch before; any dtype.
        central_fraction: which part of the height and of the width stays, in (0, 1].

    Returns:
        Images with the dtype of `image`.

    Raises:
        ValueError: the rank is another, or the fraction is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.central_crop(tf.reshape(tf.range(16), [4, 4, 1]), 0.5))[:, :, 0])
    [[ 5  6]
     [ 9 10]]

    Source: TensorFlow 1.x, `tf.image.central_crop`.
    """
    images, axis = framed_image(image)
    part = float(central_fraction)
    if not 0.0 < part <= 1.0:
        raise ValueRuleError(f"central_fraction must be within (0, 1], but is {central_fraction}")
    if part == 1.0:
        return images
    starts: list[Any] = []
    sizes: list[Any] = []
    for size in _sizes(images, axis):
        if isinstance(size, int):
            starts.append(int((size - size * part) / 2))
        else:
            wide = cast(size, "float64")
            starts.append(cast((wide - wide * part) / 2.0, "int32"))
        sizes.append(_less(_less(size, starts[-1]), starts[-1]))
    return _cropped(images, axis, starts[0], starts[1], sizes[0], sizes[1])
