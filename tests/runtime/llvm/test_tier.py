"""The tier reports truly whether it is on, builds each source once, and stays off where it must."""

import ctypes
import os
import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import config
from penstock.runtime.llvm import self_check, tier
from penstock.runtime.llvm.jit_settings import CAP, SETTINGS
from penstock.runtime.llvm.llvmlite_import import is_installed
from penstock.runtime.llvm.tier import ModuleSource
from penstock.runtime.llvm.toolchain import LOCK, Library

from ...helpers import nightly
from ...warm_python import run_warm

needs_llvm = pytest.mark.skipif(not is_installed(), reason="there is nothing to compile with")


@pytest.fixture(autouse=True)
def _as_before(tmp_path: Path) -> Iterator[None]:
    config.jit.mode = "on"
    config.jit.cache_folder = tmp_path
    yield
    config.jit.mode = None
    SETTINGS.folder, SETTINGS.no_folder, SETTINGS.cap = None, False, CAP


def adds(number: int, name: str = "k") -> ModuleSource:
    return ModuleSource(f"define i64 @{name}(i64 %x) {{\n  %y = add i64 %x, {number}\n  ret i64 %y\n}}", (name,))


def called(library: Library, argument: int, name: str = "k") -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library[name])(argument))


@needs_llvm
def test_a_module_calls_functions_of_modules_that_it_needs() -> None:
    text = "declare i64 @shared(i64)\ndefine i64 @k(i64 %x) {\n  %y = call i64 @shared(i64 %x)\n  ret i64 %y\n}"
    first = tier.build_now(ModuleSource(text, ("k",), needs=(adds(4_711, "shared"),)))
    before = tier.stats().compiled
    other = tier.build_now(ModuleSource(f"{text}\n; another", ("k",), needs=(adds(4_711, "shared"),)))
    assert called(first, 2) == called(other, 2) == 4_713
    assert tier.stats().compiled == before + 1


@needs_llvm
def test_what_is_urgent_comes_before_what_waits() -> None:
    heard: list[Any] = []
    with LOCK:  # the first one waits here
        for number in range(3):
            tier.build_later(adds(8_000 + number), partial(lambda number, _: heard.append(number), number))
        tier.build_later(adds(8_003), lambda _: heard.append("urgent"), True)
        assert not tier.is_idle()
    assert tier.wait(60) and tier.is_idle()
    assert heard.index("urgent") <= 1 and [each for each in heard if each != "urgent"] == [0, 1, 2]


@needs_llvm
def test_what_is_urgent_comes_between_a_module_and_those_that_it_needs() -> None:
    heard: list[str] = []
    needs = adds(8_101, "first"), adds(8_102, "second")
    with LOCK:
        tier.build_later(ModuleSource(adds(8_103).ir, ("k",), needs=needs), lambda _: heard.append("module"))
        tier.build_later(adds(8_104), lambda _: heard.append("urgent"), True)
    assert tier.wait(60) and heard == ["urgent", "module"]


# ---- on and off ---------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "false"])
def test_a_word_in_the_environment_switches_it_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_JIT", word)
    config.jit.mode = None
    assert not config.jit.enabled
    assert config.jit.why_off() == f"PENSTOCK_JIT={word}"
    with pytest.raises(RuntimeError, match="PENSTOCK_JIT="):
        tier.build_now(adds(1))
    heard: list[Any] = []
    tier.build_later(adds(1), heard.append)
    assert tier.wait(60)
    assert isinstance(heard[0], RuntimeError)


def test_an_unknown_word_switches_it_off_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_JIT", "perhaps")
    config.jit.mode = None
    assert config.jit.why_off() == "PENSTOCK_JIT=perhaps is not one of off, on, now"


@needs_llvm
def test_the_program_may_choose_otherwise_than_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_JIT", "off")
    config.jit.mode = None
    assert not config.jit.enabled
    config.jit.enabled = True
    assert config.jit.enabled
    assert config.jit.mode == "on"
    config.jit.enabled = False
    assert config.jit.why_off() == "penstock.config.jit.mode is 'off'"


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"config\.jit\.mode is 'fast'; a mode is 'off', 'on' or 'now'"):
        config.jit.mode = "fast"  # type: ignore[assignment]  # the refusal is the test


def explained() -> str:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        y = tf.exp(x) * 2.0
    with tf.Session(graph=graph) as session:
        return str(session.explain(y, {x: np.ones(4)}))


