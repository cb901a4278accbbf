"""Graphs made at random from a seed, as programs: what a failing test prints is code that builds the graph again.

`random_program(seed)` mixes all dtypes, broadcasting, views, joins, reductions and partitions over awkward values:
NaN, infinities, -0.0, the ends of the ints, empty arrays. `elementwise_program(seed)` has elementwise ops alone,
`indexing_program(seed)` gathers, scatters and looks backwards as well, over arrays whose sizes lie at the borders of
tiles, `view_program(seed)` has views and steps that could write in place, and `resizable_program(seed)` runs with any
number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .index_steps import INDEXING, ROWWISE, VIEWS
from .program import (
    COMMON,
    COMPLEX,
    DTYPES,
    FLOATS,
    NUMBERS,
    REALS,
    ROWS,
    SIGNED,
    UNSIGNED,
    Program,
    Shape,
    Step,
    Value,
    Writer,
    awkward,
)
from .steps import ELEMENTWISE, STEPS

__all__ = [
    "BORDERS", "COMPLEX", "DTYPES", "FLOATS", "NUMBERS", "REALS", "ROWS", "SIGNED", "TINY", "UNSIGNED",
    "Program", "Shape", "Step", "Value", "Writer", "awkward", "with_fetches",
    "elementwise_program", "indexing_program", "random_program", "resizable_program", "view_program",
]  # fmt: skip

LARGE: tuple[Shape, ...] = ((70_000,), (300, 250), (250,), (300, 1), ())
BORDERS: tuple[Shape, ...] = (
    (32_767,), (32_768,), (32_769,), (65_536,), (65_537,), (131_073,), (2, 32_768), (32_769, 2), (129, 256),
    (4, 40_000), (300, 700), (2, 3, 30_000),
)  # fmt: skip
"""Sizes around those of a tile and of a reduction's block; most take more than the pool's least, 128 KiB."""
TINY: tuple[Shape, ...] = ((0,), (1,), (3, 0), (1, 1), ())


def random_program(seed: int, length: int = 30, large: bool = False) -> Program:
    """A program with every kind of op; with `large`, over arrays that are run in tiles."""
    rng = np.random.default_rng(seed)
    dtypes = COMMON if rng.random() < 0.5 else DTYPES
    writer = Writer(seed, dtypes, LARGE if large else ())
    for _ in range(4):
        writer.leaf(writer.one_of(dtypes), writer.shape())
    for _ in range(length):
        writer.one_of(STEPS)(writer)
    return with_fetches(writer)


def elementwise_program(seed: int, length: int = 25) -> Program:
    """A program of elementwise ops on arrays of one shape, rows of it and scalars; only its last values are fetched."""
    writer = Writer(seed, ("float32", "float64", "int32", "bool"))
    writer.draws = 3  # graphs that are deep more than wide: a node alone beside its inputs has nobody to be fused with
    shape = (int(writer.rng.integers(2, 6)), int(writer.rng.integers(2, 6)))
    for kept in (shape, shape, shape[1:], ()):
        writer.leaf(writer.one_of(("float32", "float32", "int32")), kept, static=True)
    for _ in range(length):
        writer.one_of(ELEMENTWISE)(writer)
    return with_fetches(writer)


def indexing_program(seed: int, length: int = 24, shapes: Sequence[Shape] = BORDERS) -> Program:
    """A program with every kind of step, index steps too; over arrays of `shapes`, small ones if there are none."""
    return _mixed(seed, length, shapes, (*STEPS, *ELEMENTWISE, *ELEMENTWISE, *INDEXING))


def view_program(seed: int, length: int = 16, shapes: Sequence[Shape] = ()) -> Program:
    """A program of views and of steps that could write into the memory of an operand."""
    return _mixed(seed, length, shapes, VIEWS)


def resizable_program(seed: int, length: int = 20) -> Program:
    """A program whose placeholders take any number of rows: `resized(rows)` makes what to feed."""
    writer = Writer(seed, COMMON)
    writer.resizable = True
    for shape in ((ROWS,), (ROWS, 3), (3,), ()):
        writer.leaf(writer.one_of(COMMON), shape)
    for _ in range(length):
        writer.one_of(ROWWISE)(writer)
    return with_fetches(writer)


def _mixed(seed: int, length: int, shapes: Sequence[Shape], steps: Sequence[Step]) -> Program:
    rng = np.random.default_rng(seed)
    dtypes = COMMON if rng.random() < 0.5 else DTYPES
    if shapes:  # few sizes, so that values meet
        first, second = rng.integers(0, len(shapes), 2)
        shapes = [shapes[first], shapes[first], shapes[second], TINY[rng.integers(len(TINY))]]
    writer = Writer(seed, dtypes, shapes)
    for _ in range(4):
        writer.leaf(writer.one_of(dtypes), writer.shape())
    for _ in range(length):
        writer.one_of(steps)(writer)
    return with_fetches(writer)


def with_fetches(writer: Writer) -> Program:
    """The finished program: what no line reads is fetched, and some of the rest."""
    program = writer.program
    made = [v.name for v in program.values if v.name.startswith("t")] or [program.values[-1].name]
    unread = [name for name in made if not any(f"{name}{end}" in line.partition("=")[2] for line in program.lines
                                               for end in (",", ")", "[", " "))]  # fmt: skip
    some = [name for name in made if writer.chance(0.2)]
    program.fetched = list(dict.fromkeys([*unread, *some])) or made[-1:]
    return program
