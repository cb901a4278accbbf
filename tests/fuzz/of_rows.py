"""The fuzz of ops that move rows, at sizes up to four million bytes and more: compiled loops beside NumPy, bit for bit.

    python -m tests.fuzz.of_rows --count 2000 --seed-start 0

`dynamic_partition` and `dynamic_stitch` with few and many parts, sorted and not, with repeated indices and some out of
range; `boolean_mask`, `where`, `gather`, updates and sums of rows by segments and at places; joined, cut, transposed,
padded, chosen, reversed and converted rows; running sums and products, and reductions. On one, two or three threads;
labels may change meanwhile. Without loops there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from penstock.errors import InvalidArgumentError
from penstock.graph.declare.op_declaration import OpDef, find_op
from penstock.graph.shapes import dtypes
from penstock.ops.index import gathering
from penstock.runtime.backends.registry import HOST
from penstock.runtime.execution.row_major import row_major_copies, row_major_copy
from penstock.runtime.kernels import fast_reductions
from penstock.runtime.kernels.kernel_choice import kernel_of
from penstock.runtime.kernels.loops import native_loops

from ..runtime.kernels.fences import Array, loops_at_once
from .seeds import seeds_of

DTYPES: Final = ("u1", "f2", "i4", "f4", "f8", "c16", "i2", "i8", "c8", "bfloat16")
PARTS: Final = (1, 2, 3, 16, 47, 48, 49, 200, 255, 256, 257, 1000, 5000, 65_535, 65_536, 65_537)
KINDS: Final = (
    "partition", "stitch", "mask", "gather", "update", "sum", "view", "split", "join", "pad", "choice", "cast", "scan",
    "reduction", "where", "scatter",
)  # fmt: skip


def outcome(op: Any, args: tuple[Any, ...]) -> Any:
    """The results of an op's kernel on the host, or the words of its error."""
    try:
        found = kernel_of(op, "numpy")(HOST.xp, *args) if isinstance(op, OpDef) else op(*args)
    except InvalidArgumentError as error:
        return error.message
    return list(found) if isinstance(found, (list, tuple)) else [found]


def table_of(rows: Array) -> Array:
    """The rows as a matrix."""
    return rows if rows.ndim > 1 else rows[:, None]


