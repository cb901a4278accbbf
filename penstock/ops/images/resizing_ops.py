"""The nodes that resize images, as TensorFlow has them, and their gradients: the nearest pixel, linear and cubic
interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_declaration import OpDef, Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import FLOATS, Flag, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import float32, float64, int8, int16, int32, int64, uint8, uint16
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ..convolution.convolution_attributes import Sizes
from ..declare.shape_checks import dims_of, ints_of, listed, require_rank
from .resizing_kernels import added, between, column, cubic, nearest, taken

PUBLIC_NAMES = {"image": "resize_bicubic resize_bilinear resize_nearest_neighbor"}

Pixels: TypeAlias = Annotated[
    TensorLike, Operand("T", FLOATS | bits_of(int8, int16, int32, int64, uint8, uint16))
]  # fmt: skip
Gradients: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS | bits_of(int8, int32, uint8))]
Single: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(float32))]
Original: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS)]
Wide: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(float32, float64))]


@op("ResizeBilinear", graphdef="T=images align_corners half_pixel_centers ->resized_images", out=float32)
def resize_bilinear(
    images: Pixels,
    size: Sizes,
    align_corners: Flag = False,
    name: str | None = None,
    half_pixel_centers: Flag = False,
) -> Tensor:
    """Images of another size, by linear interpolation between pixels.

    Args:
        images: of shape (batch, height, width, channels): numbers that are not complex.
        size: [new height, new width], int32.
        align_corners: whether the centers of the pixels in the corners stay where they are.
        half_pixel_centers: whether pixels lie at their centers, 0.5, 1.5 ..., and not at 0, 1 ...

    Returns:
        float32 images of shape (batch, new height, new width, channels).

    Raises:
        TypeError: a dtype is another.
        ValueError: ranks do not fit.
        InvalidArgumentError (when run): a size is 0, or both flags are set.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_bilinear([[[[0.0], [4.0]]]], [1, 4])).ravel())
    [0. 2. 4. 4.]

    Source: TensorFlow 1.x, `tf.image.resize_bilinear`.
    """


@op("ResizeNearestNeighbor", graphdef="T=images align_corners half_pixel_centers ->resized_images")
@documented_like(resize_bilinear)
def resize_nearest_neighbor(
    images: Pixels,
    size: Sizes,
    align_corners: Flag = False,
    name: str | None = None,
    half_pixel_centers: Flag = False,
) -> Tensor:
    """Images of another size, each pixel the nearest one.

    Returns:
        Images of shape (batch, new height, new width, channels) with the dtype of `images`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_nearest_neighbor([[[[1], [2]]]], [1, 4])).ravel())
    [1 1 2 2]
    """


@op("ResizeNearestNeighborGrad", graphdef="T=grads align_corners half_pixel_centers")
def resize_nearest_neighbor_grad_op(
    grads: Gradients, size: Sizes, align_corners: Flag = False, half_pixel_centers: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of ResizeNearestNeighbor, by images of height and width `size`."""


@op("ResizeBilinearGrad", graphdef="T=original_image align_corners half_pixel_centers", out="T",
    gradient_note="its operand is float32 only, too few digits for differences")  # fmt: skip
def resize_bilinear_grad_op(
    grads: Single, original_image: Original, align_corners: Flag = False, half_pixel_centers: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of ResizeBilinear, by images of the shape and dtype of `original_image`."""


@op("ResizeBicubic", graphdef="T=images align_corners half_pixel_centers ->resized_images", out=float32)
@documented_like(resize_bilinear)
def resize_bicubic(
    images: Pixels,
    size: Sizes,
    align_corners: Flag = False,
    name: str | None = None,
    half_pixel_centers: Flag = False,
) -> Tensor:
    """Images of another size, by cubic interpolation between pixels.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_bicubic([[[[0.0], [4.0]]]], [1, 4])).ravel())
    [0.    2.    4.    4.375]
    """


@op("ResizeBicubicGrad", graphdef="T=original_image align_corners half_pixel_centers", out="T",
    gradient_note="its operand is float32 only, too few digits for differences")  # fmt: skip
def resize_bicubic_grad_op(
    grads: Single, original_image: Wide, align_corners: Flag = False, half_pixel_centers: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of ResizeBicubic, by images of the shape and dtype of `original_image`."""


