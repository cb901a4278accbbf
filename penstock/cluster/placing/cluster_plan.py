"""`ClusterPlan`: what every place does in the runs of one stage, as data.

Each value that crosses places, is fed or is fetched has a number. The feeds have the first ones, in the order of the
stage. A number is made once and sent to each place that reads it; it also serves as the signal that a partition has
ended.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.literal import Array
from ...runtime.ir.stage import Stage
from ..worker.worker_run import PartOfRun, WorkerProgram, program_data
from .partition_graph import PartitionDocument, PartitionGraph, partition_document, partition_graph
from .partitions import Partition, partitions_of
from .places import CLIENT


@dataclass(frozen=True, slots=True, eq=False)
class ClusterPlan:
    """What every place does in a run.

    Attributes:
        stage: the operations, feeds and fetches.
        partitions: its parts, each after those that it needs.
        graphs: the graph of each partition.
        documents: what is sent of each partition at a worker, by the number of the partition.
        programs: by place: what it does.
        keys: by place: the hash of its program.
        early: partitions that the client runs before it sends anything, with the numbers of their outputs.
        readers: for each feed, and for each output of those, the places that read it.
        kept: the places of fetches that stay on workers: new values of variables, and parts of Dask arrays.
        fetches: for each fetch its number, or the value of a constant.
        makers: for each number that is fetched or written the place that makes it; none for a feed.
    """

    stage: Stage
    partitions: tuple[Partition, ...]
    graphs: tuple[PartitionGraph, ...]
    documents: Mapping[int, PartitionDocument]
    programs: Mapping[int, WorkerProgram]
    keys: Mapping[int, str]
    early: tuple[PartOfRun, ...]
    readers: Mapping[int, tuple[int, ...]]
    kept: frozenset[int]
    fetches: tuple[int | Array, ...]
    makers: Mapping[int, int]

    @property
    def workers(self) -> tuple[int, ...]:
        """The workers that have a part in it."""
        return tuple(sorted(place for place in self.programs if place != CLIENT))


def cluster_plan(
    stage: Stage,
    places: Mapping[Operation, int],
    waits: Mapping[Operation, Sequence[Operation]],
    stays: Collection[int] = (),
) -> ClusterPlan:
    """The plan of a stage whose operations have their places; `stays` are places of fetches that stay on workers."""
    partitions = partitions_of(stage, places, waits)
    graphs = tuple([partition_graph(stage, each) for each in partitions])
    documents = {
        each.number: partition_document(graph)
        for each, graph in zip(partitions, graphs, strict=True)
        if each.place != CLIENT
    }
    numbers: dict[Tensor, int] = {tensor: i for i, tensor in enumerate(stage.feeds)}
    maker: dict[int, int] = {}
    for each in partitions:
        for tensor in each.outputs:
            numbers[tensor] = len(numbers)
            maker[numbers[tensor]] = each.place
    waited = sorted({number for each in partitions for number in each.after})
    signals = {number: len(numbers) + i for i, number in enumerate(waited)}
    readers: dict[int, set[int]] = defaultdict(set)
    parts: dict[int, list[PartOfRun]] = defaultdict(list)
    early: list[PartOfRun] = []
    user_feeds = set(range(len(stage.feeds) - len(stage.state)))
    for each, graph in zip(partitions, graphs, strict=True):
        inputs = tuple([numbers[t] for t in each.inputs])
        after = tuple([signals[number] for number in each.after])
        for number in (*inputs, *after):
            readers[number].add(each.place)
        is_early = each.place == CLIENT and not each.after and each.level == 0 and each.number not in signals
        key = documents[each.number].key if each.number in documents else str(each.number)
        streams = tuple([(here, user) for here, user, _, _ in graph.streams])
        part = PartOfRun(each.number, key, inputs, tuple([numbers[t] for t in each.outputs]), after,
                         signals.get(each.number, -1), streams)  # fmt: skip
        (early if is_early and set(inputs) <= user_feeds else parts[each.place]).append(part)
    for number, signal in signals.items():
        maker[signal] = partitions[number].place
    fetches: list[int | Array] = []
    returns: dict[int, list[int]] = defaultdict(list)
    keeps: dict[int, list[int]] = defaultdict(list)
    kept = frozenset([*stays, *range(len(stage.fetches) - len(stage.written), len(stage.fetches))])
    before = {number for part in early for number in part.outputs}  # the client has these from the start, as feeds
    for position, tensor in enumerate(stage.fetches):
        if tensor not in numbers:
            fetches.append(tensor.op.args[0])  # a constant
            continue
        number = numbers[tensor]
        fetches.append(number)
        if number in maker and number not in before:
            wanted = (keeps if position in kept and maker[number] != CLIENT else returns)[maker[number]]
            if number not in wanted:
                wanted.append(number)
    programs: dict[int, WorkerProgram] = {}
    for place, own in parts.items():
        made_here = [n for part in own for n in (*part.outputs, part.ends) if n >= 0]
        sends = {n: tuple(sorted(readers[n] - {place, CLIENT})) for n in made_here}
        takes = [n for n in made_here if place != CLIENT and CLIENT in readers[n]]
        programs[place] = WorkerProgram(
            tuple(own),
            {n: there for n, there in sends.items() if there},
            tuple(takes),
            tuple(returns[place]),
            tuple(keeps[place]),
        )
    keys = {place: _key(program) for place, program in programs.items()}
    sent = [*range(len(stage.feeds)), *sorted(before)]
    of_sent = {number: tuple(sorted(readers[number])) for number in sent}
    return ClusterPlan(
        stage, partitions, graphs, documents, programs, keys, tuple(early), of_sent, kept, tuple(fetches), maker
    )


def _key(program: WorkerProgram) -> str:
    return hashlib.sha256(json.dumps(program_data(program)).encode()).hexdigest()
