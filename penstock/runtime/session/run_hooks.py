"""Hooks of runs: what a part of the package puts around every run of the process, or calls when one fails.

A run hook is called with the session, the fetches, the options and the metadata of a run, and returns a context
manager. Entering it gives the options and the metadata to run with. An error of the run passes through it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from ..base.session_config import RunOptions
from ..observe.run_metadata import RunMetadata

Observation = tuple[RunOptions | None, RunMetadata | None]
RunHook = Callable[[Any, Any, RunOptions | None, RunMetadata | None], AbstractContextManager[Observation]]

RUN_HOOKS: list[RunHook] = []
"""Empty unless the environment asks for a picture at exit (`penstock.at_exit`)."""

FAILURE_HOOKS: list[Callable[[Any, Any, BaseException], None]] = []
"""Called with the session, the `FailedRun` and the error of a run that failed. Empty unless the environment asks for
folders of failed runs (`penstock.at_failure`). While there is one, the record has copies of all values."""
