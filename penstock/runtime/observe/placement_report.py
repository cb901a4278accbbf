"""The placement report: the requested and the actual device of each node of a run, and the copies between devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...graph.common.hooks import hooks
from ...graph.inspect.text_table import folded
from ...graph.model.nodes import Graph, Tensor
from ..arguments.fetches import Fetches
from ..base.session_config import SessionConfig
from ..passes.pipeline import first_stage
from ..planning.memory_plan import plan_memory, sizes_of_feeds
from ..planning.placement import place
from ..planning.plan import Plan
from ..planning.planner import TO_DEVICE, TO_HOST

_NAMED = 6
"""The most nodes that are named for one reason."""


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """The placement of a node.

    Attributes:
        node: its name.
        op: the type of its op.
        asked: the requested device.
        given: the device it runs on.
        why: why these differ; "" if they do not.
        reason: in a session on a cluster why it is there; "" otherwise.
    """

    node: str
    op: str
    asked: str
    given: str
    why: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeviceCopy:
    """A copy of a node's result from one device to another.

    Attributes:
        node: the node whose result is copied.
        source: the device it is copied from.
        target: the device it is copied to.
        bytes: its size; None if it depends on values.
    """

    node: str
    source: str
    target: str
    bytes: int | None


@dataclass(frozen=True, repr=False)
class PlacementReport:
    """The devices on which a run places its nodes.

    Attributes:
        nodes: a `PlacedNode` for each node, in the order of the run.
        copies: a `DeviceCopy` for each result that is copied from one device to another.
    """

    nodes: tuple[PlacedNode, ...]
    copies: tuple[DeviceCopy, ...]

    @property
    def moved(self) -> tuple[PlacedNode, ...]:
        """The nodes that do not run on the device they requested."""
        return tuple(n for n in self.nodes if n.why)

    def __str__(self) -> str:
        counts: dict[str, int] = {}
        for node in self.nodes:
            counts[node.given] = counts.get(node.given, 0) + 1
        lines = [", ".join(f"{count} on {name}" for name, count in counts.items()) or "no nodes"]
        lines += [f'"{n.node}" ({n.op}) asked for {n.asked}, runs on {n.given}: {n.why}' for n in self.moved]
        reasons: dict[tuple[str, str], list[str]] = {}
        for node in self.nodes:
            if node.reason:
                reasons.setdefault((node.given, node.reason), []).append(node.node)
        for (given, reason), names in reasons.items():
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            lines.append(f"{given}: {', '.join(names[:_NAMED])}{more}: {reason}")
        for copy in self.copies:
            size = "? bytes" if copy.bytes is None else f"{copy.bytes:,} bytes"
            lines.append(f'"{copy.node}" is copied from {copy.source} to {copy.target}: {size}')
        return "\n".join(folded(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


def placement_report(
    graph: Graph,
    fetches: Any,
    fed: tuple[Tensor, ...],
    plan: Plan,
    shapes: tuple[tuple[int, ...], ...],
    config: SessionConfig,
) -> PlacementReport:
    """The report of a run of `fetches` whose plan is `plan` and whose feeds have these shapes."""
    nodes = []
    found = Fetches(graph, fetches)
    for op in first_stage(found.tensors, found.operations, fed).operations:
        if op.opdef.facts.is_constant or op.opdef.facts.must_feed:
            continue
        placed = place(op, config)
        nodes.append(PlacedNode(op.name, op.type, placed.asked, placed.given, placed.why))
    sizes = {b.slot: b.size for b in plan_memory(plan, sizes_of_feeds(plan, shapes), lambda step: False).buffers}
    copies = [
        DeviceCopy(s.node, "cpu" if s.op == TO_DEVICE else s.device, s.device if s.op == TO_DEVICE else "cpu",
                 sizes.get(s.outputs[0])) for s in plan.steps if s.op in (TO_HOST, TO_DEVICE)
    ]  # fmt: skip
    return PlacementReport(tuple(nodes), tuple(copies))
