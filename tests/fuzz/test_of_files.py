"""Changed files of every kind are read or refused, in little time and memory: see `of_files`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ..warm_python import run_warm
from . import of_files
from .file_kinds import KINDS, FileKind


def run(*commands: Sequence[str]) -> None:
    """In a process of their own, because its memory is bounded and measured."""
    program = f"from tests.fuzz.of_files import main\nassert not any([main(each) for each in {commands}])"
    done = run_warm(["-c", program], timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr


FOUND = [("a checkpoint", 816976), ("a meta graph", 819549), ("progress of lessons", 813883), ("a table", 809718)]
"""Files of a long run that were not refused well: a name of 6,000 characters in a message, two variables of one name,
a number that is infinite, a control character that went to the terminal."""


def test_changed_files_of_every_kind_and_those_that_were_not_refused_well_are_read_or_refused() -> None:
    found = [("--kind", kind, "--count", "1", "--seed-start", str(seed)) for kind, seed in FOUND]
    one_of_a_kind = {kind.partition(" of TensorFlow:")[0]: kind for kind in KINDS}.values()
    kinds = [word for kind in one_of_a_kind for word in ("--kind", kind)]
    run((*kinds, "--count", "1"), *found)


@pytest.mark.nightly
def test_eight_changed_files_of_every_kind_are_read_or_refused() -> None:
    run(("--count", "8"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_more_changed_files_are_read_or_refused(kind: str) -> None:
    run(("--kind", kind, "--count", "300", "--seed-start", "5000"))


@pytest.mark.nightly
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
