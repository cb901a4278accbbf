"""What is closed when it is freed: files of checkpoints, `GFile`, values on workers. No Python code runs then."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cluster.client.remote_value import RemoteValue
from penstock.graph.common.when_freed import WhenFreed


def python_calls_of(free: Callable[[], Any]) -> list[str]:
    """The Python functions that are called while `free` runs, itself left out."""
    called: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        free()
    finally:
        sys.setprofile(before)
    return called


def opened_gfile(folder: Path) -> tuple[Any, Any]:
    file = tf.gfile.GFile(str(folder / "a.txt"), "w")
    file.write("one")
    return file, file._file


def opened_checkpoint(folder: Path) -> tuple[Any, Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(folder / "model"))
    assert path is not None
    reader = tf.train.load_checkpoint(path)
    return reader, next(iter(reader._checkpoint._files.values()))  # type: ignore[attr-defined]  # of version 2


@pytest.mark.parametrize("opened", [opened_gfile, opened_checkpoint])
def test_files_are_closed_with_their_holder(opened: Callable[[Path], tuple[Any, Any]], tmp_path: Path) -> None:
    holder, file = opened(tmp_path)
    held = [holder]
    del holder
    gc.collect()
    assert not file.closed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert python_calls_of(held.clear) == []
    assert file.closed


def test_what_was_written_is_in_the_file_then(tmp_path: Path) -> None:
    tf.gfile.GFile(str(tmp_path / "a.txt"), "w").write("two")
    gc.collect()
    assert (tmp_path / "a.txt").read_text() == "two"


def test_values_on_workers_become_garbage_without_python_code() -> None:
    heard: list[Any] = []
    held = [RemoteValue("a.1", np.float32, (2,), {0}, lambda _: np.zeros(2, np.float32))]
    held[0].when_freed = WhenFreed(heard.clear)
    heard.append(1)
    assert python_calls_of(held.clear) == []
    assert heard == []


def test_a_cancelled_one_does_nothing() -> None:
    heard = [1]
    when = WhenFreed(heard.clear)
    when.cancel()
    del when
    assert heard == [1]
