"""How is float16 converted to float32 and back without NumPy's slow conversions?

NumPy converts float16 element by element; here the bits of a block of 32,768 elements are moved by whole-array
instructions, and the few elements for which that is not the whole story (subnormals, infinities, NaN) are repaired one
by one with NumPy's own conversion. Both give the same bits. bfloat16's conversions are left to ml_dtypes.

Microseconds per 32,768 elements: float16 -> float32 NumPy 54, here 13; float32 -> float16 81 and 36; bfloat16 by
ml_dtypes 3 and 14.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..graph.dtypes import float16

BLOCK = 1 << 15
_HALF = float16.np


class Scratch:
    """Memory of one call: float32 blocks, and blocks of bits to work with."""

    def __init__(self) -> None:
        self.wide: list[Any] = []
        self.bits = np.empty((2, BLOCK), np.int32)
        self.short = np.empty(BLOCK, np.uint16)
        self.special = np.empty(BLOCK, np.bool_)

    def block(self, i: int) -> Any:
        """The i-th float32 block."""
        while len(self.wide) <= i:
            self.wide.append(np.empty(BLOCK, np.float32))
        return self.wide[i]


_idle: deque[Scratch] = deque(maxlen=8)  # one for each thread that is at it


def take_scratch() -> Scratch:
    """Memory to work with, to be given back by `keep_scratch`; what is not given back is forgotten."""
    try:
        return _idle.pop()
    except IndexError:
        return Scratch()


def keep_scratch(scratch: Scratch) -> None:
    """Keep it for the next call."""
    _idle.append(scratch)


def half_copy(target: Any, source: Any) -> None:
    """float16 as float32, or float32 as float16: flat arrays of one length."""
    convert, scratch = (narrow if target.dtype == _HALF else widen), take_scratch()
    for start in range(0, len(target), BLOCK):
        convert(target[start : start + BLOCK], source[start : start + BLOCK], scratch)
    keep_scratch(scratch)


def widen(out: Any, short: Any, scratch: Scratch) -> None:
    """A block of 16-bit floats as float32."""
    if short.dtype != _HALF:
        np.copyto(out, short, casting="unsafe")
        return
    # The exponent moves to its place in a float32 by three bits; 2**112 is what the two biases differ by.
    bits = out.view(np.int32)
    np.copyto(bits, short.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, -0x70000001, out=bits)
    np.multiply(out, _SCALE, out=out)
    size = np.bitwise_and(short.view(np.uint16), 0x7FFF, out=scratch.short[: len(out)])
    if size.size and size.max() >= 0x7C00:  # infinities and NaN have an exponent of their own
        np.copyto(out, short)


_SCALE = np.array(2.0**112, np.float32)


def narrow(out: Any, wide: Any, scratch: Scratch) -> None:
    """A block of float32 rounded to 16-bit floats, to nearest, ties to even."""
    if out.dtype != _HALF:
        np.copyto(out, wide, casting="unsafe")
        return
    count = len(out)
    bits = wide.view(np.int32)
    size, short = scratch.bits[0, :count], scratch.bits[1, :count]
    np.bitwise_and(bits, 0x7FFFFFFF, out=size)
    np.right_shift(size, 13, out=short)
    np.bitwise_and(short, 1, out=short)  # the last bit that stays: a tie goes to the even one
    np.add(short, size, out=short)
    np.add(short, 0xFFF - (112 << 23), out=short)
    np.right_shift(short, 13, out=short)
    np.subtract(size, _LEAST_NORMAL, out=size)
    special = np.greater_equal(size.view(np.uint32), _FIRST_INFINITE - _LEAST_NORMAL, out=scratch.special[:count])
    is_special = special.any()
    if is_special:
        np.maximum(short, 0, out=short)  # zeros, which there may be many of, are right so
        places = np.flatnonzero(np.logical_and(special, wide, out=special))
        if len(places) > count >> 3:
            np.copyto(out, wide, casting="unsafe")
            return
    np.right_shift(bits, 16, out=size)
    np.bitwise_and(size, 0x8000, out=size)
    np.bitwise_or(short, size, out=short)
    np.copyto(out.view(np.int16), short, casting="unsafe")
    if is_special:
        out[places] = wide[places].astype(_HALF)


_LEAST_NORMAL = 0x38800000  # 2**-14, the least normal float16, as a float32
_FIRST_INFINITE = 0x477FF000  # 65520: from here on the nearest float16 is infinite
