"""Steps of the fuzz: what shares memory, what must be in order, what may fail.

Partitions with computed labels and their stitches, parts that are used beside the whole, updates in place, chains of
views, control edges, effects, results that share memory without saying so, and failures of every kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..random_graphs import FLOATS, NUMBERS, REALS, SIGNED, Value
from .eager import EagerWriter, GiveUp

ADDED = ("float32", "float64", "int32", "int64", "complex64")
"""Dtypes that `+ 1` and `* 2` take."""


def picked(w: EagerWriter, dtypes: tuple[str, ...] = (), least: int = 1, rows: int = 1) -> Value:
    """A value of one of `dtypes` with at least so many dimensions and rows."""
    found = w.pick(dtypes, least=least) if dtypes else w.pick(least=least)
    if found is None or (least and found.shape[0] < rows):
        raise GiveUp
    return found


def worked(w: EagerWriter, name: str, dtype: str) -> str:
    """An expression of the dtype and shape of `name`."""
    forms = ["{}", "{}", "tf.identity({})"]
    if w.extended:
        forms += ["ops.same({}, 0)", "ops.declared({}, 0)", "ops.fresh({}, 0)"]
    if dtype in ADDED:
        forms += ["{} + 1", "{} * 2", "{} * {}", "{} - 3"]
    if dtype in FLOATS:
        forms += ["tf.exp({})", "tf.abs({} - 0.5)", "tf.tanh({}) * {}"]
    if dtype in SIGNED:
        forms += ["tf.negative({})", "tf.maximum({}, 1)"]
    return str(w.one_of(forms)).replace("{}", name)


# ---- partition, work, stitch ---------------------------------------------------------------------


def labels(w: EagerWriter, x: Value, count: int) -> str:
    """The name of labels for the rows of `x`: fed, constant, or computed from what is fed or from `x` itself."""
    rows = x.shape[0]
    choice = int(w.rng.integers(6))
    if choice < 2:
        raw = w.rng.integers(-count, count, rows).astype("i4")
        l = w.fed(raw)  # noqa: E741  # the letter of the documents
        form = w.one_of([f"tf.maximum({l}, 0)", f"tf.clip_by_value({l}, 0, {count - 1})", f"tf.abs({l}) % {count}"])
    elif choice == 2 and x.dtype in REALS and len(x.shape) == 1:
        form = f"tf.cast(tf.greater({x.name}, {x.name}[0]), tf.int32)"
    elif choice == 3:
        l = w.fed(w.rng.integers(0, count, rows).astype(w.one_of(["i8", "u1", "f4"])))  # noqa: E741
        form = f"tf.cast({l}, tf.int32)"
    elif choice == 4:
        return w.fed(w.rng.integers(0, count, rows).astype("i4"))
    else:
        form = f"tf.range(tf.shape({x.name})[0]) % {count}"
    if w.chance(0.3):
        forms = ["tf.reshape({}, [-1])", "tf.identity({})", "tf.reverse({}, [True])"]
        forms += ["ops.same({}, 0)"] * w.extended
        form = str(w.one_of(forms)).replace("{}", form)
    return w.let(form).name


def partition_work_stitch(w: EagerWriter) -> None:
    """Rows apart by label, something done to each part, and back; perhaps beside work on the whole."""
    x = picked(w)
    count = int(w.rng.integers(2, 5))
    p = labels(w, x, count)
    rows, parts = w.name(), w.name()
    of = w.one_of([f"tf.range(tf.shape({x.name})[0])"] * 3 + [f"tf.range({x.shape[0]})"])
    lines = [f"{parts} = tf.dynamic_partition({x.name}, {p}, {count})",
             f"{rows} = tf.dynamic_partition({of}, {p}, {count})"]  # fmt: skip
    for line in lines if w.chance(0.7) else reversed(lines):
        w.line(line)
    named = []
    for k in range(count):
        if w.chance(0.8):
            named.append(w.let(worked(w, f"{parts}[{k}]", x.dtype)).name)
        else:
            named.append(w.let(f"{parts}[{k}]").name)
        if w.chance(0.1):
            w.let(f"{rows}[{k}]")
    if w.chance(0.8):
        y = w.let(f"tf.dynamic_stitch({rows}, [{', '.join(named)}])")
    else:
        y = w.let(f"tf.concat(0, [{', '.join(reversed(named))}])")
    if x.dtype in ADDED and w.chance(0.5):
        w.let(f"{y.name} * tf.cumsum({x.name} * 3)")
    if w.chance(0.2):
        w.let(p)


# ---- wholes, parts, updates ----------------------------------------------------------------------


def whole(w: EagerWriter) -> Value:
    """A value that a step of the run makes, so that a later one may write over it."""
    x = picked(w, (*ADDED, "bool", "int8", "float16"))
    if x.dtype in ADDED:
        return w.let(
            w.one_of(["{} * 2", "{} + 1", "tf.negative({})", "tf.reverse_sequence({}, {})"][:3]).replace("{}", x.name)
        )
    return w.let(f"tf.concat(0, [{x.name}, {x.name}])")


def parts_of(w: EagerWriter, x: Value) -> list[str]:
    """Expressions of parts and views of `x`."""
    rank, name = len(x.shape), x.name
    found = [f"{name}[{w.one_of([':1', '1:', '::-1', '0:-1', '::2'])}]", f"tf.reshape({name}, [-1])",
             f"tf.expand_dims({name}, {int(w.rng.integers(rank + 1))})",
             f"ops.turned({name}, 0)" if w.extended else f"tf.identity({name})",
             f"tf.slice({name}, {[0] * rank}, {[max(d - 1, 0) for d in x.shape]})",
             f"tf.transpose({name}, {w.rng.permutation(rank).tolist()})"]  # fmt: skip
    axis = int(w.rng.integers(rank))
    size = x.shape[axis]
    for pieces in (2, 3, size):
        if 0 < pieces <= 6 and size % pieces == 0:
            split = w.name()
            w.line(f"{split} = tf.split({axis}, {pieces}, {name})")
            found += [f"{split}[{k}]" for k in range(pieces)]
            break
    if 0 < x.shape[0] <= 4:
        unpacked = w.name()
        w.line(f"{unpacked} = tf.unpack({name}, {x.shape[0]})")
        found += [f"{unpacked}[{k}]" for k in range(x.shape[0])]
    return found


def updated(w: EagerWriter, x: Value, updates: str | None = None) -> Value:
    """`x` with other values in some rows, in place where the engine can."""
    rows = x.shape[0]
    if not rows:
        raise GiveUp
    count = int(w.rng.integers(1, min(rows, 3) + 1))
    indices = [[int(i)] for i in w.rng.choice(rows, count, replace=False)]
    if updates is None:
        updates = given(w, w.array(x.dtype, (count, *x.shape[1:])))
    else:
        indices = [[int(i)] for i in w.rng.permutation(rows)]
    return w.let(f"tf.tensor_scatter_nd_update({x.name}, {indices}, {updates})")


def given(w: EagerWriter, array: Any) -> str:
    """An expression for an array: fed or constant."""
    if w.chance(0.5):
        return w.fed(array)
    key = f"u{w.name()}"
    w.program.arrays[key] = array
    return f"arrays[{key!r}]"


def parts_and_update(w: EagerWriter) -> None:
    """Parts or views of a value, and an update of the value, in any order; what is done to the parts comes later."""
    x = whole(w)
    some = [str(w.one_of(parts)) for parts in [parts_of(w, x)] for _ in range(int(w.rng.integers(1, 4)))]
    before = [w.let(part) for part in some if w.chance(0.7)]
    y = updated(w, x)
    if before and w.chance(0.5):
        part = w.one_of(before)
        w.let(worked(w, part.name, part.dtype))
    for part in some:
        if w.chance(0.3):
            w.let(part)
    if w.chance(0.3):
        updated(w, y)


def update_from_itself(w: EagerWriter) -> None:
    """An update whose rows are those of the same value, or a view of it, in another order."""
    x = whole(w)
    if x.shape[0] > 1000:
        raise GiveUp
    forms = ["{}[::-1]", "{}", f"tf.reverse({{}}, {[True] + [False] * (len(x.shape) - 1)})"]
    form = str(w.one_of([*forms, *(["ops.same({}, 0)"] * w.extended)]))
    updated(w, x, form.replace("{}", x.name))


def update_of_a_view(w: EagerWriter) -> None:
    """An update of a view, the value behind it used before or after."""
    x = whole(w)
    view = w.let(w.one_of(parts_of(w, x)))
    if not view.shape:
        raise GiveUp
    updated(w, view)
    if w.chance(0.6):
        w.let(worked(w, x.name, x.dtype))


def views_of_views(w: EagerWriter) -> None:
    """Views of views, each of which others may use."""
    x = picked(w)
    for _ in range(int(w.rng.integers(2, 5))):
        if not x.shape:
            break
        x = w.let(w.one_of(parts_of(w, x)))
    w.let(worked(w, x.name, x.dtype))


def beside_a_scan(w: EagerWriter) -> None:
    """Steps that need memory of their own while others are alive."""
    x = picked(w, ("float32", "float64", "int32", "int64"))
    rank = len(x.shape)
    form = w.one_of(["{} * tf.cumsum({} * 3)", f"tf.cumsum({{}}) + tf.reverse({{}}, {[True] + [False] * (rank - 1)})",
                     f"tf.tile({{}}, {[2] + [1] * (rank - 1)})", "tf.cumsum({} + 1) - {}"])  # fmt: skip
    w.let(form.replace("{}", x.name))


def converted(w: EagerWriter) -> None:
    """A cast to a dtype of other size, and back: memory that is used again as another dtype."""
    x = picked(w, NUMBERS, least=0)
    middle = w.let(f"tf.cast({x.name}, {w.one_of(['int8', 'float32', 'float64', 'int64', 'float16', 'bool'])!r})")
    w.let(f"tf.cast({middle.name}, {x.dtype!r})")


# ---- order and effects ---------------------------------------------------------------------------


def after_others(w: EagerWriter) -> None:
    """The next value comes after other operations."""
    some = [str(w.one_of(w.program.values).name) for _ in range(int(w.rng.integers(1, 3)))]
    w.after = [f"{name}.op" if w.chance(0.5) else name for name in some]
    x = picked(w, least=0)
    w.let(worked(w, x.name, x.dtype))


EFFECTFUL = ("seen", "seen", "seen_each", "put", "got", "got")


def effect(w: EagerWriter) -> None:
    """An operation with an effect: used, fetched, run as a target, or waited for."""
    x = picked(w, least=0)
    if int(np.prod(x.shape)) > 10_000:
        raise GiveUp
    if w.chance(0.3):
        w.after = [str(w.one_of(w.program.values).name)]
    noted = w.let(f"ops.{w.one_of(EFFECTFUL)}({x.name}, {w.tag()})")
    if w.chance(0.3):
        w.targets.append(noted.name)
    if w.chance(0.3):
        w.after = [noted.name]
        y = picked(w, least=0)
        w.let(worked(w, y.name, y.dtype))


SHARING = (
    "same({}, 0)", "turned({}, 0)", "declared({}, 0)", "fresh({}, 0)", "keeping({}, 0)", "own({}, 0)", "own({}, 0)",
    "counted({}, 0)", "second({}, {})", "swapped({}, {})",
)  # fmt: skip


def sharing(w: EagerWriter) -> None:
    """An op whose result is its operand, a view of it, or an array that the op keeps; then an update of the result."""
    x = picked(w) if w.chance(0.5) else whole(w)
    if int(np.prod(x.shape)) > 10_000:
        raise GiveUp
    form = str(w.one_of(SHARING))
    if form.startswith("swapped"):
        pair = w.name()
        w.line(f"{pair} = ops.{form.replace('{}', x.name)}")
        y, _ = w.let(f"{pair}[0]"), w.let(f"{pair}[1]")
    elif form.startswith("second"):
        other = w.pick((x.dtype,)) or x
        y = w.let(f"ops.second({other.name}, {x.name})")
    else:
        y = w.let("ops." + form.replace("{}", x.name))
    if w.chance(0.5):
        updated(w, y)
    if w.chance(0.5):
        w.let(worked(w, x.name, x.dtype))
    if w.chance(0.5):
        w.let(worked(w, y.name, y.dtype))


# ---- failures ------------------------------------------------------------------------------------


def fails(w: EagerWriter) -> None:
    """A line that fails in the run, for what is fed."""
    x = picked(w, (*ADDED, *FLOATS, "string"))
    rows = x.shape[0]
    k = w.fed(np.array(rows + int(w.rng.integers(1, 4)), "i4"))
    zero = w.fed(np.zeros((), "i4"))
    w.let(w.one_of(FAILING).format(x=x.name, k=k, zero=zero, rows=rows))


FAILING = (
    "tf.gather({x}, {k})", "tf.gather({x}, {zero} - 1)", "{k} * 2 // {zero}", "({zero} * 2 // {zero}) + {k}",
    "tf.floormod({k}, {zero})", "tf.expand_dims({x}, {k} + 5)", "tf.concat({k} + 3, [{x}, {x}])",
    "tf.reshape({x}, [{k} + 100000, 7])", "tf.dynamic_partition({x}, tf.fill([{rows}], {k} + 9), 2)[0]",
    "tf.dynamic_partition({x}, tf.fill([{rows}], -{k}), 2)[1]", "tf.dynamic_partition({x}, [{k}, {k}] * {rows}, 2)[0]",
    "tf.tensor_scatter_nd_update({x}, [[{k}]], {x}[:1])", "tf.slice(tf.reshape({x}, [-1]), [{k} * 100], [1])",
    "tf.scatter_nd([[{k} + 1]], [1.0], [2])", "ops.small({k} + 5, 2)", "tf.transpose(tf.reshape({x}, [-1]), [{k}])",
    "tf.reverse_sequence(tf.expand_dims({x}, 0), [{k} + 1], 1)", "tf.unpack(tf.reshape([1, 2, 3], [{k}, -1]), 2)[0]",
    "tf.reshape([4, 5], [{k} + 2])", "tf.expand_dims(5, {k} + 2)", "tf.concat({k} + 1, [[4], [5]])",
    "tf.squeeze(tf.zeros([{k} + 1, 2]), [0])", "tf.fill([-{k}], 1)", "tf.range({k}, {k} + 1, {zero})",
)  # fmt: skip
"""Expressions of the int32 scalars k (more than the rows of x) and zero, and of the value x."""


def checked(w: EagerWriter) -> None:
    """A check that passes, as an assertion does: its result is its operand."""
    x = picked(w, ("float32", "int32"))
    if w.extended:
        w.let(f"ops.small(tf.clip_by_value({x.name}, 0, 5), 9)")
    if len(x.shape) == 1:  # else the result would have the product of the sizes of both
        w.let(f"tf.gather({x.name}, tf.clip_by_value(tf.cast({x.name}, tf.int32), 0, 0))")
