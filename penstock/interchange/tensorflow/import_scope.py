"""What the import of a GraphDef has made so far: `ImportState` for the whole file, a `ImportScope` for each graph.

A graph inside an op has a scope of its own, which finds what the graphs around it have and captures it. A function of
the library that is called has one too; it sees nothing of the caller but its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from ...errors import GraphFormatError
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.error_text import short
from ...graph.serial.limits import Limits
from ...graph.serial.loaded_origins import LoadedOrigin
from ...graph.serial.rebuild import Rebuilder, find_opdef
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..foreign_flow.node_index import FlowNodes, OutputUse
from .wire.messages import FunctionProto
from .wire.tensor_proto import Unsupported


@dataclass(frozen=True, slots=True, eq=False)
class Handle:
    """What TensorFlow hands around for something with a state, and what has no tensor here.

    Attributes:
        kind: what it is, in words.
        node: the node that made it.
    """

    kind: str
    node: str


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A value of a branch outside of its conditional: a variant, empty where the other branch ran."""

    variant: Tensor
    dtype: DType
    shape: TensorShape


Value: TypeAlias = "Tensor | Handle | Kept | None"


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What a node of TensorFlow's became: the operation, if it is one, and what each of its outputs is."""

    op: Operation | None
    outputs: tuple[Value, ...]


@dataclass(slots=True)
class ImportState:
    """What holds for the whole file.

    Attributes:
        limits: bounds the file.
        file: its name, the origin of the nodes.
        constants_left: the bytes of constants that the limits still allow.
        read: adds what one node becomes.
        functions: the library.
        read_functions: those of them that were read.
        calls: the functions that are being read, the outermost first.
        variables: the operations that hold variables, by resource.
        pushed: the static shape of what is pushed to a stack.
        snapshots: our operations that only stand for the value of a variable, by node of TensorFlow's.
        elements: the dtypes and shapes of an element of the datasets that functions of datasets get.
    """

    limits: Limits
    file: str
    constants_left: list[int]
    read: Callable[[ImportScope, int], Made]
    functions: Mapping[str, FunctionProto] = field(default_factory=dict)
    read_functions: dict[str, Any] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    variables: dict[str, Operation] = field(default_factory=dict)
    pushed: dict[tuple[int, FlowNodes], TensorShape] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)
    elements: dict[Tensor, tuple[tuple[DType, ...], tuple[TensorShape, ...]]] = field(default_factory=dict)


