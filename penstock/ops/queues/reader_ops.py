"""The ops of readers: their handles, and the next record.

    TextLineReaderV2()              the handle of a reader, a string
    ReaderReadV2(reader, queue)     the next key and value; names of files come from the queue
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.effects import CHANGING_OBJECTS, MAKING_OBJECTS
from ...graph.declare.object_place import ObjectPlace
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import Int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int64, string
from ...graph.shapes.shape import TensorShape, shape_of
from ..datasets.dataset_decl import Count, Text
from ..datasets.file_sources import text
from ..datasets.iterator_ops import Name, handle_in
from ..declare.shape_checks import no_shapes
from .queue_ops import queue_of
from .reader_objects import Reader, ReadFile, fixed_records, its_name, text_lines, tf_records, whole_file


def _made(place: ObjectPlace, shared_name: str, read: ReadFile) -> Any:
    name = shared_name or place.node
    place.objects.get_or_make(name.encode(), lambda: Reader(place.objects, name, read))
    return text(name.encode())


def reader_of(place: ObjectPlace, handle: Any) -> Reader:
    """The reader with a handle.

    Raises:
        NotFoundError: there is none.
    """
    return place.objects.get(handle_in(handle), Reader, "the reader")


@op("TextLineReaderV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def text_line_reader(skip_header_lines: Int = 0, shared_name: Name = "", name: str | None = None) -> Tensor:
    """The handle of a reader of lines."""


@text_line_reader.kernel
def text_line_reader_kernel(xp: Any, place: ObjectPlace, skip_header_lines: int, shared_name: str) -> Any:
    return _made(place, shared_name, text_lines(skip_header_lines))


@op("WholeFileReaderV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def whole_file_reader(shared_name: Name = "", name: str | None = None) -> Tensor:
    """The handle of a reader of whole files."""


@whole_file_reader.kernel
def whole_file_reader_kernel(xp: Any, place: ObjectPlace, shared_name: str) -> Any:
    return _made(place, shared_name, whole_file)


@op("IdentityReaderV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def identity_reader(shared_name: Name = "", name: str | None = None) -> Tensor:
    """The handle of a reader that gives what is in the queue."""


@identity_reader.kernel
def identity_reader_kernel(xp: Any, place: ObjectPlace, shared_name: str) -> Any:
    return _made(place, shared_name, its_name)


@op("TFRecordReaderV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def tf_record_reader(compression_type: Name = "", shared_name: Name = "", name: str | None = None) -> Tensor:
    """The handle of a reader of records."""


@tf_record_reader.kernel
def tf_record_reader_kernel(xp: Any, place: ObjectPlace, compression_type: str, shared_name: str) -> Any:
    return _made(place, shared_name, tf_records(compression_type))


@op("FixedLengthRecordReaderV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def fixed_length_record_reader(
    record_bytes: Int, header_bytes: Int = 0, footer_bytes: Int = 0, encoding: Name = "", shared_name: Name = "",
    hop_bytes: Int = 0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The handle of a reader of records of one length; `hop_bytes` lie between the beginnings of two, 0 means none
    between them.
    """


@fixed_length_record_reader.kernel
def fixed_length_record_reader_kernel(
    xp: Any, place: ObjectPlace, record_bytes: int, header_bytes: int, footer_bytes: int, encoding: str,
    shared_name: str, hop_bytes: int,
) -> Any:  # fmt: skip
    records = fixed_records(header_bytes, record_bytes, footer_bytes, hop_bytes or record_bytes, encoding)
    return _made(place, shared_name, records)


for _reader in (
    text_line_reader, whole_file_reader, identity_reader, tf_record_reader, fixed_length_record_reader
):  # fmt: skip

    @_reader.shape
    def reader_shape(*args: Any) -> TensorShape:
        return shape_of(())

    _reader.no_gradient("a handle is a name")


@op("ReaderReadV2", out=(string, string), host_only=True, of_session=True, is_source=True, effects=CHANGING_OBJECTS,
    ranks={"reader_handle": 0, "queue_handle": 0})  # fmt: skip
def reader_read(reader_handle: Text, queue_handle: Text, name: str | None = None) -> list[Tensor]:
    """The next key and value."""


@reader_read.shape
def reader_read_shape(reader_handle: Tensor, queue_handle: Tensor) -> list[TensorShape]:
    return [shape_of(()), shape_of(())]


@reader_read.kernel
def reader_read_kernel(xp: Any, place: ObjectPlace, reader_handle: Any, queue_handle: Any) -> list[Any]:
    key, value = reader_of(place, reader_handle).read(queue_of(place, queue_handle))
    return [text(key), text(value)]


@op("ReaderReadUpToV2", out=(string, string), host_only=True, of_session=True, is_source=True,
    effects=CHANGING_OBJECTS)  # fmt: skip
def reader_read_up_to(
    reader_handle: Text, queue_handle: Text, num_records: Count, name: str | None = None
) -> list[Tensor]:
    """The next keys and values."""


@reader_read_up_to.shape
def reader_read_up_to_shape(reader_handle: Tensor, queue_handle: Tensor, num_records: Tensor) -> list[TensorShape]:
    count = unknown("it is the number of records that the file still has", reader_handle)
    return [shape_of([count]), shape_of([count])]


@reader_read_up_to.kernel
def reader_read_up_to_kernel(
    xp: Any, place: ObjectPlace, reader_handle: Any, queue_handle: Any, num_records: Any
) -> list[Any]:
    found = reader_of(place, reader_handle).read_up_to(queue_of(place, queue_handle), int(num_records))
    return [np.array([record[i] for record in found], object) for i in range(2)]


@op("ReaderNumRecordsProducedV2", out=int64, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def reader_records_produced(reader_handle: Text, name: str | None = None) -> Tensor:
    """How many records a reader has given."""


@reader_records_produced.kernel
def reader_records_produced_kernel(xp: Any, place: ObjectPlace, reader_handle: Any) -> Any:
    return np.array(reader_of(place, reader_handle).records, np.int64)


@op("ReaderNumWorkUnitsCompletedV2", out=int64, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def reader_units_completed(reader_handle: Text, name: str | None = None) -> Tensor:
    """How many files a reader has read to the end."""


@reader_units_completed.kernel
def reader_units_completed_kernel(xp: Any, place: ObjectPlace, reader_handle: Any) -> Any:
    return np.array(reader_of(place, reader_handle).units, np.int64)


for _look in (reader_records_produced, reader_units_completed):

    @_look.shape
    def look_shape(reader_handle: Tensor) -> TensorShape:
        return shape_of(())


@op("ReaderResetV2", out=(), host_only=True, of_session=True, effects=CHANGING_OBJECTS, shape=no_shapes)
def reader_reset(reader_handle: Text, name: str | None = None) -> Operation:
    """Lets a reader begin anew."""


@reader_reset.kernel
def reader_reset_kernel(xp: Any, place: ObjectPlace, reader_handle: Any) -> list[Any]:
    reader_of(place, reader_handle).reset()
    return []


for _op in (reader_read, reader_read_up_to, reader_records_produced, reader_units_completed, reader_reset):
    _op.no_gradient("a record is not computed")
