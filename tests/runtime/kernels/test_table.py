"""When is a loop made, and who gets it?"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from penstock.ops.native import fill, native
from penstock.runtime.jit import tier
from penstock.runtime.jit.toolchain import Library
from penstock.runtime.kernels import door, table

from .fences import needs_the_tier

IR = """
define i64 @answer(ptr %x) {
  %value = load i64, ptr %x, align 1
  %next = add i64 %value, 1
  ret i64 %next
}
"""
LATER: list[Callable[[Library | Exception], None]] = []


@pytest.fixture(autouse=True)
def _a_template_of_our_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two templates, nothing cached, nothing made in the background before the test says so."""
    assert "take" in table._templates()  # which enters all of them
    table._source.cache_clear()
    monkeypatch.setattr(table, "_entries", {})
    monkeypatch.setattr(table, "is_cached", lambda source: False)
    monkeypatch.setattr(table, "is_ready", lambda: True)
    monkeypatch.setattr(table, "at_once", lambda: False)
    monkeypatch.setattr(table, "build_later", lambda source, deliver: LATER.append(deliver))
    for name, ir in (("answer", IR), ("nonsense", "define nothing")):
        made = table.Template("p", lambda *key, ir=ir: (ir, "answer"), 20_000, 500_000, False)
        monkeypatch.setitem(table.TEMPLATES, name, made)
    LATER.clear()
    yield
    table._source.cache_clear()


def answer(loop: Any) -> int:
    found: int = loop(np.array([41], np.int64))
    return found


@needs_the_tier
def test_a_large_call_gets_its_loop_at_once() -> None:
    assert answer(table.find("answer", work=500_000)) == 42
    assert answer(table.find("answer", work=20_000)) == 42
    assert table.uses() == [table.Use("answer", (), 2)]


@needs_the_tier
def test_a_large_call_waits_for_more_while_llvm_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "is_ready", lambda: False)
    assert table.find("answer", work=600_000) is None
    assert answer(table.find("answer", work=2_000_000)) == 42


@needs_the_tier
def test_small_calls_get_it_when_they_have_moved_enough_together() -> None:
    for _ in range(table.TOGETHER // 100_000 - 1):
        assert table.find("answer", work=100_000) is None
        assert not LATER
    assert table.find("answer", work=100_000) is None
    assert table.find("answer", work=100_000) is None
    assert len(LATER) == 1  # asked for once
    LATER[0](tier.build_now(tier.Source(IR, ("answer",))))
    assert answer(table.find("answer", work=100_000)) == 42


@needs_the_tier
def test_a_cached_loop_is_there_for_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "is_cached", lambda source: True)
    assert answer(table.find("answer", work=20_000)) == 42


@needs_the_tier
def test_very_small_calls_are_never_served() -> None:
    table.find("answer", work=500_000)
    assert table.find("answer", work=19_999) is None
    assert door.find("answer", work=door.FEWEST - 1) is None


@needs_the_tier
def test_what_cannot_be_compiled_is_tried_once() -> None:
    assert table.find("nonsense", work=10**9) is None
    assert table.find("nonsense", work=10**9) is None
    assert list(table.failures()) == [("nonsense",)]


def test_with_the_tier_off_nothing_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "on", lambda: False)
    assert table.find("answer", work=10**9) is None
    assert table.uses() == []


@needs_the_tier
def test_a_tier_switched_off_while_a_loop_is_made_may_be_switched_on_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table.find("answer", work=499_999) is None
    assert table.find("answer", work=499_999) is None
    assert table.find("answer", work=499_999) is None
    monkeypatch.setattr(table, "on", lambda: False)
    LATER.pop()(RuntimeError("switched off"))
    monkeypatch.setattr(table, "on", lambda: True)
    assert table.find("answer", work=100_000) is None
    assert len(LATER) == 1 and not table.failures()


@needs_the_tier
def test_a_forked_child_asks_again_for_what_its_parent_was_making() -> None:
    for _ in range(3):
        table.find("answer", work=400_000)
    table._forget_asked()
    table.find("answer", work=400_000)
    assert len(LATER) == 2


def test_two_templates_may_not_have_one_name() -> None:
    with pytest.raises(ValueError, match="'answer' exists already"):
        table.template("answer", "p")(lambda: ("", ""))


def test_without_anyone_to_ask_there_are_no_loops() -> None:
    fill(lambda *key, work: None)
    try:
        assert native("answer", work=10**9) is None
    finally:
        fill(door.find)


def test_importing_the_package_loads_no_table_and_no_llvm() -> None:
    code = "import sys, penstock; print([m for m in sys.modules if m.endswith('kernels.table') or 'llvmlite' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
