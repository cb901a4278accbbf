"""Fused groups, node by node: the members of a group as a plan of its own, and the walk that enters it.

A step of that plan is one node of the graph. It has the bits that the group computes for the node, because a group
computes what its members do, in whatever tier it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import of_numpy
from ...ops.control.graph_walks import GraphCall
from ..execution.run_errors import FindOp
from ..ir.fused_ir import Body, Instruction, Value, fused
from ..planning.plan import Plan, Slot, SlotInfo, Step
from ..planning.slot_names import body_of


@dataclass(frozen=True, slots=True)
class GroupWalk:
    """The walk of a fused group: its members run once."""

    operands: tuple[Any, ...]
    made: tuple[Any, ...] | None = None

    variables: tuple[Any, ...] = ()
    rows: None = None

    def steers(self, part: int) -> bool:
        """No: the members give the results."""
        return False

    def call(self) -> GraphCall | None:
        """The members, once."""
        return GraphCall(0, self.operands) if self.made is None else None

    def after(self, results: Sequence[Any]) -> GroupWalk:
        """The walk after the members."""
        return replace(self, made=tuple(results))

    def rest(self, functions: Sequence[Any]) -> list[Any]:
        """The results of the group, of which the members have run."""
        return self.results()

    def results(self) -> list[Any]:
        """The results of the group."""
        assert self.made is not None  # the walk has ended
        return list(self.made)


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """The members of a group.

    Attributes:
        plan: a step for each node.
        results: for each step the names of the tensors that it makes.
        ops: for each step the op of its node.
    """

    plan: Plan
    results: tuple[tuple[str, ...], ...]
    ops: tuple[str, ...]


def member_plan(step: Step, slots: Sequence[SlotInfo], names: Mapping[Slot, str], find_op: FindOp) -> MemberPlan:
    """The members of a fused group as a plan.

    Args:
        step: the step that is the group.
        slots: what the plan around it knows of its values.
        names: the names of its inputs, by slot.
        find_op: finds the operation of a node.
    """
    body = body_of(step)
    assert body is not None  # the step is a group
    made = _Members([slots[slot] for slot in step.inputs], step.device)
    for _, part in groupby(_numbered(body), lambda each: each[1].node):
        made.add([*part], body, find_op)
    feeds = tuple([(names.get(slot, ""), Slot(i)) for i, slot in enumerate(step.inputs)])
    fetches = tuple([made.slot_of[int(each)] for each in body.outputs])
    plan = Plan(tuple(made.slots), feeds, tuple(made.constants), tuple(made.steps), fetches)
    return MemberPlan(plan, tuple(made.results), tuple(made.ops))


def _numbered(body: Body) -> Iterator[tuple[int, Instruction]]:
    return enumerate(body.instructions, len(body.inputs))


class _Members:
    """The plan of a group while it is made."""

    def __init__(self, inputs: Sequence[SlotInfo], device: str) -> None:
        self.slots = list(inputs)
        self.constants: list[tuple[Slot, Any, str]] = []
        self.steps: list[Step] = []
        self.results: list[tuple[str, ...]] = []
        self.ops: list[str] = []
        self.slot_of: dict[int, Slot] = {i: Slot(i) for i in range(len(inputs))}  # by the number of the value
        self._device = device

    def add(self, part: Sequence[tuple[int, Instruction]], body: Body, find_op: FindOp) -> None:
        """Add the step of one node, of which these are the instructions."""
        node = part[0][1].node
        op = find_op(node)
        results = {each.output: number for number, each in part if each.output >= 0}
        kept = [results[index] for index in sorted(results)]
        if len(part) == 1:
            opdef = OPS[part[0][1].op]
            tensors = {position for position, _, operand in opdef.operands}
            args = tuple([self._given(arg, position in tensors) for position, arg in enumerate(part[0][1].args)])
            shown = type = part[0][1].op
        else:
            own, read = _body_of(part, kept, body)
            args = tuple([self.slot_of[number] for number in read]), own
            type, shown = fused.type, fused.type if op is None else op.type
        dtypes = [body.dtype_of(number) for number in kept]
        outputs = []
        for index, number, dtype in zip(sorted(results), kept, dtypes, strict=True):
            known = op is not None and index < len(op.outputs) and op.outputs[index].dtype == dtype
            shape = op.outputs[index].shape.raw if op is not None and known else None
            outputs.append(self._slot(SlotInfo(dtype, shape)))
            self.slot_of[number] = outputs[-1]
        self.steps.append(Step(type, node, args, tuple(outputs), tuple(dtypes), device=self._device))
        self.results.append(tuple([f"{node}:{index}" for index in sorted(results)]))
        self.ops.append(shown)

    def _slot(self, info: SlotInfo) -> Slot:
        self.slots.append(info)
        return Slot(len(self.slots) - 1)

    def _given(self, arg: Any, is_tensor: bool) -> Any:
        """An argument of a step in place of one of an instruction; axes of reductions are constants again."""
        if isinstance(arg, Value):
            return self.slot_of[int(arg)]
        if not is_tensor or arg is None:
            return arg
        array = np.asarray(arg)
        slot = self._slot(SlotInfo(of_numpy(array.dtype), array.shape))
        self.constants.append((slot, array, self._device))
        return slot


def _body_of(part: Sequence[tuple[int, Instruction]], kept: Sequence[int], body: Body) -> tuple[Body, list[int]]:
    """Some instructions of a group as a group of their own, and the numbers of the values that it reads."""
    own = {number for number, _ in part}
    read = list(dict.fromkeys([int(each) for _, made in part for each in made.operands if int(each) not in own]))
    number_of = {number: Value(i) for i, number in enumerate([*read, *[number for number, _ in part]])}
    instructions = [
        made._replace(args=tuple([number_of[int(arg)] if isinstance(arg, Value) else arg for arg in made.args]))
        for _, made in part
    ]
    inputs, outputs = tuple([body.dtype_of(each) for each in read]), tuple([number_of[each] for each in kept])
    return Body(inputs, tuple(instructions), outputs, body.effects, is_nest=True), read
