"""Reading TensorFlow's GraphDef.

Nodes are sorted so that inputs come first, and their control flow becomes a tree of conditionals and loops
(`interchange.foreign_flow`). Each node is translated (by the rules of `rules/`) and passes the same checks
as a call. A node that has no counterpart here is left out and counted, and so are those that need it; the rest can be
run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ...errors import GraphFormatError
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.lookup import INNER
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.error_text import brief, short
from ...graph.serial.limits import DEFAULT_LIMITS, Limits, read_limited
from ...graph.serial.rebuild import Rebuilder
from ...graph.serial.shape_data import SymbolReader
from ..foreign_flow.flow_tree import Conditional, FlowBlock, FlowLoop
from ..foreign_flow.lifting import lifted
from ..foreign_flow.loop_frames import ENTER, EXIT, SWITCH
from ..foreign_flow.node_index import MERGE, NEXT_ITERATION, OutputUse
from ..foreign_flow.stack_roots import nodes_in, stack_roots
from ..wire.wire_format import decode
from .bodies.call_counting import check_calls
from .bodies.flow_builder import build_flow
from .bodies.function_library import functions_of
from .bodies.reads_in_loops import with_reads_inside
from .import_errors import UnsupportedInside
from .import_scope import ImportScope, ImportState, Made, Value
from .node_reader import is_known, read_node
from .rules.functional_rules import FUNCTION_NODES
from .wire.messages import GraphProto
from .wire.tensor_proto import Unsupported
from .wire.text_format import from_text

UNKNOWN: Final = "no op here does what"
"""How the reason begins for a node of a type that has no counterpart."""


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

    @property
    def why(self) -> str:
        """For an error: a node of a type that is known, and why it could not be made; "" if there is none."""
        for name, reason in self.reasons.items():
            if not reason.startswith(UNKNOWN):
                return f" Node {short(name)}: {reason}."
        return ""

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


_FLOW = frozenset({*SWITCH, *MERGE, *ENTER, *EXIT, *NEXT_ITERATION, "LoopCond"})
GIVEN = "_Given"
"""The type of nodes that stand for tensors that the graph has already."""


def add_graphdef(
    proto: GraphProto,
    file: str,
    graph: Graph,
    tensors: Mapping[str, Tensor] | None = None,
    waits: Mapping[str, Operation] | None = None,
) -> LoadedGraphDef:
    """Add the supported part of a GraphDef to a graph, in which none of its names is taken.

    `tensors`, `waits`: the tensors and the operations that nodes of type `GIVEN` stand for, by name.

    Raises:
        GraphFormatError: the message is no graph.
    """
    stand_ins = {name: Made(tensor.op, (tensor,)) for name, tensor in (tensors or {}).items()}
    stand_ins |= {name: Made(op, ()) for name, op in (waits or {}).items()}
    return _Import(proto, file, DEFAULT_LIMITS, graph, stand_ins).result()


def short_name(text: str) -> str:
    """The name of an op or node in a report, at most 80 characters."""
    return text if text.isidentifier() and len(text) <= 80 else short(text)


class _Import:
    """The import of one GraphDef."""

    def __init__(
        self,
        proto: GraphProto,
        file: str,
        limits: Limits,
        graph: Graph | None = None,
        stand_ins: Mapping[str, Made] | None = None,
    ) -> None:
        functions = functions_of(proto.library)
        check_calls(proto.nodes, functions, FUNCTION_NODES, limits)
        self._nodes = with_reads_inside(proto.nodes)
        self._tree = lifted(self._nodes)
        rebuilder = Rebuilder(limits, SymbolReader(), file)
        if graph is not None:
            rebuilder.graph = graph
        state = ImportState(limits, file, [limits.constant_bytes], read_node, functions)
        self._scope = ImportScope(state, self._tree.index, self._tree.aliases, rebuilder)
        self._scope.stack_roots = stack_roots(self._tree)
        for name, stand_in in (stand_ins or {}).items():
            number = self._tree.index.numbers.get(name)
            if number is not None:
                self._scope.made[number] = stand_in
        self._missing: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}
        self._left_out: list[int] = []

    def result(self) -> LoadedGraphDef:
        """Add every node that can be added."""
        tree = self._tree
        for number, reason in tree.refused.items():
            self._is_missing(number, reason)
        for item in tree.top.items:
            if isinstance(item, int):
                self._add(item)
            else:
                self._add_flow(item)
        for number in tree.waiting:
            is_dead = self._nodes[number].op in _FLOW and not tree.refused  # in a branch that never runs
            if not is_dead and not is_known(self._scope, number):
                self._is_missing(number, f"{UNKNOWN} {short(self._nodes[number].op)} does")
            elif number not in self._scope.lost:
                self._left_out.append(number)
        self._note_names()
        types = len({node.op for node in self._nodes})
        names = tuple([self._nodes[number].name for number in sorted(self._left_out)])
        return LoadedGraphDef(self._scope.rebuilder.finish(), types, dict(self._missing), self._reasons, names)

    def _note_names(self) -> None:
        """Let what nodes of the file became be found under their names, where no operation has that name, and say of
        the others what they are a part of."""
        scope, graph = self._scope, self._scope.graph
        for number, node in enumerate(self._nodes):
            if node.op == GIVEN:
                continue
            operation = scope.rebuilder.operations.get(node.name)
            outputs = self._outputs_of(number)
            count = 0 if operation is None else len(operation.outputs)
            for place, value in enumerate(outputs):
                if place >= count and isinstance(value, Tensor) and value.graph is graph:
                    graph.name_also(f"{node.name}:{place}", value)
            if operation is None:
                graph.note_absent(node.name, self._why_absent(number))

    def _outputs_of(self, number: int) -> tuple[Value, ...]:
        scope = self._scope
        made = scope.made.get(number)
        if made is not None:
            return made.outputs
        if number not in self._tree.aliases or not scope.has(OutputUse(number)):
            return ()
        try:
            return (scope.value(OutputUse(number)),) * 2  # a Switch: its value, whichever branch runs
        except GraphFormatError:  # it is inside a loop
            return ()

    def _why_absent(self, number: int) -> str:
        holder = self._scope.holders.get(number)
        if holder is not None:
            return f"it is a part of {holder.name!r}, which is one {holder.type} here. {INNER}"
        if number in self._scope.lost:
            name = self._nodes[number].name
            return f"it was left out, because {self._reasons.get(name, 'a node that it needs was left out')}"
        return "it is a part of a branch or a loop, or never runs"

    def _add(self, number: int) -> None:
        scope = self._scope
        if number in scope.made:
            return  # what was given
        if scope.misses(number) and is_known(scope, number):
            self._leave_out([number])
            return
        try:
            scope.made[number] = read_node(scope, number)
        except UnsupportedInside as error:
            self._missing[error.type] += 1
            self._reasons[error.name] = brief(error)
            self._leave_out([number])
        except Unsupported as error:
            self._is_missing(number, brief(error))

    def _add_flow(self, item: Conditional | FlowLoop) -> None:
        try:
            build_flow(self._scope, item)
        except UnsupportedInside as error:
            self._missing[error.type] += 1
            self._reasons[error.name] = brief(error)
            self._leave_out(nodes_in(FlowBlock((item,))))
        except Unsupported as error:
            parts = nodes_in(FlowBlock((item,)))
            if isinstance(item, FlowLoop) and item.variables:
                self._is_missing(item.variables[0].merge, brief(error))
            elif isinstance(item, Conditional) and item.results:
                self._is_missing(item.results[0].node, brief(error))
            self._leave_out([each for each in parts if each not in self._scope.lost])

    def _is_missing(self, number: int, reason: str) -> None:
        node = self._nodes[number]
        self._missing[node.op] += 1
        self._reasons[node.name] = reason
        self._scope.lost.add(number)

    def _leave_out(self, numbers: list[int]) -> None:
        self._left_out += numbers
        self._scope.lost.update(numbers)
