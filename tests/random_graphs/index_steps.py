"""Steps of random programs that move elements by index, and views that look backwards."""

from __future__ import annotations

from .program import COMPLEX, FLOATS, REALS, SIGNED, Step, Writer
from .steps import (
    ELEMENTWISE,
    apart_and_together,
    binary,
    expand_and_squeeze,
    index,
    neutral,
    reshape,
    reverse,
    select,
    shape_of,
    slice_,
    transpose,
    unary,
)


def backwards(w: Writer) -> None:
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


def fed_indices(w: Writer, size: int, below: int, unique: bool = False) -> str:
    """The name of fed int32 indices; they are no value that other steps may pick."""
    name = f"x{w.name()}"
    w.program.lines.append(f"{name} = tf.placeholder('int32', [{w.one_of([size, None])}])")
    made = w.rng.permutation(below)[:size] if unique else w.rng.integers(0, below, size)
    w.program.arrays[name] = made.astype("i4")
    return name


def gather(w: Writer) -> None:
    x = w.pick(least=1)
    if x is None or not x.shape[0]:
        return
    size = int(w.one_of([0, 1, min(x.shape[0], 40_000)]))
    indices = fed_indices(w, size, x.shape[0])
    w.let(f"tf.gather({x.name}, {indices})", x.dtype, (size, *x.shape[1:]))


def scatter(w: Writer) -> None:
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


def mask(w: Writer) -> None:
    """A part whose size only the run knows, and what is made of it."""
    x = w.pick(FLOATS, least=1)
    if x is None:
        return
    name = f"x{w.name()}"
    w.program.arrays[name] = chosen = w.rng.random(x.shape[0]) < 0.5
    w.program.lines.append(f"{name} = tf.placeholder('bool', [{x.shape[0]}])")
    w.let(f"tf.boolean_mask({x.name}, {name}) * 2", x.dtype, (int(chosen.sum()), *x.shape[1:]))


def multiplex(w: Writer) -> None:
    x = w.pick(("int32", "int64", "float32", "float64", *COMPLEX), least=2)
    if x is None or not x.shape[0]:
        return
    y = w.leaf(x.dtype, x.shape)
    rows = f"tf.expand_dims({fed_indices(w, x.shape[0], 2)}, 1)"
    w.let(f"tf.multiplex([{x.name}, {y.name}], {rows})", x.dtype, x.shape)


def sequences(w: Writer) -> None:
    x = w.pick(least=2)
    if x is None or not x.shape[0] or x.shape[1] > 10_000:
        return
    lengths = fed_indices(w, x.shape[0], x.shape[1] + 1)
    w.let(f"tf.reverse_sequence({x.name}, {lengths}, seq_dim=1)", x.dtype, x.shape)


def fed_partition(w: Writer) -> None:
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


def scalar_beside(w: Writer) -> None:
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
