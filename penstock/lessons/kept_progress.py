"""The progress of the lessons, kept in the user's folder for data: what was passed, and which hints were seen.

The file is PENSTOCK_DATA_DIR/lessons.json; without the variable `penstock/lessons.json` in the folder that the platform
has for such files. A file that cannot be read counts as empty; a file that cannot be written is told once and changes
nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

VARIABLE = "PENSTOCK_DATA_DIR"


@dataclass(frozen=True, slots=True)
class LessonState:
    """What is kept of one lesson: the day on which it was passed, the hints seen, if the solution was asked for."""

    passed: str = ""
    hints: int = 0
    asked: bool = False


@dataclass(slots=True)
class LessonProgress:
    """The state of each lesson by its key, and why the file could not be read or written ("" if it could)."""

    lessons: dict[str, LessonState] = field(default_factory=dict)
    problem: str = ""

    def of(self, key: str) -> LessonState:
        """The state of a lesson."""
        return self.lessons.get(key, LessonState())

    def change(self, key: str, **changes: Any) -> None:
        """Change the state of a lesson and write the file; `problem` tells if that failed."""
        self.lessons[key] = replace(self.of(key), **changes)
        self.problem = _write(self.lessons)


def data_folder() -> Path:
    """The folder for data of Penstock."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "penstock"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "penstock"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "penstock"


def today() -> str:
    """The date, as it is kept."""
    return date.today().isoformat()


def load_progress() -> LessonProgress:
    """What is kept; nothing if there is no file, or none that can be read."""
    try:
        path = data_folder() / "lessons.json"
        found = json.loads(path.read_text("utf-8"))
        return LessonProgress({str(key): _state(value) for key, value in found["lessons"].items()})
    except FileNotFoundError:
        return LessonProgress()
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return LessonProgress(problem=f"{path}: the file of the progress is damaged; it counts as empty")
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        return LessonProgress(problem=f"progress cannot be read: {_why(error)}")


def _state(value: Any) -> LessonState:
    return LessonState(str(value.get("passed", "")), int(value.get("hints", 0)), bool(value.get("asked", False)))


def _write(lessons: dict[str, LessonState]) -> str:
    made = {"format": "penstock-lessons", "version": 1, "lessons": {key: asdict(one) for key, one in lessons.items()}}
    try:
        path = data_folder() / "lessons.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as file:
            json.dump(made, file, indent=1)
        os.replace(file.name, path)
    except (OSError, RuntimeError) as error:
        return f"progress is not kept: {_why(error)}"
    return ""


def _why(error: OSError | RuntimeError) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
