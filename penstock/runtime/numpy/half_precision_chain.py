"""How does a chain of 16-bit floats stay in float32?

One op on 16-bit floats widens its operands, computes in float32 and rounds to 16 bits. In a chain the next op would
widen that result again; here it stays in float32, rounded in place to what 16 bits can hold: the same number. Values
get a 16-bit form where something needs it: a result, a reduction, an op that has a way of its own.

    x * y + z     x' y' z' = widen x y z;  a' = round16(x' * y');  b' = round16(a' + z');  b = narrow b'

Rounding adds half of the last place that stays (and the last bit itself, so that ties go to even) to the bits and cuts
them off. For bfloat16 that is all; of float16 the few subnormal and infinite results are repaired one by one. Bits
carry over into the exponent as they should. A NaN stays one: those that arithmetic makes are 0x7FC00000, and those that
came in have no bits below the last place.

Microseconds per 32,768 elements and operation, beside 5 for the multiplication itself: float16 23, bfloat16 12; widened
and narrowed each time 95 and 27.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...graph.dtypes import DType, bfloat16, float16, float32
from ...graph.op_declaration import OPS
from ...ops.halving import BLOCK, keep_scratch, take_scratch
from ..ir.fused_ir import Body
from ..ir.tiling import Shape
from ..memory.pooled_numpy import XP
from .bound_instruction import Bound, Tail
from .half_precision import HALVES, ThroughFloat32, narrow_all, widen_all
from .writers import Writer

_WIDE = np.dtype(np.float32)


def widened(
    body: Body, program: Sequence[Bound], shapes: list[Shape], dtypes: list[Any], made: Iterable[int], tails: list[Tail]
) -> tuple[list[Bound], list[Shape], list[Any], list[Tail]]:
    """`program` with its 16-bit floats in float32, the shapes and dtypes of all values, new ones at the end, and what
    `tails`, the reductions that read its values, read now.

    The program itself if fewer than two of its instructions gain. made: the values that must be there afterwards.
    """
    if HALVES[0] not in (found := {*body.inputs, *[i.dtype for i in body.instructions]}) and HALVES[1] not in found:
        return list(program), shapes, dtypes, tails
    kinds = [body.dtype_of(i) for i in range(len(shapes))]
    if sum([_law(body, bound, kinds) is not None for bound in program]) < 2:
        return list(program), shapes, dtypes, tails
    walk = _Widening(body, kinds, list(shapes), list(dtypes))
    walk.run(program)
    for i in made:
        walk.need_narrow(i)
    tails = [walk.tail(tail) for tail in tails]
    return walk.made, walk.shapes, walk.dtypes, tails


class _Widening:
    """One walk over a program. twins: for a 16-bit value the one that holds it in float32. narrow: values that have
    their 16-bit form."""

    def __init__(self, body: Body, kinds: list[DType], shapes: list[Shape], dtypes: list[Any]) -> None:
        self._body = body
        self._kinds = kinds
        self.shapes = shapes
        self.dtypes = dtypes
        self.made: list[Bound] = []
        self._twins: dict[int, int] = {}
        self._narrow: set[int] = set(range(len(body.inputs)))

    def run(self, program: Sequence[Bound]) -> None:
        """Make the new program."""
        for bound in program:
            law = _law(self._body, bound, self._kinds)
            kind = self._kinds[bound.value]
            if law is None:
                for i in bound.operands:
                    self.need_narrow(i)
                self.made.append(bound)
                self._narrow.add(bound.value)
                continue
            operands = tuple([self._twin(i) if self._kinds[i] in HALVES else i for i in bound.operands])
            if kind in HALVES:
                value = self._twins[bound.value] = self._new(bound.value)
                call: Writer = _Rounded(law, kind)
                in_place = isinstance(law, np.ufunc)
                self.made.append(bound._replace(call=call, operands=operands, value=value, in_place=in_place))
            else:
                self.made.append(bound._replace(call=_plain(law), operands=operands, in_place=False))
                self._narrow.add(bound.value)

    def need_narrow(self, i: int) -> None:
        """Let value `i` have its 16-bit form."""
        if i in self._twins and i not in self._narrow:
            self._narrow.add(i)
            self.made.append(Bound(narrow_all, (self._twins[i],), i, False, 1.0, _same_shape))

    def tail(self, tail: Tail) -> Tail:
        """The reduction, of float32 if that is what it would widen its elements to."""
        i = tail.operand
        twin = self._twins.get(i)
        if twin is not None and tail.rule.wide(self._kinds[i]) is float32 and tail.rule.wide(float32) is float32:
            return replace(tail, operand=twin)
        self.need_narrow(i)
        return tail

    def _new(self, i: int) -> int:
        self.shapes.append(self.shapes[i])
        self.dtypes.append(_WIDE)
        return len(self.shapes) - 1

    def _twin(self, i: int) -> int:
        found = self._twins.get(i)
        if found is None:
            found = self._twins[i] = self._new(i)
            self.made.append(Bound(widen_all, (i,), found, False, 1.0, _same_shape))
        return found


def _same_shape(shapes: Sequence[Shape]) -> Shape:
    return shapes[0]


def _law(body: Body, bound: Bound, kinds: Sequence[DType]) -> Callable[..., Any] | None:
    """(float32 operands ..., out=) of an instruction on 16-bit floats; None if it has to see these as they are."""
    if not any(kinds[i] in HALVES for i in bound.operands):
        return None
    kind, call = kinds[bound.value], bound.call
    if isinstance(call, ThroughFloat32):
        return call.law if all(kinds[i] in HALVES for i in bound.operands) else None
    instruction = body.instructions[bound.value - len(body.inputs)]
    if instruction.op == "Select" and len(bound.operands) == 3:
        into = OPS["Select"].into_rule
        return None if into is None else lambda *operands, out: into(XP, out, *operands)
    if instruction.op == "Cast" and kind.np == _WIDE:
        return lambda x, out: np.copyto(out, x)
    return None


def _plain(law: Callable[..., Any]) -> Callable[..., None]:
    def call(result: Any, *operands: Any) -> None:
        law(*operands, out=result)

    return call


class _Rounded:
    """A law, and rounding to what 16 bits hold, in blocks that stay in the cache."""

    __slots__ = ("_kind", "_law")

    def __init__(self, law: Callable[..., Any], kind: DType) -> None:
        self._law = law
        self._kind = kind

    def __call__(self, result: Any, *operands: Any) -> None:
        flat = result.reshape(-1)  # a register: never a copy
        in_blocks = all((x.shape == result.shape and x.flags.c_contiguous) or not x.ndim for x in operands)
        if not in_blocks:
            self._law(*operands, out=result)
        rows = [x.reshape(-1) if x.ndim else x for x in operands]
        scratch = take_scratch()
        for start in range(0, len(flat), BLOCK):
            part = flat[start : start + BLOCK]
            if in_blocks:
                self._law(*[x[start : start + BLOCK] if x.ndim else x for x in rows], out=part)
            if self._kind is bfloat16:
                round_bfloat16(part, scratch.bits[0])
            else:
                round_float16(part, scratch)
        keep_scratch(scratch)


def round_bfloat16(block: Any, bits: Any) -> None:
    """A block of float32 rounded in place to the nearest bfloat16, ties to even; `bits`: memory to work with."""
    whole, last = block.view(np.int32), bits[: len(block)]
    np.right_shift(whole, 16, out=last)
    np.bitwise_and(last, 1, out=last)
    np.add(last, 0x7FFF, out=last)
    np.add(whole, last, out=whole)
    np.bitwise_and(whole, -0x10000, out=whole)


def round_float16(block: Any, scratch: Any) -> None:
    """A block of float32 rounded in place to the nearest float16, ties to even."""
    whole = block.view(np.int32)
    last, size = scratch.bits[0, : len(block)], scratch.bits[1, : len(block)]
    np.bitwise_and(whole, 0x7FFFFFFF, out=size)
    np.subtract(size, _LEAST_NORMAL, out=size)
    special = np.greater_equal(size.view(np.uint32), _ABOVE, out=scratch.special[: len(block)])
    repaired = None
    if special.any():
        places = np.flatnonzero(np.logical_and(special, block, out=special))  # zeros are right as they are
        repaired = block[places].astype(float16.np).astype(_WIDE)
    np.right_shift(whole, 13, out=last)
    np.bitwise_and(last, 1, out=last)
    np.add(last, 0xFFF, out=last)
    np.add(whole, last, out=whole)
    np.bitwise_and(whole, -0x2000, out=whole)
    if repaired is not None:
        block[places] = repaired


_LEAST_NORMAL = 0x38800000  # 2**-14, the least normal float16, as a float32
_ABOVE = 0x477FF000 - _LEAST_NORMAL  # from 65520 on the nearest float16 is infinite
