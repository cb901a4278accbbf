"""The modules of the package: its Python files without the programs of lessons, which are data; their docstrings."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "penstock"


def package_modules() -> Iterator[Path]:
    """The path of each module."""
    lessons = PACKAGE / "lessons"
    for path in PACKAGE.rglob("*.py"):
        if lessons not in path.parents or path.parent == lessons:
            yield path


def docstring_of(source: str) -> str:
    """The docstring of a module, "" if it has none; the rest is parsed only where that is needed to tell."""
    plain = re.match(r'"""([^"\\]*)"""\n', source)
    return inspect.cleandoc(plain[1]) if plain else ast.get_docstring(ast.parse(source)) or ""
