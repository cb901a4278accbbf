"""Datasets of files: `TextLineDataset`, `TFRecordDataset`, `FixedLengthRecordDataset`, `CsvDataset`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import DTypeError, UseError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype, string
from ..graph.shapes.shape import shape_of
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from ..ops.datasets.dataset_ops import (
    csv_line_dataset,
    fixed_length_record_dataset,
    text_line_dataset,
    tf_record_dataset,
)
from ..ops.text.decode_csv import decode_csv
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


# ---- `CsvDataset`: the lines of files of comma-separated values, as columns ---------------------


class CsvDataset(Dataset):
    """The rows of CSV files: a tuple of scalars for each line.

    Args:
        filenames: the path of a file, or several.
        record_defaults: for each column a dtype, where a value is required, or the value of empty fields.
        compression_type: "" (the default), "GZIP" or "ZLIB".
        buffer_size: accepted for TensorFlow's sake.
        header: whether the first line of each file is left out.
        field_delim: the character between fields.
        use_quote_delim: whether "..." is one field, which may hold delimiters and ends of lines.
        na_value: a further string that means an empty field.
        select_cols: the columns to take, in increasing order; None means all.

    Raises:
        TypeError: `filenames` are no strings, or a default has another dtype.
        NotFoundError (when run): there is no such file.
        InvalidArgumentError (when run): a line has another number of fields, or a field is no number.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("x,y\\n1,2.5\\n3,\\n")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.data.experimental.CsvDataset(str(path), [tf.int32, [0.5]], header=True)
    ...     print(session.run(rows.batch(9).make_one_shot_iterator().get_next()))
    (array([1, 3], dtype=int32), array([2.5, 0.5], dtype=float32))

    Source: TensorFlow 1.15, `tf.data.experimental.CsvDataset`.
    """

    @dataset_call
    def __init__(
        self, filenames: TensorLike, record_defaults: Sequence[Any], compression_type: TensorLike | None = None,
        buffer_size: Any = None, header: bool = False, field_delim: str = ",", use_quote_delim: bool = True,
        na_value: str = "", select_cols: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(record_defaults, (list, tuple)):
            raise UseError(f"CsvDataset: record_defaults is a list with an entry for each column, not "
                           f"{record_defaults!r:.80}")  # fmt: skip
        paths = convert_to_tensor(filenames, string, name="filenames")
        defaults = [_default(each) for each in record_defaults]
        read = csv_line_dataset if use_quote_delim else text_line_dataset
        lines = Dataset(read(paths, compression_type or "", int(bool(header))), TensorSpec(string, shape_of(())))
        rows = lines.map(lambda line: tuple(
            decode_csv(line, defaults, field_delim, use_quote_delim, na_value, select_cols)
        ))  # fmt: skip
        super().__init__(rows.variant_tensor, rows.element_structure)
        self.mapped = rows.mapped


def _default(value: Any) -> Tensor:
    """A default of a column: an empty vector where a value is required."""
    if isinstance(value, (DType, type)):
        return constant([], as_dtype(value), shape=[0])
    return convert_to_tensor(value)
