"""Runs a student's program, and tells kindly what keeps it from being checked: a gap, a slip, an error, an exit.

The program runs as if it were started by `python mine.py`: in its own namespace, with its own folder first on the path.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..graph.declare.op_declaration import OPS
from .lesson_folders import Lesson, course
from .student_work import RunRecorder, Work

MARK = "your turn"
_MOST_LINES = 24


class Trouble(Exception):
    """A program that cannot be checked, and why; the message is for the student."""


def read_program(path: str | Path) -> str:
    """The text of a program.

    Raises:
        Trouble: it is no text of a Python program.
    """
    name = Path(path).name
    if name.endswith(".ipynb"):
        raise Trouble(f"{name} is a notebook; it is checked in its own last cell. Give --check a Python file (.py)")
    try:
        source = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise Trouble(f"{name} is not a text in UTF-8. Give --check the Python file (.py) that you wrote") from None
    if not source.strip():
        raise Trouble(f"{name} is empty. Has your editor saved it?")
    return source


def parsed(source: str, lesson: Lesson, name: str) -> ast.Module:
    """The program as a syntax tree; all its gaps are filled.

    Raises:
        Trouble: Python cannot read it, a gap is open, or it is no program for this lesson.
    """
    try:
        tree = ast.parse(source, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Trouble(_syntax(error, name)) from None
    stranger = _of_another_lesson(tree, lesson)
    if stranger is not None:
        raise Trouble(f"{name} is no program for this lesson: {stranger}")
    lines = source.splitlines()
    gaps = [line for line in open_gaps(tree) if MARK in lines[line - 1]]
    if gaps:
        shown = "\n".join(f"    {line:3}  {lines[line - 1].strip()}" for line in gaps)
        which = "One gap is" if len(gaps) == 1 else f"{len(gaps)} gaps are"
        raise Trouble(f"{which} still open in {name}. Write your own code in the place of `...`:\n\n{shown}")
    return tree


def open_gaps(tree: ast.Module) -> list[int]:
    """The lines with a `...` that is a value of its own; the `...` of an index (`x[..., 0]`) is none."""
    inside_index = {id(node) for index in ast.walk(tree) if isinstance(index, ast.Subscript)
                    for node in ast.walk(index.slice)}  # fmt: skip
    dots = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value is ...]
    return sorted({node.lineno for node in dots if id(node) not in inside_index})


def gap_names(lesson: Lesson) -> list[str]:
    """The variables and functions of the lesson's program that wait for the student."""
    tree = ast.parse(lesson.start)
    open_lines = open_gaps(tree)
    return [name for name, first, last in _given(tree) if any(first <= line <= last for line in open_lines)]


def _given(tree: ast.Module) -> list[tuple[str, int, int]]:
    """The names that the program's statements give, with the first and the last line of the statement."""
    found = []
    for node in ast.walk(tree):
        targets: list[ast.expr] = list(node.targets) if isinstance(node, ast.Assign) else []
        if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            targets = [node.target]
        names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        found += [(name, node.lineno, node.end_lineno or node.lineno) for name in names]  # type: ignore[attr-defined]
    return found


def _of_another_lesson(tree: ast.Module, lesson: Lesson) -> str | None:
    """Why the program seems to be for something else; None if it has this lesson's variables, or some of them."""
    known = {name for name, _, _ in _given(tree)}
    wanted = set(gap_names(lesson))
    if wanted <= known:
        return None
    for other in course():
        its = set(gap_names(other))
        if other.number != lesson.number and its <= known and not its <= wanted:
            return f"it looks like the program of lesson {other.number}: penstock learn {other.number} --check"
    if known & wanted:
        return None
    return (f"it has none of this lesson's variables: {', '.join(gap_names(lesson))}. Is it the right file? The "
            f"program to start with is printed by penstock learn {lesson.word}")


