"""Which op stands for a fused group?

`Fused` takes the group's inputs and its `Body`. It is an op like any other for the planner, the printer and the
pictures; on the CPU the interpreter runs it, elsewhere its instructions run one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from ...graph.lazy_import import load
from ...graph.nodes import Tensor
from ...graph.op_declaration import OPS, Sample, op
from ...graph.shape import TensorShape
from ...graph.signature import ANY, Inner, Operand, TensorLike
from ...graph.subgraph import SubGraph
from .fused_ir import Body, Instruction, Value, value_of

_Inputs = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]
_Members = Annotated[SubGraph, Inner(operands="inputs")]


@op("Fused", replayable=True, views=(), host_only=False, out=lambda inputs, body: tuple(t.dtype for t in body.outputs))
def fused(  # type: ignore[empty-body]  # a declaration: the signature is data
    inputs: _Inputs, body: _Members, name: str | None = None
) -> list[Tensor]:
    """The results of `body` on `inputs`. Made by the fuse pass; users do not call it."""


@fused.shape
def _(inputs: Sequence[Tensor], body: SubGraph) -> list[TensorShape]:
    return [t.shape for t in body.outputs]


@fused.lowers
def instructions_of(body: SubGraph) -> Body:
    """The group as a list of instructions, from which every tier starts; constants are axes of reductions."""
    number: dict[Tensor, Value] = {tensor: value_of(i) for i, tensor in enumerate(body.inputs)}
    numbered = number.__getitem__
    instructions: list[Instruction] = []
    made = tuple.__new__  # of a named tuple: 0.1 us, its own call takes 0.3
    following = len(number)
    for member in body.operations:
        opdef = member.opdef
        if opdef.is_constant:
            continue
        if opdef.reduction is not None:  # its axes are constants, also where one of them is an input of others too
            args = (number[member.inputs[0]], *[_axes(a) for a in member.args[1:]])
        elif opdef.is_plain:
            args = tuple(map(numbered, member.inputs))
        else:
            args = tuple([number[a] if isinstance(a, Tensor) else a for a in member.args])
        tensor = member.outputs[0]
        instructions.append(made(Instruction, (opdef.type, args, tensor.dtype, member.name)))
        number[tensor] = value_of(following)
        following += 1
    outputs = tuple([number[t] for t in body.outputs])
    return Body(tuple([t.dtype for t in body.inputs]), tuple(instructions), outputs, body.effects)


def _axes(arg: Any) -> Any:
    return arg.op.args[0] if isinstance(arg, Tensor) else arg


def instructions_in(node: Any) -> Body | None:
    """What a fused group computes, given its Operation or its Step; None for any other node."""
    body = node.args[-1] if getattr(node, "args", ()) else None
    if isinstance(body, Body):
        return body
    return instructions_of(body) if isinstance(body, SubGraph) and node.opdef is fused else None


@fused.kernel
def _(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    values = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
        values.append(opdef.kernels["*"](xp, *args))
    return [values[o] for o in body.outputs]


@fused.kernel_for("cupy")  # one launch: see runtime.cuda.cuda_group
def _(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    load("penstock.runtime.cuda.cuda_group")
    from ..cuda.cuda_group import run_body  # code for a GPU is loaded where there is one

    return run_body(xp, inputs, body)


@fused.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    return iter(())
