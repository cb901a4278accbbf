"""`Case`: one line of the tables, a program written once in the vocabulary of `engine.Engine`, and its inputs.

A `Timed` case is prepared once in each engine's process, verified, and then called in interleaved rounds. A `Probe`
needs a fresh process for every figure (what the first run costs, what memory it takes): a function of the engine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .engine import Array, Engine, Training

Program = Callable[..., Any]
"""(engine, one value per input) -> a value or a list of values."""

Inputs = Callable[[np.random.Generator], list[Array]]


@dataclass(frozen=True, slots=True)
class Timed:
    """A program whose steady run is timed.

    reference: what NumPy says, from the inputs; None runs the program itself in NumPy.
    reads: how many bytes must be read; None for all of the inputs.
    tolerance: the largest relative difference; None for what the dtype allows.
    unsupported: engine -> why it is left out.
    through: by a session's `run` or by `make_callable`.
    limited: whether moving bytes is what limits the case.
    training: what the program's result is used for; then a run is a step, and the reference gives the state after one.
    """

    name: str
    inputs: Inputs
    program: Program
    reference: Callable[..., Any] | None = None
    reads: Callable[[list[Array]], int] | None = None
    tolerance: float | None = None
    unsupported: Mapping[str, str] = field(default_factory=dict)
    through: Literal["run", "callable"] = "run"
    limited: bool = True
    training: Training | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """Figures that only a fresh process can give.

    measure: engine -> figures, whose names carry their unit. spawned: it wants the moment its process was started.
    unsupported: engine -> why it is left out.
    """

    name: str
    measure: Callable[[Engine, float], dict[str, float]]
    unsupported: Mapping[str, str] = field(default_factory=dict)


Case = Timed | Probe


@dataclass(frozen=True, slots=True)
class Family:
    """A table: its short name, its title, and its cases, small ones when `quick`."""

    name: str
    title: str
    cases: Callable[[bool], list[Case]]


def inputs_of(case: Timed) -> list[Array]:
    """The same inputs in every process."""
    return case.inputs(np.random.default_rng(zlib.crc32(case.name.encode())))


def count(n: int) -> str:
    """A size as it stands in a case's name: 1e6, 3e5, 1000000 has one digit that matters.

    >>> count(1_000_000), count(48)
    ('1e6', '48')
    """
    digits = str(n).rstrip("0")
    return f"{digits}e{len(str(n)) - 1}" if len(digits) == 1 and n >= 100 else str(n)
