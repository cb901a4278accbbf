"""Random programs for the debugger, of a seed: from all generators of the fuzz, and some that have everything at once.

    plain       elementwise ops, partitions, strings, gradients, bodies, effects, failures, fed intermediates
    control     branches, loops, maps, scans, TensorArrays and their gradients
    everything  bodies with calls of Python, prints, random numbers and variables
    bodies      variables that branches and loops read and write
    state       writes of all kinds, optimizers, control edges
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.identity_comparison import MistakeWarning

from ..control_flow import sequential_bodies
from ..control_flow.random_control import ControlProgram, ControlWriter, Named, control_program, placeholder
from ..variables.sequential_graph import Built as BuiltState
from ..variables.sequential_programs import chooser, new_node, new_node_of_any_kind, new_program, new_run
from .extension import Extension
from .programs import fuzz_program

KINDS = ("plain", "control", "everything", "bodies", "state")


@dataclass
class Debugged:
    """A program as a graph, and what a run of it is.

    Attributes:
        text: the program as code.
        graph: the graph.
        fetches: what is fetched.
        feeds: what is fed.
        log: what calls of Python and prints have noted since it was cleared.
        start: gives a new session its variables.
        is_stateless: whether no operation of it changes what another one reads, but by data.
        variables: the variables.
    """

    text: str
    graph: tf.Graph
    fetches: list[Any]
    feeds: dict[Any, Any]
    log: list[Any] = field(default_factory=list)
    start: Callable[[tf.Session], object] = lambda session: None
    is_stateless: bool = True
    variables: list[Any] = field(default_factory=list)

    def session(self, config: tf.SessionConfig | None = None) -> tf.Session:
        """A session at the start; the log is empty."""
        made = tf.Session(graph=self.graph, config=config)
        self.start(made)
        self.log.clear()
        return made

    def values(self, session: tf.Session) -> list[Any]:
        """The values of the variables."""
        return [session.run(v.value()) for v in self.variables]


def debugged_program(seed: int, extension: Extension) -> Debugged:
    """The program of a seed."""
    kind = KINDS[seed % len(KINDS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MistakeWarning)
        return MAKERS[kind](seed, extension)


def _plain(seed: int, extension: Extension) -> Debugged:
    program = fuzz_program(seed, extension)
    built = program.made(extension)
    extension.reset()
    return Debugged(
        str(program), built.graph, [*built.fetches, *built.targets], built.feeds, _Both(extension),
        start=lambda session: extension.reset(), is_stateless="ops." not in "\n".join(program.lines),
    )  # fmt: skip


class _Both(list[Any]):
    """The log of the ops of the extension."""

    def __init__(self, extension: Extension) -> None:
        super().__init__()
        self._extension = extension

    def __iter__(self) -> Any:
        return iter([*self._extension.log, *self._extension.shelf, ("calls", self._extension.calls)])

    def clear(self) -> None:
        """Forget what was noted."""
        self._extension.reset()


def _control(seed: int, extension: Extension) -> Debugged:
    program = control_program(seed)
    return _from_lines(program, {}, seed)


def _from_lines(program: ControlProgram, more: dict[str, Any], seed: int) -> Debugged:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(seed + 1)
        namespace: dict[str, Any] = {"tf": tf, "np": np, **more}
        lines = [*(placeholder(each) for each in program.inputs), *program.lines]
        exec("\n".join(lines), namespace)
        slopes = [eval(slope, namespace) for slope in program.slopes]
        fetches = [namespace[name] for name in program.fetched]
        fetches += [tf.convert_to_tensor(slope) for slope in slopes if slope is not None]
    run = seed // len(KINDS) % program.runs
    feeds = {namespace[name]: array for name, array in program.feeds(run).items()}
    return Debugged(str(program), graph, fetches, feeds)


FORMS = ("noted({a})", "drawn({a})", "printed({a})")
WRITING = ("bumped({a})", "held({a})")


def _everything(seed: int, extension: Extension) -> Debugged:
    rng = np.random.default_rng([seed, 17])
    writes = bool(rng.random() < 0.5)
    writer = ControlWriter(rng, more_forms=(*FORMS, *(WRITING if writes else ())))
    program = ControlProgram(seed)
    leaves: list[tuple[str, Any]] = [("float64", ("n",)), ("float64", ()), ("int32", ()), ("float64", (2, 3))]
    program.inputs = [Named(writer.name("x"), dtype, shape) for dtype, shape in leaves]
    program.values = list(program.inputs)
    for _ in range(int(rng.integers(1, 4))):
        writer.budget = int(rng.integers(5, 35))
        dtype, shape = leaves[int(rng.integers(len(leaves)))]
        value = Named(writer.name("t"), dtype, shape)
        make = writer.one_of([writer.cond, writer.loop, writer.loop, writer.over_rows])
        made = make(program.values, dtype, shape, int(rng.integers(1, 4)))
        form = str(writer.one_of(["tf.identity({a})", "noted(tf.identity({a}))", "drawn({a})"]))
        program.lines.append(f"{value.name} = {form.format(a=made)}")
        program.values.append(value)
        program.fetched.append(value.name)
    log: list[Any] = []
    with tf.Graph().as_default():
        helpers = _Helpers(log)
    # The variable is made in the graph of the program.
    found = _with_helpers(program, helpers, seed)
    found.log = log
    found.is_stateless = not writes
    return found


class _Helpers:
    """The functions that FORMS call."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log
        self.variable: Any = None

    def noted(self, a: Any) -> Any:
        """`a`, by a call of Python that notes it."""

        def note(value: Any) -> Any:
            self.log.append(("noted", value.tobytes()))
            return value

        made = tf.py_func(note, [a], a.dtype)
        made.set_shape(a.shape)
        return made

    def printed(self, a: Any) -> Any:
        """`a`, which is printed."""
        return tf.Print(a, [a], message="printed ")

    def drawn(self, a: Any) -> Any:
        """`a` and random numbers."""
        more = tf.random_uniform(tf.shape(a), 0, 3, tf.int32)
        if a.dtype == tf.bool:
            return tf.logical_xor(a, more > 1)
        return a + tf.cast(more, a.dtype)

    def bumped(self, a: Any) -> Any:
        """`a`, after a variable has grown."""
        with tf.control_dependencies([self.variable.assign_add(1.0)]):
            return tf.identity(a)

    def held(self, a: Any) -> Any:
        """`a` and the variable."""
        now = self.variable.read_value()
        if a.dtype == tf.bool:
            return tf.logical_xor(a, now > 3.0)
        return a + tf.cast(now, a.dtype)


