"""What is an instruction of a group once it is ready to run?

`Bound` for what works element by element, with the writer of its op and dtypes; `Tail` for a reduction that may be
combined tile by tile. Both are made once per group, for all shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...graph.dtypes import DType
from ...graph.op_declaration import OPS, Reduction
from ...ops.reduction_order import reduced
from ..ir.fused_ir import Body, Instruction, Value
from ..ir.tiling import Shape
from .writers import Writer, cost, in_place, writer


class Bound(NamedTuple):
    """An instruction ready to run: what it calls, the values it reads, the value it makes.

    in_place: its result may lie where an operand lay. cost: predicted nanoseconds per element.
    """

    call: Writer
    operands: tuple[int, ...]
    value: int
    in_place: bool
    cost: float
    shape: Callable[..., Shape]


@dataclass(frozen=True, slots=True)
class Tail:
    """A reduction at the end of the group: the value it reads and the one it makes."""

    rule: Reduction
    args: tuple[Any, ...]
    operand: int
    value: int


def bound_of(body: Body, dtypes: Sequence[DType]) -> list[Bound]:
    """The instructions, ready to run; `dtypes` are those of all the body's values."""
    bits = [dtype.bit for dtype in dtypes]
    found: list[Bound] = []
    made = tuple.__new__  # of a named tuple: 0.1 us, its own call takes 0.3
    for value, instruction in enumerate(body.instructions, len(body.inputs)):
        op, args, _, _ = instruction  # 30 ns, by name 100
        operands = instruction.operands
        if operands is not args:
            found.append(_with_attributes(instruction, operands, value, dtypes))
            continue
        # Ops without attributes are most of a large graph: what they need is looked up, not made.
        key = (op, bits[value], *[bits[v] for v in operands])
        call, price, same_place = _made.get(key) or _plain(key, instruction, [dtypes[v] for v in operands])
        found.append(made(Bound, (call, operands, value, same_place, price, broadcast)))
    return found


def _with_attributes(
    instruction: Instruction, operands: tuple[int, ...], value: int, dtypes: Sequence[DType]
) -> Bound:
    opdef = OPS[instruction.op]
    kinds = tuple([dtypes[v] for v in operands])
    call = writer(opdef, _arguments(instruction.args), kinds, instruction.dtype)
    shape = broadcast if opdef.reduction is None else _reduced_by(opdef.reduction, instruction.args[1:])
    return Bound(call, operands, value, in_place(call), cost(opdef, kinds, instruction.dtype), shape)


_made: dict[tuple[Any, ...], tuple[Writer, float, bool]] = {}


def _plain(key: tuple[Any, ...], instruction: Instruction, dtypes: Sequence[DType]) -> tuple[Writer, float, bool]:
    """(writer, cost, in place?) of an op without attributes: one for all its uses on these dtypes."""
    call = plain_writer(instruction.op, tuple(dtypes), instruction.dtype)
    found = _made[key] = (call, cost(OPS[instruction.op], tuple(dtypes), instruction.dtype), in_place(call))
    return found


def plain_writer(op: str, dtypes: tuple[DType, ...], out: DType) -> Writer:
    """The writer of an op without attributes."""
    return writer(OPS[op], None, dtypes, out)


def tail_of(body: Body, position: int, instruction: Instruction) -> Tail | None:
    """The same as a reduction, None if it is none."""
    rule = OPS[instruction.op].reduction
    if rule is None:
        return None
    return Tail(rule, instruction.args[1:], int(instruction.args[0]), len(body.inputs) + position)


def _reduced_by(rule: Reduction, args: tuple[Any, ...]) -> Callable[[Sequence[Shape]], Shape]:
    def shape(operands: Sequence[Shape]) -> Shape:
        rank = len(operands[0])
        return reduced(operands[0], rule.axes(rank, *args), rule.keepdims(rank, *args))

    return shape


def _arguments(args: tuple[Any, ...]) -> Callable[..., list[Any]]:
    places = [i for i, a in enumerate(args) if isinstance(a, Value)]

    def fill(*operands: Any) -> list[Any]:
        filled = list(args)
        for place, operand in zip(places, operands, strict=True):
            filled[place] = operand
        return filled

    return fill


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape that all of them broadcast to."""
    first = shapes[0]
    for shape in shapes:
        if shape != first:
            return _broadcast(tuple(shapes))
    return first


@lru_cache(maxsize=1024)
def _broadcast(shapes: tuple[Shape, ...]) -> Shape:
    return np.broadcast_shapes(*shapes)  # 1.5 us
