"""`Debugger`: one run of a session, step by step, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import GraphError, InternalError, OpError, UseError, ValueRuleError
from ...graph.nodes import Operation, Tensor
from ...graph.not_copyable import NotCopyable
from ...graph.tracebacks import hides_frames
from ..arguments.feed_values import feed_array
from ..arguments.feeds import check_shape
from ..backends import backend_of
from ..base.random_counters import RandomCounters
from ..execution.row_major import row_major_copy
from ..execution.run_errors import FindOp
from ..observe.nan_watch import on_host
from ..observe.run_record import members_of, results_of
from .debugged_names import ValuePlace, name_of, names_within, place_of, position_of, unknown_name
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


class Debugger(NotCopyable):
    """One run, step by step, forwards and backwards: `Session.debug` makes it.

    Nothing of the session changes before `finish`: variables are copies, random ops have streams of their own. A step
    that prints, calls user code or writes a file does so once; when it runs again, after going back, its recorded
    results stand in.

    Attributes:
        error: the error of the step that is next, if it failed; otherwise None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     y = tf.sqrt(tf.add(x, 1.0, name="more"), name="root")
    ...     dbg = session.debug(y, {x: [3.0, 8.0]})
    >>> dbg.until("root").node
    'root'
    >>> print(dbg.value("more"))
    [4. 9.]
    >>> dbg.set("more", [16.0, 25.0])
    >>> print(dbg.finish())
    [4. 5.]
    """

    _uncopied = ("it is a run that is under way", "Open another one with session.debug(...).")

    def __init__(
        self,
        code: SteppedPlan,
        feeds: Sequence[Any],
        find_op: FindOp,
        random: RandomCounters,
        commit: Commit,
        every: int,
        memory: int,
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
        """
        self._code = code
        self._feeds = list(feeds)
        self._find_op = find_op
        self._random = random
        self._commit = commit
        self._stepper = Stepper(find_op, memory // 2)
        self._edit: Edit | None = None
        first = self._first()
        self._state: RunState | None = first
        self._time = 0
        self._history = StepHistory(first, self._stepper, random, every, memory)
        self._is_finished = False
        self.error: OpError | None = None

    # ---- where it is ------------------------------------------------------------------------

    @property
    def time(self) -> int:
        """The number of steps that have run, those inside loops and branches that were entered included."""
        return self._now.time

    @property
    def latest(self) -> int:
        """The furthest time that the run has reached; `goto` reaches any time up to it."""
        _ = self._now  # which applies what is set
        return self._history.latest

    @property
    def has_ended(self) -> bool:
        """Whether all steps have run."""
        return self._now.has_ended

    @property
    def held_bytes(self) -> int:
        """The bytes that kept states and recorded results hold, beside what the run holds now; see `Session.debug`."""
        _ = self._now
        return self._history.held

    @property
    def here(self) -> Stop:
        """Where the run stands."""
        return self._stop()

    def __repr__(self) -> str:
        return f"<Debugger {self._stop()}>"

    # ---- forwards ---------------------------------------------------------------------------

    @hides_frames
    def step(self, count: int = 1) -> Stop:
        """Runs one step, or `count`; at a loop or branch it goes inside.

        Args:
            count: how many steps.

        Returns:
            Where the run stands then. A step that fails is not taken: `error` is its error, and the reason says so.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.add(1.0, [2.0, 3.0], name="sum"))
        >>> print(dbg.step())
        at the end: all 1 steps have run
        """
        for _ in range(count):
            if self._now.has_ended or not self._advance(None):
                break
        return self._stop()

    @hides_frames
    def next(self, pattern: str | None = None) -> Stop:
        """Runs one step, and what is inside of it at once; with a pattern, all steps up to the first whose name does
        not match.

        Args:
            pattern: a pattern of names, such as "layer1/*".

        Returns:
            Where the run stands then.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     with tf.name_scope("inner"):
        ...         x = tf.square(tf.square(3.0, name="a"), name="b")
        ...     dbg = session.debug(tf.negative(x, name="out"))
        >>> dbg.next("inner/*").node
        'out'
        """
        if pattern is None:
            if not self._now.has_ended:
                self._over()
            return self._stop()
        while not self._now.has_ended and self._is_next(pattern):
            if not self._onwards(lambda frame: self._are_inside(frame, pattern)):
                break
        return self._stop()

    @hides_frames
    def out(self) -> Stop:
        """Runs to the end of the loop or branch whose graph is under way; outside of any, to the end of the run.

        Returns:
            Where the run stands then.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     _, x = tf.while_loop(lambda i, x: i < 9, lambda i, x: (i + 1, x * 2.0), [0, 1.0], name="steps")
        ...     dbg = session.debug(tf.negative(x, name="out"))
        >>> print(*dbg.step(4).inside, dbg.out().node, dbg.value("steps:1"))
        steps[1]/cond out 512.0
        """
        around = self._now.frames[-2] if len(self._now.frames) > 1 else None
        depth, path = len(self._now.frames), self._now.frame.path[:-1]
        position = -1 if around is None else around.position
        while not self._now.has_ended:
            frames = self._now.frames
            if around is not None and (
                len(frames) < depth or frames[depth - 2].path != path or frames[depth - 2].position != position
            ):
                break
            if not self._onwards(lambda frame: len(frame.path) >= depth - 2):
                break
        return self._stop()

    @hides_frames
    def until(self, what: Any) -> Stop:
        """Runs on until a node is next, a pattern of names matches, or a predicate holds.

        Args:
            what: a tensor or operation, a name or pattern such as "train/*", or a function that is called after each
                step with the name and the value of each result, and stops the run where it returns True.

        Returns:
            Where the run stands then; at the end of the run if nothing matched.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.log([1.0, -1.0], name="log")
        ...     dbg = session.debug(tf.exp(x, name="exp"))
        >>> dbg.until(lambda name, value: bool((value != value).any())).reason
        'log:0: the predicate holds'
        """
        if callable(what) and not isinstance(what, (Tensor, Operation)):
            return self._until_value(what)
        pattern = pattern_of(what)
        start = self._time
        while not self._now.has_ended:
            if self._time > start and self._is_next(pattern):
                break
            if not self._onwards(lambda frame: not self._holds(frame, pattern), enters=True):
                break
        return self._stop()

    @hides_frames
    def finish(self) -> Any:
        """Runs to the end, gives the variables of the session their new values, and returns what `run` would.

        Returns:
            The values of the fetches.

        Raises:
            OpError: a step failed; the run stands before it.
            RuntimeError: it has been called before.
        """
        if self._is_finished:
            raise UseError("Debugger.finish: this run has been finished; open another with session.debug(...)")
        while not self._now.has_ended:
            if not self._onwards(lambda frame: True):
                assert self.error is not None  # the step failed
                raise self.error
        slots = self._now.frames[0].slots
        result = self._commit([slots[slot] for slot in self._code.plan.fetches])
        self._is_finished = True
        return result

    # ---- backwards --------------------------------------------------------------------------

    @hides_frames
    def back(self, count: int = 1) -> Stop:
        """Goes back one step, or `count`: to the state before it.

        Args:
            count: how many steps.

        Returns:
            Where the run stands then.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.step(2).time, dbg.back().node, dbg.time
        (2, 'b', 1)
        """
        return self.goto(max(0, self._now.time - count))

    @hides_frames
    def goto(self, time: int) -> Stop:
        """Goes to the state after `time` steps, backwards or forwards.

        Args:
            time: the number of steps that have run then, those inside loops that were entered included.

        Returns:
            Where the run stands then.

        Raises:
            ValueError: `time` is below 0.
        """
        if time < 0:
            raise ValueRuleError(f"Debugger.goto({time}): times count steps from 0")
        latest = self.latest
        self._move(min(time, latest))
        return self.step(time - latest) if time > latest else self._stop()

    @hides_frames
    def back_to(self, what: Any) -> Stop:
        """Goes back to where a node was next last.

        Args:
            what: a tensor or operation, its name, or a pattern of names.

        Returns:
            Where the run stands then.

        Raises:
            ValueError: no step before this one matches.
        """
        pattern = pattern_of(what)
        found = None
        until = self._now.time
        with self._looking(0) as state:
            while state.time < until:
                if self._is_next(pattern, state):
                    found = state.time
                self._stepper.tick(state, self._history.reach(state.time))
        if found is None:
            raise GraphError(f"Debugger.back_to({what!r}): no step before this one matches {pattern!r}")
        return self.goto(found)

    # ---- values -----------------------------------------------------------------------------

    @hides_frames
    def value(self, tensor: Any) -> Any:
        """The value of a tensor at this time.

        Args:
            tensor: a tensor, an operation, or a name; inside a loop or branch the part after its scope is enough.

        Returns:
            A NumPy array that shares no memory with the run, or a NumPy scalar.

        Raises:
            ValueError: the run does not compute it, or has not computed it yet.
        """
        place = self._place(tensor, "value")
        frame = place.frame
        if place.slot not in frame.slots and place.position >= frame.position:
            raise GraphError(
                f"Debugger.value({place.name!r}): it is not computed yet; its step comes later. "
                f"dbg.until({place.name.rpartition(':')[0]!r}) goes there"
            )
        return _own(self._held(place))

    @hides_frames
    def set(self, tensor: Any, value: Any) -> None:
        """Sets the value of a tensor. What depends on it is computed again, up to where the run stands.

        Args:
            tensor: a tensor, an operation, or a name.
            value: an array of the dtype and rank of the value that it replaces.

        Raises:
            ValueError: the run does not compute it, or the value does not fit.
        """
        place = self._place(tensor, "set")
        array = self._fitting(place, value)
        self._change(place, array)

    @hides_frames
    def unset(self, tensor: Any) -> None:
        """Takes back what `set` has set: the tensor has its own value again, and so has what depends on it.

        Args:
            tensor: a tensor, an operation, or a name.

        Raises:
            ValueError: it is not set.
        """
        place = self._place(tensor, "unset")
        found = self._stepper.edits.at((place.frame.path, place.position))
        if found is None or place.slot not in found:
            raise GraphError(f"Debugger.unset({place.name!r}): it is not set")
        self._change(place, None)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the values that now differ, or may differ, because of `set`; the innermost frame first."""
        return tuple([
            name for frame in reversed(self._now.frames) for name, slot in frame.code.slot_of.items()
            if slot in frame.changed
        ])  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tensors of the run, those inside loops and branches included."""
        return tuple(dict.fromkeys(names_within(self._code)))

    @property
    def computed(self) -> tuple[str, ...]:
        """The names of the values that there are at this time: the plan's own, then those of the graphs inside that
        are under way.
        """
        return tuple([
            name for frame in self._now.frames for name, slot in frame.code.slot_of.items()
            if slot in frame.slots or position_of(frame, slot) < frame.position
        ])  # fmt: skip

    @hides_frames
    def find(self, tensor: Any) -> str:
        """The full name of the tensor that a name means at this time.

        Args:
            tensor: a tensor, an operation, or a name; inside a loop or branch the part after its scope is enough.

        Returns:
            The name, such as "steps/h:0".

        Raises:
            ValueError: the run does not compute it, or its loop or branch is not under way.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.add(1.0, [2.0, 3.0], name="sum"))
        >>> dbg.find("sum"), dbg.names
        ('sum:0', ('sum/x:0', 'sum/y:0', 'sum:0'))
        """
        return self._place(tensor, "find").name

    # ---- the parts of a move ----------------------------------------------------------------

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
        return frame.position not in frame.code.bodies and any(fnmatchcase(each, pattern) for each in members_of(step))

    def _holds(self, frame: RunFrame, pattern: str) -> bool:
        """Whether a name inside the op of the next step of a frame matches."""
        return any(fnmatchcase(name, pattern) for name in frame.code.names_inside(frame.position))

    def _are_inside(self, frame: RunFrame, pattern: str) -> bool:
        """Whether all names inside the op of the next step of a frame match."""
        return all(fnmatchcase(name, pattern) for name in frame.code.names_inside(frame.position))

    def _until_value(self, test: Callable[[str, Any], Any]) -> Stop:
        while not self._now.has_ended and self._advance(None):
            for frame, position, results in self._stepper.made:
                for name, value in zip(results_of(frame.code.plan.steps[position]), results, strict=True):
                    if test(name, read_only(value)):
                        return self._stop(f"{name}: the predicate holds")
        return self._stop()

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
            before = (frame.began if place.position == BEGIN else frame.times[place.position]) - 1
        values = {each: dict(held) for each, held in self._stepper.edits.values.items()}
        held = values.setdefault((frame.path, place.position), {})
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
        if slot in frame.slots:
            return frame.slots[slot]
        if place.position == BEGIN:
            with self._looking(frame.began) as state:
                return state.frames[len(frame.path)].slots[slot]
        before = frame.times[place.position] - 1
        with self._looking(before) as state:
            self._stepper.tick(state, self._history.reach(before))
            for made, position, results in self._stepper.made:
                if made.path == frame.path and position == place.position:
                    return results[made.code.plan.steps[position].outputs.index(slot)]
        raise InternalError(message=f"the step of {place.name!r} did not make it again")


def pattern_of(what: Any) -> str:
    """The pattern of node names that is meant by a tensor, an operation, or a name."""
    return name_of(what).partition(":")[0]


def read_only(value: Any) -> Any:
    """A value of the run as an array that cannot be written."""
    array = np.asarray(on_host(value)).view()
    array.flags.writeable = False
    return array


def _own(value: Any) -> Any:
    array = np.array(on_host(value), order="C")
    return array if array.ndim else array[()]
