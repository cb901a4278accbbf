"""What the first bytes of a JPEG file tell: `is_jpeg`, and `extract_jpeg_shape`, which decodes no pixel."""

from __future__ import annotations

import struct
from typing import Annotated, Any, Final

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_plain_dtype, int32, int64
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import composite
from ..declare.shape_checks import listed
from ..declare.string_arguments import Strings
from ..elementwise.comparison import equal
from ..text.string_parts import substr

PUBLIC_NAMES = {"image io": "extract_jpeg_shape is_jpeg"}

_START: Final = b"\xff\xd8\xff"
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of segments that say how large the image is."""
_PIXELS: Final = 0xDA
"""The marker before the pixels."""
_ALONE: Final = frozenset((0x01, *range(0xD0, 0xD9)))
"""The markers that no segment follows."""


@composite("is_jpeg")
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether a string begins as a JPEG file does.

    Args:
        contents: a scalar string.

    Returns:
        A bool scalar.

    Raises:
        TypeError: `contents` is not string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.is_jpeg(b"GIF89a")))
    False

    Source: TensorFlow 1.x, `tf.image.is_jpeg`.
    """
    return equal(substr(contents, 0, len(_START)), _START, name)


def _int_dtype(value: Any) -> DType:
    dtype = as_plain_dtype(value)
    if dtype not in (int32, int64):
        raise DTypeError(f"is {dtype.name}; it must be int32 or int64")
    return dtype


_IntDType = Annotated[DType | str | type | np.dtype[Any], Attr(_int_dtype)]


@op("ExtractJpegShape", graphdef="output_type ->image_shape", host_only=True, effects=AT_RUN_TIME, out="output_type",
    ranks={"contents": 0}, no_gradient="bytes have no derivative")  # fmt: skip
def extract_jpeg_shape(
    contents: Strings, output_type: _IntDType = "int32", name: str | None = None
) -> Tensor:
    """The sizes of the image in a JPEG file, of which nothing is decoded.

    Args:
        contents: the file, a scalar string.
        output_type: int32 (the default) or int64.

    Returns:
        A tensor of shape [3] and dtype `output_type`: height, width, channels.

    Raises:
        TypeError: `contents` is not string, or `output_type` is another dtype.
        ValueError: `contents` is not a scalar.
        InvalidArgumentError (when run): the contents are no JPEG file, or end before they say how large it is.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.image.extract_jpeg_shape(tf.read_file("cat.jpg")))
    <Tensor 'ExtractJpegShape:0' int32 (3,)>

    Source: TensorFlow 1.x, `tf.image.extract_jpeg_shape`.
    """


@extract_jpeg_shape.shape
def extract_jpeg_shape_shape(contents: Tensor, output_type: DType) -> TensorShape:
    return shape_of((3,))


@extract_jpeg_shape.kernel
def extract_jpeg_shape_kernel(xp: Any, contents: Any, output_type: DType) -> Array:
    if contents.ndim:
        raise InvalidArgumentError(message=f"contents must be a scalar, got shape {listed(contents.shape)}")
    return np.array(_sizes_in(contents.item()), output_type.np)


def _sizes_in(content: bytes) -> tuple[int, int, int]:
    """Height, width and channels, which one segment says; all before the first of pixels must be there."""
    at = 2
    sizes = (0, 0, 0)
    while content.startswith(_START[:2]) and at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF or marker in _ALONE:  # filling, or a marker without a segment
            at += 1 if marker == 0xFF else 2
            continue
        if marker in _FRAMES and at + 10 <= len(content):
            sizes = struct.unpack_from(">HHB", content, at + 5)
        at += 2 + struct.unpack_from(">H", content, at + 2)[0]
        if marker == _PIXELS and all(sizes) and at <= len(content):
            return sizes
    why = "it does not say how large the image is"
    raise InvalidArgumentError(message=f"Invalid JPEG data, size {len(content)}: {why}")


@extract_jpeg_shape.samples
def extract_jpeg_shape_samples(rng: np.random.Generator) -> Samples:
    frame = b"\xff\xc0\x00\x11\x08\x00\x05\x00\x07\x03123456789\xff\xda\x00\x0c1234567890"
    yield sample(np.array(b"\xff\xd8\xff\xe0\x00\x04ab\xff" + frame, object))
    yield sample(np.array(b"\xff\xd8" + frame, object), "int64")
