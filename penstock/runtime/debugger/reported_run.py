"""What a debugger tells of its run, and on what it stops: the part of `Debugger` that does not move it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...errors import GraphError, UseError
from ...graph.common.near_names import did_you_mean
from ...graph.common.tracebacks import hides_frames
from ..observe.nan_watch import on_host
from .addressed_values import holder_of, last_value
from .breakpoints import Breakpoint, ValueTest, at_name, on_values
from .debugged_moves import DebuggedMoves, whole_number
from .debugged_names import ValuePlace, name_of, place_of
from .step_listing import steps_around
from .stops import Stop, part_text
from .where_report import FrameAt, Where, frames_at, host_value, value_text, where_at
from .why_report import InsideFound, Why, bad_in, why_value

_MOST_STEPS = 20_000
"""The most steps that run again to show the last value of a loop that is watched: a fifth of a second."""


class ReportedRun(DebuggedMoves):
    """The reports and breakpoints of a `Debugger`."""

    def __init__(self, *arguments: Any) -> None:
        """A debugger of a run; the arguments are those of `DebuggedMoves`."""
        super().__init__(*arguments)
        self._breakpoints: list[Breakpoint] = []
        self._numbers = 0
        self._watched: dict[str, str] = {}  # name -> the text of its value at the last stop
        self._last_values: dict[str, tuple[Any, str]] = {}  # name -> (for which state, the text)

    # ---- where ------------------------------------------------------------------------------

    @hides_frames
    def where(self) -> Where:
        """The step that is next: its operands with their values, lines and shapes, what it makes, what is around it.

        Returns:
            A `Where`, which prints as text.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     dbg = session.debug(tf.add(x, 1.0, name="more"), {x: [3.0, 8.0]})
        >>> found = dbg.where()
        >>> [(each.parameter, each.tensor, each.predicted, each.found, each.value) for each in found.operands]
        [('x', 'x:0', 'float32 (n,)', (2,), '[3. 8.]'), ('y', 'more/y:0', 'float32 ()', (), '1.0')]
        >>> found.makes
        (('more:0', 'float32 (n,)'),)
        """
        return where_at(self._now, self._find_op, self._stop(), self._stepper.edits)

    @hides_frames
    def frames(self) -> tuple[FrameAt, ...]:
        """The loops and branches that are under way, the innermost first.

        Returns:
            A `FrameAt` for each: its node, the graph that runs, the iteration, the loop variables. Outside of any: ().

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.while_loop(lambda i, x: i < 9, lambda i, x: (i + 1, tf.sin(x, name="s")), [0, 1.0], name="steps")
        ...     dbg = session.debug(x)
        >>> dbg.until("*/s").inside
        ('steps[0]',)
        >>> dbg.until("*/s").inside, [(name, float(value)) for name, value in dbg.frames()[0].variables]
        (('steps[1]',), [('i', 1.0), ('x', 0.8414...)])
        """
        return frames_at(self._now, self._find_op, self._stepper.edits)

    @hides_frames
    def listing(self, count: int = 5) -> str:
        """The steps around the next one, as text.

        Args:
            count: how many before it, and how many after.

        Returns:
            A line for each: a mark at the next one, its number, node, op, and the value that it has made.

        Raises:
            TypeError: `count` is no whole number.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.step().node
        'b'
        >>> [line.split()[:4] for line in dbg.listing().splitlines()[1:]]
        [['1', 'a', 'Square', '9.0'], ['>', '2', 'b', 'Neg']]
        """
        count = whole_number(count, f"Debugger.listing({count!r})")
        return steps_around(self._now, self._find_op, count, self._value_now, self._members_of)

    def __str__(self) -> str:
        return f"{self._stop()}\n\n{self.listing()}"

    # ---- breakpoints ------------------------------------------------------------------------

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints, in the order of their numbers."""
        return tuple(self._breakpoints)

    @hides_frames
    def break_at(self, what: Any) -> Breakpoint:
        """Lets `go` stop before a node, inside loops and branches too.

        Args:
            what: a tensor, an operation, a name, or a pattern of names such as "train/*".

        Returns:
            The breakpoint.

        Raises:
            TypeError: it is no name, tensor or operation.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.break_at("b")
        <breakpoint 1: before b>
        >>> dbg.go().node
        'b'
        """
        self._numbers += 1
        made = at_name(self._numbers, name_of(what).partition(":")[0])
        self._breakpoints.append(made)
        return made

    @hides_frames
    def break_on(
        self,
        predicate: ValueTest | None = None,
        *,
        nan: bool = False,
        inf: bool = False,
        shape: Sequence[int | None] | None = None,
        names: Any = "*",
    ) -> Breakpoint:
        """Lets `go` stop after a step with such a result, inside loops and branches too.

        A step that fails, such as an assertion that does not hold, needs no breakpoint: a run always stops before it.

        Args:
            predicate: a function of the name and the value of each result; it stops the run where it returns True.
            nan: stop at a NaN.
            inf: stop at an infinity.
            shape: stop at a shape that differs from this one; None stands for any size.
            names: a tensor, or a pattern of the names of nodes or tensors: only these are looked at.

        Returns:
            The breakpoint.

        Raises:
            TypeError: nothing to stop on is given.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.exp(tf.log([1.0, -1.0], name="log"), name="exp"))
        >>> dbg.break_on(nan=True)
        <breakpoint 1: NaN>
        >>> print(dbg.go().reason)
        breakpoint 1: log:0: 1 of 2 elements, the first at [1]: nan
        """
        made = on_values(self._numbers + 1, nan, inf, shape, predicate, name_of(names))
        self._numbers += 1
        self._breakpoints.append(made)
        return made

    @hides_frames
    def delete(self, number: int | Breakpoint) -> None:
        """Removes a breakpoint.

        Args:
            number: its number, or the breakpoint.

        Raises:
            ValueError: there is no such breakpoint.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> made = dbg.break_at("b")
        >>> dbg.delete(1)
        >>> dbg.breakpoints
        ()
        """
        wanted = number.number if isinstance(number, Breakpoint) else number
        left = [each for each in self._breakpoints if each.number != wanted]
        if len(left) == len(self._breakpoints):
            known = ", ".join(str(each.number) for each in left) or "none"
            raise GraphError(f"Debugger.delete({number!r}): no breakpoint has this number; there are {known}")
        self._breakpoints = left
        if not left:
            self._numbers = 0

    @hides_frames
    def go(self) -> Stop:
        """Runs on until a breakpoint, a step that fails, or the end.

        Returns:
            Where the run stands then; the reason names the breakpoint.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> print(dbg.go())
        at the end: all 2 steps have run
        """
        return self._go(self._breakpoints)

    # ---- watched values ---------------------------------------------------------------------

    @hides_frames
    def watch(self, tensor: Any) -> None:
        """Shows the value of a tensor at each stop from now on, and what it was where it has changed.

        Args:
            tensor: a tensor, an operation, or a name.

        Raises:
            TypeError: it is no name, tensor or operation.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.watch("a")
        >>> dbg.step().watched
        ('a = 9.0',)
        """
        self._watched[name_of(tensor)] = ""

    @hides_frames
    def unwatch(self, tensor: Any) -> None:
        """Ends `watch`.

        Args:
            tensor: what was watched.

        Raises:
            ValueError: it is not watched.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.watch("a")
        >>> dbg.unwatch("a")
        >>> dbg.step().watched
        ()
        """
        name = name_of(tensor)
        if name not in self._watched:
            raise GraphError(f"Debugger.unwatch({name!r}): it is not watched{did_you_mean(name, self._watched)}")
        del self._watched[name]

    def _stop(self, reason: str = "") -> Stop:
        return replace(super()._stop(reason), watched=tuple(self._watch_lines()))

    def _watch_lines(self) -> Iterator[str]:
        """A line for each watched value."""
        for name, before in self._watched.items():
            value = self._value_now(name)
            text = self._ended_text(name) if value is None else value_text(value)
            was = f"  (was {before})" if before and before != text else ""
            self._watched[name] = text
            yield f"{name} = {text}{was}"

    def _ended_text(self, name: str) -> str:
        """The last value of a tensor of which the loop or branch has ended."""
        outer = self._now.frames[0]
        full = name if ":" in name else f"{name}:0"
        position = holder_of(outer.code, full)
        if position is None or outer.position <= position:
            return "not computed yet"
        key = full, outer.times[position], id(self._stepper.edits)
        if self._last_values.get(name, (None, ""))[0] != key:
            with self._looking(outer.times[position - 1] if position else 0) as state:
                found = last_value(state, self._stepper, full, position, _MOST_STEPS)
            if found is not None:
                loop, value = found
                text = f"{value_text(value)}  (the last value{', in ' if loop else ''}{loop})"
            else:
                text = "not under way"
            self._last_values[name] = key, text
        return self._last_values[name][1]

    # ---- why --------------------------------------------------------------------------------

    @hides_frames
    def why(self, tensor: Any = None) -> Why:
        """Why a tensor has its value; why it is NaN, its shape was not known, it was not run, or it took long.

        Args:
            tensor: a tensor, an operation, or a name; without it the step that failed or is next.

        Returns:
            A `Why`, which prints as text; its `origin` is the tensor at which a NaN or infinity begins.

        Raises:
            ValueError: the graph has nothing of that name.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, [2], name="x")
        ...     y = tf.exp(tf.log(tf.add(x, 1.0, name="more"), name="log"), name="y")
        ...     dbg = session.debug(y, {x: [0.0, -3.0]})
        >>> dbg.until("no such node").node, dbg.why("y").origin
        ('', 'log:0')
        """
        name = name_of(tensor) if tensor is not None else self._next_name()
        state = self._now
        place = place_of(state, name)
        if place is None:
            return Why(name, (self._why_not_run(name),))
        if not place.is_computed:
            step = place.position + 1
            total = len(place.frame.code.steps)
            what = "it is step" if place.member is None else "its fused group is step"
            line = f"{place.name}: not computed yet; {what} {step} of {total}, and {place.frame.position} have run"
            return Why(place.name, (line,))
        node, _, index = place.name.rpartition(":")
        op = self._find_op(node)
        if op is None:
            return Why(place.name, (f"{place.name} = {value_text(self._held(place))}; a pass made it",))
        found = why_value(op.outputs[int(index)], self._value_now, self._first_bad_inside, self.times())
        edited = self._is_changed(place)
        note = (f"  it depends on what was set: {', '.join(self._set_names())}",) if edited else ()
        return Why(found.name, (*found.lines, *note), found.origin)

    @hides_frames
    def times(self) -> tuple[tuple[str, float, int], ...]:
        """The time of the steps that have run so far, the longest first.

        Returns:
            (name of the node, seconds, how often it ran), of the first time each step ran; what was run at once, such
            as a loop with all that is inside, is one step.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dbg = session.debug(tf.negative(tf.square(3.0, name="a"), name="b"))
        >>> dbg.go().time, sorted(node for node, seconds, runs in dbg.times())
        (2, ['a', 'b'])
        """
        rows = [(node, seconds, runs) for node, (seconds, runs) in self._stepper.spent.items()]
        return tuple(sorted(rows, key=lambda row: -row[1]))

    def _next_name(self) -> str:
        stop = self._stop()
        if not stop.node:
            raise UseError("Debugger.why(): all steps have run; name a tensor, such as dbg.why('loss')")
        return f"{stop.node}:0"

    def _why_not_run(self, name: str) -> str:
        node = name.partition(":")[0]
        for holder, part, names in self._code.names_of_graphs():
            if node.startswith(f"{part}/") or f"{part}/{node}:0" in names:
                full = node if node.startswith(f"{part}/") else f"{part}/{node}"
                return (f"{full}: it is inside {holder}, which is not under way at this time; dbg.until({full!r}) or "
                        f"dbg.back_to({full!r}) goes there")  # fmt: skip
        return self._why_not(node)

    def _value_now(self, name: str) -> Any:
        """The value of a tensor by name; None if it is not there."""
        place = place_of(self._now, name)
        if place is None or not place.is_computed:
            return None
        return self._held(place)

    def _is_changed(self, place: ValuePlace) -> bool:
        """Whether a value may differ because of what was set."""
        if place.member is None:
            return place.slot in place.frame.changed
        inner = place.group_frame
        is_set = place.slot in (self._stepper.edits.at(place.at) or {})
        return is_set or (place.frame.depends_on_edit(place.position) if inner is None else place.slot in inner.changed)

    def _set_names(self) -> list[str]:
        names: dict[str, None] = {}
        under_way = {frame.path for frame in self._now.frames}
        for (path, _), values in self._stepper.edits.values.items():
            code, is_group = self._code, False
            for position, part, _ in path:
                code, is_group = code.bodies[position][part], position in code.groups
            if path in under_way or (is_group and path[:-1] in under_way):
                names.update({name: None for name, slot in code.slot_of.items() if slot in values})
        return list(names) or ["a value inside a loop or branch"]

    def _first_bad_inside(self, name: str) -> InsideFound | None:
        """The first bad value inside the op that makes a tensor: it is run again, step by step."""
        place = place_of(self._now, name)
        if place is None or place.position not in place.frame.code.bodies:
            return None
        frame = place.frame
        depth = len(frame.path) + 1
        began = frame.began if place.position == 0 else frame.times[place.position - 1]
        with self._looking(began) as state:
            while len(state.frames) < depth or state.frames[depth - 1].position == place.position:
                frames = list(state.frames)
                texts = [part_text(state, at) for at in range(1, len(frames))]
                inner = state.frame
                held = [inner.slots.get(slot) for slot in inner.code.plan.steps[inner.position].inputs]
                self._stepper.tick(state, None)
                for made, position, results in self._stepper.made:
                    if len(made.path) < depth or not bad_in(results):
                        continue
                    step = made.code.plan.steps[position]
                    names = made.code.results[position]
                    i = next(i for i, value in enumerate(results) if bad_in([value]))
                    inputs = [None if v is None else on_host(v) for v in held[: len(step.inputs)]]
                    maker = self._find_op(step.node)
                    return InsideFound(", ".join(texts), names[i], host_value(results[i]), inputs, maker)
                if state.has_ended:
                    break
        return None
