"""Random arguments for the ops that move, gather, scatter, reduce, sort and multiply: shapes, dtypes, and mistakes.

A case is the arguments of an op's kernel: arrays for operands, lists of them, values of attributes. One in some has an
index, an axis or a shape that does not fit, so that what the page says can be compared with Python's words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from penstock.graph.shapes.dtypes import DType, as_dtype
from penstock.ops.move.getitem import Index, Span

Rng: TypeAlias = np.random.Generator
Args: TypeAlias = list[Any]
CASES: dict[str, Callable[[Rng], Args]] = {}
"""Op type -> what makes arguments for it."""

REALS = "uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64"
NUMBERS = f"{REALS} complex64 complex128"
NO_STRINGS = f"bool {NUMBERS}"
ANY = f"{NO_STRINGS} string"
FACTORS = "int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
WRONG = 0.12
"""How often an argument does not fit."""


def cases_of(*types: str) -> Callable[[Callable[[Rng], Args]], Callable[[Rng], Args]]:
    """The decorated function makes the arguments of these ops."""

    def keep(function: Callable[[Rng], Args]) -> Callable[[Rng], Args]:
        CASES.update(dict.fromkeys(types, function))
        return function

    return keep


# ---- values -------------------------------------------------------------------------------------


def dtype_in(rng: Rng, names: str = ANY) -> DType:
    """One dtype out of a list of names."""
    return as_dtype(str(rng.choice(names.split())))


def values(rng: Rng, shape: Sequence[int], dtype: DType, special: bool = True) -> Any:
    """Elements of a dtype, with NaN, -0 and the ends of the range among them where `special`."""
    shape = tuple(shape)
    if dtype.is_string:
        made = np.empty(shape, object)
        made.reshape(-1)[:] = [b"abcdefgh\xff\x00"[i : i + 2] for i in rng.integers(0, 9, made.size)]
        return made
    if dtype.is_bool:
        return rng.integers(0, 2, shape).astype(bool)
    small = rng.integers(-4, 5, shape) if special else rng.integers(1, 5, shape)
    if dtype.is_integer:
        made = np.abs(small).astype(dtype.np) if dtype.np.kind == "u" else small.astype(dtype.np)
        extremes: Sequence[Any] = (dtype.min, dtype.max)
    else:
        made = np.asarray(small + rng.integers(0, 10, shape) / 10).astype(dtype.np)  # sums are rounded
        if dtype.is_complex:
            made = (made + 1j * rng.integers(-3, 4, shape)).astype(dtype.np)
        extremes = (np.nan, -0.0, np.inf, -np.inf)
    if special and made.size and rng.random() < 0.4:
        made = np.asarray(made)
        made.reshape(-1)[rng.integers(0, made.size)] = rng.choice(np.array(extremes, made.dtype))
    return np.asarray(made, dtype.np)


def some_shape(rng: Rng, least: int = 0, most: int = 4) -> list[int]:
    """Sizes of 0 to 4, mostly 1 to 3."""
    rank = rng.integers(least, most + 1)
    return [int(size) for size in rng.choice(5, rank, p=[0.06, 0.24, 0.3, 0.3, 0.1])]


def wrong(rng: Rng) -> bool:
    """Whether this argument shall not fit."""
    return bool(rng.random() < WRONG)


def ints(rng: Rng, low: int, high: int, shape: Sequence[int] | int = (), dtype: str = "", far: bool = False) -> Any:
    """Ints in [low, high), some of them outside where that is to go wrong; with `far` also the ends of the dtype."""
    sizes = [shape] if isinstance(shape, int) else shape
    chosen = np.dtype(dtype or str(rng.choice(["int32", "int64"])))
    made = np.array(rng.integers(low, max(high, low + 1), sizes), chosen)
    if made.size and wrong(rng):
        ends = np.iinfo(chosen)
        bad = int(rng.choice([low - 1, high, high + 1, *([ends.min, ends.max] if far else [])]))
        made.reshape(-1)[rng.integers(0, made.size)] = max(bad, ends.min)
    return made


def places(rng: Rng, low: int, high: int, shape: Sequence[int] | int = (), dtype: str = "") -> Any:
    """Ints that name a place: where one goes wrong it may be as far off as the dtype allows."""
    return ints(rng, low, high, shape, dtype, far=True)


def vector(numbers: Sequence[int], rng: Rng) -> Any:
    """The numbers as int32 or int64."""
    return np.array(list(numbers), rng.choice(["int32", "int64"]))


def any_tensor(rng: Rng, least: int = 0, most: int = 4, names: str = ANY) -> Any:
    """A tensor of any shape and dtype."""
    return values(rng, some_shape(rng, least, most), dtype_in(rng, names))


def bumped(sizes: Sequence[int], rng: Rng) -> list[int]:
    """The sizes, one of them changed where that is to go wrong."""
    made = list(sizes)
    if made and wrong(rng):
        at = int(rng.integers(0, len(made)))
        made[at] = max(made[at] + int(rng.choice([-1, 1, 2])), 0)
    return made


# ---- shapes and axes ----------------------------------------------------------------------------


@cases_of("Reshape")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    sizes = [int(n) for n in rng.permutation([*x.shape, 1])]
    if sizes and rng.random() < 0.5:
        sizes[int(rng.integers(0, len(sizes)))] = -1
    return [x, vector(bumped(sizes, rng), rng)]


@cases_of("Squeeze")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    ones = [d - (x.ndim if rng.random() < 0.5 else 0) for d, n in enumerate(x.shape) if n == 1]
    dims = [d for d in ones if rng.random() < 0.7]
    return [x, None if rng.random() < 0.3 else tuple([*dims, int(rng.integers(-5, 5))] if wrong(rng) else dims)]


@cases_of("ExpandDims")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    return [x, places(rng, -1 - x.ndim, x.ndim + 1, (1,) if rng.random() < 0.2 else ())]


@cases_of("Transpose")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    perm = [int(d) - (x.ndim if rng.random() < 0.2 else 0) for d in rng.permutation(x.ndim)]
    return [x, None if rng.random() < 0.2 else vector(bumped(perm, rng), rng)]


@cases_of("Reverse")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    return [x, rng.integers(0, 2, x.ndim + int(wrong(rng))).astype(bool)]


@cases_of("ReverseSequence")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 2)
    axis = int(rng.integers(1, x.ndim)) if not wrong(rng) else int(rng.integers(-1, x.ndim + 1))
    most = x.shape[axis] if 0 <= axis < x.ndim else 2
    return [x, places(rng, 0, most + 1, x.shape[0] + int(wrong(rng))), axis]


@cases_of("Roll")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1)
    shape = () if rng.random() < 0.5 else (int(rng.integers(0, 4)),)
    return [x, vector_or_scalar(rng, -7, 8, shape), places(rng, -x.ndim, x.ndim, shape)]


def vector_or_scalar(rng: Rng, low: int, high: int, shape: Sequence[int]) -> Any:
    """Ints that always fit."""
    return np.asarray(rng.integers(low, high, shape), "int32")


@cases_of("Slice")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    begin = [int(rng.integers(0, n + 1)) for n in x.shape]
    size = [-1 if rng.random() < 0.3 else int(rng.integers(0, n - b + 1)) for n, b in zip(x.shape, begin, strict=True)]
    return [x, vector(bumped(begin, rng), rng), vector(bumped(size, rng), rng)]


@cases_of("Split")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1)
    axis = places(rng, -x.ndim, x.ndim, (), "int32")
    parts = [n for n in (1, 2, 3, 4) if wrong(rng) or x.shape[int(axis) % x.ndim] % n == 0]
    return [axis, int(rng.choice(parts or [1])), x]


@cases_of("SplitV")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1)
    axis = int(rng.integers(-x.ndim, x.ndim))
    ends = np.sort(rng.integers(0, x.shape[axis] + 1, rng.integers(0, 4)))
    sizes = np.diff([0, *ends, x.shape[axis]])
    if rng.random() < 0.4:
        sizes[rng.integers(0, len(sizes))] = -1
    return [x, vector(bumped(sizes.tolist(), rng), rng), np.array(axis, "int32"), len(sizes) + int(wrong(rng))]


@cases_of("Unpack")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 0 if wrong(rng) else 1)
    return [x, None if rng.random() < 0.5 or not x.ndim else x.shape[0] + int(wrong(rng))]


@cases_of("StridedSlice")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    return [x, any_index(rng, x.shape), ()]


@cases_of("StridedSliceGrad")
def _(rng: Rng) -> Args:
    shape = some_shape(rng)
    index = any_index(rng, shape)
    return [vector(shape, rng), values(rng, indexed_shape(shape, index), dtype_in(rng, NUMBERS)), index, ()]


@cases_of("ReplaceSlice")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    index = any_index(rng, x.shape)
    return [x, values(rng, indexed_shape(x.shape, index), dtype_in(rng, dtype_name(x))), index, ()]


def dtype_name(x: Any) -> str:
    """The name of an array's dtype."""
    return "string" if x.dtype == object else str(x.dtype)


