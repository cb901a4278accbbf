"""Checkpoints of version 1: one table whose values are messages with the tensors in them.

    ""                                  the names, dtypes, shapes and parts of all tensors
    key of a name and a part of it      the values of that part

Several files (`model-?????-of-00002`) can hold the parts of one checkpoint.
"""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...errors import DataLossError, GraphFormatError, InvalidArgumentError, NotFoundError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.serial.limits import Limits
from ...graph.shapes.dtypes import of_numpy
from ...graph.shapes.literal import Array
from ..tensorflow.wire.messages import DimProto, ShapeProto, VersionProto
from ..tensorflow.wire.tensor_proto import dtype_number, dtype_of
from ..wire.wire_format import decode, encode
from .bundle_entries import BundleEntry, shape_of
from .bundle_messages import (
    SavedSliceMetaProto,
    SavedSliceProto,
    SavedTensorSliceMetaProto,
    SavedTensorSlicesProto,
)
from .bundle_writer import NamedArray
from .packed_numbers import packed, unpacked
from .table_builder import table_bytes
from .table_reader import TableReader
from .tensor_slices import TensorSlice, overlap, slice_of_proto, whole, within
from .whole_files import write_whole

_LIMITS = Limits(values=1 << 40)
"""The file's size bounds what is made of it: numbers stay bytes until they are an array."""
_VERSION = VersionProto(1)


class VersionOneReader:
    """Open files of version 1, as one checkpoint.

    Raises:
        DataLossError: a file is damaged. OSError: it cannot be read.
    """

    def __init__(self, prefix: str, paths: Sequence[str]) -> None:
        self.prefix = prefix
        self._tables: list[TableReader] = []
        self._entries: dict[str, BundleEntry] = {}
        self._homes: dict[tuple[str, TensorSlice], TableReader] = {}
        try:
            for path in paths:
                self._tables.append(TableReader(path))
                self._read_names(self._tables[-1])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all files."""
        for table in self._tables:
            table.close()

    @property
    def entries(self) -> Mapping[str, BundleEntry]:
        """The tensors by name."""
        return self._entries

    def entry(self, name: str) -> BundleEntry | None:
        """The entry of a tensor; None if it is not there."""
        return self._entries.get(name)

    def read(self, name: str, part: TensorSlice | None = None) -> Array:
        """A new array with the values of a tensor, or of a part of it.

        Raises:
            NotFoundError: it is not there. DataLossError: it is damaged. Unsupported: its dtype does not exist here.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise NotFoundError(message=f"Key {name} not found in checkpoint {self.prefix!r}")
        wanted = (part or whole(len(entry.shape))).places(entry.shape)
        dtype = dtype_of(entry.dtype)
        sizes = [place.stop - place.start for place in wanted]
        self._check_room(name, entry, math.prod(sizes))
        is_there = np.zeros(sizes, bool)
        pieces = []
        for stored in entry.slices:
            places = stored.places(entry.shape)
            common = overlap(wanted, places)
            if common is None:
                continue
            here = within(common, wanted)
            if is_there[here].any():
                raise self._homes[name, stored].damaged(f"of {name!r:.200}, its part {stored} overlaps another one")
            is_there[here] = True
            pieces.append((common, places, self._piece(name, entry, stored)))
        missing = is_there.size - int(np.count_nonzero(is_there))
        if missing > 0:
            raise NotFoundError(message=f"of {name!r:.200} in checkpoint {self.prefix!r} {missing} elements "
                                        "are in no part")  # fmt: skip
        out: Array = np.empty(sizes, dtype.np)
        for common, places, values in pieces:
            out[within(common, wanted)] = values[within(common, places)]
        return out

    def _check_room(self, name: str, entry: BundleEntry, count: int) -> None:
        """An element has at least one bit of the files, in compressed ones too: a shape must not fill the memory."""
        there = sum(table.stat.st_size for table in self._tables)
        if count > 256 * there:  # Snappy makes at most 21 times as many bytes
            raise DataLossError(message=f"the checkpoint {self.prefix!r} is damaged: of {name!r:.200}, the shape "
                                f"{list(entry.shape)} has more elements than the files hold")  # fmt: skip

    def _piece(self, name: str, entry: BundleEntry, part: TensorSlice) -> Array:
        table = self._homes[name, part]
        content = table.get(part.key(name.encode("utf-8", "surrogateescape")))
        saved = None if content is None else self._message(table, content).data
        if saved is None or saved.data is None:
            raise table.damaged(f"the values of {name!r:.200} are not there")
        sizes = [place.stop - place.start for place in part.places(entry.shape)]
        try:
            return unpacked(saved.data, dtype_of(entry.dtype), math.prod(sizes)).reshape(sizes)
        except DataLossError as error:
            raise table.damaged(f"of {name!r:.200}, {error.message}") from None

    def _read_names(self, table: TableReader) -> None:
        content = table.get(b"")
        meta = None if content is None else self._message(table, content).meta
        if meta is None:
            raise table.damaged("it has no list of tensors; is it a checkpoint of version 1?")
        for tensor in meta.tensors:
            try:
                shape = shape_of(tensor.shape)
                slices = tuple(slice_of_proto(each, len(shape)) for each in tensor.slices)
                for part in slices:
                    part.places(shape)
            except (DataLossError, InvalidArgumentError) as error:
                raise table.damaged(f"of {tensor.name!r:.200}, {error.message}") from None
            found = self._entries.setdefault(tensor.name, BundleEntry(tensor.type, shape))
            if (found.dtype, found.shape) != (tensor.type, shape):
                raise table.damaged(f"{tensor.name!r:.200} has another dtype or shape than in the files before")
            self._entries[tensor.name] = replace(found, slices=(*found.slices, *slices))
            self._homes.update({(tensor.name, part): table for part in slices})

    def _message(self, table: TableReader, content: bytes) -> SavedTensorSlicesProto:
        try:
            message: SavedTensorSlicesProto = decode(SavedTensorSlicesProto, content, _LIMITS)
        except GraphFormatError as error:
            raise table.damaged(str(error)) from None
        return message


