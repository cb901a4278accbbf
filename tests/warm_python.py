"""Runs programs in processes of their own that need not import the package first.

A process that has imported the package waits; for each program it forks a child, which takes the program's arguments,
environment and folder and ends as Python ends. That takes 20 ms where a new Python with the package takes 400. A second
one has done `import penstock` and nothing else: `run_fresh` is for programs that begin so and look at what they import.
Tests of the import itself, of variables that are read there, and of flags of Python start a Python of their own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]

USED = (
    "penstock.cli",
    "penstock.tf1",
    "penstock.runtime.session",
    "penstock.runtime.execution",
    "penstock.runtime.passes",
    "penstock.show",
)
"""Packages that programs load when they run a graph."""

_SERVERS: dict[tuple[str, ...], subprocess.Popen[str]] = {}
"""The processes that wait, if they were needed yet, by what they load beside the package."""


def run_warm(
    arguments: Sequence[str], *, cwd: Path | str = ROOT, env: Mapping[str, str] | None = None, timeout: float = 120.0,
    loaded: tuple[str, ...] = USED,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """What `subprocess.run([sys.executable, *arguments], ...)` gives, with the output as text.

    Args:
        arguments: those of Python: `-c` and a text, `-m` and a module, or a file; then those of the program.
        cwd: the folder in which it runs.
        env: the environment; that of the tests if it is left out.
        timeout: seconds.
        loaded: the packages that are loaded before, with their modules, beside `penstock`.

    Raises:
        TimeoutExpired: the program did not end in time.
    """
    with tempfile.TemporaryDirectory(prefix="penstock-tests-") as folder:
        files = [Path(folder, name) for name in ("out", "err")]
        for file in files:
            file.touch()
        request = {"arguments": list(arguments), "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
        server = _server(loaded)
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(request | {"files": [str(file) for file in files]}) + "\n")
        server.stdin.flush()
        if not select.select([server.stdout], [], [], timeout)[0]:
            _end()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        code = int(server.stdout.readline())
        texts = [file.read_text("utf-8") for file in files]
    return subprocess.CompletedProcess(list(arguments), code, *texts)


def run_fresh(program: str, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """What a program does in a Python that has done `import penstock` and nothing else: see `run_warm`."""
    return run_warm(["-c", program], timeout=timeout, loaded=())


def _server(loaded: tuple[str, ...]) -> subprocess.Popen[str]:
    if loaded not in _SERVERS:
        command = [sys.executable, "-m", "tests.warm_python", *loaded]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        if not _SERVERS:
            atexit.register(_end)
        _SERVERS[loaded] = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
    return _SERVERS[loaded]


def _end() -> None:
    """Stop the processes that wait, and the programs that they have started."""
    while _SERVERS:
        _, server = _SERVERS.popitem()
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        for pipe in (server.stdin, server.stdout):
            assert pipe is not None
            pipe.close()


def _serve() -> None:
    """Answer each request with the exit code of its program."""
    import penstock  # noqa: F401  # what every program does first

    for folder in sys.argv[1:]:
        package = importlib.import_module(folder)
        for each in pkgutil.walk_packages(package.__path__, f"{folder}."):
            importlib.import_module(each.name)
    gc.freeze()  # else each child would copy the memory of all that a collection looks at
    while line := sys.stdin.readline():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside BLAS's threads
            child = os.fork()
        if child == 0:
            _run(**json.loads(line))
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(arguments: list[str], cwd: str, env: dict[str, str], files: list[str]) -> None:
    """Be the program: what it raises is told as Python tells it."""
    for number, path in zip((0, 1, 2), (os.devnull, *files), strict=True):
        file = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    if "PENSTOCK_SHOW" in env:  # which `import penstock` reads, and that is done
        importlib.import_module("penstock.show.at_exit").show_at_exit()
    kind, *rest = arguments
    module: Any = ModuleType("__main__")
    sys.modules["__main__"] = module
    try:
        if kind == "-c":
            sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
            exec(compile(rest[0], "<string>", "exec"), vars(module))
        elif kind == "-m":
            sys.argv, sys.path[0] = list(rest), cwd
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[0] = list(arguments), str(Path(kind).resolve().parent)
            runpy.run_path(kind, run_name="__main__")
    except Exception as error:
        trace = error.__traceback__
        sys.excepthook(type(error), error, trace and trace.tb_next)
        sys.exit(1)


if __name__ == "__main__":
    _serve()
