"""The warning for graphs that grow in a run loop.

`session.run(x + 1)` inside a loop adds a node each time, so runs become slower and memory fills. If nodes added between
runs come from the same line again and again, one warning names that line.
"""

from __future__ import annotations

import warnings

from ...errors import PenstockWarning
from ...graph.common.source_location import Origin
from ...graph.model.nodes import Graph

PATIENCE = 10
"""The number of intervals between runs in which a line may add nodes before the warning."""


# At a prompt every statement is line 1 of these "files", which are not lines of a program.
_NO_FILES = frozenset(("<stdin>", "<string>", "<console>"))


class GrowthWarning(PenstockWarning):
    """One line of the program adds nodes between runs again and again, so the graph grows without end."""


class GrowthGuard:
    """Watches what is added to one graph between the runs of one session."""

    def __init__(self, graph: Graph) -> None:
        self.version = graph.version
        self._graph = graph
        self._intervals: dict[Origin, int] = {}
        self._warned = False
        self._runs = 0

    def check(self) -> None:
        """Call before a run when the graph's version has changed."""
        since = self.version
        added = self._graph.operations_since(since)
        self.version = since + len(added)  # not `+=`: concurrent threads must not count the same nodes twice
        self._runs += 1
        if self._warned or self._runs == 1:  # nodes made before the first run are the program's graph
            return
        for origin in dict.fromkeys(op.origin for op in added if op.origin.file not in _NO_FILES):
            count = self._intervals[origin] = self._intervals.get(origin, 0) + 1
            if count >= PATIENCE:
                self._warned = True
                warnings.warn(
                    f"{origin.place}: this line has added nodes to the graph between runs {count} times:\n"
                    f"    {origin.code}\n"
                    "Build the graph once, before the loop, and feed changing values through a placeholder; "
                    "graph.finalize() turns such growth into an error.",
                    GrowthWarning,
                    stacklevel=3,
                )
                return