def version_one_paths(prefix: str) -> list[str]:
    """The files of a checkpoint of version 1: that path; if there is none, those that a file name with ? and * names.

    Folders and brackets are meant as they are written: what is in "run[12]" is not in "run1".
    """
    if os.path.lexists(prefix):
        return [prefix]
    folder, name = os.path.split(prefix)
    return sorted(glob.glob(os.path.join(glob.escape(folder), name.replace("[", "[[]"))))


def write_version_one(path: str, tensors: Iterable[NamedArray]) -> None:
    """Write a file of version 1, which appears whole.

    Raises:
        InvalidArgumentError: two tensors have one name. OpError: the file cannot be written.
    """
    metas: dict[str, SavedSliceMetaProto] = {}
    rows: dict[bytes, bytes] = {}
    for each in tensors:
        is_part = each.part is not None
        shape = each.full_shape if is_part else each.array.shape
        part = each.part or whole(len(shape))
        key = part.key(each.name.encode("utf-8", "surrogateescape"))
        if key in rows:
            raise InvalidArgumentError(message=f"the name {each.name!r} is given twice; names of tensors are unique")
        sizes = ShapeProto([DimProto(size) for size in shape])
        meta = metas.setdefault(
            each.name, SavedSliceMetaProto(each.name, sizes, dtype_number(of_numpy(each.array.dtype)))
        )
        meta.slices.append(part.proto())
        data = SavedSliceProto(each.name, part.proto(), packed(each.array))
        rows[key] = encode(SavedTensorSlicesProto(data=data))
    head = encode(SavedTensorSlicesProto(SavedTensorSliceMetaProto([metas[name] for name in sorted(metas)], _VERSION)))
    content = table_bytes([(b"", head), *((key, rows[key]) for key in sorted(rows))])
    with file_errors(f"the checkpoint {path!r} could not be written", UNCHANGED):
        write_whole(path, content)
