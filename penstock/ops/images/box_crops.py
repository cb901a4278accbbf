"""`tf.image.crop_and_resize`: boxes of images, each resized to one size, with gradients by image and boxes.

Pixel (y, x) of a crop lies at (in_y, in_x) of its image: between the rows y1 and y2, and the columns x1 and x2, of its
box; a crop of one row takes the middle. What lies outside of the image is `extrapolation_value`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, OutOfRangeError, UseError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Attr, FloatAttr, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype, float32, int8, int16, int32, int64, uint8, uint16
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import reported_as_call
from ..declare.plain_values import choice
from ..declare.shape_checks import dims_of, possible, require_rank, require_shapes, same_size

PUBLIC_NAMES = {"image": "crop_and_resize"}

_Image: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS | bits_of(uint8, uint16, int8, int16, int32, int64))]
_Boxes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(float32), prefer=float32)]
_Places: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]
_Sizes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), host=True, prefer=int32)]
_METHODS = ("bilinear", "nearest")
_Method: TypeAlias = Annotated[str, Attr(lambda value: choice("method", value, _METHODS))]
_Dtype: TypeAlias = Annotated[Any, Attr(as_dtype)]
_F = np.float32


@op("CropAndResize", graphdef="T=image method extrapolation_value ->crops", out=float32, host_only=True,
    gradient_note="its boxes are float32 only, too few digits for differences")  # fmt: skip
def crop_and_resize_op(
    image: _Image, boxes: _Boxes, box_ind: _Places, crop_size: _Sizes, method: _Method = "bilinear",
    extrapolation_value: FloatAttr = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `tf.image.crop_and_resize`."""


