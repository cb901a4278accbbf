"""What is closed when it is freed: files of checkpoints, `GFile`, values on workers. No Python code runs then."""

from __future__ import annotations

import ast
import gc
import io
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
from penstock.ops.datasets.batching import ListStream
from penstock.ops.datasets.prefetching import PrefetchedStream, ReadAhead
from penstock.ops.datasets.streams import StreamRun
from penstock.runtime.base.session_objects import SessionObjects

from ..helpers import held_by
from ..package_modules import PACKAGE, package_modules


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
    return file, held_by(file, io.IOBase)


def opened_checkpoint(folder: Path) -> tuple[Any, Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(folder / "model"))
    assert path is not None
    reader = tf.train.load_checkpoint(path)
    return reader, held_by(reader, io.IOBase)


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


def test_a_prefetched_stream_ends_its_thread_without_python_code() -> None:
    held = [PrefetchedStream(ListStream([]), 2, StreamRun(SessionObjects()))]
    buffer = held_by(held[0], ReadAhead)
    assert not buffer.is_closed
    assert python_calls_of(held.clear) == []
    assert buffer.is_closed


PYTHON_AT_DEATH = {"WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "finalize"}
"""What of `weakref` runs Python code when an object dies."""


def finalizers_in_python(source: str) -> list[str]:
    """Where a module makes Python code run when an object dies: Ctrl-C that arrives in it is lost."""
    found: list[str] = []
    if "__del__" not in source and "weakref" not in source:
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "__del__":
            found.append(f"{node.lineno}: def __del__")
        elif isinstance(node, ast.ImportFrom) and node.module == "weakref":
            found += [f"{node.lineno}: {each.name}" for each in node.names if each.name in PYTHON_AT_DEATH]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "weakref" and node.attr in PYTHON_AT_DEATH:
            found.append(f"{node.lineno}: weakref.{node.attr}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("ref", "weakref.ref") and len(node.args) == 2:
            called = node.args[1]
            is_method = isinstance(called, ast.Attribute) and called.attr in ("append", "pop")  # of a list, of a dict
            if not is_method and not (isinstance(called, ast.Call) and ast.unparse(called.func) == "partial"):
                found.append(f"{node.lineno}: ref with {ast.unparse(called)}")
    return found


def test_no_module_has_a_finalizer_in_python() -> None:
    bad = [f"{path.relative_to(PACKAGE)}:{each}" for path in package_modules() for each in
           finalizers_in_python(path.read_text("utf-8"))]  # fmt: skip
    assert not bad


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __del__(self): pass",
        "from weakref import WeakSet",
        "import weakref\nweakref.finalize(a, f)",
        "from weakref import ref\nref(a, lambda _: None)",
        "import weakref\nweakref.ref(a, forget)",
    ],
)
def test_the_check_of_finalizers_sees_them(source: str) -> None:
    assert finalizers_in_python(source)


def test_the_check_of_finalizers_lets_functions_in_c_pass() -> None:
    source = "from weakref import ref\nref(a, table.pop)\nref(a, partial(table.pop, 1))\nref(a)\nx.__del__ = gc.enable"
    assert not finalizers_in_python(source)
