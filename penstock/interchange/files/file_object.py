"""`GFile`: an open file as TensorFlow 1.x has it: opened at its first use, and counted in bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from ...errors import InvalidArgumentError, PermissionDeniedError
from ...graph.common.closing import ClosedByWith
from ...graph.common.file_errors import file_errors
from ...graph.common.file_paths import Path, local_path
from ...graph.common.tracebacks import hides_frames_of_init, hides_frames_of_methods
from ...graph.common.when_freed import WhenFreed

_MODES: Final = ("r", "w", "a", "r+", "w+", "a+")


@hides_frames_of_init
@hides_frames_of_methods
class GFile(ClosedByWith):
    """A file of this machine.

    It is opened when it is first read or written, so a missing file is an error only then. Close it, or use it in a
    `with` block: what was written is complete in the file afterwards.

    Args:
        name: the path.
        mode: "r" reads, "w" writes a new file, "a" adds to the end, "r+", "w+" and "a+" do both; with a "b" the file
            holds bytes, without it UTF-8 text.

    Raises:
        TypeError: `name` is no path.
        InvalidArgumentError: another mode.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "notes.txt")
    ...     with tf.gfile.GFile(path, "w") as file:
    ...         file.write("one\\ntwo\\n")
    ...     with tf.gfile.GFile(path) as file:
    ...         print([line for line in file])
    ['one\\n', 'two\\n']

    Source: TensorFlow 1.x, `tf.gfile.GFile`.
    """

    def __init__(self, name: Path, mode: str = "r") -> None:
        self._path = local_path(name, "gfile.GFile")
        if not isinstance(mode, str) or mode.replace("b", "", 1) not in _MODES:
            raise InvalidArgumentError(
                message=f"gfile.GFile({os.fspath(name)!r}, mode={mode!r}): a mode is one of {', '.join(_MODES)}, with "
                "a b for bytes"
            )
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        plain = mode.replace("b", "")
        self._reads = plain == "r" or plain.endswith("+")
        self._writes = plain != "r"
        self._file: Any = None

    @property
    def name(self) -> Path:
        """The path as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode as it was given."""
        return self._mode

    def size(self) -> int:
        """The size of the file.

        Returns:
            The number of bytes; what was written but not flushed does not count.

        Raises:
            NotFoundError: there is no such file.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     tf.gfile.GFile(file.name).size()
        0
        """
        with file_errors(f"gfile.GFile({self._path!r}).size"):
            return os.stat(self._path).st_size

    def read(self, n: int = -1) -> Any:
        """Reads from the current position.

        Args:
            n: at most so many bytes; -1 for all.

        Returns:
            A str, or bytes if the mode has a "b".

        Raises:
            NotFoundError: there is no such file.
            PermissionDeniedError: the file is open for writing.
            UnicodeDecodeError: the bytes are no UTF-8 text.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write("abc"), file.flush()
        ...     tf.gfile.GFile(file.name).read(2)
        'ab'
        """
        return self._given(self._open("read").read(n))

    def readline(self) -> Any:
        """Reads up to the end of the line.

        Returns:
            The line with its "\\n", "" at the end of the file; bytes if the mode has a "b". In text "\\r\\n" is "\\n".

        Raises:
            NotFoundError: there is no such file.
            PermissionDeniedError: the file is open for writing.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write("a\\nb"), file.flush()
        ...     tf.gfile.GFile(file.name).readline()
        'a\\n'
        """
        line = self._open("read").readline()
        if not self._is_binary and line.endswith(b"\r\n"):
            line = line[:-2] + b"\n"
        return self._given(line)

    def readlines(self) -> list[Any]:
        """Reads the lines from here to the end.

        Returns:
            A list of what `readline` gives.

        Raises:
            NotFoundError: there is no such file.
            PermissionDeniedError: the file is open for writing.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write("a\\nb"), file.flush()
        ...     tf.gfile.GFile(file.name).readlines()
        ['a\\n', 'b']
        """
        return list(iter(self.readline, self._given(b"")))

    def write(self, file_content: str | bytes) -> None:
        """Writes at the current position.

        Args:
            file_content: a str, which is written as UTF-8, or bytes.

        Raises:
            TypeError: it is something else.
            PermissionDeniedError: the file is open for reading.
            NotFoundError: the folder does not exist.

        >>> import os, tempfile, penstock as tf
        >>> with tempfile.TemporaryDirectory() as folder, tf.gfile.GFile(os.path.join(folder, "x"), "w") as file:
        ...     file.write("abc")
        """
        if isinstance(file_content, str):
            content = file_content.encode()
        elif isinstance(file_content, (bytes, bytearray)):
            content = bytes(file_content)
        else:
            raise TypeError(
                f"gfile.GFile({self._path!r}).write: a str or bytes is expected, not {file_content!r}; write "
                "str(value)"
            )
        with file_errors(f"gfile.GFile({self._path!r}).write"):
            self._open("write").write(content)

    def seek(self, offset: int = 0, whence: int = 0) -> None:
        """Moves the current position.

        Args:
            offset: a number of bytes.
            whence: from where: 0 the start, 1 the current position, 2 the end.

        Raises:
            InvalidArgumentError: another `whence`, or a position before the start.
            NotFoundError: there is no such file.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write("abc"), file.flush()
        ...     with tf.gfile.GFile(file.name) as again:
        ...         again.seek(-1, 2)
        ...         again.read()
        'c'
        """
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                message=f"gfile.GFile({self._path!r}).seek: whence is {whence!r}; it is 0 (from the start), 1 (from "
                "here) or 2 (from the end)"
            )
        file = self._open("read" if self._reads else "write")
        start = 0 if whence == 0 else file.tell() if whence == 1 else self.size()
        if start + offset < 0:
            raise InvalidArgumentError(
                message=f"gfile.GFile({self._path!r}).seek: Seeking to a negative position: {start + offset}"
            )
        file.seek(start + offset)

    def seekable(self) -> bool:
        """Whether the position can be moved.

        Returns:
            True.

        >>> import penstock as tf
        >>> tf.gfile.GFile("x").seekable()
        True
        """
        return True

    def tell(self) -> int:
        """The current position.

        Returns:
            A number of bytes.

        Raises:
            NotFoundError: there is no such file.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     tf.gfile.GFile(file.name).tell()
        0
        """
        return int(self._open("read" if self._reads else "write").tell())

    def flush(self) -> None:
        """Hands what was written to the system, so that other programs see it.

        Raises:
            ResourceExhaustedError: the disk is full.

        >>> import penstock as tf
        >>> tf.gfile.GFile("x", "w").flush()
        """
        if self._file is not None:
            with file_errors(f"gfile.GFile({self._path!r}).flush"):
                self._file.flush()

    def close(self) -> None:
        """Closes the file; what was written is then in it. The next use opens it anew.

        Raises:
            ResourceExhaustedError: the disk is full.

        >>> import penstock as tf
        >>> tf.gfile.GFile("x").close()
        """
        file, self._file = self._file, None
        if file is not None:
            with file_errors(f"gfile.GFile({self._path!r}).close"):
                file.close()

    def next(self) -> Any:
        """The next line.

        Returns:
            What `readline` gives.

        Raises:
            StopIteration: there is none.

        >>> import tempfile, penstock as tf
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write("a\\nb"), file.flush()
        ...     tf.gfile.GFile(file.name).next()
        'a\\n'
        """
        return self.__next__()

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __iter__(self) -> Iterator[Any]:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path!r}, mode {self._mode!r}>"

    def _given(self, content: bytes) -> Any:
        return content if self._is_binary else content.decode()

    def _open(self, to: str) -> Any:
        """The file, opened if it is not, for reading or writing."""
        if not (self._reads if to == "read" else self._writes):
            mode = "w" if to == "write" else "r"
            raise PermissionDeniedError(
                message=f"gfile.GFile({self._path!r}, mode={self._mode!r}).{to}: File isn't open for "
                f"{'writing' if to == 'write' else 'reading'}; open it with mode {mode!r}"
            )
        if self._file is None:
            with file_errors(f"gfile.GFile({self._path!r})"):
                self._file = open(self._path, self._mode.replace("b", "") + "b")  # noqa: SIM115  # close() closes it
                # `GFile(path).read()` is usual in programs, and TensorFlow closes the file then too.
                self._when_freed = WhenFreed(self._file.close)
        return self._file


class FastGFile(GFile):
    """The same as `GFile`, under its older name.

    Args:
        name: the path.
        mode: as of `GFile`.

    >>> import tempfile, penstock as tf
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     tf.gfile.FastGFile(file.name, "rb").read()
    b''

    Source: TensorFlow 1.x, `tf.gfile.FastGFile`.
    """
