"""Fused groups: the op `Fused` that stands for one, and the instructions that every tier starts from.

A `Body` is a list of instructions in single-assignment form: values are numbered, inputs first, then one for each
instruction. It prints as:

    (%0 float32, %1 float32) -> %3
    %2 = Mul(%0, %1)  float32
    %3 = Add(%2, %1)  float32

`Fused` takes the group's inputs and the graph of its members. It is an op like any other for the planner, the printer
and the pictures; the planner lowers the graph to a `Body`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import PURE, Effects
from ...graph.declare.op_declaration import OPS, Sample, op
from ...graph.declare.op_facts import ReductionRule
from ...graph.declare.signature import ANY, Inner, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ...ops.declare.reduction_order import is_trailing
from ...ops.declare.reduction_order import reduced as reduced_shape
from .call_text import call_text
from .row_bodies import row_body
from .tiling import Shape

LARGEST = 96
"""The most instructions of a group: enough to save memory traffic, few enough to stay readable. Groups of tiny values
have no limit: see `runtime.compiled.tiny_groups`."""


class Value(int):
    """The number of a value; prints as `%2`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"%{int(self)}"

    __str__ = __repr__


_VALUES = [Value(i) for i in range(512)]


def value_of(number: int) -> Value:
    """`Value(number)`; small numbers, the usual case, are cached."""
    return _VALUES[number] if number < len(_VALUES) else Value(number)


class Instruction(NamedTuple):
    """One op of a group.

    Attributes:
        op: its type.
        args: its arguments in the order of the signature, a Value for each operand.
        dtype: the dtype of its result.
        node: the name of its node.
        output: which output of the node it computes; -1 for what a node with several instructions computes on the way.
    """

    op: str
    args: tuple[Any, ...]
    dtype: DType
    node: str = ""
    output: int = 0

    @property
    def operands(self) -> tuple[Value, ...]:
        """The values it reads."""
        args = self.args
        for a in args:
            if a.__class__ is not Value:
                return tuple([a for a in args if a.__class__ is Value])
        return args

    def __str__(self) -> str:
        return f"{call_text(self.op, self.args, format)}  {self.dtype.name}"


@dataclass(frozen=True, eq=False)
class Body:
    """A fused group. Compared by identity.

    Attributes:
        inputs: the dtypes of the inputs.
        instructions: the instructions.
        outputs: the values that are results.
        effects: the effects of all its ops.
        is_nest: whether a reduction is read within the group, or is over the first axes: see `ir.shaped_rows`.
    """

    inputs: tuple[DType, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[Value, ...]
    effects: Effects = PURE
    is_nest: bool = False

    def dtype_of(self, value: int) -> DType:
        """The dtype of any value."""
        count = len(self.inputs)
        return self.inputs[value] if value < count else self.instructions[value - count].dtype

    def failing(self) -> Iterator[tuple[Instruction, Value | None]]:
        """Each instruction that is an error for some values, with the value in which a zero is that error, if it is."""
        for instruction in self.instructions:
            facts = OPS[instruction.op].facts
            if facts.can_fail & self.dtype_of(instruction.operands[0]).bit:
                yield instruction, None if facts.zero_fails is None else instruction.args[facts.zero_fails]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes, each once."""
        return tuple(dict.fromkeys([each.node for each in self.instructions]))

    def __str__(self) -> str:
        inputs = ", ".join(f"{Value(i)} {d.name}" for i, d in enumerate(self.inputs))
        lines = [f"({inputs}) -> {', '.join(map(str, self.outputs))}"]
        first = len(self.inputs)
        lines += [f"{Value(first + i)} = {instruction}" for i, instruction in enumerate(self.instructions)]
        return "\n".join(lines)

    @property
    def formula(self) -> str:
        """The results as nested expressions if these are short, else the number of instructions."""
        texts = [str(Value(i)) for i in range(len(self.inputs))]
        for instruction in self.instructions:
            text = call_text(instruction.op, instruction.args, lambda a: texts[a] if isinstance(a, Value) else f"{a}")
            texts.append(text if len(text) <= 160 else "...")
        found = ", ".join(texts[o] for o in self.outputs)
        return found if len(found) <= 400 else f"{len(self.instructions)} instructions"


# ---- shapes -------------------------------------------------------------------------------------


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The common broadcast shape."""
    first = shapes[0]
    for shape in shapes:
        if shape != first:
            return _broadcast(tuple(shapes))
    return first


@lru_cache(maxsize=1024)
def _broadcast(shapes: tuple[Shape, ...]) -> Shape:
    return np.broadcast_shapes(*shapes)  # 1.5 us


def shape_rule(instruction: Instruction) -> Callable[[Sequence[Shape]], Shape]:
    """(the shapes of the operands) -> that of the result; `broadcast` for an elementwise op."""
    rule, args = OPS[instruction.op].reduction, instruction.args[1:]
    if rule is None:
        return broadcast

    def shape(operands: Sequence[Shape]) -> Shape:
        rank = len(operands[0])
        return reduced_shape(operands[0], rule.axes(rank, *args), rule.keepdims(rank, *args))

    return shape


def shapes_of(body: Body, given: Sequence[Shape]) -> list[Shape]:
    """The shape of every value, inputs first.

    Raises:
        ValueError: some operands do not broadcast.
    """
    shapes: list[Shape] = list(given)
    for instruction in body.instructions:
        shapes.append(shape_rule(instruction)([shapes[v] for v in instruction.operands]))
    return shapes


# ---- the op -------------------------------------------------------------------------------------

_Inputs = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]
_Members = Annotated[SubGraph, Inner(operands="inputs")]


