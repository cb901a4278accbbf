"""Functions of each string: lower, upper, strip, length, base64."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Attr, Flag, at_least
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32, string
from ...graph.shapes.shape import TensorShape
from ..declare.plain_values import choice
from ..declare.string_arguments import Strings

PUBLIC_NAMES = {
    "tf": "decode_base64 encode_base64 string_strip",
    "strings": "length=string_length lower=string_lower strip=string_strip upper=string_upper",
}


def _encoding(value: Any) -> str:
    return choice("encoding", value, ("", "utf-8"))


def _unit(value: Any) -> str:
    return choice("unit", value, ("BYTE", "UTF8_CHAR"))


_Encoding = Annotated[str, Attr(_encoding)]
Unit = Annotated[str, Attr(_unit)]
_Buckets = Annotated[int, Attr(at_least(1))]


def each_string(function: Callable[[bytes], Any], array: Any, dtype: Any = object) -> Any:
    """`function` of every string of an array."""
    out = np.empty(array.shape, dtype)
    flat = out.reshape(-1)
    for i, text in enumerate(array.reshape(-1).tolist()):
        flat[i] = function(text)
    return out


def _same(input: Tensor, *rest: Any) -> TensorShape:
    return input.shape


def samples_of_strings(*more: Any) -> Callable[[np.random.Generator], Samples]:
    """Samples of an op on strings, with these attributes."""

    def samples(rng: np.random.Generator) -> Samples:
        yield sample(np.array([b" Ab", b"", "Äx ".encode()], object), *more)
        yield sample(np.array(b"a", object), *more)
        yield sample(np.zeros((0, 2), object), *more)

    return samples


@op("StringLower", graphdef="encoding", out=string, host_only=True)
def string_lower(input: Strings, encoding: _Encoding = "", name: str | None = None) -> Tensor:
    """The strings in lower case.

    Args:
        input: strings, any shape.
        encoding: "" changes the letters A to Z only; "utf-8" all of Unicode.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.
        ValueError: `encoding` is another one.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.strings.lower(["CamelCase"])))
    [b'camelcase']

    Source: TensorFlow 1.x, `tf.strings.lower`.
    """


@string_lower.kernel
def string_lower_kernel(xp: Any, input: Any, encoding: str) -> Any:
    return each_string(lambda s: s.decode("utf-8", "replace").lower().encode() if encoding else s.lower(), input)


@op("StringUpper", graphdef="encoding", out=string, host_only=True)
@documented_like(string_lower)
def string_upper(input: Strings, encoding: _Encoding = "", name: str | None = None) -> Tensor:
    """The strings in upper case.

    Args:
        encoding: "" changes the letters a to z only; "utf-8" all of Unicode.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.strings.upper(["CamelCase"])))
    [b'CAMELCASE']

    Source: TensorFlow 1.x, `tf.strings.upper`.
    """


@string_upper.kernel
def string_upper_kernel(xp: Any, input: Any, encoding: str) -> Any:
    return each_string(lambda s: s.decode("utf-8", "replace").upper().encode() if encoding else s.upper(), input)


@op("StringStrip", graphdef="", out=string, host_only=True)
@documented_like(string_lower)
def string_strip(input: Strings, name: str | None = None) -> Tensor:
    """The strings without white space at their ends.

    Raises:
        TypeError: `input` is not string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_strip(["  a b ", "c"])))
    [b'a b' b'c']

    Source: TensorFlow 1.x, `tf.string_strip`.
    """


@string_strip.kernel
def string_strip_kernel(xp: Any, input: Any) -> Any:
    return each_string(lambda s: s.strip(b" \t\n\v\f\r"), input)


@op("StringLength", graphdef="unit", out=int32, host_only=True)
def string_length(input: Strings, name: str | None = None, unit: Unit = "BYTE") -> Tensor:
    """The length of each string.

    Args:
        input: strings, any shape.
        unit: "BYTE" counts bytes, "UTF8_CHAR" characters.

    Returns:
        A tensor of dtype int32 with the shape of `input`.

    Raises:
        TypeError: `input` is not string.
        ValueError: `unit` is another one.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.strings.length(["abc", ""])))
    [3 0]

    Source: TensorFlow 1.x, `tf.strings.length`.
    """




def _characters(text: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in text)  # bytes that begin one


@string_length.kernel
def string_length_op_kernel(xp: Any, input: Any, unit: str) -> Any:
    return each_string(len if unit == "BYTE" else _characters, input, np.int32)


# ---- base64 -------------------------------------------------------------------------------------


@op("EncodeBase64", graphdef="pad", out=string, host_only=True)
def encode_base64(input: Strings, pad: Flag = False, name: str | None = None) -> Tensor:
    """The strings in the base64 code for web addresses, with - and _ for + and /.

    Args:
        input: strings, any shape.
        pad: whether = fills up the last group.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.encode_base64("text")), session.run(tf.encode_base64("text", pad=True)))
    b'dGV4dA' b'dGV4dA=='

    Source: TensorFlow 1.x, `tf.encode_base64`.
    """


@encode_base64.kernel
def encode_base64_kernel(xp: Any, input: Any, pad: bool) -> Any:
    def encoded(text: bytes) -> bytes:
        code = base64.urlsafe_b64encode(text)
        return code if pad else code.rstrip(b"=")

    return each_string(encoded, input)


@op("DecodeBase64", graphdef="", out=string, host_only=True,
    fails="whether the strings are base64 is not known before the run")  # fmt: skip
def decode_base64(input: Strings, name: str | None = None) -> Tensor:
    """The strings that `tf.encode_base64` encoded.

    Args:
        input: strings in the base64 code for web addresses, any shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string.
        InvalidArgumentError (when run): a string is not in that code.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_base64("dGV4dA")))
    b'text'

    Source: TensorFlow 1.x, `tf.decode_base64`.
    """


@decode_base64.kernel
def decode_base64_kernel(xp: Any, input: Any) -> Any:
    def decoded(code: bytes) -> bytes:
        try:
            bare = code.rstrip(b"=")
            return base64.b64decode(bare + b"=" * (-len(bare) % 4), b"-_", validate=True)
        except binascii.Error:
            raise InvalidArgumentError(message="Invalid character found in base64.") from None

    return each_string(decoded, input)




@decode_base64.samples
def decode_base64_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([b"dGV4dA", b"", b"-_8="], object))
    yield sample(np.zeros((0, 2), object))


for _each in (string_lower, string_upper, string_strip, string_length, encode_base64, decode_base64):
    _each.shape(_same)
    _each.distributes(same_axes)
for _each in (string_lower, string_upper, string_strip, string_length, encode_base64):
    _each.samples(samples_of_strings())
