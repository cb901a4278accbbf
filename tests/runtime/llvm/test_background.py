"""Background compilation is harmless at exit, at a fork, at Ctrl-C, and when the work fails."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from penstock.runtime.llvm import tier
from penstock.runtime.llvm.background import Background
from penstock.runtime.llvm.llvmlite_import import is_installed

from ...helpers import exit_code_of_child, needs_fork, nightly
from ...warm_python import run_warm

ROOT = Path(__file__).resolve().parents[3]
needs_llvm = pytest.mark.skipif(not is_installed(), reason="there is nothing to compile with")


@pytest.fixture(autouse=True)
def _nothing_else_is_compiled() -> None:
    """What tests of before have left to the thread changes how long threads keep the interpreter's lock."""
    assert tier.wait(60)


def test_work_is_done_in_order_on_one_thread_and_its_result_delivered_there() -> None:
    background, heard = Background(), list[Any]()
    for i in range(20):
        background.submit(partial(pow, i, 2), lambda r: heard.append((r, threading.current_thread().name)))
    assert background.wait(60)
    assert [r for r, _ in heard] == [i * i for i in range(20)]
    assert {name for _, name in heard} == {"penstock-compile"}


def test_the_thread_ends_with_its_work_and_starts_again() -> None:
    background, heard = Background(), list[Any]()
    for _ in range(3):
        background.submit(lambda: 1, heard.append)
        assert background.wait(60)
        assert background.wait(60)
    assert heard == [1, 1, 1]
    assert all(t.name != "penstock-compile" or not t.is_alive() for t in threading.enumerate())


def test_threads_keep_the_lock_of_the_interpreter_for_less_time_while_work_is_done() -> None:
    before, background = sys.getswitchinterval(), Background()
    seen: list[float] = []
    for _ in range(20):  # the end of one thread beside the beginning of the next
        background.submit(sys.getswitchinterval, seen.append)
        background.wait(0.001)
    assert background.wait(60)
    assert len(seen) == 20 and max(seen) < before == sys.getswitchinterval()
    try:
        background.submit(partial(sys.setswitchinterval, 0.007), seen.append)  # the program says another time meanwhile
        assert background.wait(60)
        assert sys.getswitchinterval() == pytest.approx(0.007)
    finally:
        sys.setswitchinterval(before)


@needs_fork
def test_a_child_forked_meanwhile_keeps_the_lock_for_as_long_as_before() -> None:
    before, background, told = sys.getswitchinterval(), Background(), threading.Event()
    background.submit(told.wait, lambda _: None)
    while sys.getswitchinterval() == before:
        pass
    code = exit_code_of_child(lambda: int(sys.getswitchinterval() != before))
    told.set()
    assert code == 0
    assert background.wait(60)


def test_waiting_takes_no_longer_than_allowed() -> None:
    background, gate = Background(), threading.Event()
    background.submit(lambda: gate.wait(60), lambda _: None)
    assert not background.wait(0.01)
    gate.set()
    assert background.wait(60)


def test_an_error_is_delivered_and_the_queue_goes_on() -> None:
    background, heard = Background(), list[Any]()
    error = ValueError("no such kernel")

    def fails() -> None:
        raise error

    background.submit(fails, heard.append)
    background.submit(lambda: 2, heard.append)
    assert background.wait(60)
    assert heard == [error, 2]


def test_a_mistake_in_delivering_is_told_and_the_queue_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[Any]()
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_value))
    background, heard = Background(), list[Any]()

    def fails(_: object) -> None:
        raise KeyError("a mistake")

    background.submit(lambda: 1, fails)
    background.submit(lambda: 2, heard.append)
    assert background.wait(60)
    assert heard == [2]
    assert [str(error) for error in told] == ["'a mistake'"]


def test_where_no_thread_is_to_be_had_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    background, heard = Background(), list[Any]()
    with monkeypatch.context() as changed:
        changed.setattr(threading.Thread, "start", refuses)
        background.submit(lambda: 1, heard.append)
        assert heard == []
    background.submit(lambda: 2, heard.append)
    assert background.wait(60)
    assert heard == [1, 2]


# ---- in processes of their own, while LLVM is at work -------------------------------------------