def indexed_shape(shape: Sequence[int], index: Index) -> Sequence[int]:
    """The shape of an array at an index; any where it does not fit."""
    try:
        found: Sequence[int] = np.zeros(shape)[index.filled(())].shape
    except (IndexError, ValueError):
        return [1]
    return found


def any_index(rng: Rng, shape: Sequence[int]) -> Index:
    """Ints, spans, `...` and newaxis."""
    items: list[Any] = []
    for size in shape:
        kind = rng.random()
        if kind < 0.35 and size:
            items.append(int(rng.integers(-size, size)) + (size if wrong(rng) else 0))
        elif kind < 0.85:
            start, stop = (None if rng.random() < 0.4 else int(rng.integers(-size - 2, size + 3)) for _ in range(2))
            step = int(rng.choice([-3, -2, -1, 1, 2, 3])) if rng.random() < 0.96 else 0
            items.append(Span(start, stop, None if rng.random() < 0.5 else step))
        elif ... not in items:
            items.append(...)
        if rng.random() < 0.15:
            items.append(None)
    cut = len(items) if rng.random() < 0.7 else int(rng.integers(0, len(items) + 1))
    return Index((*items[:cut], *([0] if wrong(rng) else [])))


@cases_of("Concat")
def _(rng: Rng) -> Args:
    shape, dtype = some_shape(rng, 1), dtype_in(rng)
    axis = int(rng.integers(0, len(shape)))
    sizes = [[*shape[:axis], int(size), *shape[axis + 1 :]] for size in rng.integers(0, 4, rng.integers(2, 5))]
    parts = [values(rng, each, dtype) for each in sizes]
    if wrong(rng):
        parts[-1] = values(rng, some_shape(rng), dtype)
    at = places(rng, -len(shape), len(shape)) if wrong(rng) else vector([axis - len(shape)], rng).reshape(())
    return [at, parts]


