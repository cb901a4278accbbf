"""The document of a saved graph: version 1 of the JSON form, and writing it.

    {"format": "penstock-graph", "version": 1,
     "constants": null | {"bytes": 4242, "sha256": "..."},        of the npz file beside it
     "unknown": {"?0": "why this size is not known"},
     "files": ["model.py"],
     "nodes": [{"name": "x", "op": "Placeholder", "attrs": {...}, "outputs": [["float32", ["batch", 3]]],
                "origins": [[0, 12, "<module>", "x = tf.placeholder(tf.float32, ['batch', 3])"]]},
               {"name": "y", "op": "Add", "inputs": {"x": "x:0", "y": "x:0"}, ...}],
     "collections": {"losses": [{"tensor": "y:0"}]},
     "scopes": ["tower"],                     names of scopes: the next scope called so is tower_1
     "reserved": ["kept"],                    other names that no new node gets
     "shows": {"tower": "collapsed"}}         how pictures show scopes

Nodes stand in creation order, so an input is always one of those before. One node is one line: files compare well. A
key whose value would be empty is left out. Sub-values are described in `shape_data`, `array_data`, `attribute_data`,
and graphs inside ops in `subgraph_data`.
"""

from __future__ import annotations

import json
from typing import Any

from ...errors import GraphFormatError
from ..model.nodes import Graph, Operation, Tensor
from .array_data import ArrayWriter
from .attribute_data import OF_A_PLAN, write_value
from .shape_data import SymbolWriter
from .subgraph_data import names_apart, write_body

FORMAT = "penstock-graph"
VERSION = 1


class DocumentWriter:
    """Turns a graph into a document; `arrays.outside` has what belongs into the npz file."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._symbols = SymbolWriter()
        self.arrays = ArrayWriter()
        self._files: dict[str, int] = {}
        self._renamed: dict[Operation, str] = {}
        self._pinned = set(graph.pinned)

    def document(self) -> dict[str, Any]:
        """The document without its entry on constants.

        Raises:
            GraphFormatError: an attribute has no written form, such as the body of a fused group.
        """
        nodes = [self._node(op) for op in self._graph.get_operations()]
        scopes, reserved = self._graph.names.reserved(node["name"] for node in nodes)
        return {
            "format": FORMAT,
            "version": VERSION,
            "constants": None,
            "unknown": self._symbols.reasons,
            "files": list(self._files),
            "nodes": nodes,
            "collections": self._collections(),
            "scopes": scopes,
            "reserved": reserved,
            "shows": self._graph.scope_shows,
        }

    def _node(self, op: Operation) -> dict[str, Any]:
        try:
            attrs = {a.name: self._attribute(op, i) for i, a in op.opdef.attrs}
        except GraphFormatError as error:
            raise GraphFormatError(f"the node {op.name!r} ({op.type}): {error}", code=error.code) from None
        node: dict[str, Any] = {"name": self._name(op), "op": op.type}
        optional = {
            "inputs": {parameter: self._input(op.args[i]) for i, parameter, _ in op.opdef.operands},
            "attrs": attrs,
            "outputs": [[t.dtype.name, self._symbols.shape(t.shape)] for t in op.outputs],
            "pinned": [t.value_index for t in op.outputs if t in self._pinned] if self._pinned else [],
            "after": [self._name(c) for c in op.control_inputs],
            "device": op.device,
            "origins": [[self._file(o.file), o.line, o.function, o.code] for o in op.origins if o.line],
        }
        return node | {key: value for key, value in optional.items() if value}

    def _attribute(self, op: Operation, position: int) -> Any:
        value = op.args[position]
        if position not in op.opdef.bodies:
            return write_value(value, self._symbols, self.arrays)
        if op.opdef.lower_rule is not None:
            raise GraphFormatError(f"a group of operations has no written form; {OF_A_PLAN}")
        self._pinned.update(value.pinned)
        self._renamed |= names_apart([*[t.op for t in value.inputs], *value.operations])
        return write_body(value, self._node, self._symbols, self._name)

    def _name(self, op: Operation) -> str:
        return self._renamed.get(op, op.name)

    def _input(self, argument: Any) -> Any:
        if isinstance(argument, tuple):
            return [self._tensor(t) for t in argument]
        return None if argument is None else self._tensor(argument)

    def _tensor(self, tensor: Tensor) -> str:
        return f"{self._name(tensor.op)}:{tensor.value_index}"

    def _file(self, name: str) -> int:
        return self._files.setdefault(name, len(self._files))

    def _collections(self) -> dict[str, Any]:
        """The collections with a plain name, of items that can be written; others belong to their program."""
        found: dict[str, Any] = {}
        for name in self._graph.get_all_collection_keys():
            if isinstance(name, str):
                items = [self._item(item) for item in self._graph.get_collection(name)]
                found[name] = [item for item in items if item is not None]
        return found

    def _item(self, item: Any) -> Any:
        if isinstance(item, Tensor):
            return {"tensor": item.name} if item.graph is self._graph else None
        if isinstance(item, Operation):
            return {"operation": item.name} if item.graph is self._graph else None
        try:
            return {"value": write_value(item, self._symbols, self.arrays)}
        except GraphFormatError:
            return None


def document_text(document: dict[str, Any]) -> str:
    """The document as JSON, one node a line."""
    last = ("collections", "scopes", "reserved", "shows")
    head = {key: value for key, value in document.items() if key not in ("nodes", *last)}
    lines = [f"{json.dumps(key)}: {_json(value)}" for key, value in head.items()]
    nodes = ",\n  ".join(_json(node) for node in document["nodes"])
    lines.append(f'"nodes": [\n  {nodes}\n ]' if nodes else '"nodes": []')
    lines += [f"{json.dumps(key)}: {_json(document[key])}" for key in last]
    return "{" + ",\n ".join(lines) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)
