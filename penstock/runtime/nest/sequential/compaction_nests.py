"""Stream compaction: nests that split the elements of a vector by a mask, keep the selected ones, or put them together.

First `mask_bits` makes one bit of each label and counts them, a register at a time. The second walk then reads one bit
instead of a label of 32, and cannot differ from what was counted. It stores each element in both results and advances
one of them, so that there is no branch to predict.
"""

from __future__ import annotations

from typing import Any, Final

from ....graph.shapes.dtypes import int64
from ...ir.scalar_ir import MODULE
from ...kernels.loops.merge_windows import WINDOW, has_windows
from ...kernels.loops.stream_compaction import has_compress
from .nest_builder import NestBuilder, bits_of, dtype_of_key, nest
from .sequential_ir import SequentialNest

_SEEN: Final = 16
"""Lanes in which labels are collected: see `stream_compaction`."""
_UNROLLED: Final = 8


@nest("mask_bits", "words labels", "count")
def mask_bits(n: NestBuilder, label_bytes: int, binary: bool) -> SequentialNest:
    """loop(words, labels, count) -> how many labels are not 0; -1 if `binary` and one is neither 0 nor 1.

    words: u64 [(count + 63) // 64]; bit j of word w is set where label 64 * w + j is not 0. Lowest bit first, as both
    processors have it.
    """
    one, seen, ones = dtype_of_key(f"u{label_bytes}"), n.own_memory(64), n.own_memory(8)
    whole, last = n.count // 64, n.kept(0, int64)
    n.put(ones, [], n.kept(0, int64))
    with n.each("z", 8, vector=1) as z:
        n.put(seen, [(z, 8)], n.kept(0, int64))
    with n.each("w", whole, vector=1) as w:
        n.call("bits_of_labels", (n.words, [(w, 8)]), (seen, []), (ones, []), (n.labels, [(w, 64 * label_bytes)]))
    with n.when(whole * 64 < n.count):
        with n.each("r", n.count - whole * 64, vector=1) as r:
            label = n.read(n.labels, [(whole, 64 * label_bytes), (r, label_bytes)], one)
            bit = (label != 0).astype(int64.np)
            n.keep(last, last | (bit << r))
            n.put(ones, [], n.read(ones, [], int64) + bit)
            n.put(seen, [], n.read(seen, [], one) | label)
        n.put(n.words, [(whole, 8)], last)
    if binary:
        with n.each("s", _SEEN, vector=1) as s:
            n.check(n.read(seen, [(s, label_bytes)], one).astype(int64.np), 2, -1)
    return n.done(n.read(ones, [], int64))


@nest("compact", "zeros ones elements words", "count room_zeros room_ones")
def compact(n: NestBuilder, element_bytes: int, both: bool) -> SequentialNest:
    """loop(zeros, ones, elements, words, count, room for zeros, room for ones) -> 0.

    The elements whose bit is set go to `ones`, the others to `zeros`, or nowhere if not `both`. 64 elements are moved
    without a branch where both results have room for as many: a register at a time on processors that can (1e7 float32
    in random order into two parts: 7.2 ms in all instead of 12.1), else one at a time.
    """
    size, b, gained = element_bytes, n.kept(0, int64), n.own_memory(8)

    def element(first: Any, e: Any) -> Any:
        place = [(first, size), (e, size)]
        return n.read_row(n.elements, place, size) if size == 16 else n.read(n.elements, place, bits_of(size))

    with n.each("w", (n.count + 63) // 64, vector=1) as w:
        first, word = w * 64, n.read(n.words, [(w, 8)], int64)
        a, left = first - b, MODULE.minimum(n.count - first, 64)
        fits = (left == 64) & (b + 64 <= n.room_ones)
        if both:
            fits &= a + 64 <= n.room_zeros
        is_mixed = (word != 0) & (word != -1)
        with n.when(fits & (word == 0)):
            if both:
                n.put(n.zeros, [(a, size)], n.read_row(n.elements, [(first, size)], 64 * size))
        with n.when(fits & (word == -1)):
            n.put(n.ones, [(b, size)], n.read_row(n.elements, [(first, size)], 64 * size))
            n.keep(b, b + 64)
        with n.when(fits & is_mixed):
            if has_compress(size):
                n.call("compress", (n.zeros, [(a, size)]), (n.ones, [(b, size)]), (n.elements, [(first, size)]),
                       (gained, []), word)  # fmt: skip
                n.keep(b, b + n.read(gained, [], int64))
            else:
                with n.each("u", 64 // _UNROLLED, vector=1) as u:
                    some = word >> (u * _UNROLLED)
                    for q in range(_UNROLLED):
                        e = u * _UNROLLED + q
                        value = element(first, e)
                        if both:
                            n.put(n.zeros, [(first + e - b, size)], value)
                        n.put(n.ones, [(b, size)], value)
                        n.keep(b, b + ((some >> q) & 1))
        with n.when(MODULE.logical_not(fits)), n.each("e", left, vector=1) as e:
            value, bit = element(first, e), (word >> e) & 1
            if both:
                with n.when(bit == 0):
                    n.put(n.zeros, [(first + e - b, size)], value)
            with n.when(bit != 0):
                n.put(n.ones, [(b, size)], value)
            n.keep(b, b + bit)
    return n.done()


@nest("merge_two", "result indices rows counts dones", "low height")
def merge_two(n: NestBuilder, element_bytes: int, past_caches: bool) -> SequentialNest:
    """loop(result, indices, rows, counts, dones, low, height) -> the place up to which the result is filled.

    What `merge` (`table_nests.py`) does, for two lists of elements: a window of places at a time, without a branch, on
    processors that can. It ends before the first window whose places do not stand once each in the lists, in order, or
    that one of the lists ends in; `merge` goes on there. `past_caches`: place `low` begins a line of the cache.

    1e7 float32 in random order from two lists: 4.2 ms, as much as must be read and written, beside 5.5 of `merge`.
    """
    size, place, gained = element_bytes, n.kept(n.low, int64), n.own_memory(8)
    if not has_windows(size):
        return n.done(n.low)
    window = n.own_memory(WINDOW * size)
    counts, indices, rows = ([n.read(of, [8 * k], int64) for k in range(2)] for of in (n.counts, n.indices, n.rows))
    dones = [n.kept(n.read(n.dones, [8 * k], int64), int64) for k in range(2)]
    with n.repeat():
        n.leave(place + WINDOW > n.height)
        for done, count in zip(dones, counts, strict=True):
            n.leave(done + WINDOW > count)
        entries = [(of[k], [(dones[k], width)]) for of, width in ((rows, size), (indices, 4)) for k in range(2)]
        to = (window, []) if past_caches else (n.result, [(place, size)])
        n.call("merge_window", to, *entries, (gained, []), place)
        gain = n.read(gained, [], int64)
        n.leave(gain < 0)
        if past_caches:
            for line in range(0, WINDOW * size, 64):
                n.put(n.result, [(place, size), line], n.read_row(window, [line], 64), past_caches=True)
        n.keep(place, place + WINDOW)
        n.keep(dones[0], dones[0] + gain)
        n.keep(dones[1], dones[1] + (WINDOW - gain))
    for k, done in enumerate(dones):
        n.put(n.dones, [8 * k], done)
    return n.done(place)
