"""The memory of a chain of steps on a few numbers, and the loops of NumPy that run over it: see `tiny_chains`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from operator import mul
from typing import Any, Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import DType, of_numpy
from ...ops.declare.reduction_order import is_trailing
from ..ir.fused_ir import Body, Instruction, Value, fused
from ..ir.scalar_ir import CannotLower, Literal, lower
from ..ir.strides import broadcast_strides, coalesced
from ..llvm.native_driver import LoopCall
from ..llvm.ufunc_loops import Loop, numpy_loop
from ..numpy.reused_buffers import MAY_RAISE, loop_of
from ..numpy.writers import HALVES, bound_of
from ..planning.plan import Slot, Step

_GRAIN: Final = 64
"""Values begin at multiples of this."""
_MOST_ROWS: Final = 256
"""The most rows for each of which a loop is called."""

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

    def calls(self, step: Step) -> list[Any]:
        """The loops of a step, in order: `LoopCall`, or what `sums` of a subclass gives."""
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
        loops: list[Any] = []
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
            if reduction:
                loops += self.sums(instruction, operands[0], out)
                continue
            loop = loop_of(bound.call, tuple([x.dtype for x in operands]), out.dtype)
            if loop is None:
                loops += self._by_primitives(instruction, operands, out)
            else:
                loops += loop_calls(loop, operands, out)
        if any(value < len(inputs) for value in results):
            raise CannotChain  # a result that is an input
        return loops

    def _by_primitives(self, instruction: Instruction, operands: Sequence[Any], out: Any) -> list[LoopCall]:
        """An op that is no function of NumPy's, by the functions that its kernel calls."""
        numbers = {value: Value(k) for k, value in enumerate(instruction.operands)}
        args = tuple([numbers[a] if isinstance(a, Value) else a for a in instruction.args])
        dtypes = tuple([_dtype_of(x) for x in operands])
        body = Body(dtypes, (instruction._replace(args=args),), (Value(len(operands)),))
        try:
            program = lower(body, [(len(operands), instruction.dtype)])
        except CannotLower:
            raise CannotChain from None
        (result,) = program.outputs
        if isinstance(result, Literal):  # as of zeros_like
            return loop_calls(_loop("positive", out.dtype, 1), [self.number(result.value, out.dtype)], out)
        if not program.steps or result != len(operands) + len(program.steps) - 1:
            raise CannotChain  # a result that is an operand, or computed on the way
        arrays = [*operands]
        loops: list[LoopCall] = []
        for k, step in enumerate(program.steps, 1):
            sources = [arrays[a] if isinstance(a, Value) else self.number(a.value, a.dtype.np) for a in step.args]
            name, known = step.primitive, [*[x.dtype for x in sources], step.dtype.np]
            if name == "astype" and known[0].kind == "b":
                name, known = "where", [known[0], *[known[1]] * 3]
                sources += [self.number(1, known[1]), self.number(0, known[1])]
            letters = "".join([dtype.char for dtype in known])
            loop = self.choice(known[-1]) if name == "where" else numpy_loop(name, f"{letters[:-1]}->{letters[-1]}")
            if loop is None or step.dtype in HALVES or (name in MAY_RAISE and step.dtype.is_integer):
                raise CannotChain
            shape = np.broadcast_shapes(*[x.shape for x in sources])
            arrays.append(out if k == len(program.steps) else self.new(step.dtype.np, shape))
            loops += loop_calls(loop, sources, arrays[-1])
        return loops

    def choice(self, dtype: Any) -> Loop | None:
        """The loop of `where`; None if there is none."""
        return None

    def sums(self, instruction: Instruction, x: Any, out: Any) -> Sequence[Any]:
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


def loop_calls(loop: Loop, operands: Sequence[Any], out: Any) -> list[LoopCall]:
    """One call over the elements, or one for each row where operands are broadcast."""
    arrays = [*operands, out]
    lengths, walks = coalesced(out.shape, [broadcast_strides(x.shape, x.strides, out.shape) for x in arrays])
    # With a stride of 0 for a single result NumPy's loops would compute a sum.
    steps = tuple([walk[-1] if lengths else x.itemsize for walk, x in zip(walks, arrays, strict=True)])
    is_dense = all(step in (0, x.itemsize) for step, x in zip(steps, arrays, strict=True))
    if not is_dense or prod(lengths[:-1]) > _MOST_ROWS:
        raise CannotChain
    firsts = [x.ctypes.data for x in arrays]
    return [
        LoopCall(loop, tuple([first + sum(map(mul, place, walk)) for first, walk in zip(firsts, walks, strict=True)]),
                 lengths[-1] if lengths else 1, steps)
        for place in product(*map(range, lengths[:-1]))
    ]  # fmt: skip


def _loop(name: str, dtype: Any, operands: int) -> Loop:
    found = numpy_loop(name, dtype.char * operands + "->" + dtype.char)
    if found is None:
        raise CannotChain
    return found


def _dtype_of(x: Any) -> DType:
    return of_numpy(x.dtype)
