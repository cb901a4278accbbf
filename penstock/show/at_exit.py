"""A picture of a program's graph and of its last run, written when the program ends.

    PENSTOCK_SHOW=out.html python program.py

The graph that was run last is written to that path, with what the last run fetched marked; the default graph if nothing
was run. The last run is the last one that had steps: reading variables at the end of a program has none. A page (.html)
also shows the stages from the graph to the plan and the last run step by step. A timeline (.trace.json, .perfetto.json)
shows the run alone. For these forms every run is recorded. The first runs record values too, until that has taken two
seconds in total; after that only some runs do, so that it takes at most a tenth of the program's time. Without the
variable no hook is installed.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Graph
from ..runtime.base.session_config import RunOptions
from ..runtime.observe.run_metadata import RunMetadata
from ..runtime.session.run_hooks import RUN_HOOKS, Observation
from ..runtime.session.session import Session
from .content.visibility import VARIABLE_TYPES

VARIABLE = "PENSTOCK_SHOW"
RECORDED_FORMS = (".html", ".trace.json", ".perfetto.json")
_VALUE_BUDGET = 2.0
"""Seconds that runs with recorded values may take in all before values are recorded rarely."""
_WITHOUT_STEPS = (*VARIABLE_TYPES, "Const", "Placeholder", "ReadVariableOp")
_PAUSE = 10
"""After that, the pause before values are recorded again, in durations of the last run with values."""


class _LastRun:
    """The last run: its graph, its fetches and its record; and the last record that holds values."""

    def __init__(self, recorded: bool) -> None:
        self.graph: Graph | None = None
        self.fetches: Any = ()
        self.metadata: RunMetadata | None = None
        self.valued: RunMetadata | None = None
        self.count = self.valued_count = 0
        self._recorded = recorded
        self._next = self._spent = 0.0

    @contextmanager
    def around(
        self, session: Session, fetches: Any, options: RunOptions | None, metadata: RunMetadata | None
    ) -> Iterator[Observation]:
        """The run hook: record the run unless the program records it itself, and remember it."""
        start = perf_counter()
        if metadata is None and self._recorded:
            metadata, options = RunMetadata(), RunOptions(values=start >= self._next)
        try:
            yield options, metadata
        finally:
            # A run that failed before its first step has no record; one that failed later has the steps before.
            if metadata is None or metadata.plan is not None:
                self._remember(session, fetches, metadata, bool(options and options.values), start)

    def _remember(
        self, session: Session, fetches: Any, metadata: RunMetadata | None, values: bool, start: float
    ) -> None:
        self.count += 1
        if self.graph is not None and not _has_steps(session.graph, fetches, metadata):
            return  # it only read variables, as many programs do at their end
        self.graph, self.fetches, self.metadata = session.graph, fetches, metadata
        if metadata is not None and values:
            self.valued, self.valued_count = metadata, self.count
            took = perf_counter() - start
            self._spent += took
            self._next = perf_counter() + _PAUSE * took if self._spent > _VALUE_BUDGET else 0.0

    def shown(self) -> tuple[RunMetadata | None, str]:
        """The run to show, the last with values if it has the last run's plan; its number if it is an earlier run."""
        if self.valued is not None and self.metadata is not None and self.valued.plan is self.metadata.plan:
            which = "" if self.valued_count == self.count else f", run {self.valued_count} of {self.count}"
            return self.valued, which
        return self.metadata, ""


def show_at_exit() -> None:
    """Install the run hook and the exit handler if the variable is set; called once, when the package is imported."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    last = _LastRun(path.lower().endswith(RECORDED_FORMS))
    RUN_HOOKS.append(last.around)
    # The program may change its working directory; the path is relative to the one it was started in.
    atexit.register(_write, os.path.abspath(path), last, os.getpid())


def _has_steps(graph: Graph, fetches: Any, metadata: RunMetadata | None) -> bool:
    """Whether a run computes anything, or gives what it was fed and what variables hold."""
    if metadata is not None and metadata.plan is not None:
        return bool(metadata.plan.steps)
    operations = {op.name: op for op in graph.get_operations()}
    types = [op.type for name in _names(fetches) if (op := operations.get(name.rpartition(":")[0] or name)) is not None]
    return not types or any(each not in _WITHOUT_STEPS for each in types)


def _write(path: str, last: _LastRun, process: int) -> None:
    if os.getpid() != process:
        return  # a forked worker: its parent writes the picture
    graph = last.graph or get_default_graph()
    if not len(graph):
        print(f"{VARIABLE}: no graph was run and the default graph is empty; nothing is written", file=sys.stderr)
        return
    title = os.path.basename(sys.argv[0])
    metadata, which = last.shown()
    record = metadata.record if metadata is not None and path.lower().endswith(RECORDED_FORMS) else None
    try:
        if record is not None:
            written = record.export(path, title=title + which)
        else:
            written = graph.export(path, fetches=_names(last.fetches), title=title)
    except (OSError, ValueError, ImportError) as error:
        print(f"{VARIABLE}: {error}", file=sys.stderr)
        return
    count = len(record.steps) if record is not None else 0
    steps = f" and a run of {count} step{'' if count == 1 else 's'}" if record is not None else ""
    print(f"{VARIABLE}: {written} shows {len(graph)} operations{steps}", file=sys.stderr)


def _names(fetches: Any) -> list[str]:
    """The names of all tensors and operations in a structure of fetches; objects without a name are skipped."""
    if isinstance(fetches, str):
        return [fetches]
    if isinstance(fetches, dict):
        return [name for each in fetches.values() for name in _names(each)]
    if isinstance(fetches, (list, tuple, set)):
        return [name for each in fetches for name in _names(each)]
    name = getattr(fetches, "name", None)
    return [name] if isinstance(name, str) else []
