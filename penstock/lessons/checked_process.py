"""The check of a program: the program runs in one process, and the check in another one, after the first has ended.

The first child runs the program and writes what it made to files (`handed_work`). A watch in the child ends it when the
time is over, because only there the line can be found that runs without end. The second child reads the files, runs the
check and writes the verdict to a pipe that only the parent reads. So the program cannot reach the check: neither its
functions nor its data nor its verdict. What the program prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from .checking import Verdict, verdict_of_files, write_checked
from .lesson_folders import Lesson, find_lesson
from .program_run import Trouble, read_program, run_program
from .student_work import Work

LIMIT = 10.0
"""Seconds that a program may run, unless the command says otherwise."""
_TO_START = 120.0
"""Seconds for all else, so that a child that hangs outside of Python ends too; never reached in practice."""
_TO_JUDGE = 60.0
"""Seconds for the runs of the check, besides the limit of the program."""
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from penstock.lessons import checked_process as p; p.{}()"
# A process may leave the namespaces only while it has one thread, so before NumPy is loaded.
_CONFINED = ("import sys, json, runpy; told = json.loads(sys.argv[2]); "
             "names = runpy.run_path(sys.argv[1] + '/penstock/lessons/sandbox.py'); "
             "sys.confined = names['confine'](told['folder'], told['seconds'], told['megabytes'], told['readable']); ")
_ROOT = str(Path(__file__).resolve().parents[2])
_KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "SYSTEMROOT")
"""What a confined program sees of the environment."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How a program is confined: how much memory it may have."""

    megabytes: int = 4096


def check_file(
    lesson: Lesson, path: str | Path, limit: float = LIMIT, confinement: Confinement | None = None
) -> Verdict:
    """Checks the program in a file.

    Args:
        lesson: the lesson.
        path: the file.
        limit: how many seconds the program may run.
        confinement: how the program is confined; None runs it with the rights of the caller.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        source = read_program(path)
    except Trouble as trouble:
        return Verdict(False, str(trouble))
    seed, name = secrets.randbits(32), Path(path).name
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        file, environment = os.path.abspath(path), None
        if confinement is not None:  # a copy, so that the folder with the work of others need not be readable
            file = str(Path(folder, "work", name))
            Path(file).write_text(source, "utf-8")
            kept = {key: os.environ[key] for key in _KEPT if key in os.environ}
            environment = {**kept, "HOME": str(work), "TMPDIR": str(work), "PENSTOCK_DATA_DIR": str(work)}
        told = {"lesson": str(lesson.number or lesson.folder), "file": file, "limit": limit, "folder": str(work),
                "seed": seed}  # fmt: skip
        if confinement is not None:
            told |= _limits(confinement, limit, [str(lesson.folder)])
        ended = _child("run_student", told, limit + _TO_START, environment, str(work) if confinement else None)
        if ended is None:
            return Verdict(False, _too_long(name, limit, 0, ""))
        if (work / "trouble.txt").is_file():
            return Verdict(False, (work / "trouble.txt").read_text("utf-8", "replace"))
        if not (work / "work.json").is_file():
            return Verdict(False, _ended(name, ended[0], confinement))
        return _judged(lesson, work, seed, limit)


def judge_here(lesson: Lesson, work: Work) -> Verdict:
    """Checks work that this process made, such as a notebook's, in a process of its own."""
    seed = secrets.randbits(32)
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_checked(lesson, work, Path(folder), seed)
        except Trouble as trouble:
            return Verdict(False, str(trouble))
        return _judged(lesson, Path(folder), seed, LIMIT)


