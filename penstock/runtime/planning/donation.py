"""Buffer donation: which step may write its result into an operand's memory.

An op declares how it updates an operand (`@op.in_place("tensor")`). `runtime.planning.aliasing` decides whether it may:
the operand must lie in memory that an earlier step of this run allocated, no code outside may hold that memory, and no
later step may read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ...graph.op_declaration import OPS
from .aliasing import analyse
from .plan import Plan, Slot, Step


def with_donors(steps: Sequence[Step], before: Iterable[Slot], kept: Collection[Slot]) -> list[Step]:
    """The steps, with `donor` set for each step that may work in place.

    Args:
        steps: the steps, none of which has a donor yet.
        before: slots that are filled before the first step.
        kept: slots that are returned or checked after the last step.
    """
    places = [_operand(step) for step in steps]
    if not any(slot is not None for slot in places):
        return list(steps)
    aliases = analyse(steps, before, kept)
    found = []
    for i, (step, slot) in enumerate(zip(steps, places, strict=True)):
        free = slot is not None and step.inputs.count(slot) == 1 and aliases.may_overwrite(step, i, slot)
        found.append(replace(step, donor=slot) if free else step)
    return found


def with_new_donors(plan: Plan) -> Plan:
    """The plan with its donors chosen again, for a plan whose steps have moved to another device."""
    steps = [replace(step, donor=None) if step.donor is not None else step for step in plan.steps]
    before = [slot for _, slot in plan.feeds] + [slot for slot, _, _ in plan.constants]
    kept = {*plan.fetches, *[slot for slot, _, _ in plan.pinned]}
    return replace(plan, steps=tuple(with_donors(steps, before, kept)))


def _operand(step: Step) -> Slot | None:
    """The operand that the step's op could change in place."""
    opdef = OPS.get(step.op)
    if opdef is None or opdef.in_place_rule is None or step.device != "cpu" or step.kernel is not None:
        return None
    slot = step.args[opdef.in_place_operand or 0]
    return slot if isinstance(slot, Slot) else None


def without_donors(plan: Plan) -> Plan:
    """The plan without updates in place, so that listeners can read the inputs of a step after it."""
    if all(step.donor is None for step in plan.steps):
        return plan
    return replace(plan, steps=tuple(replace(step, donor=None) for step in plan.steps))
