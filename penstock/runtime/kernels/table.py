"""Which compiled loop serves a template and a key, and when is it made?

NumPy's idioms win on few elements, and compiling takes 10-20 ms. So a loop is made at once where one call moves so
much that it pays within that call, or where the object cache holds it; otherwise in the background, as soon as the
calls that asked for it have moved enough together. Until it is there NumPy does the work: the results are the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ...graph.forks import in_child
from ...graph.loading import load
from ..jit.tier import Source, at_once, build_later, build_now, is_cached, is_ready, on
from ..jit.toolchain import Library

AT_ONCE: Final = 3_000_000
"""Elements of one call from which compiling (5-10 ms) pays within that call, unless the template says otherwise."""
TOGETHER: Final = 1_000_000
"""Elements moved with NumPy from which a loop is made in the background."""


@dataclass(frozen=True, slots=True)
class Template:
    """A family of loops.

    takes: "p" for memory, "i" for an int, each. code: key -> (IR, name of the function). fewest: elements from which
    the loop is faster than NumPy. at_once: elements of one call from which compiling pays within that call. holds_gil:
    it looks into Python objects, which must not change meanwhile.
    """

    takes: str
    code: Callable[..., tuple[str, str]]
    fewest: int
    at_once: int
    holds_gil: bool


Code = Callable[..., tuple[str, str]]
TEMPLATES: dict[str, Template] = {}


def template(
    name: str, takes: str, fewest: int = 0, at_once: int = AT_ONCE, holds_gil: bool = False
) -> Callable[[Code], Code]:
    """Enter a function from a key to IR as a template. Its loop returns an i64."""

    def enter(code: Code) -> Code:
        if name in TEMPLATES:
            raise ValueError(f"the template {name!r} exists already")
        TEMPLATES[name] = Template(takes, code, fewest, at_once, holds_gil)
        return code

    return enter


class Use(NamedTuple):
    """How often a loop was handed out: (template, key) and the times."""

    template: str
    key: tuple[Any, ...]
    times: int


class _Entry:
    """One loop: not asked for enough yet, being made, ready, or impossible."""

    __slots__ = ("asked", "error", "fewest", "handed_out", "looked", "loop", "moved")

    def __init__(self, fewest: int) -> None:
        self.fewest = fewest
        self.loop: Callable[..., int] | None = None
        self.error: Exception | None = None
        self.moved = 0
        self.looked = False  # in the object cache
        self.asked = False  # to be made in the background
        self.handed_out = 0


_entries: dict[tuple[Any, ...], _Entry] = {}


def find(name: str, *key: Any, work: int) -> Callable[..., int] | None:
    """The loop of the template `name` for `key`, or None if NumPy is to do these `work` elements.

    No lock: threads that ask at the same moment may make a loop twice, which is harmless, and a fork finds none held.
    """
    entry = _entries.get((name, *key))
    if entry is None:
        entry = _entries.setdefault((name, *key), _Entry(_templates()[name].fewest))
    if work < entry.fewest or not on():
        return None
    if entry.loop is None and entry.error is None:
        _promote(entry, name, key, work)
    if entry.loop is not None:
        entry.handed_out += 1
    return entry.loop


def uses() -> list[Use]:
    """Which loops were handed out in this process, and how often: did the compiled tier really run?"""
    return [Use(key[0], key[1:], entry.handed_out) for key, entry in _entries.items() if entry.handed_out]


def failures() -> dict[tuple[Any, ...], Exception]:
    """What could not be compiled, by template and key."""
    return {key: entry.error for key, entry in _entries.items() if entry.error is not None}


def _promote(entry: _Entry, name: str, key: tuple[Any, ...], work: int) -> None:
    entry.moved += work
    made, ready = _templates()[name], is_ready()
    # Loading LLVM takes as long as compiling several loops.
    is_urgent = work >= made.at_once * (1 if ready else 4) or at_once()
    # Once, since asking the cache waits while something else is compiled.
    may_be_cached = ready and not entry.looked
    entry.looked |= ready
    if not (is_urgent or may_be_cached or (entry.moved >= TOGETHER and not entry.asked)):
        return
    source = _source(name, *key)
    if is_urgent or (may_be_cached and is_cached(source)):
        try:
            _deliver(entry, made, source, build_now(source))
        except RuntimeError as error:
            _deliver(entry, made, source, error)
    elif entry.moved >= TOGETHER and not entry.asked:
        entry.asked = True
        build_later(source, lambda built: _deliver(entry, made, source, built))


def _forget_asked() -> None:
    """In a forked child, where the thread that was making loops does not exist."""
    for entry in _entries.values():
        entry.asked = False


in_child(_forget_asked)


@cache
def _templates() -> dict[str, Template]:
    load("penstock.runtime.kernels.every")
    from . import every  # its modules enter theirs into this table, so it comes last

    return every.TEMPLATES


@cache
def _source(name: str, *key: Any) -> Source:
    ir, function = _templates()[name].code(*key)
    return Source(ir, (function,))


def _deliver(entry: _Entry, made: Template, source: Source, built: Library | Exception) -> None:
    if isinstance(built, Exception):
        entry.asked = False
        entry.error = built if on() else None  # switched off meanwhile: it may be on again later
        return
    types = [ctypes.c_void_p if t == "p" else ctypes.c_int64 for t in made.takes]
    kind = ctypes.PYFUNCTYPE if made.holds_gil else ctypes.CFUNCTYPE
    entry.loop = _called(kind(ctypes.c_int64, *types)(built[source.names[0]]))


def _called(function: Callable[..., int]) -> Callable[..., int]:
    """The function over arrays and ints. A CFUNCTYPE releases the GIL."""
    ndarray = np.ndarray

    def loop(*args: Any) -> int:
        return function(*[a.ctypes.data if a.__class__ is ndarray else a for a in args])

    return loop
