"""`AskedPartitions`: the partitions of a run as its devices ask for them, without a cluster and without running.

It is the cut of the graph as it was written. A session on a cluster folds and merges first, and decides by cost where
operations run that ask for no device; here they run where their first operand is.

    place(op) = the worker that its device names, or the place of its first operand, or the client
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ...errors import InvalidArgumentError
from ...graph.declare.effects import effect_order
from ...graph.declare.op_cost import sized
from ...graph.devices.device_names import device_parts
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.dimension import Symbol, read_sizes
from ...runtime.arguments.feeds_without_values import feeds_to_look_at
from ...runtime.arguments.fetches import Fetches
from ...runtime.ir.stage import Stage
from ...runtime.passes.pipeline import first_stage
from ..access.worker_jobs import WorkerJobs, worker_jobs
from ..placing.cluster_placement import asked_place, belongs_to_client
from ..placing.partitions import Partition, partitions_of
from ..placing.places import CLIENT, place_name

_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Crossing:
    """A value that goes from one place to another.

    Attributes:
        tensor: its name.
        source: the number of the worker that makes it; -1 for the client.
        target: that of the one that reads it.
        size: its bytes; None where only a run knows its shape.
    """

    tensor: str
    source: int
    target: int
    size: int | None

    def __str__(self) -> str:
        size = "? bytes" if self.size is None else f"{self.size:,} bytes"
        return f"{self.tensor} goes from {place_name(self.source)} to {place_name(self.target)}: {size}"


@dataclass(frozen=True, slots=True)
class AskedPartitions(Sequence[Partition]):
    """The partitions of a run: a sequence of `Partition`s that prints as text.

    Attributes:
        partitions: the partitions, each after those that it needs.
        crossings: the values that operations of one place make and those of another read. Feeds, which the client has,
            and results, which it gets, are not among them.
        left_open: the names of the operations whose device names no worker, and that are no constants.
    """

    partitions: tuple[Partition, ...]
    crossings: tuple[Crossing, ...]
    left_open: tuple[str, ...]

    @property
    def crossing(self) -> int | None:
        """The bytes that go from place to place; None where a size is not known."""
        sizes = [each.size for each in self.crossings]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def waits(self) -> int:
        """How many values go from place to place one after the other, on the longest way: a run waits for each."""
        behind: dict[str, int] = {}
        crossing = {(each.tensor, each.target) for each in self.crossings}
        longest = 0
        for each in self.partitions:
            here = max([behind.get(t.name, 0) + ((t.name, each.place) in crossing) for t in each.inputs], default=0)
            longest = max(longest, here)
            behind.update(dict.fromkeys([t.name for t in each.outputs], here))
        return longest

    def __len__(self) -> int:
        return len(self.partitions)

    def __getitem__(self, index: Any) -> Any:
        return self.partitions[index]

    def __str__(self) -> str:
        count = len(self.partitions)
        size = "an unknown number of bytes" if self.crossing is None else f"{self.crossing:,} bytes"
        lines = [f"{count} partition{'s' if count != 1 else ''}, {size} cross"]
        for each in self.partitions:
            names = [op.name for op in each.operations if not op.opdef.facts.is_constant]
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            lines.append(f"  {each.number}  {place_name(each.place)}: {', '.join(names[:_MOST_NAMES])}{more}")
        return "\n".join([*lines, *[f"  {each}" for each in self.crossings]])


def asked_partitions(
    graph: Graph, fetches: Any, feed_dict: Any = None, jobs: Mapping[str, Sequence[int]] | None = None
) -> AskedPartitions:
    """See `Graph.partitions`."""
    fed, shapes = feeds_to_look_at(graph, fetches, feed_dict, "Graph.partitions")
    found = Fetches(graph, fetches, "Graph.partitions")
    stage = first_stage(found.tensors, found.operations, fed)
    known = _jobs(stage, jobs)
    places, left_open = _places(stage, known)
    partitions = partitions_of(stage, places, effect_order(stage.operations, set(stage.targets)))
    sizes: dict[Symbol, int] = {}
    for tensor, shape in zip(fed, shapes, strict=True):
        if tensor.shape.raw is not None and len(shape) == len(tensor.shape.raw):
            read_sizes(tensor.shape.raw, shape, sizes)
    return AskedPartitions(partitions, _crossings(partitions, sizes), left_open)


def _jobs(stage: Stage, jobs: Mapping[str, Sequence[int]] | None) -> WorkerJobs:
    """The jobs that a program names; without any, one job "worker" with as many tasks as devices ask for."""
    if jobs is None:
        tasks = [device_parts(op.device).task or 0 for op in stage.operations if op.device]
        return worker_jobs(None, [(str(i), "") for i in range(max(tasks, default=0) + 1)])
    most = max((number for numbers in jobs.values() for number in numbers), default=0)
    return worker_jobs(jobs, [(str(i), "") for i in range(most + 1)])


def _places(stage: Stage, jobs: WorkerJobs) -> tuple[dict[Operation, int], tuple[str, ...]]:
    """The place of each operation, and the names of those whose device names none."""
    places: dict[Operation, int] = {}
    left_open = []
    fed = set(stage.feeds)
    for op in stage.operations:
        if op.opdef.facts.is_constant:
            continue
        asked = asked_place(op, jobs.place_of)
        if asked is None and belongs_to_client(op):
            asked = CLIENT
        if asked is None:
            left_open.append(op.name)
            there = [places[t.op] for t in op.inputs if t not in fed and t.op in places]
            asked = there[0] if there else CLIENT
        places[op] = asked
    return places, tuple(left_open)


def _crossings(partitions: Sequence[Partition], sizes: Mapping[Symbol, int]) -> tuple[Crossing, ...]:
    makers = {tensor: each.place for each in partitions for tensor in each.outputs}
    found = dict.fromkeys(
        (tensor, makers[tensor], each.place)
        for each in partitions
        for tensor in each.inputs
        if tensor in makers and makers[tensor] != each.place
    )
    return tuple([Crossing(tensor.name, source, target, _bytes(tensor, sizes)) for tensor, source, target in found])


def _bytes(tensor: Tensor, sizes: Mapping[Symbol, int]) -> int | None:
    try:
        shape = sized(tensor.shape.raw, sizes)
    except ValueError as error:
        raise InvalidArgumentError(message=f"Graph.partitions: the feeds do not fit {tensor.name!r}: {error}") from None
    return None if shape is None else prod(shape) * tensor.dtype.size
