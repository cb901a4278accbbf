"""What `penstock tf1 --check` tells: which names of a program are here, which are not, and what to use instead.

Nothing of the program runs. Each name is looked up in the stand-in's namespaces, as a run would do it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ..api.name_table import instead_of, table
from .era import Era, era_of
from .module_paths import namespaces_of, root_of
from .stand_in import missing_words
from .used_names import ProgramNames, names_in

_LIMIT: Final = 50
"""How many files of its own a program is followed through."""
CONVERT: Final = (
    "convert it first, with 2to3 -w (it comes with Python up to 3.12) or with modernize from PyPI"
)


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """What a check found in one file.

    Attributes:
        text: the report.
        is_ready: whether the program has all that it uses.
    """

    text: str
    is_ready: bool


def files_of(path: str) -> list[ProgramNames]:
    """What a program uses, with the modules of its own folder that it imports.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: the file is not Python.
    """
    first = names_in(path)
    programs, folder = {str(Path(path).resolve()): first}, Path(path).parent
    waiting = list(first.imports)
    while waiting and len(programs) < _LIMIT:
        name = waiting.pop().replace(".", "/")
        for candidate in (folder / f"{name}.py", folder / name / "__init__.py"):
            key = str(candidate.resolve())
            if candidate.is_file() and key not in programs:
                try:
                    programs[key] = names_in(str(candidate))
                except (OSError, SyntaxError):
                    continue
                waiting += programs[key].imports
    return list(programs.values())


def check_program(path: str, era: str | None) -> CheckedProgram:
    """Check one program: the file, and the era of it and of the modules that it imports.

    Args:
        path: a Python file or a notebook.
        era: "0" or "1"; None reads it from the program.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: the file is not Python.
    """
    files = files_of(path)
    program = files[0]
    if program.python_2 is not None:
        line, words = program.python_2
        old = f"{path}:{line}: this is a program for Python 2: {words}; {CONVERT}"
        if program.is_broken:
            return CheckedProgram(old, False)
    judged = era_of(files)
    chosen = judged.era if era is None else era
    lines = {} if program.python_2 is None else {old: None}
    here: dict[str, list[int]] = {}
    missing: dict[str, list[int]] = {}
    for use in sorted(program.uses, key=lambda use: use.line):
        kind = here if is_here(use.name, chosen) else missing
        numbers = kind.setdefault(_written(use.name, use.is_import), [])
        if use.line not in numbers:
            numbers.append(use.line)
    for name, numbers in missing.items():
        for line in numbers:
            lines[f"{path}:{line}: {name} is not here: {words_for(name.partition('.')[2], chosen)}"] = None
    total = len(here) + len(missing)
    if total == 0:
        lines[f"{path}: it uses no name of TensorFlow"] = None
        return CheckedProgram("\n".join(lines), not missing and program.python_2 is None)
    said = judged.words if era is None else f"TensorFlow {era}.x, as --era says"
    count = "all" if not missing else f"{len(here)} of"
    lines[f"{path}: {count} {total} names are here; {said}{undecided(judged, era)}"] = None
    if here:
        listed = ", ".join(f"{name} ({', '.join(map(str, numbers))})" for name, numbers in sorted(here.items()))
        lines[f"{path}: here, with their lines: {listed}"] = None
    return CheckedProgram("\n".join(lines), not missing and program.python_2 is None)


def undecided(judged: Era, era: str | None) -> str:
    """What is to be said where the era is a guess and makes a difference; "" where it is not."""
    if era is not None or judged.matters is None:
        return ""
    if judged.sign is None:
        call = judged.matters
        return (f"; the program does not tell its era, and line {call.line} calls tf.{call.name}, whose arguments "
                "changed; --era 0 or --era 1 decides")  # fmt: skip
    return "; --era 0 or --era 1 decides" if judged.against is not None else ""


def is_here(name: str, era: str) -> bool:
    """Whether a dotted name is there.

    >>> is_here("nn.relu", "1"), is_here("keras.layers.Dense", "1"), is_here("app.flags.FLAGS.rate", "1")
    (True, False, True)
    """
    return _missing_part(name, era) is None


def _missing_part(name: str, era: str) -> str | None:
    """The shortest beginning of a dotted name that is not there; None if all of it is."""
    parts = name.split(".") if name else []
    spaces: Sequence[Any] | None = namespaces_of("", era)
    for count, part in enumerate(parts, start=1):
        whole = ".".join(parts[:count])
        deeper = namespaces_of(whole, era)
        if deeper is not None:
            spaces = deeper
            continue
        space = next((space for space in spaces or () if hasattr(space, part)), None)
        if space is None:
            return whole
        found = getattr(space, part)
        if isinstance(found, ModuleType) or inspect.isclass(found):
            spaces = (found,)
            continue
        return None  # a value of the program, such as FLAGS: what it has is known when it runs
    return None


def words_for(name: str, era: str) -> str:
    """What to say of a name that is not there."""
    _, plain = root_of(name, era)
    short = _missing_part(name, era) or name
    _, plain_short = root_of(short, era)
    if plain in table():
        return instead_of(plain)
    spaces = namespaces_of(short.rpartition(".")[0], era) or ()
    words = missing_words(plain_short, {each for space in spaces for each in dir(space)})
    return words or instead_of(plain) or "TensorFlow 1.15 has no such public name, and Penstock neither"


def _written(name: str, is_import: bool) -> str:
    if is_import:
        return f"tensorflow.{name}" if name else "tensorflow"
    return f"tf.{name}" if name else "tf"


def _programs_in(path: str) -> list[str]:
    """The programs of a folder, or the file itself."""
    return sorted(map(str, Path(path).rglob("*.py"))) or [path] if Path(path).is_dir() else [path]


def check_programs(paths: Iterable[str], era: str | None) -> tuple[list[str], int]:
    """The reports of several programs and the exit code: 0 all can run, 1 a name is missing, 2 a file is not Python."""
    texts, code = [], 0
    for path in (each for given in paths for each in _programs_in(given)):
        try:
            checked = check_program(path, era)
        except OSError as error:
            texts.append(f"{path}: {error.strerror or error}")
            code = 2
            continue
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            texts.append(f"{path}{f':{line}' if line else ''}: not a Python program: {getattr(error, 'msg', error)}")
            code = 2
            continue
        texts.append(checked.text)
        code = max(code, 0 if checked.is_ready else 1)
    return texts, code
