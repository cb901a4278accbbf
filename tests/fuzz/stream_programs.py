"""Random programs around an op that goes over rows: running sums, sums by ids or indices, rows read by indices.

Elementwise operations stand before its operand and behind its result, on operands of shapes that broadcast and of any
memory layout. Sizes are 0, 1, odd, and now and then larger than a cache. Some indices are out of range, some ids are
negative, and sometimes a value in between is fetched, too.
"""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np

import penstock as tf

from .move_programs import laid_out

DTYPES: Final = (*["float32"] * 6, *["float64"] * 2, "float16", "bfloat16", "int32", "int64", "int8", "uint8",
                 "complex64")  # fmt: skip
UNARY: Final = ("neg", "square", "abs", "relu", "sign", "exp", "sqrt")
BINARY: Final = ("add", "sub", "mul", "maximum", "minimum", "div", "squared_difference")
OPS: Final = ("segment_sum", "segment_mean", "scatter_nd", "cumprod", "gather_nd", "gather and sum",
              *["cumsum", "unsorted_segment_sum", "gather"] * 2)  # fmt: skip
SIZES: Final = (0, 1, 2, 3, 5, 8, 16, 17, 64, 65, 130)
MANY: Final = 70_001
"""Rows of a large program."""


class StreamProgram:
    """A program: its graph, what it fetches, and the feeds of each run.

    Args:
        seed: what it follows from.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._chance = chance = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self.dtype = chance.choice(DTYPES)
        self.op = chance.choice(OPS)
        self.rows = MANY if chance.random() < 0.03 else chance.choice(SIZES)
        self.row = tuple([chance.choice((1, 2, 3, 4, 7, 8, 16, 33)) for _ in range(chance.choice((0, 0, 1, 1, 1, 2)))])
        if self.rows == MANY:
            self.row = self.row[:1] if self.row[:1] <= (16,) else ()
        self.words: list[str] = []
        self._feeds: list[tuple[Any, Any]] = []
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.fetches = self._built()
        self.runs = [self._feeds_of(0), self._feeds_of(chance.randint(1, 5))]

    def __str__(self) -> str:
        shape = (self.rows, *self.row)
        return f"seed {self.seed}: {self.op} of {self.dtype} {shape}\n  " + "\n  ".join(self.words)

    def _built(self) -> list[Any]:
        chance, op = self._chance, self.op
        shape = (self.rows, *self.row)
        between = []
        if op.startswith("gather"):
            middle = self._read()
        else:
            x = self._computed(self._input(shape), shape, chance.randint(0, 3))
            between.append(x)
            middle = self._summed(x, shape)
        between.append(middle)
        dims = middle.shape.as_list() if middle.shape.ndims is not None else None
        last = middle
        if op == "gather and sum":
            last = tf.reduce_sum(middle, list(range(1, max(2, (middle.shape.ndims or 2) - 1))))
        elif dims is not None and None not in dims:
            last = self._computed(middle, tuple(dims), chance.randint(0, 3))
        return [last, *([chance.choice(between)] if chance.random() < 0.1 else [])]

    def _summed(self, x: Any, shape: tuple[int, ...]) -> Any:
        chance, op, rows = self._chance, self.op, self.rows
        if op in ("cumsum", "cumprod"):
            axis, exclusive, reverse = chance.randrange(len(shape)), chance.random() < 0.3, chance.random() < 0.3
            self.words.append(f"{op} axis {axis}, exclusive {exclusive}, reverse {reverse}")
            return getattr(tf, op)(x, axis, exclusive, reverse)
        places = chance.choice((1, 2, 3, 10, max(1, rows // 2)))
        kind = chance.choice(("int32", "int64"))
        if op.startswith("segment"):
            ids = np.sort(self._numbers.integers(0, places, rows))
            if rows > 1 and chance.random() < 0.05:
                ids[-1] = -1
            return getattr(tf, op)(x, self._index(ids, kind))
        if op == "unsorted_segment_sum":
            depth = chance.randint(1, len(shape))
            ids = self._numbers.integers(-1 if chance.random() < 0.2 else 0, places, shape[:depth])
            if ids.size and chance.random() < 0.05:
                ids.flat[-1] = places
            return tf.unsorted_segment_sum(x, self._index(ids, kind), places)
        deep = chance.randint(1, 2) if places <= 10 else 1
        vectors = self._numbers.integers(0, places, (rows, deep))
        if vectors.size and chance.random() < 0.05:
            vectors.flat[-1] = chance.choice((-1, places))
        sizes = np.array((*[places] * deep, *shape[1:]), kind)
        return tf.scatter_nd(self._index(vectors, kind), x, tf.constant(sizes))

    def _read(self) -> Any:
        chance, numbers = self._chance, self._numbers
        kind, count = chance.choice(("int32", "int64", "int16")), chance.choice((1, 2, 5, 40))
        more = [chance.randint(1, 5) for _ in range(chance.choice((0, 0, 1, 2)) or self.op == "gather and sum")]
        if self.op == "gather and sum" and chance.random() < 0.7:
            self.row = self.row or (chance.choice((2, 4, 8, 16, 5)),)
        if self.op == "gather_nd":
            deep = 1 if kind == "int16" else chance.randint(1, 2)
            kind = "int32" if kind == "int16" else kind
            x = self._input((*[count] * deep, *self.row))
            index = self._wrong(numbers.integers(0, count, (self.rows, *more, deep)), count)
            return tf.gather_nd(x, self._index(index, kind))
        x = self._input((count, *self.row))
        index = self._wrong(numbers.integers(0, count, (self.rows, *more)), count)
        return tf.gather(x, self._index(index, kind))

    def _wrong(self, index: Any, bound: int) -> Any:
        if index.size and self._chance.random() < 0.05:
            index.flat[self._chance.randrange(index.size)] = self._chance.choice((-1, bound))
        return index

    def _index(self, array: Any, kind: str) -> Any:
        array = array.astype(kind)
        if self._chance.random() < 0.2 and array.size:
            return tf.constant(array)
        tensor = tf.placeholder(kind, array.shape)
        self._feeds.append((tensor, array))
        return tensor

    def _input(self, shape: tuple[int, ...]) -> Any:
        tensor = tf.placeholder(self.dtype, shape)
        self._feeds.append((tensor, shape))
        return tensor

    def _computed(self, x: Any, shape: tuple[int, ...], count: int) -> Any:
        """So many elementwise operations on x."""
        chance = self._chance
        for _ in range(count):
            what = chance.choice(UNARY if chance.random() < 0.4 else BINARY)
            operands = [x]
            if what in BINARY:
                own = tuple([d if chance.random() < 0.6 else 1 for d in shape])[chance.randint(0, len(shape)) :]
                own = shape if chance.random() < 0.4 else own
                other = self._input(own) if chance.random() < 0.7 else tf.constant(self._array((), 9))
                operands.insert(chance.randint(0, 1), other)
            try:
                made = getattr(tf, what)(*operands)
            except (TypeError, ValueError):
                continue
            if made.dtype.name != self.dtype and chance.random() < 0.9:
                made = tf.cast(made, self.dtype)
            if made.dtype.name != self.dtype:
                return made
            self.words.append(f"{what} of {[str(o.shape) for o in operands]}")
            x = made
        return x

    def _feeds_of(self, layout: int) -> dict[Any, Any]:
        feeds = {}
        for number, (tensor, what) in enumerate(self._feeds):
            array = self._array(what, number + 10 * layout) if isinstance(what, tuple) else what
            feeds[tensor] = laid_out(array, layout + number) if layout and array.ndim else array
        return feeds

    def _array(self, shape: tuple[int, ...], number: int) -> Any:
        made = np.random.default_rng([self.seed, number])
        dtype = tf.as_dtype(self.dtype).as_numpy_dtype
        if "int" in self.dtype:
            return np.asarray(made.integers(1, 9, shape)).astype(dtype)
        values = made.normal(size=shape)
        if "complex" in self.dtype:
            values = values + 1j * made.normal(size=shape)
        values = np.where(made.random(shape) < 0.05, -0.0, values)
        if number % 4 == 0:
            values = np.where(made.random(shape) < 0.02, made.choice([np.nan, np.inf, -np.inf]), values)
        return np.asarray(values).astype(dtype)
