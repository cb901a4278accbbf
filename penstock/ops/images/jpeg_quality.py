"""Images as JPEG makes them: `adjust_jpeg_quality`, `random_jpeg_quality`; and parts of JPEG files.

Both write a JPEG file of the image and read it again. Files are written and read by Pillow (`pillow`).
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.op_declaration import op
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32, string, uint8
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope
from ..declare.shape_checks import listed, require_rank
from ..declare.string_arguments import array_of
from ..move.concat_stack import concat
from ..move.slicing import slice as slice_op
from ..random.random_api import random_uniform
from .image_colors import convert_image_dtype
from .image_file_calls import decode_jpeg
from .pillow import jpeg_of

PUBLIC_NAMES = {"image": "adjust_jpeg_quality random_jpeg_quality", "image io": "decode_and_crop_jpeg"}

_Plain: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(uint8), prefer=uint8)]
_Quality: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]


@op("EncodeJpegVariableQuality", graphdef="->contents", host_only=True, out=string)
def encode_jpeg_variable_quality(images: _Plain, quality: _Quality, name: str | None = None) -> Tensor:
    """A JPEG file whose quality only the run knows."""


encode_jpeg_variable_quality.no_gradient("it is no number that is computed")


@encode_jpeg_variable_quality.shape
def encode_jpeg_variable_quality_shape(images: Tensor, quality: Tensor) -> TensorShape:
    require_rank(images, 3, 0, "An image is (height, width, channels).")
    require_rank(quality, 0, 1)
    number = known_int(quality)
    if number is not None and not 0 <= number <= 100:
        raise ValueRuleError(f"quality must be in [0, 100], but is {number}", operand=1)
    return shape_of(())


@encode_jpeg_variable_quality.kernel
def encode_jpeg_variable_quality_kernel(xp: Any, images: Any, quality: Any) -> Array:
    if images.ndim != 3 or images.shape[2] not in (1, 3) or not images.size:
        raise InvalidArgumentError(message="an image must have rank 3, pixels, and 1 or 3 channels, but has the shape "
                                           f"{listed(images.shape)}")  # fmt: skip
    if np.ndim(quality) or not 0 <= int(quality) <= 100:
        raise InvalidArgumentError(message=f"quality must be in [0, 100], but is {quality}")
    return array_of([jpeg_of(np.ascontiguousarray(images), int(quality), False, False, True)], ())


@composite("adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """The image as a JPEG file of that quality shows it.

    Args:
        image: floats in [0, 1] or ints, of shape (height, width, channels) with 1 or 3 channels.
        jpeg_quality: from 0 to 100, an int or an int32 scalar.
        dct_method: which transform reads the file; Pillow has one, so it makes no difference.

    Returns:
        A tensor with the shape and dtype of `image`.

    Raises:
        TypeError: a dtype is another.
        ValueError: the rank or the quality is another.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the image has no pixels or another number of channels; the quality is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.adjust_jpeg_quality(tf.zeros([2, 3, 1]), 50).shape)
    (2, 3, 1)

    Source: TensorFlow 1.15, `tf.image.adjust_jpeg_quality`.
    """
    return _adjusted(image, jpeg_quality, dct_method)


def _adjusted(image: TensorLike, quality: TensorLike, dct_method: str) -> Tensor:
    given = convert_to_tensor(image)
    if given.shape.ndims not in (3, None):
        raise ShapeError(f"an image must be (height, width, channels), but has the shape {given.shape}",
                         cure="tf.map_fn takes the images of a batch one by one.")  # fmt: skip
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise ValueRuleError(f"dct_method must be 'INTEGER_FAST', 'INTEGER_ACCURATE' or '', but is {dct_method!r}")
    channels = given.shape[2].value if given.shape.ndims else None
    content = encode_jpeg_variable_quality(convert_image_dtype(given, uint8, saturate=True), quality)
    seen = convert_image_dtype(decode_jpeg(content, channels or 0), given.dtype, saturate=True)
    seen.set_shape(given.shape)
    return seen


@composite("random_jpeg_quality")
@documented_like(adjust_jpeg_quality)
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """The image as a JPEG file of a random quality shows it.

    Args:
        min_jpeg_quality: the least quality, from 0 to 100.
        max_jpeg_quality: what is above the largest quality, up to 100.
        seed: an op seed, see `tf.set_random_seed`.

    Raises:
        ValueError: the rank is another; the qualities are out of range, or the first is not the smaller one.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.random_jpeg_quality(tf.zeros([2, 3, 1]), 50, 90).shape)
    (2, 3, 1)

    Source: TensorFlow 1.15, `tf.image.random_jpeg_quality`.
    """
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueRuleError("jpeg encoding range must be between 0 and 100, but is "
                             f"{min_jpeg_quality} to {max_jpeg_quality}")  # fmt: skip
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueRuleError("`min_jpeg_quality` must be less than `max_jpeg_quality`, but they are "
                             f"{min_jpeg_quality} and {max_jpeg_quality}")  # fmt: skip
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, int32, seed)
    return _adjusted(image, quality, "")


@composite("DecodeAndCropJpeg")
def decode_and_crop_jpeg(
    contents: TensorLike, crop_window: TensorLike, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1.0, dct_method: str = "",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """A part of the image of a JPEG file.

    Args:
        contents: a scalar string.
        crop_window: (y, x, height, width) of the part, int32 of shape [4].
        channels: 0 for those of the file, 1 or 3.
        ratio: 1, 2, 4 or 8: how much smaller the image is made before.
        fancy_upscaling: ignored, as are `try_recover_truncated`, `acceptable_fraction` and `dct_method`.

    Returns:
        A uint8 tensor of shape (height, width, channels).

    Raises:
        TypeError: a dtype is another.
        ValueError: a rank, `channels` or `ratio` is another.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): it is no image file, or the part is not inside of it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_and_crop_jpeg(tf.read_file("cat.jpg"), [2, 3, 10, 20], channels=3).shape)
    (10, 20, 3)

    Source: TensorFlow 1.15, `tf.image.decode_and_crop_jpeg`.
    """
    whole = decode_jpeg(contents, channels, ratio, fancy_upscaling, try_recover_truncated)
    window = convert_to_tensor(crop_window, int32)
    if not window.shape.is_compatible_with([4]):
        raise ShapeError(f"crop_window must be (y, x, height, width), but has the shape {window.shape}")
    return slice_op(whole, concat(0, [window[:2], [0]]), concat(0, [window[2:], [-1]]), name_of_scope())
