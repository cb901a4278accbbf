"""Steps as calls of C functions: what the block driver can make of each step of a plan.

    a fused group        the functions of its compiled code; NumPy's loops if it is about a few numbers, or until
                         there is code
    a product, a sum ..  `kernels.native_forms`
    an elementwise op    NumPy's loop, once, or for each row where operands are broadcast
    what only moves      nothing, if the result is a view

Steps that change an operand, have a kernel of the user's, or check claims stay with Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Instruction, fused
from ..kernels.native_forms import FORMS_OVER, STEP_FORMS, product
from ..kernels.native_reductions import reduced
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.native_driver import LoopCall
from ..llvm.ufunc_loops import Loop
from ..planning.plan import Plan, Slot, Step
from .bind import BoundStep, is_trusted
from .chain_memory import CannotChain, ChainMemory
from .joined.summed_products import update_of

_TINY: Final = 64
"""The most elements of a value of a group that runs by NumPy's loops."""
_FEW: Final = 1 << 12
"""The same for a group that may be compiled, until it is."""
_MOST_CALLS: Final = 512
"""The most calls of one step."""
_CALL: Final = 20e-9
"""Seconds that a call takes."""


class _StepMemory(ChainMemory):
    """`ChainMemory` over the arrays of a run."""

    def __init__(self, memory: NativeMemory, slots: dict[Slot, Any]) -> None:
        super().__init__()
        self.slots = slots
        self._memory = memory

    def sums(self, instruction: Instruction, x: Any, out: Any) -> Sequence[Any]:
        """Any reduction, as calls of the block driver."""
        rule = OPS[instruction.op].reduction
        assert rule is not None  # the caller asked
        calls = reduced(rule, (x, *instruction.args[1:]), out, self._memory)
        if calls is None:
            raise CannotChain
        return calls

    def choice(self, dtype: Any) -> Loop | None:
        """See `ChainMemory`."""
        address = self._memory.choices.get(dtype.itemsize)
        return None if address is None else Loop(address, 0)

    def new(self, dtype: Any, shape: tuple[int, ...]) -> Any:
        return self._memory.scratch(shape, dtype)

    def number(self, value: Any, dtype: Any) -> Any:
        return self._memory.constant(np.asarray(value).astype(dtype).reshape(()).copy())


