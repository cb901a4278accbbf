"""Graphs inside ops (bodies), drawn as a group inside the scope of the op that holds them.

    x ──> [ out:  [ body:  a ──> mul ──> ... ] ──> out ] ──> y

The operations of a body stand beside the others, in their scopes. An operand leads to the inner tensor that it becomes.
The results of a body lead to the box of the op, which stands in the scope of the same name. In a loop they also lead
back to the variables whose next values they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...graph.declare.parameters import Operand, operand_names
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph, bodies_of

_CONDITION = "condition"
_CONSTANT = "Const"


@dataclass(frozen=True, slots=True)
class BodyHolder:
    """An operation that holds graphs, drawn as a node that reads their results."""

    stands_for: Operation

    @property
    def name(self) -> str:
        """The operation's."""
        return self.stands_for.name

    @property
    def type(self) -> str:
        """The operation's."""
        return self.stands_for.type

    @property
    def device(self) -> str:
        """The operation's."""
        return self.stands_for.device

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The operation's."""
        return self.stands_for.outputs

    @property
    def inputs(self) -> Sequence[Tensor]:
        """The operands that do not enter a body, and the results of the bodies."""
        op = self.stands_for
        found: list[Tensor] = []
        for place, _, operand in self._operands:
            arg = op.args[place]
            if arg is not None:
                found += arg if operand.many else (arg,)
        return [*found, *[t for _, body in _shown_bodies(op) for t in body.outputs]]

    @property
    def operand_names(self) -> Sequence[str]:
        """What the op calls `inputs`: its operands, and what becomes of the results of its bodies."""
        op = self.stands_for
        if is_loop(op):
            results = [*[_CONDITION] * (len(_shown_bodies(op)) - 1), *_next_names(op)]
        else:
            graphs = [attr.name for place, attr in op.opdef.attrs if place in op.opdef.bodies]
            results = [name for name, body in zip(graphs, bodies_of(op), strict=True) for _ in body.outputs]
        return [*operand_names(self._operands, op.args), *results]

    @property
    def _operands(self) -> Sequence[tuple[int, str, Operand]]:
        """The operands that do not enter a body."""
        opdef = self.stands_for.opdef
        of_bodies = {place for _, place in opdef.body_operands}
        return [each for each in opdef.operands if each[0] not in of_bodies]

    @property
    def control_inputs(self) -> Sequence[Operation]:
        """The control inputs of the operation, and the operations that bodies run for their effects."""
        inside = [target for _, body in _shown_bodies(self.stands_for) for target in body.targets]
        return [*self.stands_for.control_inputs, *inside]


@dataclass(frozen=True, slots=True)
class Input:
    """An inner tensor that stands for an operand, or for a loop variable that begins with it."""

    tensor: Tensor
    operand: Tensor
    operand_names: tuple[str] = ("operand",)

    type = "Input"
    control_inputs = ()
    device = ""

    @property
    def name(self) -> str:
        """The name of the inner tensor's operation."""
        return self.tensor.op.name

    @property
    def inputs(self) -> Sequence[Tensor]:
        """The operand."""
        return (self.operand,)

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The inner tensor."""
        return (self.tensor,)


def operands_of_inputs(operations: Iterable[Any]) -> dict[str, Tensor]:
    """What the inner tensors among `operations` stand for, by their names."""
    return {op.tensor.name: op.operand for op in operations if isinstance(op, Input)}


def with_insides(operations: Sequence[Any]) -> Sequence[Any]:
    """`operations`, each after the operations inside it; the same list if none holds a graph."""
    if not any(map(_holds, operations)):
        return operations
    names = {op.name for op in operations}
    return [each for op in operations for each in (_opened(op) if not _is_seen(op, names) else (op,))]


def _is_seen(op: Any, names: Collection[str]) -> bool:
    """Whether what is inside an operation is drawn already, inside of one that it extends."""
    return _holds(op) and op.opdef.facts.extends and any(name in names for name in op.get_attr("extends"))


def _holds(op: Any) -> bool:
    opdef = getattr(op, "opdef", None)
    return opdef is not None and bool(opdef.bodies) and opdef.lower_rule is None


def _opened(op: Any) -> Iterator[Any]:
    if not _holds(op):
        yield op
        return
    variables = loop_variables(op)
    for place, body in _shown_bodies(op):
        yield from _of_body(body, op.args[place], variables)
    yield BodyHolder(op)


def _of_body(body: SubGraph, operands: Sequence[Tensor], variables: int) -> Iterator[Any]:
    for place, (tensor, operand) in enumerate(zip(body.inputs, operands, strict=True)):
        yield Input(tensor, operand, ("start" if place < variables else "operand",))
    yield from with_insides(body.operations)


def is_loop(op: Any) -> bool:
    """Whether an operation is a loop with variables, or over rows."""
    opdef = getattr(op, "opdef", None)
    return opdef is not None and opdef.facts.repeats and "variables" in opdef.parameters


def loop_variables(op: Any) -> int:
    """The number of variables of a loop; 0 for any other operation."""
    return int(op.get_attr("variables")) if is_loop(op) else 0


def ends_with_rows(op: Any) -> bool:
    """Whether an operation is a loop that has an iteration for each row of its operands, whatever it computes."""
    if not is_loop(op) or not op.get_attr("rows"):
        return False
    [goes_on] = bodies_of(op)[0].outputs
    opdef = getattr(goes_on.op, "opdef", None)
    return opdef is not None and opdef.type == _CONSTANT and bool(goes_on.op.get_attr("value"))


def _shown_bodies(op: Any) -> list[tuple[int, SubGraph]]:
    """The graphs inside an operation, each with the place of its operands, without a condition that is always true."""
    places = [place for _, place in op.opdef.body_operands]
    found = list(zip(places, bodies_of(op), strict=True))
    return found[1:] if ends_with_rows(op) else found


def back_edges(op: Operation) -> Iterator[tuple[Tensor, Tensor]]:
    """The variables of a loop, as inner tensors, each with the result of the body that is its next value."""
    count = loop_variables(op)
    if count:
        body = bodies_of(op)[-1]
        yield from zip(body.inputs[:count], body.outputs[:count], strict=True)


def output_names(op: Any) -> list[str]:
    """What the results of a loop are, in the names of its body; [] for any other operation."""
    if not is_loop(op):
        return []
    count, body = loop_variables(op), bodies_of(op)[-1]
    names = [tensor.op.name.rpartition("/")[2] for tensor in body.inputs[:count]]
    names += [f"rows of {tensor.op.name.rpartition('/')[2]}" for tensor in body.outputs[count:]]
    return [*names, *["iterations"] * (len(op.outputs) - len(names))]


def results_of_body(op: Any) -> list[str]:
    """What in the body of a loop gives the next value of each variable; [] for any other operation."""
    return [following.op.name.rpartition("/")[2] for _, following in back_edges(op)]


def _next_names(op: Any) -> list[str]:
    """What the results of a loop's body are: the next values of its variables, and rows."""
    count, names = loop_variables(op), output_names(op)[: len(bodies_of(op)[-1].outputs)]
    return [f"next {name}" if place < count else name for place, name in enumerate(names)]
