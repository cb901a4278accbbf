"""Texts and bytes: `tf.compat.as_bytes`, `as_text`, `as_str`, `as_str_any`, `path_to_str`."""

from __future__ import annotations

import numbers
import os
from typing import Any, Final

import numpy as np

from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like

bytes_or_text_types: Final = (bytes, str)
complex_types: Final = (numbers.Complex, np.number)
integral_types: Final = (numbers.Integral, np.integer)
real_types: Final = (numbers.Real, np.integer, np.floating)


@hides_frames
def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """A text as bytes.

    Args:
        bytes_or_text: a str, or bytes, which stay as they are.
        encoding: the encoding.

    Returns:
        Bytes.

    Raises:
        TypeError: it is something else.

    >>> import penstock as tf
    >>> tf.compat.as_bytes("text")
    b'text'

    Source: TensorFlow 1.x, `tf.compat.as_bytes`.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise _wrong("as_bytes", bytes_or_text)


@hides_frames
def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Bytes as a str, such as a string that a run returns.

    Args:
        bytes_or_text: bytes, or a str, which stays as it is.
        encoding: the encoding.

    Returns:
        A str.

    Raises:
        TypeError: it is something else.
        UnicodeDecodeError: the bytes are not in this encoding.

    >>> import penstock as tf
    >>> tf.compat.as_text(b"text")
    'text'

    Source: TensorFlow 1.x, `tf.compat.as_text`.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise _wrong("as_text", bytes_or_text)


@hides_frames
@documented_like(as_text)
def as_str(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """The same as `as_text`: bytes as a str.

    Raises:
        TypeError: it is something else; `as_str_any` takes anything.
        UnicodeDecodeError: the bytes are not in this encoding.
    """
    if isinstance(bytes_or_text, (str, bytes)):
        return as_text(bytes_or_text, encoding)
    raise _wrong("as_str", bytes_or_text)


@hides_frames
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Any value as a str: bytes are decoded, other values are printed.

    Args:
        value: anything.
        encoding: the encoding of bytes.

    Returns:
        A str.

    Raises:
        UnicodeDecodeError: the bytes are not in this encoding.

    >>> import penstock as tf
    >>> tf.compat.as_str_any(b"text"), tf.compat.as_str_any(3)
    ('text', '3')

    Source: TensorFlow 1.x, `tf.compat.as_str_any`.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A `pathlib.Path` as a str; other values stay as they are.

    Args:
        path: a path.

    Returns:
        A str for a path object, otherwise `path`.

    >>> import pathlib, penstock as tf
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("/tmp/x"))
    '/tmp/x'

    Source: TensorFlow 1.x, `tf.compat.path_to_str`.
    """
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def _wrong(name: str, value: Any) -> UseError:
    return UseError(
        f"compat.{name}: Expected binary or unicode string, got {value!r:.80}. compat.as_str_any turns any value into "
        "a str"
    )
