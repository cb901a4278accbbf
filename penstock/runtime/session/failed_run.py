"""`FailedRun`: what a session remembers of its last run that failed, so that it can be run again.

It is made in the `except` block of a run; a run without an error does nothing for it. It holds what was fetched and
fed, the random streams and the variables as they were at the start, and the error as text: neither the error nor its
traceback, which would keep the arrays of the run alive.

Values are copied, so that a later change in place is no matter, as long as all of them together have at most 64 MiB;
the smallest first. A larger fed array is held weakly: it is there while the program holds it, and may have been
changed. For a larger variable the value that it has now stands. The session holds the record until its next failure, or
until it is closed; runs that succeed leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import Any, Protocol
from weakref import ref

import numpy as np

from ...errors import OpError, PenstockError, UseError
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.nodes import Graph, Tensor
from ...graph.shapes.dtypes import DType, of_numpy
from ...graph.shapes.literal import Array
from ...printable_text import printable_lines
from ..arguments.feeds import check_feeds, split_feed_dict
from ..arguments.fetches import Fetches
from ..base.random_counters import RandomState
from ..base.session_config import RunOptions
from ..base.user_results import USER_RESULTS
from ..observe.nan_watch import on_host
from .run_hooks import FAILURE_HOOKS
from .run_start import HELD_BYTES, RunStart, copies_within, size_of, take_start
from .variable_store import VariableStore


class RunsGraphs(Protocol):
    """What a failed run asks of its session."""

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""

    @property
    def variables(self) -> VariableStore:
        """The values of variables."""

    def random_state(self) -> RandomState:
        """Where the random streams are now."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The error of a run, as text.

    Attributes:
        kind: the name of its class.
        node: the name of the operation that failed; "" where there is none.
        op: the type of that operation.
        message: what the operation said.
        text: the whole text, with lines of the program.
        notes: what was added to it.
    """

    kind: str
    node: str
    op: str
    message: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StartValue:
    """A value at the start of the run.

    Attributes:
        name: the name of the fed tensor, or of the variable.
        dtype: its dtype.
        shape: its shape.
        bytes: its size.
        is_variable: whether it is that of a variable.
        array: a copy of it; None if it is too large to be held.
        weak: gives the fed array while the program holds it, the value that a variable has now.
        is_overwritten: whether the run wrote the variable before its error, so that this is the value after it.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    bytes: int
    is_variable: bool
    array: Array | None
    weak: Callable[[], Any]
    is_overwritten: bool = False

    def find(self) -> Array | None:
        """The value; None if it is gone."""
        if self.array is not None:
            return self.array
        found = self.weak()
        return None if found is None else on_host(found)

    @property
    def doubt(self) -> str:
        """Why it is missing, or may not be what the run had; "" if it is that."""
        if self.is_overwritten:
            return f"the run overwrote the variable {self.name!r} before it failed; the value is the one after that"
        if self.array is not None:
            return ""
        what = f"{'the variable' if self.is_variable else 'the value fed to'} {self.name!r}"
        large = f"{what} has {self.bytes} bytes; a session holds {HELD_BYTES} bytes of a failed run"
        if self.weak() is None:
            return f"{large}, and it is gone"
        return f"{large}; the value is the one that it has now"


@dataclass(frozen=True, slots=True, eq=False)
class FailedRun:
    """A run that failed, with all that running it again takes.

    Attributes:
        fetches: what it fetched, in the caller's structure.
        names: the names of the fetched tensors, then of the operations.
        feeds: the fed values.
        options: the options of that run.
        as_device: whether results were to stay on their device.
        failure: the error.
        random: the random streams of the session before the run; None if the run draws nothing.
        variables: the values of the variables that the run used, at its start.
        missing: the variables that it used and that had no value.
        results: by node, the results of Python functions, where they are kept (`base.user_results`).
    """

    fetches: Any
    names: tuple[str, ...]
    feeds: tuple[StartValue, ...]
    options: RunOptions | None
    as_device: bool
    failure: RunFailure
    random: RandomState | None
    variables: tuple[StartValue, ...]
    missing: tuple[str, ...]
    results: Mapping[str, tuple[Array, ...]] = field(default_factory=dict)

    @property
    def doubts(self) -> tuple[str, ...]:
        """A sentence on each value that is missing, or may not be what the run had."""
        return tuple([each.doubt for each in (*self.feeds, *self.variables) if each.doubt])

    def feed_dict(self) -> dict[str, Array]:
        """The fed values by the names of their tensors.

        Raises:
            UseError (a TypeError): one is gone.
        """
        return _found(self.feeds)

    def state(self) -> dict[str, Array]:
        """The values of the variables by name.

        Raises:
            UseError (a TypeError): one is gone.
        """
        return _found(self.variables)

    def within(self, most: int) -> FailedRun:
        """The same with copies of at most `most` bytes together, the smallest first."""
        kept: set[int] = set()
        for each in sorted((*self.feeds, *self.variables), key=lambda value: value.bytes):
            most -= each.bytes
            if most < 0:
                break
            kept.add(id(each))
        feeds, variables = [tuple([each if id(each) in kept else replace(each, array=None) for each in values])
                            for values in (self.feeds, self.variables)]  # fmt: skip
        return replace(self, feeds=feeds, variables=variables, results={})


