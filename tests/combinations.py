"""Which combinations of a test's parameters every run takes.

A test of 8 dtypes, 6 shapes and 2 settings is 96 tests, which mostly find the same. Every run takes a sixth of them,
in which each dtype, each shape and each setting occurs; `-m nightly` takes the others. A single list of values is left
alone: they are cases of their own, unless a mark says that every run takes a third of them: `share(3)`. Seeds in a row
are samples of one kind: of a list of them every run takes a half.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import pytest

T = TypeVar("T")
Combination: TypeAlias = tuple[tuple[str, Any], ...]
"""For each list of values its parameters, and what they are; equal values are equal objects."""

FEWEST = {2: 6, 3: 8, 4: 16, 6: 30}
"""From so many combinations on every run takes a half, a third, a quarter or a sixth of them."""
FEWEST_SEEDS = 8
"""From so many seeds in a row on every run takes a half of them."""


def combination(params: Mapping[str, Any], marks: Iterable[pytest.Mark]) -> Combination:
    """What each mark `parametrize` and each fixture with parameters gives a test."""
    values = dict(params)
    found: list[tuple[str, Any]] = []
    for mark in marks:
        if mark.name == "parametrize":
            names = mark.args[0] if mark.args else mark.kwargs["argnames"]
            names = names.replace(" ", "").split(",") if isinstance(names, str) else names
            found.append((",".join(names), tuple([_key(values.pop(name, None)) for name in names])))
    return (*found, *((name, _key(value)) for name, value in sorted(values.items())))


def _key(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


def beyond_a_share(combinations: Sequence[Combination], things: Sequence[T], step: int = 0) -> list[T]:
    """The things whose combinations are not among those that every run takes.

    Args:
        combinations: of each thing.
        things: what is shared out.
        step: every run takes one of so many, of a single list of values too; 0 for what their number says.
    """
    columns = _columns(combinations)
    if step:
        return _beyond(columns, things, step) if columns else []
    is_shared_out = any(
        name == "part" for each in combinations[:1] for name, _ in each
    )  # each part has cases of its own
    if is_shared_out or len(columns) < 2:
        return _beyond(columns, things, 2) if _are_seeds_in_a_row(combinations) else []
    step = max((step for step, fewest in FEWEST.items() if len(things) >= fewest), default=0)
    return _beyond(columns, things, step) if step else []


def _are_seeds_in_a_row(combinations: Sequence[Combination]) -> bool:
    """A seed apart from the others is there because it has found something."""
    if len(combinations) < FEWEST_SEEDS or [name for name, _ in combinations[0]] != ["seed"]:
        return False
    seeds = [each[0][1] for each in combinations]
    first = seeds[0][0]
    return first[0] is int and seeds == [((int, first[1] + place),) for place in range(len(seeds))]


def _beyond(columns: Sequence[tuple[int, ...]], things: Sequence[T], step: int) -> list[T]:
    rows = list(zip(*columns, strict=True))
    kept = {i for i, row in enumerate(rows) if sum(row) % step == 0}
    if len(columns) > 1:  # what has most of the values of which no combination is among them
        missing = {each for row in rows for each in enumerate(row)}
        missing.difference_update(*[enumerate(rows[i]) for i in kept])
        while missing:
            best = max(range(len(rows)), key=lambda i: len(missing.intersection(enumerate(rows[i]))))
            kept.add(best)
            missing.difference_update(enumerate(rows[best]))
    return [thing for i, thing in enumerate(things) if i not in kept]


def _columns(combinations: Sequence[Combination]) -> list[tuple[int, ...]]:
    """The numbers of the values of each list; those that vary together are one, and one that does not vary is none."""
    found: dict[tuple[int, ...], None] = {}
    for parameter in zip(*combinations, strict=False):
        numbers: dict[Any, int] = {}
        column = tuple([numbers.setdefault(value, len(numbers)) for value in parameter])
        if len(numbers) > 1:
            found[column] = None
    return list(found)
