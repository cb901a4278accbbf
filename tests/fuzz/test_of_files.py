"""Changed files of every kind are read or refused, in little time and memory: see `of_files`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import of_files
from .file_kinds import KINDS, FileKind

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> None:
    """In a process of its own, because its memory is bounded and measured; LLVM, which may load at any time, is not."""
    command = [sys.executable, "-m", "tests.fuzz.of_files", *arguments]
    environment = os.environ | {"PENSTOCK_JIT": "off"}
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1500)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("count", [1, pytest.param(8, marks=pytest.mark.nightly)])
def test_changed_files_of_every_kind_are_read_or_refused(count: int) -> None:
    run("--count", str(count))


FOUND = [("a checkpoint", 816976), ("a meta graph", 819549), ("progress of lessons", 813883), ("a table", 809718)]
"""Files of a long run that were not refused well: a name of 6,000 characters in a message, two variables of one name,
a number that is infinite, a control character that went to the terminal."""


@pytest.mark.share(2)
@pytest.mark.parametrize(("kind", "seed"), FOUND, ids=[kind for kind, _ in FOUND])
def test_files_that_were_not_refused_well_are(kind: str, seed: int) -> None:
    run("--kind", kind, "--count", "1", "--seed-start", str(seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_more_changed_files_are_read_or_refused(kind: str) -> None:
    run("--kind", kind, "--count", "300", "--seed-start", "5000")


@pytest.mark.parametrize(
    ("fault", "seconds", "says"),
    [
        ("while True: pass", 0.2, "more than"),
        ("bytearray(200 << 20)", 30.0, "MiB for a file of"),
        ("raise KeyError(1)", 30.0, "an error that is not documented"),
        ("bytearray(1 << 60)", 30.0, "MemoryError"),
    ],
)
def test_the_fuzz_sees_a_reader_that_is_slow_large_or_careless(
    fault: str, seconds: float, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kind = FileKind(lambda folder: None, {}, lambda folder: exec(fault), (ValueError,))
    monkeypatch.setattr(of_files, "SECONDS", seconds)
    assert says in of_files._read("a kind", kind, tmp_path, 100).complaint
