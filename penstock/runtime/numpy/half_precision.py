"""How are 16-bit floats computed in float32?

A law on float32 runs on blocks of 32,768 elements: operands are widened into scratch memory that is kept between calls,
and the result is rounded once into its place (see ops.halving). An addition of 32,768 float16 by NumPy's own loop takes
169 us, so 70.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.dtypes import DType, bfloat16, float16
from ...ops.halving import BLOCK, Scratch, keep_scratch, narrow, take_scratch, widen

HALVES = (float16, bfloat16)
_WIDE = np.dtype(np.float32)


class ThroughFloat32:
    """(result, operands ...) -> None from a law (float32 operands ..., out=) whose result is float32 or no float."""

    __slots__ = ("_out", "law")

    def __init__(self, law: Callable[..., Any], out: DType) -> None:
        self.law = law
        self._out = out

    def __call__(self, result: Any, *operands: Any) -> None:
        law, scratch = self.law, take_scratch()
        shape = result.shape
        if result.flags.c_contiguous:
            flat = [_flat(x, shape) for x in operands]
            _in_blocks(law, result.reshape(-1), flat, scratch)
        else:  # the same steps, each at once
            wide = [x.astype(_WIDE) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x for x in operands]
            if self._out in HALVES:
                total = np.empty(result.shape, _WIDE)
                law(*wide, out=total)
                np.copyto(result, total, casting="unsafe")
            else:
                law(*wide, out=result)
        keep_scratch(scratch)


def widen_all(result: Any, short: Any) -> None:
    """16-bit floats as float32 into contiguous memory."""
    scratch, flat, target = take_scratch(), short.reshape(-1), result.reshape(-1)
    for start in range(0, len(flat), BLOCK):
        widen(target[start : start + BLOCK], flat[start : start + BLOCK], scratch)
    keep_scratch(scratch)


def narrow_all(result: Any, wide: Any) -> None:
    """Contiguous float32 rounded to 16-bit floats."""
    target = result if result.flags.c_contiguous else np.empty(result.shape, result.dtype)
    scratch, flat, short = take_scratch(), wide.reshape(-1), target.reshape(-1)
    for start in range(0, len(flat), BLOCK):
        narrow(short[start : start + BLOCK], flat[start : start + BLOCK], scratch)
    keep_scratch(scratch)
    if target is not result:
        result[...] = target


def _flat(x: Any, shape: tuple[int, ...]) -> Any:
    """An operand as one row of `shape`'s elements, or a single number: what broadcasts is written out as it is, which
    takes a tenth of the time that widening it in place would take."""
    if not x.ndim:
        return x
    if x.shape != shape:
        x = np.broadcast_to(x, shape)
    return x.reshape(-1)  # a copy if it is not contiguous


def _in_blocks(law: Callable[..., Any], result: Any, operands: list[Any], scratch: Scratch) -> None:
    rounds = result.dtype.itemsize == 2 and result.dtype.kind not in "iu"
    for start in range(0, len(result), BLOCK):
        part = result[start : start + BLOCK]
        wide: list[Any] = []
        for i, x in enumerate(operands):
            if not x.ndim:
                wide.append(x.astype(_WIDE))
                continue
            block = scratch.block(i + 1)[: len(part)]
            widen(block, x[start : start + BLOCK], scratch)
            wide.append(block)
        if not rounds:
            law(*wide, out=part)
            continue
        total = scratch.block(0)[: len(part)]
        law(*wide, out=total)
        narrow(part, total, scratch)
