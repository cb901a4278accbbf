"""Files that appear whole: temporary names in the same folder, flushed to the disk, then renamed.

A temporary file is locked while its writer lives. So what a killed program left behind is recognised: a file with the
name of a temporary one that can be locked has no writer any more, and the next writer of that name removes it.
"""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from ...graph.common.file_errors import UNCHANGED, file_errors

try:
    import fcntl

    _fcntl: Any = fcntl
except ImportError:  # Windows has no such locks
    _fcntl = None

_BUFFER: Final = 256 << 10
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class TemporaryFile:
    """A file that gets its name when it is complete; `target` is the path that it shall have."""

    def __init__(self, target: str) -> None:
        folder, base = os.path.split(target)
        self.path = os.path.join(folder, f".{base}.{os.urandom(6).hex()}.tmp")
        self._is_named = False
        try:
            handle = self._locked()
        except OSError as error:
            error.filename = target  # the name that the caller gave
            raise
        self.file: BinaryIO = os.fdopen(handle, "wb", buffering=_BUFFER)

    def _locked(self) -> int:
        """A new file with a lock; another writer may take one that has no lock yet for abandoned, and remove it."""
        while True:
            handle = os.open(self.path, _NEW, 0o666)
            if _fcntl is None:
                return handle
            with contextlib.suppress(OSError):  # a file system without locks
                _fcntl.flock(handle, _fcntl.LOCK_EX)
            if os.path.exists(self.path):
                return handle
            os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Close the file; unless it has its name, remove it."""
        # Closing flushes, and fails again where writing failed before; that error was reported.
        with contextlib.suppress(OSError):
            self.file.close()
        if not self._is_named:
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def flush(self) -> None:
        """Write everything to the disk."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def rename(self, target: str) -> None:
        """Give the file its name, in place of a file that has it."""
        os.replace(self.path, target)
        self._is_named = True


    def unname(self, target: str) -> None:
        """Remove the file after all."""
        if not os.path.exists(self.path):
            remove_files([target])


@dataclass(frozen=True, slots=True)
class ExistingFile:
    """A complete file with a path, which gets another."""

    path: str

    def rename(self, target: str) -> None:
        """Give the file its new path, in place of a file that has it."""
        os.replace(self.path, target)

    def unname(self, target: str) -> None:
        """Give it its old path again."""
        if not os.path.exists(self.path):
            os.replace(target, self.path)


def flush_folder(folder: str) -> None:
    """Write the names in a folder to the disk."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows cannot do it
    handle = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some network file systems cannot do it for folders
    finally:
        os.close(handle)


def write_whole(target: str, content: bytes) -> None:
    """Write a file so that a reader finds the old content or the new one, also after a crash of the machine."""
    with TemporaryFile(target) as temporary:
        temporary.file.write(content)
        temporary.flush()
        temporary.rename(target)
    flush_folder(os.path.dirname(target))


def remove_abandoned(target: str) -> None:
    """Remove temporary files for `target` (a pattern of a path) that killed programs left behind."""
    folder, base = os.path.split(target)
    if _fcntl is None:
        return
    for path in glob.glob(os.path.join(folder, f".{base}.{'[0-9a-f]' * 12}.tmp")):
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDWR)
            try:
                _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(handle)


def remove_files(paths: list[str]) -> None:
    """Remove files, those that are gone already excepted."""
    for path in paths:
        Path(path).unlink(missing_ok=True)


@contextlib.contextmanager
def kept_on_error(path: str) -> Iterator[None]:
    """A block that writes the file `path` and then does more; if it fails, the file is as it was, or is not there.

    Raises:
        OpError: the file that is there cannot be kept.
    """
    folder, base = os.path.split(path)
    old = os.path.join(folder, f".{base}.{os.urandom(6).hex()}.old")
    was_there = os.path.exists(path)
    if was_there:
        with file_errors(f"the file {path!r} could not be kept", UNCHANGED):
            try:
                os.link(path, old)  # replacing `path` leaves this one alone
            except OSError:  # a file system without links
                shutil.copy2(path, old)
    try:
        yield
    except BaseException:
        if was_there:
            os.replace(old, path)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        raise
    finally:
        with contextlib.suppress(OSError):
            os.unlink(old)
