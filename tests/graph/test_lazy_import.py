"""Imports at first use: whole modules, errors as they are, and no waiting in a circle."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from penstock.graph.common import lazy_import
from penstock.graph.common.lazy_import import load

from ..helpers import in_thread, output_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test may put modules; what it loads is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(lazy_import, "_loaded", set[str]())
    for name in ("loaded_one", "loaded_two"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def test_a_module_is_loaded_once_and_by_another_thread_than_the_main_one(folder: Path) -> None:
    (folder / "loaded_one.py").write_text("import threading\nby = threading.current_thread()\n")
    load("loaded_one")
    first = sys.modules["loaded_one"]
    load("loaded_one")
    assert sys.modules["loaded_one"] is first
    assert first.by is not threading.main_thread()
    (folder / "loaded_two.py").write_text("import threading\nby = threading.current_thread()\n")

    def by_itself() -> threading.Thread:
        load("loaded_two")
        return threading.current_thread()

    assert in_thread(by_itself) is sys.modules["loaded_two"].by


def test_an_error_of_an_import_is_raised_where_it_was_asked_for_each_time(folder: Path) -> None:
    (folder / "loaded_one.py").write_text("raise ImportError('not on this machine')\n")
    for _ in range(2):
        with pytest.raises(ImportError, match="not on this machine"):
            load("loaded_one")
    with pytest.raises(ModuleNotFoundError):
        load("loaded_no_such_module")


def test_a_module_that_loads_another_waits_for_nobody(folder: Path) -> None:
    code = "from penstock.graph.common.lazy_import import load\nload('loaded_two')\nimport loaded_two\n"
    (folder / "loaded_one.py").write_text(code)
    (folder / "loaded_two.py").write_text("whole = True\n")
    load("loaded_one")
    assert sys.modules["loaded_one"].loaded_two.whole


def test_where_no_thread_is_to_be_had_the_main_one_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    (folder / "loaded_one.py").write_text("whole = True\n")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        load("loaded_one")
    assert sys.modules["loaded_one"].whole


IN_AN_IMPORT = """
import _imp, sys
sys.path[:0] = {path!r}
from penstock.graph.common import lazy_import
from penstock.graph.common.lazy_import import load
_imp.acquire_lock()  # as the import system does while it looks for a file; a signal handler may run then
load("penstock.runtime.observe.explain")
_imp.release_lock()
print("penstock.runtime.observe.explain" in sys.modules)
"""


def test_what_is_loaded_in_the_middle_of_an_import_waits_for_nobody() -> None:
    assert output_of(IN_AN_IMPORT) == "True"