def native_calls(
    plan: Plan, step: Step, bound: BoundStep, slots: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The calls of a step; None if it has to stay with Python.

    Args:
        plan: the plan.
        step: the step. If it may write over variables, the calls do.
        bound: the same, ready to run.
        slots: the arrays of a run.
        memory: see `NativeMemory`.
    """
    if step.device != "cpu" or step.donor is not None or not is_trusted(step) or not _is_plain(plan, step):
        return None
    inputs = [slots[slot] for slot in step.inputs]
    results = [slots[slot] for slot in step.outputs]
    if not all(_is_served(x) for x in (*inputs, *results)):
        return None
    if step.over:
        results = [result if slot is None else slots[slot] for slot, result in zip(step.over, results, strict=True)]
        if step.op in FORMS_OVER:
            return FORMS_OVER[step.op](_arguments(step, slots), inputs, results, memory)
        if not all(_is_flat(x, results[0]) for x in inputs) or not all(_is_flat(x, results[0]) for x in results):
            return None
    opdef = OPS[step.op]
    if opdef.facts.moves and opdef.facts.sharing.is_view and not step.over:
        moved = _moved(plan, step, slots)
        if moved is not None or step.op not in STEP_FORMS:
            return moved
    if opdef.reduction is not None and not step.over:
        calls = reduced(opdef.reduction, _arguments(step, slots), results[0], memory)
        if calls is not None:
            return calls
    if bound.kernel.native is not None:
        calls = bound.kernel.native(inputs, results, memory)
        if calls is not None:
            return calls
    is_elementwise = opdef.facts.elementwise and opdef.is_plain
    if memory.is_early and step.op != fused.type and not is_elementwise:
        return None
    most = _FEW if memory.is_early else _TINY
    is_small = all(x.size <= most for x in (*inputs, *results))
    if step.op in STEP_FORMS and not step.over:
        calls = STEP_FORMS[step.op](_arguments(step, slots), inputs, results, memory)
        if calls is not None or memory.is_early:
            return calls
    if step.op == fused.type:
        if any(step.args[1].failing()):
            return None
        return _by_loops(step, slots, memory) if is_small else None
    if opdef.facts.can_fail & step.dtypes[0].bit:
        return None
    if is_elementwise and (is_small or opdef.facts.ufunc is not None):
        memory.seconds += 1e-10 * results[0].nbytes
        return _by_loops(step, slots, memory)
    if step.op == "AddN" and len(inputs) == 2 and results[0].dtype.kind in "fc":
        memory.seconds += 1e-10 * results[0].nbytes
        return _by_loops(replace(step, op="Add"), slots, memory)
    return None


def updated_product(plan: Plan, position: int, slots: Sequence[Any], memory: NativeMemory) -> list[NativeCall] | None:
    """The product at a position and the step after it, which adds something or is a step of gradient descent."""
    step, then = plan.steps[position], plan.steps[position + 1]
    arguments = _arguments(step, slots)
    update = update_of(plan, step, then)
    if update is not None:
        x, rate = slots[update.changed], slots[update.rate]
        arrays = (*arguments[:2], x, rate)
        if not all(_is_served(each) for each in arrays) or rate.shape or rate.dtype is not x.dtype:
            return None
        return product(arguments, x, memory, x, rate) if x.flags.c_contiguous and x.ndim == 2 else None
    (out,) = [slots[slot] for slot in then.outputs]
    (more,) = [slots[slot] for slot in then.inputs if slot != step.outputs[0]]
    if not all(_is_served(each) for each in (*arguments[:2], more, out)) or not more.flags.c_contiguous:
        return None
    return product(arguments, out, memory, more)


def _arguments(step: Step, slots: Sequence[Any]) -> list[Any]:
    """The arguments of the op with arrays in place of slots."""
    return [_filled(arg, slots) for arg in step.args]


def _filled(arg: Any, slots: Sequence[Any]) -> Any:
    if isinstance(arg, Slot):
        return slots[arg]
    return tuple([_filled(each, slots) for each in arg]) if isinstance(arg, tuple) else arg


def _is_served(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "biufc" and x.dtype.isnative and x.size > 0 and (
        x.flags.aligned
    )  # fmt: skip


def _is_flat(x: Any, like: Any) -> bool:
    return bool(x.size == 1 or (x.shape == like.shape and x.flags.c_contiguous))


def _is_plain(plan: Plan, step: Step) -> bool:
    """Whether nothing is claimed of its results, and all sizes are known."""
    if any(slot in step.outputs for slot, _, _ in plan.pinned):
        return False
    shapes = [plan.slots[slot].shape for slot in (*step.inputs, *step.outputs)]
    return all(shape is not None and all(isinstance(size, int) for size in shape) for shape in shapes)


def _moved(plan: Plan, step: Step, slots: Sequence[Any]) -> list[NativeCall] | None:
    """No call: the results are views of one operand, whatever the values."""
    known = {slot for slot, _, _ in plan.constants}
    open_ = [slots[slot] for slot in step.inputs if slot not in known]
    if len(open_) != 1:
        return None
    low, high = np.lib.array_utils.byte_bounds(open_[0])
    for slot in step.outputs:
        start, stop = np.lib.array_utils.byte_bounds(slots[slot])
        if start < low or stop > high:
            return None
    return []


def _by_loops(step: Step, slots: Sequence[Any], memory: NativeMemory) -> list[NativeCall] | None:
    """NumPy's loops over all elements, or over rows."""
    if not _may_overwrite(step):
        return None
    given = {slot: slots[slot] for slot in (*step.inputs, *step.outputs)}
    for slot, place in zip(step.outputs, step.over, strict=False):
        given[slot] = slots[slot if place is None else place]
    if not all(given[slot].flags.c_contiguous for slot in step.outputs):
        return None
    try:
        calls = _StepMemory(memory, given).calls(step)
    except CannotChain:
        return None
    if len(calls) > _MOST_CALLS:
        return None
    memory.seconds += _CALL * len(calls)
    return [loop_call(call.loop, call.addresses, (call.elements,), call.strides)
            if isinstance(call, LoopCall) else call for call in calls]  # fmt: skip


def _may_overwrite(step: Step) -> bool:
    """Whether no instruction reads an operand after the one that writes over it."""
    if not step.over or step.op != fused.type:
        return True
    operands, body = step.args
    for value, place in zip(body.outputs, step.over, strict=True):
        if place is not None:
            later = body.instructions[int(value) - len(operands) + 1 :]
            if int(value) < len(operands) or any(operands.index(place) in map(int, each.operands) for each in later):
                return False
    return True
