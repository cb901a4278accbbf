"""Nests that read serialised examples: see `ops.records.example_table`.

    scan_examples  where the values of the wanted features are, and how many there are
    fill_examples  these values, in arrays

They read only what every writer of examples writes: one field after the other, each once. The scan gives the number of
the first example that is written in another way, or damaged, and Python reads the batch instead; so there are no errors
to tell.
"""

from __future__ import annotations

from typing import Any, Final

from ....graph.shapes.dtypes import int32, int64, uint8, uint64
from .nest_builder import NestBuilder, nest
from .sequential_ir import SequentialNest

_OFFSET: Final = 14695981039346656037
_PRIME: Final = 1099511628211
_IN_ORDER: Final = 10
"""The byte before a field of bytes with the number 1."""
_SECOND: Final = 18
"""The same with the number 2."""


def _byte(n: NestBuilder, *terms: Any) -> Any:
    return n.read(n.data, terms, uint8).astype(int64.np)


def _number(n: NestBuilder, at: Any, end: Any, bits: int, bad: Any) -> Any:
    """The number that begins at `at`, a kept value, which goes on behind it; the nest ends with `bad` if it has no end
    before `end`, which is None where that is known, or not within so many bits."""
    if end is not None:
        n.check(at, end, bad)
    number = n.kept(_byte(n, at), int64)
    n.keep(at, at + 1)
    with n.when(number > 127):
        n.keep(number, number & 127)
        shift = n.kept(7, int64)
        with n.repeat():
            if end is not None:
                n.check(at, end, bad)
            n.check(shift, bits, bad)
            byte = _byte(n, at)
            n.keep(number, number | (byte & 127) << shift)
            n.keep(at, at + 1)
            n.keep(shift, shift + 7)
            n.leave(byte < 128)
    return number


def _sized(n: NestBuilder, start: Any, end: Any, tag: Any, bad: Any, is_whole: bool = False) -> tuple[Any, Any]:
    """Where the bytes of the field at `start` begin and end; the nest ends with `bad` unless the field has this tag and
    ends before or, if `is_whole`, at `end`."""
    n.check(start + 1, end, bad)
    n.check(_byte(n, start) ^ tag, 1, bad)
    at = n.kept(start + 1, int64)
    stop = _number(n, at, end, 35, bad) + at
    n.check(end - stop, 1 if is_whole else 1 << 62, bad)
    return at, stop


@nest("scan_examples", "data starts slots keys key_starts spans kinds counts", "examples wanted mask")
def scan_examples(n: NestBuilder) -> SequentialNest:
    """loop(data, starts, slots, keys, key starts, spans, kinds, counts, examples, wanted, mask) -> examples, if all
    are read, else the number of the first one that is not.

    `slots` is a table of hashes: 1 + the number of a key, 0 where there is none. For each example and key, `kinds` gets
    1 for bytes, 2 for floats, 3 for ints, 4 for a feature without a list; `counts` the number of values, and `spans`
    where they begin and end.
    """
    with n.each("e", n.examples) as e:
        start, end = n.read(n.starts, [(e, 8)], int64), n.read(n.starts, [(e, 8), 8], int64)
        with n.when(start != end):
            first, _ = _sized(n, start, end, _IN_ORDER, e, is_whole=True)
            at = n.kept(first, int64)
            with n.repeat():
                n.leave(at >= end)
                entry, entry_end = _sized(n, at, end, _IN_ORDER, e)
                key, key_end = _sized(n, entry, entry_end, _IN_ORDER, e)
                value, value_end = _sized(n, key_end, entry_end, _SECOND, e, is_whole=True)
                k = _found_key(n, key, key_end)
                with n.when(k >= 0):
                    _scan_feature(n, e, e * n.wanted + k, value, value_end)
                n.keep(at, entry_end)
    return n.done(n.examples)


