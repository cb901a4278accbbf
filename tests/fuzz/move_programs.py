"""Random programs that move elements before, between and behind elementwise operations.

A program is a list of nodes over values of one dtype:

    feed      an array, fed in some memory layout
    op        an elementwise operation on one value, on two of shapes that broadcast, or on a value and a number
    move      concat, pack, stack, pad, tile, slice, reverse, transpose, split, gather of rows, broadcast_to, reshape
    part      of concat and its kin again, whose operands are computed for it and read by nothing else
    wrong     an int division by zero, which is an error of the run

Its runs fetch some values, feed some computed ones, and change the size of the first dimension. `built` makes a graph.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import penstock as tf

DTYPES: Final = (*["float32"] * 6, *["float64"] * 2, "float16", "bfloat16", "int32", "int64", "uint8", "bool",
                 "complex64")  # fmt: skip
SIZES: Final = (0, 1, 1, 2, 3, 5, 8, 17, 64, 65, 130)
UNARY: Final = ("neg", "square", "abs", "tanh", "exp", "relu", "sign", "sigmoid", "logical_not")
BINARY: Final = ("add", "sub", "mul", "maximum", "minimum", "div", "logical_and", "squared_difference")
JOINS: Final = ("concat", "pack", "stack", "pad", "tile")
MOVES: Final = (*JOINS, *JOINS, "slice", "reverse", "transpose", "split", "gather", "broadcast_to", "reshape")


@dataclass(frozen=True, slots=True)
class MoveNode:
    """One node: what it does, its operands by place, and what else it chooses."""

    what: str
    inputs: tuple[int, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.what}{list(self.inputs)} seed {self.seed}"


@dataclass(frozen=True, slots=True)
class MoveRun:
    """A run: the places that it fetches, those that it feeds although they are computed, the size of the first
    dimension, and the memory layout of the feeds."""

    fetches: tuple[int, ...]
    fed: tuple[int, ...]
    rows: int
    layout: int


@dataclass(frozen=True, slots=True)
class MoveProgram:
    """A program. named: whether the first dimension of the feeds has a name instead of a size."""

    seed: int
    dtype: str
    shape: tuple[int, ...]
    feeds: int
    named: bool
    nodes: tuple[MoveNode, ...]
    runs: tuple[MoveRun, ...]

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.dtype} {self.shape}, {self.feeds} feeds, named {self.named}"]
        lines += [f"  {self.feeds + place}: {node}" for place, node in enumerate(self.nodes)]
        return "\n".join([*lines, *[f"  {run}" for run in self.runs]])


def random_program(seed: int) -> MoveProgram:
    """The program of a seed."""
    chance = random.Random(seed)
    dtype = chance.choice(DTYPES)
    shape = tuple([chance.choice(SIZES) for _ in range(chance.choice((1, 2, 2, 2, 3)))])
    named = chance.random() < 0.3
    feeds = chance.randint(1, 3)
    nodes: list[MoveNode] = []
    for _ in range(chance.randint(1, 6)):
        nodes += _random_nodes(chance, feeds + len(nodes))
    runs = []
    for _ in range(chance.randint(1, 3)):
        places = range(feeds, feeds + len(nodes))
        fetches = [places[-1]] if chance.random() < 0.7 else []
        fetches += chance.sample(places, min(len(places), chance.randint(0, 3))) or [places[-1]]
        fed = (chance.choice(places),) if chance.random() < 0.1 else ()
        rows = chance.choice(SIZES) if named else shape[0]
        runs.append(MoveRun(tuple(dict.fromkeys(fetches)), fed, rows, chance.randrange(6)))
    return MoveProgram(seed, dtype, shape, feeds, named, tuple(nodes), tuple(runs))


def _random_nodes(chance: random.Random, count: int) -> list[MoveNode]:
    """One node, or a join with operations made for it, or behind it."""

    def operand() -> int:
        return chance.randrange(max(0, count - 4), count) if chance.random() < 0.7 else chance.randrange(count)

    def op(*inputs: int) -> MoveNode:
        if len(inputs) == 1 and chance.random() < 0.6:
            inputs = (*inputs, inputs[0] if chance.random() < 0.2 else -1)
        return MoveNode(chance.choice(UNARY if len(inputs) == 1 else BINARY), inputs, chance.randrange(1000))

    kind = chance.random()
    if kind < 0.35:
        return [op(operand()) if chance.random() < 0.5 else op(operand(), operand())]
    if kind < 0.55:
        what = chance.choice(MOVES)
        return [MoveNode(what, tuple([operand() for _ in range(chance.randint(1, 3))]), chance.randrange(1000))]
    made: list[MoveNode] = []
    parts = []
    for _ in range(chance.randint(1, 3)):  # operations that nothing else reads
        made.append(op(operand()))
        if chance.random() < 0.6:
            made.append(op(count + len(made) - 1))
        parts.append(count + len(made) - 1)
    if chance.random() < 0.25:
        parts.append(operand())
    what = chance.choice((*JOINS, "gather") if kind < 0.9 else MOVES)
    made.append(MoveNode(what, tuple(parts), chance.randrange(1000)))
    if chance.random() < 0.5:  # and operations behind it
        made.append(op(count + len(made) - 1) if chance.random() < 0.6 else op(count + len(made) - 1, operand()))
        made.append(op(count + len(made) - 1))
    return made


class Built:
    """A program as a graph; `values` are its feeds and nodes."""

    def __init__(self, program: MoveProgram) -> None:
        self.program = program
        self.graph = tf.Graph()
        self.values: list[Any] = []
        with self.graph.as_default():
            for number in range(program.feeds):
                sizes: list[Any] = list(program.shape)
                if program.named:
                    sizes[0] = "rows"
                self.values.append(tf.placeholder(program.dtype, sizes, name=f"x{number}"))
            for place, node in enumerate(program.nodes):
                self.values.append(_made(program, node, self.values, f"n{place}"))

    def feeds_of(self, run: MoveRun) -> dict[Any, Any]:
        """The feeds of a run."""
        program = self.program
        shape = (run.rows, *program.shape[1:])
        found = {self.values[i]: laid_out(numbers(program, shape, i), run.layout + i) for i in range(program.feeds)}
        for place in run.fed:
            static = self.values[place].shape
            if static.is_fully_defined():
                found[self.values[place]] = numbers(program, tuple(static.as_list()), 50 + place)
        return found


def _made(program: MoveProgram, node: MoveNode, values: Sequence[Any], name: str) -> Any:
    chance = random.Random(node.seed)
    inputs: list[Any] = [values[i] if i >= 0 else None for i in node.inputs]
    x = inputs[0]
    if node.what in UNARY or node.what in BINARY:
        return _computed(program, node, inputs, name)
    rank = x.shape.ndims
    same = [y for y in inputs if y.shape.ndims == rank]
    if node.what == "concat" and rank:
        axis = chance.randrange(rank)
        fit = [y for y in same if _agree(x, y, axis)]
        return tf.concat(axis - rank if node.seed % 2 else axis, fit or [x], name=name)
    if node.what == "pack":
        return tf.pack([y for y in same if _agree(x, y, None)] or [x], name=name)
    if node.what == "stack":
        return tf.stack([y for y in same if _agree(x, y, None)] or [x], chance.randint(0, rank), name=name)
    if node.what == "pad":
        frame = np.array([chance.randint(0, 2) for _ in range(2 * rank)], np.int32)
        return tf.pad(x, frame.reshape(rank, 2), name=name)
    if node.what == "tile":
        return tf.tile(x, np.array([chance.choice((1, 1, 2, 3)) for _ in range(rank)], np.int32), name=name)
    if node.what == "slice":
        return x[tuple([chance.choice((slice(None), slice(1, None), slice(None, -1), slice(None, None, 2)))
                        for _ in range(rank)])]  # fmt: skip
    if node.what == "reverse":
        return tf.reverse(x, np.array([chance.random() < 0.6 for _ in range(rank)], bool), name=name)
    if node.what == "transpose":
        return tf.transpose(x, np.array(chance.sample(range(rank), rank), np.int32), name=name)
    if node.what == "split" and rank:
        axis = chance.randrange(rank)
        size = x.shape.as_list()[axis]
        if isinstance(size, int) and size % 2 == 0:
            return tf.split(axis, 2, x, name=name)[chance.randrange(2)]
    if node.what == "gather" and rank:
        size = x.shape.as_list()[0]
        if isinstance(size, int) and size:
            dtype = chance.choice((np.int32, np.int64))
            rows = [chance.randrange(size) for _ in range(chance.choice((0, 1, 3, 70)))]
            return tf.gather(x, np.array(rows, dtype), name=name)
    if node.what == "broadcast_to" and x.shape.is_fully_defined():
        return tf.broadcast_to(x, [chance.randint(1, 3), *x.shape.as_list()], name=name)
    if node.what == "reshape":
        return tf.reshape(x, [-1] if not x.shape.is_fully_defined() or x.shape.num_elements() else [0], name=name)
    return tf.identity(x, name=name)


def _agree(x: Any, y: Any, but: int | None) -> bool:
    """Whether two shapes are equal but for one axis; the name of a dimension is equal to itself."""
    return all(axis == but or str(a) == str(b) for axis, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)))


def _computed(program: MoveProgram, node: MoveNode, inputs: list[Any], name: str) -> Any:
    """An elementwise operation, of others where the dtype or the shapes do not allow it."""
    x = inputs[0]
    if len(inputs) == 2:
        y = inputs[1]
        if y is None:
            y = tf.constant(numbers(program, (), node.seed % 7 + 100))
        elif not _broadcast(x, y):
            y = x
        for what in (node.what, "add", "logical_or"):
            try:
                return _as_program(program, getattr(tf, what)(x, y, name=name))
            except TypeError:
                continue
    for what in (node.what, "neg", "logical_not", "identity"):
        try:
            return _as_program(program, getattr(tf, what)(x, name=name))
        except TypeError:
            continue
    raise AssertionError(f"no operation takes {x.dtype.name}")


def _as_program(program: MoveProgram, value: Any) -> Any:
    """The value in the dtype of the program: the absolute value of complex numbers is real."""
    return value if value.dtype.name == program.dtype else tf.cast(value, program.dtype)


def _broadcast(x: Any, y: Any) -> bool:
    """Whether two shapes are known to broadcast."""
    pairs = zip(reversed(list(x.shape)), reversed(list(y.shape)), strict=False)
    return all(str(a) == str(b) or str(a) == "1" or str(b) == "1" for a, b in pairs)


def numbers(program: MoveProgram, shape: tuple[int, ...], seed: int) -> Any:
    """An array of the dtype of a program, with zeros of both signs, NaN and infinity now and then."""
    made = np.random.default_rng([program.seed, seed])
    dtype = tf.as_dtype(program.dtype).as_numpy_dtype
    if program.dtype == "bool":
        return np.asarray(made.random(shape) < 0.5)
    if program.dtype in ("int32", "int64", "uint8"):
        return np.asarray(made.integers(0 if seed % 5 == 0 else 1, 9, shape)).astype(dtype)
    values = made.normal(size=shape)
    if "complex" in program.dtype:
        values = values + 1j * made.normal(size=shape)
    values = np.where(made.random(shape) < 0.05, -0.0, values)
    if seed % 4 == 0:
        values = np.where(made.random(shape) < 0.05, made.choice([np.nan, np.inf, -np.inf]), values)
    return np.asarray(values * 2).astype(dtype)


def laid_out(array: Any, layout: int) -> Any:
    """The array with its elements in another order, or at other addresses."""
    match layout % 6:
        case 1:
            return np.asfortranarray(array)
        case 2 if array.ndim:
            return np.ascontiguousarray(array[::-1])[::-1]
        case 3 if array.ndim:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        case 4:
            moved = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
            moved[...] = array
            return moved
        case 5:
            array = array.copy()
            array.flags.writeable = False
    return array
