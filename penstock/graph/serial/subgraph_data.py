"""Graphs inside ops as data.

    "attrs": {"body": {"graph": "loop/body",                          the scope of its nodes
                       "inputs": [["loop/body/x", "float32", [3]], ...],   one for each operand that it stands for
                       "captures": 1,                                  how many of the last are captures
                       "nodes": [...], "results": ["loop/body/add:0"],
                       "targets": ["loop/body/Print"]}}                what runs in any case; no key where nothing does

Nodes are written as those of the document. A file may claim any shape of an input: one that is not that of the operand
is checked whenever the body runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...errors import BuildError, GraphFormatError
from ..building.capturing import InnerGraph, closed
from ..model.nodes import Operation, Tensor
from ..model.subgraph import DEEPEST, SubGraph
from .array_data import dtype_called
from .error_text import brief, short
from .rebuild import Rebuilder
from .shape_data import SymbolWriter

_KEYS = {"graph", "inputs", "captures", "nodes", "results"}


class _Inside(GraphFormatError):
    """An error whose message names the graph and the node already."""


def write_body(
    body: SubGraph,
    write_node: Callable[[Operation], Any],
    symbols: SymbolWriter,
    name_of: Callable[[Operation], str],
) -> dict[str, Any]:
    """A body as data; `name_of` gives the names of its operations, which are unique in it."""
    data = {
        "graph": body.name,
        "inputs": [[name_of(t.op), t.dtype.name, symbols.shape(t.shape)] for t in body.inputs],
        "captures": len(body.captures),
        "nodes": [write_node(op) for op in body.operations],
        "results": [f"{name_of(t.op)}:{t.value_index}" for t in body.outputs],
    }
    return data | {"targets": [name_of(op) for op in body.targets]} if body.targets else data


def read_body(data: Any, operands: Any, outer: Rebuilder, add: Callable[[Any, Rebuilder], None]) -> SubGraph:
    """The body that a file describes.

    Args:
        data: its description.
        operands: the tensors that its inputs stand for.
        outer: adds nodes to the graph around it.
        add: adds a described node with a rebuilder.

    Raises:
        GraphFormatError: the data describes none, or it is nested too deeply.
    """
    if not isinstance(data, dict) or data.keys() - {"targets"} != _KEYS:
        raise GraphFormatError(f"a graph inside an op must be an object with the keys {', '.join(sorted(_KEYS))}")
    if outer.depth >= DEEPEST:
        raise GraphFormatError(f"graphs inside ops are nested more than {DEEPEST} deep")
    name, inputs, nodes, results = data["graph"], data["inputs"], data["nodes"], data["results"]
    always = data.get("targets", [])
    if not isinstance(name, str) or not all(isinstance(part, list) for part in (inputs, nodes, results, always)):
        raise GraphFormatError("a graph inside an op has a name, and lists of inputs, nodes, results and targets")
    if not isinstance(operands, tuple) or len(inputs) != len(operands):
        raise GraphFormatError(f"the graph {short(name)} has {len(inputs)} inputs, which are not those of the operands")
    captures = data["captures"]
    if type(captures) is not int or not 0 <= captures <= len(inputs):
        raise GraphFormatError(f"the file says that {short(captures)} of {len(inputs)} inputs are captures")
    graph = InnerGraph(outer.graph, name)
    rebuilder = outer.inside(graph)
    tensors = [_input(rebuilder, each, tensor) for each, tensor in zip(inputs, operands, strict=True)]
    for node in nodes:
        try:
            add(node, rebuilder)
        except _Inside:
            raise
        except GraphFormatError as error:
            inner = node.get("name") if isinstance(node, dict) else None
            raise _Inside(f"inside {short(name)}, at {short(inner)}: {brief(error)}") from None
    outputs = [rebuilder.tensor(result) for result in results]
    targets = [rebuilder.operation(each) for each in always]
    rebuilder.finish()
    graph.finalize()
    try:
        return closed(graph, tensors, operands[len(operands) - captures :], outputs, tensors, targets)
    except BuildError as error:
        raise GraphFormatError(brief(error)) from None


def _input(rebuilder: Rebuilder, data: Any, operand: Tensor) -> Tensor:
    if not isinstance(data, list) or len(data) != 3:
        raise GraphFormatError("an input of a graph inside an op must be [name, dtype, shape]")
    dtype = dtype_called(data[1])
    if dtype is not operand.dtype:
        raise GraphFormatError(f"the input {short(data[0])} is {dtype}, but its operand is {operand.dtype}")
    return rebuilder.input(data[0], dtype, data[2], operand)


def names_apart(operations: Iterable[Operation]) -> dict[Operation, str]:
    """New names for operations of a body that have the name of another one in it, as those of derivatives may."""
    renamed: dict[Operation, str] = {}
    taken: set[str] = set()
    for op in operations:
        name, number = op.name, 0
        while name in taken:
            number += 1
            name = f"{op.name}.again_{number}"
        taken.add(name)
        if name != op.name:
            renamed[op] = name
    return renamed
