"""The programs of the fuzz, one for each seed: steps, sizes, what is fetched, what is fed in the middle."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Operation, Tensor

from ..random_graphs import DTYPES, ROWS, TINY, Program, Shape, Value, awkward, with_fetches
from ..random_graphs.index_steps import INDEXING, ROWWISE
from ..random_graphs.program import COMMON
from ..random_graphs.steps import ELEMENTWISE, STEPS
from . import steps
from .control_steps import control
from .derivative_steps import derivative
from .eager import EagerWriter, FuzzStep
from .extension import Extension
from .sampled_steps import sampled
from .vocabulary_steps import VOCABULARY

SHARED: tuple[FuzzStep, ...] = (
    steps.partition_work_stitch, steps.partition_work_stitch, steps.parts_and_update, steps.parts_and_update,
    steps.update_from_itself, steps.update_of_a_view, steps.views_of_views, steps.beside_a_scan, steps.converted,
    steps.checked,
)  # fmt: skip
EFFECTS: tuple[FuzzStep, ...] = (steps.effect, steps.effect, steps.after_others, steps.sharing, steps.sharing)
SIZED: tuple[FuzzStep, ...] = (steps.beside_a_scan, steps.converted, steps.checked, steps.after_others)
SIZES = (16_383, 16_384, 16_385, 32_768, 32_769, 65_537, 200_000)


@dataclass
class FuzzProgram(Program):
    """A program with operations to run for their effect, tensors fed in the middle, and the features it has."""

    targets: list[str] = field(default_factory=list)
    middle: list[str] = field(default_factory=list)
    features: Counter[str] = field(default_factory=Counter)
    resizable: bool = False

    def made(self, extension: Extension) -> Built:
        """The graph, built from the lines."""
        namespace: dict[str, Any] = {"tf": tf, "np": np, "ops": extension, "arrays": self.arrays}
        with tf.Graph().as_default() as graph:
            exec("\n".join(self.lines), namespace)
        fed = [name for name in self.arrays if name.startswith("x") or name in self.middle]
        return Built(
            graph,
            [namespace[name] for name in self.fetched],
            list(dict.fromkeys(namespace[name].op for name in self.targets)),
            {namespace[name]: self.arrays[name] for name in fed},
            {name: namespace[name] for name in fed},
        )

    def __str__(self) -> str:
        text = (
            super()
            .__str__()
            .replace(
                "penstock as tf\n", "penstock as tf\nfrom tests.fuzz.extension import Extension\nops = Extension()\n"
            )
        )
        return "\n".join([text, f"targets = [{', '.join(self.targets)}]", f"fed in the middle: {self.middle}"])


@dataclass(frozen=True, slots=True)
class Built:
    """A program as a graph, with what a run fetches, runs and is fed."""

    graph: tf.Graph
    fetches: list[Tensor]
    targets: list[Operation]
    feeds: dict[Tensor, Any]
    fed: dict[str, Tensor]
    """The fed tensors by their names in the program."""


def fuzz_program(seed: int, extension: Extension) -> FuzzProgram:
    """The program of a seed."""
    rng = np.random.default_rng(seed)
    kind = rng.random()
    dtypes = COMMON if rng.random() < 0.6 else DTYPES
    if kind < 0.15:
        return _resizable(seed, extension)
    shapes: list[Shape] = []
    if kind < 0.19:
        size = SIZES[int(rng.integers(len(SIZES)))]
        shapes = [(size,), (size,), (size // 4, 4), TINY[int(rng.integers(len(TINY)))]]
    writer = EagerWriter(seed, dtypes, shapes, extension)
    writer.draws = int(rng.integers(1, 4))
    for _ in range(int(rng.integers(2, 5))):
        writer.leaf(writer.one_of(dtypes), writer.shape())
    if not any(v.shape for v in writer.program.values):
        writer.leaf(writer.one_of(COMMON), (4,))
    mixed: list[tuple[FuzzStep, ...]] = [STEPS, ELEMENTWISE, INDEXING, SHARED, SHARED]
    if rng.random() < 0.4:
        writer.extended = True
        mixed += [EFFECTS, EFFECTS]
    if rng.random() < 0.3:
        mixed.append(VOCABULARY)
    if has_control(seed):
        mixed += [(control,), (control,)]
    if has_samples(seed):
        mixed += [(sampled,), (sampled,)]
    may_fail = rng.random() < 0.12
    length = int(rng.integers(3, 18 if not shapes else 8))
    for i in range(length):
        writer.take(writer.one_of(writer.one_of(mixed)))
        if may_fail and i in (length // 2, length - 1):
            writer.may_fail = True
            writer.take(steps.fails)
            writer.may_fail = False
    return _finished(writer, middle=rng.random() < 0.12)


def _resizable(seed: int, extension: Extension) -> FuzzProgram:
    writer = EagerWriter(seed, COMMON, (), extension)
    writer.resizable = True
    writer.extended = writer.chance(0.3)
    for shape in ((ROWS,), (ROWS, 3), (3,), ()):
        writer.leaf(writer.one_of(COMMON), shape)
    for _ in range(int(writer.rng.integers(4, 18))):
        mixed = [ROWWISE, ROWWISE, SIZED, *[EFFECTS] * writer.extended, *[(control,)] * has_control(seed)]
        writer.take(writer.one_of(writer.one_of(mixed)))
    program = _finished(writer, middle=False)
    # Nothing but leaves of its own is fed: `resized` makes arrays for these.
    program.resizable = True
    return program


def has_derivatives(seed: int) -> bool:
    """Whether the program of a seed differentiates what it has made."""
    return bool(np.random.default_rng([seed, 1]).random() < 0.25)


def has_control(seed: int) -> bool:
    """Whether the program of a seed has branches and loops."""
    return bool(np.random.default_rng([seed, 2]).random() < 0.3)


def has_samples(seed: int) -> bool:
    """Whether the program of a seed calls any ops, by their samples."""
    return bool(np.random.default_rng([seed, 3]).random() < 0.3)


def _finished(writer: EagerWriter, middle: bool) -> FuzzProgram:
    program = writer.program
    if has_derivatives(program.seed):
        for _ in range(int(writer.rng.integers(1, 4))):
            writer.take(derivative)
            writer.take(writer.one_of(ROWWISE if writer.resizable else ELEMENTWISE))
    chosen = with_fetches(writer).fetched
    made = [v.name for v in program.values if v.name.startswith("t")]
    chosen += [name for name in made if writer.chance(0.15)]
    dead = [name for name in writer.dead if name.startswith("t")]
    found = FuzzProgram(
        program.seed, program.lines, program.arrays, program.values, list(dict.fromkeys([*chosen, *dead])),
        targets=list(dict.fromkeys(writer.targets)), features=writer.features,
    )  # fmt: skip
    if chosen and writer.chance(0.2):
        found.fetched.append(writer.one_of(chosen))
        found.features["a tensor fetched twice"] += 1
    if middle and made:
        _feed_in_the_middle(found, writer, [v for v in program.values if v.name in made])
    if any(a.size >= 16_000 for a in found.arrays.values()):
        found.features["large arrays"] += 1
    if any(a.size == 0 for a in found.arrays.values()):
        found.features["empty arrays"] += 1
    if any(a.dtype == object for a in found.arrays.values()):
        found.features["strings"] += 1
    found.features["several fetches"] += len(found.fetched) > 1
    return found


def _feed_in_the_middle(program: FuzzProgram, writer: EagerWriter, made: list[Value]) -> None:
    for _ in range(2 if writer.chance(0.3) else 1):
        value = writer.one_of(made)
        program.arrays[value.name] = awkward(writer.rng, value.dtype, value.shape)
        program.middle.append(value.name)
    program.middle = list(dict.fromkeys(program.middle))
    program.features["fed in the middle"] += 1
