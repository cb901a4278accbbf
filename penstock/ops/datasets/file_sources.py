"""Datasets of files: lines, records, records of one length, names of files; and what a Python generator gives."""

from __future__ import annotations

import glob
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataLossError, InvalidArgumentError, NotFoundError, OutOfRangeError
from ...graph.common.hooks import hooks
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import literal
from ..control.python_function import error_of_function
from .streams import DatasetStream, Element, Source, StreamRun


def text(value: bytes) -> Any:
    """A scalar of dtype string."""
    out = np.empty((), object)
    out[()] = value
    return out


class FromFiles(Source):
    """Elements that are texts, from files one after the other."""

    label = "files"

    def __init__(self, paths: Sequence[bytes], read: Callable[[str], Iterator[bytes]]) -> None:
        self._paths, self._read = [path.decode() for path in paths], read

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return TextStream(each for path in self._paths for each in self._read(path))


class TextStream(DatasetStream):
    """Texts of an iterator."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        self._texts = iter(texts)

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        found = next(self._texts, None)
        return None if found is None else (text(found),)

    def close(self) -> None:
        """See `DatasetStream`."""
        if hasattr(self._texts, "close"):
            self._texts.close()


_PIECE = 1 << 18


def pieces_of(path: str, compression: str) -> Iterator[bytes]:
    """The content of a file, unpacked, in pieces.

    Args:
        path: the file.
        compression: "", "GZIP" or "ZLIB".

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is no whole packed file.
        InvalidArgumentError: there is no such compression.
    """
    if compression not in ("", "GZIP", "ZLIB"):
        raise InvalidArgumentError(message=f"Unsupported compression_type: {compression}; it is '', 'GZIP' or 'ZLIB'")
    try:
        file = Path(path).open("rb")  # noqa: SIM115  # closed below
    except FileNotFoundError:
        raise NotFoundError(message=f"{path}; No such file or directory") from None
    except OSError as error:
        raise InvalidArgumentError(message=f"{path}; {error.strerror}") from error
    with file:
        unpacker = None if not compression else zlib.decompressobj(31 if compression == "GZIP" else 15)
        while piece := file.read(_PIECE):
            if unpacker is None:
                yield piece
                continue
            while piece:
                try:
                    yield unpacker.decompress(piece, _PIECE)
                except zlib.error as error:
                    raise DataLossError(message=f"{path} is no {compression} file: {error}") from None
                piece = unpacker.unconsumed_tail
                if unpacker.eof:
                    piece = unpacker.unused_data
                    if piece:  # several packed parts, one after the other
                        unpacker = zlib.decompressobj(31 if compression == "GZIP" else 15)
        if unpacker is not None and not unpacker.eof:
            raise DataLossError(message=f"{path} ends in the middle of its packed content")


def lines_of(path: str, compression: str = "", skipped: int = 0) -> Iterator[bytes]:
    """The lines of a file without their ends, "\\n" or "\\r\\n"; the first `skipped` are left out."""
    rest = b""
    number = 0
    for piece in pieces_of(path, compression):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            number += 1
            if number > skipped:
                yield line.removesuffix(b"\r")
    if rest and number + 1 > skipped:
        yield rest


def csv_lines_of(path: str, compression: str = "", skipped: int = 0) -> Iterator[bytes]:
    """The lines of a file as `lines_of`; the ends of lines inside "..." are part of a line."""
    rest = open_line = b""
    is_open = False  # inside "..."
    number = 0
    for piece in pieces_of(path, compression):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            number += 1
            if number <= skipped:
                continue
            is_open ^= line.count(b'"') & 1 == 1
            if is_open:
                open_line += line + b"\n"
            elif open_line:
                yield (open_line + line).removesuffix(b"\r")
                open_line = b""
            else:
                yield line.removesuffix(b"\r")
    if (rest or open_line) and number + 1 > skipped:
        yield open_line + rest


def fixed_records_of(path: str, length: int, header: int, footer: int, compression: str = "") -> Iterator[bytes]:
    """The records of `length` bytes of a file, between a header and a footer."""
    rest = b""
    passed = False
    for piece in pieces_of(path, compression):
        rest += piece
        if not passed:
            if len(rest) < header:
                continue
            rest, passed = rest[header:], True
        whole = max(0, len(rest) - footer) // length
        if whole:
            for at in range(0, whole * length, length):
                yield rest[at : at + length]
            rest = rest[whole * length :]
    if len(rest) != footer or not passed:
        raise InvalidArgumentError(
            message=f"Excess bytes of {len(rest) - footer} found at the end of {path}: its content is no multiple of "
            f"record_bytes={length} between {header} bytes of a header and {footer} of a footer"
        )


def hopped_records_of(
    path: str, length: int, header: int, footer: int, hop: int, compression: str = ""
) -> Iterator[bytes]:
    """The records of `length` bytes that begin every `hop` bytes after a header, as far as they end before a footer."""
    rest = b""
    skipped = header
    for piece in pieces_of(path, compression):
        rest += piece
        while True:
            if skipped:
                passed = min(skipped, len(rest))
                rest, skipped = rest[passed:], skipped - passed
            if skipped or len(rest) < length + footer:
                break
            yield rest[:length]
            skipped = hop


def records_of(path: str, compression: str = "") -> Iterator[bytes]:
    """The records of a file of TensorFlow's records."""
    return hooks.records_of(path, compression)


