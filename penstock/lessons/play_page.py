"""The play page of a lesson: play.py is a program that makes `graph`, `fetches` and `feeds`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from ..graph.model.nodes import Graph
from .lesson_folders import Lesson
from .program_run import taken_back


def play_graph(lesson: Lesson) -> tuple[Graph, Any, dict[Any, Any]]:
    """The graph of the play page, what it fetches, and what it is fed."""
    made = Graph()
    with made.as_default(), taken_back():
        variables = runpy.run_path(str(lesson.folder / "play.py"))
    return variables.get("graph", made), variables["fetches"], variables["feeds"]


def write_play_page(lesson: Lesson, path: str | Path) -> Path:
    """Write the play page.

    Raises:
        OSError: the file cannot be written.
        ValueError: the lesson has no play page.
    """
    if not (lesson.folder / "play.py").is_file():
        raise ValueError(f"{lesson.title}: the lesson has no play page; a lesson with one has a file play.py")
    graph, fetches, feeds = play_graph(lesson)
    return graph.export(path, fetches=fetches, feeds=feeds, play=True, title=lesson.title)
