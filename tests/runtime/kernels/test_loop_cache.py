"""When a loop of a template is made, and who gets it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from penstock.runtime.kernels.loops import loop_cache, native_loops
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
from penstock.runtime.kernels.loops.loop_template import Template
from penstock.runtime.kernels.loops.nest_loops import NEST_LOOPS
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.compile_cost import COMPILE_SPEED, LOAD, CompileSpeed
from penstock.runtime.llvm.promotion import BEHIND
from penstock.runtime.llvm.toolchain import Library

from ...warm_python import run_fresh
from ..compiled.fake_builder import FakeBuilder
from .fences import needs_the_tier

IR = """
define i64 @answer(ptr %x) {
  %value = load i64, ptr %x, align 1
  %next = add i64 %value, 1
  ret i64 %next
}
"""


class Fake(FakeBuilder):
    """It builds what is asked for now, with LLVM, and queues the rest."""

    def build_now(self, source: tier.ModuleSource) -> Library:
        return tier.build_now(source)

    def try_build(self, source: tier.ModuleSource) -> Library | None:
        return tier.build_now(source)


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """Two templates, nothing cached, nothing made in the background before the test says so."""
    loop_cache._source.cache_clear()
    fake = Fake()
    monkeypatch.setattr(COMPILE_SPEED, "factor", 1.0)
    monkeypatch.setattr(loop_cache, "_entries", {})
    monkeypatch.setattr(loop_cache, "BUILDER", fake)
    for name, ir in (("answer", IR), ("nonsense", "define nothing")):
        made = Template(name, "p", lambda *key, ir=ir: (ir, "answer"), 20_000, 10e-9, False)
        monkeypatch.setitem(TEMPLATES, name, made)
    yield fake
    loop_cache._source.cache_clear()


ENOUGH = round(CompileSpeed().predict(IR) / 10e-9) + 1
"""Elements of one call that save what compiling takes."""


def answer(loop: Any) -> int:
    found: int = loop(np.array([41], np.int64))
    return found


@needs_the_tier
def test_a_large_call_gets_its_loop_at_once() -> None:
    assert loop_cache.find("answer", work=ENOUGH // 2) is None
    assert answer(loop_cache.find("answer", work=ENOUGH)) == 42
    assert answer(loop_cache.find("answer", work=20_000)) == 42
    assert loop_cache.uses() == [loop_cache.Use("answer", (), 2)]


@needs_the_tier
def test_a_large_call_waits_for_more_while_llvm_is_not_loaded(fake: Fake) -> None:
    fake.ready = False
    assert loop_cache.find("answer", work=ENOUGH) is None
    unloaded = round((LOAD + COMPILE_SPEED.predict_unwritten(0)) / 10e-9)
    assert answer(loop_cache.find("answer", work=ENOUGH + unloaded)) == 42


@needs_the_tier
def test_small_calls_get_it_when_they_have_cost_enough_together(fake: Fake) -> None:
    calls = round(BEHIND * ENOUGH / loop_cache.NUMPY_TIME_PER_SAVING / 20_000)
    for _ in range(calls):
        assert loop_cache.find("answer", work=20_000) is None
    assert not fake.queue
    for _ in range(3):
        assert loop_cache.find("answer", work=20_000) is None
    assert len(fake.queue) == 1  # asked for once
    fake.queue[0][1](tier.build_now(tier.ModuleSource(IR, ("answer",))))
    assert answer(loop_cache.find("answer", work=20_000)) == 42


@needs_the_tier
def test_a_cached_loop_is_there_for_a_call_that_earns_the_look(fake: Fake) -> None:
    fake.cached = True
    assert loop_cache.find("answer", work=20_000) is None
    assert answer(loop_cache.find("answer", work=60_000)) == 42


@needs_the_tier
def test_very_small_calls_are_never_served() -> None:
    loop_cache.find("answer", work=ENOUGH)
    assert loop_cache.find("answer", work=19_999) is None
    assert native_loops.find("answer", work=native_loops.FEWEST - 1) is None


@needs_the_tier
def test_what_cannot_be_compiled_is_tried_once() -> None:
    assert loop_cache.find("nonsense", work=10**9) is None
    assert loop_cache.find("nonsense", work=10**9) is None
    assert list(loop_cache.failures()) == [("nonsense",)]


def test_with_the_tier_off_nothing_is_handed_out(fake: Fake) -> None:
    fake.enabled = False
    assert loop_cache.find("answer", work=10**9) is None
    assert loop_cache.uses() == []


@needs_the_tier
def test_a_tier_switched_off_while_a_loop_is_made_may_be_switched_on_again(fake: Fake) -> None:
    loop_cache.find("answer", work=ENOUGH // 2)
    assert loop_cache.find("answer", work=20_000) is None
    fake.enabled = False
    fake.queue.pop()[1](RuntimeError("switched off"))
    fake.enabled = True
    assert loop_cache.find("answer", work=20_000) is None
    assert len(fake.queue) == 1 and not loop_cache.failures()


def test_two_templates_may_not_have_one_name() -> None:
    made = [each.name for each in (*loop_cache._WRITTEN, *NEST_LOOPS)]
    assert sorted([*made, "answer", "nonsense"]) == sorted(TEMPLATES)


def test_importing_the_package_loads_no_loops_and_no_llvm() -> None:
    heavy = (loop_cache.__name__, "llvmlite")
    found = run_fresh(f"import sys, penstock; print([m for m in {heavy} if m in sys.modules])")
    assert (found.stdout.strip(), found.stderr) == ("[]", "")
