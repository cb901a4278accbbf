"""The functions of a GraphDef's library, with references as those of a graph.

In a function an input is the name of an argument, or "node:result:0" with the name that TensorFlow's op definition
gives to the result. Here arguments are nodes of type `_Arg`, and references are "node:0" as everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....errors import GraphFormatError
from ....graph.common.quick_dataclass import dataclass
from ....graph.serial.error_text import brief, short
from ...foreign_flow.flow_tree import FlowTree
from ...foreign_flow.lifting import lifted
from ...foreign_flow.node_index import OutputUse
from ..result_names import OF_LISTS, called_results
from ..wire.messages import ArgProto, FunctionProto, LibraryProto, NodeProto

ARGUMENT = "_Arg"

@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be read.

    Attributes:
        name: its name.
        tree: its nodes; the first ones are the arguments.
        arguments: what the signature says of each.
        results: what it gives.
        always: nodes that run whenever it is called.
        attrs: attributes that our own files have.
    """

    name: str
    tree: FlowTree
    arguments: tuple[ArgProto, ...]
    results: tuple[OutputUse, ...]
    always: tuple[int, ...]
    proto: FunctionProto

    def unneeded(self) -> set[int]:
        """Nodes that no result and no node of `always` needs."""
        index = self.tree.index
        needed: set[int] = set()
        waiting = [*[use.node for use in self.results], *self.always]
        while waiting:
            number = waiting.pop()
            if number not in needed:
                needed.add(number)
                waiting += [*[use.node for use in index.data[number]], *index.controls[number]]
        return set(range(len(index.nodes))) - needed


def functions_of(library: LibraryProto | None) -> dict[str, FunctionProto]:
    """The functions of a library by name.

    Raises:
        GraphFormatError: two have one name, or one has none.
    """
    found: dict[str, FunctionProto] = {}
    for proto in library.functions if library is not None else ():
        if proto.signature is None or not proto.signature.name:
            raise GraphFormatError("the library has a function without a name")
        if found.setdefault(proto.signature.name, proto) is not proto:
            raise GraphFormatError(f"the library has two functions called {short(proto.signature.name)}")
    return found


def read_function(proto: FunctionProto, library: Mapping[str, FunctionProto]) -> Function:
    """A function of the library.

    Raises:
        GraphFormatError: its nodes, arguments or results do not fit together.
    """
    signature = proto.signature
    assert signature is not None  # or it would not be in the library
    try:
        return _read(proto, library, signature.name, signature.inputs, signature.outputs)
    except GraphFormatError as error:
        raise GraphFormatError(f"in the function {short(signature.name)}: {brief(error)}", code=error.code) from None


def _read(
    proto: FunctionProto,
    library: Mapping[str, FunctionProto],
    name: str,
    inputs: Sequence[ArgProto],
    outputs: Sequence[ArgProto],
) -> Function:
    for arg in (*inputs, *outputs):
        if arg.number_attr or arg.type_list_attr:
            raise GraphFormatError(f"{short(arg.name)} stands for a list of tensors, which is not supported")
    types = {arg.name: ARGUMENT for arg in inputs} | {node.name: node.op for node in proto.nodes}
    nodes = [NodeProto(arg.name, ARGUMENT) for arg in inputs]
    nodes += [replace(node, inputs=[_reference(text, types, library) for text in node.inputs]) for node in proto.nodes]
    tree = lifted(nodes)
    returned = {entry.key: entry.value for entry in proto.returns}
    results = []
    for arg in outputs:
        if arg.name not in returned:
            raise GraphFormatError(f"nothing says what its result {short(arg.name)} is")
        results.append(tree.index.use(NodeProto("ret"), _reference(returned[arg.name], types, library)))
    always = [tree.index.use(NodeProto("control_ret"), entry.value).node for entry in proto.control_returns]
    return Function(name, tree, tuple(inputs), tuple(results), tuple(always), proto)


def _reference(text: str, types: Mapping[str, str], library: Mapping[str, FunctionProto]) -> str:
    """A reference of a function as one of a graph."""
    if text[:1] == "^" or types.get(text) is not None:
        return text
    parts = text.split(":")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdigit()):
        if len(parts) == 2 and parts[0] in types:
            return text  # an old form
        raise GraphFormatError(f"the reference {short(text)} is not node:result:0, and not an argument")
    node, result, place = parts
    type = types.get(node, "")
    if type in OF_LISTS:
        raise GraphFormatError(f"the reference {short(text)} is to one of several lists, which is not supported")
    called = library.get(type)
    names = called_results(type)
    if called is not None and called.signature is not None:
        names = [arg.name for arg in called.signature.outputs]
    if len(names) < 2:
        return f"{node}:{place}"
    if result not in names:
        raise GraphFormatError(f"the reference {short(text)} names no result of {short(type)}")
    return f"{node}:{names.index(result)}"
