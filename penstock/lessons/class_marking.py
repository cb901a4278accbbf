"""The marking of a class: every program of a folder is checked, each confined and apart from the others, into a table.

The table is a CSV file with a row for each program, in the order of their paths.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..graph.serial.atomic_write import write_bytes
from .checked_process import Confinement, check_file
from .checking import Verdict
from .lesson_folders import Lesson

COLUMNS = ("program", "lesson", "verdict", "misconception", "message", "idea", "seconds")
MOST_PROGRAMS = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on one program of a class.

    Attributes:
        program: its path in the folder.
        lesson: the number of the lesson, or its folder.
        verdict: what the check says.
        seconds: how long that took.
    """

    program: str
    lesson: str
    verdict: Verdict
    seconds: float

    def row(self) -> tuple[str, ...]:
        """The row of the table; a text that a spreadsheet would compute begins with an apostrophe."""
        said = self.verdict
        cells = (self.program, self.lesson, "passed" if said.passed else "not yet", said.key, said.message, said.idea)
        return (*(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells), f"{self.seconds:.1f}")


def programs_in(folder: Path) -> list[Path]:
    """The programs of a folder and of the folders in it, by path; hidden ones are left out.

    Raises:
        ValueError: there are none, or too many.
    """
    files = [each for each in sorted(folder.rglob("*.py")) if each.is_file()
             and not any(part.startswith(".") for part in each.relative_to(folder).parts)]  # fmt: skip
    if not files:
        raise ValueError(f"{folder}: there is no program (.py) in this folder or in the folders inside of it")
    if len(files) > MOST_PROGRAMS:
        raise ValueError(f"{folder}: there are {len(files)} programs in it; at most {MOST_PROGRAMS} are marked at once")
    return files


def marks_of(
    lesson: Lesson, folder: Path, limit: float, confinement: Confinement, tell: Callable[[Mark], None]
) -> list[Mark]:
    """The verdicts on all programs of a folder; `tell` is called with each as soon as it is known."""
    marks = []
    for path in programs_in(folder):
        began = time.perf_counter()
        try:
            verdict = check_file(lesson, path, limit, confinement)
        except OSError as error:
            verdict = Verdict(False, f"the file cannot be read: {error}")
        mark = Mark(path.relative_to(folder).as_posix(), lesson.word, verdict, time.perf_counter() - began)
        marks.append(mark)
        tell(mark)
    return marks


def write_table(marks: list[Mark], path: Path) -> None:
    """Write the table whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(mark.row() for mark in marks)
    write_bytes(path, text.getvalue().encode("utf-8"))
