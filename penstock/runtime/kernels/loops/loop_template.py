"""Templates of loops: a function that writes LLVM IR for a key, with the facts that a call needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ....graph.common.quick_dataclass import dataclass

Code: TypeAlias = Callable[..., tuple[str, str]]
Calls: TypeAlias = Callable[..., Mapping[str, int]]

SAVES: Final = 2.5e-9
"""Seconds a loop saves an element, unless its template says otherwise."""


@dataclass(frozen=True, slots=True)
class Template:
    """A family of loops, each of which returns an i64.

    name: under which fast kernels ask for it.
    takes: for each argument "p" for memory, "a" for an array object, from which the loop reads the address of its
        memory (`llvm.array_head`), "i" for an int. "a" and "p" are not mixed.
    code: key -> (IR, name of the function).
    fewest: elements from which the loop is faster than NumPy.
    saves: seconds that it saves an element.
    holds_gil: it looks into Python objects, which must not change meanwhile.
    calls: key -> the addresses of the functions that it calls, by name.
    is_of_starts: most programs use it once, when their variables begin.
    """

    name: str
    takes: str
    code: Code
    fewest: int = 0
    saves: float = SAVES
    holds_gil: bool = False
    calls: Calls | None = None
    is_of_starts: bool = False


def template(
    name: str,
    takes: str,
    fewest: int = 0,
    saves: float = SAVES,
    holds_gil: bool = False,
    calls: Calls | None = None,
    is_of_starts: bool = False,
) -> Callable[[Code], Template]:
    """Make a template of a function from a key to IR."""
    return lambda code: Template(name, takes, code, fewest, saves, holds_gil, calls, is_of_starts)
