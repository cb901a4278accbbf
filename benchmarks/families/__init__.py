"""The tables of the benchmarks, one file each, all of them data."""

from ..case import Case, Family
from . import (
    derivatives,
    elementwise,
    indexed_arithmetic,
    loops,
    moved_arithmetic,
    overhead,
    pipeline,
    random_numbers,
    recurrence,
    training,
    transformations,
)

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        overhead.FAMILY, elementwise.FAMILY, transformations.FAMILY, pipeline.FAMILY, derivatives.FAMILY,
        training.FAMILY, random_numbers.FAMILY, recurrence.FAMILY, loops.FAMILY, moved_arithmetic.FAMILY,
        indexed_arithmetic.FAMILY,
    )
}


def cases(family: str, quick: bool) -> dict[str, Case]:
    """The cases of a family by name."""
    return {case.name: case for case in FAMILIES[family].cases(quick)}
