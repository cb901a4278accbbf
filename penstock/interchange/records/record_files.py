"""TensorFlow's record files: records of bytes, each with its length and checksums.

    length, 8 bytes | masked CRC32C of it, 4 | the record | masked CRC32C of the record, 4

Event files are record files of `Event` messages.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from ...errors import DataLossError, DTypeError, InvalidArgumentError, NotFoundError, UseError
from ...graph.common.closing import ClosedByWith
from ...graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..crc32c import crc32c, masked
from .record_options import TFRecordOptions, compression_of, packer_of

LONGEST_PACKED = 64 << 20
"""The bytes that one record of a compressed file may always have."""

MOST_UNPACKED = 32
"""Above that, one record has at most so many times the bytes of its compressed file: DEFLATE makes up to 1032 bytes of
one, so the size of a file alone bounds little."""

_BLOCK = 1 << 20


def framed(record: bytes) -> bytes:
    """A record as it stands in a file."""
    length = struct.pack("<Q", len(record))
    return b"".join((length, _checksum(length), record, _checksum(record)))


_MAYBE_NO_RECORDS = (
    ". Perhaps it is no file of records: lines of text are read by TextLineDataset, and compressed records with their "
    "compression_type"
)


def _checksum(content: bytes) -> bytes:
    return struct.pack("<I", masked(crc32c(content)))


def _records_of(file: Any, path: str, check: Callable[[int, int], None]) -> Iterator[bytes]:
    """The records of an open file, unpacked if it is compressed; `check` gets the place and the length of each before
    it is read. At any time one record is in memory, twice at most.

    Raises:
        DataLossError: a checksum is wrong, or the file ends inside a record.
    """
    at = 0
    while head := file.read(12):
        if len(head) < 12:
            raise DataLossError(message=f"{path}: truncated record at {at}: the file ends inside its length")
        if head[8:] != _checksum(head[:8]):
            other = "" if at else _MAYBE_NO_RECORDS
            raise DataLossError(message=f"{path}: corrupted record at {at}: the checksum of its length is wrong{other}")
        (length,) = struct.unpack("<Q", head[:8])
        check(at, length)
        record = _read_exactly(file, length)
        checksum = file.read(4) if len(record) == length else b""
        if len(checksum) < 4:
            raise DataLossError(message=f"{path}: truncated record at {at}: it has {length} bytes, and the file ends")
        if checksum != _checksum(record):
            raise DataLossError(message=f"{path}: corrupted record at {at}: the checksum of its content is wrong")
        at += 16 + length
        yield record


def _read_exactly(file: Any, length: int) -> bytes:
    """The next bytes of a file, fewer where it ends: block by block, because `read` allocates what it is asked for."""
    if length <= _BLOCK:
        found: bytes = file.read(length)
        return found
    blocks = []
    while length and (block := file.read(min(length, _BLOCK))):
        blocks.append(block)
        length -= len(block)
    return b"".join(blocks)


# ---- tf.python_io -------------------------------------------------------------------------------


@hides_frames_of_methods
class TFRecordWriter(ClosedByWith):
    """Writes a record file.

    Args:
        path: the file, which is replaced if it is there.
        options: a `TFRecordOptions` or its compression; None (the default) compresses nothing.

    Raises:
        TypeError: `path` is no path.
        ValueError: `options` is another value.
        OSError: the file cannot be written.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/data.tfrecords"
    ...     with tf.python_io.TFRecordWriter(path) as writer:
    ...         writer.write(b"one")
    ...         writer.flush()
    ...         writer.write(b"two")
    ...     writer.close()
    ...     print(list(tf.python_io.tf_record_iterator(path)))
    [b'one', b'two']

    Source: TensorFlow 1.x, `tf.python_io.TFRecordWriter`.
    """

    def __init__(
        self, path: str | bytes | os.PathLike[str], options: TFRecordOptions | int | str | None = None
    ) -> None:
        self._pack = packer_of(options)
        self._file: IO[bytes] | None = io.BufferedWriter(io.FileIO(_path(path), "wb"))

    def write(self, record: bytes) -> None:
        """Writes a record.

        Args:
            record: its bytes.

        Raises:
            TypeError: it is not bytes.
            RuntimeError: the writer is closed.
        """
        if not isinstance(record, bytes):
            raise DTypeError(f"TFRecordWriter.write takes bytes, not {type(record).__name__}; call SerializeToString()")
        file = self._open_file()
        content = framed(record)
        file.write(content if self._pack is None else self._pack.compress(content))

    def _open_file(self) -> IO[bytes]:
        if self._file is None:
            raise RuntimeError("TFRecordWriter: the writer is closed; open a new one")
        return self._file

    def flush(self) -> None:
        """Writes what is still in memory.

        Raises:
            RuntimeError: the writer is closed.
        """
        file = self._open_file()
        if self._pack is not None:
            file.write(self._pack.flush(zlib.Z_PARTIAL_FLUSH))
        file.flush()

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self._file is not None:
            if self._pack is not None:
                self._file.write(self._pack.flush())
            self._file.close()
            self._file = None


@hides_frames
def tf_record_iterator(
    path: str | bytes | os.PathLike[str], options: TFRecordOptions | int | str | None = None
) -> Iterator[bytes]:
    """The records of a record file, one after the other.

    Args:
        path: the file.
        options: a `TFRecordOptions` or its compression; None (the default) means that it is not compressed.

    Returns:
        An iterator of bytes.

    Raises:
        TypeError: `path` is no path.
        ValueError: `options` is another value.
        NotFoundError: there is no such file.
        DataLossError: it is damaged, or a record of a compressed file is longer than both 64 MiB and 32 times the file.

    >>> import penstock as tf
    >>> try:
    ...     list(tf.python_io.tf_record_iterator("missing.tfrecords"))
    ... except tf.errors.NotFoundError as error:
    ...     print(error)
    missing.tfrecords; No such file or directory

    Source: TensorFlow 1.x, `tf.python_io.tf_record_iterator`.
    """
    kind, name = compression_of(options), _path(path)
    return _records(name, kind)


def records_of(path: str, kind: str) -> Iterator[bytes]:
    """The records of a record file; `kind` is "", "GZIP" or "ZLIB".

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is damaged.
        InvalidArgumentError: there is no such kind.
    """
    if kind not in ("", "GZIP", "ZLIB"):
        raise InvalidArgumentError(message=f"Unsupported compression_type: {kind}; it is '', 'GZIP' or 'ZLIB'")
    return _records(path, kind)


def _records(path: str, kind: str) -> Iterator[bytes]:
    if not os.path.exists(path):
        raise NotFoundError(message=f"{path}; No such file or directory")
    with open(path, "rb") as plain:

        def check(at: int, length: int) -> None:
            if length > _BLOCK:
                _allow(path, at, length, os.fstat(plain.fileno()), bool(kind))

        try:
            yield from _records_of(_unpacked(plain, kind), path, check)
        except (zlib.error, EOFError, gzip.BadGzipFile) as error:
            raise DataLossError(message=f"{path}: it is not {kind} data: {error}") from None


def _allow(path: str, at: int, length: int, file: os.stat_result, is_packed: bool) -> None:
    """Let a record be read if its file can hold it.

    Raises:
        DataLossError: the record says that it is longer.
    """
    if is_packed:
        if length > max(LONGEST_PACKED, MOST_UNPACKED * file.st_size):
            raise DataLossError(
                message=f"{path}: record at {at}: it has {length} bytes unpacked; a record of a compressed file has at "
                f"most {LONGEST_PACKED}, or {MOST_UNPACKED} times the bytes of the file ({file.st_size}) if that is "
                "more. If the file is trusted, unpack it first and read it without compression"
            )
    elif stat.S_ISREG(file.st_mode) and length > file.st_size - at - 16:  # the size of a pipe is not known
        raise DataLossError(message=f"{path}: truncated record at {at}: it has {length} bytes, and the file ends")


def _unpacked(file: IO[bytes], kind: str) -> Any:
    """What a file holds when it is unpacked, to be read."""
    return gzip.GzipFile(fileobj=file) if kind == "GZIP" else io.BufferedReader(_Inflated(file)) if kind else file


class _Inflated(io.RawIOBase):
    """A file of zlib's format, read as its content. Each read unpacks what it asks for, and not more."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpack = zlib.decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._unpack.eof:
            packed = self._unpack.unconsumed_tail or self._file.read(io.DEFAULT_BUFFER_SIZE)
            content = self._unpack.decompress(packed, len(buffer))
            if content:
                buffer[: len(content)] = content
                return len(content)
            if not packed:
                break
        return 0


def _path(given: Any) -> str:
    if not isinstance(given, (str, bytes, os.PathLike)):
        raise UseError(f"a path is a str, bytes or a pathlib.Path, not {given!r:.60}")
    return os.fsdecode(given)
