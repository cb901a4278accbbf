"""The settings of the tests: a test that hangs fails, and interrupts work also in a job in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLANTED = """
import ctypes, os, signal, subprocess, sys, threading, time
import pytest

def test_a_lock_taken_twice():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

def test_a_thread_that_never_ends():
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    thread.join()

@pytest.mark.timeout(60)
def test_an_interrupt_arrives():
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

@pytest.mark.timeout(60)
def test_an_interrupt_arrives_in_a_process_that_a_test_starts():
    asks = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert subprocess.check_output([sys.executable, "-c", asks], text=True) == "True\\n"
"""
IN_NATIVE_CODE = """
import ctypes

def test_a_mutex_locked_twice():
    mutex = ctypes.create_string_buffer(256)
    ctypes.PyDLL(None).pthread_mutex_lock(mutex)
    ctypes.PyDLL(None).pthread_mutex_lock(mutex)
"""


def planted(tests: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of these tests with the settings of the project, in a process that ignores SIGINT at its start."""
    (folder / "test_planted.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"),
               "-p", "no:cacheprovider", *options, str(folder / "test_planted.py")]  # fmt: skip
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    finally:
        signal.signal(signal.SIGINT, former)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGALRM")
def test_deadlocks_fail_and_interrupts_arrive_with_sigint_ignored(tmp_path: Path) -> None:
    run = planted(PLANTED, tmp_path, "-o", "timeout=0.15")
    assert "2 failed, 2 passed" in run.stdout, run.stdout + run.stderr
    assert run.stdout.count("Timeout (>0.15s) from pytest-timeout") >= 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it locks a mutex of glibc")
def test_a_deadlock_in_native_code_ends_the_process_and_names_the_test(tmp_path: Path) -> None:
    run = planted(IN_NATIVE_CODE, tmp_path, "-o", "timeout=1", "-o", "hang_seconds=3")
    assert run.returncode == 1
    assert "in test_a_mutex_locked_twice" in run.stderr
