"""Image files as tensors and back: `decode_png` and its kin, `encode_png`, `encode_jpeg`.

Every decoder tells the format from the contents, as TensorFlow's do. PNG files are written here, all else is done by
Pillow (`pillow`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Annotated, Any, Final

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import OpDef, Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Int, Operand, TensorLike, as_int, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_plain_dtype, float32, string, uint8, uint16
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.shape_checks import listed, require_rank
from ..declare.string_arguments import Strings, Text, array_of
from .pillow import frames_of, jpeg_of
from .png_bytes import png_of

PUBLIC_NAMES = {"image io": "decode_bmp decode_gif decode_image decode_png encode_png"}

_HEAD: Final = 54
_CHANNELS: Final = {8: 1, 24: 3, 32: 4}
_RGBA: Final = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}


def pixels_of_bmp(contents: bytes, channels: int) -> Array:
    """The pixels of a BMP file, of `channels` channels, 0 for as many as it has.

    Raises:
        InvalidArgumentError: it is none, is compressed, or holds fewer pixels than it says.
    """
    if len(contents) < _HEAD or contents[:2] != b"BM":
        raise InvalidArgumentError(message=f"the contents are no BMP file; they begin with {contents[:12]!r}")
    offset, width, height = (struct.unpack_from("<i", contents, at)[0] for at in (10, 18, 22))
    bits, compression = struct.unpack_from("<H", contents, 28)[0], struct.unpack_from("<I", contents, 30)[0]
    own = _CHANNELS.get(bits)
    if own is None or compression not in (0, 3):
        raise InvalidArgumentError(message=f"the BMP file has {bits} bits a pixel and compression {compression}; 8, 24 "
                                           "and 32 bits without compression are read")  # fmt: skip
    rows, row = abs(height), (own * max(width, 0) + 3) // 4 * 4
    if width <= 0 or not rows or offset < 0 or offset + row * (rows - 1) + own * width > len(contents):
        raise InvalidArgumentError(message=f"the BMP file of {len(contents)} bytes says that it has {width} x {height} "
                                           "pixels, which it cannot hold")  # fmt: skip
    lines = [np.frombuffer(contents, np.uint8, own * width, offset + row * line) for line in range(rows)]
    pixels = np.stack(lines if height < 0 else lines[::-1]).reshape(rows, width, own)[:, :, _RGBA[own]]
    return _with_channels(pixels, channels)


def _with_channels(pixels: Array, channels: int) -> Array:
    own = pixels.shape[2]
    if channels in (0, own):
        return pixels
    colours = np.repeat(pixels, 3, axis=2) if own == 1 else pixels[:, :, :3]
    if channels == 3:
        return colours
    return np.concatenate([colours, np.full_like(colours[:, :, :1], 255)], axis=2)


def _channels(*allowed: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        number = 0 if value is None else as_int(value)
        if number not in allowed:
            raise ValueRuleError(f"must be one of {', '.join(map(str, allowed))}, not {number}")
        return number

    return check


def _pixel_dtype(*allowed: DType) -> Callable[[Any], DType]:
    def check(value: Any) -> DType:
        dtype = as_plain_dtype(value)
        if dtype not in allowed:
            raise DTypeError(f"is {dtype.name}; it must be one of {', '.join(each.name for each in allowed)}")
        return dtype

    return check


_DTypeLike = DType | str | type | np.dtype[Any]
_Any4 = Annotated[int | None, Attr(_channels(0, 1, 3, 4))]
_OfJpeg = Annotated[int | None, Attr(_channels(0, 1, 3))]
_OfBmp = Annotated[int | None, Attr(_channels(0, 3, 4))]
_Ratio = Annotated[int, Attr(_channels(1, 2, 4, 8))]
_OfPng = Annotated[_DTypeLike, Attr(_pixel_dtype(uint8, uint16))]
_OfImage = Annotated[_DTypeLike, Attr(_pixel_dtype(uint8, uint16, float32))]
_Deep = Annotated[TensorLike, Operand("T", bits_of(uint8, uint16), prefer=uint8)]
_Plain = Annotated[TensorLike, Operand(None, bits_of(uint8), prefer=uint8)]


@op("DecodePng", graphdef="channels dtype ->image", host_only=True, effects=AT_RUN_TIME, out="dtype")
def decode_png(contents: Strings, channels: _Any4 = 0, dtype: _OfPng = "uint8", name: str | None = None) -> Tensor:
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

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.decode_png(tf.read_file("picture.png"), channels=3).shape)
    (?, ?, 3)

    Source: TensorFlow 1.x, `tf.image.decode_png`.
    """


