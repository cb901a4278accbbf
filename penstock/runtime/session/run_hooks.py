"""Run hooks: context managers that a part of the package puts around every run of the process.

A hook is called with the session, the fetches, the options and the metadata of a run, and returns a context manager.
Entering it gives the options and the metadata to run with. An error of the run passes through it.
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
