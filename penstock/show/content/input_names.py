"""What operations call their inputs: the names of parameters, in a fused group those of the ops inside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.declare.op_declaration import OPS
from ...graph.declare.parameters import operand_names
from ...runtime.ir.fused_ir import Body, Value, instructions_in

_FUSED = "Fused"


def names_of_inputs(op: Any) -> Sequence[str]:
    """What the op calls its inputs."""
    body = instructions_in(op) if op.type == _FUSED else None
    if body is not None:
        return names_in_group(body)
    names: Sequence[str] | None = getattr(op, "operand_names", None)
    if names is not None:
        return names
    opdef = getattr(op, "opdef", None)
    return () if opdef is None else operand_names(opdef.operands, op.args)


def names_in_group(body: Body) -> list[str]:
    """What the inputs of a fused group are called where they are first read: "Sub y" is the operand y of its Sub."""
    names: dict[int, str] = {}
    for instruction in body.instructions:
        opdef = OPS.get(instruction.op)
        for place, name, _ in () if opdef is None else opdef.operands:
            value = instruction.args[place]
            if isinstance(value, Value):
                names.setdefault(value, f"{instruction.op} {name}")
    return [names.get(number, f"%{number}") for number in range(len(body.inputs))]
