"""Strings as numbers and as other strings: `decode_raw` and `decode_compressed`."""

from __future__ import annotations

import zlib
from typing import Annotated, Any, Final

import numpy as np

from ...errors import DataLossError, DTypeError, InvalidArgumentError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.batched import by_elements_of_first
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Flag
from ...graph.model.nodes import Tensor
from ...graph.shapes import dtypes
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_plain_dtype
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.shape_checks import shape_of_first
from ..declare.string_arguments import Strings, Text, array_of

PUBLIC_NAMES = {"start io": "decode_compressed decode_raw"}

_NUMBERS: Final = (
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint16, dtypes.uint8, dtypes.int16,
    dtypes.int8, dtypes.int64, dtypes.complex64, dtypes.complex128, dtypes.bool_, dtypes.bfloat16,
)  # fmt: skip


def _number_dtype(value: Any) -> DType:
    dtype = as_plain_dtype(value)
    if dtype not in _NUMBERS:
        names = ", ".join(each.name for each in _NUMBERS)
        raise DTypeError(f"has DataType {dtype.name} not in list of allowed values: {names}")
    return dtype


_OutType = Annotated[DType | str | type | np.dtype[Any], Attr(_number_dtype)]


@op("DecodeRaw", graphdef="out_type little_endian", out="out_type", host_only=True, effects=AT_RUN_TIME)
def decode_raw(input_bytes: Strings, out_type: _OutType, little_endian: Flag = True, name: str | None = None) -> Tensor:
    """The bytes of strings as numbers: each string becomes a vector.

    Args:
        input_bytes: strings of any shape, all of one length.
        out_type: the dtype of the numbers, such as `tf.uint8`.
        little_endian: whether the first byte of a number is its lowest.

    Returns:
        A tensor of shape [*input_bytes.shape, None] and dtype `out_type`.

    Raises:
        TypeError: `input_bytes` is not string, or numbers of that dtype are not read.
        InvalidArgumentError (when run): the strings have several lengths, or one that is no multiple of a number's.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_raw([b"ab", b"cd"], tf.uint8)))
    [[ 97  98]
     [ 99 100]]

    Source: TensorFlow 1.x, `tf.decode_raw`.
    """


@decode_raw.shape
def decode_raw_shape(input_bytes: Tensor, out_type: DType, little_endian: bool) -> TensorShape:
    dims = input_bytes.shape.raw
    if dims is None:
        return unknown_rank("the rank of input_bytes is not known", input_bytes)
    return shape_of((*dims, unknown("the length of the strings gives it", input_bytes)))


@decode_raw.kernel
def decode_raw_kernel(xp: Any, input_bytes: Any, out_type: DType, little_endian: bool) -> Any:
    texts = input_bytes.reshape(-1).tolist()
    length = len(texts[0]) if texts else 0
    for place, text in enumerate(texts):
        if len(text) != length:
            raise InvalidArgumentError(message="DecodeRaw requires input strings to all be the same size, but element "
                                               f"{place} has size {len(text)} != {length}")  # fmt: skip
    size = out_type.np.itemsize
    if length % size:
        raise InvalidArgumentError(message=f"Input to DecodeRaw has length {length} that is not a multiple of {size}, "
                                           f"the size of {out_type.name}")  # fmt: skip
    content = np.frombuffer(b"".join(texts), np.uint8)
    if out_type is dtypes.bool_:
        if (content > 1).any():
            raise InvalidArgumentError(message="Input to DecodeRaw has a byte that is neither 0 nor 1, and no bool")
        numbers = content.view(np.bool_)
    else:
        part = size // 2 if out_type.is_complex else size
        if not little_endian and part > 1:
            content = np.ascontiguousarray(content.reshape(-1, part)[:, ::-1]).reshape(-1)
        numbers = content.view(out_type.np)
    return numbers.reshape(*input_bytes.shape, length // size).copy()


decode_raw.no_gradient("it reads bytes")
decode_raw.batched(by_elements_of_first)


@decode_raw.samples
def decode_raw_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[b"abcd", b"efgh"]], object), "int16")
    yield sample(np.array(b"\0\0\x80?", object), "float32", False)
    yield sample(np.zeros((0, 2), object), "uint8")
    yield sample(np.array([b"\0\1"], object), "bool")
    yield sample(np.array([b"12345678"], object), "complex64", False)


_WINDOWS: Final = {b"GZIP": 31, b"ZLIB": 15}
_MOST: Final = 1 << 30
"""The bytes that one string becomes at most: a kilobyte can hold a megabyte of zeros."""
_UNCOUNTED: Final = 1 << 26
"""Above so many bytes the content is counted first, so that a string that holds too much takes no memory."""
_PIECE: Final = 1 << 20


@op("DecodeCompressed", graphdef="compression_type", host_only=True, effects=AT_RUN_TIME, out=dtypes.string,
    shape=shape_of_first, no_gradient="it gives strings", distributes=same_axes)  # fmt: skip
def decode_compressed(bytes: Strings, compression_type: Text = "", name: str | None = None) -> Tensor:
    """Strings that were compressed, as they were before.

    Args:
        bytes: strings of any shape.
        compression_type: "", "ZLIB" or "GZIP".

    Returns:
        A tensor with the shape of `bytes` and dtype string.

    Raises:
        TypeError: `bytes` is not string.
        InvalidArgumentError (when run): there is no such compression.
        DataLossError (when run): a string is not compressed so, or holds more than 1 GiB.

    >>> import gzip
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_compressed([gzip.compress(b"hello")], "GZIP")))
    [b'hello']

    Source: TensorFlow 1.x, `tf.decode_compressed`.
    """


@decode_compressed.kernel
def decode_compressed_kernel(xp: Any, bytes: Any, compression_type: Any) -> Any:
    if not compression_type:
        return bytes.copy()
    if compression_type not in _WINDOWS:
        raise InvalidArgumentError(message=f"compression_type {compression_type!r}: Only ZLIB, GZIP or NONE are "
                                           "supported compressions")  # fmt: skip
    texts = [unpacked(text, _WINDOWS[compression_type]) for text in bytes.reshape(-1).tolist()]
    return array_of(texts, bytes.shape)


def unpacked(text: bytes, window: int) -> bytes:
    """The content of compressed bytes.

    Raises:
        DataLossError: they are damaged, or hold too much.
    """
    unpacker = zlib.decompressobj(window)
    try:
        content = unpacker.decompress(text, min(_UNCOUNTED, _MOST))
        if unpacker.unconsumed_tail:
            _require_fitting(text, window)
            content += unpacker.decompress(unpacker.unconsumed_tail)
    except zlib.error as error:
        raise DataLossError(message=f"inflate() failed: {error}") from None
    if not unpacker.eof:
        raise DataLossError(message=f"the compressed string of {len(text)} bytes ends too early")
    return content


def _require_fitting(text: bytes, window: int) -> None:
    """DataLossError where compressed bytes hold too much; what they hold is counted and not kept."""
    unpacker, rest, count = zlib.decompressobj(window), text, 0
    while rest and not unpacker.eof:
        count += len(unpacker.decompress(rest, _PIECE))
        rest = unpacker.unconsumed_tail
        if count > _MOST:
            raise DataLossError(message=f"a string of {len(text)} bytes holds more than {_MOST} bytes; write it to a "
                                        "file and read it piece by piece")  # fmt: skip


@decode_compressed.samples
def decode_compressed_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[zlib.compress(b"hello"), zlib.compress(b"")]], object), "ZLIB")
    yield sample(np.array([b"a", b""], object))
    yield sample(np.zeros(0, object), "GZIP")
