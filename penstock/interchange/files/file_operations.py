"""The functions of `tf.gfile`: to look for, copy, move and delete files and folders of this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob

from ...errors import AlreadyExistsError, FailedPreconditionError, InvalidArgumentError, NotFoundError
from ...graph.common.file_errors import file_errors
from ...graph.common.file_paths import Path, local_path
from ...graph.common.tracebacks import hides_frames


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """What `Stat` tells.

    Attributes:
        length: the number of bytes.
        mtime_nsec: when it was last changed, in nanoseconds since 1970.
        is_directory: whether it is a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


@hides_frames
def Exists(filename: Path) -> bool:
    """Whether there is a file or folder.

    Args:
        filename: the path.

    Returns:
        A bool.

    Raises:
        TypeError: `filename` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import penstock as tf
    >>> tf.gfile.Exists("/there/is/no/such/file")
    False

    Source: TensorFlow 1.x, `tf.gfile.Exists`.
    """
    return os.path.exists(local_path(filename, "gfile.Exists"))


@hides_frames
def IsDirectory(dirname: Path) -> bool:
    """Whether a path is a folder.

    Args:
        dirname: the path.

    Returns:
        A bool; False if there is nothing.

    Raises:
        TypeError: `dirname` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.IsDirectory(folder)
    True

    Source: TensorFlow 1.x, `tf.gfile.IsDirectory`.
    """
    return os.path.isdir(local_path(dirname, "gfile.IsDirectory"))


@hides_frames
def ListDirectory(dirname: Path) -> list[str]:
    """The names of what is in a folder.

    Args:
        dirname: the folder.

    Returns:
        A sorted list of names without the folder, files and folders; "." and ".." are not among them.

    Raises:
        NotFoundError: there is no such folder.
        TypeError: `dirname` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MakeDirs(os.path.join(folder, "logs", "first"))
    ...     tf.gfile.ListDirectory(folder)
    ['logs']

    Source: TensorFlow 1.x, `tf.gfile.ListDirectory`.
    """
    folder = local_path(dirname, "gfile.ListDirectory")
    if not os.path.isdir(folder):
        raise NotFoundError(message=f"gfile.ListDirectory: Could not find directory {folder}")
    with file_errors("gfile.ListDirectory"):
        return sorted(os.listdir(folder))


@hides_frames
def Glob(filename: Path | Iterable[Path]) -> list[str]:
    """The paths that match a pattern.

    Args:
        filename: a pattern, or a list of patterns. `*` stands for any part of a name, `?` for one character, `[ab]` for
            one of some.

    Returns:
        A list of paths, sorted for each pattern; names that begin with a dot are among them.

    Raises:
        TypeError: a pattern is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.txt", "a.txt", "c.csv"):
    ...         with tf.gfile.GFile(os.path.join(folder, name), "w") as file:
    ...             file.write(name)
    ...     print([os.path.basename(path) for path in tf.gfile.Glob(os.path.join(folder, "*.txt"))])
    ['a.txt', 'b.txt']

    Source: TensorFlow 1.x, `tf.gfile.Glob`.
    """
    patterns = [filename] if isinstance(filename, (str, bytes, os.PathLike)) or filename is None else filename
    found: list[str] = []
    for pattern in patterns:
        found += sorted(glob(local_path(pattern, "gfile.Glob"), include_hidden=True))
    return found


@hides_frames
def MkDir(dirname: Path) -> None:
    """Makes a folder, if it does not exist.

    Args:
        dirname: the folder; the one that it is to be in exists.

    Raises:
        NotFoundError: the outer folder does not exist.
        FailedPreconditionError: there is a file of that name.
        TypeError: `dirname` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MkDir(os.path.join(folder, "logs"))
    ...     tf.gfile.ListDirectory(folder)
    ['logs']

    Source: TensorFlow 1.x, `tf.gfile.MkDir`.
    """
    folder = local_path(dirname, "gfile.MkDir")
    if not os.path.isdir(folder):
        _refuse_file(folder, "gfile.MkDir")
        with file_errors("gfile.MkDir"):
            os.mkdir(folder)


@hides_frames
def MakeDirs(dirname: Path) -> None:
    """Makes a folder and those around it, as far as they do not exist.

    Args:
        dirname: the folder.

    Raises:
        FailedPreconditionError: there is a file where a folder has to be.
        TypeError: `dirname` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MakeDirs(os.path.join(folder, "logs", "first"))
    ...     tf.gfile.IsDirectory(os.path.join(folder, "logs", "first"))
    True

    Source: TensorFlow 1.x, `tf.gfile.MakeDirs`.
    """
    folder = local_path(dirname, "gfile.MakeDirs")
    if not os.path.isdir(folder):
        _refuse_file(folder, "gfile.MakeDirs")
        with file_errors("gfile.MakeDirs"):
            os.makedirs(folder, exist_ok=True)


