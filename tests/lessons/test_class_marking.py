"""A folder of programs is marked into a table, each program confined as far as the machine can."""

from __future__ import annotations

import csv
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.lessons.checked_process import Confinement, check_file, confinement_here
from penstock.lessons.checking import Verdict
from penstock.lessons.class_marking import COLUMNS, Mark, programs_in
from penstock.lessons.lesson_folders import find_lesson

from ..helpers import nightly

LESSON = find_lesson(1)
CONFINEMENT = Confinement(2048)
PROBE = """import sys
fahrenheit = 1
try:
    {attempt}
except BaseException as error:
    sys.exit("refused: " + type(error).__name__)
sys.exit("allowed")
"""


@pytest.fixture(scope="module")
def holds() -> list[str]:
    return confinement_here(CONFINEMENT)


def attempt(code: str, folder: Path) -> str:
    (folder / "mine.py").write_text(PROBE.format(attempt=code))
    return check_file(LESSON, folder / "mine.py", 30.0, CONFINEMENT).message.rpartition("It said: ")[2]


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("files", "open({other!r}).read()"),
        ("files", "open({new!r}, 'w')"),
        ("memory", "bytearray(3 << 30)"),
        ("network", "__import__('socket').create_connection(('127.0.0.1', {port}), 5)"),
        ("processes", "assert __import__('os').getpid() != 1"),
    ],
)
def test_what_a_limit_refuses_is_refused(limit: str, code: str, tmp_path: Path, holds: list[str]) -> None:
    if limit not in holds:
        pytest.skip(f"this machine does not limit {limit}")
    other = tmp_path / "other.py"
    other.write_text("the work of another student")
    with socket.create_server(("127.0.0.1", 0)) as server:
        written = code.format(other=str(other), new=str(tmp_path / "new"), port=server.getsockname()[1])
        assert attempt(written, tmp_path).startswith("refused"), written
    assert not (tmp_path / "new").exists()


def test_a_confined_program_may_write_beside_itself(tmp_path: Path) -> None:
    assert attempt("open('notes.txt', 'w').write('x')", tmp_path) == "allowed"
    assert not (tmp_path / "notes.txt").exists()  # it ran as a copy elsewhere


@pytest.mark.parametrize("number", [7, *nightly([1, 10])])
def test_a_solution_passes_in_the_sandbox(number: int) -> None:
    lesson = find_lesson(number)
    verdict = check_file(lesson, lesson.solutions[0], 60.0, CONFINEMENT)
    assert verdict.passed, verdict.message


def test_a_class_is_marked_into_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    (folder / "ann").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "ann" / "mine.py").write_text(LESSON.solutions[0].read_text())
    (folder / "bob.py").write_text((LESSON.folder / "mistakes" / "two_runs.py").read_text())
    (folder / "cem.py").write_text("fahrenheit = 1\nwhile True: pass\n")
    (folder / ".hidden" / "no.py").write_text("")
    command = [sys.executable, "-m", "penstock", "learn", "1", "--check", str(folder), "--isolated", "--limit", "4",
               "--table", str(tmp_path / "marks.csv")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 of 3 passed" in done.stdout and "bob.py: not yet (a-run-gives-one-value)" in done.stdout
    with open(tmp_path / "marks.csv", newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    assert tuple(head) == COLUMNS
    assert [row[:4] for row in rows] == [
        ["ann/mine.py", "1", "passed", ""],
        ["bob.py", "1", "not yet", "a-run-gives-one-value"],
        ["cem.py", "1", "not yet", ""],
    ]
    assert "still running after 4 seconds, at line 2" in rows[2][4]
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode != 0 and "add --force" in again.stderr


def test_a_text_that_a_spreadsheet_would_compute_is_quoted() -> None:
    row = Mark("=cmd.py", "1", Verdict(False, "+1 is wrong"), 1.0).row()
    assert row[0] == "'=cmd.py" and row[4] == "'+1 is wrong"


def test_a_folder_without_programs_and_a_table_without_isolation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no program"):
        programs_in(tmp_path)
    for more, told in ((["--table", "m.csv"], "--isolated --table FILE"), ([], "add --isolated --table marks.csv")):
        command = [sys.executable, "-m", "penstock", "learn", "1", "--check", str(tmp_path), *more]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode != 0 and told in done.stderr
