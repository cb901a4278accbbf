"""The object cache: machine code kept on disk between processes.

Loading an object file means running it. So the files lie in a folder that only this user can write to, and each file
says what it was made from:

    magic | sha256 of (key, code) | code            named by the key: sha256 of (IR, machine, versions of LLVM)

A damaged, truncated or renamed file does not match; it is removed and the code is compiled again. Files are written
aside and then renamed, so processes may share a folder. Errors of the disk cost time, never a result.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from ...graph.common.lazy_import import load
from ...graph.common.quick_dataclass import dataclass

if TYPE_CHECKING:
    from hashlib import _Hash as Hash
    from pathlib import Path

MAGIC: Final = b"penstock object 1\n"
_HEAD: Final = len(MAGIC) + 32  # a sha256
_LARGEST: Final = 1 << 24  # bytes of a file; kernels have 1 to 50 KB
_ABANDONED: Final = 600.0  # seconds after which the writer of an unfinished file is assumed dead
_FRESH: Final = 3600.0  # seconds before another use updates the time of a file
_NOTE: Final = "note"  # stands for the machine in the name of a file that holds no code
_PARTS: Final = 4  # a full cache drops a quarter of its bytes at once


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A file of the cache: its name, its bytes, the time of its last use."""

    name: str
    size: int
    used: float


@dataclass(slots=True)
class CacheCounts:
    """How often code was found, was missing, was damaged, and could not be written."""

    hits: int = 0
    misses: int = 0
    damaged: int = 0
    unwritten: int = 0


