"""Transactions on a graph: a call that builds several nodes leaves all of them behind, or none.

Append-only lists are cut to their former length. Every other change is noted in a log before it is made, and undone
from the log. tests/graph/test_journal.py lists all state of a `Graph` with how it is restored.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from ..shapes.size_claims import collector
from .context import Surroundings, defaults

R = TypeVar("R")


class EvaluationDepth(threading.local):
    """How deep the evaluation of known values is nested in this thread; a failed call puts it back."""

    value = 0


evaluation_depth = EvaluationDepth()

_Mark: TypeAlias = (
    "tuple[int, int, int, int, tuple[Any, Any, Any, Any, Any], Sequence[tuple[list[Any], list[Any]]], tuple[Any, int]]"
)
"""The state to return to: lengths of the lists of operations and equations, of the log and of the stack of default
graphs; what the blocks of this thread say; collections that a caller holds, which it can change without our seeing it:
(list, what it held); where claims about sizes go and how deep values are evaluated."""


class CutIndex(Protocol):
    """The look-ups of a `Graph`."""

    def cut(self, count: int) -> None:
        """Forget operations beyond the first `count`."""


class Restorable(Protocol):
    """What a transaction needs of a `Graph`."""

    lock: Any
    outer: Any
    equations: list[Any]
    known_values: dict[Any, Any]
    known_entries: dict[Any, Any]
    _operations: list[Any]
    _handed_out: dict[Any, list[Any]]

    @property
    def surroundings(self) -> Surroundings: ...
    @property
    def _index(self) -> CutIndex: ...


class Journal:
    """The changes of one graph since its outermost open transaction began."""

    __slots__ = ("_graph", "log")

    def __init__(self, graph: Restorable) -> None:
        self._graph = graph
        self.log: list[tuple[Callable[..., object], tuple[Any, ...]]] | None = None

    def note(self, undo: Callable[..., object], *args: Any) -> None:
        """Undo the change that follows with `undo(*args)`, which must be harmless if it is called twice."""
        if self.log is not None:
            self.log.append((undo, args))

    def all_or_nothing(self, build: Callable[..., R], *args: Any) -> R:
        """`build(*args)`; if it raises, the graph is as it was. Transactions nest; other threads wait."""
        # `with` and `finally` only around plain assignments: whatever moment Ctrl-C comes at, the lock is released.
        with self._graph.lock:
            mark = self._mark()
            outer = self.log
            try:
                if outer is None:
                    self.log = []
                return build(*args)
            except BaseException:
                try:
                    self._undo(mark)
                except BaseException:  # Ctrl-C again: undo the rest first
                    self._undo(mark)
                    raise
                raise
            finally:
                self.log = outer

    def all_around_or_nothing(self, build: Callable[..., R], *args: Any) -> R:
        """As `all_or_nothing`, for the graphs around that of a body too, where variables and captures are added."""
        outer = self._graph.outer
        if outer is None:
            return self.all_or_nothing(build, *args)
        found: R = outer.journal.all_around_or_nothing(self.all_or_nothing, build, *args)
        return found

    def _mark(self) -> _Mark:
        # A tuple and not a dataclass: building one takes 0.2 us instead of 1.5.
        graph = self._graph
        around = graph.surroundings
        handed_out = graph._handed_out
        return (
            len(graph._operations),
            len(graph.equations),
            len(self.log or ()),
            len(defaults.stack),
            (around.prefix, around.device, around.controls, around.variable_scope, around.origins),
            [(items, list(items)) for items in handed_out.values()] if handed_out else (),
            (collector.found, evaluation_depth.value),
        )

    def _undo(self, mark: _Mark) -> None:
        operations, equations, logged, depth, surroundings, lists, inference = mark
        collector.found, evaluation_depth.value = inference
        graph = self._graph
        log = self.log or []
        while len(log) > logged:
            undo, args = log[-1]
            undo(*args)
            log.pop()
        for items, content in lists:
            items[:] = content
        del graph.equations[equations:]
        graph._index.cut(operations)
        del graph._operations[operations:]
        graph.known_values.clear()
        graph.known_entries.clear()
        around = graph.surroundings
        around.prefix, around.device, around.controls, around.variable_scope, around.origins = surroundings
        del defaults.stack[depth:]


ABSENT: Any = object()


def entry(table: dict[Any, Any], key: Any) -> tuple[Callable[..., object], dict[Any, Any], Any, Any]:
    """How to undo a change of `table[key]`: the arguments of `Journal.note`."""
    return put_back, table, key, table.get(key, ABSENT)


def put_back(table: dict[Any, Any], key: Any, value: Any) -> None:
    """Undo a change of `table[key]`, which had `value` or was `ABSENT`."""
    if value is ABSENT:
        table.pop(key, None)
    else:
        table[key] = value