_FORWARD: tuple[OpDef[Any, Any], ...] = (resize_nearest_neighbor, resize_bilinear, resize_bicubic)
_BY_SIZE: tuple[OpDef[Any, Any], ...] = (*_FORWARD, resize_nearest_neighbor_grad_op)
_BY_IMAGE: tuple[OpDef[Any, Any], ...] = (resize_bilinear_grad_op, resize_bicubic_grad_op)
_IMAGES = "Images have the batch, the height, the width and the channels."


# ---- shapes and shards --------------------------------------------------------------------------


def resized_shape(images: Tensor, size: Tensor, *attrs: Any) -> TensorShape:
    """The shape of images of a size that an operand lists."""
    require_rank(images, 4, 0, _IMAGES)
    require_rank(size, 1, 1, "size is [height, width].")
    dims, entries = dims_of(images, 4), known_vector(size)
    if entries is not None and len(entries) != 2:
        raise ShapeError(
            f"Dimension must be 2 but is {len(entries)}", operand=1, dim=0, cure="size is [height, width]."
        )  # fmt: skip
    places = unknown_dims(2, "size is not known before the run", size) if entries is None else [
        unknown(f"size[{i}] is not known before the run", size)
        if each is None or (isinstance(each, int) and each < 0) else each for i, each in enumerate(entries)
    ]  # fmt: skip
    others = [unknown("the shape of the images is not known", images) if dim is None else dim for dim in dims]
    return shape_of([others[0], *places, others[3]])


for opdef in _BY_SIZE:
    opdef.shape(resized_shape)
    opdef.distributes(labelled(lambda images, size, *attrs: (
        [["batch", None, None, None]], [["batch", None, None, None]]
    )))  # fmt: skip


def original_shape(grads: Tensor, original: Tensor, *attrs: Any) -> TensorShape:
    """The shape of the images that were resized."""
    require_rank(grads, 4, 0, _IMAGES)
    require_rank(original, 4, 1, _IMAGES)
    return original.shape if original.shape.raw is not None else shape_of(
        unknown_dims(4, "the shape of original_image is not known", original)
    )  # fmt: skip


for opdef in _BY_IMAGE:
    opdef.shape(original_shape)
    opdef.distributes(labelled(lambda grads, original, *attrs: (
        [["batch", None, None, None]] * 2, [["batch", None, None, None]]
    )))  # fmt: skip


# ---- kernels ------------------------------------------------------------------------------------


def checked(images: Any, size: Any, corners: bool, half: bool, is_gradient: bool = False) -> tuple[int, int]:
    """The height and width of the result; InvalidArgumentError where they do not fit."""
    if half and corners:
        raise InvalidArgumentError(message="If half_pixel_centers is True, align_corners must be False.")
    if images.ndim != 4:
        raise InvalidArgumentError(message=f"input must be 4-dimensional: {listed(images.shape)}")
    if size.shape != (2,):
        raise InvalidArgumentError(message=f"shape_t must have two elements: {listed(size.shape)}")
    height, width = ints_of(size)
    if height <= 0 or width <= 0:
        raise InvalidArgumentError(message=f"output dimensions must be positive: {height} x {width}")
    if not images.shape[1] or not images.shape[2]:
        raise InvalidArgumentError(message=f"input image must be of non-zero size: {listed(images.shape)}")
    if not images.shape[3] and not is_gradient:
        raise InvalidArgumentError(message="image must have at least one channel")
    return height, width


@resize_nearest_neighbor.kernel
def resize_nearest_neighbor_kernel(xp: Any, images: Any, size: Any, corners: bool, half: bool) -> Any:
    height, width = checked(images, size, corners, half)
    rows = taken(xp, images, 1, nearest(images.shape[1], height, corners, half))
    return taken(xp, rows, 2, nearest(images.shape[2], width, corners, half))


