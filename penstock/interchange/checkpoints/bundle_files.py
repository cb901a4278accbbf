"""The files of a bundle, and how new ones take the place of old ones.

    PREFIX.index                   the table of keys
    PREFIX.data-00001-of-00003     the tensors; shard 1 of 3

A checkpoint exists when its index does. The data files get their names first and the index last. Where a checkpoint of
that name exists, its index must never meet the new data, so there are two steps:

    1. new data as PREFIX.data-00000-of-00002 (a number that is free), and an index that says so in place of the old one
    2. the data under its usual name too (a link), an index that says that; then the names of step 1 are removed

At each moment the index is that of complete data, and any reader of the format understands it.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from ...errors import DataLossError, GraphFormatError
from ..wire.wire_format import decode
from .bundle_messages import BundleHeaderProto
from .table_reader import TableReader
from .whole_files import TemporaryFile, flush_folder, remove_abandoned, remove_files


class UnnamedFile(Protocol):
    """A complete file that shall have another name: a temporary one, or one of another checkpoint."""

    def rename(self, target: str) -> None:
        """Give it that name, in place of a file that has it."""

    def unname(self, target: str) -> None:
        """Take the name back."""


IndexOf = Callable[[int], bytes]
"""The content of the index, given the number of shards that it shall say."""


def index_name(prefix: str) -> str:
    """The file of the index."""
    return prefix + ".index"


def data_name(prefix: str, shard: int, shards: int) -> str:
    """The file of a shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def data_names(prefix: str) -> list[str]:
    """The files of all shards that are there, whether an index needs them or not."""
    pattern = re.compile(re.escape(os.path.basename(prefix)) + r"\.data-\d{5,}-of-\d{5,}")
    found = glob.glob(glob.escape(prefix) + ".data-*-of-*")
    return sorted(path for path in found if pattern.fullmatch(os.path.basename(path)))


def remove_bundle(prefix: str) -> None:
    """Remove a checkpoint, the index first: it is there, or it is not."""
    remove_files([index_name(prefix)])
    remove_files(data_names(prefix))


def commit(prefix: str, data: Sequence[UnnamedFile], index_of: IndexOf) -> None:
    """Give complete data files and an index the names of a checkpoint, in place of one that is there.

    Raises:
        OSError: that is not possible; a checkpoint that was there still is.
    """
    shards = len(data)
    folder = os.path.dirname(prefix)
    targets = [data_name(prefix, shard, shards) for shard in range(shards)]
    if not os.path.exists(index_name(prefix)):
        _appear(prefix, data, targets, index_of(shards))
    else:
        free = _free_number(prefix, shards)
        aside = [data_name(prefix, shard, free) for shard in range(shards)]
        _appear(prefix, data, aside, index_of(free))
        # The new checkpoint is there; that its files get their usual names is only for people and scripts.
        with contextlib.suppress(OSError):
            for path, target in zip(aside, targets, strict=True):
                _link(path, target)
            flush_folder(folder)
            _write_index(prefix, index_of(shards))
    with contextlib.suppress(OSError, DataLossError):
        _tidy(prefix)


def _tidy(prefix: str) -> None:
    """Remove data files that the index does not name, and what killed programs left behind."""
    with TableReader(index_name(prefix)) as table:
        shards = _header(table, next(table.items(), None)).num_shards
    named = f"-of-{shards:05d}"
    remove_files([path for path in data_names(prefix) if not path.endswith(named)])
    remove_abandoned(glob.escape(prefix) + ".data-*-of-*")
    remove_abandoned(glob.escape(index_name(prefix)))


def _free_number(prefix: str, shards: int) -> int:
    """A number of shards under which there are no files."""
    taken = {int(path.rpartition("-")[2]) for path in data_names(prefix)}
    return next(number for number in range(shards + 1, shards + len(taken) + 2) if number not in taken)


def _appear(prefix: str, data: Sequence[UnnamedFile], names: Sequence[str], index: bytes) -> None:
    """Give data files and an index their names; no index that is there names these files."""
    named: list[tuple[UnnamedFile, str]] = []
    with TemporaryFile(index_name(prefix)) as temporary:
        try:
            temporary.file.write(index)
            temporary.flush()
            for file, name in zip(data, names, strict=True):
                named.append((file, name))
                file.rename(name)
            flush_folder(os.path.dirname(prefix))
            temporary.rename(index_name(prefix))
        finally:
            if os.path.exists(temporary.path):  # the index did not get its name, whatever was interrupted where
                for file, name in named:
                    file.unname(name)
    flush_folder(os.path.dirname(prefix))


def _write_index(prefix: str, index: bytes) -> None:
    with TemporaryFile(index_name(prefix)) as temporary:
        temporary.file.write(index)
        temporary.flush()
        temporary.rename(index_name(prefix))
    flush_folder(os.path.dirname(prefix))


def _link(path: str, target: str) -> None:
    """Give a file a second name, in place of a file that has it."""
    folder, base = os.path.split(target)
    name = os.path.join(folder, f".{base}.{os.urandom(6).hex()}.tmp")
    os.link(path, name)
    os.replace(name, target)


def header_of(table: TableReader) -> tuple[BundleHeaderProto, list[tuple[bytes, bytes]]]:
    """The header of an index, and its other entries.

    Raises:
        DataLossError: the table is none.
    """
    items = list(table.items())
    return _header(table, items[0] if items else None), items[1:]


def _header(table: TableReader, first: tuple[bytes, bytes] | None) -> BundleHeaderProto:
    """The header, given the first key and value."""
    if first is None or first[0]:
        raise table.damaged("it has no header; is it the index of a checkpoint?")
    try:
        header: BundleHeaderProto = decode(BundleHeaderProto, first[1])
    except GraphFormatError as error:
        raise table.damaged(f"in its header {error}") from None
    if header.num_shards < 1:
        raise table.damaged(f"its header says that it has {header.num_shards} shards")
    if header.endianness not in (0, 1):
        raise table.damaged("its header names a byte order that is not known")
    return header
