"""`tf.image.draw_bounding_boxes`: images with boxes drawn on them."""

from __future__ import annotations

from typing import Annotated, Any, Final

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float16, float32
from ...graph.shapes.shape import TensorShape
from ..create.creation import zeros
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, require_rank, require_shapes, same_size

PUBLIC_NAMES = {"image": "draw_bounding_boxes"}

_Images = Annotated[TensorLike, Operand("T", bits_of(float16, float32), prefer=float32)]
_Single = Annotated[TensorLike, Operand(None, bits_of(float32), prefer=float32)]
_COLORS: Final = np.array([
    [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1],
    [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1],
], np.float32)  # fmt: skip
"""TensorFlow's colours: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""
_DEPTHS = (1, 3, 4)


@op("DrawBoundingBoxesV2", graphdef="T=images", host_only=True, no_gradient="as in TensorFlow, a drawing has none")
def draw_bounding_boxes_op(images: _Images, boxes: _Single, colors: _Single, name: str | None = None) -> Tensor:
    """The op behind `tf.image.draw_bounding_boxes`; without colours those of the table."""


@draw_bounding_boxes_op.shape
def draw_bounding_boxes_shape(images: Tensor, boxes: Tensor, colors: Tensor) -> TensorShape:
    require_rank(images, 4, 0, "Images have the batch, the height, the width and the channels.")
    require_rank(boxes, 3, 1, "Boxes have the batch, the number and (y_min, x_min, y_max, x_max).")
    require_rank(colors, 2, 2, "Colours have the number and the channels.")
    batch, _, _, depth = dims_of(images, 4)
    own, _, width = dims_of(boxes, 3)
    if isinstance(depth, int) and depth not in _DEPTHS:
        raise ShapeError(f"the images have {depth} channels; they must have 1, 3 or 4", operand=0, dim=3)
    if width is not None:
        same_size(width, 4, 1, 2, "A box is (y_min, x_min, y_max, x_max).")
    if batch is not None and own is not None:
        same_size(batch, own, 1, 0, "There is a list of boxes for each image.")
    return images.shape


@draw_bounding_boxes_op.kernel
def draw_bounding_boxes_kernel(xp: Any, images: Any, boxes: Any, colors: Any) -> Any:
    if images.ndim != 4 or boxes.ndim != 3 or boxes.shape[2] != 4 or len(boxes) != len(images):
        raise InvalidArgumentError(message=f"images has shape {list(images.shape)} and boxes {list(boxes.shape)}; they "
                                           "must be [batch, height, width, channels] and [batch, n, 4]")  # fmt: skip
    _, height, width, depth = images.shape
    if depth not in _DEPTHS:
        raise InvalidArgumentError(message=f"images have {depth} channels; they must have 1, 3 or 4")
    table = _table(colors, depth)
    out = images.copy()
    steps = np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
    places = np.trunc(boxes * steps)
    for image, found in zip(out, places, strict=True):
        for number, corners in enumerate(found.tolist()):
            if np.isfinite(corners).all():
                _draw(image, [int(each) for each in corners], table[number % len(table)], height, width)
    return out


def _table(colors: Any, depth: int) -> Any:
    if not colors.size:
        table = _COLORS[:, :depth].copy()
        if depth == 1:
            table[:, 0] = 1.0  # white
        return table
    require_shapes(colors=(colors, "nc"))
    if colors.shape[1] < depth:
        raise InvalidArgumentError(message=f"colors has {colors.shape[1]} channels and the images have {depth}")
    return colors[:, :depth]


def _draw(image: Any, corners: list[int], color: Any, height: int, width: int) -> None:
    """The sides of a box as far as they are inside of the image; a box turned inside out has none."""
    top, left, bottom, right = corners
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows, columns = slice(max(top, 0), min(bottom, height - 1) + 1), slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = color
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = color


@draw_bounding_boxes_op.samples
def draw_bounding_boxes_samples(rng: np.random.Generator) -> Samples:
    images = rng.random((2, 6, 7, 3)).astype("f4")
    boxes = np.sort(rng.uniform(-0.2, 1.2, (2, 3, 2, 2)), 2).reshape(2, 3, 4).astype("f4")
    yield sample(images, boxes, np.zeros((0, 4), "f4"))
    yield sample(images[..., :1], boxes, rng.random((2, 1)).astype("f4"))


@reported_as_call("DrawBoundingBoxes", one_op=True)
def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike | None = None
) -> Tensor:
    """Images with the outlines of boxes.

    Args:
        images: floats of shape [batch, height, width, channels] with 1, 3 or 4 channels.
        boxes: float32 of shape [batch, n, 4]: (y_min, x_min, y_max, x_max) as shares of height and width.
        name: the name of the node.
        colors: float32 of shape [m, channels], which the boxes of an image get in turn; by default ten colours, and
            white in images of one channel.

    Returns:
        Images like `images`. What of a box is outside of its image is not drawn.

    Raises:
        TypeError: a dtype is another one.
        ValueError: ranks or shapes do not fit, or the images have another number of channels.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     drawn = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 4, 1]), [[[0.0, 0.0, 1.0, 0.7]]])
    ...     print(session.run(drawn)[0, :, :, 0])
    [[1. 1. 1. 0.]
     [1. 0. 1. 0.]
     [1. 1. 1. 0.]]

    Source: TensorFlow 1.15, `tf.image.draw_bounding_boxes`.
    """
    colors = zeros([0, 4]) if colors is None else colors
    return draw_bounding_boxes_op(images, boxes, colors, name or "DrawBoundingBoxes")
