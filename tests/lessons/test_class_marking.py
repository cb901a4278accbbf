"""A folder of programs is marked into a table, each program confined as far as the machine can."""

from __future__ import annotations

import ast
import csv
import socket
from pathlib import Path

import pytest

from penstock.lessons.checked_process import Confinement, check_file, confinement_here
from penstock.lessons.checking import Verdict
from penstock.lessons.class_marking import COLUMNS, Mark, programs_in
from penstock.lessons.lesson_folders import find_lesson

from ..helpers import nightly
from ..warm_python import run_warm

LESSON = find_lesson(1)
CONFINEMENT = Confinement(2048)
PROBE = """import sys
fahrenheit = 1
told = {{}}
{attempts}
sys.exit(repr(told))
"""
ATTEMPT = """try:
    {code}
    told[{name!r}] = "allowed"
except BaseException as error:
    told[{name!r}] = "refused: " + type(error).__name__
"""


@pytest.fixture(scope="module")
def holds() -> list[str]:
    return confinement_here(CONFINEMENT)


def attempted(codes: dict[str, str], folder: Path) -> dict[str, str]:
    """What became of each attempt of one confined program."""
    attempts = "".join(ATTEMPT.format(name=name, code=code) for name, code in codes.items())
    (folder / "mine.py").write_text(PROBE.format(attempts=attempts))
    said = check_file(LESSON, folder / "mine.py", 30.0, CONFINEMENT).message.rpartition("It said: ")[2]
    outcomes: dict[str, str] = ast.literal_eval(said)
    return outcomes


def test_what_a_limit_refuses_is_refused_and_a_program_may_write_beside_itself(
    tmp_path: Path, holds: list[str]
) -> None:
    (tmp_path / "other.py").write_text("the work of another student")
    with socket.create_server(("127.0.0.1", 0)) as server:
        refused = {
            "reading elsewhere": ("files", f"open({str(tmp_path / 'other.py')!r}).read()"),
            "writing elsewhere": ("files", f"open({str(tmp_path / 'new')!r}, 'w')"),
            "memory": ("memory", "bytearray(3 << 30)"),
            "network": (
                "network",
                f"__import__('socket').create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)",
            ),
            "processes": ("processes", "assert __import__('os').getpid() != 1"),
        }
        limited = {name: code for name, (limit, code) in refused.items() if limit in holds}
        outcomes = attempted({"beside": "open('notes.txt', 'w').write('x')", **limited}, tmp_path)
    assert outcomes.pop("beside") == "allowed"
    assert outcomes.keys() == limited.keys()
    assert all(outcome.startswith("refused") for outcome in outcomes.values()), outcomes
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "notes.txt").exists()  # it ran as a copy elsewhere


@pytest.mark.parametrize(
    ("limit", "line", "words"),
    [("memory", "big = bytearray(3 << 30)", "--memory gives more"),
     ("files", "open('{}/new', 'w')", "write into its own folder, and no more")],
)  # fmt: skip
def test_what_the_sandbox_stopped_says_so(
    limit: str, line: str, words: str, tmp_path: Path, holds: list[str]
) -> None:
    if limit not in holds:
        pytest.skip(f"this machine does not limit {limit}")
    text = LESSON.solutions[0].read_text("utf-8")
    imported = "import penstock as tf"
    (tmp_path / "mine.py").write_text(text.replace(imported, f"{imported}; {line.format(tmp_path)}"))
    message = check_file(LESSON, tmp_path / "mine.py", 60.0, CONFINEMENT).message
    assert "sandbox (--isolated)" in message and words in message, message


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
    (folder / "dan\nd.py").write_text("")
    (folder / "cem.py").write_text("import time; fahrenheit = 1\nwhile True: time.sleep(1)\n")
    (folder / ".hidden" / "no.py").write_text("")
    command = ["-m", "penstock", "learn", "1", "--check", str(folder), "--isolated", "--limit", "1",
               "--table", str(tmp_path / "marks.csv")]  # fmt: skip
    done = run_warm(command)
    assert done.returncode == 0, done.stderr
    assert "1 of 4 passed" in done.stdout and "bob.py: not yet (a-run-gives-one-value)" in done.stdout
    with open(tmp_path / "marks.csv", newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    assert tuple(head) == COLUMNS
    assert [row[:4] for row in rows] == [
        ["ann/mine.py", "1", "passed", ""],
        ["bob.py", "1", "not yet", "a-run-gives-one-value"],
        ["cem.py", "1", "not yet", ""],
        ["dan\nd.py", "1", "not yet", ""],
    ]
    assert r"  dan\nd.py: not yet" in done.stdout.split("\n")
    assert "still running after 1 seconds, at line 2" in rows[2][4]
    again = run_warm(command)
    assert again.returncode != 0 and "add --force" in again.stderr


def test_a_text_that_a_spreadsheet_would_compute_is_quoted() -> None:
    row = Mark("=cmd.py", "1", Verdict(False, "+1 is wrong"), 1.0).row()
    assert row[0] == "'=cmd.py" and row[4] == "'+1 is wrong"


def test_a_folder_without_programs_and_a_table_without_isolation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no program"):
        programs_in(tmp_path)
    for more, told in ((["--table", "m.csv"], "--isolated --table FILE"), ([], "add --isolated --table marks.csv")):
        done = run_warm(["-m", "penstock", "learn", "1", "--check", str(tmp_path), *more])
        assert done.returncode != 0 and told in done.stderr
