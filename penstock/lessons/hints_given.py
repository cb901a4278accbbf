"""The hints of a lesson one after another, and its solution for a student who has passed or asks twice."""

from __future__ import annotations

from .kept_progress import LessonProgress
from .lesson_folders import Lesson


def next_hint(lesson: Lesson, progress: LessonProgress, number: int | None = None) -> str:
    """The hint after the last one that was given, or that of a number; after the last hint it is given again.

    Raises:
        ValueError: there is no hint of that number.
    """
    hints = lesson.hints
    seen = progress.of(lesson.key).hints
    if number is not None and not 1 <= number <= len(hints):
        raise ValueError(f"there is no hint {number}; the hints are 1 to {len(hints)}")
    given = number or min(seen + 1, len(hints))
    if given > seen:
        progress.change(lesson.key, hints=given)
    last = "" if given < len(hints) else "\n\n(This is the last hint.)"
    return f"Hint {given} of {len(hints)}:\n\n{hints[given - 1]}{last}"


def solution(lesson: Lesson, progress: LessonProgress) -> str | None:
    """A program that passes; None for a student who has not passed and asks for the first time."""
    state = progress.of(lesson.key)
    if not state.passed and not state.asked:
        progress.change(lesson.key, asked=True)
        # Without a file the second question would be the first again.
        if not progress.problem:
            return None
    return without_key(lesson.solutions[0].read_text("utf-8"))


def without_key(program: str) -> str:
    """A program without the comment in its first line."""
    first, _, rest = program.partition("\n")
    return rest.lstrip("\n") if first.startswith("#") else program
