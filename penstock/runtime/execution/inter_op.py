"""Inter-op parallelism: which steps of a plan may run at the same time.

Steps that follow each other, of which none reads what another writes or must come after another. They are found once
per plan; whether it pays is asked in the run, when the sizes are there: a step is heavy if it reads a megabyte or more.
Such steps make results of their own instead of writing into the arena, whose places are planned for one step after the
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...graph.op_declaration import OPS
from ..planning.plan import Plan, Slot, Step, effects_of_step

HEAVY = 1 << 20
"""Bytes a step must read to be worth a thread: about 80 us of work."""
MOST = 16
"""Steps of one part: enough for any number of cores that shares one memory."""


class Part(NamedTuple):
    """Steps `start` to `stop` (exclusive) of a plan; `apart` if they may run side by side."""

    start: int
    stop: int
    apart: bool


def parts_of(plan: Plan) -> list[Part] | None:
    """The plan cut into parts, None if no two of its steps may run side by side."""
    parts: list[Part] = []
    start = 0
    while start < len(plan.steps):
        stop = _independent(plan, start)
        if stop - start > 1:
            parts.append(Part(start, stop, True))
        elif parts and not parts[-1].apart:
            parts[-1] = Part(parts[-1].start, stop, False)
        else:
            parts.append(Part(start, stop, False))
        start = stop
    return parts if any(p.apart for p in parts) else None


def are_heavy(inputs: Sequence[tuple[Slot, ...]], slots: Sequence[Any]) -> bool:
    """True if at least two of the steps that read `inputs` have much to read."""
    heavy = 0
    for each in inputs:
        if sum([slots[i].nbytes for i in each]) >= HEAVY:
            heavy += 1
    return heavy > 1


def _independent(plan: Plan, start: int) -> int:
    """The end of the longest run of independent candidates that begins at `start`; at least one step."""
    written: set[Slot] = set()
    stop = start
    for step in plan.steps[start : start + MOST]:
        if not _is_candidate(plan, step) or not written.isdisjoint(step.inputs):
            break
        if step.after and step.after[-1] >= start:
            break
        written.update(step.outputs)
        stop += 1
    return max(stop, start + 1)


def _is_candidate(plan: Plan, step: Step) -> bool:
    """Whether it may be worth a thread, and writes nothing but its results. Steps whose effects meet are ordered by
    `after`; a kernel with effects may still ask for the thread of its caller, so it stays there."""
    opdef = OPS.get(step.op)
    if opdef is None or not effects_of_step(step).is_pure:
        return False
    if opdef.facts.sharing.is_view or opdef.facts.reads_shape_only:
        return False
    if step.device != "cpu" or step.donor is not None or not step.inputs:
        return False
    return any(_may_be_heavy(plan, slot) for slot in step.inputs)


def _may_be_heavy(plan: Plan, slot: Slot) -> bool:
    info = plan.slots[slot]
    if info.dtype.is_string or info.shape is None:
        return info.shape is None and not info.dtype.is_string
    size = info.dtype.size
    for dim in info.shape:
        if not isinstance(dim, int):
            return True
        size *= dim
    return size * 4 >= HEAVY
