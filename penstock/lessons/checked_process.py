"""The check of a program in a process of its own, with a limit of time.

The child runs the program and the check, and writes the verdict to a file. A watch in the child ends it when the time
is over, because only there the line can be found that runs without end. What the program prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import NoReturn

from .checking import Verdict, verdict_of
from .lesson_folders import Lesson, find_lesson
from .program_run import Trouble, read_program, run_program

LIMIT = 10.0
"""Seconds that a program may run, unless the command says otherwise."""
_TO_START = 120.0
"""Seconds for all else, so that a child that hangs outside of Python ends too; never reached in practice."""
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from penstock.lessons import checked_process as p; p.main()"
_ROOT = str(Path(__file__).resolve().parents[2])


def check_file(lesson: Lesson, path: str | Path, limit: float = LIMIT) -> Verdict:
    """Checks the program in a file, in a process of its own.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        read_program(path)
    except Trouble as trouble:
        return Verdict(False, str(trouble))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "verdict.json")
        command = [sys.executable, "-P", "-W", "ignore", "-c", _BOOT, _ROOT, str(lesson.number or lesson.folder),
                   os.path.abspath(path), str(limit), str(out)]  # fmt: skip
        quiet = subprocess.DEVNULL
        try:
            ended = subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=limit + _TO_START)
        except subprocess.TimeoutExpired:
            return Verdict(False, _too_long(Path(path).name, limit, 0, ""))
        if out.is_file():
            return Verdict(**json.loads(out.read_text("utf-8")))
    return Verdict(False, f"{Path(path).name} ended its own process (exit code {ended.returncode}) before the check "
                          "could look at the graph. Leave out os._exit and the like.")  # fmt: skip


def main() -> NoReturn:
    """The child: run the program, check it, write the verdict, and end at once, whatever threads are left."""
    which, file, limit, out = sys.argv[2:]
    sys.path.pop(0)  # Penstock's own folder, where it was found; its modules are loaded
    sys.path.insert(0, os.path.dirname(file))
    sys.argv[:] = [file]
    warnings.simplefilter("ignore")
    watch = threading.Timer(float(limit), _end, [file, float(limit), out, threading.get_ident()])
    watch.daemon = True
    lesson = find_lesson(which)
    source = read_program(file)
    watch.start()
    try:
        verdict = verdict_of(lesson, run_program(source, file, lesson))
    except Trouble as trouble:
        verdict = Verdict(False, str(trouble))
    watch.cancel()
    _write(out, verdict)
    os._exit(0)


def _end(file: str, limit: float, out: str, thread: int) -> None:
    """The time is over: say which line runs."""
    frame, line = sys._current_frames().get(thread), 0
    while frame is not None and not line:
        line = frame.f_lineno if frame.f_code.co_filename == file else 0
        frame = frame.f_back
    lines = Path(file).read_text("utf-8-sig").splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    _write(out, Verdict(False, _too_long(os.path.basename(file), limit, line, text)))
    os._exit(0)


def _write(out: str, verdict: Verdict) -> None:
    """Write the file whole or not at all: the watch may write at the same time."""
    whole = f"{out}.{threading.get_ident()}"
    Path(whole).write_text(json.dumps(verdict.as_data()), "utf-8")
    os.replace(whole, out)


def _too_long(name: str, limit: float, line: int, text: str) -> str:
    place = f", at line {line}:\n\n    {text}\n\n" if line else ". "
    return (f"{name} was still running after {limit:g} seconds{place}Is there a loop without an end? If it needs more "
            "time, give it some: --limit 60.")  # fmt: skip
