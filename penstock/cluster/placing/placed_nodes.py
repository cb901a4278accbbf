"""`Session.placement` of a session on a cluster: the process of each node, and why it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod

from ...graph.declare.op_cost import Known, sized
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Symbol, read_sizes
from ...runtime.observe.placement_report import DeviceCopy, PlacementReport
from .cluster_placement import PlaceOf, belongs_to_client, calls_program
from .cluster_plan import ClusterPlan
from .places import CLIENT, place_name

LEFT_OUT = "no place"
"""Where a node is that is merged with another one."""


def placed_nodes(
    report: PlacementReport,
    plan: ClusterPlan,
    shapes: Sequence[Known],
    place_of: PlaceOf,
    home_of: Callable[[str], int],
    find_op: Callable[[str], Operation | None],
) -> PlacementReport:
    """The report of a run over all places.

    Args:
        report: that of one machine.
        plan: what every place does.
        shapes: those of all feeds.
        place_of: the place that a device names.
        home_of: the worker of a variable.
        find_op: finds the user's operation of a name.
    """
    early = {part.number for part in plan.early}
    placements = {
        op.name: (each.place, _reason(op, each.place, each.number in early, plan, place_of))
        for each in plan.partitions
        for op in each.operations
        if not op.opdef.facts.is_constant
    }
    shards: dict[str, list[int]] = {}
    for name, (place, _) in placements.items():
        whole, is_shard, _ = name.rpartition(".shard_")
        if is_shard and place not in shards.setdefault(whole, []):
            shards[whole].append(place)
    nodes = []
    for node in report.nodes:
        op = find_op(node.node)
        state = op.opdef.facts.state if op is not None else ""
        if node.node in placements:
            place, reason = placements[node.node]
            nodes.append(replace(node, given=place_name(place), why="", reason=reason))
        elif node.node in shards:
            given = " and ".join([place_name(place) for place in sorted(shards[node.node])])
            nodes.append(replace(node, given=given, why="", reason="it runs in shards"))
        elif op is not None and state:
            home = home_of(str(op.args[0]))
            nodes.append(replace(node, given=place_name(home), why="", reason="its variable is there"))
        else:
            reason = "it is merged with others, or computed when the run is planned"
            nodes.append(replace(node, given=LEFT_OUT, why="", reason=reason))
    return PlacementReport(tuple(nodes), _copies(plan, shapes))


def _reason(op: Operation, place: int, is_early: bool, plan: ClusterPlan, place_of: PlaceOf) -> str:
    if place == CLIENT and calls_program(op):
        return "it calls a function of the program"
    if op.device and place_of(op.device) is not None:
        return "its device asks for it"
    if place == CLIENT:
        if belongs_to_client(op):
            return "it touches the program or files"
        return "it is computed before feeds are sent" if is_early else "by cost"
    written = plan.stage.fetches[len(plan.stage.fetches) - len(plan.stage.written) :]
    if any(tensor.op is op for tensor in written):
        return "its variable is there"
    return "by cost"


def _copies(plan: ClusterPlan, shapes: Sequence[Known]) -> tuple[DeviceCopy, ...]:
    """The values that go from one place to another; a size that only the run finds is not told."""
    sizes: dict[Symbol, int] = {}
    for fed, shape in zip(plan.stage.feeds, shapes, strict=True):
        if shape is not None and fed.shape.raw is not None and len(shape) == len(fed.shape.raw):
            read_sizes(fed.shape.raw, shape, sizes)
    makers = {t: each.place for each in plan.partitions for t in each.outputs}
    found = dict.fromkeys(
        (tensor, makers[tensor], each.place)
        for each in plan.partitions
        for tensor in each.inputs
        if tensor in makers and makers[tensor] != each.place
    )
    return tuple([DeviceCopy(tensor.op.name, place_name(source), place_name(target), _bytes(tensor, sizes))
                  for tensor, source, target in found])  # fmt: skip


def _bytes(tensor: Tensor, sizes: Mapping[Symbol, int]) -> int | None:
    try:
        shape = sized(tensor.shape.raw, sizes)
    except ValueError:  # the run will refuse these sizes
        return None
    return None if shape is None else prod(shape) * tensor.dtype.size
