"""Every lesson is proved: its solutions pass, its mistakes are named, its hints grow, its programs run.

Its play page is built, and its text and its page are what its programs make.
"""

from __future__ import annotations

import json

import pytest

from penstock.lessons.lesson_folders import Lesson, course
from penstock.lessons.lesson_notebook import notebook_text
from penstock.lessons.lesson_page import page_text
from penstock.lessons.lesson_proof import complaints
from penstock.lessons.terminal_form import terminal_text
from tests.helpers import some_nightly
from tests.test_docs import script

make_lessons = script("make_lessons")
LONG = (5, 12)
"""Lessons whose solutions and mistakes run for seconds."""
every_lesson = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.folder.name)


@pytest.mark.filterwarnings("ignore::penstock.MistakeWarning")  # which mistakes of learners get
@pytest.mark.share(4)
@pytest.mark.parametrize(
    "lesson", some_nightly(course(), [each for each in course() if each.number not in LONG]),
    ids=lambda lesson: lesson.folder.name,
)  # fmt: skip
def test_a_lesson_is_proved(lesson: Lesson) -> None:
    assert complaints(lesson) == []


@every_lesson
def test_what_programs_make_for_a_lesson_is_up_to_date(lesson: Lesson) -> None:
    stale = [path.name for path, content in make_lessons.made(lesson).items() if path.read_bytes() != content]
    assert stale == [], "run python docs/make_lessons.py --write"


@every_lesson
def test_a_lesson_fits_a_terminal_of_60_columns_except_for_its_code(lesson: Lesson) -> None:
    shown = terminal_text(lesson.text, lesson.folder, 60)
    long = [line for line in shown.splitlines() if len(line) > 60 and not line.startswith(("    ", "  | "))]
    assert long == []
    assert "```" not in shown and "](" not in shown


@every_lesson
def test_the_notebook_of_a_lesson_is_valid_and_its_cells_are_python(lesson: Lesson) -> None:
    made = json.loads(notebook_text(lesson))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    programs = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    for program in programs:
        compile(program, "cell", "exec")
    assert f"lessons.begin({lesson.number})" in programs[-3]
    assert notebook_text(lesson).count("## Your turn") == 1
    assert programs[-2] == f"lessons.check({lesson.number})"


@every_lesson
def test_the_page_of_a_lesson_holds_its_pictures_and_loads_nothing(lesson: Lesson) -> None:
    made = page_text(lesson)
    assert made.count("<figure") == lesson.text.count("](pictures/")
    assert "<img" not in made and "<script" not in made and "<link" not in made


def test_pages_without_a_lesson_are_gone() -> None:
    assert [path.name for path, content in make_lessons.outdated() if content is None] == []


def test_no_two_lessons_have_one_number() -> None:
    assert len({lesson.number for lesson in course()}) == len(course())
