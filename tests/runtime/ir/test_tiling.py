"""Tiles cover the iteration space of a group, and broadcast operands fit every tile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base import thread_pool
from penstock.runtime.base.thread_pool import SHARES, thread_limit
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.ir.tiling import CACHE, LEAST, boxes, tile_size
from penstock.runtime.numpy import interpreter
from penstock.runtime.numpy.interpreter import Interpreter

SPACES = [(5, 100, 7), (37, 64), (3, 4, 5, 6), (1, 900), (700, 1), (2, 300, 1, 4)]


def operands_of(whole: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every shape that broadcasts to `whole`."""
    found: list[tuple[int, ...]] = [()]
    suffixes = found
    for size in whole[::-1]:
        suffixes = [(d, *rest) for rest in suffixes for d in sorted({1, size})]
        found = found + suffixes
    return found


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.float16, tf.bfloat16], ids=lambda d: d.name)
@pytest.mark.parametrize("whole", SPACES, ids=str)
def test_operands_that_broadcast_are_right_in_every_tile(
    whole: tuple[int, ...], dtype: Any, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "TILE", 256)
    monkeypatch.setattr(interpreter, "SMALL", 1)
    monkeypatch.setattr(thread_pool, "WORTH", 1e-12)
    # (x + row) * row - x, each operand twice
    steps = [("Add", 0, 1), ("Mul", 2, 1), ("Sub", 3, 0)]
    made = Body((dtype, dtype), tuple(Instruction(op, (Value(a), Value(b)), dtype) for op, a, b in steps), (Value(4),))
    rng = np.random.default_rng(0)
    x = rng.integers(-50, 50, whole).astype(dtype.np)
    with np.errstate(all="ignore"), thread_limit(limit):
        for shape in operands_of(whole):
            row = rng.integers(-9, 9, shape).astype(dtype.np)
            (got,) = Interpreter(made)(x, row)
            want = ((x + row).astype(dtype.np) * row).astype(dtype.np) - x
            np.testing.assert_array_equal(got, want.astype(dtype.np), err_msg=str(shape))


@pytest.mark.parametrize("whole", SPACES, ids=str)
@pytest.mark.parametrize("largest", [1, 7, 100, 10**6])
def test_boxes_cover_the_space_in_order_once(whole: tuple[int, ...], largest: int) -> None:
    seen = np.zeros(whole, np.int64)
    stop = 0
    for tile in boxes(whole, largest):
        assert tile.start == stop
        stop = tile.stop
        for box in tile.boxes:
            assert seen[box.cut].shape == box.shape
            seen[box.cut] += 1
    assert stop == seen.size
    assert (seen == 1).all()


def test_a_tile_is_smaller_where_threads_share_the_cache_and_the_work() -> None:
    large, small = 10**8, 10**5
    with thread_limit(1):
        assert tile_size(large, 4, 1 << 20) == tile_size(small, 4, 1 << 20) == 1 << 18
    with thread_limit(2):
        assert tile_size(large, 4, 1 << 20) == 1 << 18
        assert tile_size(small, 4, 1 << 20) == LEAST // 4
        assert tile_size(10**6, 4, 1 << 20) == max(LEAST, 4 * 10**6 // (2 * SHARES)) // 4
    with thread_limit(16):
        assert tile_size(large, 4, 1 << 20) == CACHE // 16 // 4
    with thread_limit(1000):
        assert tile_size(large, 8, 1 << 20) == LEAST // 8
    assert tile_size(large, 4, 64) == 16
