"""Random bodies of loops: operations on numbers and small arrays of several dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import penstock as tf
from tests.runtime.loops.loop_programs import LoopProgram, program

FLOATS = ("float32", "float64")
INTS = ("int32", "int64", "uint8", "int8", "int16")
SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (3,), (7,), (2, 3), (3, 1), (1, 3), (130,), (4, 2, 3), (9, 16))
UNARY: dict[str, list[Any]] = {
    "float": [tf.tanh, tf.exp, tf.sqrt, tf.abs, tf.neg, tf.square, tf.sin, tf.sigmoid, tf.floor, tf.sign, tf.log,
              tf.rsqrt, tf.nn.relu, tf.nn.softplus, tf.ceil, tf.round],
    "int": [tf.abs, tf.neg, tf.square, tf.sign],
    "bool": [tf.logical_not],
    "complex": [tf.neg, tf.square, tf.conj],
}  # fmt: skip
BINARY: dict[str, list[Any]] = {
    "float": [tf.add, tf.sub, tf.mul, tf.truediv, tf.maximum, tf.minimum, tf.floordiv, tf.mod],
    "int": [tf.add, tf.sub, tf.mul, tf.maximum, tf.minimum, tf.floordiv, tf.mod],
    "bool": [tf.logical_and, tf.logical_or, tf.logical_xor],
    "complex": [tf.add, tf.sub, tf.mul],
}  # fmt: skip
COMPARE = [tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal]


def kind_of(tensor: Any) -> str:
    """The kind of numbers in a tensor."""
    dtype = tensor.dtype
    return (
        "bool" if dtype.is_bool else "int" if dtype.is_integer else "complex" if dtype.is_complex else "float"
    )


class BodyMaker:
    """Makes one random body from a generator of random numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.pool: list[Any] = []

    def pick(self, fits: Callable[[Any], bool] = lambda t: True) -> Any:
        """A random tensor, the last ones more often; None if none fits."""
        found = [t for t in self.pool if fits(t)]
        if not found:
            return None
        at = len(found) - 1 - int(abs(self.rng.normal()) * len(found) / 2) % len(found)
        return found[at]

    def step(self) -> None:
        """Add the result of a random operation to the pool."""
        kinds: list[Callable[[], Any]] = [self.unary, self.binary, self.binary, self.compare, self.select, self.cast,
                                          self.move, self.reduce, self.index, self.constant, self.rows,
                                          self.product]  # fmt: skip
        made = kinds[self.rng.integers(len(kinds))]()
        if made is not None and all(isinstance(d, int) and d > 0 for d in made.shape.as_list()):
            self.pool.append(made)

    def unary(self) -> Any:
        x = self.pick()
        choice = UNARY[kind_of(x)]
        if x.dtype.is_unsigned:
            return tf.square(x)
        return choice[self.rng.integers(len(choice))](x)

    def binary(self) -> Any:
        x = self.pick()
        y = self.pick(lambda t: t.dtype is x.dtype and _broadcast(t, x))
        choice = BINARY[kind_of(x)]
        return choice[self.rng.integers(len(choice))](x, y)

    def compare(self) -> Any:
        x = self.pick(lambda t: kind_of(t) in ("float", "int"))
        if x is None:
            return None
        y = self.pick(lambda t: t.dtype is x.dtype and _broadcast(t, x))
        return COMPARE[self.rng.integers(len(COMPARE))](x, y)

    def select(self) -> Any:
        c = self.pick(lambda t: t.dtype.is_bool)
        if c is None:
            return None
        t = self.pick(lambda t: c.shape.ndims == 0 or t.shape == c.shape or t.shape.as_list()[:1] == c.shape.as_list())
        e = None if t is None else self.pick(lambda e: e.dtype is t.dtype and e.shape == t.shape)
        return None if e is None else tf.where(c, t, e)

    def cast(self) -> Any:
        x = self.pick(lambda t: kind_of(t) != "complex")
        return None if x is None else tf.cast(x, self.rng.choice([*FLOATS, *INTS]))

    def constant(self) -> Any:
        x = self.pick()
        if x.dtype.is_bool or x.dtype.is_complex:
            return None
        return x + tf.constant(self.rng.integers(1, 4), x.dtype)

    def move(self) -> Any:
        x = self.pick(lambda t: t.shape.ndims > 0)
        if x is None:
            return None
        shape = x.shape.as_list()
        match self.rng.integers(9):
            case 0:
                return tf.transpose(x)
            case 1:
                return tf.reshape(x, [-1])
            case 2:
                return tf.expand_dims(x, int(self.rng.integers(len(shape) + 1)))
            case 3:
                return tf.reverse(x, [True] * len(shape))
            case 4:
                y = self.pick(lambda t: t.dtype is x.dtype and t.shape == x.shape)
                return tf.concat(0, [x, y])
            case 5:
                y = self.pick(lambda t: t.dtype is x.dtype and t.shape == x.shape)
                return tf.pack([x, y])
            case 6:
                return tf.tile(x, [2] + [1] * (len(shape) - 1)) if shape[0] < 64 else None
            case 7:
                return tf.squeeze(x)
            case _:
                return x[..., ::2]

    def reduce(self) -> Any:
        x = self.pick(lambda t: t.shape.ndims > 0 and kind_of(t) in ("float", "int", "bool"))
        if x is None:
            return None
        rank = x.shape.ndims
        if rank and not x.dtype.is_bool and self.rng.integers(6) == 0:
            return (tf.argmax if self.rng.integers(2) else tf.argmin)(x, rank - 1)
        axis: Any = [None, [rank - 1], [0], list(range(rank))][self.rng.integers(4)]
        if x.dtype.is_bool:
            return tf.reduce_any(x, axis)
        choice = [tf.reduce_sum, tf.reduce_max, tf.reduce_min, tf.reduce_mean, tf.reduce_prod]
        return choice[self.rng.integers(len(choice))](x, axis, bool(self.rng.integers(2)))

    def rows(self) -> Any:
        x = self.pick(lambda t: t.shape.ndims > 0 and kind_of(t) == "float")
        if x is None:
            return None
        match self.rng.integers(4):
            case 0:
                return tf.nn.softmax(x)
            case 1:
                return tf.nn.log_softmax(x)
            case 2:
                return tf.nn.softmax_cross_entropy_with_logits(x, tf.nn.softmax(x)) if x.shape.ndims == 2 else None
            case _:
                return tf.nn.l2_normalize(x, x.shape.ndims - 1)

    def product(self) -> Any:
        """A product of batches of matrices, of which one may be a single matrix."""
        x = self.pick(lambda t: t.shape.ndims > 1 and kind_of(t) == "float")
        if x is None:
            return None
        inner = x.shape.as_list()[-1]
        y = self.pick(lambda t: t.dtype is x.dtype and t.shape.ndims > 1 and t.shape.as_list()[-2] == inner)
        if y is None or self.rng.integers(2):
            return tf.matmul(x, x, transpose_b=True)
        try:
            return tf.matmul(x, y)
        except ValueError:  # their batches do not fit
            return None

    def index(self) -> Any:
        x = self.pick(lambda t: t.shape.ndims > 0 and t.shape.as_list()[0] > 1)
        i = self.pick(lambda t: t.shape.ndims == 0 and t.dtype in (tf.int32, tf.int64))
        if x is None or i is None:
            return None
        size = x.shape.as_list()[0]
        safe = tf.mod(i, tf.constant(size, i.dtype)) if self.rng.integers(8) else i
        match self.rng.integers(7):
            case 4:
                return tf.gather_nd(x, tf.pack([[safe], [tf.constant(1, i.dtype)], [safe]]))
            case 5:
                return None if x.dtype.is_bool or x.dtype.is_complex else tf.scatter_nd(
                    tf.pack([[safe], [tf.constant(0, i.dtype)], [safe]]), tf.pack([x[0], x[1], x[0]]),
                    tf.constant(x.shape.as_list(), i.dtype),
                )  # fmt: skip
            case 6:
                rows = tf.pack([x[1], x[safe]])
                return tf.tensor_scatter_nd_update(x, tf.pack([[safe], [tf.constant(1, i.dtype)]]), rows)
            case 0:
                return x[safe]
            case 1:
                return tf.gather(x, safe)
            case 2:
                return tf.gather(x, tf.pack([safe, tf.constant(0, i.dtype)]))
            case _:
                row = self.pick(lambda t: t.dtype is x.dtype and t.shape.as_list() == x.shape.as_list()[1:])
                if row is None:
                    return None
                return tf.tensor_scatter_nd_update(x, [[safe]], tf.expand_dims(row, 0))


