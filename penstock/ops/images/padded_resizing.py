"""`tf.image.resize_image_with_pad`: images of another size that keep their form, with zeros around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32, int32
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite
from ..elementwise.arithmetic import maximum
from ..elementwise.casting import cast
from ..elementwise.round_and_classify import floor
from ..move.concat_stack import pack
from ..move.reshaping import expand_dims, squeeze
from .image_frames import pad_to_bounding_box
from .resizing_calls import resize_images


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
        ValueError: the rank is another or not known; a size is not above 0; no such method.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_image_with_pad([[[1.0], [2.0]]], 2, 2))[:, :, 0])
    [[1. 2.]
     [0. 0.]]

    Source: TensorFlow 1.15, `tf.image.resize_image_with_pad`.
    """
    given = convert_to_tensor(image)
    rank = given.shape.ndims
    if rank not in (3, 4):
        raise ShapeError(f"'image' (shape {given.shape}) must have either 3 or 4 dimensions.",
                         cure="An image is (height, width, channels), several have the batch before.")  # fmt: skip
    for label, size in (("target_height", target_height), ("target_width", target_width)):
        if not isinstance(size, Tensor) and size <= 0:
            raise ValueRuleError(f"{label} must be > 0, but is {size}")
    batch = given if rank == 4 else expand_dims(given, 0)
    size, above, left = _placed(batch, target_height, target_width)
    resized = resize_images(batch, size, method, align_corners)
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
    shares = shown / frame
    fitting = shown / maximum(shares[0], shares[1])
    before = maximum(cast(floor((frame - fitting) / 2.0), int32), 0)
    return cast(floor(fitting), int32), before[0], before[1]
