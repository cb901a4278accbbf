"""`tf.TextLineReader` and the other readers: what is in files whose names come from a queue."""

from __future__ import annotations

import numpy as np

from ..data.calls import dataset_call, with_dataset_calls
from ..errors import UseError, ValueRuleError
from ..graph.common.not_copyable import NotCopyable
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Operation, Tensor
from ..interchange.records.record_options import compression_of
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.queues import reader_ops
from .queue_classes import QueueBase


@with_dataset_calls
class ReaderBase(NotCopyable):
    """What all readers have.

    Args:
        reader_ref: the handle, a scalar of dtype string.
        supports_serialize: accepted for TensorFlow's sake.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.TextLineReader().reader_ref.dtype
    tf.string

    Source: TensorFlow 1.x, `tf.ReaderBase`.
    """

    _uncopied = ("it is part of a graph", "Use the reader itself.")

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self.supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    def read(self, queue: QueueBase | TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The next record, of the next file of the queue where this one ends.

        Args:
            queue: a queue of strings, or its handle.
            name: the name of the operation.

        Returns:
            (key, value), scalars of dtype string.

        Raises:
            TypeError: it is no queue of strings.
            OutOfRangeError (when run): the queue is closed and empty.
        """
        key, value = reader_ops.reader_read(self._reader_ref, _handle(queue), name=name)
        return key, value

    def read_up_to(
        self, queue: QueueBase | TensorLike, num_records: TensorLike, name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """The next records of one file.

        Args:
            queue: a queue of strings, or its handle.
            num_records: how many at most, an int64 scalar.
            name: the name of the operation.

        Returns:
            (keys, values), vectors of dtype string.

        Raises:
            TypeError: it is no queue of strings.
            OutOfRangeError (when run): the queue is closed and empty.
        """
        keys, values = reader_ops.reader_read_up_to(self._reader_ref, _handle(queue), num_records, name=name)
        return keys, values

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records the reader has given.

        Args:
            name: the name of the operation.

        Returns:
            An int64 scalar.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return reader_ops.reader_records_produced(self._reader_ref, name=name)

    @documented_like(num_records_produced)
    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files the reader has read to the end."""
        return reader_ops.reader_units_completed(self._reader_ref, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """An operation that lets the reader begin anew.

        Args:
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return reader_ops.reader_reset(self._reader_ref, name=name)


def _handle(queue: QueueBase | TensorLike) -> Tensor:
    if isinstance(queue, QueueBase):
        if [each.name for each in queue.dtypes] != ["string"]:
            raise UseError(f"read: the queue {queue.name!r} holds {queue.dtypes}; a reader takes names of files from "
                           "a queue of strings")  # fmt: skip
        return queue.queue_ref
    return convert_to_tensor(queue, "string")


class TextLineReader(ReaderBase):
    """Gives the lines of files. A key is the name of the file and the number of the line, "poem.txt:3".

    Args:
        skip_header_lines: how many lines of each file are left out.

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "poem.txt"
    >>> _ = path.write_text("roses are red\\n")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     names = tf.train.string_input_producer([str(path)])
    ...     key, value = tf.TextLineReader().read(names)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.train.start_queue_runners(session, coordinator)
    ...     print(session.run(value))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    b'roses are red'

    Source: TensorFlow 1.x, `tf.TextLineReader`.
    """

    @dataset_call
    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(reader_ops.text_line_reader(skip_header_lines or 0, name=name))


class WholeFileReader(ReaderBase):
    """Gives the content of files. A key is the name of the file.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.WholeFileReader(name="files").reader_ref.op.name
    'files'

    Source: TensorFlow 1.x, `tf.WholeFileReader`.
    """

    @dataset_call
    def __init__(self, name: str | None = None) -> None:
        super().__init__(reader_ops.whole_file_reader(name=name), True)


class IdentityReader(ReaderBase):
    """Gives what is in the queue, as key and value.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.IdentityReader(name="same").reader_ref.op.name
    'same'

    Source: TensorFlow 1.x, `tf.IdentityReader`.
    """

    @dataset_call
    def __init__(self, name: str | None = None) -> None:
        super().__init__(reader_ops.identity_reader(name=name), True)


class TFRecordReader(ReaderBase):
    """Gives the records of files of TensorFlow's records.

    Args:
        options: a `tf.python_io.TFRecordOptions` or its compression; None means that they are not compressed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.TFRecordReader(name="records").reader_ref.op.name
    'records'

    Source: TensorFlow 1.x, `tf.TFRecordReader`.
    """

    @dataset_call
    def __init__(self, name: str | None = None, options: object = None) -> None:
        super().__init__(reader_ops.tf_record_reader(compression_of(options), name=name))


class FixedLengthRecordReader(ReaderBase):
    """Gives the records of files whose records all have one length.

    Args:
        record_bytes: the bytes of a record.
        header_bytes: the bytes before the first one.
        footer_bytes: the bytes after the last one.
        hop_bytes: how many bytes after the beginning of one record the next one begins; `record_bytes` without it.
        encoding: "" (the default), "GZIP" or "ZLIB".

    >>> import pathlib, tempfile
    >>> import penstock as tf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> _ = path.write_bytes(b"aabbcc")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     names, reader = tf.FIFOQueue(9, tf.string, shapes=[]), tf.FixedLengthRecordReader(2)
    ...     session.run(names.enqueue_many([[str(path)] * 2]))
    ...     print(session.run(reader.read(names)[1]), session.run(reader.read_up_to(names, 9)[1]))
    ...     print(session.run([reader.num_records_produced(), reader.num_work_units_completed()]))
    ...     session.run(reader.reset())
    b'aa' [b'bb' b'cc']
    [np.int64(3), np.int64(1)]

    Source: TensorFlow 1.x, `tf.FixedLengthRecordReader`.
    """

    @dataset_call
    def __init__(
        self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None,
        hop_bytes: int | None = None, name: str | None = None, encoding: str | None = None,
    ) -> None:  # fmt: skip
        sizes = {"record_bytes": record_bytes, "header_bytes": header_bytes or 0, "footer_bytes": footer_bytes or 0,
                 "hop_bytes": hop_bytes or 0}  # fmt: skip
        for what, size in sizes.items():
            if not isinstance(size, (int, np.integer)) or size < (what == "record_bytes"):
                least = "positive" if what == "record_bytes" else "not negative"
                raise ValueRuleError(f"FixedLengthRecordReader: {what} is an int and {least}, not {size!r:.80}")
        super().__init__(reader_ops.fixed_length_record_reader(record_bytes, header_bytes or 0, footer_bytes or 0,
                                                    encoding or "", "", hop_bytes or 0, name=name))  # fmt: skip
