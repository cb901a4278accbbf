"""Rebuilding nodes from their description in a file.

A described node passes every check that a call passes, except that its arguments are bound already and its name is
taken as it is written. Operands are checked against the signature, attributes are converted, the shape rule runs. So a
file cannot describe a node that no call could make; it can only claim shapes, which each run checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GraphFormatError, OpError, PenstockError
from ..building.builder import flatten, infer_with_claims, unify
from ..common.quick_dataclass import dataclass
from ..common.source_location import Origin
from ..declare.op_declaration import OpDef, declared
from ..model.append import append_operation, append_placeholder
from ..model.nodes import Graph, Operation, Tensor
from ..shapes.dtypes import DType
from ..shapes.shape import TensorShape, refined
from .error_text import brief, short
from .limits import Limits
from .loaded_origins import LoadedOrigin
from .shape_data import SymbolReader


@dataclass(slots=True)
class _Count:
    """Nodes and their outputs that were made of one file, those inside others included."""

    nodes: int = 0
    outputs: int = 0


class Rebuilder:
    """Adds described nodes to a new graph, in the order in which they are described."""

    def __init__(self, limits: Limits, symbols: SymbolReader, file: str = "", is_own: bool = False) -> None:
        """is_own: the file was written by this version and is trusted: what it says of shapes is taken."""
        self.graph = Graph()
        self._is_own = is_own
        if file:
            self.graph.origin = LoadedOrigin(file, 0, "")
        self.operations: dict[str, Operation] = {}
        self._limits = limits
        self._symbols = symbols
        self._count = _Count()
        self.depth = 0  # bodies around the graph

    def inside(self, graph: Graph) -> Rebuilder:
        """What adds nodes to the graph of a body; they count with those around it."""
        inner = Rebuilder(self._limits, self._symbols, is_own=self._is_own)
        inner.graph = graph
        inner._count = self._count
        inner.depth = self.depth + 1
        return inner

    def input(self, name: Any, dtype: DType, data: Any, operand: Tensor) -> Tensor:
        """Add the input of a body that stands for `operand`; a shape (as data) that is another is checked by each run.

        Raises:
            GraphFormatError: a name that cannot be, or a shape that is none.
        """
        return self.given(name, dtype, self._symbols.shape(data), operand)

    def given(self, name: Any, dtype: DType, shape: TensorShape, operand: Tensor) -> Tensor:
        """`input`, with a shape that is read already."""
        self._check_name(name)
        made = append_placeholder(self.graph, dtype, shape, name, (self.graph.origin,))
        self._count.nodes += 1
        self.operations[name] = made.op
        if shape.raw is not None and shape.raw != operand.shape.raw:
            self.graph.refine(made, shape, ())
        return made

    def add(
        self,
        name: str,
        opdef: OpDef[Any, Any],
        args: list[Any],
        *,
        controls: tuple[Operation, ...] = (),
        device: str = "",
        origins: tuple[Origin, ...] = (),
        claimed: Sequence[tuple[DType, Any]] | None = None,
    ) -> Operation:
        """Add one node; `claimed` has the dtype and the shape (as data) of each output, None for what the rules find.

        Raises:
            GraphFormatError: the node could not be the result of a call.
        """
        self._check_name(name)
        try:
            for position, attr in opdef.attrs:
                args[position] = attr.convert(args[position])
            if self._is_own and claimed is not None:
                return self._add_own(name, opdef, args, controls, device, origins, claimed)
            _check_operands(opdef, args)
            unify(opdef, self.graph, args)
            inputs, inferred, claims = infer_with_claims(opdef, args)
            outputs, pinned = self._outputs_of(inferred, claimed)
            bound = inputs if opdef.is_plain else tuple(args)
            op = append_operation(self.graph, opdef, bound, inputs, outputs, name, origins or (self.graph.origin,))
        except GraphFormatError:
            raise
        except (PenstockError, OpError, TypeError, ValueError, LookupError, ArithmeticError, AttributeError,
                RecursionError, MemoryError) as error:  # fmt: skip
            raise GraphFormatError(f"no call of {opdef.type} makes such a node: {brief(error)}") from None
        op.control_inputs = controls
        op.device = device or op.device  # in a block of tf.device, that of the block
        self.graph.claims(op, claims)
        for index in pinned:
            _, said = refined(inferred[index][1], outputs[index][1])
            self.graph.refine(op.outputs[index], outputs[index][1], said)
        self.operations[name] = op
        self._count.nodes += 1
        return op

    def _add_own(
        self,
        name: str,
        opdef: OpDef[Any, Any],
        args: list[Any],
        controls: tuple[Operation, ...],
        device: str,
        origins: tuple[Origin, ...],
        claimed: Sequence[tuple[DType, Any]],
    ) -> Operation:
        """Add a node of a trusted file. A rule may know less of shapes again than it knew when the node was made."""
        inputs = flatten(opdef, args)
        outputs = [(dtype, self._symbols.shape(data)) for dtype, data in claimed]
        bound = inputs if opdef.is_plain else tuple(args)
        op = append_operation(self.graph, opdef, bound, inputs, outputs, name, origins or (self.graph.origin,))
        op.control_inputs = controls
        op.device = device
        self.operations[name] = op
        self._count.nodes += 1
        return op

    def finish(self, taken: tuple[Sequence[Any], Sequence[Any]] | None = None) -> Graph:
        """The graph, with every name taken: nodes that are added to it later get names of their own.

        `taken` has the names of scopes and other names without a node. Where a file does not keep them, the scopes are
        those of the nodes.

        Raises:
            GraphFormatError: a reserved name is no name, or a node has it.
        """
        graph = self.graph
        for name in self.operations:
            graph.names.take(name)
        if taken is not None:
            for names, free in zip(taken, (True, False), strict=True):
                for name in names:
                    self._reserve(name, free)
            return graph
        scopes = {name[:end] for name in self.operations for end in _slashes(name)}
        for scope in sorted(scopes - self.operations.keys(), key=len):
            graph.names.reserve(scope, free=True)
        return graph

    def _reserve(self, name: Any, free: bool) -> None:
        if not isinstance(name, str) or len(name) > self._limits.name_length:
            raise GraphFormatError(f"{short(name)} is listed among the names of scopes, but is not a name")
        if not self.graph.names.reserve(name, free):
            raise GraphFormatError(f"{short(name)} is listed among the names of scopes, but is taken already")

    def operation(self, name: Any) -> Operation:
        """The node of that name, which must have been added already."""
        found = self.operations.get(name) if isinstance(name, str) else None
        if found is None:
            raise GraphFormatError(f"it refers to the node {short(name)}, which is not among the nodes before it")
        return found

    def tensor(self, name: Any) -> Tensor:
        """The tensor called `name:index`, of a node that has been added already."""
        if not isinstance(name, str):
            raise GraphFormatError(f"an input is {short(name)}; it must be the name of a tensor")
        op_name, _, index = name.rpartition(":")
        outputs = self.operation(op_name).outputs
        if not (index.isascii() and index.isdigit() and len(index) < 9 and int(index) < len(outputs)):
            raise GraphFormatError(f"it refers to the tensor {short(name)}, but its node has {len(outputs)} outputs")
        return outputs[int(index)]

    def _check_name(self, name: Any) -> None:
        if not isinstance(name, str) or not name or len(name) > self._limits.name_length:
            raise GraphFormatError(
                f"its name is {short(name)}; a name has 1 to {self._limits.name_length} characters",
                code="file/name",
            )
        if name in self.operations:
            raise GraphFormatError("a node before it has the same name; names are unique", code="file/name")
        if self._count.nodes >= self._limits.nodes:
            raise GraphFormatError(
                f"there are more than {self._limits.nodes} nodes; give a larger limit with Limits", code="file/limit"
            )

    def _outputs_of(
        self, inferred: Sequence[tuple[DType, TensorShape]], claimed: Sequence[tuple[DType, Any]] | None
    ) -> tuple[list[tuple[DType, TensorShape]], list[int]]:
        self._count.outputs += len(inferred)
        if self._count.outputs > self._limits.outputs:
            raise GraphFormatError(
                f"there are more than {self._limits.outputs} outputs; give a larger limit with Limits",
                code="file/limit",
            )
        if claimed is None:
            return list(inferred), []
        if len(claimed) != len(inferred):
            raise GraphFormatError(f"the file lists {len(claimed)} outputs, but the node has {len(inferred)}")
        outputs: list[tuple[DType, TensorShape]] = []
        pinned: list[int] = []
        for index, ((dtype, shape), (said, data)) in enumerate(zip(inferred, claimed, strict=True)):
            if said is not dtype:
                raise GraphFormatError(f"the file says output {index} is {said}, but the node makes {dtype}")
            settled, claims = self._symbols.settle(data, shape)
            outputs.append((dtype, settled))
            if claims:
                pinned.append(index)
        return outputs, pinned


def find_opdef(type: Any) -> OpDef[Any, Any]:
    """The declared op of that type, which must be one that a file may use."""
    found = declared(type) if isinstance(type, str) else None
    if found is None:
        raise GraphFormatError(f"no op {short(type)} is declared here; import the module that declares it first")
    return found


def _check_operands(opdef: OpDef[Any, Any], args: Sequence[Any]) -> None:
    """Raise GraphFormatError unless bound arguments have tensors where the signature has operands."""
    for position, parameter, operand in opdef.operands:
        value = args[position]
        tensors = value if operand.many else () if value is None and operand.optional else (value,)
        if not isinstance(tensors, tuple) or not all(isinstance(t, Tensor) for t in tensors):
            raise GraphFormatError(
                f"its operand {parameter} must be {'a list of tensors' if operand.many else 'a tensor'}"
            )


def _slashes(name: str) -> list[int]:
    return [i for i, letter in enumerate(name) if letter == "/"][:64]

