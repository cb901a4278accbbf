"""Which step may change an operand in place instead of copying it?

An op can say how (`@op.in_place("tensor")`). A step may do so if nobody would notice: the operand was made by an
earlier step of this run (it is no feed and no constant), nothing reads it or a view of it afterwards, and it is not
returned.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..graph.opdef import OPS
from .plan import Slot, Step


def with_donors(steps: Sequence[Step], kept: Collection[Slot]) -> list[Step]:
    """The steps, with `donor` set where a step may work in place; `kept` slots are returned or checked afterwards."""
    if not any(_place(step) is not None for step in steps):
        return list(steps)
    made = {slot: i for i, step in enumerate(steps) for slot in step.outputs if not _is_view(step)}
    last, root = _uses(steps, kept)
    found = []
    for i, step in enumerate(steps):
        place = _place(step)
        slot = step.args[place] if place is not None else None
        free = (
            isinstance(slot, Slot)
            and slot in made
            and root.get(slot, slot) == slot
            and last[slot] == i
            and step.inputs.count(slot) == 1
            and all(root.get(other, other) != slot for other in step.inputs if other != slot)
        )
        found.append(replace(step, donor=slot) if free else step)
    return found


def _place(step: Step) -> int | None:
    opdef = OPS.get(step.op)
    if opdef is None or opdef.in_place_rule is None or step.device != "cpu" or step.kernel is not None:
        return None
    return opdef.in_place_operand


def _is_view(step: Step) -> bool:
    opdef = OPS.get(step.op)
    return opdef is None or opdef.view


def _uses(steps: Sequence[Step], kept: Collection[Slot]) -> tuple[dict[Slot, int], dict[Slot, Slot]]:
    """For each slot the last step that reads it or a view of it; for each view the slot it looks into."""
    root: dict[Slot, Slot] = {}
    last: dict[Slot, int] = {}
    for i, step in enumerate(steps):
        for slot in step.outputs:
            last.setdefault(slot, i)
        for slot in step.inputs:
            last[root.get(slot, slot)] = i
        if _is_view(step) and step.inputs:
            for slot in step.outputs:
                # A view may look into any of its operands: the first stands for all, the others are kept to the end.
                root[slot] = root.get(step.inputs[0], step.inputs[0])
                for other in step.inputs[1:]:
                    last[root.get(other, other)] = len(steps)
    for slot in kept:
        last[root.get(slot, slot)] = len(steps)
    return last, root
