"""Whose memory does the value in a slot lie in, and how long is that memory needed?

One analysis of a plan's steps, from what the ops declare (`graph.memory_sharing`); everything that shares, reuses
or gives away memory asks it: frees, updates in place, the arena, results that the caller keeps, captures on a GPU.

Memory is named after the slot whose step made it, its *root*. A value has one root, or several where a result may
share memory with any of several operands:

    t2 = Mul(t0, t1)               roots of t2: t2
    t3, t4 = Split(t9, 2, t2)      roots of t3 and t4: t2
    t5 = Update(t2) in place of t2 roots of t5: t2

A root is alive from the step that makes it to the last step that reads any value that may lie in it. It is *foreign* if
somebody outside of the run may hold it: a feed is the caller's, a constant the plan's, and a kernel may keep its
result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...graph.memory_sharing import OWN, Sharing
from ...graph.op_declaration import OPS
from .plan import Plan, Slot, Step

Roots = tuple[Slot, ...]
_COPY = {"cpu": Sharing(((None, (0,)),))}
"""Of the copies between devices: one that stays on the CPU does nothing."""


@dataclass(frozen=True, slots=True)
class Aliases:
    """The analysis of some steps.

    made: root -> the step that makes it, -1 for what is there before the first. last: root -> the last step that reads
    it, the number of steps if it is needed after them. Slots of values that may share memory with others have their
    roots in `shared`; all others are their own root.
    """

    made: dict[Slot, int]
    last: dict[Slot, int]
    shared: dict[Slot, Roots]
    foreign: frozenset[Slot]
    """Roots that somebody outside of the run may hold."""
    heirs: dict[Slot, Slot]
    """Root -> the value that the last update in place left there."""

    def roots(self, slot: Slot) -> Roots:
        """Whose memory the value may lie in."""
        return self.shared.get(slot, (slot,))

    def is_root(self, slot: Slot) -> bool:
        """Whether the value lies in memory that was made for it, whoever else looks into that."""
        return slot not in self.shared

    def end(self, slot: Slot) -> int:
        """The last step that reads the value or anything that may share its memory."""
        return max([self.last[root] for root in self.roots(slot)])

    def surely_until(self, slot: Slot) -> int:
        """The step until which the value is certainly there: one that may lie in any of several memories is read no
        longer than each of them is needed."""
        return min([self.last[root] for root in self.roots(slot)])

    def owns(self, slot: Slot) -> bool:
        """Whether a step of the run made memory for this value, nobody outside holds it, and it is no view."""
        roots = self.roots(slot)
        if len(roots) > 1 or roots[0] in self.foreign or self.made[roots[0]] < 0:
            return False
        return self.heirs.get(roots[0], roots[0]) == slot

    def may_overwrite(self, step: Step, position: int, slot: Slot) -> bool:
        """Whether `step`, at `position`, may write its result over the value in `slot`, which it reads.

        Nothing may need that memory afterwards, nobody outside may hold it, and no other operand may look into it.
        """
        if not self.owns(slot) or self.end(slot) != position:
            return False
        (root,) = self.roots(slot)
        return all(other == slot or root not in self.roots(other) for other in step.inputs)

    def may_hand_over(self, fetches: Sequence[Slot]) -> tuple[bool, ...]:
        """For each fetched slot, whether its memory may be given to the caller, who gets copies of the others.

        The first of two fetches of one value is given away.
        """
        return tuple([self.owns(slot) and slot not in fetches[:i] for i, slot in enumerate(fetches)])


def aliases_of(plan: Plan) -> Aliases:
    """The analysis of a plan."""
    before = [slot for _, slot in plan.feeds] + [slot for slot, _, _ in plan.constants]
    return analyse(plan.steps, before, (*plan.fetches, *[slot for slot, _, _ in plan.pinned]))


def analyse(steps: Sequence[Step], before: Iterable[Slot], kept: Iterable[Slot]) -> Aliases:
    """The analysis of steps: `before` are slots filled before the first one, `kept` are needed after the last one."""
    made = dict.fromkeys(before, -1)
    foreign = set(made)
    last = dict(made)
    shared: dict[Slot, Roots] = {}
    heirs: dict[Slot, Slot] = {}
    for i, step in enumerate(steps):
        for slot in step.inputs:
            for root in shared.get(slot, (slot,)):
                last[root] = i
        opdef = OPS.get(step.op)
        sharing = _COPY.get(step.device, OWN) if opdef is None else opdef.sharing
        if step.donor is not None:
            heir = step.outputs[0]
            made[heir] = last[heir] = i
            shared[heir] = shared.get(step.donor, (step.donor,))
            heirs.update(dict.fromkeys(shared[heir], heir))
            continue
        for number, slot in enumerate(step.outputs):
            made[slot] = last[slot] = i
            if sharing is OWN and step.kernel is None:
                continue
            viewed = _roots(step, sharing.viewed_by(number), shared)
            if viewed:
                shared[slot] = viewed
            elif not sharing.fresh or step.kernel is not None:
                foreign.add(slot)
        if sharing.keeps:
            foreign.update(_roots(step, sharing.keeps, shared))
    end = len(steps)
    for slot in kept:
        for root in shared.get(slot, (slot,)):
            last[root] = end
    return Aliases(made, last, shared, frozenset(foreign), heirs)


def _roots(step: Step, operands: tuple[int, ...], shared: dict[Slot, Roots]) -> Roots:
    """The roots of all values of some operands, each once."""
    found: dict[Slot, None] = {}
    for place in operands:
        arg = step.args[place]
        for slot in arg if isinstance(arg, tuple) else (arg,):
            if isinstance(slot, Slot):
                found.update(dict.fromkeys(shared.get(slot, (slot,))))
    return tuple(found)