@op("Fused", replayable=True, views=(), host_only=False, out=lambda inputs, body: tuple(t.dtype for t in body.outputs))
def fused(  # type: ignore[empty-body]  # a declaration: the signature is data
    inputs: _Inputs, body: _Members, name: str | None = None
) -> list[Tensor]:
    """Several operations as one step: `body` on `inputs`. The fuse pass makes it."""


@fused.shape
def fused_shape(inputs: Sequence[Tensor], body: SubGraph) -> list[TensorShape]:
    return [t.shape for t in body.outputs]


@fused.lowers
def instructions_of(body: SubGraph) -> Body:
    """The group as a list of instructions; constants in it are axes of reductions."""
    number: dict[Tensor, Value] = {tensor: value_of(i) for i, tensor in enumerate(body.inputs)}
    numbered = number.__getitem__
    instructions: list[Instruction] = []
    new_tuple = tuple.__new__  # of a named tuple: 0.1 us, its own call takes 0.3
    following = len(number)
    reduced: set[Tensor] = set()
    is_nest = False
    for member in body.operations:
        opdef = member.opdef
        if opdef.facts.is_constant:
            continue
        if opdef.row_rule is not None:
            results = _with_rows(member, [number[t] for t in member.inputs], instructions, following)
            number.update(zip(member.outputs, results, strict=True))
            following = len(body.inputs) + len(instructions)
            is_nest = True
            continue
        if opdef.reduction is not None:  # its axes are constants, even if one of them is also an input of other ops
            args = (number[member.inputs[0]], *[_axes(a) for a in member.args[1:]])
            is_nest = is_nest or not _is_trailing(opdef.reduction, member.inputs[0].shape.ndims, args[1:])
            reduced.add(member.outputs[0])
        elif opdef.is_plain:
            args = tuple(map(numbered, member.inputs))
        else:
            args = tuple([number[a] if isinstance(a, Tensor) else a for a in member.args])
        if reduced and not is_nest:
            is_nest = not reduced.isdisjoint(member.inputs)
        tensor = member.outputs[0]
        instructions.append(new_tuple(Instruction, (opdef.type, args, tensor.dtype, member.name, 0)))
        number[tensor] = value_of(following)
        following += 1
    outputs = tuple([number[t] for t in body.outputs])
    return Body(tuple([t.dtype for t in body.inputs]), tuple(instructions), outputs, body.effects, is_nest)


def _with_rows(
    member: Operation, operands: Sequence[Value], instructions: list[Instruction], following: int
) -> list[Value]:
    """Append what an op computes for rows, under its name; the values of its results."""
    body = body_of_rows(row_body(member).graph)
    first = len(body.inputs)
    values = [*operands, *[value_of(following + k) for k in range(len(body.instructions))]]
    outputs = {int(o) - first: k for k, o in enumerate(body.outputs)}
    for number, each in enumerate(body.instructions):
        args = tuple([values[a] if isinstance(a, Value) else a for a in each.args])
        instructions.append(Instruction(each.op, args, each.dtype, member.name, outputs.get(number, -1)))
    assert first == len(operands)  # an op with constants of its own does not join a group
    return [values[o] for o in body.outputs]


@lru_cache(maxsize=256)
def body_of_rows(graph: SubGraph) -> Body:
    """The instructions of what an op computes for rows, the same object for the same graph."""
    return instructions_of(graph)


def _is_trailing(rule: ReductionRule, rank: int | None, args: tuple[Any, ...]) -> bool:
    return rank is None or is_trailing(rule.axes(rank, *args), rank)


def _axes(arg: Any) -> Any:
    return arg.op.args[0] if isinstance(arg, Tensor) else arg


def instructions_in(node: Any) -> Body | None:
    """The instructions of a fused group, given its Operation or its Step; None for any other node."""
    body = node.args[-1] if getattr(node, "args", ()) else None
    if isinstance(body, Body):
        return body
    return instructions_of(body) if isinstance(body, SubGraph) and node.opdef is fused else None


@fused.kernel
def fused_kernel(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    values = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
        values.append(opdef.kernels["*"](xp, *args))
    return [values[o] for o in body.outputs]


@fused.samples
def fused_samples(rng: np.random.Generator) -> Iterator[Sample]:
    return iter(())
