"""Runs a program as `python program.py` would, in this process, and tells how it ended.

The program is `__main__`: its folder is first on the path, `sys.argv` is its command line. An error that leaves it is
printed with its traceback, without the frames of what started it.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_PACKAGE = str(Path(__file__).resolve().parents[2]) + os.sep
_STARTERS = (_PACKAGE, os.path.dirname(os.__file__) + os.sep + "runpy.py", "<frozen runpy>")


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """How a program ended.

    Attributes:
        code: its exit code.
        text: the same in words.
    """

    code: int
    text: str


class EndProgram(SystemExit):
    """Ends the program from within one of its runs; `except Exception` in the program does not stop it."""


def run_as_main(program: str, arguments: Sequence[str], is_module: bool = False) -> ProgramEnd:
    """Run a program to its end.

    Args:
        program: the path of a file or folder that Python can run; the name of a module.
        arguments: its command line.
        is_module: whether it is a module, as with `python -m`.

    Raises:
        OSError: the file cannot be read.
        EndProgram: the debugger ended it.
    """
    path = program if is_module else os.path.abspath(program)
    if not is_module and not os.path.isdir(path):
        with open(path, "rb"):
            pass
    name = program if is_module else os.path.basename(path)
    with _as_started(path, arguments, is_module):
        try:
            if is_module:
                runpy.run_module(program, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(path, run_name="__main__")
        except EndProgram:
            raise
        except SystemExit as end:
            return _exited(name, end)
        except BaseException as error:
            sys.stdout.flush()
            traceback = _of_program(error.__traceback__)
            sys.excepthook(type(error), error.with_traceback(traceback), traceback)
            code = 130 if isinstance(error, KeyboardInterrupt) else 1  # 128 and the number of the signal, as in shells
            return ProgramEnd(code, f"{name} ended with {_article(type(error).__name__)}{_line(traceback)}")
        return ProgramEnd(0, f"{name} has ended")


@contextmanager
def _as_started(path: str, arguments: Sequence[str], is_module: bool) -> Iterator[None]:
    """A block with the path and the command line of the program."""
    before = sys.argv, list(sys.path)
    starter = os.path.dirname(os.path.realpath(sys.argv[0])) if sys.argv else ""
    sys.argv = [path, *arguments]
    if not sys.flags.safe_path:
        if sys.path and sys.path[0] in ("", os.getcwd(), starter):
            del sys.path[0]
        sys.path.insert(0, os.getcwd() if is_module else os.path.dirname(os.path.realpath(path)))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


def _exited(name: str, end: SystemExit) -> ProgramEnd:
    if end.code is None:
        return ProgramEnd(0, f"{name} has ended")
    if isinstance(end.code, int):
        return ProgramEnd(end.code, f"{name} ended with sys.exit({end.code})" if end.code else f"{name} has ended")
    sys.stdout.flush()
    print(end.code, file=sys.stderr)
    return ProgramEnd(1, f"{name} ended with sys.exit and a message")


def _of_program(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first frame on."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_STARTERS):
        traceback = traceback.tb_next
    return traceback


def _line(traceback: TracebackType | None) -> str:
    """The last line of the program's own file on the way to the error."""
    first = None if traceback is None else traceback.tb_frame.f_code.co_filename
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == first:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" at line {line}" if line else ""


def _article(word: str) -> str:
    return f"{'an' if word[:1] in 'AEIOU' else 'a'} {word}"
