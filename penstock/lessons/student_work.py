"""`Work`: what a check sees of a student's program: its graph, its variables and a record of each of its runs.

Printed text is not among it. A check can run the graph with feeds of its own, drawn anew for each check, so an answer
that is right for one set of numbers only does not pass. The check has a copy of the graph in a process of its own
(`handed_work`), so what the program did to its own process, such as to functions of NumPy, does not reach it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..runtime.base.session_config import SessionConfig
from ..runtime.observe.run_metadata import RunMetadata
from ..runtime.observe.run_record import RunRecord
from ..runtime.planning.plan import Plan
from ..runtime.session.run_hooks import RequestedRun, runs_given_to
from ..runtime.session.session import Session
from ..variables.graph_keys import GraphKeys
from .misconceptions import Misconception

MOST_RUNS = 200
"""How many runs are recorded; the others are counted."""


@dataclass(frozen=True, eq=False)
class StudentRun:
    """One run that the program made.

    Attributes:
        graph: the graph that ran.
        fetches: what it fetched, in the structure that the program gave.
        feeds: the fed values, by the names of their tensors.
        line: the line of the program that made it; 0 if it is not known.
        failed: whether it ended with an error.
    """

    graph: Graph
    fetches: Any
    feeds: Mapping[str, Any]
    line: int
    failed: bool

    @property
    def fetched(self) -> tuple[Tensor | Operation, ...]:
        """The tensors and operations that it fetched, without their structure."""
        return tuple(_elements(self.graph, self.fetches))

    @property
    def at(self) -> str:
        """The line as messages put it, " at line 9"; "" if it is not known."""
        return f" at line {self.line}" if self.line else ""

    @property
    def fed(self) -> tuple[str, ...]:
        """The names of the tensors that it fed."""
        return tuple(self.feeds)

    @property
    def plan(self) -> Plan:
        """The plan of such a run, with a session's usual choices."""
        with Session(graph=self.graph) as session:
            return session.plan(self.fetches, dict(self.feeds))

    @property
    def record(self) -> RunRecord | None:
        """A record of such a run, which the check makes in a session of its own, from the variables' initial values."""
        told = RunMetadata()
        with _started(self.graph) as session, suppress(Exception):
            session.run(self.fetches, dict(self.feeds), run_metadata=told)
        return told.record


class RunRecorder:
    """Notes each run of the process; `file` is the program whose lines count."""

    def __init__(self, file: str = "") -> None:
        self.runs: list[StudentRun] = []
        self.count = 0
        self._file = file
        self._stack = ExitStack()

    def stand_in(self, run: RequestedRun) -> Any:
        """Run what the program asked for, and note it."""
        self.count += 1
        if self.count > MOST_RUNS:
            return run.go()
        line, failed = self._line(), True
        feeds = {tensor.name: _copied(value) for tensor, value in run.feeds.items()}
        try:
            value = run.go()
            failed = False
            return value
        finally:
            self.runs.append(StudentRun(run.session.graph, run.fetches, feeds, line, failed))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """A block whose runs are noted."""
        with runs_given_to(self.stand_in):
            yield

    def begin(self) -> None:
        """From now on runs are noted, until `end`."""
        self._stack.enter_context(self.recording())

    def end(self) -> None:
        """Runs are not noted any more."""
        self._stack.close()

    def _line(self) -> int:
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]  # None at the outermost frame
        return 0


