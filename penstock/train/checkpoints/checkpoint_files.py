"""The files of a folder with checkpoints: which are there, which is the latest, and removing one.

A Saver keeps a file "checkpoint" beside the checkpoints. It is protobuf's text form of a `CheckpointState`:

    model_checkpoint_path: "model-200"
    all_model_checkpoint_paths: "model-100"
    all_model_checkpoint_paths: "model-200"
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import GraphFormatError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.shared_docs import documented_like
from ...interchange.checkpoints.bundle_files import index_name, remove_bundle
from ...interchange.checkpoints.meta_graph_messages import CheckpointState, SaverDef
from ...interchange.checkpoints.open_checkpoint import exists
from ...interchange.checkpoints.version_one import version_one_paths
from ...interchange.checkpoints.whole_files import remove_files, write_whole
from ...interchange.tensorflow.wire.text_format import from_text, to_text

Path = str | bytes | os.PathLike[str]


@hides_frames
def get_checkpoint_state(checkpoint_dir: Path, latest_filename: str | None = None) -> CheckpointState | None:
    """What the file "checkpoint" of a folder says.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file, if it is another than "checkpoint".

    Returns:
        A `CheckpointState` with paths that begin with the folder; None if there is no such file or it is not readable.

    Raises:
        ValueError: the file names no latest checkpoint.

    >>> import penstock as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.train.update_checkpoint_state(folder, folder + "/model-1")
    ...     state = tf.train.get_checkpoint_state(folder)
    ...     print(state.model_checkpoint_path == folder + "/model-1", tf.train.latest_checkpoint(folder))
    True None

    Source: TensorFlow 1.x, `tf.train.get_checkpoint_state`.
    """
    folder = os.fsdecode(checkpoint_dir)
    try:
        with open(_state_file(folder, latest_filename), encoding="utf-8") as file:
            state: CheckpointState = from_text(CheckpointState, file.read())
    except (OSError, UnicodeDecodeError, GraphFormatError):
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"get_checkpoint_state: the file {_state_file(folder, latest_filename)!r} names no checkpoint")
    # `join` leaves an absolute path as it is.
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [os.path.join(folder, each) for each in state.all_model_checkpoint_paths]
    return state


@hides_frames
def latest_checkpoint(checkpoint_dir: Path, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint in a folder, for `Saver.restore`.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file with the state, if it is another than "checkpoint".

    Returns:
        The prefix; None if the folder has no state or the checkpoint that it names is not there.

    Raises:
        ValueError: the file with the state names no checkpoint.

    >>> import penstock as tf
    >>> print(tf.train.latest_checkpoint("no/such/folder"))
    None

    Source: TensorFlow 1.x, `tf.train.latest_checkpoint`.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


@hides_frames
def checkpoint_exists(checkpoint_prefix: Path) -> bool:
    """Whether there is a checkpoint with that prefix, of either version of the format.

    Args:
        checkpoint_prefix: the prefix, such as `Saver.save` returns.

    Returns:
        True or False.

    Raises:
        TypeError: the prefix is no path.

    >>> import penstock as tf
    >>> tf.train.checkpoint_exists("no/such/model-1")
    False

    Source: TensorFlow 1.x, `tf.train.checkpoint_exists`.
    """
    return exists(os.fsdecode(checkpoint_prefix))


@hides_frames
def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[Path]) -> list[float]:
    """When checkpoints were written, in seconds since 1970; those that are not there are left out.

    Args:
        checkpoint_prefixes: the prefixes.

    Returns:
        A list of floats.

    Raises:
        TypeError: a prefix is no path.

    >>> import penstock as tf
    >>> tf.train.get_checkpoint_mtimes(["no/such/model-1"])
    []

    Source: TensorFlow 1.x, `tf.train.get_checkpoint_mtimes`.
    """
    found = []
    for each in checkpoint_prefixes:
        for path in (index_name(os.fsdecode(each)), *version_one_paths(os.fsdecode(each))):
            if os.path.exists(path):
                found.append(os.stat(path).st_mtime)
                break
    return found


@hides_frames
def remove_checkpoint(
    checkpoint_prefix: Path, checkpoint_format_version: int = SaverDef.V2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint: its index first, so that it is there whole or not at all.

    Args:
        checkpoint_prefix: the prefix.
        checkpoint_format_version: `tf.train.SaverDef.V2` or `V1`.
        meta_graph_suffix: the ending of the file with the graph, which is removed too.

    Raises:
        OpError: a file cannot be removed.

    >>> import penstock as tf
    >>> tf.train.remove_checkpoint("no/such/model-1")

    Source: TensorFlow 1.x, `tf.train.remove_checkpoint`.
    """
    prefix = os.fsdecode(checkpoint_prefix)
    of_version_one = [path for path in version_one_paths(prefix) if os.path.isfile(path)]
    _remove(prefix, checkpoint_format_version, of_version_one, meta_graph_suffix)


