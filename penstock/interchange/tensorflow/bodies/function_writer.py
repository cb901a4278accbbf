"""Graphs inside ops as functions of a GraphDef's library.

What our own reader needs besides, so that it gets back the graph that was written, stands in attributes of a function:

    _penstock_body       the scope of the body's operations
    _penstock_inputs     the names of its inputs
    _penstock_captures   how many of the last are captures
    _penstock_shapes     the shapes of its inputs; a size called "@2.0" is that of dimension 0 of operand 2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ..node_writer import NodeWriter, attr_value
from ..result_names import reference
from ..wire.messages import (
    ArgProto,
    AttrEntry,
    AttrValue,
    FunctionName,
    FunctionProto,
    ListValue,
    NodeProto,
    ShapeProto,
    SignatureProto,
    TextEntry,
)
from ..wire.tensor_proto import dtype_number, shape_proto

Write = Callable[[NodeWriter, Operation], None]


def body_function(w: NodeWriter, op: Operation, label: str, body: SubGraph, operands: Sequence[Tensor]) -> str:
    """Add a body to the library; the name of its function.

    Raises:
        GraphFormatError: an op in it has no counterpart in TensorFlow's functions.
    """
    for each in body.operations:
        if each.opdef.facts.state:
            raise GraphFormatError(
                f"the node {each.name!r} inside {op.name!r} uses a variable; TensorFlow's functions take variables "
                "only as handles, which our .pb files do not have. .json keeps it"
            )
    inner = NodeWriter([*[t.op for t in body.inputs], *body.operations], w.library)
    names = [f"input_{i}" for i in range(len(body.inputs))]
    for tensor, name in zip(body.inputs, names, strict=True):
        inner.stand_for(tensor, inner.reserved(name))
    for each in body.operations:
        inner.begin(each)
        w.library.write(inner, each)
    captures = len(body.captures)
    attrs = {
        "_penstock_body": body.name,
        "_penstock_captures": captures,
        "_penstock_inputs": AttrValue(list=ListValue(s=[t.op.name.encode() for t in body.inputs])),
        "_penstock_shapes": AttrValue(list=ListValue(shape=_shapes(body.inputs, operands))),
    }
    arguments = [(inner.ref(t), dtype_number(t.dtype)) for t in body.inputs]
    results = [(inner.ref(t), dtype_number(t.dtype)) for t in body.outputs]
    always = [inner.name_of(each) for each in body.targets]
    return str(w.library.add(f"{op.name}_{label}", inner.nodes, arguments, results, always, attrs))


def _shapes(inputs: Sequence[Tensor], operands: Sequence[Tensor]) -> list[ShapeProto]:
    """The shapes of inputs, with sizes of operands by their places."""
    places: dict[Any, str] = {}
    for number, operand in enumerate(operands):
        for axis, size in enumerate(operand.shape.raw or ()):
            if not isinstance(size, int):
                places.setdefault(size, f"@{number}.{axis}")
    found = []
    for tensor in inputs:
        proto = shape_proto(tensor.shape)
        for dim, size in zip(proto.dims, tensor.shape.raw or (), strict=True):
            if not isinstance(size, int) and size in places:
                dim.name = places[size]
        found.append(proto)
    return found


class LibraryWriter:
    """Collects the functions of one file.

    Args:
        write: adds the nodes of an operation.

    Attributes:
        elements: for datasets that functions get, the dtypes and shapes of an element.
    """

    def __init__(self, write: Write) -> None:
        self.functions: list[FunctionProto] = []
        self.write = write
        self.elements: dict[Tensor, Any] = {}
        self._taken: set[str] = set()

    def add(
        self,
        wanted: str,
        nodes: Sequence[NodeProto],
        arguments: Sequence[tuple[str, int]],
        results: Sequence[tuple[str, int]],
        always: Sequence[str] = (),
        attrs: dict[str, Any] | None = None,
    ) -> str:
        """Add a function whose nodes refer to each other as those of a graph do.

        Args:
            wanted: its name, if that is free.
            nodes: its nodes.
            arguments: the names of the arguments and the numbers of their dtypes.
            results: references, and the numbers of their dtypes.
            always: the names of nodes that run whenever it is called.
            attrs: attributes of the function.
        """
        clean = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in wanted)[:200]
        name, count = clean, 0
        while name in self._taken:
            count += 1
            name = f"{clean}_{count}"
        self._taken.add(name)
        types = {node.name: node.op for node in nodes}
        given = {argument for argument, _ in arguments}
        for node in nodes:
            node.inputs = [_in_function(text, types, given) for text in node.inputs]
        outputs = [ArgProto(f"result_{i}", type) for i, (_, type) in enumerate(results)]
        self.functions.append(FunctionProto(
            SignatureProto(name, [ArgProto(text, type) for text, type in arguments], outputs, bool(always),
                           [f"control_{i}" for i in range(len(always))]),
            list(nodes),
            [TextEntry(f"result_{i}", _in_function(text, types, given)) for i, (text, _) in enumerate(results)],
            [AttrEntry(key, attr_value(value)) for key, value in sorted((attrs or {}).items())],
            [TextEntry(f"control_{i}", node) for i, node in enumerate(always)],
        ))  # fmt: skip
        return name


def _in_function(text: str, types: dict[str, str], given: set[str]) -> str:
    """A reference of a graph as one of a function."""
    if text[:1] == "^" or text in given:
        return text
    node, colon, output = text.rpartition(":")
    if not colon or node not in types:
        node, output = text, "0"
    return reference(node, types[node], int(output))


def named(function: str) -> AttrValue:
    """A function as an attribute."""
    return AttrValue(func=FunctionName(function))


def types_of(tensors: Sequence[Tensor]) -> AttrValue:
    """The dtypes of tensors as an attribute."""
    return AttrValue(list=ListValue(type=[dtype_number(t.dtype) for t in tensors]))