def confinement_here(confinement: Confinement) -> list[str]:
    """Those of `sandbox.LIMITS` that this machine gives, as tried in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        ended = _child("run_probe", {"folder": folder, **_limits(confinement, LIMIT, [])}, _TO_START)
    return list(json.loads(ended[1])) if ended is not None and ended[1] else []


def _limits(confinement: Confinement, limit: float, readable: list[str]) -> dict[str, object]:
    packages = [each for each in sys.path if "-packages" in each]
    bytecode = [sys.pycache_prefix] if sys.pycache_prefix else []  # else each process compiles the package anew: 1 s
    return {"seconds": limit + _TO_START, "megabytes": confinement.megabytes,
            "readable": [_ROOT, *packages, *bytecode, *readable]}  # fmt: skip


def _judged(lesson: Lesson, work: Path, seed: int, limit: float) -> Verdict:
    with tempfile.TemporaryDirectory() as elsewhere:
        told = {"lesson": str(lesson.number or lesson.folder), "folder": str(work), "seed": seed}
        ended = _child("run_check", told, limit + _TO_JUDGE, None, elsewhere)
    if ended is None:
        return Verdict(False, "your program ran, but the check's runs of your graph did not end within "
                              f"{limit + _TO_JUDGE:g} seconds. Has it a loop without an end?")  # fmt: skip
    if not ended[1]:
        return Verdict(False, f"the process of the check ended (exit code {ended[0]}) while it ran your graph. Does "
                              "the graph need more memory than there is?")  # fmt: skip
    return Verdict(**json.loads(ended[1]))


def _child(
    function: str, told: dict[str, object], seconds: float, environment: dict[str, str] | None = None,
    folder: str | None = None,
) -> tuple[int, str] | None:  # fmt: skip
    """The exit code and the answer of a function of this module in a process of its own; None if it took too long."""
    boot = (_CONFINED if "megabytes" in told else "") + _BOOT.format(function)
    command = [sys.executable, "-P", "-W", "ignore", "-c", boot, _ROOT, json.dumps(told)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, env=environment, cwd=folder,
                          start_new_session=True) as child:  # fmt: skip
        try:
            answer, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            answer = None
        _end_group(child)
    return None if answer is None else (child.returncode, answer.decode("utf-8", "replace"))


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End the child and what it started in its group."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


# ---- in the children -----------------------------------------------------------------------------


def run_student() -> NoReturn:
    """The first child: run the program, write what it made, and end at once, whatever threads are left."""
    arguments = json.loads(sys.argv[2])
    file, limit, folder = arguments["file"], arguments["limit"], Path(arguments["folder"])
    os.close(_mute())  # the program shall not keep the parent's pipe
    sys.path.pop(0)  # Penstock's own folder, where it was found; its modules are loaded
    sys.path.insert(0, os.path.dirname(file))
    sys.argv[:] = [file]
    warnings.simplefilter("ignore")
    lesson = find_lesson(arguments["lesson"])
    source = read_program(file)
    watch = threading.Timer(float(limit), _end, [file, float(limit), folder, threading.get_ident()])
    watch.daemon = True
    watch.start()
    try:
        write_checked(lesson, run_program(source, file, lesson), folder, arguments["seed"])
    except Trouble as trouble:
        _write(folder, str(trouble))
    watch.cancel()
    os._exit(0)


def run_check() -> NoReturn:
    """The second child: check what the first has written; the verdict is all that it prints."""
    told = json.loads(sys.argv[2])
    answer = _mute()
    warnings.simplefilter("ignore")
    verdict = verdict_of_files(find_lesson(told["lesson"]), Path(told["folder"]), told["seed"])
    os.write(answer, json.dumps(verdict.as_data()).encode())
    os._exit(0)


def run_probe() -> NoReturn:
    """A child that is confined and says how."""
    os.write(_mute(), json.dumps(sys.confined).encode())  # type: ignore[attr-defined]  # set before the package's import
    os._exit(0)


def _mute() -> int:
    """Standard output goes nowhere from now on; returns where it went."""
    answer = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answer


def _end(file: str, limit: float, folder: Path, thread: int) -> None:
    """The time is over: say which line runs."""
    frame, line = sys._current_frames().get(thread), 0
    while frame is not None and not line:
        line = frame.f_lineno if frame.f_code.co_filename == file else 0
        frame = frame.f_back
    lines = Path(file).read_text("utf-8-sig").splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    _write(folder, _too_long(os.path.basename(file), limit, line, text))
    os._exit(0)


def _write(folder: Path, text: str) -> None:
    """Write the file whole or not at all: the watch may write at the same time."""
    whole = folder / f"trouble.{threading.get_ident()}"
    whole.write_text(text, "utf-8")
    os.replace(whole, folder / "trouble.txt")


def _ended(name: str, code: int, confinement: Confinement | None) -> str:
    cause = f"; it may have needed more than {confinement.megabytes} MiB of memory" if confinement else ""
    return (f"{name} ended its own process (exit code {code}) before the check could look at the graph{cause}. Leave "
            "out os._exit and the like.")  # fmt: skip


def _too_long(name: str, limit: float, line: int, text: str) -> str:
    place = f", at line {line}:\n\n    {text}\n\n" if line else ". "
    return (f"{name} was still running after {limit:g} seconds{place}Is there a loop without an end? If it needs more "
            "time, give it some: --limit 60.")  # fmt: skip
