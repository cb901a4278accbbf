"""Loops that read, write and add at given places agree with NumPy, and touch nothing else."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.graph.shapes.dtypes import bfloat16

from ...helpers import examples
from .fences import Array, fenced, key_of, loop, needs_the_tier
from .fences import empty as empty_buffer

pytestmark = needs_the_tier
KINDS = ("i2", "u2", "i4", "i8")
WIDTHS = (1, 2, 3, 4, 8, 12, 16, 20, 31, 32, 33, 64, 100, 255, 256, 257, 1000)
counts = st.sampled_from((0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 200))
shifts = st.integers(0, 7)
seeds = st.integers(0, 1 << 30)


def vectors(rng: np.random.Generator, kind: str, count: int, outer: tuple[int, ...]) -> Array:
    """Index vectors in range, with many duplicates."""
    return np.stack([rng.integers(0, size, count) for size in outer], 1).astype(kind)


def rows_of(rng: np.random.Generator, count: int, width: int) -> Array:
    return rng.integers(0, 256, (count, width), np.uint8)


def flat_places(index: Array, outer: tuple[int, ...]) -> Array:
    return np.asarray(np.ravel_multi_index(tuple(index.astype(np.int64).T), outer))


outers = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple)


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from(WIDTHS), st.sampled_from(KINDS), outers, shifts)
@example(1, 100, 4, "i4", (300,), 1)
def test_take_reads_the_rows_that_are_named(
    seed: int, count: int, width: int, kind: str, outer: tuple[int, ...], shift: int
) -> None:
    rng = np.random.default_rng(seed)
    index = fenced(vectors(rng, kind, count, outer), shift)
    rows = fenced(rows_of(rng, int(np.prod(outer)), width), shift)
    out = empty_buffer((count, width), np.uint8, shift)
    sizes = np.array(outer, np.int64)
    done = loop("take", key_of(width), kind, len(outer))(out.array, rows.array, index.array, sizes, count, width)
    assert done == count
    assert np.array_equal(out.array, rows.array[flat_places(index.array, outer)])
    for buffer in (index, rows, out):
        buffer.assert_whole()


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from(WIDTHS), st.sampled_from(KINDS), outers, shifts)
def test_put_writes_in_order_so_that_the_last_of_equal_places_stays(
    seed: int, count: int, width: int, kind: str, outer: tuple[int, ...], shift: int
) -> None:
    rng = np.random.default_rng(seed)
    index = fenced(vectors(rng, kind, count, outer), shift)
    rows = fenced(rows_of(rng, count, width), shift)
    before = rows_of(rng, int(np.prod(outer)), width)
    out = fenced(before, shift)
    sizes = np.array(outer, np.int64)
    done = loop("put", key_of(width), kind, len(outer))(out.array, rows.array, index.array, sizes, count, width)
    assert done == count
    expected = before.copy()
    for place, row in zip(flat_places(index.array, outer), rows.array, strict=True):
        expected[place] = row
    assert np.array_equal(out.array, expected)
    for buffer in (index, rows, out):
        buffer.assert_whole()


def bad_entries(kind: str, size: int) -> list[int]:
    limits = np.iinfo(kind)
    fitting = {b for b in (size, size + 1, limits.max, limits.min, -1) if limits.min <= b <= limits.max}
    return sorted(b for b in fitting if not 0 <= b < size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("template", ["take", "put", "add", "subtract"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_loop_stops_at_the_first_vector_that_points_outside(template: str, kind: str, depth: int) -> None:
    rng = np.random.default_rng(5)
    outer, count = (6, 5, 7)[:depth], 19
    size = int(np.prod(outer))
    for column in range(depth):
        for position in (0, 1, 9, count - 1):
            for bad in bad_entries(kind, outer[column]):
                index = vectors(rng, kind, count, outer)
                index[position, column] = bad
                if position < count - 1:
                    index[count - 1, 0] = bad_entries(kind, outer[0])[0]  # a later one is not reported
                taking = template == "take"
                out = fenced(np.zeros((count if taking else size, 3), "f4"))
                rows = fenced(rng.random((size if taking else count, 3), np.float32))
                combines = template in ("add", "subtract")
                key = ("f4", 3, kind, depth) if combines else (12, kind, depth)
                sizes = np.array(outer, np.int64)
                done = loop(template, *key)(out.array, rows.array, index, sizes, count, 3 if combines else 12)
                assert done == position
                out.assert_whole()
                rows.assert_whole()
                if taking:
                    assert not out.array[position:].any()


ADDED = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "bf", "f4", "f8", "c8", "c16"]


def numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    if dtype == "b1":
        return rng.random(shape) < 0.3
    if dtype == "bf":
        return (rng.standard_normal(shape) * 100).astype("f4").astype(bfloat16.np)
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    made: Any = rng.standard_normal(shape) * 10.0 ** rng.integers(-8, 8, shape)
    if dtype[0] == "c":
        made = made + 1j * rng.standard_normal(shape)
    with np.errstate(over="ignore"):
        made = made.astype(dtype)
    made.reshape(-1)[: made.size // 16] = np.inf
    return made  # type: ignore[no-any-return]  # an array of that dtype


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from(ADDED), st.sampled_from((1, 2, 3, 4, 5, 16, 40)), st.sampled_from(KINDS), shifts)
def test_add_adds_in_order_with_the_bits_of_add_at(
    seed: int, count: int, dtype: str, width: int, kind: str, shift: int
) -> None:
    _check_combined("add", operator.add, seed, count, dtype, width, kind, shift)


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from(ADDED[1:]), st.sampled_from((1, 2, 4, 5, 16, 40)), st.sampled_from(KINDS), shifts)
def test_subtract_subtracts_in_order_with_the_bits_of_subtract_at(
    seed: int, count: int, dtype: str, width: int, kind: str, shift: int
) -> None:
    _check_combined("subtract", operator.sub, seed, count, dtype, width, kind, shift)


def _check_combined(
    name: str, combine: Callable[[Any, Any], Any], seed: int, count: int, dtype: str, width: int, kind: str, shift: int
) -> None:
    rng = np.random.default_rng(seed)
    outer = (3, 4)
    index = fenced(vectors(rng, kind, count, outer), shift)
    rows = fenced(numbers(rng, dtype, (count, width)), shift)
    out = fenced(numbers(rng, dtype, (12, width)), shift)
    expected = out.array.copy()
    with np.errstate(all="ignore"):
        for place, row in zip(flat_places(index.array, outer), rows.array, strict=True):
            expected[place] = combine(expected[place], row)
    key = (dtype, width if width <= 4 else 0, kind, 2)
    assert loop(name, *key)(out.array, rows.array, index.array, np.array(outer, np.int64), count, width) == count
    assert_same_bits(out.array, expected)
    for buffer in (index, rows, out):
        buffer.assert_whole()


def assert_same_bits(found: Array, expected: Array) -> None:
    """Equal bits, where all NaNs count as one value."""
    if found.dtype.kind == "c":
        part = f"f{found.itemsize // 2}"
        found, expected = found.view(part), expected.view(part)
    number = found.dtype.kind == "f" or found.dtype == bfloat16.np
    same = found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")
    if number:
        same |= (found != found) & (expected != expected)
    assert same.all()