def matching_paths(patterns: Sequence[bytes]) -> list[bytes]:
    """The files that match one of some patterns, sorted."""
    matches = {path for pattern in patterns for path in glob.glob(pattern.decode())}
    return [path.encode() for path in sorted(matches)]


class ListedFiles(Source):
    """`list_files`: the files that match patterns."""

    label = "list_files"

    def __init__(self, patterns: Sequence[bytes]) -> None:
        self._patterns = list(patterns)

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        paths = matching_paths(self._patterns)
        if not paths:
            names = ", ".join(each.decode(errors="replace") for each in self._patterns)
            raise InvalidArgumentError(message=f"No files matched pattern: {names}")
        return TextStream(paths)


class Generated(Source):
    """`from_generator`: what a Python generator gives."""

    label = "from_generator"

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Any], dtypes: Sequence[DType],
        shapes: Sequence[Any], flatten: Callable[[Any], list[Any]],
    ) -> None:  # fmt: skip
        self.function, self._arguments = function, [each.copy()[()] for each in arguments]
        self.dtypes, self.shapes, self.flatten = dtypes, shapes, flatten

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return GeneratedStream(self, self._arguments)


class GeneratedStream(DatasetStream):
    """The elements of a Python generator."""

    def __init__(self, source: Generated, arguments: Sequence[Any]) -> None:
        self._source = source
        self._arguments = arguments
        self._values: Iterator[Any] | None = None

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        try:
            if self._values is None:
                self._values = iter(self._source.function(*self._arguments))
            value = next(self._values, _ENDED)
        except Exception as error:
            raise error_of_function(error) from error
        if value is _ENDED:
            return None
        return self._checked(value)

    def _checked(self, value: Any) -> Element:
        source = self._source
        try:
            parts = source.flatten(value)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(
                message=f"`generator` yielded an element that did not match the expected structure: {error}. "
                "Yield elements of the structure of output_types"
            ) from None
        arrays = []
        for part, dtype, shape in zip(parts, source.dtypes, source.shapes, strict=True):
            try:
                array = _converted(part, dtype)
            except Exception as error:
                raise InvalidArgumentError(
                    message=f"`generator` yielded an element that could not be converted to the expected type. The "
                    f"expected type was {dtype.name}, but the yielded element was {part!r:.200}: {error}. Yield such "
                    "values, or give their dtypes as output_types"
                ) from None
            if not shape.is_compatible_with(array.shape):
                raise InvalidArgumentError(
                    message=f"`generator` yielded an element of shape {list(array.shape)} where an element of shape "
                    f"{shape} was expected. Yield arrays of that shape, or give output_shapes with None where sizes "
                    "differ"
                )
            arrays.append(array.copy())
        return tuple(arrays)

    def close(self) -> None:
        """See `DatasetStream`."""
        if self._values is not None and hasattr(self._values, "close"):
            try:
                self._values.close()
            except ValueError:  # it runs right now, on the thread of a prefetch
                return


_ENDED = object()


def _converted(value: Any, dtype: DType) -> Any:
    """What a generator gave as an array; texts become numbers and floats ints by NumPy, as in TensorFlow."""
    try:
        return literal(value, dtype)
    except (TypeError, ValueError):
        if dtype.is_string or np.asarray(value).dtype.kind not in "SUf":
            raise
    return np.asarray(value, dtype.np)


def end_of_sequence() -> OutOfRangeError:
    """The error of a run that asks for an element after the last one."""
    return OutOfRangeError(message="End of sequence")
