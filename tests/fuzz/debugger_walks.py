"""Random walks of a debugger through a run, and what must hold on the way.

- A value seen at a place of the run is the same whenever the walk comes there again, and the one of `Session.trace`.
- `finish` gives what `Session.run` gives, and leaves variables and random numbers as it does.
- What prints or calls Python does so once.
- What is kept stays within its memory.
- After `set` the values are those of a run in which the tensor is fed; after `unset` they are the first ones again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.debugger.debugger import Debugger

from ..helpers import frames_of
from .debugged_programs import Debugged, Heard


class Torn(Exception):
    """Something does not hold."""


def complaint(program: Debugged, seed: int) -> str | None:
    """What is wrong with a debugger of the program; None if nothing is."""
    try:
        with Heard(program.log):
            Check(program, seed).run()
    except Torn as error:
        return str(error)
    return None


def bits(value: Any) -> Any:
    """What an array holds, any NaN like any other."""
    value = np.asarray(value, object if isinstance(value, (str, bytes)) else None)
    if value.dtype.kind == "O":
        return (value.shape, tuple(value.reshape(-1).tolist()))
    if value.dtype.hasobject:
        return (value.shape, "variant")
    if value.dtype.kind in "fc" or value.dtype.name == "bfloat16":
        value = np.where(value != value, value.dtype.type(np.nan), value)
    return (value.dtype.name, value.shape, value.tobytes())


class Check:
    """One program, checked."""

    def __init__(self, program: Debugged, seed: int) -> None:
        self.program = program
        self.rng = np.random.default_rng([seed, 5])
        self.fused = bool(self.rng.random() < 0.35)
        self.every = int(self.rng.choice([1, 2, 3, 7, 20, 64, 200]))
        self.memory = int(self.rng.choice([0, 100, 1000, 5000, 1 << 28]))
        self.seen: dict[Any, dict[Any, Any]] = {}
        self.said: list[str] = []

    # ---- the whole --------------------------------------------------------------------------

    def run(self) -> None:
        """Check it.

        Raises:
            Torn: something does not hold.
        """
        program = self.program
        with program.session() as session:
            self.error = self.wanted = None
            try:
                self.wanted = session.run(program.fetches, program.feeds)
            except tf.errors.OpError as error:
                self.error = error
            except (ValueError, TypeError):
                return  # the feeds contradict what the static shapes hold for
            self.log = list(program.log)
            self.after = [bits(value) for value in program.values(session)], drawn(session)
        with program.session() as session:
            self.trace: Any = {}
            try:
                self.trace = session.trace(program.fetches, program.feeds)
            except tf.errors.OpError as error:
                self.trace = error.trace
                self.traced_error = error
        with program.session() as session:
            self._walked(session)
        if program.is_stateless and self.error is None:
            self.seen.clear()
            self.fused = False  # with passes, not all that reads a tensor need read the value that is set
            with program.session() as session:
                self._edited(session)

    def _debugger(self, session: tf.Session) -> Debugger:
        made = session.debug(
            self.program.fetches, self.program.feeds, fused=self.fused, every=self.every, memory=self.memory
        )
        return made

    def _walked(self, session: tf.Session) -> None:
        before = session.random_state()
        variables = [bits(value) for value in self.program.values(session)]
        self.program.log.clear()
        dbg = self._debugger(session)
        for _ in range(int(self.rng.integers(5, 40))):
            self._move(dbg)
            self._look(dbg)
        if session.random_state() != before and dict(before.items()).items() > dict(session.random_state()).items():
            raise self._torn("the session's random numbers have changed before the end")
        log = list(self.program.log)
        if [bits(value) for value in self.program.values(session)] != variables:
            raise self._torn("the session's variables have changed before the end")
        most = dict(each for each in self.log if each[0] == "calls").get("calls", 0)
        if [e for e in log if e not in self.log and not (e[0] == "calls" and e[1] <= most)]:
            raise self._torn(f"effects {log}, of a run {self.log}")
        self._finished(dbg, session)

    def _finished(self, dbg: Debugger, session: tf.Session) -> None:
        try:
            got = dbg.finish()
        except tf.errors.OpError as error:
            if self.error is None:
                raise self._torn(f"finish fails: {type(error).__name__}: {error}") from error
            same = self.traced_error if not self.fused else self.error
            if type(error) is not type(same) or first_line(error) != first_line(same):
                raise self._torn(f"finish fails with\n{error}\na run with\n{same}") from error
            dbg.back()
            self._look(dbg)
            dbg.step()
            return
        if self.error is not None:
            raise self._torn(f"finish gives results; a run fails with {self.error}")
        self._compare_results(got, self.wanted)
        if list(self.program.log) != self.log:
            raise self._torn(f"effects {list(self.program.log)}, of a run {self.log}")
        after = [bits(value) for value in self.program.values(session)], drawn(session)
        if after[0] != self.after[0]:
            raise self._torn("other values of variables than after a run")
        if after[1] != self.after[1]:
            raise self._torn(f"other random state than after a run:\n{after[1]}\n{self.after[1]}")

    def _compare_results(self, got: Any, wanted: Any) -> None:
        for fetch, a, b in zip(self.program.fetches, got, wanted, strict=True):
            if b is None and a is None:
                continue
            if type(a) is not type(b) or bits(a) != bits(b):
                raise self._torn(f"finish gives {a!r} for {fetch}, a run {b!r}")

    # ---- one move ---------------------------------------------------------------------------

    def _move(self, dbg: Debugger) -> None:
        rng, node = self.rng, self._some_node(dbg)
        choices: list[tuple[str, Any]] = [
            ("step", int(rng.integers(1, 6))), ("step", 1), ("next", None), ("back", int(rng.integers(1, 11))),
            ("goto", int(rng.integers(dbg.latest + 1))), ("until", node), ("back_to", node),
            ("next", node.rpartition("/")[0] + "*"), ("until", f"*{node[-3:]}"),
            ("until", self._predicate()), ("goto", dbg.latest + int(rng.integers(3))), ("out", None),
        ]  # fmt: skip
        name, argument = choices[int(rng.integers(len(choices)))]
        self.said.append(f"dbg.{name}({argument!r})" if not callable(argument) else f"dbg.{name}(a predicate)")
        try:
            method = getattr(dbg, name, None)
            if method is None:
                return
            if name == "out":
                method()
            else:
                method(argument)
        except ValueError as error:
            if name != "back_to":
                raise self._torn(f"{type(error).__name__}: {error}") from error
        except tf.errors.OpError as error:
            raise self._torn(f"{type(error).__name__}: {error}") from error

    def _predicate(self) -> Any:
        count = int(self.rng.integers(1, 20))
        left = [count]

        def holds(name: str, value: Any) -> bool:
            left[0] -= 1
            return left[0] == 0

        return holds

    def _some_node(self, dbg: Debugger) -> str:
        frames = frames_of(dbg)
        frame = frames[int(self.rng.integers(len(frames)))]
        code = frame.code
        for _ in range(2):
            inner = [each for bodies in code.bodies.values() for each in bodies]
            if inner and self.rng.random() < 0.5:
                code = inner[int(self.rng.integers(len(inner)))]
        steps = code.plan.steps
        return steps[int(self.rng.integers(len(steps)))].node if steps else "nothing"

    # ---- what must hold ---------------------------------------------------------------------

    def _look(self, dbg: Debugger) -> None:
        if dbg.held_bytes > self.memory:
            raise self._torn(f"{dbg.held_bytes} bytes are held, {self.memory} are allowed")
        frames = frames_of(dbg)
        place = tuple([(f.path, f.position) for f in frames])
        now = {
            (depth, int(slot)): bits(value)
            for depth, frame in enumerate(frames)
            for slot, value in frame.slots.items()
        }
        known = self.seen.setdefault(place, now)
        if known != now:
            wrong = [key for key in {*known, *now} if known.get(key) != now.get(key)]
            raise self._torn(f"other values at {place} than before: {wrong}")
        first = frames[0]
        for name, slot in first.code.slot_of.items():
            if slot in first.slots and name in self.trace and bits(self.trace[name]) != bits(first.slots[slot]):
                raise self._torn(f"other value of {name} than in a trace")
        some = self._some_known(dbg)
        if some is not None and some in self.trace and bits(dbg.value(some)) != bits(self.trace[some]):
            raise self._torn(f"value({some!r}) differs from a trace")
        repr(dbg)

    def _some_known(self, dbg: Debugger) -> str | None:
        """The name of a value that has been computed, in the plan itself; it may have been dropped since."""
        frame = frames_of(dbg)[0]
        plan = frame.code.plan
        state = {slot for _, slot in plan.feeds[len(plan.user_feeds) :]}  # these names mean others in bodies
        made = [name for name, slot in frame.code.slot_of.items() if frame.code.made_at.get(slot, -1) < frame.position
                and not frame.code.plan.slots[slot].dtype.np.hasobject and slot not in state]  # fmt: skip
        return made[int(self.rng.integers(len(made)))] if made else None

    # ---- edits ------------------------------------------------------------------------------

    def _edited(self, session: tf.Session) -> None:
        dbg = self._debugger(session)
        for _ in range(int(self.rng.integers(1, 12))):
            self._move(dbg)
        for _ in range(3):
            tensor = self._some_tensor()
            if tensor is not None and not self._edited_one(dbg, tensor):
                break

    def _edited_one(self, dbg: Debugger, tensor: Tensor) -> bool:
        program = self.program
        value = self._other(self.trace[tensor.name])
        with program.session() as other:
            try:
                feeds = {**program.feeds, tensor: value}
                wanted, error = other.trace(program.fetches, feeds), None
            except tf.errors.OpError as found:
                wanted, error = found.trace, found
            except (ValueError, TypeError):
                return True
        self.said.append(f"dbg.set({tensor.name!r}, {value!r})")
        try:
            dbg.set(tensor, value)
        except ValueError as refused:
            told = str(refused)
            if "a pass made" in told or "computes no" in told:
                return True
            raise self._torn(f"set: {told}") from refused
        first = frames_of(dbg)[0]
        for name, slot in first.code.slot_of.items():
            held = first.slots.get(slot)
            if held is None or name not in wanted or held.dtype.hasobject or not held.size:
                continue  # the shapes of empty stacks are those that are known before the run
            if bits(wanted[name]) != bits(held):
                raise self._torn(f"{name} is {first.slots[slot]!r}, {wanted[name]!r} in a run that feeds {tensor.name}")
        for _ in range(3):
            self._move(dbg)
        dbg.goto(0)
        while not dbg.has_ended and dbg.error is None:
            dbg.next()
        if dbg.error is not None and "set_shape said" in str(dbg.error):
            return False  # a feed puts no claim to the test
        if error is not None and dbg.error is None and "[0]" in str(error):
            return False  # with a feed, less is known of the shapes of empty stacks before the run
        if (dbg.error is None) != (error is None) or type(dbg.error) is not type(error):
            raise self._torn(f"after set: {dbg.error!r}, a run that feeds {tensor.name}: {error!r}")
        if error is None:
            for fetch, value in zip(program.fetches, wanted.result, strict=True):
                if isinstance(fetch, Tensor) and np.size(value) and bits(value) != bits(dbg.value(fetch)):
                    raise self._torn(f"{fetch.name} is {dbg.value(fetch)!r} after set, fed {value!r}")
        self.said.append(f"dbg.unset({tensor.name!r})")
        dbg.unset(tensor)
        if dbg.changed:
            raise self._torn(f"after unset {dbg.changed} count as changed")
        self._look(dbg)
        for _ in range(3):
            self._move(dbg)
            self._look(dbg)
        return True

    def _some_tensor(self) -> Tensor | None:
        names = [name for name in self.trace if self._may_set(name)]
        if not names:
            return None
        return self.program.graph.get_tensor_by_name(names[int(self.rng.integers(len(names)))])

    def _may_set(self, name: str) -> bool:
        try:
            tensor = self.program.graph.get_tensor_by_name(name)
        except (KeyError, ValueError):
            return False
        return not tensor.dtype.np.hasobject and tensor not in self.program.feeds and tensor.op.opdef.is_pure

    def _other(self, value: Any) -> Any:
        value = np.asarray(value)
        if value.dtype.kind == "b":
            return ~value
        if value.dtype.kind in "iu":
            return value + value.dtype.type(1)
        return (value * 2 + 1).astype(value.dtype)

    def _torn(self, what: str) -> Torn:
        told = f"fused={self.fused}, every={self.every}, memory={self.memory}"
        return Torn(f"{what}\nsession.debug({told}); " + "; ".join(self.said))


def drawn(session: tf.Session) -> dict[str, Any]:
    """The streams of which something was drawn."""
    return {name: stream for name, stream in session.random_state().items() if stream.drawn}


def first_line(error: Exception) -> str:
    """The first line of its text."""
    return str(error).partition("\n")[0]


