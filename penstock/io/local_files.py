"""`tf.io.gfile`: the functions of `tf.gfile` under their later names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from ..graph.common.file_paths import Path
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..interchange.files.file_object import GFile as GFile
from ..interchange.files.file_operations import (
    Copy,
    DeleteRecursively,
    Exists,
    FileStatistics,
    Glob,
    IsDirectory,
    ListDirectory,
    MakeDirs,
    MkDir,
    Remove,
    Rename,
    Stat,
    Walk,
)

__all__ = [
    "GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename", "rmtree",
    "stat", "walk",
]  # fmt: skip


@hides_frames
def exists(path: Path) -> bool:
    """Whether there is a file or folder.

    Args:
        path: the path.

    Returns:
        A bool.

    Raises:
        TypeError: `path` is no path.

    >>> import penstock as tf
    >>> tf.io.gfile.exists("/there/is/no/such/file")
    False

    Source: TensorFlow 1.15, `tf.io.gfile.exists`.
    """
    return Exists(path)


@hides_frames
@documented_like(exists)
def isdir(path: Path) -> bool:
    """Whether a path is a folder.

    Returns:
        A bool; False if there is nothing.

    >>> import penstock as tf
    >>> tf.io.gfile.isdir("/there/is/no/such/folder")
    False
    """
    return IsDirectory(path)


@hides_frames
def listdir(path: Path) -> list[str]:
    """The names of what is in a folder.

    Args:
        path: the folder.

    Returns:
        A sorted list of names.

    Raises:
        NotFoundError: there is no such folder.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.io.gfile.listdir(folder)
    []

    Source: TensorFlow 1.15, `tf.io.gfile.listdir`.
    """
    return ListDirectory(path)


@hides_frames
def glob(pattern: Path | Iterable[Path]) -> list[str]:
    """The paths that match a pattern.

    Args:
        pattern: a pattern, or a list of patterns.

    Returns:
        A list of paths, sorted for each pattern.

    Raises:
        TypeError: a pattern is no path.

    >>> import penstock as tf
    >>> tf.io.gfile.glob("/there/is/no/such/*")
    []

    Source: TensorFlow 1.15, `tf.io.gfile.glob`.
    """
    return Glob(pattern)


@hides_frames
def mkdir(path: Path) -> None:
    """Makes a folder, if it does not exist.

    Args:
        path: the folder; the one that it is to be in exists.

    Raises:
        NotFoundError: the outer folder does not exist.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.io.gfile.mkdir(f"{folder}/logs")
    ...     tf.io.gfile.listdir(folder)
    ['logs']

    Source: TensorFlow 1.15, `tf.io.gfile.mkdir`.
    """
    MkDir(path)


@hides_frames
def makedirs(path: Path) -> None:
    """Makes a folder and those around it, as far as they do not exist.

    Args:
        path: the folder.

    Raises:
        FailedPreconditionError: there is a file where a folder has to be.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.io.gfile.makedirs(f"{folder}/logs/first")
    ...     tf.io.gfile.isdir(f"{folder}/logs/first")
    True

    Source: TensorFlow 1.15, `tf.io.gfile.makedirs`.
    """
    MakeDirs(path)


@hides_frames
def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        src: the file.
        dst: the path of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: there is a file at `dst`, and `overwrite` is False.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(f"{folder}/one", "w") as file:
    ...         file.write("text")
    ...     tf.io.gfile.copy(f"{folder}/one", f"{folder}/two")
    ...     tf.io.gfile.listdir(folder)
    ['one', 'two']

    Source: TensorFlow 1.15, `tf.io.gfile.copy`.
    """
    Copy(src, dst, overwrite)


@hides_frames
def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Renames or moves a file or folder.

    Args:
        src: the file or folder.
        dst: its new path.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: there is a file at `dst`, and `overwrite` is False.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.io.gfile.mkdir(f"{folder}/old")
    ...     tf.io.gfile.rename(f"{folder}/old", f"{folder}/new")
    ...     tf.io.gfile.listdir(folder)
    ['new']

    Source: TensorFlow 1.15, `tf.io.gfile.rename`.
    """
    Rename(src, dst, overwrite)


@hides_frames
def remove(path: Path) -> None:
    """Deletes a file.

    Args:
        path: the file.

    Raises:
        NotFoundError: there is no such file.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(f"{folder}/one", "w") as file:
    ...         file.write("text")
    ...     tf.io.gfile.remove(f"{folder}/one")
    ...     tf.io.gfile.listdir(folder)
    []

    Source: TensorFlow 1.15, `tf.io.gfile.remove`.
    """
    Remove(path)


@hides_frames
def rmtree(path: Path) -> None:
    """Deletes a folder and all that is in it.

    Args:
        path: the folder.

    Raises:
        NotFoundError: there is nothing of that name.

    >>> import penstock as tf
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.io.gfile.makedirs(f"{folder}/logs/first")
    ...     tf.io.gfile.rmtree(f"{folder}/logs")
    ...     tf.io.gfile.listdir(folder)
    []

    Source: TensorFlow 1.15, `tf.io.gfile.rmtree`.
    """
    DeleteRecursively(path)


@hides_frames
def stat(path: Path) -> FileStatistics:
    """The size of a file, when it was changed, and whether it is a folder.

    Args:
        path: the file or folder.

    Returns:
        An object with the attributes `length`, `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: there is nothing of that name.

    >>> import penstock as tf
    >>> tf.io.gfile.stat("/").is_directory
    True

    Source: TensorFlow 1.15, `tf.io.gfile.stat`.
    """
    return Stat(path)


def join(path: str, *paths: str) -> str:
    """Parts of a path as one path.

    Args:
        path: the first part.
        paths: the others.

    Returns:
        The path.

    Raises:
        TypeError: a part is no path.

    >>> import penstock as tf
    >>> tf.io.gfile.join("logs", "first")
    'logs/first'

    Source: TensorFlow 2.x, `tf.io.gfile.join`.
    """
    return os.path.join(path, *paths)


@hides_frames
def walk(
    top: Path, topdown: bool = True, onerror: Callable[[OSError], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below a folder, itself included, with what is in them.

    Args:
        top: the folder.
        topdown: whether a folder comes before those in it.
        onerror: ignored: a folder that cannot be read is left out.

    Returns:
        An iterator of (folder, names of folders in it, names of files in it).

    Raises:
        TypeError: `top` is no path.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [files for _, _, files in tf.io.gfile.walk(folder)]
    [[]]

    Source: TensorFlow 1.15, `tf.io.gfile.walk`.
    """
    return Walk(top, topdown)
