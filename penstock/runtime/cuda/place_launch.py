"""Launches of sequential nests: what their parameters are given, and in which units rows move."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd, prod
from typing import Any, Final

import numpy as np

from ..ir.fused_ir import Value
from ..ir.scalar_ir import Argument, CannotLower, Literal, ScalarStep
from ..nest.sequential.nest_table import nest_of
from ..nest.sequential.sequential_ir import Parameter, Read, SequentialNest
from .cuda_source import UNITS, i64, launch, loop_sizes, sized, unit_of
from .dry_run import note_nest
from .place_source import loops_of, places_text, tables_of

_COMPUTED: Final[dict[str, Callable[[int, int], int]]] = {
    "add": operator.add, "multiply": operator.mul, "subtract": operator.sub,
}  # fmt: skip
shared_nest = cache(nest_of)
"""The nest of a template of the CPU for a key."""


@dataclass(frozen=True, slots=True)
class _PlacePlan:
    """A launch, but for its arrays.

    Attributes:
        text: the text of the kernel.
        defines: its macros.
        sizes: the numbers that become constants, by name.
        rounds: those of the outermost loop.
        pieces: units of the whole.
        items: units that a thread takes.
        before: for each thing that is read before the loops the number, or (parameter, place) of an array.
    """

    text: str
    defines: dict[str, Any]
    sizes: dict[str, int]
    rounds: int
    pieces: int
    items: int
    before: tuple[Any, ...]


def run_places(xp: Any, nest: SequentialNest, *arguments: Any, rows: Sequence[Any] = ()) -> None:
    """Compute a nest on the device, in one launch.

    Args:
        xp: the array module.
        nest: the nest.
        arguments: what each parameter is given: an int; memory of the device; a NumPy array of int64, which the nest
            reads before its loops; or a list of arrays of the device, whose addresses it reads. Arrays are contiguous.
        rows: arrays whose rows it reads although they are no arguments.

    Raises:
        CannotLower: its rounds cannot run side by side, or a step has no expression in CUDA C.
    """
    tables, bases = tables_of(nest), _row_bases(nest)
    facts: list[Any] = []  # what the host knows of each argument
    memory: list[Any] = []
    moved = list(rows)
    for k, each in enumerate(arguments):
        if isinstance(each, int | np.integer):
            facts.append(int(each))
        elif isinstance(each, np.ndarray):
            facts.append(tuple(each.tolist()))
        elif isinstance(each, list | tuple):
            moved += each
            facts.append("memory" if k in tables else "arrays")
            if k in tables:
                memory.append(xp.asarray(np.array([array.data.ptr for array in each], np.uint64)))
        else:
            facts.append("memory")
            memory.append(each)
            if k in bases:
                moved.append(each)
    plan = _plan(nest, tuple(facts), unit_of(0, *[array for array in moved if array.size]))
    more = [i64(each) if isinstance(each, int) else arguments[each[0]][each[1]] for each in plan.before]
    source, last = sized(plan.defines, plan.sizes, plan.text, nest.name)
    note_nest(nest)
    launch(xp, source, nest.name, -(-plan.pieces // plan.items), *memory, *more, i64(plan.rounds), *last)


@cache
def _row_bases(nest: SequentialNest) -> frozenset[int]:
    """The parameters in which rows lie."""
    return frozenset([int(place.base) for place in loops_of(nest).row_places()
                      if isinstance(nest.nodes[place.base], Parameter)])  # fmt: skip


@lru_cache(maxsize=4096)
def _plan(nest: SequentialNest, facts: tuple[Any, ...], aligned: int) -> _PlacePlan:
    """The launch for what the host knows of the arguments, and of the alignment of the rows."""
    loops = loops_of(nest)
    binding = tuple(["number" if isinstance(f, int) else "numbers" if isinstance(f, tuple) else f for f in facts])
    known = {Value(k): each for k, each in enumerate(facts) if isinstance(each, int)}
    before: list[Any] = []
    for value in loops.before:
        node = nest.nodes[value]
        if isinstance(node, Read):
            at = sum([_number(a, {}) * _number(b, {}) for a, b in node.place.terms]) // 8
            base = facts[node.place.base]
            if isinstance(base, tuple):
                known[value] = base[at]
            before.append(base[at] if isinstance(base, tuple) else (int(node.place.base), at))
        elif isinstance(node, ScalarStep) and node.primitive in _COMPUTED:
            known[value] = _COMPUTED[node.primitive](*[_number(a, known) for a in node.args])
        else:
            raise CannotLower("it computes more than sizes before its loops")
    rounds, *inner = [_number(each.size, known) for each in loops.loops]
    sizes = [_number(size, known) for size in loops.sizes()]
    defines: dict[str, Any] = {}
    per = 1
    if sizes:
        unit = gcd(aligned, *sizes)
        for place in loops.row_places():
            for a, b in place.terms:
                unit = gcd(unit, _factor(a, known) * _factor(b, known))
        defines, per = {"U": UNITS[unit]}, sum(sizes) // unit
    pieces = rounds * prod(inner) * per
    items, number = loop_sizes(pieces)
    first = loops.loops[0].size
    numbers = {f"v{k}": each for k, each in enumerate(facts) if isinstance(each, int) and k != first}
    text = places_text(nest, binding)
    return _PlacePlan(text, defines | {"N": number, "ITEMS": items}, numbers, rounds, pieces, items, tuple(before))


def _factor(argument: Argument, known: dict[Value, int]) -> int:
    """The number if it is known; 1, which divides every other one, if only a round knows it."""
    return known.get(argument, 1) if isinstance(argument, Value) else _number(argument, known)


def _number(argument: Argument, known: dict[Value, int]) -> int:
    if isinstance(argument, Literal):
        return int(argument.value)
    if argument not in known:
        raise CannotLower("a size or a place is known only in a round")
    return known[argument]