@cases_of("Pack", "Stack")
def _(rng: Rng) -> Args:
    shape, dtype = some_shape(rng, 0, 3), dtype_in(rng)
    parts = [values(rng, shape, dtype) for _ in range(rng.integers(1, 4))]
    if wrong(rng):
        parts[-1] = values(rng, some_shape(rng), dtype)
    return [parts, int(rng.integers(-len(shape) - 1, len(shape) + 1 + int(wrong(rng))))]


@cases_of("Tile")
def _(rng: Rng) -> Args:
    x = any_tensor(rng)
    return [x, ints(rng, 0, 4, x.ndim + int(wrong(rng)))]


@cases_of("Pad")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 0, 3)
    return [x, ints(rng, 0, 3, (x.ndim + int(wrong(rng)), 2))]


@cases_of("BroadcastTo")
def _(rng: Rng) -> Args:
    shape = some_shape(rng)
    given = [1 if rng.random() < 0.4 else n for n in shape[int(rng.integers(0, len(shape) + 1)) :]]
    return [values(rng, given, dtype_in(rng)), vector(bumped(shape, rng), rng)]


@cases_of("Diag")
def _(rng: Rng) -> Args:
    return [any_tensor(rng, 0 if wrong(rng) else 1, 2, FACTORS)]


@cases_of("DiagPart")
def _(rng: Rng) -> Args:
    half = some_shape(rng, 1, 2)
    shape = bumped([*half, *half], rng) if min(half) > 0 else [*half, *half]
    return [values(rng, shape, dtype_in(rng, FACTORS))]


# ---- gathering ----------------------------------------------------------------------------------


@cases_of("Gather")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 0 if wrong(rng) else 1)
    return [x, places(rng, 0, x.shape[0] if x.ndim else 1, some_shape(rng, 0, 2))]


