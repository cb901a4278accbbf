"""PENSTOCK_REPRO=folder: each run of the process that fails is written to a numbered folder in it.

    PENSTOCK_REPRO=failed python program.py         failed/001-InvalidArgumentError, failed/002-...

At most 20 folders are written. A note of the error says where; where that fails, it says why, and the program's own
error is raised in any case. While the variable is set, runs copy the variables that they use before they begin, and the
last results of Python functions are kept.
"""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import Final

from ..graph.common.lazy_import import load
from ..runtime.base.user_results import KEEPING
from ..runtime.session.failed_run import FailedRun
from ..runtime.session.run_hooks import FAILURE_HOOKS
from ..runtime.session.session import Session

VARIABLE: Final = "PENSTOCK_REPRO"
MOST: Final = 20
"""The most folders of one process."""


class FolderOfFailures:
    """Writes the failed runs of a process."""

    def __init__(self, folder: str) -> None:
        # The program may change its working directory; the path is relative to the one it was started in.
        self._folder = Path(os.path.abspath(folder))
        self._next = count(1).__next__

    def write(self, session: Session, run: FailedRun, error: BaseException) -> None:
        """Write one, and say where in a note of its error."""
        load("penstock.repro.repro_folder")
        load("penstock.repro.saved_run")
        from .repro_folder import write_numbered
        from .saved_run import REPEATING, saved_failure

        if session in REPEATING or self._next() > MOST:
            return
        try:
            path = write_numbered(saved_failure(session, run, whole=False), self._folder, run.failure.kind)
        except (OSError, ValueError, TypeError, RuntimeError, MemoryError) as problem:
            error.add_note(f"{VARIABLE}: the run could not be written to {self._folder}: {problem}")
            return
        error.add_note(f"{VARIABLE}: the run was written to {path}; python {path / 'repro.py'} runs it again")


def write_failures() -> None:
    """Install the hook if the variable is set; called once, when the package is imported."""
    folder = os.environ.get(VARIABLE)
    if folder:
        KEEPING.is_on = True
        FAILURE_HOOKS.append(FolderOfFailures(folder).write)