@hides_frames
def Copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        oldpath: the file.
        newpath: the path of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        NotFoundError: the file, or the folder of the copy, does not exist.
        AlreadyExistsError: there is a file at `newpath`, and `overwrite` is False.
        InvalidArgumentError: `oldpath` is a folder.
        TypeError: an argument is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
    ...     with tf.gfile.GFile(one, "w") as file:
    ...         file.write("text")
    ...     tf.gfile.Copy(one, two)
    ...     tf.gfile.GFile(two).read()
    'text'

    Source: TensorFlow 1.x, `tf.gfile.Copy`.
    """
    old, new = local_path(oldpath, "gfile.Copy"), local_path(newpath, "gfile.Copy")
    if os.path.isdir(old):
        raise InvalidArgumentError(message=f"gfile.Copy: {old!r} is a folder; use shutil.copytree, or copy its files")
    _refuse_existing(old, new, overwrite, "gfile.Copy")
    with file_errors("gfile.Copy"):
        shutil.copyfile(old, new)


@hides_frames
def Rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:
    """Renames or moves a file or folder.

    Args:
        oldname: the file or folder.
        newname: its new path, on the same disk.
        overwrite: whether a file of that name is replaced.

    Raises:
        NotFoundError: `oldname`, or the folder of `newname`, does not exist.
        AlreadyExistsError: there is a file at `newname`, and `overwrite` is False.
        TypeError: an argument is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MkDir(os.path.join(folder, "old"))
    ...     tf.gfile.Rename(os.path.join(folder, "old"), os.path.join(folder, "new"))
    ...     tf.gfile.ListDirectory(folder)
    ['new']

    Source: TensorFlow 1.x, `tf.gfile.Rename`.
    """
    old, new = local_path(oldname, "gfile.Rename"), local_path(newname, "gfile.Rename")
    _refuse_existing(old, new, overwrite, "gfile.Rename")
    with file_errors("gfile.Rename"):
        os.replace(old, new)


@hides_frames
def Remove(filename: Path) -> None:
    """Deletes a file.

    Args:
        filename: the file.

    Raises:
        NotFoundError: there is no such file.
        FailedPreconditionError: it is a folder.
        TypeError: `filename` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.gfile.GFile(os.path.join(folder, "x"), "w") as file:
    ...         file.write("text")
    ...     tf.gfile.Remove(os.path.join(folder, "x"))
    ...     tf.gfile.ListDirectory(folder)
    []

    Source: TensorFlow 1.x, `tf.gfile.Remove`.
    """
    path = local_path(filename, "gfile.Remove")
    if os.path.isdir(path) and not os.path.islink(path):
        raise FailedPreconditionError(
            message=f"gfile.Remove: {path!r} is a folder; gfile.DeleteRecursively deletes it with all that is in it"
        )
    with file_errors("gfile.Remove"):
        os.remove(path)


@hides_frames
def DeleteRecursively(dirname: Path) -> None:
    """Deletes a folder and all that is in it, or a file. Links are deleted, not what they point to.

    Args:
        dirname: the folder.

    Raises:
        NotFoundError: there is nothing of that name.
        TypeError: `dirname` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MakeDirs(os.path.join(folder, "logs", "first"))
    ...     tf.gfile.DeleteRecursively(os.path.join(folder, "logs"))
    ...     tf.gfile.ListDirectory(folder)
    []

    Source: TensorFlow 1.x, `tf.gfile.DeleteRecursively`.
    """
    path = local_path(dirname, "gfile.DeleteRecursively")
    with file_errors("gfile.DeleteRecursively"):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


@hides_frames
def Stat(filename: Path) -> FileStatistics:
    """The size of a file, when it was changed, and whether it is a folder.

    Args:
        filename: the file or folder.

    Returns:
        An object with the attributes `length`, `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: there is nothing of that name.
        TypeError: `filename` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import tempfile, penstock as tf
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     tf.gfile.Stat(file.name).length
    0

    Source: TensorFlow 1.x, `tf.gfile.Stat`.
    """
    path = local_path(filename, "gfile.Stat")
    with file_errors("gfile.Stat"):
        found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


@hides_frames
def Walk(top: Path, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below a folder, itself included, with what is in them.

    Args:
        top: the folder.
        in_order: True: a folder comes before those in it; False: after them.

    Returns:
        An iterator of (folder, names of folders in it, names of files in it), with sorted names; an empty one if `top`
        is no folder. It does not follow links.

    Raises:
        TypeError: `top` is no path.
        UnimplementedError: a path such as "gs://...".

    >>> import os, tempfile, penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.gfile.MakeDirs(os.path.join(folder, "logs", "first"))
    ...     print([(inner, files) for _, inner, files in tf.gfile.Walk(folder)])
    [(['logs'], []), (['first'], []), ([], [])]

    Source: TensorFlow 1.x, `tf.gfile.Walk`.
    """
    return _walked(local_path(top, "gfile.Walk"), in_order)


def _walked(top: str, in_order: bool) -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, inner, files in os.walk(top, topdown=in_order):
        inner.sort()
        yield folder, list(inner), sorted(files)


def _refuse_file(path: str, what: str) -> None:
    if os.path.exists(path):
        raise FailedPreconditionError(message=f"{what}: {path} is not a directory; there is a file of that name")


def _refuse_existing(old: str, new: str, overwrite: bool, what: str) -> None:
    if os.path.exists(old) and os.path.exists(new) and not overwrite:
        raise AlreadyExistsError(message=f"{what}: file already exists: {new!r}; write overwrite=True to replace it")
