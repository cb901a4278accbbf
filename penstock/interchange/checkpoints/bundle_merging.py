"""Merging bundles: several checkpoints of parts of a model become one, without copying their data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from ...errors import InvalidArgumentError
from ...graph.common.file_errors import file_errors
from .bundle_entries import BundleEntry, decode_entry
from .bundle_files import commit, data_name, header_of, index_name
from .bundle_writer import index_bytes
from .table_reader import TableReader
from .whole_files import ExistingFile, remove_files

_MOST_SHARDS: Final = 100_000
"""The names of data files have five digits."""


def merge_bundles(prefixes: Sequence[str], destination: str, delete_old_dirs: bool = True) -> None:
    """Make one checkpoint of several: their data files are renamed, and their indices become one.

    Args:
        prefixes: the checkpoints, which are no more afterwards.
        destination: the prefix of the new one.
        delete_old_dirs: whether to remove their folders, where these are empty.

    Raises:
        InvalidArgumentError: two of them have values of one name. DataLossError: one is damaged. OpError: a file cannot
            be read or renamed.
    """
    with file_errors(f"the checkpoints cannot be merged to {destination!r}"):
        entries: dict[bytes, BundleEntry] = {}
        sources: list[tuple[str, int, int]] = []
        for prefix in prefixes:
            with TableReader(index_name(prefix)) as table:
                header, rows = header_of(table)
                if header.num_shards > _MOST_SHARDS:
                    raise table.damaged(f"its header says that it has {header.num_shards} shards")
                first = len(sources)
                sources += [(prefix, shard, header.num_shards) for shard in range(header.num_shards)]
                for key, value in rows:
                    _merge_entry(entries, key, decode_entry(value), first)
        files = [ExistingFile(data_name(*source)) for source in sources]
        commit(destination, files, lambda number: index_bytes(number, entries))
        remove_files([index_name(prefix) for prefix in prefixes if prefix != destination])
        if delete_old_dirs:
            for folder in {os.path.dirname(prefix) for prefix in prefixes} - {os.path.dirname(destination), ""}:
                with suppress(OSError):  # it is not empty
                    os.rmdir(folder)


def _merge_entry(entries: dict[bytes, BundleEntry], key: bytes, entry: BundleEntry, first: int) -> None:
    there = entries.get(key)
    if there is None:
        entries[key] = entry if entry.slices else replace(entry, shard=entry.shard + first)
    elif there.slices and entry.slices and (there.dtype, there.shape) == (entry.dtype, entry.shape):
        entries[key] = replace(there, slices=(*there.slices, *entry.slices))
    else:
        name = key.decode("utf-8", "surrogateescape")
        raise InvalidArgumentError(message=f"two of the checkpoints have values of {name!r:.200}")
