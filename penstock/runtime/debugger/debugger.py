"""`Debugger`: one run of a session, step by step, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import GraphError, OpError, UseError, ValueRuleError
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
from .run_state import BEGIN, RunFrame, RunState
from .step_history import StepHistory
from .stepped_plan import SteppedPlan
from .stepping import Stepper
from .stops import Stop, stop_at

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
        self._stepper = Stepper(find_op)
        self._state: RunState | None = None
        self._state = first = self._first()
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
        return self._history.latest

    @property
    def has_ended(self) -> bool:
        """Whether all steps have run."""
        return self._now.has_ended

    @property
    def held_bytes(self) -> int:
        """The bytes that the states hold that are kept for going back."""
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
            if self._now.has_ended or not self._advance(whole=False):
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
            self._over()
            return self._stop()
        while not self._now.has_ended and fnmatchcase(self._next_node(), pattern):
            if not self._over():
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
            if self._time > start and fnmatchcase(self._next_node(), pattern):
                break
            if not self._advance(whole=not self._holds(pattern)):
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
            if not self._over():
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
        return self.goto(max(0, self._time - count))

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
        if time <= self._history.latest:
            self._move(self._history.again(time))
            return self._stop()
        self._move(self._history.again(self._history.latest))
        return self.step(time - self._history.latest)

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
        state = self._history.again(0)
        while state.time < self._time:
            if fnmatchcase(node_of(state), pattern):
                found = state.time
            self._stepper.tick(state, self._history.ran_whole(state.time))
        if found is None:
            self._move(self._history.again(self._time))
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
        self._stepper.edits.put((place.frame.path, place.position), place.slot, array)
        self._again_from(place)

    @hides_frames
    def unset(self, tensor: Any) -> None:
        """Takes back what `set` has set: the tensor has its own value again, and so has what depends on it.

        Args:
            tensor: a tensor, an operation, or a name.

        Raises:
            ValueError: it is not set.
        """
        place = self._place(tensor, "unset")
        if not self._stepper.edits.drop((place.frame.path, place.position), place.slot):
            raise GraphError(f"Debugger.unset({place.name!r}): it is not set")
        self._again_from(place)

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
        if self._state is None:
            self._state = self._history.again(self._time)
        return self._state

    def _move(self, state: RunState) -> None:
        self._state, self._time, self.error = state, state.time, None

    def _advance(self, whole: bool) -> bool:
        """Run one step; False if it failed."""
        state = self._now
        self.error = None
        self._state = None
        try:
            self._history.advance(state, whole)
        except OpError as error:
            self.error = error
            return False
        self._state, self._time = state, state.time
        return True

    def _over(self) -> bool:
        """Run one step of the frame with all that is inside of it; False if it failed."""
        state = self._now
        depth, frame, position = len(state.frames), state.frame, state.frame.position
        while self._advance(whole=True):
            state = self._now
            is_inside = len(state.frames) > depth
            if not is_inside and (state.frame is not frame or frame.position != position):
                return True
        return False

    def _next_node(self) -> str:
        return node_of(self._now)

    def _holds(self, pattern: str) -> bool:
        """Whether a name inside the op of the next step matches."""
        frame = self._now.frame
        return any(fnmatchcase(name, pattern) for name in members_of(frame.code.plan.steps[frame.position]))

    def _until_value(self, test: Callable[[str, Any], Any]) -> Stop:
        while not self._now.has_ended and self._advance(whole=False):
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

    def _again_from(self, place: ValuePlace) -> None:
        """Compute again what depends on a value, up to where the run stands."""
        frame = place.frame
        path, position = self._now.frame.path, self._now.frame.position if not self._now.has_ended else -1
        is_made = place.position < frame.position
        if place.position == BEGIN and not frame.path:
            self._state, self._time = None, 0
            self._history.restart(self._first())
        else:
            before = self._time
            if is_made:
                before = (frame.began if place.position == BEGIN else frame.times[place.position]) - 1
            self._history.cut(before)
            self._state, self._time = None, before
        self.error = None
        last = path[0][0] if path else position
        while not self._now.has_ended:
            now = self._now
            at = now.frame
            if (at.path == path and at.position == position) or 0 <= last < now.frames[0].position:
                break
            depth = len(at.path)
            leads = len(path) > depth and path[:depth] == at.path and path[depth][0] == at.position
            if not self._advance(whole=not leads):
                break

    def _stop(self, reason: str = "") -> Stop:
        if self.error is not None:
            reason = f"the step failed: {type(self.error).__name__}: {str(self.error).partition(chr(10))[0]}"
        return stop_at(self._now, self._find_op, reason)

    def _held(self, place: ValuePlace) -> Any:
        """A value as the run holds it, made again if no later step reads it."""
        frame = place.frame
        if place.slot in frame.slots:
            return frame.slots[place.slot]
        time = frame.times[place.position]
        random = self._random.state()
        try:
            state = self._history.again(time - 1)
            found = state.frames[len(frame.path)]
            self._stepper.keeps_all = True
            self._stepper.tick(state, self._history.ran_whole(time - 1))
        finally:
            self._stepper.keeps_all = False
            self._random.restore(random)
        return found.slots[place.slot]


def pattern_of(what: Any) -> str:
    """The pattern of node names that is meant by a tensor, an operation, or a name."""
    return name_of(what).partition(":")[0]


def node_of(state: RunState) -> str:
    """The node that is next; "" at the end."""
    frame = state.frame
    return "" if state.has_ended else frame.code.plan.steps[frame.position].node


def read_only(value: Any) -> Any:
    """A value of the run as an array that cannot be written."""
    array = np.asarray(on_host(value)).view()
    array.flags.writeable = False
    return array


def _own(value: Any) -> Any:
    array = np.array(on_host(value), order="C")
    return array if array.ndim else array[()]
