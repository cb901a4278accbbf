"""The memory of a chain of steps on a few numbers, and the loops of NumPy that run over it: see `tiny_chains`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import DType, of_numpy
from ...ops.declare.reduction_order import is_trailing
from ..ir.fused_ir import Body, Instruction, Value, fused
from ..llvm.native_driver import LoopCall
from ..llvm.ufunc_loops import Loop, numpy_loop
from ..numpy.reused_buffers import loop_of
from ..numpy.writers import BoundInstruction, bound_of
from ..planning.plan import Slot, Step

_GRAIN: Final = 64
"""Values begin at multiples of this."""

Shape = tuple[int, ...]


class CannotChain(Exception):
    """The loops of a step are not known."""


class ChainMemory:
    """Memory of a frame, and the loops over it."""

    def __init__(self) -> None:
        self.slots: dict[Slot, Any] = {}
        self.kept: list[Any] = []

    def new(self, dtype: Any, shape: Shape) -> Any:
        """Memory for a value."""
        size = prod(shape) * dtype.itemsize
        block = np.zeros(size + _GRAIN, np.uint8)
        start = -block.ctypes.data % _GRAIN
        made = block[start : start + size].view(dtype).reshape(shape)
        self.kept.append(made)
        return made

    def number(self, value: Any, dtype: Any) -> Any:
        """Memory for a number that every run reads."""
        made = self.new(dtype, ())
        made[...] = value
        return made

    def calls(self, step: Step) -> list[LoopCall]:
        """The loops of a step."""
        moved = moved_operand(step)
        if moved is not None:
            before, after = self.slots[moved], self.slots[step.outputs[0]]
            if before.size != 1 or after.size != 1 or before.dtype != after.dtype:
                raise CannotChain
            self.slots[step.outputs[0]] = before.reshape(after.shape)
            return []
        if step.op == fused.type:
            inputs, body = step.args
        else:
            inputs = step.inputs
            values = tuple([Value(i) for i in range(len(inputs))])
            only = Instruction(step.op, values, step.dtypes[0])
            body = Body(tuple([_dtype_of(self.slots[slot]) for slot in inputs]), (only,), (Value(len(inputs)),))
        arrays: list[Any] = [self.slots[slot] for slot in inputs]
        results = {int(value): self.slots[slot] for value, slot in zip(body.outputs, step.outputs, strict=True)}
        if len(results) < len(step.outputs):
            raise CannotChain  # one value in two slots
        dtypes = [*body.inputs, *[instruction.dtype for instruction in body.instructions]]
        loops: list[LoopCall] = []
        for bound, instruction in zip(bound_of(body, dtypes), body.instructions, strict=True):
            operands = [arrays[i] for i in bound.operands]
            shape = bound.shape([x.shape for x in operands])
            dtype = dtypes[bound.value].np
            out = results.get(bound.value)
            if out is None:
                out = self.new(dtype, shape)
            elif out.shape != shape or out.dtype != dtype:
                raise CannotChain
            arrays.append(out)
            reduction = OPS[instruction.op].reduction is not None
            loops += self.sums(instruction, operands[0], out) if reduction else [elementwise_call(bound, operands, out)]
        if any(value < len(inputs) for value in results):
            raise CannotChain  # a result that is an input
        return loops

    def sums(self, instruction: Instruction, x: Any, out: Any) -> list[LoopCall]:
        """Sums of rows: a loop whose first operand is its result adds up the second, in NumPy's order. A mean divides
        them by the number of elements.
        """
        rule = OPS[instruction.op].reduction
        assert rule is not None  # the caller asked
        axes = rule.axes(x.ndim, *instruction.args[1:])
        known = _dtype_of(x)
        is_mean = rule.how == "mean" and known.is_floating
        if rule.ufunc is not np.add or rule.wide(known) is not known or not (is_mean or rule.finish is None):
            raise CannotChain
        if x.dtype != out.dtype or not is_trailing(axes, x.ndim):
            raise CannotChain
        size = x.itemsize
        # -0.0 where NumPy keeps the sign of zeros.
        start = self.number(np.add.reduce(np.full(1, -0.0).astype(x.dtype)), x.dtype)
        copied, added = _loop("positive", x.dtype, 1), _loop("add", x.dtype, 2)
        count = x.size // out.size
        found: list[LoopCall] = []
        for row in range(out.size):
            to, source = out.ctypes.data + row * size, x.ctypes.data + row * count * size
            found.append(LoopCall(copied, (start.ctypes.data, to), 1, (size, size)))
            found.append(LoopCall(added, (to, source, to), count, (0, size, 0)))
        if is_mean:
            number = self.number(count, x.dtype)
            places = out.ctypes.data, number.ctypes.data, out.ctypes.data
            found.append(LoopCall(_loop("divide", x.dtype, 2), places, out.size, (size, 0, size)))
        return found


def moved_operand(step: Step) -> Slot | None:
    """The operand whose elements a step moves; None if it computes. What moves one element to one place copies it."""
    opdef = OPS.get(step.op)
    if opdef is None or not opdef.facts.moves or len(step.outputs) != 1:
        return None
    places = opdef.facts.sharing.viewed_by(0)
    found = step.args[places[0]] if len(places) == 1 else None
    return found if isinstance(found, Slot) else None


def elementwise_call(bound: BoundInstruction, operands: Sequence[Any], out: Any) -> LoopCall:
    """One loop over the elements; an operand is a row of the result's length, or a single number."""
    loop = loop_of(bound.call, tuple([x.dtype for x in operands]), out.dtype)
    if loop is None or any(x.size not in (1, out.size) for x in operands):
        raise CannotChain
    # With a stride of 0 for a single result NumPy's loops would compute a sum.
    strides = [x.itemsize if x.size == out.size else 0 for x in operands]
    return LoopCall(loop, (*[x.ctypes.data for x in operands], out.ctypes.data), out.size, (*strides, out.itemsize))


def _loop(name: str, dtype: Any, operands: int) -> Loop:
    found = numpy_loop(name, dtype.char * operands + "->" + dtype.char)
    if found is None:
        raise CannotChain
    return found


def _dtype_of(x: Any) -> DType:
    return of_numpy(x.dtype)
