"""Opening a checkpoint of either version by its prefix, and putting bundles together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from ...errors import NotFoundError
from ...graph.common.file_errors import file_errors
from ...graph.shapes.literal import Array
from .bundle_entries import BundleEntry
from .bundle_files import data_names, index_name
from .bundle_reader import BundleReader
from .tensor_slices import TensorSlice
from .version_one import VersionOneReader, version_one_paths


class OpenCheckpoint(Protocol):
    """An open checkpoint of either version."""

    prefix: str

    @property
    def entries(self) -> Mapping[str, BundleEntry]:
        """The tensors by name."""

    def entry(self, name: str) -> BundleEntry | None:
        """The entry of a tensor; None if it is not there."""

    def read(self, name: str, part: TensorSlice | None = None) -> Array:
        """A new array with the values of a tensor, or of a part of it."""

    def close(self) -> None:
        """Close all files."""


def exists(prefix: str) -> bool:
    """Whether there is a checkpoint of either version."""
    return os.path.exists(index_name(prefix)) or any(map(os.path.isfile, version_one_paths(prefix)))


def open_checkpoint(prefix: str) -> OpenCheckpoint:
    """The checkpoint with that prefix; version 2 comes first.

    Raises:
        NotFoundError: there is none. DataLossError: it is damaged. OpError: a file cannot be read.
    """
    with file_errors(f"the checkpoint {prefix!r} cannot be read"):
        if os.path.exists(index_name(prefix)):
            return BundleReader(prefix)
        paths = [path for path in version_one_paths(prefix) if os.path.isfile(path)]
        if paths and not _is_part_of_a_bundle(prefix):
            return VersionOneReader(prefix, paths)
    raise NotFoundError(message=f"there is no checkpoint {prefix!r}{_instead(prefix)}")


def _is_part_of_a_bundle(prefix: str) -> bool:
    return prefix.endswith(".index") or bool(_data_file_prefix(prefix))


def _data_file_prefix(path: str) -> str:
    prefix, dot, _ = path.rpartition(".data-")
    return prefix if dot and path in data_names(prefix) else ""


def _instead(prefix: str) -> str:
    """What to do about a path that is none of a checkpoint."""
    of_a_file = prefix.removesuffix(".index") if prefix.endswith(".index") else _data_file_prefix(prefix)
    of_a_file = of_a_file or (prefix.removesuffix(".meta") if prefix.endswith(".meta") else "")
    if of_a_file:
        return f"; a checkpoint is named without the ending of its files: give {of_a_file!r}"
    if os.path.isdir(prefix):
        return f"; it is a folder: give tf.train.latest_checkpoint({prefix!r})"
    return f": neither {index_name(prefix)!r} (version 2) nor a file of that name (version 1) exists"