COMMON = """
import os, signal, sys, threading, time, warnings
from penstock import config
from penstock.runtime.llvm import tier
config.jit.cache_folder = None
config.jit.mode = "on"
warnings.simplefilter("error")

def source(n, size=1500):
    lines, v = [], "%x"
    for i in range(size):
        lines.append(f" %v{i} = {('fmul', 'fadd', 'fsub')[i % 3]} float {v}, %y")
        v = f"%v{i}"
    body = "\\n".join(lines)
    return tier.ModuleSource(f"define float @k{n}(float %x, float %y) {{\\n{body}\\n ret float {v}\\n}}", (f"k{n}",))

heard = []
def many(count=200):
    for i in range(count):
        tier.build_later(source(i), heard.append)
"""


def moments(quick: tuple[float, ...], *more: float) -> list[Any]:
    """Moments of which those of `more` are tried with `-m slow`."""
    return [*quick, *[pytest.param(seconds, marks=pytest.mark.slow) for seconds in more]]


Told = tuple[int, str, str]
InAProcess = Callable[[str], Told]


def in_a_new_python(program: str) -> Told:
    command = [sys.executable, "-X", "faulthandler", "-W", "error", "-c", COMMON + program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def in_a_fork(program: str) -> Told:
    done = run_warm(["-c", COMMON + program], timeout=120)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.fixture(params=[in_a_fork, *nightly([in_a_new_python])])
def in_a_process(request: pytest.FixtureRequest) -> InAProcess:
    """What runs a program and says how it ended, and what it said and told of errors.

    A process that has imported the package is there at once, and ends as any Python does; by night each has a new one.
    """
    way: InAProcess = request.param
    return way


@needs_llvm
@pytest.mark.parametrize("seconds", moments((0.1,), 0.0, 0.03, 0.06, 0.15, 0.2))
def test_exit_of_a_new_python_in_mid_compile_is_clean_and_does_not_wait_for_the_queue(seconds: float) -> None:
    program = f"many()\ntime.sleep({seconds})\nprint('done', flush=True)"
    assert in_a_new_python(program) == (0, "done", "")


@needs_llvm
@needs_fork
@pytest.mark.parametrize("seconds", moments((0.1,), 0.0, 0.03, 0.06, 0.15, 0.2))
def test_exit_in_mid_compile_is_clean_and_does_not_wait_for_the_queue(seconds: float) -> None:
    program = f"many()\ntime.sleep({seconds})\nprint('done', flush=True)"
    assert in_a_fork(program) == (0, "done", "")


@needs_llvm
@needs_fork
def test_exit_by_an_exception_in_mid_compile_tells_of_that_alone(in_a_process: InAProcess) -> None:
    code, _, told = in_a_process("many()\ntime.sleep(0.1)\nraise SystemExit(3)")
    assert (code, told) == (3, "")


@needs_llvm
@needs_fork
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seconds", moments((0.09,), 0.0, 0.05, 0.13))
def test_a_child_forked_in_mid_compile_compiles_on(seconds: float, in_a_process: InAProcess) -> None:
    program = f"""
warnings.simplefilter("ignore")  # newer Pythons warn of forking with threads: that is the test
many(16)
time.sleep({seconds})
child = os.fork()
if child == 0:
    signal.alarm(60)
    last = []
    assert tier.build_now(source("child", 5))["kchild"]
    tier.build_later(source("later", 5), last.append)
    assert tier.wait(60)
    assert len(heard) == 16 and len(last) == 1, (len(heard), len(last))
    assert all(x.addresses for x in [*heard, *last])
    os._exit(0)
status = os.waitpid(child, 0)[1]
print(status, flush=True)
os._exit(0)
"""
    assert in_a_process(program) == (0, "0", "")


@needs_llvm
@pytest.mark.skipif(os.name != "posix", reason="signals of this kind are POSIX's")
@pytest.mark.parametrize("seconds", moments((0.11,), 0.02, 0.07, 0.17))
def test_an_interrupt_in_mid_compile_arrives_and_compiling_goes_on(seconds: float, in_a_process: InAProcess) -> None:
    program = f"""
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, {seconds}, 0.5)  # again, for Python drops one that falls into a finalizer
interrupted = 0
try:
    for i in range(400):
        tier.build_now(source(i, 300))
except KeyboardInterrupt:
    interrupted = 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert interrupted
assert tier.build_now(source("after", 7))["kafter"]
assert tier.on() and not tier.why_off()
many()
signal.setitimer(signal.ITIMER_REAL, {seconds})
try:
    tier.wait()
    interrupted = 0
except KeyboardInterrupt:
    pass
assert interrupted
print("done", flush=True)
"""
    code, said, told = in_a_process(program)
    assert (code, said) == (0, "done"), told