def _with_helpers(program: ControlProgram, helpers: _Helpers, seed: int) -> Debugged:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(seed + 1)
        helpers.variable = tf.Variable(1.0, name="v", dtype=tf.float64)
        namespace: dict[str, Any] = {"tf": tf, "np": np}
        namespace |= {name: getattr(helpers, name) for name in ("noted", "drawn", "printed", "bumped", "held")}
        exec("\n".join([*(placeholder(each) for each in program.inputs), *program.lines]), namespace)
        fetches = [namespace[name] for name in program.fetched]
    feeds = {namespace[name]: array for name, array in program.feeds(seed % program.runs).items()}
    return Debugged(
        str(program), graph, fetches, feeds, start=lambda session: session.run(helpers.variable.initializer),
        variables=[helpers.variable],
    )  # fmt: skip


def _bodies(seed: int, extension: Extension) -> Debugged:
    maker = sequential_bodies.Maker(seed)
    nodes = maker.nodes([], maker.rng.randrange(3, 9), 3)
    built = sequential_bodies.Built(nodes, [maker.array() for _ in range(sequential_bodies.VARIABLES)])
    chosen = maker.rng.sample(nodes, maker.rng.randint(1, len(nodes)))
    text = f"{sequential_bodies.text_of(nodes)}\nfetch {[nodes.index(n) for n in chosen]}"
    return Debugged(
        text, built.graph, [built.elements[n] for n in chosen], {}, is_stateless=False, variables=built.variables,
        start=lambda session: session.run([v.initializer for v in built.variables]),
    )  # fmt: skip


def _state(seed: int, extension: Extension) -> Debugged:
    choose = chooser(seed)
    program = new_program(choose)
    make = new_node if choose(2) else new_node_of_any_kind
    built = BuiltState(program)
    for _ in range(4 + choose(10)):
        program.nodes.append(make(choose, program))
    built.add()
    slots = list(built.fresh)
    run = new_run(choose, program)
    while program.writes_what_is_fed(run):
        run = new_run(choose, program)
    fetches = [*[built.elements[p] for p in run.fetches], *[built.operation(p) for p in run.targets]]
    feeds = {built.elements[place]: value for place, value in run.feeds.items()}
    text = "\n".join([*[f"n{i} = {node}" for i, node in enumerate(program.nodes)], f"run {run}"])
    return Debugged(
        text, built.graph, fetches, feeds, is_stateless=False, variables=built.variables,
        start=lambda session: [session.run(built.initializer), session.run([s.initializer for s in slots])],
    )  # fmt: skip


MAKERS: dict[str, Callable[[int, Extension], Debugged]] = {
    "plain": _plain, "control": _control, "everything": _everything, "bodies": _bodies, "state": _state,
}  # fmt: skip


class Heard:
    """In place of a stream: what is printed goes to a log."""

    def __init__(self, log: list[Any]) -> None:
        self._log = log

    def write(self, text: str) -> int:
        """Note a text."""
        if text.strip():
            self._log.append(("printed", text.strip()))
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""

    def __enter__(self) -> Heard:
        self._before = sys.stderr
        sys.stderr = self
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr = self._before
