"""Do the kernels that move rows and boxes put every element where NumPy puts it, in and out of range?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from penstock.runtime.cuda import boxes, partition, rows
from penstock.runtime.cuda.source import OPTIONS

from . import nvrtc

DTYPES = ("u1", "f4", "c16")
INNERS = ((), (3,), (0,))


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return (np.random.default_rng(seed).random(shape) * 100).astype(dtype)


@pytest.mark.parametrize("inner", INNERS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_taken_by_index_and_zeros_where_it_points_outside(xp: Any, dtype: str, inner: Any) -> None:
    table = numbers((50, *inner), dtype)
    index = np.random.default_rng(1).integers(-3, 55, 300).astype("i4")
    inside = (index >= 0) & (index < 50)
    want = np.where(inside.reshape(-1, *[1] * len(inner)), table[np.where(inside, index, 0)], np.zeros((), dtype))
    got = xp.asnumpy(rows.take_rows(xp, xp.asarray(table), xp.asarray(index), 1))
    assert np.array_equal(got, want)
    pairs = np.array([[0, 0], [1, 2], [1, -1], [2, 0], [-1, 0]], "i8")
    grid = numbers((2, 3, *inner), dtype)
    got = xp.asnumpy(rows.take_rows(xp, xp.asarray(grid), xp.asarray(pairs.reshape(-1)), 2))
    want = np.stack([grid[0, 0], grid[1, 2], *[np.zeros(inner, dtype)] * 3])
    assert np.array_equal(got, want)


@pytest.mark.parametrize("inner", INNERS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_put_where_the_index_says_and_dropped_outside(xp: Any, dtype: str, inner: Any) -> None:
    index = np.array([7, -1, 3, 10, 0], "i8")
    target, updates = numbers((10, *inner), dtype), numbers((5, *inner), dtype, 2)
    want = target.copy()
    for i in (0, 2, 4):
        want[index[i]] = updates[i]
    device = xp.asarray(target.copy())
    rows.put_rows(xp, device, xp.asarray(index), xp.asarray(updates), 1)
    assert np.array_equal(xp.asnumpy(device), want)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u4", "i8", "u8"])
def test_rows_are_added_and_subtracted_as_often_as_they_occur(xp: Any, dtype: str) -> None:
    index = np.array([[1], [4], [1], [-2], [0]], "i4")
    updates = numbers((5, 3), dtype)
    for sign in (1, -1):
        want = np.ones((4, 3), dtype)
        for i in (0, 2, 4):
            want[index[i, 0]] += updates[i] if sign > 0 else -updates[i]
        device = xp.asarray(np.ones((4, 3), dtype))
        rows.add_rows(xp, device, xp.asarray(index.reshape(-1)), xp.asarray(updates), 1, sign)
        assert np.array_equal(xp.asnumpy(device), want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("inner", INNERS, ids=str)
def test_in_a_stitch_the_last_of_equal_indices_wins(xp: Any, dtype: str, inner: Any) -> None:
    indices = [np.array([3, 0, 3, 7], "i4"), np.zeros(0, "i4"), np.array([1, 3], "i4")]
    data = [numbers((len(i), *inner), dtype, k) for k, i in enumerate(indices)]
    want = np.zeros((8, *inner), dtype)
    for index, value in zip(indices, data, strict=True):
        for i, row in zip(index, value, strict=True):
            want[i] = row
    got = rows.stitch(xp, [xp.asarray(i) for i in indices], [xp.asarray(d) for d in data], (8, *inner))
    assert np.array_equal(xp.asnumpy(got), want)


@pytest.mark.parametrize("count", [1, 2, 1000])
@pytest.mark.parametrize("dtype, inner", [("f4", ()), ("f8", (4,)), ("f2", (0,))], ids=str)
def test_a_partition_keeps_the_order_of_rows(xp: Any, dtype: str, inner: Any, count: int) -> None:
    for n in (0, 1, 33, 4097):
        data = numbers((n, *inner), dtype)
        parts = np.random.default_rng(n).integers(-1, count + 1, n).astype("i4")  # some belong nowhere
        got = partition.partition(xp, xp.asarray(data), xp.asarray(parts), count)
        for k in range(count):
            assert np.array_equal(xp.asnumpy(got[k]), data[parts == k])


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposes(xp: Any, dtype: str) -> None:
    for shape in ((5, 7, 4), (3, 50, 70), (1, 33, 1)):
        x = numbers(shape, dtype)
        for perm in itertools.permutations(range(len(shape))):
            assert np.array_equal(xp.asnumpy(boxes.transpose(xp, xp.asarray(x), perm)), x.transpose(perm))


@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles_reverses_and_pads(xp: Any, dtype: str) -> None:
    x = numbers((5, 7, 4), dtype)
    device = xp.asarray(x)
    for multiples in ((1, 1, 1), (2, 1, 1), (1, 3, 2), (2, 2, 0)):
        assert np.array_equal(xp.asnumpy(boxes.tile(xp, device, multiples)), np.tile(x, multiples))
    for flags in itertools.product((False, True), repeat=3):
        want = x[tuple(slice(None, None, -1 if f else None) for f in flags)]
        assert np.array_equal(xp.asnumpy(boxes.reverse(xp, device, flags)), want)
    for pads in (((0, 0),) * 3, ((1, 2), (0, 0), (0, 0)), ((0, 1), (2, 0), (1, 1)), ((4, 4), (0, 0), (0, 3))):
        assert np.array_equal(xp.asnumpy(boxes.pad(xp, device, pads, 3)), np.pad(x, pads, constant_values=3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_joins_and_cuts(xp: Any, dtype: str) -> None:
    x = numbers((5, 7, 4), dtype)
    device = xp.asarray(x)
    for axis in range(3):
        values = [x, x[:, :, ::-1], np.take(x, [0, 1], axis), np.take(x, [], axis)]
        there = [xp.asarray(v) for v in values]
        assert np.array_equal(xp.asnumpy(boxes.concat(xp, there, axis)), np.concatenate(values, axis))
        assert np.array_equal(xp.asnumpy(boxes.stack(xp, there[:2], axis)), np.stack(values[:2], axis))
        pieces = boxes.split(xp, device, [1, 0, x.shape[axis] - 1], axis)
        for got, want in zip(pieces, np.split(x, [1, 1], axis), strict=True):
            assert np.array_equal(xp.asnumpy(got), want)
    many = [x[:1]] * (boxes.MOST_ARRAYS + 1)
    assert np.array_equal(xp.asnumpy(boxes.concat(xp, [xp.asarray(v) for v in many], 0)), np.concatenate(many))


def test_sequences_are_reversed_up_to_their_lengths_and_rows_chosen(xp: Any) -> None:
    x = numbers((5, 7, 4), "f4")
    lengths = np.array([1, 5, 0, 7, 2], "i4")
    want = x.copy()
    for i, length in enumerate(lengths):
        want[i, :length] = want[i, :length][::-1]
    got = boxes.reverse_sequence(xp, xp.asarray(x), xp.asarray(lengths), 1, 0)
    assert np.array_equal(xp.asnumpy(got), want)
    index = np.array([0, 1, 1, 0, 1], "i4")
    got = boxes.multiplex(xp, [xp.asarray(x), xp.asarray(-x)], xp.asarray(index))
    assert np.array_equal(xp.asnumpy(got), np.where((index == 0)[:, None, None], x, -x))


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
@pytest.mark.parametrize("architecture", ["compute_70", "compute_90"])
def test_nvidias_compiler_takes_every_source(xp: Any, sources: set[str], architecture: str) -> None:
    test_rows_are_taken_by_index_and_zeros_where_it_points_outside(xp, "f4", (4,))
    test_rows_are_put_where_the_index_says_and_dropped_outside(xp, "c16", (3,))
    for dtype in ("f4", "f8", "i4", "u4", "i8"):
        test_rows_are_added_and_subtracted_as_often_as_they_occur(xp, dtype)
    test_in_a_stitch_the_last_of_equal_indices_wins(xp, "u1", (3,))
    test_a_partition_keeps_the_order_of_rows(xp, "f4", (), 16)
    test_a_partition_keeps_the_order_of_rows(xp, "f8", (4,), 1000)
    test_tiles_reverses_and_pads(xp, "f4")
    test_joins_and_cuts(xp, "f2")
    test_sequences_are_reversed_up_to_their_lengths_and_rows_chosen(xp)
    boxes.transpose(xp, xp.asarray(numbers((5, 7, 4), "c16")), (0, 2, 1))
    for code in sources:
        assert ".entry" in nvrtc.compile_ptx(code, (*OPTIONS, f"--gpu-architecture={architecture}"))