@resize_nearest_neighbor_grad_op.kernel
def resize_nearest_neighbor_grad_kernel(xp: Any, grads: Any, size: Any, corners: bool, half: bool) -> Any:
    height, width = checked(grads, size, corners, half, is_gradient=True)
    wide = grads.astype(np.float32) if grads.dtype.kind in "fV" and grads.dtype.itemsize == 2 else grads
    rows = added(xp, wide, 2, width, [(nearest(width, grads.shape[2], corners, half), None)])
    return added(xp, rows, 1, height, [(nearest(height, grads.shape[1], corners, half), None)]).astype(grads.dtype)


@resize_bilinear.kernel
def resize_bilinear_kernel(xp: Any, images: Any, size: Any, corners: bool, half: bool) -> Any:
    new = checked(images, size, corners, half)
    values = images.astype(np.float32)
    if images.shape[1:3] == new:
        return values
    for axis in (2, 1):
        first, second, weight = between(images.shape[axis], new[axis - 1], corners, half)
        one, other = taken(xp, values, axis, first), taken(xp, values, axis, second)
        other -= one
        other *= column(xp.asarray(weight), axis)
        values = one + other
    return values


@resize_bilinear_grad_op.kernel
def resize_bilinear_grad_kernel(xp: Any, grads: Any, original: Any, corners: bool, half: bool) -> Any:
    def parts(new: int, old: int) -> Any:
        first, second, weight = between(old, new, corners, half)
        return [(first, 1 - weight), (second, weight)]

    return _to_pixels(xp, grads, original, corners, half, parts)


@resize_bicubic.kernel
def resize_bicubic_kernel(xp: Any, images: Any, size: Any, corners: bool, half: bool) -> Any:
    new = checked(images, size, corners, half)
    values = images.astype(np.float32)
    for axis in (1, 2):
        pixels, weights = cubic(images.shape[axis], new[axis - 1], corners, half)
        total: Any = None
        for tap in range(4):
            part = taken(xp, values, axis, pixels[tap]) * column(xp.asarray(weights[tap]), axis)
            total = part if total is None else total + part
        values = total
    return values


@resize_bicubic_grad_op.kernel
def resize_bicubic_grad_kernel(xp: Any, grads: Any, original: Any, corners: bool, half: bool) -> Any:
    def parts(new: int, old: int) -> Any:
        return list(zip(*cubic(old, new, corners, half), strict=True))

    return _to_pixels(xp, grads, original, corners, half, parts)


def _to_pixels(xp: Any, grads: Any, original: Any, corners: bool, half: bool, parts: Callable[[int, int], Any]) -> Any:
    """Each gradient added to the pixels it comes from, along both axes."""
    if original.ndim != 4:
        raise InvalidArgumentError(message=f"original_image must be 4-dimensional: {listed(original.shape)}")
    height, width = checked(grads, np.array(original.shape[1:3]), corners, half, is_gradient=True)
    if (grads.shape[0], grads.shape[3]) != (original.shape[0], original.shape[3]):
        raise InvalidArgumentError(message=f"grads {listed(grads.shape)} and original_image {listed(original.shape)} "
                                           "have other batches or channels")  # fmt: skip
    wide = grads.astype(original.dtype) if original.dtype.itemsize == 8 else grads
    rows = added(xp, wide, 2, width, parts(grads.shape[2], width))
    return added(xp, rows, 1, height, parts(grads.shape[1], height)).astype(original.dtype)


# ---- gradients ----------------------------------------------------------------------------------


def height_and_width(ops: Any, images: Tensor) -> Any:
    """The size of images as an operand: a constant where it is known."""
    dims = images.shape.raw
    if dims is not None and isinstance(dims[1], int) and isinstance(dims[2], int):
        return list(dims[1:3])
    return ops.shape(images)[1:3]