def test_an_explanation_says_why_nothing_is_compiled() -> None:
    assert "nothing is compiled" not in explained() or not is_installed()
    config.jit.mode = "off"
    assert "nothing is compiled: penstock.config.jit.mode is 'off'" in explained()


# ---- building -----------------------------------------------------------------------------------


@needs_llvm
def test_the_same_source_gives_the_same_code_and_other_imports_other_code() -> None:
    one = tier.build_now(adds(41))
    assert called(one, 1) == 42
    assert tier.build_now(adds(41)) is one
    assert tier.build_now(adds(43)) is not one
    ir = "declare i64 @f(i64)\ndefine i64 @g(i64 %x) {\n  %y = call i64 @f(i64 %x)\n  ret i64 %y\n}"
    first = tier.build_now(ModuleSource(ir, ("g",), {"f": one["k"]}))
    second = tier.build_now(ModuleSource(ir, ("g",), {"f": tier.build_now(adds(100))["k"]}))
    assert (called(first, 1, "g"), called(second, 1, "g")) == (42, 101)


@needs_llvm
def test_code_that_is_wrong_is_an_error_and_the_next_is_built() -> None:
    for wrong in (
        ModuleSource("define i64 @k(", ("k",)),
        ModuleSource("define i64 @other(i64 %x) {\n ret i64 %x\n}", ("k",)),
        ModuleSource("declare i64 @nowhere_at_all(i64)\ndefine i64 @k(i64 %x) {\n"
                     " %y = call i64 @nowhere_at_all(i64 %x)\n ret i64 %y\n}", ("k",)),
    ):  # fmt: skip
        with pytest.raises(RuntimeError):
            tier.build_now(wrong)
    assert called(tier.build_now(adds(5)), 5) == 10
    assert tier.on()


@needs_llvm
def test_counts_tell_what_was_compiled_and_what_came_from_the_cache() -> None:
    before = config.jit.stats()
    tier.build_now(adds(1001))
    between = config.jit.stats()
    assert (between.misses - before.misses, between.compiled - before.compiled) == (1, 1)
    assert between.seconds > before.seconds
    tier.STATE.libraries.clear()  # as in a new process
    assert tier.is_cached(adds(1001))
    assert not tier.is_cached(adds(1002))
    assert called(tier.build_now(adds(1001)), 1) == 1002
    assert config.jit.stats().hits == between.hits + 1
    assert config.jit.clear() == 1
    assert not list(config.jit.cache_folder.rglob("*-*"))  # type: ignore[union-attr]  # it is set


@needs_llvm
def test_without_a_folder_code_is_built_all_the_same() -> None:
    config.jit.cache_folder = None
    assert called(tier.build_now(adds(2001)), 1) == 2002
    assert config.jit.stats().no_cache == "the object cache is switched off"


@needs_llvm
def test_now_means_before_asking_returns() -> None:
    config.jit.mode = "now"
    heard: list[Any] = []
    tier.build_later(adds(3001), heard.append)
    assert called(heard[0], 1) == 3002


@needs_llvm
def test_a_failed_self_check_switches_it_off_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    state = tier.TierState()
    monkeypatch.setattr(tier, "STATE", state)
    wrong = self_check.IR.replace("%z = fadd float %x, %y", "%z = fsub float %x, %y")
    monkeypatch.setattr(self_check, "IR", wrong)
    with pytest.raises(RuntimeError, match="the self-check failed: a ufunc of compiled code gave"):
        tier.build_now(adds(1))
    assert not tier.on()
    assert "the self-check failed" in config.jit.stats().why_off


@needs_llvm
def test_ufuncs_of_another_layout_switch_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier, "STATE", tier.TierState())
    monkeypatch.setattr(self_check, "numpy_loop", lambda *_: None)
    with pytest.raises(RuntimeError, match="layout that is not known"):
        tier.build_now(adds(1))
    assert not tier.on()


@needs_llvm
def test_there_is_an_end_to_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    tier.build_now(adds(1))
    monkeypatch.setattr(tier, "MOST_LIBRARIES", len(tier.STATE.libraries))
    with pytest.raises(RuntimeError, match="libraries are loaded, the most in one process"):
        tier.build_now(adds(987_654))
    assert called(tier.build_now(adds(1)), 1) == 2


# ---- memory -------------------------------------------------------------------------------------


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def grown_by(rounds: int, kernels: int) -> int:
    """Bytes by which the process grows in `rounds` requests of a bounded set of kernels, half of them while the table
    of what is loaded is in use, half through a compilation whose code is dropped."""
    from penstock.runtime.llvm.toolchain import compile_ir

    sources = [adds(i, "leak") for i in range(kernels)]
    for source in sources:
        tier.build_now(source)
        compile_ir(source.ir)
    before = resident()
    for i in range(rounds):
        tier.build_now(sources[i % kernels])
        if i % 50 == 0:
            compile_ir(sources[i % kernels].ir)
    return resident() - before


