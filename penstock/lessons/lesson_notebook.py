"""A lesson as a notebook (nbformat 4): its text, its programs as cells, the exercise, and a cell with the check."""

from __future__ import annotations

import json
from typing import Any

from .lesson_folders import Lesson
from .lesson_text import blocks, without_links

_EXERCISE = """\
Write your own code in the place of `...`, run the cell, then run the cell below it. `lessons.begin` gives you a fresh
graph each time, so you can run the cell as often as you like."""


def notebook_text(lesson: Lesson) -> str:
    """The notebook as JSON."""
    cells: list[tuple[str, str]] = []
    for kind, source in _parts(lesson):
        if cells and kind == cells[-1][0] == "markdown":
            cells[-1] = (kind, f"{cells[-1][1]}\n\n{source}")
        else:
            cells.append((kind, source))
    which = lesson.number or repr(str(lesson.folder))
    cells += [
        ("markdown", _EXERCISE),
        ("code", f"from penstock import lessons\n\nlessons.begin({which})\n\n{_without_docstring(lesson.start)}"),
        ("code", f"lessons.check({which})"),
        ("markdown", f"A hint, if you are stuck: `lessons.hint({which})`, up to three times."),
        ("code", f"# lessons.hint({which})"),
    ]
    made = {
        "cells": [_cell(number, kind, source) for number, (kind, source) in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _parts(lesson: Lesson) -> list[tuple[str, str]]:
    """Kind and source of each part; output of programs is left out, because the reader runs the cells."""
    parts = []
    for block in blocks(lesson.text):
        text = without_links(block.text)
        if block.kind == "code":
            if block.mark == "python":
                parts.append(("code", block.text))
            elif block.mark != "text":
                parts.append(("markdown", "\n".join(f"    {line}" for line in block.text.split("\n"))))
        elif block.kind == "picture":
            parts.append(("code", block.shown) if block.shown else ("markdown", f"*{text}*"))
        elif block.kind in ("heading", "item"):
            parts.append(("markdown", f"{block.mark} {text}"))
        else:
            parts.append(("markdown", text))
    return parts


def _without_docstring(program: str) -> str:
    """The program without the docstring at its head, which speaks of a file."""
    parts = program.split('"""', 2)
    return parts[2].lstrip("\n") if len(parts) == 3 and not parts[0] else program


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": source.strip("\n").splitlines(keepends=True)}
