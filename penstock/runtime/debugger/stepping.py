"""Stepping: what one step of a debugged run does.

One *tick* runs one step. At an op that holds graphs, or a fused group, it either enters the next graph, or runs the op
as a whole; inside, it may run the rest of the op. A graph that has ended is left in the same tick, so between two ticks
there is always a step to be run next.

Steps with effects outside of the session (prints, user code, files) run once: see `effect_journal`. A step of which all
results are set does not run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from ...errors import OpError
from ...graph.common.float_errors import unwarned
from ...graph.declare.op_declaration import OPS
from ...ops.control.graph_walks import GraphWalk
from ..base.fp_context import in_quiet_context
from ..base.watch import Watch
from ..execution.run_errors import FindOp, run_error
from ..observe.nan_watch import non_finite
from .effect_journal import EffectJournal
from .group_members import GroupWalk
from .run_state import BEGIN, Marks, Path, Place, RunFrame, RunState


@dataclass(frozen=True, slots=True)
class Edits:
    """Values that the user has set.

    Attributes:
        values: by place and slot.
    """

    values: Mapping[Place, dict[int, Any]] = field(default_factory=dict)

    def at(self, place: Place) -> Mapping[int, Any] | None:
        """What is set there; None if nothing is."""
        return self.values.get(place)

    def are_inside(self, path: Path, position: int) -> bool:
        """Whether something is set in a graph inside the op of this step."""
        depth = len(path)
        return any(len(p) > depth and p[:depth] == path and p[depth][0] == position for p, _ in self.values)


class Stepper:
    """Runs the steps of one debugged run, one at a time."""

    def __init__(self, find_op: FindOp, memory: int, watch: Watch | None) -> None:
        """memory: the most bytes of recorded results in memory. watch: which values are errors, as in a run."""
        self._find_op = find_op
        self._watch = watch
        self.edits = Edits()
        self.journal = EffectJournal(memory)
        self.is_first = False
        """Whether the steps run for the first time, so that their times count."""
        self.spent: dict[str, tuple[float, int]] = {}
        """Node -> the seconds that its steps took, and how often they ran."""
        self.made: list[tuple[RunFrame, int, Sequence[Any]]] = []
        """(frame, step, results) of what the last tick has completed."""

    def begin(self, frame: RunFrame) -> None:
        """Apply what is set before the first step of a frame."""
        found = self.edits.at((frame.path, BEGIN))
        if found is not None:
            frame.slots.update(found)
            frame.changed.update(found)

    def tick(self, state: RunState, reach: int | None) -> int | None:
        """Run the next step.

        Args:
            state: the state; after an error it is undefined.
            reach: None to enter the graphs of an op. The number of frames: to run an op as a whole. Fewer: to run the
                rest of the op in whose graphs the run is, with so many frames around.

        Returns:
            The reach as it was; None where the step was a single one, or what is inside must be run step by step.

        Raises:
            OpError: the step failed; the error names it.
        """
        frame, depth = state.frame, len(state.frames)
        self.made.clear()
        if self._watch is not None and frame.position == 0:
            self._look_at_feeds(self._watch, state, frame)
        if reach is not None and not self.may_run_whole(state.frames[reach - 1]):
            reach = None
        if reach is not None and reach < depth:
            self._run_rest(state, reach)
        elif frame.position in frame.code.bodies and reach is None and not self._is_set(frame):
            self._enter(state, frame)
        else:
            self._run(state, frame)
            self._leave(state)
            if frame.position - 1 not in frame.code.bodies:
                reach = None
        state.time += 1
        return reach

    def may_run_whole(self, frame: RunFrame) -> bool:
        """Whether the op of the next step may run its graphs unseen: it has no effects that count, no edit is inside,
        and nothing is watched.
        """
        if self._watch is not None or not frame.code.replays[frame.position]:
            return False
        return not self.edits.are_inside(frame.path, frame.position)

    def _is_set(self, frame: RunFrame) -> bool:
        """Whether all results of the next step are set."""
        found = self.edits.at((frame.path, frame.position)) if self.edits.values else None
        return found is not None and found.keys() >= set(map(int, frame.code.plan.steps[frame.position].outputs))

    def _run(self, state: RunState, frame: RunFrame) -> None:
        """Run the next step, with what is inside of it."""
        count = len(frame.code.plan.steps[frame.position].outputs)
        if self._is_set(frame):
            results = [None] * count
            self._store(frame, results if count > 1 else None, state.time + 1, ())
            return
        changed = range(count) if frame.depends_on_edit(frame.position) else ()
        results = self._results(state, frame)
        if self._watch is not None:
            self._look_at(self._watch, state, frame, results)
        self._store(frame, results, state.time + 1, changed)

    def _look_at(self, watch: Watch, state: RunState, frame: RunFrame, results: Any) -> None:
        """Refuse a NaN or infinity, as a watched run does."""
        step = frame.code.plan.steps[frame.position]
        if watch.passes_over(step.node):
            return
        values = [results] if len(step.outputs) == 1 else results
        inputs = [frame.slots[slot] for slot in step.inputs]
        for index, (value, dtype) in enumerate(zip(values, step.dtypes, strict=True)):
            error = non_finite(watch, f"{step.node}:{index}", self._find_op(step.node), value, dtype, inputs, False)
            if error is not None:
                raise self._with_holders(error, state)

    def _look_at_feeds(self, watch: Watch, state: RunState, frame: RunFrame) -> None:
        for name, slot in frame.code.plan.feeds:
            node, dtype = name.rpartition(":")[0], frame.code.plan.slots[slot].dtype
            error = non_finite(watch, name, self._find_op(node), frame.slots[slot], dtype, [], True)
            if error is not None and not watch.passes_over(node):
                raise self._with_holders(error, state)

    def _run_rest(self, state: RunState, reach: int) -> None:
        """Run what is left of the op at the next step of a frame, in whose graphs the run is."""
        time = state.time + 1
        while len(state.frames) > reach:
            inner, frame = state.frames[-1], state.frames[-2]
            while not inner.has_ended:
                self._run(state, inner)
            state.frames.pop()
            walk, position = frame.walk, frame.position
            assert walk is not None  # or it would have no inner frame
            marks = frame.marks
            is_changed = bool(marks.is_steered or marks.operands or marks.results or inner.is_changed or inner.changed)
            try:
                walk = walk.after([inner.slots[slot] for slot in inner.code.plan.fetches])
                results = in_quiet_context(walk.rest, frame.code.functions(position))
            except Exception as error:
                raise self.error(error, state) from None
            # What a later iteration has computed is not known.
            frame.last = inner if not walk.variables else None
            frame.walk, frame.marks = None, Marks()
            is_one = isinstance(frame.code.steps[position].output, int)
            changed = range(len(results)) if is_changed or frame.depends_on_edit(position) else ()
            self._store(frame, results[0] if is_one else results, time, changed)
        self._leave(state)

    def _results(self, state: RunState, frame: RunFrame) -> Any:
        position = frame.position
        if frame.code.replays[position]:
            return self._called(state, frame)
        place, is_changed = (frame.path, position), frame.depends_on_edit(position)
        inputs = [frame.slots[slot] for slot in frame.code.steps[position].inputs]
        found = self.journal.find(place, is_changed, inputs)
        if found is None:
            found = (self._called(state, frame),)
            self.journal.keep(place, is_changed, inputs, found[0])
        return found[0]

    def _called(self, state: RunState, frame: RunFrame) -> Any:
        bound, slots = frame.code.steps[frame.position], frame.slots
        inputs = [slots[slot] for slot in bound.inputs]
        start = perf_counter()
        try:
            result = bound.call(*inputs)
        except Exception as error:
            raise self.error(error, state) from None
        if self.is_first:
            node = frame.code.plan.steps[frame.position].node
            seconds, runs = self.spent.get(node, (0.0, 0))
            self.spent[node] = seconds + perf_counter() - start, runs + 1
        return result

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
        for slot in frame.code.frees(position):
            slots.pop(slot, None)
        frame.times.append(time)
        frame.position += 1

    def _enter(self, state: RunState, frame: RunFrame) -> None:
        """Begin to run the graphs of an op."""
        step = frame.code.plan.steps[frame.position]
        opdef = OPS[step.op]
        rule = opdef.walk_rule
        try:
            if frame.position in frame.code.groups:
                walk: GraphWalk = GroupWalk(tuple([frame.slots[slot] for slot in step.inputs]))
            else:
                assert rule is not None  # it has bodies here
                walk = rule(*frame.code.arguments(frame.position, frame.slots))
            frame.walk = walk
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
            if position in frame.code.groups:
                scope = frame.scope
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
        return self._with_holders(unwarned(run_error, error.with_traceback(None), step, inputs, self._find_op), state)

    def _with_holders(self, raised: OpError, state: RunState) -> OpError:
        """An error with the lines of the ops around the step."""
        for outer, inside in zip(reversed(state.frames[:-1]), reversed(state.frames[1:]), strict=True):
            if outer.position in outer.code.groups:
                continue
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
