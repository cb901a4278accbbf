"""The check of a lesson inside a notebook: `begin` gives a fresh graph and records the runs, `check` looks at them."""

from __future__ import annotations

import sys
from typing import Any

from ..graph.common.tracebacks import hides_frames
from ..graph.declare.op_declaration import OPS
from ..graph.model.default_graph import reset_default_graph
from .checked_process import judge_here
from .checking import Verdict
from .hints_given import next_hint
from .kept_progress import load_progress, today
from .lesson_folders import Lesson, find_lesson
from .program_run import gap_names
from .student_work import RunRecorder, Work


class _Exercise:
    """The exercise that this process works at, the recorder of its runs, and the ops that were declared before it."""

    def __init__(self) -> None:
        self.lesson: Lesson | None = None
        self.recorder = RunRecorder()
        self.ops: frozenset[str] | None = None

    def begin(self, lesson: Lesson) -> None:
        self.end()
        if self.ops is not None:
            for name in OPS.keys() - self.ops:
                if OPS[name].is_from_outside:  # so that a cell that declares an op can be run again
                    del OPS[name]
        self.lesson, self.recorder, self.ops = lesson, RunRecorder(), frozenset(OPS)
        self.recorder.begin()

    def end(self) -> None:
        self.recorder.end()


_EXERCISE = _Exercise()


@hides_frames
def begin(which: int | str) -> None:
    """Begins the exercise of a lesson in a notebook: with an empty default graph, and from now on a record of each run.

    Ops that the program has declared since the last `begin` are taken back, so that the cell can be run again.

    Args:
        which: the number of the lesson, or the folder of one.

    Raises:
        ValueError: there is no such lesson.
        RuntimeError: a `with graph.as_default()` block is open.

    >>> from penstock import lessons
    >>> lessons.begin(1)  # doctest: +SKIP
    """
    lesson = find_lesson(which)
    reset_default_graph()
    _EXERCISE.begin(lesson)


@hides_frames
def check(which: int | str, variables: dict[str, Any] | None = None) -> Verdict:
    """Checks the exercise of a lesson: the default graph, the caller's variables, and the runs since `begin`.

    Args:
        which: the number of the lesson, or the folder of one.
        variables: the variables to look at; without them, those of the caller, which in a notebook are the notebook's.

    Returns:
        A `Verdict`, which a notebook shows. A lesson that is passed counts in `penstock learn`.

    Raises:
        ValueError: there is no such lesson.

    >>> from penstock import lessons
    >>> lessons.check(1)
    Not yet. Write lessons.begin(1) as the first line of the cell with your program, and run that cell first.
    """
    lesson = find_lesson(which)
    if lesson != _EXERCISE.lesson:
        return Verdict(False, f"Write lessons.begin({which!r}) as the first line of the cell with your program, and "
                              "run that cell first.")  # fmt: skip
    if variables is None:
        # Two frames up: the decorator is between this function and its caller.
        variables = sys._getframe(2).f_globals
    recorder = _EXERCISE.recorder
    gaps = [name for name in gap_names(lesson) if variables.get(name) is ...]
    if gaps:
        are = "is" if len(gaps) == 1 else "are"
        return Verdict(False, f"`{'`, `'.join(gaps)}` {are} still `...`. Write your own code there, and run the cell.")
    _EXERCISE.end()  # the runs of the check are not the student's
    try:
        verdict = judge_here(lesson, Work(variables, tuple(recorder.runs), recorder.count))
    finally:
        recorder.begin()
    if verdict.passed:
        load_progress().change(lesson.key, passed=today())
    return verdict


@hides_frames
def hint(which: int | str) -> None:
    """Prints the next hint of a lesson.

    Args:
        which: the number of the lesson, or the folder of one.

    Raises:
        ValueError: there is no such lesson.

    >>> from penstock import lessons
    >>> lessons.hint(1)  # doctest: +SKIP
    """
    print(next_hint(find_lesson(which), load_progress()))
