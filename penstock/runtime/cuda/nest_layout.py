"""How the operands of a nest lie in memory, as far as its CUDA source depends on it.

Neighbouring axes over which every operand steps evenly become one, among those of the rows and among those of the
elements of a row. Sizes and steps that are left are arguments of the kernel, and become constants of the source once
they have been used a few times (`cuda_source.sized`). Contiguous operands and single numbers leave none, so that one
kernel serves arrays of every length.

A thread takes as many consecutive elements at a time as fit into 16 bytes of the widest operand, and loads or stores
them with one instruction where they are adjacent. Offsets are computed in 32 bits where sizes allow it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ..ir.strides import broadcast_strides, coalesced
from .cuda_source import Shape


@dataclass(frozen=True, slots=True)
class OperandWalk:
    """Some axes, merged as far as possible; the first one may have any size.

    Attributes:
        sizes: those of the other axes.
        steps: of each operand along each axis, in elements; 0 repeats it.
        is_short: whether 32 bits hold twice every offset, for the parts of complex numbers.
    """

    sizes: Shape
    steps: tuple[Shape, ...]
    is_short: bool

    @classmethod
    def along(cls, shape: Shape, strides: Sequence[list[int]]) -> OperandWalk:
        """The walk of operands with these strides."""
        sizes, merged = coalesced(shape, strides)
        if not sizes:
            sizes, merged = (1,), [[0] for _ in strides]
        reach = [sum([abs(s) * d for s, d in zip(own, sizes, strict=True)]) for own in merged]
        return cls(sizes[1:], tuple(map(tuple, merged)), max([prod(sizes), *reach]) < 1 << 30)

    @property
    def is_flat(self) -> bool:
        """True for one axis along which operands are contiguous or single numbers."""
        return not self.sizes and all(own[0] in (0, 1) for own in self.steps)


@dataclass(frozen=True, slots=True)
class NestLayout:
    """The layout of the operands of a nest.

    Attributes:
        rows: from row to row; of a nest without reductions, whose elements are one row, nothing.
        elements: within a row.
        dense: the operands whose rows lie one behind the other.
        width: elements that a thread takes at a time.
        number: the C type of the number of an element.
        is_paired: complex numbers are aligned to their size, so that both parts are read at once.
    """

    rows: OperandWalk
    elements: OperandWalk
    dense: frozenset[int]
    width: int
    number: str
    is_paired: bool

    def sizes(self, loads: Sequence[int]) -> dict[str, int]:
        """The sizes and steps that the code uses, by name."""
        found: dict[str, int] = {}
        for size, step, walk in (("R", "Q", self.rows), ("S", "T", self.elements)):
            found |= {f"{size}{d}": length for d, length in enumerate(walk.sizes, 1)}
            for k in loads:
                if size == "S" or k not in self.dense:
                    found |= {f"{step}{k}_{d}": s for d, s in enumerate(walk.steps[k]) if s not in (0, 1)}
        return found


@lru_cache(maxsize=1024)
def layout_of(
    whole: Shape,
    outer: int | None,
    operands: tuple[tuple[Shape, Shape], ...],
    widest: int,
    aligned: bool,
    is_paired: bool,
) -> NestLayout:
    """The layout of operands of a nest over `whole`.

    Args:
        whole: the shape of all elements.
        outer: how many of the first axes are those of the rows; None if the nest has no reductions.
        operands: shape and strides, in elements, of each; it broadcasts to `whole`.
        widest: bytes of an element of the widest operand.
        aligned: whether all operands begin at multiples of 16 bytes.
        is_paired: as in `NestLayout`.
    """
    walks = [broadcast_strides(shape, strides, whole) for shape, strides in operands]
    start = outer or 0
    count = prod(whole[start:])
    rows = OperandWalk.along(whole[:start], [walk[:start] for walk in walks])
    elements = OperandWalk.along(whole[start:], [walk[start:] for walk in walks])
    dense = frozenset([k for k, own in enumerate(rows.steps) if outer and own == (count,)])
    is_flat = elements.is_flat and outer is None
    last = elements.sizes[-1] if elements.sizes else count
    across = [rows.steps[k] + own[:-1] for k, own in enumerate(elements.steps) if own[-1] == 1]
    width = max(1, 16 // widest) if aligned else 1
    while width > 1 and not is_flat and (last % width or any(s % width for own in across for s in own)):
        width //= 2
    if is_flat:  # arrays of every length share the source
        elements = OperandWalk((), elements.steps, False)
    return NestLayout(rows, elements, dense, width, "u32" if prod(whole) < 1 << 32 else "u64", is_paired)
