"""Images moved, turned and distorted by projective maps: the op behind `tf.contrib.image.transform`.

A row (a0, a1, a2, b0, b1, b2, c0, c1) says where the pixel (x, y) of the result comes from:
((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Attr, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import float32, int32, int64, uint8
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.plain_values import choice
from ..declare.shape_checks import dims_of, require_rank, same_size

_METHODS, _MODES = ("NEAREST", "BILINEAR"), ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
_Images: TypeAlias = Annotated[TensorLike, Operand("dtype", FLOATS | bits_of(uint8, int32, int64))]
_Rows: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(float32), prefer=float32)]
_Sizes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), host=True, prefer=int32)]
_Method: TypeAlias = Annotated[str, Attr(lambda value: choice("interpolation", value, _METHODS))]
_Mode: TypeAlias = Annotated[str, Attr(lambda value: choice("fill_mode", value, _MODES))]
_F = np.float32


@op(
    "ImageProjectiveTransformV2",
    called="image_projective_transform", graphdef="dtype=images interpolation fill_mode ->transformed_images",
    out="dtype", host_only=True, gradient_note="its transforms are float32 only, too few digits for differences"
)
def projective_transform_op(
    images: _Images, transforms: _Rows, output_shape: _Sizes, interpolation: _Method = "NEAREST",
    fill_mode: _Mode = "CONSTANT", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `tf.contrib.image.transform`."""


@projective_transform_op.shape
def projective_transform_shape(images: Tensor, transforms: Tensor, output_shape: Tensor, *attrs: str) -> TensorShape:
    require_rank(images, 4, 0, "Images have the batch, the height, the width and the channels.")
    require_rank(transforms, 2, 1, "Transforms have a row for each image, or one row.")
    require_rank(output_shape, 1, 2, "output_shape is [height, width].")
    batch, _, _, channels = dims_of(images, 4)
    rows, width = dims_of(transforms, 2)
    if width is not None:
        same_size(width, 8, 1, 1, "A transform has 8 numbers.")
    if isinstance(rows, int) and rows != 1 and isinstance(batch, int):
        same_size(rows, batch, 1, 0, "There is one transform, or one for each image.")
    length = dims_of(output_shape, 1)[0]
    if isinstance(length, int):
        same_size(length, 2, 2, 0, "output_shape is [height, width].")
    entries = known_vector(output_shape) or (None, None)
    sizes: list[Dim] = [
        unknown("output_shape is not known before the run", output_shape) if each is None else each for each in entries
    ]
    return shape_of([
        unknown("the number of images is not known", images) if batch is None else batch, *sizes,
        unknown("the channels of the images are not known", images) if channels is None else channels,
    ])  # fmt: skip


@projective_transform_op.kernel
def projective_transform_kernel(
    xp: Any, images: Any, transforms: Any, output_shape: Any, interpolation: str, fill_mode: str
) -> Any:
    if images.ndim != 4 or transforms.ndim != 2 or transforms.shape[1] != 8 or len(transforms) not in (1, len(images)):
        raise InvalidArgumentError(message=f"images has shape {list(images.shape)} and transforms "
                                           f"{list(transforms.shape)}; they must be [batch, height, width, channels] "
                                           "and [batch, 8] or [1, 8]")  # fmt: skip
    if output_shape.shape != (2,) or (output_shape <= 0).any():
        raise InvalidArgumentError(message=f"output_shape must be two sizes > 0, but is {output_shape.tolist()}")
    height, width = output_shape.tolist()
    rows = np.broadcast_to(transforms.astype(_F, copy=False)[:, None, None, :], (len(images), 1, 1, 8))
    y, x = np.arange(height, dtype=_F)[:, None], np.arange(width, dtype=_F)[None, :]
    with np.errstate(all="ignore"):
        depth = rows[..., 6] * x + rows[..., 7] * y + _F(1)
        across = _mapped((rows[..., 0] * x + rows[..., 1] * y + rows[..., 2]) / depth, images.shape[2], fill_mode)
        down = _mapped((rows[..., 3] * x + rows[..., 4] * y + rows[..., 5]) / depth, images.shape[1], fill_mode)
        seen = np.isfinite(across) & np.isfinite(down) & (depth != 0)
        across, down = np.where(seen, across, _F(-9)), np.where(seen, down, _F(-9))
    # Beside the image all pixels are 0; far away is as good as near, and fits into an int.
    across, down = np.clip(across, -9, images.shape[2] + 9), np.clip(down, -9, images.shape[1] + 9)
    if interpolation == "NEAREST":
        found = _pixels(images, _rounded(down), _rounded(across))
        return found.astype(images.dtype, copy=False)
    return _between(images, down, across).astype(images.dtype, copy=False)


