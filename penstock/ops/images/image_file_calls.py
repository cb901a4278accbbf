"""Image files: `tf.image.decode_png` and the decoders of other formats, `encode_png` and `encode_jpeg`.

All but `encode_png` and `decode_bmp` need the extra `penstock[images]` when they run.
"""

from __future__ import annotations

from ...errors import UnimplementedError
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ..declare.composite import reported_as_call
from .image_files import (
    decode_bmp_op,
    decode_gif_op,
    decode_image_op,
    decode_jpeg_op,
    decode_png_op,
    encode_jpeg_op,
    encode_png_op,
)


@reported_as_call("DecodePng", one_op=True)
def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = "uint8", name: str | None = None) -> Tensor:
    """The pixels of a PNG file; JPEG, BMP, WebP and GIF files of one frame are read too.

    Args:
        contents: the file, a scalar string.
        channels: 0, as many as the file has; 1 grey, 3 RGB, 4 RGBA.
        dtype: uint8 or uint16.

    Returns:
        A tensor of shape [height, width, channels].

    Raises:
        TypeError: `contents` is not string, or `dtype` another one.
        ValueError: `contents` is not a scalar, or `channels` another number.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the contents are no image, are damaged, or have too many pixels.
        UnimplementedError (when run): the PNG has 16 bits for each of several channels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_png(tf.read_file("picture.png"), channels=3).shape)
    (?, ?, 3)

    Source: TensorFlow 1.x, `tf.image.decode_png`.
    """
    return decode_png_op(contents, channels, dtype, name=name)


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


@reported_as_call("DecodeBmp", one_op=True)
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file.

    Args:
        contents: the file, a scalar string.
        channels: 0, as many as the file has; 3 RGB, 4 RGBA.

    Returns:
        A uint8 tensor of shape [height, width, channels].

    Raises:
        TypeError: `contents` is not string.
        ValueError: `contents` is not a scalar, or `channels` another number.
        InvalidArgumentError (when run): the contents are no BMP file.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_bmp(tf.read_file("picture.bmp"), channels=3).shape)
    (?, ?, 3)

    Source: TensorFlow 1.x, `tf.image.decode_bmp`.
    """
    return decode_bmp_op(contents, channels, name=name)


@reported_as_call("DecodeGif", one_op=True)
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF file.

    Args:
        contents: the file, a scalar string. Another image is one frame.

    Returns:
        A uint8 tensor of shape [frames, height, width, 3].

    Raises:
        TypeError: `contents` is not string.
        ValueError: `contents` is not a scalar.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the contents are no image, are damaged, or have too many pixels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_gif(tf.read_file("film.gif")).shape)
    (?, ?, ?, 3)

    Source: TensorFlow 1.x, `tf.image.decode_gif`.
    """
    return decode_gif_op(contents, name=name)


@reported_as_call("decode_image", one_op=True)
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = "uint8",
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of an image file of any format.

    Args:
        contents: a JPEG, PNG, GIF, BMP or WebP file, a scalar string.
        channels: None or 0, as many as the file has; 1 grey, 3 RGB, 4 RGBA.
        dtype: uint8, uint16, or float32 with values in [0, 1].
        expand_animations: whether a GIF file becomes a tensor of rank 4; False takes its first frame.

    Returns:
        A tensor of shape [height, width, channels], of a GIF file [frames, height, width, 3]. So its shape is known
        only if `expand_animations` is False.

    Raises:
        TypeError: `contents` is not string, or `dtype` another one.
        ValueError: `contents` is not a scalar, or `channels` another number.
        UnimplementedError (when run): Pillow is not installed.
        InvalidArgumentError (when run): the contents are no image, are damaged, or have too many pixels.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_image(tf.read_file("picture"), channels=3, expand_animations=False).shape)
    (?, ?, 3)

    Source: TensorFlow 1.x, `tf.image.decode_image`.
    """
    return decode_image_op(contents, channels, dtype, expand_animations, name=name)


@reported_as_call("EncodePng", one_op=True)
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """An image as a PNG file.

    Args:
        image: a uint8 or uint16 tensor of shape [..., height, width, channels] with 1 to 4 channels.
        compression: from 0, none, to 9, most; -1 is zlib's own choice.

    Returns:
        A string tensor of shape [...]. Decoders read the same pixels as from TensorFlow's files; the bytes differ.

    Raises:
        TypeError: `image` has another dtype.
        ValueError: the rank, the number of channels or `compression` is another one.
        InvalidArgumentError (when run): the image has no pixels.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.encode_png(tf.zeros([2, 3, 1], tf.uint8)))[:8])
    b'\\x89PNG\\r\\n\\x1a\\n'

    Source: TensorFlow 1.x, `tf.image.encode_png`.
    """
    return encode_png_op(image, compression, name=name)


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
