"""W3: tensors cut, joined and reordered, beside a plain copy of the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..case import Case, Family, Inputs, Timed, count
from ..engine import Array, Engine
from ..limit import size_of

Rng = np.random.Generator
COLUMNS = 16


def cases(quick: bool) -> list[Case]:
    """Vectors of n elements, and rows of 16."""
    n, rows = (48, 6) if quick else (10_000_000, 1_000_000)
    return [*_by_index(n, rows), *_permuted(n, rows), *_joined(n, rows), *_chosen(n, rows), *_converted(n, rows)]


def floats(rng: Rng, *shape: int) -> Array:
    """float32 in [0, 1)."""
    return rng.random(shape, np.float32)


def _by_index(n: int, rows: int) -> list[Case]:
    made: list[Case] = []
    made += [_partition(n, parts) for parts in (2, 16, 1000)]
    made.append(
        Timed(
            f"partition into 16, rows {count(rows)}",
            lambda rng: [floats(rng, rows, COLUMNS), rng.integers(0, 16, rows, np.int32)],
            lambda e, x, labels: e.partition(x, labels, 16),
        )
    )
    made += [_stitch(n, parts) for parts in (2, 16, 1000)]
    made.append(
        Timed(
            f"stitch 2 parts, rows {count(rows)}",
            lambda rng: _halves(rng, rows, COLUMNS),
            lambda e, i, j, x, y: e.stitch([i, j], [x, y]),
        )
    )
    made.append(
        Timed(
            f"gather, {count(n)}",
            lambda rng: [floats(rng, n), rng.integers(0, n, n, np.int32)],
            lambda e, x, i: e.gather(x, i),
        )
    )
    made.append(
        Timed(
            f"gather, rows {count(rows)}",
            lambda rng: [floats(rng, rows, COLUMNS), rng.integers(0, rows, rows, np.int32)],
            lambda e, x, i: e.gather(x, i),
        )
    )
    made.append(
        Timed(
            f"tensor_scatter_nd_update, {count(n)}",
            lambda rng: [floats(rng, n), rng.permutation(n)[: n // 10, None].astype(np.int32), floats(rng, n // 10)],
            lambda e, x, i, updates: e.scatter(x, i, updates),
        )
    )
    return made


def _partition(n: int, parts: int) -> Timed:
    return Timed(
        f"partition into {parts}, {count(n)}",
        lambda rng: [floats(rng, n), rng.integers(0, parts, n, np.int32)],
        lambda e, x, labels: e.partition(x, labels, parts),
    )


def _stitch(n: int, parts: int) -> Timed:
    return Timed(
        f"stitch {parts} parts, {count(n)}",
        lambda rng: _lists(rng, n, parts),
        lambda e, *arrays: e.stitch(list(arrays[:parts]), list(arrays[parts:])),
    )


def _lists(rng: Rng, n: int, parts: int) -> list[Array]:
    """Sorted lists of the places of parts of n, and a vector of floats for each."""
    labels = rng.integers(0, parts, n, np.int32)
    order, sizes = np.argsort(labels, kind="stable").astype(np.int32), np.bincount(labels, minlength=parts)
    places = np.split(order, np.cumsum(sizes)[:-1])
    return [*places, *(floats(rng, len(place)) for place in places)]


def _halves(rng: Rng, n: int, *inner: int) -> list[Array]:
    order = rng.random(n) < 0.5
    places = np.flatnonzero(order).astype(np.int32), np.flatnonzero(~order).astype(np.int32)
    return [*places, *(floats(rng, len(place), *inner) for place in places)]


def _permuted(n: int, rows: int) -> list[Case]:
    tall, wide = (6, 8) if n == 48 else (3125, 3200)
    image = (2, 4, 4, 3) if n == 48 else (32, 320, 320, 3)  # near n elements, with three channels
    return [
        Timed(f"transpose {tall}x{wide}", lambda rng: [floats(rng, tall, wide)], lambda e, x: e.transpose(x, [1, 0])),
        Timed(
            f"transpose rows {count(rows)}x16",
            lambda rng: [floats(rng, rows, COLUMNS)],
            lambda e, x: e.transpose(x, [1, 0]),
        ),
        Timed(
            f"transpose NHWC to NCHW, {'x'.join(map(str, image))}",
            lambda rng: [floats(rng, *image)],
            lambda e, x: e.transpose(x, [0, 3, 1, 2]),
        ),
        Timed(
            f"reverse_sequence, rows {count(rows)}",
            lambda rng: [floats(rng, rows, COLUMNS), rng.integers(0, COLUMNS + 1, rows, np.int32)],
            lambda e, x, lengths: e.reverse_sequence(x, lengths),
        ),
        Timed(f"reverse, {count(n)}", lambda rng: [floats(rng, n)], lambda e, x: e.reverse(x, 0)),
        Timed(
            f"reverse columns, rows {count(rows)}",
            lambda rng: [floats(rng, rows, COLUMNS)],
            lambda e, x: e.reverse(x, 1),
        ),
    ]


def _several(k: int, *shape: int) -> Inputs:
    return lambda rng: [floats(rng, *shape) for _ in range(k)]


def _joined(n: int, rows: int) -> list[Case]:
    half = rows // 2
    return [
        Timed(f"concat 2, {count(n)}", _several(2, n // 2), lambda e, *xs: e.concat(list(xs), 0)),
        Timed(
            f"concat columns of 2, rows {count(rows)}",
            _several(2, rows, COLUMNS // 2),
            lambda e, *xs: e.concat(list(xs), 1),
        ),
        Timed(f"stack 4, {count(n)}", _several(4, n // 4), lambda e, *xs: e.stack(list(xs), 0)),
        Timed(f"stack 4 along axis 1, {count(n)}", _several(4, n // 4), lambda e, *xs: e.stack(list(xs), 1)),
        Timed(f"split into 4, {count(n)}", _several(1, n), lambda e, x: e.split(x, 4, 0)),
        Timed(f"split columns into 4, rows {count(rows)}", _several(1, rows, COLUMNS), lambda e, x: e.split(x, 4, 1)),
        Timed(f"pad, rows {count(rows)}", _several(1, rows, COLUMNS), lambda e, x: e.pad(x, [[1, 1], [2, 2]])),
        Timed(f"tile 4 times, {count(n)}", _several(1, n // 4), lambda e, x: e.tile(x, [4])),
        Timed(f"tile columns twice, rows {count(half)}", _several(1, half, COLUMNS), lambda e, x: e.tile(x, [1, 2])),
    ]


def _chosen(n: int, rows: int) -> list[Case]:
    def candidates(rng: Rng) -> list[Array]:
        return [rng.integers(0, 4, (rows, 1), np.int32), *(floats(rng, rows, COLUMNS) for _ in range(4))]

    def nested(e: Engine, x: Any, y: Any) -> Any:
        return e.where(x > 0.75, x, e.where(y > 0.75, y, e.where(x > y, x + y, x - y)))

    return [
        # A row of one candidate is all that must be read.
        Timed(
            f"multiplex 4, rows {count(rows)}",
            candidates,
            lambda e, index, *xs: e.multiplex(list(xs), index),
            reads=lambda inputs: inputs[0].nbytes + inputs[1].nbytes,
        ),
        Timed(f"nested select, {count(n)}", lambda rng: [floats(rng, n), floats(rng, n)], nested),
    ]


def _converted(n: int, rows: int) -> list[Case]:
    pairs = [("float32", "float64"), ("float64", "float32"), ("float32", "int32"), ("int32", "float32"),
             ("int64", "int32"), ("float32", "float16"), ("float16", "float32"), ("float32", "bfloat16"),
             ("bfloat16", "float32")]  # fmt: skip
    made: list[Case] = [
        Timed(f"cast {source} to {to}, {count(n)}", _numbers(n, source), _cast(to)) for source, to in pairs
    ]
    made.append(
        Timed(
            f"string_to_number, {count(rows)}",
            lambda rng: [np.array([f"{x:.4f}".encode() for x in rng.uniform(-1e3, 1e3, rows)], object)],
            lambda e, x: e.to_number(x),
            reads=lambda inputs: size_of(inputs[0]),
        )
    )
    return made


def _numbers(n: int, dtype: str) -> Inputs:
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    return lambda rng: [rng.uniform(-100, 100, n).astype(kind)]


def _cast(dtype: str) -> Callable[..., Any]:
    return lambda e, x: e.cast(x, dtype)


FAMILY = Family("W3", "Transformations", cases)
