"""What the kernels of SaveV2, RestoreV2 and MergeV2Checkpoints do, on lists of names, parts and arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Final

from ...errors import InvalidArgumentError, NotFoundError
from ...graph.common.file_errors import file_errors
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import Array
from ..tensorflow.wire.tensor_proto import DATA_TYPES, dtype_number
from .bundle_entries import BundleEntry, decode_entry
from .bundle_files import commit, data_name, header_of, index_name
from .bundle_writer import NamedArray, index_bytes, write_bundle
from .open_checkpoint import OpenCheckpoint, open_checkpoint
from .table_reader import TableReader
from .tensor_slices import TensorSlice, parse_slice
from .version_one import write_version_one
from .whole_files import ExistingFile, remove_files

_MOST_NAMED = 20


def save_tensors(
    version: int, prefix: str, names: Sequence[str], parts: Sequence[str], arrays: Sequence[Array]
) -> None:
    """Write arrays as a checkpoint of version 1 or 2; a part is "" for a whole tensor, or "4 3 0,2:-".

    Raises:
        InvalidArgumentError: the arguments do not fit each other. OpError: a file cannot be written.
    """
    rows = []
    for name, text, array in zip(names, parts, arrays, strict=True):
        shape, part = parse_slice(text) if text else ((), None)
        rows.append(NamedArray(name, array, part, shape))
    (write_version_one if version == 1 else write_bundle)(prefix, rows)


def restore_tensors(
    prefix: str, names: Sequence[str], parts: Sequence[str], dtypes: Sequence[DType]
) -> tuple[Array, ...]:
    """Read arrays from a checkpoint of either version; everything is checked before the first is read.

    Raises:
        NotFoundError: there is no such checkpoint, or names are not in it. InvalidArgumentError: a dtype or the shape
            of a partitioned variable is another one. DataLossError: it is damaged.
    """
    with closing(open_checkpoint(prefix)) as checkpoint:
        wanted: list[TensorSlice | None] = []
        missing, other = [], []
        for name, text, dtype in zip(names, parts, dtypes, strict=True):
            shape, part = parse_slice(text) if text else (None, None)
            wanted.append(part)
            entry = checkpoint.entry(name)
            if entry is None:
                missing.append(name)
            elif entry.dtype % 100 != dtype_number(dtype):
                there = DATA_TYPES.get(entry.dtype, str(entry.dtype)).removeprefix("DT_").lower()
                other.append(f"{name} is {there} there, and {dtype.tf_name} is expected")
            elif shape is not None and shape != entry.shape:
                other.append(f"{name} has the shape {list(entry.shape)} there, and {list(shape)} is expected")
        if missing or other:
            raise _mismatch(checkpoint, len(names), missing, other)
        return tuple(checkpoint.read(name, part) for name, part in zip(names, wanted, strict=True))


def _mismatch(
    checkpoint: OpenCheckpoint, count: int, missing: list[str], other: list[str]
) -> NotFoundError | InvalidArgumentError:
    """The error that lists what does not match."""
    fits = count - len(missing) - len(other)
    if missing:
        message = f"Key {missing[0]} not found in checkpoint {checkpoint.prefix!r}: {fits} of {count} tensors match"
        lines = [f"not there: {listed(missing)}"]
    else:
        message = f"{other[0]} (checkpoint {checkpoint.prefix!r}): {fits} of {count} tensors match"
        lines = []
    if other:
        lines.append(f"with another dtype or shape: {listed(other, '; ')}")
    if missing:
        lines.append(f"in the checkpoint are: {listed(sorted(set(checkpoint.entries)))}")
    kind = NotFoundError if missing else InvalidArgumentError
    return kind(message="\n  ".join([message, *lines]))


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Names for a message, the first of them where they are many."""
    shown = separator.join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown}{separator}and {len(names) - _MOST_NAMED} more"


# ---- bundles that are merged ---------------------------------------------------------------------


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
