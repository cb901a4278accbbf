"""The values inside a fused group that has run as a whole: its members run again, one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .stepped_plan import SteppedPlan


def group_values(
    code: SteppedPlan, inputs: Sequence[Any], set_at: Callable[[int], Mapping[int, Any] | None]
) -> dict[str, Any]:
    """The values of all members of a group, by the names of their tensors.

    Args:
        code: the members.
        inputs: the inputs of the group.
        set_at: gives what is set of the results of a step; of the inputs for -1.
    """
    slots = code.begin(inputs)
    slots.update(set_at(-1) or {})
    found: dict[str, Any] = {}
    for position, (bound, names) in enumerate(zip(code.steps, code.results, strict=True)):
        result = bound.call(*[slots[slot] for slot in bound.inputs])
        is_one = isinstance(bound.output, int)
        slots.update(zip((bound.output,) if is_one else map(int, bound.output), (result,) if is_one else result,
                         strict=True))  # fmt: skip
        slots.update(set_at(position) or {})
        found.update(zip(names, [slots[slot] for slot in code.plan.steps[position].outputs], strict=True))
    return found