def run_program(source: str, file: str, lesson: Lesson) -> Work:
    """The program's work after a run in this process, in whatever graph is the default one; up to its error, if any.

    Raises:
        Trouble: it cannot be read, a gap is open, it ended itself with a failure, or it made no graph.
    """
    name = os.path.basename(file)
    code = compile(parsed(source, lesson, name), file, "exec", dont_inherit=True)
    # So that messages quote the text that runs, also if the file is changed meanwhile.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    recorder, variables = RunRecorder(file), {"__name__": "__main__", "__file__": file, "__builtins__": __builtins__}
    ended = stopped = ""
    with recorder.recording():
        try:
            exec(code, variables)
        except SystemExit as error:
            ended = f"{name} ended itself at line {_line_of(error, file)} (sys.exit); the lines below it did not run."
            if error.code not in (None, 0):
                raise Trouble(f"{ended} It said: {error.code}") from None
        except BaseException as error:  # also KeyboardInterrupt: the program may raise anything
            stopped = _stopped(error, file, source)
    work = Work(variables, tuple(recorder.runs), recorder.count, file, source, ended, stopped)
    if not stopped and not len(work.graph) and not work.runs:
        raise Trouble(ended or f"{name} ran to its end, but it made no graph and no run: there is nothing to look at.")
    return work


@contextmanager
def taken_back() -> Iterator[None]:
    """A block after which the ops that were declared in it are gone, and path and arguments are as before."""
    ops, path, arguments = dict(OPS), list(sys.path), list(sys.argv)
    try:
        yield
    finally:
        for name in OPS.keys() - ops.keys():
            if OPS[name].is_from_outside:
                del OPS[name]
        sys.path[:], sys.argv[:] = path, arguments


# ---- messages --------------------------------------------------------------------------------------


def _syntax(error: BaseException, name: str) -> str:
    if not isinstance(error, SyntaxError) or not error.lineno:
        return f"Python cannot read {name}: {error or type(error).__name__}"
    told = f"Python cannot read line {error.lineno} of {name}: {error.msg}"
    text = (error.text or "").rstrip("\n")
    if not text.strip():
        return told
    shift = len(text) - len(text.lstrip())
    caret = " " * max((error.offset or 1) - 1 - shift, 0) + "^"
    return f"{told}\n\n    {text.strip()}\n    {caret}"


def _line_of(error: BaseException, file: str) -> int:
    """The last line of the program that the traceback goes through."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else 0


def _stopped(error: BaseException, file: str, source: str) -> str:
    line, name = _line_of(error, file), os.path.basename(file)
    text = source.splitlines()[line - 1].strip() if 0 < line <= len(source.splitlines()) else ""
    said = str(error.args[0] if isinstance(error, KeyError) and error.args else error).splitlines()[:_MOST_LINES]
    told = "".join(f"\n    {each}" for each in said)
    head = f"{name} stopped at line {line} with {_article(type(error).__name__)}" if line else \
        f"{name} stopped with {_article(type(error).__name__)}"  # fmt: skip
    head += f":\n\n    {text}\n{told}" if text else f":\n{told}"
    return head + _advice(error)


def _article(word: str) -> str:
    vowel = word[0] in "AEIOU" and not word.startswith(("Uni", "Use"))  # spoken with a y
    return f"{'an' if vowel else 'a'} {word}"


def _advice(error: BaseException) -> str:
    if isinstance(error, EOFError):
        return "\n\nThe check gives the program no keyboard: write the values into the program instead of input()."
    if isinstance(error, (ModuleNotFoundError, FileNotFoundError)):
        return f"\n\nThe check runs the program in {os.getcwd()}."
    if isinstance(error, (MemoryError, PermissionError)) and hasattr(sys, "confined"):
        return "\n\nIt runs in a sandbox (--isolated), " + (
            "which gives it so much memory; --memory gives more." if isinstance(error, MemoryError) else
            "where it may read Python's files and write into its own folder, and no more.")  # fmt: skip
    missing: Any = getattr(error, "name", None) if isinstance(error, NameError) else None
    return f"\n\nNothing is called `{missing}` there: a slip in the name, or a line too early?" if missing else ""
