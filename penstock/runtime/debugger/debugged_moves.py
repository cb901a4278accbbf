"""The moves of a debugger: how the run gets from one state to another, and what Ctrl-C in the middle leaves.

Between two moves the run stands at a time of its history. A move first gives up the state, then makes another one;
where it is interrupted, the state is made again from the time. So no state is ever half way between two steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import GraphError, InternalError, OpError, UseError, ValueRuleError
from ...graph.model.nodes import Graph
from ..arguments.feed_values import feed_array
from ..arguments.feeds import check_shape
from ..backends import HOST, backend_of
from ..base.random_counters import RandomCounters
from ..base.session_config import SessionConfig
from ..execution.bind import backend_for
from ..execution.row_major import row_major_copy
from ..execution.run_errors import FindOp
from ..observe.nan_watch import on_host
from .breakpoints import Breakpoint
from .debugged_names import ValuePlace, name_of, place_of, unknown_name
from .group_values import group_values
from .run_state import BEGIN, Place, RunFrame, RunState
from .step_history import StepHistory
from .stepped_plan import SteppedPlan
from .stepping import Edits, Stepper
from .stops import Stop, stop_at


@dataclass(frozen=True, slots=True)
class Edit:
    """What is set from now on.

    Attributes:
        values: as of `Edits`.
        before: the time from which the run begins again; None for the very beginning.
    """

    values: dict[Place, dict[int, Any]]
    before: int | None


Commit = Callable[[list[Any]], Any]
"""(values of the plan's fetches) -> what the run returns, after the variables have their new values."""


WhyNot = Callable[[str], str]
"""Name of a node -> why the run does not compute it, in words."""


class DebuggedMoves:
    """A run that moves through its history; `Debugger` has the methods for users.

    Attributes:
        error: the error of the step that is next, if it failed; otherwise None.
    """

    def __init__(
        self,
        code: SteppedPlan,
        feeds: Sequence[Any],
        find_op: FindOp,
        random: RandomCounters,
        commit: Commit,
        every: int,
        memory: int,
        why_not: WhyNot,
        fetches: tuple[str, ...],
        graph: Graph,
        config: SessionConfig,
    ) -> None:
        """A debugger of a run.

        Args:
            code: the plan, step by step.
            feeds: the values of its feeds, those of variables included; nothing else changes them.
            find_op: finds an operation by its name.
            random: the streams of random numbers of this run.
            commit: ends the run in the session.
            every: the number of steps from one state that is kept to the next.
            memory: the most bytes that kept states may hold.
            why_not: says why a node is not computed.
            fetches: the names of what is fetched, for records.
            graph: the graph.
            config: the configuration of the run.
        """
        self._why_not = why_not
        self._asked = fetches, graph, config
        self._code = code
        self._feeds = list(feeds)
        self._find_op = find_op
        self._random = random
        self._commit = commit
        self._stepper = Stepper(find_op, memory // 2, config.watching)
        self._edit: Edit | None = None
        first = self._first()
        self._state: RunState | None = first
        self._time = 0
        self._history = StepHistory(first, self._stepper, random, every, memory)
        self._is_finished = False
        self._inside_group: tuple[Any, Mapping[str, Any]] | None = None  # (which group and time, the values inside)
        self.error: OpError | None = None

    def _first(self) -> RunState:
        """The state before the first step."""
        frame = RunFrame(self._code, (), self._code.begin(self._feeds))
        self._stepper.begin(frame)
        return RunState([frame])

    @property
    def _now(self) -> RunState:
        """The state now. An error or Ctrl-C in the middle of a step leaves none, and it is made again."""
        if self._edit is not None:
            self._apply(self._edit)
        if self._state is None:
            self._state = self._history.again(self._time)
        return self._state

    def _move(self, time: int) -> None:
        """Go to a time that the run has reached."""
        self._state = None  # with it the random numbers belong to no state
        self._time, self.error = time, None

    @contextmanager
    def _looking(self, time: int) -> Iterator[RunState]:
        """The state at a time, for looking ahead from there; afterwards the run stands where it was."""
        now, random = self._now, self._random.state()
        self._state = None  # Ctrl-C would leave the random numbers elsewhere
        yield self._history.again(time)
        self._random.restore(random)
        self._state = now

    def _advance(self, reach: int | None) -> bool:
        """Run one step; False if it failed. `reach`: as of `Stepper.tick`."""
        state = self._now
        self.error = None
        self._state = None
        try:
            self._history.advance(state, reach)
        except OpError as error:
            self.error = error
            return False
        self._time = state.time
        self._state = state
        return True

    def _over(self) -> bool:
        """Run one step of the frame with all that is inside of it; False if it failed."""
        state = self._now
        depth, frame, position = len(state.frames), state.frame, state.frame.position
        while self._onwards(lambda inner: len(inner.path) >= depth - 1):
            state = self._now
            is_inside = len(state.frames) > depth
            if not is_inside and (state.frame is not frame or frame.position != position):
                return True
        return False

    def _onwards(self, is_passed: Callable[[RunFrame], bool], enters: bool = False) -> bool:
        """Run one step, or as many at once as may be; False if the step failed.

        Args:
            is_passed: whether the op at the next step of a frame may be run at once, or what is left of it.
            enters: whether the op at the next step is entered where it may not; otherwise it runs as a whole.
        """
        frames = self._now.frames
        reach = None if enters and not is_passed(frames[-1]) else len(frames)
        for depth in range(1, len(frames)):
            if is_passed(frames[depth - 1]) and self._stepper.may_run_whole(frames[depth - 1]):
                reach = depth
                break
        return self._advance(reach)

    def _is_next(self, pattern: str, state: RunState | None = None) -> bool:
        """Whether a pattern matches the node that is next, or one of the fused group that is next."""
        state = state or self._now
        if state.has_ended:
            return False
        frame = state.frame
        step = frame.code.plan.steps[frame.position]
        if fnmatchcase(step.node, pattern):
            return True
        return frame.position in frame.code.groups and self._holds(frame, pattern)

    def _stops_before(self, pattern: str, state: RunState | None = None) -> bool:
        """Whether a pattern matches the node that is next; that of a fused group is inside the group."""
        state = state or self._now
        return self._is_next(pattern, state) and not (
            state.frame.position in state.frame.code.groups and self._holds(state.frame, pattern)
        )

    def _holds(self, frame: RunFrame, pattern: str) -> bool:
        """Whether a name inside the op of the next step of a frame matches."""
        return any(fnmatchcase(name, pattern) for name in frame.code.names_inside(frame.position))

    def _are_inside(self, frame: RunFrame, pattern: str) -> bool:
        """Whether all names inside the op of the next step of a frame match."""
        return all(fnmatchcase(name, pattern) for name in frame.code.names_inside(frame.position))

    def _go(self, stops: Sequence[Breakpoint]) -> Stop:
        """Run on until one of the breakpoints, a step that fails, or the end."""
        patterns = [each for each in stops if each.pattern]
        tests = [each for each in stops if each.test is not None]
        start = self._time

        def is_passed(frame: RunFrame) -> bool:
            return not tests and not any(self._holds(frame, each.pattern) for each in patterns)

        while not self._now.has_ended:
            if self._time > start:
                found = next((each for each in patterns if self._stops_before(each.pattern)), None)
                if found is not None:
                    return self._stop(f"breakpoint {found.number}: before {found.pattern}" if found.number else "")
            if not self._onwards(is_passed, enters=True):
                break
            reason = self._reason(tests)
            if reason:
                return self._stop(reason)
        return self._stop()

    def _reason(self, tests: Sequence[Breakpoint]) -> str:
        """Why what the last step has made stops the run; "" if it does not."""
        if not tests:
            return ""
        for frame, position, results in self._stepper.made:
            for name, value in zip(frame.code.results[position], results, strict=True):
                for each in tests:
                    found = each.test(name, read_only(value)) if each.test is not None else ""
                    if found:
                        return f"breakpoint {each.number}: {found}" if each.number else found
        return ""

    def _place(self, tensor: Any, method: str) -> ValuePlace:
        state = self._now
        place = place_of(state, tensor)
        if place is None:
            raise unknown_name(state, tensor, f"Debugger.{method}({name_of(tensor)!r})")
        return place

    def _fitting(self, place: ValuePlace, value: Any) -> Any:
        """The array that is set in place of a value.

        Raises:
            FeedError: it does not fit.
        """
        frame = place.frame
        node, _, index = place.name.rpartition(":")
        op = self._find_op(node)
        if op is None or not index.isdigit() or int(index) >= len(op.outputs):
            raise GraphError(f"Debugger.set({place.name!r}): a pass made this value; it is no tensor of the graph. "
                             "Open the debugger with fused=False, and every tensor has its own value")  # fmt: skip
        tensor = op.outputs[int(index)]
        array = feed_array(tensor, value)
        check_shape(tensor, array)
        array = row_major_copy(array)
        if place.member is not None:
            device = frame.code.plan.steps[place.position].device
            return array if device == HOST.name else backend_for(device).from_host(array)
        held = frame.slots.get(place.slot)
        return array if held is None else backend_of(held).from_host(array)

    def _change(self, place: ValuePlace, value: Any) -> None:
        """Set a value, or with None take back what is set, and compute again what depends on it, up to where the run
        stands."""
        now, frame = self._now, place.frame
        is_ended, path, position = now.has_ended, now.frame.path, now.frame.position
        before: int | None = now.time
        if place.position == BEGIN and not frame.path:
            before = None
        elif place.position < frame.position:
            before = place.before
        values = {each: dict(held) for each, held in self._stepper.edits.values.items()}
        held = values.setdefault(place.at, {})
        if value is None:
            held.pop(place.slot, None)
        else:
            held[place.slot] = value
        self._edit = Edit({each: held for each, held in values.items() if held}, before)
        last = len(self._code.steps) if is_ended else path[0][0] if path else position
        while not self._now.has_ended:
            now = self._now
            at = now.frame
            if (at.path == path and at.position == position and not is_ended) or last < now.frames[0].position:
                break
            depth = len(at.path)
            leads = len(path) > depth and path[:depth] == at.path and path[depth][0] == at.position
            if not self._advance(None if leads else len(now.frames)):
                break

    def _apply(self, edit: Edit) -> None:
        """Let the run begin again from before an edit. Where Ctrl-C ends it, it is done again."""
        self._state, self.error = None, None
        self._stepper.edits = Edits(edit.values)
        self._time = edit.before or 0
        if edit.before is None:
            self._history.restart(self._first())
        else:
            self._history.cut(edit.before)
        self._edit = None

    def _stop(self, reason: str = "") -> Stop:
        if self.error is not None:
            reason = f"the step failed: {type(self.error).__name__}: {str(self.error).partition(chr(10))[0]}"
        return stop_at(self._now, self._find_op, reason)

    def _held(self, place: ValuePlace) -> Any:
        """A value as the run holds it, made again if no later step reads it."""
        frame, slot = place.frame, place.slot
        if place.member is not None:
            inner = place.group_frame
            if inner is None:
                return self._members_of(frame, place.position)[place.name]
            return self._held(ValuePlace(inner, slot, place.member, place.name))
        if slot in frame.slots:
            return frame.slots[slot]
        if place.position == BEGIN:
            with self._looking(frame.began) as state:
                return state.frames[len(frame.path)].slots[slot]
        before = place.before
        with self._looking(before) as state:
            self._stepper.tick(state, self._history.reach(before))
            for made, position, results in self._stepper.made:
                if made.path == frame.path and position == place.position:
                    return results[made.code.plan.steps[position].outputs.index(slot)]
        raise InternalError(message=f"the step of {place.name!r} did not make it again")


    def _members_of(self, frame: RunFrame, position: int) -> Mapping[str, Any]:
        """The values of the tensors inside a fused group that has run; {} of another step."""
        if position not in frame.code.groups:
            return {}
        path, edits = (*frame.path, (position, 0, 0)), self._stepper.edits
        key = path, frame.times[position], edits
        if self._inside_group is None or self._inside_group[0] != key:
            with self._looking(frame.times[position] - 1) as state:
                slots = state.frames[len(frame.path)].slots
                inputs = [slots[slot] for slot in frame.code.plan.steps[position].inputs]
                found = group_values(frame.code.bodies[position][0], inputs, lambda at: edits.at((path, at)))
            self._inside_group = key, found
        return self._inside_group[1]


def whole_number(value: Any, call: str, least: int = 0) -> int:
    """A number of steps or bytes that a caller gave.

    Raises:
        UseError (a TypeError): it is no whole number.
        ValueRuleError (a ValueError): it is too small.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise UseError(f"{call}: {value!r} is no whole number") from None
    if number < least:
        raise ValueRuleError(f"{call}: it must be at least {least}")
    return number


def is_within(depth: int, frame: RunFrame) -> bool:
    """Whether a frame is inside of so many graphs at least."""
    return len(frame.path) >= depth


def pattern_of(what: Any) -> str:
    """The pattern of node names that is meant by a tensor, an operation, or a name."""
    return name_of(what).partition(":")[0]


def read_only(value: Any) -> Any:
    """A value of the run as an array that cannot be written."""
    array = np.asarray(on_host(value)).view()
    array.flags.writeable = False
    return array


def own_copy(value: Any) -> Any:
    """A value of the run as an array, or NumPy scalar, that shares no memory with it."""
    array = np.array(on_host(value), order="C")
    return array if array.ndim else array[()]