class Case:
    """One call: the op, its arguments, the number of threads."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed, self.threads = seed, int(rng.integers(1, 4))
        dtype = dtypes.as_dtype(str(rng.choice(DTYPES))).np
        width = int(rng.choice([1, 1, 1, 2, 3, 4, 7, 16, 33, 64]))
        most = int(rng.choice([70, 3_000, 100_000, (6 << 20) // (dtype.itemsize * width)]))
        count = int(rng.integers(0, most + 1))
        raw = rng.integers(0, 256, (count, width * dtype.itemsize), np.uint8)
        if dtype.kind not in "iu":  # NaNs differ in what sums make of their bits
            shape = count, width
            numbers = rng.integers(-9, 10, shape) if rng.integers(0, 2) else rng.standard_normal(shape)
            raw = numbers.astype(dtype).view(np.uint8).reshape(raw.shape)
        rows = np.ascontiguousarray(raw).view(dtype).reshape((count, width) if width > 1 else (count,))
        self.kind = str(rng.choice(KINDS))
        self.labels: Array | None = None
        self.op: Any = None
        self.args: tuple[Any, ...] = ()
        getattr(self, f"_{self.kind}")(rng, rows, count)

    def __str__(self) -> str:
        sizes = [a.shape if isinstance(a, np.ndarray) else a for a in self.args if not isinstance(a, list)]
        return f"seed {self.seed}: {self.kind} of {sizes} on {self.threads} threads"

    def _places(self, rng: np.random.Generator, count: int, high: int) -> Array:
        """`count` numbers below `high`: equal, skewed, sorted or any; one in eight calls has one out of range."""
        high = max(high, 1)
        shape = rng.integers(0, 4)
        found = rng.integers(0, high, count) if shape else np.full(count, rng.integers(0, high))
        if shape == 1:
            found = (rng.random(count) ** 8 * high).astype(np.int64)
        if shape == 2:
            found = np.sort(found)
        if count and rng.integers(0, 8) == 0:
            found[rng.integers(0, count)] = rng.choice([-1, high, 2**31 - 1, -(2**31)])
        return found.astype(np.int32)

    def _partition(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        parts = int(rng.choice(PARTS))
        self.labels = self._places(rng, count, parts)
        self.op, self.args = find_op("DynamicPartition"), (rows, self.labels, parts)

    def _stitch(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        parts = int(rng.choice([1, 2, 16, 300]))
        places = rng.permutation(count).astype(np.int32) if rng.integers(0, 2) else self._places(rng, count, count)
        places = np.clip(places, -1, 2 * count)  # what stands in the result costs memory
        owner = rng.integers(0, parts, count)
        if rng.integers(0, 3) == 0:  # what a partition gave, or nearly: one place may be wrong
            places = np.arange(count, dtype=np.int32)
            places[rng.integers(0, count, int(count > 0) * rng.integers(0, 2))] += rng.choice([-1, 1, 40])
        lists = [np.flatnonzero(owner == k) for k in range(parts)]
        if rng.integers(0, 4):
            lists = [each[np.argsort(places[each], kind="stable")] for each in lists]
        self.op, self.args = find_op("DynamicStitch"), ([places[i] for i in lists], [rows[i] for i in lists])

    def _mask(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        self.op, self.args = gathering.masked, (rows, rng.random(count) < rng.random(), None)

    def _gather(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        self.op, self.args = find_op("GatherNd"), (rows, self._places(rng, count, count)[:, None])

    def _update(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        indices = self._places(rng, count, count)[: count // 2, None]
        self.op, self.args = find_op("TensorScatterUpdate"), (rows, indices, rows[: len(indices)].copy())

    def _sum(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        segments = int(rng.choice([1, 10, 1000, 100_000]))
        ids = self._places(rng, count, segments)
        if rng.integers(0, 2) == 0:
            self.op, self.args = find_op("UnsortedSegmentSum"), (rows, ids, np.int32(segments))
            return
        ids = ids if rng.integers(0, 5) == 0 else np.sort(ids)
        ids = np.minimum(ids, 2 * segments)  # what the last id stands for costs memory
        self.op = find_op(str(rng.choice(["SegmentSum", "SegmentMean"])))
        self.args = (rows, ids.astype(rng.choice(["i4", "i8"])))

    def _scatter(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        places = int(rng.choice([1, 30, 5000]))
        indices = self._places(rng, count, places)[:, None].astype(rng.choice(["i4", "i8"]))
        self.op, self.args = find_op("ScatterNd"), (indices, rows, np.array([places, *rows.shape[1:]]))

    def _where(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        condition = rng.random(rows.shape) < rng.random()
        self.op, self.args = find_op("Where"), (rows if rng.integers(0, 4) == 0 else condition,)

    def _view(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        shape = [count]
        for n in (2, 3, 5, 8):
            if shape[0] % n == 0 and rng.integers(0, 2):
                shape[:1] = [shape[0] // n, n]
        view = rows.reshape((*shape, *rows.shape[1:]))
        view = view.transpose(rng.permutation(view.ndim))
        ends = [slice(int(rng.integers(0, 2)), None, int(rng.choice([1, 1, 2, -1]))) for _ in range(view.ndim)]
        self.op, self.args = row_major_copy, (view[tuple(ends)] if rng.integers(0, 2) else view,)

    def _split(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        table = table_of(rows)
        self.op, self.args = row_major_copies, (np.split(table, int(rng.choice([1, table.shape[1]])), 1),)

    def _join(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        table = table_of(rows) if rng.integers(0, 2) else table_of(rows).T
        match rng.integers(0, 3):
            case 0:
                lists = [table[:, : rng.integers(0, table.shape[1] + 1)] for _ in range(3)]
                self.op, self.args = find_op("Concat"), (np.array(1), [table, *lists])
            case 1:
                self.op, self.args = find_op("Stack"), ([table] * int(rng.integers(1, 4)), int(rng.integers(0, 3)))
            case _:
                self.op, self.args = find_op("Tile"), (table, rng.integers(0, 4, 2))

    def _pad(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        self.op, self.args = find_op("Pad"), (rows, rng.integers(0, 70, (rows.ndim, 2)) * rng.integers(0, 2))

    def _choice(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        other, table = rows[::-1].copy(), table_of(rows)
        match rng.integers(0, 3):
            case 0:
                self.op, self.args = find_op("Select"), (rng.random(rows.shape) < 0.5, rows, other)
            case 1:
                self.op, self.args = find_op("Multiplex"), ([rows, other], self._places(rng, count, 2)[:, None])
            case _:
                self.op = find_op("ReverseSequence")
                self.args = (table, self._places(rng, count, table.shape[1] + 1), 1)

    def _cast(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        target = dtypes.of_numpy(np.dtype(str(rng.choice(["f2", "f4", "f8", "i4", "u1"]))))
        self.op, self.args = find_op("Cast"), (rows.real, target)

    def _scan(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        axis, exclusive, reverse = int(rng.integers(0, rows.ndim)), bool(rng.integers(0, 2)), bool(rng.integers(0, 2))
        self.op = find_op(str(rng.choice(["Cumsum", "Cumprod"])))
        self.args = (rows if rows.ndim == 1 or rng.integers(0, 2) else rows.T, np.array(axis), exclusive, reverse)

    def _reduction(self, rng: np.random.Generator, rows: Array, count: int) -> None:
        self.op = find_op(str(rng.choice(["Sum", "Mean"] if rows.dtype.kind == "c" else ["Sum", "Mean", "Max", "Min"])))
        table = table_of(rows) if rng.integers(0, 2) else np.ascontiguousarray(table_of(rows).T)
        self.args = (table, np.array(int(rng.integers(0, 2))), False)


@contextmanager
def threads(number: int) -> Iterator[None]:
    """A block in which loops divide their work among so many threads, whatever its size."""
    with (
        patch.object(native_loops, "threads_for", lambda seconds: number),
        patch.object(native_loops, "FEWEST", 1),
        patch.object(fast_reductions, "_FEWEST", 1),
    ):
        yield


def complaint(case: Case) -> str | None:
    """What is wrong; None if loops and NumPy agree."""
    with threads(1), loops_at_once(on=False), np.errstate(all="ignore"):
        expected = outcome(case.op, case.args)
    with threads(case.threads), loops_at_once(), np.errstate(all="ignore"):
        found = outcome(case.op, case.args)
    if isinstance(found, str) or isinstance(expected, str):
        return None if found == expected else f"{found!r:.150} and {expected!r:.150}"
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype or a.tobytes() != b.tobytes():
            return f"result {i} of {len(found)} differs: {a.shape} {a.dtype}, {b.shape} {b.dtype}"
    return None


def disturbed(case: Case) -> None:
    """Run with labels that another thread changes: any result will do, but no memory may be touched beside it."""
    labels, ended = case.labels, Event()
    if labels is None or not len(labels):
        return

    def change() -> None:
        before = labels.copy()
        while not ended.is_set():
            labels[:] = before[::-1]
            labels[:] = before

    other = Thread(target=change)
    other.start()
    try:
        with threads(case.threads), loops_at_once():
            outcome(case.op, case.args)
    finally:
        ended.set()
        other.join()


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    kinds, failures = Counter[str](), 0
    for seed in seeds_of("tests.fuzz.of_rows", __doc__, arguments):
        case = Case(seed)
        kinds[case.kind] += 1
        found = complaint(case)
        if found is not None:
            failures += 1
            print(f"{case}\n    {found}\n", flush=True)
        disturbed(case)
    print(f"{sum(kinds.values())} calls, {failures} differ: {dict(kinds)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
