"""A partition as a graph of its own: made at the client, written as a document, read and planned at a worker.

Operations keep their names, so an error at a worker names the user's node. What comes from outside is a placeholder
with the name of the node that makes it. The document is that of saved graphs (`graph.serial`); its large constants
travel beside it by their content, so that a worker gets each once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...graph.common.lazy_import import load
from ...graph.model.append import append_copy, append_placeholder
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.document import DocumentWriter, document_text
from ...graph.serial.document_reader import DocumentReader, parse
from ...graph.serial.limits import Limits
from ...graph.shapes.literal import Array
from ...runtime.ir.stage import Stage
from ..access.worker_jobs import device_on_worker
from .partitions import Partition
from .places import CLIENT

_PACKAGE = __name__.partition(".")[0] + "."
_LIMITS = Limits(constant_bytes=1 << 50, nodes=1 << 40, outputs=1 << 40, values=1 << 50)
"""Documents of the own session are trusted: a graph that is here may be as large as it is."""


@dataclass(frozen=True, slots=True)
class PartitionGraph:
    """A partition as a graph.

    Attributes:
        graph: the graph.
        feeds: the placeholders, in the order of the partition's inputs.
        fetches: the tensors, in the order of its outputs.
        targets: operations that run for their effects or errors.
        streams: for each random op, (its name here, its name in the user's graph, seed, seed2).
    """

    graph: Graph
    feeds: tuple[Tensor, ...]
    fetches: tuple[Tensor, ...]
    targets: tuple[Operation, ...]
    streams: tuple[tuple[str, str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionDocument:
    """What is sent of a partition, once.

    Attributes:
        key: the hash of the text.
        text: the document of the graph, its feeds, fetches and targets.
        constants: large constants by their key in the document.
        hashes: the hash of the content of each.
        modules: the modules of this package that declare its ops.
    """

    key: str
    text: str
    constants: Mapping[str, Array] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[str, ...] = ()


class _Names:
    """Unique names that stay what they were where that is possible."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, name: str) -> str:
        made, number = name, 0
        while made in self._taken:
            number += 1
            made = f"{name}.again_{number}"
        self._taken.add(made)
        return made


def partition_graph(stage: Stage, partition: Partition) -> PartitionGraph:
    """The graph of a partition of `stage`."""
    graph = Graph()
    names = _Names()
    stands: dict[Tensor, Tensor] = {}
    copies: dict[Operation, Operation] = {}
    feeds: list[Tensor] = []
    inside = set(partition.operations)
    used: set[Operation] = set()
    for tensor in partition.inputs:
        name = tensor.op.name if not tensor.value_index else f"{tensor.op.name}.out_{tensor.value_index}"
        made = append_placeholder(graph, tensor.dtype, tensor.shape, names.unique(name), tensor.op.origins)
        stands[tensor] = made
        feeds.append(made)
    streams: list[tuple[str, str, int, int]] = []
    for op in partition.operations:
        inputs = tuple([stands[t] for t in op.inputs])
        controls = tuple([copies[c] for c in op.control_inputs if c in copies])
        args = inputs if op.opdef.is_plain else tuple([_argument(arg, stands) for arg in op.args])
        made_op = append_copy(graph, op, args, inputs, controls)
        made_op.name = names.unique(op.name)
        made_op.device = device_on_worker(op.device)
        copies[op] = made_op
        stands.update(zip(op.outputs, made_op.outputs, strict=True))
        used.update([t.op for t in op.inputs])
        used.update(op.control_inputs)
        if not op.opdef.is_pure:
            streams += _streams(op, made_op.name)
    for tensor in stage.pinned:
        if tensor.op in inside:
            graph.refine(stands[tensor], tensor.shape, ())
    fetches = tuple([stands[t] for t in partition.outputs])
    read = {t.op for t in partition.outputs}
    asked = set(stage.targets)
    targets = [
        copies[op]
        for op in partition.operations
        if op in asked or (op not in used and op not in read and not op.opdef.facts.is_constant)
    ]
    return PartitionGraph(graph, tuple(feeds), fetches, tuple(targets), tuple(streams))


def whole_graph(stage: Stage) -> PartitionGraph:
    """The graph of all of a stage, for a run at the client."""
    return partition_graph(stage, Partition(0, CLIENT, 0, stage.operations, stage.feeds, stage.fetches))


def _argument(arg: Any, stands: Mapping[Tensor, Tensor]) -> Any:
    if isinstance(arg, Tensor):
        return stands[arg]
    if isinstance(arg, tuple) and arg and isinstance(arg[0], Tensor):
        return tuple([stands[t] for t in arg])
    return arg


def _streams(op: Operation, name: str) -> list[tuple[str, str, int, int]]:
    found = []
    for each in within([op]):
        if each.opdef.draws_rule is not None:
            at = {attr.name: each.args[place] for place, attr in each.opdef.attrs}
            found.append((name if each is op else each.name, each.name, int(at["seed"]), int(at["seed2"])))
    return found


# ---- as data ------------------------------------------------------------------------------------


def partition_document(partition: PartitionGraph) -> PartitionDocument:
    """What is sent of the graph of a partition.

    Raises:
        GraphFormatError: a node has no written form.
    """
    writer = DocumentWriter(partition.graph)
    document = writer.document()
    document["collections"] = {
        "feeds": [{"tensor": t.name} for t in partition.feeds],
        "fetches": [{"tensor": t.name} for t in partition.fetches],
        "targets": [{"operation": op.name} for op in partition.targets],
    }
    hashes = {key: _hash(array) for key, array in writer.arrays.outside.items()}
    text = document_text(document)
    digest = hashlib.sha256(text.encode())
    for each in hashes.values():
        digest.update(each.encode())
    modules = tuple(sorted({op.opdef.__module__ for op in within(partition.graph.get_operations())}))
    return PartitionDocument(digest.hexdigest(), text, writer.arrays.outside, hashes, modules)


def read_partition(text: str, constants: Mapping[str, Array], modules: Sequence[str]) -> PartitionGraph:
    """The graph that `partition_document` wrote; `modules` declare its ops.

    Raises:
        GraphFormatError: the text is damaged.
    """
    for module in modules:
        if module.startswith(_PACKAGE):  # the workers have the same version
            load(module)
    graph = DocumentReader(parse(text.encode(), _LIMITS), None, _LIMITS, beside=constants, is_own=True).graph()
    feeds: Sequence[Tensor] = graph.get_collection("feeds")
    fetches: Sequence[Tensor] = graph.get_collection("fetches")
    targets: Sequence[Operation] = graph.get_collection("targets")
    return PartitionGraph(graph, tuple(feeds), tuple(fetches), tuple(targets))


def _hash(array: Array) -> str:
    digest = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