@cases_of("GatherNd")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1)
    depth = int(rng.integers(0, x.ndim + 1 + int(wrong(rng))))
    return [x, places(rng, 0, max(min([*x.shape[:depth], 3]), 1), [*some_shape(rng, 0, 2), depth])]


@cases_of("BooleanMask")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1)
    axis = int(rng.integers(0, x.ndim))
    covered = x.shape[axis : axis + int(rng.integers(1, 3))]
    mask = values(rng, bumped_up(covered, rng), dtype_in(rng, "bool int32 float32 complex64"))
    at = np.array(axis - (x.ndim if rng.random() < 0.3 else 0), "int32")
    return [x, mask, None if axis == 0 and rng.random() < 0.5 else at]


def bumped_up(sizes: Sequence[int], rng: Rng) -> list[int]:
    """The sizes, the first one larger where that is to go wrong."""
    return [sizes[0] + 1, *sizes[1:]] if sizes and wrong(rng) else list(sizes)


@cases_of("Where")
def _(rng: Rng) -> Args:
    return [any_tensor(rng, 0 if wrong(rng) else 1, 3, NO_STRINGS)]


@cases_of("Multiplex")
def _(rng: Rng) -> Args:
    shape, dtype = some_shape(rng, 2, 3), dtype_in(rng, "float32 float64 int32 int64 complex64 complex128")
    inputs = [values(rng, shape, dtype) for _ in range(rng.integers(1, 4))]
    return [inputs, places(rng, 0, len(inputs), (int(rng.integers(0, shape[0] + 1 + int(wrong(rng)))), 1))]


@cases_of("OneHot")
def _(rng: Rng) -> Args:
    indices = ints(rng, -2, 4, some_shape(rng, 0, 3), str(rng.choice(["int8", "int32", "int64"])))
    dtype = dtype_in(rng)
    on, off = values(rng, (), dtype), values(rng, (), dtype)
    axis = int(rng.integers(-1, indices.ndim + 1 + int(wrong(rng))))
    return [indices, ints(rng, 0, 4, (), "int32"), on, off, axis, dtype]


# ---- partitions, scatters, segments -------------------------------------------------------------


@cases_of("DynamicPartition", "CheckPartitions")
def _(rng: Rng) -> Args:
    x, count = any_tensor(rng), int(rng.integers(1, 12 if rng.random() < 0.2 else 4))
    return [x, places(rng, 0, count, bumped_up(x.shape[: int(rng.integers(0, x.ndim + 1))], rng), "int32"), count]


@cases_of("DynamicStitch", "ParallelDynamicStitch")
def _(rng: Rng) -> Args:
    rest, dtype = some_shape(rng, 0, 2), dtype_in(rng)
    indices = [ints(rng, 0, 6, some_shape(rng, 0, 2), "int32") for _ in range(rng.integers(1, 4))]
    data = [values(rng, bumped_up([*index.shape, *rest], rng), dtype) for index in indices]
    return [indices, data]


def index_vectors(rng: Rng, shape: Sequence[int]) -> tuple[Any, list[int]]:
    """Index vectors into an array of that shape, and the shape of their updates."""
    depth, batch = int(rng.integers(0, len(shape) + 1)), some_shape(rng, 1, 2)
    columns = [places(rng, 0, max(shape[k], 1), batch, "int64") for k in range(depth)]
    made = np.stack(columns, -1) if depth else np.zeros([*batch, 0], np.int64)
    return made.astype(rng.choice(["int32", "int64"])), [*batch, *shape[depth:]]


@cases_of("TensorScatterUpdate")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1, 3)
    indices, shape = index_vectors(rng, x.shape)
    return [x, indices, values(rng, bumped_up(shape, rng), dtype_in(rng, dtype_name(x)))]


@cases_of("ScatterNd")
def _(rng: Rng) -> Args:
    shape = some_shape(rng, 1, 3)
    indices, sizes = index_vectors(rng, shape)
    return [indices, values(rng, bumped_up(sizes, rng), dtype_in(rng)), np.array(shape, indices.dtype)]


