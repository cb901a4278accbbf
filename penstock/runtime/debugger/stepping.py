"""Stepping: what one step of a debugged run does.

One *tick* runs one step. At an op that holds graphs it either enters the next graph, or runs the op as a whole. A graph
that has ended is left in the same tick, so between two ticks there is always a step to be run next.

Steps with effects outside of the session (prints, user code, files) run once. Their results are in a *journal*, and
stand in when the step runs again. What an edit has changed runs anew, once for each edit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import OpError
from ...graph.float_errors import unwarned
from ...graph.op_declaration import OPS
from ...ops.graph_walks import GraphWalk
from ..execution.run_errors import FindOp, run_error
from .run_state import BEGIN, Marks, Path, RunFrame, RunState

Place = tuple[Path, int]
"""A step of a frame; `BEGIN` for the values before its first step."""


@dataclass(slots=True)
class Edits:
    """Values that the user has set.

    Attributes:
        values: by place and slot.
        version: grows with each change of `values`.
    """

    values: dict[Place, dict[int, Any]] = field(default_factory=dict)
    version: int = 0

    def at(self, place: Place) -> Mapping[int, Any] | None:
        """What is set there; None if nothing is."""
        return self.values.get(place)

    def put(self, place: Place, slot: int, value: Any) -> None:
        """Set a value."""
        self.values.setdefault(place, {})[slot] = value
        self.version += 1

    def drop(self, place: Place, slot: int) -> bool:
        """Take a value back; False if none is set there."""
        found = self.values.get(place, {})
        if slot not in found:
            return False
        del found[slot]
        self.version += 1
        return True

    def are_inside(self, path: Path, position: int) -> bool:
        """Whether something is set in a graph inside the op of this step."""
        depth = len(path)
        return any(len(p) > depth and p[:depth] == path and p[depth][0] == position for p, _ in self.values)


class EffectJournal:
    """Results of steps that must not run again."""

    def __init__(self) -> None:
        self._first: dict[Place, Any] = {}
        self._edited: dict[Place, tuple[int, Any]] = {}

    def find(self, place: Place, is_changed: bool, version: int) -> tuple[Any] | None:
        """The results of a step in a tuple of one; None if it has to run."""
        if not is_changed:
            return (self._first[place],) if place in self._first else None
        found = self._edited.get(place)
        return None if found is None or found[0] != version else (found[1],)

    def keep(self, place: Place, is_changed: bool, version: int, result: Any) -> None:
        """Note the results of a step that ran."""
        if is_changed:
            self._edited[place] = version, result
        else:
            self._first[place] = result

    def values(self) -> list[Any]:
        """All results that are kept."""
        return [*self._first.values(), *[result for _, result in self._edited.values()]]


class Stepper:
    """Runs the steps of one debugged run, one at a time."""

    def __init__(self, find_op: FindOp) -> None:
        self._find_op = find_op
        self.edits = Edits()
        self.journal = EffectJournal()
        self.keeps_all = False
        """Whether slots keep values that no later step reads."""
        self.made: list[tuple[RunFrame, int, Sequence[Any]]] = []
        """(frame, step, results) of what the last tick has completed."""

    def begin(self, frame: RunFrame) -> None:
        """Apply what is set before the first step of a frame."""
        found = self.edits.at((frame.path, BEGIN))
        if found is not None:
            frame.slots.update(found)
            frame.changed.update(found)

    def tick(self, state: RunState, whole: bool) -> None:
        """Run the next step; `whole`: do not enter the graphs of its op.

        The state is undefined after an error; its error names the step.

        Raises:
            OpError: the step failed.
        """
        frame = state.frame
        self.made.clear()
        if frame.position in frame.code.bodies and not (whole and self.may_run_whole(frame)):
            self._enter(state, frame)
        else:
            changed = range(len(frame.code.plan.steps[frame.position].outputs))
            is_changed = frame.depends_on_edit(frame.position)
            self._store(frame, self._results(state, frame), state.time + 1, changed if is_changed else ())
            self._leave(state)
        state.time += 1

    def may_run_whole(self, frame: RunFrame) -> bool:
        """Whether the op of the next step may run its graphs unseen: it has no effects that count, no edit is inside.
        """
        return frame.code.replays[frame.position] and not self.edits.are_inside(frame.path, frame.position)

    def _results(self, state: RunState, frame: RunFrame) -> Any:
        position = frame.position
        if frame.code.replays[position]:
            return self._called(state, frame)
        place = frame.path, position
        is_changed, version = frame.depends_on_edit(position), self.edits.version
        found = self.journal.find(place, is_changed, version)
        if found is None:
            found = (self._called(state, frame),)
            self.journal.keep(place, is_changed, version, found[0])
        return found[0]

    def _called(self, state: RunState, frame: RunFrame) -> Any:
        bound, slots = frame.code.steps[frame.position], frame.slots
        inputs = [slots[slot] for slot in bound.inputs]
        try:
            return bound.call(*inputs)
        except Exception as error:
            raise self.error(error, state) from None

    def _store(self, frame: RunFrame, result: Any, time: int, changed: Collection[int]) -> None:
        """Put the results of a step into their slots; `changed`: which of them depend on an edit."""
        position = frame.position
        bound, slots = frame.code.steps[position], frame.slots
        outputs: Sequence[int] = (bound.output,) if isinstance(bound.output, int) else bound.output
        values = (result,) if isinstance(bound.output, int) else result
        for place, (slot, value) in enumerate(zip(outputs, values, strict=True)):
            slots[int(slot)] = value
            if place in changed:
                frame.changed.add(int(slot))
        found = self.edits.at((frame.path, position))
        if found is not None:
            slots.update(found)
            frame.changed.update(found)
        self.made.append((frame, position, [slots[int(slot)] for slot in outputs]))
        for slot in () if self.keeps_all else frame.code.frees(position):
            slots.pop(slot, None)
            frame.changed.discard(slot)
        frame.times.append(time)
        frame.position += 1

    def _enter(self, state: RunState, frame: RunFrame) -> None:
        """Begin to run the graphs of an op."""
        step = frame.code.plan.steps[frame.position]
        opdef = OPS[step.op]
        assert opdef.walk_rule is not None  # it has bodies here
        try:
            walk = frame.walk = opdef.walk_rule(*frame.code.arguments(frame.position, frame.slots))
        except Exception as error:
            raise self.error(error, state) from None
        operands: set[int] = set()
        is_steered = frame.is_changed
        for position, _, operand in opdef.operands:
            arg = step.args[position]
            if operand.many:
                operands.update(i for i, slot in enumerate(arg) if slot in frame.changed)
            elif arg is not None:
                is_steered = is_steered or arg in frame.changed
        count = len(walk.variables)
        frame.marks = Marks(frozenset(operands), frozenset([i for i in operands if i < count]), is_steered)
        self._go_on(state, frame)
        self._leave(state)

    def _leave(self, state: RunState) -> None:
        """Leave the graphs that have ended, and begin those that come next."""
        while len(state.frames) > 1 and state.frame.has_ended:
            inner = state.frames.pop()
            frame = state.frame
            frame.last = inner
            walk, fetches = frame.walk, inner.code.plan.fetches
            assert walk is not None  # or it would have no inner frame
            try:
                frame.walk = walk.after([inner.slots[slot] for slot in fetches])
            except Exception as error:
                raise self.error(error, state) from None
            changed = [i for i, slot in enumerate(fetches) if inner.is_changed or slot in inner.changed]
            frame.marks = _after(frame.marks, walk, inner.path[-1][1], changed)
            self._go_on(state, frame)

    def _go_on(self, state: RunState, frame: RunFrame) -> None:
        """Begin the next graph of an op, or end the op."""
        walk, position = frame.walk, frame.position
        assert walk is not None  # the callers set it
        try:
            call = walk.call()
            if call is not None:
                slots = frame.code.begin_inside(position, call.part, call.inputs)
            else:
                results = walk.results()
        except Exception as error:
            raise self.error(error, state) from None
        marks = frame.marks
        if call is not None:
            path = (*frame.path, (position, call.part, call.iteration))
            code, scope = frame.code.bodies[position][call.part], frame.code.scopes[position][call.part]
            made = RunFrame(code, path, slots, scope, state.time + 1, marks.is_steered)
            feeds = made.code.plan.feeds
            made.changed = {int(feeds[place][1]) for place in marks.operands}
            self.begin(made)
            state.frames.append(made)
            return
        frame.walk, frame.marks = None, Marks()
        is_one = isinstance(frame.code.steps[position].output, int)
        changed = range(len(results)) if marks.is_steered else marks.results
        self._store(frame, results[0] if is_one else results, state.time + 1, changed)

    def error(self, error: Exception, state: RunState) -> OpError:
        """The error of the step that is next, with its node, line and operands, and those of the ops around it."""
        frame = state.frame
        step = frame.code.plan.steps[frame.position]
        inputs = [frame.slots.get(slot) for slot in step.inputs]
        raised = unwarned(run_error, error.with_traceback(None), step, inputs, self._find_op)
        for outer, inside in zip(reversed(state.frames[:-1]), reversed(state.frames[1:]), strict=True):
            raised.is_inside = True
            (_, _, iteration), walk = inside.path[-1], outer.walk
            if walk is not None and walk.variables:
                raised.iteration = iteration, walk.variables
            holder = outer.code.plan.steps[outer.position]
            raised = unwarned(run_error, raised, holder, [], self._find_op)
        return raised


def _after(marks: Marks, walk: GraphWalk, part: int, changed: Collection[int]) -> Marks:
    """What depends on an edit after a run of a graph, of which these results do."""
    if walk.steers(part):
        return replace(marks, is_steered=marks.is_steered or bool(changed))
    count = len(walk.variables)
    operands = {i for i in marks.operands if i >= count} | {i for i in changed if i < count}
    kept = {i for i in marks.results if i >= count}
    return Marks(frozenset(operands) if count else marks.operands, frozenset(kept | set(changed)), marks.is_steered)
