"""What one pass did to a graph, and which nodes no run needs: parts of an `Explanation`."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.stage import Note


@dataclass(frozen=True, slots=True)
class PrunedNode:
    """A node of the graph that does not run, and why."""

    node: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PassReport:
    """The result of one pass.

    Attributes:
        name: the name of the pass.
        nodes: the names of the nodes after it, in order.
        notes: what it did, and what it refused to do.
    """

    name: str
    nodes: tuple[str, ...]
    notes: tuple[Note, ...]

    @property
    def applied(self) -> tuple[Note, ...]:
        """What the pass did."""
        return tuple(n for n in self.notes if n.applied)

    @property
    def refused(self) -> tuple[Note, ...]:
        """Near misses: what the pass examined and did not change, with the reason."""
        return tuple(n for n in self.notes if not n.applied)
