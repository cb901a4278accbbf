"""`Debugger`: one run of a session, step by step, forwards and backwards."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import GraphError, UseError
from ...graph.common.hooks import hooks
from ...graph.common.not_copyable import NotCopyable
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Operation, Tensor
from ..observe.run_record import DebuggedPart, RunRecord
from .addressed_values import ValueAddress, address_before, address_in, has_loop, here_of, start_of, values_at
from .breakpoints import at_name, on_values
from .debug_record import record_until
from .debugged_moves import is_within, own_copy, pattern_of, whole_number
from .debugged_names import ValuePlace, names_within, position_of
from .held_memory import HeldMemory
from .reported_run import ReportedRun
from .stops import Stop


class Debugger(NotCopyable, ReportedRun):
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
        """Runs one step, or `count`; at a loop, a branch or a fused group it goes inside.

        Args:
            count: how many steps.

        Returns:
            Where the run stands then. A step that fails is not taken: the reason says so, and `Debugger.error` is its
            error.

        Raises:
            TypeError: `count` is no whole number.
            ValueError: it is below 0.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.add(1.0, [2.0, 3.0], name="sum"))
        >>> print(dbg.step())
        at the end: its one step has run
        """
        for _ in range(whole_number(count, f"Debugger.step({count!r})")):
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

        Raises:
            TypeError: `pattern` is no string.

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
        if not isinstance(pattern, str):
            raise UseError(f"Debugger.next({pattern!r}): a pattern of names is a string, such as 'layer1/*'")
        while not self._now.has_ended and self._is_next(pattern):
            if not self._onwards(lambda frame: self._are_inside(frame, pattern)):
                break
        return self._stop()

    @hides_frames
    def out(self) -> Stop:
        """Runs to the end of the loop, branch or fused group that is under way; outside of any, to the end of the run.

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

        Raises:
            TypeError: `what` is none of these.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.log([1.0, -1.0], name="log")
        ...     dbg = session.debug(tf.exp(x, name="exp"))
        >>> dbg.until(lambda name, value: bool((value != value).any())).reason
        'log:0: the predicate holds'
        """
        if callable(what) and not isinstance(what, (Tensor, Operation)):
            return self._go([on_values(0, False, False, None, what, "*")])
        return self._go([at_name(0, pattern_of(what))])

    @hides_frames
    def finish(self) -> Any:
        """Runs to the end, gives the variables of the session their new values, and returns what `run` would.

        Returns:
            The values of the fetches.

        Raises:
            OpError: a step failed; the run stands before it.
            UseError: it has been called before.
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

    @hides_frames
    def run_to_failure(self) -> Stop:
        """Runs on to the step that fails, inside loops and branches too.

        Returns:
            Where the run stands then: before that step, with its error in `error`; at the end if none fails.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     n = tf.placeholder(tf.int32, [], name="n")
        ...     x = tf.while_loop(lambda i, x: i < 9, lambda i, x: (i + 1, x // (n - i)), [0, 99], name="steps")
        ...     dbg = session.debug(x, {n: 2})
        >>> dbg.run_to_failure().inside
        ('steps[2]',)
        """
        depth = 0
        while not self._now.has_ended:
            if self._onwards(partial(is_within, depth), enters=True):
                continue
            frame = self._now.frame
            if frame.position not in frame.code.bodies or len(frame.path) < depth:
                break
            depth = len(frame.path) + 1
            if not self._advance(None):
                break
        return self._stop()

    # ---- the run as a record ----------------------------------------------------------------

    @hides_frames
    def record(self) -> RunRecord:
        """The record of the steps that have run so far, with summaries of their values.

        Returns:
            A `RunRecord`: it prints as a table, and `export("run.html")` writes the page.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.step().node, [step.node for step in dbg.record().steps]
        ('b', ['a'])
        """
        with self._looking(0) as state:
            made = record_until(state, self._time, self._history, self._stepper, *self._asked)
        return replace(made, debugged=DebuggedPart(self.changed, self.error is not None))

    @hides_frames
    def show(self, path: str | os.PathLike[str] | None = None) -> RunRecord | Path:
        """The page of the run so far, which opens at this step.

        Args:
            path: where to write it, such as "here.html", or another form of `RunRecord.export`. Without it nothing is
                written.

        Returns:
            The path; without one the record so far, which a notebook shows as the page.

        Raises:
            OSError: the file cannot be written.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(dbg.show(pathlib.Path(folder, "here.html")).name, dbg.show().headline)
        here.html 0 steps in 0 us, at most 0 B held; it stands before step 1 of 2, a
        """
        record = self.record()
        return record if path is None else record.export(path, title=str(self._stop()).partition("  ")[0])

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    # ---- backwards --------------------------------------------------------------------------

    @hides_frames
    def back(self, count: int = 1) -> Stop:
        """Goes back one step, or `count`: to the state before it.

        Args:
            count: how many steps.

        Returns:
            Where the run stands then.

        Raises:
            TypeError: `count` is no whole number.
            ValueError: it is below 0.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.step(2).time, dbg.back().node, dbg.time
        (2, 'b', 1)
        """
        return self.goto(max(0, self._now.time - whole_number(count, f"Debugger.back({count!r})")))

    @hides_frames
    def goto(self, time: int) -> Stop:
        """Goes to the state after `time` steps, backwards or forwards.

        Args:
            time: the number of steps that have run then, those inside loops that were entered included.

        Returns:
            Where the run stands then.

        Raises:
            ValueError: `time` is below 0.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.goto(2).time, dbg.goto(0).node
        (2, 'a')
        """
        time = whole_number(time, f"Debugger.goto({time!r})")
        latest = self.latest
        self._move(min(time, latest))
        return self.step(time - latest) if time > latest else self._stop()

    @hides_frames
    def rewind(self) -> int:
        """Goes back to the start and gives up what is held for going back; so a run can be kept for later.

        Returns:
            The bytes that it holds then: its feeds, and the variables that it reads.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, [1000], name="x")
        ...     dbg = session.debug(tf.negative(tf.square(x, name="a"), name="b"), {x: [0.0] * 1000})
        >>> dbg.go().time, dbg.rewind() < 5000, dbg.time
        (2, True, 0)
        """
        self._move(0)
        self._history.restart(self._first())
        return HeldMemory().add(self._feeds)

    @hides_frames
    def back_to(self, what: Any) -> Stop:
        """Goes back to where a node was next last.

        Args:
            what: a tensor or operation, its name, or a pattern of names.

        Returns:
            Where the run stands then.

        Raises:
            ValueError: no step before this one matches.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.goto(2).time, dbg.back_to("a").time
        (2, 0)
        """
        pattern = pattern_of(what)
        time, is_inside = None, False
        until = self._now.time
        with self._looking(0) as state:
            while state.time < until:
                reach = self._history.reach(state.time)
                if self._stops_before(pattern, state):
                    time, is_inside = state.time, False
                elif reach == len(state.frames) and self._is_next(pattern, state):
                    time, is_inside = state.time, True
                self._stepper.tick(state, reach)
        if time is None:
            raise GraphError(f"Debugger.back_to({what!r}): no step before this one matches {pattern!r}")
        self.goto(time)
        return self._last_inside(pattern) if is_inside else self._stop()

    def _last_inside(self, pattern: str) -> Stop:
        """Go to where a node of the fused group that is next, which had run as a whole, is next last."""
        depth, found = len(self._now.frames), self._time
        while self._advance(None) and len(self._now.frames) > depth:
            if self._stops_before(pattern):
                found = self._time
        return self.goto(found)

    # ---- values -----------------------------------------------------------------------------

    @hides_frames
    def value(self, tensor: Any) -> Any:
        """The value of a tensor at this time.

        Args:
            tensor: a tensor, an operation, or a name; inside a loop or branch the part after its scope is enough. An
                address such as "steps[3]/h" names a value in an iteration that is over: the loop runs again up to it.
                A tensor that only a fused group has is computed from the inputs of the group.

        Returns:
            A NumPy array that shares no memory with the run, or a NumPy scalar.

        Raises:
            ValueError: the run does not compute it, or has not computed it yet.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     loop = tf.while_loop(lambda x: x < 99, lambda x: tf.multiply(x, 2, name="h"), [1], name="steps")
        ...     dbg = session.debug(loop)
        >>> dbg.go().node, int(dbg.value("steps[0]/h")), int(dbg.value("steps[3]/h"))
        ('', 2, 16)
        """
        address = address_in(tensor)
        if address is not None:
            return own_copy(self._at_address(address))
        place = self._place(tensor, "value")
        if not place.is_computed:
            raise GraphError(
                f"Debugger.value({place.name!r}): it is not computed yet; its step comes later. "
                f"dbg.until({place.name.rpartition(':')[0]!r}) goes there{self._iteration_before(place)}"
            )
        return own_copy(self._held(place))

    def _iteration_before(self, place: ValuePlace) -> str:
        """Where the value is that the iteration before has computed; "" if there is none."""
        found = address_before(self._now, place)
        return "" if found is None else f"; {str(found)!r} is that of the iteration before"

    def _at_address(self, address: ValueAddress) -> Any:
        attempt = f"Debugger.value({str(address)!r})"
        if not has_loop(self._code, address):
            raise GraphError(f"{attempt}: this run has no loop {address.loop}")
        now = self._now
        with self._looking(start_of(now.frames[0], address)) as state:
            found = next(values_at(state, self._stepper, address, here_of(now)), None)
        if found is None:
            raise GraphError(f"{attempt}: up to here nothing of the name {address.name!r} was computed in "
                             f"{address.loop}")  # fmt: skip
        return found[1]

    @hides_frames
    def set(self, tensor: Any, value: Any) -> None:
        """Sets the value of a tensor. What depends on it is computed again, up to where the run stands.

        The values are then those of a run in which the tensor is fed. Not so of a tensor in the middle with
        `fused=True`: a pass may have given an op another operand in its place, and such an op does not see the value.

        Args:
            tensor: a tensor, an operation, or a name.
            value: an array of the dtype and rank of the value that it replaces.

        Raises:
            ValueError: the run does not compute it, or the value does not fit.
        """
        if address_in(tensor) is not None:
            name = str(tensor).rpartition("/")[2]
            raise GraphError(f"Debugger.set({tensor!r}): a value is set where the run stands; dbg.back_to({name!r}) "
                             "goes to the last iteration that computed it")  # fmt: skip
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

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.set("a/x", 5.0)
        >>> dbg.step().time, dbg.value("a")
        (1, np.float32(25.0))
        >>> dbg.unset("a/x")
        >>> dbg.value("a")
        np.float32(9.0)
        """
        place = self._place(tensor, "unset")
        found = self._stepper.edits.at(place.at)
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
    def nodes(self) -> tuple[str, ...]:
        """The names of all nodes that the run computes, those inside loops, branches and fused groups included."""
        steps = enumerate(self._code.plan.steps)
        return tuple(dict.fromkeys([
            name for position, step in steps for name in (step.node, *self._code.names_inside(position))
        ]))  # fmt: skip

    @property
    def computed(self) -> tuple[str, ...]:
        """The names of the values that there are at this time: the plan's own, then those of the graphs inside that
        are under way; of each what was given first, then in the order of the steps.
        """
        found: list[str] = []
        for frame in self._now.frames:
            places: list[tuple[float, str]] = [
                (position_of(frame, slot), name) for name, slot in frame.code.slot_of.items()
                if slot in frame.slots or position_of(frame, slot) < frame.position
            ]  # fmt: skip
            members = frame.code.members.items()
            places += [(position - 0.5, name) for name, position in members if position < frame.position]
            found += [name for _, name in sorted(places, key=lambda each: each[0])]
        return tuple(found)

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
