"""Inter-op parallelism: which steps of a plan may run at the same time.

Consecutive steps are independent if none reads what another writes or must follow another. They are found once per
plan. Whether threads pay is decided in the run, when sizes are known: a step is heavy if it reads a megabyte or more.
Parallel steps allocate their results, because the offsets in the arena are planned for sequential steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from ...graph.declare.op_declaration import OPS
from ..planning.plan import Plan, Slot, Step, effects_of_step

HEAVY = 1 << 20
"""The fewest bytes that a step must read for a thread to pay: about 80 us of work."""
MOST = 16
"""The most steps of one segment: enough for the cores of one machine."""


class PlanSegment(NamedTuple):
    """Steps `start` to `stop` (exclusive) of a plan; `independent` if they may run at the same time."""

    start: int
    stop: int
    independent: bool


def parallel_segments(plan: Plan) -> list[PlanSegment] | None:
    """The plan in segments, None if no two of its steps may run at the same time."""
    segments: list[PlanSegment] = []
    start = 0
    if all(set(step.inputs) & set(before.outputs) for before, step in pairwise(plan.steps)):
        return None  # each step reads a result of the one before it
    while start < len(plan.steps):
        stop = _independent(plan, start)
        if stop - start > 1 and _may_be_two(plan, start, stop):
            segments.append(PlanSegment(start, stop, True))
        elif segments and not segments[-1].independent:
            segments[-1] = PlanSegment(segments[-1].start, stop, False)
        else:
            segments.append(PlanSegment(start, stop, False))
        start = stop
    return segments if any(p.independent for p in segments) else None


def are_heavy(inputs: Sequence[tuple[Slot, ...]], slots: Sequence[Any]) -> bool:
    """True if at least two of the steps that read `inputs` are heavy."""
    heavy = 0
    for each in inputs:
        if sum([slots[i].nbytes for i in each]) >= HEAVY:
            heavy += 1
    return heavy > 1


def _may_be_two(plan: Plan, start: int, stop: int) -> bool:
    """Whether two of the steps may be heavy: known sizes say so beforehand."""
    return sum([sum([_bytes(plan, slot) for slot in step.inputs]) >= HEAVY for step in plan.steps[start:stop]]) > 1


def _bytes(plan: Plan, slot: Slot) -> float:
    """The bytes of a value; infinity if they are not known."""
    info = plan.slots[slot]
    size: float = inf if info.shape is None or info.dtype.holds_objects else info.dtype.size
    for dim in info.shape or ():
        size *= dim if isinstance(dim, int) else inf
    return size


def _independent(plan: Plan, start: int) -> int:
    """The end of the longest run of independent candidates that begins at `start`; at least one step."""
    written: set[Slot] = set()
    stop = start
    joint = plan.steps[start - 1].joint if start else False
    for step in plan.steps[start : start + MOST]:
        if joint or step.joint:  # one call computes them
            break
        if not _is_candidate(plan, step) or not written.isdisjoint(step.inputs):
            break
        if step.after and step.after[-1] >= start:
            break
        written.update(step.outputs)
        stop += 1
    return max(stop, start + 1)


def _is_candidate(plan: Plan, step: Step) -> bool:
    """True if a thread may pay for the step and it has no effects.

    `after` orders steps whose effects meet, but a kernel with effects may depend on the thread of its caller.
    """
    opdef = OPS.get(step.op)
    if opdef is None or not effects_of_step(step).is_pure:
        return False
    if opdef.facts.sharing.is_view or opdef.facts.reads_shape_only or opdef.facts.user_code:
        return False
    if step.device != "cpu" or step.donor is not None or step.over or not step.inputs:
        return False
    return any(not plan.slots[slot].dtype.holds_objects and 4 * _bytes(plan, slot) >= HEAVY for slot in step.inputs)


def first_error(errors: dict[int, Exception], first: int) -> Exception:
    """The first error. The others are dropped: they and the frames in their tracebacks would keep each other alive."""
    error = errors[first]
    errors.clear()
    return error
