"""The proof of a lesson: every solution passes, every mistake is named, every hint is there, every program runs.

Tests ask it for the lessons of the package, and `penstock learn ./myfolder --prove` asks it for a lesson of one's own.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Iterator

from ..graph.model.nodes import Graph
from .checking import Verdict, check_functions, check_program, load_check
from .lesson_folders import Lesson
from .lesson_text import blocks
from .play_page import play_graph
from .program_run import MARK, gap_names, taken_back


def complaints(lesson: Lesson) -> list[str]:
    """What is wrong with a lesson, a sentence each; [] if it is proved."""
    return [*_about_text(lesson), *_about_hints(lesson), *_about_start(lesson), *_about_solutions(lesson),
            *_about_mistakes(lesson), *_about_play(lesson)]  # fmt: skip


def verdict_here(lesson: Lesson, source: str, file: str) -> Verdict:
    """The verdict on a program that runs in this process, with a graph and a folder of its own."""
    with _apart(), Graph().as_default():
        sys.argv[:] = [file]
        return check_program(lesson, source, file)


@contextlib.contextmanager
def _apart() -> Iterator[None]:
    """A block in an empty folder, whose printed text is dropped and whose ops are taken back."""
    with taken_back(), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), \
            contextlib.redirect_stdout(io.StringIO()):  # fmt: skip
        yield


def _about_text(lesson: Lesson) -> Iterator[str]:
    if not lesson.text.startswith("# "):
        yield "text.md: the first line is `# ` and the title"
    found = blocks(lesson.text)
    for block in found:
        if block.kind == "picture" and not (lesson.folder / block.mark).is_file():
            yield f"text.md: there is no picture {block.mark}"
    namespace: dict[str, object] = {"__name__": "model"}
    with _apart(), Graph().as_default():
        for block in found:
            if block.kind == "code" and block.mark == "python":
                try:
                    exec(compile(block.text, "model.py", "exec"), namespace)
                except Exception as error:
                    yield f"text.md: the program that begins with {block.text.split(chr(10))[0]!r} fails: {error}"
                    return


def _about_hints(lesson: Lesson) -> Iterator[str]:
    hints = lesson.hints
    if len(hints) != 3:
        yield f"hints.md has {len(hints)} sections; there are three, under `## 1`, `## 2` and `## 3`"
    if not all(hints):
        yield "hints.md: a hint is empty"
    if sorted(hints, key=len) != list(hints):
        yield "hints.md: each hint tells more than the one before, so it is longer"


def _about_start(lesson: Lesson) -> Iterator[str]:
    if MARK not in lesson.start or not gap_names(lesson):
        yield f"start.py has no gap: a line such as `total = ...  # {MARK}: the sum of x`"
        return
    verdict = verdict_here(lesson, lesson.start, "start.py")
    if verdict.passed or "still open" not in verdict.message:
        yield f"start.py: its gap is not found: {verdict}"


def _about_solutions(lesson: Lesson) -> Iterator[str]:
    if len(lesson.solutions) < 2:
        yield "solutions: there are at least two different programs that pass"
    for path in lesson.solutions:
        verdict = verdict_here(lesson, path.read_text("utf-8"), str(path))
        if not verdict.passed:
            yield f"solutions/{path.name} does not pass: {verdict}"


def _about_mistakes(lesson: Lesson) -> Iterator[str]:
    module = load_check(lesson)
    if not check_functions(module):
        yield "check.py has no function whose name begins with check_"
    ideas = getattr(module, "MISCONCEPTIONS", {})
    shown = set()
    for path in lesson.mistakes:
        source = path.read_text("utf-8")
        key = source.partition("\n")[0].removeprefix("#").strip()
        shown.add(key)
        verdict = verdict_here(lesson, source, str(path))
        if verdict.passed:
            yield f"mistakes/{path.name} passes"
        elif verdict.key != key or key not in ideas:
            yield f"mistakes/{path.name}: the check names {verdict.key!r}, not {key!r}: {verdict}"
    if not lesson.mistakes:
        yield "mistakes: there is no usual wrong program"
    for key in ideas.keys() - shown:
        yield f"check.py: no program in mistakes/ shows the misconception {key!r}"


def _about_play(lesson: Lesson) -> Iterator[str]:
    if not (lesson.folder / "play.py").is_file():
        if lesson.number:
            yield "play.py: there is none"
        return
    try:
        graph, _, _ = play_graph(lesson)
    except Exception as error:
        yield f"play.py fails: {type(error).__name__}: {error}"
        return
    if not len(graph):
        yield "play.py makes no graph"
