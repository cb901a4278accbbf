"""Boxes: which part of a result each operand is, for ops that put operands side by side.

A rule, `@concat.boxes`, says it from sizes alone, so that nothing is moved to find it out:

    concat(1, [a, b])       a (4, 2), b (4, 3)       result[:, 0:2] = a, result[:, 2:5] = b
    pad(a, [[0, 0], [1, 0]])                         result[:, 1:3] = a, result[:, 0:1] = 0

What computes an operand can then write it where it belongs, and what reads the result can read the operand instead: see
`runtime.planning.joint_steps`. Together the boxes are the whole result, and no two of them overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from ..common.quick_dataclass import dataclass

MOST_BOXES: Final = 64
"""The most boxes of a result: each one is a call or a copy of its own."""
Part: TypeAlias = int | slice
"""The part of one dimension: a slice with start and stop, without a step; an int leaves the dimension out."""


@dataclass(frozen=True, slots=True)
class ResultBox:
    """result[place] = an operand, or zeros.

    Attributes:
        place: a part of each dimension of the result.
        operand: the position among the inputs of the operation; None for zeros.
        rows: where the box is rows of the operand: the position of the input with their numbers, a vector, which may be
            out of range. Only the first dimension may be so.
    """

    place: tuple[Part, ...]
    operand: int | None
    rows: int | None = None


BoxesRule: TypeAlias = Callable[..., Sequence[ResultBox]]
"""From the arguments in the order of the signature, each operand as its sizes and an operand on the host as its value,
to the boxes. It may assume that the op does not fail, but for numbers of rows."""


def boxes_of(opdef: Any, args: Sequence[Any]) -> Sequence[ResultBox] | None:
    """The boxes of a use of an op; None if it has no rule, or there are too many.

    args: what `BoxesRule` gets.
    """
    rule: BoxesRule | None = opdef.boxes_rule
    boxes = None if rule is None else rule(*args)
    return boxes if boxes and len(boxes) <= MOST_BOXES else None


def side_by_side(sizes: Sequence[int], axis: int, rank: int, first: int) -> list[ResultBox]:
    """The boxes of operands that follow each other along an axis.

    Args:
        sizes: the size of each operand along it.
        axis: the axis.
        rank: the rank of the result.
        first: the position of the first operand among the inputs.
    """
    boxes, start = [], 0
    for number, size in enumerate(sizes):
        place = [slice(None)] * rank
        place[axis] = slice(start, start + size)
        boxes.append(ResultBox(tuple(place), first + number))
        start += size
    return boxes


def in_rows(count: int, axis: int, rank: int) -> list[ResultBox]:
    """The boxes of `count` operands that are stacked along a new axis of a result of rank `rank`."""
    before = (slice(None),) * axis
    return [ResultBox((*before, number, *[slice(None)] * (rank - axis - 1)), number) for number in range(count)]
