"""Do the fast ways of moving elements give what NumPy's plain functions give?"""

from itertools import product
from typing import Any

import numpy as np
import pytest

from penstock.graph.dtypes import as_dtype, bfloat16, int32
from penstock.graph.op_declaration import OPS
from penstock.ops.moving import (
    BLOCK,
    MANY,
    choose,
    choose_rows,
    chosen_rows,
    concatenated,
    copied,
    copy_into,
    framed,
    partition_rows,
    repeated,
    stacked,
    starts_reversed,
    take_rows,
)

DTYPES = ["?", bfloat16.np, "f4", "c8", "c16", object]  # of 1, 2, 4, 8 and 16 bytes, and Python objects
LENGTHS = [0, 1, MANY, BLOCK + 3]
Array = np.ndarray[Any, np.dtype[Any]]

every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def values(shape: Any, dtype: Any, seed: int = 0) -> Array:
    numbers = np.random.default_rng(seed).integers(0, 200, shape)
    if dtype is object:
        texts = np.empty(shape, object)
        texts[...] = np.array([b"%d" % n for n in range(200)], object)[numbers]
        return texts
    return np.asarray(numbers, dtype)


def layouts(array: Array) -> list[Array]:
    """The same values in other memory: column-major, backwards, with gaps, read-only."""
    turned = (slice(None, None, -1),) * array.ndim
    wide = np.repeat(array, 2, axis=-1)[..., ::2]
    locked = array.copy()
    locked.flags.writeable = False
    return [array, np.asfortranarray(array), array[turned].copy()[turned], wide, locked]


def assert_same(got: Array, want: Array, *inputs: Array) -> None:
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype == object:
        assert got.tolist() == want.tolist()
    else:
        assert np.ascontiguousarray(got).tobytes() == np.ascontiguousarray(want).tobytes()
    assert not any(np.shares_memory(got, given) for given in inputs)


@every_dtype
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_are_taken_chosen_and_parted_as_by_indexing(dtype: Any, length: int) -> None:
    rng = np.random.default_rng(length)
    for width in ((), (3,), (0,)):
        rows = values((length, *width), dtype)
        index = rng.integers(0, max(length, 1), length).astype("i4")
        mask, labels = rng.random(length) < 0.3, rng.integers(0, 20, length).astype("i4")
        for array in layouts(rows) if length <= MANY else [rows]:
            assert_same(take_rows(np, array, index), rows[index], array)
            assert_same(chosen_rows(np, array, mask), rows[mask], array)
            assert_same(chosen_rows(np, array, mask * np.float32(0.5)), rows[mask], array)
            for count in (3, 20):
                parts = partition_rows(np, array, labels % count, count)
                assert len(parts) == count
                for k, part in enumerate(parts):
                    assert_same(part, rows[labels % count == k], array)


