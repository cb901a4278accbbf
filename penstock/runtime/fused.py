"""Which op stands for a fused group?

`Fused` takes the group's inputs and its `Body`. It is an op like any other for the planner, the printer and the
pictures; on the CPU the interpreter runs it, elsewhere its instructions run one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from ..graph.graph import Graph
from ..graph.loading import load
from ..graph.opdef import OPS, OpDef, Sample, op
from ..graph.operation import Tensor
from ..graph.shape import TensorShape
from ..graph.signature import ANY, Attr, Operand, TensorLike
from ..ops.source import constant
from .body import LARGEST, Body, Value
from .jit.group import Group
from .kernel_protocol import Kernel
from .tiny import Tiny

_Inputs = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]
_BodyAttr = Annotated[Body, Attr(lambda body: body)]


@op("Fused", replayable=True, out=lambda inputs, body: tuple(body.dtype_of(o) for o in body.outputs))
def fused(  # type: ignore[empty-body]  # a declaration: the signature is data
    inputs: _Inputs, body: _BodyAttr, name: str | None = None
) -> list[Tensor]:
    """The results of `body` on `inputs`. Made by the fuse pass; users do not call it."""


@fused.shape
def _(inputs: Sequence[Tensor], body: Body) -> list[TensorShape]:
    from_first = _Abstract(inputs, body)
    return [from_first.shape(o) for o in body.outputs]


class _Abstract:
    """Shapes of a body's values, by the rules of its ops on stand-ins that have a dtype and a shape."""

    def __init__(self, inputs: Sequence[Tensor], body: Body) -> None:
        values: list[Any] = list(inputs)
        for instruction in body.instructions:
            opdef = OPS[instruction.op]
            args = [
                values[a] if isinstance(a, Value) else _attribute(a, opdef, i) for i, a in enumerate(instruction.args)
            ]
            shape = opdef.shape_rule(*args)
            values.append(Tensor(inputs[0].op, -1, instruction.dtype, shape))
        self._values = values

    def shape(self, value: int) -> TensorShape:
        found: TensorShape = self._values[value].shape
        return found


def _attribute(arg: Any, opdef: OpDef[Any, Any], place: int) -> Any:
    """An argument as shape rules expect it: the axes of a reduction are a tensor, a constant of a graph of its own."""
    if arg is None or all(place != position for position, _, _ in opdef.operands):
        return arg
    with Graph().as_default():
        return constant(arg)


@fused.kernel
def _(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    values = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
        values.append(opdef.kernels["*"](xp, *args))
    return [values[o] for o in body.outputs]


@fused.kernel_for("cupy")  # one launch: see runtime.cuda.group
def _(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    load("penstock.runtime.cuda.group")
    from .cuda.group import run_body  # code for a GPU is loaded where there is one

    return run_body(xp, inputs, body)


@fused.bound  # in tiles that stay in the cache, later as machine code: see runtime.interpreter and runtime.jit.group
def _(inputs: Sequence[Any], body: Body) -> Kernel:
    return Group(body).kernel if len(body.instructions) <= LARGEST else Tiny(body).kernel


@fused.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    return iter(())
