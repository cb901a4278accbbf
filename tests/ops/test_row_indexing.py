"""Indices are checked before use, and rows are written to the right places, in order."""

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.ops.index.row_indexing import all_in_range, assign_rows, check_range, flat_index, last_of_each

SIGNED = ["i1", "i2", "i4", "i8"]
ROWS = {"scalars": (), "pairs": (2,), "triples": (3,), "matrices": (2, 4), "long": (33,)}


@pytest.mark.parametrize("dtype", SIGNED)
def test_a_negative_index_is_found_whatever_the_size(dtype: str) -> None:
    index = np.array([0, 1, -1, 2], dtype)
    for size in (3, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31, 2**32, 2**33):
        assert not all_in_range(index, size), size


@pytest.mark.parametrize("dtype", [*SIGNED, "u2"])
def test_the_largest_index_may_be_one_below_the_size(dtype: str) -> None:
    index = np.array([3, 0, 4], dtype)
    assert all_in_range(index, 5)
    assert not all_in_range(index, 4)
    assert all_in_range(index[:0], 0)
    assert not all_in_range(index, 0)


def test_unsigned_indices_use_their_whole_range() -> None:
    assert all_in_range(np.array([65535], "u2"), 65536)
    assert not all_in_range(np.array([65535], "u2"), 65535)


@pytest.mark.parametrize(
    ("index", "size", "message"),
    [
        (np.array([0, 2, 5], "i4"), 2, "p[1] = 2 is not in [0, 2)"),
        (np.array([[0, 1], [1, 7]], "i8"), 2, "p[1,1] = 7 is not in [0, 2)"),
        (np.array([[0, -1], [9, 7]], "i2"), 2, "p[0,1] = -1 is not in [0, 2)"),
        (np.array(-3, "i4"), 2, "p = -3 is not in [0, 2)"),
        (np.array([[0, 1], [7, 1]], "i4").T, 2, "p[0,1] = 7 is not in [0, 2)"),
        (np.array([9, 0, 1], "i4")[::-1], 2, "p[2] = 9 is not in [0, 2)"),
    ],
)
def test_the_first_bad_index_is_named_with_its_place(index: np.ndarray, size: int, message: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check_range("p", index, size)
    assert caught.value.message == message


def test_index_vectors_count_rows_in_row_major_order() -> None:
    indices = np.array([[[0, 0], [2, 1]], [[1, 3], [2, 3]]], "i4")
    assert flat_index(np, indices, (3, 4), "shape").tolist() == [0, 9, 7, 11]


def test_row_numbers_do_not_overflow_the_dtype_of_the_indices() -> None:
    indices = np.array([[30000, 30000]], "i2")
    assert flat_index(np, indices, (30001, 30001), "shape").tolist() == [30000 * 30001 + 30000]


def test_the_first_bad_index_vector_is_named_with_its_place() -> None:
    indices = np.array([[[0, 0], [1, 2]], [[5, 0], [-1, 0]]], "i4")
    with pytest.raises(InvalidArgumentError) as caught:
        flat_index(np, indices, (3, 2), "shape [3,2]")
    assert caught.value.message == "indices[0,1] = [1, 2] does not index into shape [3,2]"


# NumPy promises no order where an index repeats. These tests notice if the order that assign_rows relies on changes:
# small and large arrays (NumPy works in blocks of 8192), every width of a row, indices that lie backwards in memory.
@pytest.mark.parametrize("inner", ROWS.values(), ids=list(ROWS))
@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "f4", "f8", "c16", "O", tf.bfloat16.np])
@pytest.mark.parametrize("count", [5, 1000, 20_000])
def test_the_last_of_equal_indices_wins(dtype: str, inner: tuple[int, ...], count: int) -> None:
    if dtype == "O" and count > 1000:
        count = 9000
    rng = np.random.default_rng(count)
    height = max(count // 3, 1)
    index = rng.integers(0, height, count)
    rows = rng.integers(0, 2 if dtype == "?" else 100, (count, *inner)).astype(dtype)
    want = np.zeros((height, *inner), dtype)
    last = dict(zip(index.tolist(), range(count), strict=True))
    for place, i in last.items():
        want[place] = rows[i]
    for shown in (index, np.ascontiguousarray(index[::-1])[::-1], index.astype("i4"), np.repeat(index, 2)[::2]):
        got = np.zeros_like(want)
        assign_rows(np, got, shown, rows)
        assert np.array_equal(got, want)
    keep = last_of_each(np, index)
    assert dict(zip(index[keep].tolist(), keep.tolist(), strict=True)) == last


def test_rows_that_lie_anywhere_in_memory_are_assigned() -> None:
    rows = np.arange(24, dtype="f4").reshape(4, 6)
    for shown in (rows[:, ::2], rows[::-1, :3], np.asfortranarray(rows)[:, :3]):
        got = np.zeros((4, 3), "f4")
        assign_rows(np, got, np.array([3, 1, 0, 2]), shown)
        assert np.array_equal(got[[3, 1, 0, 2]], shown)
