"""Breakpoints: what makes a debugged run stop on its own.

One is asked before a step (a pattern of names) or after it, with each result (NaN, infinities, a shape, a predicate).
`until` and `go` ask the same list. A step that fails stops a run in any case: a failed assertion needs no breakpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import UseError
from ..base.watch import Watch
from ..observe.nan_watch import may_be_bad

ValueTest = Callable[[str, Any], Any]
"""(name of a tensor, its value) -> whether to stop."""


@dataclass(frozen=True, slots=True)
class WordedTest:
    """A test that says what it waits for, and why a value stops the run; "" if it does not."""

    words: str
    reason: Callable[[str, Any], str]

    def __call__(self, name: str, value: Any) -> str:
        return self.reason(name, value)


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One breakpoint.

    Attributes:
        number: its number, from 1.
        text: what it waits for, in words.
        pattern: the pattern of node names before which it stops; "" if it looks at values.
        test: says why a result stops the run, or ""; None if it waits for a name.
    """

    number: int
    text: str
    pattern: str = ""
    test: Callable[[str, Any], str] | None = None

    def __str__(self) -> str:
        return f"{self.number}: {self.text}"

    def __repr__(self) -> str:
        return f"<breakpoint {self}>"


def at_name(number: int, pattern: str) -> Breakpoint:
    """Stops before the nodes that a pattern matches."""
    return Breakpoint(number, f"before {pattern}", pattern)


def on_values(
    number: int, nan: bool, inf: bool, shape: Sequence[int | None] | None, test: ValueTest | None, names: str
) -> Breakpoint:
    """Stops after a step with such a result.

    Raises:
        UseError: nothing is asked for.
    """
    tests: list[tuple[str, Callable[[str, Any], str]]] = []
    if nan or inf:
        watch = Watch(nan=nan, inf=inf)
        tests.append(("NaN or Inf" if nan and inf else "NaN" if nan else "Inf", lambda n, v: _bad(watch, n, v)))
    if shape is not None:
        wanted = tuple(shape)
        tests.append((f"a shape other than {_written(wanted)}", lambda n, v: _misshapen(wanted, n, v)))
    if isinstance(test, WordedTest):
        tests.append((test.words, test.reason))
    elif test is not None:
        given = test
        tests.append(("a predicate", lambda n, v: f"{n}: the predicate holds" if given(n, v) else ""))
    if not tests:
        raise UseError("Debugger.break_on(): give what to stop on: nan=True, inf=True, shape=[None, 3] or a predicate")
    text = " or ".join(words for words, _ in tests) + ("" if names == "*" else f" in {names}")

    def any_of(name: str, value: Any) -> str:
        node = name.rpartition(":")[0]
        if not (fnmatchcase(node, names) or fnmatchcase(name, names)):
            return ""
        return next((found for _, each in tests if (found := each(name, value))), "")

    return Breakpoint(number, text, test=any_of)


def _bad(watch: Watch, name: str, value: Any) -> str:
    found = watch.bad(value) if may_be_bad(value) else None
    if found is None:
        return ""
    index = [int(i) for i in np.unravel_index(int(np.argmax(found)), value.shape)] if value.ndim else []
    count = int(np.count_nonzero(found))
    return f"{name}: {count} of {value.size} elements, the first at {index}: {value[tuple(index)]}"


def _misshapen(wanted: tuple[int | None, ...], name: str, value: Any) -> str:
    fits = len(wanted) == value.ndim and all(w in (None, size) for w, size in zip(wanted, value.shape, strict=True))
    return "" if fits else f"{name} has shape {list(value.shape)}, not {_written(wanted)}"


def _written(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"
