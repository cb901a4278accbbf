"""Paths that programs give to `tf.gfile`: texts, bytes and `os.PathLike`; other file systems are refused in words."""

from __future__ import annotations

import os
import re
from typing import Final

from ...errors import UnimplementedError

Path = str | bytes | os.PathLike[str]

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def local_path(path: Path, what: str) -> str:
    """A path of this machine.

    Args:
        path: what the program gives; "file:///tmp/x" is "/tmp/x".
        what: the function that got it, for errors.

    Raises:
        TypeError: it is no path.
        UnimplementedError: it names another file system.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{what}: a path is a str, bytes or a pathlib.Path, not {path!r}")
    text = os.fsdecode(path)
    found = _SCHEME.match(text)
    if found is None:
        return text
    if found[1] == "file":
        return text[found.end() :]
    raise UnimplementedError(
        message=f"{what}: File system scheme {found[1]!r} not implemented (file: {text!r}). tf.gfile reads and writes "
        "files of this machine; copy the file here first, or mount the other file system"
    )