class ObjectCache:
    """Object code by its IR. Disk errors never raise.

    Call `get` only under `toolchain.LOCK`; `has` may be called at any time from any thread.

    Args:
        folder: the folder, made if it is missing; None keeps nothing.
        cap: the most bytes that are kept.
        counts: the counters to update.
    """

    def __init__(self, folder: Path | None, cap: int, counts: CacheCounts | None = None) -> None:
        self.folder = folder
        self.cap = cap
        self.counts = counts or CacheCounts()
        self._bytes: int | None = None  # as far as this process knows; None before the folder was read

    def get(self, ir: str, machine: str, compile_ir: Callable[[str], bytes]) -> bytes:
        """The object code of `ir` for `machine`, read from the cache, or compiled and kept."""
        key = key_of(ir, machine)
        code = self._read(key)
        if code is not None:
            self.counts.hits += 1
            return code
        self.counts.misses += 1
        code = compile_ir(ir)
        if not self._write(key, code):
            self.counts.unwritten += 1
        return code

    def has(self, ir: str, machine: str) -> bool:
        """True if there is a file for it; it may be damaged."""
        with self._opened(make=False) as place:
            if place is None:
                return False
            try:
                return _is_ours(os.stat(key_of(ir, machine), dir_fd=place, follow_symlinks=False))
            except OSError:
                return False

    def note(self, key: str, text: str) -> None:
        """Keep a text beside the code."""
        name = key_of(key, _NOTE)
        if self._read(name) != text.encode():
            self._write(name, text.encode())

    def noted(self, key: str) -> str | None:
        """The text that was kept under a key; None if there is none."""
        found = self._read(key_of(key, _NOTE))
        return None if found is None else found.decode()

    def why_not(self) -> str:
        """Why nothing is kept on disk, in one sentence; empty if it is."""
        if self.folder is None:
            return "the object cache is switched off"
        if not _CAN_CHECK:
            return f"on {sys.platform} it cannot be checked that a folder is private"
        try:
            os.close(_open_private(self.folder, make=True))
        except OSError as error:
            return f"{self.folder} cannot be used: {error.strerror or error}"
        return ""

    def entries(self) -> list[CachedFile]:
        """The files of the cache, the least recently used first."""
        with self._opened(make=False) as place:
            return [] if place is None else sorted(_entries(place), key=lambda e: e.used)

    def clear(self) -> int:
        """Remove every file and return their number; files that another process is writing stay."""
        removed = 0
        with self._opened(make=False) as place:
            if place is not None:
                files = [entry.name for entry in _entries(place) if not _in_writing(entry)]
                removed = sum([_remove(place, name) for name in files])
        self._bytes = None
        return removed

    # ---- files --------------------------------------------------------------------------------

    @contextmanager
    def _opened(self, make: bool) -> Iterator[int | None]:
        """The open folder, checked to be private. Files are opened relative to it, so it cannot be replaced meanwhile.
        """
        try:
            place = None if self.folder is None or not _CAN_CHECK else _open_private(self.folder, make)
        except OSError:
            place = None
        try:
            yield place
        finally:
            if place is not None:
                os.close(place)

    def _read(self, key: str) -> bytes | None:
        with self._opened(make=False) as place:
            if place is None:
                return None
            try:
                data, used = _contents(place, key)
            except OSError:
                return None
            code = data[_HEAD:]
            if data[:_HEAD] == _head(key, code) and code:
                if time.time() - used > _FRESH:
                    with suppress(OSError):
                        os.utime(key, dir_fd=place)
                return code
            self.counts.damaged += 1
            _remove(place, key)
            return None

    def _write(self, key: str, code: bytes) -> bool:
        size = _HEAD + len(code)
        if size > min(self.cap, _LARGEST):
            return False
        with self._opened(make=True) as place:
            if place is None:
                return False
            if self._bytes is None:
                self._bytes = sum(entry.size for entry in _entries(place))
            if self._bytes + size > self.cap:
                self._bytes = _make_room(place, max(0, min(self.cap - size, self.cap - self.cap // _PARTS)))
            if not _write_whole(place, key, _head(key, code) + code):
                return False
            self._bytes += size
            return True


_CAN_CHECK: Final = hasattr(os, "geteuid") and os.open in os.supports_dir_fd


def _sha256(data: bytes) -> Hash:
    load("hashlib")
    import hashlib  # loads OpenSSL, which takes 3 ms

    return hashlib.sha256(data)


def key_of(ir: str, machine: str) -> str:
    """The name of the file for `ir` on `machine`."""
    return _sha256(f"{len(machine)} {machine}\n{ir}".encode()).hexdigest()


def _head(key: str, code: bytes) -> bytes:
    return MAGIC + _sha256(key.encode() + code).digest()


def _open_private(folder: Path, make: bool) -> int:
    """A descriptor of the folder.

    Raises:
        OSError: it is missing, not a folder, owned by another user, or writable by others.
    """
    if make and not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(place)
    if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
        return place
    os.close(place)
    raise PermissionError(1, "others can write to it")


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _contents(place: int, name: str) -> tuple[bytes, float]:
    """The bytes of a file that only this user can have written, and the time of its last use.

    Raises:
        OSError: it is missing, or others could have written it.
    """
    # O_NONBLOCK: a pipe of that name must not block.
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(file)
        if not _is_ours(found) or found.st_size > _LARGEST:
            raise PermissionError(1, "others can write to it")
        return opened.read(_LARGEST), found.st_mtime


def _write_whole(place: int, name: str, data: bytes) -> bool:
    """Write a file atomically: readers see the old file, the new file or none. False if it could not be written."""
    aside = f"{name}.{os.getpid()}-{os.urandom(6).hex()}"
    try:
        file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=place)
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
        os.replace(aside, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        _remove(place, aside)
        return False
    return True


def _entries(place: int) -> Iterator[CachedFile]:
    try:
        with os.scandir(place) as found:
            for each in found:
                with suppress(OSError):  # removed by another process just now
                    status = each.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield CachedFile(each.name, status.st_size, status.st_mtime)
    except OSError:
        return


def _make_room(place: int, limit: int) -> int:
    """Remove the least recently used and abandoned files until at most `limit` bytes are left; the bytes left."""
    entries = sorted(_entries(place), key=lambda e: e.used)
    left = sum(entry.size for entry in entries)
    for entry in entries:
        if left > limit or "." in entry.name:
            left -= entry.size if not _in_writing(entry) and _remove(place, entry.name) else 0
    return left


def _in_writing(entry: CachedFile) -> bool:
    """True if the file has a temporary name and its writer may still be alive."""
    return "." in entry.name and time.time() - entry.used < _ABANDONED


def _remove(place: int, name: str) -> int:
    """Remove a file and return 1; 0 if it could not be removed."""
    try:
        os.unlink(name, dir_fd=place)
    except OSError:
        return 0
    return 1
