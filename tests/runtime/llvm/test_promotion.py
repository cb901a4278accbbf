"""Promotion decides by predicted seconds, with a builder and a clock of the test's own, and never waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.kernels.loops import loop_cache
from penstock.runtime.llvm import compile_cost, promotion, tier
from penstock.runtime.llvm.compile_cost import COMPILE_SPEED, LOAD, CompileSpeed
from penstock.runtime.llvm.promotion import BEHIND, BEHIND_ONCE, LOOK, PATIENCE, Builder, Meter, Promotion, State, Write
from penstock.runtime.llvm.tier import ModuleSource
from penstock.runtime.llvm.toolchain import LOCK
from penstock.runtime.numpy.interpreter import Interpreter

from ..compiled.fake_builder import LIBRARY, FakeBuilder
from ..kernels.fences import needs_the_tier

SOURCE = ModuleSource("\n" * 300, ("f",))


@pytest.fixture(autouse=True)
def _a_steady_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMPILE_SPEED, "factor", 1.0)


def made_of(builder: Builder, ops: int = 10, write: Write = lambda: SOURCE) -> tuple[Meter, Promotion[str]]:
    meter = Meter(ops, builder)
    return meter, Promotion(meter, write, lambda library: "code")


def cost() -> float:
    return COMPILE_SPEED.predict(SOURCE.ir)


def test_a_run_that_may_wait_for_the_compiler_is_compiled_at_once() -> None:
    fake = FakeBuilder()
    _, one = made_of(fake)
    assert one.code_for(0.99 * cost()) is None
    assert one.code_for(cost()) == "code"
    assert (fake.asked, one.state) == (["cached?", "try"], State.COMPILED)


def test_loading_llvm_counts() -> None:
    fake = FakeBuilder(ready=False)
    _, one = made_of(fake)
    assert one.code_for(cost()) is None
    assert one.code_for(LOAD + cost()) == "code"
    assert fake.asked == ["load", "cached?", "try"]


def test_code_that_an_earlier_process_has_kept_is_loaded_as_soon_as_loading_llvm_is_worth_it() -> None:
    fake = FakeBuilder(ready=False, described=True, cached=True)
    meter, one = made_of(fake)
    meter.seconds = 0.9 * BEHIND * LOAD
    assert one.code_for(0.0) is None
    meter.seconds = BEHIND * LOAD
    assert one.code_for(0.0) == "code"
    assert (fake.asked, fake.queue) == (["cached?", "try"], [])


def test_the_load_of_llvm_is_repaid_by_all_work_together() -> None:
    fake = FakeBuilder(ready=False)
    ready = []
    for meter, one in [made_of(fake) for _ in range(8)]:
        meter.seconds = BEHIND * COMPILE_SPEED.predict_unwritten(10) + BEHIND * LOAD / 6
        one.code_for(0.0)
        ready.append(fake.ready)
    assert ready[:2] == [False, False] and ready[-1]


def test_code_that_no_earlier_process_has_kept_waits_for_the_cost_of_compiling_it() -> None:
    fake = FakeBuilder(ready=False, described=True)
    meter, one = made_of(fake)
    meter.seconds = 0.99 * BEHIND * (LOAD + cost())
    assert one.code_for(0.0) is None and not fake.queue
    meter.seconds = BEHIND * (LOAD + cost())
    assert one.code_for(0.0) is None and len(fake.queue) == 1


def test_what_most_programs_do_once_is_compiled_after_as_long_as_that_takes() -> None:
    fake = FakeBuilder()
    meter = Meter(10, fake, BEHIND_ONCE)
    one = Promotion(meter, lambda: SOURCE, lambda library: "code")
    for part in (BEHIND, 0.99 * BEHIND_ONCE):
        meter.seconds = part * cost()
        assert one.code_for(0.0) is None and not fake.queue
    meter.seconds = BEHIND_ONCE * cost()
    assert one.code_for(0.0) is None and len(fake.queue) == 1
    kinds = {name: loop_cache._CachedLoop(name, ("f4",)).meter.behind for name in ("random_truncated", "take")}
    assert kinds == {"random_truncated": BEHIND_ONCE, "take": BEHIND}


def test_what_was_interpreted_half_as_long_is_compiled_in_the_background() -> None:
    fake = FakeBuilder()
    meter, one = made_of(fake)
    meter.seconds = 0.99 * BEHIND * cost()
    assert one.code_for(0.0) is None
    assert not fake.queue
    meter.seconds = BEHIND * cost()
    assert one.code_for(0.0) is None
    assert (len(fake.queue), str(one)) == (1, "queued")
    assert one.code_for(1e9) is None  # it is on its way
    assert len(fake.queue) == 1
    assert fake.asked[-1] == "go on"  # a forked child has a queue and no thread
    fake.queue[0][1](LIBRARY)
    assert one.code_for(0.0) == "code"


def test_the_first_run_that_asks_for_code_in_the_background_loads_llvm_unless_another_thread_is_at_it() -> None:
    fake, written = FakeBuilder(ready=False, busy=True), []

    def write() -> ModuleSource:
        written.append(1)
        return SOURCE

    meter, one = made_of(fake, write=write)
    meter.seconds = 10.0
    assert one.code_for(0.0) is None
    assert (written, fake.queue, one.state) == ([], [], State.INTERPRETED)
    fake.busy = False
    assert one.code_for(0.0) is None
    assert (written, [source for source, _ in fake.queue], one.state) == ([1], [SOURCE], State.QUEUED)


def test_what_serves_all_plans_is_queued_with_the_first_other_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promotion, "URGENT", [])
    fake, other = FakeBuilder(), FakeBuilder()
    for builder in (fake, other):
        Promotion(Meter(0, builder), lambda: ModuleSource("", ("driver",)), lambda library: "code", is_urgent=True)
    for _ in range(2):
        meter, one = made_of(fake)
        meter.seconds = 10.0
        assert one.code_for(0.0) is None
    assert [source.names for source, _ in fake.queue] == [("driver",), ("f",), ("f",)]
    assert not other.queue


def test_no_text_is_written_before_it_is_worth_a_look() -> None:
    fake, written = FakeBuilder(cached=True), []

    def write() -> ModuleSource:
        written.append(1)
        return SOURCE

    meter, one = made_of(fake, write=write)
    assert one.code_for(0.0) is None
    assert not written
    meter.seconds = compile_cost.text_seconds(10) / LOOK
    assert one.code_for(0.0) == "code"
    assert fake.asked == ["cached?", "try"]


def test_the_cache_is_asked_once() -> None:
    fake = FakeBuilder()
    meter, one = made_of(fake)
    meter.seconds = 0.9 * BEHIND * cost()
    for _ in range(5):
        assert one.code_for(0.0) is None
    assert fake.asked == ["cached?"]


@pytest.mark.parametrize("cached", [True, False])
def test_a_run_does_not_wait_for_a_compilation_of_another_thread(cached: bool) -> None:
    fake = FakeBuilder(busy=True, cached=cached)
    _, one = made_of(fake)
    assert one.code_for(1e3) is None
    assert one.state is State.INTERPRETED
    fake.busy = False
    assert one.code_for(1e3) == "code"


def test_what_cannot_be_made_is_refused_with_the_reason_and_not_tried_again() -> None:
    fake = FakeBuilder(fails=True)
    _, one = made_of(fake)
    for _ in range(3):
        assert one.code_for(1e3) is None
    assert fake.asked == ["cached?", "try"]
    assert str(one) == "refused: it cannot be made"


def test_a_module_that_cannot_be_written_is_refused() -> None:
    def write() -> ModuleSource:
        raise RuntimeError("too many operands")

    fake = FakeBuilder()
    _, one = made_of(fake, write=write)
    assert one.code_for(1e3) is None
    assert (str(one), fake.asked) == ("refused: too many operands", [])


def test_a_tier_that_is_off_is_not_asked_and_refuses_nothing_for_good() -> None:
    fake = FakeBuilder(enabled=False)
    meter, one = made_of(fake)
    assert one.code_for(1e3) is None
    assert fake.asked == []
    fake.enabled, meter.seconds = True, 10.0
    assert one.code_for(0.0) is None
    fake.enabled = False
    fake.queue.pop()[1](RuntimeError("switched off"))
    assert str(one) == "interpreted"
    fake.enabled = True
    assert one.code_for(1e3) == "code"


def test_in_tests_everything_is_made_at_its_first_use() -> None:
    fake = FakeBuilder(now=True, ready=False)
    _, one = made_of(fake)
    assert one.code_for(0.0) == "code"
    assert fake.asked == ["now"]


def test_the_model_learns_how_fast_the_machine_is() -> None:
    pace = CompileSpeed()
    ir = SOURCE.ir
    fit = pace.predict(ir) / compile_cost.MARGIN
    for _ in range(20):
        pace.update(ir, 3 * fit)
    assert pace.predict(ir) == pytest.approx(compile_cost.MARGIN * 3 * fit, rel=0.02)
    pace.update(ir, 1e6)  # one that slept for days is believed in part
    assert pace.factor < 5


def test_more_of_everything_costs_more() -> None:
    pace = CompileSpeed()
    plain = pace.predict(SOURCE.ir)
    assert pace.predict(SOURCE.ir + "\n") > plain
    assert pace.predict(SOURCE.ir + "call i16 @bf16(float %x)") > plain
    assert pace.predict(SOURCE.ir + "mul i8 %x, %y") > plain
    assert pace.predict_unwritten(95) > pace.predict_unwritten(2)


# ---- groups -------------------------------------------------------------------------------------

BODY = Body((tf.float32,), (Instruction("Neg", (Value(0),), tf.float32), Instruction("Exp", (Value(1),), tf.float32)),
            (Value(2),))  # fmt: skip


def test_a_first_run_is_trusted_with_a_third_of_its_prediction_and_later_ones_with_what_was_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]

    def run(self: Interpreter, *inputs: Any) -> list[Any]:
        clock[0] += 2.0  # twice as long as predicted
        return list(inputs)

    monkeypatch.setattr("penstock.runtime.compiled.shaped_group.perf_counter", lambda: clock[0])
    monkeypatch.setattr(Interpreter, "__call__", run)
    monkeypatch.setattr(Interpreter, "seconds", lambda self, inputs: 1.0)
    update: list[float] = []
    monkeypatch.setattr(Meter, "is_due", lambda self, patience: update.append(patience))
    monkeypatch.setattr(tier, "on", lambda: True)
    group, x = PromotedGroup(BODY), np.ones(100, np.float32)
    group(x)
    group(x)
    assert update == [pytest.approx(PATIENCE / 3), pytest.approx(PATIENCE * 2)]
    assert group.meter.seconds == 4.0


def apart(work: Callable[[], object]) -> bool:
    """Whether `work` ends in a thread of its own while this thread holds the compiler."""
    thread = threading.Thread(target=work, daemon=True)
    with LOCK:
        thread.start()
        thread.join(60)
        ended = not thread.is_alive()
    thread.join()
    return ended


@needs_the_tier
def test_looking_up_does_not_wait_for_the_compiler() -> None:
    source = ModuleSource("define i64 @k(i64 %x) {\n  ret i64 %x\n}", ("k",))
    tier.build_now(source)
    found: list[Any] = []
    assert apart(lambda: found.append(tier.is_cached(source)))
    assert apart(lambda: found.append(tier.try_build(source)))
    assert found == [True, None]
    assert tier.try_build(source) is tier.build_now(source)


@needs_the_tier
def test_a_run_does_not_wait_for_the_compiler() -> None:
    tier.build_now(ModuleSource("define i64 @k(i64 %x) {\n  ret i64 %x\n}", ("k",)))
    tf.config.jit.mode = "on"
    group, x = PromotedGroup(BODY), np.ones(100, np.float32)
    group.meter.seconds = 1e-2  # worth a look into the cache
    found: list[Any] = []
    try:
        assert apart(lambda: found.append(group(x)[0]))
        assert tier.wait(60)
    finally:
        tf.config.jit.mode = None
    assert found[0] == pytest.approx(np.exp(-x))


def test_the_tier_is_a_builder() -> None:
    assert promotion.Meter(1).builder is tier