@cases_of("CombineRows")
def _(rng: Rng) -> Args:
    how = str(rng.choice(["update", "add", "sub", "mul", "div", "min", "max"]))
    x = any_tensor(rng, 1, 3, ANY if how == "update" else "int32 uint8 int64 float16 bfloat16 float32 float64")
    vectors = how in ("update", "add", "sub") and rng.random() < 0.5
    if vectors:
        indices, shape = index_vectors(rng, x.shape)
    else:
        indices = places(rng, 0, max(x.shape[0], 1), some_shape(rng, 0, 2))
        shape = [*indices.shape, *x.shape[1:]]
    sizes = [] if rng.random() < 0.2 else bumped_up(shape, rng)
    updates = values(rng, sizes, dtype_in(rng, dtype_name(x)))
    if how == "div" and x.dtype.kind == "i" and updates.size:
        updates = np.where(updates == np.iinfo(x.dtype).min, 1, updates)
        x = np.maximum(x, np.iinfo(x.dtype).min + 1)
    if how in ("min", "max"):
        x, updates = with_one_zero(x), with_one_zero(updates)
    return [x, indices, updates, how, vectors]


@cases_of("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin")
def _(rng: Rng) -> Args:
    shape = [int(rng.integers(0, 40)) if rng.random() < 0.2 else 3, *some_shape(rng, 0, 2)]
    ids = np.sort(rng.integers(0, 5, shape[0]))
    if ids.size and wrong(rng):
        ids[rng.integers(0, ids.size)] = rng.choice([-1, 0])
    return [with_one_zero(values(rng, shape, dtype_in(rng, REALS))), vector(ids.tolist(), rng)]


@cases_of("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin")
def _(rng: Rng) -> Args:
    x, count = any_tensor(rng, 0, 3, REALS), int(rng.integers(0, 5))
    ids = places(rng, -1, max(count, 1), bumped_up(x.shape[: int(rng.integers(0, x.ndim + 1))], rng))
    return [with_one_zero(x), ids, np.array(-1 if wrong(rng) else count, "int32")]


def with_one_zero(x: Any) -> Any:
    """The array without -0: which of two zeros is the larger one depends on NumPy's instructions for the processor."""
    return np.where(x == 0, x.dtype.type(0), x).astype(x.dtype)


# ---- reductions ---------------------------------------------------------------------------------


def reduction(rng: Rng, names: str) -> Args:
    """An operand, axes, and whether they are kept."""
    shape = some_shape(rng)
    is_long = bool(shape) and rng.random() < 0.25
    if is_long:  # the order of a sum shows in its last bits
        shape[int(rng.integers(0, len(shape)))] = int(rng.integers(8, 280))
    x = values(rng, shape, dtype_in(rng, names), not is_long)
    chosen = [d - (x.ndim if rng.random() < 0.3 else 0) for d in range(x.ndim) if rng.random() < 0.5]
    axis = None if rng.random() < 0.25 else vector(bumped(chosen, rng), rng)
    return [x, axis, bool(rng.integers(0, 2))]


@cases_of("Sum", "Mean", "Prod")
def _(rng: Rng) -> Args:
    return reduction(rng, NUMBERS)


@cases_of("Max", "Min")
def _(rng: Rng) -> Args:
    x, axis, keepdims = reduction(rng, REALS)
    return [with_one_zero(x), axis, keepdims]


@cases_of("Any", "All")
def _(rng: Rng) -> Args:
    return reduction(rng, "bool")


@cases_of("ArgMax", "ArgMin")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1, 3, f"bool {REALS}")
    return [x, places(rng, -x.ndim, x.ndim), dtype_in(rng, "int32 int64")]


@cases_of("Cumsum", "Cumprod")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1, 3, NUMBERS)
    return [x, places(rng, -x.ndim, x.ndim), bool(rng.integers(0, 2)), bool(rng.integers(0, 2))]


# ---- products -----------------------------------------------------------------------------------



@cases_of("MatMul")
def _(rng: Rng) -> Args:
    rows, inner, columns = rng.integers(0 if rng.random() < 0.1 else 1, 5, 3).tolist()
    batch = some_shape(rng, 0, 2)
    flips = [[False, False], [True, False], [False, True]]
    (turn_a, adjoint_a), (turn_b, adjoint_b) = (flips[int(rng.integers(0, 3))] for _ in range(2))
    dtype = dtype_in(rng, str(rng.choice([FACTORS, "uint8 uint64"])))
    a = [rows, inner][:: -1 if turn_a or adjoint_a else 1]
    b = bumped_up([inner, columns], rng)[:: -1 if turn_b or adjoint_b else 1]
    left = [1 if rng.random() < 0.3 else n for n in batch[int(rng.integers(0, len(batch) + 1)) :]]
    whole = [values(rng, [*lead, *sizes], dtype, dtype.is_integer) for lead, sizes in ((left, a), (batch, b))]
    return [*whole, turn_a, turn_b, adjoint_a, adjoint_b, False, False]


