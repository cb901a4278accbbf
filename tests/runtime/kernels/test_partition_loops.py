"""Loops that partition and stitch rows agree with NumPy, and touch nothing else."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.runtime.kernels.loops.loop_keys import IN_REGISTER, IN_WINDOWS, LARGE_BLOCK
from penstock.runtime.kernels.loops.merge_windows import WINDOW, has_windows

from ...helpers import examples
from .fences import Array, Fenced, addresses, empty, fenced, key_of, loop, needs_the_tier

pytestmark = needs_the_tier
seeds = st.integers(0, 1 << 30)
shifts = st.integers(0, 7)
counts = st.sampled_from((0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 500, 1000))
lengths = st.lists(counts, min_size=1, max_size=5) | st.lists(st.integers(0, 40), min_size=6, max_size=30)
lengths |= st.just([3, 0, 9] * 80)
WIDTHS = (1, 2, 4, 8, 12, 16, 24, 64, 256, 300)


# ---- counting and parting -------------------------------------------------------------------------


label_bytes = st.sampled_from((1, 2, 4))


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from((1, 4)), st.sampled_from((1, 2, 3, 16, 256, 1000)), label_bytes, shifts)
def test_labels_are_counted(seed: int, count: int, tables: int, parts: int, size: int, shift: int) -> None:
    if parts > 256 ** size:
        size = 2
    labels = fenced(np.random.default_rng(seed).integers(0, parts, 9 * count, np.int32), shift)
    narrow = empty((9 * count,), np.dtype(f"u{size}"))
    found = fenced(np.zeros((tables, parts), np.int64))
    call = loop("count_labels", tables, size)
    assert call(found.array, narrow.array, labels.array, 9 * count, parts) == labels.array.max(initial=0)
    assert np.array_equal(found.array.sum(0), np.bincount(labels.array, minlength=parts))
    assert np.array_equal(narrow.array, labels.array)
    found.assert_whole()
    narrow.assert_whole()


@pytest.mark.parametrize("bad", [-1, 5, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("position", [0, 1, 2, 3, 4, 50, 4095, 4096, 8097, 8098])
@pytest.mark.parametrize("tables", [1, 4])
def test_the_largest_label_says_whether_one_is_out_of_range(tables: int, position: int, bad: int) -> None:
    labels = np.random.default_rng(3).integers(0, 5, 8099, np.int32)
    labels[position] = bad
    counts, narrow = fenced(np.zeros((tables, 5), np.int64)), empty((8099,), np.uint8)
    assert loop("count_labels", tables, 1)(counts.array, narrow.array, labels, 8099, 5) == bad % 2**32
    assert narrow.array.max() < 5
    counts.assert_whole()
    narrow.assert_whole()


def parts_for(rows: Array, labels: Array, parts: int, shift: int = 0) -> tuple[list[Fenced], Array]:
    made = [empty((int((labels == k).sum()), rows.shape[1]), rows.dtype, shift) for k in range(parts)]
    return made, addresses([m.array for m in made])


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from((1, 2, 3, 20)), st.sampled_from(WIDTHS), label_bytes, shifts)
def test_rows_go_in_order_where_their_labels_say(
    seed: int, count: int, parts: int, width: int, size: int, shift: int
) -> None:
    rng = np.random.default_rng(seed)
    labels = fenced(rng.integers(0, parts, count).astype(f"u{size}"), shift)
    rows = fenced(rng.integers(0, 256, (count, width), np.uint8), shift)
    made, places = parts_for(rows.array, labels.array, parts, shift)
    starts = places.copy()
    assert loop("part", key_of(width), size)(places, rows.array, labels.array, count, width) == 0
    for k, part in enumerate(made):
        part.assert_whole()
        assert places[k] == starts[k] + part.array.nbytes
        assert np.array_equal(part.array, rows.array[labels.array == k])


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts, st.sampled_from((1, 3, 20)), st.sampled_from((1, 2, 4, 8, 16)), label_bytes, shifts)
def test_elements_that_are_collected_in_lines_arrive_in_order(
    seed: int, count: int, parts: int, width: int, size: int, shift: int
) -> None:
    rng = np.random.default_rng(seed)
    labels = fenced(rng.integers(0, parts, 3 * count).astype(f"u{size}"), shift)
    rows = fenced(rng.integers(0, 256, (3 * count, width), np.uint8), shift)
    made, places = parts_for(rows.array, labels.array, parts, width * shift)
    lines = empty((64 * parts,), np.uint8)
    if any(place % width for place in places) or lines.array.ctypes.data % 64:
        lines = fenced(np.zeros(64 * parts, np.uint8))
    starts = places.copy()
    call = loop("part_by_lines", width, size)
    assert call(places, starts, lines.array, rows.array, labels.array, 3 * count, parts) == 0
    for k, part in enumerate(made):
        part.assert_whole()
        assert np.array_equal(part.array, rows.array[labels.array == k])
    lines.assert_whole()


# ---- in two ---------------------------------------------------------------------------------------

PATTERNS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "mixed": lambda rng, n: rng.integers(0, 2, n),
    "few": lambda rng, n: rng.random(n) < 0.01,
    "many": lambda rng, n: rng.random(n) > 0.01,
    "none": lambda rng, n: np.zeros(n),
    "all": lambda rng, n: np.ones(n),
    "sorted": lambda rng, n: np.arange(n) > n // 3,
}


@settings(deadline=None, max_examples=examples(3))
@given(seeds, counts, st.sampled_from(sorted(PATTERNS)), st.sampled_from((1, 2, 4, 8, 16)), shifts, st.booleans())
def test_elements_are_taken_apart_in_two(
    seed: int, count: int, pattern: str, width: int, shift: int, both: bool
) -> None:
    rng = np.random.default_rng(seed)
    labels = fenced(PATTERNS[pattern](rng, count).astype("i4" if both else "?"), shift)
    rows = fenced(rng.integers(0, 256, (count, width), np.uint8), shift)
    words = fenced(np.zeros((count + 63) // 64, np.uint64))
    ones = loop("mask_bits", 4 if both else 1, both)(words.array, labels.array, count)
    assert ones == labels.array.sum()
    unpacked = np.unpackbits(words.array.view(np.uint8), bitorder="little")[:count]
    assert np.array_equal(unpacked, labels.array)
    parts = [empty((n, width), np.uint8, shift) for n in (count - ones if both else 0, ones)]
    loop("compact", width, both)(*[p.array for p in parts], rows.array, words.array, count, count - ones, ones)
    for k, part in enumerate(parts):
        part.assert_whole()
        if both or k:
            assert np.array_equal(part.array, rows.array[labels.array == k])
    for buffer in (labels, rows, words):
        buffer.assert_whole()


@pytest.mark.parametrize("bad", [-1, 2, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_a_label_that_is_neither_0_nor_1_is_noticed_everywhere(size: int, bad: int) -> None:
    for position in range(size):
        labels = np.ones(size, np.int32)
        labels[position] = bad
        words = fenced(np.zeros((size + 63) // 64, np.uint64))
        assert loop("mask_bits", 4, True)(words.array, labels, size) == -1
        words.assert_whole()


# ---- together -------------------------------------------------------------------------------------


def merged(
    lists: list[Array], rows: list[Array], height: int, width: int, in_scratch: bool = False
) -> tuple[int, Fenced]:
    out, scratch = empty((height, width), np.uint8), empty((LARGE_BLOCK,), np.uint8)
    sizes = np.array([len(i) for i in lists], np.int64)
    dones, merging = np.zeros_like(sizes), loop("merge", key_of(width), in_scratch)
    given_lists = (scratch.array, addresses(lists), addresses(rows), sizes, dones, len(lists))
    # Two calls, as two threads make them.
    middle = height // 192 * 64
    shares = ((0, middle), (middle, height))
    in_order = [merging(out.array, *given_lists, low, high, width) for low, high in shares]
    scratch.assert_whole()
    return int(min(in_order) and np.array_equal(dones, sizes)), out


@settings(deadline=None, max_examples=examples(2))
@given(seeds, lengths, st.sampled_from(WIDTHS), st.sampled_from((1, 40, 3000, 70_000)))
def test_sorted_lists_are_merged_and_the_rest_is_zero(seed: int, sizes: list[int], width: int, high: int) -> None:
    in_scratch = width in IN_REGISTER and seed % 2 == 0
    rng = np.random.default_rng(seed)
    lists = [fenced(np.sort(rng.integers(0, high, n)).astype(np.int32)) for n in sizes]  # with duplicates
    rows = [fenced(rng.integers(0, 256, (n, width), np.uint8)) for n in sizes]
    height = max(int(i.array.max(initial=-1)) for i in lists) + 1
    expected = np.zeros((height, width), np.uint8)
    for index, row in zip(lists, rows, strict=True):
        for i, r in zip(index.array, row.array, strict=True):
            expected[i] = r
    done, out = merged([i.array for i in lists], [r.array for r in rows], height, width, in_scratch)
    assert done == 1
    assert np.array_equal(out.array, expected)
    for buffer in (*lists, *rows, out):
        buffer.assert_whole()


def merged_by_windows(lists: list[Array], rows: list[Array], low: int, height: int, past: bool) -> tuple[int, Fenced]:
    """How far two lists are merged from row `low` on, and the rows; `dones` must agree with it."""
    width = rows[0].shape[1]
    out, sizes = empty((height, width), np.uint8), np.array([len(i) for i in lists], np.int64)
    dones = np.array([np.searchsorted(i, low) for i in lists], np.int64)
    before = dones.copy()
    reached = loop("merge_two", width, past)(out.array, addresses(lists), addresses(rows), sizes, dones, low, height)
    assert (dones - before).sum() == reached - low and (dones <= sizes).all()
    return reached, out


@settings(deadline=None, max_examples=examples(4))
@given(seeds, counts, st.sampled_from(sorted(PATTERNS)), st.sampled_from(IN_WINDOWS), shifts, st.booleans())
def test_two_lists_are_merged_by_windows_until_one_ends(
    seed: int, count: int, pattern: str, width: int, shift: int, past: bool
) -> None:
    rng = np.random.default_rng(seed)
    labels, elements = PATTERNS[pattern](rng, 3 * count), rng.integers(0, 256, (3 * count, width), np.uint8)
    places = [np.flatnonzero(labels == k).astype(np.int32) for k in range(2)]
    lists, rows = [fenced(i, shift) for i in places], [fenced(elements[i], shift) for i in places]
    low = min(3 * count, 64 * (seed % 3))
    reached, out = merged_by_windows([i.array for i in lists], [r.array for r in rows], low, 3 * count, past)
    assert np.array_equal(out.array[low:reached], elements[low:reached])
    if has_windows(width):  # it ends where a list or the result has less than a window left
        left = min([len(i) - int((i < reached).sum()) for i in places])
        assert reached + WINDOW > 3 * count or left < WINDOW
    for buffer in (*lists, *rows, out):
        buffer.assert_whole()


FAULTS: dict[str, Callable[[Array, int], None]] = {
    "doubled": lambda index, k: index.__setitem__(k, index[k + 1]),
    "missing": lambda index, k: index.__setitem__(slice(k, None), index[k:] + 1),
    "negative": lambda index, k: index.__setitem__(k, -1),
    "beyond": lambda index, k: index.__setitem__(k, 2**31 - 1),
    "far below": lambda index, k: index.__setitem__(k, -(2**31)),
    "exchanged": lambda index, k: index.__setitem__([k, k + 1], index[[k + 1, k]]),
    "of the other list": lambda index, k: index.__setitem__(k, index[k] + 1),
    "a window later": lambda index, k: index.__setitem__(k, index[k] + WINDOW),
}


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_window_whose_places_are_wrong_is_not_believed(fault: str, which: int) -> None:
    elements = np.arange(8000, dtype=np.uint32).view(np.uint8).reshape(8000, 4)
    labels = np.random.default_rng(which).integers(0, 2, 8000)
    labels[3000:3064] = np.arange(64) % 2
    for k in range(40):
        places = [np.flatnonzero(labels == each).astype(np.int32) for each in range(2)]
        rows = [elements[i] for i in places]
        spoiled = int(np.searchsorted(places[which], 3000)) + k % 30
        FAULTS[fault](places[which], spoiled)
        place = int(np.flatnonzero(labels == which)[spoiled])
        reached, out = merged_by_windows(places, rows, 64 * (k // 20), 8000, k % 2 == 0)
        assert reached <= place // WINDOW * WINDOW, "a wrong place was believed"
        assert reached == place // WINDOW * WINDOW or not has_windows(4) or reached + WINDOW > place
        assert np.array_equal(out.array[64 * (k // 20) : reached], elements[64 * (k // 20) : reached])
        out.assert_whole()


@pytest.mark.parametrize("place", [400, 401, 414])
def test_a_window_with_a_place_twice_in_one_list_is_not_believed(place: int) -> None:
    elements = np.arange(1000, dtype=np.uint32).view(np.uint8).reshape(1000, 4)
    places = [np.arange(k, 1000, 2, dtype=np.int32) for k in range(2)]
    places[place % 2] = np.insert(places[place % 2], place // 2, place)  # 414 is the last one of its window
    reached, _ = merged_by_windows(places, [elements[i] for i in places], 0, 1000, False)
    assert reached == (place // WINDOW * WINDOW if has_windows(4) else 0)


@pytest.mark.parametrize("bad", [-1, 5000, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("position", [0, 1, 1000, 4998, 4999])
def test_a_list_with_an_index_outside_is_refused(position: int, bad: int) -> None:
    rows = np.random.default_rng(0).integers(0, 256, (5000, 64), np.uint8)
    index = np.arange(5000, dtype=np.int32)
    index[position] = bad
    done, out = merged([index], [rows], 5000, 64)
    assert done == 0
    out.assert_whole()


def test_a_list_that_steps_back_over_a_block_is_refused() -> None:
    index = np.arange(5000, dtype=np.int32)
    index[4999] = 0
    rows = np.zeros((5000, 64), np.uint8)
    assert merged([index], [rows], 5000, 64)[0] == 0
