"""Two steps that become one call: which ones may, where rules say of a pair what they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...planning.plan import Plan, Step


def pairs_of_steps(plan: Plan, op: str, is_pair: Callable[[Step, Step], object]) -> list[int]:
    """The positions of steps of an op whose result the next step alone reads, where is_pair(step, next step)."""
    pairs = zip(plan.steps, plan.steps[1:], strict=False)
    positions = [i for i, (step, then) in enumerate(pairs) if step.op == op and is_pair(step, then)]
    if not positions:
        return positions
    reads = Counter(slot for each in plan.steps for slot in each.inputs)
    claimed = {slot for slot, _, _ in plan.pinned}  # their steps check claims
    kept = claimed.union(plan.fetches)
    return [
        i for i in positions
        if reads[plan.steps[i].outputs[0]] == 1 and plan.steps[i].outputs[0] not in kept
        and plan.steps[i + 1].outputs[0] not in claimed
    ]  # fmt: skip


def is_plain_step(step: Step) -> bool:
    """Whether a step runs on the host, and neither writes over an operand's memory nor has a kernel of its own."""
    return step.device == "cpu" and step.kernel is None and step.donor is None
