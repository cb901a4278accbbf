"""Runs that a student makes to look around, before the right one: the check judges the right one."""

from __future__ import annotations

import re

import pytest

from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.lesson_proof import verdict_here

EXPLORATORY = {
    2: "session.run(first, {height: HEIGHTS})",
    4: """session.run([dearest, total, share, bill], {prices: PRICES, counts: COUNTS, rate: 0.5})
session.run(bill, {prices: [500.0, 500.0], counts: [1.0, 1.0], rate: 0.2})""",
    9: "session.run(height, {x: [1.0]})",
}
"""By lesson: runs that are wrong or not asked for."""


def with_runs_before(number: int, runs: str) -> str:
    """The first solution of a lesson with these runs after the line that makes its session."""
    text = find_lesson(number).solutions[0].read_text()
    made = re.sub(r"^(session = tf\.Session\(.*)$", lambda found: f"{found[1]}\n{runs}", text, count=1, flags=re.M)
    assert made != text
    return made


@pytest.mark.parametrize("number", EXPLORATORY)
def test_a_run_to_look_around_before_the_right_one_is_no_mistake(number: int) -> None:
    lesson = find_lesson(number)
    alone = verdict_here(lesson, lesson.solutions[0].read_text(), "mine.py")
    verdict = verdict_here(lesson, with_runs_before(number, EXPLORATORY[number]), "mine.py")
    assert alone.passed and verdict.passed, verdict.message
    assert verdict.message == alone.message  # the praise tells of the right run too


def test_the_same_runs_after_the_right_ones_are_judged() -> None:
    lesson = find_lesson(4)
    verdict = verdict_here(lesson, lesson.solutions[0].read_text() + EXPLORATORY[4], "mine.py")
    assert not verdict.passed


def test_the_first_lesson_asks_for_one_run() -> None:
    runs = "session.run(warmest, {celsius: WEEK})"
    verdict = verdict_here(find_lesson(1), with_runs_before(1, runs), "mine.py")
    assert not verdict.passed and "the program makes 2 runs" in verdict.message.lower()
