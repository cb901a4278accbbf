"""One `FileWriter` for each folder, for the whole program."""

from __future__ import annotations

import os

from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from .file_writer import FileWriter

_writers: dict[str, FileWriter] = {}


class FileWriterCache:
    """The writers of a program, one for each folder.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     same = tf.summary.FileWriterCache.get(folder) is tf.summary.FileWriterCache.get(folder)
    ...     tf.summary.FileWriterCache.clear()
    >>> same
    True

    Source: TensorFlow 1.x, `tf.summary.FileWriterCache`.
    """

    @staticmethod
    @hides_frames
    def get(logdir: str | os.PathLike[str]) -> FileWriter:
        """The writer of the folder `logdir`.

        Args:
            logdir: the path of the folder.

        Returns:
            A `FileWriter`, the same one for each call.

        Raises:
            TypeError: it is no path.
        """
        if not isinstance(logdir, (str, os.PathLike)):
            raise UseError(f"FileWriterCache.get: logdir must be the path of a folder, not {logdir!r:.60}")
        key = os.fspath(logdir)
        return _writers.get(key) or _writers.setdefault(key, FileWriter(key))

    @staticmethod
    @hides_frames
    def clear() -> None:
        """Closes all writers and forgets them."""
        while _writers:
            _writers.popitem()[1].close()
