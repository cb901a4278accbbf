"""Kernels that move rows and blocks put every element where NumPy puts it, in range and out of range."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from penstock.runtime.cuda import cuda_source, join_kernels, row_kernels, strided_moves, tile_source
from penstock.runtime.cuda.cuda_source import OPTIONS

from ..helpers import nightly
from . import nvrtc

DTYPES = ("u1", "f4", "c16")
INNERS = ((), (3,), (0,))


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return (np.random.default_rng(seed).random(shape) * 100).astype(dtype)


@pytest.mark.share(4)
@pytest.mark.parametrize("inner", INNERS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_taken_by_index_and_zeros_where_it_points_outside(xp: Any, dtype: str, inner: Any) -> None:
    table = numbers((50, *inner), dtype)
    index = np.random.default_rng(1).integers(-3, 55, 300).astype("i4")
    inside = (index >= 0) & (index < 50)
    want = np.where(inside.reshape(-1, *[1] * len(inner)), table[np.where(inside, index, 0)], np.zeros((), dtype))
    got = xp.asnumpy(row_kernels.take_rows(xp, xp.asarray(table), xp.asarray(index), 1))
    assert np.array_equal(got, want)
    pairs = np.array([[0, 0], [1, 2], [1, -1], [2, 0], [-1, 0]], "i8")
    grid = numbers((2, 3, *inner), dtype)
    got = xp.asnumpy(row_kernels.take_rows(xp, xp.asarray(grid), xp.asarray(pairs.reshape(-1)), 2))
    want = np.stack([grid[0, 0], grid[1, 2], *[np.zeros(inner, dtype)] * 3])
    assert np.array_equal(got, want)


@pytest.mark.share(4)
@pytest.mark.parametrize("inner", INNERS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_put_where_the_index_says_and_dropped_outside(xp: Any, dtype: str, inner: Any) -> None:
    index = np.array([7, -1, 3, 10, 0], "i8")
    target, updates = numbers((10, *inner), dtype), numbers((5, *inner), dtype, 2)
    want = target.copy()
    for i in (0, 2, 4):
        want[index[i]] = updates[i]
    device = xp.asarray(target.copy())
    row_kernels.put_rows(xp, device, xp.asarray(index), xp.asarray(updates), 1)
    assert np.array_equal(xp.asnumpy(device), want)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u4", "i8", "u8"])
def test_rows_are_added_and_subtracted_as_often_as_they_occur(xp: Any, dtype: str) -> None:
    index = np.array([[1], [4], [1], [-2], [0]], "i4")
    updates = numbers((5, 3), dtype)
    for name in ("add", "subtract"):
        want = np.ones((4, 3), dtype)
        for i in (0, 2, 4):
            want[index[i, 0]] += updates[i] if name == "add" else -updates[i]
        device = xp.asarray(np.ones((4, 3), dtype))
        row_kernels.add_rows(xp, device, xp.asarray(index.reshape(-1)), xp.asarray(updates), 1, name)
        assert np.array_equal(xp.asnumpy(device), want)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("inner", INNERS, ids=str)
def test_in_a_stitch_the_last_of_equal_indices_wins(xp: Any, dtype: str, inner: Any) -> None:
    indices = [np.array([3, 0, 3, 7], "i4"), np.zeros(0, "i4"), np.array([1, 3], "i4")]
    data = [numbers((len(i), *inner), dtype, k) for k, i in enumerate(indices)]
    want = np.zeros((8, *inner), dtype)
    for index, value in zip(indices, data, strict=True):
        for i, row in zip(index, value, strict=True):
            want[i] = row
    got = row_kernels.stitch(xp, [xp.asarray(i) for i in indices], [xp.asarray(d) for d in data], (8, *inner))
    assert np.array_equal(xp.asnumpy(got), want)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_transposes(xp: Any, dtype: str) -> None:
    for shape in ((5, 7, 4), (3, 50, 70), (1, 33, 1)):
        x = numbers(shape, dtype)
        for perm in itertools.permutations(range(len(shape))):
            assert np.array_equal(xp.asnumpy(strided_moves.transpose(xp, xp.asarray(x), perm)), x.transpose(perm))


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "c16"])
def test_transposes_of_matrices_in_blocks_square_and_narrow(xp: Any, dtype: str) -> None:
    cases: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((130, 70), (1, 0)), ((3, 900), (1, 0)), ((900, 3), (1, 0)), ((2, 400, 5), (0, 2, 1)), ((2, 5, 400), (2, 0, 1)),
        ((2, 33, 3, 40), (3, 1, 0, 2)), ((50, 3, 4), (0, 2, 1)),
    ]  # fmt: skip
    for shape, perm in cases:
        x = numbers(shape, dtype)
        got = xp.asnumpy(strided_moves.transpose(xp, xp.asarray(x), perm))
        assert np.array_equal(got, x.transpose(perm)), (shape, perm)
    for high_in, wide_in, size in itertools.product((1, 3, 31, 64, 5000), (2, 3, 31, 64, 5000), (1, 2, 4, 8, 16)):
        high, wide = tile_source.tile_of(high_in, wide_in, size)
        assert high >= min(high_in, 32)
        assert wide >= min(wide_in, 32)
        assert high * tile_source.pitch_of(wide, size) * size <= 24 << 10


def test_columns_of_a_block_lie_in_all_banks() -> None:
    for size, cols in itertools.product((1, 2, 4), range(1, 65)):
        banks = [row * tile_source.pitch_of(cols, size) * size // 4 % 32 for row in range(32)]
        assert len(set(banks)) == 32


@pytest.mark.parametrize("hot", [0, 1000])
def test_sizes_are_constants_or_arguments(
    xp: Any, monkeypatch: pytest.MonkeyPatch, sources: set[str], hot: int
) -> None:
    monkeypatch.setattr(cuda_source, "HOT", hot)
    monkeypatch.setattr(cuda_source, "_written", set())
    x = numbers((6, 7, 8), "f4")
    for n in (40, 50, 60):
        y = numbers((n, 33), "f4")
        device = xp.asarray(y)
        assert np.array_equal(xp.asnumpy(strided_moves.transpose(xp, device, (1, 0))), y.T)
        assert np.array_equal(xp.asnumpy(join_kernels.concat(xp, [device, device], 1)), np.concatenate([y, y], 1))
        assert np.array_equal(xp.asnumpy(join_kernels.split(xp, device, [11, 22], 1)[1]), y[:, 11:])
        assert np.array_equal(xp.asnumpy(strided_moves.pad(xp, device, ((1, 0), (0, n)))), np.pad(y, ((1, 0), (0, n))))
        assert np.array_equal(xp.asnumpy(strided_moves.tile(xp, device, (2, 3))), np.tile(y, (2, 3)))
        assert np.array_equal(xp.asnumpy(strided_moves.reverse(xp, device, (True, False))), y[::-1])
        index = np.arange(n, dtype="i4") % 2
        got = join_kernels.multiplex(xp, [device, xp.asarray(-y)], xp.asarray(index))
        assert np.array_equal(xp.asnumpy(got), np.where((index == 0)[:, None], y, -y))
    if sources:  # the played GPU's
        assert len(sources) == (7 if hot else 13)  # only transposes, pads and tiles depend on the number of rows
    for perm in ((2, 1, 0), (0, 2, 1)):
        assert np.array_equal(xp.asnumpy(strided_moves.transpose(xp, xp.asarray(x), perm)), x.transpose(perm))


def test_a_kernel_for_all_sizes_gives_way_to_one_for_sizes_that_come_again(xp: Any, sources: set[str]) -> None:
    y = xp.asarray(numbers((47, 33), "f2"))

    def turn(times: int) -> None:
        for _ in range(times):
            assert np.array_equal(xp.asnumpy(strided_moves.transpose(xp, y, (1, 0))), xp.asnumpy(y).T)

    turn(cuda_source.HOT)
    with cuda_source.as_compiled():
        turn(3)
    assert not any("#define ROWS 47LL" in s for s in sources)
    turn(1)
    if sources:  # the played GPU's
        assert sum("#define ROWS 47LL" in s for s in sources) == sum("i64 ROWS" in s for s in sources) == 1


@pytest.mark.parametrize("is_whole", [False, *nightly([True])])
def test_threads_take_several_pieces_where_there_are_many(
    xp: Any, monkeypatch: pytest.MonkeyPatch, is_whole: bool
) -> None:
    """`test_launches` does the same to other kernels."""
    monkeypatch.setattr(cuda_source, "MANY", 1)
    test_rows_are_taken_by_index_and_zeros_where_it_points_outside(xp, "f4", (20,))
    test_rows_are_put_where_the_index_says_and_dropped_outside(xp, "u1", (700,))
    test_rows_are_added_and_subtracted_as_often_as_they_occur(xp, "f4")
    test_in_a_stitch_the_last_of_equal_indices_wins(xp, "f4", (500,))
    test_sequences_are_reversed_up_to_their_lengths_and_rows_chosen(xp)
    if is_whole:
        test_tiles_reverses_and_pads(xp, "u1")
        test_joins_and_cuts(xp, "f4")
    x = numbers((60, 50), "f4")
    pads = ((1, 2), (3, 4))
    assert np.array_equal(xp.asnumpy(strided_moves.pad(xp, xp.asarray(x), pads)), np.pad(x, pads))


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles_reverses_and_pads(xp: Any, dtype: str) -> None:
    x = numbers((5, 7, 4), dtype)
    device = xp.asarray(x)
    for multiples in ((1, 1, 1), (2, 1, 1), (1, 3, 2), (2, 2, 0)):
        assert np.array_equal(xp.asnumpy(strided_moves.tile(xp, device, multiples)), np.tile(x, multiples))
    for flags in itertools.product((False, True), repeat=3):
        want = x[tuple(slice(None, None, -1 if f else None) for f in flags)]
        assert np.array_equal(xp.asnumpy(strided_moves.reverse(xp, device, flags)), want)
    for pads in (((0, 0),) * 3, ((1, 2), (0, 0), (0, 0)), ((0, 1), (2, 0), (1, 1)), ((4, 4), (0, 0), (0, 3))):
        assert np.array_equal(xp.asnumpy(strided_moves.pad(xp, device, pads)), np.pad(x, pads))
    assert np.array_equal(xp.asnumpy(strided_moves.pad(xp, device[:1, 0, :1], [(0, 0)] * 2)), x[:1, 0, :1])


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_joins_and_cuts(xp: Any, dtype: str) -> None:
    x = numbers((5, 7, 4), dtype)
    device = xp.asarray(x)
    for axis in range(3):
        values = [x, x[:, :, ::-1], np.take(x, [0, 1], axis), np.take(x, [], axis)]
        there = [xp.asarray(v) for v in values]
        assert np.array_equal(xp.asnumpy(join_kernels.concat(xp, there, axis)), np.concatenate(values, axis))
        assert np.array_equal(xp.asnumpy(join_kernels.stack(xp, there[:2], axis)), np.stack(values[:2], axis))
        pieces = join_kernels.split(xp, device, [1, 0, x.shape[axis] - 1], axis)
        for got, want in zip(pieces, np.split(x, [1, 1], axis), strict=True):
            assert np.array_equal(xp.asnumpy(got), want)
    twelve = [xp.asarray(x[:, i % 7]) for i in range(12)]  # of equal widths: the part is found by a division
    assert np.array_equal(xp.asnumpy(join_kernels.stack(xp, twelve, 1)), np.stack([x[:, i % 7] for i in range(12)], 1))
    many = [x[:1]] * (join_kernels.MOST_ARRAYS + 1)
    assert np.array_equal(xp.asnumpy(join_kernels.concat(xp, [xp.asarray(v) for v in many], 0)), np.concatenate(many))


def test_sequences_are_reversed_up_to_their_lengths_and_rows_chosen(xp: Any) -> None:
    x = numbers((5, 7, 4), "f4")
    lengths = np.array([1, 5, 0, 7, 2], "i4")
    want = x.copy()
    for i, length in enumerate(lengths):
        want[i, :length] = want[i, :length][::-1]
    got = strided_moves.reverse_sequence(xp, xp.asarray(x), xp.asarray(lengths), 1)
    assert np.array_equal(xp.asnumpy(got), want)
    index = np.array([0, 1, 1, 0, 1], "i4")
    got = join_kernels.multiplex(xp, [xp.asarray(x), xp.asarray(-x)], xp.asarray(index))
    assert np.array_equal(xp.asnumpy(got), np.where((index == 0)[:, None, None], x, -x))


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
@pytest.mark.parametrize(
    "architecture, is_whole",
    [
        ("90", False),
        pytest.param("90", True, marks=pytest.mark.nightly),
        pytest.param("70", True, marks=pytest.mark.slow),
    ],
)
def test_nvidias_compiler_takes_every_source(xp: Any, sources: set[str], architecture: str, is_whole: bool) -> None:
    """By day of each kernel with the same pointers two sources: those with the fewest and with the most numbers."""
    for hot in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            test_sizes_are_constants_or_arguments(xp, patch, set(), hot)
    test_rows_are_taken_by_index_and_zeros_where_it_points_outside(xp, "f4", (4,))
    test_rows_are_put_where_the_index_says_and_dropped_outside(xp, "c16", (3,))
    for dtype in ("f4", "f8", "i4", "u4", "i8"):
        test_rows_are_added_and_subtracted_as_often_as_they_occur(xp, dtype)
    test_in_a_stitch_the_last_of_equal_indices_wins(xp, "u1", (3,))
    test_tiles_reverses_and_pads(xp, "f4")
    test_joins_and_cuts(xp, "f2")
    test_sequences_are_reversed_up_to_their_lengths_and_rows_chosen(xp)
    test_in_a_stitch_the_last_of_equal_indices_wins(xp, "c16", ())
    for dtype in ("u1", "f4", "c16"):
        strided_moves.transpose(xp, xp.asarray(numbers((2, 50, 70), dtype)), (0, 2, 1))
        strided_moves.pad(xp, xp.asarray(numbers((5, 4), dtype)), ((0, 1), (1, 0)))
    alike: dict[tuple[str, ...], dict[int, str]] = {}  # by their pointers and how many parameters they have
    for code in sorted(sources):
        pointers = tuple(each for each in parameters_of(code) if "*" in each)
        alike.setdefault(pointers, {})[len(parameters_of(code))] = code
    ends = {codes[end(codes)] for codes in alike.values() for end in (min, max)}
    for code in sources if is_whole else ends:
        nvrtc.compile_code(code, OPTIONS, architecture)


def parameters_of(code: str) -> list[str]:
    """How a kernel is declared, cut at its commas; the first part has its name."""
    declared: str = re.findall(r"PS_KERNEL void ([^{]*)", code)[0]
    return declared.split(",")