_EQUATIONS = (
    "ij,jk->ik", "ij->ji", "ii->i", "ij->", "i,j->ij", "bij,bjk->bik", "...ij,jk->...ik", "ij,ij->", "iij,j->i",
    "...i->...", "ij,kj->ki",
)  # fmt: skip


@cases_of("Einsum")
def _(rng: Rng) -> Args:
    equation = str(rng.choice(_EQUATIONS))
    sizes = {letter: int(rng.integers(0 if rng.random() < 0.1 else 1, 4)) for letter in "ijkb"}
    more = some_shape(rng, 0, 2)
    dtype = dtype_in(rng, FACTORS)
    inputs = []
    for term in equation.split("->")[0].split(","):
        shape = [*(more if "..." in term else []), *[sizes[letter] for letter in term.replace(".", "")]]
        inputs.append(values(rng, bumped_up(shape, rng), dtype, dtype.is_integer))
    return [inputs, equation]


@cases_of("Cross")
def _(rng: Rng) -> Args:
    shape, dtype = [*some_shape(rng, 0, 2), 3 + int(wrong(rng))], dtype_in(rng, REALS)
    return [values(rng, shape, dtype), values(rng, shape, dtype)]


# ---- sorting ------------------------------------------------------------------------------------


@cases_of("Sort", "ArgSort")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 1, 3, REALS)
    axis = int(rng.integers(-x.ndim, x.ndim + int(wrong(rng))))
    return [x, axis, str(rng.choice(["ASCENDING", "DESCENDING"])), True]


@cases_of("TopKV2")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 0 if wrong(rng) else 1, 3, REALS)
    return [x, places(rng, 0, x.shape[-1] + 1 if x.ndim else 2), True]


@cases_of("InTopKV2")
def _(rng: Rng) -> Args:
    scores = values(rng, some_shape(rng, 2, 2), as_dtype("float32"))
    targets = places(rng, 0, max(scores.shape[1], 1), scores.shape[0] + int(wrong(rng)), "int32")
    return [scores, targets, ints(rng, 1, 4, (), "int32")]


@cases_of("Unique")
def _(rng: Rng) -> Args:
    dtype = dtype_in(rng, f"bool {REALS} string")
    shape = [int(rng.integers(0, 12))] + [2] * wrong(rng)
    return [values(rng, shape, dtype), dtype_in(rng, "int32 int64")]


@cases_of("SearchSorted")
def _(rng: Rng) -> Args:
    rows, dtype = some_shape(rng, 0, 2), dtype_in(rng, REALS)
    table = np.sort(values(rng, [*rows, int(rng.integers(0, 9))], dtype).astype(dtype.np), axis=-1)
    side = str(rng.choice(["left", "right"]))
    return [table, values(rng, [*bumped_up(rows, rng), int(rng.integers(0, 5))], dtype), side, as_dtype("int64")]


@cases_of("HistogramFixedWidth")
def _(rng: Rng) -> Args:
    dtype = dtype_in(rng, "int32 int64 float32 float64")
    x = values(rng, some_shape(rng, 0, 2), dtype)
    ends = np.array([int(rng.integers(-3, 3)), int(rng.integers(2 if not wrong(rng) else -3, 5))], dtype.np)
    return [np.nan_to_num(x) if rng.random() < 0.8 else x, ends, ints(rng, 1, 6, (), "int32"), as_dtype("int32")]


# ---- filling ------------------------------------------------------------------------------------


@cases_of("Fill")
def _(rng: Rng) -> Args:
    return [ints(rng, 0, 4, int(rng.integers(0, 4))), values(rng, [2] * wrong(rng), dtype_in(rng))]


@cases_of("ZerosLike", "OnesLike")
def _(rng: Rng) -> Args:
    return [any_tensor(rng, names=NO_STRINGS), None if rng.random() < 0.5 else dtype_in(rng, NO_STRINGS)]


@cases_of("Shape", "Size", "Rank")
def _(rng: Rng) -> Args:
    return [any_tensor(rng)]