class ImportScope:
    """The nodes of one graph, or of one function, and what they became.

    Args:
        state: what holds for the whole file.
        index: the nodes of TensorFlow's.
        aliases: nodes that only stand for an output of another one.
        rebuilder: adds our nodes.
        above: the scope around this one, of the same nodes.
        prefix: what is put before the names of our nodes, of a function that is called.
        first: operations after which all of them run.
    """

    def __init__(
        self,
        state: ImportState,
        index: FlowNodes,
        aliases: Mapping[int, OutputUse],
        rebuilder: Rebuilder,
        above: ImportScope | None = None,
        prefix: str = "",
        first: tuple[Operation, ...] = (),
    ) -> None:
        self.state = state
        self.index = index
        self.rebuilder = rebuilder
        self.prefix = prefix
        self.first = first
        self.made: dict[int, Made] = {}
        self.holders: dict[int, Operation] = {}
        self.is_own = False  # whether it is a body of one of our own files
        self.stacks: dict[int, Tensor] = {}
        self.stack_roots: dict[int, int] = above.stack_roots if above is not None else {}
        self.effectful: set[Operation] = set()
        self.always: list[Operation] = []
        self.lost: set[int] = above.lost if above is not None else set()
        self._aliases = aliases
        self._above = above

    @property
    def graph(self) -> Graph:
        """The graph to which nodes are added."""
        return self.rebuilder.graph

    @property
    def is_inside(self) -> bool:
        """Whether it is the graph of a body."""
        return self.graph.outer is not None

    def inside(self, rebuilder: Rebuilder) -> ImportScope:
        """A scope for the graph of a body made of some of the same nodes."""
        return ImportScope(self.state, self.index, self._aliases, rebuilder, self, self.prefix)

    # ---- values -------------------------------------------------------------------------------

    def find(self, node: int) -> Made | None:
        """What a node became, here or in a graph around this one."""
        scope: ImportScope | None = self
        while scope is not None:
            found = scope.made.get(node)
            if found is not None:
                return found
            scope = scope._above
        return None

    def has(self, use: OutputUse) -> bool:
        """Whether an output has a value here."""
        while use.node in self._aliases and self.find(use.node) is None:
            use = self._aliases[use.node]
        return self.find(use.node) is not None

    def misses(self, number: int) -> bool:
        """Whether a node needs one that could not be added."""
        index = self.index
        return not self.lost.isdisjoint(index.controls[number]) or not all(self.has(use) for use in index.data[number])

    def value(self, use: OutputUse) -> Value:
        """The value of an output.

        Raises:
            Unsupported: the node was not added. GraphFormatError: it has no such output.
        """
        while use.node in self._aliases and self.find(use.node) is None:
            use = self._aliases[use.node]
        made = self.find(use.node)
        if made is None:
            raise Unsupported(f"it needs {self.index.name(use.node)}, which is not there")
        if use.output >= len(made.outputs):
            name = short(f"{self.index.nodes[use.node].name}:{use.output}")
            raise GraphFormatError(f"its input {name} is an output that the node does not have")
        return made.outputs[use.output]

    def tensor(self, use: OutputUse) -> Tensor:
        """The tensor of an output, captured if it is one of a graph around this one."""
        value = self.value(use)
        if isinstance(value, Kept):
            value = self.unwrap(value)
        if not isinstance(value, Tensor):
            what = "nothing" if value is None else f"{value.kind} {short(value.node)}"
            raise Unsupported(f"its input {self.index.name(use.node)} is {what}, which is no tensor here")
        return self.admitted(value)

    def admitted(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that stands for one; a variable is one of all graphs."""
        return tensor if tensor.op.opdef.facts.state == "holds" else self.graph.admit(tensor)

    def stack(self, root: int) -> Tensor:
        """The current value of a stack, by the node that makes it."""
        scope: ImportScope | None = self
        while scope is not None:
            if root in scope.stacks:
                return self.admitted(scope.stacks[root])
            scope = scope._above
        raise Unsupported(f"it needs the stack {self.index.name(root)}, which is not there")

    def unwrap(self, kept: Kept) -> Tensor:
        """The value of a branch in a later branch on the same predicate."""
        variant = self.admitted(kept.variant)
        name = self.free_name(f"{kept.variant.op.name}/value")
        origin = LoadedOrigin(self.state.file, 0, "")
        args = [variant, kept.dtype, kept.shape]
        return self.rebuilder.add(name, find_opdef("UnwrapVariant"), args, origins=(origin,)).outputs[0]

    # ---- operations ---------------------------------------------------------------------------

    def operation(self, node: int) -> Operation | None:
        """What runs in this graph when a node runs, for control inputs."""
        while node in self._aliases and node not in self.made:
            node = self._aliases[node].node
        made = self.made.get(node)
        if made is not None:
            return made.op if made.op is not None and made.op.graph is self.graph else None
        return self.holders.get(node)

    def always_run(self, nodes: Iterable[int]) -> list[Operation]:
        """What runs in this graph when some nodes run."""
        return [op for op in map(self.operation, nodes) if op is not None]

    def free_name(self, name: str) -> str:
        """A name that no node has, neither here nor in the file."""
        free, count = name, 0
        names = self.graph.names
        while self._is_in_file(free) or free in self.rebuilder.operations or names.is_taken(free):
            count += 1
            free = f"{name}_{count}"
        return free

    def _is_in_file(self, name: str) -> bool:
        return name in self.index.numbers or name.removeprefix(self.prefix) in self.index.numbers