def _found_key(n: NestBuilder, begin: Any, end: Any) -> Any:
    """The number of the key that lies there; -1 if it is not wanted."""
    mixed, k, length = n.kept(_OFFSET, uint64), n.kept(-1, int64), end - begin
    with n.each("b", length) as b:
        n.keep(mixed, (mixed ^ n.read(n.data, [begin, b], uint8).astype(uint64.np)) * _PRIME)
    slot = n.kept((mixed ^ mixed >> 32).astype(int64.np) & n.mask, int64)
    with n.repeat():
        held = n.read(n.slots, [(slot, 4)], int32).astype(int64.np)
        n.leave(held == 0)
        first, size = n.read(n.key_starts, [(held, 8), -8], int64), n.kept(0, int64)
        n.keep(size, n.read(n.key_starts, [(held, 8)], int64) - first)
        with n.when(size == length):
            j = n.kept(0, int64)
            with n.repeat():
                n.leave(j == length)
                n.leave(n.read(n.keys, [first, j], uint8) != n.read(n.data, [begin, j], uint8))
                n.keep(j, j + 1)
            with n.when(j == length):
                n.keep(k, held - 1)
        n.leave(k >= 0)
        n.keep(slot, slot + 1 & n.mask)
    return k


def _scan_feature(n: NestBuilder, e: Any, cell: Any, value: Any, value_end: Any) -> None:
    kind, count, begin, finish = n.kept(4, int64), n.kept(0, int64), n.kept(0, int64), n.kept(0, int64)
    with n.when(value != value_end):
        tag = _byte(n, value)
        start, end = _sized(n, value, value_end, tag, e, is_whole=True)
        with n.when(tag == _IN_ORDER):
            for kept, known in ((kind, 1), (begin, start), (finish, end)):
                n.keep(kept, known)
            text = n.kept(start, int64)
            with n.repeat():
                n.leave(text >= end)
                n.keep(text, _sized(n, text, end, _IN_ORDER, e)[1])
                n.keep(count, count + 1)
        with n.when(tag != _IN_ORDER):
            n.check(tag - 18 & ~8, 1, e)  # 18 for floats, 26 for ints
            n.keep(kind, tag >> 3)
            with n.when(start != end):
                packed, stop = _sized(n, start, end, _IN_ORDER, e, is_whole=True)
                n.keep(begin, packed)
                n.keep(finish, stop)
                with n.when(tag == 18):
                    n.check(stop - packed & 3, 1, e)
                    n.keep(count, stop - packed >> 2)
                with n.when(tag != 18):
                    is_open = n.kept(0, int64)
                    with n.each("b", stop - packed) as b:
                        n.keep(is_open, _byte(n, packed, b) >> 7)
                        n.keep(count, count + 1 - is_open)
                    n.check(is_open, 1, e)
    n.put(n.kinds, [cell], kind.astype(uint8.np))
    n.put(n.counts, [(cell, 8)], count)
    n.put(n.spans, [(cell, 16)], begin)
    n.put(n.spans, [(cell, 16), 8], finish)


@nest("fill_examples", "data spans kinds counts places outs indices", "examples wanted")
def fill_examples(n: NestBuilder) -> SequentialNest:
    """loop(data, spans, kinds by key, counts, places, outs, indices, examples, wanted) -> 0, or 1 if a number is longer
    than 64 bits.

    The values of an example go to its place in the array at the address `outs[key]`: floats, ints, and of bytes where
    they begin and end. At `indices[key]`, unless it is 0, each value has the numbers of its example and in it.
    """
    with n.each("e", n.examples) as e, n.each("k", n.wanted) as k:
        cell = e * n.wanted + k
        count = n.read(n.counts, [(cell, 8)], int64)
        with n.when(count > 0):
            begin, finish = n.read(n.spans, [(cell, 16)], int64), n.read(n.spans, [(cell, 16), 8], int64)
            place, kind, out, index = (n.read(of, [(number, 8)], int64) for of, number in (
                (n.places, cell), (n.kinds, k), (n.outs, k), (n.indices, k)))  # fmt: skip
            with n.when(kind == 2):
                n.put(out, [(place, 4)], n.read_row(n.data, [begin], count * 4))
            at = n.kept(begin, int64)
            with n.when(kind == 3), n.each("v", count) as v:
                n.put(out, [(place, 8), (v, 8)], _number(n, at, None, 70, 1))
            with n.when(kind == 1), n.each("v", count) as v:
                text, stop = _sized(n, at, finish, _IN_ORDER, 1)
                n.put(out, [(place, 16), (v, 16)], text)
                n.put(out, [(place, 16), (v, 16), 8], stop)
                n.keep(at, stop)
            with n.when(index != 0), n.each("v", count) as v:
                n.put(index, [(place, 16), (v, 16)], e)
                n.put(index, [(place, 16), (v, 16), 8], v)
    return n.done()
