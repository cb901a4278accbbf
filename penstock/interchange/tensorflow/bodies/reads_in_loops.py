"""Reads of reference variables that a loop writes, moved into the loop.

In a graph of TensorFlow 1 a loop reads a variable outside and lets the value in, and the write has the variable itself:

    v -> Identity "v/read" -> Enter "while/mul/Enter" -> mul          v -> RefEnter "while/Assign/Enter" -> Assign

The Identity gives the memory of the variable, not a copy, so an iteration of TensorFlow sees what the one before wrote.
Here a read is a value. So a use of it inside becomes a read inside, in the order that the use has:

    RefEnter "while/Assign/Enter" -> Identity "while/mul/Enter/read" -> mul
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...foreign_flow.loop_frames import ENTER
from ...foreign_flow.node_index import FlowNodes
from ..wire.messages import NodeProto

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
