"""Cases for every function of `runtime/cuda` that launches kernels: arrays for it, and what NumPy gives.

`CASES` has a function for each, by its name. It takes the array module, random numbers, a dtype and a size, and yields
what the GPU gave with what it must give. The arrays are laid out at random: every second element, backwards, turned,
behind the grid of 16 bytes. `test_launches` runs them, with every load and store watched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from penstock.graph.shapes.dtypes import as_dtype
from penstock.runtime.cuda import join_kernels, nest_launch, partition_kernel, row_kernels, strided_moves

from .random_nests import laid_out

Pair: TypeAlias = tuple[Any, Any]
Case: TypeAlias = Callable[[Any, np.random.Generator, str, int], Iterator[Pair]]
DTYPES: Final = ("bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32",
                 "int64", "uint64", "float64", "complex64", "complex128")  # fmt: skip
ADDED: Final = ("int32", "uint32", "float32", "int64", "uint64", "float64")
"""The dtypes that a GPU adds at once."""
SIZES: Final = (0, 1, 7, 300, 1025)
"""No elements, one, an odd number, more than a block has threads, more than a grid has where it is one block."""


def numbers(rng: np.random.Generator, dtype: str, *shape: int) -> Any:
    """Random numbers in a random layout."""
    return laid_out(rng, (rng.random(shape) * 90).astype(as_dtype(dtype).np))


def inner(rng: np.random.Generator) -> tuple[int, ...]:
    """The shape of a row: a number, a few odd or even ones, a long one."""
    return ((), (3,), (4,), (2, 8), (67,))[int(rng.integers(5))]


# ---- rows ---------------------------------------------------------------------------------------


def _index(rng: np.random.Generator, high: int, count: int) -> Any:
    """Indices, a few out of range."""
    return rng.integers(-2, high + 3, count).astype(rng.choice(["i4", "i8"]))


def _take_rows(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for high, depth in ((9, 1), (4, 2)):
        rows = numbers(rng, dtype, *(high,) * depth, *inner(rng))
        index = np.stack([_index(rng, high, size) for _ in range(depth)], 1)
        want = np.zeros((size, *rows.shape[depth:]), rows.dtype)
        inside = ((index >= 0) & (index < high)).all(1)
        want[inside] = rows[tuple(index[inside].T)]
        yield row_kernels.take_rows(xp, xp.asarray(rows), xp.asarray(index.reshape(-1)), depth), want


def _put_rows(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    own = inner(rng)
    target, rows = (np.ascontiguousarray(numbers(rng, dtype, n, *own)) for n in (size + 3, size))
    index = (rng.permutation(size + 4)[:size] - 1).astype(rng.choice(["i4", "i8"]))  # -1 and the end are outside
    want = target.copy()
    for i, place in enumerate(index):
        if 0 <= place < size + 3:
            want[place] = rows[i]
    out = xp.asarray(target.copy())
    row_kernels.put_rows(xp, out, xp.asarray(index), xp.asarray(rows), 1)
    yield out, want


def _add_rows(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    if dtype not in ADDED:
        return
    for name in ("add", "subtract"):
        own, kind = inner(rng), as_dtype(dtype).np
        target, rows = (np.round(rng.random((n, *own)) * 9).astype(kind) for n in (5, size))
        index, want = _index(rng, 5, size), target.copy()
        for i, place in enumerate(index):
            if 0 <= place < 5:
                with np.errstate(over="ignore"):  # scalars of unsigned ints warn, arrays do not
                    want[place] = want[place] + rows[i] if name == "add" else want[place] - rows[i]
        out = xp.asarray(target.copy())
        row_kernels.add_rows(xp, out, xp.asarray(index), xp.asarray(rows), 1, name)
        yield out, want


def _stitch(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    own, sizes = inner(rng), (size, 0, 5)
    indices = [rng.integers(0, size + 2, n).astype("i4") for n in sizes]
    data = [np.ascontiguousarray(numbers(rng, dtype, n, *own)) for n in sizes]
    want = np.zeros((size + 2, *own), data[0].dtype)
    for places, rows in zip(indices, data, strict=True):
        for i, place in enumerate(places):
            want[place] = rows[i]
    yield row_kernels.stitch(xp, [xp.asarray(i) for i in indices], [xp.asarray(d) for d in data], want.shape), want


def _partition(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    count = int(rng.choice([1, 2, 5, 40]))
    rows = np.ascontiguousarray(numbers(rng, dtype, size * 5, *inner(rng)))
    labels = rng.integers(-1, count + 1, size * 5).astype("i4")
    got = partition_kernel.partition(xp, xp.asarray(rows), xp.asarray(labels), count)
    yield from [(part, rows[labels == k]) for k, part in enumerate(got)]


def _multiplex(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    shape = size, *inner(rng)
    inputs = [numbers(rng, dtype, *shape) for _ in range(3)]
    index = rng.integers(0, 3, size).astype("i4")
    want = np.array([inputs[k][i] for i, k in enumerate(index)], inputs[0].dtype).reshape(shape)
    yield join_kernels.multiplex(xp, [xp.asarray(x) for x in inputs], xp.asarray(index)), want


# ---- arrays beside each other -------------------------------------------------------------------


def _concat(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for axis in (0, 1):
        shapes = [(size, 3), (size, 3), (size, 3)]
        shapes[1] = (5, 3) if axis == 0 else (size, 1)
        parts = [numbers(rng, dtype, *shape) for shape in shapes]
        yield join_kernels.concat(xp, [xp.asarray(p) for p in parts], axis), np.concatenate(parts, axis)
    many = [numbers(rng, dtype, size) for _ in range(10)]
    yield join_kernels.stack(xp, [xp.asarray(p) for p in many], 1), np.stack(many, 1)


def _split(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for shape, axis, sizes in (((size, 7), 1, [1, 0, 4, 2]), ((size, 2), 0, [size // 3, size - size // 3])):
        x = numbers(rng, dtype, *shape)
        parts = join_kernels.split(xp, xp.asarray(x), sizes, axis)
        yield from zip(parts, np.split(x, np.cumsum(sizes)[:-1], axis), strict=True)


# ---- maps of one array --------------------------------------------------------------------------


def _transpose(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for shape in ((size, 3), (size, 40), (2, size, 3)):
        x = numbers(rng, dtype, *shape)
        perm = tuple(rng.permutation(len(shape)).tolist())
        yield strided_moves.transpose(xp, xp.asarray(x), perm), x.transpose(perm)


def _tile(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    x = numbers(rng, dtype, size, 3)
    for multiples in ((2, 3), (1, 2), (0, 1)):
        yield strided_moves.tile(xp, xp.asarray(x), multiples), np.tile(x, multiples)


def _reverse(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    x = numbers(rng, dtype, size, 3)
    yield strided_moves.reverse(xp, xp.asarray(x), (True, False)), x[::-1]
    yield strided_moves.reverse(xp, xp.asarray(x), (True, True)), x[::-1, ::-1]


def _pad(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    x = numbers(rng, dtype, size, *inner(rng))
    for most in (0, 3):
        pads = [tuple(rng.integers(0, most + 1, 2).tolist()) for _ in range(x.ndim)]
        yield strided_moves.pad(xp, xp.asarray(x), pads), np.pad(x, pads)


def _reverse_sequence(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for shape, axis in (((size, 5), 1), ((3, 2, size), 2), ((3, size, 4), 1)):
        x = numbers(rng, dtype, *shape)
        lengths = rng.integers(0, shape[axis] + 1, shape[0]).astype(rng.choice(["i4", "i8"]))
        want = x.copy()
        for b, length in enumerate(lengths):
            moved = np.moveaxis(want[b], axis - 1, 0)
            moved[:length] = moved[:length][::-1].copy()
        yield strided_moves.reverse_sequence(xp, xp.asarray(x), xp.asarray(lengths), axis), want


def _copy(xp: Any, rng: np.random.Generator, dtype: str, size: int) -> Iterator[Pair]:
    for shape, whole in (((size,), (size,)), ((1, 3), (size, 3)), ((size, 1), (size, 4))):
        x = numbers(rng, dtype, *shape)
        out = xp.empty(whole, x.dtype)
        if out.size:
            nest_launch.copy(xp, out, xp.asarray(x), whole)
        yield out, np.broadcast_to(x, whole)


CASES: Final[dict[str, Case]] = {
    "row_kernels.take_rows": _take_rows, "row_kernels.put_rows": _put_rows, "row_kernels.add_rows": _add_rows,
    "row_kernels.stitch": _stitch, "partition_kernel.partition": _partition, "join_kernels.multiplex": _multiplex,
    "join_kernels.concat": _concat, "join_kernels.split": _split, "strided_moves.transpose": _transpose,
    "strided_moves.tile": _tile, "strided_moves.reverse": _reverse, "strided_moves.pad": _pad,
    "strided_moves.reverse_sequence": _reverse_sequence, "nest_launch.copy": _copy,
}  # fmt: skip
"""By module and function."""
