"""Runs a TensorFlow 1 program with Penstock in the place of TensorFlow."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final, Literal

from ..cli.debug_terminal.program_start import run_as_main
from ..errors import UseError
from ..printable_text import print_safely
from ..recurrent.weights_of_scopes import JoinedStates
from .checked_programs import CONVERT, files_of, undecided
from .era import era_of
from .stand_in import tensorflow_stand_in
from .used_names import ProgramNames

_COMPANIONS: Final = ("six", "termcolor")
"""Packages that TensorFlow 1 needed and that its programs import."""


def run_program(
    program: str, arguments: Sequence[str], is_module: bool = False, era: Literal["0", "1"] | None = None
) -> int:
    """Run a program to its end; returns its exit code.

    Args:
        program: a Python file; the name of a module.
        arguments: its command line.
        is_module: whether it is a module, as with `python -m`.
        era: "0" or "1"; None reads it from the program.

    Raises:
        OSError: the file cannot be read.
        UseError: it is a program for Python 2, a notebook, or a module that is not found.
    """
    path = _file_of(program) if is_module else program
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__main__.py")):
        raise UseError(f"{path} is a folder without a __main__.py; name the program in it")
    if path.endswith(".ipynb"):
        raise UseError(f"{path} is a notebook: begin it with `import penstock; penstock.tensorflow_stand_in()` and run "
                       "it in Jupyter, or convert it: jupyter nbconvert --to script")  # fmt: skip
    chosen, joined = era or "1", False
    if path.endswith((".py", ".py3", ".pyw")):
        try:
            files = files_of(path)
        except SyntaxError:
            files = []  # the run reports it, with its line
        chosen = era or (_era_read(path, files) if files else "1")
        joined = chosen == "0" and not any(each.knows_state_tuples for each in files)
    with tensorflow_stand_in(chosen):
        JoinedStates.are_on = joined
        sys.meta_path.append(_Companions())  # at the end: it is asked for modules that are not installed
        try:
            return run_as_main(program, arguments, is_module).code
        finally:
            JoinedStates.are_on = False
            sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Companions)]


class _Companions(MetaPathFinder):
    """Says of a package that was installed with TensorFlow 1, and is not here, how to get it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in _COMPANIONS:
            raise ModuleNotFoundError(f"No module named {fullname!r}: it was installed with TensorFlow 1. Install it: "
                                      f"pip install {fullname}", name=fullname)  # fmt: skip
        return None


def _era_read(path: str, files: Sequence[ProgramNames]) -> Literal["0", "1"]:
    program = files[0]
    if program.python_2 is not None and program.is_broken:
        line, words = program.python_2
        raise UseError(f"{path}:{line}: this is a program for Python 2: {words}; {CONVERT}")
    judged = era_of(files)
    if said := undecided(judged, None):
        print_safely(f"penstock tf1: {path}: runs as {judged.words}{said}", sys.stderr)
    if program.python_2 is not None:
        line, words = program.python_2
        print_safely(f"penstock tf1: {path}:{line}: this may be a program for Python 2: {words}", sys.stderr)
    return "0" if judged.era == "0" else "1"


def _file_of(module: str) -> str:
    sys.path.insert(0, "")  # a module is looked for where python -m looks
    try:
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.submodule_search_locations:
            spec = importlib.util.find_spec(f"{module}.__main__") or spec
    except (ImportError, ValueError):
        spec = None
    finally:
        sys.path.remove("")
    if spec is None:
        raise UseError(f"-m {module}: there is no such module in this folder or among the installed ones")
    return spec.origin or ""
