"""Calls of joint steps around an op that goes over rows: one sequential nest with the groups in it.

    segment_sum(f(x), ids)     an element of f(x) is computed where it is added
    g(cumsum(f(x)))            and g of a sum before it is written
    sum(gather(x, i), 1)       rows are added as they are read

`planning.stream_joints` chooses them, `nest.fused` has the ops with groups, `nest.sequential.fused_nests` the
nests. A group is a part of the nest if all its steps are instructions: functions such as exp are loops of NumPy's, and
would be called for each element. Where something does not serve, or fails, the steps run one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.op_declaration import OPS
from ...compiled.emit_llvm import is_direct
from ...ir.element_program import ElementProgram, element_program
from ...ir.scalar_ir import CannotLower, Literal
from ...kernels.kernel_choice import has_own_kernel
from ...memory.pooled_numpy import XP
from ...nest.fused.group_elements import FusedKernel, GroupElements, fused_kernel
from ...nest.fused.row_sums import RowSums
from ...planning.plan import Plan, Slot, Step
from ..bind import BoundStep, joined_step
from .joint_pieces import body_of, sizes_of
from .steps_alone import StepsAlone


@dataclass(frozen=True, slots=True)
class FusedGroup:
    """A group of a call.

    Attributes:
        program: what it computes.
        operands: the places of its operands among the arrays of the call.
        shape: the shape of what it computes.
    """

    program: ElementProgram
    operands: tuple[int, ...]
    shape: tuple[int, ...]

    def of(self, arrays: Sequence[Any]) -> GroupElements:
        """The group on the arrays of a run."""
        return GroupElements(self.program, tuple([arrays[i] for i in self.operands]), self.shape)


class FusedNestCall:
    """Joint steps around an op that goes over rows as one call. Thread-safe.

    Args:
        kernel: the fused kernel of the op.
        before: what computes the operand that is read in rows; None if it is there.
        after: what computes the result; None if the op gives it.
        args: the arguments of the op: (place among the arrays of the call, None), (-1, None) for what `before`
            computes, or (-2, value of an attribute).
        shapes: the shapes of the inputs.
        constants: the arrays behind the inputs among those of the call.
        alone: computes the result step by step.
    """

    def __init__(
        self,
        kernel: FusedKernel,
        before: FusedGroup | None,
        after: FusedGroup | RowSums | None,
        args: Sequence[tuple[int, Any]],
        shapes: Sequence[Any],
        constants: Sequence[Any],
        alone: Callable[..., Any],
    ) -> None:
        self._kernel = kernel
        self._before = before
        self._after = after
        self._args = tuple(args)
        self._shapes = tuple(shapes)
        self._constants = tuple(constants)
        self._alone = alone

    def __call__(self, *inputs: Any) -> Any:
        """The result of the last step."""
        if all(x.shape == shape for x, shape in zip(inputs, self._shapes, strict=True)):
            result = self._fused((*inputs, *self._constants))
            if result is not None:
                return result
        return self._alone(*inputs)

    def _fused(self, arrays: Sequence[Any]) -> Any:
        """The result of the nest; None if the steps have to run one by one."""
        before = None if self._before is None else self._before.of(arrays)
        after = self._after.of(arrays) if isinstance(self._after, FusedGroup) else self._after
        args = []
        for place, value in self._args:
            if place == -1:
                assert before is not None  # there is an operand that it computes
                value = before.stand_in()
            args.append(arrays[place] if place >= 0 else value)
        try:
            return self._kernel(XP, before, after, *args)
        except Exception:  # the step that fails raises it again
            return None


def fused_nest_step(
    plan: Plan, bound: Sequence[BoundStep], start: int, at: int, stop: int
) -> tuple[int, int, BoundStep] | None:
    """The joint steps from `start` to `stop`, of which the one at `at` goes over rows, or those that can be one nest.

    None if they have to run one by one.
    """
    step = plan.steps[at]
    opdef, kernel = OPS[step.op], fused_kernel(step.op)
    if kernel is None or not has_own_kernel(opdef) or at - start > 1 or stop - at > 2:
        return None
    rows = step.args[opdef.parameters.index(opdef.facts.reads_rows)] if opdef.facts.reads_rows else None
    maker = _program(plan, plan.steps[start]) if at > start else None
    reader: ElementProgram | RowSums | None = None
    if stop - at > 1:
        reader = _row_sums(plan, plan.steps[at + 1]) or _program(plan, plan.steps[at + 1], step.outputs[0])
    start, stop = at - (maker is not None), at + 1 + (reader is not None)
    if stop - start < 2:
        return None
    steps, own = plan.steps[start:stop], bound[start:stop]
    constants = {slot: array for slot, array, _ in plan.constants}
    between = {slot for each in steps[:-1] for slot in each.outputs}
    wanted = dict.fromkeys([s for each in steps for s in each.inputs if s not in between])
    inputs = tuple([s for s in wanted if s not in constants])
    if any(sizes_of(plan.slots[slot]) is None for slot in (*wanted, *between)):
        return None
    places = {slot: i for i, slot in enumerate((*inputs, *[s for s in wanted if s in constants]))}
    before = None if maker is None else _group(plan, maker, steps[0], places, steps[0].outputs[0])
    after = reader if reader is None or isinstance(reader, RowSums) else (
        _group(plan, reader, steps[-1], places, step.outputs[0]))  # fmt: skip
    args = [_argument(arg, None if maker is None else rows, places) for arg in step.args]
    alone = StepsAlone(steps, own, inputs, constants)
    kept = [constants[slot] for slot in list(places)[len(inputs) :]]
    call = FusedNestCall(kernel, before, after, args, [sizes_of(plan.slots[s]) for s in inputs], kept, alone)
    return start, stop, joined_step(call, inputs, own[-1].output, own, between)


def _argument(arg: Any, rows: Any, places: Mapping[Slot, int]) -> tuple[int, Any]:
    if not isinstance(arg, Slot):
        return -2, arg
    return (-1, None) if arg == rows else (places[arg], None)


def _program(plan: Plan, step: Step, own: Slot | None = None) -> ElementProgram | None:
    """The program of a step, which reads `own`; None if it is not instructions alone."""
    body = body_of(plan, step)
    if body is None:
        return None
    try:
        program = element_program(body, -1 if own is None else step.inputs.index(own))
    except CannotLower:
        return None
    dtypes = [*program.inputs, *[each.dtype for each in program.steps]]
    for each in program.steps:
        if not is_direct(each, tuple([a.dtype if isinstance(a, Literal) else dtypes[a] for a in each.args])):
            return None
    return program


def _row_sums(plan: Plan, step: Step) -> RowSums | None:
    """A step as a sum over axes behind the first one; None if it is something else."""
    rule, sizes = OPS[step.op].reduction if step.op in OPS else None, sizes_of(plan.slots[step.inputs[0]])
    shape = sizes_of(plan.slots[step.outputs[0]])
    if rule is None or sizes is None or shape is None:
        return None
    constants = {slot: array for slot, array, _ in plan.constants}
    args = [constants.get(arg) if isinstance(arg, Slot) else arg for arg in step.args[1:]]
    return RowSums(rule.axes(len(sizes), *args), shape)


def _group(plan: Plan, program: ElementProgram, step: Step, places: Mapping[Slot, int], whole: Slot) -> FusedGroup:
    operands = tuple([places[step.inputs[p]] for p in program.read()])
    return FusedGroup(program, operands, sizes_of(plan.slots[whole]) or ())
