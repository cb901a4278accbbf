"""What `penstock learn` does: each function prints, and returns the exit code.

0: done, or the check passed; 1: the check did not pass, or a lesson was not proved.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..printable_text import printable
from .checked_process import Confinement, check_file, confinement_here
from .class_marking import Mark, marks_of, write_table
from .hints_given import next_hint, solution
from .kept_progress import LessonProgress, load_progress, today
from .lesson_folders import Lesson, course, find_lesson
from .lesson_notebook import notebook_text
from .lesson_page import page_text
from .lesson_proof import complaints
from .play_page import write_play_page
from .sandbox import LIMITS
from .terminal_form import has_colours, program_lines, terminal_text, terminal_width, wrapped


def list_lessons() -> int:
    """List the lessons with what was passed."""
    progress = load_progress()
    lessons = course()
    wide = max(len(one.title) for one in lessons)
    print("The lessons. Each takes about a quarter of an hour.\n")
    for one in lessons:
        state = progress.of(one.key)
        note = f"passed on {state.passed}" if state.passed else f"{_hints(state.hints)} seen" if state.hints else ""
        print(f"  {one.number:2}  {one.title:{wide}}  {note}".rstrip())
    open_ones = [one for one in lessons if not progress.of(one.key).passed]
    if open_ones:
        begin = "Begin with" if len(open_ones) == len(lessons) else "Go on with"
        print(f"\n{begin}: penstock learn {open_ones[0].number}")
    else:
        print("\nYou have passed them all. To write a lesson of your own: docs/teaching.md")
    _tell(progress)
    return 0


def show(which: str) -> int:
    """Print the text of a lesson, its program, and the commands that come next."""
    lesson = find_lesson(which)
    width = terminal_width()
    print(terminal_text(lesson.text, lesson.folder, width, has_colours()))
    print(terminal_text("## The program", lesson.folder, width, has_colours()).join(("\n", "\n")))
    print("\n".join(program_lines(lesson.start.strip("\n"), width)))
    word = _word(lesson, which)
    print(f"\nWrite it to a file:    penstock learn {word} --start mine.py")
    print(f"Fill the gaps, then:   penstock learn {word} --check mine.py")
    print(f"If you are stuck:      penstock learn {word} --hint")
    return 0


def write_start(which: str, path: str, replace: bool) -> int:
    """Write the program of the exercise."""
    lesson = find_lesson(which)
    written = _write(path, lesson.start, replace)
    print(f"{written} is written. Fill the gaps, then: penstock learn {_word(lesson, which)} --check {path}")
    return 0


def check(which: str, path: str, limit: float, isolated: bool = False, memory: int = 4096) -> int:
    """Check a student's program; the exit code is 1 if it does not pass."""
    lesson = find_lesson(which)
    word = _word(lesson, which)
    if not Path(path).is_file():
        cure = f"penstock learn {word} --start {path} writes the program to begin with"
        a_folder = "it is a folder; to mark all programs in it, add --isolated --table marks.csv"
        raise ValueError(f"{path}: {a_folder if Path(path).is_dir() else f'there is no such file; {cure}'}")
    _check_limits(limit, memory)
    verdict = check_file(lesson, path, limit, Confinement(memory) if isolated else None)
    width = terminal_width()
    name = f"Lesson {lesson.number}" if lesson.number else lesson.title
    print(f"{name}: {'passed.' if verdict.passed else 'not yet.'}")
    if verdict.message:
        print("\n" + wrapped(verdict.message, width, "  "))
    if verdict.idea:
        print("\n" + wrapped(f"The idea behind it may be: {verdict.idea}", width, "  "))
    progress = load_progress()
    if not verdict.passed:
        print(f"\nChange {path} and check it again. A hint: penstock learn {word} --hint")
        return 1
    progress.change(lesson.key, passed=today())
    if (lesson.folder / "play.py").is_file():
        print(f"\nOne thing to change in the play page: penstock learn {word} --play")
    following = [one for one in course() if lesson.number and one.number > lesson.number]
    if following:
        print(f"The next lesson: penstock learn {following[0].number}")
    _tell(progress)
    return 0


