"""Graphs made at random from a seed, as programs: what a failing test prints is code that builds the graph again.

`random_program(seed)` mixes all dtypes, broadcasting, views, joins, reductions and partitions over awkward values:
NaN, infinities, -0.0, the ends of the ints, empty arrays. `elementwise_program(seed)` has elementwise ops alone,
`indexing_program(seed)` gathers, scatters and looks backwards as well, over arrays whose sizes lie at the borders of
tiles, `view_program(seed)` has views and steps that could write in place, and `resizable_program(seed)` runs with any
number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.operation import Tensor

Shape = tuple[int, ...]

LARGE: tuple[Shape, ...] = ((70_000,), (300, 250), (250,), (300, 1), ())
BORDERS: tuple[Shape, ...] = (
    (32_767,), (32_768,), (32_769,), (65_536,), (65_537,), (131_073,), (2, 32_768), (32_769, 2), (129, 256),
    (4, 40_000), (300, 700), (2, 3, 30_000),
)  # fmt: skip
"""Sizes around those of a tile and of a reduction's block; most take more than the pool's least, 128 KiB."""
TINY: tuple[Shape, ...] = ((0,), (1,), (3, 0), (1, 1), ())
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


class _Writer:
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


Step = Callable[[_Writer], object]

# ---- the steps, each adds a line or gives up ----------------------------------------------------

_UNARY = {
    ("identity", "tf.stop_gradient"): DTYPES,
    ("negative",): (*FLOATS, *SIGNED, *COMPLEX),
    ("square",): NUMBERS,
    ("abs", "sign"): (*FLOATS, *SIGNED),
    ("sqrt", "exp", "tanh", "sin", "reciprocal"): (*FLOATS, *COMPLEX),
    ("sigmoid", "floor", "rint", "erf", "log1p"): FLOATS,
    ("relu",): REALS,
    ("invert",): (*SIGNED, *UNSIGNED),
    ("logical_not",): ("bool",),
    ("is_nan", "is_finite"): FLOATS,
}
_FUNCTIONS = [(name.removeprefix("tf."), dtypes) for names, dtypes in _UNARY.items() for name in names]

_BINARY = [
    *((name, NUMBERS) for name in ("add", "subtract", "multiply")),
    *((name, REALS) for name in ("maximum", "minimum", "less", "greater_equal")),
    *((name, FLOATS) for name in ("truediv", "floordiv", "mod")),
    *((name, DTYPES) for name in ("equal", "not_equal")),
    *((name, ("bool",)) for name in ("logical_and", "logical_or", "logical_xor")),
    *((name, (*SIGNED, *UNSIGNED)) for name in ("bitwise_and", "bitwise_xor")),
]
_COMPARE = ("less", "greater_equal", "equal", "not_equal", "is_nan", "is_finite")


def unary(w: _Writer) -> None:
    function, dtypes = w.one_of(_FUNCTIONS)
    x = w.pick(dtypes)
    if x is not None:
        w.let(f"tf.{function}({x.name})", "bool" if function in _COMPARE else x.dtype, x.shape)


def binary(w: _Writer) -> None:
    function, dtypes = w.one_of(_BINARY)
    x = w.pick(dtypes)
    if x is None:
        return
    y = w.like(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    if int(np.prod(shape)) <= 200_000:
        w.let(f"tf.{function}({x.name}, {y.name})", "bool" if function in _COMPARE else x.dtype, shape)


def neutral(w: _Writer) -> None:
    x = w.pick((*FLOATS, *SIGNED))
    if x is not None:
        form = w.one_of(["{} * 1", "{} - 0", "{} + 0", "0 + {}", "tf.negative(tf.negative({}))"])
        w.let(form.format(x.name), x.dtype, x.shape)


def cast(w: _Writer) -> None:
    x = w.pick((*NUMBERS, "bool"))
    if x is not None:
        dtype = w.one_of([*w.dtypes, *NUMBERS])
        if dtype != "string":
            w.let(f"tf.cast({x.name}, {dtype!r})", dtype, x.shape)


def select(w: _Writer) -> None:
    x = w.pick()
    if x is None:
        return
    e = w.leaf(x.dtype, x.shape) if w.chance(0.4) else x
    known = [v for v in w.program.values if v.dtype == "bool" and v.shape in ((), x.shape, x.shape[:1])]
    condition = w.one_of(known) if known else w.leaf("bool", x.shape)
    w.let(f"tf.select({condition.name}, {x.name}, {e.name})", x.dtype, x.shape)


def transpose(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        order = w.rng.permutation(len(x.shape)).tolist()
        w.let(f"tf.transpose({x.name}, {order})", x.dtype, tuple(x.shape[d] for d in order))


def reshape(w: _Writer) -> None:
    x = w.pick()
    if x is None:
        return
    size = int(np.prod(x.shape))
    fit = [(size,), (1, size), (size, 1), x.shape[::-1], (2, size // 2) if size % 2 == 0 else (size,)]
    shape = w.one_of(fit)
    written = [-1 if w.chance(0.5) and i == 0 and size else d for i, d in enumerate(shape)]
    w.let(f"tf.reshape({x.name}, np.array({written}, 'i4'))", x.dtype, tuple(shape))


def expand_and_squeeze(w: _Writer) -> None:
    x = w.pick()
    if x is None or len(x.shape) > 3:
        return
    ones = [i for i, d in enumerate(x.shape) if d == 1]
    if ones and w.chance(0.6):
        at = w.one_of(ones)
        w.let(f"tf.squeeze({x.name}, [{at}])", x.dtype, x.shape[:at] + x.shape[at + 1 :])
        return
    at = int(w.rng.integers(len(x.shape) + 1))
    w.let(f"tf.expand_dims({x.name}, {at})", x.dtype, (*x.shape[:at], 1, *x.shape[at:]))


def index(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None:
        return
    if w.chance(0.3):
        w.let(f"{x.name}[:]", x.dtype, x.shape)
    elif x.shape[0] and w.chance(0.5):
        w.let(f"{x.name}[{int(w.rng.integers(x.shape[0]))}]", x.dtype, x.shape[1:])
    else:
        w.let(f"{x.name}[..., ::2]", x.dtype, (*x.shape[:-1], (x.shape[-1] + 1) // 2))


def slice_(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None:
        return
    start = [int(w.rng.integers(d + 1)) if w.chance(0.5) else 0 for d in x.shape]
    w.let(f"tf.slice({x.name}, {start}, {[-1] * len(start)})", x.dtype,
          tuple(d - s for d, s in zip(x.shape, start, strict=True)))  # fmt: skip


def reverse(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        w.let(f"tf.reverse({x.name}, {[w.chance(0.5) for _ in x.shape]})", x.dtype, x.shape)


def pad_or_tile(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None or int(np.prod(x.shape)) > 10_000:
        return
    if w.chance(0.5):
        rows = [[int(w.one_of([0, 0, 1])), int(w.one_of([0, 0, 2]))] for _ in x.shape]
        w.let(f"tf.pad({x.name}, {rows})", x.dtype, tuple(d + a + b for d, (a, b) in zip(x.shape, rows, strict=True)))
        return
    times = [int(w.one_of([1, 1, 2])) for _ in x.shape]
    w.let(f"tf.tile({x.name}, {times})", x.dtype, tuple(d * t for d, t in zip(x.shape, times, strict=True)))


def concat(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None or int(np.prod(x.shape)) > 40_000:
        return
    axis = int(w.rng.integers(len(x.shape)))
    fit = [v for v in w.program.values if v.dtype == x.dtype and len(v.shape) == len(x.shape)]
    fit = [v for v in fit if all(a == b or i == axis for i, (a, b) in enumerate(zip(v.shape, x.shape, strict=True)))]
    some = [x, *(w.one_of(fit) for _ in range(int(w.rng.integers(1, 3))))]
    size = sum(v.shape[axis] for v in some)
    names = ", ".join(v.name for v in some)
    w.let(f"tf.concat({axis}, [{names}])", x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :]))


def apart_and_together(w: _Writer) -> None:
    """Unpack or split, and perhaps put the parts back."""
    x = w.pick(least=1)
    if x is None or not 0 < x.shape[0] <= 6:
        return
    parts, count = w.name(), x.shape[0]
    w.program.lines.append(f"{parts} = tf.unpack({x.name}, {count})")
    for i in range(count):
        w.let(f"{parts}[{i}]", x.dtype, x.shape[1:])
    if w.chance(0.7):
        w.let(f"tf.pack({parts})", x.dtype, x.shape)
    elif x.shape[0] % 2 == 0:
        w.let(f"tf.concat(0, tf.split(0, 2, {x.name}))", x.dtype, x.shape)


def reduce(w: _Writer) -> None:
    x = w.pick((*FLOATS, *SIGNED), least=1)
    if x is None:
        return
    axis, keep = int(w.rng.integers(len(x.shape))), w.chance(0.5)
    function = w.one_of(["reduce_sum", "reduce_max", "reduce_min", "reduce_mean", "reduce_prod"])
    if not x.shape[axis] or (x.dtype not in FLOATS and function == "reduce_mean"):
        return
    middle = (1,) if keep else ()
    w.let(f"tf.{function}({x.name}, {axis}, keep_dims={keep})", x.dtype,
          (*x.shape[:axis], *middle, *x.shape[axis + 1 :]))  # fmt: skip


def shape_of(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        w.let(f"tf.shape({x.name})[{len(x.shape) - 1}] + 1", "int32", ())


def partition(w: _Writer) -> None:
    """The reference page's pipeline with other functions, now and then with one that is not elementwise."""
    x = w.pick(FLOATS, least=1)
    if x is None:
        return
    count = int(w.rng.integers(2, 5))
    p = w.name()
    labels = f"arrays[{p!r}]"
    w.program.arrays[p] = w.rng.integers(0, count, x.shape[0]).astype("i4")
    w.program.lines += [
        f"{p} = tf.constant({labels})",
        f"{p}_x = tf.dynamic_partition({x.name}, {p}, {count})",
        f"{p}_i = tf.dynamic_partition(tf.range(tf.shape({x.name})[0]), {p}, {count})",
    ]
    forms = ["{}", "{} + 1.0", "tf.exp({}) * {}", "tf.negative({})", "tf.abs({} - 0.5)", "{} - tf.reduce_sum({})"]
    # The last form is of the part as a whole: with it the parts have to be taken apart.
    functions = [w.one_of(forms if len(x.shape) == 1 and w.chance(0.2) else forms[:-1]) for _ in range(count)]
    parts = [f.replace("{}", f"{p}_x[{k}]") for k, f in enumerate(functions)]
    w.let(f"tf.dynamic_stitch({p}_i, [{', '.join(parts)}])", x.dtype, x.shape)


