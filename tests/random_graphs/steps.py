"""Steps of random programs: ops on values, views, joins, reductions. Each adds a line to the program or gives up."""

from __future__ import annotations

import numpy as np

from .program import COMPLEX, DTYPES, FLOATS, NUMBERS, REALS, SIGNED, UNSIGNED, Step, Writer

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


def unary(w: Writer) -> None:
    function, dtypes = w.one_of(_FUNCTIONS)
    x = w.pick(dtypes)
    if x is not None:
        w.let(f"tf.{function}({x.name})", "bool" if function in _COMPARE else x.dtype, x.shape)


def binary(w: Writer) -> None:
    function, dtypes = w.one_of(_BINARY)
    x = w.pick(dtypes)
    if x is None:
        return
    y = w.like(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    if int(np.prod(shape)) <= 200_000:
        w.let(f"tf.{function}({x.name}, {y.name})", "bool" if function in _COMPARE else x.dtype, shape)


def neutral(w: Writer) -> None:
    x = w.pick((*FLOATS, *SIGNED))
    if x is not None:
        form = w.one_of(["{} * 1", "{} - 0", "{} + 0", "0 + {}", "tf.negative(tf.negative({}))"])
        w.let(form.format(x.name), x.dtype, x.shape)


def cast(w: Writer) -> None:
    x = w.pick((*NUMBERS, "bool"))
    if x is not None:
        dtype = w.one_of([*w.dtypes, *NUMBERS])
        if dtype != "string":
            w.let(f"tf.cast({x.name}, {dtype!r})", dtype, x.shape)


def select(w: Writer) -> None:
    x = w.pick()
    if x is None:
        return
    e = w.leaf(x.dtype, x.shape) if w.chance(0.4) else x
    known = [v for v in w.program.values if v.dtype == "bool" and v.shape in ((), x.shape, x.shape[:1])]
    condition = w.one_of(known) if known else w.leaf("bool", x.shape)
    w.let(f"tf.select({condition.name}, {x.name}, {e.name})", x.dtype, x.shape)


def transpose(w: Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        order = w.rng.permutation(len(x.shape)).tolist()
        w.let(f"tf.transpose({x.name}, {order})", x.dtype, tuple(x.shape[d] for d in order))


def reshape(w: Writer) -> None:
    x = w.pick()
    if x is None:
        return
    size = int(np.prod(x.shape))
    fit = [(size,), (1, size), (size, 1), x.shape[::-1], (2, size // 2) if size % 2 == 0 else (size,)]
    shape = w.one_of(fit)
    written = [-1 if w.chance(0.5) and i == 0 and size else d for i, d in enumerate(shape)]
    w.let(f"tf.reshape({x.name}, np.array({written}, 'i4'))", x.dtype, tuple(shape))


def expand_and_squeeze(w: Writer) -> None:
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


def index(w: Writer) -> None:
    x = w.pick(least=1)
    if x is None:
        return
    if w.chance(0.3):
        w.let(f"{x.name}[:]", x.dtype, x.shape)
    elif x.shape[0] and w.chance(0.5):
        w.let(f"{x.name}[{int(w.rng.integers(x.shape[0]))}]", x.dtype, x.shape[1:])
    else:
        w.let(f"{x.name}[..., ::2]", x.dtype, (*x.shape[:-1], (x.shape[-1] + 1) // 2))


def slice_(w: Writer) -> None:
    x = w.pick(least=1)
    if x is None:
        return
    start = [int(w.rng.integers(d + 1)) if w.chance(0.5) else 0 for d in x.shape]
    w.let(f"tf.slice({x.name}, {start}, {[-1] * len(start)})", x.dtype,
          tuple(d - s for d, s in zip(x.shape, start, strict=True)))  # fmt: skip


def reverse(w: Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        w.let(f"tf.reverse({x.name}, {[w.chance(0.5) for _ in x.shape]})", x.dtype, x.shape)


def pad_or_tile(w: Writer) -> None:
    x = w.pick(least=1)
    if x is None or int(np.prod(x.shape)) > 10_000:
        return
    if w.chance(0.5):
        rows = [[int(w.one_of([0, 0, 1])), int(w.one_of([0, 0, 2]))] for _ in x.shape]
        w.let(f"tf.pad({x.name}, {rows})", x.dtype, tuple(d + a + b for d, (a, b) in zip(x.shape, rows, strict=True)))
        return
    times = [int(w.one_of([1, 1, 2])) for _ in x.shape]
    w.let(f"tf.tile({x.name}, {times})", x.dtype, tuple(d * t for d, t in zip(x.shape, times, strict=True)))


def concat(w: Writer) -> None:
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


def apart_and_together(w: Writer) -> None:
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


def reduce(w: Writer) -> None:
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


def shape_of(w: Writer) -> None:
    x = w.pick(least=1)
    if x is not None:
        w.let(f"tf.shape({x.name})[{len(x.shape) - 1}] + 1", "int32", ())


def partition(w: Writer) -> None:
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


def done_and_undone(w: Writer) -> None:
    """A movement and its inverse, as gradients have them."""
    x = w.pick(least=1)
    if x is None or int(np.prod(x.shape)) > 10_000:
        return
    axis = int(w.rng.integers(len(x.shape)))
    size, zeros = x.shape[axis], [0] * len(x.shape)
    at = int(w.rng.integers(size + 1))
    begin = [1 if place == axis else 0 for place in range(len(x.shape))]
    colons = ", ".join([":"] * axis)
    before, after = (f"{x.name}[{colons}{', ' if axis else ''}{span}]" for span in (f":{at}", f"{at}:"))
    sizes, name = [at, size - at], x.name
    forms = [
        f"tf.slice(tf.pad({name}, {[[b, 1] for b in begin]}), {begin}, {list(x.shape)})",
        f"tf.concat({axis}, [{before}, {after}])",
        f"tf.slice(tf.concat({axis}, [{name}, {name}]), {[b * size for b in begin]}, {list(x.shape)})",
        f"tf.roll(tf.roll({name}, {at}, {axis}), {-at}, {axis})",
        f"tf.concat({axis}, split_sizes({name}, {sizes}, {axis}, 2))",
        f"tf.concat({axis}, split_sizes(tf.concat({axis}, [{before}, {after}]), {sizes}, {axis}, 2))",
        f"tf.slice({name}, {zeros}, {list(x.shape)})",
    ]
    if len(x.shape) > 1 and x.shape[0]:
        lengths = [int(w.rng.integers(x.shape[1] + 1)) for _ in range(x.shape[0])]
        forms.append(f"tf.reverse_sequence(tf.reverse_sequence({name}, {lengths}, 1), {lengths}, 1)")
    if len(x.shape) == 1 and x.dtype in (*FLOATS, "int32", "int64", *COMPLEX) and size <= 50:
        forms.append(f"tf.diag_part(tf.diag({name}))")
    w.program.lines.append("from penstock.ops.move.split_sizes import split_sizes")
    w.let(w.one_of(forms), x.dtype, x.shape)


def parted_again(w: Writer) -> None:
    """Rows that are stitched and taken apart again by the same labels."""
    x = w.pick(FLOATS, least=1)
    if x is None or not x.shape[0]:
        return
    p = w.name()
    w.program.arrays[p] = w.rng.integers(0, 2, x.shape[0]).astype("i4")
    again = w.one_of([f"tf.dynamic_partition({p}_y, {p}, 2)", f"[tf.gather({p}_y, {p}_i[k]) for k in range(2)]"])
    w.program.lines += [
        f"{p} = tf.constant(arrays[{p!r}])",
        f"{p}_x = tf.dynamic_partition({x.name}, {p}, 2)",
        f"{p}_i = tf.dynamic_partition(tf.range(tf.shape({x.name})[0]), {p}, 2)",
        f"{p}_y = tf.dynamic_stitch({p}_i, [tf.reverse({p}_x[0], {[True] + [False] * (len(x.shape) - 1)}), {p}_x[1]])",
        f"{p}_z = {again}",
    ]
    w.let(f"tf.dynamic_stitch({p}_i, [tf.sin({p}_z[0]), {p}_z[1]])", x.dtype, x.shape)


ELEMENTWISE: tuple[Step, ...] = (unary, unary, binary, binary, binary, cast)
STEPS: tuple[Step, ...] = (
    *ELEMENTWISE, neutral, select, transpose, transpose, reshape, reshape, expand_and_squeeze, index, slice_, reverse,
    pad_or_tile, concat, apart_and_together, reduce, shape_of, partition,
    done_and_undone, parted_again,
)  # fmt: skip
