"""`CsvDataset`: the lines of files of comma-separated values, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UseError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype, string
from ..graph.shapes.shape import shape_of
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from ..ops.datasets.dataset_ops import csv_line_dataset, text_line_dataset
from ..ops.text.decode_csv import decode_csv
from .calls import dataset_call
from .dataset import Dataset
from .structure import TensorSpec


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
