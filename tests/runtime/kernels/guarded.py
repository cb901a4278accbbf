"""Compiled loops on buffers between forbidden pages: an access one byte outside ends the process.

Run as a program by `test_guarded.py`; it prints how many calls it made. Each kind of index in each width has code of
its own: with the argument `every` all are tried, and without it one of them after the other in some of the widths.
"""

import ctypes
import mmap
import sys
from typing import Any

import numpy as np

from penstock.runtime.kernels.loops.loop_keys import IN_WINDOWS, LARGE_BLOCK

from .fences import Array, addresses, key_of, loop

PAGE = mmap.PAGESIZE
_kept: list[Any] = []
_protect = ctypes.CDLL(None, use_errno=True).mprotect
_protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def beside(values: Any, at_end: bool) -> Array:
    """A copy of an array whose last byte (or first) is next to a page that nobody may touch."""
    values = np.asarray(values)
    pages = -(-values.nbytes // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    _kept.append(memory)
    raw = np.frombuffer(memory, np.uint8)
    for page in (0, pages + 1):
        assert _protect(raw.ctypes.data + page * PAGE, PAGE, 0) == 0, ctypes.get_errno()
    start = (pages + 1) * PAGE - values.nbytes if at_end else PAGE
    array: Array = raw[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array


def places(rng: np.random.Generator, at_end: bool, count: int, width: int, kind: str) -> int:
    """take, put, add and add_runs, with good vectors and with a bad last one."""
    outer, calls = (3, 4), 0
    sizes = beside(np.array(outer), at_end)
    index = beside(np.stack([rng.integers(0, n, count) for n in outer], 1).astype(kind), at_end)
    index[-1:] = np.array(outer) - 1  # the last row is read and written
    for bad in (False, True):
        if bad:
            index[-1:, 1] = np.iinfo(kind).max
        table, rows = (beside(np.zeros((n, width), np.uint8), at_end) for n in (12, count))
        key = (key_of(width), kind, 2)
        good = count - (bad and count > 0)
        assert loop("take", *key)(rows, table, index, sizes, count, width) == good
        assert loop("put", *key)(table, rows, index, sizes, count, width) == good
        wide = width if width <= 4 else 0
        assert loop("add", "u1", wide, kind, 2)(table, rows, index, sizes, count, width) == good
        flat = beside(np.full(count, 11, kind), at_end)
        flat[-1:] = np.iinfo(kind).min if bad else 0
        assert loop("add_runs", "u1", width, kind)(table, rows, flat, beside([12], at_end), count, width) == good
        calls += 4
    return calls


def parts(rng: np.random.Generator, at_end: bool, count: int, width: int) -> int:
    """count_labels, part, part_by_lines, bits, halves, where, merge and merge_two."""
    labels = beside(rng.integers(0, 2, count).astype(np.int32), at_end)
    rows = beside(np.zeros((count, width), np.uint8), at_end)
    counts = beside(np.zeros((4, 2), np.int64), at_end)
    narrow = beside(np.zeros(count, np.uint8), at_end)
    assert loop("count_labels", 4, 1)(counts, narrow, labels, count, 2) < 2
    sizes = counts.sum(0)
    made = [beside(np.zeros((n, width), np.uint8), at_end) for n in sizes]
    starts = addresses(made)
    places = beside(starts, at_end)
    loop("part", key_of(width), 1)(places, rows, narrow, count, width)
    if width in (1, 2, 4, 8, 16):
        lines = np.zeros(64 * 2 + 64, np.uint8)
        places[:] = starts
        lines = lines[-lines.ctypes.data % 64 :]
        loop("part_by_lines", width, 1)(places, beside(starts, at_end), lines, rows, narrow, count, 2)
    words = beside(np.zeros((count + 63) // 64, np.uint64), at_end)
    assert loop("mask_bits", 4, True)(words, labels, count) == sizes[1]
    assert loop("mask_bits", 1, False)(words, beside(labels != 0, at_end), count) == sizes[1]
    if width in (1, 2, 4, 8, 16):
        loop("compact", width, True)(*made, rows, words, count, *sizes.tolist())
        loop("compact", width, False)(made[1], made[1], rows, words, count, 0, int(sizes[1]))
    found = beside(np.zeros((int(sizes[1]), 1), np.int64), at_end)
    assert loop("where", 1)(found, beside(labels != 0, at_end), beside([count], at_end), sizes[1].item()) == sizes[1]
    assert np.array_equal(found[:, 0], np.flatnonzero(labels))
    lists = [beside(np.flatnonzero(labels == k).astype(np.int32), at_end) for k in (0, 1)]
    merged = beside(np.zeros((count, width), np.uint8), at_end)
    lengths, dones = beside(sizes, at_end), beside(np.zeros(2, np.int64), at_end)
    pointers = [beside(addresses(x), at_end) for x in (lists, made)]
    scratch = beside(np.zeros(LARGE_BLOCK, np.uint8), at_end)
    in_scratch = width in (1, 2, 4, 8, 16) and not at_end  # there the result begins with a page
    assert loop("merge", key_of(width), in_scratch)(merged, scratch, *pointers, lengths, dones, 2, 0, count, width) == 1
    assert np.array_equal(dones, lengths)
    if width in IN_WINDOWS:
        dones[...] = 0
        filled = loop("merge_two", width, in_scratch)(merged, *pointers, lengths, dones, 0, count)
        assert dones.sum() == filled <= count
    return 9 + (width in IN_WINDOWS)


KINDS = ("i2", "i4", "i8")
WIDTHS = (1, 3, 4, 16, 24, 64, 256, 300)
OF_EACH_KIND = (1, 3, 4, 24, 300)
"""Of one byte, an odd one, a power of two, of several words, and wider than rows with code of their own."""


def main(every: bool) -> int:
    rng = np.random.default_rng(0)
    calls = 0
    for at_end in (True, False):
        for count in (0, 1, 15, 64, 65, 200):
            for number, width in enumerate(WIDTHS if every else OF_EACH_KIND):
                for kind in KINDS if every or width == 4 else KINDS[number % 3 :][:1]:
                    calls += places(rng, at_end, count, width, kind)
                calls += parts(rng, at_end, count, width)
                _kept[:] = []
    print(calls)
    return 0


if __name__ == "__main__":
    sys.exit(main("every" in sys.argv))
