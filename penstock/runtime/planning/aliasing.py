"""Alias analysis of a plan: the memory in which each value lies, and the live range of that memory.

There is one analysis, from what the ops declare (`graph.declare.memory_sharing`). Updates in place, the arena, results
that the caller keeps and captures on a GPU all use it.

Memory is named after the slot whose step allocates it, its *root*. A value has one root, or several if it may share
memory with any of several operands:

    t2 = Mul(t0, t1)               roots of t2: t2
    t3, t4 = Split(t9, 2, t2)      roots of t3 and t4: t2
    t5 = Update(t2) in place of t2 roots of t5: t2

A root is live from the step that allocates it to the last step that reads any value that may lie in it. One call may
compute joint steps (`Step.joint`), so what one of them reads is live until the last of them. What a step
reads that writes over a variable (`Step.over`) is live until the end, because it writes then. A root is
*foreign* if code outside of the run may hold it: a feed belongs to the caller, a constant to the plan, and a kernel may
keep its result.

Inside a fused group the question is the same. Its code goes over the elements several times, once for each function of
NumPy, and each *pass* reads memory and writes memory as a step does. `in_passes` is the analysis of such a group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.memory_sharing import OWN, Sharing
from ...graph.declare.op_declaration import OPS
from .plan import Plan, Slot, Step

Roots = tuple[Slot, ...]
_COPY = {"cpu": Sharing(((None, (0,)),))}
"""The sharing of copies between devices: a copy from the CPU to the CPU returns its operand."""


@dataclass(frozen=True, slots=True)
class Aliases:
    """The alias analysis of some steps.

    Attributes:
        made: slot -> the step that makes its value, -1 if it exists before the first step.
        last: root -> the last step that reads it, the number of steps if it is needed after them.
        shared: slot -> its roots, for values that may share memory with others; any other slot is its own root.
        foreign: roots that code outside of the run may hold.
        updated: root -> the value that the last update in place left there.
    """

    made: dict[Slot, int]
    last: dict[Slot, int]
    shared: dict[Slot, Roots]
    foreign: frozenset[Slot]
    updated: dict[Slot, Slot]

    def roots(self, slot: Slot) -> Roots:
        """The roots in whose memory the value may lie."""
        return self.shared.get(slot, (slot,))

    def is_root(self, slot: Slot) -> bool:
        """True if the value lies in memory that was allocated for it; other values may be views of it."""
        return slot not in self.shared

    def end(self, slot: Slot) -> int:
        """The last step that reads the value or anything that may share its memory."""
        return max([self.last[root] for root in self.roots(slot)])

    def live_until(self, slot: Slot) -> int:
        """The last step at which the value is certainly live: the earliest end among its roots."""
        return min([self.last[root] for root in self.roots(slot)])

    def owns(self, slot: Slot) -> bool:
        """True if a step of the run allocated memory for this value alone, and no code outside holds it."""
        roots = self.roots(slot)
        if len(roots) > 1 or roots[0] in self.foreign or self.made[roots[0]] < 0:
            return False
        return self.updated.get(roots[0], roots[0]) == slot

    def may_overwrite(self, step: Step, position: int, slot: Slot) -> bool:
        """True if `step`, at `position`, may write its result over the value in `slot`, which it reads.

        No later step may read that memory, no code outside may hold it, and no other operand may lie in it.
        """
        if not self.owns(slot) or self.end(slot) != position:
            return False
        (root,) = self.roots(slot)
        return all(other == slot or root not in self.roots(other) for other in step.inputs)

    def may_succeed(self, step: Step, position: int, slot: Slot) -> bool:
        """True if `step` may write a variable's new value over its value at the start of the run, in `slot`.

        Nothing may read that value later, and no other operand may lie in its memory.
        """
        if not self.is_root(slot) or self.last[slot] != position:
            return False
        return all(other == slot or slot not in self.roots(other) for other in step.inputs)

    def must_wait(self, position: int, over: Collection[Slot]) -> bool:
        """True if the pass at `position` must not write over the operands `over` of its group yet.

        A pass reads all that it needs of an element before it writes that element, so it may overwrite what it reads.
        """
        return any(self.end(slot) > position for slot in over)

    def returnable(self, fetches: Sequence[Slot]) -> tuple[bool, ...]:
        """For each fetched slot, whether the caller may get its memory; the caller gets copies of the others.

        If one value is fetched twice, the first fetch gets the memory.
        """
        first = {slot: i for i, slot in reversed(list(enumerate(fetches)))}
        return tuple([self.owns(slot) and first[slot] == i for i, slot in enumerate(fetches)])


def aliases_of(plan: Plan) -> Aliases:
    """The analysis of a plan."""
    before = [slot for _, slot in plan.feeds] + [slot for slot, _, _ in plan.constants]
    return analyse(plan.steps, before, (*plan.fetches, *[slot for slot, _, _ in plan.pinned]))


def analyse(steps: Sequence[Step], before: Iterable[Slot], kept: Iterable[Slot]) -> Aliases:
    """The analysis of steps: `before` are slots filled before the first one, `kept` are needed after the last one."""
    producer = dict.fromkeys(before, -1)
    foreign = set(producer)
    last = dict(producer)
    shared: dict[Slot, Roots] = {}
    updated: dict[Slot, Slot] = {}
    ends = ends_of_joints(steps)
    for i, step in enumerate(steps):
        until = ends.get(i, i)
        for slot in step.inputs:
            for root in shared.get(slot, (slot,)):
                last[root] = until
        opdef = OPS.get(step.op)
        sharing = _COPY.get(step.device, OWN) if opdef is None else opdef.facts.sharing
        if step.donor is not None:
            result = step.outputs[0]
            producer[result] = last[result] = i
            shared[result] = shared.get(step.donor, (step.donor,))
            updated.update(dict.fromkeys(shared[result], result))
            continue
        for number, slot in enumerate(step.outputs):
            producer[slot] = last[slot] = i
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
    for slot in (*kept, *_read_at_the_end(steps)):
        for root in shared.get(slot, (slot,)):
            last[root] = end
    return Aliases(producer, last, shared, frozenset(foreign), updated)


def in_passes(passes: Sequence[Iterable[int]], operands: int) -> Aliases:
    """The analysis of the passes of one group over its elements.

    Args:
        passes: for each pass the operands of the group that it reads from memory.
        operands: the number of operands, each of which has memory of its own.
    """
    slots = list(map(Slot, range(operands)))
    made = dict.fromkeys(slots, -1)
    last = dict(made)
    for position, reads in enumerate(passes):
        last.update(dict.fromkeys(map(Slot, reads), position))
    return Aliases(made, last, {}, frozenset(slots), {})


def ends_of_joints(steps: Sequence[Step]) -> dict[int, int]:
    """For each joint step but the last one of its joint: the position of that last one."""
    found: dict[int, int] = {}
    for i in range(len(steps) - 2, -1, -1):
        if steps[i].joint:
            found[i] = found.get(i + 1, i + 1)
    return found


def _read_at_the_end(steps: Sequence[Step]) -> Iterator[Slot]:
    """What steps read that write when the last step has ended.

    Whatever runs the plan may make one call of such a step and the one before it that computes its operand.
    """
    before = None
    for step in steps:
        if step.over:
            yield from step.inputs
            if before is not None and len(before.outputs) == 1 and before.outputs[0] in step.inputs:
                yield from before.inputs
        before = step


def _roots(step: Step, operands: tuple[int, ...], shared: dict[Slot, Roots]) -> Roots:
    """The roots of all values of some operands, each once."""
    found: dict[Slot, None] = {}
    for place in operands:
        arg = step.args[place]
        for slot in arg if isinstance(arg, tuple) else (arg,):
            if isinstance(slot, Slot):
                found.update(dict.fromkeys(shared.get(slot, (slot,))))
    return tuple(found)
