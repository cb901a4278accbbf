"""What kinds a recorded case is of: every run replays a case of each kind of an op, the nightly one all."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from .golden_cases import Case, cases
from .helpers import of_new_kinds

PARTS = ("np", "const", "list", "tuple", "slice", "sparse", "feed")
"""The keys of a value spec below which others are."""


def kinds(case: Case) -> Iterator[Hashable]:
    """What becomes of it, its tags, and the dtype, rank and form of each argument and placeholder."""
    yield "status", case.expect["status"], case.expect.get("class")
    yield from [("tag", tag) for tag in case.tags]
    for name, spec in case.data["kwargs"].items():
        yield name
        yield from _of_value(spec, name)
    for placeholder in case.data.get("placeholders", ()):
        yield from _of_value(placeholder, "fed")


def _of_value(spec: Any, place: str) -> Iterator[Hashable]:
    if isinstance(spec, list):
        for each in spec:
            yield from _of_value(each, place)
    if not isinstance(spec, dict):
        return
    if "dtype" in spec and "shape" in spec:
        shape, dtype = spec["shape"], spec["dtype"]
        yield place, "dtype", dtype
        yield place, "rank", None if shape is None else len(shape)
        yield place, "empty", shape is not None and 0 in shape
        yield place, "partly known", shape is not None and None in shape
        yield place, "special", dtype != "string" and any(isinstance(each, str) for each in spec.get("values", ()))
    else:
        yield place, tuple(sorted(spec))
    for key in PARTS:
        yield from _of_value(spec.get(key), place)


def cases_by_day(folder: Path, name: str) -> list[Case]:
    """The cases of one file that every run replays."""
    return of_new_kinds(cases(folder, name), kinds)[0]


def cases_at_night(folder: Path, name: str) -> list[Case]:
    """The cases of one file that are of kinds that others are of as well."""
    return of_new_kinds(cases(folder, name), kinds)[1]