@pytest.mark.parametrize("count", [255, 256, 257, 300, 65_535, 65_536, 65_537])
def test_labels_at_the_ends_of_8_and_16_bits_part_as_well(count: int) -> None:
    labels = np.random.default_rng(count).integers(0, count, 2 * MANY).astype("i4")
    labels[:4] = 0, count - 1, count // 2, count - 2
    parts = partition_rows(np, np.arange(2 * MANY), labels, count)
    for k in {0, 1, 254, 255, 256, count // 2, count - 2, count - 1} & set(range(count)):
        assert parts[k].tolist() == np.flatnonzero(labels == k).tolist()


def test_more_labels_than_16_bits_hold_part_as_well() -> None:
    labels = np.random.default_rng(0).integers(0, 70_000, 3 * MANY).astype("i4")
    parts = partition_rows(np, np.arange(3 * MANY), labels, 70_000)
    for k in (0, 1, 255, 256, 65_535, 65_536, int(labels[0]), 69_999):
        assert parts[k].tolist() == np.flatnonzero(labels == k).tolist()


@every_dtype
@pytest.mark.parametrize("length", LENGTHS)
def test_a_choice_between_two_is_that_of_where(dtype: Any, length: int) -> None:
    t, e = values(length, dtype), values(length, dtype, seed=1)
    rng = np.random.default_rng(0)
    random = rng.random(length) < 0.5
    runs = np.sort(random)
    for mask in (random, runs, random | True, random & False):
        for one, other in product(layouts(t), layouts(e)[:2]):
            assert_same(choose(np, mask, one, other), np.where(mask, t, e), one, other)
        rows, others = np.repeat(t[:, None], 2, 1), np.repeat(e[:, None], 2, 1)
        for one in layouts(rows):
            assert_same(choose_rows(np, mask, one, others), np.where(mask[:, None], rows, others), one, others)


def test_a_choice_keeps_the_bits_of_nan_and_of_negative_zero() -> None:
    t = np.resize(np.array([0x7FC00001, 0x80000000, 0xFF800001, 1], "u4"), BLOCK).view("f4")
    mask = np.random.default_rng(0).random(BLOCK) < 0.5
    got = choose(np, mask, t, -t)
    assert got.view("u4").tolist() == np.where(mask, t.view("u4"), (-t).view("u4")).tolist()


SHAPES = [(0, 3), (7,), (MANY,), (200, 100), (MANY, 1), (MANY // 4, 2, 3), (MANY, 0), (1, MANY)]


@every_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_joining_repeating_and_padding_give_what_numpy_gives(dtype: Any, shape: tuple[int, ...]) -> None:
    if dtype is object:
        shape = tuple([min(d, 50) for d in shape])  # Python objects never take the fast ways, however many they are
    a, b = values(shape, dtype), values(shape, dtype, seed=1)
    for one in layouts(a):
        assert_same(copied(np, one), a, one)
        for axis in range(a.ndim):
            assert_same(concatenated(np, [one, b, one], axis), np.concatenate([a, b, a], axis), one, b)
        for axis in range(-a.ndim - 1, a.ndim + 1):
            assert_same(stacked(np, [one, b], axis), np.stack([a, b], axis), one, b)
        for factors in product((0, 1, 2), repeat=a.ndim):
            assert_same(repeated(np, one, factors), np.tile(a, factors), one)
        if dtype is not object:
            for frame in product(((0, 0), (2, 1)), repeat=a.ndim):
                assert_same(framed(np, one, frame), np.pad(a, frame), one)
        target = np.empty(shape, a.dtype)
        copy_into(target, one)
        assert_same(target, a, one)


@every_dtype
def test_starts_are_reversed_row_by_row(dtype: Any) -> None:
    if dtype is object:
        return  # rows of Python objects never come here
    lengths = np.random.default_rng(0).integers(0, 6, 10_000)
    for tail in ((), (3,)):
        rows = values((10_000, 5, *tail), dtype)
        want = rows.copy()
        for row, length in zip(want, lengths, strict=True):
            row[:length] = row[:length][::-1].copy()
        assert_same(starts_reversed(np, rows, lengths), want, rows)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
def test_ints_close_together_have_the_same_unique_values_as_by_sorting(dtype: str) -> None:
    unique = OPS["Unique"].kernels
    near = np.random.default_rng(0).integers(0, 100, 5000).astype(dtype)
    ends = np.iinfo(dtype)
    for low in (0, ends.min, ends.max - 100):
        x = near + np.array(low, dtype)
        for got, want in zip(unique["numpy"](np, x, int32), unique["*"](np, x, int32), strict=True):
            assert_same(got, want, x)


@pytest.mark.parametrize("shape", [(3 * BLOCK + 1,), (300, 400), (0, 5), (20, 30, 40)], ids=str)
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_the_places_of_what_is_true_are_those_of_argwhere(shape: tuple[int, ...], dtype: str) -> None:
    condition = np.asarray(values(shape, "i4") % 3, dtype)
    for array in layouts(condition):
        assert_same(OPS["Where"].kernels["numpy"](np, array), np.argwhere(condition), array)


KINDS: list[Any] = ["?", "i1", "u2", "i4", "i8", "u8", "f2", bfloat16.np, "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("source", KINDS, ids=str)
def test_many_numbers_are_cast_as_few_are(source: Any) -> None:
    kind = np.dtype(source)
    given = np.resize([0, 1, 2.5, 100, 3, 7], MANY + 5).astype(source)
    cases = [given]
    if kind.kind in "fcV":
        wild = given.copy()
        wild[3:9] = [np.nan, np.inf, -np.inf, -0.0, 3e4, -3e4]
        if kind.itemsize > 2:
            wild[-3:] = [3e9, -3e9, 1e20]
        cases.append(wild)
    for array in cases:
        for target in KINDS:
            dtype = as_dtype(np.dtype(target))
            if dtype.np == kind:
                continue
            cast = OPS["Cast"].kernels["numpy"]
            with np.errstate(all="ignore"):
                want = np.concatenate([cast(np, array[i : i + 100], dtype) for i in range(0, len(array), 100)])
                for layout in layouts(array):
                    assert_same(cast(np, layout, dtype), want, layout)


@every_dtype
@pytest.mark.parametrize(("width", "times"), [(1, 9), (2, 9), (8, 2), (9, 3), (33, 2), (33, 17)])
def test_columns_are_repeated_whatever_their_width(dtype: Any, width: int, times: int) -> None:
    rows = values((MANY // width + 3, width), dtype)
    for given in layouts(rows):
        assert_same(repeated(np, given, [1, times]), np.tile(given, (1, times)), given)