@op("CropAndResizeGradImage", graphdef="T method", out="T", host_only=True, ranks={"grads": 4})
def crop_and_resize_grad_image_op(
    grads: _Boxes, boxes: _Boxes, box_ind: _Places, image_size: _Sizes, T: _Dtype = float32,
    method: _Method = "bilinear", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of CropAndResize by the images, which have the shape `image_size`."""


@op("CropAndResizeGradBoxes", graphdef="T=image method", out=float32, host_only=True, ranks={"grads": 4, "image": 4})
def crop_and_resize_grad_boxes_op(
    grads: _Boxes, image: _Image, boxes: _Boxes, box_ind: _Places, method: _Method = "bilinear", name: str | None = None
) -> Tensor:
    """The gradient of CropAndResize by the boxes, for linear interpolation."""


crop_and_resize_grad_image_op.no_gradient("as in TensorFlow, crop_and_resize has no second derivative")
crop_and_resize_grad_boxes_op.no_gradient("as in TensorFlow, crop_and_resize has no second derivative")


def _check_boxes(boxes: Tensor, box_ind: Tensor, first: int) -> None:
    require_rank(boxes, 2, first, "Boxes are rows (y1, x1, y2, x2).")
    require_rank(box_ind, 1, first + 1, "box_ind has the number of an image for each box.")
    count, width = dims_of(boxes, 2)
    (own,) = dims_of(box_ind, 1)
    if width is not None:
        same_size(width, 4, first, 1, "A box is (y1, x1, y2, x2).")
    if count is not None and own is not None:
        same_size(count, own, first + 1, 0, "There is one number of an image for each box.")


@crop_and_resize_op.shape
def crop_and_resize_shape(image: Tensor, boxes: Tensor, box_ind: Tensor, size: Tensor, *attrs: Any) -> TensorShape:
    require_rank(image, 4, 0, "Images have the batch, the height, the width and the channels.")
    _check_boxes(boxes, box_ind, 1)
    require_rank(size, 1, 3, "crop_size is [height, width].")
    if isinstance(dims_of(size, 1)[0], int):
        same_size(dims_of(size, 1)[0] or 0, 2, 3, 0, "crop_size is [height, width].")
    entries = known_vector(size)
    places = unknown_dims(2, "crop_size is not known before the run", size) if entries is None else [
        unknown("crop_size is not known before the run", size) if each is None else each for each in entries
    ]  # fmt: skip
    count, depth = dims_of(boxes, 2)[0], dims_of(image, 4)[3]
    return shape_of([
        unknown("the number of boxes is not known", boxes) if count is None else count, *places,
        unknown("the channels of the image are not known", image) if depth is None else depth,
    ])  # fmt: skip


@crop_and_resize_grad_image_op.shape
def image_gradient_shape(grads: Tensor, boxes: Tensor, box_ind: Tensor, size: Tensor, *attrs: Any) -> TensorShape:
    _check_boxes(boxes, box_ind, 1)
    require_rank(size, 1, 3)
    entries = known_vector(size)
    if entries is None:
        return shape_of(unknown_dims(4, "image_size is not known before the run", size))
    return shape_of([
        unknown("image_size is not known before the run", size) if each is None else each for each in entries
    ])  # fmt: skip


@crop_and_resize_grad_boxes_op.shape
def boxes_gradient_shape(grads: Tensor, image: Tensor, boxes: Tensor, box_ind: Tensor, method: str) -> TensorShape:
    _check_boxes(boxes, box_ind, 2)
    return boxes.shape


# ---- kernels ------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """Where the rows of a crop lie in its image, or the columns.

    Attributes:
        at: the places, between two rows.
        inside: which of them are inside of the image.
        before, after: the rows around each place; one of the image for places outside of it.
        part: how far a place is behind the row before.
        steps: the derivative of each place by the first and by the last coordinate of the box.
    """

    at: Any
    inside: Any
    before: Any
    after: Any
    part: Any
    steps: tuple[Any, Any]


def _line(first: Any, last: Any, count: int, size: int) -> _Line:
    numbers, most = np.arange(count, dtype=_F), _F(size - 1)
    if count > 1:
        at = first * most + numbers * ((last - first) * most / _F(count - 1))
        share = numbers / _F(count - 1)
        steps = (most * (_F(1) - share), most * share)
    else:
        at = np.full(count, _F(0.5) * (first + last) * most, _F)
        steps = (np.full(count, _F(0.5) * most), np.full(count, _F(0.5) * most))
    inside = (at >= 0) & (at <= most)
    safe = np.where(inside, at, _F(0))
    before = np.floor(safe).astype(np.int64)
    return _Line(at, inside, before, np.ceil(safe).astype(np.int64), safe - before.astype(_F), steps)


def _nearest(line: _Line) -> Any:
    """The row next to each place; those half-way go up."""
    return np.where(line.inside, np.floor(np.where(line.inside, line.at, 0) + _F(0.5)), 0).astype(np.int64)


def _lines(boxes: Any, number: int, crops: tuple[int, int], sizes: tuple[int, int]) -> tuple[_Line, _Line]:
    y1, x1, y2, x2 = boxes[number]
    return _line(y1, y2, crops[0], sizes[0]), _line(x1, x2, crops[1], sizes[1])


def _check_places(box_ind: Any, batch: int) -> None:
    wrong = (box_ind < 0) | (box_ind >= batch)
    if wrong.any():
        raise OutOfRangeError(message=f"box_index has values outside [0, batch_size): box {int(wrong.argmax())} is of "
                                      f"image {int(box_ind[wrong.argmax()])}, and there are {batch}")  # fmt: skip


@crop_and_resize_op.kernel
def crop_and_resize_kernel(
    xp: Any, image: Any, boxes: Any, box_ind: Any, crop_size: Any, method: str, extrapolation_value: float
) -> Any:
    require_shapes(image=(image, "nhwc"), boxes=(boxes, "k4"), box_ind=(box_ind, "k"), crop_size=(crop_size, "2"))
    height, width = (int(each) for each in crop_size)
    if height <= 0 or width <= 0:
        raise InvalidArgumentError(message=f"crop dimensions must be positive, not {height} and {width}")
    _check_places(box_ind, len(image))
    out = np.full((len(boxes), height, width, image.shape[3]), extrapolation_value, _F)
    for number, place in enumerate(box_ind.tolist()):
        rows, columns = _lines(boxes, number, (height, width), image.shape[1:3])
        pixels = image[place]
        if method == "nearest":
            found = pixels[_nearest(rows)[:, None], _nearest(columns)].astype(_F)
        else:
            found = _between(pixels, rows, columns)
        inside = rows.inside[:, None] & columns.inside
        out[number][inside] = found[inside]
    return out


def _corners(pixels: Any, rows: _Line, columns: _Line) -> list[Any]:
    """The four pixels around each place: above left, above right, below left, below right."""
    return [pixels[row[:, None], column].astype(_F) for row in (rows.before, rows.after)
            for column in (columns.before, columns.after)]  # fmt: skip


def _between(pixels: Any, rows: _Line, columns: _Line) -> Any:
    above_left, above_right, below_left, below_right = _corners(pixels, rows, columns)
    across, down = columns.part[None, :, None], rows.part[:, None, None]
    above = above_left + (above_right - above_left) * across
    below = below_left + (below_right - below_left) * across
    return above + (below - above) * down


@crop_and_resize_grad_image_op.kernel
def image_gradient_kernel(
    xp: Any, grads: Any, boxes: Any, box_ind: Any, image_size: Any, T: DType, method: str
) -> Any:
    require_shapes(grads=(grads, "khwc"), boxes=(boxes, "k4"), box_ind=(box_ind, "k"), image_size=(image_size, "4"))
    sizes = [int(each) for each in image_size]
    if min(sizes) < 0 or sizes[3] != grads.shape[3]:
        raise InvalidArgumentError(message=f"image_size must be that of images with {grads.shape[3]} channels, and is "
                                           f"{sizes}")  # fmt: skip
    possible(sizes, 8)
    _check_places(box_ind, sizes[0])
    out = np.zeros(sizes, np.float64)
    for number, place in enumerate(box_ind.tolist()):
        rows, columns = _lines(boxes, number, grads.shape[1:3], (sizes[1], sizes[2]))
        inside = (rows.inside[:, None] & columns.inside)[:, :, None]
        g = np.where(inside, grads[number], 0).astype(np.float64)
        if method == "nearest":
            np.add.at(out[place], (_nearest(rows)[:, None], _nearest(columns)), g)
            continue
        down, across = rows.part[:, None, None], columns.part[None, :, None]
        for row, tall in ((rows.before, 1 - down), (rows.after, down)):
            for column, wide in ((columns.before, 1 - across), (columns.after, across)):
                np.add.at(out[place], (row[:, None], column), g * tall * wide)
    return out.astype(T.np)


@crop_and_resize_grad_boxes_op.kernel
def boxes_gradient_kernel(xp: Any, grads: Any, image: Any, boxes: Any, box_ind: Any, method: str) -> Any:
    require_shapes(image=(image, "nhwc"), grads=(grads, "kyxc"), boxes=(boxes, "k4"), box_ind=(box_ind, "k"))
    _check_places(box_ind, len(image))
    out = np.zeros(boxes.shape, _F)
    for number, place in enumerate(box_ind.tolist()):
        rows, columns = _lines(boxes, number, grads.shape[1:3], image.shape[1:3])
        above_left, above_right, below_left, below_right = _corners(image[place], rows, columns)
        across, down = columns.part[None, :, None], rows.part[:, None, None]
        by_y = (1 - across) * (below_left - above_left) + across * (below_right - above_right)
        by_x = (1 - down) * (above_right - above_left) + down * (below_right - below_left)
        g = np.where((rows.inside[:, None] & columns.inside)[:, :, None], grads[number], 0)
        of_rows, of_columns = (g * by_y).sum((1, 2)), (g * by_x).sum((0, 2))
        out[number] = [(of_rows * rows.steps[0]).sum(), (of_columns * columns.steps[0]).sum(),
                       (of_rows * rows.steps[1]).sum(), (of_columns * columns.steps[1]).sum()]  # fmt: skip
    return out


@crop_and_resize_op.gradient("image, boxes: CropAndResizeGradImage, CropAndResizeGradBoxes")
def crop_and_resize_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    image, boxes, box_ind, _ = op.inputs
    method = op.args[4]

    def of_boxes() -> Tensor:
        return crop_and_resize_grad_boxes_op(g, image, boxes, box_ind, "bilinear")

    def of_image() -> Tensor:
        return crop_and_resize_grad_image_op(g, boxes, box_ind, shape_op(image), image.dtype, method)

    return [of_image if image.dtype.is_floating else None, of_boxes, None, None]


def _sampled(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    corners = np.sort(rng.uniform(0.05, 0.95, (3, 2, 2)), 1).reshape(3, 4)[:, [0, 1, 2, 3]].astype("f4")
    return rng.random((2, 5, 6, 2)).astype("f4"), corners, np.array([0, 1, 1], "i4")


@crop_and_resize_op.samples
def crop_and_resize_samples(rng: np.random.Generator) -> Samples:
    image, boxes, box_ind = _sampled(rng)
    yield sample(image, boxes, box_ind, np.array([3, 4], "i4"))
    yield sample(image, boxes, box_ind, np.array([1, 2], "i4"), "bilinear", 0.5)
    yield sample((image * 255).astype("u1"), boxes + np.float32(0.3), box_ind, np.array([2, 2], "i4"), "nearest", -1.0)
    yield sample(image, np.zeros((0, 4), "f4"), np.zeros(0, "i4"), np.array([3, 4], "i4"))


@crop_and_resize_grad_image_op.samples
def image_gradient_samples(rng: np.random.Generator) -> Samples:
    _, boxes, box_ind = _sampled(rng)
    size = np.array([2, 5, 6, 2], "i4")
    for method in _METHODS:
        yield sample(rng.random((3, 2, 3, 2)).astype("f4"), boxes, box_ind, size, "float32", method)
    yield sample(np.zeros((0, 2, 3, 2), "f4"), np.zeros((0, 4), "f4"), np.zeros(0, "i4"), size)


@crop_and_resize_grad_boxes_op.samples
def boxes_gradient_samples(rng: np.random.Generator) -> Samples:
    image, boxes, box_ind = _sampled(rng)
    yield sample(rng.random((3, 2, 3, 2)).astype("f4"), image, boxes, box_ind)
    yield sample(np.zeros((0, 2, 3, 2), "f4"), image, np.zeros((0, 4), "f4"), np.zeros(0, "i4"))


# ---- the function -------------------------------------------------------------------------------


@reported_as_call("CropAndResize", one_op=True)
def crop_and_resize(
    image: TensorLike, boxes: TensorLike, box_ind: TensorLike | None = None, crop_size: TensorLike | None = None,
    method: str = "bilinear", extrapolation_value: float = 0, name: str | None = None,
    box_indices: TensorLike | None = None
) -> Tensor:  # fmt: skip
    """Parts of images, each resized to one size.

    Args:
        image: real numbers of shape [batch, height, width, channels].
        boxes: float32 of shape [n, 4]: (y1, x1, y2, x2) as shares of height and width. A box may be larger than its
            image, or turned over.
        box_ind: int32 of shape [n]: the number of each box's image.
        crop_size: [height, width] of all results, int32.
        method: "bilinear" or "nearest".
        extrapolation_value: the value of what is outside of the image.
        box_indices: another name of `box_ind`.

    Returns:
        float32 of shape [n, height, width, channels].

    Raises:
        TypeError: a dtype is another one, or an argument is missing.
        ValueError: ranks or shapes do not fit, or there is no such method.
        OutOfRangeError (when run): there is no image of a box's number.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     crop = tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 0.5]], [0], [3, 2])
    ...     print(session.run(crop)[0, :, :, 0])
    [[0. 1.]
     [3. 4.]
     [6. 7.]]

    Source: TensorFlow 1.15, `tf.image.crop_and_resize`.
    """
    places = box_ind if box_indices is None else box_indices
    if places is None or crop_size is None or (box_ind is not None and box_indices is not None):
        raise UseError("write crop_and_resize(image, boxes, box_ind, crop_size); box_indices is box_ind's other name")
    return crop_and_resize_op(image, boxes, places, crop_size, method, extrapolation_value, name=name)
