"""How does a plan become a picture? One box per step, fed tensor and constant, one arrow per slot read.

Boxes are numbered in the order in which the steps run; a box says which memory it gives back.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..runtime.plan import Plan, Slot, Step
from .picture import Arrow, Box, BoxKind, Picture


def picture_of_plan(plan: Plan, title: str = "plan") -> Picture:
    """The picture of a plan: feeds, constants and steps, joined by the slots that carry the values."""
    fetched = set(plan.fetches)
    boxes = [Box(f"feed {slot}", name, BoxKind.FED, "feed", (_type(plan, slot),)) for name, slot in plan.feeds]
    boxes += [
        Box(f"const {slot}", str(slot), BoxKind.CONSTANT, "constant", (_type(plan, slot),))
        for slot, _, _ in plan.constants
    ]
    boxes += [_box(plan, number, step, fetched) for number, step in enumerate(plan.steps, start=1)]
    return Picture(title, tuple(boxes), tuple(_arrows(plan)))


def _box(plan: Plan, number: int, step: Step, fetched: set[Slot]) -> Box:
    kind = BoxKind.FETCHED if fetched.intersection(step.outputs) else BoxKind.OPERATION
    detail = [f"{slot} = {_type(plan, slot)}" for slot in step.outputs]
    if step.donor is not None:
        detail.append(f"in place of {step.donor}")
    if step.frees:
        detail.append(f"free {' '.join(map(str, step.frees))}")
    return Box(f"step {number}", f"{number}. {step.node}", kind, step.op, tuple(detail))


def _arrows(plan: Plan) -> Iterator[Arrow]:
    maker = {slot: f"feed {slot}" for _, slot in plan.feeds}
    maker.update({slot: f"const {slot}" for slot, _, _ in plan.constants})
    for number, step in enumerate(plan.steps, start=1):
        for place, slot in enumerate(step.inputs):
            yield Arrow(maker[slot], f"step {number}", str(slot), "data", (str(slot),), place)
        maker.update(dict.fromkeys(step.outputs, f"step {number}"))


def _type(plan: Plan, slot: Slot) -> str:
    info = plan.slots[slot]
    if info.shape is None:
        return f"{info.dtype.name} <unknown>"
    comma = "," if len(info.shape) == 1 else ""
    return f"{info.dtype.name} ({', '.join(map(str, info.shape))}{comma})"
