"""The play page of a lesson shows what is there before the work of the student, and never what he has to find."""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest

import penstock as tf
from penstock.lessons.lesson_folders import Lesson, course
from penstock.lessons.program_run import taken_back

GAP = Ellipsis
LONG = (5, 12)
"""Lessons whose solutions run for seconds; their answers are checked at night."""


def asked_for(start: str) -> set[str]:
    """The variables of the exercise that the student gives a value, and those that are made of them."""
    names: set[str] = set()
    for statement in ast.parse(start).body:
        used = {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        has_gap = any(isinstance(node, ast.Constant) and node.value is GAP for node in ast.walk(statement))
        if isinstance(statement, ast.FunctionDef):
            names |= {statement.name} if has_gap else set()
        elif has_gap or used & names:
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            names |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    return names


def form(tensor: tf.Tensor, known: dict[str, Hashable]) -> Hashable:
    """What a tensor is computed from, without the names of operations."""
    if tensor.name not in known:
        op = tensor.op
        inputs = tuple([form(each, known) for each in op.inputs])
        settings = tuple(
            sorted(f"{key}={value}" for key, value in op.attrs.items() if key not in ("resource", "shape"))
        )
        kind = (str(tensor.shape),) if not op.inputs else ()
        known[tensor.name] = op.type, settings if op.type != "While" else (), kind, inputs, tensor.value_index
    return known[tensor.name]


def answers(lesson: Lesson) -> Iterator[tuple[str, tf.Tensor]]:
    """The tensors that the solutions of a lesson make of what is asked for, with the names of their variables."""
    asked = asked_for(lesson.start)
    for solution in lesson.solutions:
        with tf.Graph().as_default(), taken_back(), contextlib.redirect_stdout(io.StringIO()):
            made = runpy.run_path(str(solution))
        for name in asked:
            held = made.get(name)
            yield from ((name, each) for each in (held if isinstance(held, (list, tuple)) else [held])
                        if isinstance(each, tf.Tensor))  # fmt: skip


def shown(path: Path) -> set[Hashable]:
    """The forms of all tensors that a program makes, as far as it runs: a start ends at a gap."""
    graph = tf.Graph()
    with graph.as_default(), taken_back(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        runpy.run_path(str(path))
    known: dict[str, Hashable] = {}
    return {form(tensor, known) for op in graph.get_operations() for tensor in op.outputs}


@pytest.mark.parametrize(
    "lesson", [
        pytest.param(each, marks=[pytest.mark.nightly] if each.number in LONG else []) for each in course()
    ], ids=lambda lesson: lesson.folder.name,
)  # fmt: skip
def test_a_play_page_does_not_show_the_answer(lesson: Lesson) -> None:
    seen = shown(lesson.folder / "play.py") - shown(lesson.folder / "start.py")
    given = {name for name, tensor in answers(lesson) if form(tensor, {}) in seen}
    assert given == set(), f"{lesson.folder.name}/play.py computes what the student is asked for"


def test_the_answers_of_the_lessons_are_known() -> None:
    """Else nothing would be compared."""
    assert asked_for(course()[0].start) == {"fahrenheit", "warmest", "result"}
    assert asked_for(course()[1].start) == {"standardise", "first", "second", "result"}
    assert {name for name, _ in answers(course()[5])} == {"hours"}