@needs_llvm
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system tells its memory otherwise")
def test_asking_again_and_again_for_the_same_kernels_needs_no_more_memory() -> None:
    grown_by(250, 10)
    assert grown_by(3_000, 10) < 2 << 20  # 60 of them compile; a pass manager that is not freed is 60 KiB


@needs_llvm
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system tells its memory otherwise")
def test_a_hundred_thousand_requests_need_no_more_memory() -> None:
    grown_by(500, 50)
    assert grown_by(100_000, 50) < 8 << 20


# ---- without llvmlite ---------------------------------------------------------------------------

BLOCKED = """
import sys, warnings
from penstock.config import jit
warnings.simplefilter("error")

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ImportError("llvmlite is not there")

assert not any(name.partition(".")[0] == "llvmlite" for name in sys.modules)
sys.meta_path.insert(0, Forbidden())
jit.mode = None  # as the environment says
"""


def without_llvmlite(program: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A process that has the package, which has not looked for llvmlite yet, and finds none."""
    return run_warm(["-c", BLOCKED + program], env=os.environ | {"PENSTOCK_JIT": "now"} | more, timeout=600)


def test_without_llvmlite_nothing_is_said_and_the_reason_can_be_asked() -> None:
    program = """
import numpy as np
import penstock as tf
x = tf.placeholder(tf.float32, [None, 8])
y = tf.reduce_sum(tf.exp(x) * 0.5, 1)
with tf.Session() as session:
    for n in (1, 10, 100_000):
        session.run(y, {x: np.ones((n, 8), np.float32)})
    text = str(session.explain(y, {x: np.ones((1, 8), np.float32)}))
assert "nothing is compiled: llvmlite is not installed" in text, text
stats = tf.config.jit.stats()
assert not tf.config.jit.enabled and stats.compiled == 0, stats
print(stats.why_off)
"""
    done = without_llvmlite(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().endswith("to compile them: pip install llvmlite")


REPRESENTATIVE = [
    "tests/runtime/observe/test_explain.py", "tests/runtime/execution/test_inter_op.py",
    "tests/runtime/llvm/test_tier.py", "tests/runtime/llvm/test_native_driver.py",
]  # fmt: skip
MORE = ["tests/runtime/session/test_session.py", "tests/test_every_op.py"]  # which .ci/run runs that way too


@pytest.mark.parametrize(
    "files", [REPRESENTATIVE[:1], *nightly([REPRESENTATIVE]), pytest.param(MORE, marks=pytest.mark.slow)],
    ids=["one", "some", "more"],
)  # fmt: skip
def test_a_representative_part_of_the_tests_passes_without_llvmlite(files: list[str]) -> None:
    program = f"""
import pytest
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-k", "not without_llvmlite",
                      *{files!r}]))
"""
    done = without_llvmlite(program, PENSTOCK_JIT="on")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout


def test_results_are_the_same_with_and_without(tmp_path: Path) -> None:
    program = """
import sys, warnings
import zlib
import numpy as np
import penstock as tf
modes = sys.argv[1:] or [None]
warnings.simplefilter("error")
x = tf.placeholder(tf.float32, [None, 8])
t = x
for i in range(60):
    t = tf.tanh(t * 0.9) + x if i % 7 == 0 else t * x - 0.25
h = tf.cast(tf.cast(x, tf.float16) * tf.cast(x, tf.float16), tf.float32)
fetches = [t, h, tf.reduce_sum(t, 1), tf.cast(x, tf.int32) + 3]
for mode in modes:
    tf.config.jit.mode = mode
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"), tf.Session() as session:
        for n in (0, 1, 5, 20_000):
            for r in session.run(fetches, {x: rng.normal(size=(n, 8)).astype("f4")}):
                print(r.dtype, r.shape, zlib.crc32(r.tobytes()))
"""
    without = without_llvmlite(program)
    assert without.returncode == 0, without.stderr
    environment = os.environ | {"PENSTOCK_CACHE_DIR": str(tmp_path)}
    done = run_warm(["-c", program, "on", "now"], env=environment, timeout=300)  # "off" is the other process
    assert (done.stdout, done.stderr) == (2 * without.stdout, "")
    assert len(without.stdout.splitlines()) == 16
