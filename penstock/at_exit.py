"""How does somebody see a program's graph without touching the program?

    PENSTOCK_SHOW=out.html python program.py

When the program ends, the graph that was run last is written to that path, with what the last run fetched marked; the
default graph if nothing was run. Without the variable nothing is installed and nothing costs anything.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
from typing import Any

from .graph.graph import Graph, get_default_graph
from .runtime.session import Session

VARIABLE = "PENSTOCK_SHOW"


class _LastRun:
    """The graph that was run last, and what was fetched."""

    graph: Graph | None = None
    fetches: Any = ()


def show_at_exit() -> None:
    """Arrange for the picture if the variable is set: called once, when the package is imported."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    last = _LastRun()
    run = Session.run

    @functools.wraps(run)
    def remembered(self: Session, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        result = run(self, fetches, *args, **kwargs)
        last.graph, last.fetches = self.graph, fetches
        return result

    Session.run = remembered  # type: ignore[method-assign]  # only where the variable asks for it
    # The folder may change while the program runs; the path means the one it was started in.
    atexit.register(_write, os.path.abspath(path), last, os.getpid())


def _write(path: str, last: _LastRun, process: int) -> None:
    if os.getpid() != process:
        return  # a forked worker: its parent writes the picture
    graph = last.graph or get_default_graph()
    if not len(graph):
        print(f"{VARIABLE}: no graph was run and the default graph is empty; nothing is written", file=sys.stderr)
        return
    try:
        written = graph.export(path, fetches=_names(last.fetches), title=os.path.basename(sys.argv[0]))
    except (OSError, ValueError) as error:
        print(f"{VARIABLE}: {error}", file=sys.stderr)
        return
    print(f"{VARIABLE}: {written} shows {len(graph)} operations", file=sys.stderr)


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
