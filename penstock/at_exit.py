"""How does somebody see a program's graph without touching the program?

    PENSTOCK_SHOW=out.html python program.py

When the program ends, the graph that was run last is written to that path, with what the last run fetched marked; the
default graph if nothing was run. A page (.html) also shows the stages from the graph to the plan and the last run step
by step, a timeline (.trace.json, .perfetto.json) that run alone: every run is recorded for that, and its values for two
seconds in all, then as often as takes a tenth of the time. Without the variable nothing is installed and nothing costs
anything.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from .errors import FeedError
from .graph.graph import Graph, get_default_graph
from .runtime.config import RunMetadata, RunOptions
from .runtime.session import Session

VARIABLE = "PENSTOCK_SHOW"
OF_A_RUN = (".html", ".trace.json", ".perfetto.json")
_FREELY = 2.0
"""Seconds that runs with their values may take before they become rare:"""
_REST = 10
"""how many times as long as one took must pass until another one is recorded so."""


class _LastRun:
    """What was run last: the graph, what was fetched, the record; and the last record that has values."""

    def __init__(self, recorded: bool) -> None:
        self.graph: Graph | None = None
        self.fetches: Any = ()
        self.metadata: RunMetadata | None = None
        self.valued: RunMetadata | None = None
        self.count = self.valued_count = 0
        self._recorded = recorded
        self._next = self._spent = 0.0

    def run(self, run: Callable[..., Any], session: Session, fetches: Any, feeds: Any, options: Any, given: Any) -> Any:
        """Run as the program asked for, and remember."""
        metadata = given
        if given is None and self._recorded:
            metadata, options = RunMetadata(), RunOptions(values=perf_counter() >= self._next)
        start = perf_counter()
        try:
            result = run(session, fetches, feeds, options, metadata)
        finally:
            # What could not even begin has nothing to show; a run that failed shows how far it came.
            if metadata is None or metadata.plan is not None:
                self._remember(session, fetches, metadata, bool(options and options.values), start)
        return result

    def _remember(
        self, session: Session, fetches: Any, metadata: RunMetadata | None, values: bool, start: float
    ) -> None:
        self.graph, self.fetches, self.metadata = session.graph, fetches, metadata
        self.count += 1
        if metadata is not None and values:
            self.valued, self.valued_count = metadata, self.count
            took = perf_counter() - start
            self._spent += took
            self._next = perf_counter() + _REST * took if self._spent > _FREELY else 0.0

    def told(self) -> tuple[RunMetadata | None, str]:
        """The run to show, and which one it is if not the last: of the same plan, the last whose values were kept."""
        if self.valued is not None and self.metadata is not None and self.valued.plan is self.metadata.plan:
            which = "" if self.valued_count == self.count else f", run {self.valued_count} of {self.count}"
            return self.valued, which
        return self.metadata, ""


def show_at_exit() -> None:
    """Arrange for the picture if the variable is set: called once, when the package is imported."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    last = _LastRun(path.lower().endswith(OF_A_RUN))
    run = Session.run

    @functools.wraps(run)
    def remembered(
        self: Session, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None, **rest: Any
    ) -> Any:
        if any(rest.values()):  # a run whose results stay where they are is not recorded
            last.graph, last.fetches = self.graph, fetches
            return run(self, fetches, feed_dict, options, run_metadata, **rest)
        return last.run(run, self, fetches, feed_dict, options, run_metadata)

    def make_callable(self: Session, fetches: Any, feed_list: Sequence[Any] | None = None) -> Callable[..., Any]:
        self.plan(fetches, keys := list(feed_list or ()))  # what is wrong with them is told now
        return lambda *values: self.run(fetches, _paired(keys, values))

    Session.run = remembered  # type: ignore[method-assign,assignment]  # only where the variable asks for it
    Session.make_callable = make_callable  # type: ignore[method-assign]  # as above
    # The folder may change while the program runs; the path means the one it was started in.
    atexit.register(_write, os.path.abspath(path), last, os.getpid())


def _paired(keys: Sequence[Any], values: Sequence[Any]) -> Mapping[Any, Any]:
    if len(keys) != len(values):
        raise FeedError(f"make_callable: the function takes {len(keys)} values, got {len(values)}")
    return dict(zip(keys, values, strict=True))


def _write(path: str, last: _LastRun, process: int) -> None:
    if os.getpid() != process:
        return  # a forked worker: its parent writes the picture
    graph = last.graph or get_default_graph()
    if not len(graph):
        print(f"{VARIABLE}: no graph was run and the default graph is empty; nothing is written", file=sys.stderr)
        return
    title = os.path.basename(sys.argv[0])
    metadata, which = last.told()
    record = metadata.record if metadata is not None and path.lower().endswith(OF_A_RUN) else None
    try:
        if record is not None:
            written = record.export(path, title=title + which)
        else:
            written = graph.export(path, fetches=_names(last.fetches), title=title)
    except (OSError, ValueError) as error:
        print(f"{VARIABLE}: {error}", file=sys.stderr)
        return
    count = len(record.steps) if record is not None else 0
    steps = f" and a run of {count} step{'' if count == 1 else 's'}" if record is not None else ""
    print(f"{VARIABLE}: {written} shows {len(graph)} operations{steps}", file=sys.stderr)


def _names(fetches: Any) -> list[str]:
    """The names of what was fetched: structures of any kind are taken apart, what has no name is left out."""
    if isinstance(fetches, str):
        return [fetches]
    if isinstance(fetches, dict):
        return [name for each in fetches.values() for name in _names(each)]
    if isinstance(fetches, (list, tuple, set)):
        return [name for each in fetches for name in _names(each)]
    name = getattr(fetches, "name", None)
    return [name] if isinstance(name, str) else []
