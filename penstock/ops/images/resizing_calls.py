"""Images of another size: resize_images, and its methods as functions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...errors import ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.op_declaration import OpDef
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32, int32
from ..control.control import identity
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import maximum, minimum, multiply, reciprocal, truediv
from ..elementwise.casting import cast
from ..elementwise.round_and_classify import floor
from ..elementwise.round_and_classify import round as round_op
from ..move.concat_stack import pack
from ..move.reshaping import expand_dims, squeeze
from .area_resizing import resize_area
from .image_frames import framed_image, pad_to_bounding_box
from .resizing_ops import resize_bicubic, resize_bilinear, resize_nearest_neighbor

PUBLIC_NAMES = {"image": "ResizeMethod resize=resize_images resize_image_with_pad resize_images"}


class ResizeMethod:
    """The methods of `resize_images`.

    >>> import penstock as tf
    >>> tf.image.ResizeMethod.NEAREST_NEIGHBOR
    1
    """

    BILINEAR: Final = 0
    NEAREST_NEIGHBOR: Final = 1
    BICUBIC: Final = 2
    AREA: Final = 3


_OF_METHOD: dict[int, OpDef[Any, Any]] = {
    0: resize_bilinear, 1: resize_nearest_neighbor, 2: resize_bicubic, 3: resize_area,
}  # fmt: skip
_NAMES = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}


@composite("resize")
def resize_images(
    images: TensorLike,
    size: TensorLike,
    method: int | str = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    TensorFlow up to 0.11 had `resize_images(images, new_height, new_width, method)`: with an int as `size` the
    arguments are taken so.

    Args:
        images: one image (height, width, channels) or several (batch, height, width, channels): numbers that are not
            complex.
        size: [new height, new width], int32.
        method: one of `tf.image.ResizeMethod`, or "bilinear" (the default), "nearest", "bicubic", "area".
        align_corners: whether the centers of the pixels in the corners stay where they are.
        preserve_aspect_ratio: whether images keep their form and `size` is the largest one.

    Returns:
        Images with the new height and width: float32, or for "nearest" of the dtype of `images`. Images that have the
        size already stay as they are.

    Raises:
        TypeError: a dtype is another.
        ValueError: the rank is another, `size` is no vector of two numbers, or the method is not there.
        InvalidArgumentError (when run): a size is 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(4.0), [2, 2, 1])
    ...     print(session.run(tf.image.resize_images(image, [2, 3], align_corners=True))[:, :, 0])
    [[0.  0.5 1. ]
     [2.  2.5 3. ]]

    Source: TensorFlow 1.x, `tf.image.resize_images`.
    """
    if isinstance(size, int | np.integer) and isinstance(method, int | np.integer):
        size, method = [size, method], 0 if isinstance(align_corners, bool) else align_corners
        align_corners = align_corners is True
    tensor = convert_to_tensor(images)
    rank = tensor.shape.ndims
    if rank is None:
        raise ShapeError("'images' contains no shape.")
    if rank not in (3, 4):
        raise ShapeError("'images' must have either 3 or 4 dimensions.")
    resizing = _of_method(method)
    batch = expand_dims(tensor, 0) if rank == 3 else tensor
    wanted = convert_to_tensor(size, int32)
    if not wanted.shape.is_compatible_with([2]):
        raise ShapeError(f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width, not {wanted.shape}")
    if preserve_aspect_ratio:
        wanted = _within(batch, wanted)
    sizes, dims = known_value(wanted), batch.shape.raw or ()
    if sizes is not None and list(dims[1:3]) == sizes.tolist():
        return identity(tensor)  # of its own dtype, as in TensorFlow
    resized: Tensor = resizing(batch, wanted, align_corners)
    return squeeze(resized, [0]) if rank == 3 else resized


def _of_method(method: int | str) -> OpDef[Any, Any]:
    """The op of a method; ValueError if there is none."""
    number = _NAMES.get(method, method) if isinstance(method, str) else method
    if number not in _OF_METHOD:
        raise ValueRuleError(f"Resize method is not implemented: {method!r}. Write bilinear, nearest, bicubic or area")
    return _OF_METHOD[number]


def _within(images: Tensor, size: Tensor) -> Tensor:
    """The largest size with the form of the images."""
    old = cast(shape_op(images)[1:3], float32)
    factors = truediv(cast(size, float32), old)
    return cast(round_op(multiply(old, minimum(factors[0], factors[1]))), int32)


# ---- `tf.image.resize_image_with_pad`: images of another size that keep their form, with zeros around them


@composite("resize_image_with_pad")
def resize_image_with_pad(
    image: TensorLike, target_height: int, target_width: int, method: int | str = 0, align_corners: bool = False
) -> Tensor:
    """Images of another size that keep their form: the smaller side is filled up with zeros on both ends.

    Args:
        image: (height, width, channels), or several with the batch before: numbers that are not complex.
        target_height, target_width: the size of the result, ints above 0.
        method: as `tf.image.resize_images` has it.
        align_corners: whether the centers of the pixels in the corners stay where they are.

    Returns:
        Images of that size: float32, or for "nearest" of the dtype of `image`.

    Raises:
        TypeError: a dtype is another.
        ValueError: the rank is another; a size is not above 0; no such method.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_image_with_pad([[[1.0], [2.0]]], 2, 2))[:, :, 0])
    [[1. 2.]
     [0. 0.]]

    Source: TensorFlow 1.15, `tf.image.resize_image_with_pad`.
    """
    given, first = framed_image(image)
    rank = 3 + first
    for label, size in (("target_height", target_height), ("target_width", target_width)):
        if not isinstance(size, Tensor) and size <= 0:
            raise ValueRuleError(f"{label} must be > 0, but is {size}")
    batch = given if rank == 4 else expand_dims(given, 0)
    size, above, left = _placed(batch, target_height, target_width)
    # Images that have the size already become floats, too, as in TensorFlow.
    resized = _of_method(method)(batch, convert_to_tensor(size, int32), align_corners)
    padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
    if padded.shape[-1].value is None:
        padded.set_shape([None, None, None, batch.shape[-1].value])
    return padded if rank == 4 else squeeze(padded, [0])


def _placed(batch: Tensor, target_height: Any, target_width: Any) -> tuple[Any, Any, Any]:
    """(the size inside of the frame, the rows above it, the columns at its left)."""
    known = batch.shape.as_list()[1:3]
    if all(isinstance(each, int) for each in (*known, target_height, target_width)):
        sizes = np.array(known, np.float32)  # TensorFlow rounds so: 8 / (8 / 7) is 6 or 7
        target = np.array([target_height, target_width], np.float32)
        inner = sizes / (sizes / target).max()
        height, width = np.floor(inner).astype(int).tolist()
        above, left = np.maximum(np.floor((target - inner) / 2), 0).astype(int).tolist()
        return [height, width], above, left
    shown = cast(shape_op(batch)[1:3], float32)
    frame = cast(pack([convert_to_tensor(target_height, int32), convert_to_tensor(target_width, int32)]), float32)
    shares = shown * reciprocal(frame)  # TensorFlow rounds so where the target is constant
    fitting = shown / maximum(shares[0], shares[1])
    before = maximum(cast(floor((frame - fitting) / 2.0), int32), 0)
    return cast(floor(fitting), int32), before[0], before[1]
