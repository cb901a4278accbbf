"""Single elementwise steps that are compiled later, where NumPy takes several passes over the operands.

Ops on 16-bit floats, and ops of several passes such as sigmoid and erf, become groups of one instruction as soon as
machine code may save more time than compiling takes (llvm.promotion). Until then, and if nothing can be compiled, the
op's own kernel runs. The results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

from ...graph.declare.op_declaration import OpDef
from ...graph.shapes.dtypes import DType, of_numpy
from ..base.pending_writes import PendingWrites
from ..ir.fused_ir import Body, Instruction, Value
from ..ir.kernel_protocol import Kernel, KernelTier
from ..llvm.native_calls import NativeCall, NativeMemory
from ..llvm.promotion import PATIENCE, Meter
from ..numpy.writers import HALVES
from ..numpy.writers import cost as cost_of
from .promoted_group import PromotedGroup
from .shaped_group import DOUBT

OPS_OF_ONE: Final = 20
"""The number of plain ops whose text takes as long to write as that of sigmoid or erf."""


def is_worth_it(opdef: OpDef[Any, Any], out: DType) -> bool:
    """True if code may be faster than the op's kernel; `out` is the dtype of its result."""
    if not opdef.is_pure:  # a kernel with effects is called, not traced
        return False
    if not opdef.facts.elementwise or opdef.facts.can_fail & out.bit or out.is_string or opdef.fuse_rule is not None:
        return False
    return out in HALVES or opdef.facts.ufunc is None


class PromotedOp:
    """One elementwise op over arrays: its own kernel at first, a compiled group later."""

    def __init__(self, opdef: OpDef[Any, Any], out: DType, own: Kernel) -> None:
        self._opdef = opdef
        self._out = out
        self._own = own.call
        self._own_into = own.into
        self._own_over = own.over
        self._group: PromotedGroup | None = None
        self._meter = Meter(OPS_OF_ONE)
        self._cost = 0.0

    @property
    def kernel(self) -> Kernel:
        """The kernel of the step."""
        into = self.into if self._own_into is not None else None
        return Kernel(self, into, tier=self._tier, over=self.over, native=self.native)

    def _tier(self) -> KernelTier:
        if self._group is None:
            return KernelTier("", "interpreted")
        return KernelTier("compiled" if self._group.tier == "compiled" else "", self._group.promotion)

    def __call__(self, *operands: Any) -> Any:
        """The result."""
        group = self._group or self._promoted(operands)
        return self._timed(self._own, *operands) if group is None else group.only(*operands)

    def into(self, place: Any, *operands: Any) -> Any:
        """The result in `place`, flat memory of its size."""
        group = self._group or self._promoted(operands)
        assert self._own_into is not None  # or the kernel would not offer it
        return self._timed(self._own_into, place, *operands) if group is None else group.into(place, *operands)

    def _timed(self, call: Callable[..., Any], *arrays: Any) -> Any:
        start = perf_counter()
        result = call(*arrays)
        self._meter.seconds += perf_counter() - start
        return result

    def over(self, writes: PendingWrites, places: Sequence[Any], *operands: Any) -> list[Any]:
        """See `Kernel.over`."""
        group = self._group or self._promoted(operands)
        if group is not None:
            return group.over(writes, places, *operands)
        return [self(*operands)] if self._own_over is None else list(self._own_over(writes, places, *operands))

    def native(
        self, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
    ) -> list[NativeCall] | None:
        """See `llvm.native_calls`."""
        self._meter.seconds += memory.spent
        group = self._group or self._promoted(tuple(inputs))
        memory.is_early |= group is None
        return None if group is None else group.native(inputs, results, memory)

    def _promoted(self, operands: tuple[Any, ...]) -> PromotedGroup | None:
        """The group that runs the op from now on; None while code cannot pay yet."""
        cost = self._cost = self._cost or 1e-9 * cost_of(self._opdef, _dtypes(operands), self._out)
        if not self._meter.is_due(PATIENCE * cost * max([x.size for x in operands]) / DOUBT):
            return None
        inputs = _dtypes(operands)
        values = tuple([Value(i) for i in range(len(inputs))])
        only = Instruction(self._opdef.type, values, self._out)
        over = (tuple(map(int, values)),)  # it may lie over any operand, in the arena too
        self._group = PromotedGroup(Body(inputs, (only,), (Value(len(inputs)),)), self._meter, over)
        return self._group


def _dtypes(operands: tuple[Any, ...]) -> tuple[DType, ...]:
    return tuple([of_numpy(x.dtype) for x in operands])


def promotable(opdef: OpDef[Any, Any], out: DType, own: Kernel) -> Kernel:
    """The kernel of a single elementwise step: one that may be compiled later, or `own` if code cannot pay."""
    return PromotedOp(opdef, out, own).kernel if is_worth_it(opdef, out) else own
