"""Reading checkpoints without a graph: `CheckpointReader`, and functions for one look."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from ...graph.common.file_errors import file_errors
from ...graph.common.tracebacks import hides_frames
from ...graph.shapes.dtypes import DType
from ...interchange.checkpoints.bundle_entries import BundleEntry
from ...interchange.checkpoints.open_checkpoint import open_checkpoint
from ...interchange.tensorflow.wire.tensor_proto import DATA_TYPES, Unsupported, dtype_of
from .checkpoint_files import Path, latest_checkpoint


class CheckpointReader:
    """A checkpoint that is open for reading, of either version of the format; `tf.train.load_checkpoint` opens one.

    The files stay open until the reader is freed, so it stays what it was if the checkpoint is overwritten or removed.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([[1.0, 2.0]], name="v")
    ...     session.run(v.initializer)
    ...     reader = tf.train.load_checkpoint(tf.train.Saver().save(session, folder + "/model"))
    ...     print(reader.get_variable_to_shape_map(), reader.get_tensor("v"))
    {'v': [1, 2]} [[1. 2.]]
    """

    @hides_frames
    def __init__(self, filename: Path) -> None:
        self._checkpoint = open_checkpoint(os.fsdecode(filename))
        self._entries = dict(self._checkpoint.entries)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor.

        Returns:
            A dict from names to lists of sizes.
        """
        return {name: list(entry.shape) for name, entry in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType | None]:
        """The dtype of each tensor.

        Returns:
            A dict from names to DTypes; None for a dtype of TensorFlow's that does not exist here.

        >>> import penstock as tf, tempfile
        >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
        ...     v = tf.Variable([[1.0, 2.0]], name="v")
        ...     session.run(v.initializer)
        ...     path = tf.train.Saver().save(session, folder + "/model")
        ...     print(tf.train.load_checkpoint(path).get_variable_to_dtype_map())
        {'v': tf.float32}
        """
        return {name: _dtype(entry) for name, entry in self._entries.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether a tensor is in the checkpoint.

        Args:
            tensor_str: its name.

        Returns:
            True or False.

        Raises:
            TypeError: the name is not hashable.

        >>> import penstock as tf, tempfile
        >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
        ...     v = tf.Variable([[1.0, 2.0]], name="v")
        ...     session.run(v.initializer)
        ...     path = tf.train.Saver().save(session, folder + "/model")
        ...     print(tf.train.load_checkpoint(path).has_tensor("v"))
        True
        """
        return tensor_str in self._entries

    @hides_frames
    def get_tensor(self, tensor_str: str) -> Any:
        """The values of a tensor. Its checksum is computed and compared.

        Args:
            tensor_str: its name.

        Returns:
            A new NumPy array; of a tensor of rank 0 a NumPy scalar.

        Raises:
            NotFoundError: it is not in the checkpoint.
            DataLossError: it is damaged.
        """
        with file_errors(f"the checkpoint {self._checkpoint.prefix!r} cannot be read"):
            value = self._checkpoint.read(tensor_str)
        return value if value.ndim else value[()]

    def debug_string(self) -> bytes:
        """A line for each tensor: its name, its dtype by TensorFlow's name, its shape.

        Returns:
            The text as bytes.

        >>> import penstock as tf, tempfile
        >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
        ...     v = tf.Variable([[1.0, 2.0]], name="v")
        ...     session.run(v.initializer)
        ...     path = tf.train.Saver().save(session, folder + "/model")
        ...     print(tf.train.load_checkpoint(path).debug_string())
        b'v (DT_FLOAT) [1,2]\\n'
        """
        lines = []
        for name, entry in sorted(self._entries.items()):
            dtype = DATA_TYPES.get(entry.dtype, str(entry.dtype))
            lines.append(f"{name} ({dtype}) [{','.join(map(str, entry.shape))}]\n")
        return "".join(lines).encode("utf-8", "surrogateescape")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a CheckpointReader holds open files and cannot be copied; open the checkpoint again")


def _dtype(entry: BundleEntry) -> DType | None:
    try:
        return dtype_of(entry.dtype)
    except Unsupported:
        return None


@hides_frames
def NewCheckpointReader(filepattern: Path) -> CheckpointReader:  # TensorFlow's name
    """Opens a checkpoint.

    Args:
        filepattern: its prefix, as `Saver.save` returns it.

    Returns:
        A `CheckpointReader`.

    Raises:
        NotFoundError: there is no such checkpoint.
        DataLossError: it is damaged.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([[1.0, 2.0]], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     print(tf.train.NewCheckpointReader(path).get_tensor("v"))
    [[1. 2.]]

    Source: TensorFlow 1.x, `tf.train.NewCheckpointReader`.
    """
    return CheckpointReader(filepattern)


@hides_frames
def load_checkpoint(ckpt_dir_or_file: Path) -> CheckpointReader:
    """Opens a checkpoint, or the latest one of a folder.

    Args:
        ckpt_dir_or_file: the prefix of a checkpoint, or a folder.

    Returns:
        A `CheckpointReader`.

    Raises:
        ValueError: the folder has no checkpoint.
        NotFoundError: there is no such checkpoint.
        DataLossError: it is damaged.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([[1.0, 2.0]], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     print(tf.train.load_checkpoint(folder).get_tensor("v"))
    [[1. 2.]]

    Source: TensorFlow 1.x, `tf.train.load_checkpoint`.
    """
    path = os.fsdecode(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"load_checkpoint: Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path)


@hides_frames
def load_variable(ckpt_dir_or_file: Path, name: str) -> Any:
    """The value of one variable of a checkpoint.

    Args:
        ckpt_dir_or_file: the prefix of a checkpoint, or a folder.
        name: the name of the variable.

    Returns:
        A NumPy array.

    Raises:
        NotFoundError: there is no such checkpoint, or no such variable in it.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([[1.0, 2.0]], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     print(tf.train.load_variable(folder, "v"))
    [[1. 2.]]

    Source: TensorFlow 1.x, `tf.train.load_variable`.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@hides_frames
def list_variables(ckpt_dir_or_file: Path) -> list[tuple[str, list[int]]]:
    """The names and shapes of the variables of a checkpoint, sorted by name.

    Args:
        ckpt_dir_or_file: the prefix of a checkpoint, or a folder.

    Returns:
        A list of pairs (name, list of sizes).

    Raises:
        NotFoundError: there is no such checkpoint.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([[1.0, 2.0]], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     print(tf.train.list_variables(folder))
    [('v', [1, 2])]

    Source: TensorFlow 1.x, `tf.train.list_variables`.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
