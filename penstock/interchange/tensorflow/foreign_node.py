"""`ForeignNode`: a node of TensorFlow's while it is imported, and the way to add ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import GraphFormatError
from ...graph.literal import Array
from ...graph.nodes import Operation, Tensor
from ...graph.serial.error_text import short
from ...graph.serial.limits import Limits
from ...graph.serial.rebuild import Rebuilder, find_opdef
from ...graph.source_location import Origin
from .messages import AttrValue, NodeProto
from .tensor_proto import Unsupported, array_of, dtype_of, shape_of_proto

Outputs = tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class ImportState:
    """What the import of one GraphDef has made so far.

    Attributes:
        rebuilder: adds our nodes.
        limits: bounds the file.
        constants_left: the bytes of constants that the limits still allow, in a list of one.
        taken: the names of TensorFlow's nodes.
        made: for each of them our operation.
        snapshots: those that only stand for the value of a variable.
    """

    rebuilder: Rebuilder
    limits: Limits
    constants_left: list[int]
    taken: set[str]
    made: dict[str, Operation] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)


class ForeignNode:
    """A node of TensorFlow's, and the way to add ours."""

    def __init__(self, node: NodeProto, state: ImportState, origin: Origin) -> None:
        self.node = node
        self._state = state
        self._origin = origin
        self.inputs = tuple([self.tensor(i) for i in node.inputs if not i.startswith("^")])
        self.controls = tuple(dict.fromkeys(state.made[i[1:]] for i in node.inputs if i.startswith("^")))

    def tensor(self, text: str) -> Tensor:
        """The tensor that an input refers to."""
        name, number = split_input(text)
        outputs = self._state.made[name].outputs
        if number >= len(outputs):
            raise GraphFormatError(f"its input {short(text)} is an output that the node does not have")
        return outputs[number]

    # ---- attributes -------------------------------------------------------------------------------

    def attr(self, name: str, kind: str, default: Any = None) -> Any:
        """An attribute of a kind: "b", "i", "s", "type", "shape", "tensor" or "list"; the default where it is left out.

        Raises:
            GraphFormatError: it is missing without a default, or of another kind.
        """
        found = self.node.attr(name)
        value = None if found is None else getattr(found, kind)
        if value is None:
            if (found is not None and found != AttrValue()) or default is None:
                raise GraphFormatError(f"its attribute {name} is missing or is of another kind than {kind}")
            return default
        if kind == "type":
            return dtype_of(value)
        return shape_of_proto(value) if kind == "shape" else value

    def take(self, count: int) -> Outputs:
        """The inputs, which must be so many."""
        if len(self.inputs) != count:
            raise GraphFormatError(f"it has {len(self.inputs)} inputs, not {count}")
        return self.inputs

    def array(self) -> Array:
        """The value of a constant."""
        return array_of(self.attr("value", "tensor"), self._state.limits, self._state.constants_left)

    # ---- adding -----------------------------------------------------------------------------------

    def add(self, type: str, *args: Any) -> Operation:
        """Add the node of ours that has this node's name."""
        return self._add(self.true_name, type, args, self.controls)

    def operation(self, name: str) -> Operation | None:
        """Our node of that name; None if it was not added."""
        return self._state.rebuilder.operations.get(name)

    def stand_for(self, op: Operation) -> Operation:
        """Let this node be `op`, the value of a variable at the start of a run."""
        self._state.snapshots.add(self.node.name)
        return op

    def is_snapshot(self, number: int) -> bool:
        """Whether an input is a node that was read with `stand_for`."""
        data = [text for text in self.node.inputs if not text.startswith("^")]
        return split_input(data[number])[0] in self._state.snapshots

    @property
    def true_name(self) -> str:
        """The name of our node."""
        given = self.node.attr("_penstock_name")
        return self.node.name if given is None or given.s is None else given.s.decode("utf-8", "surrogatepass")

    def helper(self, label: str, type: str, *args: Any, after: tuple[Operation, ...] = ()) -> Outputs:
        """Add a node that this one needs; `after`: its control inputs."""
        name, count = f"{self.node.name}/{label}", 0
        while name in self._state.taken or name in self._state.rebuilder.operations:
            count += 1
            name = f"{self.node.name}/{label}_{count}"
        return self._add(name, type, args, after).outputs

    def constant(self, label: str, array: Array) -> Tensor:
        """Add a helper that holds an array."""
        return self.helper(label, "Const", array)[0]

    def _add(self, name: str, type: str, args: tuple[Any, ...], controls: tuple[Operation, ...]) -> Operation:
        try:
            return self._state.rebuilder.add(name, find_opdef(type), list(args), controls=controls,
                                             device=self.node.device, origins=(self._origin,))  # fmt: skip
        except Unsupported:
            raise
        except GraphFormatError as error:
            # TensorFlow's op may take more than ours; only a bad name is an error of the file.
            if error.code in ("file/name", "file/limit"):
                raise
            raise Unsupported(str(error)) from None


def split_input(text: str) -> tuple[str, int]:
    """The node and the output that an input names: "node", "node:1", or "^node" for a control input."""
    if text.startswith("^"):
        return text[1:], 0
    name, colon, index = text.rpartition(":")
    return (name, int(index[:9])) if colon and index.isascii() and index.isdigit() else (text, 0)
