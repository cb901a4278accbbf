"""Buffer donation: which step may write its result into an operand's memory.

An op declares how it updates an operand (`@op.in_place("tensor")`). `runtime.planning.aliasing` decides whether it may:
the operand must lie in memory that an earlier step of this run allocated, no code outside may hold that memory, and no
later step may read it.

The memory of a variable is written over at the end of the run (`Step.over`), by steps whose results nothing reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body, fused
from .aliasing import analyse
from .plan import Plan, Slot, SlotInfo, Step

FEW: Final = 64
"""Elements up to which `execution.tiny_chains` makes one call of steps that follow each other."""
_NO_STATE: Mapping[Slot, Slot] = {}


def with_donors(
    steps: Sequence[Step], before: Iterable[Slot], kept: Collection[Slot], successors: Mapping[Slot, Slot] = _NO_STATE
) -> list[Step]:
    """The steps, with `donor` set for each step that may work in place.

    Args:
        steps: the steps, none of which has a donor yet.
        before: slots that are filled before the first step.
        kept: slots that are returned or checked after the last step.
        successors: result of a body -> the feed whose memory is given up for it.
    """
    places = [_operand(step) for step in steps]
    if not any(slot is not None for slot in places):
        return list(steps)
    aliases = analyse(steps, before, kept)
    found = []
    for i, (step, slot) in enumerate(zip(steps, places, strict=True)):
        free = slot is not None and not step.over and step.inputs.count(slot) == 1 and (
            aliases.may_overwrite(step, i, slot)
            or (successors.get(step.outputs[0]) == slot and aliases.may_succeed(step, i, slot))
        )
        found.append(replace(step, donor=slot) if free else step)
    return found


def with_donors_in_loop(
    steps: Sequence[Step],
    before: Iterable[Slot],
    fetches: Sequence[Slot],
    kept: Collection[Slot],
    starts: Sequence[Slot],
) -> list[Step]:
    """As `with_donors`, for a body whose first results are the feeds `starts` of the next run.

    A result may take the memory of its own feed, unless another result lies in that memory: the next iteration would
    overwrite both.
    """
    before, everything = list(before), {*fetches, *kept}
    successors = {
        end: start for end, start in zip(fetches, starts, strict=False) if end != start and fetches.count(end) == 1
    }
    found = with_donors(steps, before, everything, successors)
    aliases = analyse(found, before, everything)
    for end, start in list(successors.items()):
        if any(start in aliases.roots(other) for other in everything if other != end):
            del successors[end]
    return with_donors(steps, before, everything, successors)


def with_new_donors(plan: Plan) -> Plan:
    """The plan with its donors chosen again, for a plan whose steps have moved to another device."""
    steps = [replace(step, donor=None) if step.donor is not None else step for step in plan.steps]
    before = [slot for _, slot in plan.feeds] + [slot for slot, _, _ in plan.constants]
    kept = {*plan.fetches, *[slot for slot, _, _ in plan.pinned]}
    return replace(plan, steps=tuple(with_donors(steps, before, kept)))


def with_variables_in_place(
    steps: Sequence[Step],
    infos: Sequence[SlotInfo],
    before: Iterable[Slot],
    kept: Collection[Slot],
    successors: Mapping[Slot, Slot],
    shared: Collection[Slot] = (),
) -> list[Step]:
    """The steps, with `over` set where a step may write a variable's new value over the one it reads.

    Nothing may read its results in the run, and it may not read another variable that is overwritten: such a step makes
    a copy, which takes the place of the old value at the end.

    Args:
        steps: the steps, none of which has a donor yet.
        infos: what is known of each slot.
        before: slots that are filled before the first step.
        kept: slots that are returned or checked after the last step.
        successors: new value of a variable -> its value at the start.
        shared: new values of several variables, of which copies are made before the end.
    """
    aliases = analyse(steps, before, kept)
    shared = frozenset(shared)
    read = {slot for step in steps for slot in step.inputs}
    overwrites: dict[int, tuple[Slot | None, ...]] = {}
    for i, step in enumerate(steps):
        over = _starts(step, infos, successors)
        free = tuple([
            slot if slot is not None and aliases.may_succeed(step, i, slot) else None for slot in over
        ])  # fmt: skip
        unread = read.isdisjoint(step.outputs) and shared.isdisjoint(step.outputs)
        if any(slot is not None for slot in free) and unread and not _joins(steps, infos, i):
            overwrites[i] = free
    taken = {slot: i for i, over in overwrites.items() for slot in over if slot is not None}
    for i in list(overwrites):
        roots = {root for slot in steps[i].inputs for root in aliases.roots(slot)}
        if any(taken.get(root, i) != i for root in roots):
            del overwrites[i]
    return [replace(step, over=overwrites[i]) if i in overwrites else step for i, step in enumerate(steps)]


def _starts(step: Step, infos: Sequence[SlotInfo], successors: Mapping[Slot, Slot]) -> tuple[Slot | None, ...]:
    """For each result of a step the value at the start of the variable whose new value it is, if its kernel can write
    it there; None for others."""
    if step.device != "cpu" or step.kernel is not None:
        return ()
    opdef = OPS.get(step.op)
    if opdef is not None and opdef.prepared_rule is not None:
        slot = step.args[opdef.in_place_operand or 0]
        return (slot,) if step.inputs.count(slot) == 1 and successors.get(step.outputs[0]) == slot else ()
    if not _is_elementwise(step):
        return ()
    starts = [successors.get(out) for out in step.outputs]
    return tuple([
        start if start is not None and infos[start] == infos[out] and _is_static(infos[out]) else None
        for start, out in zip(starts, step.outputs, strict=True)
    ])  # fmt: skip


def _joins(steps: Sequence[Step], infos: Sequence[SlotInfo], position: int) -> bool:
    """True if a step and one beside it compute a few numbers each: together they cost less than each one in place."""
    around = [i for i in (position - 1, position + 1) if 0 <= i < len(steps)]
    return _is_tiny(steps[position], infos) and any(_is_tiny(steps[i], infos) for i in around)


def _is_tiny(step: Step, infos: Sequence[SlotInfo]) -> bool:
    return _is_elementwise(step) and all(0 < _elements(infos[slot]) <= FEW for slot in step.outputs)


def _elements(info: SlotInfo) -> int:
    """The elements of a value; 0 if that is not known."""
    sizes = [d for d in info.shape or () if isinstance(d, int)]
    return prod(sizes) if info.shape is not None and len(sizes) == len(info.shape) else 0


def _is_static(info: SlotInfo) -> bool:
    """True if the size is known, and is more than one element: for one, new memory costs nothing."""
    return not info.dtype.is_string and _elements(info) > 1


def _is_elementwise(step: Step) -> bool:
    """True if each element of each result depends on the elements at its own place only, where shapes are equal."""
    if step.op == fused.type:
        bodies = [arg for arg in step.args if isinstance(arg, Body)]
        return not any(OPS[each.op].reduction for body in bodies for each in body.instructions)
    opdef = OPS.get(step.op)
    return opdef is not None and opdef.facts.elementwise and opdef.is_plain


def _operand(step: Step) -> Slot | None:
    """The operand that the step's op could change in place."""
    opdef = OPS.get(step.op)
    if opdef is None or opdef.in_place_rule is None or step.device != "cpu" or step.kernel is not None:
        return None
    slot = step.args[opdef.in_place_operand or 0]
    return slot if isinstance(slot, Slot) else None


def without_donors(plan: Plan) -> Plan:
    """The plan without updates in place, so that listeners can read the inputs of a step after it."""
    if all(step.donor is None and not step.over and not _holds_plan(step) for step in plan.steps):
        return plan
    return replace(plan, steps=tuple(
        replace(step, donor=None, over=(), args=tuple(
            [without_donors(arg) if isinstance(arg, Plan) else arg for arg in step.args]
        )) for step in plan.steps
    ))  # fmt: skip


def _holds_plan(step: Step) -> bool:
    return any(isinstance(arg, Plan) for arg in step.args)
