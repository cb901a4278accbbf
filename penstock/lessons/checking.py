"""`Verdict`: what the check of a lesson says of a program, and the functions that come to it.

The functions of check.py whose names begin with `check_` are called in the order in which they stand there. The first
one that raises a `Misconception` decides. `praise(work)`, if there is one, tells what was right. `stopped(work)` is
called instead if the program stopped with an error. `observe(variables, random)` is called where the program ran; the
others are called with a copy of its work, which the program cannot reach.
"""

from __future__ import annotations

import importlib.util
import linecache
import secrets
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import PenstockError
from .handed_work import read_work, write_work
from .lesson_folders import Lesson
from .misconceptions import Misconception
from .program_run import Trouble, run_program
from .student_work import Work


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check of a lesson says.

    Attributes:
        passed: whether the work is right.
        message: what was found.
        key: the key of the misconception; "" if there is none.
        idea: the misconception in words.
    """

    passed: bool
    message: str
    key: str = ""
    idea: str = ""

    def as_data(self) -> dict[str, Any]:
        """The verdict as a dictionary of strings and a bool."""
        return asdict(self)

    def __str__(self) -> str:
        head = "Passed." if self.passed else "Not yet."
        idea = f"\n\nThe idea behind it may be: {self.idea}" if self.idea else ""
        return f"{head} {self.message}{idea}".strip()

    def __repr__(self) -> str:
        return str(self)  # the last line of a notebook's cell shows it


def load_check(lesson: Lesson) -> ModuleType:
    """The module check.py of a lesson."""
    path = lesson.folder / "check.py"
    spec = importlib.util.spec_from_file_location(f"lesson_check_{lesson.folder.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode  # the folder may be another user's
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def check_functions(module: ModuleType) -> list[Any]:
    """The functions of a check, in order."""
    return [value for name, value in vars(module).items() if name.startswith("check_") and callable(value)]


def verdict_of(lesson: Lesson, work: Work) -> Verdict:
    """What the lesson's check says of the work."""
    try:
        module = load_check(lesson)
        ideas: dict[str, str] = getattr(module, "MISCONCEPTIONS", {})
        try:
            if work.stopped:
                getattr(module, "stopped", _nothing)(work)
                return Verdict(False, work.stopped)
            for check in check_functions(module):
                check(work)
        except Misconception as found:
            if found.key and found.key not in ideas:
                return Verdict(False, f"{_FAULT} it names no misconception {found.key!r} in MISCONCEPTIONS")
            message = found.message[:1].upper() + found.message[1:]
            message = "\n\n".join(each for each in (message, work.note, work.stopped) if each)
            return Verdict(False, message, found.key, ideas.get(found.key, ""))
        praise = getattr(module, "praise", None)
        return Verdict(True, str(praise(work)) if praise else "")
    except Exception as error:
        linecache.checkcache()
        last = traceback.format_exception(error)[-6:]
        return Verdict(False, f"{_FAULT}\n\n    {''.join(last).rstrip()}".replace("\n", "\n    "))


def _nothing(work: Work) -> None:
    """What a lesson without `stopped` says of a program that stopped."""


_FAULT = "The check itself has a fault, which is not yours:"


def write_checked(lesson: Lesson, work: Work, folder: Path, seed: int) -> None:
    """Write a program's work for the check, with what the lesson's `observe` finds in this process.

    Raises:
        Trouble: the work cannot be checked.
    """
    module = load_check(lesson)
    observe = getattr(module, "observe", None)
    observed = observe(work.variables, np.random.default_rng(seed)) if observe and not work.stopped else None
    write_work(work, folder, observed, getattr(module, "ABOUT_THE_GRAPH", True))


def verdict_of_files(lesson: Lesson, folder: Path, seed: int) -> Verdict:
    """What the lesson's check says of the work in a folder."""
    try:
        work = read_work(folder, seed)
    except (PenstockError, ValueError, KeyError, TypeError, OSError) as error:
        return Verdict(False, f"the check cannot read what your program handed over: {error}")
    return verdict_of(lesson, work)


def verdict_on(lesson: Lesson, work: Work) -> Verdict:
    """What the lesson's check says of work in this process, of which it sees a copy."""
    seed = secrets.randbits(32)
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_checked(lesson, work, Path(folder), seed)
        except Trouble as trouble:
            return Verdict(False, str(trouble))
        return verdict_of_files(lesson, Path(folder), seed)


def check_program(lesson: Lesson, source: str, file: str) -> Verdict:
    """Runs a program in this process, in the default graph, and checks it."""
    try:
        work = run_program(source, file, lesson)
    except Trouble as trouble:
        return Verdict(False, str(trouble))
    return verdict_on(lesson, work)