def _like(x: Any) -> Callable[[Any], bool]:
    return lambda t: t.dtype is x.dtype and t.shape == x.shape


def _broadcast(a: Any, b: Any) -> bool:
    try:
        shape = np.broadcast_shapes(tuple(a.shape.as_list()), tuple(b.shape.as_list()))
    except ValueError:
        return False
    return int(np.prod(shape)) < 600


def random_value(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Any:
    """Values with some NaNs, infinities and negative zeros among floats."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        return rng.integers(0 if dtype == "uint8" else -5, 9, shape).astype(dtype)
    kind = np.float32 if dtype == "complex64" else tf.as_dtype(dtype).as_numpy_dtype
    made: Any = np.asarray(rng.normal(size=shape) * 3).astype(kind)
    if rng.integers(4) == 0 and made.size:
        made.reshape(-1)[rng.integers(made.size)] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0])
    return (made + 1j * rng.normal(size=shape)).astype("complex64") if dtype == "complex64" else made


def random_loop(seed: int) -> LoopProgram:
    """A loop with random variables, rows, captures, stacks and steps."""
    rng = np.random.default_rng(seed)
    dtypes = [*FLOATS, *FLOATS, *INTS[:2], "bool", str(rng.choice([*INTS, "complex64", "float16", "bfloat16"]))]

    def value(shape: tuple[int, ...]) -> Any:
        return random_value(rng, str(rng.choice(dtypes)), shape)

    def shape() -> tuple[int, ...]:
        return SHAPES[rng.integers(len(SHAPES))]

    variables = [np.int32(rng.integers(-2, 3)), *[value(shape()) for _ in range(rng.integers(1, 5))]]
    count = int(rng.integers(1, 9))
    rows = [value((count, *shape())) for _ in range(rng.integers(0, 3))]
    captures = [np.int32(rng.integers(0, 9)), *[value(shape()) for _ in range(rng.integers(0, 3))]]
    operands = [*variables, *rows, *captures]
    limit_at = len(variables) + len(rows)
    steps = int(rng.integers(1, 16))

    def cond(*xs: Any) -> Any:
        return tf.less(xs[0], xs[limit_at])

    def body(*xs: Any) -> Any:
        maker = BodyMaker(rng)
        maker.pool = list(xs)
        for _ in range(steps):
            maker.step()
        made = [xs[0] + 1]
        for x in xs[1 : len(variables)]:
            made.append(maker.pick(_like(x)))
        return made + [maker.pick() for _ in range(rng.integers(0, 3))]

    return program(cond, body, operands, len(variables), len(rows), bool(rows) and bool(rng.integers(2)))
