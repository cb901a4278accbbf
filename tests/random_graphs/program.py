"""A random program in the making: its values, the arrays it is fed, the lines that build its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Tensor

Shape = tuple[int, ...]
ROWS = 11
"""The size that stands for "any" in a resizable program: no other dimension has it."""

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
DTYPES = (*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX, "bool", "string")
NUMBERS = (*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX)
REALS = (*FLOATS, *SIGNED, *UNSIGNED)
COMMON = ("float32", "float32", "float64", "int32", "int64", "bool")


_AWKWARD = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e30, -1e-30, 65504.0, 1e-41, 7.0)


@dataclass(frozen=True, slots=True)
class Value:
    """A variable of the program: its name, dtype and the shape it has in the run."""

    name: str
    dtype: str
    shape: Shape


@dataclass
class Program:
    """Lines that build a graph, the arrays that are fed (named like the variables), and the variables to fetch."""

    seed: int
    lines: list[str] = field(default_factory=list)
    arrays: dict[str, Any] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def build(self) -> tuple[tf.Graph, list[Tensor], dict[Tensor, Any]]:
        """The graph, the tensors to fetch and what to feed."""
        namespace: dict[str, Any] = {"tf": tf, "np": np, "arrays": self.arrays}
        with tf.Graph().as_default() as graph:
            exec("\n".join(self.lines), namespace)
        feeds = {namespace[name]: array for name, array in self.arrays.items() if name.startswith("x")}
        return graph, [namespace[name] for name in self.fetched], feeds

    def resized(self, rows: int) -> list[Any]:
        """Values for the placeholders of a resizable program, in the order of `build`'s feeds, with so many rows."""
        rng = np.random.default_rng((self.seed, rows))
        fed = [v for v in self.values if v.name.startswith("x")]
        return [awkward(rng, v.dtype, tuple(rows if d == ROWS else d for d in v.shape)) for v in fed]

    def __str__(self) -> str:
        arrays = [f"{name!r}: {_written(array)}," for name, array in self.arrays.items()]
        shown = ["import numpy as np, penstock as tf", f"# seed {self.seed}", "arrays = {", *arrays, "}", *self.lines]
        return "\n".join([*shown, f"fetches = [{', '.join(self.fetched)}]"])


def awkward(rng: np.random.Generator, dtype: str, shape: Shape) -> Any:
    """Awkward and plain values of `dtype`."""
    made = tf.as_dtype(dtype)
    if dtype == "string":
        return np.array(np.array([b"", b"a", b"bc", b"\xff"], object)[rng.integers(0, 4, shape)], object)
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if made.is_integer:
        ends = np.array([made.min, made.max, 0, 1, 2, 7, max(made.min, -1), max(made.min, -3)], object)
        return np.asarray(ends[rng.integers(0, len(ends), shape)]).astype(made.np)
    with np.errstate(all="ignore"):
        values = np.asarray(np.array(_AWKWARD)[rng.integers(0, len(_AWKWARD), shape)])
        plain = np.asarray(rng.standard_normal(shape) * 4)
        real = np.where(rng.random(shape) < 0.3, values, plain)
        if made.is_complex:
            turned = rng.permutation(values.reshape(-1)).reshape(shape)
            real = real + 1j * np.where(rng.random(shape) < 0.3, turned, plain)
        return np.asarray(real).astype(made.np)


def _written(array: Any) -> str:
    if array.size > 64:
        return f"... {array.dtype} {array.shape}, made by the seed"
    if array.dtype == object:
        return f"np.array({array.tolist()!r}, object).reshape({array.shape})"
    numbers = f"np.frombuffer({array.tobytes()!r}, tf.as_dtype({array.dtype.name!r}).np)"
    return f"{numbers}.reshape({array.shape})"


class Writer:
    """The program in the making."""

    def __init__(self, seed: int, dtypes: Sequence[str], shapes: Sequence[Shape] = ()) -> None:
        self.rng = np.random.default_rng(seed)
        self.program = Program(seed)
        self.dtypes = dtypes
        self.shapes = shapes
        self.resizable = False
        self.draws = 2
        self._count = 0

    def one_of(self, options: Sequence[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def array(self, dtype: str, shape: Shape) -> Any:
        """Awkward and plain values of `dtype`."""
        return awkward(self.rng, dtype, shape)

    def leaf(self, dtype: str, shape: Shape, static: bool = False) -> Value:
        """A placeholder (which may know less than the shape) or a constant."""
        self._count += 1
        if self.chance(0.25) and int(np.prod(shape)) < 1000 and not (self.resizable and ROWS in shape):
            name = f"c{self._count}"
            line = f"{name} = tf.constant(arrays[{name!r}])"
        else:
            name = f"x{self._count}"
            known: Any = [self.one_of([d, d, None, f"n{d}"]) if not static else d for d in shape]
            if self.resizable:
                known = [self.one_of(["rows", None]) if d == ROWS else d for d in shape]
            line = f"{name} = tf.placeholder({dtype!r}, {known if static or self.chance(0.9) else None})"
        self.program.arrays[name] = self.array(dtype, shape)
        return self.add(line, Value(name, dtype, shape))

    def name(self) -> str:
        self._count += 1
        return f"t{self._count}"

    def let(self, expression: str, dtype: str, shape: Shape) -> Value:
        """A variable for an expression."""
        name = self.name()
        return self.add(f"{name} = {expression}", Value(name, dtype, shape))

    def add(self, line: str, *values: Value) -> Value:
        self.program.lines.append(line)
        self.program.values += values
        return values[0]

    def pick(self, dtypes: Sequence[str] = DTYPES, rank: int | None = None, least: int = 0) -> Value | None:
        """A variable made before, newer ones more often."""
        fit = [v for v in self.program.values if v.dtype in dtypes and len(v.shape) >= least]
        fit = [v for v in fit if rank is None or len(v.shape) == rank]
        if not fit:
            return None
        return fit[max(int(self.rng.integers(len(fit))) for _ in range(self.draws))]

    def shape(self) -> Shape:
        if self.shapes:
            return self.shapes[int(self.rng.integers(len(self.shapes)))]
        return tuple(int(self.one_of([1, 2, 3, 4, 4, 6, 0])) for _ in range(int(self.rng.integers(0, 4))))

    def like(self, other: Value) -> Value:
        """A variable or leaf of the same dtype whose shape can be broadcast with that of `other`."""
        fit = [v for v in self.program.values if v.dtype == other.dtype and _together(v.shape, other.shape)]
        if fit and self.chance(0.8):
            return fit[int(self.rng.integers(len(fit)))]
        kept = other.shape[int(self.rng.integers(len(other.shape) + 1)) :]
        return self.leaf(other.dtype, tuple(1 if self.chance(0.2) else d for d in kept))


def _together(a: Shape, b: Shape) -> bool:
    return all(p == q or 1 in (p, q) for p, q in zip(reversed(a), reversed(b), strict=False)) and len(a + b) < 9


Step = Callable[[Writer], object]