ELEMENTWISE: tuple[Step, ...] = (unary, unary, binary, binary, binary, cast)
STEPS: tuple[Step, ...] = (
    *ELEMENTWISE, neutral, select, transpose, transpose, reshape, reshape, expand_and_squeeze, index, slice_, reverse,
    pad_or_tile, concat, apart_and_together, reduce, shape_of, partition,
)  # fmt: skip


# ---- steps that move elements by index, and views that look backwards ----------------------------


def backwards(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None:
        return
    rows, last = x.shape[0], x.shape[-1]
    if w.chance(0.5):
        w.let(f"{x.name}[::-1]", x.dtype, x.shape)
    elif w.chance(0.5) or rows < 2:
        w.let(f"{x.name}[..., ::-2]", x.dtype, (*x.shape[:-1], (last + 1) // 2))
    else:
        w.let(f"{x.name}[{rows - 2}:0:-1]", x.dtype, (rows - 2, *x.shape[1:]))


def fed_indices(w: _Writer, size: int, below: int, unique: bool = False) -> str:
    """The name of fed int32 indices; they are no value that other steps may pick."""
    name = f"x{w.name()}"
    w.program.lines.append(f"{name} = tf.placeholder('int32', [{w.one_of([size, None])}])")
    made = w.rng.permutation(below)[:size] if unique else w.rng.integers(0, below, size)
    w.program.arrays[name] = made.astype("i4")
    return name


def gather(w: _Writer) -> None:
    x = w.pick(least=1)
    if x is None or not x.shape[0]:
        return
    size = int(w.one_of([0, 1, min(x.shape[0], 40_000)]))
    indices = fed_indices(w, size, x.shape[0])
    w.let(f"tf.gather({x.name}, {indices})", x.dtype, (size, *x.shape[1:]))


def scatter(w: _Writer) -> None:
    x = w.pick((*REALS, "bool"), least=1)
    if x is None or 0 in x.shape:
        return
    size = max(1, x.shape[0] // 2)
    indices = f"tf.expand_dims({fed_indices(w, size, x.shape[0], unique=w.chance(0.7))}, 1)"
    updates = w.leaf(x.dtype, (size, *x.shape[1:])).name
    if w.chance(0.6) or x.dtype == "bool":
        w.let(f"tf.tensor_scatter_nd_update({x.name}, {indices}, {updates})", x.dtype, x.shape)
    else:
        w.let(f"tf.scatter_nd({indices}, {updates}, {list(x.shape)})", x.dtype, x.shape)


def mask(w: _Writer) -> None:
    """A part whose size only the run knows, and what is made of it."""
    x = w.pick(FLOATS, least=1)
    if x is None:
        return
    name = f"x{w.name()}"
    w.program.arrays[name] = chosen = w.rng.random(x.shape[0]) < 0.5
    w.program.lines.append(f"{name} = tf.placeholder('bool', [{x.shape[0]}])")
    w.let(f"tf.boolean_mask({x.name}, {name}) * 2", x.dtype, (int(chosen.sum()), *x.shape[1:]))


def multiplex(w: _Writer) -> None:
    x = w.pick(("int32", "int64", "float32", "float64", *COMPLEX), least=2)
    if x is None or not x.shape[0]:
        return
    y = w.leaf(x.dtype, x.shape)
    rows = f"tf.expand_dims({fed_indices(w, x.shape[0], 2)}, 1)"
    w.let(f"tf.multiplex([{x.name}, {y.name}], {rows})", x.dtype, x.shape)


def sequences(w: _Writer) -> None:
    x = w.pick(least=2)
    if x is None or not x.shape[0] or x.shape[1] > 10_000:
        return
    lengths = fed_indices(w, x.shape[0], x.shape[1] + 1)
    w.let(f"tf.reverse_sequence({x.name}, {lengths}, seq_dim=1)", x.dtype, x.shape)


def fed_partition(w: _Writer) -> None:
    """Parts of sizes that only the run knows, put together again or one after the other."""
    x = w.pick(least=1)
    if x is None:
        return
    p = fed_indices(w, x.shape[0], 3)
    parts = w.name()
    w.program.lines.append(f"{parts} = tf.dynamic_partition({x.name}, {p}, 3)")
    if w.chance(0.5):
        w.let(f"tf.concat(0, [{parts}[2], {parts}[0], {parts}[1]])", x.dtype, x.shape)
        return
    places = f"tf.dynamic_partition(tf.range({x.shape[0]}), {p}, 3)"
    w.let(f"tf.dynamic_stitch({places}, {parts})", x.dtype, x.shape)


def scalar_beside(w: _Writer) -> None:
    """A step that reads a value and a part of the same value: an operand and the memory it could write to overlap."""
    x = w.pick((*FLOATS, *SIGNED), least=1)
    if x is not None and x.shape[0]:
        turned = f"tf.reverse({{}}, {[True] + [False] * (len(x.shape) - 1)})"
        form = w.one_of(["{} + {}[0]", "{} * {}[::-1]", "tf.maximum({}, {}[-1])", "{} - " + turned])
        w.let(form.replace("{}", x.name), x.dtype, x.shape)


INDEXING: tuple[Step, ...] = (
    backwards, backwards, gather, scatter, mask, multiplex, sequences, fed_partition, scalar_beside,
)  # fmt: skip
VIEWS: tuple[Step, ...] = (
    transpose, reshape, expand_and_squeeze, index, slice_, reverse, backwards, apart_and_together, unary, binary,
    scatter, neutral, scalar_beside,
)  # fmt: skip
ROWWISE: tuple[Step, ...] = (
    *ELEMENTWISE, neutral, select, transpose, reverse, expand_and_squeeze, shape_of,
)  # fmt: skip


def random_program(seed: int, length: int = 30, large: bool = False) -> Program:
    """A program with every kind of op; with `large`, over arrays that are run in tiles."""
    rng = np.random.default_rng(seed)
    dtypes = COMMON if rng.random() < 0.5 else DTYPES
    writer = _Writer(seed, dtypes, LARGE if large else ())
    for _ in range(4):
        writer.leaf(writer.one_of(dtypes), writer.shape())
    for _ in range(length):
        writer.one_of(STEPS)(writer)
    return _with_fetches(writer)


def elementwise_program(seed: int, length: int = 25) -> Program:
    """A program of elementwise ops on arrays of one shape, rows of it and scalars; only its last values are fetched."""
    writer = _Writer(seed, ("float32", "float64", "int32", "bool"))
    writer.draws = 3  # graphs that are deep more than wide: a node alone beside its inputs has nobody to be fused with
    shape = (int(writer.rng.integers(2, 6)), int(writer.rng.integers(2, 6)))
    for kept in (shape, shape, shape[1:], ()):
        writer.leaf(writer.one_of(("float32", "float32", "int32")), kept, static=True)
    for _ in range(length):
        writer.one_of(ELEMENTWISE)(writer)
    return _with_fetches(writer)


def indexing_program(seed: int, length: int = 24, shapes: Sequence[Shape] = BORDERS) -> Program:
    """A program with every kind of step, index steps too; over arrays of `shapes`, small ones if there are none."""
    return _mixed(seed, length, shapes, (*STEPS, *ELEMENTWISE, *ELEMENTWISE, *INDEXING))


def view_program(seed: int, length: int = 16, shapes: Sequence[Shape] = ()) -> Program:
    """A program of views and of steps that could write into the memory of an operand."""
    return _mixed(seed, length, shapes, VIEWS)


def resizable_program(seed: int, length: int = 20) -> Program:
    """A program whose placeholders take any number of rows: `resized(rows)` makes what to feed."""
    writer = _Writer(seed, COMMON)
    writer.resizable = True
    for shape in ((ROWS,), (ROWS, 3), (3,), ()):
        writer.leaf(writer.one_of(COMMON), shape)
    for _ in range(length):
        writer.one_of(ROWWISE)(writer)
    return _with_fetches(writer)


def _mixed(seed: int, length: int, shapes: Sequence[Shape], steps: Sequence[Step]) -> Program:
    rng = np.random.default_rng(seed)
    dtypes = COMMON if rng.random() < 0.5 else DTYPES
    if shapes:  # few sizes, so that values meet
        first, second = rng.integers(0, len(shapes), 2)
        shapes = [shapes[first], shapes[first], shapes[second], TINY[rng.integers(len(TINY))]]
    writer = _Writer(seed, dtypes, shapes)
    for _ in range(4):
        writer.leaf(writer.one_of(dtypes), writer.shape())
    for _ in range(length):
        writer.one_of(steps)(writer)
    return _with_fetches(writer)


def _with_fetches(writer: _Writer) -> Program:
    program = writer.program
    made = [v.name for v in program.values if v.name.startswith("t")] or [program.values[-1].name]
    unread = [name for name in made if not any(f"{name}{end}" in line.partition("=")[2] for line in program.lines
                                               for end in (",", ")", "[", " "))]  # fmt: skip
    some = [name for name in made if writer.chance(0.2)]
    program.fetched = list(dict.fromkeys([*unread, *some])) or made[-1:]
    return program
