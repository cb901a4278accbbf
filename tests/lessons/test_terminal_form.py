"""The text of a lesson in a terminal: lines that fit, and programs that stay the same where they are folded."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from penstock.lessons.lesson_folders import Lesson, course
from penstock.lessons.lesson_text import blocks
from penstock.lessons.terminal_form import program_lines, terminal_text, wrapped

LESSONS = list(course())


def programs(lesson: Lesson) -> list[str]:
    return [lesson.start, *[each.text for each in blocks(lesson.text) if each.kind == "code" and each.mark == "python"]]


@pytest.mark.parametrize("width", [50, 79])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: str(lesson.number))
def test_a_folded_program_is_the_same_program(lesson: Lesson, width: int) -> None:
    for program in programs(lesson):
        shown = textwrap.dedent("\n".join(program_lines(program.strip("\n"), width)))
        expected = ast.parse(program)
        if isinstance(expected.body[0], ast.Expr):  # the docstring
            expected.body.pop(0)
            found = ast.parse(shown)
            found.body.pop(0)
        else:
            found = ast.parse(shown)
        assert ast.dump(_without_docstrings(found)) == ast.dump(_without_docstrings(expected))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body.pop(0)
    return tree


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: str(lesson.number))
def test_lines_fit_an_ordinary_terminal(lesson: Lesson) -> None:
    lines = [*terminal_text(lesson.text, Path("folder"), 79).split("\n"), *program_lines(lesson.start, 79)]
    long = [line for line in lines if len(line) > 79]
    assert [line for line in long if "," in line.partition("(")[2].partition('"')[0]] == []
    assert len(long) <= 3  # such as one text in quotes


def test_lines_that_are_quoted_are_folded_between_words() -> None:
    text = "It says:\n\n    " + "word " * 30
    lines = wrapped(text, 60, "  ").split("\n")
    assert all(len(line) <= 60 and line.split()[-1:] in ([], ["word"], ["says:"]) for line in lines)
    assert lines[2].startswith("      word") and lines[3].startswith("          word")
