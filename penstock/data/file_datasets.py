"""Datasets of files: `TextLineDataset`, `TFRecordDataset`, `FixedLengthRecordDataset`."""

from __future__ import annotations

from typing import Any

from ..errors import DTypeError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import string
from ..graph.shapes.shape import shape_of
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.datasets.dataset_ops import fixed_length_record_dataset, text_line_dataset, tf_record_dataset
from .calls import dataset_call
from .dataset import Dataset
from .structure import TensorSpec


def _paths(filenames: Any, call: str) -> Tensor:
    if isinstance(filenames, Dataset):
        raise DTypeError(f"{call}: filenames is a Dataset; write filenames.flat_map(tf.data.{call})")
    return convert_to_tensor(filenames, string, name="filenames")


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
        filenames: the path of a file, or several.
        compression_type: "" (the default), "GZIP" or "ZLIB".
        buffer_size: accepted for TensorFlow's sake.
        num_parallel_reads: accepted for TensorFlow's sake.

    Raises:
        TypeError: `filenames` are no strings.
        NotFoundError (when run): there is no such file.
        DataLossError (when run): it is no whole packed file.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "poem.txt"
    >>> _ = path.write_text("roses are red\\nviolets are blue\\n")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     lines = tf.data.TextLineDataset(str(path)).skip(1)
    ...     print(session.run(lines.make_one_shot_iterator().get_next()))
    b'violets are blue'

    Source: TensorFlow 1.15, `tf.data.TextLineDataset`.
    """

    @dataset_call
    def __init__(
        self, filenames: TensorLike, compression_type: TensorLike | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:  # fmt: skip
        paths = _paths(filenames, "TextLineDataset")
        super().__init__(text_line_dataset(paths, compression_type or "", 0), TensorSpec(string, shape_of(())))


@documented_like(TextLineDataset)
class TFRecordDataset(Dataset):
    """The records of files of TensorFlow's records, such as `tf.python_io.TFRecordWriter` writes.

    Raises:
        TypeError: `filenames` are no strings.
        NotFoundError (when run): there is no such file.
        DataLossError (when run): a record is damaged.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "a.tfrecords")
    >>> with tf.python_io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.data.TFRecordDataset(path).make_one_shot_iterator().get_next()))
    b'first'
    """

    @dataset_call
    def __init__(
        self, filenames: TensorLike, compression_type: TensorLike | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:  # fmt: skip
        paths = _paths(filenames, "TFRecordDataset")
        super().__init__(tf_record_dataset(paths, compression_type or ""), TensorSpec(string, shape_of(())))


class FixedLengthRecordDataset(Dataset):
    """The records of files that all have one length.

    Args:
        filenames: the path of a file, or several.
        record_bytes: the bytes of a record, an int64 scalar.
        header_bytes: the bytes before the first record.
        footer_bytes: the bytes after the last one.
        buffer_size: accepted for TensorFlow's sake.
        compression_type: "" (the default), "GZIP" or "ZLIB".
        num_parallel_reads: accepted for TensorFlow's sake.

    Raises:
        TypeError: `filenames` are no strings.
        NotFoundError (when run): there is no such file.
        InvalidArgumentError (when run): a file holds no whole number of records.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> _ = path.write_bytes(b"HEADaabb")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     records = tf.data.FixedLengthRecordDataset(str(path), 2, header_bytes=4)
    ...     print(session.run(records.batch(9).make_one_shot_iterator().get_next()))
    [b'aa' b'bb']

    Source: TensorFlow 1.15, `tf.data.FixedLengthRecordDataset`.
    """

    @dataset_call
    def __init__(
        self, filenames: TensorLike, record_bytes: TensorLike, header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None, buffer_size: Any = None, compression_type: TensorLike | None = None,
        num_parallel_reads: Any = None,
    ) -> None:  # fmt: skip
        paths = _paths(filenames, "FixedLengthRecordDataset")
        node = fixed_length_record_dataset(paths, header_bytes or 0, record_bytes, footer_bytes or 0,
                                           compression_type or "")  # fmt: skip
        super().__init__(node, TensorSpec(string, shape_of(())))
