"""`Lesson`: a folder with a text, a program with a gap, a check, hints, solutions and usual mistakes.

    text.md         the text: a heading, then paragraphs, programs and pictures
    start.py        the program of the exercise; a gap is `...  # your turn: what belongs here`
    check.py        functions check_*(work), and MISCONCEPTIONS: key -> the wrong idea in one sentence
    hints.md        three sections, `## 1` to `## 3`, from a nudge to nearly the answer
    play.py         a program that makes `graph`, `fetches` and `feeds` of the play page
    solutions/*.py  programs that pass; the first in the order of names is the one to show
    mistakes/*.py   programs that fail; the first line is a comment with the key of the misconception
    pictures/       the pictures of the text

A lesson of the package has a number, its place in the course; a folder from elsewhere has number 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

COURSE = Path(__file__).resolve().parent
_FOLDER = re.compile(r"(\d\d)_\w+")
_STEP = re.compile(r"^## [123]\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson: its number in the course (0 outside of it) and its folder."""

    number: int
    folder: Path

    @property
    def text(self) -> str:
        """The text, in Markdown."""
        return self.read("text.md")

    @property
    def title(self) -> str:
        """The heading of the text."""
        return self.text.partition("\n")[0].removeprefix("#").strip()

    @property
    def start(self) -> str:
        """The program with the gap."""
        return self.read("start.py")

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints, from the first to the last."""
        return tuple(part.strip() for part in _STEP.split(self.read("hints.md"))[1:])

    @property
    def solutions(self) -> tuple[Path, ...]:
        """The programs that pass, in the order of their names."""
        return tuple(sorted((self.folder / "solutions").glob("*.py")))

    @property
    def mistakes(self) -> tuple[Path, ...]:
        """The programs that fail, in the order of their names."""
        return tuple(sorted((self.folder / "mistakes").glob("*.py")))

    @property
    def key(self) -> str:
        """The name under which progress is kept."""
        return self.folder.name if self.number else str(self.folder)

    @property
    def word(self) -> str:
        """What names the lesson on the command line: its number, or its folder."""
        return str(self.number or self.folder)

    def read(self, name: str) -> str:
        """The text of a file of the folder.

        Raises:
            ValueError: it is not in UTF-8. OSError: it cannot be read.
        """
        try:
            return (self.folder / name).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.folder / name}: the file is not text in UTF-8: {error}") from None


def course() -> tuple[Lesson, ...]:
    """The lessons of the package, in order."""
    found = [(_FOLDER.fullmatch(path.name), path) for path in COURSE.iterdir() if path.is_dir()]
    return tuple(sorted((Lesson(int(name[1]), path) for name, path in found if name), key=lambda one: one.number))


def find_lesson(which: str | int) -> Lesson:
    """The lesson of a number, or that of a folder.

    Raises:
        ValueError: there is no lesson of that number, or the folder is none.

    >>> find_lesson(1).title
    'Building is not running'
    """
    text = str(which)
    if text.isdecimal():
        lessons = course()
        found = next((one for one in lessons if one.number == int(text)), None)
        if found is None:
            raise ValueError(f"there is no lesson {text}; the lessons are {lessons[0].number} to {lessons[-1].number}")
        return found
    folder = Path(text)
    if not folder.is_dir():
        cure = "give the folder of the lesson" if folder.exists() else "give a number, or the folder of a lesson"
        raise ValueError(f"{text}: it is not a folder; {cure}. `penstock learn` lists the lessons")
    missing = [name for name in ("text.md", "start.py", "check.py", "hints.md") if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"{text}: the folder is no lesson, it has no {', no '.join(missing)}; see docs/teaching.md")
    folder = folder.resolve()
    number = _FOLDER.fullmatch(folder.name) if folder.parent == COURSE else None
    return Lesson(int(number[1]) if number else 0, folder)