def _rounded(places: Any) -> Any:
    """The nearest int, halves away from 0."""
    return np.trunc(places + np.copysign(_F(0.5), places)).astype(np.int64)


def _between(images: Any, down: Any, across: Any) -> Any:
    top, left = np.floor(down), np.floor(across)
    rows, columns = top.astype(np.int64), left.astype(np.int64)
    below, right = (down - top)[..., None], (across - left)[..., None]
    above, beside = _F(1) - below, _F(1) - right
    floats = images.astype(_F) if images.dtype != np.float64 else images

    def at(dy: int, dx: int) -> Any:
        return _pixels(floats, rows + dy, columns + dx)

    upper = beside * at(0, 0) + right * at(0, 1)
    lower = beside * at(1, 0) + right * at(1, 1)
    return above * upper + below * lower


def _pixels(images: Any, rows: Any, columns: Any) -> Any:
    """The pixels at some places of each image; 0 for those outside."""
    inside = (rows >= 0) & (rows < images.shape[1]) & (columns >= 0) & (columns < images.shape[2])
    if not images.size:
        return np.zeros((*rows.shape, images.shape[3]), images.dtype)
    batch = np.arange(len(images))[:, None, None]
    found = images[batch, np.where(inside, rows, 0), np.where(inside, columns, 0)]
    return np.where(inside[..., None], found, images.dtype.type(0))


def _mapped(places: Any, size: int, mode: str) -> Any:
    """Where places beside the image lie by the mode: mirrored, from the start again, or at its border."""
    if mode == "CONSTANT":
        return places
    if mode != "NEAREST" and size > 1:
        if mode == "REFLECT":
            places = _reflected(places, size)
        else:
            last = _F(size - 1)
            before = places + _F(size) * (np.trunc(-places / last) + _F(1))
            after = places - _F(size) * np.trunc(places / last)
            places = np.where(places < 0, before, np.where(places > last, after, places))
    return np.clip(places, _F(0), _F(max(size - 1, 0)))


def _reflected(places: Any, size: int) -> Any:
    twice = _F(2 * size)
    before = twice * np.trunc(-places / twice) + places
    before = np.where(before < -size, before + twice, -before - _F(1))
    after = places - twice * np.trunc(places / twice)
    after = np.where(after >= size, twice - after - _F(1), after)
    return np.where(places < 0, before, np.where(places > size - 1, after, places))


@projective_transform_op.gradient("the gradient moved by the inverse transforms")
def projective_transform_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, transforms, _ = op.inputs
    interpolation, fill_mode = op.args[3], op.args[4]

    def moved_back() -> Any:
        rows = ops.shape(transforms)[0]
        full = ops.concat(1, [transforms, ops.fill(ops.pack([rows, 1]), 1.0)])
        inverse = ops.reshape(ops.matrix_inverse(ops.reshape(full, [-1, 3, 3])), [-1, 9])
        return projective_transform_op(g, (inverse / inverse[:, 8:])[:, :8], ops.shape(images)[1:3], interpolation,
                                       fill_mode)  # fmt: skip

    return [moved_back if images.dtype.is_floating else None, None, None]


@projective_transform_op.samples
def projective_transform_samples(rng: np.random.Generator) -> Samples:
    turn = np.array([[0.9, -0.3, 1.0, 0.3, 0.9, -0.5, 0.01, 0.02]], "f4")
    sizes = np.array([3, 4], "i4")
    yield sample(rng.random((2, 4, 5, 2)).astype("f4"), turn, sizes, "BILINEAR")
    yield sample(rng.integers(0, 9, (2, 4, 5, 1)).astype("u1"), turn.repeat(2, 0), sizes)
    yield sample(rng.random((1, 4, 5, 1)).astype("f4"), turn * 3, sizes, "NEAREST", "REFLECT")
    yield sample(np.zeros((0, 4, 5, 1), "f4"), turn, sizes)
