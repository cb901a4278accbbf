"""Where did each node of a run go, why not where it asked to go, and what crosses between devices?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...graph.nodes import Operation
from ..base.session_config import SessionConfig
from ..planning.memory_plan import plan_memory, sizes_of_feeds
from ..planning.placement import place
from ..planning.plan import Plan
from ..planning.planner import TO_DEVICE, TO_HOST


@dataclass(frozen=True, slots=True)
class Placed:
    """A node: what it asked for, what it got, and why these differ ("" where they do not)."""

    node: str
    op: str
    asked: str
    given: str
    why: str


@dataclass(frozen=True, slots=True)
class Crossing:
    """A copy: of which node's result, from where to where, and its bytes (None where only the run knows)."""

    node: str
    source: str
    target: str
    bytes: int | None


@dataclass(frozen=True)
class PlacementReport:
    """The nodes of a run in order, and the copies of its plan."""

    nodes: tuple[Placed, ...]
    copies: tuple[Crossing, ...]

    @property
    def moved(self) -> tuple[Placed, ...]:
        """The nodes that did not get what they asked for."""
        return tuple(n for n in self.nodes if n.why)

    def __str__(self) -> str:
        counts: dict[str, int] = {}
        for node in self.nodes:
            counts[node.given] = counts.get(node.given, 0) + 1
        lines = [", ".join(f"{count} on {name}" for name, count in counts.items()) or "no nodes"]
        lines += [f'"{n.node}" ({n.op}) asked for {n.asked}, runs on {n.given}: {n.why}' for n in self.moved]
        for copy in self.copies:
            size = "? bytes" if copy.bytes is None else f"{copy.bytes:,} bytes"
            lines.append(f'"{copy.node}" is copied from {copy.source} to {copy.target}: {size}')
        return "\n".join(lines)


def placement_report(
    operations: Sequence[Operation], plan: Plan, shapes: tuple[tuple[int, ...], ...], config: SessionConfig
) -> PlacementReport:
    """The report of a run of `operations` whose plan is `plan` and whose feeds have these shapes."""
    nodes = []
    for op in operations:
        if op.type == "Const" or op.opdef.must_feed:
            continue
        placed = place(op, config)
        nodes.append(Placed(op.name, op.type, placed.asked, placed.given, placed.why))
    sizes = {b.slot: b.size for b in plan_memory(plan, sizes_of_feeds(plan, shapes), lambda step: False).buffers}
    copies = [
        Crossing(s.node, "cpu" if s.op == TO_DEVICE else s.device, s.device if s.op == TO_DEVICE else "cpu",
                 sizes.get(s.outputs[0])) for s in plan.steps if s.op in (TO_HOST, TO_DEVICE)
    ]  # fmt: skip
    return PlacementReport(tuple(nodes), tuple(copies))