def mark_class(which: str, folder: str, limit: float, memory: int, table: str, replace: bool) -> int:
    """Check every program of a folder, each confined, and write a table; the exit code is 0 once all are marked."""
    lesson = find_lesson(which)
    if not Path(folder).is_dir():
        raise ValueError(f"{folder}: --table needs a folder with the programs of a class")
    if not table.endswith(".csv"):
        raise ValueError(f"--table {table}: the name of the file ends with .csv")
    _check_limits(limit, memory)
    _check_free(table, replace)
    confinement = Confinement(memory)
    holds = confinement_here(confinement)
    print(f"Each program is limited in {_listed(holds)}." if holds else "This machine gives no limits.")
    missing = [each for each in LIMITS if each not in holds]
    if missing:
        print(f"This machine does not limit {_listed(missing)}: see docs/teaching.md before you go on.")
    marks = marks_of(lesson, Path(folder), limit, confinement, _tell_mark)
    write_table(marks, Path(table))
    passed = sum(mark.verdict.passed for mark in marks)
    print(f"{passed} of {len(marks)} passed; the table is {table}")
    return 0


def _tell_mark(mark: Mark) -> None:
    said = mark.verdict
    key = f" ({said.key})" if said.key else ""
    print(f"  {printable(mark.program)}: {'passed' if said.passed else 'not yet'}{key}", flush=True)


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _check_limits(limit: float, memory: int) -> None:
    if not 0 < limit < 86_400:
        raise ValueError(f"--limit {limit:g}: it is a number of seconds above 0, at most a day")
    if memory < 512:
        raise ValueError(f"--memory {memory}: it is a number of MiB, at least 512, which Penstock itself needs")


def give_hint(which: str, number: int | None) -> int:
    """Print the next hint, or that of a number."""
    progress = load_progress()
    lesson = find_lesson(which)
    print(terminal_text(next_hint(lesson, progress, number), lesson.folder, terminal_width(), has_colours()))
    _tell(progress)
    return 0


def show_solution(which: str) -> int:
    """Print a program that passes, if the student has passed or asks for the second time."""
    progress = load_progress()
    lesson = find_lesson(which)
    found = solution(lesson, progress)
    if found is None:
        word = _word(lesson, which)
        print(f"You have not passed this lesson yet. There are {len(lesson.hints)} hints: penstock learn {word} --hint")
        print("To see a solution now, ask once more.")
    else:
        print(found.strip("\n"))
    _tell(progress)
    return 0


def write_form(which: str, form: str, path: str, replace: bool) -> int:
    """Write the lesson as a notebook or a page, or its play page."""
    lesson = find_lesson(which)
    suffix = ".ipynb" if form == "notebook" else ".html"
    name = f"lesson{lesson.number}" if lesson.number else lesson.folder.name
    path = path or f"{name}{'-play' if form == 'play' else ''}{suffix}"
    if not path.endswith(suffix):
        raise ValueError(f"--{form} {path}: the name of the file ends with {suffix}")
    if form == "play":
        _check_free(path, replace)
        write_play_page(lesson, path)
    else:
        _write(path, notebook_text(lesson) if form == "notebook" else page_text(lesson), replace)
    print(path)
    return 0


def prove(which: str) -> int:
    """Print what is wrong with a lesson; the exit code is 1 if anything is."""
    lesson = find_lesson(which)
    found = complaints(lesson)
    for one in found:
        print(wrapped(f"- {one}", terminal_width()))
    if not found:
        print(f"{lesson.title}: {len(lesson.solutions)} solutions pass, {len(lesson.mistakes)} mistakes are named, "
              f"{len(lesson.hints)} hints, the programs of the text run.")  # fmt: skip
    return 1 if found else 0


def _word(lesson: Lesson, which: str) -> str:
    return str(lesson.number) if lesson.number else which


def _write(path: str, text: str, replace: bool) -> str:
    _check_free(path, replace)
    Path(path).write_text(text, "utf-8")
    return path


def _check_free(path: str, replace: bool) -> None:
    if Path(path).exists() and not replace:
        raise ValueError(f"{path} exists, and it may hold your work; add --force to replace it")


def _hints(count: int) -> str:
    return f"{count} hint{'' if count == 1 else 's'}"


def _tell(progress: LessonProgress) -> None:
    if progress.problem:
        print(f"({progress.problem})", file=sys.stderr)
