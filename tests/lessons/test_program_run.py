"""A program that cannot be checked is told why: a slip, an error with its line, an exit, a loop without an end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.lessons.checked_process import check_file
from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.lesson_proof import verdict_here
from penstock.lessons.student_work import Work
from penstock.runtime.session.run_hooks import RUN_HOOKS

LESSON = find_lesson(1)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("fahrenheit = (1 +\n", "Python cannot read line 1 of mine.py: '(' was never closed"),
        ("if True:\nfahrenheit = 1\n", "line 2 of mine.py: expected an indented block"),
        ("fahrenheit = 1\x00\n", "Python cannot read mine.py"),
        ("x = 1\n", "none of this lesson's variables: fahrenheit, warmest, result"),
        ("fahrenheit = ...  # your turn: this\n", "One gap is still open"),
        ("fahrenheit = 1\n", "made no graph and no run"),
        ("fahrenheit = degrees\n", "stopped at line 1 with a NameError:\n\n    fahrenheit = degrees"),
        ("fahrenheit = input()\n", "gives the program no keyboard"),
        ("def f(n):\n    return f(n)\nfahrenheit = f(0)\n", "a RecursionError"),
        ("import sys\nfahrenheit = 1\nsys.exit()\n", "mine.py ended itself at line 3 (sys.exit)"),
        ("import sys\nfahrenheit = 1\nsys.exit('enough')\n", "It said: enough"),
        ("raise KeyboardInterrupt\nfahrenheit = 1\n", "a KeyboardInterrupt"),
        ("import nowhere\nfahrenheit = 1\n", "The check runs the program in"),
        ("import penstock as tf\nfahrenheit = tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]))\n", "mine.py:2"),
        ("import penstock as tf\nfahrenheit = tf.ones([2])\n", "no variable `warmest`"),
        ("import penstock as tf\nfahrenheit = tf.ones([2])\nexit()\n", "the lines below it did not run"),
    ],
)
def test_a_program_that_cannot_be_checked_is_told_why(
    program: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda: (_ for _ in ()).throw(EOFError("EOF when reading a line")))
    verdict = verdict_here(LESSON, program, "elsewhere/mine.py")
    assert not verdict.passed and told in verdict.message


def test_the_dots_of_an_index_are_no_gap() -> None:
    program = LESSON.solutions[0].read_text().replace("(fahrenheit)", "(fahrenheit[...])  # your turn: the largest")
    assert verdict_here(LESSON, program, "mine.py").passed


def test_the_program_of_another_lesson_is_recognised() -> None:
    told = verdict_here(LESSON, find_lesson(2).start, "mine.py").message
    assert "it looks like the program of lesson 2: penstock learn 2 --check" in told


def test_a_session_of_a_check_has_the_initial_values_of_variables_and_adds_no_node() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        y = tf.multiply(v, 2.0, name="y")
        count = len(graph)
        work = Work({"y": y})
        assert work.value(y).tolist() == [2.0, 4.0] and len(graph) == count
        assert y.op in work.above(y) and v.op in work.above(y)


def test_a_program_leaves_nothing_behind() -> None:
    before = dict(OPS), list(sys.path), list(sys.argv), list(RUN_HOOKS)
    program = """import sys
from penstock.extend import op
sys.path.append("x")
@op("OnlyInALesson")
def only(x, name=None):
    ...
fahrenheit = 1
"""
    verdict_here(LESSON, program, "mine.py")
    assert (dict(OPS), list(sys.path), list(sys.argv), list(RUN_HOOKS)) == before


def test_in_a_process_an_endless_loop_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("fahrenheit = 1\nwhile True:\n    print('x' * 1000)\n")
    verdict = check_file(LESSON, tmp_path / "mine.py", 0.5)
    assert "still running after 0.5 seconds, at line" in verdict.message and not verdict.passed


@pytest.mark.usefixtures("forked_children")
def test_a_process_that_ends_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import os\nfahrenheit = 1\nos._exit(3)\n")
    assert "ended its own process (exit code 3)" in check_file(LESSON, tmp_path / "mine.py").message


def test_what_is_no_program_is_told_without_a_process(tmp_path: Path) -> None:
    for name, content, told in (
        ("a.py", b"", "is empty"),
        ("b.py", b"\xff\xfe\x00", "is not a text in UTF-8"),
        ("c.ipynb", b"{}", "is a notebook"),
    ):
        (tmp_path / name).write_bytes(content)
        assert told in check_file(LESSON, tmp_path / name).message
