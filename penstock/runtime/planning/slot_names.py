"""What the slots of a plan hold, in the names of the graph: `dense/add:0`, `w:0`, "constant"."""

from __future__ import annotations

from ..ir.fused_ir import Body
from .plan import Plan, Slot, Step


def names_of_slots(plan: Plan) -> dict[Slot, str]:
    """The name of each slot's value."""
    names = {slot: name for name, slot in plan.feeds}
    names.update({slot: "constant" for slot, _, _ in plan.constants})
    for step in plan.steps:
        names.update(zip(step.outputs, results_of(step), strict=True))
    return names


def results_of(step: Step) -> tuple[str, ...]:
    """The names of a step's results; for a fused step the tensors that leave the group, such as `dense/add:0`."""
    body = body_of(step)
    if body is None:
        return tuple(f"{step.node}:{index}" for index in range(len(step.outputs)))
    first = len(body.inputs)
    makers = [body.instructions[o - first] if o >= first else None for o in body.outputs]
    names = ["" if each is None or not each.node else f"{each.node}:{each.output}" for each in makers]
    return tuple(
        name if name and names.count(name) == 1 else f"{step.node}:{index}" for index, name in enumerate(names)
    )


def body_of(step: Step) -> Body | None:
    """The fused group of a step; None if it has none."""
    body = step.args[-1] if step.args else None
    return body if isinstance(body, Body) else None