@cases_of("BroadcastGradientArgs")
def _(rng: Rng) -> Args:
    shape = some_shape(rng)
    other = [1 if rng.random() < 0.4 else n for n in shape[int(rng.integers(0, len(shape) + 1)) :]]
    return [np.array(shape, "int32"), np.array(bumped_up(other, rng), "int32")]


@cases_of("Range")
def _(rng: Rng) -> Args:
    dtype = dtype_in(rng, "int32 int64 bfloat16 float32 float64")
    step = float(rng.choice([1, 2, 3, -1, -2])) if dtype.is_integer else float(rng.choice([1, 0.1, 0.3, -0.7, 2.5]))
    start = float(rng.integers(-5, 6))
    way = float(rng.integers(-1 if wrong(rng) else 0, 9)) * np.sign(step)
    bounds = (start, start + way, 0.0 if wrong(rng) else step)
    return [*[np.array(bound).astype(dtype.np) for bound in bounds], dtype]


@cases_of("LinSpace")
def _(rng: Rng) -> Args:
    dtype, shape = dtype_in(rng, "float16 bfloat16 float32 float64"), some_shape(rng, 0, 2)
    return [values(rng, shape, dtype, False), values(rng, bumped_up(shape, rng), dtype, False), ints(rng, 0, 7)]


# ---- softmaxes ----------------------------------------------------------------------------------

_FLOATS = "float16 bfloat16 float32 float64"


@cases_of("Softmax", "LogSoftmax")
def _(rng: Rng) -> Args:
    x = any_tensor(rng, 0 if wrong(rng) else 1, 3, _FLOATS)
    return [x, int(rng.integers(-x.ndim, x.ndim + int(wrong(rng)))) if x.ndim else -1]


@cases_of("SoftmaxCrossEntropyWithLogits")
def _(rng: Rng) -> Args:
    shape, dtype = some_shape(rng, 2, 2), dtype_in(rng, _FLOATS)
    labels = [1 if rng.random() < 0.2 else size for size in bumped_up(shape, rng)]
    return [values(rng, shape, dtype, False), values(rng, labels, dtype, False)]


@cases_of("SparseSoftmaxCrossEntropyWithLogits")
def _(rng: Rng) -> Args:
    shape = some_shape(rng, 2, 2)
    labels = ints(rng, 0, max(shape[1], 1), bumped_up(shape[:1], rng))
    return [values(rng, shape, dtype_in(rng, _FLOATS), False), labels]


# ---- convolutions -------------------------------------------------------------------------------


