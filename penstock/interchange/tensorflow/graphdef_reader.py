"""Reading TensorFlow's GraphDef.

Nodes are sorted so that inputs come first. Each is translated (`op_table` backwards, `import_rules`) and passes the
same checks as a call. A node that has no counterpart here is left out and counted, and so are those that need it; the
rest can be run.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ...errors import GraphFormatError
from ...graph.nodes import Graph
from ...graph.serial.error_text import brief, short
from ...graph.serial.limits import DEFAULT_LIMITS, Limits, read_limited
from ...graph.serial.loaded_origins import LoadedOrigin
from ...graph.serial.rebuild import Rebuilder
from ...graph.serial.shape_data import SymbolReader
from .foreign_node import ForeignNode, ImportState, split_input
from .import_rules import FOREIGN, read_direct
from .messages import GraphProto, NodeProto
from .op_table import DIRECT
from .state_import_rules import STATE_NODES, initialized_value, read_after_controls
from .tensor_proto import Unsupported
from .text_format import from_text
from .wire_format import decode

_BY_THEIR_TYPE: dict[str, list[str]] = {}
for _ours, _direct in DIRECT.items():
    _BY_THEIR_TYPE.setdefault(_direct.type, []).append(_ours)


@dataclass(frozen=True, slots=True)
class LoadedGraphDef:
    """The result of `load_graphdef`.

    Attributes:
        graph: the graph of the supported nodes.
        types: how many types of ops the file has.
        missing: for each type that is not supported, how many nodes have it.
        reasons: for each of these nodes, why it is not supported.
        left_out: the names of supported nodes that need one of these.
    """

    graph: Graph
    types: int
    missing: dict[str, int]
    reasons: dict[str, str]
    left_out: tuple[str, ...]

    @property
    def report(self) -> str:
        """One line: how much is supported, and what is not."""
        text = f"{self.types - len(self.missing)} of {self.types} op types supported"
        if self.missing:
            text += "; missing: " + ", ".join(f"{short_name(type)} x{count}" for type, count in self.missing.items())
        if self.left_out:
            count = len(self.left_out)
            text += f"; {count} nodes that need" if count > 1 else "; 1 node that needs"
            text += " them are left out" if count > 1 else " them is left out"
        return text

    def __str__(self) -> str:
        return self.report


def read_graphdef_file(source: Path, limits: Limits | None = None) -> LoadedGraphDef:
    """`read_graphdef` of a file: the text form if its suffix is .pbtxt, else the binary form."""
    limits = limits or DEFAULT_LIMITS
    content = read_limited(source, limits.file_bytes)
    return read_graphdef(content, text=source.suffix.lower() == ".pbtxt", file=str(source), limits=limits)


def read_graphdef(
    content: bytes, *, text: bool = False, file: str = "graph.pb", limits: Limits = DEFAULT_LIMITS
) -> LoadedGraphDef:
    """The supported part of a TensorFlow GraphDef.

    Args:
        content: the content of the file.
        text: True for the text form of protobuf (.pbtxt) instead of the binary form.
        file: the name of the file, which becomes the origin of the nodes.
        limits: the largest counts to accept.

    Returns:
        A `LoadedGraphDef`: its `graph`, and a `report` on the nodes that are left out.

    Raises:
        GraphFormatError (a ValueError): the content is not a GraphDef, or exceeds a limit.

    >>> import penstock as tf
    >>> from penstock.interchange.tensorflow import read_graphdef, write_graphdef
    >>> with tf.Graph().as_default() as g:
    ...     a = tf.placeholder(tf.float32, [2], name="a")
    >>> read_graphdef(write_graphdef(g)).graph.get_operations()
    [<Operation 'a' Placeholder>]
    """
    if text:
        proto = from_text(GraphProto, content.decode("utf-8", "surrogateescape"), limits)
    else:
        proto = decode(GraphProto, content, limits)
    if content and not proto.nodes:
        raise GraphFormatError("the file has no node; a GraphDef is a list of nodes")
    if len(proto.nodes) > limits.nodes:
        raise GraphFormatError(f"there are {len(proto.nodes)} nodes; the limit is {limits.nodes}", code="file/limit")
    return _Import(proto, file, limits).result()


def add_graphdef(proto: GraphProto, file: str, graph: Graph) -> LoadedGraphDef:
    """Add the supported part of a GraphDef to a graph, in which none of its names is taken.

    Raises:
        GraphFormatError: the message is no graph.
    """
    return _Import(proto, file, DEFAULT_LIMITS, graph).result()


def short_name(text: str) -> str:
    """The name of an op or node in a report, at most 80 characters."""
    return text if text.isidentifier() and len(text) <= 80 else short(text)


class _Import:
    """The import of one GraphDef."""

    def __init__(self, proto: GraphProto, file: str, limits: Limits, graph: Graph | None = None) -> None:
        self._nodes = proto.nodes
        self._file = file
        rebuilder = Rebuilder(limits, SymbolReader(), file)
        if graph is not None:
            rebuilder.graph = graph
        self._state = ImportState(rebuilder, limits, [limits.constant_bytes], {node.name for node in proto.nodes})
        self._missing: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}
        self._left_out: list[str] = []

    def result(self) -> LoadedGraphDef:
        """Add every node that can be added."""
        for number in self._order():
            node = self._nodes[number]
            try:
                self._add(node, number)
            except Unsupported as error:
                self._missing[node.op] += 1
                self._reasons[node.name] = brief(error)
            except GraphFormatError as error:
                where = f"node {number} ({short(node.name)}, {short(node.op)})"
                raise GraphFormatError(f"{where}: {brief(error)}", code=error.code) from None
            except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                # A rule expects the inputs of its op; it fails on a node with other ones.
                where = f"node {number} ({short(node.name)}, {short(node.op)})"
                raise GraphFormatError(
                    f"{where}: its {len(node.inputs)} inputs and its attributes do not fit the op: {brief(error)}"
                ) from None
        types = len({node.op for node in self._nodes})
        left_out = tuple(self._left_out)
        return LoadedGraphDef(self._state.rebuilder.finish(), types, dict(self._missing), self._reasons, left_out)

    def _order(self) -> list[int]:
        """The nodes' numbers, inputs first, otherwise as in the file.

        Raises:
            GraphFormatError: a name occurs twice, an input is no node, or nodes need each other in a circle.
        """
        numbers: dict[str, int] = {}
        for number, node in enumerate(self._nodes):
            if numbers.setdefault(node.name, number) != number:
                raise GraphFormatError(f"the name {short(node.name)} occurs twice; names are unique")
        consumers: list[list[int]] = [[] for _ in self._nodes]
        waiting = [0] * len(self._nodes)
        for number, node in enumerate(self._nodes):
            for needed in {split_input(i)[0] for i in node.inputs}:
                if needed not in numbers:
                    raise GraphFormatError(f"node {short(node.name)} has the input {short(needed)}, which is no node")
                # The back edge of a loop. Its nodes have no counterpart here; the others can still be sorted.
                if self._nodes[numbers[needed]].op in ("NextIteration", "RefNextIteration"):
                    continue
                consumers[numbers[needed]].append(number)
                waiting[number] += 1
        ready = [number for number, count in enumerate(waiting) if not count]
        order: list[int] = []
        while ready:
            number = heapq.heappop(ready)
            order.append(number)
            for consumer in consumers[number]:
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, consumer)
        if len(order) < len(self._nodes):
            stuck = next(node.name for node, count in zip(self._nodes, waiting, strict=True) if count)
            raise GraphFormatError(f"node {short(stuck)} depends on itself through its inputs; a graph has no cycles")
        return order

    def _add(self, node: NodeProto, number: int) -> None:
        foreign, ours = FOREIGN.get(node.op) or STATE_NODES.get(node.op), _BY_THEIR_TYPE.get(node.op)
        if node.attr("_penstock_initial") is not None:
            foreign = initialized_value
        if foreign is None and ours is None and node.attr("_penstock_part") is None:
            raise Unsupported(f"no op here does what {short(node.op)} does")
        if any(split_input(i)[0] not in self._state.made for i in node.inputs):
            self._left_out.append(node.name)
            return
        if node.attr("_penstock_part") is not None:  # only the last of several nodes is one of ours
            self._state.made[node.name] = self._state.made[split_input(node.inputs[0])[0]]
            return
        source = ForeignNode(node, self._state, LoadedOrigin(self._file, number + 1, node.op))
        if source.controls and node.op not in STATE_NODES:
            read_after_controls(source)
        self._state.made[node.name] = foreign(source) if foreign is not None else read_direct(source, ours or [])
