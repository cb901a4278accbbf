"""The processes of `dask://local`: they end with the program however it ends, and a script is not run twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = """
import os, signal, sys, time
import penstock as tf
from penstock.cluster.access.connection import Connection
from penstock.cluster.access.local_cluster import process_ids
from tests.cluster.echo_actor import EchoActor
print("run")
connection = Connection("dask://local?workers=2&threads=1", tf.SessionConfig())
connection.start_actors(EchoActor)
cluster = connection.local_cluster
print(*process_ids(cluster).values(), cluster.scheduler.process.pid, flush=True)
"""

pytestmark = pytest.mark.slow


def run(tmp_path: Path, rest: str, group: bool = False) -> tuple[subprocess.CompletedProcess[str], list[int]]:
    """Run a script without a main guard that starts a cluster; its output, and the ids of the cluster's processes."""
    script = tmp_path / "script.py"
    script.write_text(START + rest)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        start_new_session=group,
    )
    lines = done.stdout.splitlines()
    assert lines and lines[0] == "run", done.stderr
    return done, [int(word) for word in lines[1].split()]


def assert_gone(processes: list[int]) -> None:
    until = time.monotonic() + 60.0
    while time.monotonic() < until and any(map(_lives, processes)):
        time.sleep(0.05)
    assert not any(map(_lives, processes))


def _lives(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def test_a_script_that_ends_without_a_close_ends_its_workers_and_says_nothing(tmp_path: Path) -> None:
    done, processes = run(tmp_path, 'print(connection.call(0, "echo", b"hello"))\n')
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[2:] == ["(b'hello', ())"] and len(processes) == 3
    assert_gone(processes)


def test_workers_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    done, processes = run(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)\n")
    assert done.returncode == -signal.SIGKILL and len(processes) == 3
    assert_gone(processes)


def test_an_error_of_the_program_is_all_that_is_printed(tmp_path: Path) -> None:
    done, processes = run(tmp_path, 'raise SystemExit("my words")\n')
    assert (done.returncode, done.stderr) == (1, "my words\n")
    assert_gone(processes)


def test_a_forked_child_neither_uses_nor_closes_the_cluster(tmp_path: Path) -> None:
    rest = """
child = os.fork()
if not child:
    try:
        connection.call(0, "ping")
    except tf.errors.SessionClosedError as error:
        print("child:", error, flush=True)
    connection.close()
    sys.exit(0)
print(os.waitpid(child, 0)[1], connection.call(0, "ping"), connection.call(1, "ping"))
"""
    done, processes = run(tmp_path, rest)
    child, parent = done.stdout.splitlines()[2:]
    assert child.startswith("child: this process is a fork") and parent == "0 (b'', ()) (b'', ())"
    assert done.stderr == "" and done.returncode == 0
    assert_gone(processes)


def test_ctrl_c_in_a_terminal_ends_the_call_and_leaves_the_workers(tmp_path: Path) -> None:
    rest = """
import threading
threading.Timer(0.5, lambda: os.killpg(0, signal.SIGINT)).start()  # as a terminal does: to the group of processes
try:
    connection.call(0, "sleep", b"60")
except KeyboardInterrupt:
    print("interrupted")
print(connection.call(0, "ping"), connection.call(1, "ping"))
"""
    done, processes = run(tmp_path, rest, group=True)
    assert done.stdout.splitlines()[2:] == ["interrupted", "(b'', ()) (b'', ())"]
    assert done.stderr == "" and done.returncode == 0
    assert_gone(processes)


@pytest.mark.parametrize("rest", ["", "connection.close()\n", "os.kill(os.getpid(), signal.SIGKILL)\n"])
def test_a_cluster_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    _, processes = run(tmp_path, rest)
    assert_gone(processes)
    assert list(folder.iterdir()) == []
