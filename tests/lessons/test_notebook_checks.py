"""In a notebook, `begin` gives a fresh graph and `check` looks at the notebook's variables and its runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock import lessons
from penstock.graph.declare.op_declaration import OPS
from penstock.lessons.kept_progress import VARIABLE, load_progress
from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.lesson_notebook import notebook_text
from penstock.lessons.notebook_checks import _EXERCISE

LESSON = find_lesson(1)

pytestmark = pytest.mark.usefixtures("forked_children")


@pytest.fixture(autouse=True)
def cleaned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield
    _EXERCISE.end()
    _EXERCISE.lesson = _EXERCISE.ops = None
    tf.reset_default_graph()


def cells() -> list[str]:
    made = json.loads(notebook_text(LESSON))["cells"]
    return ["".join(cell["source"]) for cell in made if cell["cell_type"] == "code"]


def test_the_cells_of_a_notebook_lead_from_the_gap_to_a_pass() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    *text, exercise, check, _ = cells()
    for cell in text:
        exec(cell, namespace)
    before = exercise.replace("print(result)", "")
    exec(before, namespace)
    assert "`fahrenheit`, `warmest`, `result` are still `...`" in str(eval(check, namespace))
    for _ in range(2):  # a cell is run as often as one likes
        begin = exercise[: exercise.index("import penstock")]
        exec(f"{begin}\n{LESSON.solutions[0].read_text()}", namespace)
    verdict = eval(check, namespace)
    assert verdict.passed and repr(verdict).startswith("Passed. The first half built")
    assert load_progress().of(LESSON.key).passed
    namespace["result"] = namespace["session"].run(namespace["warmest"], {namespace["celsius"]: [1.0]})
    assert "2 runs" in str(eval(check, namespace))


def test_a_check_without_a_beginning_says_what_to_write() -> None:
    assert "lessons.begin(1)" in str(lessons.check(1))


def test_hints_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    lessons.hint(1)
    lessons.hint(1)
    assert "Hint 2 of 3" in capsys.readouterr().out


def test_a_cell_that_declares_an_op_can_be_run_again() -> None:
    cell = (find_lesson(10).folder / "solutions" / "a_concatenate.py").read_text("utf-8")
    for _ in range(2):
        variables: dict[str, Any] = {"__name__": "__main__"}
        lessons.begin(10)
        exec(cell, variables)
        assert lessons.check(10, variables).passed
    lessons.begin(1)
    assert "Mirror" not in OPS
