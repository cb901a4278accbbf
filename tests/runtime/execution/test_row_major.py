"""A row-major copy equals its source, whatever the source is a view of."""

from collections import deque
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base import thread_pool
from penstock.runtime.execution.row_major import row_major_copies, row_major_copy
from penstock.runtime.kernels.loops import native_loops

SHAPES = [(), (0, 3), (5,), (300, 400), (64, 70, 64), (3, 200, 5, 90), (1, 257, 1, 700)]


@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "f8", "c16", object], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_order_of_dimensions_is_copied_row_by_row(dtype: str, shape: tuple[int, ...]) -> None:
    x = (np.arange(np.prod(shape, dtype=int)) % 2003).reshape(shape).astype(dtype)
    for order in permutations(range(x.ndim)):
        for step in (1, -1, 2):
            cut: Any = (..., *(slice(None, None, step) for _ in order))
            view = x.transpose(order)[cut]
            copy = row_major_copy(view)
            assert copy.flags.c_contiguous
            assert copy.flags.writeable
            assert copy.dtype == x.dtype
            assert not np.shares_memory(copy, x)
            np.testing.assert_array_equal(copy, view)


def test_broadcast_and_read_only_arrays_are_copied() -> None:
    row = np.arange(1000.0)
    wide = np.broadcast_to(row, (300, 1000))
    for view in (wide, wide.T, np.broadcast_to(row[:, None], (1000, 300))):
        copy = row_major_copy(view)
        assert copy.flags.c_contiguous
        assert copy.flags.writeable
        np.testing.assert_array_equal(copy, view)


@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "f8", "c16", object], ids=str)
@pytest.mark.parametrize("width", [1, 2, 3, 5, 64])
def test_columns_of_one_table_are_copied_each_into_memory_of_its_own(dtype: str, width: int) -> None:
    rows = 20_003 if width < 9 else 2_503  # wide columns are as large with fewer rows
    table = (np.arange(rows * 4 * width) % 251).reshape(rows, 4 * width).astype(dtype)
    columns = [table[:, i * width : (i + 1) * width] for i in range(4)]
    mixed = [columns[0], table[:, 1 : 1 + width][::-1], columns[2]]
    for views in (columns, columns[::-1], [columns[1], columns[1]], mixed, columns[:1], [c[:0] for c in columns]):
        copies = row_major_copies(views)
        assert len(copies) == len(views)
        for i, (copy, view) in enumerate(zip(copies, views, strict=True)):
            assert copy.flags.carray
            assert copy.dtype == table.dtype
            assert not any(np.shares_memory(copy, other) for other in (table, *copies[:i]))
            np.testing.assert_array_equal(copy, view)


def test_parts_that_overlap_are_copied_like_any_others() -> None:
    table = np.arange(300_000, dtype=np.float32)
    rows = np.lib.stride_tricks.as_strided(table, (100_000, 4), (8, 4), writeable=False)
    for copy in row_major_copies([rows, rows]):
        np.testing.assert_array_equal(copy, rows)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_session_of_one_thread_copies_its_results_with_one(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[int] = []

    def one_by_one(count: int, work: Callable[[int], object]) -> None:
        shared.append(count)
        deque(map(work, range(count)), 0)

    monkeypatch.setattr(native_loops, "parallel_for", one_by_one)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-15)
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(threads=threads)) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [400, 500])
        v = tf.Variable(np.ones((400, 500), np.float32))
        session.run(v.initializer)
        shared.clear()
        array = np.random.default_rng(0).random((400, 500), np.float32)
        for fetches in (tf.transpose(x), tf.split(1, 2, x), v, tf.assign(v, tf.transpose(tf.reshape(x, [500, 400])))):
            session.run(fetches, {x: array})
        assert session.run(tf.transpose(x), {x: array}).tobytes() == array.T.tobytes()
    assert set(shared) == (set() if threads == 1 else {2})