def convolution(rng: Rng, rank: int, is_depthwise: bool) -> tuple[Args, Args, Args]:
    """Input, filter and output of a convolution; their shapes; its attributes."""
    is_first, dtype = bool(rng.random() < 0.3), dtype_in(rng, _FLOATS)

    def ints_of(low: int, high: int) -> list[int]:
        return [int(n) for n in rng.integers(low, high, rank)]

    def spread(spatial: list[int], one: list[int]) -> list[int]:
        return one * 2 + spatial if is_first else one + spatial + one

    def shape(spatial: list[int], last: int) -> list[int]:
        return [batch, last, *spatial] if is_first else [batch, *spatial, last]

    sizes, window, strides, rates = ints_of(0 if wrong(rng) else 2, 5), ints_of(1, 4), ints_of(1, 4), ints_of(1, 3)
    depth, width, batch = int(rng.integers(1, 3)), int(rng.integers(0 if wrong(rng) else 1, 3)), int(rng.integers(0, 3))
    groups = 1 if is_depthwise or rng.random() < 0.7 else 2
    channels = depth * groups + int(wrong(rng))
    padding = str(rng.choice(["SAME", "VALID"] if rank == 3 else ["SAME", "VALID", "EXPLICIT"]))
    pads = [int(n) for n in rng.integers(0, 3, 2 * rank)] if padding == "EXPLICIT" else [0] * (2 * rank)
    positions = [
        -(-n // s) if padding == "SAME" else max(0, (n + pads[2 * i] + pads[2 * i + 1] - (k - 1) * r - 1) // s + 1)
        for i, (n, k, s, r) in enumerate(zip(sizes, window, strides, rates, strict=True))
    ]
    filters = channels * width if is_depthwise else width * groups
    shapes = [shape(sizes, channels), [*window, depth, width if is_depthwise else width * groups],
              bumped(shape(positions, filters), rng)]  # fmt: skip
    explicit = () if padding != "EXPLICIT" else tuple(spread(pads, [0, 0]))
    layout = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[rank][is_first]
    steps, apart = tuple(spread(strides, [1])), tuple(spread(rates, [1]))
    attrs = [steps, padding, *([explicit] if rank == 2 else []), layout, apart]
    arrays = [values(rng, [max(size, 0) for size in each], dtype, False) for each in shapes]
    return arrays, shapes, attrs


def _arguments(role: str, rank: int, is_depthwise: bool) -> Callable[[Rng], Args]:
    def make(rng: Rng) -> Args:
        (x, w, dy), (x_shape, w_shape, _), attrs = convolution(rng, rank, is_depthwise)
        if role == "forward":
            return [x, w, *attrs]
        if role == "input":
            return [np.array(x_shape, "int32"), w, dy, *attrs]
        return [x, np.array(w_shape, "int32"), dy, *attrs]

    return make


for _name, _rank, _is_depthwise in (("Conv2D", 2, False), ("Conv3D", 3, False), ("DepthwiseConv2dNative", 2, True)):
    _ending = "V2" if _rank == 3 else ""
    CASES[_name] = _arguments("forward", _rank, _is_depthwise)
    CASES[f"{_name}BackpropInput{_ending}"] = _arguments("input", _rank, _is_depthwise)
    CASES[f"{_name}BackpropFilter{_ending}"] = _arguments("filter", _rank, _is_depthwise)


# ---- strings ------------------------------------------------------------------------------------

_NUMBERS = (
    "1.5", " -2 ", "\t+7\n", ".5", "5.", "1e3", "1E-3", "inf", "-Infinity", "NaN", "nan(ab_1)", "0x10", "0x1.8p1",
    "-0x.8p-3", "007", "16777217", "16777219", "9007199254740993", "1e39", "-1e400", "1e-46", "7.006492321624086e-46",
    "1e-400", "0x1p1024", "0x1.0000010000000000000001p0", "1.000000059604644775390625", "-0.0", "2147483648",
    "1.00000005960464477539062500001", "9223372036854775808", "-9223372036854775808", "0x1p-1075", "0x1.8p-1074",
    "3.4028235677973366e38", "1.1754943508222875e-38",
)  # fmt: skip
_NO_NUMBERS = (
    "", " ", "1,000", "1_000", "1.0f", "+-1", "1 2", "1\x00", "0x", "0x.p1", "e5", ".", "nan(", "\xa01", "infin", "1e",
)  # fmt: skip


@cases_of("StringToNumber")
def _(rng: Rng) -> Args:
    dtype = dtype_in(rng, "float32 float64 int32 int64")
    texts = np.empty(some_shape(rng, 0, 2), object)
    for i in range(texts.size):
        text = str(rng.choice(_NUMBERS)) if rng.random() < 0.5 else str(rng.integers(-(10**6), 10**6))
        if dtype.is_floating and rng.random() < 0.3:
            text = repr(float(rng.standard_normal() * 10.0 ** int(rng.integers(-50, 45))))
        texts.reshape(-1)[i] = text.encode("latin-1")
    if texts.size and wrong(rng):
        texts.reshape(-1)[rng.integers(0, texts.size)] = str(rng.choice(_NO_NUMBERS)).encode("latin-1")
    return [texts, dtype]


@cases_of("StringJoin")
def _(rng: Rng) -> Args:
    shape, dtype = some_shape(rng, 0, 2), as_dtype("string")
    shapes = [[] if rng.random() < 0.3 else bumped_up(shape, rng) for _ in range(rng.integers(1, 4))]
    inputs = [values(rng, each, dtype) for each in shapes]
    return [inputs, bytes(rng.choice([b"", b"-", b"\xff"]))]


@cases_of("StringSplit")
def _(rng: Rng) -> Args:
    texts = np.empty(int(rng.integers(0, 4)), object)
    texts[:] = [b"".join(rng.choice([b"a", b"b", b" ", b",", b"\xe9"], rng.integers(0, 6))) for _ in texts]
    delimiter = np.array(bytes(rng.choice([b" ", b",", b" ,", b""])), object)
    return [texts.reshape(-1, 1) if wrong(rng) else texts, delimiter, bool(rng.integers(0, 2))]