@dataclass(slots=True, eq=False)
class Work:
    """A student's program after it has run.

    Attributes:
        variables: the variables of the program, by name.
        runs: a `StudentRun` for each run that it made, in order.
        run_count: how many runs it made; `runs` holds the first 200.
        file: the path of the program; "" in a notebook.
        source: its text; "" in a notebook.
        note: what a student whose work is not right should know too, such as an early exit; "" otherwise.
        stopped: the error with which it stopped, in words; "" if it ran to its end.
        graph: its graph: the default graph or, if nothing is in that, the graph that it ran or made.
        observed: what `observe` of the lesson's check.py found in the program's process; None without one.
        seed: the seed of `random`, another one for each check.
    """

    variables: Mapping[str, Any]
    runs: tuple[StudentRun, ...] = ()
    run_count: int = 0
    file: str = ""
    source: str = ""
    note: str = ""
    stopped: str = ""
    graph: Graph = None  # type: ignore[assignment]  # found below
    observed: Any = None
    seed: int = 0
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        if self.graph is None:
            self.graph = self._graph()
        self.random = np.random.default_rng(self.seed)

    def wrong(self, key: str, message: str) -> NoReturn:
        """Ends the check: the work is not right.

        Args:
            key: the key of the idea behind it in `MISCONCEPTIONS`; "" if there is none.
            message: what was found, and what is asked for.

        Raises:
            Misconception: always.
        """
        raise Misconception(key, message)

    def variable(self, name: str) -> Any:
        """The value of one of the program's variables.

        Raises:
            Misconception: there is no such variable, or its value is still `...`.
        """
        if name not in self.variables:
            known = [key for key, value in self.variables.items() if not key.startswith("_") and not callable(value)
                     and type(value).__name__ != "module"]  # fmt: skip
            there = f"; it has {', '.join(f'`{key}`' for key in known[:8])}" if known else ""
            self.wrong("", f"the program has no variable `{name}`{there}. Keep the names that it began with")
        if self.variables[name] is ...:
            self.wrong("", f"`{name}` is still `...`: that gap is your turn")
        return self.variables[name]

    def tensor(self, name: str, key: str = "", otherwise: str = "") -> Tensor:
        """A variable that must be a tensor of the graph.

        Args:
            name: the name of the variable.
            key: the misconception if it is something else.
            otherwise: the message then; without it, one that tells what it is.

        Raises:
            Misconception: it is none.
        """
        found = self.variable(name)
        if not isinstance(found, Tensor):
            kind = type(found).__name__
            article = "an" if kind[0] in "aeiou" else "a"
            self.wrong(key, otherwise or f"`{name}` is {article} {kind}; it must be a tensor, a node of the graph")
        if found.graph is not self.graph:
            self.wrong("", f"`{name}` is in another graph than the rest of the program; use one graph")
        return found

    def nodes(self, type: str | None = None) -> tuple[Operation, ...]:
        """The operations of the graph, in the order of creation; of one type, such as "MatMul", if it is given."""
        return tuple(op for op in self.graph.get_operations() if type is None or op.type == type)

    def session(self) -> Session:
        """A new session for the graph, in which each variable has its initial value."""
        return _started(self.graph)

    def above(self, element: Tensor | Operation) -> frozenset[Operation]:
        """An operation, or that of a tensor, and all operations that it needs, by data or by control."""
        found: set[Operation] = set()
        waiting = [element.op if isinstance(element, Tensor) else element]
        while waiting:
            op = waiting.pop()
            if op not in found:
                found.add(op)
                waiting += [*(each.op for each in op.inputs), *op.control_inputs]
        return frozenset(found)

    def value(self, fetches: Any, feeds: Mapping[Any, Any] | None = None) -> Any:
        """What a run of the graph gives in a session of its own, which the program's runs do not see.

        Raises:
            Misconception: the run fails.
        """
        try:
            with self.session() as session:
                return session.run(fetches, feeds)
        except Exception as error:
            fed = ", ".join(f"{getattr(key, 'name', key)}={value!r}" for key, value in (feeds or {}).items())
            self.wrong("", f"a run of your graph{f' with {fed}' if fed else ''} fails:\n\n    {_indented(str(error))}")

    def plan(self, fetches: Any, feeds: Any = None, as_written: bool = False) -> Plan:
        """The plan of a run of the graph; `as_written`: without passes, a step for each operation that is needed.

        Raises:
            Misconception: there is no such plan.
        """
        config = SessionConfig(passes=()) if as_written else SessionConfig()
        try:
            with Session(graph=self.graph, config=config) as session:
                return session.plan(fetches, feeds)
        except Exception as error:
            self.wrong("", f"your graph has no plan for this run:\n\n    {_indented(str(error))}")

    def computed(self, fetches: Any, feeds: Any = None) -> tuple[str, ...]:
        """The names of the operations that a run computes, without constants and placeholders."""
        return tuple(step.node for step in self.plan(fetches, feeds, as_written=True).steps)

    def _graph(self) -> Graph:
        default = get_default_graph()
        if len(default):
            return default
        if self.runs:
            return self.runs[-1].graph
        made = [value if isinstance(value, Graph) else value.graph for value in self.variables.values()
                if isinstance(value, (Graph, Tensor, Operation))]  # fmt: skip
        return made[-1] if made else default


def _started(graph: Graph) -> Session:
    """A new session in which each variable has its initial value."""
    session = Session(graph=graph)
    session.run([variable.initializer for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)])
    return session


def _copied(value: Any) -> Any:
    """A fed value as it is now: the program may change it after the run."""
    return np.array(value) if isinstance(value, np.ndarray) else deepcopy(value) if isinstance(value, list) else value


def _elements(graph: Graph, fetches: Any) -> Iterator[Tensor | Operation]:
    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for each in fetches:
            yield from _elements(graph, each)
    elif isinstance(fetches, (Tensor, Operation)):
        yield fetches
    else:
        with suppress(Exception):
            yield graph.as_graph_element(fetches)


def values_in(structure: Any) -> list[Any]:
    """The values in nested lists, tuples and dictionaries; a list of plain numbers is one value.

    >>> values_in({"a": 1, "b": (2, [3.0, 4.0])})
    [1, 2, [3.0, 4.0]]
    """
    if isinstance(structure, Mapping):
        structure = tuple(structure.values())
    elif not isinstance(structure, (list, tuple)) or all(isinstance(each, (int, float)) for each in structure):
        return [structure]
    return [value for each in structure for value in values_in(each)]


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
