"""`ForeignNode`: a node of TensorFlow's while it is imported, and the way to add ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import GraphFormatError
from ...graph.model.nodes import Operation, Tensor
from ...graph.serial.loaded_origins import LoadedOrigin
from ...graph.serial.rebuild import find_opdef
from ...graph.shapes.literal import Array
from .import_scope import ImportScope, Made, Value
from .wire.messages import AttrValue, ListValue, NodeProto
from .wire.tensor_proto import Unsupported, array_of, dtype_of, shape_of_proto

Outputs = tuple[Tensor, ...]


class ForeignNode:
    """A node of TensorFlow's, and the way to add ours.

    Attributes:
        node: the node.
        number: its place in the file.
        scope: the graph to which ours is added.
        controls: the operations that run before it.
    """

    def __init__(self, scope: ImportScope, number: int) -> None:
        self.node: NodeProto = scope.index.nodes[number]
        self.number = number
        self.scope = scope
        self._origin = LoadedOrigin(scope.state.file, number + 1, self.node.op)
        self.uses = scope.index.data[number]
        self._values: tuple[Value, ...] | None = None
        self._inputs: Outputs | None = None
        waits = [scope.operation(each) for each in scope.index.controls[number]]
        self.controls = tuple(dict.fromkeys([*scope.first, *[op for op in waits if op is not None]]))

    @property
    def values(self) -> tuple[Value, ...]:
        """The inputs, tensors or not."""
        if self._values is None:
            self._values = tuple([self.scope.value(use) for use in self.uses])
        return self._values

    @property
    def inputs(self) -> Outputs:
        """The inputs, which must be tensors."""
        if self._inputs is None:
            self._inputs = tuple([self.scope.tensor(use) for use in self.uses])
        return self._inputs

    def replace_inputs(self, inputs: Outputs) -> None:
        """Take other tensors for the inputs."""
        self._inputs = inputs

    def tensor(self, text: str) -> Tensor:
        """The tensor that a reference names."""
        return self.scope.tensor(self.scope.index.use(self.node, text))

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

    def text(self, name: str) -> str:
        """An attribute that is a text; "" where it is left out."""
        found: bytes = self.attr(name, "s", b"")
        return found.decode("utf-8", "surrogatepass")

    def listed(self, name: str) -> ListValue:
        """An attribute that is a list; an empty one where it is left out or no list."""
        found = self.node.attr(name)
        return ListValue() if found is None or found.list is None else found.list

    def take(self, count: int) -> Outputs:
        """The inputs, which must be so many."""
        if len(self.uses) != count:
            raise GraphFormatError(f"it has {len(self.uses)} inputs, not {count}")
        return self.inputs

    def array(self) -> Array:
        """The value of a constant."""
        state = self.scope.state
        return array_of(self.attr("value", "tensor"), state.limits, state.constants_left)

    # ---- adding -----------------------------------------------------------------------------------

    def add(self, type: str, *args: Any) -> Operation:
        """Add the node of ours that has this node's name."""
        return self._add(self.true_name, type, args, self.controls)

    def stand_for(self, op: Operation) -> Operation:
        """Let this node be `op`, the value of a variable at the start of a run."""
        self.scope.state.snapshots.add(self.node.name)
        return op

    def is_snapshot(self, number: int) -> bool:
        """Whether an input is a node that was read with `stand_for`."""
        return self.scope.index.nodes[self.uses[number].node].name in self.scope.state.snapshots

    @property
    def true_name(self) -> str:
        """The name of our node."""
        given = self.node.attr("_penstock_name")
        own = self.node.name if given is None or given.s is None else given.s.decode("utf-8", "surrogatepass")
        return self.scope.prefix + own

    def helper(self, label: str, type: str, *args: Any, after: tuple[Operation, ...] = ()) -> Outputs:
        """Add a node that this one needs; `after`: its control inputs."""
        name = self.scope.free_name(f"{self.scope.prefix}{self.node.name}/{label}")
        return self._add(name, type, args, after).outputs

    def constant(self, label: str, array: Array) -> Tensor:
        """Add a helper that holds an array."""
        return self.helper(label, "Const", array)[0]

    def _add(self, name: str, type: str, args: tuple[Any, ...], controls: tuple[Operation, ...]) -> Operation:
        return add_operation(self.scope, name, type, args, controls, self.node.device, self._origin)


def add_operation(
    scope: ImportScope,
    name: str,
    type: str,
    args: tuple[Any, ...],
    controls: tuple[Operation, ...],
    device: str,
    origin: LoadedOrigin,
) -> Operation:
    """Add a node of ours.

    Raises:
        Unsupported: ours takes less than TensorFlow's. GraphFormatError: a bad name, or a limit is reached.
    """
    if scope.is_inside and name not in scope.rebuilder.operations and scope.graph.names.is_taken(name):
        name = scope.free_name(name)  # of an input of the body, which is called after what it stands for
    try:
        op = scope.rebuilder.add(name, find_opdef(type), list(args), controls=controls, device=device,
                                 origins=(origin,))  # fmt: skip
    except Unsupported:
        raise
    except GraphFormatError as error:
        # TensorFlow's op may take more than ours; only a bad name is an error of the file.
        if error.code in ("file/name", "file/limit"):
            raise
        raise Unsupported(str(error)) from None
    if scope.is_inside:
        scope.graph.names.take(name)  # before another input of the body gets its name
    return op


def outputs_of(op: Operation) -> Made:
    """What a node became that is one operation."""
    return Made(op, tuple(op.outputs))


def read_as(type: str, count: int) -> Callable[[ForeignNode], Operation]:
    """The node as an op of ours, without attributes."""
    return lambda s: s.add(type, *s.take(count))