@op(
    "DecodeJpeg",
    graphdef="channels ratio fancy_upscaling try_recover_truncated ->image",
    host_only=True,
    effects=AT_RUN_TIME,
    out=uint8,
)
def decode_jpeg_op(
    contents: Strings,
    channels: _OfJpeg = 0,
    ratio: _Ratio = 1,
    fancy_upscaling: Flag = True,
    try_recover_truncated: Flag = False,
    name: str | None = None,
) -> Tensor:
    """The op behind `decode_jpeg`."""


@op("DecodeBmp", graphdef="channels ->image", host_only=True, effects=AT_RUN_TIME, out=uint8)
def decode_bmp(contents: Strings, channels: _OfBmp = 0, name: str | None = None) -> Tensor:
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


@op("DecodeGif", graphdef="->image", host_only=True, effects=AT_RUN_TIME, out=uint8)
def decode_gif(contents: Strings, name: str | None = None) -> Tensor:
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


@op(
    "DecodeImage", graphdef="channels dtype expand_animations ->image", host_only=True, effects=AT_RUN_TIME,
    out="dtype",
)  # fmt: skip
def decode_image(
    contents: Strings,
    channels: _Any4 = 0,
    dtype: _OfImage = "uint8",
    name: str | None = "decode_image",
    expand_animations: Flag = True,
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


decode_image.result_names = ("DecodeImage",)


_DECODERS: Final[tuple[OpDef[..., Tensor], ...]] = (
    decode_png, decode_jpeg_op, decode_bmp, decode_gif, decode_image,
)  # fmt: skip


def _image_shape(contents: Tensor, channels: int, frames: bool = False) -> TensorShape:
    require_rank(contents, 0, 0)
    sizes = [unknown("the image file gives it", contents) for _ in range(3 if frames else 2)]
    return shape_of((*sizes, channels or unknown("the image file gives it", contents)))


decode_png.shape(lambda contents, channels, dtype: _image_shape(contents, channels))
decode_jpeg_op.shape(lambda contents, channels, *rest: _image_shape(contents, channels))
decode_bmp.shape(lambda contents, channels: _image_shape(contents, channels))
decode_gif.shape(lambda contents: _image_shape(contents, 3, frames=True))


@decode_image.shape
def decode_image_shape(contents: Tensor, channels: int, dtype: DType, expand_animations: bool) -> TensorShape:
    if not expand_animations:
        return _image_shape(contents, channels)
    require_rank(contents, 0, 0)
    return unknown_rank("an animation has one dimension more than an image; expand_animations=False says that there is "
                        "none", contents)  # fmt: skip


def _read(contents: Any, channels: int, ratio: int = 1) -> tuple[str, list[Array]]:
    content = _file(contents)
    if content[:2] == b"BM":
        return "BMP", [pixels_of_bmp(content, channels)]
    return frames_of(content, channels, ratio)


def _file(contents: Any) -> bytes:
    if contents.ndim:
        raise InvalidArgumentError(message=f"`contents` must be a scalar but got shape {listed(contents.shape)}")
    return contents.item()


def _as_dtype(pixels: Array, dtype: DType) -> Array:
    if dtype is float32:
        return pixels.astype(np.float32) / np.float32(255 if pixels.dtype == np.uint8 else 65535)
    if pixels.dtype == dtype.np:
        return np.array(pixels)
    return (pixels >> 8).astype(np.uint8) if dtype is uint8 else pixels.astype(np.uint16) * np.uint16(257)


def _single(contents: Any, channels: int, dtype: DType, ratio: int = 1) -> Array:
    _, frames = _read(contents, channels, ratio)
    if len(frames) > 1:
        raise InvalidArgumentError(message=f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                                           "tf.image.decode_gif or tf.image.decode_image")  # fmt: skip
    return _as_dtype(frames[0], dtype)


decode_png.kernel(lambda xp, contents, channels, dtype: _single(contents, channels, dtype))
decode_jpeg_op.kernel(lambda xp, contents, channels, ratio, *rest: _single(contents, channels, uint8, ratio))


@decode_bmp.kernel
def decode_bmp_kernel(xp: Any, contents: Any, channels: int) -> Array:
    return pixels_of_bmp(_file(contents), channels)


@decode_gif.kernel
def decode_gif_kernel(xp: Any, contents: Any) -> Array:
    _, frames = _read(contents, 3)
    return np.stack([_as_dtype(frame, uint8) for frame in frames])


@decode_image.kernel
def decode_image_kernel(xp: Any, contents: Any, channels: int, dtype: DType, expand_animations: bool) -> Array:
    kind, frames = _read(contents, channels)
    pixels = [_as_dtype(frame, dtype) for frame in frames]
    return np.stack(pixels) if kind == "GIF" and expand_animations else pixels[0]


# ---- encoding -----------------------------------------------------------------------------------


@op("EncodePng", graphdef="compression T=image ->contents", host_only=True, out=string)
def encode_png(image: _Deep, compression: Int = -1, name: str | None = None) -> Tensor:
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


@encode_png.shape
def encode_png_shape(image: Tensor, compression: int) -> TensorShape:
    dims = image.shape.raw
    if not -1 <= compression <= 9:
        raise ValueRuleError(f"compression must be in [-1, 9], not {compression}")
    if dims is None:
        return unknown_rank("the rank of image is not known", image)
    if len(dims) < 3:
        raise ShapeError(f"Shape must be at least rank 3 but is rank {len(dims)}", operand=0)
    if isinstance(dims[-1], int) and not 1 <= dims[-1] <= 4:
        raise ShapeError(f"image must have 1, 2, 3, or 4 channels, not {dims[-1]}", operand=0)
    return shape_of(dims[:-3])


@encode_png.kernel
def encode_png_kernel(xp: Any, image: Any, compression: int) -> Array:
    _check_pixels(image, (1, 2, 3, 4), least=3)
    images = image.reshape(-1, *image.shape[-3:])
    return array_of([png_of(each, compression) for each in images], image.shape[:-3])


def _check_pixels(image: Array, channels: tuple[int, ...], least: int) -> None:
    if image.ndim < least or image.shape[-1] not in channels or not all(image.shape[-3:]):
        counts = " or ".join(map(str, channels))
        raise InvalidArgumentError(message=f"image must have {counts} channels, and a height and a width of at least "
                                           f"1, got {listed(image.shape)}")  # fmt: skip


@op("EncodeJpeg", graphdef="format quality progressive optimize_size chroma_downsampling ->contents", host_only=True,
    out=string,
    ranks={"image": 3})  # fmt: skip
def encode_jpeg_op(
    image: _Plain,
    format: Text = "",
    quality: Int = 95,
    progressive: Flag = False,
    optimize_size: Flag = False,
    chroma_downsampling: Flag = True,
    name: str | None = None,
) -> Tensor:
    """The op behind `encode_jpeg`."""


@encode_jpeg_op.shape
def encode_jpeg_shape(image: Tensor, format: bytes, quality: int, *rest: Any) -> TensorShape:
    if format not in (b"", b"grayscale", b"rgb"):
        raise ValueRuleError(f"format must be '', 'grayscale' or 'rgb', not {format!r}")
    if not 0 <= quality <= 100:
        raise ValueRuleError(f"quality must be in [0, 100], not {quality}")
    return shape_of(())


@encode_jpeg_op.kernel
def encode_jpeg_kernel(xp: Any, image: Any, format: bytes, quality: int, *ways: Any) -> Array:
    allowed = {b"": (1, 3), b"grayscale": (1,), b"rgb": (3,)}[format]
    if image.ndim != 3:
        raise InvalidArgumentError(message=f"image must have rank 3, got shape {listed(image.shape)}")
    _check_pixels(image, allowed, least=3)
    return array_of([jpeg_of(np.ascontiguousarray(image), quality, *ways)], ())


for _op in (*_DECODERS, encode_png, encode_jpeg_op):
    _op.no_gradient("it is no number that is computed")


_BMP = (
    b"BM" + bytes(8) + bytes([54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24]) + bytes(25) + bytes(range(8))
)


@decode_bmp.samples
def decode_bmp_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(_BMP, object))
    yield sample(np.array(_BMP, object), 4)


@encode_png.samples
def encode_png_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.integers(0, 256, (2, 3, 3), np.uint8))
    yield sample(rng.integers(0, 65536, (2, 4, 3, 2), np.uint16), 9)
    yield sample(np.zeros((0, 2, 3, 1), np.uint8))