def remove_saved(prefix: str, version: int, meta_graph_suffix: str) -> None:
    """Removes the files of a checkpoint that a Saver wrote: no part of its path is a pattern, there or gone.

    Raises:
        OpError: a file cannot be removed.
    """
    _remove(prefix, version, [prefix], meta_graph_suffix)


def _remove(prefix: str, version: int, of_version_one: list[str], meta_graph_suffix: str) -> None:
    with file_errors(f"the checkpoint {prefix!r} could not be removed"):
        if version == SaverDef.V2:
            remove_bundle(prefix)
        else:
            remove_files(of_version_one)
        remove_files([meta_graph_filename(prefix, meta_graph_suffix)])


@hides_frames
def update_checkpoint_state(
    save_dir: Path,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file "checkpoint" of a folder; a reader finds the old file or the new one.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the prefix of the latest checkpoint.
        all_model_checkpoint_paths: the prefixes of all that are there, the latest last.
        latest_filename: the name of the file, if it is another than "checkpoint".
        all_model_checkpoint_timestamps: when each was written, in seconds since 1970.
        last_preserved_timestamp: when the last one that is kept for ever was written.

    Raises:
        ValueError: there are not as many times as paths.
        RuntimeError: the file would have the name of the checkpoint.
        OpError: the file cannot be written.

    >>> import pathlib, penstock as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.train.update_checkpoint_state(folder, folder + "/model-1")
    ...     print(pathlib.Path(folder, "checkpoint").read_text().count("model-1"))
    2

    Source: TensorFlow 1.x, `tf.train.update_checkpoint_state`.
    """
    write_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename, False,
                all_model_checkpoint_timestamps, last_preserved_timestamp)  # fmt: skip


def write_state(
    save_dir: Path,
    latest: str,
    paths: Sequence[str] | None,
    latest_filename: str | None,
    relative: bool,
    times: Sequence[float] | None = None,
    preserved: float | None = None,
) -> None:
    """What `update_checkpoint_state` does; `relative` makes absolute paths relative to the folder."""
    folder = os.fsdecode(save_dir)
    every = list(paths or [])
    if relative:
        latest, every = _inside(latest, folder), [_inside(each, folder) for each in every]
    state = generate_checkpoint_state_proto(folder, latest, every, times, preserved)
    target = _state_file(folder, latest_filename)
    if target == state.model_checkpoint_path:
        raise RuntimeError(f"update_checkpoint_state: the checkpoint {latest!r} has the name of the file with the "
                           "state; save it under another name")  # fmt: skip
    with file_errors(f"the file {target!r} could not be written", UNCHANGED):
        write_whole(target, to_text(state).encode("utf-8"))


@hides_frames
@documented_like(update_checkpoint_state)
def generate_checkpoint_state_proto(
    save_dir: Path,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """The `CheckpointState` that `update_checkpoint_state` writes: paths below a relative folder are relative to it.

    Returns:
        A `CheckpointState`.

    Raises:
        ValueError: there are not as many times as paths.

    >>> import penstock as tf
    >>> tf.train.generate_checkpoint_state_proto("models", "models/m-1").model_checkpoint_path
    'm-1'
    """
    folder = os.fsdecode(save_dir)
    latest, every = model_checkpoint_path, list(all_model_checkpoint_paths or [])
    if not every or every[-1] != latest:
        every.append(latest)
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(every):
        raise ValueError(f"generate_checkpoint_state_proto: there are {len(times)} times for {len(every)} checkpoints")
    if not os.path.isabs(folder):
        latest = latest if os.path.isabs(latest) else os.path.relpath(latest, folder)
        every = [each if os.path.isabs(each) else os.path.relpath(each, folder) for each in every]
    return CheckpointState(latest, every, times, last_preserved_timestamp or 0.0)


def meta_graph_filename(prefix: str, suffix: str = "meta") -> str:
    """The file with the graph of a checkpoint; shards have one together."""
    return re.sub(r"-[\d\?]+-of-\d+$", "", prefix) + "." + suffix


def _inside(path: str, folder: str) -> str:
    return os.path.relpath(path, folder) if os.path.isabs(path) else path


def _state_file(folder: str, latest_filename: Any) -> str:
    return os.path.join(folder, latest_filename or "checkpoint")


def why_no_checkpoint(prefix: str) -> str:
    """What a path is that is no checkpoint, and which path is meant; "" if nothing is known."""
    folder = prefix if os.path.isdir(prefix) else os.path.dirname(prefix) or "."
    what = "" if os.path.isdir(folder) else f"; there is no folder {folder!r}"
    if folder == prefix:
        what = "; this is a folder"
    elif prefix.endswith((".index", ".meta")) or ".data-" in os.path.basename(prefix):
        what = "; this is one file of a checkpoint, whose path is what stands before .index"
    rule = ". Give the path that save() returned, such as 'run/model-100'"
    newest = latest_checkpoint(folder) if os.path.isdir(folder) else None
    if newest is not None:
        return f"{what}{rule}; the newest in that folder is {newest!r}, by tf.train.latest_checkpoint({folder!r})"
    return f"{what}{rule}" + (f"; {folder!r} has no list of checkpoints" if os.path.isdir(folder) else "")
