"""The modules of the package: its Python files without the programs of lessons, which are data."""

from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "penstock"


def package_modules() -> Iterator[Path]:
    """The path of each module."""
    lessons = PACKAGE / "lessons"
    for path in PACKAGE.rglob("*.py"):
        if lessons not in path.parents or path.parent == lessons:
            yield path
