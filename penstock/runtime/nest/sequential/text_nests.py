"""Nests that read numbers from strings.

It reads decimals of at most 19 digits and leaves the rest to its caller. Where the digits make a whole number m of at
most 2**53, times 10**e with |e| <= 22, both are floats without rounding, so that m * 10**e or m / 10**-e is rounded
once. Others go through a table (`decimal_to_double`). A float32 is that float64 rounded again, which goes wrong only
where the float64 lies halfway between two float32, or below float32's normal numbers; such a string is left to the
caller too, as is all that is spelled otherwise (inf, nan, hexadecimal, errors). Ints are digits, as far as they fit.

The strings are elements of fixed width, "S" (bytes) and "U" (4-byte code points), filled up with zeros, or "O":
pointers to Python's bytes objects, whose layout the caller found and checked. A pointer to anything else is left to
the caller.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ....graph.shapes.dtypes import bool_, float32, float64, int64, uint8, uint32, uint64
from ...ir.scalar_ir import MODULE
from ...kernels.loops.decimal_to_double import LEAST, LONGEST_POWER, MOST
from .nest_builder import NestBuilder, dtype_of_key, nest
from .sequential_ir import SequentialNest

_DIGITS: Final = 19
"""10**19 - 1 fits 64 bits."""
_AHEAD: Final = 16
"""Objects between the one that is read and the one that is fetched."""


def _object(n: NestBuilder, i: Any) -> Any:
    """The address of object i of `strings`."""
    n.fetch(n.read(n.strings, [(MODULE.minimum(i + _AHEAD, n.count - 1), 8)], int64), [])
    return n.read(n.strings, [(i, 8)], int64)


@nest("bytes_only", "strings", "count type")
def bytes_only(n: NestBuilder, layout: tuple[int, int, int]) -> SequentialNest:
    """loop(objects, count, address of the type) -> how many are of exactly that type, up to the first that is not."""
    with n.each("i", n.count, vector=1) as i:
        item = _object(n, i)
        n.check(MODULE.where(item == 0, 1, 0), 1, i)
        n.check(n.read(item, [layout[0]], int64) ^ n.type, 1, i)
    return n.done(n.count)


@nest("numbers", "out strings left", "width count type")
def numbers(n: NestBuilder, source: str, layout: tuple[int, int, int], target: str) -> SequentialNest:
    """loop(out, strings, left, width of one in units, count, address of the type) -> how many were left.

    layout: where a bytes object keeps its type, its length and its characters. left: int64, `count` of them: takes the
    places of the strings that were not read. Holds the GIL, under which objects stay what they are.
    """
    lefts, answer = n.kept(0, int64), n.own_memory(16)
    with n.each("i", n.count, vector=1) as i:
        is_read = n.kept(0, int64)
        text = _Text(n, i, source, layout)
        with n.when(text.length > 0):
            text.skip_blanks()
            is_minus = text.sign()
            (_read_int if target[0] == "i" else _read_float)(n, text, is_minus, i, is_read, answer, target)
        with n.when(is_read == 0):
            n.put(n.left, [(lefts, 8)], i)
            n.keep(lefts, lefts + 1)
    return n.done(lefts)


class _Text:
    """A string, and how far it is read: up to `here`, behind blanks or digits.

    Behind the end there are zeros, which are part of no number; what is read instead is the first unit.
    """

    def __init__(self, n: NestBuilder, i: Any, source: str, layout: tuple[int, int, int]) -> None:
        self.n = n
        self.at, self.length, start = n.kept(0, int64), n.kept(0, int64), n.kept(0, int64)
        self.here = n.kept(0, int64)
        self.unit = uint32 if source == "U" else uint8
        self.base, self.start = (start, []) if source == "O" else (n.strings, [(i, n.width * self.unit.size)])
        if source == "O":
            item = _object(n, i)
            with n.when(item != 0), n.when(n.read(item, [layout[0]], int64) == n.type):
                n.keep(start, item + layout[2])
                n.keep(self.length, n.read(item, [layout[1]], int64))
        else:
            n.keep(self.length, n.width)
            with n.repeat():
                n.leave(self.length == 0)
                n.leave(self._at(self.length - 1) != 0)
                n.keep(self.length, self.length - 1)

    def _at(self, place: Any) -> Any:
        return self.n.read(self.base, [*self.start, (place, self.unit.size)], self.unit).astype(int64.np)

    def character(self) -> Any:
        """The unit at hand."""
        is_inside = self.at < self.length
        return MODULE.where(is_inside, self._at(MODULE.where(is_inside, self.at, 0)), 0)

    def skip(self, condition: Any = True) -> None:
        """Go on, if the condition is true."""
        self.n.keep(self.at, self.at + (1 if condition is True else MODULE.where(condition, 1, 0)))

    def skip_blanks(self) -> None:
        """Go on behind blanks."""
        with self.n.repeat():
            c = self.character()
            self.n.keep(self.here, c)
            self.n.leave((c != 32) & ((c < 9) | (c > 13)))
            self.skip()

    def sign(self) -> Any:
        """Whether there is a minus, behind which it goes on, as behind a plus."""
        is_minus = self.here == 45
        self.skip(is_minus | (self.here == 43))
        return is_minus

    def digits(self, number: Any) -> Any:
        """How many digits there are, which are added to a kept number."""
        first = self.n.kept(self.at, int64)
        with self.n.repeat():
            self.n.keep(self.here, self.character())
            digit = self.here - 48
            self.n.leave((digit < 0) | (digit > 9))
            self.n.keep(number, number * 10 + digit.astype(uint64.np))
            self.skip()
        return self.at - first


def _read_int(n: NestBuilder, text: _Text, is_minus: Any, i: Any, is_read: Any, answer: Any, target: str) -> None:
    number, dtype = n.kept(0, uint64), dtype_of_key(target)
    count, limit = text.digits(number), 1 << (8 * dtype.size - 1)
    fits = number <= MODULE.where(is_minus, np.uint64(limit), np.uint64(limit - 1))
    text.skip_blanks()
    with n.when((count > 0) & (count <= _DIGITS) & fits & (text.at == text.length)):
        n.put(n.out, [(i, dtype.size)], MODULE.where(is_minus, np.uint64(0) - number, number).astype(dtype.np))
        n.keep(is_read, 1)


def _read_float(n: NestBuilder, text: _Text, is_minus: Any, i: Any, is_read: Any, answer: Any, target: str) -> None:
    m, behind_dot, not_counted, power = n.kept(0, uint64), n.kept(0, int64), n.kept(0, int64), n.kept(0, int64)
    whole = text.digits(m)
    with n.when(text.here == 46):
        text.skip()
        begin = n.kept(text.at, int64)
        with n.when(m == 0):
            with n.repeat():
                n.leave(text.character() != 48)
                text.skip()
            n.keep(not_counted, text.at - begin + whole)
        text.digits(m)
        n.keep(behind_dot, text.at - begin)
    digits = whole + behind_dot
    is_good = n.kept((digits > 0) & (digits - not_counted <= _DIGITS), bool_)
    with n.when(text.here | 32 == 101):  # E, e
        text.skip()
        n.keep(text.here, text.character())
        is_down, size = text.sign(), n.kept(0, uint64)
        count = text.digits(size)
        n.keep(is_good, is_good & (count > 0) & (count <= LONGEST_POWER))
        n.keep(power, MODULE.where(is_down, np.uint64(0) - size, size).astype(int64.np))
    text.skip_blanks()
    with n.when(is_good & (text.at == text.length)):
        number, is_known = _nearest(n, m, power - behind_dot, answer)
        with n.when(is_known != 0):
            bits = n.read(answer, [], int64)
            signed = MODULE.where(is_minus, -number, number)
            if target == "f8":
                n.put(n.out, [(i, 8)], signed)
                n.keep(is_read, 1)
            else:
                # The 29 bits that float32 does not have are 1000...0: halfway. Below 2**-126 it has fewer.
                is_halfway, is_tiny = bits & (1 << 29) - 1 == 1 << 28, (bits > 0) & (bits < 897 << 52)
                n.put(n.out, [(i, 4)], signed.astype(float32.np))
                n.keep(is_read, MODULE.where(is_halfway | is_tiny, 0, 1))


def _nearest(n: NestBuilder, m: Any, e: Any, answer: Any) -> tuple[Any, Any]:
    """The float64 nearest to m * 10**e, which `answer` then holds too, and whether it is known."""
    number, is_known = n.kept(0.0, float64), n.kept(0, int64)
    is_exact = (m <= 1 << 53) & (e >= -22) & (e <= 22)
    arguments: Any = (answer, []), m.astype(int64.np), e
    with n.when(is_exact):
        n.call("exact", *arguments)
        n.keep(number, n.read(answer, [], float64))
        n.keep(is_known, 1)
    with n.when(MODULE.logical_not(is_exact) & (e >= LEAST) & (e <= MOST) & (m != 0)):
        n.call("nearest", *arguments)
        n.keep(number, n.read(answer, [], float64))
        n.keep(is_known, n.read(answer, [8], int64))
    return number, is_known
