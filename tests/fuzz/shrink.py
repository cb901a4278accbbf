"""Make a failing program small: leave out fetches, targets, lines, ops and feeds in the middle while it still fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace

from .programs import FuzzProgram

_NAME = re.compile(r"\b[xctu]+\d+\b")


def shrunk(program: FuzzProgram, fails: Callable[[FuzzProgram], bool], rounds: int = 4) -> FuzzProgram:
    """The smallest program found; `fails` must hold of `program`, and holds of what is returned."""
    for _ in range(rounds):
        before = len(program.lines), len(program.fetched)
        for smaller in _smaller(program, fails):
            program = smaller
        if before == (len(program.lines), len(program.fetched)):
            break
    return program


def _smaller(program: FuzzProgram, fails: Callable[[FuzzProgram], bool]) -> Iterator[FuzzProgram]:
    """Programs that still fail, each without one thing of the one before."""
    for kind in ("fetched", "targets", "middle"):
        for name in list(getattr(program, kind)):
            left = [n for n in getattr(program, kind) if n != name]
            tried = _needed(_with(program, kind, left))
            if (tried.fetched or tried.targets) and _still(tried, fails):
                program = tried
                yield program
    for line in reversed(list(program.lines)):
        if line in program.lines:
            for tried in (_without(program, line), *_bypassed(program, line)):
                if (tried.fetched or tried.targets) and _still(tried, fails):
                    program = tried
                    yield program
                    break


def _with(program: FuzzProgram, kind: str, names: list[str]) -> FuzzProgram:
    changed = copy(program)
    setattr(changed, kind, names)
    return changed


def _still(program: FuzzProgram, fails: Callable[[FuzzProgram], bool]) -> bool:
    try:
        return fails(program)
    except Exception:  # it cannot be built any more
        return False


def _without(program: FuzzProgram, line: str) -> FuzzProgram:
    """The program without a line and what needs it; the name that the line defines is fetched no more."""
    gone = {_defined(line)}
    kept: list[str] = []
    for other in program.lines:
        if other == line or not gone.isdisjoint(_NAME.findall(other)):
            gone.add(_defined(other))
        else:
            kept.append(other)
    return _with_lines(program, kept)


def _bypassed(program: FuzzProgram, line: str) -> Iterator[FuzzProgram]:
    """Programs in which a value that the line reads stands for the one it defines."""
    name = _defined(line)
    at = program.lines.index(line)
    for other in dict.fromkeys(_NAME.findall(line)):
        if other != name and not other.startswith("u"):
            later = [re.sub(rf"\b{name}\b", other, each) for each in program.lines[at + 1 :]]
            renamed = _with_lines(program, [*program.lines[:at], *later])
            if name in program.fetched:
                renamed.fetched.append(other)
            yield renamed


def _needed(program: FuzzProgram) -> FuzzProgram:
    """The program without the lines that nothing fetched needs."""
    wanted = {*program.fetched, *program.targets}
    kept: list[str] = []
    for line in reversed(program.lines):
        if _defined(line) in wanted:
            wanted.update(_NAME.findall(line))
            kept.append(line)
    return _with_lines(program, kept[::-1])


def _with_lines(program: FuzzProgram, lines: list[str]) -> FuzzProgram:
    names = {_defined(line) for line in lines}
    used = {name for line in lines for name in _NAME.findall(line)} | {
        key for line in lines for key in re.findall(r"arrays\['(\w+)'\]", line)
    }
    return replace(
        program,
        lines=lines,
        arrays={k: a for k, a in program.arrays.items() if k in used or k in names},
        fetched=[n for n in program.fetched if n in names],
        targets=[n for n in program.targets if n in names],
        middle=[n for n in program.middle if n in names],
    )


def _defined(line: str) -> str:
    return line.partition(" = ")[0].rpartition(" ")[2]
