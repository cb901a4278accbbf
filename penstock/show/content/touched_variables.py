"""Which variables the operations of a picture read and write: it draws lines where no input says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...graph.declare.effects import PURE, effects_of
from ...ops.state.variable_ops import variables_among
from .visibility import VARIABLE_TYPES


@dataclass(frozen=True, slots=True)
class Touch:
    """The variables that an operation reads and writes without an input that says so."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


NOTHING = Touch()
"""Of an operation that touches no variable."""


def touches_of(operations: Iterable[Any]) -> dict[str, Touch]:
    """By the name of each operation that reads or writes a variable by its name: which ones."""
    touches: dict[str, Touch] = {}
    for op in operations:
        node = getattr(op, "stands_for", op)
        opdef = getattr(node, "opdef", None)
        if opdef is None or opdef.is_pure or op.type in VARIABLE_TYPES:
            continue
        effects = effects_of(node)
        if effects is PURE:
            continue
        read, written = map(variables_among, effects.touched)
        if read or written:
            touches[op.name] = Touch(tuple([each for each in read if each not in written]), tuple(written))
    return touches