def _found(values: Sequence[StartValue]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for each in values:
        array = each.find()
        if array is None:
            raise UseError(f"The last failed run cannot be repeated: {each.doubt}. Feed it again, and run")
        found[each.name] = array
    return found


def failed_run(
    session: RunsGraphs,
    error: BaseException,
    fetches: Any,
    feed_dict: Mapping[Any, Any] | None,
    options: RunOptions | None = None,
    as_device: bool = False,
) -> FailedRun | None:
    """The record of a run that failed, after the hooks were called with it; None for what is no failed run.

    It never raises: the error of the run comes first.

    Args:
        session: the session that ran it.
        error: its error. A call that was refused, and an interrupt, are no failed runs.
        fetches: what it fetched.
        feed_dict: what it was fed.
        options: the options of the run.
        as_device: whether results were to stay on their device.
    """
    start = take_start(error)
    if not isinstance(error, Exception) or (isinstance(error, PenstockError) and not isinstance(error, OpError)):
        return None
    record = None
    with suppress(Exception):  # such as one of Python's about a fetch or feed of the wrong kind, or no memory
        tensors, values = split_feed_dict(session.graph, feed_dict or {})
        asked = Fetches(session.graph, fetches)
        arrays = check_feeds(tensors, values)[0]
        names = (*[t.name for t in asked.tensors], *[op.name for op in asked.operations])
        kind = type(fetches)
        held = kind(fetches) if kind in (tuple, list, dict) else fetches  # the caller may change it
        random = start.all_random(session.random_state()) if start.random else None
        run = FailedRun(
            held, names, _feeds(tensors, arrays), options, as_device, failure_of(error), random,
            _variables(session, start), tuple([name for name, array in start.variables.items() if array is None]),
            dict(USER_RESULTS.by_node),
        )  # fmt: skip
        record = run.within(HELD_BYTES)
        for hook in FAILURE_HOOKS:
            hook(session, run, error)
    return record


def failure_of(error: Exception) -> RunFailure:
    """The error of a run, as text that files and terminals can hold."""
    op = error.op if isinstance(error, OpError) else None
    message = error.message if isinstance(error, OpError) else str(error)
    notes = tuple(map(str, getattr(error, "__notes__", ())))
    message, text, *rest = map(printable_lines, (message, str(error), *notes))
    return RunFailure(type(error).__name__, op.name if op else "", op.type if op else "", message, text, tuple(rest))


def _feeds(tensors: Sequence[Tensor], arrays: Sequence[Any]) -> tuple[StartValue, ...]:
    copies = copies_within([on_host(array) for array in arrays], None if FAILURE_HOOKS else HELD_BYTES)
    return tuple([
        StartValue(tensor.name, tensor.dtype, tuple(array.shape), size_of(array), False, copy, ref(array))
        for tensor, array, copy in zip(tensors, arrays, copies, strict=True)
    ])  # fmt: skip


def _variables(session: RunsGraphs, start: RunStart) -> tuple[StartValue, ...]:
    found = []
    for name, array in start.variables.items():
        weak = partial(_now, ref(session), name)
        value = weak() if array is start.LARGE else array
        if value is not None:
            copy = None if array is start.LARGE else array
            found.append(StartValue(name, of_numpy(value.dtype), value.shape, size_of(value), True, copy, weak,
                                   name in start.written))  # fmt: skip
    return tuple(found)


def _now(session: Callable[[], RunsGraphs | None], name: str) -> Array | None:
    """A copy of the value that a variable has now."""
    found = session()
    value = None if found is None else found.variables.get(name)
    return None if value is None else np.array(value)
