"""Reading TensorFlow's GraphDef.

Nodes are sorted so that inputs come first, and their control flow becomes a tree of conditionals and loops
(`interchange.foreign_flow`). Each node is translated (by the rules of `rules/`) and passes the same checks
as a call. A node that has no counterpart here is left out and counted, and so are those that need it; the rest can be
run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...errors import GraphFormatError
from ...graph.model.lookup import INNER
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.error_text import brief, short
from ...graph.serial.limits import DEFAULT_LIMITS, Limits, read_limited
from ...graph.serial.rebuild import Rebuilder
from ...graph.serial.shape_data import SymbolReader
from ..foreign_flow.flow_tree import Conditional, FlowBlock, FlowLoop
from ..foreign_flow.lifting import lifted
from ..foreign_flow.loop_frames import ENTER, EXIT, SWITCH
from ..foreign_flow.node_index import MERGE, NEXT_ITERATION, FlowNodes, OutputUse
from ..foreign_flow.stack_roots import nodes_in, stack_roots
from ..wire.wire_format import decode
from .bodies.flow_builder import build_flow
from .bodies.function_library import functions_of
from .import_errors import UnsupportedInside
from .import_scope import ImportScope, ImportState, Made, Value
from .node_reader import is_known, read_node
from .rules.functional_rules import FUNCTION_NODES
from .wire.messages import FunctionProto, GraphProto, NodeProto
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


# ---- how many nodes a GraphDef becomes when the functions that it calls take the place of the calls ----
# Functions that call each other eight times, ten levels deep, are a file of some kilobytes and a graph of 10^9 nodes.
# The count of a function is that of its nodes and of the functions that they call, each computed once, so counting
# takes a time in proportion to the file.


FEWEST = 20_000
"""So many nodes are always allowed; they take a second or two."""


def check_calls(
    nodes: Sequence[NodeProto], functions: Mapping[str, FunctionProto], callers: Container[str], limits: Limits
) -> None:
    """Refuse a graph that is too large with the functions that it calls; nothing is made of it.

    Args:
        nodes: the nodes of the graph.
        functions: the library, by name.
        callers: types of nodes that call the functions which their attributes name.
        limits: `nodes` bounds the graph, `growth` how much larger than the file it may be.

    Raises:
        GraphFormatError: it is too large.
    """
    if not functions:
        return
    in_file = len(nodes) + sum(len(each.nodes) for each in functions.values())
    most = min(limits.nodes, max(FEWEST, limits.growth * in_file))
    counts = _counts(functions, callers, most)
    total = 0
    for number, node in enumerate(nodes):
        total += 1 + sum(counts[name] for name in _called(node, functions, callers))
        if total > most:
            raise GraphFormatError(
                f"node {number} ({short(node.name)}, {short(node.op)}): with the functions that it and the nodes "
                f"before it call, a graph of {in_file} nodes becomes one of more than {most}; the limits are "
                f"{limits.nodes} nodes and {limits.growth} for each in the file. Give larger ones with "
                "Limits(nodes=..., growth=...) if the file is trusted",
                code="file/limit",
            )


def _called(node: NodeProto, functions: Mapping[str, FunctionProto], callers: Container[str]) -> Iterator[str]:
    """The functions of the library that a node calls."""
    if node.op in functions:
        yield node.op
    elif node.op in callers:
        for entry in node.attrs:
            value = entry.value
            if value is not None:
                named = [value.func] if value.func is not None else value.list.func if value.list is not None else ()
                yield from (each.name for each in named if each.name in functions)


def _counts(functions: Mapping[str, FunctionProto], callers: Container[str], most: int) -> dict[str, int]:
    """The nodes of each function with those that it calls, `most + 1` for more. Calls of itself count nothing: they are
    refused where they are met."""
    calls = {
        name: [called for node in proto.nodes for called in _called(node, functions, callers)]
        for name, proto in functions.items()
    }
    counts: dict[str, int] = {}
    entered: set[str] = set()
    for outermost in functions:
        waiting = [outermost]
        while waiting:
            name = waiting[-1]
            if name in counts:
                waiting.pop()
            elif name in entered:
                total = len(functions[name].nodes) + sum(counts.get(called, 0) for called in calls[name])
                counts[name] = min(total, most + 1)
                waiting.pop()
            else:
                entered.add(name)
                waiting += dict.fromkeys(called for called in calls[name] if called not in entered)
    return counts


# ---- reads of reference variables that a loop writes, moved into the loop -----------------------
# In a graph of TensorFlow 1 a loop reads a variable outside and lets the value in, and the write has the variable
# itself:
#
#     v -> Identity "v/read" -> Enter "while/mul/Enter" -> mul          v -> RefEnter "while/Assign/Enter" -> Assign
#
# The Identity gives the memory of the variable, not a copy, so an iteration of TensorFlow sees what the one before
# wrote. Here a read is a value. So a use of it inside becomes a read inside, in the order that the use has:
#
#     RefEnter "while/Assign/Enter" -> Identity "while/mul/Enter/read" -> mul


_VARIABLES: Final = ("VariableV2", "Variable")


def with_reads_inside(nodes: Sequence[NodeProto]) -> Sequence[NodeProto]:
    """The nodes with such reads moved; those that are added stand behind the others.

    Raises:
        GraphFormatError: a name occurs twice, or an input is no node.
    """
    if not any(node.op == "RefEnter" for node in nodes):
        return nodes
    index = FlowNodes(nodes)
    written = {(_frame(node), _base(index, number)): node.name for number, node in enumerate(nodes)
               if node.op == "RefEnter"}  # fmt: skip
    inside: dict[str, str] = {}
    for number, node in enumerate(nodes):
        variable = _variable_read(index, number) if node.op == "Enter" else None
        reference = None if variable is None else written.get((_frame(node), variable))
        if reference is not None:
            inside[node.name] = reference
    return _Moved(nodes, inside).nodes if inside else nodes


def _frame(node: NodeProto) -> bytes:
    value = node.attr("frame_name")
    return b"" if value is None else value.s or b""


def _base(index: FlowNodes, number: int) -> int:
    """The node whose first output comes in by the Enters that lead to a node."""
    for _ in range(len(index.nodes)):
        if index.type(number) not in ENTER or not index.data[number]:
            break
        number = index.data[number][0].node
    return number


def _variable_read(index: FlowNodes, enter: int) -> int | None:
    """The variable whose read an Enter lets in; None where the read waits for something, or is none."""
    read = _base(index, enter)
    if index.type(read) != "Identity" or len(index.data[read]) != 1 or index.controls[read]:
        return None
    variable = index.data[read][0].node
    return variable if index.type(variable) in _VARIABLES else None


class _Moved:
    """The nodes, with reads inside: Enter -> the RefEnter of the variable that it lets the value of in."""

    def __init__(self, nodes: Sequence[NodeProto], inside: dict[str, str]) -> None:
        self._inside = inside
        self._of_enter = {node.name: node for node in nodes if node.name in inside}
        self._names = {node.name for node in nodes}
        self._reads: dict[tuple[str, tuple[str, ...]], NodeProto] = {}
        self.nodes = [self._with_reads(node) for node in nodes]
        self.nodes += self._reads.values()

    def _with_reads(self, node: NodeProto) -> NodeProto:
        waits = tuple([text for text in node.inputs if text.startswith("^")])
        inputs = [self._read(text.removesuffix(":0"), waits) or text for text in node.inputs]
        return node if inputs == node.inputs else NodeProto(node.name, node.op, inputs, node.device, node.attrs)

    def _read(self, enter: str, waits: tuple[str, ...]) -> str | None:
        """The read that takes the place of an Enter in a node that waits for others."""
        reference = self._inside.get(enter)
        if reference is None:
            return None
        found = self._reads.get((enter, waits))
        if found is None:
            attrs = [entry for entry in self._of_enter[enter].attrs if entry.key == "T"]
            found = NodeProto(self._free_name(f"{enter}/read"), "Identity", [reference, *waits], "", attrs)
            self._reads[enter, waits] = found
        return found.name

    def _free_name(self, name: str) -> str:
        count, free = 0, name
        while free in self._names:
            count += 1
            free = f"{name}_{count}"
        self._names.add(free)
        return free
