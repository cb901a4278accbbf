"""Writing a graph as a GraphDef, the form in which TensorFlow keeps graphs.

Each operation becomes one node of TensorFlow's, as its declaration says, or what a rule of `rules/` writes.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphFormatError
from ...graph.common.function_attribute import PythonFunction
from ...graph.model.nodes import Graph, Operation
from ...graph.serial.attribute_data import OF_A_PLAN
from ..wire.wire_format import encode
from .bodies.function_writer import LibraryWriter
from .node_writer import ExportRule, NodeWriter
from .rules.arithmetic_rules import ARITHMETIC_WRITTEN
from .rules.array_export_rules import ARRAYS
from .rules.dataset_export_rules import OF_DATASETS
from .rules.direct_rules import form_of, write_direct
from .rules.flow_export_rules import OF_FLOW
from .rules.index_rules import INDEX_WRITTEN
from .rules.list_export_rules import OF_LISTS
from .rules.matrix_and_text_rules import MATRICES_AND_TEXTS_WRITTEN
from .rules.movement_rules import MOVEMENT_WRITTEN
from .rules.queue_rules import OF_QUEUES
from .rules.record_rules import OF_RECORDS
from .rules.state_export_rules import OF_STATE
from .rules.table_rules import OF_TABLES
from .wire.messages import GraphProto, LibraryProto, VersionProto
from .wire.text_format import to_text

_PRODUCER = 440
"""The version of TensorFlow's graph format whose rules the nodes follow."""


def write_graphdef(graph: Graph, *, text: bool = False) -> bytes:
    """A graph as a TensorFlow GraphDef.

    Args:
        graph: the graph.
        text: True for the text form of protobuf, in UTF-8, instead of the binary form.

    Returns:
        The content of a .pb file, or of a .pbtxt file.

    Raises:
        GraphFormatError (a ValueError): an op has no counterpart in TensorFlow.

    >>> import penstock as tf
    >>> from penstock.interchange.tensorflow import write_graphdef
    >>> with tf.Graph().as_default() as g:
    ...     a = tf.placeholder(tf.float32, [2], name="a")
    >>> print(write_graphdef(g, text=True).decode().splitlines()[1])
      name: "a"
    """
    proto, _ = graph_proto(graph)
    return to_text(proto).encode("utf-8") if text else encode(proto)


def graphdef_to_look_at(graph: Graph) -> bytes:
    """A graph as a GraphDef that TensorBoard draws; what has no counterpart in TensorFlow is a node without attributes.
    """
    return encode(_proto(graph, _write_in_any_case)[0])


def graph_proto_in_any_case(graph: Graph) -> GraphProto:
    """The message for a graph; what has no counterpart in TensorFlow is a node of our type without attributes."""
    return _proto(graph, _write_in_any_case)[0]


def graph_proto(graph: Graph) -> tuple[GraphProto, NodeWriter]:
    """The message for a graph, and what knows how its nodes are called there.

    Raises:
        GraphFormatError: an op has no counterpart in TensorFlow.
    """
    return _proto(graph, _write)


def _proto(graph: Graph, write: Callable[[NodeWriter, Operation], None]) -> tuple[GraphProto, NodeWriter]:
    operations = graph.get_operations()
    library = LibraryWriter(write)
    writer = NodeWriter(operations, library)
    for op in operations:
        writer.begin(op)
        write(writer, op)
    functions = LibraryProto(library.functions) if library.functions else None
    return GraphProto(writer.nodes, functions, VersionProto(_PRODUCER)), writer


def _write_in_any_case(writer: NodeWriter, op: Operation) -> None:
    try:
        _write(writer, op)
    except GraphFormatError:
        writer.node(op.type, [writer.ref(t) for t in op.inputs])


_RULES: dict[str, ExportRule] = {
    **OF_TABLES, **OF_DATASETS, **OF_RECORDS, **OF_QUEUES, **ARRAYS, **OF_LISTS, **OF_FLOW, **OF_STATE,
    **MOVEMENT_WRITTEN, **INDEX_WRITTEN, **ARITHMETIC_WRITTEN, **MATRICES_AND_TEXTS_WRITTEN,
}  # fmt: skip


def has_counterpart(type: str) -> bool:
    """Whether TensorFlow has a node for uses of an op; for some of them at least."""
    return type in _RULES or form_of(type) is not None


def _write(writer: NodeWriter, op: Operation) -> None:
    writer.hides_helpers = op.type in OF_FLOW or op.type in OF_LISTS
    rule = _RULES.get(op.type)
    if rule is not None and rule(writer, op) is not False:
        return
    form = form_of(op.type)
    if form is None:
        raise GraphFormatError(f"the node {op.name!r} is a {op.type}, for which TensorFlow has no counterpart; "
                               f"{_instead(op)}")  # fmt: skip
    write_direct(writer, op, form)


def _instead(op: Operation) -> str:
    """What to do with a node that has no counterpart."""
    if op.opdef.lower_rule is not None:
        return OF_A_PLAN
    if any(isinstance(arg, PythonFunction) for arg in op.args):
        return "no file holds a Python function"
    inside = ", and none for graphs inside ops" if op.opdef.bodies else ""
    return f".json keeps it{inside}"