@resize_nearest_neighbor.gradient("resize_nearest_neighbor_grad(g, shape(images)[1:3])")
def resize_nearest_neighbor_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, _, *attrs = op.args
    return [lambda: resize_nearest_neighbor_grad_op(g, height_and_width(ops, images), *attrs), None]


def _resized_back(resize: OpDef[..., Tensor], ops: Any, op: Operation, h: Tensor) -> list[Any]:
    """The gradient of a gradient by what it was given: h in the size of that."""
    grads, _, align, half = op.args
    return [lambda: resize(h, height_and_width(ops, grads), align, half_pixel_centers=half), None]


@resize_nearest_neighbor_grad_op.gradient("resize_nearest_neighbor(g, shape(grads)[1:3])")
def resize_nearest_neighbor_grad_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
    return _resized_back(resize_nearest_neighbor, ops, op, h)


@resize_bilinear.gradient("resize_bilinear_grad(g, images)")
def resize_bilinear_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, _, *attrs = op.args
    return [lambda: resize_bilinear_grad_op(g, images, *attrs) if images.dtype.is_floating else None, None]


@resize_bilinear_grad_op.gradient("grads: resize_bilinear(g, shape(grads)[1:3])")
def resize_bilinear_grad_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
    return _resized_back(resize_bilinear, ops, op, h)


@resize_bicubic.gradient("resize_bicubic_grad(g, images)")
def resize_bicubic_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, _, *attrs = op.args

    def by_images() -> Tensor | None:
        if images.dtype in (float32, float64):
            return resize_bicubic_grad_op(g, images, *attrs)
        if not images.dtype.is_floating:
            return None
        narrow: Tensor = ops.cast(resize_bicubic_grad_op(g, ops.cast(images, float32), *attrs), images.dtype)
        return narrow

    return [by_images, None]


@resize_bicubic_grad_op.gradient("grads: resize_bicubic(g, shape(grads)[1:3])")
def resize_bicubic_grad_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
    return _resized_back(resize_bicubic, ops, op, h)


# ---- samples ------------------------------------------------------------------------------------

_WAYS = ((False, False), (True, False), (False, True))


def _resize_samples(rng: np.random.Generator) -> Samples:
    for align, half in _WAYS:
        images = rng.standard_normal((2, 3, 4, 2)).astype("f4")
        yield sample(images, np.array([5, 2], "i4"), align, half_pixel_centers=half)
    for dtype in ("f8", "f2", "i4", "u1"):
        yield sample(rng.integers(0, 9, (1, 3, 2, 1)).astype(dtype), np.array([2, 3], "i4"))
    yield sample(np.zeros((0, 2, 2, 1), "f4"), np.array([2, 3], "i4"))


for opdef in _FORWARD:
    opdef.samples(_resize_samples)


@resize_nearest_neighbor_grad_op.samples
def resize_nearest_neighbor_grad_samples(rng: np.random.Generator) -> Samples:
    for way in _WAYS:
        yield sample(rng.standard_normal((2, 3, 4, 2)).astype("f4"), np.array([5, 2], "i4"), *way)
    for dtype in ("f8", "f2", "i4"):
        yield sample(rng.integers(0, 9, (1, 3, 2, 1)).astype(dtype), np.array([2, 3], "i4"))
    yield sample(np.zeros((0, 2, 2, 1), "f4"), np.array([2, 3], "i4"))


def _gradient_samples(rng: np.random.Generator) -> Samples:
    for way in _WAYS:
        grads, original = rng.standard_normal((2, 5, 2, 2)), rng.standard_normal((2, 3, 4, 2))
        yield sample(grads.astype("f4"), original.astype("f4"), *way)
    yield sample(grads.astype("f4"), original.astype("f8"))
    yield sample(np.zeros((0, 2, 2, 1), "f4"), np.zeros((0, 3, 2, 1), "f4"))


for opdef in _BY_IMAGE:
    opdef.samples(_gradient_samples)
