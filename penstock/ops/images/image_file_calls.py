"""Image files: `tf.image.decode_png` and the decoders of other formats, `encode_png` and `encode_jpeg`.

All but `encode_png` and `decode_bmp` need the extra `penstock[images]` when they run.
"""

from __future__ import annotations

from ...errors import UnimplementedError
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ..declare.composite import reported_as_call
from .image_files import (
    decode_jpeg_op,
    encode_jpeg_op,
)

PUBLIC_NAMES = {"image io": "decode_jpeg encode_jpeg"}


@reported_as_call("DecodeJpeg", one_op=True)
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file; PNG, BMP, WebP and GIF files of one frame are read too.

    Args:
        contents: the file, a scalar string.
        channels: 0, as many as the file has; 1 grey, 3 RGB.
        ratio: what the image is made smaller by: 1, 2, 4 or 8.
        fancy_upscaling: ignored; colours are always scaled smoothly.
        try_recover_truncated: ignored; a file that ends too early is an error.
        acceptable_fraction: ignored.
        dct_method: ignored; the exact method is used.

    Returns:
        A uint8 tensor of shape [height, width, channels]. Pixels may differ from TensorFlow's by a few of 255 steps,
        as those of two libraries do.

    Raises:
        TypeError: `contents` is not string.
        ValueError: `contents` is not a scalar, or `channels` or `ratio` is another number.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the contents are no image, are damaged, or have too many pixels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_jpeg(tf.read_file("picture.jpg"), channels=1).shape)
    (?, ?, 1)

    Source: TensorFlow 1.x, `tf.image.decode_jpeg`.
    """
    return decode_jpeg_op(contents, channels, ratio, fancy_upscaling, try_recover_truncated, name=name)


@reported_as_call("EncodeJpeg", one_op=True)
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image as a JPEG file.

    Args:
        image: a uint8 tensor of shape [height, width, channels] with 1 or 3 channels.
        format: "grayscale", "rgb", or "" for what the channels say.
        quality: from 0 to 100.
        progressive: whether the file can be shown while it is loaded.
        optimize_size: whether the file is made smaller at the cost of time.
        chroma_downsampling: whether colours have half the resolution.
        density_unit: ignored; files say 300 points an inch.
        x_density: ignored.
        y_density: ignored.
        xmp_metadata: not supported; "" only.

    Returns:
        A scalar string.

    Raises:
        TypeError: `image` is not uint8.
        ValueError: the rank, `format` or `quality` is another one.
        UnimplementedError: `xmp_metadata` is given.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the image has no pixels or another number of channels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.encode_jpeg(tf.zeros([2, 3, 1], tf.uint8)).shape)
    ()

    Source: TensorFlow 1.x, `tf.image.encode_jpeg`.
    """
    if xmp_metadata:
        raise UnimplementedError(message="encode_jpeg: xmp_metadata is not supported; leave it out")
    return encode_jpeg_op(image, format, quality, progressive, optimize_size, chroma_downsampling, name=name)
