"""Reading a document: a graph from parsed JSON.

Each key is checked before it is used: its type, its size, what it refers to. `document` describes the keys; `rebuild`
decides whether a described node is possible. Nothing that a document holds is run or imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any

from ...errors import GraphFormatError
from ..common.source_location import Origin
from ..declare.op_declaration import OpDef
from ..model.nodes import Graph, Operation
from ..model.scopes import SHOWS
from ..shapes.dtypes import DType
from ..shapes.literal import Array
from .array_data import ArrayReader, dtype_called
from .attribute_data import ValueReader
from .checked_json import parsed_json
from .document import FORMAT, VERSION
from .error_text import brief, short
from .limits import DEFAULT_LIMITS, Limits
from .loaded_origins import RecordedOrigin
from .rebuild import Rebuilder, find_opdef
from .shape_data import SymbolReader
from .subgraph_data import read_body

_NODE_KEYS = {"name", "op", "inputs", "attrs", "outputs", "pinned", "after", "device", "origins"}
_EXPORTED = {"penstock-picture": "a picture", "penstock-plan": "a plan", "penstock-run": "a recorded run"}
"""Other documents of Penstock, by their format."""


def parse(content: bytes, limits: Limits = DEFAULT_LIMITS) -> dict[str, Any]:
    """The document in a file.

    Raises:
        GraphFormatError: it is no JSON, too large, nested too deeply, of another format or of a newer version.
    """
    document = parsed_json(content, limits)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        drawn = _EXPORTED.get(str(document.get("format"))) if isinstance(document, dict) else None
        what = f"{drawn} that export wrote, and not a saved graph" if drawn else "JSON, but not a saved graph"
        cure = "; write the graph with tf.save_graph(graph, path) or graph.export('model.json')" if drawn else ""
        raise GraphFormatError(f'the file is {what}: it must have "format": "{FORMAT}"{cure}')
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise GraphFormatError(f"the file has version {short(version)}; this Penstock reads versions 1 to {VERSION}")
    return document


class DocumentReader:
    """Makes the graph that a parsed document describes; `archive` is the content of the npz file or None, `file` where
    the graph will say it comes from, `beside` has constants that came another way, `is_own` is that of `Rebuilder`."""

    def __init__(
        self,
        document: dict[str, Any],
        archive: bytes | None,
        limits: Limits,
        file: str = "",
        beside: Mapping[str, Array] | None = None,
        is_own: bool = False,
    ) -> None:
        self._document = document
        symbols = SymbolReader(_of(document, "unknown", dict, {}))
        self._rebuilder = Rebuilder(limits, symbols, file, is_own)
        self._values = ValueReader(symbols, ArrayReader(limits, archive, beside), limits)
        self._files = _of(document, "files", list, [])
        self._limits = limits

    def graph(self) -> Graph:
        """The graph.

        Raises:
            GraphFormatError: the document does not describe one; the message names the node.
        """
        nodes = _of(self._document, "nodes", list)
        if len(nodes) > self._limits.nodes:
            found = f"there are {len(nodes)} nodes; the limit is {self._limits.nodes}"
            raise GraphFormatError(found, code="file/limit")
        for number, node in enumerate(nodes):
            try:
                self._add(node, self._rebuilder)
            except GraphFormatError as error:
                name = node.get("name") if isinstance(node, dict) else None
                raise GraphFormatError(f"node {number} ({short(name)}): {brief(error)}", code=error.code) from None
        graph = self._rebuilder.finish(self._taken())
        self._fill_collections(graph)
        graph.scope_shows.update(self._shows())
        return graph

    def _taken(self) -> tuple[list[Any], list[Any]] | None:
        """The names that are taken without a node, scopes and others; None in a file from before they were kept."""
        if "scopes" not in self._document:
            return None
        scopes, others = _of(self._document, "scopes", list), _of(self._document, "reserved", list, [])
        self._check_names("scopes", scopes)
        self._check_names("reserved", others)
        return scopes, others

    def _shows(self) -> dict[str, Any]:
        shows: dict[str, Any] = _of(self._document, "shows", dict, {})
        self._check_names("shows", shows)
        for name, show in shows.items():
            if show not in SHOWS:
                raise GraphFormatError(f'"shows" has {short(show)} for {short(name)}; it is one of {", ".join(SHOWS)}')
        return shows

    def _check_names(self, key: str, names: Sized) -> None:
        most = self._limits.nodes
        if len(names) > most:
            raise GraphFormatError(f'"{key}" has {len(names)} names; the limit is {most}', code="file/limit")

    def _add(self, node: Any, rebuilder: Rebuilder) -> None:
        if not isinstance(node, dict) or not node.keys() <= _NODE_KEYS:
            raise GraphFormatError(f"it must be an object with keys among {', '.join(sorted(_NODE_KEYS))}")
        opdef = find_opdef(node.get("op"))
        inputs, attrs = _of(node, "inputs", dict, {}), _of(node, "attrs", dict, {})
        args: list[Any] = [None] * len(opdef.parameters)
        if inputs.keys() != {p for _, p, _ in opdef.operands} or attrs.keys() != {a.name for _, a in opdef.attrs}:
            wanted = ", ".join(opdef.parameters) or "none"
            raise GraphFormatError(f"its inputs and attrs must be those of {opdef.type}: {wanted}")
        for position, parameter, operand in opdef.operands:
            args[position] = self._operand(inputs[parameter], operand.many, rebuilder)
        for position, attr in opdef.attrs:
            if position not in opdef.bodies:
                args[position] = self._values.read(attrs[attr.name])
        for (position, operands), name in zip(opdef.body_operands, body_names(opdef), strict=True):
            args[position] = read_body(attrs[name], args[operands], rebuilder, self._add)
        op = rebuilder.add(
            node.get("name", ""),
            opdef,
            args,
            controls=tuple(rebuilder.operation(name) for name in _of(node, "after", list, [])),
            device=_of(node, "device", str, ""),
            origins=tuple(self._origin(o) for o in _of(node, "origins", list, [])),
            claimed=[_output(o) for o in _of(node, "outputs", list, [])],
        )
        self._pin(op, _of(node, "pinned", list, []))

    def _operand(self, data: Any, many: bool, rebuilder: Rebuilder) -> Any:
        if many:
            if not isinstance(data, list):
                raise GraphFormatError(f"an operand that is a list of tensors is {short(data)}")
            return tuple(rebuilder.tensor(name) for name in data)
        return None if data is None else rebuilder.tensor(data)

    def _pin(self, op: Operation, indices: list[Any]) -> None:
        for index in indices:
            if type(index) is not int or not 0 <= index < len(op.outputs):
                raise GraphFormatError(f"it pins the output {short(index)}, which it does not have")
            op.graph.refine(op.outputs[index], op.outputs[index].shape, ())

    def _origin(self, data: Any) -> Origin:
        good = isinstance(data, list) and [type(part) for part in data] == [int, int, str, str]
        if not good or not 0 <= data[0] < len(self._files) or not isinstance(self._files[data[0]], str):
            raise GraphFormatError("an origin must be [number of a file, line, function, text of the line]")
        return RecordedOrigin(self._files[data[0]], *data[1:])

    def _fill_collections(self, graph: Graph) -> None:
        for name, items in _of(self._document, "collections", dict, {}).items():
            if not isinstance(items, list):
                raise GraphFormatError(f"the collection {short(name)} is not a list")
            for item in items:
                graph.add_to_collection(name, self._item(item))

    def _item(self, data: Any) -> Any:
        if isinstance(data, dict) and len(data) == 1:
            ((kind, content),) = data.items()
            if kind == "tensor":
                return self._rebuilder.tensor(content)
            if kind == "operation":
                return self._rebuilder.operation(content)
            if kind == "value":
                return self._values.read(content)
        raise GraphFormatError("an item of a collection must be a tensor, an operation or a value")


def body_names(opdef: OpDef[Any, Any]) -> list[str]:
    """The names of the attributes that are graphs."""
    return [attr.name for position, attr in opdef.attrs if position in opdef.bodies]


def _output(data: Any) -> tuple[DType, Any]:
    if not isinstance(data, list) or len(data) != 2:
        raise GraphFormatError("an output must be [dtype, shape]")
    return dtype_called(data[0]), data[1]


def _of(data: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    """The value of a key, which must have that type; `default` where the key may be missing."""
    value = data.get(key, default)
    if not isinstance(value, kind):
        raise GraphFormatError(f'"{key}" is {short(value)}; it must be a {kind.__name__}')
    return value
