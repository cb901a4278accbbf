"""The part of a graph that a run needs, as a document of `graph.serial`.

Operations that are not needed are left out. A fed tensor whose operation is left out becomes a placeholder of the same
name (`at:1` of an operation with several results one called `at_1`). A Python function becomes a `MissingFunction`.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GraphFormatError
from ..graph.common.function_attribute import PythonFunction
from ..graph.model.missing_function import MissingFunction
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.serial.array_data import ArrayWriter
from ..graph.serial.document import FORMAT, VERSION, DocumentWriter
from ..runtime.passes.pipeline import first_stage

Node = dict[str, Any]
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GraphPart:
    """A part of a graph as data.

    Attributes:
        document: the document, without its entry on constants.
        constants: the large constants, by key.
        functions: the names of the nodes whose functions are missing.
        renamed: fed tensors that have another name in the document.
    """

    document: Document
    constants: Mapping[str, Any]
    functions: tuple[str, ...]
    renamed: Mapping[str, str]


class _PartWriter(DocumentWriter):
    """Writes some operations of a graph; functions as what is missing."""

    def __init__(self, graph: Graph, failed: Mapping[str, MissingFunction]) -> None:
        """failed: by node, the function that raised the error of the run."""
        super().__init__(graph)
        self.functions: list[str] = []
        self._failed = failed

    def part(self, operations: Iterable[Operation]) -> Document:
        """The document."""
        nodes = [self._node(op) for op in operations]
        return {
            "format": FORMAT, "version": VERSION, "constants": None, "unknown": self._symbols.reasons,
            "files": list(self._files), "nodes": nodes, "collections": {}, "scopes": [], "reserved": [], "shows": {},
        }  # fmt: skip

    def placeholder(self, tensor: Tensor, name: str) -> Node:
        """The node of a placeholder in place of a fed tensor."""
        shape = self._symbols.shape(tensor.shape)
        return placeholder_node(name, tensor.dtype.name, shape, self._node_origins(tensor.op))

    def _node_origins(self, op: Operation) -> list[Any]:
        return [[self._file(o.file), o.line, o.function, o.code] for o in op.origins if o.line]

    def _attribute(self, op: Operation, position: int) -> Any:
        value = op.args[position]
        if isinstance(value, PythonFunction):
            missing = self._failed.get(op.name) or MissingFunction(repr(value))
            if isinstance(value.function, MissingFunction):
                missing = value.function
            self.functions.append(op.name)
            fields = {"function": missing.function, "kind": missing.kind, "message": missing.message}
            return {"record": "MissingFunction", "fields": fields}
        return super()._attribute(op, position)


def placeholder_node(name: str, dtype: str, shape: Any, origins: Sequence[Any] = ()) -> Node:
    """The node of a placeholder in a document; `shape` as data."""
    attrs = {"dtype": {"dtype": dtype}, "shape": {"shape": shape}}
    node: Node = {"name": name, "op": "Placeholder", "attrs": attrs, "outputs": [[dtype, shape]]}
    return node | ({"origins": list(origins)} if origins else {})


def part_of(
    graph: Graph,
    tensors: Sequence[Tensor],
    operations: Sequence[Operation],
    fed: Sequence[Tensor],
    whole: bool = False,
    failed: Mapping[str, MissingFunction] | None = None,
) -> GraphPart:
    """The part of a graph that a run needs.

    Args:
        graph: the graph.
        tensors: the fetched tensors.
        operations: the fetched operations.
        fed: the fed tensors.
        whole: whether to take the whole graph.
        failed: by node, the function that raised the error of the run.

    Raises:
        GraphFormatError: a node has no written form.
    """
    writer = _PartWriter(graph, failed or {})
    every = graph.get_operations()
    kept = {op.name for op in every} if whole else _needed(graph, tensors, operations, fed)
    document = writer.part(op for op in every if op.name in kept)
    nodes: list[Node] = document["nodes"]
    renamed: dict[str, str] = {}
    for tensor in fed:
        if tensor.op.name in kept:
            continue
        name = tensor.op.name
        if len(tensor.op.outputs) > 1:
            name = free_name(f"{name}_{tensor.value_index}", kept | {op.name for op in every})
            renamed[tensor.name] = f"{name}:0"
        kept.add(name)
        nodes.insert(0, writer.placeholder(tensor, name))
    document["files"] = list(writer._files)
    names = {node["name"] for node in nodes}
    for node in nodes:
        _settle(node, names, renamed)
    return GraphPart(document, writer.arrays.outside, tuple(writer.functions), renamed)


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, with a number if it is taken."""
    number = 0
    found = name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _needed(
    graph: Graph, tensors: Sequence[Tensor], operations: Sequence[Operation], fed: Sequence[Tensor]
) -> set[str]:
    """The names of the operations that a run needs; those that attributes name (a variable, say) are among them."""
    stage = first_stage(tensors, operations, fed)
    cut = {tensor.name for tensor in fed}
    names: set[str] = set()
    waiting = [op.name for op in stage.operations]
    waiting += [t.op.name for t in tensors if t.name not in cut]
    by_name = {op.name: op for op in graph.get_operations()}
    while waiting:
        name = waiting.pop()
        op = by_name.get(name)
        if op is None or name in names:
            continue
        if op.opdef.facts.must_feed and op.outputs[0].name in cut:
            continue
        names.add(name)
        waiting += [t.op.name for t in op.inputs if t.name not in cut]
        waiting += named_in(op)
    return names


def named_in(op: Operation) -> Iterator[str]:
    """The texts among the attributes of an operation and of those in its bodies, which may name operations."""
    for position, _ in op.opdef.attrs:
        value = op.args[position]
        if position in op.opdef.bodies:
            for inner in value.operations:
                yield from named_in(inner)
        else:
            yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _texts(each)


def _settle(node: Node, names: Collection[str], renamed: Mapping[str, str]) -> None:
    """Adapt a node to what is left: control inputs that are there, new names of fed tensors."""
    if "after" in node:
        node["after"] = [name for name in node["after"] if name in names]
        if not node["after"]:
            del node["after"]
    for parameter, value in node.get("inputs", {}).items():
        if isinstance(value, list):
            node["inputs"][parameter] = [renamed.get(each, each) for each in value]
        elif value is not None:
            node["inputs"][parameter] = renamed.get(value, value)


def bodies_of_node(node: Node) -> list[dict[str, Any]]:
    """The graphs inside a node."""
    found = [value for value in node.get("attrs", {}).values() if isinstance(value, dict) and "graph" in value]
    return [body for body in found if "nodes" in body]


def all_inside(node: Node) -> Iterator[Node]:
    """The nodes in the loops and branches of a node."""
    for body in bodies_of_node(node):
        for inner in body["nodes"]:
            yield inner
            yield from all_inside(inner)


def archive_of(constants: Mapping[str, Any]) -> bytes | None:
    """The content of the npz file of some arrays; None for none."""
    if not constants:
        return None
    buffer = io.BytesIO()
    np.savez(buffer, **constants)
    return buffer.getvalue()


def written_arrays(arrays: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any], list[str]]:
    """Arrays as data, the large ones beside it by key, and those that have no written form."""
    writer = ArrayWriter()
    found: dict[str, Any] = {}
    left_out: list[str] = []
    for name, array in arrays.items():
        try:
            found[name] = writer.write(array)
        except (GraphFormatError, TypeError, ValueError):
            left_out.append(name)
    return found, writer.outside, left_out
